//! Extends finite runs to lassos, which are infinite runs.
//!
//! Any infinite run that goes on from a finite one shows the same where the rest of it does not matter. So always the
//! first step is taken that is enabled, until a marking comes again or nothing is enabled; and always the last one where
//! the first leads nowhere. Since each marking has one successor that way, Brent's search for a cycle ("An improved Monte
//! Carlo factorization algorithm", 1980) finds the repetition with two markings in memory.
//! Test: `tests/simplify.rs` and `tests/rules.rs`; unit tests in `formula/lift.rs`.

use fireset_net::{Lasso, Net, Semantics, Step, coloured::ColouredNet, replay};

/// Steps that a finite run is made longer by, in each of the two ways.
const MAX_STEPS: u64 = 10_000;
/// Transitions that may be tested for it, and bindings, which take longer: a fraction of a second.
const MAX_TESTS: u64 = 10_000_000;
const MAX_BINDINGS: u64 = 500_000;

/// An infinite run that begins with `steps`; `None` when they are no run of the net or it takes too long.
pub(crate) fn extend_to_lasso(net: &Net, steps: Vec<Step>) -> Option<Lasso> {
    within(net, steps, MAX_TESTS / net.nodes().transitions.len().max(1) as u64)
}

/// The same for a coloured net.
pub(crate) fn extend_coloured_to_lasso(net: &ColouredNet, steps: Vec<Step>) -> Option<Lasso> {
    let bindings = net.nodes().transition_ids().map(|t| net.binding_count(t));
    within(net, steps, MAX_BINDINGS / bindings.fold(1, u64::saturating_add))
}

/// The enabled step that is taken.
#[derive(Clone, Copy)]
enum StepChoice {
    First,
    Last,
}

/// An infinite run with at most `most` steps more.
fn within<S: Semantics>(net: &S, steps: Vec<Step>, most: u64) -> Option<Lasso> {
    let most = most.min(MAX_STEPS);
    let end = replay::states(net, &steps).ok()?.pop()?;
    [StepChoice::First, StepChoice::Last]
        .into_iter()
        .find_map(|choice| walk(net, (steps.clone(), end.clone()), choice, most))
}

/// A run, given with its last state, continued by at most `most` chosen steps.
fn walk<S: Semantics>(
    net: &S,
    (mut run, mut state): (Vec<Step>, S::State),
    choice: StepChoice,
    most: u64,
) -> Option<Lasso> {
    let (mut kept, mut kept_at) = (state.clone(), run.len());
    let mut power = 1;
    for _ in 0..most {
        let mut steps = net.steps(&state).into_iter();
        let step = match choice {
            StepChoice::First => steps.next(),
            StepChoice::Last => steps.next_back(),
        };
        let Some(step) = step else { return Some(Lasso { prefix: run, cycle: Vec::new() }) };
        state = net.fire(&state, &step).ok()?;
        run.push(step);
        if state == kept {
            let cycle = run.split_off(kept_at);
            return Some(Lasso { prefix: run, cycle });
        }
        if run.len() - kept_at == power {
            (kept, kept_at) = (state.clone(), run.len());
            power *= 2;
        }
    }
    None
}
