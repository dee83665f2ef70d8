//! Rules that make path formulas in normal form smaller.
//!
//! Why: the automaton of a formula can double with each temporal operator, and many formulas of benchmarks are
//! written without a thought for that. Each rule is an equivalence over infinite words, and runs are infinite words
//! (a finite run repeats its last marking for ever). A rule looks at the root of a formula whose operands have been
//! rewritten already; [`rewrite`] applies all of them bottom-up until none fits.
//!
//! Sources: Somenzi and Bloem, "Efficient Büchi Automata from LTL Formulae" (CAV 2000); Etessami and Holzmann,
//! "Optimizing Büchi Automata" (CONCUR 2000); the constants are those of Table II of the paper on EnPAC. We differ in
//! keeping `F`, `G` and weak until as operators of their own, in moving stable formulas and `X` outwards, and in
//! joining operators with a common operand.
//!
//! | file | what |
//! |---|---|
//! | `shapes` | shapes without content |
//! | `constants` | constants below temporal operators |
//! | `boolean` | implied, contradictory and common operands of `&` and `|` |
//! | `unary` | chains and operands of X, F and G |
//! | `binary` | U, R and W whose operands know each other |
//! | `join` | several temporal operands of `&` and `|` become one |
//! | `stable` | stable formulas move outwards |
//!
//! Invariants: (1) a rule preserves the value on every infinite word; (2) no rule makes a formula larger in temporal
//! operators, then in nodes. Rules that keep the size only move `X` and stable formulas outwards, so that rewriting
//! ends; `MAX_WORK` bounds it whatever happens.
//! Test: `tests.rs`: each rule alone and all together, on random words.

mod binary;
pub(super) mod boolean;
mod constants;
pub(super) mod join;
pub(super) mod shapes;
mod stable;
#[cfg(test)]
mod tests;
pub(super) mod unary;

use fireset_net::Formula;

/// Formulas that a call of [`rewrite`] may try the rules on.
const MAX_WORK: usize = 100_000;

/// An equivalence that is applied in one direction.
pub struct Rule {
    /// What it is called.
    pub name: &'static str,
    /// The smaller formula, where the rule fits.
    pub apply: fn(&Formula) -> Option<Formula>,
}

/// The rules, in the order in which they are tried: cheap ones first.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    let tables = [
        shapes::RULES,
        constants::RULES,
        unary::RULES,
        stable::RULES,
        join::RULES,
        binary::RULES,
        boolean::RULES,
    ];
    tables.into_iter().flatten()
}

/// Temporal operators, then nodes: what the rules make smaller. A conjunction counts as if it were written with
/// binary operators, so that it does not matter how it is nested.
pub fn size(f: &Formula) -> (usize, usize) {
    let nodes = operands(f).map_or(1, |(_, fs)| fs.len().saturating_sub(1).max(1));
    let own = (usize::from(f.is_temporal()), nodes);
    f.children().map(size).fold(own, |a, b| (a.0 + b.0, a.1 + b.1))
}

/// A formula in normal form, rewritten until no rule fits or the work is done.
pub fn rewrite(path: Formula) -> Formula {
    let mut work = MAX_WORK;
    bottom_up(path, &mut work)
}

fn bottom_up(mut f: Formula, work: &mut usize) -> Formula {
    loop {
        f = f.map_children(&mut |child| bottom_up(child, work));
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

/// The operands of a conjunction or disjunction, and which of the two it is.
pub(super) fn operands(f: &Formula) -> Option<(bool, &[Formula])> {
    match f {
        Formula::And(fs) => Some((true, fs)),
        Formula::Or(fs) => Some((false, fs)),
        _ => None,
    }
}

/// A conjunction or a disjunction; of one operand, that operand.
pub(super) fn combine(conjunction: bool, mut fs: Vec<Formula>) -> Formula {
    if fs.len() == 1 {
        return fs.remove(0);
    }
    if conjunction { Formula::And(fs) } else { Formula::Or(fs) }
}

/// `operands` without those at the positions `gone`.
pub(super) fn without(operands: &[Formula], gone: &[usize]) -> Vec<Formula> {
    let kept = operands.iter().enumerate().filter(|(at, _)| !gone.contains(at));
    kept.map(|(_, f)| f.clone()).collect()
}

pub(super) fn next(f: Formula) -> Formula {
    Formula::Next(Box::new(f))
}

pub(super) fn finally(f: Formula) -> Formula {
    Formula::Finally(Box::new(f))
}

pub(super) fn globally(f: Formula) -> Formula {
    Formula::Globally(Box::new(f))
}

/// The operator of `like` over other operands; `like` is an until, a release or a weak until.
pub(super) fn binary(like: &Formula, f: Formula, g: Formula) -> Formula {
    let (f, g) = (Box::new(f), Box::new(g));
    match like {
        Formula::Until(..) => Formula::Until(f, g),
        Formula::Release(..) => Formula::Release(f, g),
        _ => Formula::WeakUntil(f, g),
    }
}
