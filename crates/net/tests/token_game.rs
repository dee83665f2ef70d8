//! The token game against the firing rule.

use fireset_net::{
    Marking, Net, Semantics, TransitionId,
    token_game::{Displacement, TokenGame, TokenGameTable},
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

/// The markings of a transition that fires in a row until it is disabled, at most a number of times.
fn in_a_row(net: &Net, marking: &Marking, t: TransitionId, most: usize) -> Vec<Marking> {
    let mut markings = vec![marking.clone()];
    while let Some(Ok(next)) = markings.last().map(|last| net.fire_transition(last, t)) {
        if markings.len() > most {
            break;
        }
        markings.push(next);
    }
    markings
}

#[test]
fn many_firings_at_once_are_single_firings() {
    let (mut jumped, mut changed) = (0, 0);
    for seed in 0..2_000 {
        let mut random = TestRng::new(seed);
        let inhibitors = if random.percent(50) { 50 } else { 0 };
        let shape = NetShape { inhibitors, tokens: 50, weight: 20, ..NetShape::default() };
        let net = random::net(&mut random, &shape);
        let table = TokenGameTable::new(&net);
        let mut game = TokenGame::new(&table);
        let mut marking = net.initial_marking().clone();
        for _ in 0..10 {
            if game.is_deadlock() {
                break;
            }
            let transition = *random.pick(game.enabled());
            let markings = in_a_row(&net, &marking, TransitionId::new(transition as usize), 60);
            let changes = table.changes(transition);
            let first = game.repetitions_to_condition(changes);
            let enabled = |marking: &Marking| net.steps(marking);
            for (times, after) in markings.iter().enumerate() {
                let run = Displacement { changes, times: times as u64 };
                game.displace(run);
                is_at(&game, &net, after);
                game.displace_back(run);
                is_at(&game, &net, &marking);
                let same = enabled(after) == enabled(&marking);
                assert!(same || first.is_some_and(|first| times as u64 >= first), "seed {seed}");
                changed += usize::from(!same && first == Some(times as u64));
            }
            jumped += markings.len();
            let times = random.within(1, markings.len() as u64 - 1);
            game.displace(Displacement { changes, times });
            marking = markings[times as usize].clone();
        }
    }
    assert!(jumped > 50_000 && changed > 5_000, "{jumped} firings, {changed} changes");
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
