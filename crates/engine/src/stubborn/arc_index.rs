//! The transitions that change a place, need it, or are blocked by it.

use fireset_net::{Arc, Change, Net, PlaceId, Rows, TransitionId};

/// The arcs of a net, by places.
#[derive(Debug)]
pub(crate) struct ArcIndex<'n> {
    pub(super) net: &'n Net,
    /// For each transition the places that it leaves with fewer tokens, and with more.
    pub(super) less: Rows<u32>,
    pub(super) more: Rows<u32>,
    /// For each place the transitions that leave it with more tokens, and the tokens that they need there.
    pub(crate) raising: Rows<(u32, u64)>,
    /// For each place the transitions that leave it with fewer tokens, and the tokens that they give there.
    pub(crate) lowering: Rows<(u32, u64)>,
    /// For each place the transitions with an arc from it, and those with an inhibitor arc.
    pub(super) needing: Rows<u32>,
    pub(super) blocked: Rows<u32>,
    /// For each transition an estimate of the number of transitions that it depends on.
    pub(super) degree: Vec<usize>,
}

impl<'n> ArcIndex<'n> {
    pub(crate) fn new(net: &'n Net) -> Self {
        let (places, all) = (net.nodes().places.len(), || net.nodes().transition_ids());
        let changes: Vec<(u32, Change)> =
            all().flat_map(|t| net.changes(t).map(move |change| (t.index() as u32, change))).collect();
        let raises = |change: &Change| change.gives > change.takes;
        let of_transition = |up: bool| {
            let mut rows: Vec<Vec<u32>> = vec![Vec::new(); net.nodes().transitions.len()];
            for (t, change) in changes.iter().filter(|(_, change)| raises(change) == up) {
                rows[*t as usize].push(change.place.index() as u32);
            }
            rows.into_iter().collect()
        };
        let of_place = |up: bool| {
            let changes = changes.iter().filter(move |(_, change)| raises(change) == up);
            let pairs =
                changes.map(move |(t, c)| (c.place.index(), (*t, if up { c.takes } else { c.gives })));
            Rows::group(places, pairs)
        };
        let at_place = |arcs: fn(&Net, TransitionId) -> &[Arc]| {
            let pairs =
                all().flat_map(|t| arcs(net, t).iter().map(move |a| (a.place.index(), t.index() as u32)));
            Rows::group(places, pairs)
        };
        let (less, more): (Rows<u32>, Rows<u32>) = (of_transition(false), of_transition(true));
        let (needing, blocked) = (at_place(Net::pre), at_place(Net::inhibitors));
        let lowering: Rows<(u32, u64)> = of_place(false);
        let degree = |t: TransitionId| {
            let meets = less[t.index()].iter().map(|&p| needing[p as usize].len());
            let blocks = more[t.index()].iter().map(|&p| blocked[p as usize].len());
            let disabled = net.pre(t).iter().map(|arc| lowering[arc.place.index()].len());
            meets.chain(blocks).chain(disabled).sum()
        };
        let degree = all().map(degree).collect();
        Self { net, less, more, raising: of_place(true), lowering, needing, blocked, degree }
    }

    /// The transitions that change some of these places.
    pub(super) fn touching(&self, places: impl Iterator<Item = PlaceId>) -> Box<[u32]> {
        let changing = |p: PlaceId| self.raising[p.index()].iter().chain(&self.lowering[p.index()]);
        let mut near: Vec<u32> = places.flat_map(changing).map(|&(t, _)| t).collect();
        near.sort_unstable();
        near.dedup();
        near.into()
    }

    /// The transitions that increase a sum of factors times tokens, and those that decrease it. The terms are in the
    /// order of the places.
    pub(super) fn changing(&self, terms: &[(PlaceId, i64)]) -> (Box<[u32]>, Box<[u32]>) {
        let factor = |place: PlaceId| {
            terms.binary_search_by_key(&place, |term| term.0).map_or(0, |at| i128::from(terms[at].1))
        };
        let effect = |t: u32| -> i128 {
            let gain = |c: Change| factor(c.place) * (i128::from(c.gives) - i128::from(c.takes));
            self.net.changes(TransitionId::new(t as usize)).map(gain).sum()
        };
        let near = self.touching(terms.iter().map(|term| term.0));
        let effects: Vec<(u32, i128)> = near.into_iter().map(|t| (t, effect(t))).collect();
        let with = |sign: i128| effects.iter().filter(|e| e.1.signum() == sign).map(|e| e.0).collect();
        (with(1), with(-1))
    }
}
