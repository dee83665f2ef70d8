//! The value of a CTL formula in the initial marking, on the fly and not recursively.
//!
//! A configuration is an operator in a marking. Asking for one begins a search along the markings that follow;
//! where that search needs the value of an operator inside, it begins a search for it on top of itself, which ends
//! with the value before the outer one goes on. In CTL no operator depends on one around it, so this is no loss:
//! each configuration is searched once, and negations need no care. After Vergauwen and Lewi, "A linear local model
//! checking algorithm for CTL" (CONCUR 1993), and LoLA. The other way is a dependency graph ([`super::graph`]), which keeps
//! for every configuration who waits for it; there only the searches for `EU` and `AU` below differ.
//!
//! A search decides all configurations that it met when it ends, so none is ever asked twice:
//!
//! * `EX`: one successor after another.
//! * `A[f U g]`: depth-first. A configuration is true when all its successors are. A successor that is false, one that is
//!   on the path (a cycle without `g`), or a deadlock makes the whole path false.
//! * `E[f U g]`: depth-first, with Tarjan's components. All configurations on his stack lead to the end of the path, so
//!   when `g` is found there they are all true; those of a component that is complete are false.
//!
//! Other orders than depth-first do not decide what they met when they find `g`. So they are for the outermost `EU`
//! only, which is searched once: there they keep the markings that wait in a queue or a heap. Best-first also goes into
//! the nearest successor first elsewhere. With dependency graphs the outermost `EU` is searched like this in each order,
//! since nobody depends on it.
//!
//! Successors are generated a handful at a time, which saves unpacking their marking for each, and those that
//! state predicates decide never wait.
//!
//! Invariants: (1) the frames of one search lie together, those of the search that it waits for above them; (2) an open
//! configuration is on the path or, of `EU`, in a component that is not complete; (3) `low` of an open one is a place
//! of one that it can reach; (4) at the end of a search none of its operator is open.
//! Cost: the edges times the operators. Test: `tests/ctl.rs`, against the reference checker.

use std::cmp::Reverse;

use fireset_kernel::store::{Chunks, Folded, RowId};
use fireset_net::{Budget, Net, PlaceId};

use super::{
    CtlAlgorithm, Way,
    graph::Graph,
    operators::{Kind, Operator, OperatorId, Operators},
    terms::Here,
    values::{Standing, Values},
    waiting::Waiting,
};
use crate::{
    FiresetMode, Order,
    distance::distance,
    search::{ActionCursor, ActionId, MarkingSpace, MarkingTable, PollTimer, SearchStop, StateSpace},
};

/// Successors that are generated at a time.
const HANDFUL: usize = 16;

/// A configuration whose successors are being looked at.
#[derive(Clone, Copy)]
pub(super) struct Frame<N> {
    pub(super) operator: OperatorId,
    pub(super) marking: RowId,
    /// Its place on Tarjan's stack, for `EU`.
    place: u32,
    /// Where its successors begin among those that wait.
    pub(super) base: u32,
    /// Where those that were not generated begin; at the end [`ActionId::LAST`].
    cursor: ActionCursor<N>,
}

/// A configuration on Tarjan's stack.
#[derive(Clone, Copy)]
struct Open {
    marking: RowId,
    low: u32,
}

/// What a successor means for the configuration before it.
enum Meeting {
    /// It decides it.
    Decisive,
    /// It does not count.
    Dull,
    /// It counts; what follows it has to be looked at.
    Undecided,
    /// This operator has to be evaluated there first.
    Asks(OperatorId),
}

/// A formula that is being evaluated.
pub(super) struct Evaluation<'a, S: StateSpace> {
    pub(super) operators: &'a Operators,
    pub(super) markings: MarkingTable<'a, S>,
    /// The net or, of a coloured net, its skeleton.
    pub(super) net: &'a Net,
    /// What is known, by operator.
    pub(super) values: Vec<Values>,
    /// The dependency graphs, by operator, if they are kept.
    pub(super) graphs: Vec<Graph>,
    pub(super) path: Chunks<Frame<S::ActionId>>,
    open: Chunks<Open>,
    /// The successors of the configurations on the path that have to be looked at.
    pub(super) successors: Chunks<RowId>,
    /// Those that were found last.
    pub(super) found: Vec<RowId>,
    /// Those of them that are undecided, and how far they seem from the goal.
    ranked: Vec<(u64, RowId)>,
    order: Order,
    /// Whether the outermost search may have a queue.
    queues: bool,
    waiting: Waiting,
    pub(super) handful: usize,
    /// The row of a successor.
    row: Folded,
    pub(super) pace: PollTimer,
    peak: u64,
}

impl<'a, S: MarkingSpace> Evaluation<'a, S> {
    /// A formula in a space.
    pub(super) fn new(
        operators: &'a Operators,
        markings: MarkingTable<'a, S>,
        net: &'a Net,
        way: Way,
    ) -> Self {
        let values = operators.all.iter().map(|_| Values::default()).collect();
        let graph = |operator: &Operator| Graph::new(operator.kind, way.order);
        let graphs = match way.algorithm {
            CtlAlgorithm::Local | CtlAlgorithm::Sample | CtlAlgorithm::Global => Vec::new(),
            CtlAlgorithm::Graph => operators.all.iter().map(graph).collect(),
        };
        let handful = match way.fireset {
            FiresetMode::Dynamic => HANDFUL,
            FiresetMode::Full => usize::MAX,
        };
        Self {
            operators,
            markings,
            net,
            values,
            graphs,
            path: Chunks::default(),
            open: Chunks::default(),
            successors: Chunks::default(),
            found: Vec::new(),
            ranked: Vec::new(),
            order: way.order,
            queues: way.algorithm != CtlAlgorithm::Sample,
            waiting: Waiting::new(way.order),
            handful,
            row: Folded::default(),
            pace: PollTimer::default(),
            peak: 0,
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

    /// The most bytes that it held when it looked.
    pub(super) fn peak(&self) -> u64 {
        let stacks = self.path.bytes() + self.open.bytes() + self.successors.bytes() + self.waiting.bytes();
        let values: usize = self.values.iter().map(Values::bytes).sum();
        let graphs: usize = self.graphs.iter().map(Graph::bytes).sum();
        self.peak.max((self.markings.bytes() + values + graphs + stacks) as u64)
    }

    /// What is known in a marking.
    pub(super) fn at(&mut self, marking: RowId) -> Here<'_, S> {
        self.markings.store.get(marking, &mut self.row);
        Here { space: self.markings.space, row: self.row.row(), marking, values: &self.values }
    }

    /// Begins a search for an operator in a marking, or for one that it has to wait for.
    pub(super) fn begin(&mut self, mut operator: OperatorId, marking: RowId) {
        let operators = self.operators;
        let alone = loop {
            match self.at(marking).alone(&operators.all[operator as usize]) {
                Ok(alone) => break alone,
                Err(inside) => operator = inside,
            }
        };
        match alone {
            Some(value) => self.values[operator as usize].set(marking, Standing::Decided(value)),
            None => self.enter(operator, marking),
        }
    }

    /// Puts a configuration on the path.
    fn enter(&mut self, operator: OperatorId, marking: RowId) {
        let (place, base) = (self.open.len() as u32, self.successors.len() as u32);
        self.path.push(Frame { operator, marking, place, base, cursor: ActionCursor::default() });
        if self.has_graph(operator) {
            self.ask(operator, marking);
            return;
        }
        if self.kind(operator) == Kind::SomeUntil {
            self.open.push(Open { marking, low: place });
        }
        self.values[operator as usize].set(marking, Standing::Open(place));
    }

    /// Whether the last search, for an operator, is one in its dependency graph.
    fn has_graph(&self, operator: OperatorId) -> bool {
        !self.graphs.is_empty() && self.kind(operator) != Kind::Next && !self.has_queue()
    }

    pub(super) fn kind(&self, operator: OperatorId) -> Kind {
        self.operators.all[operator as usize].kind
    }

    /// Whether the last configuration of the path is of a search whose markings wait elsewhere.
    fn has_queue(&self) -> bool {
        let operator = self.path.get(0).operator;
        let nobody_depends = self.graphs.get(operator as usize).map(Graph::is_empty);
        self.queues
            && self.path.len() == 1
            && self.kind(operator) == Kind::SomeUntil
            && nobody_depends.unwrap_or(self.order != Order::DepthFirst)
    }

    /// Goes on from the last configuration of the path.
    pub(super) fn step(&mut self, frame: Frame<S::ActionId>) -> Result<(), SearchStop<S::ActionId>> {
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
        match self.meet(frame, target, Known::Stored) {
            Meeting::Decisive => self.settle(frame.operator),
            Meeting::Dull => {
                self.successors.pop();
            }
            Meeting::Undecided => {
                self.successors.pop();
                if self.has_queue() {
                    self.put_off(frame.operator, target);
                } else {
                    self.enter(frame.operator, target);
                }
            }
            Meeting::Asks(operator) => self.begin(operator, target),
        }
        Ok(())
    }

    /// Generates some successors of the last configuration of the path.
    fn expand(&mut self, frame: Frame<S::ActionId>) -> Result<(), SearchStop<S::ActionId>> {
        let cursor = &mut self.path.last_mut().expect("it is there").cursor;
        self.found.clear();
        let more = self.markings.next_batch(frame.marking, cursor, self.handful, &mut self.found)?;
        if !more {
            *cursor = ActionCursor(S::ActionId::LAST);
        }
        let kind = self.kind(frame.operator);
        let deadlock = self.found.is_empty() && frame.cursor == ActionCursor::default();
        if deadlock && kind == Kind::AllUntil {
            self.settle(frame.operator);
            return Ok(());
        }
        self.values[frame.operator as usize].approach(&self.found);
        for at in 0..self.found.len() {
            let target = self.found[at];
            match self.meet(frame, target, Known::Found(at)) {
                Meeting::Decisive => {
                    self.ranked.clear();
                    self.settle(frame.operator);
                    return Ok(());
                }
                Meeting::Dull => {}
                Meeting::Undecided if self.has_queue() => self.put_off(frame.operator, target),
                Meeting::Undecided | Meeting::Asks(_) => {
                    let far = self.far(frame.operator, target, Known::Found(at));
                    self.ranked.push((far, target));
                }
            }
        }
        // The last is the first to be looked at.
        self.ranked.sort_by_key(|&(far, _)| Reverse(far));
        self.ranked.drain(..).for_each(|(_, target)| self.successors.push(target));
        Ok(())
    }

    /// Looks at a successor of the last configuration of the path.
    fn meet(&mut self, frame: Frame<S::ActionId>, target: RowId, known: Known) -> Meeting {
        let operators = self.operators;
        let operator = &operators.all[frame.operator as usize];
        let decisive = operator.kind != Kind::AllUntil;
        let meaning = |value: bool| if value == decisive { Meeting::Decisive } else { Meeting::Dull };
        if operator.kind == Kind::Next {
            return self.here(target, known).term(&operator.goal).map_or_else(Meeting::Asks, meaning);
        }
        match self.values[frame.operator as usize].get(target) {
            Standing::Decided(value) => meaning(value),
            Standing::Undecided if self.has_queue() => Meeting::Dull,
            Standing::Undecided => Meeting::Undecided,
            Standing::Open(_) if operator.kind == Kind::AllUntil => Meeting::Decisive,
            Standing::Open(place) => {
                self.lower(frame.place, self.open.get(place as usize).low);
                Meeting::Dull
            }
            Standing::Unseen => {
                let alone = match self.here(target, known).alone(operator) {
                    Ok(alone) => alone,
                    Err(inside) => return Meeting::Asks(inside),
                };
                let standing = alone.map_or(Standing::Undecided, Standing::Decided);
                self.values[frame.operator as usize].set(target, standing);
                alone.map_or(Meeting::Undecided, meaning)
            }
        }
    }

    /// What is known in a successor.
    pub(super) fn here(&mut self, target: RowId, known: Known) -> Here<'_, S> {
        match known {
            Known::Stored => self.at(target),
            Known::Found(at) => {
                let (space, row) = self.markings.found(at);
                Here { space, row, marking: target, values: &self.values }
            }
        }
    }

    /// Something decides the last search: all its open configurations have the value.
    fn settle(&mut self, operator: OperatorId) {
        let kind = self.kind(operator);
        let values = &mut self.values[operator as usize];
        let value = Standing::Decided(kind != Kind::AllUntil);
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
            self.waiting.clear();
        }
    }

    /// Leaves all searches as they are: what is open is undecided again.
    pub(super) fn abandon(&mut self) {
        while let Some(frame) = self.path.pop() {
            let values = &mut self.values[frame.operator as usize];
            values.set(frame.marking, Standing::Undecided);
            while self.open.len() > frame.place as usize {
                let open = self.open.pop().expect("it is above the place");
                values.set(open.marking, Standing::Undecided);
            }
        }
        self.successors = Chunks::default();
        self.ranked.clear();
        self.waiting.clear();
    }

    /// All successors of the last configuration of the path were looked at, and none was decisive.
    fn leave(&mut self, frame: Frame<S::ActionId>) {
        if self.has_queue()
            && let Some(marking) = self.waiting.pop()
        {
            let last = self.path.last_mut().expect("it is there");
            *last = Frame { marking, cursor: ActionCursor::default(), ..frame };
            return;
        }
        self.path.pop();
        let kind = self.kind(frame.operator);
        let values = &mut self.values[frame.operator as usize];
        let value = Standing::Decided(kind == Kind::AllUntil);
        if kind != Kind::SomeUntil {
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

    /// The configuration at a place leads to one with this `low`.
    fn lower(&mut self, place: u32, low: u32) {
        let open = self.open.get(place as usize);
        if low < open.low {
            self.open.set(place as usize, Open { low, ..open });
        }
    }

    /// Lets a marking wait.
    fn put_off(&mut self, operator: OperatorId, marking: RowId) {
        let far = self.far(operator, marking, Known::Stored);
        self.waiting.push(marking, far);
    }

    /// How far a marking seems from an operator's goal, if that decides what is looked at next.
    pub(super) fn far(&mut self, operator: OperatorId, marking: RowId, known: Known) -> u64 {
        let (operators, net) = (self.operators, self.net);
        match &operators.all[operator as usize].target {
            Some(target) if self.order == Order::BestFirst => {
                let Here { space, row, .. } = self.here(marking, known);
                distance(net, target, true, &|place: PlaceId| space.tokens(row, place), false)
            }
            _ => 0,
        }
    }
}

/// Where the row of a successor is.
#[derive(Clone, Copy)]
pub(super) enum Known {
    /// At this position among those that were found last.
    Found(usize),
    /// In the store.
    Stored,
}
