//! Witnesses as JSON and back, and what is said of files that are wrong.

use fireset_io::witness;
use fireset_net::{
    Branch, Branching, Claim, Evidence, Logic, Model, Property, Query, Step, TransitionId, Verdict,
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
            if Query::classify(part, Logic::Ctl).is_ok_and(|query| !matches!(query, Query::Ltl(..))) {
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
        assert_eq!(read.property, property, "{text}");
        assert_eq!(read.evidence, evidence, "{text}");
    }
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
