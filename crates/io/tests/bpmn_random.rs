//! Random BPMN processes: the net of each does what an interpreter of its tokens does.
//!
//! Both are determinised: after each sequence of visible events, the sets of states that silent steps reach agree in the events
//! that may come next, in whether all may be complete, and in whether there may be a deadlock before that.

#[path = "bpmn_random/interpreter.rs"]
mod interpreter;
#[path = "bpmn_random/model.rs"]
mod model;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use fireset_io::bpmn;
use fireset_net::{Marking, Model, Net, Semantics};
use fireset_oracle::random::TestRng;
use interpreter::{Interpreter, World};
use model::{ModelKind, ModelScope, RandomModel, random_model};

const MODELS: u64 = 600;
/// A comparison stops after this number of sets of states, or when a set is too large.
const MOST_SETS: usize = 60;
const MOST_STATES: usize = 4_000;

/// What can be seen of a set of states.
#[derive(Debug, PartialEq, Eq)]
struct Observation<S> {
    next: BTreeMap<String, BTreeSet<S>>,
    may_complete: bool,
    may_deadlock: bool,
}

/// Closes a set under silent steps and looks at it; `None` if it is too large.
fn observe<S: Ord + Clone>(
    states: &BTreeSet<S>,
    steps: impl Fn(&S) -> Option<Vec<(Option<String>, S)>>,
    is_complete: impl Fn(&S) -> bool,
) -> Option<Observation<S>> {
    let mut observation = Observation { next: BTreeMap::new(), may_complete: false, may_deadlock: false };
    let (mut seen, mut open) = (states.clone(), VecDeque::from_iter(states.iter().cloned()));
    while let Some(state) = open.pop_front() {
        if seen.len() > MOST_STATES {
            return None;
        }
        let steps = steps(&state)?;
        observation.may_complete |= is_complete(&state);
        observation.may_deadlock |= steps.is_empty() && !is_complete(&state);
        for (label, next) in steps {
            match label {
                Some(label) => _ = observation.next.entry(label).or_default().insert(next),
                None if seen.insert(next.clone()) => open.push_back(next),
                None => {}
            }
        }
    }
    Some(observation)
}

fn visible_ids(scope: &ModelScope, ids: &mut BTreeSet<String>) {
    for node in &scope.nodes {
        match &node.kind {
            ModelKind::Sub(inner) => visible_ids(inner, ids),
            ModelKind::Task | ModelKind::Catch | ModelKind::End => _ = ids.insert(node.id.clone()),
            ModelKind::Terminate | ModelKind::ErrorEnd => _ = ids.insert(node.id.clone()),
            ModelKind::Boundary { .. } => _ = ids.insert(node.id.clone()),
            _ => {}
        }
    }
}

/// The event that a transition shows: its id, or its id with a number for one of several variants.
fn label_of(id: &str, visible: &BTreeSet<String>) -> Option<String> {
    let (element, variant) = id.split_once('.').unwrap_or((id, "1"));
    (visible.contains(element) && variant.parse::<u32>().is_ok()).then(|| element.to_owned())
}

/// Whether the comparison went to its end; panics at a difference.
fn agrees(model: &RandomModel, net: &Net) -> bool {
    let mut visible = BTreeSet::new();
    model.pools.iter().for_each(|pool| visible_ids(pool, &mut visible));
    let labels: Vec<Option<String>> =
        net.nodes().transitions.iter().map(|id| label_of(id, &visible)).collect();
    let net_steps = |marking: &Vec<u64>| {
        let marking = Marking(marking.clone().into());
        let fired = net.steps(&marking).into_iter().map(|step| {
            let next = net.fire(&marking, &step).expect("an enabled transition fires");
            (labels[step.transition.index()].clone(), next.0.to_vec())
        });
        Some(fired.collect())
    };
    let interpreter = Interpreter::new(model);
    let world_steps = |world: &World| (!world.is_too_large()).then(|| interpreter.steps(world));
    let first = (BTreeSet::from([net.initial().0.to_vec()]), BTreeSet::from([interpreter.initial()]));
    let mut open = VecDeque::from([(Vec::<String>::new(), first)]);
    let mut seen = BTreeSet::new();
    while let Some((trace, (markings, worlds))) = open.pop_front() {
        if !seen.insert((markings.clone(), worlds.clone())) {
            continue;
        }
        if seen.len() > MOST_SETS {
            return false;
        }
        let Some(expected) = observe(&worlds, world_steps, World::is_complete) else { return false };
        let is_empty = |marking: &Vec<u64>| marking.iter().all(|&tokens| tokens == 0);
        let Some(mut found) = observe(&markings, net_steps, is_empty) else { return false };
        let events = |next: &BTreeSet<String>| format!("{next:?}");
        let (wanted, got): (BTreeSet<String>, BTreeSet<String>) =
            (expected.next.keys().cloned().collect(), found.next.keys().cloned().collect());
        assert_eq!(events(&wanted), events(&got), "after {trace:?} in {}", model.xml());
        assert_eq!(
            expected.may_complete,
            found.may_complete,
            "completion after {trace:?} in {}",
            model.xml()
        );
        assert_eq!(expected.may_deadlock, found.may_deadlock, "deadlock after {trace:?} in {}", model.xml());
        for (label, worlds) in expected.next {
            let markings = found.next.remove(&label).unwrap_or_default();
            let longer = trace.iter().cloned().chain([label]).collect();
            open.push_back((longer, (markings, worlds)));
        }
    }
    true
}

#[test]
fn the_net_does_what_the_tokens_do() {
    let (mut complete, mut kinds) = (0, BTreeMap::<String, usize>::new());
    for seed in 0..MODELS {
        let model = random_model(&mut TestRng::new(seed));
        let text = model.xml();
        let file = bpmn::read(text.as_bytes()).unwrap_or_else(|fault| panic!("{fault:?} in {text}"));
        let Model::Plain(net) = &file.model else { panic!("a place/transition net") };
        complete += usize::from(agrees(&model, net));
        for pool in &model.pools {
            count_kinds(pool, &mut kinds);
        }
        *kinds.entry("message".into()).or_default() += model.messages.len();
    }
    assert!(complete > MODELS as usize / 3, "only {complete} models were compared to their end");
    for kind in ["Terminate", "ErrorEnd", "Or", "Race", "Sub", "Boundary", "MessageStart", "message"] {
        let count = kinds.get(kind).copied().unwrap_or(0);
        assert!(count > 20, "{kind} occurs {count} times");
    }
}

fn count_kinds(scope: &ModelScope, kinds: &mut BTreeMap<String, usize>) {
    for node in &scope.nodes {
        let name = format!("{:?}", node.kind);
        let end = name.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(name.len());
        *kinds.entry(name[..end].to_owned()).or_default() += 1;
        if let ModelKind::Sub(inner) = &node.kind {
            count_kinds(inner, kinds);
        }
    }
}
