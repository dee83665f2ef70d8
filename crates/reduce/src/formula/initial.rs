//! What the initial marking alone tells about a formula.
//!
//! Why: a formula is asked of the initial marking, so what stands outside of temporal operators is decided there, and a
//! temporal operator often is: `AF f` where `f` is true at once. Source: Table 2 of Bønneland et al. (see
//! [`super::ctl`]), their Ω; we decide operands where they cannot decide the whole, and read path formulas the same way.
//! In an initial deadlock everything is decided. Ours are also `EF EX f` and `AG AX f`, whose `X` goes where the initial marking allows.
//!
//! On a coloured net the bindings may be too many to try, so only token counts are looked at.
//! Invariant: the formula has the same value in the initial marking; nowhere else.
//! Cost: linear in the formula, and in the net where transitions are asked for. Test: `tests/simplify.rs`.

use fireset_net::{
    Formula, Net, Quantifier, Semantics, StateAtom, StatePredicate, coloured::ColouredNet, replay,
};

use super::view::{Connective, UnaryOperator, in_deadlock, is_state_formula, quantified, quantify};

/// Steps from the initial marking that are looked at for one operator.
const MAX_STEPS: usize = 256;

/// The initial marking of a net.
#[derive(Clone, Copy, Debug)]
pub(super) enum InitialMarking<'a> {
    Plain(&'a Net),
    Coloured(&'a ColouredNet),
}

impl<'a> InitialMarking<'a> {
    /// A formula that has the same value at the start of every run, or in the initial marking: operands outside of
    /// temporal operators are decided where they can be.
    pub(super) fn decide(self, f: &Formula) -> Formula {
        if let Some(value) = self.value(f) {
            return Formula::Constant(value);
        }
        match f {
            Formula::Not(_) | Formula::And(_) | Formula::Or(_) => {
                f.clone().map_children(&mut |child| self.decide(&child))
            }
            Formula::Iff(..) if is_state_formula(f) => {
                f.clone().map_children(&mut |child| self.decide(&child))
            }
            Formula::Exists(path) | Formula::ForAll(path) => match &**path {
                // The first operand cannot hold the door open, or need not.
                Formula::Until(f, g) | Formula::WeakUntil(f, g) if self.value(f) == Some(false) => {
                    self.decide(g)
                }
                Formula::Release(f, g) if self.value(f) == Some(true) => self.decide(g),
                _ => self.without_first_step(f).unwrap_or_else(|| f.clone()),
            },
            _ => f.clone(),
        }
    }

    /// `EF(h | EX f) = EF(h | f)` where `f` is false in the initial marking, since `f` needs a step to become true then; and
    /// `AG(h & AX f) = AG(h & f)` where it is true.
    fn without_first_step(self, f: &Formula) -> Option<Formula> {
        let (quantifier, path) = quantified(f)?;
        let (operator, connective, below) = match (quantifier, path) {
            (Quantifier::Exists, Formula::Finally(below)) => (UnaryOperator::Finally, Connective::Or, below),
            (Quantifier::ForAll, Formula::Globally(below)) => {
                (UnaryOperator::Globally, Connective::And, below)
            }
            _ => return None,
        };
        let mut changed = false;
        let mut without = |f: &Formula| match quantified(f) {
            Some((inner, Formula::Next(g)))
                if inner == quantifier && self.value_after_steps(g) == Some(connective.neutral()) =>
            {
                changed = true;
                (**g).clone()
            }
            _ => f.clone(),
        };
        let operands = connective.operands(below).iter().map(&mut without).collect();
        let shorter = quantify(quantifier, operator.apply(connective.join(operands)));
        changed.then_some(shorter)
    }

    /// The value of a formula, where the initial marking and those after a step tell.
    fn value_after_steps(self, f: &Formula) -> Option<bool> {
        let value = |f: &Formula| self.value_after_steps(f);
        match f {
            Formula::Not(f) => value(f).map(|v| !v),
            Formula::And(fs) => Connective::And.value(fs.iter().map(value)),
            Formula::Or(fs) => Connective::Or.value(fs.iter().map(value)),
            f => match (quantified(f), self) {
                (Some((quantifier, Formula::Next(p))), Self::Plain(net)) => after_a_step(quantifier, p, net),
                _ => self.value(f),
            },
        }
    }

    /// The value of a formula, where the initial marking alone tells.
    pub(super) fn value(self, f: &Formula) -> Option<bool> {
        if f.is_state_predicate() {
            return self.holds(f);
        }
        let value = |f: &Formula| self.value(f);
        match f {
            Formula::Not(f) => value(f).map(|v| !v),
            Formula::And(fs) => Connective::And.value(fs.iter().map(value)),
            Formula::Or(fs) => Connective::Or.value(fs.iter().map(value)),
            Formula::Iff(f, g) => Some(value(f)? == value(g)?),
            Formula::Finally(f) => value(f).filter(|&v| v),
            Formula::Globally(f) => value(f).filter(|&v| !v),
            Formula::Until(f, g) | Formula::WeakUntil(f, g) => match value(g) {
                Some(false) => value(f).filter(|&v| !v),
                known => known,
            },
            Formula::Release(f, g) => match value(g) {
                Some(true) => value(f).filter(|&v| v),
                known => known,
            },
            Formula::Exists(path) | Formula::ForAll(path) => value(path).or_else(|| {
                let stuck = self.holds(&Formula::Deadlock)?;
                stuck.then(|| self.holds(&in_deadlock(f)))?
            }),
            _ => None,
        }
    }

    /// The value of a state predicate in the initial marking.
    fn holds(self, predicate: &Formula) -> Option<bool> {
        let predicate = StatePredicate::try_from(predicate).ok()?;
        match self {
            Self::Plain(net) => Some(replay::holds_in(net, net.initial_marking(), &predicate)),
            Self::Coloured(net) => {
                let needs_steps = predicate.any_atom(&|atom| !matches!(atom, StateAtom::Compare(..)));
                (!needs_steps).then(|| replay::holds_in(net, &net.initial(), &predicate))
            }
        }
    }
}

/// The value of `EX p` or `AX p` in the initial marking, for a state predicate.
fn after_a_step(quantifier: Quantifier, p: &Formula, net: &Net) -> Option<bool> {
    let predicate = StatePredicate::try_from(p).ok()?;
    let initial = net.initial_marking();
    let decisive = quantifier == Quantifier::Exists;
    let enabled = net.nodes().transition_ids().filter(|&t| net.enabled(initial, t).is_ok());
    for (tried, t) in enabled.enumerate() {
        let next = net.fire_transition(initial, t).ok().filter(|_| tried < MAX_STEPS)?;
        if replay::holds_in(net, &next, &predicate) == decisive {
            return Some(decisive);
        }
    }
    Some(!decisive)
}

#[cfg(test)]
mod tests {
    use fireset_oracle::random::{self, NetShape, TestRng};

    use super::*;
    use crate::formula::{
        every_state::EveryState,
        view::{finally, globally, next},
    };

    #[test]
    fn formulas_without_the_first_step_have_the_same_value_at_first() {
        let (mut compared, mut changed) = (0, 0);
        for seed in 0..2_000 {
            let mut random = TestRng::new(seed);
            let inhibitors = if seed % 3 == 0 { 25 } else { 0 };
            let shape = NetShape { places: 4, transitions: 4, tokens: 2, inhibitors, ..NetShape::default() };
            let net = random::net(&mut random, &shape);
            let Some(states) = EveryState::of(&net, 60) else { continue };
            let predicate = |random: &mut TestRng| Formula::from(random::predicate(random, net.nodes(), 1));
            let (h, p, q) = (predicate(&mut random), predicate(&mut random), predicate(&mut random));
            let f = if random.percent(50) {
                let inner = Formula::Or(vec![p, quantify(Quantifier::Exists, next(q))]);
                let below = Formula::Or(vec![h, quantify(Quantifier::Exists, next(inner))]);
                quantify(Quantifier::Exists, finally(below))
            } else {
                let inner = Formula::And(vec![p, quantify(Quantifier::ForAll, next(q))]);
                let below = Formula::And(vec![h, quantify(Quantifier::ForAll, next(inner))]);
                quantify(Quantifier::ForAll, globally(below))
            };
            let Some(shorter) = InitialMarking::Plain(&net).without_first_step(&f) else { continue };
            assert_eq!(
                states.values(&f)[0],
                states.values(&shorter)[0],
                "seed {seed}: {f:?} became {shorter:?} on {net:?}"
            );
            compared += 1;
            changed += usize::from(f != shorter);
        }
        assert!(compared > 300 && changed == compared, "{changed} of {compared}");
    }
}
