//! What holds in every reachable marking of a net, from its place invariants and its state equation.
//!
//! Why: an atom that is always true or always false need not be asked. A semi-positive invariant `y` says that
//! `y m = y m0` in every reachable marking `m`. Since `m >= 0`, that bounds each place with a factor in `y`, and
//! it bounds sums: `s (c m) = a + r m` stays true when a multiple of `y m` is moved from the residual `r` into the
//! constant `a`, and `r m` is then bounded place by place. Which multiple of which invariant is a matter of luck
//! (a linear program would tell); it is taken greedily wherever the bound gets smaller. What that does not
//! decide is left to the state equation.
//!
//! A net's own claims are not believed: that a file calls its units safe proves nothing. A 1-safe net or a
//! nested-unit net profits exactly as far as its invariants prove it. Inhibitor arcs only take runs away, so the
//! invariants hold with them as well.
//!
//! Invariants: (1) `scale * form = constant + residual` in every reachable marking, at each step of the search;
//! (2) numbers are checked, and what does not fit gives no bound.
//! Cost: the search for invariants once, at most `MAX_WORK` entries; a bound, at most `MAX_LOOKS` entries.
//! Test: `tests/atoms.rs`, against all reachable markings of random nets.

use std::sync::OnceLock;

use fireset_kernel::flows::{self, Sparse};
use fireset_net::{Arc, Linear, Model, Net, TransitionId};

/// Rows that the search for invariants may hold.
const MAX_ROWS: usize = 4_000;
/// Entries that the search for invariants may look at: a fraction of a second.
const MAX_WORK: usize = 40_000_000;
/// Entries that the search for one bound may look at.
const MAX_LOOKS: usize = 20_000;
/// Multiples of an invariant that are tried.
const MAX_MULTIPLES: usize = 6;

/// What is proven of the reachable markings.
#[derive(Clone, Debug)]
pub struct Proven<'a> {
    net: Option<&'a Net>,
    /// For each transition whether it is known never to be enabled, once somebody has asked.
    never: Vec<OnceLock<bool>>,
    bounds: Vec<Option<u64>>,
    flows: Vec<(Sparse, i128)>,
    /// For each place the invariants that it has a factor in.
    flows_of: Vec<Vec<u32>>,
}

impl<'a> Proven<'a> {
    /// What the place invariants of a net prove.
    pub fn of(net: &'a Net) -> Self {
        let places = net.nodes().places.len();
        let columns = net.nodes().transitions.len();
        let initial = &net.initial_marking().0;
        let matrix = net.incidence();
        let found =
            matrix.map_or(Vec::new(), |m| flows::semi_positive(&m, columns as u32, MAX_ROWS, MAX_WORK));
        let bounds = flows::bounds(&found, initial);
        let with_total = |flow: Sparse| flows::total(&flow, initial).map(|total| (flow, total));
        let flows: Vec<(Sparse, i128)> = found.into_iter().filter_map(with_total).collect();
        let mut flows_of = vec![Vec::new(); places];
        for (at, (flow, _)) in flows.iter().enumerate() {
            flow.iter().for_each(|&(place, _)| flows_of[place as usize].push(at as u32));
        }
        Self { net: Some(net), never: vec![OnceLock::new(); columns], bounds, flows, flows_of }
    }

    /// What is true of every net with these places and transitions: no count is below 0.
    pub fn little(model: &'a Model) -> Self {
        let nodes = model.nodes();
        let places = nodes.places.len();
        Self {
            net: None,
            never: vec![OnceLock::new(); nodes.transitions.len()],
            bounds: vec![None; places],
            flows: Vec::new(),
            flows_of: vec![Vec::new(); places],
        }
    }

    /// How many transitions the net has.
    pub(crate) fn transitions(&self) -> usize {
        self.never.len()
    }

    /// For each place the most tokens that it can have, where that is proven.
    pub fn bounds(&self) -> &[Option<u64>] {
        &self.bounds
    }

    /// The semi-positive place invariants, each with the value that it keeps.
    pub fn flows(&self) -> &[(Sparse, i128)] {
        &self.flows
    }

    /// Whether no reachable marking enables `transition`.
    pub fn never_enabled(&self, transition: TransitionId) -> bool {
        let Some(net) = self.net else { return false };
        *self.never[transition.index()].get_or_init(|| self.is_never_enabled(net, transition))
    }

    fn is_never_enabled(&self, net: &Net, transition: TransitionId) -> bool {
        let (pre, inhibitors) = (net.pre(transition), net.inhibitors(transition));
        let needs = |place| pre.iter().find(|arc| arc.place == place).map_or(0, |arc| arc.weight);
        let too_heavy = |arc: &Arc| self.bounds[arc.place.index()].is_some_and(|most| most < arc.weight);
        let blocked = inhibitors.iter().any(|arc| arc.weight <= needs(arc.place));
        blocked || pre.iter().any(too_heavy) || self.inputs_exceed_a_flow(pre)
    }

    /// Whether the inputs together need more than an invariant has.
    fn inputs_exceed_a_flow(&self, pre: &[Arc]) -> bool {
        pre.iter().flat_map(|arc| &self.flows_of[arc.place.index()]).any(|&at| {
            let (flow, total) = &self.flows[at as usize];
            let mut needed = 0i128;
            for arc in pre {
                if let Ok(at) = flow.binary_search_by_key(&(arc.place.index() as u32), |e| e.0) {
                    let part = i128::from(flow[at].1).checked_mul(i128::from(arc.weight));
                    let Some(sum) = part.and_then(|part| needed.checked_add(part)) else { return false };
                    needed = sum;
                }
            }
            needed > *total
        })
    }

    /// Whether every reachable marking enables `transition`: it takes nothing, and what inhibits it never can.
    pub fn always_enabled(&self, transition: TransitionId) -> bool {
        let Some(net) = self.net else { return false };
        let harmless = |arc: &Arc| self.bounds[arc.place.index()].is_some_and(|most| most < arc.weight);
        net.pre(transition).is_empty() && net.inhibitors(transition).iter().all(harmless)
    }

    /// The least and the most that a linear form can be, where invariants prove it.
    pub(crate) fn range(&self, form: &Linear) -> Range {
        both(form, |form| self.most(form))
    }

    /// The most that a linear form can be.
    fn most(&self, form: &Linear) -> Option<i128> {
        let mut now = Residual { scale: 1, form: form.clone() };
        let mut cost = self.cost(&now)?;
        let mut looks = 0;
        let of = |&(place, _): &(u32, i128)| &self.flows_of[place as usize];
        let mut useful: Vec<u32> = form.terms.iter().flat_map(of).copied().collect();
        useful.sort_unstable();
        useful.dedup();
        for at in useful {
            let (flow, total) = &self.flows[at as usize];
            for (up, down) in multiples(&now.form, flow) {
                looks += flow.len() + now.form.terms.len();
                if looks > MAX_LOOKS {
                    return cost.most();
                }
                // Invariant 1: `flow` has the value `total` in every reachable marking.
                let Some(next) = now.moved(flow, *total, up, down) else { continue };
                let Some(better) = self.cost(&next).filter(|next| *next < cost) else { continue };
                (now, cost) = (next, better);
            }
        }
        cost.most()
    }

    /// What the bounds of single places say of a residual; `None` when a number does not fit.
    fn cost(&self, residual: &Residual) -> Option<Cost> {
        let mut cost = Cost { unbounded: 0, most: residual.form.constant };
        for &(place, factor) in residual.form.terms.iter().filter(|term| term.1 > 0) {
            match self.bounds[place as usize] {
                Some(bound) => cost.most = cost.most.checked_add(factor.checked_mul(bound.into())?)?,
                None => cost.unbounded += 1,
            }
        }
        cost.most = cost.most.div_euclid(residual.scale);
        Some(cost)
    }
}

/// The least and the most of something, where they are known.
pub(crate) type Range = (Option<i128>, Option<i128>);

/// The range of a form from a way to find the most of one.
fn both(form: &Linear, most: impl Fn(&Linear) -> Option<i128>) -> Range {
    let least = form.scaled(-1).and_then(|form| most(&form)).and_then(i128::checked_neg);
    (least, most(form))
}

/// How good a bound is: no place without a bound, then a small number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    unbounded: usize,
    most: i128,
}

impl Cost {
    fn most(self) -> Option<i128> {
        (self.unbounded == 0).then_some(self.most)
    }
}

/// `scale` times the form that is asked for, as another form; `scale` is positive.
#[derive(Clone, Debug)]
struct Residual {
    scale: i128,
    form: Linear,
}

impl Residual {
    /// The same with `up / down` of an invariant's sum replaced by its value; `down` is positive.
    fn moved(&self, flow: &Sparse, total: i128, up: i128, down: i128) -> Option<Self> {
        let mut form = self.form.scaled(down)?;
        let taken = flow.iter().map(|&(place, factor)| Some((place, up.checked_mul(factor.into())?)));
        let taken = Linear::of(taken.collect::<Option<Vec<_>>>()?, 0)?;
        form = form.plus(&taken.scaled(-1)?)?;
        form.constant = form.constant.checked_add(up.checked_mul(total)?)?;
        Some(Self { scale: self.scale.checked_mul(down)?, form })
    }
}

/// The multiples of an invariant that make some place of the form vanish.
fn multiples(form: &Linear, flow: &Sparse) -> Vec<(i128, i128)> {
    let mut found: Vec<(i128, i128)> = Vec::new();
    for &(place, factor) in flow {
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

/// The greatest common divisor; of 0 and a number, the number.
pub(crate) fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
