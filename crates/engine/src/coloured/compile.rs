//! A compiled coloured net: for each transition its conditions, its effect, and the plan that finds its bindings.
//!
//! Actions are numbers in one total order: the transition in the upper bits, the position of the binding among the
//! transition's bindings in the lower ones. Positions are numbers of mixed radix, whose digits are the variables in
//! the order in which the plan binds them. Nets with too many bindings for 64 bits are refused.
//! Test: below, each part against the net's own values on random bindings.

use fireset_net::{
    Step, StopReason, TransitionId,
    coloured::{Colour, ColouredArc, ColouredNet},
};

use super::{
    bags::{Chunk, CompiledBag},
    binding_plan::{self, BindingPlan},
    term::{CompiledGuard, VariableSlots},
};

/// A place and the multiset that an arc moves or tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CompiledArc {
    pub(super) place: usize,
    pub(super) bag: CompiledBag,
}

#[derive(Clone, Debug)]
pub(super) struct CompiledTransition {
    /// The conjuncts of the guard.
    pub(super) guards: Vec<CompiledGuard>,
    pub(super) pre: Vec<CompiledArc>,
    pub(super) post: Vec<CompiledArc>,
    pub(super) inhibitors: Vec<CompiledArc>,
    /// The effect of firing, without tokens that are taken and given back.
    pub(super) takes: Vec<CompiledArc>,
    pub(super) gives: Vec<CompiledArc>,
    pub(super) plan: BindingPlan,
}

#[derive(Clone, Debug)]
pub(crate) struct CompiledNet {
    pub(super) transitions: Vec<CompiledTransition>,
    /// The number of colours of each place.
    pub(super) sizes: Vec<u64>,
    /// The number of bits of an action that hold the position of the binding.
    bits: u32,
}

impl CompiledNet {
    /// Fails if a transition has too many bindings for 64 bits.
    pub(crate) fn new(net: &ColouredNet) -> Result<Self, StopReason> {
        let nodes = net.nodes();
        let counts = nodes.transition_ids().map(|t| bindings(net, t)).collect::<Option<Vec<u64>>>();
        let most = counts.unwrap_or(vec![u64::MAX]).into_iter().max().unwrap_or(1);
        let bits = 64 - most.leading_zeros();
        if bits > 62 || (nodes.transitions.len() as u64) >> (63 - bits) > 0 {
            return Err(StopReason::Bindings(most));
        }
        let size = |p| net.sorts()[net.place(p).sort].size();
        let sizes = nodes.place_ids().map(size).collect();
        let transitions = nodes.transition_ids().map(|t| CompiledTransition::new(net, t)).collect();
        Ok(Self { transitions, sizes, bits })
    }

    /// The action of a binding of a transition.
    #[inline]
    pub(super) fn action(&self, transition: usize, position: u64) -> u64 {
        ((transition as u64) << self.bits) | position
    }

    /// The transition and the position of an action.
    #[inline]
    pub(super) fn parts(&self, action: u64) -> (usize, u64) {
        ((action >> self.bits) as usize, action & ((1 << self.bits) - 1))
    }

    pub(super) fn step(&self, action: u64) -> Step {
        let (transition, position) = self.parts(action);
        let plan = &self.transitions[transition].plan;
        let mut binding = vec![0; plan.variables()];
        plan.unpack(position, &mut binding);
        Step { transition: TransitionId::new(transition), binding: binding.into_iter().map(Colour).collect() }
    }
}

/// The number of bindings of a transition, whatever its guard, if it fits into 64 bits.
fn bindings(net: &ColouredNet, transition: TransitionId) -> Option<u64> {
    sizes(net, transition).into_iter().try_fold(1u64, u64::checked_mul)
}

/// The number of colours of each variable of a transition.
fn sizes(net: &ColouredNet, transition: TransitionId) -> Vec<u64> {
    net.variables_of(transition).iter().map(|&v| net.sorts()[net.variable(v).sort].size()).collect()
}

impl CompiledTransition {
    fn new(net: &ColouredNet, transition: TransitionId) -> Self {
        let sizes = sizes(net, transition);
        let slots =
            VariableSlots { sorts: net.sorts(), variables: net.variables_of(transition), sizes: &sizes };
        let source = net.transition(transition);
        let arcs = |arcs: &[ColouredArc]| -> Vec<CompiledArc> {
            let arc = |arc: &ColouredArc| {
                let bag = CompiledBag::new(&arc.term, net.place(arc.place).sort, slots);
                CompiledArc { place: arc.place.index(), bag }
            };
            arcs.iter().map(arc).filter(|arc| !arc.bag.chunks.is_empty()).collect()
        };
        let (pre, post) = (arcs(&source.pre), arcs(&source.post));
        let (takes, gives) = effect(&pre, &post);
        let guards = CompiledGuard::new(&source.guard, slots).conjuncts();
        let inhibitors = arcs(&source.inhibitors);
        let plan = binding_plan::make(net, &sizes, &guards, (&pre, &inhibitors));
        Self { guards, pre, post, inhibitors, takes, gives, plan }
    }
}

/// The tokens that a transition takes and gives, without those that it gives back.
fn effect(pre: &[CompiledArc], post: &[CompiledArc]) -> (Vec<CompiledArc>, Vec<CompiledArc>) {
    /// More pairs of chunks are not worth comparing.
    const MANY: usize = 1 << 16;
    let (mut takes, mut gives) = (pre.to_vec(), post.to_vec());
    for take in &mut takes {
        let Some(give) = gives.iter_mut().find(|give| give.place == take.place) else { continue };
        if take.bag.chunks.len() * give.bag.chunks.len() <= MANY {
            cancel(&mut take.bag.chunks, &mut give.bag.chunks);
        }
    }
    takes.retain(|arc| !arc.bag.chunks.is_empty());
    gives.retain(|arc| !arc.bag.chunks.is_empty());
    (takes, gives)
}

/// Removes from both sides what both have.
fn cancel(takes: &mut Vec<Chunk>, gives: &mut Vec<Chunk>) {
    for take in takes.iter_mut() {
        for give in gives.iter_mut() {
            let (a, b) = match (&mut *take, give) {
                (Chunk::Item(a), Chunk::Item(b)) if a.term == b.term && a.all == b.all => {
                    (&mut a.count, &mut b.count)
                }
                (Chunk::Minus(a, x), Chunk::Minus(b, y)) if x == y => (a, b),
                (Chunk::Product(a, x), Chunk::Product(b, y)) if x == y => (a, b),
                _ => continue,
            };
            let both = (*a).min(*b);
            *a -= both;
            *b -= both;
        }
    }
    for chunks in [takes, gives] {
        chunks.retain(|chunk| match chunk {
            Chunk::Item(item) => item.count > 0,
            Chunk::Minus(factor, _) | Chunk::Product(factor, _) => *factor > 0,
        });
    }
}

#[cfg(test)]
mod tests {
    use fireset_net::coloured;
    use fireset_oracle::random::{self, TestRng};

    use super::*;
    use crate::coloured::bags::ColourCounts;

    /// Compares the value of an arc's multiset, as the net computes it, with the compiled one.
    fn assert_same(arc: Option<&CompiledArc>, expected: &coloured::Bag, binding: &[u64], label: &str) {
        let mut given = ColourCounts::new();
        if let Some(arc) = arc {
            arc.bag.value(binding, &mut given);
            let total = u64::try_from(expected.total()).unwrap();
            assert!(arc.bag.cardinality().is_none_or(|n| n == total), "{label}: {arc:?}");
        }
        let expected: ColourCounts = expected.iter().map(|(colour, count)| (colour.0, count)).collect();
        assert_eq!(given, expected, "{label}: {arc:?}");
    }

    #[test]
    fn compiled_nets_say_what_the_net_says() {
        let mut compared = 0;
        for seed in 0..1_500 {
            let net = random::coloured(&mut TestRng::new(seed), 50);
            let compiled = CompiledNet::new(&net).unwrap();
            for t in net.nodes().transition_ids() {
                let (source, given) = (net.transition(t), &compiled.transitions[t.index()]);
                for (at, binding) in net.bindings(t).enumerate() {
                    let label = format!("seed {seed}, transition {}, binding {at}", t.index());
                    let colours = net.lookup(t, &binding);
                    let numbers: Vec<u64> = binding.iter().map(|colour| colour.0).collect();
                    let holds = given.guards.iter().all(|guard| guard.holds(&numbers));
                    assert_eq!(holds, source.guard.holds(net.sorts(), &colours), "{label}");
                    let sides = [
                        (&source.pre, &given.pre),
                        (&source.post, &given.post),
                        (&source.inhibitors, &given.inhibitors),
                    ];
                    for (source, given) in sides {
                        for arc in source {
                            let same = given.iter().find(|g| g.place == arc.place.index());
                            assert_same(same, &arc.term.value(net.sorts(), &colours), &numbers, &label);
                            compared += 1;
                        }
                    }
                    let position = given.plan.pack(&numbers);
                    let step = compiled.step(compiled.action(t.index(), position));
                    assert_eq!((step.transition, &step.binding), (t, &binding), "{label}");
                }
            }
        }
        assert!(compared > 10_000, "only {compared} arcs were compared");
    }

    #[test]
    fn positions_follow_each_other() {
        for seed in 0..200 {
            let net = random::coloured(&mut TestRng::new(seed), 0);
            for transition in CompiledNet::new(&net).unwrap().transitions {
                let plan = transition.plan;
                let mut binding = vec![0; plan.variables()];
                plan.unpack(0, &mut binding);
                for position in 0..plan.positions {
                    assert_eq!(plan.pack(&binding), position);
                    assert_eq!(plan.advance(&mut binding), position + 1 < plan.positions);
                }
            }
        }
    }

    #[test]
    fn too_many_bindings_are_refused() {
        let mut builder = coloured::ColouredNetBuilder::new("many");
        let kind = coloured::SortKind::IntRange { start: 0, end: i64::MAX };
        let sort = builder.sorts.add("large", kind).unwrap();
        let place = builder.place("p", sort, coloured::Bag::default()).unwrap();
        let transition = builder.transition("t", coloured::Guard::Constant(true)).unwrap();
        let x = builder.variable("x", sort);
        let term = coloured::BagTerm::One(coloured::ColourTerm::Variable(x));
        builder.input(place, transition, term).unwrap();
        let refused = CompiledNet::new(&builder.build()).unwrap_err();
        assert_eq!(refused, StopReason::Bindings(1 << 63));
    }
}
