//! Certificates of unreachability in witness files: writing to JSON and reading.
//!
//! An inductive formula is `{"inductive": ["a + b <= 3", ...]}`, the parts of a conjunction in the query language. A
//! refutation is `{"refutation": TREE}`. A tree is a leaf, `{"sum": [PREMISE, ...]}`, or
//! `{"choice": CHOICE, "cases": [TREE, ...]}`. A premise has a factor `times` and its kind: `{"place": "p"}`,
//! `{"goal": [0, 2]}` (a part of the goal, by positions), `{"case": 0}` (the case of the choice with this number),
//! `{"emptying": ["p", "q"]}` or `{"filling": [...]}`. A choice is `{"goal": [...]}`, `{"tokens": ["p"], "at_most": "3"}`,
//! `{"firings": ["t"], "at_most": "3"}`, or a cut as in premises. `fireset_net::Refutation` says what they mean. Large numbers
//! are strings, as elsewhere.

use fireset_net::{
    Certificate, Choice, Counted, Cut, Logic, Names, Nodes, PlaceId, Premise, Refutation, StatePredicate,
    TransitionId,
};
use serde_json::{Map, Value, json};

use crate::{InputError, query, suggest};

/// The largest depth of nested choices; the check refuses deeper trees anyway.
const MAX_DEPTH: usize = 50;

pub(crate) fn show(certificate: &Certificate, nodes: &Nodes) -> Value {
    match certificate {
        Certificate::Inductive(invariant) => {
            let parts = match invariant {
                StatePredicate::And(parts) => parts.as_slice(),
                other => std::slice::from_ref(other),
            };
            let show = |part: &StatePredicate| query::show_as(&part.into(), Logic::Ctl, nodes);
            json!({ "inductive": parts.iter().map(show).collect::<Vec<_>>() })
        }
        Certificate::Refutation(refutation) => json!({ "refutation": show_tree(refutation, nodes) }),
    }
}

fn show_tree(refutation: &Refutation, nodes: &Nodes) -> Value {
    match refutation {
        Refutation::Contradiction(premises) => {
            let premise = |(premise, times): &(Premise, i128)| {
                let mut shown = show_premise(premise, nodes);
                shown["times"] = times.to_string().into();
                shown
            };
            json!({ "sum": premises.iter().map(premise).collect::<Vec<_>>() })
        }
        Refutation::Cases(choice, cases) => {
            let cases: Vec<_> = cases.iter().map(|case| show_tree(case, nodes)).collect();
            json!({ "choice": show_choice(choice, nodes), "cases": cases })
        }
    }
}

fn show_premise(premise: &Premise, nodes: &Nodes) -> Value {
    match premise {
        Premise::Place(place) => json!({ "place": nodes.place(*place) }),
        Premise::Goal(path) => json!({ "goal": path }),
        Premise::Case(number) => json!({ "case": number }),
        Premise::Cut(cut) => show_cut(cut, nodes),
    }
}

fn show_choice(choice: &Choice, nodes: &Nodes) -> Value {
    match choice {
        Choice::Goal(path) => json!({ "goal": path }),
        Choice::Whole(Counted::Tokens(places), most) => {
            json!({ "tokens": place_names(places, nodes), "at_most": most.to_string() })
        }
        Choice::Whole(Counted::Firings(ts), most) => {
            let names: Vec<_> = ts.iter().map(|&t| nodes.transition(t)).collect();
            json!({ "firings": names, "at_most": most.to_string() })
        }
        Choice::Cut(cut) => show_cut(cut, nodes),
    }
}

fn show_cut(cut: &Cut, nodes: &Nodes) -> Value {
    match cut {
        Cut::Emptying(places) => json!({ "emptying": place_names(places, nodes) }),
        Cut::Filling(places) => json!({ "filling": place_names(places, nodes) }),
    }
}

fn place_names<'n>(places: &[PlaceId], nodes: &'n Nodes) -> Vec<&'n str> {
    places.iter().map(|&place| nodes.place(place)).collect()
}

/// The certificate of an `evidence` object, or an error message; `None` if the evidence is of another kind.
pub(crate) fn read(evidence: &Value, nodes: &Nodes) -> Option<Result<Certificate, String>> {
    let reader = CertificateReader { nodes };
    if let Some(parts) = evidence.get("inductive") {
        return Some(reader.inductive(parts).map(Certificate::Inductive));
    }
    let tree = evidence.get("refutation")?;
    Some(reader.tree(tree, 0).map(Certificate::Refutation))
}

struct CertificateReader<'a> {
    nodes: &'a Nodes,
}

impl CertificateReader<'_> {
    fn inductive(&self, parts: &Value) -> Result<StatePredicate, String> {
        let parts = parts.as_array().ok_or("`inductive` is a list of formulas")?;
        let part = |(at, part): (usize, &Value)| {
            let text = part.as_str().ok_or("`inductive` is a list of formulas")?;
            match query::parse(text, self.nodes) {
                Ok(parsed) => StatePredicate::try_from(&parsed.formula)
                    .map_err(|_| format!("part {} of `inductive` speaks of more than one marking", at + 1)),
                Err(fault) => {
                    let part = format!("part {} of the formula", at + 1);
                    Err(InputError::locate_in(&part, text, fault).to_string())
                }
            }
        };
        let mut parts: Vec<StatePredicate> =
            parts.iter().enumerate().map(part).collect::<Result<_, String>>()?;
        Ok(if parts.len() == 1 { parts.remove(0) } else { StatePredicate::And(parts) })
    }

    fn tree(&self, tree: &Value, depth: usize) -> Result<Refutation, String> {
        if depth > MAX_DEPTH {
            return Err(format!("choices nest more than {MAX_DEPTH} levels deep"));
        }
        if let Some(premises) = tree["sum"].as_array() {
            let premises = premises.iter().map(|premise| self.premise(premise));
            return Ok(Refutation::Contradiction(premises.collect::<Result<_, _>>()?));
        }
        match (tree.get("choice"), tree["cases"].as_array()) {
            (Some(choice), Some(cases)) => {
                let cases = cases.iter().map(|case| self.tree(case, depth + 1));
                Ok(Refutation::Cases(self.choice(choice)?, cases.collect::<Result<_, _>>()?))
            }
            _ => Err("a refutation has a list `sum`, or a `choice` and a list `cases`".into()),
        }
    }

    fn premise(&self, value: &Value) -> Result<(Premise, i128), String> {
        let wrong =
            "a premise has a number `times` and one of `place`, `goal`, `case`, `emptying`, `filling`";
        let fields = value.as_object().ok_or(wrong)?;
        let times = integer(&value["times"]).ok_or(wrong)?;
        let premise = if let Some(name) = fields.get("place") {
            Premise::Place(self.place(name)?)
        } else if let Some(path) = fields.get("goal") {
            Premise::Goal(positions(path)?)
        } else if let Some(number) = fields.get("case") {
            let number = number.as_u64().and_then(|number| number.try_into().ok());
            Premise::Case(number.ok_or("`case` is a number of choices")?)
        } else {
            Premise::Cut(self.cut(fields).ok_or(wrong)??)
        };
        Ok((premise, times))
    }

    fn choice(&self, value: &Value) -> Result<Choice, String> {
        let wrong = "a choice has one of `goal`, `emptying`, `filling`, or `tokens` or `firings` with a number `at_most`";
        let fields = value.as_object().ok_or(wrong)?;
        if let Some(path) = fields.get("goal") {
            return Ok(Choice::Goal(positions(path)?));
        }
        let counted = if let Some(places) = fields.get("tokens") {
            Counted::Tokens(self.places(places)?)
        } else if let Some(ts) = fields.get("firings") {
            let ts = ts.as_array().ok_or("`firings` is a list of transitions")?;
            Counted::Firings(ts.iter().map(|name| self.transition(name)).collect::<Result<_, _>>()?)
        } else {
            return Ok(Choice::Cut(self.cut(fields).ok_or(wrong)??));
        };
        Ok(Choice::Whole(counted, integer(&value["at_most"]).ok_or(wrong)?))
    }

    fn cut(&self, fields: &Map<String, Value>) -> Option<Result<Cut, String>> {
        match (fields.get("emptying"), fields.get("filling")) {
            (Some(places), _) => Some(self.places(places).map(Cut::Emptying)),
            (_, Some(places)) => Some(self.places(places).map(Cut::Filling)),
            _ => None,
        }
    }

    fn places(&self, value: &Value) -> Result<Vec<PlaceId>, String> {
        let names = value.as_array().ok_or("expected a list of places")?;
        names.iter().map(|name| self.place(name)).collect()
    }

    fn place(&self, value: &Value) -> Result<PlaceId, String> {
        find(value, &self.nodes.places, "place").map(PlaceId::new)
    }

    fn transition(&self, value: &Value) -> Result<TransitionId, String> {
        find(value, &self.nodes.transitions, "transition").map(TransitionId::new)
    }
}

/// The position of a named node.
fn find(value: &Value, names: &Names, kind: &str) -> Result<usize, String> {
    let name = value.as_str().ok_or_else(|| format!("{value} is not the name of a {kind}"))?;
    names.find(name).ok_or_else(|| {
        let near = suggest::nearest(name, names.iter());
        let near = near.map_or_else(String::new, |near| format!(", did you mean `{near}`?"));
        format!("the net has no {kind} `{name}`{near}")
    })
}

/// An integer, written as a JSON number or as a string.
fn integer(value: &Value) -> Option<i128> {
    value.as_i64().map(i128::from).or_else(|| value.as_str()?.parse().ok())
}

fn positions(value: &Value) -> Result<Vec<u32>, String> {
    let position = |value: &Value| value.as_u64()?.try_into().ok();
    let positions = value.as_array().and_then(|path| path.iter().map(position).collect());
    positions.ok_or_else(|| "`goal` is a list of positions".to_owned())
}
