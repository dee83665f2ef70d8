//! A fuzz target for each parser: whatever the bytes, it ends with a value or with a fault inside the input.
//!
//! As tests they run on random inputs with a fixed seed; `cargo bolero test -p fireset-io --test fuzz NAME` runs
//! one under a coverage-guided fuzzer.

use bolero::check;
use fireset_io::{Fault, net_file::NetChoice, pnml, pnpro, properties, query, tapaal, witness};
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
fn pnpro_file() {
    // A frame leads the random bytes into the expressions.
    check!().with_iterations(ITERATIONS).for_each(|bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).replace(['\'', '<', '&'], "+");
        let class = "<color-class name='C' definition='circular c{1..3}'/><color-var name='x' domain='C'/>";
        for place in [
            format!("<place name='p' marking='{text}'/>"),
            format!("{class}<place name='p' domain='C' marking='&lt;{text}'/>"),
        ] {
            let file = format!("<project><gspn name='n'><nodes>{place}</nodes><edges/></gspn></project>");
            if let Err(fault) = pnpro::read_net(file.as_bytes(), NetChoice::Only) {
                within(&fault, file.len());
            }
        }
        if let Err(fault) = pnpro::read_net(bytes, NetChoice::Only) {
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
fn tapaal_query() {
    let model = model();
    check!().with_iterations(ITERATIONS).for_each(|bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        if let Err(fault) = tapaal::read_properties(&text, model.nodes()) {
            within(&fault, text.len());
        }
    });
}

#[test]
fn tapaal_query_of_words() {
    const WORDS: [&str; 24] = [
        "EF ", "AG ", "E ", "A ", "X ", "U ", "not ", "!", "(", ")", "[", "]", "p", "t?", "q", ".", "\"",
        " and ", " or ", ">=", "-", "+", "*", "3 ",
    ];
    let model = model();
    check!().with_iterations(ITERATIONS).for_each(|bytes: &[u8]| {
        let text: String = bytes.iter().map(|&byte| WORDS[usize::from(byte) % WORDS.len()]).collect();
        if let Err(fault) = tapaal::read_properties(&text, model.nodes()) {
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
