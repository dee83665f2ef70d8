//! The token game against the firing rule.

use fireset_net::{
    Marking, Net, Semantics, TransitionId,
    token_game::{TokenGame, TokenGameTable},
};
use fireset_oracle::{
    random::{self, NetShape, TestRng},
    tiny,
};

/// Whether a game stands at a marking, with all that the net says of it.
fn is_at(game: &TokenGame<'_>, net: &Net, marking: &Marking) {
    assert_eq!(game.tokens(), &*marking.0);
    let mut enabled: Vec<usize> = game.enabled().iter().map(|&t| t as usize).collect();
    enabled.sort_unstable();
    let expected: Vec<usize> = net.steps(marking).iter().map(|step| step.transition.index()).collect();
    assert_eq!(enabled, expected);
}

#[test]
fn it_plays_by_the_rules() {
    let mut fired = 0;
    for seed in 0..1_000 {
        let mut random = TestRng::new(seed);
        let inhibitors = if random.percent(50) { 50 } else { 0 };
        let shape = NetShape { inhibitors, weight: 3, ..NetShape::default() };
        let net = random::net(&mut random, &shape);
        let table = TokenGameTable::new(&net);
        let mut game = TokenGame::new(&table);
        let mut marking = net.initial_marking().clone();
        for _ in 0..30 {
            is_at(&game, &net, &marking);
            if game.is_deadlock() {
                game.restart();
                marking = net.initial_marking().clone();
                continue;
            }
            let transition = *random.pick(game.enabled());
            assert!(game.fire(transition));
            let next = net.fire_transition(&marking, TransitionId::new(transition as usize)).unwrap();
            is_at(&game, &net, &next);
            if random.percent(30) {
                game.undo(transition);
            } else {
                marking = next;
            }
            fired += 1;
        }
    }
    assert!(fired > 10_000, "only {fired} firings");
}

#[test]
fn what_overflows_changes_nothing() {
    let net = tiny::net(&format!("p:{} q:1; t: q -> q, p; u: q -> p; v: -> 2*q", u64::MAX));
    let table = TokenGameTable::new(&net);
    let mut game = TokenGame::new(&table);
    assert!(!game.fire(0) && !game.fire(1));
    is_at(&game, &net, net.initial_marking());
    assert!(game.fire(2));
}

#[test]
fn nets_without_anything() {
    for text in ["", "p:1", "; t: ->"] {
        let net = tiny::net(text);
        let table = TokenGameTable::new(&net);
        is_at(&TokenGame::new(&table), &net, net.initial_marking());
    }
}
