//! Formulas, automata and lassos: what a formula says of a word is what its automata accept.

mod formulas;
mod lasso;
mod sizes;

use super::{
    Buchi, Literal, Ltl, alternating::Alternating, degeneralise::degeneralise, generalised::Generalised,
    limit::Limit, translate,
};
use lasso::Lasso;

/// Steele, Lea and Flood's SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }

    fn lasso(&mut self, atoms: u64) -> Lasso {
        let (prefix, cycle) = (self.below(4), 1 + self.below(4));
        let letters = (0..prefix + cycle).map(|_| self.below(1 << atoms) as u32).collect();
        Lasso { letters, back: prefix as usize }
    }

    /// A formula with so many operators.
    fn formula(&mut self, operators: u64) -> Ltl {
        if operators == 0 {
            return match self.below(14) {
                0 => Ltl::Constant(self.below(2) == 0),
                n => Ltl::Literal(Literal { atom: n as u32 % 3, positive: self.below(2) == 0 }),
            };
        }
        let first = self.below(operators);
        let rest = operators - 1 - first;
        match self.below(8) {
            0 => Ltl::Next(self.formula(operators - 1).into()),
            1 => Ltl::Until(Ltl::Constant(true).into(), self.formula(operators - 1).into()),
            2 => Ltl::Release(Ltl::Constant(false).into(), self.formula(operators - 1).into()),
            3 => Ltl::Until(self.formula(first).into(), self.formula(rest).into()),
            4 => Ltl::Release(self.formula(first).into(), self.formula(rest).into()),
            5 | 6 => Ltl::And(vec![self.formula(first), self.formula(rest)]),
            _ => Ltl::Or(vec![self.formula(first), self.formula(rest)]),
        }
    }
}

const LIMIT: usize = 10_000;

#[test]
fn automata_accept_what_formulas_say() {
    let mut random = Random(1);
    let (mut given_up, mut accepted) = (0, 0);
    for round in 0..6_000 {
        let formula = random.formula(round % 13);
        let Some(automaton) = translate(&formula, LIMIT) else {
            given_up += 1;
            continue;
        };
        for _ in 0..12 {
            let lasso = random.lasso(3);
            let said = lasso.satisfies(&formula);
            accepted += usize::from(said);
            assert_eq!(lasso.accepted(&automaton), said, "{formula:?}\n{lasso:?}\n{automaton:#?}");
        }
    }
    assert!(given_up < 60, "{given_up} formulas of 6000 were too large");
    assert!((10_000..62_000).contains(&accepted), "{accepted}");
}

/// The same formula with `X` left out.
fn without_next(formula: Ltl) -> Ltl {
    let all = |fs: Vec<Ltl>| fs.into_iter().map(without_next).collect();
    match formula {
        Ltl::Next(f) => without_next(*f),
        Ltl::And(fs) => Ltl::And(all(fs)),
        Ltl::Or(fs) => Ltl::Or(all(fs)),
        Ltl::Until(f, g) => Ltl::Until(without_next(*f).into(), without_next(*g).into()),
        Ltl::Release(f, g) => Ltl::Release(without_next(*f).into(), without_next(*g).into()),
        other => other,
    }
}

/// Partial order reduction for LTL rests on this.
#[test]
fn without_next_no_state_counts_how_often_a_letter_comes() {
    let mut random = Random(3);
    let mut looked_at = 0;
    for round in 0..3_000 {
        let formula = without_next(random.formula(round % 12));
        let Some(automaton) = translate(&formula, LIMIT) else { continue };
        for state in 0..automaton.states.len() as u32 {
            let from = Buchi { initial: vec![state], ..automaton.clone() };
            let lasso = random.lasso(3);
            let mut slower = lasso.clone();
            let at = random.below(lasso.letters.len() as u64) as usize;
            slower.letters.insert(at, lasso.letters[at]);
            // A letter that comes again before the cycle begins moves its beginning.
            slower.back += usize::from(at < lasso.back);
            assert_eq!(lasso.accepted(&from), slower.accepted(&from), "{formula:?} {lasso:?} {from:?}");
            looked_at += 1;
        }
    }
    assert!(looked_at > 5_000, "{looked_at}");
}

#[test]
fn each_stage_keeps_the_words() {
    let mut random = Random(2);
    for round in 0..2_000 {
        let formula = random.formula(round % 10);
        let mut limit = Limit::new(LIMIT);
        let Some(alternating) = Alternating::new(&formula, &mut limit) else { continue };
        let Some(generalised) = Generalised::new(&alternating, &mut limit) else { continue };
        let mut simplified = generalised.clone();
        simplified.simplify(&mut limit).unwrap();
        let (plain, small) = (degeneralise(&generalised, &mut limit), degeneralise(&simplified, &mut limit));
        let mut reduced = plain.clone();
        reduced.iter_mut().for_each(|automaton| automaton.reduce(&mut limit));
        for _ in 0..8 {
            let lasso = random.lasso(3);
            let said = lasso.satisfies(&formula);
            assert_eq!(lasso.accepted_alternating(&alternating), said, "{formula:?} {lasso:?}");
            assert_eq!(lasso.accepted_generalised(&generalised), said, "{formula:?} {lasso:?}");
            assert_eq!(lasso.accepted_generalised(&simplified), said, "{formula:?} {lasso:?}");
            for automaton in [&plain, &small, &reduced].into_iter().flatten() {
                assert_eq!(lasso.accepted(automaton), said, "{formula:?} {lasso:?} {automaton:?}");
            }
        }
    }
}

/// A formula of 500 levels, each of which puts the formula below into `wrap`.
fn deep(wrap: impl Fn(Ltl, u32) -> Ltl) -> Ltl {
    let atom = |atom| Ltl::Literal(Literal { atom, positive: true });
    (0..500).fold(atom(0), wrap)
}

#[test]
fn deep_formulas_do_not_overflow_the_stack() {
    let atom = |atom, positive| Ltl::Literal(Literal { atom, positive });
    let next = deep(|f, _| Ltl::Next(f.into()));
    assert_eq!(translate(&next, LIMIT).unwrap().states.len(), 502);
    // These are as deep; whether there is room for their automata does not matter.
    translate(&deep(|f, n| Ltl::Until(f.into(), atom(n % 3, true).into())), LIMIT);
    translate(&deep(|f, n| Ltl::Release(atom(n % 3, n % 2 == 0).into(), f.into())), LIMIT);
    translate(&deep(|f, n| Ltl::Or(vec![atom(n, true), Ltl::And(vec![f, atom(n, false)])])), LIMIT);
    translate(
        &deep(|f, n| if n % 2 == 0 { Ltl::Next(f.into()) } else { Ltl::Or(vec![f, atom(n, true)]) }),
        LIMIT,
    );
    translate(
        &deep(|f, n| {
            let f = Ltl::Or(vec![f, atom(n, true)]);
            Ltl::Or(vec![
                Ltl::Until(Ltl::Constant(true).into(), f.into()),
                Ltl::Until(Ltl::Constant(true).into(), atom(n, false).into()),
            ])
        }),
        LIMIT,
    );
}

#[test]
fn hostile_formulas_are_given_up() {
    let always = |f: Ltl| Ltl::Release(Ltl::Constant(false).into(), f.into());
    let some = |f: Ltl| Ltl::Until(Ltl::Constant(true).into(), f.into());
    let atom = |atom| Ltl::Literal(Literal { atom, positive: true });
    let fair = |n| Ltl::And((0..n).map(|i| always(some(atom(i)))).collect());
    assert!(translate(&fair(3), LIMIT).is_some());
    assert_eq!(translate(&fair(40), LIMIT), None);
    let choices =
        Ltl::And((0..60).map(|i| Ltl::Or(vec![some(atom(2 * i)), always(atom(2 * i + 1))])).collect());
    assert_eq!(translate(&choices, LIMIT), None);
    assert_eq!(translate(&fair(2), 1), None);
}
