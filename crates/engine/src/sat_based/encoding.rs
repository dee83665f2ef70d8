//! A net as clauses: the order encoding, the transition relation, and what is known of all reachable markings.
//!
//! Known are place invariants, as equations; what is proved of units; initially marked traps; and inductive invariants of
//! earlier proofs. Only equations that take few clauses are encoded, but all that a place's bound rests on are in the
//! certificate.

use std::time::{Duration, Instant};

use fireset_kernel::sat::Literal;
use fireset_net::{Budget, Comparison, Expr, Linear, Net, StateAtom, StatePredicate, StopReason};
use fireset_structure::{NetStructure, PlaceInvariants, SparseVector, semiflows};

use super::{
    cnf::{CnfEncoder, StateVariables},
    cube::Cube,
    nnf::{LinearInequality, NnfPredicate},
    order_encoding::OrderEncoding,
    transition_relation::{TransitionRelation, encode_order},
    units::UnitInvariants,
};

/// The number of literals that a step may take.
const MAX_STEP: usize = 4_000_000;
/// An equation with more variables times tokens than this is not encoded.
const MAX_EQUATION: i128 = 3_000;
/// Terms of all equations together, for each place; those that give bounds are kept in any case.
const TERMS: usize = 4;
/// The solver returns this often, so that the budget is checked.
const SLICE: Duration = Duration::from_millis(200);

/// A place invariant: the product of the flow with every reachable marking is `total`.
#[derive(Clone, Debug)]
struct InvariantEquation {
    flow: SparseVector,
    total: i128,
}

pub(super) struct SatEncoding<'n> {
    pub(super) net: &'n Net,
    pub(super) order: OrderEncoding,
    pub(super) relation: TransitionRelation,
    structure: NetStructure<'n>,
    pub(super) initial: Vec<u32>,
    equations: Vec<InvariantEquation>,
    /// The equations that take few clauses.
    encoded_equations: Vec<NnfPredicate>,
    /// Places that are safe because of units.
    safe: Vec<u32>,
    /// Cubes without a reachable marking.
    pub(super) excluded: Vec<Cube>,
}

impl<'n> SatEncoding<'n> {
    /// For these goals; with more variables for open places the larger `finer` is. `None` when there are too many.
    pub(super) fn new(
        net: &'n Net,
        known: (&PlaceInvariants, &UnitInvariants),
        goals: &[NnfPredicate],
        finer: u32,
    ) -> Option<Self> {
        let (knowledge, claims) = known;
        let mut bounds = knowledge.bounds().to_vec();
        claims.safe.iter().for_each(|&place| bounds[place as usize] = Some(1));
        let order = OrderEncoding::new(&bounds, &compared(net, goals), finer)?;
        let relation = TransitionRelation::new(net, &order);
        if relation.size() > MAX_STEP {
            return None;
        }
        let equations = equations(net, knowledge);
        let encoded_equations =
            equations.iter().filter_map(|equation| equation.inequalities(&order)).collect();
        let initial = order.counts(net.initial_marking());
        let structure = NetStructure::of(net);
        let first = |place: u32| order.of_place(place).next();
        let apart = claims.apart.iter().filter_map(|&(p, q)| Some([first(p)?, first(q)?]));
        let excluded = apart.map(|both| Cube::new(both, &order)).collect();
        let safe = claims.safe.clone();
        Some(Self { net, order, relation, structure, initial, equations, encoded_equations, safe, excluded })
    }

    /// Adds variables of a marking.
    pub(super) fn encode_marking(&self, cnf: &mut CnfEncoder) -> StateVariables<'_> {
        let offset = cnf.reserve(self.order.variables());
        let state = StateVariables { order: &self.order, offset };
        encode_order(cnf, &state);
        state
    }

    /// Adds variables of a marking, with what is known of all reachable ones.
    pub(super) fn encode_reachable(&self, cnf: &mut CnfEncoder) -> StateVariables<'_> {
        let state = self.encode_marking(cnf);
        for sum in &self.encoded_equations {
            // An equation that needs too many clauses is left out.
            let _ = cnf.require(sum, &[], &state);
        }
        for cube in &self.excluded {
            cnf.add(cube.clause().map(|literal| state.at(literal)));
        }
        state
    }

    pub(super) fn initial_literals(&self) -> impl Iterator<Item = Literal> + '_ {
        self.order.literals_of(&self.initial)
    }

    /// A marked trap that the counts leave empty, as a cube of markings that are not reachable.
    pub(super) fn empty_trap(&self, counts: &[u32]) -> Option<Cube> {
        let trap = self.structure.marked_trap(counts.iter().map(|&count| count == 0).collect())?;
        // A place without variables is never marked.
        let first = trap.iter().filter_map(|&place| self.order.of_place(place).next());
        Some(Cube::new(first.map(|literal| -literal), &self.order))
    }

    /// The inductive invariant that excludes `cubes`, with what is known; `None` when a number does not fit.
    pub(super) fn invariant(&self, cubes: &[Cube]) -> Option<StatePredicate> {
        let mut parts =
            self.equations.iter().map(InvariantEquation::predicate).collect::<Option<Vec<_>>>()?;
        let tokens = |place: u32| Expr::Tokens(vec![OrderEncoding::id(place)]);
        let at_most_one =
            |place: u32| StateAtom::Compare(Comparison::LessEqual, tokens(place), Expr::Constant(1)).into();
        parts.extend(self.safe.iter().map(|&place| at_most_one(place)));
        let clauses = self.excluded.iter().chain(cubes).map(|cube| {
            let part = |literal: Literal| {
                let (place, count) = self.order.meaning(literal);
                let how = if literal > 0 { Comparison::GreaterEqual } else { Comparison::Less };
                StateAtom::Compare(how, tokens(place), Expr::Constant(count.into())).into()
            };
            StatePredicate::Or(cube.clause().map(part).collect())
        });
        parts.extend(clauses);
        Some(StatePredicate::And(parts))
    }
}

impl InvariantEquation {
    /// As two inequalities, unless they take too many clauses.
    fn inequalities(&self, order: &OrderEncoding) -> Option<NnfPredicate> {
        let tops = self.flow.iter().map(|&(place, _)| i128::from(order.top(place)));
        let (count, most): (i128, i128) = (tops.clone().sum(), self.total.abs());
        if count * most.max(1).min(count) > MAX_EQUATION {
            return None;
        }
        let terms = self.flow.iter().map(|&(place, factor)| (place, i128::from(factor))).collect();
        let above = Linear::of(terms, self.total.checked_neg()?)?;
        let both = [LinearInequality::new(&above)?, LinearInequality::new(&above.scaled(-1)?)?];
        Some(NnfPredicate::And(both.map(NnfPredicate::Inequality).into()))
    }

    /// `None` when a number does not fit.
    fn predicate(&self) -> Option<StatePredicate> {
        let term = |&(place, factor): &(u32, i64)| {
            let tokens = Expr::Tokens(vec![OrderEncoding::id(place)]);
            if factor == 1 { tokens } else { Expr::Product(vec![Expr::Constant(factor), tokens]) }
        };
        let sum = Expr::Sum(self.flow.iter().map(term).collect());
        Some(StateAtom::Compare(Comparison::Equal, sum, Expr::Constant(self.total.try_into().ok()?)).into())
    }
}

/// The place invariants of a net as equations: those that give bounds, then short ones.
fn equations(net: &Net, knowledge: &PlaceInvariants) -> Vec<InvariantEquation> {
    let initial = &net.initial_marking().0;
    let mixed = knowledge.basis().iter().filter(|flow| is_mixed(flow));
    let semiflows = knowledge.semiflows().iter().map(|semiflow| &semiflow.weights);
    let mut flows: Vec<&SparseVector> = semiflows.chain(mixed).collect();
    // The shortest of those with the same bound is taken.
    flows.sort_by_key(|flow| flow.len());
    let mut best: Vec<Option<(i128, usize)>> = vec![None; initial.len()];
    let mut all: Vec<Option<InvariantEquation>> = Vec::with_capacity(flows.len());
    for (at, &flow) in flows.iter().enumerate() {
        let total = semiflows::total(flow, initial);
        for &(place, factor) in flow.iter().filter(|_| !is_mixed(flow)) {
            let Some(bound) = total.map(|total| total / i128::from(factor)) else { continue };
            let known = &mut best[place as usize];
            if known.is_none_or(|known| bound < known.0) {
                *known = Some((bound, at));
            }
        }
        all.push(total.map(|total| InvariantEquation { flow: flow.clone(), total }));
    }
    let mut bounding = vec![false; flows.len()];
    best.iter().flatten().for_each(|&(_, at)| bounding[at] = true);
    let mut terms = TERMS * initial.len();
    let mut chosen = Vec::new();
    for (equation, is_bounding) in all.into_iter().zip(bounding) {
        let Some(equation) = equation else { continue };
        if is_bounding || equation.flow.len() <= terms {
            terms = terms.saturating_sub(equation.flow.len());
            chosen.push(equation);
        }
    }
    chosen
}

/// Whether an invariant has factors of both signs.
fn is_mixed(flow: &SparseVector) -> bool {
    flow.iter().any(|e| e.1 > 0) && flow.iter().any(|e| e.1 < 0)
}

/// The largest number that each place is compared with alone.
fn compared(net: &Net, goals: &[NnfPredicate]) -> Vec<u64> {
    let mut most = vec![0; net.nodes().places.len()];
    for t in net.nodes().transition_ids() {
        for arc in net.pre(t).iter().chain(net.inhibitors(t)) {
            let known = &mut most[arc.place.index()];
            *known = arc.weight.max(*known);
        }
    }
    for goal in goals {
        goal.inequalities(&mut |sum| {
            if let [(place, factor)] = sum.terms[..] {
                let tokens = if factor > 0 { sum.least } else { 1 - sum.least };
                let known = &mut most[place as usize];
                *known = u64::try_from(tokens).unwrap_or(0).max(*known);
            }
        });
    }
    most
}

/// Whether the clauses have a solution in which the assumed literals are true.
pub(super) fn ask(cnf: &mut CnfEncoder, assumed: &[Literal], budget: &Budget) -> Result<bool, StopReason> {
    loop {
        budget.check(16 * cnf.size() as u64, 0)?;
        let time = budget.time_left().map_or(SLICE, |left| left.min(SLICE));
        if let Some(answer) = cnf.solve(assumed, Some(Instant::now() + time)) {
            return Ok(answer);
        }
    }
}
