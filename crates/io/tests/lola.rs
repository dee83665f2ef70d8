//! Nets of LoLA: what is read, what is refused by name, and that a written net is read as the same net.

mod common;

use fireset_io::{
    Source, lola,
    net_file::{NetChoice, NetFile, NetWriteError, read_net},
    query,
};
use fireset_net::{Logic, Model, Net, NetBuilder};
use fireset_oracle::{
    random::{self, NetShape, TestRng},
    tiny,
};

fn read(text: &str) -> NetFile {
    lola::read(text).unwrap_or_else(|fault| panic!("{fault:?} in\n{text}"))
}

fn plain(text: &str) -> Net {
    match read(text).model {
        Model::Plain(net) => net,
        Model::Coloured(_) => panic!("LoLA nets are plain"),
    }
}

/// Stands for the end of a text.
const END: &str = "\0";

#[track_caller]
fn refused(text: &str, at: &str, message: &str) {
    let fault = lola::read(text).expect_err("it means something else");
    assert!(fault.message.contains(message), "{fault:?}");
    let offset = if at == END { text.len() } else { text.find(at).expect("the construct is in the text") };
    assert_eq!(fault.offset, offset as u64, "{fault:?}");
}

const TWO_PLACES: &str = "PLACE a, b; MARKING a;";

#[test]
fn places_tokens_and_arcs_are_read() {
    let net = plain(
        "{ a net }\nPLACE a, b.[x=1]; SAFE 3: c;\n/* the rest */ MARKING a: 2, c;\n\
         TRANSITION t CONSUME a, b.[x=1]: 3; PRODUCE c: 2;\nTRANSITION 17 CONSUME; PRODUCE a;",
    );
    assert_eq!(tiny::text(&net), "a:2 b.[x=1] c:1; t: a, 3*b.[x=1] -> 2*c; 17: -> a");
}

#[test]
fn repeated_places_add_up() {
    let net = plain("PLACE a, b; MARKING a: 2, b, a; TRANSITION t CONSUME a, b, a: 2,; PRODUCE b: 0;");
    assert_eq!(tiny::text(&net), "a:3 b:1; t: 3*a, b ->");
}

#[test]
fn words_of_other_versions_are_names() {
    let net = plain("PLACE END, INPUT, place, a/*b*/; MARKING ; TRANSITION place CONSUME END; PRODUCE;");
    assert_eq!(net.nodes().places.iter().collect::<Vec<_>>(), ["END", "INPUT", "place", "a/*b*/"]);
}

#[test]
fn harmless_constructs_are_passed_over_with_a_note() {
    let notes = |text: &str| read(text).notes;
    assert!(notes("PLACE a; MARKING; TRANSITION t CONSUME a; PRODUCE;").is_empty());
    let safe = notes("PLACE SAFE: a; SAFE 2: b; MARKING;");
    assert!(safe.len() == 1 && safe[0].contains("SAFE"), "{safe:?}");
    let comment = notes("PLACE a; // the only one\nMARKING;");
    assert!(comment.len() == 1 && comment[0].contains("//"), "{comment:?}");
    assert!(notes("PLACE a; { // } /* // */ MARKING;").is_empty());
    let task = notes("PLACE a; MARKING; TRANSITION t CONSUME a; PRODUCE; ANALYSE PLACE a");
    assert!(task.len() == 1 && task[0].contains("ANALYSE"), "{task:?}");
}

#[test]
fn what_changes_the_meaning_is_refused_by_name() {
    let with = |transition: &str| format!("{TWO_PLACES} TRANSITION t {transition}");
    refused(&with("WEAK FAIR CONSUME a; PRODUCE b;"), "WEAK", "fairness");
    refused(&with("STRONG FAIR CONSUME a; PRODUCE b;"), "STRONG", "fairness");
    refused(&with("VAR x: s; CONSUME a; PRODUCE b;"), "VAR", "high-level");
    refused(&with("GUARD x = 1 CONSUME a; PRODUCE b;"), "GUARD", "high-level");
    refused("SORT s = BOOLEAN; PLACE a; MARKING;", "SORT", "high-level");
    refused("PLACE a: s; MARKING;", "a:", "high-level place");
    refused("PLACE INPUT a; OUTPUT b; MARKING;", "INPUT", "open net");
    refused("{a} PLACE {b} a;", "PLACE", "comment");
    refused("PLACE a; MARKING a: x;", "x", "not a number");
}

#[test]
fn malformed_nets_are_refused_where_they_are_wrong() {
    refused("PLACE a, a; MARKING;", "a; M", "twice");
    refused("PLACE a; MARKING b;", "b", "no place is called `b`");
    refused("PLACE a b; MARKING;", "b", "expected `;`");
    refused("PLACE a; MARKING a: 99999999999999999999;", "999", "64 bits");
    refused("PLACE b; MARKING b: 18446744073709551615, b ;", "b ;", "64 bits");
}

#[test]
fn malformed_transitions_are_refused_where_they_are_wrong() {
    let with = |rest: &str| format!("{TWO_PLACES} TRANSITION t {rest}");
    refused(&with("CONSUME c; PRODUCE;"), "c;", "no place is called `c`");
    refused(&with("CONSUME a: ; PRODUCE;"), "; PRODUCE", "expected a number");
    refused(&with("PRODUCE a; CONSUME;"), "PRODUCE", "expected `CONSUME`");
    refused(&with("consume a; PRODUCE;"), "consume", "expected `CONSUME`");
    refused(&with("CONSUME a; PRODUCE b"), END, "expected `;`");
    refused(&with("CONSUME a; PRODUCE; TRANSITION t CONSUME; PRODUCE;"), "t CONSUME;", "twice");
    refused(&with("CONSUME a; PRODUCE; NET"), "NET", "expected `TRANSITION`");
    refused(&with("CONSUME /* a; PRODUCE;"), "/*", "does not end");
    let weights = "CONSUME a: 18446744073709551615, a; PRODUCE;";
    refused(&with(weights), "t CONSUME", "64 bits");
}

#[test]
fn a_keyword_in_small_letters_has_a_hint() {
    let fault = lola::read("PLACE a; marking a; ").unwrap_err();
    assert!(fault.message.contains("expected `;`"), "{fault:?}");
    let fault = lola::read("PLACE a; marking; ").unwrap_err();
    assert!(fault.message.contains("`MARKING`, found the end of the file"), "{fault:?}");
    let fault = lola::read(&format!("{TWO_PLACES} transition t CONSUME; PRODUCE;")).unwrap_err();
    assert!(fault.hint.unwrap().contains("capitals"));
}

#[test]
fn the_formula_of_a_net_file_is_a_property() {
    let text = format!("{TWO_PLACES} TRANSITION t CONSUME a; PRODUCE b; FORMULA ");
    let file = read(&format!("{text} EXPATH EVENTUALLY (a = 0 AND b > 0)"));
    let [property] = &file.properties[..] else { panic!("one property") };
    let expected = query::parse("EF (a = 0 && b > 0)", file.model.nodes()).unwrap().formula;
    assert_eq!((&property.formula, property.logic), (&expected, Logic::Ctl));
    let until = read(&format!("{text} ALLPATH [ a = 1 UNTIL b = 1 ]"));
    let expected = query::parse("A[a = 1 U b = 1]", until.model.nodes()).unwrap().formula;
    assert_eq!(until.properties[0].formula, expected);
}

#[test]
fn a_formula_that_the_versions_read_in_different_ways_is_refused() {
    let text = format!("{TWO_PLACES} TRANSITION t CONSUME a; PRODUCE b; FORMULA");
    for formula in ["NOT a = 1 AND b = 1", "a = 1 OR b = 1 AND a = 0", "EXPATH EVENTUALLY a = 1 OR b = 1"] {
        refused(&format!("{text} {formula}"), "FORMULA", "different ways");
    }
    // A state predicate: its question depends on how LoLA 1 was compiled.
    let file = read(&format!("{text} a = 1 AND b = 1 OR a = 0"));
    assert!(file.properties.is_empty() && file.notes[0].contains("FORMULA"), "{file:?}");
    refused(&format!("{text} EXPATH EVENTUALLY c = 1"), "c = 1", "no place `c`");
}

/// Names with signs, and numbers that need 64 bits.
fn decorated(random: &mut TestRng, net: &Net) -> Net {
    let letters = ["a", "b.", "[x=1]", "-", "é", "7", "+", "A"];
    let mut builder = NetBuilder::new("net");
    let mut name = |kind: &str, at: usize| {
        let middle: String = (0..random.below(4)).map(|_| *random.pick(&letters)).collect();
        format!("{kind}{middle}{at}")
    };
    let large = |count: u64| if count == 3 { u64::MAX } else { count };
    for place in net.nodes().place_ids() {
        let tokens = net.initial_marking().tokens(place);
        builder.place(&name("p", place.index()), large(tokens)).unwrap();
    }
    for t in net.nodes().transition_ids() {
        builder.transition(&name("", t.index())).unwrap();
        net.pre(t).iter().for_each(|arc| builder.input(arc.place, t, large(arc.weight)));
        net.post(t).iter().for_each(|arc| builder.output(t, arc.place, large(arc.weight)));
    }
    builder.build().unwrap()
}

#[test]
fn a_written_net_is_read_as_the_same_net() {
    for seed in 0..500 {
        let mut random = TestRng::new(seed);
        let shape = NetShape { places: 12, transitions: 12, tokens: 5, weight: 4, inhibitors: 0 };
        let drawn = random::net(&mut random, &shape);
        let net = decorated(&mut random, &drawn);
        let mut out = Vec::new();
        let notes = lola::write(&Model::Plain(net.clone()), &mut out).unwrap();
        assert!(notes.is_empty(), "{notes:?}");
        let file = read_net(&Source::memory("net", out), NetChoice::Only).unwrap();
        assert!(file.notes.is_empty() && file.properties.is_empty());
        assert_eq!(file.model, Model::Plain(net), "seed {seed}");
    }
}

#[test]
fn other_names_are_replaced_with_a_note() {
    let mut builder = NetBuilder::new("net");
    let names = ["a b", "a_b", "PLACE", "", "//x", "/*y*/", "=", "p;q", "U", "END"];
    let places = names.map(|name| builder.place(name, 1).unwrap());
    for (at, name) in ["a b", "TRANSITION"].iter().enumerate() {
        let transition = builder.transition(name).unwrap();
        places.iter().for_each(|&place| builder.input(place, transition, at as u64 + 1));
    }
    builder.nodes_mut().places.set_label(1, "label");
    let model = Model::Plain(builder.build().unwrap());
    let mut out = Vec::new();
    let notes = lola::write(&model, &mut out).unwrap();
    assert_eq!(notes.len(), 8 + 2 + 1, "{notes:?}");
    let net = plain(std::str::from_utf8(&out).unwrap());
    let found: Vec<&str> = net.nodes().places.iter().collect();
    let expected = ["a_b_2", "a_b", "place_PLACE", "place_", "__x", "__y__", "_", "p_q", "U", "place_END"];
    assert_eq!(found, expected);
    assert!(net.nodes().transition_ids().all(|t| net.pre(t).len() == names.len()));
    assert!(net.nodes().place_ids().all(|place| net.initial_marking().tokens(place) == 1));
}

#[test]
fn new_names_do_not_change_the_structure() {
    common::assert_new_names_keep_the_structure(lola::write, plain);
}

#[test]
fn what_lola_cannot_say_is_not_written() {
    let mut out = Vec::new();
    let error = lola::write(&Model::Plain(tiny::net("p q; t: p, !q -> q")), &mut out).unwrap_err();
    assert!(matches!(error, NetWriteError::Inexpressible { construct: "inhibitor arcs", .. }));
    let coloured = Model::Coloured(random::coloured(&mut TestRng::new(1), 0));
    let error = lola::write(&coloured, &mut out).unwrap_err();
    assert!(matches!(error, NetWriteError::Inexpressible { construct: "coloured nets", .. }));
    assert!(out.is_empty());
    let empty = Model::Plain(NetBuilder::new("net").build().unwrap());
    assert_eq!(lola::write(&empty, &mut out).unwrap().len(), 1);
    assert_eq!(read(std::str::from_utf8(&out).unwrap()).model, empty);
}

#[test]
fn a_file_of_lola_is_recognised_by_its_first_word() {
    let read = |text: &str| read_net(&Source::memory("net", text.as_bytes().to_vec()), NetChoice::Only);
    assert!(read("\u{feff}/* a */ {b}\nPLACE a; MARKING;").is_ok());
    assert!(read("SORT s = [0, 1];").unwrap_err().message.contains("high-level"));
    assert!(read("PLACES a; MARKING;").unwrap_err().message.contains("no format"));
    let named = read_net(&Source::memory("net", b"PLACE a; MARKING;".to_vec()), NetChoice::Named("x"));
    assert!(named.unwrap_err().message.contains("no net `x`"));
}
