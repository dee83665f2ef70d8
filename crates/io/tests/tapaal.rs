//! TAPAAL's queries: texts, and those in its files.

use fireset_io::{Fault, net_file::NetChoice, pnml, query, tapaal};
use fireset_net::{Logic, Net};
use fireset_oracle::tiny;

fn net() -> Net {
    tiny::net("p:1 q r.s; t: p -> q; u: q -> p")
}

/// Queries as fireset shows them.
#[track_caller]
fn shown(text: &str) -> Vec<String> {
    let net = net();
    let read = tapaal::read_properties(text, net.nodes()).unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
    read.iter().map(|property| query::show_as(&property.formula, property.logic, net.nodes())).collect()
}

#[track_caller]
fn refused(text: &str, message: &str, offset: u64) -> Fault {
    let fault = tapaal::read_properties(text, net().nodes()).expect_err("it should be refused");
    assert!(fault.message.contains(message), "{text}: {fault:?}");
    assert_eq!(fault.offset, offset, "{text}: {fault:?}");
    fault
}

#[test]
fn texts_are_read() {
    let texts = [
        ("EF (p >= 1 and !(deadlock))", "EF (p >= 1 && !deadlock)"),
        ("AG p>=1", "AG (p >= 1)"),
        ("AG (!(q > 0) or p = 1)", "AG (q > 0 -> p = 1)"),
        ("EF r.s = 3", "EF (r.s = 3)"),
        ("EG \"r.s\" == 0", "EG (r.s = 0)"),
        ("EF \"r\".\"s\" != 2*p + q - 1", "EF (r.s != 2*p + q - 1)"),
        ("E (p = 1 U q = 1)", "E[(p = 1) U (q = 1)]"),
        ("A ((p >= 1) U (q >= 1))", "A[(p >= 1) U (q >= 1)]"),
        ("AG (EF (t? && is-fireable(t, u)))", "AG EF (fireable(t) && fireable(t, u))"),
        ("EF (tokens-count(p, q) < 2 || #tokens(p) <= 0)", "EF (tokens(p, q) < 2 || p <= 0)"),
        ("(EF p = 1) and (AF q = 1)", "EF (p = 1) && AF (q = 1)"),
        ("not EF (p + q) * 2 > -4", "!EF ((p + q)*2 > -1*4)"),
        ("EF true", "EF true"),
    ];
    for (text, expected) in texts {
        assert_eq!(shown(text), [expected], "{text}");
    }
    assert_eq!(shown("EF p = 1\nAG (q = 0\n and p = 1)\n"), ["EF (p = 1)", "AG (q = 0 && p = 1)"]);
    let path = tapaal::read_properties("A (G (F p = 1))", net().nodes()).unwrap();
    assert_eq!(path[0].logic, Logic::Ltl);
    assert_eq!(path[0].name, "query 1");
}

#[test]
fn what_the_tools_read_differently_is_refused() {
    refused("EF p = 1 and q = 1", "where the operand of the temporal operator ends", 13);
    refused("EF (p = 1) or q = 1", "where the operand of the temporal operator ends", 14);
    refused("EF (p = 1 and q = 1 or p = 0)", "`and` and `or` are mixed", 23);
    assert_eq!(shown("p = 1 and EF q = 1"), ["p = 1 && EF (q = 1)"]);
}

#[test]
fn wrong_queries_are_refused() {
    let fault = refused("EF pp >= 1", "the net has no place `pp`", 3);
    assert_eq!(fault.hint.as_deref(), Some("did you mean `p`?"));
    refused("EF t = 1", "`t` is a transition, not a place", 3);
    refused("control: AF p = 1", "games", 0);
    refused("forall T . EF p = 1", "several runs", 0);
    refused("EF p", "expected a formula, found a number", 3);
    refused("EF (p = 1) + 1 = 2", "expected a number, found a formula", 3);
    refused("EF (p = 1", "expected `)`", 9);
    refused("EF \"p", "unterminated", 3);
    refused("EF p = 99999999999999999999", "64 bits", 7);
    refused("EF p = 9223372036854775808", "63 bits", 7);
    refused(&"(".repeat(100_000), "nests more than", 201);
    refused(&"!".repeat(100_000), "nests more than", 201);
    refused(&"- ".repeat(100_000), "nests more than", 402);
    refused(&format!("EF p{} = 1", " - p".repeat(100_000)), "nests more than", 3);
    assert!(tapaal::read_properties(&format!("EF (p{} >= 1)", " + p".repeat(10_000)), net().nodes()).is_ok());
}

fn file(queries: &str) -> String {
    format!(
        "<pnml><net id='A' active='true' type='P/T net'><place id='p' initialMarking='1'/><place id='live'/>\
        <transition id='t'/><arc source='p' target='t'/></net>{queries}<k-bound bound='3'/></pnml>"
    )
}

#[test]
fn queries_in_a_file_are_properties() {
    let formula = "<formula><exists-path><finally><integer-ge><tokens-count>\n <place>A.p</place></tokens-count>\
        <integer-constant>2</integer-constant></integer-ge></finally></exists-path></formula>";
    let text = file(&format!(
        "<query active='true' name='first' query='EF (A.p &gt;= 1 and !(deadlock))' traceOption='NONE'/>\
        <query active='false' name='off' query='EF A.p = 1'/><query active='true' name='second' type='CTL'>{formula}</query>\
        <queries><query name='first' query='AG A.live = 0'/></queries><query name='lost' query='EF B.p = 1'/>\
        <query name='odd' query='EF ('/><query name='chance' type='SMC'>{formula}</query>"
    ));
    let read = pnml::read_net(text.as_bytes(), NetChoice::Only).unwrap();
    let nodes = read.model.nodes();
    let found: Vec<String> =
        read.properties.iter().map(|p| format!("{}: {}", p.name, query::show(&p.formula, nodes))).collect();
    assert_eq!(
        found,
        ["first: EF (p >= 1 && !deadlock)", "second: EF (p >= 2)", "first (3): AG (\"live\" = 0)"]
    );
    for (query, why) in [("lost", "no place `B.p`"), ("odd", "expected"), ("chance", "`SMC`")] {
        let note = read.notes.iter().find(|note| note.contains(&format!("`{query}` is left out")));
        assert!(note.is_some_and(|note| note.contains(why)), "{query}: {:?}", read.notes);
    }
}

#[test]
fn queries_speak_of_components() {
    let text = file("<query name='x' query='EF (A.p = 0 and B.p = 0)'/>")
        .replace("<query", "<net id='B' active='true'><place id='p' initialMarking='2'/></net><query");
    let read = pnml::read_net(text.as_bytes(), NetChoice::Only).unwrap();
    assert_eq!(query::show(&read.properties[0].formula, read.model.nodes()), "EF (A.p = 0 && B.p = 0)");
    let alone = pnml::read_net(text.as_bytes(), NetChoice::Named("A")).unwrap();
    assert!(alone.properties.is_empty(), "a place of another component is not bound");
}
