//! Answers and their evidence as JSON: writing and reading.
//!
//! ```json
//! { "model": "philosophers-2",
//!   "properties": [
//!     { "name": "query 1", "query": "EF deadlock", "logic": "CTL", "verdict": "holds",
//!       "evidence": { "trace": ["take_left_1", "take_left_2"] } } ] }
//! ```
//!
//! A step is a transition's id or, where it has variables, `{"transition": "t", "binding": {"x": "2"}}`; a
//! tuple is a list of its components. An infinite run is `{"prefix": [...], "cycle": [...]}`. Branching evidence is
//! `{"runs": [{"from": 0, "steps": [...]}, ...], "claims": [{"state": 3, "formula": "AG (p <= 1)", "holds": true}]}`:
//! state 0 is the initial marking, and each step of each run leads to the next number. Counts are strings, since
//! JSON's numbers end at 2^53 for many readers. For certificates see `certificate`. A document with a list `models` of such
//! objects, each with its `path`, is read, too.

use std::{fs, path::Path};

use fireset_net::{
    Branch, Branching, Claim, Count, Evidence, Lasso, Logic, Model, PartialStateSpace, Property, SortId,
    StateSpaceSize, Step, Trace, TransitionId, Verdict,
    coloured::{Colour, ColouredNet, SortKind},
};
use serde_json::{Map, Value, json};

use crate::{
    Fault, InputError, certificate,
    net_file::NetFile,
    query::{self, QueryNames},
    suggest,
};

/// A verdict with its evidence, as a file claims it; `replay` checks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// With names bound to the model.
    pub property: Property,
    /// Holds, fails or a bound.
    pub verdict: Verdict,
    /// Not checked yet.
    pub evidence: Evidence,
}

/// A document with the model's name and one entry for each property.
pub fn document(model: &Model, entries: Vec<Map<String, Value>>) -> Value {
    json!({ "model": model.name(), "properties": entries })
}

/// The entry of one answer. `statistics` and the like are added by the caller.
pub fn entry(
    model: &Model,
    property: &Property,
    verdict: &Verdict,
    evidence: Option<&Evidence>,
) -> Map<String, Value> {
    let mut entry = Map::new();
    let mut put = |key: &str, value: Value| entry.insert(key.into(), value);
    put("name", property.name.as_str().into());
    put("query", query::show_as(&property.formula, property.logic, model).into());
    put("logic", if property.logic == Logic::Ltl { "LTL" } else { "CTL" }.into());
    match verdict {
        Verdict::Holds => put("verdict", "holds".into()),
        Verdict::Fails => put("verdict", "fails".into()),
        Verdict::Bound(bound) => {
            put("verdict", "bound".into());
            put("bound", bound.to_string().into())
        }
        Verdict::StateSpace(StateSpaceSize { states, firings, max_in_marking, max_in_place }) => {
            put("verdict", "state-space".into());
            put("states", states.to_string().into());
            put("firings", firings.to_string().into());
            put("max_tokens_in_marking", max_in_marking.to_string().into());
            put("max_tokens_in_place", max_in_place.to_string().into())
        }
        Verdict::PartialStateSpace(PartialStateSpace { max_in_marking, max_in_place, reason }) => {
            let known = [("max_tokens_in_marking", max_in_marking), ("max_tokens_in_place", max_in_place)];
            for (key, count) in known {
                count.iter().for_each(|count| drop(put(key, count.to_string().into())));
            }
            put("verdict", "unknown".into());
            put("reason", reason.to_string().into())
        }
        Verdict::Unknown(reason) => {
            put("verdict", "unknown".into());
            put("reason", reason.to_string().into())
        }
    };
    if let Some(evidence) = evidence {
        put("evidence", show_evidence(model, evidence, property.logic_of_claims()));
    }
    entry
}

fn show_evidence(model: &Model, evidence: &Evidence, logic_of_claims: Logic) -> Value {
    let run = |steps: &[Step]| steps.iter().map(|step| show_step(model, step)).collect::<Vec<_>>();
    match evidence {
        Evidence::Certificate(shown) => certificate::show(shown, model.nodes()),
        Evidence::Trace(trace) => json!({ "trace": run(&trace.0) }),
        Evidence::Lasso(lasso) => json!({ "prefix": run(&lasso.prefix), "cycle": run(&lasso.cycle) }),
        Evidence::Branching(Branching { runs, claims }) => {
            let branch = |branch: &Branch| json!({ "from": branch.from, "steps": run(&branch.steps) });
            let claim = |claim: &Claim| {
                let formula = query::show_as(&claim.formula, logic_of_claims, model);
                json!({ "state": claim.state, "formula": formula, "holds": claim.holds })
            };
            let runs: Vec<_> = runs.iter().map(branch).collect();
            let claims: Vec<_> = claims.iter().map(claim).collect();
            json!({ "runs": runs, "claims": claims })
        }
    }
}

pub(crate) fn show_step(model: &Model, step: &Step) -> Value {
    let name = model.nodes().transition(step.transition);
    let Model::Coloured(net) = model else { return name.into() };
    if step.binding.is_empty() {
        return name.into();
    }
    let variables = net.variables_of(step.transition).iter().map(|&v| net.variable(v));
    let binding: Map<String, Value> = variables
        .zip(&step.binding)
        .map(|(variable, &colour)| (variable.name.clone(), show_colour(net, variable.sort, colour)))
        .collect();
    json!({ "transition": name, "binding": binding })
}

pub(crate) fn show_colour(net: &ColouredNet, sort: SortId, colour: Colour) -> Value {
    match &net.sorts()[sort].kind {
        SortKind::Product(parts) => {
            let components = net.sorts().components(sort, colour);
            parts.iter().zip(components).map(|(&part, c)| show_colour(net, part, c)).collect()
        }
        _ => net.sorts().show(sort, colour).into(),
    }
}

/// Reads the witnesses of a file about the model at `model_path`; entries without evidence are skipped. Of a document with
/// answers about several models, the ones about this path count.
pub fn read_file(path: &Path, net: &NetFile, model_path: &Path) -> Result<Vec<Witness>, InputError> {
    let text = fs::read_to_string(path).map_err(|error| InputError::unreadable(path, &error))?;
    read_about(
        &path.display().to_string(),
        &text,
        (&net.model, net.into()),
        Some(&model_path.display().to_string()),
    )
}

/// Reads the witnesses of a text about one model; errors name it `source`.
pub fn read(source: &str, text: &str, model: &Model) -> Result<Vec<Witness>, InputError> {
    read_about(source, text, (model, model.into()), None)
}

fn read_about(
    source: &str,
    text: &str,
    (model, names): (&Model, QueryNames<'_>),
    model_path: Option<&str>,
) -> Result<Vec<Witness>, InputError> {
    let value: Value = serde_json::from_str(text).map_err(|error| {
        let before: usize =
            text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
        let offset = (before + error.column().saturating_sub(1)) as u64;
        InputError::locate_in(source, text, Fault::at(offset, format!("not JSON: {error}")))
    })?;
    let wrong = |element: Option<String>, message: String| {
        let hint = Some("`fireset check --witness FILE` writes such files".into());
        InputError { element, hint, ..InputError::whole(source, message) }
    };
    let entries = entries(&value, model_path).map_err(|message| wrong(None, message))?;
    let mut witnesses = Vec::new();
    for (at, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.get("evidence").is_some()) {
        let name = entry["name"].as_str().map_or_else(|| format!("property {}", at + 1), str::to_owned);
        let text = entry["query"]
            .as_str()
            .ok_or_else(|| wrong(Some(name.clone()), "the entry has no string `query`".into()))?;
        let mut property = query::read(&name, text, names)?;
        match entry["logic"].as_str() {
            Some("LTL") => property.logic = Logic::Ltl,
            Some("CTL") => property.logic = Logic::Ctl,
            _ => {}
        }
        let read = WitnessReader { model, element: &name };
        let verdict = read.verdict(entry).map_err(|(element, message)| wrong(Some(element), message))?;
        let evidence =
            read.evidence(&entry["evidence"]).map_err(|(element, message)| wrong(Some(element), message))?;
        witnesses.push(Witness { property, verdict, evidence });
    }
    Ok(witnesses)
}

/// The entries of a witness file, or those about one model of a document of answers.
fn entries<'v>(value: &'v Value, model_path: Option<&str>) -> Result<&'v [Value], String> {
    let document = match value["models"].as_array().map(Vec::as_slice) {
        None => value,
        Some([one]) => one,
        Some(models) => {
            let mut about = models.iter().filter(|one| one["path"].as_str() == model_path);
            about.next().filter(|_| model_path.is_some()).ok_or_else(|| {
                let paths: Vec<_> = models.iter().filter_map(|one| one["path"].as_str()).take(5).collect();
                format!("of {} models, such as {}, none is this one", models.len(), paths.join(", "))
            })?
        }
    };
    let entries = document["properties"].as_array().map(Vec::as_slice);
    entries.ok_or_else(|| match document["error"]["message"].as_str() {
        Some(error) => format!("the file has no answers about this model: {error}"),
        None => "a witness file has a list `properties`".into(),
    })
}

/// The element at fault, and the message.
type Wrong = (String, String);

struct WitnessReader<'a> {
    model: &'a Model,
    element: &'a str,
}

impl WitnessReader<'_> {
    fn wrong<T>(&self, message: impl Into<String>) -> Result<T, Wrong> {
        Err((self.element.to_owned(), message.into()))
    }

    fn verdict(&self, entry: &Value) -> Result<Verdict, Wrong> {
        match entry["verdict"].as_str() {
            Some("holds") => Ok(Verdict::Holds),
            Some("fails") => Ok(Verdict::Fails),
            Some("bound") => match entry["bound"].as_str() {
                Some("+inf") => Ok(Verdict::Bound(Count::Infinite)),
                Some(digits) => match digits.parse() {
                    Ok(count) => Ok(Verdict::Bound(Count::Finite(count))),
                    Err(_) => self.wrong(format!("`{digits}` is not a bound")),
                },
                None => self.wrong("a bound is a string of digits or `+inf`"),
            },
            _ => self.wrong("the verdict of a witness is `holds`, `fails` or `bound`"),
        }
    }

    fn evidence(&self, value: &Value) -> Result<Evidence, Wrong> {
        if let Some(trace) = value["trace"].as_array() {
            return Ok(Evidence::Trace(Trace(self.steps(trace, 0)?)));
        }
        if let (Some(runs), Some(claims)) = (value["runs"].as_array(), value["claims"].as_array()) {
            return self.branching(runs, claims).map(Evidence::Branching);
        }
        if let Some(certificate) = certificate::read(value, self.model.nodes()) {
            let certificate =
                certificate.or_else(|message| self.wrong(format!("in the certificate: {message}")))?;
            return Ok(Evidence::Certificate(certificate));
        }
        match (value["prefix"].as_array(), value["cycle"].as_array()) {
            (Some(prefix), Some(cycle)) => Ok(Evidence::Lasso(Lasso {
                prefix: self.steps(prefix, 0)?,
                cycle: self.steps(cycle, prefix.len())?,
            })),
            _ => self.wrong(
                "evidence has a list `trace`, or lists `prefix` and `cycle`, or lists `runs` and `claims`, \
                 or a certificate: a list `inductive` or a tree `refutation`",
            ),
        }
    }

    fn branching(&self, runs: &[Value], claims: &[Value]) -> Result<Branching, Wrong> {
        let mut branching = Branching::default();
        let mut taken = 0;
        for run in runs {
            let (Some(from), Some(steps)) = (number(&run["from"]), run["steps"].as_array()) else {
                return self.wrong("a run has a number `from` and a list `steps`");
            };
            self.state(from, taken, "a run")?;
            branching.runs.push(Branch { from, steps: self.steps(steps, taken)? });
            taken += steps.len();
        }
        for claim in claims {
            let parts = (number(&claim["state"]), claim["formula"].as_str(), claim["holds"].as_bool());
            let (Some(state), Some(text), Some(holds)) = parts else {
                return self.wrong("a claim has a number `state`, a string `formula` and a Boolean `holds`");
            };
            self.state(state, taken, "a claim")?;
            let formula = match query::read(self.element, text, self.model) {
                Ok(property) => property.formula,
                Err(error) => return self.wrong(format!("in a claim: {error}")),
            };
            branching.claims.push(Claim { state, formula, holds });
        }
        Ok(branching)
    }

    /// Refuses a state that is not reached within the first `taken` steps.
    fn state(&self, state: usize, taken: usize, who: &str) -> Result<(), Wrong> {
        if state <= taken {
            return Ok(());
        }
        self.wrong(format!("{who} names state {state}, but the last state before it is {taken}"))
    }

    /// Reads steps; errors number them from `from` + 1.
    fn steps(&self, values: &[Value], from: usize) -> Result<Vec<Step>, Wrong> {
        let step = |(at, value)| {
            self.step(value).map_err(|(_, m)| (format!("{}, step {}", self.element, from + at + 1), m))
        };
        values.iter().enumerate().map(step).collect()
    }

    fn step(&self, value: &Value) -> Result<Step, Wrong> {
        let (name, binding) = match value {
            Value::String(name) => (name.as_str(), None),
            _ => match (value["transition"].as_str(), value["binding"].as_object()) {
                (Some(name), Some(binding)) => (name, Some(binding)),
                _ => return self.wrong("a step is a name, or has a `transition` and a `binding`"),
            },
        };
        let transitions = &self.model.nodes().transitions;
        let Some(at) = transitions.find(name) else {
            let near = suggest::nearest(name, transitions.iter());
            let near = near.map_or_else(String::new, |near| format!(", did you mean `{near}`?"));
            return self.wrong(format!("the net has no transition `{name}`{near}"));
        };
        let transition = TransitionId::new(at);
        match (self.model, binding) {
            (Model::Plain(_), Some(_)) => self.wrong("a place/transition net has no bindings"),
            (_, None) => Ok(Step::plain(transition)),
            (Model::Coloured(net), Some(binding)) => self.binding(net, transition, binding),
        }
    }

    fn binding(
        &self,
        net: &ColouredNet,
        transition: TransitionId,
        colours: &Map<String, Value>,
    ) -> Result<Step, Wrong> {
        let variables = net.variables_of(transition);
        if let Some(extra) = colours.keys().find(|k| variables.iter().all(|&v| net.variable(v).name != **k)) {
            return self.wrong(format!("the transition has no variable `{extra}`"));
        }
        let colour = |&v| {
            let variable = net.variable(v);
            let Some(value) = colours.get(&variable.name) else {
                return self.wrong(format!("the binding has no colour for `{}`", variable.name));
            };
            let sort = variable.sort;
            read_colour(net, sort, value).map_or_else(
                || self.wrong(format!("{value} is not a colour of the sort `{}`", net.sorts()[sort].name)),
                Ok,
            )
        };
        let binding = variables.iter().map(colour).collect::<Result<_, _>>()?;
        Ok(Step { transition, binding })
    }
}

fn number(value: &Value) -> Option<usize> {
    value.as_u64()?.try_into().ok()
}

fn read_colour(net: &ColouredNet, sort: SortId, value: &Value) -> Option<Colour> {
    let sorts = net.sorts();
    match (&sorts[sort].kind, value) {
        (SortKind::Product(parts), Value::Array(values)) if parts.len() == values.len() => {
            let components: Option<Vec<Colour>> =
                parts.iter().zip(values).map(|(&part, value)| read_colour(net, part, value)).collect();
            Some(sorts.tuple(parts, &components?))
        }
        (SortKind::Product(_), _) => None,
        (_, value) => sorts.read(sort, value.as_str()?),
    }
}
