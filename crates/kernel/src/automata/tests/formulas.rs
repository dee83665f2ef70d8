//! A text form of formulas, so that tables of them are readable.

use crate::automata::{AtomLiteral, LtlFormula};

/// Binary operators, each row binding tighter than the one before; all lean to the right.
const BINARY: [&[&str]; 5] = [&["<->"], &["->"], &["|"], &["&"], &["U", "W", "R"]];

/// The formula that a text spells with `! X F G` and [`BINARY`] over the atoms `p`, `q`, `r` and so on.
pub fn formula(text: &str) -> LtlFormula {
    let mut rest = text;
    let formula = binary(&mut rest, 0);
    assert_eq!(rest, "", "the end of {text}");
    formula
}

/// The negation, in normal form.
pub fn not(f: LtlFormula) -> LtlFormula {
    match f {
        LtlFormula::Constant(value) => LtlFormula::Constant(!value),
        LtlFormula::Literal(l) => LtlFormula::Literal(AtomLiteral { positive: !l.positive, ..l }),
        LtlFormula::And(fs) => LtlFormula::Or(fs.into_iter().map(not).collect()),
        LtlFormula::Or(fs) => LtlFormula::And(fs.into_iter().map(not).collect()),
        LtlFormula::Next(f) => LtlFormula::Next(not(*f).into()),
        LtlFormula::Until(f, g) => LtlFormula::Release(not(*f).into(), not(*g).into()),
        LtlFormula::Release(f, g) => LtlFormula::Until(not(*f).into(), not(*g).into()),
    }
}

fn binary(rest: &mut &str, level: usize) -> LtlFormula {
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
        "U" => LtlFormula::Until(f.into(), g.into()),
        "R" => LtlFormula::Release(f.into(), g.into()),
        "W" => LtlFormula::Release(g.clone().into(), or(f, g).into()),
        _ => unreachable!("these are all"),
    }
}

fn unary(rest: &mut &str) -> LtlFormula {
    let first = rest.chars().next().expect("a formula does not end here");
    *rest = rest[1..].trim_start();
    match first {
        '!' => not(unary(rest)),
        'X' => LtlFormula::Next(unary(rest).into()),
        'F' => LtlFormula::Until(LtlFormula::Constant(true).into(), unary(rest).into()),
        'G' => LtlFormula::Release(LtlFormula::Constant(false).into(), unary(rest).into()),
        '(' => {
            let inner = binary(rest, 0);
            *rest = rest.strip_prefix(')').expect("a bracket is closed").trim_start();
            inner
        }
        atom => {
            assert!(('p'..='z').contains(&atom), "no atom begins with {atom}");
            let literal = AtomLiteral { atom: atom as u32 - 'p' as u32, positive: true };
            *rest = rest.trim_start();
            LtlFormula::Literal(literal)
        }
    }
}

fn and(f: LtlFormula, g: LtlFormula) -> LtlFormula {
    LtlFormula::And(vec![f, g])
}

fn or(f: LtlFormula, g: LtlFormula) -> LtlFormula {
    LtlFormula::Or(vec![f, g])
}

#[test]
fn operators_have_their_precedence() {
    let text = |f: &str| format!("{:?}", formula(f));
    assert_eq!(text("! p U q & r | X p -> q"), text("(((!p) U q) & r) | (X p) -> q"));
    assert_eq!(text("p W q"), text("q R (p | q)"));
    assert_eq!(text("F G p <-> q"), text("(F (G p)) & q | !(F (G p)) & !q"));
}
