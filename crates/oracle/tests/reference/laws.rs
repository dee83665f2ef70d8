//! Laws between the logics on random nets.

use fireset_net::{Formula, Lasso, Model, Query, Semantics, Step, reachability::ReachabilityGraph, replay};
use fireset_oracle::random::{self, NetShape, TestRng};

use super::*;

const NETS: u64 = 800;

/// Random nets with all their states known, half of them with inhibitor arcs.
fn nets(count: u64) -> impl Iterator<Item = (TestRng, Model)> {
    (0..count).filter_map(|seed| {
        let mut random = TestRng::new(seed);
        let shape = NetShape { inhibitors: if seed % 2 == 0 { 0 } else { 30 }, ..NetShape::default() };
        let net = random::net(&mut random, &shape);
        small_graph(&net)?;
        Some((random, Model::Plain(net)))
    })
}

/// Asserts that the queries of each pair have the same, or where `equal` is false opposite, answers.
fn agree(model: &Model, pairs: &[(bool, Query, Query)]) {
    let queries: Vec<Query> = pairs.iter().flat_map(|(_, a, b)| [a.clone(), b.clone()]).collect();
    let answers = verdicts(model, &queries);
    for (answers, (equal, a, b)) in answers.chunks(2).zip(pairs) {
        let decided = answers.iter().all(|v| matches!(v, Verdict::Holds | Verdict::Fails));
        assert!(decided && (answers[0] == answers[1]) == *equal, "{model:?}\n{a:?}\n{b:?}\n{answers:?}");
    }
}

#[test]
fn ctl_dualities_and_unfoldings() {
    let mut tried = 0;
    for (mut random, model) in nets(NETS) {
        let mut draw = || Formula::from(random::ctl(&mut random, model.nodes(), 2));
        let (f, g) = (draw(), draw());
        let (no_f, no_g) = (not(&f), not(&g));
        let same = |a: Formula, b: Formula| (true, query::ctl(a), query::ctl(b));
        let opposite = |a: Formula, b: Formula| (false, query::ctl(a), query::ctl(b));
        let now_or_next = |now: &Formula, stay: &Formula, step: Formula| {
            or(now, &Formula::And(vec![stay.clone(), not(&Formula::Deadlock), step]))
        };
        agree(
            &model,
            &[
                opposite(all(next(&f)), some(next(&no_f))),
                opposite(all(globally(&f)), some(finally(&no_f))),
                opposite(all(finally(&f)), some(globally(&no_f))),
                opposite(all(until(&f, &g)), some(release(&no_f, &no_g))),
                opposite(all(release(&f, &g)), some(until(&no_f, &no_g))),
                same(some(weak(&f, &g)), or(&some(until(&f, &g)), &some(globally(&f)))),
                opposite(
                    all(weak(&f, &g)),
                    some(until(&no_g, &Formula::And(vec![no_f.clone(), no_g.clone()]))),
                ),
                same(some(release(&f, &g)), some(weak(&g, &Formula::And(vec![f.clone(), g.clone()])))),
                same(some(until(&f, &g)), now_or_next(&g, &f, some(next(&some(until(&f, &g)))))),
                same(all(until(&f, &g)), now_or_next(&g, &f, all(next(&all(until(&f, &g)))))),
                same(some(finally(&f)), some(until(&Formula::Constant(true), &f))),
            ],
        );
        tried += 1;
    }
    assert!(tried > 500, "only {tried} nets were small enough");
}

#[test]
fn ctl_ltl_and_reachability_agree_where_they_overlap() {
    for (mut random, model) in nets(NETS) {
        let mut draw = || Formula::from(random::predicate(&mut random, model.nodes(), 2));
        let (p, q) = (draw(), draw());
        let ctl = |f: Formula| query::ctl(f);
        let now = |f: Formula| holds(&model, query::ctl(f));
        let mut pairs = vec![
            (true, ctl(all(globally(&p))), query::invariant(p.clone())),
            (true, ctl(some(finally(&p))), query::reachable(p.clone())),
            (true, on_all(globally(&p)), query::invariant(p.clone())),
            (true, on_some(finally(&p)), query::reachable(p.clone())),
            (true, on_all(finally(&p)), ctl(all(finally(&p)))),
            (true, on_some(globally(&p)), ctl(some(globally(&p)))),
            (true, on_all(until(&p, &q)), ctl(all(until(&p, &q)))),
            (true, on_some(until(&p, &q)), ctl(some(until(&p, &q)))),
            (true, on_all(release(&p, &q)), ctl(all(release(&p, &q)))),
            (true, on_some(weak(&p, &q)), ctl(some(weak(&p, &q)))),
            (true, on_all(globally(&finally(&p))), ctl(all(globally(&all(finally(&p)))))),
            (true, on_some(finally(&globally(&p))), ctl(some(finally(&some(globally(&p)))))),
            (true, on_all(p.clone()), ctl(p.clone())),
        ];
        if now(Formula::Deadlock) {
            pairs.push((true, on_all(next(&p)), ctl(p.clone())));
            pairs.push((true, on_some(next(&p)), ctl(p.clone())));
        } else {
            pairs.push((true, on_all(next(&p)), ctl(all(next(&p)))));
            pairs.push((true, on_some(next(&p)), ctl(some(next(&p)))));
        }
        agree(&model, &pairs);
    }
}

#[test]
fn some_run_is_not_all_runs_not() {
    for (mut random, model) in nets(NETS) {
        let mut draw = || Formula::from(random::path(&mut random, model.nodes(), 2));
        let (f, g) = (draw(), draw());
        let f_not_g = Formula::And(vec![f.clone(), not(&g)]);
        agree(
            &model,
            &[
                (false, on_all(f.clone()), on_some(not(&f))),
                (false, on_some(f_not_g), on_all(f.clone().implies(g.clone()))),
                (true, on_all(weak(&f, &g)), on_all(or(&until(&f, &g), &globally(&f)))),
                (true, on_all(release(&f, &g)), on_all(not(&until(&not(&f), &not(&g))))),
                (true, on_some(next(&until(&f, &g))), on_some(until(&next(&f), &next(&g)))),
            ],
        );
    }
}

/// On a net with a single run, that run decides.
#[test]
fn a_single_run_decides_ltl() {
    let mut tried = 0;
    for seed in 0..600 {
        let mut random = TestRng::new(seed);
        let shape = NetShape { transitions: 2, places: 3, tokens: 3, ..NetShape::default() };
        let net = random::net(&mut random, &shape);
        let Some(graph) = small_graph(&net) else { continue };
        if (0..graph.states().len()).any(|state| graph.edges(state).len() > 1) {
            continue;
        }
        tried += 1;
        let run = walk(&graph, &mut random);
        let model = Model::Plain(net.clone());
        for _ in 0..4 {
            let path = random::path(&mut random, net.nodes(), 3);
            let expected = replay::lasso_satisfies(&net, &run, &path).expect("a run of the net");
            assert_eq!(holds(&model, on_all(path.clone())), expected, "{net:?}\n{path:?}");
            assert_eq!(holds(&model, on_some(path.clone())), expected, "{net:?}\n{path:?}");
        }
    }
    assert!(tried > 150, "only {tried} nets have a single run");
}

/// What holds on all runs holds on every run that can be found.
#[test]
fn no_run_contradicts_ltl() {
    let (mut holding, mut failing) = (0, 0);
    for (mut random, model) in nets(NETS) {
        let Model::Plain(net) = &model else { unreachable!("they are plain") };
        let graph = small_graph(net).expect("it is small");
        let runs: Vec<Lasso> = (0..40).map(|_| walk(&graph, &mut random)).collect();
        for _ in 0..3 {
            let path = random::path(&mut random, net.nodes(), 3);
            if path.as_state().is_some() {
                continue;
            }
            if holds(&model, on_all(path.clone())) {
                holding += 1;
                for run in &runs {
                    assert_eq!(
                        replay::lasso_satisfies(net, run, &path),
                        Ok(true),
                        "{net:?}\n{path:?}\n{run:?}"
                    );
                }
            } else {
                failing += 1;
            }
        }
    }
    assert!(holding > 200 && failing > 200, "{holding} hold and {failing} fail: too few of a kind");
}

/// A random run up to a state that it has seen before, or to a deadlock. It passes some states several times
/// before it closes its cycle.
fn walk<S: Semantics>(graph: &ReachabilityGraph<'_, S>, random: &mut TestRng) -> Lasso {
    let (mut path, mut steps) = (vec![0usize], Vec::<Step>::new());
    loop {
        let at = *path.last().expect("a run has a first state");
        let Some(&edge) = graph.edges(at).get(random.below(graph.edges(at).len().max(1))) else {
            return Lasso { prefix: steps, cycle: Vec::new() };
        };
        steps.push(graph.step(edge).clone());
        let seen: Vec<usize> = (0..path.len()).filter(|&i| path[i] == edge.target()).collect();
        if !seen.is_empty() && (random.percent(40) || steps.len() > 100) {
            let cycle = steps.split_off(*random.pick(&seen));
            return Lasso { prefix: steps, cycle };
        }
        path.push(edge.target());
    }
}
