//! Formulas, automata and lassos: the automata of a formula accept the words that satisfy it.

mod formulas;
mod lasso;
mod sizes;

use super::{
    AtomLiteral, Buchi, LtlFormula, alternating::AlternatingAutomaton, degeneralise::degeneralise,
    generalised::GeneralisedBuchi, is_closed_under_stuttering, size_limit::SizeLimit, translate,
};
use lasso::LassoWord;

/// Steele, Lea and Flood's SplitMix64.
struct FormulaSampler(u64);

impl FormulaSampler {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }

    fn lasso(&mut self, atoms: u64) -> LassoWord {
        let (prefix, cycle) = (self.below(4), 1 + self.below(4));
        let letters = (0..prefix + cycle).map(|_| self.below(1 << atoms) as u32).collect();
        LassoWord { letters, back: prefix as usize }
    }

    /// A formula with this number of operators.
    fn formula(&mut self, operators: u64) -> LtlFormula {
        if operators == 0 {
            return match self.below(14) {
                0 => LtlFormula::Constant(self.below(2) == 0),
                n => LtlFormula::Literal(AtomLiteral { atom: n as u32 % 3, positive: self.below(2) == 0 }),
            };
        }
        let first = self.below(operators);
        let rest = operators - 1 - first;
        match self.below(8) {
            0 => LtlFormula::Next(self.formula(operators - 1).into()),
            1 => LtlFormula::Until(LtlFormula::Constant(true).into(), self.formula(operators - 1).into()),
            2 => LtlFormula::Release(LtlFormula::Constant(false).into(), self.formula(operators - 1).into()),
            3 => LtlFormula::Until(self.formula(first).into(), self.formula(rest).into()),
            4 => LtlFormula::Release(self.formula(first).into(), self.formula(rest).into()),
            5 | 6 => LtlFormula::And(vec![self.formula(first), self.formula(rest)]),
            _ => LtlFormula::Or(vec![self.formula(first), self.formula(rest)]),
        }
    }
}

const LIMIT: usize = 10_000;

#[test]
fn automata_accept_the_words_that_satisfy_the_formula() {
    let mut random = FormulaSampler(1);
    let (mut given_up, mut accepted) = (0, 0);
    for round in 0..6_000 {
        let formula = random.formula(round % 13);
        let Some(automaton) = translate(&formula, LIMIT) else {
            given_up += 1;
            continue;
        };
        for _ in 0..12 {
            let lasso = random.lasso(3);
            let expected = lasso.satisfies(&formula);
            accepted += usize::from(expected);
            assert_eq!(lasso.accepted(&automaton), expected, "{formula:?}\n{lasso:?}\n{automaton:#?}");
        }
    }
    assert!(given_up < 60, "{given_up} formulas of 6000 were too large");
    assert!((10_000..62_000).contains(&accepted), "{accepted}");
}

/// The same formula without its `X`.
fn without_next(formula: LtlFormula) -> LtlFormula {
    let all = |fs: Vec<LtlFormula>| fs.into_iter().map(without_next).collect();
    match formula {
        LtlFormula::Next(f) => without_next(*f),
        LtlFormula::And(fs) => LtlFormula::And(all(fs)),
        LtlFormula::Or(fs) => LtlFormula::Or(all(fs)),
        LtlFormula::Until(f, g) => LtlFormula::Until(without_next(*f).into(), without_next(*g).into()),
        LtlFormula::Release(f, g) => LtlFormula::Release(without_next(*f).into(), without_next(*g).into()),
        other => other,
    }
}

/// Partial order reduction for LTL rests on this.
#[test]
fn states_of_closed_formulas_are_insensitive_to_stuttering() {
    let mut random = FormulaSampler(3);
    let mut checked = [0; 4];
    for round in 0..24_000 {
        let formula = without_next(random.formula(round % 12));
        // None, one or two of the three atoms are events.
        let events = [0, 1, 2, 3][round as usize / 12 % 4];
        if !is_closed_under_stuttering(&formula, &|atom| events >> atom & 1 == 1) {
            assert!(events != 0, "without events every formula without `X` is closed: {formula:?}");
            continue;
        }
        let Some(automaton) = translate(&formula, LIMIT) else { continue };
        for state in 0..automaton.states.len() as u32 {
            let from = Buchi { initial: vec![state], ..automaton.clone() };
            let lasso = random.lasso(3);
            let mut slower = lasso.clone();
            let at = random.below(lasso.letters.len() as u64) as usize;
            slower.letters.insert(at, lasso.letters[at] & !events);
            // A letter that is repeated before the cycle moves the beginning of the cycle.
            slower.back += usize::from(at < lasso.back);
            assert_eq!(lasso.accepted(&from), slower.accepted(&from), "{formula:?} {lasso:?} {from:?}");
            checked[events as usize] += 1;
        }
    }
    assert!(checked.iter().all(|&checked| checked > 1_500), "{checked:?}");
}

#[test]
fn formulas_about_events_that_are_closed_under_stuttering() {
    let is_closed = |text: &str| is_closed_under_stuttering(&formulas::formula(text), &|atom| atom < 2);
    // The first two are events.
    for text in
        ["F p", "G (!p | F q)", "F (p & G !q)", "!q U p", "p R (!q | p)", "r U (r & p)", "r U F p", "G F p"]
    {
        assert!(is_closed(text), "{text}");
        assert!(
            is_closed_under_stuttering(&formulas::not(formulas::formula(text)), &|atom| atom < 2),
            "the negation of {text}"
        );
    }
    for text in ["p", "!p", "F !p", "G p", "r U p", "p U r", "X r", "F (p | !q)", "G (r | p)"] {
        assert!(!is_closed(text), "{text}");
    }
}

#[test]
fn each_stage_keeps_the_words() {
    let mut random = FormulaSampler(2);
    for round in 0..2_000 {
        let formula = random.formula(round % 10);
        let mut limit = SizeLimit::new(LIMIT);
        let Some(alternating) = AlternatingAutomaton::new(&formula, &mut limit) else { continue };
        let Some(generalised) = GeneralisedBuchi::new(&alternating, &mut limit) else { continue };
        let mut simplified = generalised.clone();
        simplified.simplify(&mut limit).unwrap();
        let (plain, small) = (degeneralise(&generalised, &mut limit), degeneralise(&simplified, &mut limit));
        let mut reduced = plain.clone();
        reduced.iter_mut().for_each(|automaton| automaton.reduce(&mut limit));
        for _ in 0..8 {
            let lasso = random.lasso(3);
            let expected = lasso.satisfies(&formula);
            assert_eq!(lasso.accepted_alternating(&alternating), expected, "{formula:?} {lasso:?}");
            assert_eq!(lasso.accepted_generalised(&generalised), expected, "{formula:?} {lasso:?}");
            assert_eq!(lasso.accepted_generalised(&simplified), expected, "{formula:?} {lasso:?}");
            for automaton in [&plain, &small, &reduced].into_iter().flatten() {
                assert_eq!(lasso.accepted(automaton), expected, "{formula:?} {lasso:?} {automaton:?}");
            }
        }
    }
}

/// A formula of 500 levels, each of which puts the formula below into `wrap`.
fn deep(wrap: impl Fn(LtlFormula, u32) -> LtlFormula) -> LtlFormula {
    let atom = |atom| LtlFormula::Literal(AtomLiteral { atom, positive: true });
    (0..500).fold(atom(0), wrap)
}

#[test]
fn deep_formulas_do_not_overflow_the_stack() {
    let atom = |atom, positive| LtlFormula::Literal(AtomLiteral { atom, positive });
    let next = deep(|f, _| LtlFormula::Next(f.into()));
    assert_eq!(translate(&next, LIMIT).unwrap().states.len(), 502);
    // These are as deep; whether their automata fit the limit does not matter.
    translate(&deep(|f, n| LtlFormula::Until(f.into(), atom(n % 3, true).into())), LIMIT);
    translate(&deep(|f, n| LtlFormula::Release(atom(n % 3, n % 2 == 0).into(), f.into())), LIMIT);
    translate(
        &deep(|f, n| LtlFormula::Or(vec![atom(n, true), LtlFormula::And(vec![f, atom(n, false)])])),
        LIMIT,
    );
    translate(
        &deep(
            |f, n| {
                if n % 2 == 0 { LtlFormula::Next(f.into()) } else { LtlFormula::Or(vec![f, atom(n, true)]) }
            },
        ),
        LIMIT,
    );
    translate(
        &deep(|f, n| {
            let f = LtlFormula::Or(vec![f, atom(n, true)]);
            LtlFormula::Or(vec![
                LtlFormula::Until(LtlFormula::Constant(true).into(), f.into()),
                LtlFormula::Until(LtlFormula::Constant(true).into(), atom(n, false).into()),
            ])
        }),
        LIMIT,
    );
}

#[test]
fn hostile_formulas_exceed_the_limit() {
    let always = |f: LtlFormula| LtlFormula::Release(LtlFormula::Constant(false).into(), f.into());
    let some = |f: LtlFormula| LtlFormula::Until(LtlFormula::Constant(true).into(), f.into());
    let atom = |atom| LtlFormula::Literal(AtomLiteral { atom, positive: true });
    let fair = |n| LtlFormula::And((0..n).map(|i| always(some(atom(i)))).collect());
    assert!(translate(&fair(3), LIMIT).is_some());
    assert_eq!(translate(&fair(40), LIMIT), None);
    let choices = LtlFormula::And(
        (0..60).map(|i| LtlFormula::Or(vec![some(atom(2 * i)), always(atom(2 * i + 1))])).collect(),
    );
    assert_eq!(translate(&choices, LIMIT), None);
    assert_eq!(translate(&fair(2), 1), None);
}
