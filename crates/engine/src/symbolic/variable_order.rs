//! The variables of the decision diagrams: which places form one, and their order.
//!
//! A variable is a group of places; its local states are the markings of the group, numbered as they are seen. Any grouping and
//! any order is right, but the size of diagrams depends on them more than on anything else. Places that share few tokens are a group: one unit of
//! the net, or a place invariant over one token; and so are two places that always hold a constant number together. Groups that
//! transitions connect should lie near each other: Aloul, Markov and Sakallah, "FORCE: a fast and easy-to-implement variable-ordering
//! heuristic" (GLSVLSI 2003), which moves each group to the middle of its transitions, from several initial orders; and chains of groups
//! that change together. No number tells which order is best (of HealthRecord-PT-09 one takes 0.5 s, and the same from below more than 10 s), so several are tried.

use std::collections::BTreeSet;

use fireset_net::Net;
use fireset_structure::Semiflow;

/// A unit with more places is no group: it would have too many local states.
const LARGEST: usize = 64;
/// The most local states of a group with several tokens.
const MOST_LOCAL_STATES: u128 = 64;
/// Transitions over more groups do not join any.
const WIDEST: usize = 16;
/// Nor do more pairs of groups than these.
const MOST_LINKS: usize = 1 << 20;
/// Rounds of moving groups from one first order.
const ROUNDS: usize = 100;

/// The places of each variable, the lowest first, in several orders, the most promising first.
pub(super) fn orders(net: &Net, semiflows: &[Semiflow]) -> Vec<Vec<Vec<usize>>> {
    let groups = groups(net, semiflows);
    let mut group_of = vec![0; net.nodes().places.len()];
    for (at, group) in groups.iter().enumerate() {
        group.iter().for_each(|&place| group_of[place] = at);
    }
    let orders = of_groups(groups.len(), &spans(net, &group_of));
    orders.into_iter().map(|order| order.into_iter().map(|at| groups[at].clone()).collect()).collect()
}

/// A partition of the places.
fn groups(net: &Net, semiflows: &[Semiflow]) -> Vec<Vec<usize>> {
    let places = net.nodes().places.len();
    let initial = &net.initial_marking().0;
    let mut candidates: Vec<Vec<usize>> = Vec::new();
    if let Some(nupn) = net.nupn().filter(|nupn| nupn.unit_safe) {
        candidates.extend(nupn.units.iter().map(|unit| unit.places.iter().map(|p| p.index()).collect()));
    }
    let units = candidates.len();
    let mut sums: Vec<(u128, Vec<usize>)> = Vec::new();
    for flow in semiflows.iter().map(|flow| &flow.weights).filter(|flow| flow.iter().all(|e| e.1 == 1)) {
        let all: Vec<usize> = flow.iter().map(|&(place, _)| place as usize).collect();
        let tokens: u128 = all.iter().map(|&place| u128::from(initial[place])).sum();
        if local_states(tokens, all.len()) <= MOST_LOCAL_STATES || (tokens <= 1 && all.len() <= LARGEST) {
            sums.push((tokens, all));
        }
    }
    // Groups of one token come first, then those of many places.
    sums.sort_by_key(|(tokens, all)| (*tokens, usize::MAX - all.len()));
    candidates.extend(sums.into_iter().map(|(_, all)| all));
    let (mut taken, mut groups) = (vec![false; places], Vec::new());
    for (at, mut candidate) in candidates.into_iter().enumerate() {
        candidate.retain(|&place| !taken[place]);
        // The remaining places of a unit stay together.
        let fewest = if at < units { 1 } else { 2 };
        if (fewest..=LARGEST).contains(&candidate.len()) {
            candidate.iter().for_each(|&place| taken[place] = true);
            groups.push(candidate);
        }
    }
    groups.extend((0..places).filter(|&place| !taken[place]).map(|place| vec![place]));
    groups
}

/// The number of distributions of tokens over places.
fn local_states(tokens: u128, places: usize) -> u128 {
    let mut count: u128 = 1;
    for at in 1..places as u128 {
        match count.checked_mul(tokens.saturating_add(at)) {
            Some(more) => count = more / at,
            None => return u128::MAX,
        }
    }
    count
}

/// The groups that each transition depends on or changes, without repetitions.
fn spans(net: &Net, group_of: &[usize]) -> Vec<Vec<usize>> {
    let mut spans = BTreeSet::new();
    for t in net.nodes().transition_ids() {
        let arcs = net.pre(t).iter().chain(net.post(t)).chain(net.inhibitors(t));
        let mut span: Vec<usize> = arcs.map(|arc| group_of[arc.place.index()]).collect();
        span.sort_unstable();
        span.dedup();
        if span.len() > 1 {
            spans.insert(span);
        }
    }
    spans.into_iter().collect()
}

/// Orders of groups, the lowest first.
fn of_groups(groups: usize, spans: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let written: Vec<usize> = (0..groups).collect();
    let mut found = vec![force(written.clone(), spans), force(near(groups, spans), spans)];
    found.sort();
    let joined = joined(groups, spans);
    found.extend([joined, written].map(|order| (length(&order, spans), order)));
    let mut orders: Vec<Vec<usize>> = Vec::new();
    for (_, order) in found {
        let other: Vec<usize> = order.iter().rev().copied().collect();
        // Events should have low highest variables, since saturation fires them on the nodes below.
        let first = highest(&order, spans) <= highest(&other, spans);
        let both = if first { [order, other] } else { [other, order] };
        for order in both {
            if !orders.contains(&order) {
                orders.push(order);
            }
        }
    }
    orders
}

/// The sum of the highest positions of all spans.
fn highest(order: &[usize], spans: &[Vec<usize>]) -> usize {
    let position = positions(order);
    spans.iter().filter_map(|span| span.iter().map(|&group| position[group]).max()).sum()
}

fn positions(order: &[usize]) -> Vec<usize> {
    let mut position = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, &group)| position[group] = at);
    position
}

/// The groups in the order of a depth-first search through transitions.
fn near(groups: usize, spans: &[Vec<usize>]) -> Vec<usize> {
    let mut spans_of = vec![Vec::new(); groups];
    for (at, span) in spans.iter().enumerate() {
        span.iter().for_each(|&group| spans_of[group].push(at));
    }
    let (mut seen, mut order) = (vec![false; groups], Vec::with_capacity(groups));
    for start in 0..groups {
        let mut stack = vec![start];
        while let Some(group) = stack.pop() {
            if std::mem::replace(&mut seen[group], true) {
                continue;
            }
            order.push(group);
            let next = spans_of[group].iter().rev().flat_map(|&span| spans[span].iter().rev());
            stack.extend(next.filter(|&&group| !seen[group]));
        }
    }
    order
}

/// The groups in chains: those that most often change together are joined first, by the ends that are near to them. Unlike moves of
/// single groups, this sees a process among many that all look at each other.
fn joined(groups: usize, spans: &[Vec<usize>]) -> Vec<usize> {
    // Narrow spans are the strongest links.
    let mut narrow: Vec<&Vec<usize>> = spans.iter().filter(|span| span.len() <= WIDEST).collect();
    narrow.sort_by_key(|span| span.len());
    let (mut links, mut degrees) = (Vec::new(), vec![0.0; groups]);
    for span in narrow {
        if links.len() >= MOST_LINKS {
            break;
        }
        let weight = 1.0 / (span.len() - 1) as f64;
        for (at, &a) in span.iter().enumerate() {
            degrees[a] += 1.0;
            links.extend(span[at + 1..].iter().map(|&b| (a, b, weight)));
        }
    }
    links.sort_by_key(|&(a, b, _)| (a, b));
    let together = links.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1));
    let mut pairs: Vec<(f64, usize, usize)> = together
        .map(|links| {
            let (a, b, _) = links[0];
            let weight: f64 = links.iter().map(|link| link.2).sum();
            (weight / f64::min(degrees[a], degrees[b]), a, b)
        })
        .collect();
    pairs.sort_by(|x, y| y.0.total_cmp(&x.0).then_with(|| (x.1, x.2).cmp(&(y.1, y.2))));
    let mut chain_of: Vec<usize> = (0..groups).collect();
    let mut chains: Vec<Vec<usize>> = (0..groups).map(|group| vec![group]).collect();
    for (_, a, b) in pairs {
        let (mut x, mut y) = (chain_of[a], chain_of[b]);
        if x == y {
            continue;
        }
        if chains[x].len() < chains[y].len() {
            (x, y) = (y, x);
        }
        let (here, there) = if chain_of[a] == x { (a, b) } else { (b, a) };
        let mut short = std::mem::take(&mut chains[y]);
        let near_start = |chain: &[usize], group| {
            2 * chain.iter().position(|&other| other == group).unwrap_or(0) < chain.len()
        };
        if near_start(&chains[x], here) {
            chains[x].reverse();
        }
        if !near_start(&short, there) {
            short.reverse();
        }
        short.iter().for_each(|&group| chain_of[group] = x);
        chains[x].append(&mut short);
    }
    chains.concat()
}

/// Moves groups to the middle of their transitions, as long as that makes spans shorter; gives their length too.
fn force(mut order: Vec<usize>, spans: &[Vec<usize>]) -> (u64, Vec<usize>) {
    let mut best = (length(&order, spans), order.clone());
    let mut without = 0;
    for _ in 0..ROUNDS {
        let position = positions(&order);
        let (mut sums, mut counts) = (vec![0.0; order.len()], vec![0u32; order.len()]);
        for span in spans {
            let middle = span.iter().map(|&group| position[group] as f64).sum::<f64>() / span.len() as f64;
            for &group in span {
                sums[group] += middle;
                counts[group] += 1;
            }
        }
        let place = |group: usize| match counts[group] {
            0 => position[group] as f64,
            count => sums[group] / f64::from(count),
        };
        order.sort_by(|&a, &b| place(a).total_cmp(&place(b)));
        let cost = length(&order, spans);
        if cost < best.0 {
            best = (cost, order.clone());
            without = 0;
        } else {
            without += 1;
            if without > 8 {
                break;
            }
        }
    }
    best
}

/// The sum of the distances between the ends of all spans.
fn length(order: &[usize], spans: &[Vec<usize>]) -> u64 {
    let position = positions(order);
    let length = |span: &Vec<usize>| {
        let all = span.iter().map(|&group| position[group]);
        all.clone().max().unwrap_or(0) - all.min().unwrap_or(0)
    };
    spans.iter().map(|span| length(span) as u64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts 2i and 2i + 1 are of one process, which looks at a part of each other one.
    #[test]
    fn parts_of_a_process_are_joined() {
        const PROCESSES: usize = 7;
        let mut spans = BTreeSet::new();
        for i in 0..PROCESSES {
            spans.insert(vec![2 * i, 2 * i + 1]);
            for j in (0..PROCESSES).filter(|&j| j != i) {
                let mut span = vec![2 * i, 2 * i + 1, 2 * j + 1];
                span.sort_unstable();
                spans.insert(span);
            }
        }
        let spans: Vec<Vec<usize>> = spans.into_iter().collect();
        let order = joined(2 * PROCESSES, &spans);
        let position = positions(&order);
        (0..PROCESSES)
            .for_each(|i| assert_eq!(position[2 * i].abs_diff(position[2 * i + 1]), 1, "{order:?}"));
        let mut all = order;
        all.sort_unstable();
        assert_eq!(all, (0..2 * PROCESSES).collect::<Vec<_>>());
    }
}
