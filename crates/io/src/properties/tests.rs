//! Each element of the format, each message, and how formulas are written.

use fireset_net::{Formula, Logic, Nodes, Property, Query};

use super::*;
use crate::query;

fn nodes() -> Nodes {
    let mut nodes = Nodes::default();
    for id in ["p1", "p2", "a<b"] {
        nodes.places.insert(id);
    }
    for id in ["t1", "t2"] {
        nodes.transitions.insert(id);
    }
    nodes
}

fn file(id: &str, formula: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<property-set xmlns=\"http://mcc.lip6.fr/\"><property><id>{id}</id>\
         <description>any</description><formula>\n{formula}\n</formula></property></property-set>"
    )
}

fn parse(text: &str) -> Result<Vec<Property>, Fault> {
    read(text.as_bytes(), &nodes(), Logic::Ctl)
}

/// A formula of the format says the same as a query.
fn says(formula: &str, query: &str) {
    let read = parse(&file("q", formula)).unwrap_or_else(|fault| panic!("{formula}: {fault:?}"));
    assert_eq!(query::show(&read[0].formula, &nodes()), query);
    assert_eq!(read[0].formula, query::parse(query, &nodes()).unwrap().formula, "{formula}");
}

/// Line 3 of a file holds the formula: what is said of it, and in which column.
fn fails(formula: &str, column: usize, message: &str, hint: &str) {
    let text = file("q", formula);
    let error = InputError::locate_in("f", &text, parse(&text).expect_err(formula));
    let position = error.position.unwrap();
    assert_eq!((error.message.as_str(), error.hint.as_deref().unwrap_or_default()), (message, hint));
    assert_eq!((position.line, position.column), (3, column), "{formula}");
    assert_eq!(error.element.as_deref(), Some("property q"));
}

const COUNT: &str = "<tokens-count><place>p1</place></tokens-count>";

#[test]
fn temporal_elements() {
    says("<all-paths><next><deadlock/></next></all-paths>", "AX deadlock");
    says("<exists-path><finally><deadlock/></finally></exists-path>", "EF deadlock");
    says("<all-paths><globally><deadlock/></globally></all-paths>", "AG deadlock");
    let sides = "<before><true/></before><reach><deadlock/></reach>";
    says(&format!("<exists-path><until>{sides}</until></exists-path>"), "E[true U deadlock]");
    says(&format!("<until>{sides}<strength>weak</strength></until>"), "true W deadlock");
    says(&format!("<until>{sides}<strength>strong</strength></until>"), "true U deadlock");
    says("<until><reach><deadlock/></reach><before><true/></before></until>", "true U deadlock");
    says("<invariant><deadlock/></invariant>", "AG deadlock");
    says("<possibility><deadlock/></possibility>", "EF deadlock");
    says("<impossibility><deadlock/></impossibility>", "AG !deadlock");
}

#[test]
fn boolean_elements() {
    let two = "<deadlock/><true/>";
    says("<negation><false/></negation>", "!false");
    says(&format!("<conjunction>{two}<false/></conjunction>"), "deadlock && true && false");
    says(&format!("<disjunction>{two}</disjunction>"), "deadlock || true");
    says("<disjunction><deadlock/></disjunction>", "deadlock");
    says(&format!("<exclusive-disjunction>{two}</exclusive-disjunction>"), "deadlock xor true");
    says(&format!("<implication>{two}</implication>"), "deadlock -> true");
    says(&format!("<equivalence>{two}</equivalence>"), "deadlock <-> true");
    let ts = "<transition>t1</transition><transition> t2\n</transition>";
    says(&format!("<is-fireable>{ts}</is-fireable>"), "fireable(t1, t2)");
}

#[test]
fn numbers() {
    for (name, symbol) in [("le", "<="), ("lt", "<"), ("ge", ">="), ("gt", ">"), ("eq", "="), ("ne", "!=")] {
        let formula =
            format!("<integer-{name}>{COUNT}<integer-constant>-3</integer-constant></integer-{name}>");
        says(&formula, &format!("p1 {symbol} -3"));
    }
    let two = "<integer-constant> 2 </integer-constant>";
    let places = "<tokens-count><place>p1</place><place>a&lt;b</place></tokens-count>";
    says(&format!("<integer-eq>{places}{two}</integer-eq>"), "tokens(p1, \"a<b\") = 2");
    let sum = format!("<integer-sum>{COUNT}{two}{two}</integer-sum>");
    let product = format!("<integer-product>{COUNT}{two}</integer-product>");
    says(&format!("<integer-lt>{sum}{product}</integer-lt>"), "p1 + 2 + 2 < p1*2");
    let difference = format!("<integer-difference>{COUNT}{two}</integer-difference>");
    says(&format!("<integer-lt>{difference}{two}</integer-lt>"), "p1 - 2 < 2");
    says("<place-bound><place>p1</place><place>p2</place></place-bound>", "bound(p1, p2)");
}

#[test]
fn a_difference_takes_all_others_from_the_first() {
    let two = "<integer-constant>2</integer-constant>";
    let less = |inside: &str| {
        format!("<integer-lt><integer-difference>{inside}</integer-difference>{two}</integer-lt>")
    };
    says(&less(COUNT), "p1 < 2");
    says(&less(&format!("{COUNT}{two}{COUNT}{two}")), "p1 - (2 + p1 + 2) < 2");
    fails(&less(""), 13, "integer-difference takes 1 operand or more, found 0", "");
    // A flat element does not become a deep tree.
    let read = parse(&file("q", &less(&two.repeat(100_000)))).unwrap();
    assert_eq!(query::show(&read[0].formula, &nodes()).matches('+').count(), 99_998);
}

#[test]
fn ids_may_repeat() {
    let property = |formula: &str| format!("<property><id>a</id><formula>{formula}</formula></property>");
    let text = format!("<property-set>{}{}</property-set>", property("<true/>"), property("<deadlock/>"));
    let names: Vec<_> =
        parse(&text).unwrap().into_iter().map(|property| (property.name, property.formula)).collect();
    assert_eq!(names, [("a".into(), Formula::Constant(true)), ("a".into(), Formula::Deadlock)]);
}

#[test]
fn a_refused_property_does_not_end_the_reading() {
    let property =
        |id: &str, formula: &str| format!("<property><id>{id}</id><formula>{formula}</formula></property>");
    let star = "<all-paths><finally><conjunction><globally><true/></globally><exists-path><next><true/></next>\
                </exists-path></conjunction></finally></all-paths>";
    let text = [
        "<property-set>",
        &property("a", "<true/>"),
        &property("b", "<negation><place-bound><place>zzz</place><place>p1</place></place-bound></negation>"),
        "<property><formula><tru/></formula><id>c</id></property>",
        &property("d", star),
        &property("e", "<is-fireable><transition>&x;</transition></is-fireable>"),
        &property("f", "<is-fireable><transition><t1/></transition></is-fireable>"),
        "<property><id>g</id></property>",
        &property("h", "<deadlock/>"),
        "</property-set>",
    ]
    .concat();
    let list = read_named(text.as_bytes(), "any", (&nodes()).into()).unwrap();
    let names: Vec<_> = list.properties.iter().map(|asked| asked.property.name.as_str()).collect();
    assert_eq!(names, ["a", "d", "h"]);
    let refused: Vec<_> = list.refused.iter().map(|refused| refused.name.as_str()).collect();
    assert_eq!(refused, ["b", "property 3", "e", "f", "g"]);
    assert_eq!(list.refused[0].error.offset as usize, text.find("zzz").unwrap());
    // What is not XML ends it, even behind a refused property.
    let broken = text.replace("<property><id>g</id></property>", "<property><id>g</id></properti>");
    assert!(
        read_named(broken.as_bytes(), "any", (&nodes()).into()).unwrap_err().message.starts_with("not XML")
    );
}

#[test]
fn text_may_be_written_in_any_way() {
    let place = "<integer-eq><tokens-count><place><![CDATA[a<]]>&#98;</place></tokens-count><!-- c -->\
                 <integer-constant>0</integer-constant></integer-eq>";
    says(place, "\"a<b\" = 0");
    let text = "\u{feff}<!DOCTYPE x><m:property-set xmlns:m='http://mcc.lip6.fr/'><m:property>\
                <m:id> a &amp; b </m:id><m:formula><m:true/></m:formula></m:property></m:property-set>\n";
    assert_eq!(parse(text).unwrap()[0].name, "a & b");
    assert_eq!(parse("<property-set/>").unwrap(), vec![]);
}

#[test]
fn wrong_operands() {
    fails(&format!("<integer-le>{COUNT}</integer-le>"), 1, "integer-le takes 2 operands, found 1", "");
    fails("<negation><true/><true/></negation>", 1, "negation takes 1 operand, found 2", "");
    fails("<conjunction/>", 1, "conjunction takes 1 operand or more, found 0", "");
    fails("<is-fireable></is-fireable>", 1, "is-fireable takes 1 operand or more, found 0", "");
    fails("<true><false/></true>", 1, "true takes no operands, found 1", "");
    fails(&format!("<negation>{COUNT}</negation>"), 11, "negation takes a formula, found a number", "");
    fails(
        &format!("<integer-le>{COUNT}<true/></integer-le>"),
        59,
        "integer-le takes numbers, found a formula",
        "",
    );
    fails(
        "<is-fireable><place>p1</place></is-fireable>",
        14,
        "is-fireable takes transitions, found a place",
        "",
    );
    let until = "until takes `before` and `reach`";
    fails("<until><true/></until>", 8, &format!("{until}, found a formula"), "");
    fails("<until><before><true/></before></until>", 1, &format!("{until}, `reach` is missing"), "");
    let before = "<before><true/></before>";
    fails(&format!("<until>{before}{before}</until>"), 32, &format!("{until} once each"), "");
}

#[test]
fn wrong_texts() {
    let le = |inside: &str| {
        format!("<integer-le>{COUNT}<integer-constant>{inside}</integer-constant></integer-le>")
    };
    fails(&le("many"), 77, "`many` is not an integer", "");
    fails(&le(""), 77, "`` is not an integer", "");
    fails(
        &le(" 9223372036854775808"),
        78,
        "9223372036854775808 is out of range: numbers go from -9223372036854775808 to 9223372036854775807",
        "",
    );
    let stray = "expected an XML element, found text";
    fails("<conjunction> and <true/></conjunction>", 15, stray, "");
    fails("<negation> &x;<true/></negation>", 12, stray, "");
    fails("<negation> <![CDATA[x]]><true/></negation>", 12, stray, "");
    let only = "expected text, found an element";
    fails("<is-fireable><transition>t1<true/></transition></is-fireable>", 28, only, "");
    fails(
        "<is-fireable><transition>&x;</transition></is-fireable>",
        26,
        "unknown reference `&x;`",
        "only &amp; &lt; &gt; &apos; &quot; and character references are allowed",
    );
    let sides = "<before><true/></before><reach><true/></reach>";
    fails(
        &format!("<until>{sides}<strength>so</strength></until>"),
        64,
        "`so` is neither `weak` nor `strong`",
        "",
    );
}

#[test]
fn wrong_names() {
    let fireable = |t: &str| format!("<is-fireable><transition>{t}</transition></is-fireable>");
    fails(&fireable(" t3"), 27, "the net has no transition `t3`", "did you mean `t1`?");
    fails(&fireable("p1"), 26, "`p1` is a place, not a transition", "");
    let another = "the file may belong to another net; the net's places are `p1`, `p2`, `a<b`";
    fails("<place-bound><place>zzz</place></place-bound>", 21, "the net has no place `zzz`", another);
    fails("<conjuction/>", 1, "unknown element `conjuction` in a formula", "did you mean `conjunction`?");
    fails("<zzzzzzzz/>", 1, "unknown element `zzzzzzzz` in a formula", "");
}

#[test]
fn wrong_documents() {
    let message = |text: &str| parse(text).expect_err(text).message;
    assert_eq!(message(""), "the file has no element `property-set`");
    assert_eq!(message("<pnml/>"), "the root element is `pnml`, not `property-set`");
    assert_eq!(message("<property-set>"), "the file ends before its elements are closed");
    assert_eq!(message("<property-set><x/></property-set>"), "unknown element `x` in `property-set`");
    assert_eq!(message("<property-set/><a/>"), "unexpected element after `property-set`");
    let property =
        |inside: &str| message(&format!("<property-set><property>{inside}</property></property-set>"));
    assert_eq!(property(""), "the property has no `id`");
    assert_eq!(property("<id>a</id>"), "the property has no `formula`");
    assert_eq!(property("<id>a</id><id>b</id>"), "`id` is given twice");
    assert_eq!(property("<formla/>"), "unknown element `formla` in `property`");
    assert_eq!(property("<id><b/></id>"), "expected text, found an element");
    assert_eq!(property("<id>a</id><formula/>"), "formula takes 1 operand, found 0");
    assert!(message("<property-set></property>").starts_with("not XML: expected `</property-set>`"));
    assert!(message("<property-set><property><id>\u{0}&").starts_with("not XML: entity"));
    assert_eq!(read(&b"\xFE\xFF\0<"[..], &nodes(), Logic::Ctl).unwrap_err().message, "the file is in UTF-16");
}

#[test]
fn unsupported_logics_are_refused_at_their_property() {
    for (formula, message) in [
        (
            "<negation><place-bound><place>p1</place></place-bound></negation>",
            "a bound or a property of the whole net can only stand alone",
        ),
        (
            "<all-paths><finally><place-bound><place>p1</place></place-bound></finally></all-paths>",
            "a bound or a property of the whole net can only stand alone",
        ),
    ] {
        let text = file("q", formula);
        let fault = parse(&text).unwrap_err();
        assert_eq!((fault.message.as_str(), fault.element.as_deref()), (message, Some("property q")));
        assert_eq!(fault.offset as usize, text.find("<property>").unwrap());
    }
}

#[test]
fn nesting_is_bounded() {
    let deep = |n: usize| format!("{}<true/>{}", "<negation>".repeat(n), "</negation>".repeat(n));
    // Three elements are around the formula, and one is in its middle.
    assert!(parse(&file("q", &deep(996))).is_ok());
    // Three levels of the tree for each element.
    assert!(parse(&file("q", &deep(996).replace("negation", "impossibility"))).is_ok());
    let message = "elements nest more than 1000 levels deep";
    fails(&deep(997), 9971, message, "");
    fails(&deep(100_000), 9971, message, "");
    let description =
        |n: usize| format!("<description>any{}{}</description>", "<a>".repeat(n), "</a>".repeat(n));
    let text = |n| file("q", "<true/>").replace("<description>any</description>", &description(n));
    assert!(parse(&text(900)).is_ok());
    assert_eq!(parse(&text(100_000)).unwrap_err().message, message);
}

#[test]
fn the_logic_is_that_of_the_id_or_the_default() {
    let next = "<all-paths><next><deadlock/></next></all-paths>";
    let logic = |id: &str, default| read(file(id, next).as_bytes(), &nodes(), default).unwrap()[0].logic;
    assert_eq!(logic("Net-PT-LTLCardinality-00", Logic::Ctl), Logic::Ltl);
    assert_eq!(logic("Net-PT-CTLFireability-00", Logic::Ltl), Logic::Ctl);
    assert_eq!(logic("Net-LTL-CTLFireability-00", Logic::Ltl), Logic::Ctl);
    assert_eq!(logic("any", Logic::Ltl), Logic::Ltl);
    assert_eq!(logic("any", Logic::Ctl), Logic::Ctl);
}

#[test]
fn the_logic_is_first_that_of_the_file() {
    let folder = std::env::temp_dir().join(format!("fireset-properties-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let next = "<all-paths><next><deadlock/></next></all-paths>";
    for (name, id, logic) in [
        ("LTLCardinality.xml", "q", Logic::Ltl),
        ("CTLCardinality.xml", "q-LTL", Logic::Ctl),
        ("other.xml", "q-LTL", Logic::Ltl),
        ("other.xml", "q", Logic::Ctl),
    ] {
        let path = folder.join(name);
        std::fs::write(&path, file(id, next)).unwrap();
        assert_eq!(read_file(&path, &nodes()).unwrap()[0].logic, logic, "{name} {id}");
    }
    let path = folder.join("wrong.xml");
    std::fs::write(&path, file("q", "<tru/>")).unwrap();
    let error = read_file(&path, &nodes()).unwrap_err();
    assert_eq!(error.position.map(|p| (p.line, p.column)), Some((3, 1)));
    let error = read_file(&folder.join("missing.xml"), &nodes()).unwrap_err();
    assert!(error.message.starts_with("cannot read the file: "), "{}", error.message);
    assert_eq!(error.hint.as_deref(), Some("check the path"));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A query written as XML and read again.
fn rewritten(text: &str) -> Result<String, WriteError> {
    let Ok(query::Parsed { formula, logic }) = query::parse(text, &nodes()) else { panic!("{text}") };
    let mut out = Vec::new();
    write(&[Property { name: "q <1>".into(), formula, logic }], &nodes(), &mut out)?;
    let back = read(&out[..], &nodes(), logic).unwrap();
    assert_eq!(back[0].name, "q <1>");
    Ok(query::show_as(&back[0].formula, logic, &nodes()))
}

#[test]
fn release_and_weak_until_are_expressed_by_until() {
    for (text, spelled) in [
        ("A[deadlock R true]", "!E[!deadlock U !true]"),
        ("E[deadlock R true]", "!A[!deadlock U !true]"),
        ("A[deadlock W true]", "!E[!true U (!deadlock && !true)]"),
        ("deadlock R true", "!(!deadlock U !true)"),
        ("deadlock W (true <-> false)", "!((true xor false) U (!deadlock && (true xor false)))"),
        ("AG (p1 = 0)", "AG (p1 = 0)"),
    ] {
        let shown = rewritten(text).unwrap();
        let read = |text| query::parse(text, &nodes()).unwrap().formula;
        assert_eq!(read(&shown), read(spelled), "{text}");
        assert!(Query::classify(&read(&shown), Logic::Ctl).is_ok());
    }
}

#[test]
fn inexpressible_properties_are_refused() {
    let message = |text| rewritten(text).unwrap_err().to_string();
    assert_eq!(message("one-safe"), "q <1> (`one-safe`) cannot be written as contest XML");
    let nested = format!("{}deadlock{}", "(true W ".repeat(40), ")".repeat(40));
    let reason = "...`) cannot be written as contest XML: nested weak untils make it too large";
    let message = message(&nested);
    assert!(message.starts_with("q <1> (`true W true W ") && message.ends_with(reason), "{message}");
    let bound = Property { name: "b".into(), formula: Formula::Bound(vec![]), logic: Logic::Ctl };
    assert!(write(&[bound], &nodes(), &mut Vec::new()).is_err());
}

/// `A X f` and `AX f` are different in a deadlock, and have the same elements.
#[test]
fn written_properties_are_read_in_the_same_logic() {
    let properties: Vec<_> = ["A X p1 = 1", "AX p1 = 1", "EF p1 = 1", "A G F p1 = 1"]
        .iter()
        .enumerate()
        .flat_map(|(at, text)| {
            let parsed = query::parse(text, &nodes()).unwrap();
            [format!("q{at}"), format!("r{at}-LTL")].map(|name| {
                let (formula, logic) = (parsed.formula.clone(), parsed.logic);
                Property { name, formula, logic }
            })
        })
        .collect();
    let mut text = Vec::new();
    write(&properties, &nodes(), &mut text).unwrap();
    let again = read(&text[..], &nodes(), Logic::Ctl).unwrap();
    let names: Vec<_> = again.iter().map(|property| property.name.as_str()).collect();
    assert_eq!(names, ["q0-LTL", "r0-LTL", "q1", "r1-LTL-CTL", "q2", "r2-LTL", "q3", "r3-LTL"]);
    for (before, after) in properties.iter().zip(&again) {
        assert_eq!(before.query(), after.query(), "{before:?}");
    }
}
