//! Certificates made by hand: right ones are accepted, and each is refused with anything changed that it needs.

use fireset_net::{
    Budget, Certificate, Choice, Comparison, Counted, Cut, Evidence, Expr, Linear, Marking, Model, Net,
    PlaceId, Premise, Query, Refutation, StateAtom, StatePredicate, TransitionId, Verdict,
    reachability::{GraphLimits, ReachabilityGraph},
    replay::{self, Refusal},
};
use fireset_oracle::{
    random::{self, NetShape, TestRng},
    tiny,
};

use Comparison::{Equal, GreaterEqual, LessEqual, NotEqual};

fn p(at: usize) -> PlaceId {
    PlaceId::new(at)
}

fn t(at: usize) -> TransitionId {
    TransitionId::new(at)
}

/// The tokens of some places compare so with a number.
fn compare(how: Comparison, a: Expr, b: Expr) -> StatePredicate {
    StateAtom::Compare(how, a, b).into()
}

fn is(places: &[usize], how: Comparison, number: i64) -> StatePredicate {
    let tokens = Expr::Tokens(places.iter().map(|&at| p(at)).collect());
    compare(how, tokens, Expr::Constant(number))
}

/// What is said to a certificate that the goal is never reached, asked in both ways.
fn judge(net: &Net, goal: &StatePredicate, certificate: Certificate) -> Result<(), Refusal> {
    let model = Model::Plain(net.clone());
    let evidence = Evidence::Certificate(certificate);
    let never = Query::Reachable(goal.clone());
    let always = Query::Invariant(StatePredicate::Not(Box::new(goal.clone())));
    let answer = replay::confirm(&model, &never, &Verdict::Fails, &evidence);
    assert_eq!(replay::confirm(&model, &always, &Verdict::Holds, &evidence), answer);
    for (query, verdict) in [(&never, Verdict::Holds), (&always, Verdict::Fails)] {
        assert_eq!(replay::confirm(&model, query, &verdict, &evidence), Err(Refusal::Mismatch));
    }
    answer
}

fn refuted(net: &str, goal: &StatePredicate, refutation: Refutation) -> Result<(), Refusal> {
    judge(&tiny::net(net), goal, Certificate::Refutation(refutation))
}

/// The refutation is accepted, but not with anything of it left out or changed.
fn tight(net: &str, goal: &StatePredicate, refutation: &Refutation) {
    assert_eq!(refuted(net, goal, refutation.clone()), Ok(()));
    for changed in changes(refutation) {
        let answer = refuted(net, goal, changed.clone());
        assert!(matches!(answer, Err(Refusal::Wrong(_))), "{changed:?}: {answer:?}");
    }
}

/// Refutations with one thing left out or changed.
fn changes(refutation: &Refutation) -> Vec<Refutation> {
    let mut found = Vec::new();
    match refutation {
        Refutation::Contradiction(premises) => {
            for at in 0..premises.len() {
                let with = |times: i128| {
                    let mut premises = premises.clone();
                    premises[at].1 = times;
                    Refutation::Contradiction(premises)
                };
                found.extend([0, -1].map(with));
            }
        }
        Refutation::Cases(choice, cases) => {
            for at in 0..cases.len() {
                let mut fewer = cases.clone();
                fewer.remove(at);
                found.push(Refutation::Cases(choice.clone(), fewer));
                for changed in changes(&cases[at]) {
                    let mut cases = cases.clone();
                    cases[at] = changed;
                    found.push(Refutation::Cases(choice.clone(), cases));
                }
            }
            found.push(cases[0].clone());
        }
    }
    found
}

fn sum(premises: &[(Premise, i128)]) -> Refutation {
    Refutation::Contradiction(premises.to_vec())
}

fn goal(path: &[u32]) -> Premise {
    Premise::Goal(path.to_vec())
}

const RING: &str = "a:3 b c; t: a -> b; u: b -> c; v: c -> a";

#[test]
fn inequalities_are_summed_up() {
    let both = StatePredicate::And(vec![is(&[0], GreaterEqual, 2), is(&[1], GreaterEqual, 2)]);
    let proof = sum(&[(goal(&[0]), 1), (goal(&[1]), 1), (Premise::Place(p(2)), 1)]);
    tight(RING, &both, &proof);
    let weaker = StatePredicate::And(vec![is(&[0], GreaterEqual, 2), is(&[1], GreaterEqual, 1)]);
    assert!(refuted(RING, &weaker, proof.clone()).is_err(), "that is reachable");
    assert!(refuted("a:4 b c; t: a -> b; u: b -> c; v: c -> a", &both, proof.clone()).is_err());
    assert!(refuted("a:3 b c; t: a -> 2*b; u: b -> c; v: c -> a", &both, proof).is_err());
    let uneven = sum(&[(goal(&[0]), 2), (goal(&[1]), 1), (Premise::Place(p(2)), 1)]);
    assert!(refuted(RING, &both, uneven).is_err(), "a multiplier is changed");
}

#[test]
fn all_parts_of_a_disjunction_are_refuted() {
    let either = StatePredicate::Or(vec![is(&[0], GreaterEqual, 4), is(&[1], GreaterEqual, 4)]);
    let leaf = |part, others: [usize; 2]| {
        sum(&[(goal(&[part]), 1), (Premise::Place(p(others[0])), 1), (Premise::Place(p(others[1])), 1)])
    };
    let proof = Refutation::Cases(Choice::Goal(vec![]), vec![leaf(0, [1, 2]), leaf(1, [0, 2])]);
    tight(RING, &either, &proof);
    let swapped = Refutation::Cases(Choice::Goal(vec![]), vec![leaf(1, [0, 2]), leaf(0, [1, 2])]);
    assert!(refuted(RING, &either, swapped).is_err(), "the other part was not chosen");
    let unequal = compare(NotEqual, Expr::Tokens(vec![p(0), p(1), p(2)]), Expr::Constant(3));
    let proof =
        Refutation::Cases(Choice::Goal(vec![]), vec![sum(&[(goal(&[0]), 1)]), sum(&[(goal(&[1]), 1)])]);
    tight(RING, &unequal, &proof);
    // Either both are true, or both are false.
    let same = StatePredicate::iff(is(&[0, 1, 2], Equal, 3), is(&[0, 1, 2], GreaterEqual, 4));
    let both = sum(&[(goal(&[0, 1]), 1)]);
    let neither = Refutation::Cases(
        Choice::Goal(vec![1, 0]),
        vec![sum(&[(goal(&[1, 0, 0]), 1)]), sum(&[(goal(&[1, 0, 1]), 1)])],
    );
    tight(RING, &same, &Refutation::Cases(Choice::Goal(vec![]), vec![both, neither]));
}

#[test]
fn whole_numbers_are_rounded_and_chosen() {
    let by_rounding = sum(&[(goal(&[0]), 1), (goal(&[1]), 1)]);
    tight("a b:1; t: b -> b, 2*a; u: 4*a ->", &is(&[0], Equal, 3), &by_rounding);
    assert!(refuted("a b:1; t: b -> b, 2*a; u: 4*a ->", &is(&[0], Equal, 2), by_rounding).is_err());
    let net = "a b:1; t: b -> b, 3*a; u: b -> b, 2*a";
    let count = |at| Choice::Whole(Counted::Firings(vec![t(at)]), 0);
    let few = sum(&[(goal(&[0]), 1), (Premise::Case(0), 3), (Premise::Case(1), 2)]);
    let second = Refutation::Cases(count(1), vec![few, sum(&[(goal(&[1]), 1), (Premise::Case(1), 2)])]);
    let proof = Refutation::Cases(count(0), vec![second, sum(&[(goal(&[1]), 1), (Premise::Case(0), 3)])]);
    tight(net, &is(&[0], Equal, 1), &proof);
    // Between two whole numbers there is none, of a place.
    let between = StatePredicate::And(vec![
        compare(
            GreaterEqual,
            Expr::Product(vec![Expr::Constant(2), Expr::Tokens(vec![p(0)])]),
            Expr::Constant(3),
        ),
        compare(
            LessEqual,
            Expr::Product(vec![Expr::Constant(2), Expr::Tokens(vec![p(0)])]),
            Expr::Constant(3),
        ),
    ]);
    let choice = Choice::Whole(Counted::Tokens(vec![p(0)]), 1);
    let cases =
        vec![sum(&[(goal(&[0]), 1), (Premise::Case(0), 1)]), sum(&[(goal(&[1]), 1), (Premise::Case(0), 1)])];
    tight(RING, &between, &Refutation::Cases(choice, cases.clone()));
    let wrong = Choice::Whole(Counted::Tokens(vec![p(0)]), 2);
    assert!(refuted(RING, &between, Refutation::Cases(wrong, cases)).is_err());
}

#[test]
fn traps_stay_marked() {
    let net = "a:1 b c; t: a -> b; u: b -> c; v: 2*c -> c; w: 2*b -> b; x: 2*a -> a; y: c -> a";
    let empty = StatePredicate::And((0..3).map(|at| is(&[at], Equal, 0)).collect());
    let proof = |trap: &[usize]| {
        let trap = Premise::Cut(Cut::Emptying(trap.iter().map(|&at| p(at)).collect()));
        sum(&[(trap, 1), (goal(&[0, 1]), 1), (goal(&[1, 1]), 1), (goal(&[2, 1]), 1)])
    };
    tight(net, &empty, &proof(&[0, 1, 2]));
    tight(net, &empty, &proof(&[2, 0, 1, 0]));
    for fewer in [&[0, 1][..], &[1, 2], &[0, 2], &[]] {
        assert!(refuted(net, &empty, proof(fewer)).is_err(), "{fewer:?} is no trap");
    }
    let leaks = "a:1 b c; t: a -> b; u: b -> c; v: 2*c -> c; w: 2*b -> b; x: 2*a -> ; y: c -> a";
    assert!(refuted(leaks, &empty, proof(&[0, 1, 2])).is_err());
    let unmarked = "a b c; t: a -> b; u: b -> c; v: 2*c -> c; w: 2*b -> b; x: 2*a -> a; y: c -> a";
    assert!(refuted(unmarked, &empty, proof(&[0, 1, 2])).is_err());
}

#[test]
fn tokens_come_from_somewhere() {
    let proof = |siphon: &[usize]| {
        let siphon = Premise::Cut(Cut::Filling(siphon.iter().map(|&at| p(at)).collect()));
        sum(&[(goal(&[]), 1), (siphon, 1)])
    };
    let net = "a b c; t: b -> b, c; u: a -> b; v: b -> a";
    tight(net, &is(&[2], GreaterEqual, 1), &proof(&[0, 1]));
    assert!(refuted(net, &is(&[2], GreaterEqual, 1), proof(&[1])).is_err(), "u fills b");
    let marked = "a:1 b c; t: b -> b, c; u: a -> b; v: b -> a";
    assert!(refuted(marked, &is(&[2], GreaterEqual, 1), proof(&[0, 1])).is_err());
    // Only x fills the circle of a and b, and then d is empty.
    let net = "a b c d:1; t: b -> b, c; u: a -> b; v: b -> a; x: d -> a";
    let both = StatePredicate::And(vec![is(&[2], GreaterEqual, 1), is(&[3], GreaterEqual, 1)]);
    let choice = Choice::Cut(Cut::Filling(vec![p(0), p(1)]));
    let none = sum(&[(goal(&[0]), 1), (Premise::Case(0), 1)]);
    let filled = sum(&[(goal(&[1]), 1), (Premise::Case(0), 1)]);
    tight(net, &both, &Refutation::Cases(choice, vec![none, filled]));
}

#[test]
fn deadlocks_and_firesets_are_refuted() {
    let dead = sum(&[(goal(&[0, 0]), 1), (goal(&[1, 0]), 1)]);
    tight("a:1 b; t: a -> b; u: b -> a", &StateAtom::Deadlock.into(), &dead);
    assert!(refuted("a:1 b; t: a -> b; u: 2*b -> a", &StateAtom::Deadlock.into(), dead).is_err());
    let free = Refutation::Cases(Choice::Goal(vec![0]), vec![]);
    assert_eq!(refuted("a; t: -> a", &StateAtom::Deadlock.into(), free.clone()), Ok(()), "always enabled");
    assert!(refuted("a:1; t: a ->", &StateAtom::Deadlock.into(), free).is_err());
    // More than two tokens on a inhibit t; there are always three.
    let net = "a:3 b; t: b, 2*!a -> b; u: a -> a";
    let fires = sum(&[(goal(&[0, 1]), 1)]);
    tight(net, &StateAtom::Fireable(vec![t(0)]).into(), &fires);
    let both = StatePredicate::from(StateAtom::Fireable(vec![t(0), t(1)]));
    assert!(refuted(net, &both, fires).is_err(), "u can fire");
    let silent = sum(&[(goal(&[1, 0]), 1)]);
    let neither = StatePredicate::Not(Box::new(both));
    tight(net, &neither, &silent);
    let chosen = Refutation::Cases(Choice::Goal(vec![1]), vec![silent]);
    assert_eq!(refuted(net, &neither, chosen), Ok(()), "a choice with one alternative");
}

#[test]
fn hostile_refutations_are_refused() {
    let three = is(&[0], GreaterEqual, 4);
    let refused = |refutation: Refutation| {
        let answer = refuted(RING, &three, refutation.clone());
        assert!(answer.is_err(), "{refutation:?}");
        let model = Model::Plain(tiny::net(RING));
        assert!(!answer.expect_err("refused").describe(&model).is_empty());
    };
    refused(sum(&[]));
    refused(sum(&[(Premise::Place(p(77)), 1)]));
    refused(sum(&[(goal(&[0]), 1)]));
    refused(sum(&[(goal(&[9, 9]), 1)]));
    refused(sum(&[(Premise::Case(0), 1)]));
    refused(sum(&[(Premise::Place(p(0)), i128::MAX), (goal(&[]), i128::MAX)]));
    refused(sum(&[(Premise::Cut(Cut::Emptying(vec![p(5)])), 1)]));
    refused(Refutation::Cases(Choice::Goal(vec![]), vec![]));
    refused(Refutation::Cases(Choice::Cut(Cut::Filling(vec![p(0)])), vec![]));
    for most in [i128::MAX, i128::MIN] {
        let leaf = || sum(&[(Premise::Case(0), i128::MAX)]);
        let tokens = Counted::Tokens(vec![p(0); 3]);
        refused(Refutation::Cases(Choice::Whole(tokens, most), vec![leaf(), leaf()]));
        let firings = Counted::Firings(vec![t(0), t(99)]);
        refused(Refutation::Cases(Choice::Whole(firings, most), vec![leaf(), leaf()]));
    }
    let mut deep = sum(&[]);
    for _ in 0..1_000 {
        let choice = Choice::Whole(Counted::Tokens(vec![p(0)]), 0);
        deep = Refutation::Cases(choice, vec![deep, sum(&[])]);
    }
    refused(deep);
}

#[test]
fn inductive_formulas_are_checked() {
    let inductive = |net: &str, goal: &StatePredicate, formula: &StatePredicate| {
        judge(&tiny::net(net), goal, Certificate::Inductive(formula.clone()))
    };
    let three = is(&[0, 1, 2], Equal, 3);
    let both = StatePredicate::And(vec![is(&[0], GreaterEqual, 2), is(&[1], GreaterEqual, 2)]);
    assert_eq!(inductive(RING, &both, &three), Ok(()));
    assert_eq!(inductive(RING, &both, &is(&[0, 1, 2], LessEqual, 3)), Ok(()), "half of it is enough");
    assert!(inductive(RING, &both, &is(&[0, 1, 2], LessEqual, 4)).is_err(), "too weak");
    assert!(inductive(RING, &both, &is(&[0, 1, 2], LessEqual, 2)).is_err(), "not at the start");
    assert!(inductive(RING, &is(&[0], Equal, 0), &three).is_err(), "the goal is reachable");
    let answer = inductive(RING, &is(&[1], GreaterEqual, 3), &is(&[1], LessEqual, 2));
    let Err(Refusal::TooHard(why)) = answer else { panic!("{answer:?}") };
    assert!(why.contains("`t`") && why.contains("part 1") && why.contains("`b`"), "{why}");
    // Two processes that take turns: a clause needs the other parts.
    let turns = "i:1 c j:1 d lock:1; t: i, lock -> c; u: c -> i, lock; v: j, lock -> d; w: d -> j, lock";
    let clause = StatePredicate::Or(vec![is(&[1], Equal, 0), is(&[3], Equal, 0)]);
    let meet = StatePredicate::And(vec![is(&[1], GreaterEqual, 1), is(&[3], GreaterEqual, 1)]);
    assert!(inductive(turns, &meet, &clause).is_err(), "not inductive alone");
    let free = |at| StatePredicate::Or(vec![is(&[at], Equal, 0), is(&[4], Equal, 0)]);
    let safe = (0..5).map(|at| is(&[at], LessEqual, 1));
    let parts = [clause, free(1), free(3)].into_iter().chain(safe).collect::<Vec<_>>();
    let one_each = [is(&[0, 1], Equal, 1), is(&[2, 3], Equal, 1)];
    let whole = StatePredicate::And(parts.iter().cloned().chain(one_each).collect());
    assert_eq!(inductive(turns, &meet, &whole), Ok(()));
    let StatePredicate::And(operands) = &whole else { panic!("a conjunction") };
    for needed in 0..3 {
        let mut fewer = operands.clone();
        fewer.remove(needed);
        assert!(inductive(turns, &meet, &StatePredicate::And(fewer)).is_err(), "without part {needed}");
    }
    // A marked trap, and an inhibitor arc that keeps b from growing.
    let trap = is(&[0, 1], GreaterEqual, 1);
    let net = "a:1 b; t: a -> b; u: 2*b -> b; v: b -> a; w: a -> a, b";
    assert_eq!(inductive(net, &is(&[0, 1], Equal, 0), &trap), Ok(()));
    assert!(inductive("a:1 b; t: a -> b; u: 2*b -> ", &is(&[0, 1], Equal, 0), &trap).is_err());
    let net = "a:1 b; t: a, 2*!b -> a, b";
    assert_eq!(inductive(net, &is(&[1], GreaterEqual, 3), &is(&[1], LessEqual, 2)), Ok(()));
    assert!(inductive(net, &is(&[1], GreaterEqual, 2), &is(&[1], LessEqual, 1)).is_err());
}

#[test]
fn hostile_formulas_are_refused() {
    let inductive = |formula: StatePredicate| {
        let goal = is(&[0], GreaterEqual, 4);
        judge(&tiny::net(RING), &goal, Certificate::Inductive(formula)).expect_err("not shown")
    };
    inductive(is(&[88], LessEqual, 3));
    inductive(StateAtom::Fireable(vec![t(88)]).into());
    inductive(StatePredicate::Constant(true));
    inductive(StatePredicate::Constant(false));
    inductive(StatePredicate::And(Vec::new()));
    inductive(StatePredicate::Or(Vec::new()));
    let square = Expr::Product(vec![Expr::Tokens(vec![p(0)]), Expr::Tokens(vec![p(0)])]);
    inductive(compare(LessEqual, square, Expr::Constant(9)));
    let huge =
        Expr::Product(vec![Expr::Constant(i64::MAX), Expr::Constant(i64::MAX), Expr::Tokens(vec![p(1)])]);
    inductive(compare(LessEqual, huge.clone(), Expr::Constant(i64::MAX)));
    inductive(compare(
        LessEqual,
        Expr::Difference(Box::new(huge.clone()), Box::new(huge)),
        Expr::Constant(0),
    ));
    // Equivalences inside each other double.
    let double = |f: StatePredicate| StatePredicate::iff(f.clone(), f);
    inductive((0..12).fold(is(&[0], LessEqual, 3), |f, _| double(f)));
}

/// Whether no comparison multiplies counts.
fn is_linear(predicate: &StatePredicate) -> bool {
    let is_form = |expr: &Expr| Linear::from_expr(expr).is_some();
    !predicate.any_atom(&|atom| matches!(atom, StateAtom::Compare(_, a, b) if !(is_form(a) && is_form(b))))
}

/// The marking is this one.
fn exactly(marking: &Marking) -> StatePredicate {
    let counts = marking.0.iter().enumerate();
    StatePredicate::And(counts.map(|(at, &count)| is(&[at], Equal, count as i64)).collect())
}

#[test]
fn exactly_the_reachable_markings_are_inductive() {
    let (mut accepted, mut refused) = (0, 0);
    for seed in 0..1_500 {
        let mut random = TestRng::new(seed);
        let inhibitors = if seed % 2 == 0 { 30 } else { 0 };
        let shape = NetShape { places: 4, transitions: 4, tokens: 2, weight: 2, inhibitors };
        let net = random::net(&mut random, &shape);
        let limits = GraphLimits { states: 13, edges: false };
        let graph = ReachabilityGraph::explore(&net, limits, &Budget::unlimited(), &mut ());
        let states = graph.states();
        if states.len() > 12 || states.len() < 2 {
            continue;
        }
        let all: Vec<StatePredicate> = states.iter().map(exactly).collect();
        let goal = random::predicate(&mut random, net.nodes(), 2);
        let is_reached = states.iter().any(|state| replay::holds_in(&net, state, &goal));
        let answer = judge(&net, &goal, Certificate::Inductive(StatePredicate::Or(all.clone())));
        let is_hard = !is_reached && !is_linear(&goal);
        assert!(answer.is_ok() != is_reached || is_hard, "seed {seed}: {goal:?} on {net:?}: {answer:?}");
        accepted += usize::from(answer.is_ok());
        // Without one that is reached from the others it is not inductive.
        let gone = 1 + random.below(states.len() - 1);
        let fewer = all.iter().enumerate().filter(|&(at, _)| at != gone).map(|(_, f)| f.clone()).collect();
        let answer = judge(&net, &goal, Certificate::Inductive(StatePredicate::Or(fewer)));
        assert!(matches!(answer, Err(Refusal::TooHard(_))), "seed {seed}: {answer:?}");
        refused += 1;
    }
    assert!(accepted > 150 && refused > 400, "{accepted} accepted, {refused} refused");
}

#[test]
fn what_is_accepted_is_inductive() {
    let mut accepted = 0;
    for seed in 0..4_000 {
        let mut random = TestRng::new(seed);
        let inhibitors = if seed % 3 == 0 { 30 } else { 0 };
        let shape = NetShape { places: 4, transitions: 4, tokens: 2, weight: 2, inhibitors };
        let net = random::net(&mut random, &shape);
        let limits = GraphLimits { states: 200, edges: false };
        let graph = ReachabilityGraph::explore(&net, limits, &Budget::unlimited(), &mut ());
        for _ in 0..4 {
            let formula = random::predicate(&mut random, net.nodes(), 2);
            let goal = StatePredicate::Not(Box::new(formula.clone()));
            if judge(&net, &goal, Certificate::Inductive(formula.clone())).is_ok() {
                accepted += 1;
                let holds = |state| replay::holds_in(&net, state, &formula);
                assert!(graph.states().iter().all(holds), "seed {seed}: {formula:?} on {net:?}");
            }
        }
    }
    assert!(accepted > 800, "{accepted}");
}

#[test]
fn many_clauses_are_checked_where_they_can_break() {
    // Processes that take turns, and a clause for each two of them.
    let count = 40;
    let mut text = String::from("lock:1");
    (0..count).for_each(|at| text += &format!(" i{at}:1 c{at}"));
    (0..count).for_each(|at| text += &format!("; t{at}: i{at}, lock -> c{at}; u{at}: c{at} -> i{at}, lock"));
    let net = tiny::net(&text);
    let busy = |at: usize| 2 + 2 * at;
    let not_both = |a, b| StatePredicate::Or(vec![is(&[a], Equal, 0), is(&[b], Equal, 0)]);
    let mut parts: Vec<StatePredicate> = (0..=2 * count).map(|at| is(&[at], LessEqual, 1)).collect();
    parts.extend((0..count).map(|at| is(&[busy(at) - 1, busy(at)], Equal, 1)));
    parts.extend((0..count).map(|at| not_both(0, busy(at))));
    parts.extend((0..count).flat_map(|at| (0..at).map(move |other| not_both(busy(other), busy(at)))));
    let meet = StatePredicate::And(vec![is(&[busy(3)], GreaterEqual, 1), is(&[busy(9)], GreaterEqual, 1)]);
    let judged = |parts: &[StatePredicate]| {
        judge(&net, &meet, Certificate::Inductive(StatePredicate::And(parts.to_vec())))
    };
    assert_eq!(judged(&parts), Ok(()), "{} parts", parts.len());
    // Without one that keeps a process from the lock another can join it.
    parts.remove(3 * count + 1 + 7);
    let Err(Refusal::TooHard(why)) = judged(&parts) else { panic!("not inductive any more") };
    assert!(why.contains("keeps part"), "{why}");
}
