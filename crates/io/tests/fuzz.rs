//! A fuzz target for each parser: whatever the bytes, it ends with a value or with a fault inside the input.
//!
//! As tests they run on random inputs with a fixed seed; `cargo bolero test -p fireset-io --test fuzz NAME` runs
//! one under a coverage-guided fuzzer.

use bolero::check;
use fireset_io::{Fault, bpmn, pnml, properties, query, witness};
use fireset_net::{Logic, Model};
use fireset_oracle::tiny;

/// Random inputs that a target is run with as a test.
const ITERATIONS: usize = 2_000;

fn model() -> Model {
    Model::Plain(tiny::net("p:1 q; t: p -> q; u: q -> p"))
}

fn within(fault: &Fault, length: usize) {
    assert!(fault.offset <= length as u64, "{fault:?} is outside of {length} bytes");
    assert!(!fault.message.is_empty());
}

/// Pieces of BPMN files: random bytes alone rarely get past the root element.
const BPMN_PIECES: [&str; 32] = [
    "<process id='p'>",
    "</process>",
    "<process id='q'><task id='z'/></process>",
    "<startEvent id='s'/>",
    "<startEvent id='t'><messageEventDefinition/></startEvent>",
    "<endEvent id='e'/>",
    "<endEvent id='e2'><terminateEventDefinition/></endEvent>",
    "<endEvent id='e3'><errorEventDefinition errorRef='r'/></endEvent>",
    "<task id='a'/>",
    "<task id='b' default='f3'><standardLoopCharacteristics/></task>",
    "<subProcess id='x'>",
    "<subProcess id='y'>",
    "</subProcess>",
    "<boundaryEvent id='i' attachedToRef='x'><timerEventDefinition/></boundaryEvent>",
    "<boundaryEvent id='j' attachedToRef='a' cancelActivity='false'><timerEventDefinition/></boundaryEvent>",
    "<boundaryEvent id='k' attachedToRef='y'><errorEventDefinition/></boundaryEvent>",
    "<exclusiveGateway id='g'/>",
    "<parallelGateway id='h'/>",
    "<inclusiveGateway id='o'/>",
    "<eventBasedGateway id='w'/>",
    "<intermediateCatchEvent id='c'><linkEventDefinition name='l'/></intermediateCatchEvent>",
    "<intermediateThrowEvent id='d'><linkEventDefinition name='l'/></intermediateThrowEvent>",
    "<sequenceFlow id='f1' sourceRef='s' targetRef='o'/>",
    "<sequenceFlow id='f2' sourceRef='o' targetRef='a'/>",
    "<sequenceFlow id='f3' sourceRef='b' targetRef='o'/>",
    "<sequenceFlow id='f4' sourceRef='a' targetRef='x'/>",
    "<sequenceFlow id='f5' sourceRef='x' targetRef='o'/>",
    "<sequenceFlow id='f6' sourceRef='b'><conditionExpression/></sequenceFlow>",
    "<sequenceFlow id='f7' targetRef='e2'/>",
    "<sequenceFlow id='f8' sourceRef='a' targetRef='a'/>",
    "<collaboration id='n'><participant id='m1' processRef='q'/><messageFlow id='m2' sourceRef='a' targetRef='z'/></collaboration>",
    "<messageFlow id='m3' sourceRef='z' targetRef='t'/>",
];

#[test]
fn bpmn_file() {
    check!().with_iterations(ITERATIONS).for_each(|bytes: &[u8]| {
        if let Err(fault) = bpmn::read(bytes) {
            within(&fault, bytes.len());
        }
        // Each piece stands once, since ids must be unique.
        let mut pieces: Vec<&str> = Vec::new();
        for &byte in bytes {
            let piece = BPMN_PIECES[usize::from(byte) % BPMN_PIECES.len()];
            if piece.starts_with("</") || !pieces.contains(&piece) {
                pieces.push(piece);
            }
        }
        for (start, end) in [
            ("<definitions>", "</definitions>"),
            ("<definitions><process id='p'>", "</process></definitions>"),
        ] {
            let text = start.to_owned() + &pieces.concat() + end;
            if let Err(fault) = bpmn::read(text.as_bytes()) {
                within(&fault, text.len());
            }
        }
    });
}

#[test]
fn pnml_file() {
    check!().with_iterations(ITERATIONS).for_each(|bytes: &[u8]| {
        if let Err(fault) = pnml::read(bytes) {
            within(&fault, bytes.len());
        }
    });
}

#[test]
fn property_file() {
    let model = model();
    check!().with_iterations(ITERATIONS).for_each(|bytes: &[u8]| {
        if let Err(fault) = properties::read(bytes, model.nodes(), Logic::Ctl) {
            within(&fault, bytes.len());
        }
    });
}

#[test]
fn query_text() {
    let model = model();
    check!().with_iterations(ITERATIONS).for_each(|bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        if let Err(fault) = query::parse(&text, model.nodes()) {
            within(&fault, text.len());
        }
    });
}

#[test]
fn witness_file() {
    let model = model();
    check!().with_iterations(ITERATIONS).for_each(|bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        // An error is as good as a value; a panic is what would fail.
        let _ = witness::read("fuzz", &text, &model);
    });
}
