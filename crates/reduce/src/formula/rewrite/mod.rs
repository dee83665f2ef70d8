//! Rules that make LTL path formulas and CTL formulas in normal form smaller.
//!
//! Why: the automaton of a path formula can double with each temporal operator, a CTL formula with fewer of them is closer to
//! a reachability query, and many formulas of benchmarks say less than they seem to. A rule looks at the root of a formula
//! whose operands have been rewritten already; [`rewrite`] applies all of them bottom-up until none fits.
//!
//! Each law is written once, over the view of `super::view`: `Q` stands for no quantifier (LTL), `A` or `E` (CTL). A rule
//! that holds in one of the logics only is marked so in its table, and a law for some quantifiers only names them.
//!
//! Sources: Somenzi and Bloem, "Efficient Büchi Automata from LTL Formulae" (CAV 2000); Etessami and Holzmann,
//! "Optimizing Büchi Automata" (CONCUR 2000); the constants of Table II of the paper on EnPAC; Table 3 (the rewriting ρ) of
//! Bønneland et al. on CTL (see [`super::ctl`]). We differ in keeping `F`, `G`, release and weak until, so that each rule has
//! its dual beside it; in classes of formulas where the CTL paper names `EF f` and `!deadlock`; in joining `EF f | EF g`,
//! which that paper splits; in moving stable formulas and, in LTL, `X` outwards; and in using implications.
//!
//! | file | what |
//! |---|---|
//! | `shapes` | trivial conjunctions, disjunctions, equivalences and atoms |
//! | `constants` | constants below temporal operators |
//! | `deadlock` | what a deadlock decides |
//! | `unary` | operands of X, F and G |
//! | `stable` | stable formulas move outwards (LTL) |
//! | `join` | several temporal operands of `&` and `|` become one |
//! | `until` | U, R and W whose operands are related |
//! | `boolean` | implied, contradictory and common operands of `&` and `|` |
//! | `context` | what `G f` says about the operands beside it |
//!
//! Invariants: (1) a rule preserves the value on every maximal path of every net, or in every state; (2) no rule makes a
//! formula larger in temporal operators, then in nodes. Rules that keep the size move `X` (outwards in LTL, inwards in CTL) or
//! move stable, eventual and universal formulas outwards, so that rewriting ends; `max_work` bounds it whatever happens.
//! Test: `tests`, in both logics: each rule alone, in pairs and all together, against a definition of the semantics.

mod boolean;
pub(super) mod constants;
mod context;
mod deadlock;
mod join;
mod shapes;
mod stable;
#[cfg(test)]
mod tests;
mod unary;
mod until;

use fireset_net::{Formula, Logic};

use super::view::{connected, is_state_formula, map_operands};

/// An equivalence that is applied in one direction.
pub struct RewriteRule {
    /// The law's name, unique in a logic; failed tests report it.
    pub name: &'static str,
    /// The logics that the law holds in, and when it is applied there.
    pub scope: RuleScope,
    /// The smaller formula, where the rule fits.
    pub apply: fn(&Formula) -> Option<Formula>,
}

/// The logics that a rule is applied in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleScope {
    /// The law holds in LTL and in CTL.
    Both,
    /// The law holds in this logic only.
    Only(Logic),
    /// The law holds in both logics. In the other one it is applied when no other rule fits: earlier it would hide operands
    /// that those rules look for.
    First(Logic),
}

type Apply = fn(&Formula) -> Option<Formula>;

const fn rule(name: &'static str, apply: Apply) -> RewriteRule {
    RewriteRule { name, scope: RuleScope::Both, apply }
}

const fn ltl_rule(name: &'static str, apply: Apply) -> RewriteRule {
    RewriteRule { name, scope: RuleScope::Only(Logic::Ltl), apply }
}

const fn ctl_rule(name: &'static str, apply: Apply) -> RewriteRule {
    RewriteRule { name, scope: RuleScope::Only(Logic::Ctl), apply }
}

const fn ltl_first(name: &'static str, apply: Apply) -> RewriteRule {
    RewriteRule { name, scope: RuleScope::First(Logic::Ltl), apply }
}

const fn ctl_first(name: &'static str, apply: Apply) -> RewriteRule {
    RewriteRule { name, scope: RuleScope::First(Logic::Ctl), apply }
}

/// The rules of a logic in the order in which they are tried: cheap ones first.
pub fn rules(logic: Logic) -> impl Iterator<Item = &'static RewriteRule> {
    let tables = [
        shapes::RULES,
        constants::RULES,
        deadlock::RULES,
        unary::RULES,
        stable::RULES,
        join::RULES,
        until::RULES,
        boolean::RULES,
        context::RULES,
    ];
    let holds = move |rule: &&RewriteRule| match rule.scope {
        RuleScope::Only(only) => only == logic,
        RuleScope::Both | RuleScope::First(_) => true,
    };
    tables.into_iter().flatten().filter(holds)
}

/// The measure that the rules make smaller: temporal operators, then nodes. A conjunction counts as if it were written with
/// binary operators, so that its nesting does not matter.
pub fn size(f: &Formula) -> (usize, usize) {
    let nodes = connected(f).map_or(1, |(_, fs)| fs.len().saturating_sub(1).max(1));
    let own = (usize::from(f.is_temporal()), nodes);
    f.children().map(size).fold(own, |a, b| (a.0 + b.0, a.1 + b.1))
}

/// Formulas that a call of [`rewrite`] may try the rules on. CTL formulas are rewritten more often, in each round of a
/// simplification.
fn max_work(logic: Logic) -> usize {
    match logic {
        Logic::Ltl => 100_000,
        Logic::Ctl => 20_000,
    }
}

/// A formula in normal form, rewritten until no rule fits or the work is done. A state formula is read as CTL, any other as
/// LTL.
pub fn rewrite(f: Formula) -> Formula {
    let (logic, first, late) = rules_for(&f);
    let mut work = max_work(logic);
    let mut now = bottom_up(f, &first, &mut work);
    loop {
        let later = bottom_up(now.clone(), &late, &mut work);
        if later == now {
            return now;
        }
        now = bottom_up(later, &first, &mut work);
    }
}

/// [`rewrite`] without the rules that come late in the logic of the formula.
pub fn rewrite_first(f: Formula) -> Formula {
    let (logic, first, _) = rules_for(&f);
    bottom_up(f, &first, &mut max_work(logic))
}

/// The logic of a formula, the rules that are applied first in it, and those that are applied when none of them fits.
fn rules_for(f: &Formula) -> (Logic, Vec<&'static RewriteRule>, Vec<&'static RewriteRule>) {
    let logic = if is_state_formula(f) { Logic::Ctl } else { Logic::Ltl };
    let is_late = |rule: &&RewriteRule| matches!(rule.scope, RuleScope::First(first) if first != logic);
    let (late, first) = rules(logic).partition(is_late);
    (logic, first, late)
}

fn bottom_up(mut f: Formula, rules: &[&RewriteRule], work: &mut usize) -> Formula {
    loop {
        f = map_operands(f, &mut |operand| bottom_up(operand, rules, work));
        if *work == 0 {
            return f;
        }
        *work -= 1;
        match rules.iter().find_map(|rule| (rule.apply)(&f)) {
            Some(smaller) => f = smaller,
            None => return f,
        }
    }
}

/// `operands` without those at the positions `gone`.
fn without(operands: &[Formula], gone: &[usize]) -> Vec<Formula> {
    let kept = operands.iter().enumerate().filter(|(at, _)| !gone.contains(at));
    kept.map(|(_, f)| f.clone()).collect()
}

/// The operands with those replaced that can be shorter; `None` when none can.
fn shortened(fs: &[Formula], shorter: impl Fn(&Formula) -> Option<Formula>) -> Option<Vec<Formula>> {
    let found: Vec<Option<Formula>> = fs.iter().map(shorter).collect();
    found.iter().any(Option::is_some).then(|| {
        let pairs = found.into_iter().zip(fs);
        pairs.map(|(short, f)| short.unwrap_or_else(|| f.clone())).collect()
    })
}
