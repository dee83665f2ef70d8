//! Rules, normal form, implications and classes on random words: positions with token counts and firesets, the last
//! followed by one of them.

use fireset_net::{Comparison, Expr, Formula, PlaceId, TransitionId};
use fireset_oracle::random::TestRng;

use super::*;
use crate::formula::{
    classes::{is_eventual, is_universal},
    implies::{covers, excludes, implies},
    normal::{negated, normal},
};

/// What is true at one position.
struct Letter {
    tokens: [u64; 2],
    enabled: [bool; 2],
    /// Whether a transition that no formula names is enabled.
    more: bool,
}

/// A word without end: after the last letter comes the one at `back_to`.
struct Word {
    letters: Vec<Letter>,
    back_to: usize,
}

impl Word {
    fn random(random: &mut TestRng) -> Self {
        let mut flag = |percent| random.percent(percent);
        let length = 1 + usize::from(flag(80)) + usize::from(flag(60)) + usize::from(flag(50));
        let mut letter = || Letter {
            tokens: [u64::from(flag(50)) + u64::from(flag(30)), u64::from(flag(50))],
            enabled: [flag(40), flag(40)],
            more: flag(30),
        };
        let letters: Vec<Letter> = (0..length).map(|_| letter()).collect();
        Self { back_to: random.below(length), letters }
    }

    /// All positions from `at` on, each once, in the order in which they come.
    fn from(&self, at: usize) -> impl Iterator<Item = usize> {
        let again = self.back_to.min(at)..at;
        (at..self.letters.len()).chain(again)
    }

    /// The value of a formula at each position, read off the definitions.
    fn values(&self, f: &Formula) -> Vec<bool> {
        let positions = 0..self.letters.len();
        let below: Vec<Vec<bool>> = f.children().map(|child| self.values(child)).collect();
        let until = |at: usize, hold: &dyn Fn(usize) -> bool, reach: &dyn Fn(usize) -> bool| {
            self.from(at).find(|&i| reach(i) || !hold(i)).map(reach)
        };
        let value = |at: usize| match f {
            Formula::Constant(value) => *value,
            Formula::Deadlock => self.letters[at].enabled == [false; 2] && !self.letters[at].more,
            Formula::Fireable(ts) => ts.iter().any(|t| self.letters[at].enabled[t.index()]),
            Formula::Compare(how, a, b) => a.compare(*how, b, &|p| self.letters[at].tokens[p.index()].into()),
            Formula::Not(_) => !below[0][at],
            Formula::And(_) => below.iter().all(|v| v[at]),
            Formula::Or(_) => below.iter().any(|v| v[at]),
            Formula::Iff(..) => below[0][at] == below[1][at],
            Formula::Next(_) => below[0][if at + 1 == self.letters.len() { self.back_to } else { at + 1 }],
            Formula::Finally(_) => self.from(at).any(|i| below[0][i]),
            Formula::Globally(_) => self.from(at).all(|i| below[0][i]),
            Formula::Until(..) => until(at, &|i| below[0][i], &|i| below[1][i]) == Some(true),
            Formula::WeakUntil(..) => until(at, &|i| below[0][i], &|i| below[1][i]) != Some(false),
            Formula::Release(..) => until(at, &|i| !below[0][i], &|i| !below[1][i]) != Some(true),
            _ => unreachable!("a path formula"),
        };
        positions.map(value).collect()
    }
}

/// A random path formula; parts come again, because rules look for equal parts.
struct Formulas {
    random: TestRng,
    known: Vec<Formula>,
}

impl Formulas {
    fn new(seed: u64) -> Self {
        Self { random: TestRng::new(seed), known: Vec::new() }
    }

    fn atom(&mut self) -> Formula {
        let random = &mut self.random;
        let tokens = |at: usize| Expr::Tokens(vec![PlaceId::new(at)]);
        let how = [Comparison::Less, Comparison::LessEqual, Comparison::Equal, Comparison::NotEqual];
        match random.below(12) {
            0 => Formula::Deadlock,
            1 => Formula::Constant(random.percent(50)),
            2..=4 => {
                let count = random.below(3);
                Formula::Fireable((0..count).map(|_| TransitionId::new(random.below(2))).collect())
            }
            5 => Formula::Compare(*random.pick(&how), tokens(0), tokens(random.below(2))),
            6 => Formula::Compare(*random.pick(&how), Expr::Constant(random.below(3) as i64), tokens(0)),
            _ => Formula::Compare(*random.pick(&how), tokens(random.below(2)), Expr::Constant(1)),
        }
    }

    fn draw(&mut self, depth: usize) -> Formula {
        if !self.known.is_empty() && self.random.percent(35) {
            return self.random.pick(&self.known).clone();
        }
        let f = if depth == 0 { self.atom() } else { self.operator(depth - 1) };
        if self.known.len() < 4 && size(&f).1 < 6 {
            self.known.push(f.clone());
        }
        f
    }

    fn operator(&mut self, depth: usize) -> Formula {
        let choice = self.random.below(34);
        let mut sub = || Box::new(self.draw(depth));
        match choice {
            0 => Formula::Not(sub()),
            1..=3 => next(*sub()),
            4..=6 => finally(*sub()),
            7..=9 => globally(*sub()),
            10..=12 => Formula::Until(sub(), sub()),
            13..=15 => Formula::Release(sub(), sub()),
            16..=18 => Formula::WeakUntil(sub(), sub()),
            19 => Formula::Iff(sub(), sub()),
            // Chains, which rules look for and chance seldom draws.
            20 => globally(finally(*sub())),
            21 => finally(globally(*sub())),
            22 => next(finally(*sub())),
            23 => next(globally(*sub())),
            _ => {
                let count = self.random.below(4);
                let fs = (0..count).map(|_| self.draw(depth)).collect();
                if choice.is_multiple_of(2) { Formula::And(fs) } else { Formula::Or(fs) }
            }
        }
    }

    fn assert_equivalent(&mut self, what: &str, f: &Formula, g: &Formula) {
        for _ in 0..12 {
            let word = Word::random(&mut self.random);
            assert_eq!(word.values(f), word.values(g), "{what}: {f:?} became {g:?}");
        }
    }
}

#[test]
fn normal_form_keeps_the_meaning() {
    for seed in 0..4_000 {
        let mut formulas = Formulas::new(seed);
        let f = formulas.draw(4);
        let normal = normal(&f).expect("small");
        let negative = |f: &Formula| matches!(f, Formula::Not(g) if !matches!(**g, Formula::Deadlock | Formula::Fireable(_)));
        assert!(!normal.any(&negative), "{normal:?}");
        formulas.assert_equivalent("normal form", &f, &normal);
        let not = Formula::Not(Box::new(f));
        let negated = negated(not.children().next().unwrap()).expect("small");
        assert!(!negated.any(&negative), "{negated:?}");
        formulas.assert_equivalent("negation", &not, &negated);
    }
}

/// Applies one rule at every node where it fits.
fn apply_everywhere(rule: &Rule, f: &Formula, seen: &mut impl FnMut(&Formula, &Formula)) {
    if let Some(smaller) = (rule.apply)(f) {
        seen(f, &smaller);
    }
    f.children().for_each(|child| apply_everywhere(rule, child, seen));
}

#[test]
fn each_rule_keeps_the_meaning_and_fires() {
    let mut rare = Vec::new();
    for rule in rules() {
        let mut fired = 0;
        for seed in 0..100_000 {
            let mut formulas = Formulas::new(seed);
            let f = normal(&formulas.draw(3 + seed as usize % 2)).expect("small");
            let mut found = Vec::new();
            apply_everywhere(rule, &f, &mut |f, smaller| found.push((f.clone(), smaller.clone())));
            for (f, smaller) in found {
                assert!(size(&smaller) <= size(&f), "{}: {f:?} became {smaller:?}", rule.name);
                formulas.assert_equivalent(rule.name, &f, &smaller);
                fired += 1;
            }
            if fired > 800 {
                break;
            }
        }
        if fired < 40 {
            rare.push((rule.name, fired));
        }
    }
    assert!(rare.is_empty(), "rules that fired too seldom to be tested: {rare:?}");
}

#[test]
fn all_rules_together_keep_the_meaning() {
    let (mut before, mut after) = (0, 0);
    for seed in 0..6_000 {
        let mut formulas = Formulas::new(seed);
        let depth = 3 + formulas.random.below(3);
        let f = formulas.draw(depth);
        let normal = normal(&f).expect("small");
        let small = rewrite(normal.clone());
        assert!(size(&small) <= size(&normal), "{normal:?} became {small:?}");
        assert_eq!(rewrite(small.clone()), small, "a rule fits the result");
        formulas.assert_equivalent("all rules", &f, &small);
        before += size(&normal).0;
        after += size(&small).0;
    }
    assert!(after * 3 < before, "{before} temporal operators became {after}");
}

#[test]
fn implications_hold_on_words() {
    let mut found = [0; 3];
    for seed in 0..20_000 {
        let mut formulas = Formulas::new(seed);
        let (f, g) = (formulas.draw(2), formulas.draw(2));
        let (f, g) = (normal(&f).expect("small"), normal(&g).expect("small"));
        for (at, (related, join)) in
            [(implies as fn(&Formula, &Formula) -> bool, (|a, b| !a || b) as fn(bool, bool) -> bool)]
                .into_iter()
                .chain([(excludes as _, (|a, b| !(a && b)) as _), (covers as _, (|a, b| a || b) as _)])
                .enumerate()
        {
            if f == g || !related(&f, &g) {
                continue;
            }
            found[at] += 1;
            for _ in 0..12 {
                let word = Word::random(&mut formulas.random);
                let pairs = word.values(&f).into_iter().zip(word.values(&g));
                pairs.for_each(|(a, b)| assert!(join(a, b), "relation {at}: {f:?} {g:?}"));
            }
        }
    }
    assert!(found.iter().all(|&count| count > 500), "{found:?}");
}

#[test]
fn classes_hold_on_words() {
    let mut found = [0; 2];
    for seed in 0..20_000 {
        let mut formulas = Formulas::new(seed);
        let f = normal(&formulas.draw(4)).expect("small");
        let classes = [(is_eventual(&f), finally(f.clone())), (is_universal(&f), globally(f.clone()))];
        for (at, (_, closed)) in classes.into_iter().enumerate().filter(|(_, class)| class.0) {
            found[at] += 1;
            formulas.assert_equivalent("class", &f, &closed);
        }
    }
    assert!(found.iter().all(|&count| count > 500), "{found:?}");
}
