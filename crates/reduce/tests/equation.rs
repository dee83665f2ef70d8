//! What the state equation decides inside formulas: against all reachable markings, and against the verdicts of the
//! oracle.

use fireset_net::{
    Budget, Comparison, Expr, Formula, Marking, Model, Net, Outcome, PlaceId, Problem, Quantifier, Query,
    TransitionId, Verdict,
    reachability::{GraphLimits, ReachabilityGraph},
    replay,
};
use fireset_oracle::{
    OracleCase, query,
    random::{self, NetShape, TestRng},
    tiny,
};
use fireset_reduce::Simplifier;

fn markings(net: &Net) -> Vec<Marking> {
    let limits = GraphLimits { states: 300, edges: false };
    ReachabilityGraph::explore(net, limits, &Budget::unlimited(), &mut ()).states().to_vec()
}

fn net(random: &mut TestRng, seed: u64) -> Net {
    if let Some(net) = random::structured(random, seed) {
        return net;
    }
    let inhibitors = if seed.is_multiple_of(3) { 25 } else { 0 };
    let shape = NetShape { places: 5, transitions: 5, tokens: 2, inhibitors, ..NetShape::default() };
    random::net(random, &shape)
}

fn tokens(places: &[usize]) -> Expr {
    Expr::Tokens(places.iter().map(|&at| PlaceId::new(at)).collect())
}

fn atom(random: &mut TestRng, net: &Net) -> Formula {
    let all: Vec<TransitionId> = net.nodes().transition_ids().collect();
    let places = net.nodes().places.len();
    let mut side = || {
        let how = random.below(5);
        let mut some = || tokens(&[random.below(places), random.below(places)]);
        match how {
            0 => Expr::Constant(random.below(6) as i64 - 1),
            1 => Expr::Sum(vec![some(), some()]),
            2 => Expr::Difference(Box::new(some()), Box::new(some())),
            3 => Expr::Product(vec![Expr::Constant(random.below(4) as i64), tokens(&[random.below(places)])]),
            _ => tokens(&[random.below(places)]),
        }
    };
    let (left, right) = (side(), side());
    match random.below(8) {
        0 => Formula::Deadlock,
        1 | 2 => Formula::Fireable((0..random.within(1, 3)).map(|_| *random.pick(&all)).collect()),
        3 => {
            let square =
                Expr::Product(vec![tokens(&[random.below(places)]), tokens(&[random.below(places)])]);
            Formula::Compare(*random.pick(&Comparison::ALL), square, right)
        }
        _ => Formula::Compare(*random.pick(&Comparison::ALL), left, right),
    }
}

/// What decided formulas were seen to be.
#[derive(Debug, Default)]
struct DecidedFormulas {
    constant: usize,
    smaller: usize,
    refuted_together: usize,
    conjuncts_dropped: usize,
    disjuncts_dropped: usize,
    transitions_dropped: usize,
}

#[test]
fn decided_formulas_agree_with_every_marking() {
    let mut counts = DecidedFormulas::default();
    for seed in 0..900 {
        let mut random = TestRng::new(seed);
        let net = net(&mut random, seed);
        let simplifier = Simplifier::new(&net);
        let markings = markings(&net);
        for _ in 0..8 {
            let atoms: Vec<Formula> = (0..3).map(|_| atom(&mut random, &net)).collect();
            let mut formulas = vec![Formula::And(atoms.clone()), Formula::Or(atoms.clone())];
            formulas.push(Formula::And(vec![atoms[0].clone(), Formula::Or(atoms[1..].to_vec())]));
            formulas.push(Formula::Iff(Box::new(atoms[0].clone()), Box::new(formulas[2].clone().negate())));
            let decided: Vec<Formula> = atoms.iter().map(|atom| simplifier.decide(atom.clone())).collect();
            for formula in formulas.iter().chain(&atoms) {
                let said = simplifier.decide(formula.clone());
                for marking in &markings {
                    assert_eq!(
                        replay::holds_in(&net, marking, &query::predicate(said.clone())),
                        replay::holds_in(&net, marking, &query::predicate(formula.clone())),
                        "seed {seed}: {formula:?} became {said:?} in {marking:?} of {net:?}"
                    );
                }
                counts.count(formula, &said, &decided);
            }
        }
    }
    let DecidedFormulas { constant, smaller, .. } = counts;
    assert!(constant > 5_000 && smaller > 1_000, "{counts:?}");
    assert!(counts.refuted_together > 100 && counts.transitions_dropped > 30, "{counts:?}");
    assert!(counts.conjuncts_dropped > 100 && counts.disjuncts_dropped > 100, "{counts:?}");
}

impl DecidedFormulas {
    fn count(&mut self, formula: &Formula, said: &Formula, atoms: &[Formula]) {
        let is_constant = |f: &Formula| matches!(f, Formula::Constant(_));
        let undecided = !atoms.iter().any(is_constant);
        self.constant += usize::from(is_constant(said));
        self.smaller += usize::from(!is_constant(said) && said != formula);
        match (formula, said) {
            (Formula::And(_), Formula::Constant(false)) => self.refuted_together += usize::from(undecided),
            (Formula::And(fs), Formula::And(left)) if undecided => {
                self.conjuncts_dropped += usize::from(left.len() < fs.len());
            }
            (Formula::Or(fs), Formula::Or(left)) if undecided => {
                self.disjuncts_dropped += usize::from(left.len() < fs.len());
            }
            (Formula::Fireable(ts), Formula::Fireable(left)) => {
                let mut different = ts.clone();
                different.sort_unstable();
                different.dedup();
                self.transitions_dropped += usize::from(left.len() < different.len());
            }
            _ => {}
        }
    }
}

/// CTL or LTL over the atoms of this test.
fn query(random: &mut TestRng, net: &Net, ctl: bool) -> Query {
    if ctl {
        let formula = random::ctl(random, net.nodes(), 4).into();
        return query::ctl(with_atoms(formula, random, net));
    }
    let path = random::path(random, net.nodes(), 3).into();
    query::ltl(Quantifier::ForAll, with_atoms(path, random, net))
}

fn with_atoms(formula: Formula, random: &mut TestRng, net: &Net) -> Formula {
    match formula {
        Formula::Compare(..) | Formula::Fireable(_) if random.percent(50) => atom(random, net),
        other => other.map_children(&mut |child| with_atoms(child, random, net)),
    }
}

#[test]
fn verdicts_stay() {
    let [mut compared, mut changed, mut constant] = [[0; 2]; 3];
    for seed in 0..1_200 {
        let mut random = TestRng::new(seed);
        let net = net(&mut random, seed);
        let mut queries: Vec<Query> = (0..10).map(|at| query(&mut random, &net, at % 2 == 0)).collect();
        // The oracle takes memory in the number of temporal operators.
        queries.retain(|q| !matches!(q, Query::Ltl(_, path) if path.temporal_operators() > 6));
        let simplifier = Simplifier::new(&net);
        let smaller: Vec<Query> = queries
            .iter()
            .map(|query| match query {
                Query::Ctl(f) => query::ctl(simplifier.decide(f.into())),
                Query::Ltl(q, path) => query::ltl(*q, simplifier.decide(path.into())),
                other => other.clone(),
            })
            .collect();
        let problem = Problem { model: Model::Plain(net.clone()).into(), queries };
        let case = OracleCase::new(seed, random, problem, 300);
        let outcomes = fireset_oracle::outcomes(&case.problem.model, &smaller, 300, &Budget::unlimited());
        let given: Vec<_> = outcomes.into_iter().map(Some).collect();
        case.compare(&given, &|_, _| true, &smaller);
        let is_open = |outcome: &Outcome| matches!(outcome.verdict, Verdict::Unknown(_));
        for (at, (query, small)) in case.problem.queries.iter().zip(&smaller).enumerate() {
            if is_open(&case.expected[at]) || given[at].as_ref().is_none_or(is_open) {
                continue;
            }
            let logic = usize::from(matches!(query, Query::Ctl(_)));
            compared[logic] += 1;
            changed[logic] += usize::from(query != small);
            constant[logic] += usize::from(small.constant().is_some());
        }
    }
    for logic in 0..2 {
        assert!(
            compared[logic] > 2_500 && changed[logic] > 1_000 && constant[logic] > 200,
            "{compared:?} {changed:?} {constant:?}"
        );
    }
}

#[test]
fn the_next_state_of_a_deadlock() {
    let net = tiny::net("a:1 b; t: a -> b");
    let simplifier = Simplifier::new(&net);
    let many = Formula::Compare(Comparison::GreaterEqual, tokens(&[0, 1]), Expr::Constant(2));
    let next = Formula::Next(Box::new(many));
    let all = Formula::ForAll(Box::new(next.clone()));
    let some = Formula::Exists(Box::new(Formula::Next(Box::new(Formula::Constant(true)))));
    assert_eq!(simplifier.decide(all), Formula::Deadlock);
    assert_eq!(simplifier.decide(some), Formula::Not(Box::new(Formula::Deadlock)));
    assert_eq!(simplifier.decide(next), Formula::Constant(false));
    let ring = tiny::net("a:1 b; t: a -> b; u: b -> a");
    let some = Formula::Exists(Box::new(Formula::Next(Box::new(Formula::Constant(true)))));
    assert_eq!(Simplifier::new(&ring).decide(some), Formula::Constant(true), "no deadlock");
}

/// Places never have more tokens together than is proven, and often they can have as many.
#[test]
fn ceilings_of_places() {
    let (mut proven, mut reached) = (0, 0);
    for seed in 0..1_500 {
        let mut random = TestRng::new(seed);
        let net = net(&mut random, seed);
        let simplifier = Simplifier::new(&net);
        let markings = markings(&net);
        for _ in 0..3 {
            let places: Vec<PlaceId> = net.nodes().place_ids().filter(|_| random.percent(40)).collect();
            let tokens = |m: &Marking| places.iter().map(|&p| u128::from(m.tokens(p))).sum::<u128>();
            let most = markings.iter().map(tokens).max().expect("there is the initial one");
            let Some(ceiling) = simplifier.ceiling(&places).map(u128::from) else { continue };
            assert!(
                most <= ceiling,
                "seed {seed}: {places:?} have {most}, not at most {ceiling}, in {net:?}"
            );
            proven += 1;
            reached += usize::from(most == ceiling);
        }
    }
    assert!(proven > 2_000 && reached > proven / 2, "{proven} proven, {reached} of them reached");
}
