//! All that the structure of a net tells, gathered for a report: semiflows, siphons, traps, components, classes, and what
//! follows from them.
//!
//! The searches share the time that is granted; each says whether it was cut off. Numbers of semiflows, siphons and traps are
//! their positions in these lists.
//! Cost: the limits. Test: `conclusions.rs`, and the modules of the single facts.

use std::time::{Duration, Instant};

use fireset_net::Net;

use crate::{
    ClassBreaches, Enumeration, EnumerationLimits, NetStructure, SparseVector,
    components::{s_components, t_components},
    conclusions::{Conclusion, conclude},
    minimal_sets::minimal_sets,
    positive_vectors::{LineSum, PositiveVector, positive_vector},
    rank::rank,
    semiflows::{self, transposed},
    traps::{FiringColumns, TokenSet},
};

/// How much a report may cost.
#[derive(Clone, Copy, Debug)]
pub struct AnalysisLimits {
    /// The most elements of each list.
    pub number: usize,
    /// The time for all searches together; `None` for no limit.
    pub time: Option<Duration>,
}

/// A minimal siphon or trap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinimalSet {
    /// The places, ascending.
    pub places: Vec<u32>,
    /// Whether the initial marking has tokens on it.
    pub is_marked: bool,
    /// Whether it contains a trap that is marked at the start; for a trap the same as being marked.
    pub has_marked_trap: bool,
}

/// Whether the net has a structural property, and the nodes that keep the net from it, as far as they are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Every node is covered, so the net has the property.
    Holds,
    /// It has not, because of these places or transitions; at least one.
    Fails(Vec<u32>),
    /// Not decided within the limits.
    Unknown,
}

impl Coverage {
    /// The verdict, if there is one.
    pub fn verdict(&self) -> Option<bool> {
        match self {
            Self::Holds => Some(true),
            Self::Fails(_) => Some(false),
            Self::Unknown => None,
        }
    }
}

/// The tokens that a place has at most, and the semiflow that tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SemiflowBound {
    /// The most tokens.
    pub tokens: u64,
    /// The position of the semiflow.
    pub semiflow: usize,
}

/// The structure of one net.
#[derive(Clone, Debug)]
pub struct StructuralAnalysis {
    /// The classes that the net is in, and why it is in no other.
    pub breaches: ClassBreaches,
    /// Minimal P-semiflows.
    pub place_semiflows: Enumeration<SparseVector>,
    /// Minimal T-semiflows.
    pub transition_semiflows: Enumeration<SparseVector>,
    /// Siphons that contain no smaller one.
    pub siphons: Enumeration<MinimalSet>,
    /// Traps that contain no smaller one.
    pub traps: Enumeration<MinimalSet>,
    /// The P-semiflows whose places are an S-component.
    pub s_components: Vec<usize>,
    /// The T-semiflows whose transitions are a T-component.
    pub t_components: Vec<usize>,
    /// Whether every place is in a P-semiflow; the places that are in none.
    pub conservative: Coverage,
    /// Whether every transition is in a T-semiflow; the transitions that are in none.
    pub consistent: Coverage,
    /// Whether the net is bounded whatever its initial marking; places that firings can fill without end, from enough tokens.
    pub structurally_bounded: Coverage,
    /// Whether firing all transitions for ever is possible from enough tokens; transitions that fire only finitely often.
    pub repetitive: Coverage,
    /// Whether every siphon that some transition takes from contains a marked trap.
    pub siphon_trap: Option<bool>,
    /// The rank of the incidence matrix.
    pub rank: Option<usize>,
    /// The number of clusters: parts of the net that arcs from places to transitions connect.
    pub clusters: usize,
    /// For each place the best bound by a semiflow.
    pub bounds: Vec<Option<SemiflowBound>>,
    /// What follows for the behaviour.
    pub conclusions: Vec<Conclusion>,
}

/// The parts of the time that searches have, each of the time that is left then.
const TIME_SHARES: [f64; 8] = [0.2, 0.25, 0.3, 0.4, 0.3, 0.3, 0.4, 0.6];

impl StructuralAnalysis {
    /// Analyses a net.
    pub fn of(net: &Net, limits: AnalysisLimits) -> Self {
        let end = limits.time.and_then(|time| Instant::now().checked_add(time));
        let deadline = |search: usize| {
            let left = end?.saturating_duration_since(Instant::now());
            Some(Instant::now() + left.mul_f64(TIME_SHARES[search]))
        };
        let within = |search| EnumerationLimits { number: limits.number, deadline: deadline(search) };
        let structure = NetStructure::of(net);
        let place_semiflows = structure.minimal_place_semiflows(within(0));
        let transition_semiflows = structure.minimal_transition_semiflows(within(1));
        let siphon_trap = structure.siphon_trap_property(deadline(2));
        let siphons = described(structure, minimal_sets(structure, TokenSet::Siphon, within(3)));
        let traps = described(structure, minimal_sets(structure, TokenSet::Trap, within(4)));
        let [conservative, consistent, structurally_bounded, repetitive] =
            coverages(net, [&place_semiflows, &transition_semiflows], || deadline(5));
        let rank = net.incidence().and_then(|matrix| rank(&matrix, deadline(6)));
        let bounds = bounds(net, &place_semiflows.found);
        let mut analysis = Self {
            breaches: ClassBreaches::of(net),
            s_components: s_components(net, &place_semiflows.found),
            t_components: t_components(net, &transition_semiflows.found),
            place_semiflows,
            transition_semiflows,
            siphons,
            traps,
            conservative,
            consistent,
            structurally_bounded,
            repetitive,
            siphon_trap,
            rank,
            clusters: clusters(net),
            bounds,
            conclusions: Vec::new(),
        };
        analysis.conclusions = conclude(structure, &analysis, deadline(7));
        analysis
    }
}

/// Adds to minimal sets what the initial marking says about them.
fn described(structure: NetStructure<'_>, sets: Enumeration<Vec<u32>>) -> Enumeration<MinimalSet> {
    let initial = &structure.net().initial_marking().0;
    let describe = |places: Vec<u32>| {
        let is_marked = places.iter().any(|&place| initial[place as usize] > 0);
        let mut inside = vec![false; initial.len()];
        places.iter().for_each(|&place| inside[place as usize] = true);
        let has_marked_trap = is_marked && {
            let trap = structure.greatest_trap(inside, FiringColumns::All);
            places.iter().any(|&place| trap[place as usize] && initial[place as usize] > 0)
        };
        MinimalSet { places, is_marked, has_marked_trap }
    };
    Enumeration { found: sets.found.into_iter().map(describe).collect(), cut_off: sets.cut_off }
}

/// Conservative, consistent, structurally bounded and repetitive, by semiflows where they tell it and else by linear programs.
fn coverages(
    net: &Net,
    semiflows: [&Enumeration<SparseVector>; 2],
    deadline: impl Fn() -> Option<Instant>,
) -> [Coverage; 4] {
    let (places, transitions) = (net.nodes().places.len(), net.nodes().transitions.len());
    let Some(by_place) = net.incidence() else { return [const { Coverage::Unknown }; 4] };
    let by_transition = transposed(&by_place, transitions);
    let solve = |lines: &[SparseVector], unknowns: usize, sum: LineSum| match positive_vector(
        lines,
        unknowns,
        sum,
        deadline(),
    ) {
        Some(PositiveVector::Exists(_)) => Coverage::Holds,
        Some(PositiveVector::Refuted(zero)) => Coverage::Fails(zero),
        None => Coverage::Unknown,
    };
    let by_semiflows = |found: &Enumeration<SparseVector>, unknowns: usize| {
        let mut covered = vec![false; unknowns];
        found.found.iter().flatten().for_each(|entry| covered[entry.0 as usize] = true);
        let open: Vec<u32> = (0..unknowns as u32).filter(|&at| !covered[at as usize]).collect();
        match open.is_empty() {
            true => Some(Coverage::Holds),
            false => found.is_complete().then_some(Coverage::Fails(open)),
        }
    };
    let conservative =
        by_semiflows(semiflows[0], places).unwrap_or_else(|| solve(&by_transition, places, LineSum::Zero));
    let consistent = by_semiflows(semiflows[1], transitions)
        .unwrap_or_else(|| solve(&by_place, transitions, LineSum::Zero));
    let negated = |line: &SparseVector| line.iter().map(|&(at, value)| (at, -value)).collect();
    let bounded = if conservative == Coverage::Holds {
        Coverage::Holds
    } else {
        let falling: Vec<SparseVector> = by_transition.iter().map(negated).collect();
        solve(&falling, places, LineSum::NotNegative)
    };
    let repetitive = if consistent == Coverage::Holds {
        Coverage::Holds
    } else {
        solve(&by_place, transitions, LineSum::NotNegative)
    };
    [conservative, consistent, bounded, repetitive]
}

/// The best bound of each place by a semiflow; of equal ones the first.
fn bounds(net: &Net, found: &[SparseVector]) -> Vec<Option<SemiflowBound>> {
    let initial = &net.initial_marking().0;
    let mut bounds: Vec<Option<SemiflowBound>> = vec![None; initial.len()];
    for (semiflow, weights) in found.iter().enumerate() {
        let Some(total) = semiflows::total(weights, initial) else { continue };
        for &(at, weight) in weights {
            let Ok(tokens) = u64::try_from(total / i128::from(weight)) else { continue };
            let known = &mut bounds[at as usize];
            if known.is_none_or(|known| tokens < known.tokens) {
                *known = Some(SemiflowBound { tokens, semiflow });
            }
        }
    }
    bounds
}

/// The parts that arcs from places to transitions connect.
pub(crate) fn clusters(net: &Net) -> usize {
    let places = net.nodes().places.len();
    let mut parent: Vec<usize> = (0..places).collect();
    let mut root = |mut node: usize, join: Option<usize>| {
        while parent[node] != node {
            parent[node] = parent[parent[node]];
            node = parent[node];
        }
        join.inspect(|&other| parent[node] = other);
        node
    };
    let mut clusters = places;
    for t in net.nodes().transition_ids() {
        let Some((first, others)) = net.pre(t).split_first() else {
            clusters += 1;
            continue;
        };
        for other in others {
            let (a, b) = (root(first.place.index(), None), root(other.place.index(), None));
            if a != b {
                root(b, Some(a));
                clusters -= 1;
            }
        }
    }
    clusters
}
