//! The value of a CTL formula in the initial marking, on the fly and not recursively.
//!
//! A configuration is an operator in a marking. Its value is searched for along the markings that follow; where that search
//! needs the value of an inner operator, it begins a search for it on top of itself, which ends with the value before the
//! outer one continues. In CTL no operator depends on an outer one, so this is no loss:
//! each configuration is searched once, and negations need no care. After Vergauwen and Lewi, "A linear local model
//! checking algorithm for CTL" (CONCUR 1993), and LoLA. The alternative is a dependency graph ([`super::dependency_graph`]),
//! which keeps for every configuration those that wait for it; there only the searches for `EU` and `AU` below differ.
//!
//! When a search ends it has decided all configurations that it visited, so none is ever searched twice:
//!
//! * `EX`: one successor after another.
//! * `A[f U g]`: depth-first. A configuration is true when all its successors are. A successor that is false, one that is
//!   on the path (a cycle without `g`), or a deadlock makes the whole path false.
//! * `E[f U g]`: depth-first, with Tarjan's components. All configurations on the stack lead to the end of the path, so
//!   when `g` is found there they are all true; those of a component that is complete are false.
//!
//! Other orders than depth-first do not decide the configurations that they visited when they find `g`. So they are for the outermost `EU`
//! only, which is searched once: there they keep the markings that wait in a queue or a heap. Best-first also goes into
//! the nearest successor first elsewhere. With dependency graphs the outermost `EU` is searched like this in each order,
//! since no other configuration depends on it.
//!
//! Successors are generated a handful at a time, which saves unpacking their marking for each, and those that
//! state predicates decide never wait.
//!
//! Invariants: (1) the frames of one search lie together, those of the search that it waits for above them; (2) an open
//! configuration is on the path or, of `EU`, in a component that is not complete; (3) `low` of an open one is the
//! position of one that it can reach; (4) at the end of a search no configuration of its operator is open.
//! Cost: the edges times the operators. Test: `tests/ctl.rs`, against the reference checker.

use std::cmp::Reverse;

use fireset_kernel::store::{ChunkedVec, RowId, TreeRow};
use fireset_net::{Budget, Net};

use super::{
    CtlAlgorithm, CtlConfig, Learning,
    dependency_graph::DependencyGraph,
    lemmas::Lemmas,
    operators::{CompiledCtl, OperatorId, TemporalKind, TemporalOperator},
    status::{Status, StatusTable},
    terms::MarkingValuation,
    worklist::Worklist,
};
use crate::{
    FiresetMode, Order,
    distance::{Activity, distance},
    search::{
        ActionCursor, ActionId, MarkingSpace, MarkingTable, PollTimer, RowCounts, SearchStop, StateSpace,
    },
};

/// The number of successors that are generated at a time.
const HANDFUL: usize = 16;

/// A configuration whose successors are being visited.
#[derive(Clone, Copy)]
pub(super) struct EvaluationFrame<N> {
    pub(super) operator: OperatorId,
    pub(super) marking: RowId,
    /// Of the configuration on Tarjan's stack, for `EU`.
    place: u32,
    /// The position of its first successor among those that wait.
    pub(super) base: u32,
    /// The next successor to be generated; at the end [`ActionId::LAST`].
    cursor: ActionCursor<N>,
}

/// A configuration on Tarjan's stack.
#[derive(Clone, Copy)]
struct TarjanEntry {
    marking: RowId,
    low: u32,
}

/// What a successor contributes to the value of the configuration before it.
enum Contribution {
    /// It decides the value.
    Decisive,
    /// It does not change the value.
    Irrelevant,
    /// Its own successors have to be visited first.
    Undecided,
    /// This operator has to be evaluated in the successor first.
    Needs(OperatorId),
}

pub(super) struct Evaluation<'a, S: StateSpace> {
    pub(super) operators: &'a CompiledCtl,
    pub(super) markings: MarkingTable<'a, S>,
    /// The net or, of a coloured net, its skeleton.
    pub(super) net: &'a Net,
    /// One table for each operator.
    pub(super) values: Vec<StatusTable>,
    /// By operator; empty unless the algorithm is [`CtlAlgorithm::DependencyGraph`].
    pub(super) graphs: Vec<DependencyGraph>,
    /// What values say about other markings; only on place/transition nets, and not with dependency graphs.
    pub(super) lemmas: Option<Box<Lemmas<'a>>>,
    pub(super) path: ChunkedVec<EvaluationFrame<S::ActionId>>,
    open: ChunkedVec<TarjanEntry>,
    /// The successors of the configurations on the path that have to be visited.
    pub(super) successors: ChunkedVec<RowId>,
    /// The successors that were generated last.
    pub(super) found: Vec<RowId>,
    /// The undecided ones of them, with their estimated distance to the goal.
    ranked: Vec<(u64, RowId)>,
    order: Order,
    /// Whether the outermost search may have a queue.
    pub(super) queues: bool,
    worklist: Worklist,
    pub(super) handful: usize,
    /// The row that was read from the store last.
    row: TreeRow,
    pub(super) pace: PollTimer,
    peak: u64,
    /// The bytes of what is known about other formulas.
    pub(super) beside: usize,
}

impl<'a, S: MarkingSpace> Evaluation<'a, S> {
    pub(super) fn new(
        operators: &'a CompiledCtl,
        markings: MarkingTable<'a, S>,
        net: &'a Net,
        config: CtlConfig,
    ) -> Self {
        let values = operators.all.iter().map(|_| StatusTable::default()).collect();
        let graph = |operator: &TemporalOperator| DependencyGraph::new(operator.kind, config.order);
        let graphs = match config.algorithm {
            CtlAlgorithm::Local | CtlAlgorithm::RandomWalk | CtlAlgorithm::Global => Vec::new(),
            CtlAlgorithm::DependencyGraph => operators.all.iter().map(graph).collect(),
        };
        let learns = config.learning != Learning::Off && graphs.is_empty();
        let lemmas = learns.then(|| Box::new(Lemmas::new(net, operators, config.learning)));
        let handful = match config.fireset {
            FiresetMode::Dynamic => HANDFUL,
            FiresetMode::Full => usize::MAX,
        };
        Self {
            operators,
            markings,
            net,
            values,
            graphs,
            lemmas,
            path: ChunkedVec::default(),
            open: ChunkedVec::default(),
            successors: ChunkedVec::default(),
            found: Vec::new(),
            ranked: Vec::new(),
            order: config.order,
            queues: config.algorithm != CtlAlgorithm::RandomWalk,
            worklist: Worklist::new(config.order),
            handful,
            row: TreeRow::default(),
            pace: PollTimer::default(),
            peak: 0,
            beside: 0,
        }
    }

    /// The value of the formula in the initial marking.
    pub(super) fn run(&mut self, budget: &Budget) -> Result<bool, SearchStop<S::ActionId>> {
        let (initial, operators) = (self.markings.initial, self.operators);
        self.check(budget)?;
        loop {
            match self.at(initial).term(&operators.root) {
                Ok(value) => return Ok(value),
                Err(operator) => self.begin(operator, initial),
            }
            while let Some(&mut frame) = self.path.last_mut() {
                if self.pace.is_due() {
                    self.check(budget)?;
                }
                self.step(frame)?;
            }
        }
    }

    pub(super) fn check(&mut self, budget: &Budget) -> Result<(), SearchStop<S::ActionId>> {
        self.peak = self.peak();
        budget.check(self.peak, self.markings.store.len() as u64).map_err(SearchStop::Reason)
    }

    /// The most bytes held at any check.
    pub(super) fn peak(&self) -> u64 {
        let stacks = self.path.bytes() + self.open.bytes() + self.successors.bytes() + self.worklist.bytes();
        let values: usize = self.values.iter().map(StatusTable::bytes).sum();
        let graphs: usize = self.graphs.iter().map(DependencyGraph::bytes).sum();
        let lemmas = self.lemmas.as_ref().map_or(0, |lemmas| lemmas.bytes());
        self.peak.max((self.markings.bytes() + values + graphs + stacks + lemmas + self.beside) as u64)
    }

    pub(super) fn at(&mut self, marking: RowId) -> MarkingValuation<'_, S> {
        self.markings.store.get(marking, &mut self.row);
        MarkingValuation { space: self.markings.space, row: self.row.row(), marking, values: &self.values }
    }

    /// Begins a search for an operator in a marking, or for an inner one that it needs first.
    pub(super) fn begin(&mut self, mut operator: OperatorId, marking: RowId) {
        let operators = self.operators;
        let alone = loop {
            let alone = match self.at(marking).alone(&operators.all[operator as usize]) {
                Ok(Some(value)) => break Some(value),
                alone => alone,
            };
            if let Some(value) = self.recall(operator, marking, RowSource::Stored) {
                break Some(value);
            }
            match alone {
                Ok(alone) => break alone,
                Err(inside) => operator = inside,
            }
        };
        match alone {
            Some(value) => self.values[operator as usize].set(marking, Status::Decided(value)),
            None => self.enter(operator, marking),
        }
    }

    /// Puts a configuration on the path.
    fn enter(&mut self, operator: OperatorId, marking: RowId) {
        let (place, base) = (self.open.len() as u32, self.successors.len() as u32);
        self.path.push(EvaluationFrame { operator, marking, place, base, cursor: ActionCursor::default() });
        if self.has_graph(operator) {
            self.ask(operator, marking);
            return;
        }
        if self.kind(operator) == TemporalKind::SomeUntil {
            self.open.push(TarjanEntry { marking, low: place });
        }
        self.values[operator as usize].set(marking, Status::Open(place));
    }

    /// Whether the last search, for an operator, is one in its dependency graph.
    fn has_graph(&self, operator: OperatorId) -> bool {
        !self.graphs.is_empty() && self.kind(operator) != TemporalKind::Next && !self.has_queue()
    }

    pub(super) fn kind(&self, operator: OperatorId) -> TemporalKind {
        self.operators.all[operator as usize].kind
    }

    /// Whether the search of the last configuration of the path keeps its markings in the worklist.
    pub(super) fn has_queue(&self) -> bool {
        let operator = self.path.get(0).operator;
        let no_dependents = self.graphs.get(operator as usize).map(DependencyGraph::is_empty);
        self.queues
            && self.path.len() == 1
            && self.kind(operator) == TemporalKind::SomeUntil
            && no_dependents.unwrap_or(self.order != Order::DepthFirst)
    }

    /// Goes on from the last configuration of the path.
    pub(super) fn step(
        &mut self,
        frame: EvaluationFrame<S::ActionId>,
    ) -> Result<(), SearchStop<S::ActionId>> {
        if self.has_graph(frame.operator) {
            return self.search(frame);
        }
        if self.successors.len() == frame.base as usize {
            if frame.cursor == ActionCursor(S::ActionId::LAST) {
                self.leave(frame);
                return Ok(());
            }
            return self.expand(frame);
        }
        let target = *self.successors.last_mut().expect("there are some");
        match self.contribution(frame, target, RowSource::Stored) {
            Contribution::Decisive => {
                self.learn(frame.operator, target);
                self.settle(frame.operator);
            }
            Contribution::Irrelevant => {
                self.successors.pop();
            }
            Contribution::Undecided => {
                self.successors.pop();
                if self.has_queue() {
                    self.put_off(frame.operator, target);
                } else {
                    self.enter(frame.operator, target);
                }
            }
            Contribution::Needs(operator) => self.begin(operator, target),
        }
        Ok(())
    }

    /// Generates some successors of the last configuration of the path.
    fn expand(&mut self, frame: EvaluationFrame<S::ActionId>) -> Result<(), SearchStop<S::ActionId>> {
        let cursor = &mut self.path.last_mut().expect("it is there").cursor;
        self.found.clear();
        let more = self.markings.next_batch(frame.marking, cursor, self.handful, &mut self.found)?;
        if !more {
            *cursor = ActionCursor(S::ActionId::LAST);
        }
        let kind = self.kind(frame.operator);
        let deadlock = self.found.is_empty() && frame.cursor == ActionCursor::default();
        if deadlock && kind == TemporalKind::AllUntil {
            self.settle(frame.operator);
            return Ok(());
        }
        self.values[frame.operator as usize].prefetch(&self.found);
        for at in 0..self.found.len() {
            let target = self.found[at];
            match self.contribution(frame, target, RowSource::Found(at)) {
                Contribution::Decisive => {
                    self.ranked.clear();
                    self.learn(frame.operator, target);
                    self.settle(frame.operator);
                    return Ok(());
                }
                Contribution::Irrelevant => {}
                Contribution::Undecided if self.has_queue() => self.put_off(frame.operator, target),
                Contribution::Undecided | Contribution::Needs(_) => {
                    let far = self.far(frame.operator, target, RowSource::Found(at));
                    self.ranked.push((far, target));
                }
            }
        }
        // The last successor is visited first.
        self.ranked.sort_by_key(|&(far, _)| Reverse(far));
        self.ranked.drain(..).for_each(|(_, target)| self.successors.push(target));
        Ok(())
    }

    /// The contribution of a successor to the last configuration of the path.
    fn contribution(
        &mut self,
        frame: EvaluationFrame<S::ActionId>,
        target: RowId,
        known: RowSource,
    ) -> Contribution {
        let operators = self.operators;
        let operator = &operators.all[frame.operator as usize];
        let decisive = operator.kind != TemporalKind::AllUntil;
        let meaning =
            |value: bool| if value == decisive { Contribution::Decisive } else { Contribution::Irrelevant };
        if operator.kind == TemporalKind::Next {
            return self.here(target, known).term(&operator.goal).map_or_else(Contribution::Needs, meaning);
        }
        match self.values[frame.operator as usize].get(target) {
            Status::Decided(value) => meaning(value),
            Status::Undecided if self.has_queue() => Contribution::Irrelevant,
            Status::Undecided => Contribution::Undecided,
            Status::Open(_) if operator.kind == TemporalKind::AllUntil => Contribution::Decisive,
            Status::Open(place) => {
                self.lower(frame.place, self.open.get(place as usize).low);
                Contribution::Irrelevant
            }
            Status::Unseen => {
                let alone = match self.here(target, known).alone(operator) {
                    Ok(Some(value)) => Some(value),
                    alone => match (self.recall(frame.operator, target, known), alone) {
                        (None, Err(inside)) => return Contribution::Needs(inside),
                        (recalled, _) => recalled,
                    },
                };
                let status = alone.map_or(Status::Undecided, Status::Decided);
                self.values[frame.operator as usize].set(target, status);
                alone.map_or(Contribution::Undecided, meaning)
            }
        }
    }

    pub(super) fn here(&mut self, target: RowId, known: RowSource) -> MarkingValuation<'_, S> {
        match known {
            RowSource::Stored => self.at(target),
            RowSource::Found(at) => {
                let (space, row) = self.markings.found(at);
                MarkingValuation { space, row, marking: target, values: &self.values }
            }
        }
    }

    /// Gives all open configurations of the last search the decisive value.
    fn settle(&mut self, operator: OperatorId) {
        let kind = self.kind(operator);
        let values = &mut self.values[operator as usize];
        let value = Status::Decided(kind != TemporalKind::AllUntil);
        let mut place = self.open.len();
        while let Some(frame) = self.path.last_mut().filter(|frame| frame.operator == operator) {
            values.set(frame.marking, value);
            place = frame.place as usize;
            while self.successors.len() > frame.base as usize {
                self.successors.pop();
            }
            self.path.pop();
        }
        while self.open.len() > place {
            let open = self.open.pop().expect("it is above the place");
            values.set(open.marking, value);
        }
        if self.path.is_empty() {
            self.worklist.clear();
        }
    }

    /// Abandons all searches: open configurations are undecided again.
    pub(super) fn abandon(&mut self) {
        while let Some(frame) = self.path.pop() {
            let values = &mut self.values[frame.operator as usize];
            values.set(frame.marking, Status::Undecided);
            while self.open.len() > frame.place as usize {
                let open = self.open.pop().expect("it is above the place");
                values.set(open.marking, Status::Undecided);
            }
        }
        self.successors = ChunkedVec::default();
        self.ranked.clear();
        self.worklist.clear();
    }

    /// Leaves the last configuration of the path, none of whose successors was decisive.
    fn leave(&mut self, frame: EvaluationFrame<S::ActionId>) {
        if self.has_queue()
            && let Some(marking) = self.worklist.pop()
        {
            let last = self.path.last_mut().expect("it is there");
            *last = EvaluationFrame { marking, cursor: ActionCursor::default(), ..frame };
            return;
        }
        self.path.pop();
        let kind = self.kind(frame.operator);
        let values = &mut self.values[frame.operator as usize];
        let value = Status::Decided(kind == TemporalKind::AllUntil);
        if kind != TemporalKind::SomeUntil {
            values.set(frame.marking, value);
            return;
        }
        let low = self.open.get(frame.place as usize).low;
        if low < frame.place {
            let before = self.path.last_mut().expect("its component has a root").place;
            self.lower(before, low);
            return;
        }
        while self.open.len() > frame.place as usize {
            let open = self.open.pop().expect("it is above the place");
            values.set(open.marking, value);
        }
    }

    /// Lowers the `low` of a configuration on Tarjan's stack.
    fn lower(&mut self, place: u32, low: u32) {
        let open = self.open.get(place as usize);
        if low < open.low {
            self.open.set(place as usize, TarjanEntry { low, ..open });
        }
    }

    /// Adds a marking to the worklist.
    fn put_off(&mut self, operator: OperatorId, marking: RowId) {
        let far = self.far(operator, marking, RowSource::Stored);
        self.worklist.push(marking, far);
    }

    /// The estimated distance of a marking to an operator's goal, if the search is best-first; otherwise 0.
    pub(super) fn far(&mut self, operator: OperatorId, marking: RowId, known: RowSource) -> u64 {
        let (operators, net) = (self.operators, self.net);
        match &operators.all[operator as usize].target {
            Some(target) if self.order == Order::BestFirst => {
                let MarkingValuation { space, row, .. } = self.here(marking, known);
                distance(net, target, true, &RowCounts { space, row }, Activity::Enabled)
            }
            _ => 0,
        }
    }
}

#[derive(Clone, Copy)]
pub(super) enum RowSource {
    /// At this position among the successors that were generated last.
    Found(usize),
    /// In the store of markings.
    Stored,
}
