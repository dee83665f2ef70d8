//! Named properties of nets that the literature discusses.

use fireset_net::{Formula, LivenessLevel, Logic, Model, NamedProperty, Query, TransitionId, Verdict};
use fireset_oracle::tiny;

use super::*;

fn verdict(text: &str, property: impl Fn(&Nodes) -> NamedProperty) -> Verdict {
    let model = Model::Plain(tiny::net(text));
    let query = Query::classify(&Formula::Named(property(model.nodes())), Logic::Ctl).unwrap();
    outcomes(&model, &[query], MAX_STATES)[0].verdict.clone()
}

fn all(nodes: &Nodes) -> Vec<PlaceId> {
    nodes.place_ids().collect()
}

/// A ring, a ring that can be left, a conflict, a source, and a line.
const RING: &str = "p:1 q; t: p -> q; u: q -> p";
const LEFT: &str = "p:1 q r; t: p -> q; u: q -> p; v: q -> r";
const SOURCE: &str = "p; t: -> p; u: p ->";
const LINE: &str = "p:2 q; t: p -> q";

#[test]
fn small_nets_have_the_properties_of_the_literature() {
    let of = |property: fn(&Nodes) -> NamedProperty| {
        [RING, LEFT, SOURCE, LINE].map(|text| verdict(text, property))
    };
    let are = |values: [bool; 4]| values.map(Verdict::from);
    assert_eq!(of(|nodes| NamedProperty::Bounded(all(nodes))), are([true, true, false, true]));
    assert_eq!(of(|nodes| NamedProperty::KBounded(1, all(nodes))), are([true, true, false, false]));
    assert_eq!(of(|_| NamedProperty::DeadlockFree)[..2], are([true, false, true, false])[..2]);
    assert_eq!(of(|_| NamedProperty::Terminating), are([false, false, false, true]));
    assert_eq!(
        [RING, LEFT, LINE].map(|text| verdict(text, |_| NamedProperty::Reversible)),
        [true, false, false].map(Verdict::from)
    );
    assert_eq!(
        [RING, LEFT, LINE].map(|text| verdict(text, |_| NamedProperty::Persistent)),
        [true, false, true].map(Verdict::from)
    );
    let repeats = |t: usize| NamedProperty::Live(vec![TransitionId::new(t)], LivenessLevel::L3);
    assert_eq!(verdict(LEFT, |_| repeats(0)), Verdict::Holds);
    assert_eq!(verdict(LEFT, |_| repeats(2)), Verdict::Fails);
    assert_eq!(verdict(SOURCE, |_| repeats(0)), Verdict::Holds);
    assert_eq!(verdict(LINE, |_| repeats(0)), Verdict::Fails);
}
