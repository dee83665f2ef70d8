//! Runs step by step, as people read them: what each step changes, and which atoms of the property hold in each marking.
//!
//! What: the runs of some evidence become tables with a row for each marking, which has the step to it, the places that the step
//! changes, and the values of the property's atoms. A run that ends in a deadlock says what each transition lacks ([`blocked`]).
//! Why: a list of transitions shows that there is a run, and not why it decides the property.
//! Cost: each step is fired once; of the markings only those are held from which another run begins.
//! Test: `tests/run_table.rs`, against the markings of random nets.

pub mod blocked;
mod lanes;
mod turning_point;

pub use lanes::ComponentLane;
pub use turning_point::turning_point;

use std::{collections::HashMap, time::Duration};

use fireset_engine::ltl::accepting_markings;
use fireset_io::marking_text::PrintableChanges;
use fireset_net::{
    Branch, Budget, Evidence, Formula, Model, PlaceId, Property, Query, Semantics, StateAtom, StatePredicate,
    Step,
    replay::{self, Refusal},
};

use self::blocked::{BlockageSearch, BlockedTransition};

/// The longest search for P-semiflows, of which lanes are made.
const LANE_SEARCH: Duration = Duration::from_secs(1);
/// Of longer runs it is not told where the automaton accepts, since all their markings would be held.
const MOST_JUDGED: usize = 10_000;

/// The runs of some evidence as tables with the same columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunTable {
    /// What is told of each marking.
    pub columns: Vec<RunColumn>,
    /// The components of a place/transition net that have one token each.
    pub lanes: Vec<ComponentLane>,
    /// In the order of the evidence, each from a marking of those before it.
    pub runs: Vec<TabledRun>,
}

/// What is told of each marking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunColumn {
    /// Whether a part of the property holds.
    Atom(StatePredicate),
    /// The tokens of the places of a bound.
    Tokens(Vec<PlaceId>),
}

/// A value in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunValue {
    /// Whether the atom holds.
    Truth(bool),
    /// The number of tokens.
    Count(u128),
}

/// A run with a row for each step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TabledRun {
    /// The number of the marking where it begins: 0 is the initial one, and each step of each run leads to the next number.
    pub from: usize,
    /// The marked places where it begins.
    pub marking: Vec<PlaceText>,
    /// The values where it begins.
    pub values: Vec<RunValue>,
    /// What happens, in order.
    pub rows: Vec<RunRow>,
    /// For each marking from the first one on whether the automaton of an LTL property accepts there again and again; empty if there
    /// is none.
    pub accepting: Vec<bool>,
    /// What follows the last step.
    pub end: RunEnd,
}

/// A step and the marking after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRow {
    /// The transition that fires, with its binding.
    pub step: Step,
    /// The places that it changes, with the change.
    pub changes: Vec<PlaceText>,
    /// The values after it.
    pub values: Vec<RunValue>,
}

/// What is told of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceText {
    /// Which one it is.
    pub place: PlaceId,
    /// Its name with its tokens, or with their change: `p`, `2*p`, `p 1→0`.
    pub text: String,
    /// Whether it has tokens then.
    pub is_marked: bool,
}

/// What follows the last step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// The run may go on.
    Open,
    /// The last marking is the one after this number of steps of the run.
    BackTo(usize),
    /// Nothing is enabled; for each transition what it lacks.
    Deadlock(Vec<BlockedTransition>),
}

impl RunTable {
    /// The runs that show the value of a property, or the first step that does not fit. A certificate has no run.
    pub fn new(model: &Model, property: &Property, evidence: &Evidence) -> Result<Self, Refusal> {
        let (columns, evidence_runs) = (columns(model, property), runs(evidence));
        let mut runs = match model {
            Model::Plain(net) => tabled(net, &columns, &evidence_runs),
            Model::Coloured(net) => tabled(net, &columns, &evidence_runs),
        }?;
        let lanes = match model {
            Model::Plain(net) => lanes::of(net, &Budget::unlimited().with_timeout(LANE_SEARCH)),
            Model::Coloured(_) => Vec::new(),
        };
        if let (Ok(query), [run], [evidence]) = (property.query(), &mut runs[..], &evidence_runs[..]) {
            let accepting = match model {
                Model::Plain(net) => accepting(net, &query, evidence),
                Model::Coloured(net) => accepting(net, &query, evidence),
            };
            run.accepting = accepting.unwrap_or_default();
        }
        Ok(Self { columns, lanes, runs })
    }
}

/// For each marking of a lasso whether the automaton accepts there.
fn accepting<S: Semantics>(net: &S, query: &Query, run: &EvidenceRun<'_>) -> Option<Vec<bool>> {
    if run.steps.len() > MOST_JUDGED {
        return None;
    }
    let steps: Vec<Step> = run.steps.iter().map(|&step| step.clone()).collect();
    let mut markings = replay::states(net, &steps).ok()?;
    let back_to = match run.back_to {
        // The marking at the end is the one where the cycle begins.
        Some(back_to) => {
            markings.pop();
            back_to
        }
        None => markings.len() - 1,
    };
    let mut accepting = accepting_markings(net, query, &markings, back_to)?;
    accepting.extend(run.back_to.map(|back_to| accepting[back_to]));
    Some(accepting)
}

/// The steps of a run of some evidence, and where it begins.
struct EvidenceRun<'e> {
    from: usize,
    steps: Vec<&'e Step>,
    /// The number of steps to the marking to which a lasso leads back.
    back_to: Option<usize>,
}

fn runs<'e>(evidence: &'e Evidence) -> Vec<EvidenceRun<'e>> {
    match evidence {
        Evidence::Trace(trace) => {
            vec![EvidenceRun { from: 0, steps: trace.0.iter().collect(), back_to: None }]
        }
        Evidence::Lasso(lasso) => {
            let steps = lasso.prefix.iter().chain(&lasso.cycle).collect();
            let back_to = (!lasso.cycle.is_empty()).then_some(lasso.prefix.len());
            vec![EvidenceRun { from: 0, steps, back_to }]
        }
        Evidence::Branching(branching) => {
            let run = |Branch { from, steps }: &'e Branch| EvidenceRun {
                from: *from,
                steps: steps.iter().collect(),
                back_to: None,
            };
            branching.runs.iter().map(run).collect()
        }
        Evidence::Certificate(_) => Vec::new(),
    }
}

/// The atoms of a property, each once, or the places of a bound.
fn columns(model: &Model, property: &Property) -> Vec<RunColumn> {
    let spelled_out = property.query().ok().and_then(|query| query.spelled_out(model));
    let formula = spelled_out.map_or_else(|| property.formula.clone(), |query| query.formula());
    let (mut open, mut columns) = (vec![&formula], Vec::new());
    while let Some(formula) = open.pop() {
        let column = match formula {
            Formula::Bound(places) => Some(RunColumn::Tokens(places.clone())),
            Formula::Deadlock | Formula::Fireable(_) | Formula::BindingFireable(_) | Formula::Compare(..) => {
                StatePredicate::try_from(formula).ok().map(RunColumn::Atom)
            }
            _ => None,
        };
        columns.extend(column.filter(|column| !columns.contains(column)));
        open.extend(formula.children().rev());
    }
    columns
}

/// The tables of some runs of a net.
fn tabled<S: PrintableChanges + BlockageSearch>(
    net: &S,
    columns: &[RunColumn],
    runs: &[EvidenceRun<'_>],
) -> Result<Vec<TabledRun>, Refusal> {
    let mut starts: HashMap<usize, Option<S::State>> = runs.iter().map(|run| (run.from, None)).collect();
    starts.insert(0, Some(net.initial()));
    let (mut number, mut all) = (0, Vec::new());
    for run in runs {
        let no_state = Refusal::NoState { state: run.from };
        let mut now = starts.get(&run.from).cloned().flatten().ok_or(no_state)?;
        let places = net.as_ref().place_ids();
        let marked = |place| net.text(&now, place).map(|text| PlaceText { place, text, is_marked: true });
        let marking = places.filter_map(marked).collect();
        let (start, values) = (now.clone(), values(net, columns, &now));
        let mut rows = Vec::with_capacity(run.steps.len());
        for (at, &step) in run.steps.iter().enumerate() {
            if step.transition.index() >= net.as_ref().transitions.len() {
                return Err(Refusal::NoTransition { at });
            }
            let fired = net.fire(&now, step);
            let next = fired.map_err(|why| Refusal::Step { at, step: step.clone(), why })?;
            let changes = net.changed_places(step.transition).into_iter();
            let changes = changes.filter(|&place| net.text(&now, place) != net.text(&next, place));
            let change = |place| {
                let is_marked = net.tokens(&next, place).total > 0;
                PlaceText { place, text: net.change(&now, &next, place), is_marked }
            };
            let changes = changes.map(change).collect();
            rows.push(RunRow { step: step.clone(), changes, values: self::values(net, columns, &next) });
            number += 1;
            if let Some(kept @ None) = starts.get_mut(&number) {
                *kept = Some(next.clone());
            }
            now = next;
        }
        let end = match run.back_to.or_else(|| earlier(net, start, &run.steps, &now)) {
            Some(steps) => RunEnd::BackTo(steps),
            None if replay::holds_in(net, &now, &StateAtom::Deadlock.into()) => {
                RunEnd::Deadlock(blocked::all(net, &now))
            }
            None => RunEnd::Open,
        };
        all.push(TabledRun { from: run.from, marking, values, rows, accepting: Vec::new(), end });
    }
    Ok(all)
}

/// The number of steps after which a run was in its last marking before. It is found by firing again, so that no markings are kept.
fn earlier<S: PrintableChanges>(net: &S, start: S::State, steps: &[&Step], last: &S::State) -> Option<usize> {
    let mut now = start;
    for (at, step) in steps.iter().enumerate() {
        if now == *last {
            return Some(at);
        }
        now = net.fire(&now, step).ok()?;
    }
    None
}

fn values<S: PrintableChanges>(net: &S, columns: &[RunColumn], state: &S::State) -> Vec<RunValue> {
    let value = |column: &RunColumn| match column {
        RunColumn::Atom(predicate) => RunValue::Truth(replay::holds_in(net, state, predicate)),
        RunColumn::Tokens(places) => {
            RunValue::Count(places.iter().map(|&place| net.tokens(state, place).total).sum())
        }
    };
    columns.iter().map(value).collect()
}
