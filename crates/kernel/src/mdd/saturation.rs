//! Images and reachability under events that change few variables each, by saturation.
//!
//! An event changes the local states of some variables, each by itself. Saturation closes the nodes of the lowest variables first,
//! and closes each new node before it is used: an event fires only on nodes that are closed under all events below its highest
//! variable. So most events fire on small sets, and the intermediate sets stay small. Vectors can be
//! constrained to a set (Zhao and Ciardo, "Symbolic CTL model checking of asynchronous systems using constrained saturation", ATVA
//! 2009); [`MddNode::ALL`] is no constraint.
//! Invariant: the nodes that `fire` gives in [`Saturation::closure`] are closed under all events of their variables.

use std::rc::Rc;

use hashbrown::HashMap;

use super::{LocalState, MddManager, MddNode, Stopped, table_bytes};

/// The part of an event on the lower variables, as a number that the [`NextStateRelation`] gives. Events with equal suffixes share
/// it, and so its cached results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventSuffix(pub u32);

impl EventSuffix {
    /// Changes no variable.
    pub const EMPTY: Self = Self(0);
}

/// Steps between vectors, by events that change the local states of some variables, from the highest down, each by itself.
pub trait NextStateRelation {
    /// The effects on a local state of the events whose highest variable this is, where it enables them: the rest of the event,
    /// and the local state afterwards.
    fn local_effects(&mut self, variable: usize, local: LocalState) -> Rc<[(EventSuffix, LocalState)]>;

    /// The highest variable that a suffix, which is not empty, changes or depends on.
    fn top_variable(&self, suffix: EventSuffix) -> usize;

    /// Fires a suffix at its highest variable: the rest of the suffix and the local state afterwards, if `local` enables it.
    fn fire_top(&mut self, suffix: EventSuffix, local: LocalState) -> Option<(EventSuffix, LocalState)>;

    /// The bytes of its tables.
    fn bytes(&self) -> usize;

    /// Relations with the same number lead to the same steps. A manager keeps the results of relations that have a number, so that
    /// an image or a closure that was stopped goes on where it stopped when it is asked again.
    fn number(&self) -> Option<RelationNumber>;
}

/// Distinguishes the relations on the vectors of one manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RelationNumber(pub u32);

/// The results of images or closures so far.
#[derive(Default)]
pub(super) struct StepCaches {
    fire: HashMap<(EventSuffix, MddNode, MddNode), MddNode>,
    image: HashMap<(MddNode, MddNode), MddNode>,
}

impl StepCaches {
    pub(super) fn bytes(&self) -> usize {
        table_bytes(&self.fire) + table_bytes(&self.image)
    }
}

impl MddManager<'_> {
    /// Whether the closure of a set, without a constraint, is among the kept results of a relation.
    pub fn is_closed(&self, relation: RelationNumber, from: MddNode) -> bool {
        let caches = self.step_caches.get(&(relation, ImageMode::Closure));
        caches.is_some_and(|caches| caches.image.contains_key(&(MddNode::ALL, from)))
    }
}

/// The computation of one image or closure, with its caches.
pub struct Saturation<'d, 'g, R> {
    manager: &'d mut MddManager<'g>,
    relation: &'d mut R,
    mode: ImageMode,
    caches: StepCaches,
    /// Lists that are not in use, whose memory is used again.
    spare: Vec<Vec<OpenEdge>>,
    /// The bytes of the caches as the manager has counted them.
    counted_bytes: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ImageMode {
    OneStep,
    Closure,
}

/// An edge of a node under construction.
struct OpenEdge {
    local: LocalState,
    node: MddNode,
    /// Whether the events of its local state have yet to be fired.
    is_pending: bool,
}

impl<'d, 'g, R: NextStateRelation> Saturation<'d, 'g, R> {
    /// The vectors of `within` that one event leads to from a vector of `from`.
    pub fn image(
        manager: &'d mut MddManager<'g>,
        relation: &'d mut R,
        within: MddNode,
        from: MddNode,
    ) -> Result<MddNode, Stopped> {
        Self::run(manager, relation, ImageMode::OneStep, [within, from])
    }

    /// The vectors of `from`, and all that events lead to from them through vectors of `within`.
    pub fn closure(
        manager: &'d mut MddManager<'g>,
        relation: &'d mut R,
        within: MddNode,
        from: MddNode,
    ) -> Result<MddNode, Stopped> {
        Self::run(manager, relation, ImageMode::Closure, [within, from])
    }

    fn run(
        manager: &'d mut MddManager<'g>,
        relation: &'d mut R,
        mode: ImageMode,
        [within, from]: [MddNode; 2],
    ) -> Result<MddNode, Stopped> {
        let kept = relation.number().map(|number| (number, mode));
        let caches = kept.and_then(|key| manager.step_caches.remove(&key)).unwrap_or_default();
        let mut run = Self { manager, relation, mode, caches, spare: Vec::new(), counted_bytes: 0 };
        run.count_bytes();
        let node = run.image_of(within, from);
        let Self { manager, caches, counted_bytes, .. } = run;
        manager.cache_bytes -= counted_bytes;
        // What was under construction when it stopped.
        manager.pending_edges.clear();
        if let Some(key) = kept {
            manager.step_caches.insert(key, caches);
        }
        node
    }

    fn count_bytes(&mut self) {
        let bytes = self.caches.bytes() + self.relation.bytes();
        self.manager.cache_bytes = self.manager.cache_bytes + bytes - self.counted_bytes;
        self.counted_bytes = bytes;
    }

    /// Checks the limits from time to time, after it has updated the bytes of the caches.
    fn poll(&mut self, visited: usize) -> Result<(), Stopped> {
        if self.manager.until_poll <= visited {
            self.count_bytes();
        }
        self.manager.poll(visited)
    }

    /// The image or the closure of a node, by the events on its variables.
    fn image_of(&mut self, within: MddNode, from: MddNode) -> Result<MddNode, Stopped> {
        if from <= MddNode::UNIT || within == MddNode::EMPTY {
            return Ok(if self.mode == ImageMode::Closure { from } else { MddNode::EMPTY });
        }
        if let Some(&known) = self.caches.image.get(&(within, from)) {
            return Ok(known);
        }
        let (variable, mut edges) = (self.manager.variable(from), self.spare.pop().unwrap_or_default());
        let (begin, end) = self.manager.edge_range(from);
        self.poll(end - begin)?;
        for at in begin..end {
            let (local, child) = self.manager.edges[at];
            // By events on lower variables only.
            let inside = self.manager.child(within, local);
            let below = self.image_of(inside, child)?;
            if self.mode == ImageMode::Closure {
                // Local states ascend, and no closure of a child is empty.
                edges.push(OpenEdge { local, node: below, is_pending: false });
                continue;
            }
            self.add(&mut edges, local, below)?;
            for &(suffix, next) in self.relation.local_effects(variable, local).iter() {
                let inside = self.manager.child(within, next);
                let below = self.fire(suffix, inside, child)?;
                self.add(&mut edges, next, below)?;
            }
        }
        let node = self.complete(variable, within, edges)?;
        self.caches.image.insert((within, from), node);
        Ok(node)
    }

    /// Fires the rest of an event on the variables from that of `from` down.
    fn fire(&mut self, suffix: EventSuffix, within: MddNode, from: MddNode) -> Result<MddNode, Stopped> {
        if from == MddNode::EMPTY || within == MddNode::EMPTY {
            return Ok(MddNode::EMPTY);
        }
        if suffix == EventSuffix::EMPTY {
            let inside = self.manager.intersection(within, from)?;
            // Without a constraint the node is closed already.
            let is_open = self.mode == ImageMode::Closure && within != MddNode::ALL;
            return if is_open { self.image_of(within, inside) } else { Ok(inside) };
        }
        if let Some(&known) = self.caches.fire.get(&(suffix, within, from)) {
            return Ok(known);
        }
        let (variable, mut edges) = (self.manager.variable(from), self.spare.pop().unwrap_or_default());
        let here = self.relation.top_variable(suffix) == variable;
        let (begin, end) = self.manager.edge_range(from);
        self.poll(end - begin)?;
        for at in begin..end {
            let (local, child) = self.manager.edges[at];
            let fired = if here { self.relation.fire_top(suffix, local) } else { Some((suffix, local)) };
            let Some((suffix, next)) = fired else { continue };
            let inside = self.manager.child(within, next);
            let below = self.fire(suffix, inside, child)?;
            self.add(&mut edges, next, below)?;
        }
        let node = self.complete(variable, within, edges)?;
        self.caches.fire.insert((suffix, within, from), node);
        Ok(node)
    }

    /// The node of edges whose children are complete.
    fn complete(
        &mut self,
        variable: usize,
        within: MddNode,
        mut edges: Vec<OpenEdge>,
    ) -> Result<MddNode, Stopped> {
        if self.mode == ImageMode::Closure {
            self.saturate(variable, within, &mut edges)?;
        }
        let from = self.manager.pending_edges.len();
        self.manager.pending_edges.extend(edges.drain(..).map(|edge| (edge.local, edge.node)));
        self.spare.push(edges);
        self.manager.intern(variable, from)
    }

    /// Closes a node under construction, whose children are closed.
    fn saturate(
        &mut self,
        variable: usize,
        within: MddNode,
        edges: &mut Vec<OpenEdge>,
    ) -> Result<(), Stopped> {
        let mut pending: Vec<LocalState> = edges.iter().map(|edge| edge.local).collect();
        edges.iter_mut().for_each(|edge| edge.is_pending = true);
        while let Some(local) = pending.pop() {
            let effects = self.relation.local_effects(variable, local);
            self.poll(1 + effects.len())?;
            let at = position(edges, local).expect("a pending local state has an edge");
            edges[at].is_pending = false;
            for &(suffix, next) in effects.iter() {
                let inside = self.manager.child(within, next);
                if inside == MddNode::EMPTY {
                    continue;
                }
                let child = edges[position(edges, local).expect("edges are never removed")].node;
                let below = self.fire(suffix, inside, child)?;
                if let Some(at) = self.add(edges, next, below)?
                    && !std::mem::replace(&mut edges[at].is_pending, true)
                {
                    pending.push(next);
                }
            }
        }
        Ok(())
    }

    /// Adds the tails of a local state to a node under construction; gives the position of its edge if that has grown.
    fn add(
        &mut self,
        edges: &mut Vec<OpenEdge>,
        local: LocalState,
        node: MddNode,
    ) -> Result<Option<usize>, Stopped> {
        if node == MddNode::EMPTY {
            return Ok(None);
        }
        match position(edges, local) {
            Ok(at) => {
                let before = edges[at].node;
                edges[at].node = self.manager.union(before, node)?;
                Ok((edges[at].node != before).then_some(at))
            }
            Err(at) => {
                edges.insert(at, OpenEdge { local, node, is_pending: false });
                Ok(Some(at))
            }
        }
    }
}

/// The position of a local state's edge, or the position where it belongs.
fn position(edges: &[OpenEdge], local: LocalState) -> Result<usize, usize> {
    edges.binary_search_by_key(&local, |edge| edge.local)
}
