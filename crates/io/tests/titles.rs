//! Titles of nodes: a title of one name, pasted into a query, means the same node.

use fireset_io::query::{self, quote_title};
use fireset_net::{Comparison, Expr, Formula, Logic, Nodes, PlaceId, TransitionId};
use proptest::{collection::vec, prelude::*, test_runner::RngSeed};

/// Words that collide with each other, with keywords and with the syntax of queries.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ab]",
        "[a-c \"\\\\.()]{1,4}",
        Just("EF".to_owned()),
        Just("true".to_owned()),
        Just("Grüße 7".to_owned()),
    ]
}

fn label() -> impl Strategy<Value = String> {
    prop_oneof![3 => word(), 1 => "[\\n\\t a]{1,3}", 1 => Just(String::new())]
}

/// Places and transitions with ids and labels; ids that are there already are left out.
fn nodes(words: &[(String, String)]) -> Nodes {
    let mut nodes = Nodes::default();
    for names in [&mut nodes.places, &mut nodes.transitions] {
        for (id, label) in words {
            if let Some(at) = names.insert(id) {
                names.set_label(at, label);
            }
        }
    }
    nodes
}

fn marked(place: PlaceId) -> Formula {
    Formula::Compare(Comparison::GreaterEqual, Expr::Tokens(vec![place]), Expr::Constant(1))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, rng_seed: RngSeed::Fixed(9), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_title_of_one_name_is_read_as_its_node(words in vec((word(), label()), 1..6)) {
        let nodes = nodes(&words);
        let mut shown = std::collections::BTreeSet::new();
        for place in nodes.place_ids() {
            let title = nodes.place_title(place);
            prop_assert!(shown.insert(quote_title(title)), "two places have the title {}", title);
            prop_assert!(!quote_title(title).contains('\n'));
            if title.name().is_some() {
                let text = format!("EF {} >= 1", quote_title(title));
                let read = query::parse(&text, &nodes).map_err(|e| TestCaseError::fail(format!("{text}: {e:?}")))?;
                prop_assert_eq!(read.formula, marked(place).possible(), "{}", text);
            }
        }
        for transition in nodes.transition_ids() {
            let title = nodes.transition_title(transition);
            if title.name().is_some() {
                let text = format!("EF fireable({})", quote_title(title));
                let read = query::parse(&text, &nodes).map_err(|e| TestCaseError::fail(format!("{text}: {e:?}")))?;
                prop_assert_eq!(read.formula, Formula::Fireable(vec![transition]).possible(), "{}", text);
            }
        }
    }
}

#[test]
fn formulas_for_people_have_titles_and_are_read_again() {
    let mut nodes = Nodes::default();
    for (id, label) in [("p0", "waiting room"), ("p1", "busy"), ("p2", "done")] {
        let at = nodes.places.insert(id).unwrap();
        nodes.places.set_label(at, label);
    }
    nodes.transitions.insert("t0").unwrap();
    nodes.transitions.set_label(0, "X");
    let enabled = Formula::Fireable(vec![TransitionId::new(0)]);
    let both = Expr::Tokens(vec![PlaceId::new(1), PlaceId::new(2)]);
    let few = Formula::Compare(Comparison::LessEqual, both, Expr::Constant(3));
    let formula = Formula::And(vec![marked(PlaceId::new(0)), few, enabled]).invariant();
    let shown = query::show_with_titles(&formula, Logic::Ctl, &nodes);
    assert_eq!(shown, "AG (\"waiting room\" >= 1 && tokens(busy, done) <= 3 && fireable(\"X\"))");
    assert_eq!(query::parse(&shown, &nodes).unwrap().formula, formula);
    nodes.places.set_label(2, "busy");
    let shown = query::show_with_titles(&formula, Logic::Ctl, &nodes);
    assert!(shown.contains("tokens(busy (p1), busy (p2)) <= 3"), "{shown}");
}
