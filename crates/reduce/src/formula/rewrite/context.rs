//! What `G f` and `AG f` say about the operands beside them: `f` is true in every state that they can speak of.

use fireset_net::Formula;

use super::{RewriteRule, ctl_first};
use crate::formula::{
    implies::{covers, excludes, implies},
    view::{Connective, UnaryOperator, connected, map_operands, temporal},
};

pub(super) const RULES: &[RewriteRule] = &[ctl_first("true_everywhere", true_everywhere)];

/// Formulas that a call may compare with what is true everywhere.
const MAX_COMPARED: usize = 500;

/// `QG f & h = QG f & h'`, where `h'` has `true` for what `f` implies and `false` for what it excludes; and
/// `QF f | h = QF f | h'`, where `h'` has `false` for what implies `f` and `true` for what is true without it. `Q` is one
/// that speaks of all states that `h` speaks of: none (LTL), `A` before `G`, `E` before `F`.
fn true_everywhere(f: &Formula) -> Option<Formula> {
    let (connective, fs) = connected(f)?;
    let operator = match connective {
        Connective::And => UnaryOperator::Globally,
        Connective::Or => UnaryOperator::Finally,
    };
    fs.iter().enumerate().find_map(|(at, premise)| {
        let (quantifier, _) = temporal(premise).filter(|(q, _)| q.distributes_over(connective))?;
        let known = connective.operands(quantifier.operand_of(operator, premise)?);
        let mut context = Context { known, connective, left: MAX_COMPARED, changed: false };
        let mut beside = |(other, f): (usize, &Formula)| {
            if other == at { f.clone() } else { context.within(f.clone()) }
        };
        let fs: Vec<Formula> = fs.iter().enumerate().map(&mut beside).collect();
        context.changed.then(|| connective.join(fs))
    })
}

/// Formulas that are all true in every state (beside a conjunct), or all false (beside a disjunct).
struct Context<'a> {
    known: &'a [Formula],
    connective: Connective,
    left: usize,
    changed: bool,
}

impl Context<'_> {
    /// A formula that has the same value in the context.
    fn within(&mut self, f: Formula) -> Formula {
        if matches!(f, Formula::Constant(_)) || self.left == 0 {
            return f;
        }
        self.left -= 1;
        let value = self.known.iter().find_map(|known| self.value(known, &f));
        match value {
            Some(value) => {
                self.changed = true;
                Formula::Constant(value)
            }
            None => map_operands(f, &mut |operand| self.within(operand)),
        }
    }

    /// The value of `f` where `known` is as the context says.
    fn value(&self, known: &Formula, f: &Formula) -> Option<bool> {
        match self.connective {
            Connective::And if implies(known, f) => Some(true),
            Connective::And if excludes(known, f) => Some(false),
            Connective::Or if implies(f, known) => Some(false),
            Connective::Or if covers(f, known) => Some(true),
            _ => None,
        }
    }
}
