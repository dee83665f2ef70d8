//! A fuzz target for each parser: whatever the bytes, it ends with a value or with a fault inside the input.
//!
//! As tests they run on random inputs with a fixed seed; `cargo bolero test -p fireset-io --test fuzz NAME` runs
//! one under a coverage-guided fuzzer.

use bolero::check;
use fireset_io::{Fault, pnml, properties, query, witness};
use fireset_net::{
    Logic, Model, PlaceId, TransitionId,
    families::{self, FamilyKind},
};
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
fn colours_in_brackets() {
    let family = families::find("token-ring").expect("a family");
    let model = family.generate(FamilyKind::Coloured, &[3]).expect("a small net");
    let (place, transition) =
        (model.nodes().place(PlaceId::new(0)), model.nodes().transition(TransitionId::new(0)));
    check!().with_iterations(ITERATIONS).for_each(|bytes: &[u8]| {
        let colours = String::from_utf8_lossy(bytes);
        for text in [format!("\"{place}\"[{colours}] >= 1"), format!("fireable(\"{transition}\"[{colours}])")]
        {
            if let Err(fault) = query::parse(&text, &model) {
                within(&fault, text.len());
            }
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
