//! Writes goals as clauses.
//!
//! Goals have no negations, so a definition is needed in one direction only: where the defined variable is true its part
//! may hold (Plaisted and Greenbaum, "A structure-preserving clause form translation", 1986). A sum is a decision diagram
//! over its thresholds with a variable for each rest that is still missing (Eén and Sörensson, "Translating
//! pseudo-Boolean constraints into SAT", 2006), made layer by layer.
//!
//! Cost of a sum: thresholds times distinct rests; a sum with more than [`MAX_NODES`] is refused, and nothing of it counts.
//! Test: below, against the values of random sums.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    time::Instant,
};

use fireset_kernel::sat::{Clauses, Literal};

use super::{
    goal::{Goal, Sum},
    thresholds::{AtLeast, Thresholds},
};

/// Variables that a sum may need.
const MAX_NODES: usize = 50_000;

/// A goal is too large for clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

/// Clauses, and how many variables they have.
#[derive(Default)]
pub(super) struct Writer {
    clauses: Clauses,
    variables: Literal,
    /// Literals that were written.
    size: usize,
}

impl Writer {
    /// A variable that nothing speaks of yet.
    pub(super) fn fresh(&mut self) -> Literal {
        self.variables += 1;
        self.variables
    }

    /// So many new variables; gives what has to be added to a number from 1 on.
    pub(super) fn reserve(&mut self, variables: Literal) -> Literal {
        let before = self.variables;
        self.variables += variables;
        before
    }

    /// About how many literals there are in all clauses.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// At least one of these literals is true.
    pub(super) fn add(&mut self, clause: impl IntoIterator<Item = Literal>) {
        let size = &mut self.size;
        self.clauses.add(clause.into_iter().inspect(|_| *size += 1));
    }

    /// See [`Clauses::solve_with`].
    pub(super) fn solve(&mut self, assumed: &[Literal], deadline: Option<Instant>) -> Option<bool> {
        self.clauses.solve_with(assumed.iter().copied(), deadline)
    }

    /// Whether a literal is true in the solution.
    pub(super) fn is_true(&self, literal: Literal) -> bool {
        self.clauses.value(literal.abs()) == (literal > 0)
    }

    /// Whether an assumption was needed for there being no solution.
    pub(super) fn failed(&self, assumption: Literal) -> bool {
        self.clauses.failed(assumption)
    }

    /// At most one of the literals is true.
    pub(super) fn at_most_one(&mut self, literals: &[Literal]) {
        if literals.len() <= 5 {
            for (at, &a) in literals.iter().enumerate() {
                literals[at + 1..].iter().for_each(|&b| self.add([-a, -b]));
            }
            return;
        }
        // One is true up to here: Sinz's sequential counter (2005).
        let mut before: Option<Literal> = None;
        for &literal in literals {
            let so_far = self.fresh();
            self.add([-literal, so_far]);
            if let Some(before) = before {
                self.add([-before, so_far]);
                self.add([-before, -literal]);
            }
            before = Some(so_far);
        }
    }

    /// The goal may hold at a frame, where all literals of `given` are true.
    pub(super) fn require(
        &mut self,
        goal: &Goal,
        given: &[Literal],
        frame: &Frame<'_>,
    ) -> Result<(), TooLarge> {
        match goal {
            Goal::All(parts) => parts.iter().try_for_each(|part| self.require(part, given, frame)),
            Goal::Sum(sum) => self.one_of(&[], Some(sum), given, frame),
            Goal::Any(parts) => {
                let mut literals = Vec::with_capacity(parts.len());
                for part in parts {
                    match simple(part, frame) {
                        Some(AtLeast::Always) => return Ok(()),
                        Some(AtLeast::When(literal) | AtLeast::OnlyWhen(literal)) => literals.push(literal),
                        Some(AtLeast::Never) => {}
                        None => {
                            let part_holds = self.fresh();
                            self.require(part, &[part_holds], frame)?;
                            literals.push(part_holds);
                        }
                    }
                }
                self.one_of(&literals, None, given, frame)
            }
        }
    }

    /// One of the literals is true or the sum may be large enough, where all of `given` are true.
    fn one_of(
        &mut self,
        literals: &[Literal],
        sum: Option<&Sum>,
        given: &[Literal],
        frame: &Frame<'_>,
    ) -> Result<(), TooLarge> {
        let mut clause: Vec<Literal> = given.iter().map(|&literal| -literal).collect();
        clause.extend(literals);
        if let Some(sum) = sum {
            let top = |place: u32| frame.at_least(place, frame.thresholds.top(place).into());
            let open = sum.open(frame.thresholds).filter_map(|place| match top(place) {
                AtLeast::When(literal) => Some(literal),
                _ => None,
            });
            clause.extend(open);
            let weights = Weights::new(sum, frame);
            if weights.least <= 0 {
                return Ok(());
            }
            if weights.terms.iter().all(|&(_, weight)| weight >= weights.least) {
                clause.extend(weights.terms.iter().map(|term| term.0));
            } else if weights.least <= weights.total() {
                clause.push(self.diagram(&weights)?);
            }
        }
        self.add(clause);
        Ok(())
    }

    /// A variable that is true only where the weights of true literals add up to enough.
    fn diagram(&mut self, weights: &Weights) -> Result<Literal, TooLarge> {
        let root = self.fresh();
        let mut layer = BTreeMap::from([(weights.least, root)]);
        let (mut after, mut nodes) = (weights.total(), 0);
        for &(literal, weight) in &weights.terms {
            after -= weight;
            nodes += layer.len();
            if nodes > MAX_NODES {
                return Err(TooLarge);
            }
            let mut next: BTreeMap<i128, Literal> = BTreeMap::new();
            for (missing, node) in layer {
                for (is_true, rest) in [(true, missing - weight), (false, missing)] {
                    // That a smaller rest can be had follows from a larger one, so the literal itself need not be false.
                    let mut clause = vec![-node];
                    clause.extend((!is_true).then_some(literal));
                    if rest <= 0 {
                        continue;
                    }
                    if rest <= after {
                        clause.push(match next.entry(rest) {
                            Entry::Occupied(known) => *known.get(),
                            Entry::Vacant(new) => *new.insert(self.fresh()),
                        });
                    }
                    self.add(clause);
                }
            }
            layer = next;
        }
        Ok(root)
    }
}

/// A copy of the thresholds' variables.
#[derive(Clone, Copy)]
pub(super) struct Frame<'t> {
    pub(super) thresholds: &'t Thresholds,
    /// What is added to the number of a variable.
    pub(super) offset: Literal,
}

impl Frame<'_> {
    /// The copy of a literal.
    pub(super) fn at(&self, literal: Literal) -> Literal {
        literal + literal.signum() * self.offset
    }

    fn at_least(&self, place: u32, tokens: i128) -> AtLeast {
        match self.thresholds.at_least(place, tokens) {
            AtLeast::When(literal) => AtLeast::When(self.at(literal)),
            AtLeast::OnlyWhen(literal) => AtLeast::OnlyWhen(self.at(literal)),
            constant => constant,
        }
    }
}

/// What a comparison of one place may be, if the goal is one.
fn simple(goal: &Goal, frame: &Frame<'_>) -> Option<AtLeast> {
    let Goal::Sum(Sum { terms, least }) = goal else { return None };
    match terms[..] {
        [(place, 1)] => Some(frame.at_least(place, *least)),
        [(place, -1)] => Some(match frame.at_least(place, 1 - *least) {
            AtLeast::Always => AtLeast::Never,
            // What is only sometimes reached may always be missed.
            AtLeast::Never | AtLeast::OnlyWhen(_) => AtLeast::Always,
            AtLeast::When(literal) => AtLeast::When(-literal),
        }),
        _ => None,
    }
}

/// A sum as literals with weights above 0 that add up to at least a number; large weights first.
struct Weights {
    terms: Vec<(Literal, i128)>,
    least: i128,
}

impl Weights {
    fn new(sum: &Sum, frame: &Frame<'_>) -> Self {
        let mut weights = Self { terms: Vec::new(), least: sum.least };
        for &(place, factor) in &sum.terms {
            for literal in frame.thresholds.of_place(place).map(|literal| frame.at(literal)) {
                if factor > 0 {
                    weights.terms.push((literal, factor));
                } else {
                    weights.terms.push((-literal, -factor));
                    weights.least -= factor;
                }
            }
        }
        weights.terms.sort_by_key(|&(_, weight)| std::cmp::Reverse(weight));
        weights
    }

    fn total(&self) -> i128 {
        self.terms.iter().map(|term| term.1).sum()
    }
}

#[cfg(test)]
mod tests {
    use fireset_net::{Marking, Semantics};
    use fireset_oracle::random::{self, NetShape, TestRng};

    use super::*;

    /// Writes that the thresholds are those of a marking.
    fn fix(writer: &mut Writer, thresholds: &Thresholds, counts: &[u32]) {
        for variable in 1..=thresholds.variables() {
            writer.add([if thresholds.holds(variable, counts) { variable } else { -variable }]);
        }
    }

    #[test]
    fn a_goal_has_a_solution_where_it_may_hold() {
        let (mut compared, mut holding) = (0, 0);
        for seed in 0..3_000 {
            let mut random = TestRng::new(seed);
            let net = random::net(&mut random, &NetShape { inhibitors: 20, ..NetShape::default() });
            let formula = random::predicate(&mut random, net.nodes(), 3);
            let Some(goal) = Goal::new(&net, &formula, true) else { continue };
            let bounds: Vec<Option<u64>> =
                net.initial_marking().0.iter().map(|_| random.percent(60).then_some(3)).collect();
            let thresholds = Thresholds::new(&bounds, &vec![2; bounds.len()], 0).unwrap();
            let tokens = bounds.iter().map(|bound| random.within(0, bound.unwrap_or(6))).collect();
            let marking = Marking(tokens);
            let counts = thresholds.counts(&marking);
            let mut writer = Writer::default();
            writer.reserve(thresholds.variables());
            fix(&mut writer, &thresholds, &counts);
            let frame = Frame { thresholds: &thresholds, offset: 0 };
            writer.require(&goal, &[], &frame).unwrap();
            let may_hold = goal.may_hold(&thresholds, &counts);
            assert_eq!(writer.solve(&[], None), Some(may_hold), "seed {seed} {formula:?} {marking:?}");
            let holds = fireset_net::replay::holds_in(&net, &marking, &formula);
            assert!(may_hold || !holds, "seed {seed} {formula:?} {marking:?}");
            let is_exact = (0..bounds.len() as u32).all(|place| thresholds.is_exact(place));
            assert!(!is_exact || may_hold == holds, "seed {seed} {formula:?} {marking:?}");
            assert!(net.steps(&marking).len() <= net.nodes().transitions.len());
            compared += 1;
            if may_hold {
                holding += 1;
                check_reasons(&goal, &thresholds, &counts, &mut random);
            }
        }
        assert!(compared > 2_000 && holding > 800, "{compared} {holding}");
    }

    /// Wherever the reasons are true the goal may hold.
    fn check_reasons(goal: &Goal, thresholds: &Thresholds, counts: &[u32], random: &mut TestRng) {
        let reasons = goal.reasons(thresholds, counts);
        assert!(reasons.iter().all(|&literal| thresholds.holds(literal, counts)));
        for _ in 0..20 {
            let drawn = |(place, &count): (usize, &u32)| match random.percent(50) {
                true => random.within(0, thresholds.top(place as u32).into()) as u32,
                false => count,
            };
            let other: Vec<u32> = counts.iter().enumerate().map(drawn).collect();
            if reasons.iter().all(|&literal| thresholds.holds(literal, &other)) {
                assert!(goal.may_hold(thresholds, &other), "{goal:?} {counts:?} {reasons:?} {other:?}");
            }
        }
    }

    #[test]
    fn one_at_most() {
        for size in 0..9 {
            for (a, b) in (1..=size).flat_map(|a| (1..=size).map(move |b| (a, b))) {
                let mut writer = Writer::default();
                writer.reserve(size);
                writer.at_most_one(&(1..=size).collect::<Vec<_>>());
                assert_eq!(writer.solve(&[a, b], None), Some(a == b));
            }
        }
    }
}
