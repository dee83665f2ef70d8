//! Predicates as clauses (CNF).
//!
//! Predicates are in negation normal form, so a definition is needed in one direction only: where the defined variable is
//! true its part may hold (Plaisted and Greenbaum, "A structure-preserving clause form translation", 1986). An inequality is a decision
//! diagram over its order variables with a variable for each rest that is still missing (Eén and Sörensson, "Translating
//! pseudo-Boolean constraints into SAT", 2006), made layer by layer.
//!
//! Cost of an inequality: order variables times distinct rests; one with more than [`MAX_NODES`] is refused.
//! Test: below, against the values of random inequalities.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    time::Instant,
};

use fireset_kernel::sat::{DefaultSatSolver, Literal, SatSolver};

use super::{
    nnf::{LinearInequality, NnfPredicate},
    order_encoding::{AtLeast, OrderEncoding},
};

/// Variables that an inequality may need.
const MAX_NODES: usize = 50_000;

/// A predicate needs too many clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

/// Adds clauses to a solver, and numbers their variables.
#[derive(Default)]
pub(super) struct CnfEncoder {
    clauses: DefaultSatSolver,
    variables: Literal,
    /// The number of literals in all clauses.
    size: usize,
}

impl CnfEncoder {
    /// A new variable.
    pub(super) fn fresh(&mut self) -> Literal {
        self.variables += 1;
        self.variables
    }

    /// Reserves new variables; gives the offset to be added to numbers from 1 on.
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
        self.clauses.add_clause(clause.into_iter().inspect(|_| *size += 1));
    }

    /// See [`SatSolver::solve_with`].
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
        // Sinz's sequential counter (2005): a literal up to this one is true.
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

    /// Requires that a predicate may hold of a state, where all literals of `given` are true.
    pub(super) fn require(
        &mut self,
        goal: &NnfPredicate,
        given: &[Literal],
        state: &StateVariables<'_>,
    ) -> Result<(), TooLarge> {
        match goal {
            NnfPredicate::And(parts) => parts.iter().try_for_each(|part| self.require(part, given, state)),
            NnfPredicate::Inequality(sum) => self.one_of(&[], Some(sum), given, state),
            NnfPredicate::Or(parts) => {
                let mut literals = Vec::with_capacity(parts.len());
                for part in parts {
                    match simple(part, state) {
                        Some(AtLeast::Always) => return Ok(()),
                        Some(AtLeast::When(literal) | AtLeast::OnlyWhen(literal)) => literals.push(literal),
                        Some(AtLeast::Never) => {}
                        None => {
                            let part_holds = self.fresh();
                            self.require(part, &[part_holds], state)?;
                            literals.push(part_holds);
                        }
                    }
                }
                self.one_of(&literals, None, given, state)
            }
        }
    }

    /// One of the literals is true or the inequality may hold, where all of `given` are true.
    fn one_of(
        &mut self,
        literals: &[Literal],
        sum: Option<&LinearInequality>,
        given: &[Literal],
        state: &StateVariables<'_>,
    ) -> Result<(), TooLarge> {
        let mut clause: Vec<Literal> = given.iter().map(|&literal| -literal).collect();
        clause.extend(literals);
        if let Some(sum) = sum {
            let top = |place: u32| state.at_least(place, state.order.top(place).into());
            let open = sum.open(state.order).filter_map(|place| match top(place) {
                AtLeast::When(literal) => Some(literal),
                _ => None,
            });
            clause.extend(open);
            let constraint = PseudoBoolean::new(sum, state);
            if constraint.least <= 0 {
                return Ok(());
            }
            if constraint.terms.iter().all(|&(_, weight)| weight >= constraint.least) {
                clause.extend(constraint.terms.iter().map(|term| term.0));
            } else if constraint.least <= constraint.total() {
                clause.push(self.diagram(&constraint)?);
            }
        }
        self.add(clause);
        Ok(())
    }

    /// A variable that is true only where the weights of true literals add up to enough.
    fn diagram(&mut self, constraint: &PseudoBoolean) -> Result<Literal, TooLarge> {
        let root = self.fresh();
        let mut layer = BTreeMap::from([(constraint.least, root)]);
        let (mut after, mut nodes) = (constraint.total(), 0);
        for &(literal, weight) in &constraint.terms {
            after -= weight;
            nodes += layer.len();
            if nodes > MAX_NODES {
                return Err(TooLarge);
            }
            let mut next: BTreeMap<i128, Literal> = BTreeMap::new();
            for (missing, node) in layer {
                for (is_true, rest) in [(true, missing - weight), (false, missing)] {
                    // A larger rest implies a smaller one, so the literal itself need not be false.
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

/// A copy of the order encoding's variables: one marking of a run.
#[derive(Clone, Copy)]
pub(super) struct StateVariables<'t> {
    pub(super) order: &'t OrderEncoding,
    pub(super) offset: Literal,
}

impl StateVariables<'_> {
    /// The copy of a literal.
    pub(super) fn at(&self, literal: Literal) -> Literal {
        literal + literal.signum() * self.offset
    }

    fn at_least(&self, place: u32, tokens: i128) -> AtLeast {
        match self.order.at_least(place, tokens) {
            AtLeast::When(literal) => AtLeast::When(self.at(literal)),
            AtLeast::OnlyWhen(literal) => AtLeast::OnlyWhen(self.at(literal)),
            constant => constant,
        }
    }
}

/// The comparison of one place with a number that the predicate is, if it is one.
fn simple(goal: &NnfPredicate, state: &StateVariables<'_>) -> Option<AtLeast> {
    let NnfPredicate::Inequality(LinearInequality { terms, least }) = goal else { return None };
    match terms[..] {
        [(place, 1)] => Some(state.at_least(place, *least)),
        [(place, -1)] => Some(match state.at_least(place, 1 - *least) {
            AtLeast::Always => AtLeast::Never,
            // Above the top of an open place the count may always be smaller.
            AtLeast::Never | AtLeast::OnlyWhen(_) => AtLeast::Always,
            AtLeast::When(literal) => AtLeast::When(-literal),
        }),
        _ => None,
    }
}

/// A pseudo-Boolean constraint: literals with weights above 0 that add up to at least `least`; large weights first.
struct PseudoBoolean {
    terms: Vec<(Literal, i128)>,
    least: i128,
}

impl PseudoBoolean {
    fn new(sum: &LinearInequality, state: &StateVariables<'_>) -> Self {
        let mut constraint = Self { terms: Vec::new(), least: sum.least };
        for &(place, factor) in &sum.terms {
            for literal in state.order.of_place(place).map(|literal| state.at(literal)) {
                if factor > 0 {
                    constraint.terms.push((literal, factor));
                } else {
                    constraint.terms.push((-literal, -factor));
                    constraint.least -= factor;
                }
            }
        }
        constraint.terms.sort_by_key(|&(_, weight)| std::cmp::Reverse(weight));
        constraint
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

    #[test]
    fn a_predicate_has_a_solution_where_it_may_hold() {
        let (mut compared, mut holding) = (0, 0);
        for seed in 0..3_000 {
            let mut random = TestRng::new(seed);
            let net = random::net(&mut random, &NetShape { inhibitors: 20, ..NetShape::default() });
            let formula = random::predicate(&mut random, net.nodes(), 3);
            let Some(goal) = NnfPredicate::new(&net, &formula, true) else { continue };
            let bounds: Vec<Option<u64>> =
                net.initial_marking().0.iter().map(|_| random.percent(60).then_some(3)).collect();
            let order = OrderEncoding::new(&bounds, &vec![2; bounds.len()], 0).unwrap();
            let tokens = bounds.iter().map(|bound| random.within(0, bound.unwrap_or(6))).collect();
            let marking = Marking(tokens);
            let counts = order.counts(&marking);
            let mut cnf = CnfEncoder::default();
            cnf.reserve(order.variables());
            order.literals_of(&counts).for_each(|literal| cnf.add([literal]));
            let state = StateVariables { order: &order, offset: 0 };
            cnf.require(&goal, &[], &state).unwrap();
            let may_hold = goal.may_hold(&order, &counts);
            assert_eq!(cnf.solve(&[], None), Some(may_hold), "seed {seed} {formula:?} {marking:?}");
            let holds = fireset_net::replay::holds_in(&net, &marking, &formula);
            assert!(may_hold || !holds, "seed {seed} {formula:?} {marking:?}");
            let is_exact = (0..bounds.len() as u32).all(|place| order.is_exact(place));
            assert!(!is_exact || may_hold == holds, "seed {seed} {formula:?} {marking:?}");
            assert!(net.steps(&marking).len() <= net.nodes().transitions.len());
            compared += 1;
            if may_hold {
                holding += 1;
                check_reasons(&goal, &order, &counts, &mut random);
            }
        }
        assert!(compared > 2_000 && holding > 800, "{compared} {holding}");
    }

    /// Wherever the reasons are true the predicate may hold.
    fn check_reasons(goal: &NnfPredicate, order: &OrderEncoding, counts: &[u32], random: &mut TestRng) {
        let reasons = goal.reasons(order, counts);
        assert!(reasons.iter().all(|&literal| order.holds(literal, counts)));
        for _ in 0..20 {
            let drawn = |(place, &count): (usize, &u32)| match random.percent(50) {
                true => random.within(0, order.top(place as u32).into()) as u32,
                false => count,
            };
            let other: Vec<u32> = counts.iter().enumerate().map(drawn).collect();
            if reasons.iter().all(|&literal| order.holds(literal, &other)) {
                assert!(goal.may_hold(order, &other), "{goal:?} {counts:?} {reasons:?} {other:?}");
            }
        }
    }

    #[test]
    fn one_at_most() {
        for size in 0..9 {
            for (a, b) in (1..=size).flat_map(|a| (1..=size).map(move |b| (a, b))) {
                let mut cnf = CnfEncoder::default();
                cnf.reserve(size);
                cnf.at_most_one(&(1..=size).collect::<Vec<_>>());
                assert_eq!(cnf.solve(&[a, b], None), Some(a == b));
            }
        }
    }
}
