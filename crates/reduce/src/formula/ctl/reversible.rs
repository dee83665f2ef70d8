//! What is the same in every reachable marking of a reversible net, in which each firing can be undone.
//!
//! Why: `AG EF p` asks for more than most searches can see. Where every reachable marking leads to every other, `EF f` and `AG f`
//! have one value in all of them, so `AG EF f` is `EF f`, and `EF AG f` is `AG f`.
//!
//! Let `c` be such a formula, or a Boolean combination of them. Then in every reachable marking:
//!
//! | formula | is | formula | is |
//! |---|---|---|---|
//! | `QF c`, `QG c` | `c` | `Q[f U c]`, `Q[f R c]` | `c` |
//! | `QF(f & c)`, `QG(f & c)` | `QF f & c`, `QG f & c` | `Q[f W c]` | `c \| QG f` |
//! | `QF(f \| c)`, `QG(f \| c)` | `QF f \| c`, `QG f \| c` | `Q[c U p]` | `p \| c & QF p` |
//! | `EX c` | `c & !deadlock` | `Q[c R p]` | `c & p \| QG p` |
//! | `AX c` | `c \| deadlock` | `Q[c W p]` | `c \| p` |
//!
//! Each line follows with true, and with false, for `c`. Those that repeat `p` are for state predicates only.
//! Needs: `fireset_structure::reversible`, which has the proof. Preserves the value in every reachable marking. Cost: linear.
//! Test: below, in every state of random nets with a reverse for each transition.

use fireset_net::{Formula, Quantifier};

use crate::formula::view::{connected, finally, globally, map_operands, quantified, quantify};

/// A formula that has the same value in every reachable marking of a reversible net.
pub fn in_reversible_net(f: Formula) -> Formula {
    let f = map_operands(f, &mut in_reversible_net);
    let changed = quantified(&f).and_then(|(quantifier, path)| outside(quantifier, path));
    changed.unwrap_or(f)
}

/// Whether a formula has one value in all markings.
fn is_same_everywhere(f: &Formula) -> bool {
    match f {
        Formula::Constant(_) => true,
        Formula::Not(_) | Formula::And(_) | Formula::Or(_) | Formula::Iff(..) => {
            f.children().all(is_same_everywhere)
        }
        _ => matches!(
            quantified(f),
            Some((Quantifier::Exists, Formula::Finally(_)) | (Quantifier::ForAll, Formula::Globally(_)))
        ),
    }
}

/// A path formula below its quantifier, with what is the same everywhere outside of it.
fn outside(quantifier: Quantifier, path: &Formula) -> Option<Formula> {
    let same = is_same_everywhere;
    let below = |path: Formula| quantify(quantifier, path);
    let predicate = Formula::is_state_predicate;
    match path {
        Formula::Finally(c) | Formula::Globally(c) | Formula::Until(_, c) | Formula::Release(_, c)
            if same(c) =>
        {
            Some((**c).clone())
        }
        Formula::Finally(f) => divided(f, |rest| below(finally(rest))),
        Formula::Globally(f) => divided(f, |rest| below(globally(rest))),
        Formula::WeakUntil(f, c) if same(c) => {
            Some(Formula::Or(vec![(**c).clone(), below(Formula::Globally(f.clone()))]))
        }
        Formula::Until(c, p) if same(c) && predicate(p) => {
            let later = Formula::And(vec![(**c).clone(), below(Formula::Finally(p.clone()))]);
            Some(Formula::Or(vec![(**p).clone(), later]))
        }
        Formula::Release(c, p) if same(c) && predicate(p) => {
            let now = Formula::And(vec![(**c).clone(), (**p).clone()]);
            Some(Formula::Or(vec![now, below(Formula::Globally(p.clone()))]))
        }
        Formula::WeakUntil(c, p) if same(c) && predicate(p) => {
            Some(Formula::Or(vec![(**c).clone(), (**p).clone()]))
        }
        Formula::Next(c) if same(c) => Some(match quantifier {
            Quantifier::Exists => Formula::And(vec![(**c).clone(), Formula::Deadlock.negate()]),
            Quantifier::ForAll => Formula::Or(vec![(**c).clone(), Formula::Deadlock]),
        }),
        _ => None,
    }
}

/// A conjunction or disjunction whose operands that are the same everywhere stay outside of an operator.
fn divided(f: &Formula, operator: impl Fn(Formula) -> Formula) -> Option<Formula> {
    let (connective, _) = connected(f)?;
    let (mut out, rest) = connective.split(f, is_same_everywhere)?;
    out.push(operator(rest));
    Some(connective.join(out))
}

#[cfg(test)]
mod tests {
    use fireset_net::{Budget, Net, NetBuilder};
    use fireset_oracle::random::{self, NetShape, TestRng};
    use fireset_structure::NetStructure;

    use super::*;
    use crate::formula::every_state::EveryState;

    /// A net with a reverse for each transition.
    fn with_reverses(net: &Net) -> Net {
        let mut builder = NetBuilder::new("reversible");
        let nodes = net.nodes();
        let tokens = net.initial_marking();
        let places: Vec<_> = nodes
            .place_ids()
            .map(|place| {
                builder.place(&format!("p{}", place.index()), tokens.tokens(place)).expect("a new place")
            })
            .collect();
        for t in nodes.transition_ids() {
            for (name, takes, gives) in [("t", net.pre(t), net.post(t)), ("u", net.post(t), net.pre(t))] {
                let new = builder.transition(&format!("{name}{}", t.index())).expect("a new transition");
                takes.iter().for_each(|arc| builder.input(places[arc.place.index()], new, arc.weight));
                gives.iter().for_each(|arc| builder.output(new, places[arc.place.index()], arc.weight));
            }
        }
        builder.build().expect("a small net")
    }

    #[test]
    fn values_stay_in_every_state() {
        let (mut compared, mut changed) = (0, 0);
        for seed in 0..1_500 {
            let mut random = TestRng::new(seed);
            let shape = NetShape { places: 4, transitions: 3, tokens: 2, ..NetShape::default() };
            let net = with_reverses(&random::net(&mut random, &shape));
            assert!(NetStructure::of(&net).is_reversible(&Budget::unlimited()));
            let Some(states) = EveryState::of(&net, 60) else { continue };
            for depth in 1..=3 {
                let draw =
                    |random: &mut TestRng| Formula::from(random::nested_ctl(random, net.nodes(), depth));
                let (same, other) = (draw(&mut random), draw(&mut random));
                let same = if random.percent(50) { same.possible() } else { same.invariant() };
                let (c, g) = (Box::new(same.clone()), Box::new(other.clone()));
                let path = match random.below(9) {
                    0 => Formula::Finally(c),
                    1 => Formula::Globally(Box::new(Formula::Or(vec![same, other]))),
                    2 => Formula::Finally(Box::new(Formula::And(vec![same, other]))),
                    3 => Formula::Next(c),
                    4 => Formula::Until(g, c),
                    5 => Formula::Until(c, Box::new(random::predicate(&mut random, net.nodes(), 1).into())),
                    6 => Formula::Release(c, Box::new(random::predicate(&mut random, net.nodes(), 1).into())),
                    7 => Formula::WeakUntil(g, c),
                    _ => {
                        Formula::WeakUntil(c, Box::new(random::predicate(&mut random, net.nodes(), 1).into()))
                    }
                };
                let f = quantify(*random.pick(&[Quantifier::Exists, Quantifier::ForAll]), path);
                let simpler = in_reversible_net(f.clone());
                compared += 1;
                changed += usize::from(states.compare(&f, &simpler));
            }
        }
        assert!(compared > 1_000 && changed * 2 > compared, "{changed} of {compared}");
    }
}
