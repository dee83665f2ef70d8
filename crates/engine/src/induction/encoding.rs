//! A net as clauses know it: thresholds, steps, and what is known of all reachable markings.
//!
//! Known are place invariants, as equations; what is proved of units; traps that are marked at the start; and inductive
//! invariants of earlier proofs. Only equations that take few clauses are written, but all that a place's bound rests on are
//! in the certificate.

use std::time::{Duration, Instant};

use fireset_kernel::sat::Literal;
use fireset_net::{Budget, Comparison, Expr, Formula, Linear, Net, StopReason};
use fireset_structure::{NetStructure, PlaceInvariants, SparseVector, semiflows};

use super::{
    columns::{Columns, write_order},
    cube::Cube,
    goal::{Goal, Sum},
    thresholds::Thresholds,
    units::UnitInvariants,
    writer::{Frame, Writer},
};

/// A step of a larger net takes too long to write.
const MAX_STEP: usize = 4_000_000;
/// An equation with more thresholds times tokens than this is not written.
const MAX_EQUATION: i128 = 3_000;
/// Terms of all equations together, for each place; those that give bounds are kept in any case.
const TERMS: usize = 4;
/// The solver is asked to look up so often, so that it notices when nobody wants the answer.
const PATIENCE: Duration = Duration::from_millis(200);

/// The product of a flow with every reachable marking is this number.
#[derive(Clone, Debug)]
struct Equation {
    flow: SparseVector,
    total: i128,
}

/// A net, ready for clauses.
pub(super) struct Encoding<'n> {
    pub(super) net: &'n Net,
    pub(super) thresholds: Thresholds,
    pub(super) columns: Columns,
    structure: NetStructure<'n>,
    /// The counts of the initial marking.
    pub(super) initial: Vec<u32>,
    equations: Vec<Equation>,
    /// Equations as sums.
    sums: Vec<Goal>,
    /// Places that units show to have at most one token.
    safe: Vec<u32>,
    /// Markings that are not reachable: each excludes one of these.
    pub(super) excluded: Vec<Cube>,
}

impl<'n> Encoding<'n> {
    /// For these goals; with finer thresholds where they were not fine enough before. `None` when there are too many.
    pub(super) fn new(
        net: &'n Net,
        known: (&PlaceInvariants, &UnitInvariants),
        goals: &[Goal],
        finer: u32,
    ) -> Option<Self> {
        let (knowledge, claims) = known;
        let mut bounds = knowledge.bounds().to_vec();
        claims.safe.iter().for_each(|&place| bounds[place as usize] = Some(1));
        let thresholds = Thresholds::new(&bounds, &compared(net, goals), finer)?;
        let columns = Columns::new(net, &thresholds);
        if columns.size() > MAX_STEP {
            return None;
        }
        let equations = equations(net, knowledge);
        let sums = equations.iter().filter_map(|equation| equation.goal(&thresholds)).collect();
        let initial = thresholds.counts(net.initial_marking());
        let structure = NetStructure::of(net);
        let first = |place: u32| thresholds.of_place(place).next();
        let apart = claims.apart.iter().filter_map(|&(p, q)| Some([first(p)?, first(q)?]));
        let excluded = apart.map(|both| Cube::new(both, &thresholds)).collect();
        let safe = claims.safe.clone();
        Some(Self { net, thresholds, columns, structure, initial, equations, sums, safe, excluded })
    }

    /// Variables of a marking.
    pub(super) fn write_marking(&self, writer: &mut Writer) -> Frame<'_> {
        let offset = writer.reserve(self.thresholds.variables());
        let frame = Frame { thresholds: &self.thresholds, offset };
        write_order(writer, &frame);
        frame
    }

    /// Variables of a marking, and what is known of all that are reachable.
    pub(super) fn write_frame(&self, writer: &mut Writer) -> Frame<'_> {
        let frame = self.write_marking(writer);
        for sum in &self.sums {
            // One that is too large is left out.
            let _ = writer.require(sum, &[], &frame);
        }
        for cube in &self.excluded {
            writer.add(cube.clause().map(|literal| frame.at(literal)));
        }
        frame
    }

    /// The literals of the initial marking.
    pub(super) fn initial_literals(&self) -> impl Iterator<Item = Literal> + '_ {
        let value = |v: Literal| if self.thresholds.holds(v, &self.initial) { v } else { -v };
        (1..=self.thresholds.variables()).map(value)
    }

    /// A marked trap that the counts leave empty, as a cube of markings that are not reachable.
    pub(super) fn empty_trap(&self, counts: &[u32]) -> Option<Cube> {
        let trap = self.structure.marked_trap(counts.iter().map(|&count| count == 0).collect())?;
        // A place without thresholds is empty for ever.
        let first = trap.iter().filter_map(|&place| self.thresholds.of_place(place).next());
        Some(Cube::new(first.map(|literal| -literal), &self.thresholds))
    }

    /// What is known and `cubes` being unreachable, as a formula over places; `None` when a number does not fit.
    pub(super) fn invariant(&self, cubes: &[Cube]) -> Option<Formula> {
        let mut parts = self.equations.iter().map(Equation::formula).collect::<Option<Vec<_>>>()?;
        let tokens = |place: u32| Expr::Tokens(vec![Thresholds::id(place)]);
        let at_most_one =
            |place: u32| Formula::Compare(Comparison::LessEqual, tokens(place), Expr::Constant(1));
        parts.extend(self.safe.iter().map(|&place| at_most_one(place)));
        let clauses = self.excluded.iter().chain(cubes).map(|cube| {
            let part = |literal: Literal| {
                let (place, count) = self.thresholds.meaning(literal);
                let how = if literal > 0 { Comparison::GreaterEqual } else { Comparison::Less };
                Formula::Compare(how, tokens(place), Expr::Constant(count.into()))
            };
            Formula::Or(cube.clause().map(part).collect())
        });
        parts.extend(clauses);
        Some(Formula::And(parts))
    }
}

impl Equation {
    /// As sums, unless they are too large.
    fn goal(&self, thresholds: &Thresholds) -> Option<Goal> {
        let tops = self.flow.iter().map(|&(place, _)| i128::from(thresholds.top(place)));
        let (count, most): (i128, i128) = (tops.clone().sum(), self.total.abs());
        if count * most.max(1).min(count) > MAX_EQUATION {
            return None;
        }
        let terms = self.flow.iter().map(|&(place, factor)| (place, i128::from(factor))).collect();
        let above = Linear::of(terms, self.total.checked_neg()?)?;
        let both = [Sum::new(&above)?, Sum::new(&above.scaled(-1)?)?];
        Some(Goal::All(both.map(Goal::Sum).into()))
    }

    /// As a comparison; `None` when a number does not fit.
    fn formula(&self) -> Option<Formula> {
        let term = |&(place, factor): &(u32, i64)| {
            let tokens = Expr::Tokens(vec![Thresholds::id(place)]);
            if factor == 1 { tokens } else { Expr::Product(vec![Expr::Constant(factor), tokens]) }
        };
        let sum = Expr::Sum(self.flow.iter().map(term).collect());
        Some(Formula::Compare(Comparison::Equal, sum, Expr::Constant(self.total.try_into().ok()?)))
    }
}

/// The equations of a net: those that give bounds, then short ones.
fn equations(net: &Net, knowledge: &PlaceInvariants) -> Vec<Equation> {
    let initial = &net.initial_marking().0;
    let mixed = knowledge.basis().iter().filter(|flow| is_mixed(flow));
    let semiflows = knowledge.semiflows().iter().map(|semiflow| &semiflow.weights);
    let mut flows: Vec<&SparseVector> = semiflows.chain(mixed).collect();
    // Of those with the same bound the shortest is taken.
    flows.sort_by_key(|flow| flow.len());
    let mut best: Vec<Option<(i128, usize)>> = vec![None; initial.len()];
    let mut all: Vec<Option<Equation>> = Vec::with_capacity(flows.len());
    for (at, &flow) in flows.iter().enumerate() {
        let total = semiflows::total(flow, initial);
        for &(place, factor) in flow.iter().filter(|_| !is_mixed(flow)) {
            let Some(bound) = total.map(|total| total / i128::from(factor)) else { continue };
            let known = &mut best[place as usize];
            if known.is_none_or(|known| bound < known.0) {
                *known = Some((bound, at));
            }
        }
        all.push(total.map(|total| Equation { flow: flow.clone(), total }));
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
fn compared(net: &Net, goals: &[Goal]) -> Vec<u64> {
    let mut most = vec![0; net.nodes().places.len()];
    for t in net.nodes().transition_ids() {
        for arc in net.pre(t).iter().chain(net.inhibitors(t)) {
            let known = &mut most[arc.place.index()];
            *known = arc.weight.max(*known);
        }
    }
    for goal in goals {
        goal.sums(&mut |sum| {
            if let [(place, factor)] = sum.terms[..] {
                let tokens = if factor > 0 { sum.least } else { 1 - sum.least };
                let known = &mut most[place as usize];
                *known = u64::try_from(tokens).unwrap_or(0).max(*known);
            }
        });
    }
    most
}

/// Whether the clauses have a solution.
pub(super) fn ask(writer: &mut Writer, assumed: &[Literal], budget: &Budget) -> Result<bool, StopReason> {
    loop {
        budget.check(16 * writer.size() as u64, 0)?;
        let time = budget.time_left().map_or(PATIENCE, |left| left.min(PATIENCE));
        if let Some(answer) = writer.solve(assumed, Some(Instant::now() + time)) {
            return Ok(answer);
        }
    }
}
