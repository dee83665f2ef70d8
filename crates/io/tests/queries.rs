//! Random formulas through both languages and back, and random inputs that must not bring a reader down.

use std::hash::{DefaultHasher, Hash, Hasher};

use fireset_io::{Source, properties, property_file, query};
use fireset_net::{
    Comparison, Expr, Formula, Global, Logic, Nodes, PathFormula, PlaceId, Property, Query, TransitionId,
    replay,
};
use proptest::{
    collection::vec,
    prelude::*,
    sample::{Index, select},
    test_runner::RngSeed,
};

/// Plain names, words of the languages, and names that need quotes or escapes.
const NAMES: &[&str] = &[
    "p1",
    "A",
    "true",
    "place 7",
    "a<b>&c",
    "quo\"te",
    "back\\slash\\",
    "x.y",
    "7up",
    "é",
    "p-1",
    "state",
    "U",
    "state-space",
    "-",
    "1",
    "don't",
    "(",
    "_",
];

fn nodes() -> Nodes {
    let mut nodes = Nodes::default();
    for name in NAMES {
        nodes.places.insert(name);
        nodes.transitions.insert(name);
    }
    nodes
}

fn config(cases: u32) -> ProptestConfig {
    let rng_seed = RngSeed::Fixed(0x0f1e_5e70);
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}

fn places() -> impl Strategy<Value = Vec<PlaceId>> {
    vec((0..NAMES.len()).prop_map(PlaceId::new), 1..4)
}

fn number() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(Expr::Constant),
        (-3i64..4).prop_map(Expr::Constant),
        places().prop_map(Expr::Tokens)
    ];
    leaf.prop_recursive(4, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 2..4).prop_map(Expr::Sum),
            vec(inner.clone(), 2..4).prop_map(Expr::Product),
            (inner.clone(), inner).prop_map(|(a, b)| Expr::Difference(Box::new(a), Box::new(b))),
        ]
    })
}

fn atom() -> impl Strategy<Value = Formula> {
    use Comparison::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    let how = select(vec![Less, LessEqual, Equal, NotEqual, GreaterEqual, Greater]);
    let transitions = vec((0..NAMES.len()).prop_map(TransitionId::new), 1..4);
    prop_oneof![
        any::<bool>().prop_map(Formula::Constant),
        Just(Formula::Deadlock),
        transitions.prop_map(Formula::Fireable),
        (how, number(), number()).prop_map(|(how, a, b)| Formula::Compare(how, a, b)),
    ]
}

type BinaryFormula = fn(Box<Formula>, Box<Formula>) -> Formula;
type Single = fn(Box<Formula>) -> Formula;

fn boolean(inner: BoxedStrategy<Formula>) -> BoxedStrategy<Formula> {
    prop_oneof![
        inner.clone().prop_map(|f| Formula::Not(Box::new(f))),
        vec(inner.clone(), 2..4).prop_map(Formula::And),
        vec(inner.clone(), 2..4).prop_map(Formula::Or),
        (inner.clone(), inner.clone()).prop_map(|(f, g)| Formula::Or(vec![Formula::Not(Box::new(f)), g])),
        (inner.clone(), inner.clone()).prop_map(|(f, g)| Formula::Iff(Box::new(f), Box::new(g))),
        (inner.clone(), inner)
            .prop_map(|(f, g)| Formula::Not(Box::new(Formula::Iff(Box::new(f), Box::new(g))))),
    ]
    .boxed()
}

fn temporal(inner: BoxedStrategy<Formula>, pairs: Vec<BinaryFormula>) -> BoxedStrategy<Formula> {
    let singles: Vec<Single> = vec![Formula::Next, Formula::Finally, Formula::Globally];
    prop_oneof![
        (select(singles), inner.clone()).prop_map(|(make, f)| make(Box::new(f))),
        (select(pairs), inner.clone(), inner).prop_map(|(make, f, g)| make(Box::new(f), Box::new(g))),
    ]
    .boxed()
}

fn quantified(inner: BoxedStrategy<Formula>) -> BoxedStrategy<Formula> {
    let quantifiers: Vec<Single> = vec![Formula::Exists, Formula::ForAll];
    (select(quantifiers), inner).prop_map(|(make, f)| make(Box::new(f))).boxed()
}

const ALL_PAIRS: [BinaryFormula; 3] = [Formula::Until, Formula::Release, Formula::WeakUntil];

/// Anything that can stand in one tree, of any logic.
fn formula() -> impl Strategy<Value = Formula> {
    let inside = atom().boxed().prop_recursive(5, 24, 3, |inner| {
        let inner = inner.boxed();
        prop_oneof![boolean(inner.clone()), temporal(inner.clone(), ALL_PAIRS.to_vec()), quantified(inner)]
    });
    let global = select(vec![Global::StateSpace, Global::OneSafe, Global::StableMarking, Global::Liveness]);
    prop_oneof![
        20 => inside,
        1 => places().prop_map(Formula::Bound),
        1 => global.prop_map(Formula::Global),
    ]
}

/// Path formulas, with all operators.
fn path() -> impl Strategy<Value = Formula> {
    atom().boxed().prop_recursive(4, 16, 3, |inner| {
        let inner = inner.boxed();
        prop_oneof![boolean(inner.clone()), temporal(inner, ALL_PAIRS.to_vec())]
    })
}

/// CTL as the contest writes it.
fn contest_ctl() -> impl Strategy<Value = Formula> {
    let inside = atom().boxed().prop_recursive(4, 16, 3, |inner| {
        let inner = inner.boxed();
        prop_oneof![boolean(inner.clone()), quantified(temporal(inner, vec![Formula::Until]))]
    });
    prop_oneof![10 => inside, 1 => places().prop_map(Formula::Bound)]
}

fn property(formula: Formula, logic: Logic) -> Property {
    Property { name: "any".into(), formula, logic }
}

fn xml(property: &Property) -> String {
    let mut out = Vec::new();
    properties::write(std::slice::from_ref(property), &nodes(), &mut out).expect("a form in XML");
    String::from_utf8(out).expect("UTF-8")
}

/// The value of a path formula at each position of a word whose letters are chosen by `seed`.
fn values(path: &Formula, seed: u64) -> Vec<bool> {
    let (length, back_to) = (5, 2);
    let path = PathFormula::try_from(path).expect("a path formula");
    replay::on_word(&path, length, back_to, &|at, predicate| {
        predicate.value(&mut |atom| {
            let mut hasher = DefaultHasher::new();
            (atom, at, seed).hash(&mut hasher);
            hasher.finish() & 1 == 1
        })
    })
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn a_shown_formula_is_read_as_the_same(f in formula(), ltl in any::<bool>()) {
        let (nodes, logic) = (nodes(), if ltl { Logic::Ltl } else { Logic::Ctl });
        let text = query::show_as(&f, logic, &nodes);
        let parsed = query::parse(&text, &nodes).map_err(|e| TestCaseError::fail(format!("{text}: {e:?}")))?;
        prop_assert_eq!(&parsed.formula, &f, "{}", text);
        prop_assert_eq!(Query::classify(&f, parsed.logic), Query::classify(&f, logic), "{}", text);
    }

    #[test]
    fn contest_formulas_come_back_from_xml(f in contest_ctl()) {
        let property = property(f, Logic::Ctl);
        let text = xml(&property);
        prop_assert_eq!(properties::read(text.as_bytes(), &nodes(), Logic::Ctl), Ok(vec![property]), "{}", text);
    }

    #[test]
    fn properties_come_back_from_the_text_form(
        all in vec((prop_oneof![contest_ctl().boxed(), path().boxed()], select(NAMES.to_vec())), 1..4),
        name in "\\PC*",
    ) {
        let asked: Vec<_> = all
            .into_iter()
            .map(|(formula, known)| {
                // A path formula is not CTL, so that it is LTL by its form alone.
                let property = Property { name: format!("{known}{name}"), formula, logic: Logic::Ctl };
                property_file::AskedProperty::from(property)
            })
            .collect();
        let mut text = Vec::new();
        property_file::write(&asked, &nodes(), &mut text).expect("memory is large enough");
        let shown = String::from_utf8_lossy(&text).into_owned();
        let list = property_file::read_properties(&Source::memory("file", text), "any", &nodes());
        let list = list.map_err(|error| TestCaseError::fail(format!("{shown}: {error}")))?;
        prop_assert!(list.refused.is_empty(), "{}: {}", shown, list.refused[0].error);
        prop_assert_eq!(list.properties.len(), asked.len());
        for (before, after) in asked.iter().zip(&list.properties) {
            prop_assert_eq!(&after.property.name, &before.property.name);
            prop_assert_eq!(&after.property.formula, &before.property.formula);
            prop_assert_eq!(after.property.query(), before.property.query(), "{}", shown);
        }
    }

    #[test]
    fn path_formulas_come_back_from_xml_as_equivalent(f in path(), seeds in vec(any::<u64>(), 8)) {
        let text = xml(&property(f.clone(), Logic::Ltl));
        let read = properties::read(text.as_bytes(), &nodes(), Logic::Ltl);
        let back = read.map_err(|e| TestCaseError::fail(format!("{text}: {e:?}")))?.remove(0).formula;
        for seed in seeds {
            prop_assert_eq!(values(&back, seed), values(&f, seed), "{}", text);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*") {
        let _ = query::read("q", &text, &nodes());
        let _ = properties::read(text.as_bytes(), &nodes(), Logic::Ctl);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..200)) {
        let _ = properties::read(&bytes[..], &nodes(), Logic::Ctl);
    }

    #[test]
    fn any_sequence_of_words_is_read_or_refused(words in vec(select(WORDS.to_vec()), 0..20)) {
        let text = words.join(" ");
        if let Err(error) = query::read("q", &text, &nodes()) {
            prop_assert!(error.position.is_some());
        }
        let _ = query::read("q", &words.concat(), &nodes());
    }

    #[test]
    fn a_damaged_query_is_read_or_refused(f in formula(), cuts in vec((any::<Index>(), any::<char>()), 1..4)) {
        let text = damaged(&query::show(&f, &nodes()), &cuts);
        if let Err(fault) = query::parse(&text, &nodes()) {
            prop_assert!(fault.offset <= text.len() as u64);
        }
    }

    #[test]
    fn a_damaged_file_is_read_or_refused(f in contest_ctl(), cuts in vec((any::<Index>(), any::<char>()), 1..4)) {
        let text = damaged(&xml(&property(f, Logic::Ctl)), &cuts);
        if let Err(fault) = properties::read(text.as_bytes(), &nodes(), Logic::Ctl) {
            prop_assert!(fault.offset <= text.len() as u64);
        }
    }

    #[test]
    fn any_elements_are_read_or_refused(tags in vec((select(ELEMENTS.to_vec()), 0u8..3), 0..20)) {
        let (mut text, mut open) = (String::from("<property-set><property><id>q</id><formula>"), Vec::new());
        for (name, action) in tags {
            match action {
                0 => text.push_str(&format!("<{name}/>")),
                1 => {
                    text.push_str(&format!("<{name}>"));
                    open.push(name);
                }
                _ => text.extend(open.pop().map(|name| format!("p1</{name}>"))),
            }
        }
        open.iter().rev().for_each(|name| text.push_str(&format!("</{name}>")));
        text.push_str("</formula></property></property-set>");
        let _ = properties::read(text.as_bytes(), &nodes(), Logic::Ctl);
    }
}

const WORDS: &[&str] = &[
    "true",
    "deadlock",
    "fireable",
    "tokens",
    "bound",
    "one-safe",
    "live",
    "!",
    "not",
    "&&",
    "||",
    "xor",
    "->",
    "<->",
    "A",
    "E",
    "AX",
    "EG",
    "X",
    "F",
    "G",
    "U",
    "R",
    "W",
    "<",
    "=",
    ">=",
    "+",
    "-",
    "*",
    "(",
    ")",
    "[",
    "]",
    ",",
    "p1",
    "_",
    "\"A\"",
    "\"",
    "\\",
    "0",
    "7",
    "9223372036854775808",
    "zz",
];

const ELEMENTS: &[&str] = &[
    "all-paths",
    "exists-path",
    "globally",
    "next",
    "until",
    "before",
    "reach",
    "strength",
    "invariant",
    "negation",
    "conjunction",
    "exclusive-disjunction",
    "implication",
    "true",
    "deadlock",
    "is-fireable",
    "transition",
    "integer-le",
    "integer-constant",
    "integer-sum",
    "integer-difference",
    "tokens-count",
    "place",
    "place-bound",
    "formula",
    "property",
];

/// The text with some of its characters replaced, and the rest cut off at the last of them for odd letters.
fn damaged(text: &str, cuts: &[(Index, char)]) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for (at, letter) in cuts.iter().filter(|_| !text.is_empty()) {
        let at = at.index(letters.len());
        match u32::from(*letter) % 4 {
            0 => letters[at] = *letter,
            1 => letters.truncate(at + 1),
            2 => letters[at] = letters[letters.len() - 1 - at],
            _ => letters.insert(at, "()<>&\"\\/-;"[..].chars().nth(at % 10).unwrap_or('x')),
        }
    }
    letters.into_iter().collect()
}

#[test]
fn formulas_about_runs_survive() {
    use fireset_oracle::random::{self, TestRng};
    for seed in 0..2_000 {
        let mut random = TestRng::new(seed);
        let model = match seed % 3 {
            0 => fireset_net::Model::Coloured(random::coloured(&mut random, 30)),
            _ => fireset_net::Model::Plain(random::net(&mut random, &random::NetShape::default())),
        };
        let asked = random::run_query(&mut random, &model);
        let text = query::show_as(&asked.formula(), Logic::Ltl, &model);
        let read = query::read("query", &text, &model).unwrap_or_else(|error| panic!("{text}: {error}"));
        // A transition with any binding is written, and read, as the transition; after that nothing changes.
        let again = query::show_as(&read.formula, Logic::Ltl, &model);
        let last = query::read("query", &again, &model).unwrap_or_else(|error| panic!("{again}: {error}"));
        assert_eq!(last.formula, read.formula, "seed {seed}: {text}");
    }
}
