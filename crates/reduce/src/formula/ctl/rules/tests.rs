//! Rules, normal form, implications and classes in every state of random nets, against the reference checker.

use fireset_net::{
    Budget, Comparison, Expr, Formula, Net, PlaceId, Quantifier, TransitionId,
    reachability::{GraphLimits, ReachabilityGraph},
};
use fireset_oracle::random::{self, NetShape, TestRng};

use super::*;
use crate::formula::{
    ctl::{
        classes::{is_eventual, is_universal},
        quantify,
    },
    implies::{covers, excludes, implies},
    normal::{negated, normal},
    rewrite::{finally, globally, next, size},
};

/// Nets with two places and two transitions at least, and with few states.
fn nets() -> Vec<Net> {
    let shape =
        |seed| NetShape { places: 3, transitions: 4, inhibitors: 10 * (seed % 3), ..NetShape::default() };
    let drawn = (0..600).map(|seed| random::net(&mut TestRng::new(seed), &shape(seed as usize)));
    drawn.filter(|net| net.nodes().places.len() > 1 && net.nodes().transitions.len() > 1).collect()
}

/// The graphs of nets, as far as they are small and complete.
fn graphs(nets: &[Net]) -> Vec<ReachabilityGraph<'_, Net>> {
    let limits = GraphLimits { states: 25, edges: true };
    let all = nets.iter().map(|net| ReachabilityGraph::explore(net, limits, &Budget::unlimited(), &mut ()));
    let graphs: Vec<ReachabilityGraph<'_, Net>> =
        all.filter(|graph| graph.complete().is_ok() && graph.states().len() > 1).collect();
    let deadlocks = graphs.iter().filter(|graph| (0..graph.states().len()).any(|s| graph.is_deadlock(s)));
    assert!(graphs.len() > 150 && deadlocks.count() * 4 > graphs.len(), "{}", graphs.len());
    graphs
}

fn states(graph: &ReachabilityGraph<'_, Net>, f: &Formula) -> Vec<bool> {
    fireset_oracle::satisfying(graph, f).expect("a complete graph")
}

/// A random CTL formula; parts come again, because rules look for equal parts.
struct Formulas {
    random: TestRng,
    known: Vec<Formula>,
}

impl Formulas {
    fn new(seed: u64) -> Self {
        Self { random: TestRng::new(seed), known: Vec::new() }
    }

    fn atom(&mut self) -> Formula {
        let random = &mut self.random;
        let tokens = |at: usize| Expr::Tokens(vec![PlaceId::new(at)]);
        let both = || Expr::Tokens(vec![PlaceId::new(0), PlaceId::new(1)]);
        let how = [Comparison::Less, Comparison::LessEqual, Comparison::Equal, Comparison::NotEqual];
        match random.below(14) {
            0..=2 => Formula::Deadlock,
            3 => Formula::Constant(random.percent(50)),
            4..=6 => {
                let count = random.below(3);
                Formula::Fireable((0..count).map(|_| TransitionId::new(random.below(2))).collect())
            }
            7 => Formula::Compare(*random.pick(&how), tokens(0), tokens(random.below(2))),
            8 => Formula::Compare(*random.pick(&how), Expr::Constant(random.below(3) as i64), both()),
            9 => {
                let product = Expr::Product(vec![tokens(0), tokens(1)]);
                let difference = Expr::Difference(Box::new(product), Box::new(tokens(0)));
                Formula::Compare(*random.pick(&how), difference, Expr::Constant(0))
            }
            _ => Formula::Compare(*random.pick(&how), tokens(random.below(2)), Expr::Constant(1)),
        }
    }

    fn draw(&mut self, depth: usize) -> Formula {
        if !self.known.is_empty() && self.random.percent(35) {
            return self.random.pick(&self.known).clone();
        }
        let f = if depth == 0 { self.atom() } else { self.operator(depth - 1) };
        if self.known.len() < 4 && size(&f).1 < 6 {
            self.known.push(f.clone());
        }
        f
    }

    fn quantify(&mut self, path: Formula) -> Formula {
        let all = [Quantifier::Exists, Quantifier::ForAll];
        quantify(*self.random.pick(&all), path)
    }

    fn operator(&mut self, depth: usize) -> Formula {
        let choice = self.random.below(36);
        let mut sub = || Box::new(self.draw(depth));
        let path = match choice {
            0 => return Formula::Not(sub()),
            1 => return Formula::Iff(sub(), sub()),
            2..=4 => next(*sub()),
            5..=7 => finally(*sub()),
            8..=10 => globally(*sub()),
            11..=14 => Formula::Until(sub(), sub()),
            15..=17 => Formula::Release(sub(), sub()),
            18..=20 => Formula::WeakUntil(sub(), sub()),
            // Chains, which rules look for and chance seldom draws.
            21 => return quantify(Quantifier::Exists, next(sub().possible())),
            22 => return quantify(Quantifier::ForAll, next(sub().invariant())),
            23 => return sub().possible(),
            24 => return sub().invariant(),
            25 | 26 => {
                let (f, g) = (sub(), sub());
                return if choice == 25 {
                    let always = quantify(Quantifier::Exists, Formula::Globally(f.clone()));
                    Formula::Or(vec![quantify(Quantifier::Exists, Formula::Until(f, g)), always])
                } else {
                    let inevitable = quantify(Quantifier::ForAll, Formula::Finally(g.clone()));
                    Formula::And(vec![quantify(Quantifier::ForAll, Formula::WeakUntil(f, g)), inevitable])
                };
            }
            _ => {
                let count = self.random.below(4);
                let fs = (0..count).map(|_| self.draw(depth)).collect();
                return if choice.is_multiple_of(2) { Formula::And(fs) } else { Formula::Or(fs) };
            }
        };
        self.quantify(path)
    }

    /// Calls `same` with the states of some graphs.
    fn on_some(
        &mut self,
        graphs: &[ReachabilityGraph<'_, Net>],
        mut same: impl FnMut(&ReachabilityGraph<'_, Net>),
    ) {
        for _ in 0..8 {
            same(self.random.pick(graphs));
        }
    }

    fn assert_equivalent(
        &mut self,
        graphs: &[ReachabilityGraph<'_, Net>],
        what: &str,
        f: &Formula,
        g: &Formula,
    ) {
        self.on_some(graphs, |graph| {
            assert_eq!(states(graph, f), states(graph, g), "{what}: {f:?} became {g:?} on {:?}", graph.net());
        });
    }
}

#[test]
fn normal_form_keeps_the_meaning() {
    let nets = nets();
    let graphs = graphs(&nets);
    for seed in 0..3_000 {
        let mut formulas = Formulas::new(seed);
        let f = formulas.draw(4);
        let normal = normal(&f).expect("small");
        let negative = |f: &Formula| match f {
            Formula::Not(g) => !matches!(
                &**g,
                Formula::Deadlock | Formula::Fireable(_) | Formula::Exists(_) | Formula::ForAll(_)
            ),
            _ => false,
        };
        assert!(!normal.any(&negative), "{normal:?}");
        assert!(size(&normal).0 <= size(&f).0, "{f:?} became {normal:?}");
        formulas.assert_equivalent(&graphs, "normal form", &f, &normal);
        let negated = negated(&f).expect("small");
        formulas.assert_equivalent(&graphs, "negation", &Formula::Not(Box::new(f)), &negated);
    }
}

/// Applies one rule at every state formula where it fits.
fn apply_everywhere(rule: &Rule, f: &Formula, seen: &mut impl FnMut(&Formula, &Formula)) {
    if !f.is_temporal()
        && let Some(smaller) = (rule.apply)(f)
    {
        seen(f, &smaller);
    }
    f.children().for_each(|child| apply_everywhere(rule, child, seen));
}

#[test]
fn each_rule_keeps_the_meaning_and_fires() {
    let nets = nets();
    let graphs = graphs(&nets);
    let mut fired = vec![0; rules().count()];
    for seed in 0..150_000 {
        if fired.iter().all(|&count| count > 300) {
            break;
        }
        let mut formulas = Formulas::new(seed);
        let f = normal(&formulas.draw(2 + seed as usize % 3)).expect("small");
        for (rule, fired) in rules().zip(&mut fired).filter(|(_, fired)| **fired <= 300) {
            let mut found = Vec::new();
            apply_everywhere(rule, &f, &mut |f, smaller| found.push((f.clone(), smaller.clone())));
            for (f, smaller) in found {
                assert!(size(&smaller) <= size(&f), "{}: {f:?} became {smaller:?}", rule.name);
                formulas.assert_equivalent(&graphs, rule.name, &f, &smaller);
                *fired += 1;
            }
        }
    }
    let rare: Vec<_> = rules().map(|rule| rule.name).zip(fired).filter(|(_, fired)| *fired < 60).collect();
    assert!(rare.is_empty(), "rules that fired too seldom to be tested: {rare:?}");
}

#[test]
fn all_rules_together_keep_the_meaning() {
    let nets = nets();
    let graphs = graphs(&nets);
    let (mut before, mut after) = (0, 0);
    for seed in 0..5_000 {
        let mut formulas = Formulas::new(seed);
        let depth = 3 + formulas.random.below(3);
        let f = formulas.draw(depth);
        let normal = normal(&f).expect("small");
        let small = rewrite(normal.clone());
        assert!(size(&small) <= size(&normal), "{normal:?} became {small:?}");
        assert_eq!(rewrite(small.clone()), small, "a rule fits the result");
        formulas.assert_equivalent(&graphs, "all rules", &f, &small);
        before += size(&normal).0;
        after += size(&small).0;
    }
    assert!(after * 5 < before * 2, "{before} temporal operators became {after}");
}

#[test]
fn implications_hold_in_every_state() {
    let nets = nets();
    let graphs = graphs(&nets);
    let mut found = [0; 3];
    for seed in 0..30_000 {
        let mut formulas = Formulas::new(seed);
        let (f, g) = (formulas.draw(2), formulas.draw(2));
        let (f, g) = (normal(&f).expect("small"), normal(&g).expect("small"));
        if f == g || f.is_state_predicate() && g.is_state_predicate() {
            continue;
        }
        for (at, holds) in [implies(&f, &g), excludes(&f, &g), covers(&f, &g)].into_iter().enumerate() {
            if !holds {
                continue;
            }
            found[at] += 1;
            formulas.on_some(&graphs, |graph| {
                let (a, b) = (states(graph, &f), states(graph, &g));
                let breaks = |(&a, &b): (&bool, &bool)| match at {
                    0 => a && !b,
                    1 => a && b,
                    _ => !a && !b,
                };
                assert!(!a.iter().zip(&b).any(breaks), "relation {at}: {f:?} {g:?} on {:?}", graph.net());
            });
        }
    }
    assert!(found.iter().all(|&count| count > 400), "{found:?}");
}

#[test]
fn classes_hold_in_every_state() {
    let nets = nets();
    let graphs = graphs(&nets);
    let mut found = [0; 2];
    for seed in 0..20_000 {
        let mut formulas = Formulas::new(seed);
        let f = normal(&formulas.draw(4)).expect("small");
        let classes = [(is_eventual(&f), f.clone().possible()), (is_universal(&f), f.clone().invariant())];
        for (at, (_, closed)) in classes.into_iter().enumerate().filter(|(_, class)| class.0) {
            found[at] += 1;
            formulas.assert_equivalent(&graphs, "class", &f, &closed);
        }
    }
    assert!(found.iter().all(|&count| count > 500), "{found:?}");
}

/// The rules of the paper that look wrong at first sight, one by one.
#[test]
fn rules_of_the_paper_hold() {
    let nets = nets();
    let graphs = graphs(&nets);
    let stuck = || Formula::Deadlock;
    let moves = || Formula::Not(Box::new(stuck()));
    for seed in 0..200 {
        let mut formulas = Formulas::new(seed);
        let f = formulas.draw(2);
        let boxed = || Box::new(f.clone());
        let until = |left: Formula| Formula::Until(Box::new(left), boxed());
        for quantifier in [Quantifier::Exists, Quantifier::ForAll] {
            let q = |path: Formula| quantify(quantifier, path);
            for (given, expected) in [
                (q(finally(moves())), moves()),
                (q(Formula::Until(boxed(), Box::new(moves()))), moves()),
                (q(until(stuck())), f.clone()),
                (q(until(moves())), q(finally(f.clone()))),
                (q(finally(f.clone().possible())), f.clone().possible()),
            ] {
                let small = rewrite(normal(&given).expect("small"));
                assert!(size(&small) <= size(&expected), "{given:?} became {small:?}");
                formulas.assert_equivalent(&graphs, "paper", &given, &expected);
                formulas.assert_equivalent(&graphs, "paper", &small, &expected);
            }
        }
    }
}
