//! Operands of `&` and `|` that know each other.

use fireset_net::Formula;

use super::{Rule, combine, operands, without};
use crate::formula::implies::{covers, excludes, implies};

pub(in crate::formula) const RULES: &[Rule] = &[
    Rule { name: "implied_operand", apply: implied_operand },
    Rule { name: "complementary_operands", apply: complementary_operands },
    Rule { name: "resolved_operand", apply: resolved_operand },
    Rule { name: "common_operand", apply: common_operand },
];

/// Pairs of operands are looked at up to this many operands.
const MAX_PAIRED: usize = 40;

/// The operands, when they are few enough to look at all pairs.
fn paired(f: &Formula) -> Option<(bool, &[Formula])> {
    operands(f).filter(|(_, fs)| fs.len() <= MAX_PAIRED)
}

/// `f & g = f` and `f | g = g` where `f` implies `g`; so `f & (f | g) = f` and `g | (f U g) = f U g`.
fn implied_operand(f: &Formula) -> Option<Formula> {
    let (conjunction, fs) = paired(f)?;
    let idle = |at: usize| {
        fs.iter().enumerate().any(|(other, g)| {
            other != at && if conjunction { implies(g, &fs[at]) } else { implies(&fs[at], g) }
        })
    };
    let gone = (0..fs.len()).find(|&at| idle(at))?;
    Some(combine(conjunction, without(fs, &[gone])))
}

/// `f & g = false` where they exclude each other, `f | g = true` where one always holds; so `p & !p = false`.
fn complementary_operands(f: &Formula) -> Option<Formula> {
    let (conjunction, fs) = paired(f)?;
    let clash = if conjunction { excludes } else { covers };
    let found = (0..fs.len()).any(|a| (0..a).any(|b| clash(&fs[a], &fs[b])));
    found.then_some(Formula::Constant(!conjunction))
}

/// `f & (g | h) = f & h` where `f` and `g` exclude each other, and `f | (g & h) = f | h` where one always holds.
fn resolved_operand(f: &Formula) -> Option<Formula> {
    let (conjunction, fs) = paired(f)?;
    let clash = if conjunction { excludes } else { covers };
    for (at, inner) in fs.iter().enumerate() {
        let Some((_, parts)) = paired(inner).filter(|(same, _)| *same != conjunction) else { continue };
        let idle = |part: &Formula| fs.iter().enumerate().any(|(other, f)| other != at && clash(f, part));
        if let Some(gone) = parts.iter().position(idle) {
            let mut changed = fs.to_vec();
            changed[at] = combine(!conjunction, without(parts, &[gone]));
            return Some(combine(conjunction, changed));
        }
    }
    None
}

/// `(f & g) | (f & h) = f & (g | h)`, and the same with `&` and `|` exchanged, where `f` is in all operands.
fn common_operand(f: &Formula) -> Option<Formula> {
    let (conjunction, fs) = operands(f)?;
    let parts = |f: &Formula| -> Option<Vec<Formula>> {
        operands(f).filter(|(same, _)| *same != conjunction).map(|(_, parts)| parts.to_vec())
    };
    let all = fs.iter().map(parts).collect::<Option<Vec<_>>>().filter(|all| all.len() > 1)?;
    let common = all[0].iter().find(|part| all[1..].iter().all(|other| other.contains(part)))?.clone();
    let rest = |parts: Vec<Formula>| {
        combine(!conjunction, parts.into_iter().filter(|part| *part != common).collect())
    };
    let rest = combine(conjunction, all.into_iter().map(rest).collect());
    Some(combine(!conjunction, vec![common, rest]))
}
