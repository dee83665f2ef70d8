//! Witnesses as JSON and back, and what is said of files that are wrong.

use fireset_io::witness;
use fireset_net::{
    Branch, Branching, Certificate, Choice, Claim, Comparison, Counted, Cut, Evidence, Expr, Formula, Logic,
    Model, PlaceId, Premise, Property, Refutation, StateAtom, StatePredicate, Step, TransitionId, Verdict,
};
use fireset_oracle::{
    random::{self, NetShape, TestRng},
    tiny,
};

fn model() -> Model {
    Model::Plain(tiny::net("p:1 q; t: p -> q; u: q -> p"))
}

fn step(at: usize) -> Step {
    Step::plain(TransitionId::new(at))
}

#[test]
fn runs_that_branch_come_back() {
    for seed in 0..2_000 {
        let mut random = TestRng::new(seed);
        let model = Model::Plain(random::net(&mut random, &NetShape::default()));
        let whole = Formula::from(random::nested_ctl(&mut random, model.nodes(), 3));
        let (mut parts, mut claims) = (vec![&whole], Vec::new());
        while let Some(part) = parts.pop() {
            if matches!(part, Formula::Exists(_) | Formula::ForAll(_)) {
                claims.push(Claim { state: claims.len() % 6, formula: part.clone(), holds: seed % 2 == 0 });
            }
            parts.extend(part.children());
        }
        let runs = (0..3).map(|from| Branch { from, steps: vec![step(0); from + 1] }).collect();
        let evidence = Evidence::Branching(Branching { runs, claims });
        let property = Property { name: "f".into(), formula: whole, logic: Logic::Ctl };
        let entry = witness::entry(&model, &property, &Verdict::Holds, Some(&evidence));
        let text = witness::document(&model, vec![entry]).to_string();
        let [read] = &witness::read("f", &text, &model).unwrap()[..] else { panic!("one witness: {text}") };
        let (Evidence::Branching(given), Evidence::Branching(got)) = (&evidence, &read.evidence) else {
            panic!("other runs: {text}")
        };
        assert_eq!(got.runs, given.runs, "{text}");
        // A text says the same in a plainer form, of which a claim must still be part.
        for (got, given) in got.claims.iter().zip(&given.claims) {
            assert_eq!((got.state, got.holds), (given.state, given.holds), "{text}");
            assert!(occurs(&got.formula, &read.property.formula), "{got:?} {text}");
        }
        let again = witness::entry(&model, &read.property, &read.verdict, Some(&read.evidence));
        let again = witness::document(&model, vec![again]).to_string();
        assert_eq!(witness::read("f", &again, &model).unwrap(), std::slice::from_ref(read), "{text}");
    }
}

fn occurs(part: &Formula, whole: &Formula) -> bool {
    part == whole || whole.children().any(|child| occurs(part, child))
}

/// The error for a file with this evidence.
fn complaint(evidence: &str) -> String {
    let text = format!(
        r#"{{"properties": [{{"name": "f", "query": "AG EF (p = 1)", "logic": "CTL", "verdict": "holds",
        "evidence": {evidence}}}]}}"#
    );
    witness::read("f", &text, &model()).expect_err(evidence).to_string()
}

#[test]
fn malformed_evidence_is_refused() {
    for (evidence, message) in [
        (r#"{"runs": []}"#, "lists `runs` and `claims`"),
        (r#"{"runs": 1, "claims": []}"#, "lists `runs` and `claims`"),
        (r#"{"runs": [["t"]], "claims": []}"#, "a run has a number `from` and a list `steps`"),
        (r#"{"runs": [{"from": -1, "steps": []}], "claims": []}"#, "a run has a number `from`"),
        (r#"{"runs": [{"from": "0", "steps": []}], "claims": []}"#, "a run has a number `from`"),
        (r#"{"runs": [{"from": 0, "steps": ["t", "v"]}], "claims": []}"#, "no transition `v`"),
        (r#"{"runs": [{"from": 1, "steps": []}], "claims": []}"#, "state 1"),
        (r#"{"runs": [{"from": 0, "steps": ["t"]}, {"from": 2, "steps": []}], "claims": []}"#, "state 2"),
        (r#"{"runs": [], "claims": ["EF p = 1"]}"#, "a claim has a number `state`"),
        (r#"{"runs": [], "claims": [{"state": 0, "formula": "EF p", "holds": 1}]}"#, "a Boolean `holds`"),
        (r#"{"runs": [], "claims": [{"state": 0, "formula": "EF (r = 1)", "holds": true}]}"#, "in a claim"),
        (r#"{"runs": [], "claims": [{"state": 3, "formula": "EF (p = 1)", "holds": true}]}"#, "state 3"),
    ] {
        let given = complaint(evidence);
        assert!(given.contains(message), "{evidence}: {given}");
    }
}

/// Some certificates with everything in them.
fn certificates() -> Vec<Certificate> {
    let places = || vec![PlaceId::new(1), PlaceId::new(0)];
    let premises = vec![
        (Premise::Place(PlaceId::new(1)), 1),
        (Premise::Goal(vec![0, 7]), i128::MAX),
        (Premise::Case(1), -3),
        (Premise::Cut(Cut::Emptying(places())), 0),
        (Premise::Cut(Cut::Filling(vec![])), 9_007_199_254_740_993),
    ];
    let leaf = || Refutation::Contradiction(premises.clone());
    let choices = [
        Choice::Goal(vec![]),
        Choice::Whole(Counted::Tokens(places()), i128::MIN),
        Choice::Whole(Counted::Firings(vec![TransitionId::new(1)]), 2),
        Choice::Cut(Cut::Filling(places())),
        Choice::Cut(Cut::Emptying(vec![])),
    ];
    let mut tree = leaf();
    for choice in choices.iter().cycle().take(50) {
        tree = Refutation::Cases(choice.clone(), vec![tree, leaf()]);
    }
    let none = Refutation::Cases(Choice::Goal(vec![]), vec![]);
    let compare = |number| {
        let most = StateAtom::Compare(Comparison::LessEqual, Expr::Tokens(places()), Expr::Constant(number));
        StatePredicate::from(most)
    };
    let clause = StatePredicate::Or(vec![compare(1), StatePredicate::Not(Box::new(compare(i64::MAX)))]);
    vec![
        Certificate::Refutation(leaf()),
        Certificate::Refutation(tree),
        Certificate::Refutation(none),
        Certificate::Inductive(compare(1)),
        Certificate::Inductive(StatePredicate::And(vec![clause, compare(3)])),
        Certificate::Inductive(StatePredicate::And(vec![])),
    ]
}

#[test]
fn certificates_come_back() {
    let model = model();
    for certificate in certificates() {
        let property =
            Property { name: "f".into(), formula: Formula::Deadlock.possible(), logic: Logic::Ctl };
        let evidence = Evidence::Certificate(certificate);
        let entry = witness::entry(&model, &property, &Verdict::Fails, Some(&evidence));
        let text = witness::document(&model, vec![entry]).to_string();
        let read = witness::read("f", &text, &model).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(read[0].evidence, evidence, "{text}");
    }
}

#[test]
fn malformed_certificates_are_refused() {
    let deep = |levels: usize| {
        let open = r#"{"choice": {"goal": []}, "cases": ["#.repeat(levels);
        format!(r#"{{"refutation": {open}{{"sum": []}}{}}}"#, "]}".repeat(levels))
    };
    for (evidence, message) in [
        (r#"{"inductive": "p = 1"}"#, "a list of formulas"),
        (r#"{"inductive": [1]}"#, "a list of formulas"),
        (r#"{"inductive": ["p = 1", "r = 1"]}"#, "part 2 of the formula"),
        (
            r#"{"inductive": ["p = 1", "EF deadlock"]}"#,
            "part 2 of `inductive` speaks of more than one marking",
        ),
        (r#"{"inductive": ["one-safe"]}"#, "part 1 of `inductive` speaks of more than one marking"),
        (r#"{"refutation": 1}"#, "a list `sum`, or a `choice`"),
        (r#"{"refutation": {"sum": 1}}"#, "a list `sum`, or a `choice`"),
        (r#"{"refutation": {"sum": [1]}}"#, "a premise has"),
        (r#"{"refutation": {"sum": [{"place": "p"}]}}"#, "a number `times`"),
        (r#"{"refutation": {"sum": [{"place": "p", "times": 1.5}]}}"#, "a number `times`"),
        (r#"{"refutation": {"sum": [{"place": "p", "times": "1e9"}]}}"#, "a number `times`"),
        (
            r#"{"refutation": {"sum": [{"place": "p", "times": "999999999999999999999999999999999999999999"}]}}"#,
            "a number `times`",
        ),
        (r#"{"refutation": {"sum": [{"times": 1}]}}"#, "one of `place`"),
        (r#"{"refutation": {"sum": [{"place": "P1", "times": 1}]}}"#, "the net has no place `P1`"),
        (r#"{"refutation": {"sum": [{"place": 3, "times": 1}]}}"#, "not the name of a place"),
        (r#"{"refutation": {"sum": [{"goal": [-1], "times": 1}]}}"#, "a list of positions"),
        (r#"{"refutation": {"sum": [{"goal": [4294967296], "times": 1}]}}"#, "a list of positions"),
        (r#"{"refutation": {"sum": [{"case": "a", "times": 1}]}}"#, "a number of choices"),
        (r#"{"refutation": {"sum": [{"filling": "p", "times": 1}]}}"#, "a list of places"),
        (r#"{"refutation": {"choice": 1, "cases": []}}"#, "a choice has"),
        (r#"{"refutation": {"choice": {"goal": []}}}"#, "a list `cases`"),
        (r#"{"refutation": {"choice": {"tokens": ["p"]}, "cases": []}}"#, "a number `at_most`"),
        (r#"{"refutation": {"choice": {"firings": ["v"], "at_most": 1}, "cases": []}}"#, "no transition `v`"),
        (&deep(52), "choices nest more than 50 levels deep"),
        (&deep(1_000), "not JSON"),
    ] {
        let given = complaint(evidence);
        assert!(given.contains(message), "{evidence}: {given}");
    }
}
