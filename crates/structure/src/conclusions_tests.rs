//! Conclusions against reachability graphs: those of nets with finitely many markings are explored, and of nets in which a run
//! adds tokens that run is the proof of unboundedness.

use std::collections::BTreeMap;

use fireset_net::{
    Budget, Net,
    reachability::{GraphLimits, ReachabilityGraph},
};
use fireset_oracle::{
    random::{self, NetFamily, NetShape, TestRng},
    tiny,
};

use super::*;
use crate::structural_analysis::AnalysisLimits;

const ALL: AnalysisLimits = AnalysisLimits { number: usize::MAX, time: None };
const MAX_STATES: usize = 400;

/// What the reachability graph says about the net's behaviour.
struct Behaviour {
    successors: Vec<Vec<(usize, usize)>>,
    tokens: u64,
    transitions: usize,
}

impl Behaviour {
    /// `None` if there are too many markings.
    fn of(net: &Net) -> Option<Self> {
        let limits = GraphLimits { states: MAX_STATES, edges: true };
        let graph = ReachabilityGraph::explore(net, limits, &Budget::unlimited(), &mut ());
        graph.complete().ok()?;
        let edges = |state| {
            let edges = graph.edges(state).iter();
            edges.map(|&edge| (graph.step(edge).transition.index(), edge.target())).collect()
        };
        Some(Self {
            successors: (0..graph.states().len()).map(edges).collect(),
            tokens: graph.states().iter().flat_map(|m| m.0.iter().copied()).max().unwrap_or(0),
            transitions: net.nodes().transitions.len(),
        })
    }

    fn reachable(&self, from: usize) -> Vec<bool> {
        let mut seen = vec![false; self.successors.len()];
        let mut open = vec![from];
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut seen[state], true) {
                open.extend(self.successors[state].iter().map(|edge| edge.1));
            }
        }
        seen
    }

    fn has(&self, property: DerivedProperty) -> Option<bool> {
        let states = || 0..self.successors.len();
        let fired_from = |from: usize| {
            let seen = self.reachable(from);
            let mut fired = vec![false; self.transitions];
            for state in states().filter(|&state| seen[state]) {
                self.successors[state].iter().for_each(|edge| fired[edge.0] = true);
            }
            fired
        };
        let all_fire_from = |from: usize| fired_from(from).into_iter().all(|fired| fired);
        Some(match property {
            DerivedProperty::Bounded => true,
            DerivedProperty::Safe => self.tokens <= 1,
            DerivedProperty::QuasiLive => all_fire_from(0),
            DerivedProperty::Live | DerivedProperty::LiveAndBounded => states().all(all_fire_from),
            DerivedProperty::DeadlockFree => states().all(|state| !self.successors[state].is_empty()),
            DerivedProperty::Reversible => states().all(|state| self.reachable(state)[0]),
            DerivedProperty::Terminating => {
                let leads_to_itself =
                    |state: usize| self.successors[state].iter().any(|edge| self.reachable(edge.1)[state]);
                !states().any(leads_to_itself)
            }
            DerivedProperty::WellFormed => return None,
        })
    }
}

/// Nets of the families that theorems are about, some of them with another initial marking, and others.
fn drawn(seed: u64) -> Net {
    let mut random = TestRng::new(seed);
    let shape = NetShape {
        places: 2 + seed as usize % 4,
        transitions: 2 + seed as usize / 4 % 4,
        tokens: 1 + seed % 2,
        weight: 1 + u64::from(seed.is_multiple_of(5)),
        inhibitors: if seed.is_multiple_of(7) { 20 } else { 0 },
    };
    match seed % 6 {
        0 => {
            let net = NetFamily::FreeChoice.draw(&mut random);
            let tokens: Vec<u64> = net.nodes().place_ids().map(|_| u64::from(random.percent(25))).collect();
            with_tokens(&net, &tokens)
        }
        1 => NetFamily::MarkedGraph.draw(&mut random),
        2 => NetFamily::StateMachine.draw(&mut random),
        3 => random::grown(&mut random, 0),
        _ => random::net(&mut random, &shape),
    }
}

/// How often each reason was given for each property, where the graph could tell.
#[test]
fn conclusions_are_true_of_the_reachability_graph() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 0..6_000 {
        let net = drawn(seed);
        let analysis = StructuralAnalysis::of(&net, ALL);
        let behaviour = Behaviour::of(&net);
        let at_once = NetStructure::of(&net).live_and_bounded(None);
        for conclusion in analysis.conclusions.iter().chain(&at_once) {
            let Conclusion { property, holds, reason } = conclusion;
            let name = format!("{reason:?}");
            let name = name.split('(').next().unwrap_or_default();
            match &behaviour {
                Some(behaviour) => {
                    if let Some(expected) = behaviour.has(*property) {
                        assert_eq!(*holds, expected, "seed {seed}: {conclusion:?} of {net:?}");
                        *counts.entry(format!("{property:?} {holds} {name}")).or_default() += 1;
                    }
                }
                None => *counts.entry(format!("{property:?} {holds} {name}, unexplored")).or_default() += 1,
            }
        }
    }
    for expected in [
        "Bounded true CoveringSemiflows",
        "Bounded true NoIncrease",
        "Safe true SafeSemiflows",
        "QuasiLive false EmptySiphon",
        "Live true FreeChoiceSiphonTrap",
        "Live true AsymmetricChoiceSiphonTrap",
        "Live false EmptySiphon",
        "Live false UntrappedSiphon",
        "Live false NotRepetitive",
        "LiveAndBounded false NotConsistent",
        "LiveAndBounded false EmptySiphon",
        "LiveAndBounded true MarkedSiphons",
        "DeadlockFree true MarkedTraps",
        "DeadlockFree true ByLiveness",
        "DeadlockFree false ByTermination",
        "Reversible true AllTrapsMarked",
        "Terminating true NoTransitionSemiflow",
    ] {
        assert!(counts.get(expected).is_some_and(|&count| count >= 10), "{expected}: {counts:#?}");
    }
}

/// Well-formed nets have a live and bounded marking; of the others, no small marking is live and bounded.
#[test]
fn well_formed_nets_have_a_live_and_bounded_marking() {
    let (mut formed, mut ill_formed) = (0, 0);
    for seed in 0..1_500 {
        let mut random = TestRng::new(seed);
        let net = match seed % 3 {
            0 => NetFamily::FreeChoice.draw(&mut random),
            1 => NetFamily::MarkedGraph.draw(&mut random),
            _ => random::grown(&mut random, 0),
        };
        let places = net.nodes().places.len();
        if places > 5 {
            continue;
        }
        let conclusions = StructuralAnalysis::of(&net, ALL).conclusions;
        let verdict = conclusions.iter().find(|c| c.property == DerivedProperty::WellFormed).map(|c| c.holds);
        let marking = |bits: usize| -> Vec<u64> { (0..places).map(|at| (bits >> at & 1) as u64).collect() };
        let live_and_bounded = |tokens: &[u64]| {
            let behaviour = Behaviour::of(&with_tokens(&net, tokens));
            behaviour.and_then(|behaviour| behaviour.has(DerivedProperty::Live)) == Some(true)
        };
        match verdict {
            Some(true) => {
                formed += 1;
                assert!(live_and_bounded(&vec![1; places]), "seed {seed}: {net:?}");
                for bits in 0..1 << places {
                    let marked = with_tokens(&net, &marking(bits));
                    let behaviour = Behaviour::of(&marked).expect("bounded by few tokens");
                    for Conclusion { property, holds, reason } in
                        StructuralAnalysis::of(&marked, ALL).conclusions
                    {
                        let expected = behaviour.has(property);
                        assert!(
                            expected.is_none_or(|expected| expected == holds),
                            "{reason:?} of {marked:?}"
                        );
                    }
                }
            }
            Some(false) => {
                ill_formed += 1;
                let marking =
                    |bits: usize| -> Vec<u64> { (0..places).map(|at| (bits >> at & 1) as u64).collect() };
                assert!(
                    !(0..1 << places).any(|bits| live_and_bounded(&marking(bits))),
                    "seed {seed}: {net:?}"
                );
            }
            None => {}
        }
    }
    assert!(formed > 50 && ill_formed > 50, "{formed} {ill_formed}");
}

/// The same arcs with another initial marking.
fn with_tokens(net: &Net, tokens: &[u64]) -> Net {
    let mut builder = fireset_net::NetBuilder::new("marked");
    for place in net.nodes().place_ids() {
        builder.place(net.nodes().place(place), tokens[place.index()]).unwrap();
    }
    for t in net.nodes().transition_ids() {
        let new = builder.transition(net.nodes().transition(t)).unwrap();
        net.pre(t).iter().for_each(|arc| builder.input(arc.place, new, arc.weight));
        net.post(t).iter().for_each(|arc| builder.output(new, arc.place, arc.weight));
    }
    builder.build().unwrap()
}

/// Live and bounded free-choice nets whose first firings cannot be undone: the smallest that a random search found.
#[test]
fn an_empty_trap_is_no_way_back() {
    for text in [
        "a b:1 c d e f:1; t: f -> c; u: d -> a; v: b -> a; w: b -> e; x: c, e -> e, f; y: c, e -> c, d; z: a -> b",
        "a b c d:1 e f:1; t: f -> b; u: b -> a; v: d -> c; w: e -> d; x: a, c -> b, e; y: a, c -> c, f",
    ] {
        let net = tiny::net(text);
        let behaviour = Behaviour::of(&net).expect("a small net");
        let conclusions = StructuralAnalysis::of(&net, ALL).conclusions;
        for Conclusion { property, holds, .. } in &conclusions {
            assert!(behaviour.has(*property).is_none_or(|expected| expected == *holds), "{property:?}");
        }
        let is_empty_trap = |one: &Conclusion| matches!(one.reason, ConclusionReason::EmptyTrap(_));
        assert!(conclusions.iter().any(|one| is_empty_trap(one) && !one.holds), "{conclusions:?}");
    }
}

#[test]
fn unbounded_nets_are_recognised() {
    let concluded = |net: &Net, property| {
        let found = StructuralAnalysis::of(net, ALL).conclusions;
        found.into_iter().find(|conclusion| conclusion.property == property).map(|c| (c.holds, c.reason))
    };
    let source = tiny::net("p; t: -> p");
    assert_eq!(
        concluded(&source, DerivedProperty::Bounded),
        Some((false, ConclusionReason::SourceTransition(0)))
    );
    // Live, and a token is added in each round.
    let pump = tiny::net("p:1 q r; t: p -> q, r; u: q -> p; v: r ->; w: q -> p");
    assert!(concluded(&pump, DerivedProperty::Live).is_some_and(|found| found.0));
    assert!(concluded(&pump, DerivedProperty::Bounded).is_some_and(|found| !found.0));
    assert!(concluded(&pump, DerivedProperty::Safe).is_some_and(|found| !found.0));
}
