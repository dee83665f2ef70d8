//! Property files: fireset's text form, bare queries, contest XML; what is read, what is refused, and files that are written
//! and read again.

use fireset_io::{
    Source,
    property_file::{self, AskedProperty, Expectation, PropertyList},
    query,
};
use fireset_net::{Count, Formula, Logic, Nodes, Property, Query};
use fireset_oracle::{
    random::{TestRng, property as drawn_property},
    tiny,
};

const PLACES: [&str; 9] = ["p1", "p2", "fork_1", "fork_2", "queue", "expect", "property", "let", "place 7"];

fn nodes() -> Nodes {
    let mut nodes = Nodes::default();
    for id in PLACES {
        nodes.places.insert(id);
    }
    for (id, label) in [("t1", "take"), ("t2", "take"), ("t3", "give")] {
        let at = nodes.transitions.insert(id).unwrap();
        nodes.transitions.set_label(at, label);
    }
    nodes
}

fn read_as(stem: &str, text: &str) -> Result<PropertyList, fireset_io::InputError> {
    let source = Source::memory("file", text.as_bytes().to_vec());
    property_file::read_properties(&source, stem, &nodes())
}

#[track_caller]
fn read(text: &str) -> PropertyList {
    read_as("any", text).unwrap_or_else(|error| panic!("{error}"))
}

/// The properties of a file in which all are understood, each as its name, query and expectation.
#[track_caller]
fn shown(text: &str) -> Vec<(String, String, String)> {
    let list = read(text);
    assert!(list.refused.is_empty(), "{}", list.refused[0].error);
    let show = |asked: &AskedProperty| {
        let Property { name, formula, logic } = &asked.property;
        let expected = asked.expected.as_ref().map_or(String::new(), Expectation::to_string);
        (name.clone(), query::show_as(formula, *logic, &nodes()), expected)
    };
    list.properties.iter().map(show).collect()
}

fn owned(rows: &[(&str, &str, &str)]) -> Vec<(String, String, String)> {
    rows.iter().map(|&(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned())).collect()
}

/// The only property of a file is refused: its name, the line and column, and parts of the message and the hint.
#[track_caller]
fn refused(text: &str, name: &str, place: (u64, usize), parts: [&str; 2]) {
    let list = read(text);
    assert!(list.properties.is_empty(), "{:?}", list.properties);
    let refused = &list.refused[0];
    let position = refused.error.position.as_ref().expect("a position");
    let error = refused.error.to_string();
    assert_eq!((refused.name.as_str(), position.line, position.column), (name, place.0, place.1), "{error}");
    parts.iter().for_each(|part| assert!(error.contains(part), "`{part}` is missing in:\n{error}"));
}

#[test]
fn a_file_with_everything() {
    let text = "\
        # forks are not shared\n\
        let taken = sum p : \"fork_*\"; # both\n\
        let idle = p1 = 1\n\
        let full = idle && taken >= 2\n\
        \n\
        property no-clash: AG (taken <= 5)\n\
        \texpect holds\n\
        property bound of queue: bound(queue);\n\
          expect 3 # tokens\n\
        property \"a: \\\"b\\\" # c\":\n\
          EF (full ||   # or else\n\
              expect + 2*taken >= 1)\n\
          logic ltl\n\
          expect fails;\n\
        property size: state-space\n\
          expect inf\n\
        property no-clash: EF \"#\n";
    let (head, _) = text.rsplit_once("property").unwrap();
    let rows = [
        ("no-clash", "AG (tokens(fork_1, fork_2) <= 5)", "holds"),
        ("bound of queue", "bound(queue)", "3"),
        (
            "a: \"b\" # c",
            "E F (p1 = 1 && tokens(fork_1, fork_2) >= 2 || expect + 2*tokens(fork_1, fork_2) >= 1)",
            "fails",
        ),
        ("size", "state-space", "+inf"),
    ];
    assert_eq!(shown(head), owned(&rows));
    let list = read(text);
    assert_eq!((list.properties.len(), list.refused.len()), (4, 1));
    assert_eq!(list.properties[3].expected, Some(Expectation::Number(Count::Infinite)));
}

#[test]
fn definitions_are_values_and_not_texts() {
    let text = "let a = p1 + p2\nlet f = p1 = 0 || p2 = 0\nlet x = AX f\nlet b = bound(p1)\n\
                property 1: AG (2*a - a >= 0 && !f)\nproperty 2: x\nproperty 3: b";
    let rows = [
        ("1", "AG (2*(p1 + p2) - (p1 + p2) >= 0 && !(p1 = 0 || p2 = 0))", ""),
        ("2", "AX (p1 = 0 || p2 = 0)", ""),
        ("3", "bound(p1)", ""),
    ];
    assert_eq!(shown(text), owned(&rows));
    let logic = |text: &str| read(text).properties[0].property.query().unwrap();
    assert!(matches!(logic("let x = AX p1 = 0\nproperty 1: !x"), Query::Ctl(_)));
    assert!(matches!(logic("let x = A X p1 = 0\nproperty 1: x"), Query::Ltl(..)));
    assert!(matches!(logic("property 1: AX p1 = 0\nlogic LTL"), Query::Ltl(..)));
    assert!(matches!(logic("property 1: A X p1 = 0\n logic ctl"), Query::Ctl(_)));
}

#[test]
fn patterns() {
    let rows = [
        ("a", "EF (tokens(fork_1, fork_2) >= 1)", ""),
        ("b", "bound(p1, p2)", ""),
        ("c", "EF fireable(t1, t2, t3)", ""),
        ("d", "EF (p1 + 1 = fork_2)", ""),
        ("e", "EF (tokens(p1, p1, p2) >= 1)", ""),
    ];
    let text = "property a: EF tokens(\"fork_*\") >= 1\nproperty b: bound(\"p?\")\nproperty c: EF fireable(\"t*\")\n\
                property d: EF sum x : p1 + 1 = sum F: \"?ork_2\"\nproperty e: EF tokens(p1, \"p?\") >= 1";
    assert_eq!(shown(text), owned(&rows));
    refused(
        "property a: EF tokens(\"fork-*\") >= 1",
        "a",
        (1, 23),
        ["no place matches `fork-*`", "the net's places are"],
    );
    refused(
        "property a: EF tokens(\"gi*\") >= 1",
        "a",
        (1, 23),
        ["no place matches", "write fireable(\"gi*\")"],
    );
    refused(
        "property a: EF fireable(\"fork*\")",
        "a",
        (1, 25),
        ["no transition matches", "write tokens(\"fork*\")"],
    );
    refused(
        "property a: EF \"fork_*\" >= 1",
        "a",
        (1, 16),
        ["has no place `fork_*`", "write tokens(\"fork_*\")"],
    );
    refused("property a: EF sum p : 3 >= 1", "a", (1, 24), ["expected the pattern of a sum", "`3`"]);
}

#[test]
fn a_label_of_several_transitions_is_noted() {
    let list = read("property a: EF fireable(take)\nproperty b: EF fireable(give, \"take\", take)");
    assert_eq!(list.notes.len(), 2, "{:?}", list.notes);
    assert_eq!(list.notes[0], "a: the label `take` stands for 2 transitions, any of them");
    let rows = [("a", "EF fireable(t1, t2)", ""), ("b", "EF fireable(t3, t1, t2, t1, t2)", "")];
    assert_eq!(
        shown("property a: EF fireable(take)\nproperty b: EF fireable(give, \"take\", take)"),
        owned(&rows)
    );
}

#[test]
fn bare_queries_are_named_by_their_lines() {
    let rows = [("line 2", "EF deadlock", ""), ("line 4", "AG (p1 <= 1)", "")];
    assert_eq!(shown("# two\nEF deadlock # one\n\nAG p1 <= 1"), owned(&rows));
    let list = read("EF deadlock\nEF deadlok\n");
    assert_eq!((list.properties.len(), list.refused[0].name.as_str()), (1, "line 2"));
    assert_eq!(list.refused[0].error.position.as_ref().map(|p| (p.line, p.column)), Some((2, 4)));
    let error = read_as("any", "This\nis\nno property\nfile.\n").unwrap_err();
    assert!(error.hint.is_some_and(|hint| hint.contains("property NAME: QUERY")));
}

#[test]
fn the_content_decides_the_format() {
    let next = "<property-set><property><id>a</id><formula><all-paths><next><true/></next></all-paths></formula>\
                </property></property-set>";
    for (stem, logic) in [("LTLCardinality", Logic::Ltl), ("a", Logic::Ctl)] {
        assert_eq!(read_as(stem, next).unwrap().properties[0].property.logic, logic);
    }
    let error = |text: &str| read_as("any", text).unwrap_err().to_string();
    assert!(error("<pnml/>").contains("this is a net"));
    assert!(error("<queries/>").contains("contest XML, fireset's text form"));
    assert!(error("{\"a\": 1}").contains("not a property file"));
    assert!(error("EF\0").contains("not a property file"));
    assert!(error("EF deadlock\nproperty a: EF deadlock").contains("expected `property` or `let`"));
    assert!(read("").is_empty());
    let bytes = |bytes: &[u8]| {
        let source = Source::memory("file", bytes.to_vec());
        property_file::read_properties(&source, "any", &nodes()).unwrap_err().to_string()
    };
    assert!(bytes(&[0x1f, 0x8b, 8, 0]).contains("cannot read the file"));
    assert!(bytes(b"PK\x03\x04").contains("a zip archive"));
    assert!(bytes(b"property a: \xe9").contains("not in UTF-8"));
}

#[test]
fn a_refused_property_does_not_end_the_reading() {
    let text = "let broken = zzz + 1\nproperty a: EF (misspelt > 0)\nproperty b: EF broken > 0\n\
                property c: A (F G deadlock && EX fired(t1))\nproperty \"d: EF deadlock\nproperty e: EF p1 / 2 = 1\n\
                property f EF deadlock\nproperty g: EF deadlock";
    let list = read(text);
    assert_eq!(list.properties.len(), 1);
    assert_eq!(list.properties[0].property.name, "g");
    let refused: Vec<_> = list.refused.iter().map(|r| (r.name.as_str(), r.error.message.as_str())).collect();
    assert_eq!(
        refused,
        [
            ("let broken", "the net has no place `zzz`"),
            ("a", "the net has no place `misspelt`"),
            ("b", "the definition of `broken` is not understood"),
            (
                "c",
                "`fired` and the past operators Y, O, H and S speak of a single run, so they are for LTL only"
            ),
            ("property 5", "unterminated quoted name"),
            ("e", "unexpected character `/`"),
            ("property 7", "expected `:` after the name of the property"),
        ]
    );
    for (at, refused) in list.refused.iter().enumerate() {
        assert_eq!(refused.error.position.as_ref().unwrap().line, at as u64 + 1, "{}", refused.error);
    }
}

#[test]
fn wrong_properties() {
    let colon = "expected `:` after the name";
    refused("property a\n: true", "property 1", (1, 11), [colon, "property NAME: QUERY"]);
    refused("property a \"b\": true", "property 1", (1, 12), [colon, ""]);
    refused("property \"b\" c: true", "property 1", (1, 14), [colon, ""]);
    refused("property : true", "property 1", (1, 10), ["has no name", ""]);
    refused("property", "property 1", (1, 9), [colon, ""]);
    refused("property a:\n\nexpect holds", "a", (1, 12), ["the query is empty", ""]);
    refused(
        "property a: EF (p1 =\n  # more\n  expect holds",
        "a",
        (1, 21),
        ["found the end of the query", ""],
    );
    refused("property a: EF\n  dedlock\n", "a", (2, 3), ["no place `dedlock`", "did you mean `deadlock`?"]);
    refused(
        "property a: true\n expect holds\n && false",
        "a",
        (3, 2),
        ["expected an option", "follow the whole query"],
    );
    refused("property a: true\n expect holds\n expect fails", "a", (3, 2), ["`expect` is given twice", ""]);
    refused("property a: true\n expect yes", "a", (2, 9), ["`yes` is no verdict", "`holds`, `fails`"]);
    refused("property a: true\n expect", "a", (2, 2), ["", ""]);
    refused("property a: true\n expect 3", "a", (2, 9), ["is `holds` or `fails`", ""]);
    refused("property a: bound(p1)\n expect holds", "a", (2, 9), ["is a number", "expect 3"]);
    refused("property a: bound(p1)\n expect 99999999999999999999", "a", (2, 9), ["64 bits", ""]);
    refused("property a: bound(p1)\n expect 3x", "a", (2, 9), ["`3x` is not a number", ""]);
    refused("property a: true\n timeout 10s", "a", (2, 2), ["time limit of a single property", "--timeout"]);
    refused("property a: true\n logic mu", "a", (2, 8), ["`mu` is no logic", "`ctl` or `ltl`"]);
    refused("property a: AG EF p1 = 1\n logic ltl", "a", (2, 8), ["the formula is not LTL", ""]);
    refused("property a: A G F p1 = 1\n logic ctl", "a", (2, 8), ["the formula is not CTL", ""]);
    refused("property a: true expect holds", "a", (1, 18), ["found `expect`", "a line of its own"]);
    refused("property a: tokens(take) = 1", "a", (1, 20), ["`take` is a transition", ""]);
}

#[test]
fn wrong_definitions() {
    let name = "cannot be the name of a definition";
    refused("let EF = p1", "definition 1", (1, 5), [name, "no keyword"]);
    refused("let \"a\" = p1", "definition 1", (1, 5), [name, ""]);
    refused("let = p1", "definition 1", (1, 5), ["the definition has no name", "let busy = p1 + p2"]);
    refused("let a p1", "let a", (1, 7), ["expected `=`", ""]);
    refused("let p1 = p2", "let p1", (1, 5), ["`p1` is the name of a place", "another name"]);
    refused("let a = p2\nlet a = p1", "let a", (2, 5), ["`a` is defined twice", ""]);
    refused("let a = a + 1", "let a", (1, 9), ["no place `a`", ""]);
    refused("let a = p1\nproperty b: bound(a)", "b", (2, 19), ["no place `a`", "`a` is a definition"]);
    refused("let a = p1\nproperty b: EF \"a\" = 1", "b", (2, 16), ["no place `a`", ""]);
    refused("let a = bound(p1)\nproperty b: EF a", "b", (2, 16), ["can only stand alone", ""]);
    refused("let a = p1\nproperty b: EF a", "b", (2, 16), ["`a` is a number, but a formula", ""]);
}

/// Each definition doubles the one before, or is one level higher.
#[test]
fn definitions_do_not_grow_without_bound() {
    let grown = |of: fn(usize) -> String| -> String {
        let mut text = "let a0 = p1 + p2\n".to_owned();
        (1..2000).for_each(|at| text += &format!("let a{at} = {}\n", of(at - 1)));
        text + "property b: EF a1999 > 0\nproperty c: EF a9 > 0\nproperty d: EF p1 > 0"
    };
    let list = read(&grown(|before| format!("a{before} + a{before}")));
    assert!(list.refused[0].error.message.contains("too large"), "{}", list.refused[0].error);
    assert_eq!(list.properties.last().map(|asked| asked.property.name.as_str()), Some("d"));
    let list = read(&grown(|before| format!("{}a{before}{}", "(0 - ".repeat(50), ")".repeat(50))));
    assert!(list.refused[0].error.message.contains("nested too deeply"), "{}", list.refused[0].error);
    assert_eq!(list.properties.len(), 2);
}

/// Names that are keywords of queries or of property files, or that need quotes and escapes.
const ODD: [&str; 22] = [
    "p",
    "A",
    "true",
    "property",
    "let",
    "expect",
    "logic",
    "timeout",
    "sum",
    "place 7",
    "a#b",
    "#",
    "a: b",
    "quo\"te",
    "back\\slash\\",
    "line\nlet x = 1",
    "cr\r\nproperty y: true",
    "*",
    "p?",
    "é",
    "",
    " ",
];

fn odd_nodes() -> Nodes {
    let mut nodes = Nodes::default();
    for id in ODD {
        nodes.places.insert(id);
        nodes.transitions.insert(id);
    }
    nodes
}

/// As [`query::show`] says: operators of one operand or none are written as what they are equal to.
fn normal(formula: Formula) -> Formula {
    let formula = formula.map_children(&mut |f| normal(f.clone()));
    match formula {
        Formula::And(mut fs) if fs.len() < 2 => fs.pop().unwrap_or(Formula::Constant(true)),
        Formula::Or(mut fs) if fs.len() < 2 => fs.pop().unwrap_or(Formula::Constant(false)),
        formula => formula,
    }
}

#[test]
fn written_properties_are_read_again() {
    let nodes = odd_nodes();
    for seed in 0..400 {
        let mut random = TestRng::new(seed);
        let asked: Vec<AskedProperty> = (0..random.within(1, 4))
            .map(|_| {
                let name = (*random.pick(&ODD)).to_owned() + *random.pick(&ODD);
                let drawn = drawn_property(&mut random, &nodes, &name, 4);
                let property = Property { formula: normal(drawn.formula), ..drawn };
                let number = Expectation::Number(random.below(9).into());
                let infinite = Expectation::Number(Count::Infinite);
                let expected = match property.query().unwrap() {
                    _ if random.percent(30) => None,
                    Query::Bound(_) => Some(random.pick(&[number, infinite]).clone()),
                    Query::Global(fireset_net::Global::StateSpace) => Some(number),
                    _ => Some(random.pick(&[Expectation::Holds, Expectation::Fails]).clone()),
                };
                AskedProperty { property, expected }
            })
            .collect();
        let mut text = Vec::new();
        property_file::write(&asked, &nodes, &mut text).unwrap();
        let shown = String::from_utf8(text.clone()).unwrap();
        let list = property_file::read_properties(&Source::memory("file", text), "any", &nodes).unwrap();
        assert!(list.refused.is_empty(), "{}\n{shown}", list.refused[0].error);
        assert_eq!(list.properties.len(), asked.len(), "{shown}");
        for (before, after) in asked.iter().zip(&list.properties) {
            assert_eq!((&before.property.name, &before.expected), (&after.property.name, &after.expected));
            assert_eq!(before.property.formula, after.property.formula, "{shown}");
            assert_eq!(before.property.query(), after.property.query(), "{shown}");
        }
    }
}

#[test]
fn formulas_of_lola_and_queries_of_tapaal_are_read() {
    let net = tiny::net("p:1 q; t: p -> q; u: q -> p");
    let formulas = |name: &str, text: &str| {
        let source = Source::memory(name, text.as_bytes().to_vec());
        let list = property_file::read_properties(&source, name, net.nodes()).unwrap();
        let shown = |asked: &AskedProperty| query::show(&asked.property.formula, net.nodes());
        (list.properties.iter().map(shown).collect::<Vec<_>>(), list.refused.len())
    };
    assert_eq!(formulas("a.task", "EF (p > 0 AND DEADLOCK)").0, ["EF (p > 0 && deadlock)"]);
    assert_eq!(formulas("a.q", "EF (p >= 1 and\n deadlock)").0, ["EF (p >= 1 && deadlock)"]);
    assert_eq!(formulas("a.q.gz", "AG not (p = 1)").0, ["AG !(p = 1)"]);
    // `EF` binds tighter than `and` in fireset alone.
    let source = Source::memory("a.q", b"EF p >= 1 and q >= 1".to_vec());
    assert!(property_file::read_properties(&source, "a.q", net.nodes()).is_err());
    assert_eq!(formulas("a.txt", "EF p >= 1 and q >= 1").0, ["EF (p >= 1) && q >= 1"]);
}

#[test]
fn fairness_is_assumed_for_what_follows() {
    let text = "\
property before: F p1 = 0
assume weak(t1)
property invariant: AG p1 = 0
property after: F p1 = 0
  fair strong
property branching: AG EF p1 = 0
property again: A F p1 = 0
  expect holds
";
    let list = read(text);
    let formulas: Vec<String> = list
        .properties
        .iter()
        .map(|asked| query::show_as(&asked.property.formula, Logic::Ltl, &nodes()))
        .collect();
    assert_eq!(
        formulas,
        ["F (p1 = 0)", "A G (p1 = 0)", "fair weak(t1), strong: F (p1 = 0)", "fair weak(t1): A F (p1 = 0)",]
    );
    let [refused] = &list.refused[..] else { panic!("{:?}", list.refused) };
    assert_eq!(refused.name, "branching");
    assert!(refused.error.message.contains("CTL under fairness"), "{}", refused.error);
    let wrong = read("assume often(t1)\nproperty a: F p1 = 0");
    assert!(wrong.refused[0].error.message.contains("`weak` or `strong`"), "{}", wrong.refused[0].error);
}
