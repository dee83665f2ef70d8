//! Witnesses as JSON and back, and what is said of files that are wrong.

use fireset_io::witness;
use fireset_net::{
    Branch, Branching, Claim, Evidence, Formula, Logic, Model, Property, Step, TransitionId, Verdict,
    random::{self, NetShape, Random},
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
        let mut random = Random::new(seed);
        let model = Model::Plain(random::net(&mut random, &NetShape::default()));
        let whole = random::nested_ctl(&mut random, model.nodes(), 3);
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

/// What is said of a file with this evidence.
fn complaint(evidence: &str) -> String {
    let text = format!(
        r#"{{"properties": [{{"name": "f", "query": "AG EF (p = 1)", "logic": "CTL", "verdict": "holds",
        "evidence": {evidence}}}]}}"#
    );
    witness::read("f", &text, &model()).expect_err(evidence).to_string()
}

#[test]
fn wrong_ones_are_told() {
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
        (r#"{"runs": [], "claims": [{"state": 0, "formula": "EF p", "holds": 1}]}"#, "a truth value `holds`"),
        (r#"{"runs": [], "claims": [{"state": 0, "formula": "EF (r = 1)", "holds": true}]}"#, "in a claim"),
        (r#"{"runs": [], "claims": [{"state": 3, "formula": "EF (p = 1)", "holds": true}]}"#, "state 3"),
    ] {
        let told = complaint(evidence);
        assert!(told.contains(message), "{evidence}: {told}");
    }
}
