//! A fuzz target for each parser: whatever the bytes, it ends with a value or with a fault inside the input.
//!
//! As tests they run on random inputs with a fixed seed; `cargo bolero test -p fireset-io --test fuzz NAME` runs
//! one under a coverage-guided fuzzer.

use bolero::check;
use fireset_io::{Fault, Source, pnml, properties, property_file, query, witness};
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

/// The text that a fault shows is that of the file, and a text form is one by its first word.
#[test]
fn property_text() {
    let model = model();
    check!().with_iterations(ITERATIONS).for_each(|bytes: &[u8]| {
        for head in ["", "property a: ", "let a = ", "property a: true\nexpect "] {
            let text = [head.as_bytes(), bytes].concat();
            let lines = text.split(|&byte| byte == b'\n').count() as u64;
            let read = property_file::read_properties(&Source::memory("fuzz", text), "", model.nodes());
            let errors = match read {
                Ok(list) => list.refused.into_iter().map(|refused| refused.error).collect(),
                Err(error) => vec![error],
            };
            for position in errors.iter().filter_map(|error| error.position.as_ref()) {
                assert!(position.line <= lines, "{position:?} is outside of {lines} lines");
            }
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
