//! Random nets of the classes that algorithms treat apart, so that each of those paths is taken often.

use fireset_net::{Net, NetBuilder, Nupn, PlaceId, TransitionId, Unit, UnitId};

use super::{NetShape, TestRng, grown, net, units};

/// A class of random nets. All but [`Huge`](Self::Huge) have mostly fewer than a few hundred reachable markings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetFamily {
    /// Any places and transitions, see [`net`].
    Unstructured,
    /// Pieces that structural reductions recognise, see [`grown`].
    Grown,
    /// Up to 40 places in a row, some of them with a way back or a way out.
    LongChain,
    /// Every place has one producer and one consumer.
    MarkedGraph,
    /// Transitions that share an input place have the same input places.
    FreeChoice,
    /// Every transition takes one token and gives one.
    StateMachine,
    /// Copies of a small net that share nothing, or one place.
    IdenticalComponents,
    /// The weights and most initial counts are multiples of one number.
    CommonDivisor,
    /// State machines that synchronise, with their nested-unit structure: unit-safe, and claimed to be.
    UnitSafe,
    /// Units that are drawn blindly and do not claim to be safe.
    UnclaimedUnits,
    /// Counts and weights near 2^63 and 2^64, so that sums and differences leave 64 bits.
    Huge,
}

impl NetFamily {
    /// In the order of their declaration.
    pub const ALL: [Self; 11] = [
        Self::Unstructured,
        Self::Grown,
        Self::LongChain,
        Self::MarkedGraph,
        Self::FreeChoice,
        Self::StateMachine,
        Self::IdenticalComponents,
        Self::CommonDivisor,
        Self::UnitSafe,
        Self::UnclaimedUnits,
        Self::Huge,
    ];

    /// Those of a structure that [`net`] and [`grown`] hardly ever draw.
    pub const STRUCTURED: [Self; 9] = [
        Self::LongChain,
        Self::MarkedGraph,
        Self::FreeChoice,
        Self::StateMachine,
        Self::IdenticalComponents,
        Self::CommonDivisor,
        Self::UnitSafe,
        Self::UnclaimedUnits,
        Self::Huge,
    ];

    /// A net of the family.
    pub fn draw(self, random: &mut TestRng) -> Net {
        match self {
            Self::Unstructured => net(random, &NetShape::default()),
            Self::Grown => grown(random, 20),
            Self::LongChain => long_chain(random),
            Self::MarkedGraph => marked_graph(random),
            Self::FreeChoice => free_choice(random),
            Self::StateMachine => state_machine(random),
            Self::IdenticalComponents => identical_components(random),
            Self::CommonDivisor => common_divisor(random),
            Self::UnitSafe => unit_safe(random),
            Self::UnclaimedUnits => {
                let net = net(random, &NetShape { tokens: 1, ..NetShape::default() });
                let units = Nupn { unit_safe: false, ..units(random, &net) };
                net.with_nupn(Some(units))
            }
            Self::Huge => huge(random),
        }
    }
}

/// For every fourth seed a net of one of the structured families, in turn. Tests draw their other nets as they like, so that
/// the same number of seeds covers all families.
pub fn structured(random: &mut TestRng, seed: u64) -> Option<Net> {
    let family = NetFamily::STRUCTURED[(seed / 4) as usize % NetFamily::STRUCTURED.len()];
    (seed % 4 == 3).then(|| family.draw(random))
}

/// A net under construction whose nodes are named by their numbers.
struct NumberedNet {
    builder: NetBuilder,
    places: Vec<PlaceId>,
    transitions: usize,
}

impl NumberedNet {
    fn new() -> Self {
        Self { builder: NetBuilder::new("random"), places: Vec::new(), transitions: 0 }
    }

    fn place(&mut self, tokens: u64) -> PlaceId {
        let place = self.builder.place(&format!("p{}", self.places.len()), tokens).expect("a new name");
        self.places.push(place);
        place
    }

    /// A transition that moves one token from each of `from` to each of `to`.
    fn transition(&mut self, from: &[PlaceId], to: &[PlaceId]) -> TransitionId {
        let transition = self.builder.transition(&format!("t{}", self.transitions)).expect("a new name");
        self.transitions += 1;
        from.iter().for_each(|&place| self.builder.input(place, transition, 1));
        to.iter().for_each(|&place| self.builder.output(transition, place, 1));
        transition
    }

    fn build(self) -> Net {
        self.builder.build().expect("small weights do not overflow")
    }
}

fn long_chain(random: &mut TestRng) -> Net {
    let mut chain = NumberedNet::new();
    let length = random.within(8, 40) as usize;
    for at in 0..length {
        chain.place(u64::from(at == 0));
    }
    if length < 14 && random.percent(30) {
        chain.place(1);
    }
    let places = chain.places.clone();
    for at in 1..length {
        let from = &places[at - 1..at];
        match random.below(20) {
            0 => _ = chain.transition(&places[at..=at], from),
            1 => _ = chain.transition(from, &[]),
            2 => _ = chain.transition(from, &[*random.pick(&places)]),
            _ => {}
        }
        chain.transition(from, &places[at..=at]);
    }
    if random.percent(40) {
        chain.transition(&places[length - 1..length], &places[..1]);
    }
    chain.build()
}

fn marked_graph(random: &mut TestRng) -> Net {
    let mut graph = NumberedNet::new();
    let count = random.within(2, 6) as usize;
    let transitions: Vec<_> = (0..count).map(|_| graph.transition(&[], &[])).collect();
    let mut connect = |from: usize, to: usize, tokens: u64| {
        let place = graph.place(tokens);
        graph.builder.output(transitions[from], place, 1);
        graph.builder.input(place, transitions[to], 1);
    };
    (0..count).for_each(|at| connect(at, (at + 1) % count, u64::from(at == 0 || random.percent(40))));
    for _ in 0..random.within(0, 3) {
        // A place and its way back make a cycle, which keeps the net bounded.
        let (from, to) = (random.below(count), random.below(count));
        connect(from, to, u64::from(random.percent(50)));
        if random.percent(80) {
            connect(to, from, u64::from(random.percent(70)));
        }
    }
    graph.build()
}

fn free_choice(random: &mut TestRng) -> Net {
    let mut net = NumberedNet::new();
    let clusters: Vec<Vec<PlaceId>> = (0..random.within(2, 5))
        .map(|at| {
            (0..random.within(1, 2)).map(|_| net.place(u64::from(at == 0 || random.percent(30)))).collect()
        })
        .collect();
    for at in 0..clusters.len() {
        for _ in 0..random.within(1, 3) {
            let to = match random.below(10) {
                0..=4 => clusters[(at + 1) % clusters.len()].clone(),
                5..=7 => random.pick(&clusters).clone(),
                _ => vec![*random.pick(&net.places)],
            };
            net.transition(&clusters[at], &to);
        }
    }
    net.build()
}

fn state_machine(random: &mut TestRng) -> Net {
    let mut machine = NumberedNet::new();
    let count = random.within(2, 7) as usize;
    let tokens = random.within(1, 3);
    let places: Vec<PlaceId> = (0..count).map(|at| machine.place(if at == 0 { tokens } else { 0 })).collect();
    for at in 0..random.within(count as u64, 2 * count as u64) as usize {
        let from = if random.percent(70) { places[at % count] } else { *random.pick(&places) };
        machine.transition(&[from], &[*random.pick(&places)]);
    }
    machine.build()
}

fn identical_components(random: &mut TestRng) -> Net {
    let mut net = NumberedNet::new();
    let copies = random.within(3, 5) as usize;
    let size = random.within(2, 3) as usize;
    let shared = random.percent(50).then(|| net.place(random.clone().within(1, 2)));
    // The same moves in each copy; the first may take the shared token and the last gives it back.
    let moves: Vec<(usize, usize)> = (0..size)
        .map(|at| (at, (at + 1) % size))
        .chain(random.percent(40).then(|| (random.below(size), random.below(size))))
        .collect();
    for _ in 0..copies {
        let own: Vec<PlaceId> = (0..size).map(|at| net.place(u64::from(at == 0))).collect();
        for (number, &(from, to)) in moves.iter().enumerate() {
            let transition = net.transition(&own[from..=from], &own[to..=to]);
            match shared {
                Some(shared) if number == 0 => net.builder.input(shared, transition, 1),
                Some(shared) if number + 1 == size => net.builder.output(transition, shared, 1),
                _ => {}
            }
        }
    }
    net.build()
}

/// The same net with other token counts and weights.
fn with_numbers(net: &Net, tokens: impl Fn(u64) -> u64, weight: impl Fn(u64) -> u64) -> Net {
    let mut builder = NetBuilder::new(net.name.clone());
    for place in net.nodes().place_ids() {
        builder
            .place(net.nodes().place(place), tokens(net.initial_marking().tokens(place)))
            .expect("a new name");
    }
    for t in net.nodes().transition_ids() {
        let transition = builder.transition(net.nodes().transition(t)).expect("a new name");
        net.pre(t).iter().for_each(|arc| builder.input(arc.place, transition, weight(arc.weight)));
        net.post(t).iter().for_each(|arc| builder.output(transition, arc.place, weight(arc.weight)));
        net.inhibitors(t).iter().for_each(|arc| builder.inhibitor(arc.place, transition, arc.weight));
    }
    builder.build().expect("the numbers fit")
}

fn common_divisor(random: &mut TestRng) -> Net {
    let inhibitors = if random.percent(20) { 20 } else { 0 };
    let base = net(random, &NetShape { inhibitors, ..NetShape::default() });
    let divisor = *random.pick(&[2, 3, 4, 6, 1_000]);
    // Tokens that no transition can use up.
    let rest = if random.percent(40) { random.within(1, divisor - 1) } else { 0 };
    with_numbers(&base, |tokens| divisor * tokens + rest, |weight| divisor * weight)
}

fn unit_safe(random: &mut TestRng) -> Net {
    let mut net = NumberedNet::new();
    let machines: Vec<Vec<PlaceId>> = (0..random.within(2, 4))
        .map(|_| (0..random.within(2, 4)).map(|at| net.place(u64::from(at == 0))).collect())
        .collect();
    let step = |random: &mut TestRng, machine: &[PlaceId]| (*random.pick(machine), *random.pick(machine));
    for machine in &machines {
        for _ in 0..random.within(2, 4) {
            let (from, to) = step(random, machine);
            net.transition(&[from], &[to]);
        }
    }
    for _ in 0..random.within(1, 3) {
        let first = random.below(machines.len());
        let second = (first + 1 + random.below(machines.len() - 1)) % machines.len();
        let ((from, to), (other_from, other_to)) =
            (step(random, &machines[first]), step(random, &machines[second]));
        net.transition(&[from, other_from], &[to, other_to]);
    }
    let mut units = vec![Unit {
        name: "root".into(),
        places: Vec::new(),
        subunits: (1..=machines.len()).map(UnitId::new).collect(),
    }];
    for (at, places) in machines.into_iter().enumerate() {
        units.push(Unit { name: format!("u{at}"), places, subunits: Vec::new() });
    }
    net.build().with_nupn(Some(Nupn { units, root: UnitId::new(0), unit_safe: true }))
}

fn huge(random: &mut TestRng) -> Net {
    let base = net(random, &NetShape { places: 4, transitions: 5, ..NetShape::default() });
    let near = [i64::MAX as u64 - 2, i64::MAX as u64, 1 << 63, u64::MAX / 2 + 2, u64::MAX - 2];
    match random.below(5) {
        // Large counts in one place or another, small steps.
        0 => {
            let large = *random.pick(&near);
            with_numbers(&base, |tokens| if tokens == 0 { 0 } else { large - 3 + tokens }, |weight| weight)
        }
        // Large counts move as a whole.
        1 => {
            let large = *random.pick(&near[..3]);
            with_numbers(
                &base,
                |tokens| if tokens == 0 { 0 } else { large },
                |weight| if weight == 1 { large } else { weight },
            )
        }
        // Large weights that few counts meet.
        2 => {
            let large = *random.pick(&near);
            with_numbers(&base, |tokens| tokens, |weight| if weight == 1 { 1 } else { large })
        }
        // Some transition doubles a count that cannot be doubled often.
        _ => {
            let large = random.within(1 << 61, (1 << 63) - 1);
            let mut net = NumberedNet::new();
            let (from, to) = (net.place(large), net.place(random.below(2) as u64));
            let double = net.transition(&[], &[]);
            net.builder.input(from, double, large);
            net.builder.output(double, to, large);
            net.builder.output(double, from, large);
            // Without fuel the count grows for ever; with fuel it leaves 64 bits only if there is enough of it.
            if random.percent(70) {
                let fuel = net.place(random.within(1, 12));
                net.builder.input(fuel, double, 1);
            }
            if random.percent(50) {
                let back = net.transition(&[], &[]);
                net.builder.input(to, back, large);
                net.builder.output(back, from, large);
            }
            net.transition(&[to], &[from]);
            net.build()
        }
    }
}

#[cfg(test)]
mod tests {
    use fireset_net::{
        Budget,
        reachability::{GraphLimits, ReachabilityGraph},
    };

    use fireset_structure::NetClasses;

    use super::{NetFamily, TestRng};

    #[test]
    fn nets_are_of_their_families() {
        for family in NetFamily::ALL {
            let (mut small, mut live_steps) = (0, 0);
            for seed in 0..200 {
                let net = family.draw(&mut TestRng::new(seed));
                let facts = NetClasses::of(&net);
                match family {
                    NetFamily::MarkedGraph => assert!(facts.marked_graph, "{net:?}"),
                    NetFamily::FreeChoice => assert!(facts.extended_free_choice, "{net:?}"),
                    NetFamily::StateMachine => assert!(facts.state_machine, "{net:?}"),
                    _ => {}
                }
                let limits = GraphLimits { states: 300, edges: false };
                let graph = ReachabilityGraph::explore(&net, limits, &Budget::unlimited(), &mut ());
                small += usize::from(graph.complete().is_ok());
                live_steps += usize::from(graph.firings() > 2);
                let claimed = net.nupn().filter(|nupn| nupn.unit_safe);
                for marking in graph.states().iter().filter(|_| family == NetFamily::UnitSafe) {
                    let units = &claimed.expect("the claim").units;
                    let tokens = |places: &[_]| places.iter().map(|&p| marking.tokens(p)).sum::<u64>();
                    assert!(units.iter().all(|unit| tokens(&unit.places) <= 1), "{net:?}");
                }
            }
            assert!(live_steps > 100, "{family:?}: {live_steps} of 200 nets do something");
            let least = if family == NetFamily::Huge { 40 } else { 120 };
            assert!(small > least, "{family:?}: {small} of 200 nets are small");
        }
    }
}
