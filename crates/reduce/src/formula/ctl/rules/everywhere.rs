//! What `AG f` says about the operands beside it: `f` is true in every state that they can speak of.

use fireset_net::{Formula, Quantifier};

use super::parts;
use crate::formula::{
    ctl::{map_operands, quantified},
    implies::{covers, excludes, implies},
    rewrite::{Rule, combine, operands},
};

pub(super) const RULES: &[Rule] = &[Rule { name: "true_everywhere", apply: true_everywhere }];

/// Formulas that a call may compare with what is true everywhere.
const MAX_COMPARED: usize = 500;

/// `AG f & h = AG f & h'`, where `h'` has `true` for what `f` implies and `false` for what it excludes; and
/// `EF f | h = EF f | h'`, where `h'` has `false` for what implies `f` and `true` for what is true without it.
fn true_everywhere(f: &Formula) -> Option<Formula> {
    let (conjunction, fs) = operands(f)?;
    fs.iter().enumerate().find_map(|(at, told)| {
        let known = match (quantified(told)?, conjunction) {
            ((Quantifier::ForAll, Formula::Globally(known)), true) => parts(true, known),
            ((Quantifier::Exists, Formula::Finally(known)), false) => parts(false, known),
            _ => return None,
        };
        let mut context = Context { known, conjunction, left: MAX_COMPARED, changed: false };
        let mut beside = |(other, f): (usize, &Formula)| {
            if other == at { f.clone() } else { context.within(f.clone()) }
        };
        let fs: Vec<Formula> = fs.iter().enumerate().map(&mut beside).collect();
        context.changed.then(|| combine(conjunction, fs))
    })
}

/// What is known of every state: each of some formulas is true, or when it is not a `conjunction`, false.
struct Context<'a> {
    known: &'a [Formula],
    conjunction: bool,
    left: usize,
    changed: bool,
}

impl Context<'_> {
    /// A formula that has the same value where that is so.
    fn within(&mut self, f: Formula) -> Formula {
        if matches!(f, Formula::Constant(_)) || self.left == 0 {
            return f;
        }
        self.left -= 1;
        let value = self.known.iter().find_map(|known| value(known, &f, self.conjunction));
        match value {
            Some(value) => {
                self.changed = true;
                Formula::Constant(value)
            }
            None => map_operands(f, &mut |operand| self.within(operand)),
        }
    }
}

/// The value of `f` where `known` is true, or false.
fn value(known: &Formula, f: &Formula, is_true: bool) -> Option<bool> {
    match is_true {
        true if implies(known, f) => Some(true),
        true if excludes(known, f) => Some(false),
        false if implies(f, known) => Some(false),
        false if covers(f, known) => Some(true),
        _ => None,
    }
}
