//! Structural classes of small nets.

use fireset_net::Facts;
use fireset_oracle::tiny;

#[test]
fn a_ring_is_everything_at_once() {
    let facts = Facts::of(&tiny::net("p:1 q; t: p -> q; u: q -> p"));
    assert!(facts.ordinary && facts.state_machine && facts.marked_graph && facts.strongly_connected);
    assert!(facts.simple_free_choice && facts.extended_free_choice && facts.loop_free);
    assert!(facts.conservative && facts.subconservative && facts.connected);
}

#[test]
fn choice_with_a_side_condition_is_not_free() {
    let facts = Facts::of(&tiny::net("p q; t: p ->; u: p, q ->"));
    assert!(!facts.simple_free_choice && !facts.extended_free_choice);
    let facts = Facts::of(&tiny::net("p q; t: p, q ->; u: p, q ->"));
    assert!(!facts.simple_free_choice && facts.extended_free_choice);
}

#[test]
fn ends_weights_and_parts_are_seen() {
    let facts = Facts::of(&tiny::net("p q r; t: -> 2*p; u: p, q -> q; v: r ->"));
    assert!(!facts.ordinary && !facts.loop_free && !facts.connected && !facts.strongly_connected);
    assert!(!facts.conservative && !facts.subconservative);
    assert_eq!((facts.source_places, facts.sink_places), (1, 0));
    assert_eq!((facts.source_transitions, facts.sink_transitions), (1, 1));
}
