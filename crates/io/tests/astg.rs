//! Signal transition graphs in the ASTG format: the nets that they are, and what is refused.

use fireset_io::{
    Fault, Source, astg,
    net_file::{self, NetChoice, NetFile},
};
use fireset_net::{Model, Net};
use fireset_oracle::tiny;

#[track_caller]
fn file(text: &str) -> NetFile {
    astg::read(text).unwrap_or_else(|fault| panic!("{fault:?}"))
}

#[track_caller]
fn net(text: &str) -> Net {
    match file(text).model {
        Model::Plain(net) => net,
        Model::Coloured(_) => panic!("a signal transition graph is not coloured"),
    }
}

/// A file with inputs `a`, `b` and a dummy `d`, whose graph and marking stand from its third line on.
fn graph(lines: &str) -> String {
    format!(".inputs a b\n.dummy d\n.graph\n{lines}\n.end\n")
}

/// The fault has this message, where this text first stands in the file; the empty text is at its end.
#[track_caller]
fn refused(text: &str, message: &str, at: &str) {
    let fault: Fault = astg::read(text).expect_err("the file is wrong");
    assert!(fault.message.contains(message), "{fault:?}");
    let offset = if at.is_empty() { text.len() } else { text.find(at).expect("the text has it") };
    assert_eq!(fault.offset, offset as u64, "{fault:?}");
}

#[test]
fn a_graph_is_a_net() {
    let net =
        net("# a comment\n.model my graph # its name\n.inputs a\n.outputs b.x\n.internal c\n.dummy d\n\
         .mode SELFTIMED\n.slowenv\n.note anything + at / all\n.graph # here\n\
         p1 a+ a+/2\na+ p_2(3) b.x~\nb.x~ d\nd d/1 # two of it\n\nd/1 p1\n a+/2 c-\nc- p1\np_2 a-(2)\n\
         .marking { p1 <a+,b.x~>=2\n p_2=4 }\n.end\n");
    assert_eq!(net.name, "my graph");
    assert_eq!(
        tiny::text(&net),
        "p1:1 p_2:4 <a+,b.x~>:2 <b.x~,d> <d,d/1> <a+/2,c->; a+: p1 -> 3*p_2, <a+,b.x~>; a+/2: p1 -> <a+/2,c->; \
         b.x~: <a+,b.x~> -> <b.x~,d>; d: <b.x~,d> -> <d,d/1>; d/1: <d,d/1> -> p1; c-: <a+/2,c-> -> p1; \
         a-: 2*p_2 ->"
    );
}

#[test]
fn signals_without_signs_are_transitions() {
    let net = net(".internal go\n.graph\nidle go(3)\ngo busy\n.marking { idle=5 }\n.end");
    assert_eq!(tiny::text(&net), "idle:5 busy; go: 3*idle -> busy");
}

#[test]
fn signals_may_be_declared_after_the_graph() {
    let net = net(".graph\np a+\na+ p\n.marking {p}\n.inputs a\n.end");
    assert_eq!(tiny::text(&net), "p:1; a+: p -> p");
}

#[test]
fn the_number_0_is_none() {
    let net = net(&graph("a+/0 b-/0\nb-/0 a+/0\n.marking {<b-, a+/0 > }"));
    assert_eq!(
        tiny::text(&net),
        "<a+/0,b-/0> <b-/0,a+/0>:1; a+/0: <b-/0,a+/0> -> <a+/0,b-/0>; \
         b-/0: <a+/0,b-/0> -> <b-/0,a+/0>"
    );
    refused(&graph("a+ b-\nb- a+/0"), "`a+/0` and `a+` are both in the graph", "a+/0");
}

#[test]
fn coordinates_are_passed_over() {
    let net = net(&graph("p (1.5,2) a+ (3,4,5,6) d\na+ (1, 2) q(2)\n"));
    assert_eq!(tiny::text(&net), "p q; a+: p -> 2*q; d: p ->");
}

#[test]
fn what_a_file_leaves_out_is_noted() {
    let notes = file(".inputs a\n.initial state !a\n.graph\na+ a-\n.end").notes;
    assert_eq!(notes.len(), 2);
    assert!(
        notes[0].contains("initial values of signals") && notes[1].contains("no `.marking`"),
        "{notes:?}"
    );
    assert!(file(&graph("a+ p\n.marking { }")).notes.is_empty());
}

#[test]
fn what_changes_the_meaning_is_refused_by_name() {
    refused(".inputs a\n.state graph\ns0 a s1\n.end", "a state graph", ".state");
    refused(&graph("p a+\n.capacity p=2"), "capacities of places", ".capacity");
    refused(&graph("p a+ ?b"), "guards of arcs", "?");
    refused(&graph("a+ 3.5 p"), "`3.5` is no name", "3.5");
    refused(&graph("p a*"), "may change or not", "a*");
    refused(&graph("p a*/2"), "may change or not", "a*");
    refused(&graph(".delay a+ 3"), "the directive `.delay` is not known", ".delay");
    refused(&graph("p a+ a+"), "the arc from `p` to `a+` is given twice", "a+\n");
    refused(&graph("a+ b-\na+ b-"), "the arc from `a+` to `b-` is given twice", "b-\n.end");
    refused(&graph("a+ b-(2)"), "an arc between two transitions has no weight", "(2)");
}

#[test]
fn nodes_must_be_told_apart() {
    refused(&graph("p c+"), "no signal or dummy is called `c`", "c+");
    refused(&graph("p c/2"), "no signal or dummy is called `c`", "c/2");
    refused(&graph("p a+/x"), "the number behind `/`", "a+/x");
    refused(&graph("p q"), "joins two places", "q");
    refused(&graph("p (3) a+"), "neither a weight nor coordinates", "(3)");
    refused(&graph("p(3) a+"), "behind the first node of a line", "(3)");
    refused(&graph("p a+(3"), "does not end in its line", "(3");
    refused(&graph("p a+(x)"), "`x` is not a number", "x)");
    refused(&graph("p $a"), "expected a place or a transition, found `$a`", "$a");
    refused(".inputs a+ b\n.graph\n.end", "`a+` is not the name of a signal", "a+");
}

#[test]
fn markings_must_fit_the_graph() {
    refused(&graph("p a+\n.marking { q }"), "the marked place `q` is not in the graph", "q");
    refused(&graph("a+ b-\n.marking {<b-,a+>}"), "the marked place `<b-,a+>` is not in the graph", "<b-");
    refused(&graph("p a+\n.marking { p p }"), "a place is marked twice", "p }");
    refused(&graph("p a+\n.marking { p=99999999999999999999 }"), "does not fit into 64 bits", "999");
    refused(&graph("p a+\n.marking p"), "the marking does not end", ".marking");
    refused(&graph("p a+\n.marking { p= }"), "found `}`", "}");
    refused(&graph("p a+\n.marking { <a+ b-> }"), "expected `,` in the marking, found `b-`", "b->");
    refused(&graph("p a+\n.marking { p } q"), "expected the end of the line", "q");
    refused(&graph("p a+\n.marking {p}\n.marking {p}"), "two markings", ".marking {p}\n.end");
}

#[test]
fn files_must_be_complete() {
    refused(".inputs a\n.graph\na+ a-\n.marking {<a+,a->}\n", "ends without `.end`", "");
    refused(".inputs a\n.graph\na+ a-\n.end\n.model b\n", "goes on after `.end`", ".model");
    refused(".inputs a\na+ a-\n.graph\n.end\n", "`a+` stands before `.graph`", "a+");
    refused(".inputs a\n.graph x\n.end\n", "stands in the line of `.graph`", "x");
}

#[test]
fn the_content_tells_the_format() {
    let read = |text: &str| net_file::read_net(&Source::memory("test", text.into()), NetChoice::Only);
    assert!(read("# c\n\n.model x\n.inputs a\n.graph\na+ p\n.end\n").is_ok());
    assert!(read("\u{feff}.graph\r\n.end\r\n").is_ok());
    let message = read(".inputs a\n.state graph\n.end").expect_err("no net").message;
    assert!(message.contains("state graph"), "{message}");
    for text in [".model x\n.inputs a\n.names a b\n.end", "graph\n.graph"] {
        assert!(read(text).is_err_and(|error| !error.message.contains("`.")), "{text}");
    }
}
