//! What the tests of the whole checker share.

use fireset::{
    Budget, Model, Options, Outcome, Problem, check,
    net::{StopReason, coloured::ColouredNet},
};
use fireset_oracle::{
    OracleCase,
    random::{self, NetShape, TestRng},
};

/// Checks a problem for `against_oracle`; an internal fault fails the test.
#[allow(dead_code, reason = "one test also looks at the timelines")]
pub fn ask(options: &Options, problem: &Problem, budget: &Budget, report: &mut dyn FnMut(usize, Outcome)) {
    let found = check(problem, options, budget, &mut ());
    assert_eq!(found.fault, None);
    found.outcomes.into_iter().enumerate().for_each(|(at, outcome)| report(at, outcome));
}

/// A net of a structured family for some seeds, otherwise one of this shape.
#[allow(dead_code, reason = "not every test draws such nets")]
pub fn plain(random: &mut TestRng, seed: u64, shape: &NetShape) -> Model {
    Model::Plain(random::structured(random, seed).unwrap_or_else(|| random::net(random, shape)))
}

#[allow(dead_code, reason = "not every test draws such nets")]
pub fn coloured(random: &mut TestRng, inhibitors: usize) -> Model {
    let net: ColouredNet = random::coloured(random, inhibitors);
    Model::Coloured(net)
}

/// A search of a net with infinitely many states may not end: only finite nets are checked.
#[allow(dead_code, reason = "not every test leaves out nets")]
pub fn on_finite_nets(case: &OracleCase, options: &[Options]) -> Vec<Options> {
    if case.is_finite() { options.to_vec() } else { Vec::new() }
}

/// Equivalences of path formulas can be too large for an automaton.
#[allow(dead_code, reason = "not every test asks LTL")]
pub fn too_large_formula(_: &OracleCase, reason: &StopReason) -> bool {
    matches!(reason, StopReason::Formula(_))
}
