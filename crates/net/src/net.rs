//! Place/transition nets with weights and inhibitor arcs, in flat arrays.

use std::{
    any::Any,
    panic::{RefUnwindSafe, UnwindSafe},
};

use crate::{
    FireError, Marking, Nodes, Nupn, PlaceId, Rows, Semantics, Step, Tokens, TransitionId,
    coloured::PlaceColours, derived::Derived,
};

/// One side of an arc, seen from its transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Arc {
    /// The place at the other end.
    pub place: PlaceId,
    /// How many tokens it moves; for an inhibitor arc, the count at which it blocks.
    pub weight: u64,
}

/// What a transition takes from a place and gives to it; not the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Where tokens are taken or given.
    pub place: PlaceId,
    /// The weight of the input arc, or 0.
    pub takes: u64,
    /// The weight of the output arc, or 0.
    pub gives: u64,
}

/// A place/transition net. Arcs of a transition are sorted by place, at most one a place and direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Net {
    /// What its file calls it.
    pub name: String,
    nodes: Nodes,
    pre: Rows<Arc>,
    post: Rows<Arc>,
    inhibitors: Rows<Arc>,
    initial: Marking,
    nupn: Option<Nupn>,
    derived: Derived,
}

impl Net {
    /// Places and transitions by name.
    pub fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    /// What firing `transition` takes.
    pub fn pre(&self, transition: TransitionId) -> &[Arc] {
        &self.pre[transition.index()]
    }

    /// The places that firing `transition` changes; those first that it takes from.
    pub fn changes(&self, transition: TransitionId) -> impl Iterator<Item = Change> {
        let weight = |arcs: &[Arc], place| {
            arcs.binary_search_by_key(&place, |arc| arc.place).map_or(0, |at| arcs[at].weight)
        };
        let (pre, post) = (self.pre(transition), self.post(transition));
        let taken = pre.iter().map(move |arc| (arc.place, arc.weight, weight(post, arc.place)));
        let given = post.iter().filter(move |arc| weight(pre, arc.place) == 0);
        let all = taken.chain(given.map(|arc| (arc.place, 0, arc.weight)));
        all.filter(|(_, takes, gives)| takes != gives).map(|(place, takes, gives)| Change {
            place,
            takes,
            gives,
        })
    }

    /// What firing `transition` gives.
    pub fn post(&self, transition: TransitionId) -> &[Arc] {
        &self.post[transition.index()]
    }

    /// The places that block `transition` while they hold `weight` tokens or more.
    pub fn inhibitors(&self, transition: TransitionId) -> &[Arc] {
        &self.inhibitors[transition.index()]
    }

    /// One count for each place.
    pub fn initial_marking(&self) -> &Marking {
        &self.initial
    }

    /// The same net with another initial marking, which has a count for each place.
    #[must_use]
    pub fn with_initial_marking(&self, initial: Marking) -> Self {
        debug_assert_eq!(initial.0.len(), self.initial.0.len(), "a count for each place");
        Self { initial, derived: Derived::default(), ..self.clone() }
    }

    /// The units that the file declares, if any.
    pub fn nupn(&self) -> Option<&Nupn> {
        self.nupn.as_ref()
    }

    /// The same net with other units.
    #[must_use]
    pub fn with_nupn(self, nupn: Option<Nupn>) -> Self {
        Self { nupn, ..self }
    }

    /// Facts that one other crate derives from the arcs and the initial marking. They are computed at the first call
    /// and kept as long as the net or a clone of it; `None` if facts of another type are kept already.
    pub fn derived<T>(&self, derive: impl FnOnce() -> T) -> Option<&T>
    where
        T: Any + Send + Sync + UnwindSafe + RefUnwindSafe,
    {
        self.derived.get_or_init(derive)
    }

    /// Whether any transition has an inhibitor arc.
    pub fn has_inhibitors(&self) -> bool {
        !self.inhibitors.items().is_empty()
    }

    /// How many arcs there are: input, output and inhibitor arcs.
    pub fn arc_count(&self) -> usize {
        self.pre.items().len() + self.post.items().len() + self.inhibitors.items().len()
    }

    /// For each place how each transition changes it: ascending transitions, no zeros. `None` where a weight is
    /// too large to calculate with.
    pub fn incidence(&self) -> Option<Vec<Vec<(u32, i64)>>> {
        let mut rows: Vec<Vec<(u32, i64)>> = vec![Vec::new(); self.nodes.places.len()];
        for t in self.nodes.transition_ids() {
            let column = t.index() as u32;
            for (arcs, sign) in [(self.pre(t), -1), (self.post(t), 1)] {
                for arc in arcs {
                    let change = sign * i64::try_from(arc.weight).ok()?;
                    let row = &mut rows[arc.place.index()];
                    match row.last_mut().filter(|last| last.0 == column) {
                        Some(last) => last.1 += change,
                        None => row.push((column, change)),
                    }
                }
            }
        }
        rows.iter_mut().for_each(|row| row.retain(|e| e.1 != 0));
        Some(rows)
    }

    /// Why `transition` is not enabled in `marking`, or `Ok`.
    pub fn enabled(&self, marking: &Marking, transition: TransitionId) -> Result<(), FireError> {
        for &Arc { place, weight } in self.pre(transition) {
            let has = marking.tokens(place);
            if has < weight {
                return Err(FireError::TooFew { place, colour: None, needs: weight, has });
            }
        }
        for &Arc { place, weight } in self.inhibitors(transition) {
            let has = marking.tokens(place);
            if has >= weight {
                return Err(FireError::Inhibited { place, colour: None, limit: weight, has });
            }
        }
        Ok(())
    }

    /// The marking after `transition`, which must be enabled in `marking`.
    pub fn fire_transition(&self, marking: &Marking, transition: TransitionId) -> Result<Marking, FireError> {
        self.enabled(marking, transition)?;
        let mut next = marking.clone();
        for arc in self.pre(transition) {
            next.0[arc.place.index()] -= arc.weight;
        }
        for &Arc { place, weight } in self.post(transition) {
            let tokens = &mut next.0[place.index()];
            *tokens = tokens.checked_add(weight).ok_or(FireError::Overflow { place })?;
        }
        Ok(next)
    }
}

impl AsRef<Nodes> for Net {
    fn as_ref(&self) -> &Nodes {
        &self.nodes
    }
}

impl Semantics for Net {
    type State = Marking;

    fn initial(&self) -> Marking {
        self.initial.clone()
    }

    fn steps(&self, state: &Marking) -> Vec<Step> {
        let enabled = |&t: &TransitionId| self.enabled(state, t).is_ok();
        self.nodes.transition_ids().filter(enabled).map(Step::plain).collect()
    }

    fn can_fire(&self, state: &Marking, transition: TransitionId) -> bool {
        self.enabled(state, transition).is_ok()
    }

    fn fire(&self, state: &Marking, step: &Step) -> Result<Marking, FireError> {
        if !step.binding.is_empty() {
            return Err(FireError::Arity { expected: 0, given: step.binding.len() });
        }
        self.fire_transition(state, step.transition)
    }

    fn tokens(&self, state: &Marking, place: PlaceId) -> Tokens {
        let count = state.tokens(place);
        Tokens { total: count.into(), largest: count }
    }

    /// All tokens have the first and only colour.
    fn colour_tokens(&self, state: &Marking, tokens: &PlaceColours) -> u128 {
        if tokens.is_plain() { state.tokens(tokens.place).into() } else { 0 }
    }

    fn monotone(&self) -> bool {
        !self.has_inhibitors()
    }

    fn bytes(&self, state: &Marking) -> usize {
        size_of::<Marking>() + size_of_val(&*state.0)
    }
}

/// Why a net cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// Two nodes of a kind have the same id.
    Duplicate(String),
    /// The weights of parallel arcs, added up, do not fit into 64 bits.
    WeightOverflow {
        /// The transition at one end.
        transition: TransitionId,
        /// The place at the other.
        place: PlaceId,
    },
}

impl std::fmt::Display for BuildError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Duplicate(id) => write!(f, "the id `{id}` is used twice"),
            Self::WeightOverflow { .. } => {
                f.write_str("the weights of parallel arcs do not fit into 64 bits")
            }
        }
    }
}

impl std::error::Error for BuildError {}

/// Collects a net in any order and lays it out at the end.
#[derive(Debug, Default)]
pub struct NetBuilder {
    /// What the file calls the net.
    pub name: String,
    nodes: Nodes,
    initial: Vec<u64>,
    pre: Vec<(TransitionId, Arc)>,
    post: Vec<(TransitionId, Arc)>,
    inhibitors: Vec<(TransitionId, Arc)>,
    /// The units, where the file declares them.
    pub nupn: Option<Nupn>,
}

impl NetBuilder {
    /// An empty net of that name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Adds a place with its initial tokens.
    pub fn place(&mut self, id: &str, tokens: u64) -> Result<PlaceId, BuildError> {
        let at = self.nodes.places.insert(id).ok_or_else(|| BuildError::Duplicate(id.into()))?;
        self.initial.push(tokens);
        Ok(PlaceId::new(at))
    }

    /// Adds a transition.
    pub fn transition(&mut self, id: &str) -> Result<TransitionId, BuildError> {
        let at = self.nodes.transitions.insert(id).ok_or_else(|| BuildError::Duplicate(id.into()))?;
        Ok(TransitionId::new(at))
    }

    /// The nodes so far; labels may be set on them.
    pub fn nodes_mut(&mut self) -> &mut Nodes {
        &mut self.nodes
    }

    /// An arc from a place to a transition. Weight 0 is no arc; parallel arcs add up.
    pub fn input(&mut self, place: PlaceId, transition: TransitionId, weight: u64) {
        if weight > 0 {
            self.pre.push((transition, Arc { place, weight }));
        }
    }

    /// An arc from a transition to a place. Weight 0 is no arc; parallel arcs add up.
    pub fn output(&mut self, transition: TransitionId, place: PlaceId, weight: u64) {
        if weight > 0 {
            self.post.push((transition, Arc { place, weight }));
        }
    }

    /// An inhibitor arc: `transition` is blocked while `place` holds `weight` tokens or more.
    /// Of parallel ones the strictest counts.
    pub fn inhibitor(&mut self, place: PlaceId, transition: TransitionId, weight: u64) {
        self.inhibitors.push((transition, Arc { place, weight }));
    }

    /// The net in its final layout.
    pub fn build(self) -> Result<Net, BuildError> {
        let transitions = self.nodes.transitions.len();
        let add = |a: u64, b: u64| a.checked_add(b);
        Ok(Net {
            name: self.name,
            pre: lay_out(transitions, self.pre, add)?,
            post: lay_out(transitions, self.post, add)?,
            inhibitors: lay_out(transitions, self.inhibitors, |a, b| Some(a.min(b)))?,
            initial: Marking(self.initial.into()),
            nupn: self.nupn,
            derived: Derived::default(),
            nodes: self.nodes,
        })
    }
}

/// Sorts arcs into one row a transition; `merge` joins the weights of parallel ones.
fn lay_out(
    transitions: usize,
    mut arcs: Vec<(TransitionId, Arc)>,
    merge: impl Fn(u64, u64) -> Option<u64>,
) -> Result<Rows<Arc>, BuildError> {
    arcs.sort_unstable();
    let mut rows = Rows::new();
    let mut rest = arcs.into_iter().peekable();
    let mut row: Vec<Arc> = Vec::new();
    for transition in TransitionId::first(transitions) {
        while let Some((_, arc)) = rest.next_if(|(t, _)| *t == transition) {
            match row.last_mut() {
                Some(last) if last.place == arc.place => {
                    last.weight = merge(last.weight, arc.weight)
                        .ok_or(BuildError::WeightOverflow { transition, place: arc.place })?;
                }
                _ => row.push(arc),
            }
        }
        rows.push(row.drain(..));
    }
    Ok(rows)
}
