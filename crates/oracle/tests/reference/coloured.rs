//! Coloured nets against their naive unfolding, and steps found from tokens against all bindings.

use fireset_net::{
    Budget, Expr, Formula, Global, Logic, Model, Net, NetBuilder, PlaceId, Query, Semantics, Step,
    StopReason, TransitionId, Verdict,
    coloured::{Bag, Colour, ColouredArc, ColouredNet, ColouredNetBuilder, Guard, PlaceColours, SortKind},
    reachability::TabulatedNet,
};
use fireset_oracle::random::{self, TestRng};

use super::*;

/// A place for every colour of every place, a transition for every binding whose guard holds.
struct NaiveUnfolding {
    net: Net,
    places: Vec<Vec<PlaceId>>,
    transitions: Vec<Vec<TransitionId>>,
    /// The binding of each transition.
    bindings: Vec<Step>,
}

fn unfold(net: &ColouredNet) -> NaiveUnfolding {
    let mut builder = NetBuilder::new("unfolded");
    let (mut places, mut transitions, mut bindings) = (Vec::new(), Vec::new(), Vec::new());
    for place in net.nodes().place_ids() {
        let declared = net.place(place);
        let row = (0..net.sorts()[declared.sort].size()).map(|c| {
            let name = format!("{}_{c}", net.nodes().place(place));
            builder.place(&name, declared.initial.count(Colour(c))).expect("a new name")
        });
        places.push(row.collect::<Vec<_>>());
    }
    for transition in net.nodes().transition_ids() {
        let declared = net.transition(transition);
        let mut row = Vec::new();
        for binding in net.bindings(transition) {
            let colours = net.lookup(transition, &binding);
            if !declared.guard.holds(net.sorts(), &colours) {
                continue;
            }
            let name = format!("{}_{}", net.nodes().transition(transition), row.len());
            let instance = builder.transition(&name).expect("a new name");
            row.push(instance);
            bindings.push(Step { transition, binding: binding.clone() });
            let each = |arcs: &[ColouredArc], add: &mut dyn FnMut(PlaceId, u64)| {
                for arc in arcs {
                    for (colour, count) in arc.term.value(net.sorts(), &colours).iter() {
                        add(places[arc.place.index()][colour.0 as usize], count);
                    }
                }
            };
            each(&declared.pre, &mut |place, count| builder.input(place, instance, count));
            each(&declared.post, &mut |place, count| builder.output(instance, place, count));
            each(&declared.inhibitors, &mut |place, count| builder.inhibitor(place, instance, count));
        }
        transitions.push(row);
    }
    NaiveUnfolding { net: builder.build().expect("small weights"), places, transitions, bindings }
}

impl NaiveUnfolding {
    fn expr(&self, expr: &Expr) -> Expr {
        let each = |es: &[Expr]| es.iter().map(|e| self.expr(e)).collect();
        match expr {
            Expr::Constant(n) => Expr::Constant(*n),
            Expr::Tokens(ps) => {
                Expr::Tokens(ps.iter().flat_map(|p| self.places[p.index()].clone()).collect())
            }
            Expr::ColourTokens(some) => Expr::Tokens(self.places_of(some)),
            Expr::Sum(es) => Expr::Sum(each(es)),
            Expr::Product(es) => Expr::Product(each(es)),
            Expr::Difference(a, b) => Expr::Difference(Box::new(self.expr(a)), Box::new(self.expr(b))),
        }
    }

    fn places_of(&self, some: &PlaceColours) -> Vec<PlaceId> {
        let all = self.places[some.place.index()].iter().zip(0..);
        all.filter(|(_, colour)| some.colours.matches(Colour(*colour))).map(|(&place, _)| place).collect()
    }

    fn formula(&self, formula: impl Into<Formula>) -> Formula {
        match formula.into() {
            Formula::Fireable(ts) => {
                Formula::Fireable(ts.iter().flat_map(|t| self.transitions[t.index()].clone()).collect())
            }
            Formula::BindingFireable(some) => {
                let all = self.transitions[some.transition().index()].iter().copied();
                Formula::Fireable(all.filter(|t| some.matches_step(&self.bindings[t.index()])).collect())
            }
            Formula::Compare(how, a, b) => Formula::Compare(how, self.expr(&a), self.expr(&b)),
            other => other.map_children(&mut |f| self.formula(f)),
        }
    }
}

#[test]
fn unfolding_changes_no_answer() {
    let (mut tried, mut asked) = (0, 0);
    for seed in 0..1_000 {
        let mut random = TestRng::new(seed);
        let net = random::coloured(&mut random, (seed % 2 * 30) as usize);
        if small_graph(&net).is_none() {
            continue;
        }
        tried += 1;
        let unfolding = unfold(&net);
        let mut queries = vec![(Query::Global(Global::StateSpace), Query::Global(Global::StateSpace))];
        let all_places: Vec<PlaceId> = net.nodes().place_ids().collect();
        queries.push((Query::Bound(all_places), Query::Bound(unfolding.net.nodes().place_ids().collect())));
        for _ in 0..2 {
            let p = random::predicate(&mut random, net.nodes(), 2);
            let f = random::ctl(&mut random, net.nodes(), 3);
            let path = random::path(&mut random, net.nodes(), 2);
            queries.push((query::reachable(p.clone()), query::reachable(unfolding.formula(p))));
            queries.push((query::ctl(f.clone()), query::ctl(unfolding.formula(f))));
            queries.push((on_all(path.clone()), on_all(unfolding.formula(path))));
        }
        for _ in 0..4 {
            let coloured = random::coloured_query(&mut random, &net, 2);
            let unfolded = match &coloured {
                Query::ColourBound(tokens) => {
                    Query::Bound(tokens.iter().flat_map(|some| unfolding.places_of(some)).collect())
                }
                Query::Global(_) => continue,
                other => {
                    let logic = if matches!(other, Query::Ltl(..)) { Logic::Ltl } else { Logic::Ctl };
                    Query::classify(&unfolding.formula(other.formula()), logic).expect("the same kind")
                }
            };
            asked += 1;
            queries.push((coloured, unfolded));
        }
        let (folded, unfolded): (Vec<_>, Vec<_>) = queries.into_iter().unzip();
        let answers = verdicts(&Model::Coloured(net.clone()), &folded);
        assert_eq!(answers, verdicts(&Model::Plain(unfolding.net), &unfolded), "{net:?}\n{folded:?}");
    }
    assert!(tried > 600 && asked > 1_500, "only {tried} nets were small enough, {asked} colours asked for");
}

#[test]
fn tokens_and_the_table_give_the_steps_of_all_bindings() {
    let mut firings = 0;
    for seed in 0..1000 {
        let net = random::coloured(&mut TestRng::new(seed), (seed % 2 * 30) as usize);
        let table = TabulatedNet::new(&net, &Budget::unlimited()).expect("few bindings");
        let limits = fireset_net::reachability::GraphLimits { states: 60, edges: false };
        let graph = fireset_net::reachability::ReachabilityGraph::explore(
            &net,
            limits,
            &Budget::unlimited(),
            &mut (),
        );
        for state in graph.states() {
            let steps = net.steps(state);
            let step = |transition| net.bindings(transition).map(move |binding| Step { transition, binding });
            let tried = net.nodes().transition_ids().flat_map(step);
            let tried: Vec<Step> = tried.filter(|step| net.enabled(state, step).is_ok()).collect();
            assert_eq!(steps, tried, "seed {seed}");
            assert_eq!(table.steps(state), tried);
            for t in net.nodes().transition_ids() {
                assert_eq!(
                    net.can_fire(state, t),
                    tried.iter().any(|step| step.transition == t),
                    "seed {seed}"
                );
            }
            let mut given = Vec::new();
            table.successors(state, &mut |step, next| given.push((step, next)));
            let expected: Vec<_> =
                steps.into_iter().map(|step| (step.clone(), net.fire(state, &step))).collect();
            assert_eq!(given, expected);
            firings += expected.len();
        }
    }
    assert!(firings > 5000, "only {firings} firings");
}

#[test]
fn too_many_bindings_are_refused() {
    let mut builder = ColouredNetBuilder::new("large");
    let sort = builder.sorts.add("numbers", SortKind::IntRange { start: 1, end: 100_000 }).expect("a sort");
    let compare = |a, b| {
        let variable = |v| (sort, fireset_net::coloured::ColourTerm::Variable(v));
        Guard::Compare(Comparison::Equal, variable(a), variable(b))
    };
    let (x, y) = (builder.variable("x", sort), builder.variable("y", sort));
    builder.place("p", sort, Bag::of(Colour(0), 1)).expect("a place");
    builder.transition("t", compare(x, y)).expect("a transition");
    let model = Model::Coloured(builder.build());
    let unknown = Verdict::Unknown(StopReason::Bindings(10_000_000_000));
    assert_eq!(verdict(&model, query::reachable(Formula::Deadlock)), unknown);
}

/// Each binding is a firing of its own, and a step of a trace names its colours.
#[test]
fn bindings_are_firings() {
    let mut builder = ColouredNetBuilder::new("two");
    let sort = builder.sorts.add("b", SortKind::Bool).expect("a sort");
    let x = builder.variable("x", sort);
    let both = Bag::collect([(Colour(0), 1), (Colour(1), 1)]).expect("two tokens");
    let p = builder.place("p", sort, both).expect("a place");
    let t = builder.transition("t", Guard::Constant(true)).expect("a transition");
    let one = fireset_net::coloured::BagTerm::One(fireset_net::coloured::ColourTerm::Variable(x));
    builder.input(p, t, one).expect("a small term");
    let net = builder.build();
    let graph = small_graph(&net).expect("it is small");
    assert_eq!((graph.states().len(), graph.firings()), (4, 4));
    let last = Step { transition: t, binding: [Colour(1)].into() };
    assert_eq!(graph.trace(3).0.last(), Some(&last));
}
