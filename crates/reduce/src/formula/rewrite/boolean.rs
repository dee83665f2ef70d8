//! Operands of `&` and `|` that are related.

use fireset_net::Formula;

use super::{RewriteRule, rule, without};
use crate::formula::{
    implies::{covers, excludes, implies},
    view::{Connective, connected},
};

pub(super) const RULES: &[RewriteRule] = &[
    rule("implied_operand", implied_operand),
    rule("complementary_operands", complementary_operands),
    rule("resolved_operand", resolved_operand),
    rule("common_operand", common_operand),
];

/// Pairs of operands are looked at up to this many operands.
const MAX_PAIRED: usize = 40;

/// The operands, when they are few enough to look at all pairs.
fn paired(f: &Formula) -> Option<(Connective, &[Formula])> {
    connected(f).filter(|(_, fs)| fs.len() <= MAX_PAIRED)
}

/// Whether two operands make the whole constant: they exclude each other, or one of them always holds.
fn clashes(connective: Connective) -> fn(&Formula, &Formula) -> bool {
    match connective {
        Connective::And => excludes,
        Connective::Or => covers,
    }
}

/// `f & g = f` and `f | g = g` where `f` implies `g`; so `f & (f | g) = f` and `g | (f U g) = f U g`.
fn implied_operand(f: &Formula) -> Option<Formula> {
    let (connective, fs) = paired(f)?;
    let redundant = |at: usize| {
        fs.iter().enumerate().any(|(other, g)| {
            other != at
                && match connective {
                    Connective::And => implies(g, &fs[at]),
                    Connective::Or => implies(&fs[at], g),
                }
        })
    };
    let gone = (0..fs.len()).find(|&at| redundant(at))?;
    Some(connective.join(without(fs, &[gone])))
}

/// `f & g = false` where they exclude each other, `f | g = true` where one always holds; so `p & !p = false`.
fn complementary_operands(f: &Formula) -> Option<Formula> {
    let (connective, fs) = paired(f)?;
    let clash = clashes(connective);
    let found = (0..fs.len()).any(|a| (0..a).any(|b| clash(&fs[a], &fs[b])));
    found.then_some(Formula::Constant(!connective.neutral()))
}

/// `f & (g | h) = f & h` where `f` and `g` exclude each other, and `f | (g & h) = f | h` where one always holds.
fn resolved_operand(f: &Formula) -> Option<Formula> {
    let (connective, fs) = paired(f)?;
    let clash = clashes(connective);
    for (at, inner) in fs.iter().enumerate() {
        let Some((dual, parts)) = paired(inner).filter(|(same, _)| *same != connective) else { continue };
        let redundant =
            |part: &Formula| fs.iter().enumerate().any(|(other, f)| other != at && clash(f, part));
        if let Some(gone) = parts.iter().position(redundant) {
            let mut changed = fs.to_vec();
            changed[at] = dual.join(without(parts, &[gone]));
            return Some(connective.join(changed));
        }
    }
    None
}

/// `(f & g) | (f & h) = f & (g | h)`, and the same with `&` and `|` exchanged, where `f` is in all operands.
fn common_operand(f: &Formula) -> Option<Formula> {
    let (connective, fs) = connected(f)?;
    let dual = connective.dual();
    let parts = |f: &Formula| -> Option<Vec<Formula>> {
        connected(f).filter(|(same, _)| *same == dual).map(|(_, parts)| parts.to_vec())
    };
    let all = fs.iter().map(parts).collect::<Option<Vec<_>>>().filter(|all| all.len() > 1)?;
    let common = all[0].iter().find(|part| all[1..].iter().all(|other| other.contains(part)))?.clone();
    let rest = |parts: Vec<Formula>| dual.join(parts.into_iter().filter(|part| *part != common).collect());
    let rest = connective.join(all.into_iter().map(rest).collect());
    Some(dual.join(vec![common, rest]))
}
