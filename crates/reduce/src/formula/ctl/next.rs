//! `EX p` and `AX p` of state predicates, as state predicates.
//!
//! Why: a firing moves known numbers of tokens, so what a predicate says of the next marking it says of this one with
//! other constants. `EF AX p` becomes a reachability query then, `AG(p -> EX q)` an invariant; and a formula without `X`
//! lets more of the net go.
//!
//! Let `p'` be `p` with `m + C t` for `m`. Then `p` is true after `t` exactly where `p'` is true before it, so
//!
//! > `EX p` = some `t`: `t` is enabled and `p'`.
//!
//! Most transitions leave all places alone that `p` looks at. For those together that is `p`, and one of them is enabled.
//! The others are taken together where `p'` is the same; it is asked only where `t` is enabled, so what its input arcs tell is
//! known. `AX p` is `!EX !p`. Of `EX(p | f)` and `AX(p & f)` the state predicate is taken alone.
//!
//! Preserves the value in every marking, with weights and inhibitor arcs, whether the net is bounded or not. What would
//! be large stays as it is. Cost: linear in the net for each `X`, and `MAX_WORK`.
//! Test: below, in every state of random nets; `tests/simplify.rs`.

use std::collections::HashMap;

use fireset_net::{Comparison, Expr, Formula, Net, PlaceId, Quantifier, TransitionId};

use crate::formula::{
    rewrite::size,
    view::{Connective, map_operands, next, quantified, quantify},
};

/// Nodes that a predicate for one `X` may have.
const MAX_NODES: usize = 1_000;
/// Atoms and transitions that may be looked at for one `X`.
const MAX_WORK: usize = 1 << 20;

/// A formula with the same value in every marking of the net, without `X` before state predicates.
pub fn without_next(f: Formula, net: &Net) -> Formula {
    let f = map_operands(f, &mut |operand| without_next(operand, net));
    let changed = match quantified(&f) {
        Some((quantifier, Formula::Next(below))) => divided(quantifier, below, net),
        _ => None,
    };
    changed.unwrap_or(f)
}

/// The same, but `X` that is asked of the initial marking, or of those after it, stays: it is decided with a step or two, and
/// these show it.
pub fn without_later_next(f: Formula, net: &Net) -> Formula {
    match (&f, quantified(&f)) {
        (Formula::Not(_) | Formula::And(_) | Formula::Or(_) | Formula::Iff(..), _)
        | (_, Some((_, Formula::Next(_)))) => {
            map_operands(f, &mut |operand| without_later_next(operand, net))
        }
        _ => without_next(f, net),
    }
}

/// `QX below`, its state predicate without `X`.
fn divided(quantifier: Quantifier, below: &Formula, net: &Net) -> Option<Formula> {
    let connective = match quantifier {
        Quantifier::Exists => Connective::Or,
        Quantifier::ForAll => Connective::And,
    };
    let (predicates, rest): (Vec<Formula>, Vec<Formula>) =
        connective.operands(below).iter().cloned().partition(Formula::is_state_predicate);
    if predicates.is_empty() {
        return None;
    }
    let predicate = connective.join(predicates);
    let now = match quantifier {
        Quantifier::Exists => after_some(&predicate, net)?,
        Quantifier::ForAll => after_some(&predicate.negate(), net)?.negate(),
    };
    if rest.is_empty() {
        return Some(now);
    }
    let later = quantify(quantifier, next(connective.join(rest)));
    Some(connective.join(vec![now, later]))
}

/// `EX predicate`.
fn after_some(predicate: &Formula, net: &Net) -> Option<Formula> {
    let seen = places_of(predicate, net);
    let mut work = MAX_WORK;
    let mut unseen = Vec::new();
    let mut groups: Vec<(Formula, Vec<TransitionId>)> = Vec::new();
    let mut known: HashMap<Formula, usize> = HashMap::new();
    let mut nodes = size(predicate).1;
    for transition in transitions(net) {
        let firing = FiringEffect::of(net, transition)?;
        if !firing.changes.iter().any(|(place, _)| seen[place.index()]) {
            unseen.push(transition);
            continue;
        }
        let after = firing.after(predicate, &mut work)?;
        match known.get(&after) {
            Some(&at) => groups[at].1.push(transition),
            None => {
                nodes += size(&after).1;
                known.insert(after.clone(), groups.len());
                groups.push((after, vec![transition]));
            }
        }
        if nodes > MAX_NODES {
            return None;
        }
    }
    groups.push((predicate.clone(), unseen));
    let fireable = |(after, ts): (Formula, Vec<TransitionId>)| {
        Connective::And.join_without_constants([Formula::Fireable(ts), after])
    };
    Some(
        Connective::Or
            .join_without_constants(groups.into_iter().filter(|(_, ts)| !ts.is_empty()).map(fireable)),
    )
}

fn transitions(net: &Net) -> impl Iterator<Item = TransitionId> + use<> {
    TransitionId::first(net.nodes().transitions.len())
}

/// The places that a predicate looks at.
pub(super) fn places_of(predicate: &Formula, net: &Net) -> Vec<bool> {
    let mut seen = vec![false; net.nodes().places.len()];
    look(predicate, net, &mut |place| seen[place.index()] = true);
    seen
}

fn look(predicate: &Formula, net: &Net, visit: &mut impl FnMut(PlaceId)) {
    let mut condition = |t: TransitionId| {
        net.pre(t).iter().chain(net.inhibitors(t)).for_each(|arc| visit(arc.place));
    };
    match predicate {
        Formula::Deadlock => transitions(net).for_each(condition),
        Formula::Fireable(ts) => ts.iter().copied().for_each(&mut condition),
        Formula::Compare(_, a, b) => [a, b].into_iter().for_each(|side| side.places(visit)),
        other => other.children().for_each(|child| look(child, net, visit)),
    }
}

/// What a transition does when it fires.
struct FiringEffect<'n> {
    net: &'n Net,
    transition: TransitionId,
    /// The places whose tokens change, and how.
    changes: Vec<(PlaceId, i64)>,
}

impl<'n> FiringEffect<'n> {
    /// One of a transition whose weights are not too large.
    fn of(net: &'n Net, transition: TransitionId) -> Option<Self> {
        let mut changes: Vec<(PlaceId, i64)> = Vec::new();
        let taken = net.pre(transition).iter().map(|arc| (arc, -1));
        for (arc, sign) in taken.chain(net.post(transition).iter().map(|arc| (arc, 1))) {
            let change = i64::try_from(arc.weight).ok()? * sign;
            match changes.iter_mut().find(|(place, _)| *place == arc.place) {
                Some((_, sum)) => *sum = sum.checked_add(change)?,
                None => changes.push((arc.place, change)),
            }
        }
        changes.retain(|(_, change)| *change != 0);
        Some(Self { net, transition, changes })
    }

    fn change(&self, place: PlaceId) -> i64 {
        self.changes.iter().find(|(other, _)| *other == place).map_or(0, |(_, change)| *change)
    }

    /// Tokens that a place has at least where the transition is enabled.
    fn least(&self, place: PlaceId) -> i128 {
        let arc = self.net.pre(self.transition).iter().find(|arc| arc.place == place);
        arc.map_or(0, |arc| i128::from(arc.weight))
    }

    /// A predicate that is true before the firing exactly where `predicate` is true after it.
    fn after(&self, predicate: &Formula, work: &mut usize) -> Option<Formula> {
        *work = work.checked_sub(1)?;
        Some(match predicate {
            Formula::Deadlock => {
                let all: Vec<TransitionId> = transitions(self.net).collect();
                self.fireable(&all, work)?.negate()
            }
            Formula::Fireable(ts) => self.fireable(ts, work)?,
            Formula::Compare(how, a, b) => Formula::Compare(*how, self.shifted(a)?, self.shifted(b)?),
            Formula::BindingFireable(_) => return None,
            Formula::Not(f) => self.after(f, work)?.negate(),
            Formula::And(fs) => Connective::And.join_without_constants(self.each(fs, work)?),
            Formula::Or(fs) => Connective::Or.join_without_constants(self.each(fs, work)?),
            Formula::Iff(f, g) => {
                Formula::Iff(Box::new(self.after(f, work)?), Box::new(self.after(g, work)?))
            }
            constant => constant.clone(),
        })
    }

    fn each(&self, fs: &[Formula], work: &mut usize) -> Option<Vec<Formula>> {
        fs.iter().map(|f| self.after(f, work)).collect()
    }

    /// Whether some of these transitions is enabled after the firing.
    fn fireable(&self, ts: &[TransitionId], work: &mut usize) -> Option<Formula> {
        *work = work.checked_sub(ts.len())?;
        let is_untouched = |t: &TransitionId| {
            let mut arcs = self.net.pre(*t).iter().chain(self.net.inhibitors(*t));
            arcs.all(|arc| self.change(arc.place) == 0)
        };
        let (untouched, touched): (Vec<TransitionId>, Vec<TransitionId>) =
            ts.iter().copied().partition(is_untouched);
        let mut some: Vec<Formula> = touched.into_iter().map(|t| self.enabled(t)).collect::<Option<_>>()?;
        if !untouched.is_empty() {
            some.push(Formula::Fireable(untouched));
        }
        Some(Connective::Or.join_without_constants(some))
    }

    /// Whether a transition is enabled after the firing.
    fn enabled(&self, transition: TransitionId) -> Option<Formula> {
        let mut all = Vec::new();
        let (pre, inhibitors) = (self.net.pre(transition), self.net.inhibitors(transition));
        let conditions = pre.iter().map(|arc| (arc, true)).chain(inhibitors.iter().map(|arc| (arc, false)));
        for (arc, wanted) in conditions {
            let needed = i128::from(arc.weight) - i128::from(self.change(arc.place));
            if needed <= self.least(arc.place) {
                all.push(Formula::Constant(wanted));
                continue;
            }
            let how = if wanted { Comparison::GreaterEqual } else { Comparison::Less };
            let constant = Expr::Constant(i64::try_from(needed).ok()?);
            all.push(Formula::Compare(how, Expr::Tokens(vec![arc.place]), constant));
        }
        Some(Connective::And.join_without_constants(all))
    }

    /// An expression that has the value before the firing which `e` has after it.
    fn shifted(&self, e: &Expr) -> Option<Expr> {
        Some(match e {
            Expr::Constant(_) => e.clone(),
            Expr::Tokens(places) => {
                let change = places.iter().try_fold(0i64, |sum, &p| sum.checked_add(self.change(p)))?;
                match change {
                    0 => e.clone(),
                    _ => Expr::Sum(vec![e.clone(), Expr::Constant(change)]),
                }
            }
            Expr::ColourTokens(_) => return None,
            Expr::Sum(es) => Expr::Sum(self.shifted_each(es)?),
            Expr::Product(es) => Expr::Product(self.shifted_each(es)?),
            Expr::Difference(a, b) => {
                Expr::Difference(Box::new(self.shifted(a)?), Box::new(self.shifted(b)?))
            }
        })
    }

    fn shifted_each(&self, es: &[Expr]) -> Option<Vec<Expr>> {
        es.iter().map(|e| self.shifted(e)).collect()
    }
}

#[cfg(test)]
mod tests {
    use fireset_oracle::{
        random::{self, NetShape, TestRng},
        tiny,
    };

    use super::*;
    use crate::formula::every_state::EveryState;

    #[test]
    fn values_stay_in_every_state() {
        let (mut compared, mut gone) = (0, 0);
        for seed in 0..900 {
            let mut random = TestRng::new(seed);
            let inhibitors = if seed.is_multiple_of(3) { 30 } else { 0 };
            let shape = NetShape { places: 4, transitions: 5, tokens: 2, inhibitors, ..NetShape::default() };
            let net = random::net(&mut random, &shape);
            let Some(states) = EveryState::of(&net, 60) else { continue };
            for round in 0..6 {
                let predicate = random::predicate(&mut random, net.nodes(), 2).into();
                let mut f =
                    quantify(*random.pick(&[Quantifier::Exists, Quantifier::ForAll]), next(predicate));
                if round % 3 == 2 {
                    let beside = random::ctl(&mut random, net.nodes(), 2).into();
                    f = quantify(Quantifier::ForAll, next(Formula::And(vec![f, beside])));
                }
                let without = without_next(f.clone(), &net);
                states.compare(&f, &without);
                compared += 1;
                gone += usize::from(without.is_state_predicate());
            }
        }
        assert!(compared > 2_000 && gone * 2 > compared, "{gone} of {compared}");
    }

    #[test]
    fn transitions_with_the_same_effect_are_taken_together() {
        let net = tiny::net("p:1 q r; s: p -> q; t: p -> q; u: q -> r; v: r -> p");
        let marked = |place| {
            let tokens = Expr::Tokens(vec![PlaceId::new(place)]);
            Formula::Compare(Comparison::GreaterEqual, tokens, Expr::Constant(1))
        };
        let Formula::Or(fs) = without_next(quantify(Quantifier::Exists, next(marked(1))), &net) else {
            panic!("some transition puts tokens there");
        };
        assert_eq!(fs.len(), 3, "{fs:?}");
    }

    #[test]
    fn what_would_be_large_stays() {
        let net = tiny::net(&format!("p:{0} q; t: {0}*p -> q", u64::MAX));
        let f = quantify(Quantifier::Exists, next(Formula::Deadlock));
        assert_eq!(without_next(f.clone(), &net), f);
    }
}
