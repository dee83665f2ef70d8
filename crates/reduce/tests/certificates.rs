//! Certificates of what the state equation refutes: the checker accepts all of them, and none for what is reached.

use std::time::Duration;

use fireset_net::{
    Budget, Certificate, Choice, Counted, Cut, Evidence, Marking, Model, Net, PlaceId, Premise, Refutation,
    StateAtom, StatePredicate, Verdict, families,
    reachability::{GraphLimits, ReachabilityGraph},
    replay,
};
use fireset_oracle::{
    query,
    random::{self, NetShape, TestRng},
};
use fireset_reduce::Certifier;

const HOUR: Duration = Duration::from_secs(3600);

fn accepts(model: &Model, predicate: &StatePredicate, value: bool, certificate: Certificate) -> bool {
    let (query, verdict) = if value {
        (query::reachable(predicate.clone()), Verdict::Fails)
    } else {
        (query::invariant(predicate.clone()), Verdict::Holds)
    };
    replay::confirm(model, &query, &verdict, &Evidence::Certificate(certificate)).is_ok()
}

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

/// How often certificates had something in them.
#[derive(Debug, Default)]
struct CertificateParts {
    inductive: usize,
    refutations: usize,
    choices: usize,
    whole: usize,
    cuts: usize,
}

impl CertificateParts {
    fn count(&mut self, certificate: &Certificate) {
        match certificate {
            Certificate::Inductive(_) => self.inductive += 1,
            Certificate::Refutation(refutation) => {
                self.refutations += 1;
                self.look(refutation);
            }
        }
    }

    fn look(&mut self, refutation: &Refutation) {
        match refutation {
            Refutation::Contradiction(premises) => {
                self.cuts += premises.iter().filter(|p| matches!(p.0, Premise::Cut(_))).count();
            }
            Refutation::Cases(choice, cases) => {
                match choice {
                    Choice::Goal(_) => self.choices += 1,
                    Choice::Whole(..) => self.whole += 1,
                    Choice::Cut(_) => self.cuts += 1,
                }
                cases.iter().for_each(|case| self.look(case));
            }
        }
    }
}

#[test]
fn every_refutation_is_accepted() {
    let mut parts = CertificateParts::default();
    for seed in 0..1_500 {
        let mut random = TestRng::new(seed);
        let net = net(&mut random, seed);
        let markings = markings(&net);
        let model = Model::Plain(net.clone());
        let certifier = Certifier::of(&net);
        let mut predicates: Vec<StatePredicate> =
            (0..6).map(|at| random::predicate(&mut random, net.nodes(), 1 + at % 3)).collect();
        predicates.push(StateAtom::Deadlock.into());
        for predicate in &predicates {
            for value in [false, true] {
                for certificate in certifier.certificates(predicate, value, HOUR) {
                    parts.count(&certificate);
                    let about = || format!("seed {seed}: {predicate:?} is never {value} on {net:?}");
                    let is_met = |marking| replay::holds_in(&net, marking, predicate) == value;
                    assert!(!markings.iter().any(is_met), "{}", about());
                    assert!(
                        accepts(&model, predicate, value, certificate.clone()),
                        "{}\n{certificate:?}",
                        about()
                    );
                }
            }
        }
    }
    let CertificateParts { inductive, refutations, choices, whole, cuts } = parts;
    assert!(inductive > 100 && refutations > 2_000, "{parts:?}");
    assert!(choices > 500 && whole > 10 && cuts > 50, "{parts:?}");
}

/// Something of a refutation changed at random.
fn changed(random: &mut TestRng, refutation: &Refutation, net: &Net) -> Refutation {
    let place = |random: &mut TestRng| PlaceId::new(random.below(net.nodes().places.len()));
    match refutation {
        Refutation::Contradiction(premises) => {
            let mut premises = premises.clone();
            let at = random.below(premises.len().max(1));
            match (random.below(6), premises.get_mut(at)) {
                (0, Some(_)) => drop(premises.remove(at)),
                (1, Some(premise)) => premise.1 += random.below(4) as i128 - 1,
                (2, Some((Premise::Goal(path), _))) => {
                    if let Some(last) = path.last_mut() {
                        *last = random.below(3) as u32;
                    }
                }
                (3, Some((premise, _))) => *premise = Premise::Case(random.below(3)),
                (4, Some((Premise::Cut(Cut::Emptying(places) | Cut::Filling(places)), _))) => {
                    places.truncate(random.below(places.len().max(1)));
                }
                _ => premises.push((Premise::Place(place(random)), 1 + random.below(3) as i128)),
            }
            Refutation::Contradiction(premises)
        }
        Refutation::Cases(choice, cases) if cases.is_empty() || random.percent(30) => {
            let mut cases = cases.clone();
            let choice = match random.below(4) {
                0 => Choice::Whole(Counted::Tokens(vec![place(random)]), random.below(3) as i128),
                1 => Choice::Cut(Cut::Emptying(vec![place(random), place(random)])),
                2 => Choice::Cut(Cut::Filling(vec![place(random)])),
                _ => {
                    cases.pop();
                    choice.clone()
                }
            };
            Refutation::Cases(choice, cases)
        }
        Refutation::Cases(choice, cases) => {
            let mut cases = cases.clone();
            let at = random.below(cases.len());
            cases[at] = changed(random, &cases[at], net);
            Refutation::Cases(choice.clone(), cases)
        }
    }
}

#[test]
fn what_is_accepted_is_true() {
    let (mut kept, mut refused, mut of_others) = (0, 0, 0);
    for seed in 0..1_000 {
        let mut random = TestRng::new(seed + 10_000);
        let net = net(&mut random, seed);
        let markings = markings(&net);
        let model = Model::Plain(net.clone());
        let certifier = Certifier::of(&net);
        let predicates: Vec<StatePredicate> =
            (0..5).map(|_| random::predicate(&mut random, net.nodes(), 2)).collect();
        let is_reached = |predicate: &StatePredicate, value: bool| {
            markings.iter().any(|marking| replay::holds_in(&net, marking, predicate) == value)
        };
        for predicate in &predicates {
            let found = certifier.certificates(predicate, true, HOUR);
            for certificate in found {
                // The same argument for other goals.
                for other in &predicates {
                    for value in [false, true] {
                        if accepts(&model, other, value, certificate.clone()) {
                            assert!(!is_reached(other, value), "seed {seed}: {other:?} {certificate:?}");
                            of_others += usize::from(other != predicate);
                        }
                    }
                }
                let Certificate::Refutation(mut refutation) = certificate else { continue };
                for _ in 0..10 {
                    refutation = changed(&mut random, &refutation, &net);
                    let certificate = Certificate::Refutation(refutation.clone());
                    for other in &predicates {
                        let is_accepted = accepts(&model, other, true, certificate.clone());
                        assert!(
                            !(is_accepted && is_reached(other, true)),
                            "seed {seed}: {other:?} {refutation:?}"
                        );
                        *(if is_accepted { &mut kept } else { &mut refused }) += 1;
                    }
                }
            }
        }
    }
    assert!(kept > 500 && refused > 5_000 && of_others > 20, "{kept} {refused} {of_others}");
}

#[test]
fn families_without_deadlocks_have_certificates() {
    let peterson = families::find("peterson").expect("a family").generate(families::FamilyKind::Plain, &[2]);
    let Ok(model @ Model::Plain(_)) = peterson else { panic!("a net") };
    let Model::Plain(net) = &model else { panic!("a net") };
    let certifier = Certifier::of(net);
    let deadlock = StateAtom::Deadlock.into();
    let mut found = certifier.certificates(&deadlock, true, HOUR);
    assert!(found.any(|certificate| accepts(&model, &deadlock, true, certificate)));
}
