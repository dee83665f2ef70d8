//! Sizes of automata of well-known formulas, so that a translation that gets worse is seen.

use super::LIMIT;
use crate::automata::{Class, Literal, Ltl, translate};

fn atom(atom: u32) -> Ltl {
    Ltl::Literal(Literal { atom, positive: true })
}

fn not(f: Ltl) -> Ltl {
    match f {
        Ltl::Constant(value) => Ltl::Constant(!value),
        Ltl::Literal(l) => Ltl::Literal(Literal { positive: !l.positive, ..l }),
        Ltl::And(fs) => Ltl::Or(fs.into_iter().map(not).collect()),
        Ltl::Or(fs) => Ltl::And(fs.into_iter().map(not).collect()),
        Ltl::Next(f) => Ltl::Next(not(*f).into()),
        Ltl::Until(f, g) => Ltl::Release(not(*f).into(), not(*g).into()),
        Ltl::Release(f, g) => Ltl::Until(not(*f).into(), not(*g).into()),
    }
}

fn and(f: Ltl, g: Ltl) -> Ltl {
    Ltl::And(vec![f, g])
}

fn or(f: Ltl, g: Ltl) -> Ltl {
    Ltl::Or(vec![f, g])
}

fn implies(f: Ltl, g: Ltl) -> Ltl {
    or(not(f), g)
}

fn until(f: Ltl, g: Ltl) -> Ltl {
    Ltl::Until(f.into(), g.into())
}

fn weak(f: Ltl, g: Ltl) -> Ltl {
    Ltl::Release(g.clone().into(), or(f, g).into())
}

fn finally(f: Ltl) -> Ltl {
    until(Ltl::Constant(true), f)
}

fn globally(f: Ltl) -> Ltl {
    not(finally(not(f)))
}

/// The states of the automata of the formula and of its negation.
fn sizes(f: Ltl) -> (usize, usize) {
    let size = |f: &Ltl| translate(f, LIMIT).expect("small").states.len();
    (size(&f), size(&not(f)))
}
