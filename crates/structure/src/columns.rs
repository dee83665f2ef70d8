//! Columns of the incidence matrix: transitions with the same arcs are one column.
//!
//! Why: coloured nets unfold to many transitions with the same arcs. One of them can stand for all wherever a marking or a
//! number of firings is all that counts, and what is solved over columns gets smaller.
//! A transition that gives back all that it takes has no effect and no column: it changes no count, and as a transition that
//! takes from a set of places only if it gives to the set it breaks neither siphon nor trap.
//!
//! Invariants: (1) the transitions of a column have the same input arcs and the same output arcs, and may differ in their
//! inhibitor arcs; (2) columns and their transitions ascend. Cost: linear in the arcs. Test: below, by the definition.

use std::{collections::HashMap, hash::Hash};

use fireset_net::{Arc, Net, Rows, TransitionId};

use crate::SparseVector;

/// The transitions of a net that have an effect, grouped by their arcs.
#[derive(Clone, Debug)]
pub struct TransitionColumns {
    members: Rows<TransitionId>,
    column_of: Vec<Option<u32>>,
    consumers: Rows<u32>,
    producers: Rows<u32>,
}

impl TransitionColumns {
    /// The columns of a net.
    pub fn of(net: &Net) -> Self {
        let has_effect = |t: &TransitionId| net.pre(*t) != net.post(*t);
        let groups = grouped(net.nodes().transition_ids().filter(has_effect), |t| (net.pre(t), net.post(t)));
        let mut column_of = vec![None; net.nodes().transitions.len()];
        let mut members = Rows::new();
        for (at, group) in groups.iter().enumerate() {
            group.iter().for_each(|t| column_of[t.index()] = Some(at as u32));
            members.push(group.iter().copied());
        }
        let by_place = |arcs: fn(&Net, TransitionId) -> &[Arc]| {
            let of_column = |(at, group): (usize, &Vec<TransitionId>)| {
                arcs(net, group[0]).iter().map(move |arc| (arc.place.index(), at as u32))
            };
            Rows::group(net.nodes().places.len(), groups.iter().enumerate().flat_map(of_column))
        };
        let (consumers, producers) = (by_place(Net::pre), by_place(Net::post));
        Self { members, column_of, consumers, producers }
    }

    /// How many columns there are; they have the numbers below.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether no transition has an effect.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The first transition of a column, which has the arcs of all of them.
    pub fn first(&self, column: u32) -> TransitionId {
        self.members[column as usize][0]
    }

    /// The first transition of each column.
    pub fn firsts(&self) -> impl ExactSizeIterator<Item = TransitionId> + '_ {
        (0..self.members.len()).map(|column| self.members[column][0])
    }

    /// All transitions of a column; one at least.
    pub fn members(&self, column: u32) -> &[TransitionId] {
        &self.members[column as usize]
    }

    /// The column of a transition; `None` if the transition has no effect.
    pub fn of_transition(&self, transition: TransitionId) -> Option<u32> {
        self.column_of[transition.index()]
    }

    /// The columns that take tokens from a place, whether or not they give them back.
    pub fn consumers(&self, place: u32) -> &[u32] {
        &self.consumers[place as usize]
    }

    /// The columns that give tokens to a place, whether or not they take them from it.
    pub fn producers(&self, place: u32) -> &[u32] {
        &self.producers[place as usize]
    }
}

/// A transition for each different set of input, output and inhibitor arcs: each enabled where all with these arcs are, with
/// the same marking after it. Transitions without effect are among them.
pub fn distinct_transitions(net: &Net) -> impl Iterator<Item = TransitionId> {
    type AllArcs<'n> = (&'n [Arc], &'n [Arc], &'n [Arc]);
    let arcs = |t: TransitionId| -> AllArcs<'_> { (net.pre(t), net.post(t), net.inhibitors(t)) };
    grouped(net.nodes().transition_ids(), arcs).into_iter().map(|group| group[0])
}

/// Transitions grouped by a key, groups in the order of their first transitions.
fn grouped<K: Hash + Eq>(
    transitions: impl Iterator<Item = TransitionId>,
    key: impl Fn(TransitionId) -> K,
) -> Vec<Vec<TransitionId>> {
    let mut group_of: HashMap<K, usize> = HashMap::new();
    let mut groups: Vec<Vec<TransitionId>> = Vec::new();
    for t in transitions {
        let next = groups.len();
        let group = *group_of.entry(key(t)).or_insert(next);
        if group == next {
            groups.push(Vec::new());
        }
        groups[group].push(t);
    }
    groups
}

/// The incidence matrix over [`TransitionColumns`], by column and by place.
#[derive(Clone, Debug)]
pub struct Incidence {
    effects: Vec<SparseVector>,
    changes: Vec<SparseVector>,
}

impl Incidence {
    /// The matrix of a net; `None` where a weight does not fit into 63 bits.
    pub fn of(net: &Net, columns: &TransitionColumns) -> Option<Self> {
        let matrix = net.incidence()?;
        let mut effects = vec![SparseVector::new(); columns.len()];
        let mut changes = vec![SparseVector::new(); matrix.len()];
        for (place, row) in matrix.iter().enumerate() {
            for &(t, change) in row {
                let t = TransitionId::new(t as usize);
                if let Some(column) = columns.of_transition(t).filter(|&column| columns.first(column) == t) {
                    effects[column as usize].push((place as u32, change));
                    changes[place].push((column, change));
                }
            }
        }
        Some(Self { effects, changes })
    }

    /// How a firing of a column changes the places: ascending places, no zeros.
    pub fn effect(&self, column: u32) -> &SparseVector {
        &self.effects[column as usize]
    }

    /// How the columns change a place: ascending columns, no zeros.
    pub fn changes(&self, place: u32) -> &SparseVector {
        &self.changes[place as usize]
    }

    /// [`Incidence::changes`] of all places in order.
    pub fn rows(&self) -> &[SparseVector] {
        &self.changes
    }
}

#[cfg(test)]
mod tests {
    use fireset_oracle::{
        random::{self, NetShape, TestRng},
        tiny,
    };

    use super::*;

    #[test]
    fn transitions_with_the_same_arcs_are_one_column() {
        let net = tiny::net("p:1 q; t: p -> q; u: p -> p; v: p, !q -> q; w: q -> p");
        let columns = TransitionColumns::of(&net);
        let t = TransitionId::new;
        assert_eq!(columns.len(), 2);
        assert_eq!(columns.members(0), [t(0), t(2)]);
        assert_eq!([0, 1, 2, 3].map(|at| columns.of_transition(t(at))), [Some(0), None, Some(0), Some(1)]);
        assert_eq!((columns.consumers(0), columns.producers(0)), (&[0][..], &[1][..]));
        assert_eq!(distinct_transitions(&net).count(), 4);
        let incidence = Incidence::of(&net, &columns).expect("small weights");
        assert_eq!(incidence.effect(0), &[(0, -1), (1, 1)]);
        assert_eq!(incidence.changes(0), &[(0, -1), (1, 1)]);
    }

    #[test]
    fn columns_are_those_of_the_definition() {
        for seed in 0..500 {
            let mut random = TestRng::new(seed);
            let shape = NetShape { places: 3, transitions: 6, inhibitors: 20, ..NetShape::default() };
            let net = random::net(&mut random, &shape);
            let columns = TransitionColumns::of(&net);
            let incidence = Incidence::of(&net, &columns).expect("small weights");
            let same = |t, u| net.pre(t) == net.pre(u) && net.post(t) == net.post(u);
            for t in net.nodes().transition_ids() {
                let Some(column) = columns.of_transition(t) else {
                    assert_eq!(net.pre(t), net.post(t), "seed {seed}");
                    continue;
                };
                let alike: Vec<_> = net.nodes().transition_ids().filter(|&u| same(t, u)).collect();
                assert_eq!(columns.members(column), alike, "seed {seed}");
                let mut changes: Vec<(u32, i64)> = net
                    .changes(t)
                    .map(|c| (c.place.index() as u32, c.gives as i64 - c.takes as i64))
                    .collect();
                changes.sort_unstable();
                assert_eq!(incidence.effect(column), &changes, "seed {seed}");
            }
        }
    }
}
