//! Subformulas that the state equation decides.
//!
//! Why: what is the same in every reachable marking is a constant, and a constant makes everything around it smaller.
//! Source: algorithms 1 to 6 of Bønneland, Dyhr, Jensen, Johannsen and Srba, "Simplification of CTL formulae for
//! efficient model checking of Petri nets" (2018). A subformula becomes false when the [`StateEquation`] refutes it and
//! true when it refutes its negation, in any logic: temporal operators and quantifiers tell nothing of a marking, but
//! what stands inside them is looked at for itself.
//!
//! How we differ: the whole is tried before its parts, because often nothing is left to do then; and a part of a
//! conjunction is decided in the markings that meet the other parts (of a disjunction: that meet none), so that a
//! conjunct that follows from the others goes, and a disjunct inside that cannot hold beside them.
//!
//! Invariant: a formula and what replaces it have the same value in every reachable marking that meets the context;
//! contexts are made of what the formula has become so far, so that two parts never justify each other.
//! Cost: what the time of [`StateEquation`] allows. Test: `tests/equation.rs`.

use fireset_net::{Formula, StatePredicate, TransitionId};
use fireset_structure::{MarkingCondition, StateEquation};

use super::{
    rewrite::constants,
    view::{Connective, map_operands, temporal},
};

/// Transitions of an atom up to which each is asked about alone.
const MAX_TRANSITIONS: usize = 400;

/// The same formula, smaller where the state equation proves it.
pub(super) fn decide(formula: Formula, equation: &StateEquation<'_>) -> Formula {
    // Parts for themselves first: that is cheap, and decides most of what can be decided.
    [false, true].into_iter().fold(formula, |formula, in_context| {
        Decider { equation, in_context }.inside(formula, &mut Vec::new())
    })
}

struct Decider<'e, 'a> {
    equation: &'e StateEquation<'a>,
    /// Whether parts are decided in the markings that meet the other parts.
    in_context: bool,
}

impl Decider<'_, '_> {
    /// A condition that every marking meets in which the formula has this value.
    fn condition(&self, formula: &Formula, value: bool) -> MarkingCondition {
        MarkingCondition::of(&weakened(formula, value), value, self.equation.net())
    }

    /// Decides a formula in the markings that meet the context.
    fn inside(&self, formula: Formula, context: &mut Vec<MarkingCondition>) -> Formula {
        if temporal(&formula).is_some() {
            // Elsewhere the context need not hold.
            let inner = map_operands(formula, &mut |operand| self.inside(operand, &mut Vec::new()));
            return match fold(inner) {
                // What an operator has become may be decided in turn.
                folded @ (Formula::Deadlock | Formula::Not(_)) => self.inside(folded, context),
                folded => folded,
            };
        }
        if self.equation.is_over() {
            return formula;
        }
        if let Some(value) = self.value(&formula, context) {
            return Formula::Constant(value);
        }
        match formula {
            Formula::Not(f) => self.inside(*f, context).negate(),
            Formula::And(fs) => self.each(fs, Connective::And, context),
            Formula::Or(fs) => self.each(fs, Connective::Or, context),
            Formula::Iff(f, g) => {
                let (f, g) = (self.inside(*f, context), self.inside(*g, context));
                match (f, g) {
                    (Formula::Constant(true), h) | (h, Formula::Constant(true)) => h,
                    (Formula::Constant(false), h) | (h, Formula::Constant(false)) => h.negate(),
                    (f, g) => Formula::Iff(Box::new(f), Box::new(g)),
                }
            }
            Formula::Fireable(ts) => self.fireable(ts, context),
            other => other,
        }
    }

    /// The value of a formula in all markings that meet the context, if it is the same.
    fn value(&self, formula: &Formula, context: &mut Vec<MarkingCondition>) -> Option<bool> {
        if let Formula::Constant(value) = formula {
            return Some(*value);
        }
        [false, true].into_iter().find(|&value| self.refuted(self.condition(formula, !value), context))
    }

    fn refuted(&self, condition: MarkingCondition, context: &mut Vec<MarkingCondition>) -> bool {
        if condition.is_trivial() && context.is_empty() {
            return false;
        }
        context.push(condition);
        let all = MarkingCondition::All(std::mem::take(context));
        let proof = self.equation.refutes(&all);
        if let MarkingCondition::All(all) = all {
            *context = all;
        }
        context.pop();
        proof.is_some()
    }

    /// Decides the operands of a conjunction or disjunction.
    fn each(&self, fs: Vec<Formula>, connective: Connective, context: &mut Vec<MarkingCondition>) -> Formula {
        let unit = connective.neutral();
        let mut now = fs;
        let outside = context.len();
        for at in 0..now.len() {
            let others = now.iter().enumerate().filter(|&(other, _)| self.in_context && other != at);
            let assumed = others.map(|(_, f)| self.condition(f, unit));
            context.extend(assumed.filter(|c| !c.is_trivial()));
            let part = std::mem::replace(&mut now[at], Formula::Constant(unit));
            now[at] = self.inside(part, context);
            context.truncate(outside);
            if now[at] == Formula::Constant(!unit) {
                return Formula::Constant(!unit);
            }
        }
        connective.join_without_constants(now)
    }

    /// A fireset without the transitions that are never enabled.
    fn fireable(&self, ts: Vec<TransitionId>, context: &mut Vec<MarkingCondition>) -> Formula {
        if ts.len() > MAX_TRANSITIONS || ts.len() == 1 {
            return Formula::Fireable(ts);
        }
        let enabled = |t| MarkingCondition::enabled(self.equation.net(), t);
        let kept: Vec<_> = ts.into_iter().filter(|&t| !self.refuted(enabled(t), context)).collect();
        if kept.is_empty() { Formula::Constant(false) } else { Formula::Fireable(kept) }
    }
}

/// A state predicate that has this value in every marking in which the formula has it: temporal parts are left out.
fn weakened(formula: &Formula, value: bool) -> StatePredicate {
    let all = |fs: &[Formula]| fs.iter().map(|f| weakened(f, value)).collect();
    match (StatePredicate::try_from(formula), formula) {
        (Ok(predicate), _) => predicate,
        (_, Formula::Not(f)) => weakened(f, !value).negate(),
        (_, Formula::And(fs)) => StatePredicate::And(all(fs)),
        (_, Formula::Or(fs)) => StatePredicate::Or(all(fs)),
        _ => StatePredicate::Constant(value),
    }
}

/// An operator over constants, made smaller.
fn fold(formula: Formula) -> Formula {
    constants::RULES.iter().find_map(|rule| (rule.apply)(&formula)).unwrap_or(formula)
}
