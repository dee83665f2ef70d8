//! Small processes in a line of text, and the runs of their nets.
//!
//! Nodes are separated by semicolons: `task a`, `catch:timer b`, `boundary:error:code c on=x keep`, `end:terminate t`. Flows are
//! `a>b`, conditional ones `a?b`; an end that is missing is not drawn.

use std::collections::BTreeSet;

use fireset_io::bpmn;
use fireset_net::{Marking, Model, Net, Semantics};

pub fn definitions(body: &str) -> String {
    format!("<definitions id='d' xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL'>{body}</definitions>")
}

/// A process with the start event `s` and the end event `e`.
pub fn process(nodes: &str, arrows: &str) -> String {
    definitions(&format!("<process id='p'>{}</process>", flows(&format!("start s; {nodes}; end e"), arrows)))
}

/// A sub-process as a node of [`process`]; its id may be followed by options.
pub fn sub(id: &str, nodes: &str, arrows: &str) -> String {
    let (id, option) = id.split_once(' ').unwrap_or((id, ""));
    let (tag, body) = (node(&format!("subProcess {id} {option}")), flows(nodes, arrows));
    let body = body.replace(';', "&#59;");
    tag.replace("</subProcess>", &format!("{body}</subProcess>"))
}

/// Pools with their processes, and messages between their nodes. The first has the start event `s` and the end event `e`.
pub fn collaboration(pools: &[(&str, &str)], messages: &str) -> String {
    let (mut head, mut body) = (String::from("<collaboration id='c'>"), String::new());
    for (at, (nodes, arrows)) in pools.iter().enumerate() {
        let (arrows, more) = arrows.split_once(';').unwrap_or((arrows, ""));
        let ends = if at == 0 { "; start s; end e" } else { "" };
        head += &format!("<participant id='pool{at}' name='Pool {at}' processRef='process{at}'/>");
        let nodes = format!("{nodes}{ends}; {more}");
        body += &format!("<process id='process{at}'>{}</process>", flows(&nodes, arrows));
    }
    for message in messages.split_whitespace() {
        let (from, to) = message.split_once('>').unwrap();
        head += &format!("<messageFlow id='m-{from}-{to}' sourceRef='{from}' targetRef='{to}'/>");
    }
    definitions(&format!("{head}</collaboration>{body}"))
}

/// The elements of a scope.
pub fn flows(nodes: &str, arrows: &str) -> String {
    let nodes: String = nodes.split(';').map(str::trim).filter(|text| !text.is_empty()).map(node).collect();
    let nodes = nodes.replace("&#59", ";");
    let mut used = BTreeSet::new();
    let arrow = |arrow: &str| {
        let (from, to) = arrow.split_once(['>', '?']).unwrap();
        let mut id = format!("{from}-{to}");
        while !used.insert(id.clone()) {
            id.push('+');
        }
        let end = |name: &str, node: &str| match node {
            "" => String::new(),
            node => format!("{name}='{node}'"),
        };
        let condition = if arrow.contains('?') { "<conditionExpression/>" } else { "" };
        let (source, target) = (end("sourceRef", from), end("targetRef", to));
        format!("<sequenceFlow id='{id}' {source} {target}>{condition}</sequenceFlow>")
    };
    nodes + &arrows.split_whitespace().map(arrow).collect::<String>()
}

fn node(text: &str) -> String {
    if text.starts_with('<') {
        return text.to_owned();
    }
    let mut words = text.split_whitespace();
    let mut kind = words.next().unwrap().split(':');
    let (tag, trigger, reference) = (kind.next().unwrap(), kind.next(), kind.next());
    let tag = match tag {
        "start" => "startEvent",
        "end" => "endEvent",
        "catch" => "intermediateCatchEvent",
        "throw" => "intermediateThrowEvent",
        "boundary" => "boundaryEvent",
        tag => tag,
    };
    let mut attributes = format!("id='{}'", words.next().unwrap());
    let mut inner = match (trigger, reference) {
        (None, _) => String::new(),
        (Some("cycle"), _) => "<timerEventDefinition><timeCycle>R</timeCycle></timerEventDefinition>".into(),
        (Some(trigger), None) => format!("<{trigger}EventDefinition/>"),
        (Some(trigger), Some(reference)) => {
            format!("<{trigger}EventDefinition {trigger}Ref='{reference}' name='{reference}'/>")
        }
    };
    for option in words {
        match option.split_once('=') {
            Some(("on", activity)) => attributes += &format!(" attachedToRef='{activity}'"),
            Some((name, value)) => attributes += &format!(" {name}='{value}'"),
            None => match option {
                "keep" => attributes += " cancelActivity='false'",
                "starts" => attributes += " instantiate='true'",
                "loop" => inner += "<standardLoopCharacteristics/>",
                "loop-first" => inner += "<standardLoopCharacteristics testBefore='true'/>",
                "sequential" => inner += "<multiInstanceLoopCharacteristics isSequential='true'/>",
                "parallel" => inner += "<multiInstanceLoopCharacteristics/>",
                option => panic!("unknown option {option}"),
            },
        }
    }
    format!("<{tag} {attributes}>{inner}</{tag}>")
}

pub fn net_of(text: &str) -> Net {
    let file = bpmn::read(text.as_bytes()).unwrap_or_else(|fault| panic!("{fault:?} in {text}"));
    match file.model {
        Model::Plain(net) => net,
        Model::Coloured(_) => panic!("a place/transition net"),
    }
}

pub fn notes_of(text: &str) -> Vec<String> {
    bpmn::read(text.as_bytes()).unwrap().notes
}

/// The runs to completion with at most `length` visible steps, sorted: nodes `a` to `d` and `f` are visible.
pub fn runs(text: &str, length: usize) -> Vec<String> {
    ended_runs(text, length, true)
}

/// The runs that end before completion.
pub fn stuck_runs(text: &str, length: usize) -> Vec<String> {
    ended_runs(text, length, false)
}

fn ended_runs(text: &str, length: usize, are_complete: bool) -> Vec<String> {
    let net = net_of(text);
    let shown = |id: &str| {
        let (element, variant) = id.split_once('.').unwrap_or((id, "1"));
        let is_visible = "abcdf".contains(element) && element.len() == 1 && variant.parse::<u32>().is_ok();
        if is_visible { element.to_owned() } else { String::new() }
    };
    let labels: Vec<String> = net.nodes().transitions.iter().map(shown).collect();
    let mut open = vec![(net.initial(), String::new())];
    let mut seen: BTreeSet<(Vec<u64>, String)> = BTreeSet::new();
    let mut found = BTreeSet::new();
    let is_empty = |marking: &Marking| marking.0.iter().all(|&tokens| tokens == 0);
    while let Some((marking, run)) = open.pop() {
        if run.len() > length || !seen.insert((marking.0.to_vec(), run.clone())) {
            continue;
        }
        assert!(seen.len() < 200_000, "too many states");
        let steps = net.steps(&marking);
        if is_empty(&marking) == are_complete && (are_complete || steps.is_empty()) {
            found.insert(run.clone());
        }
        for step in steps {
            let next = net.fire(&marking, &step).expect("an enabled transition fires");
            open.push((next, run.clone() + &labels[step.transition.index()]));
        }
    }
    found.into_iter().collect()
}
