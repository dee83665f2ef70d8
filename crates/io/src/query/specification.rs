//! The specification patterns of Dwyer, Avrunin and Corbett ("Patterns in property specifications for finite-state
//! verification", ICSE 1999) as LTL.
//!
//! A pattern says what happens within a segment of a run, and a scope says which segments are meant. The formulas of the
//! paper are a table of all pairs; here each pattern is one formula about a segment, and a scope that ends gives it the
//! operators of segments that end: `F f` becomes `!r U (f && !r)`, `G f` becomes `f W r`, and so on. So each of the pairs
//! means what pattern and scope mean alone. Test: below, each pair against the definition on random words.

use fireset_net::Formula;

/// What happens within a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SpecificationPattern {
    /// The formula holds at no position.
    Absence(Formula),
    /// The formula holds at some position.
    Existence(Formula),
    /// At most this number of times: what holds without a break counts once.
    BoundedExistence(Formula, u64),
    /// The formula holds at all positions.
    Universality(Formula),
    /// The second only at or after a time of the first.
    Precedence(Formula, Formula),
    /// The first is followed by the second, at once or later.
    Response(Formula, Formula),
    /// The third only after the first and then the second; the second strictly after the first and not after the third.
    PrecedenceChain([Formula; 3]),
    /// The first is followed by the second, and strictly later by the third.
    ResponseChain([Formula; 3]),
}

/// The segments of a run that a pattern is about. A segment ends before the moment that ends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PatternScope {
    /// One segment, which never ends.
    Globally,
    /// Up to the first moment of this; none if there is no such moment.
    Before(Formula),
    /// From the first moment of this on; none if there is no such moment.
    After(Formula),
    /// From every moment of the first without the second up to the next of the second; none where the second never comes.
    Between(Formula, Formula),
    /// The same, also where the second never comes.
    AfterUntil(Formula, Formula),
}

/// The temporal operators of a segment, which ends before the first moment of a formula or never.
struct SegmentOperators<'a>(Option<&'a Formula>);

fn boxed(f: Formula) -> Box<Formula> {
    Box::new(f)
}

fn and(fs: impl IntoIterator<Item = Formula>) -> Formula {
    Formula::And(fs.into_iter().collect())
}

impl SegmentOperators<'_> {
    /// A formula at a position of the segment.
    fn inside(&self, f: Formula) -> Formula {
        match self.0 {
            Some(end) => and([f, end.clone().negate()]),
            None => f,
        }
    }

    fn finally(&self, f: Formula) -> Formula {
        match self.0 {
            Some(end) => Formula::Until(boxed(end.clone().negate()), boxed(self.inside(f))),
            None => Formula::Finally(boxed(f)),
        }
    }

    fn globally(&self, f: Formula) -> Formula {
        match self.0 {
            Some(end) => Formula::WeakUntil(boxed(f), boxed(end.clone())),
            None => Formula::Globally(boxed(f)),
        }
    }

    fn until(&self, f: Formula, g: Formula) -> Formula {
        Formula::Until(boxed(self.inside(f)), boxed(self.inside(g)))
    }

    /// Also true where the segment ends first.
    fn weak_until(&self, f: Formula, g: Formula) -> Formula {
        let ends = match self.0 {
            Some(end) => Formula::Or(vec![g, end.clone()]),
            None => g,
        };
        Formula::WeakUntil(boxed(f), boxed(ends))
    }

    /// At the next position, which is in the segment too.
    fn next(&self, f: Formula) -> Formula {
        Formula::Next(boxed(self.inside(f)))
    }

    fn pattern(&self, pattern: &SpecificationPattern) -> Formula {
        match pattern {
            SpecificationPattern::Absence(p) => self.globally(p.clone().negate()),
            SpecificationPattern::Existence(p) => self.finally(p.clone()),
            SpecificationPattern::BoundedExistence(p, most) => {
                let not = || p.clone().negate();
                (0..*most).fold(self.globally(not()), |rest, _| {
                    self.weak_until(not(), self.weak_until(p.clone(), rest))
                })
            }
            SpecificationPattern::Universality(p) => self.globally(p.clone()),
            SpecificationPattern::Precedence(p, q) => self.weak_until(q.clone().negate(), p.clone()),
            SpecificationPattern::Response(p, q) => self.globally(p.clone().implies(self.finally(q.clone()))),
            SpecificationPattern::PrecedenceChain([p, q, r]) => {
                let not = || r.clone().negate();
                let then = self.next(self.until(not(), q.clone()));
                let chain = self.until(not(), and([p.clone(), not(), then]));
                self.finally(r.clone()).implies(chain)
            }
            SpecificationPattern::ResponseChain([p, q, r]) => {
                let then = self.next(self.finally(r.clone()));
                self.globally(p.clone().implies(self.finally(and([q.clone(), then]))))
            }
        }
    }
}

impl PatternScope {
    /// The pattern in this scope, as LTL.
    pub(super) fn formula(&self, pattern: &SpecificationPattern) -> Formula {
        let always = |f| Formula::Globally(boxed(f));
        let until = |end| SegmentOperators(Some(end)).pattern(pattern);
        let finally = |f: &Formula| Formula::Finally(boxed(f.clone()));
        match self {
            Self::Globally => SegmentOperators(None).pattern(pattern),
            Self::Before(end) => finally(end).implies(until(end)),
            Self::After(start) => {
                let begins = and([start.clone(), SegmentOperators(None).pattern(pattern)]);
                Formula::WeakUntil(boxed(start.clone().negate()), boxed(begins))
            }
            Self::Between(start, end) => {
                let segment = and([start.clone(), end.clone().negate(), finally(end)]);
                always(segment.implies(until(end)))
            }
            Self::AfterUntil(start, end) => {
                always(and([start.clone(), end.clone().negate()]).implies(until(end)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use fireset_net::{PathFormula, StateAtom, StatePredicate, TransitionId, replay};
    use fireset_oracle::random::TestRng;

    use super::*;

    fn atom(at: usize) -> Formula {
        Formula::Fireable(vec![TransitionId::new(at)])
    }

    /// A word of letters, one bit for each of five atoms, after whose last letter the one at `back_to` follows.
    struct RandomWord {
        letters: Vec<u8>,
        back_to: usize,
    }

    impl RandomWord {
        fn draw(random: &mut TestRng) -> Self {
            let length = 1 + random.below(14);
            let rare = 20 + random.below(50);
            let letter = |random: &mut TestRng| (0..5).map(|bit| u8::from(random.percent(rare)) << bit).sum();
            let letters = (0..length).map(|_| letter(random)).collect();
            Self { letters, back_to: random.below(length) }
        }

        fn satisfies(&self, formula: &Formula) -> bool {
            let path = PathFormula::try_from(formula).expect("patterns are LTL");
            let atom = |at: usize, predicate: &StatePredicate| {
                predicate.value(&mut |atom| match atom {
                    StateAtom::Fireable(ts) => self.letters[at] >> ts[0].index() & 1 == 1,
                    _ => unreachable!("no other atom is drawn"),
                })
            };
            replay::on_word(&path, self.letters.len(), self.back_to, &atom)[0]
        }

        /// The letters up to a number of positions, in which each letter of the loop comes again and again.
        fn unrolled(&self, length: usize) -> Vec<u8> {
            let period = self.letters.len() - self.back_to;
            let at = |at: usize| match at < self.letters.len() {
                true => at,
                false => self.back_to + (at - self.back_to) % period,
            };
            (0..length).map(|position| self.letters[at(position)]).collect()
        }
    }

    /// Whether a pattern over the atoms 0, 1 and 2 holds in a segment, by its definition. Of an endless segment the first
    /// `shown` positions are looked at, and events that have to follow may be found among all that are given.
    fn holds(pattern: usize, segment: &[u8], shown: usize) -> bool {
        let has = |at: usize, atom: usize| segment[at] >> atom & 1 == 1;
        let all = 0..segment.len();
        let first = |from: usize, atom: usize| (from..segment.len()).find(|&at| has(at, atom));
        match pattern {
            0 => !all.clone().any(|at| has(at, 0)),
            1 => all.clone().any(|at| has(at, 0)),
            2 | 3 => {
                let begins = |at: &usize| has(*at, 0) && (*at == 0 || !has(at - 1, 0));
                all.clone().filter(begins).count() < pattern
            }
            4 => all.clone().all(|at| has(at, 0)),
            5 => match first(0, 1) {
                Some(at) => (0..=at).any(|before| has(before, 0)),
                None => true,
            },
            6 => (0..shown).all(|at| !has(at, 0) || first(at, 1).is_some()),
            7 => match first(0, 2) {
                Some(at) => (0..at).any(|p| has(p, 0) && (p + 1..=at).any(|q| has(q, 1))),
                None => true,
            },
            _ => (0..shown).all(|at| {
                let chain = |q: usize| has(q, 1) && first(q + 1, 2).is_some();
                !has(at, 0) || (at..segment.len()).any(chain)
            }),
        }
    }

    fn pattern(at: usize) -> SpecificationPattern {
        let three = || [atom(0), atom(1), atom(2)];
        match at {
            0 => SpecificationPattern::Absence(atom(0)),
            1 => SpecificationPattern::Existence(atom(0)),
            2 => SpecificationPattern::BoundedExistence(atom(0), 1),
            3 => SpecificationPattern::BoundedExistence(atom(0), 2),
            4 => SpecificationPattern::Universality(atom(0)),
            5 => SpecificationPattern::Precedence(atom(0), atom(1)),
            6 => SpecificationPattern::Response(atom(0), atom(1)),
            7 => SpecificationPattern::PrecedenceChain(three()),
            _ => SpecificationPattern::ResponseChain(three()),
        }
    }

    fn scope(at: usize) -> PatternScope {
        match at {
            0 => PatternScope::Globally,
            1 => PatternScope::Before(atom(4)),
            2 => PatternScope::After(atom(3)),
            3 => PatternScope::Between(atom(3), atom(4)),
            _ => PatternScope::AfterUntil(atom(3), atom(4)),
        }
    }

    /// Whether a pattern holds in each segment of a scope from the atom 3 to the atom 4.
    fn expected(pattern: usize, scope: usize, word: &RandomWord) -> bool {
        let (starts, length) = (2 * word.letters.len(), 10 * word.letters.len());
        let letters = word.unrolled(length);
        let has = |at: usize, atom: usize| letters[at] >> atom & 1 == 1;
        let end = |from: usize| (from..length).find(|&at| has(at, 4));
        let finite = |from: usize, to: usize| holds(pattern, &letters[from..to], to - from);
        let endless = |from: usize| holds(pattern, &letters[from..], 4 * word.letters.len());
        let begins = |at: &usize| has(*at, 3) && !has(*at, 4);
        match scope {
            0 => endless(0),
            1 => end(0).is_none_or(|to| finite(0, to)),
            2 => (0..starts).find(|&at| has(at, 3)).is_none_or(endless),
            3 => (0..starts).filter(begins).all(|at| end(at).is_none_or(|to| finite(at, to))),
            _ => (0..starts).filter(begins).all(|at| match end(at) {
                Some(to) => finite(at, to),
                None => endless(at),
            }),
        }
    }

    #[test]
    fn each_pattern_in_each_scope_means_its_definition() {
        let mut seen = [[[0; 2]; 5]; 9];
        for seed in 0..4_000 {
            let word = RandomWord::draw(&mut TestRng::new(seed));
            for (at, scopes) in seen.iter_mut().enumerate() {
                for (which, counts) in scopes.iter_mut().enumerate() {
                    let formula = scope(which).formula(&pattern(at));
                    let value = word.satisfies(&formula);
                    assert_eq!(
                        value,
                        expected(at, which, &word),
                        "seed {seed}: {:?} {formula:?}",
                        word.letters
                    );
                    counts[usize::from(value)] += 1;
                }
            }
        }
        assert!(seen.as_flattened().as_flattened().iter().all(|&count| count > 10), "{seen:?}");
    }
}
