//! Rules that make CTL formulas in normal form smaller: the paper's ρ and more.
//!
//! Why: a formula of a benchmark often says less than it seems to, and a formula with fewer temporal operators is closer
//! to a reachability query. Each rule is an equivalence in every state of every net. A rule looks at the root of a
//! formula whose operands have been rewritten already; [`rewrite`] applies all of them bottom-up until none fits.
//!
//! Source: Table 3 of Bønneland et al. (see [`super`]). We differ in keeping `EG`, `AG` and release, so that each rule has
//! its dual beside it; in classes of formulas where the paper names `EF f` and `!deadlock`; in joining `EF f | EF g`, which
//! the paper splits; and in using implications.
//!
//! | file | what |
//! |---|---|
//! | `constants` | constants below a quantifier |
//! | `deadlock` | what a deadlock decides |
//! | `chains` | operands of EF, AF, EG and AG |
//! | `until` | U, R and W whose operands know each other |
//! | `join` | several temporal operands of `&` and `|` become one |
//! | `everywhere` | what `AG f` says about the operands beside it |
//!
//! Those for shapes without content and for operands of `&` and `|` that imply each other are the rules for path
//! formulas. Invariants: (1) a rule preserves the value in every state; (2) no rule makes a formula larger in temporal
//! operators, then in nodes. Rules that keep the size only move eventual and universal formulas outwards, so that
//! rewriting ends; `MAX_WORK` bounds it whatever happens.
//! Test: `tests.rs`: each rule alone and all together, in every state of random nets.

mod chains;
mod constants;
mod deadlock;
mod everywhere;
mod join;
#[cfg(test)]
mod tests;
mod until;

use fireset_net::Formula;

use super::map_operands;
use crate::formula::rewrite::{Rule, boolean, combine, operands, shapes};

/// Formulas that a call of [`rewrite`] may try the rules on.
const MAX_WORK: usize = 20_000;

/// The rules, in the order in which they are tried: cheap ones first.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    let tables = [
        shapes::RULES,
        constants::RULES,
        deadlock::RULES,
        chains::RULES,
        join::RULES,
        until::RULES,
        boolean::RULES,
        everywhere::RULES,
    ];
    tables.into_iter().flatten()
}

/// A CTL formula in normal form, rewritten until no rule fits or the work is done.
pub fn rewrite(f: Formula) -> Formula {
    let mut work = MAX_WORK;
    bottom_up(f, &mut work)
}

fn bottom_up(mut f: Formula, work: &mut usize) -> Formula {
    loop {
        f = map_operands(f, &mut |operand| bottom_up(operand, work));
        if *work == 0 {
            return f;
        }
        *work -= 1;
        match rules().find_map(|rule| (rule.apply)(&f)) {
            Some(smaller) => f = smaller,
            None => return f,
        }
    }
}

/// The operands of a conjunction or disjunction; of any other formula, itself.
fn parts(conjunction: bool, f: &Formula) -> &[Formula] {
    match operands(f) {
        Some((same, fs)) if same == conjunction => fs,
        _ => std::slice::from_ref(f),
    }
}

/// A conjunction or a disjunction of any number of operands.
fn whole(conjunction: bool, fs: Vec<Formula>) -> Formula {
    if fs.is_empty() { Formula::Constant(conjunction) } else { combine(conjunction, fs) }
}
