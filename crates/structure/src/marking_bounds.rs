//! Bounds of linear forms, and transitions that are never or always enabled, by place semiflows.
//!
//! Why: an atom that is always true or always false need not be checked. A semiflow `y` says that `y m = y m0` in every
//! reachable marking `m`. Since `m >= 0`, that bounds each place with a weight in `y`, and
//! it bounds sums: `s (c m) = a + r m` stays true when a multiple of `y m` is moved from the residual `r` into the
//! constant `a`, and `r m` is then bounded place by place. Which multiple of which semiflow is best a linear program would
//! tell; here it is taken greedily wherever the bound gets smaller. The state equation is stronger and slower.
//!
//! A net's own claims are not believed: that a file calls its units safe proves nothing. A 1-safe net or a
//! nested-unit net profits exactly as far as its invariants prove it. Inhibitor arcs only take runs away, so the
//! invariants hold with them as well.
//!
//! Invariants: (1) `scale * form = constant + residual` in every reachable marking, at each step of the search;
//! (2) numbers are checked, and where one does not fit there is no bound.
//! Cost: the search for semiflows, once for a net; a bound, at most `MAX_LOOKS` entries.
//! Test: `tests/atoms.rs` of `fireset-reduce`, against all reachable markings of random nets.

use std::sync::{Arc, OnceLock};

use fireset_net::{Arc as NetArc, Budget, Linear, Model, Net, TransitionId};

use crate::{NetStructure, PlaceSemiflows, Semiflow, SparseVector, semiflows::gcd};

/// Entries that the search for one bound may look at.
const MAX_LOOKS: usize = 20_000;
/// Multiples of a semiflow that are tried.
const MAX_MULTIPLES: usize = 6;

/// Bounds of linear forms over token counts, and dead transitions, by the place semiflows of a net.
#[derive(Clone, Debug)]
pub struct MarkingBounds<'n> {
    net: Option<&'n Net>,
    semiflows: Arc<PlaceSemiflows>,
    /// For each transition whether it is known never to be enabled, once that was needed.
    never_enabled: Vec<OnceLock<bool>>,
}

impl<'n> MarkingBounds<'n> {
    /// The bounds of a net, by all semiflows that are found without a time limit.
    pub fn of(net: &'n Net) -> Self {
        let semiflows = NetStructure::of(net).place_semiflows(&Budget::unlimited());
        Self {
            net: Some(net),
            semiflows,
            never_enabled: vec![OnceLock::new(); net.nodes().transitions.len()],
        }
    }

    /// The bounds of any net with these places and transitions: no count is below 0.
    pub fn without_semiflows(model: &'n Model) -> Self {
        let nodes = model.nodes();
        Self {
            net: None,
            semiflows: Arc::new(PlaceSemiflows::none(nodes.places.len())),
            never_enabled: vec![OnceLock::new(); nodes.transitions.len()],
        }
    }

    /// The bounds of a net by the semiflows of another with the same places, each of whose counts moves as in that net; nothing
    /// is known of its transitions.
    pub fn by_places_of(model: &'n Model, other: &Net) -> Self {
        let semiflows = NetStructure::of(other).place_semiflows(&Budget::unlimited());
        Self { semiflows, ..Self::without_semiflows(model) }
    }

    /// How many transitions the net has.
    pub fn transition_count(&self) -> usize {
        self.never_enabled.len()
    }

    /// The semiflows behind the bounds; none for [`MarkingBounds::without_semiflows`].
    pub fn semiflows(&self) -> &PlaceSemiflows {
        &self.semiflows
    }

    /// Whether no reachable marking enables `transition`.
    pub fn never_enabled(&self, transition: TransitionId) -> bool {
        let Some(net) = self.net else { return false };
        *self.never_enabled[transition.index()].get_or_init(|| self.is_never_enabled(net, transition))
    }

    fn is_never_enabled(&self, net: &Net, transition: TransitionId) -> bool {
        let (pre, inhibitors) = (net.pre(transition), net.inhibitors(transition));
        let needs = |place| pre.iter().find(|arc| arc.place == place).map_or(0, |arc| arc.weight);
        let too_heavy =
            |arc: &NetArc| self.semiflows.bounds()[arc.place.index()].is_some_and(|most| most < arc.weight);
        let blocked = inhibitors.iter().any(|arc| arc.weight <= needs(arc.place));
        blocked || pre.iter().any(too_heavy) || self.inputs_exceed_a_semiflow(pre)
    }

    /// Whether the inputs together need more than the total of a semiflow.
    fn inputs_exceed_a_semiflow(&self, pre: &[NetArc]) -> bool {
        pre.iter().flat_map(|arc| self.semiflows.of_place(arc.place.index())).any(|&at| {
            let Semiflow { weights, total } = &self.semiflows.semiflows()[at as usize];
            let mut needed = 0i128;
            for arc in pre {
                if let Ok(at) = weights.binary_search_by_key(&(arc.place.index() as u32), |e| e.0) {
                    let part = i128::from(weights[at].1).checked_mul(i128::from(arc.weight));
                    let Some(sum) = part.and_then(|part| needed.checked_add(part)) else { return false };
                    needed = sum;
                }
            }
            needed > *total
        })
    }

    /// Whether every reachable marking enables `transition`: it takes nothing, and no place can inhibit it.
    pub fn always_enabled(&self, transition: TransitionId) -> bool {
        let Some(net) = self.net else { return false };
        let harmless =
            |arc: &NetArc| self.semiflows.bounds()[arc.place.index()].is_some_and(|most| most < arc.weight);
        net.pre(transition).is_empty() && net.inhibitors(transition).iter().all(harmless)
    }

    /// The least and the most that a linear form can be in a reachable marking, where semiflows prove it.
    pub fn range(&self, form: &Linear) -> FormRange {
        let least = form.scaled(-1).and_then(|form| self.most(&form)).and_then(i128::checked_neg);
        (least, self.most(form))
    }

    /// The most that a linear form can be.
    fn most(&self, form: &Linear) -> Option<i128> {
        let mut now = Residual { scale: 1, form: form.clone() };
        let mut cost = self.cost(&now)?;
        let mut looks = 0;
        let of = |&(place, _): &(u32, i128)| self.semiflows.of_place(place as usize);
        let mut useful: Vec<u32> = form.terms.iter().flat_map(of).copied().collect();
        useful.sort_unstable();
        useful.dedup();
        for at in useful {
            let Semiflow { weights, total } = &self.semiflows.semiflows()[at as usize];
            for (up, down) in multiples(&now.form, weights) {
                looks += weights.len() + now.form.terms.len();
                if looks > MAX_LOOKS {
                    return cost.most();
                }
                // Invariant 1: the weighted sum is `total` in every reachable marking.
                let Some(next) = now.moved(weights, *total, up, down) else { continue };
                let Some(better) = self.cost(&next).filter(|next| *next < cost) else { continue };
                (now, cost) = (next, better);
            }
        }
        cost.most()
    }

    /// The bound by those of single places; `None` when a number does not fit.
    fn cost(&self, residual: &Residual) -> Option<ResidualBound> {
        let mut cost = ResidualBound { unbounded: 0, most: residual.form.constant };
        for &(place, factor) in residual.form.terms.iter().filter(|term| term.1 > 0) {
            match self.semiflows.bounds()[place as usize] {
                Some(bound) => cost.most = cost.most.checked_add(factor.checked_mul(bound.into())?)?,
                None => cost.unbounded += 1,
            }
        }
        cost.most = cost.most.div_euclid(residual.scale);
        Some(cost)
    }
}

/// The least and the most value of a linear form, where they are known.
pub type FormRange = (Option<i128>, Option<i128>);

/// An upper bound, ordered by quality: no unbounded place, then a small number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ResidualBound {
    unbounded: usize,
    most: i128,
}

impl ResidualBound {
    fn most(self) -> Option<i128> {
        (self.unbounded == 0).then_some(self.most)
    }
}

/// `scale` times the form whose bound is computed, as another form; `scale` is positive.
#[derive(Clone, Debug)]
struct Residual {
    scale: i128,
    form: Linear,
}

impl Residual {
    /// Replaces `up / down` of a semiflow's sum by its total; `down` is positive.
    fn moved(&self, weights: &SparseVector, total: i128, up: i128, down: i128) -> Option<Self> {
        let mut form = self.form.scaled(down)?;
        let taken = weights.iter().map(|&(place, factor)| Some((place, up.checked_mul(factor.into())?)));
        let taken = Linear::of(taken.collect::<Option<Vec<_>>>()?, 0)?;
        form = form.plus(&taken.scaled(-1)?)?;
        form.constant = form.constant.checked_add(up.checked_mul(total)?)?;
        Some(Self { scale: self.scale.checked_mul(down)?, form })
    }
}

/// The multiples of a semiflow that make some place of the form vanish.
fn multiples(form: &Linear, weights: &SparseVector) -> Vec<(i128, i128)> {
    let mut found: Vec<(i128, i128)> = Vec::new();
    for &(place, factor) in weights {
        let own = form.factor(place);
        if own == 0 || found.len() == MAX_MULTIPLES {
            continue;
        }
        let divisor = gcd(own.unsigned_abs(), factor.unsigned_abs().into());
        let Ok(divisor) = i128::try_from(divisor) else { continue };
        let multiple = (own / divisor, i128::from(factor) / divisor);
        if !found.contains(&multiple) {
            found.push(multiple);
        }
    }
    found
}
