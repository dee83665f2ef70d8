//! Named properties of nets that the literature discusses.

use fireset_net::{
    Formula, LivenessLevel, Logic, Marking, Model, NamedProperty, Query, SoundnessNotion, TransitionId,
    Verdict, WorkflowEnds,
};
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

/// Each net ends with one token in its second place.
#[test]
fn workflow_nets_are_sound_as_the_literature_says() {
    let notions = |text: &str, ignored: Vec<PlaceId>| {
        SoundnessNotion::ALL.map(|notion| {
            let end = |p: PlaceId| u64::from(p.index() == 1);
            let property = |nodes: &Nodes| {
                let end = Marking(nodes.place_ids().map(end).collect());
                NamedProperty::Sound(notion, WorkflowEnds { finals: vec![end], ignored: ignored.clone() })
            };
            verdict(text, property)
        })
    };
    for (text, sound, weak, relaxed, easy) in [
        ("i:1 o; t: i -> o", true, true, true, true),
        ("i:1 o p; t: i -> p; u: p -> o; again: p -> p", true, true, true, true),
        // A transition that can never fire.
        ("i:1 o p q; t: i -> p; u: p -> o; v: p, q -> o, q", false, true, false, true),
        // A choice that is joined like a parallel split.
        ("i:1 o p q; t: i -> p; u: i -> q; v: p, q -> o", false, false, false, false),
        // One of two ways to end leaves a token, and the choice between both is free.
        ("i:1 o p q; t: i -> p, q; u: p, q -> o; v: p -> o; w: q -> ", false, false, true, true),
        // A way that gets stuck.
        ("i:1 o p; t: i -> o; u: i -> p", false, false, false, true),
    ] {
        let expected = [sound, weak, relaxed, easy].map(Verdict::from);
        assert_eq!(notions(text, Vec::new()), expected, "{text}");
    }
    // A message that is left.
    let text = "i:1 o m; t: i -> o, m";
    assert_eq!(notions(text, Vec::new()), [false; 4].map(Verdict::from));
    assert_eq!(notions(text, vec![PlaceId::new(2)]), [true; 4].map(Verdict::from));
}
