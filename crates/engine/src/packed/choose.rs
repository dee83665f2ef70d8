//! The choice of a layout for a net.
//!
//! Bounds come from semi-positive place invariants, redundant places from a basis of all place invariants
//! (Schmidt, "Using Petri net invariants in state space construction", TACAS 2003), both of `fireset-structure`. `auto` takes
//! the layout with the fewest words, and of those the one that reads fastest. A bound from an invariant is proven; a
//! net's claim to be unit-safe is not, and neither is a width that was only guessed: those are checked at each firing, and
//! widened when they break.

use fireset_net::{FireError, Marking, Net, PlaceId, StopReason, TransitionId};
use fireset_structure::{PlaceInvariants, SparseVector};

use super::{
    LayoutChoice,
    layout::{Allocator, Encoding, ImpliedCount, Layout, Slot, bits_for},
};

/// A sum over more places than this costs more time than its field costs memory.
const LONGEST_SUM: usize = 12;
/// Bits of a place without a known bound.
const WIDE: u32 = 16;

/// The chosen layout, or the wide one where the net does not allow the choice.
pub(crate) fn layout(net: &Net, invariants: &PlaceInvariants, choice: LayoutChoice) -> Layout {
    match choice {
        LayoutChoice::Auto => auto(net, invariants),
        LayoutChoice::Only(Encoding::Wide) => wide(net, &[]),
        LayoutChoice::Only(Encoding::Safe) => safe(net, false),
        LayoutChoice::Only(Encoding::Nupn) => nupn(net).unwrap_or_else(|| wide(net, &[])),
        LayoutChoice::Only(Encoding::Invariant) => invariant(net, invariants),
    }
}

/// The smallest layout whose widths are proven or checked.
fn auto(net: &Net, invariants: &PlaceInvariants) -> Layout {
    let mut candidates = Vec::new();
    if invariants.is_one_safe() {
        candidates.push(safe(net, true));
    }
    if net.nupn().is_some_and(|nupn| nupn.unit_safe) {
        candidates.extend(nupn(net));
    }
    candidates.push(counted(net, invariants, &[]));
    candidates.push(invariant(net, invariants));
    // The first of the narrowest: exact layouts are faster than counted ones, and those than sums.
    candidates.into_iter().min_by_key(|layout| layout.width).expect("there is always a counted layout")
}

/// One bit a place.
fn safe(net: &Net, proven: bool) -> Layout {
    let mut allocator = Allocator::default();
    let places = net.nodes().places.len();
    let slots = (0..places).map(|_| Slot::Code(allocator.field(1), 1)).collect();
    Layout::new(Encoding::Safe, slots, vec![proven; places], allocator.width())
}

/// A field a unit, if the net has units.
fn nupn(net: &Net) -> Option<Layout> {
    let units = &net.nupn()?.units;
    let mut allocator = Allocator::default();
    let places = net.nodes().places.len();
    let mut slots = vec![None; places];
    for unit in units.iter().filter(|unit| !unit.places.is_empty()) {
        let field = allocator.field(bits_for(unit.places.len() as u64));
        for (at, place) in unit.places.iter().enumerate() {
            slots[place.index()] = Some(Slot::Code(field, at as u64 + 1));
        }
    }
    let slots = slots.into_iter().collect::<Option<Vec<_>>>()?;
    Some(Layout::new(Encoding::Nupn, slots, vec![false; places], allocator.width()))
}

/// 16 bits a place, and more where `least` or the initial marking asks for it.
fn wide(net: &Net, least: &[u32]) -> Layout {
    let heaviest = heaviest(net);
    let bits = |at: usize, tokens: u64| {
        let needed = bits_for(tokens.max(heaviest[at])).max(least.get(at).copied().unwrap_or(0));
        if needed > 32 {
            64
        } else if needed > WIDE {
            32
        } else {
            WIDE
        }
    };
    let mut allocator = Allocator::default();
    let tokens = net.initial_marking().0.iter().enumerate();
    let slots: Vec<_> = tokens.map(|(at, &n)| Slot::Count(allocator.field(bits(at, n)))).collect();
    let proven = vec![false; slots.len()];
    Layout::new(Encoding::Wide, slots, proven, allocator.width())
}

/// As many bits as the bounds allow; places without a bound get `least` bits, or a guess.
fn counted(net: &Net, invariants: &PlaceInvariants, least: &[u32]) -> Layout {
    with_sums(net, invariants, least, vec![None; net.nodes().places.len()])
}

/// Fields for those places that do not follow from others.
fn invariant(net: &Net, invariants: &PlaceInvariants) -> Layout {
    let sums = redundant(net, invariants);
    with_sums(net, invariants, &[], sums)
}

/// A wider layout of the same kind for a place that did not fit, or a wide one where the kind itself broke.
fn wider(net: &Net, invariants: &PlaceInvariants, layout: &Layout, place: PlaceId, tokens: u64) -> Layout {
    let mut least: Vec<u32> = layout
        .slots
        .iter()
        .map(|slot| if let Slot::Count(field) = slot { u32::from(field.bits) } else { WIDE / 2 })
        .collect();
    // Twice as many bits: a count that outgrew its field will go on growing.
    least[place.index()] = (2 * least[place.index()]).max(bits_for(tokens)).min(64);
    match layout.encoding {
        Encoding::Wide => wide(net, &least),
        _ => counted(net, invariants, &least),
    }
}

/// The row of a marking, in a layout that is widened until the marking fits.
pub(crate) fn fit(net: &Net, invariants: &PlaceInvariants, layout: &mut Layout, tokens: &[u64]) -> Vec<u64> {
    loop {
        let mut row = vec![0; layout.width];
        match layout.encode(tokens, &mut row) {
            Ok(()) => return row,
            Err(misfit) => *layout = wider(net, invariants, layout, misfit.place, misfit.tokens),
        }
    }
}

/// Widens a layout until the marking after a transition that is enabled in a row fits.
pub(crate) fn widen(
    net: &Net,
    invariants: &PlaceInvariants,
    layout: &Layout,
    (row, transition): (&[u64], TransitionId),
) -> Result<Layout, StopReason> {
    let mut tokens = vec![0; net.nodes().places.len()];
    layout.decode(row, &mut tokens);
    let mut layout = layout.clone();
    match net.fire_transition(&Marking(tokens.into()), transition) {
        Ok(reached) => fit(net, invariants, &mut layout, &reached.0),
        Err(FireError::Overflow { .. }) => return Err(StopReason::Overflow),
        Err(why) => panic!("an enabled transition fires, but: {why:?}"),
    };
    Ok(layout)
}

fn with_sums(
    net: &Net,
    invariants: &PlaceInvariants,
    least: &[u32],
    sums: Vec<Option<DependentPlace>>,
) -> Layout {
    let mut allocator = Allocator::default();
    let initial = &net.initial_marking().0;
    let heaviest = heaviest(net);
    let mut slots: Vec<Option<Slot>> = Vec::new();
    let mut proven = Vec::new();
    for (at, sum) in sums.iter().enumerate() {
        let bits = match (invariants.bounds()[at], least.get(at)) {
            (Some(bound), _) => bits_for(bound),
            (None, Some(&least)) => least.max(bits_for(heaviest[at])),
            (None, None) => bits_for(initial[at].max(heaviest[at])).max(WIDE / 2),
        };
        slots.push(sum.is_none().then(|| Slot::Count(allocator.field(bits))));
        proven.push(invariants.bounds()[at].is_some() || sum.is_some());
    }
    let field = |place: u32| match slots[place as usize] {
        Some(Slot::Count(field)) => field,
        _ => unreachable!("sums are over places with fields"),
    };
    let sums: Vec<Option<Slot>> = sums
        .iter()
        .map(|sum| {
            let DependentPlace { constant, terms, divisor } = sum.as_ref()?;
            let terms = terms.iter().map(|&(place, factor)| (field(place), factor)).collect();
            Some(Slot::Sum(ImpliedCount { constant: *constant, terms, divisor: *divisor }))
        })
        .collect();
    let slots =
        slots.into_iter().zip(sums).map(|(own, sum)| own.or(sum).expect("a field or a sum")).collect();
    Layout::new(Encoding::Invariant, slots, proven, allocator.width())
}

/// For each place the largest weight of an arc to it: its field has to hold that much.
fn heaviest(net: &Net) -> Vec<u64> {
    let mut heaviest = vec![0; net.nodes().places.len()];
    for arc in net.nodes().transition_ids().flat_map(|t| net.post(t)) {
        let weight: &mut u64 = &mut heaviest[arc.place.index()];
        *weight = arc.weight.max(*weight);
    }
    heaviest
}

/// A place whose tokens follow from others: `divisor * tokens = constant + sum of factor * tokens of others`.
#[derive(Clone, Debug)]
struct DependentPlace {
    constant: i64,
    terms: Vec<(u32, i64)>,
    divisor: i64,
}

/// The places that follow from places that do not: invariants, solved one after another, each for the place
/// that saves the most bits. A place in a solved invariant keeps its field, so that sums do not nest.
fn redundant(net: &Net, invariants: &PlaceInvariants) -> Vec<Option<DependentPlace>> {
    let places = net.nodes().places.len();
    let mut dependent: Vec<Option<DependentPlace>> = vec![None; places];
    let mut needed = vec![false; places];
    let initial = &net.initial_marking().0;
    let mut short: Vec<&SparseVector> =
        invariants.basis().iter().filter(|i| i.len() <= LONGEST_SUM + 1).collect();
    short.sort_by_key(|i| i.len());
    for invariant in short {
        // Numbers that cannot overflow a sum, whatever the fields hold.
        let small = invariant
            .iter()
            .all(|&(p, v)| v.abs() < 1 << 16 && invariants.bounds()[p as usize].is_some_and(|b| b < 1 << 32));
        let free = invariant.iter().all(|&(p, _)| dependent[p as usize].is_none());
        if !small || !free {
            continue;
        }
        let bits = |p: u32| invariants.bounds()[p as usize].map_or(0, bits_for);
        let best = invariant.iter().filter(|&&(p, _)| !needed[p as usize]).max_by_key(|&&(p, _)| bits(p));
        let Some(&(place, own)) = best else { continue };
        let sum: i64 = invariant.iter().map(|&(p, v)| v * initial[p as usize] as i64).sum();
        let others = invariant.iter().filter(|&&(p, _)| p != place);
        let terms: Vec<(u32, i64)> = others.map(|&(p, v)| (p, -v)).collect();
        terms.iter().for_each(|&(p, _)| needed[p as usize] = true);
        dependent[place as usize] = Some(DependentPlace { constant: sum, terms, divisor: own });
    }
    dependent
}
