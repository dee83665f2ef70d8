//! The set of all reachable markings, explored in several variable orders by turns.
//!
//! Why: in some orders the set is found at once and in others never, by factors of a thousand, and no number tells beforehand which
//! these are. So all orders have turns, and each turn goes on where the last one stopped: the manager keeps what saturation
//! has closed, so the work that a turn repeats is found in its caches.
//! Saturation closes the variables from the lowest up. Their number alone does not tell how far it is (on HealthRecord-PT-17 the
//! orders that find the set are last by it, on SmartHome-PT-18 they are first); but an exploration that has closed no further variable
//! although its effort grew fourfold has to wait until the others have had twice its effort. Measured on a quiet machine, seconds until the
//! states are counted, with explorations that begin anew, with turns, and with waiting twice and four times as long:
//! HealthRecord-PT-17 6.9, 3.4, 2.3, 2.0; SmartHome-PT-18 4.3, 2.9, 2.3, 2.5; Murphy-PT-D4N025 8.4, 6.9, 8.8, 10.0 (noisy).
//! Invariants: (1) a turn is as long as all turns of its exploration before it, so what is repeated is at most as much as
//! what is new; (2) no exploration has had more than four times the effort of another that still goes on.
//! Cost: the effort of the best order times four times the number of orders at worst, and the memory of all explorations. Where that is
//! too much, the largest of those that are suspended is given up, and begins anew with its next turn.
//! Test: `tests/symbolic.rs`, with turns of a few edges.

use fireset_kernel::mdd::{MddManager, MddNode, Saturation, Stopped};
use fireset_net::{Net, StopReason};
use fireset_structure::NetStructure;

use super::{
    EffortLimit, ReachableMarkings,
    events::{EventRelation, EventTable, StepDirection},
    variable_order,
};

/// Nodes are freed before queries are answered if there are more for each one that the reachable markings need.
const MOST_NODES_FOR_EACH: usize = 2;

/// An exploration that closes no further variable waits until it is behind the other ones by this factor.
const HANDICAP: usize = 2;
/// The turns in which the effort grows fourfold.
const TURNS: usize = 2;

/// Explores in one variable order.
struct OrderAttempt<'g> {
    /// The places of each variable.
    groups: Vec<Vec<usize>>,
    /// The checks of the limits in its turns so far.
    spent: usize,
    /// After each turn, the number of variables that were closed, from the lowest on.
    closed: Vec<usize>,
    /// Nothing before the first turn, and after its memory was needed.
    suspended: Option<Suspended<'g>>,
}

/// What an exploration has found so far.
struct Suspended<'g> {
    diagram: MddManager<'g>,
    events: EventTable,
    /// The local states of the initial marking, the lowest variable's first.
    initial: Vec<u32>,
    /// The node of the initial marking, when it is built.
    start: MddNode,
}

/// Finds all reachable markings in diagrams that `manager` starts. Otherwise gives the reason why they were not found, and the
/// bytes held.
pub(super) fn explore<'g>(
    net: &Net,
    effort: usize,
    limits: &EffortLimit<'_>,
    manager: &dyn Fn() -> MddManager<'g>,
) -> Result<ReachableMarkings<'g>, (StopReason, usize)> {
    let semiflows = NetStructure::of(net).place_semiflows(limits.budget);
    let orders = variable_order::orders(net, semiflows.semiflows());
    let new = |groups| OrderAttempt { groups, spent: 0, closed: Vec::new(), suspended: None };
    let mut open: Vec<OrderAttempt<'g>> = orders.into_iter().map(new).collect();
    let (mut held, mut last_reason) = (0, StopReason::Memory);
    let mut again = None;
    while let Some(at) = again.take().or_else(|| (0..open.len()).min_by_key(|&at| (open[at].waits_for(), at)))
    {
        let others = open.iter().map(OrderAttempt::bytes).sum::<usize>() - open[at].bytes();
        limits.suspended_bytes.set(others);
        let found = open[at].turn(net, effort, limits, manager);
        held = others + open[at].bytes();
        match found {
            // In another order the count may not occur: local states are combined that no reachable marking combines.
            _ if open[at].overflows() => {
                drop(open.remove(at));
                last_reason = StopReason::Overflow;
            }
            Ok(reachable) => {
                let found = open.swap_remove(at);
                limits.suspended_bytes.set(0);
                return Ok(found.markings(reachable));
            }
            Err(Stopped) if limits.is_effort() => {}
            Err(Stopped) => match limits.reason() {
                // There may be an order that needs less.
                StopReason::Memory if others == 0 => drop(open.remove(at)),
                StopReason::Memory => {
                    // It goes on at once: otherwise two explorations could take the memory from each other for ever.
                    again = Some(at);
                    let mut others: Vec<_> =
                        open.iter_mut().enumerate().filter(|other| other.0 != at).collect();
                    others.sort_by_key(|other| other.1.bytes());
                    others.pop().expect("there are others").1.suspended = None;
                }
                reason => return Err((reason, held)),
            },
        }
    }
    Err((last_reason, held))
}

impl<'g> OrderAttempt<'g> {
    /// Goes on until the reachable markings are found, or the turn is over.
    fn turn(
        &mut self,
        net: &Net,
        effort: usize,
        limits: &EffortLimit<'_>,
        manager: &dyn Fn() -> MddManager<'g>,
    ) -> Result<MddNode, Stopped> {
        let Suspended { diagram, events, initial, start } = self.suspended.get_or_insert_with(|| {
            let mut events = EventTable::new(net, &self.groups);
            let initial = events.local_states_of(&net.initial_marking().0);
            Suspended { diagram: manager(), events, initial, start: MddNode::EMPTY }
        });
        // Invariant 1.
        let checks = effort.max(self.spent);
        limits.checks.set(checks);
        let reachable = diagram.vector(initial).and_then(|initial| {
            *start = initial;
            let forwards = &mut EventRelation::new(events, StepDirection::Forwards);
            Saturation::closure(diagram, forwards, MddNode::ALL, initial)
        });
        self.spent += checks - limits.checks.get();
        self.closed.push(variables_closed(diagram, *start));
        reachable
    }

    /// The effort of the others at which it has its next turn.
    fn waits_for(&self) -> usize {
        let mut last = self.closed.iter().rev();
        let is_stuck = last.next().is_some_and(|now| last.nth(TURNS - 1).is_some_and(|before| now <= before));
        if is_stuck { self.spent.saturating_mul(HANDICAP) } else { self.spent }
    }

    fn bytes(&self) -> usize {
        self.suspended.as_ref().map_or(0, |suspended| suspended.diagram.bytes() + suspended.events.bytes())
    }

    /// Whether a firing left 64 bits.
    fn overflows(&self) -> bool {
        self.suspended.as_ref().is_some_and(|suspended| suspended.events.overflow)
    }

    /// The markings of an exploration that has come to its end.
    fn markings(self, reachable: MddNode) -> ReachableMarkings<'g> {
        let Suspended { mut diagram, events, initial, .. } = self.suspended.expect("it had a turn");
        let needed = diagram.nodes(reachable).len();
        let frees = diagram.len() / MOST_NODES_FOR_EACH > needed;
        let reachable = if frees { diagram.retain(reachable) } else { reachable };
        ReachableMarkings { diagram, events, initial, reachable }
    }
}

/// The number of variables, from the lowest on, for which a marking is closed under the events on them alone.
fn variables_closed(diagram: &MddManager<'_>, mut marking: MddNode) -> usize {
    if marking == MddNode::EMPTY {
        return 0;
    }
    while marking != MddNode::UNIT && !diagram.is_closed(StepDirection::Forwards.number(), marking) {
        marking = diagram.edges(marking)[0].1;
    }
    diagram.variable(marking)
}
