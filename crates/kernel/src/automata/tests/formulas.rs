//! Formulas in a text form, so that tables of them can be read.

use crate::automata::{Literal, Ltl};

/// Binary operators, each row binding tighter than the one before; all lean to the right.
const BINARY: [&[&str]; 5] = [&["<->"], &["->"], &["|"], &["&"], &["U", "W", "R"]];

/// The formula that a text spells with `! X F G` and [`BINARY`] over the atoms `p`, `q`, `r` and so on.
pub fn formula(text: &str) -> Ltl {
    let mut rest = text;
    let formula = binary(&mut rest, 0);
    assert_eq!(rest, "", "the end of {text}");
    formula
}

/// The negation, in normal form.
pub fn not(f: Ltl) -> Ltl {
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

fn binary(rest: &mut &str, level: usize) -> Ltl {
    let Some(operators) = BINARY.get(level) else { return unary(rest) };
    let f = binary(rest, level + 1);
    let Some(operator) = operators.iter().find(|operator| rest.starts_with(**operator)) else { return f };
    *rest = rest[operator.len()..].trim_start();
    let g = binary(rest, level);
    match *operator {
        "<->" => or(and(f.clone(), g.clone()), and(not(f), not(g))),
        "->" => or(not(f), g),
        "|" => or(f, g),
        "&" => and(f, g),
        "U" => Ltl::Until(f.into(), g.into()),
        "R" => Ltl::Release(f.into(), g.into()),
        "W" => Ltl::Release(g.clone().into(), or(f, g).into()),
        _ => unreachable!("these are all"),
    }
}

fn unary(rest: &mut &str) -> Ltl {
    let first = rest.chars().next().expect("a formula does not end here");
    *rest = rest[1..].trim_start();
    match first {
        '!' => not(unary(rest)),
        'X' => Ltl::Next(unary(rest).into()),
        'F' => Ltl::Until(Ltl::Constant(true).into(), unary(rest).into()),
        'G' => Ltl::Release(Ltl::Constant(false).into(), unary(rest).into()),
        '(' => {
            let inner = binary(rest, 0);
            *rest = rest.strip_prefix(')').expect("a bracket is closed").trim_start();
            inner
        }
        atom => {
            assert!(('p'..='z').contains(&atom), "no atom begins with {atom}");
            let literal = Literal { atom: atom as u32 - 'p' as u32, positive: true };
            *rest = rest.trim_start();
            Ltl::Literal(literal)
        }
    }
}

fn and(f: Ltl, g: Ltl) -> Ltl {
    Ltl::And(vec![f, g])
}

fn or(f: Ltl, g: Ltl) -> Ltl {
    Ltl::Or(vec![f, g])
}

#[test]
fn operators_bind_as_told() {
    let text = |f: &str| format!("{:?}", formula(f));
    assert_eq!(text("! p U q & r | X p -> q"), text("(((!p) U q) & r) | (X p) -> q"));
    assert_eq!(text("p W q"), text("q R (p | q)"));
    assert_eq!(text("F G p <-> q"), text("(F (G p)) & q | !(F (G p)) & !q"));
}
