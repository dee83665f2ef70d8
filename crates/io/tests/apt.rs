//! Nets of APT: what is read, what is refused by name, and that a written net is read as the same net.

mod common;

use fireset_io::{
    Source, apt,
    net_file::{NetChoice, NetFile, NetWriteError, read_net},
};
use fireset_net::{Model, Net, NetBuilder, PlaceId};
use fireset_oracle::{
    random::{self, NetShape, TestRng},
    tiny,
};

fn read(text: &str) -> NetFile {
    apt::read(text).unwrap_or_else(|fault| panic!("{fault:?} in\n{text}"))
}

fn plain(text: &str) -> Net {
    match read(text).model {
        Model::Plain(net) => net,
        Model::Coloured(_) => panic!("APT nets are plain"),
    }
}

/// Stands for the end of a text.
const END: &str = "\0";

#[track_caller]
fn refused(text: &str, at: &str, message: &str) {
    let fault = apt::read(text).expect_err("it means something else");
    assert!(fault.message.contains(message), "{fault:?}");
    let offset = if at == END { text.len() } else { text.rfind(at).expect("the construct is in the text") };
    assert_eq!(fault.offset, offset as u64, "{fault:?}");
}

#[test]
fn sections_come_in_any_order() {
    let net = plain(
        "// a net\n.flows t1: {s1, 2*s2} -> {s3} t2: {} -> {s1}\n.transitions t1 .initial_marking {2*s1, s2}\n\
         .places s1 s2 /* and */ .places s3\n.type PN .transitions t2\n.name \"two words\"\n\
         .description \"on\ntwo lines\"",
    );
    assert_eq!(net.name, "two words");
    assert_eq!(tiny::text(&net), "s1:2 s2:1 s3; t1: s1, 2*s2 -> s3; t2: -> s1");
}

#[test]
fn repeated_places_of_a_bag_add_up() {
    let net = plain(
        ".type LPN .places 1 2 .transitions t .flows t: {1, 2*1, 3*2} -> {0*1} .initial_marking {1, 2*1}",
    );
    assert_eq!(tiny::text(&net), "1:3 2; t: 3*1, 3*2 ->");
}

#[test]
fn labels_become_labels_and_other_options_are_noted() {
    let file = read(
        ".type LPN .places s [label=\"a place\", colour=3] .transitions t1[label=\"a b\"] t2[hidden] t3 [label=7]\n\
         .flows t1: {s} -> {} [weight=1]",
    );
    let nodes = file.model.nodes();
    assert_eq!(nodes.places.label(0), "a place");
    assert_eq!(["a b", "t2", "7"], [0, 1, 2].map(|at| nodes.transitions.label(at)));
    assert_eq!(file.notes.len(), 1);
    assert!(file.notes[0].ends_with(": colour, hidden, weight"), "{:?}", file.notes);
    assert!(read(".type LPN .transitions t [label=\"a\"]").notes.is_empty());
}

#[test]
fn final_markings_are_kept() {
    let file = read(".type PN .places a b c .final_markings {c, 2*a, c} {} {0*b}");
    let (a, c) = (PlaceId::new(0), PlaceId::new(2));
    assert_eq!(file.final_markings, [vec![(a, 2), (c, 2)], vec![], vec![]]);
}

#[test]
fn what_is_no_net_is_refused_by_name() {
    refused(".type LTS .states s", "LTS", "transition system");
    refused(".type TS", "TS", "transition system");
    refused(".states s [initial]", ".states", "transition system");
    refused(".type PN .arcs s a s", ".arcs", "transition system");
    refused(".type PN .places s .bad_markings s", ".bad_markings", "`.bad_markings`");
    refused(".type CPN", "CPN", "`CPN` is no type");
    refused(".type PN .places s:0:e", ":0:e", "annotation behind `:`");
    refused(".type PN .places s; t", "; t", "expected a section");
}

#[test]
fn malformed_nets_are_refused_where_they_are_wrong() {
    refused(".type PN .type PN", ".type", "twice");
    refused(".name \"a\" .name \"b\"", ".name", "twice");
    refused(".initial_marking .initial_marking {}", ".initial_marking {", "twice");
    refused(".places a a", "a", "declared twice");
    refused(".places a .initial_marking {b}", "b", "no place is called `b`");
    refused(".places a .final_markings {b}", "b", "no place is called `b`");
    refused(".places a .flows t: {} -> {}", "t:", "no transition is called `t`");
    refused(".places a .transitions t .flows t: {b} -> {}", "b", "no place is called `b`");
    refused(".places a .initial_marking {a", END, "expected `}`");
    refused(".places a .initial_marking {a*2}", "a*", "number is expected");
    refused(".places 1a", "1a", "no name");
    refused(".places a .initial_marking {18446744073709551616*a}", "184", "64 bits");
    refused(".places a .initial_marking {18446744073709551615*a, a}", "a}", "64 bits");
    refused(".name \"a", "\"", "does not end");
    refused(".name a", "a", "quotation marks");
    refused(".places a [x=y]", "y", "a text or a number");
    let weights = ".places a .transitions t .flows t: {18446744073709551615*a, a} -> {}";
    refused(weights, "t .flows", "64 bits");
}

#[test]
fn an_arc_stands_in_one_line() {
    let nodes = ".places a b .transitions t";
    refused(&format!("{nodes} .flows t: {{a}} -> {{b}} t: {{b, a}} -> {{}}"), "a}", "already");
    refused(&format!("{nodes} .flows t: {{a}} -> {{b}} t: {{b}} -> {{b}}"), "b}", "already");
    let net = plain(&format!("{nodes} .flows t: {{a}} -> {{}} t: {{b}} -> {{a}}"));
    assert_eq!(tiny::text(&net), "a b; t: a, b -> a");
}

/// Labels, and numbers that need 64 bits.
fn decorated(random: &mut TestRng, net: &Net) -> Net {
    let labels = ["a b", "é", "//", "[x]", "", "p0"];
    let mut builder = NetBuilder::new(*random.pick(&["", "a name", "// {}"]));
    let large = |count: u64| if count == 3 { u64::MAX } else { count };
    for place in net.nodes().place_ids() {
        let tokens = net.initial_marking().tokens(place);
        let name =
            if random.percent(20) { format!("{}", place.index()) } else { format!("p{}", place.index()) };
        builder.place(&name, large(tokens)).unwrap();
        let label = *random.pick(&labels);
        builder.nodes_mut().places.set_label(place.index(), label);
    }
    for t in net.nodes().transition_ids() {
        builder.transition(net.nodes().transition(t)).unwrap();
        let label = *random.pick(&labels);
        builder.nodes_mut().transitions.set_label(t.index(), label);
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
        let model = Model::Plain(decorated(&mut random, &drawn));
        let place = PlaceId::new(random.below(model.nodes().places.len()));
        let final_markings = [vec![(place, random.within(1, 9))], vec![]];
        let final_markings = &final_markings[..random.below(3)];
        let mut out = Vec::new();
        let notes = apt::write_with_final_markings(&model, final_markings, &mut out).unwrap();
        assert!(notes.is_empty(), "{notes:?}");
        let file = read_net(&Source::memory("net", out), NetChoice::Named(model.name())).unwrap();
        assert!(file.notes.is_empty() && file.properties.is_empty());
        assert_eq!(file.model, model, "seed {seed}");
        assert_eq!(file.final_markings, final_markings, "seed {seed}");
    }
}

#[test]
fn other_names_are_replaced_with_a_note() {
    let mut builder = NetBuilder::new("the \"net\"");
    let places = ["a b", "a_b", "PN", "t", "1a", "é"].map(|name| builder.place(name, 1).unwrap());
    let transition = builder.transition("t").unwrap();
    places.iter().for_each(|&place| builder.output(transition, place, 2));
    builder.nodes_mut().transitions.set_label(0, "\"quoted\"");
    let model = Model::Plain(builder.build().unwrap());
    let mut out = Vec::new();
    let notes = apt::write(&model, &mut out).unwrap();
    assert_eq!(notes.len(), 4 + 1 + 2, "{notes:?}");
    let net = plain(std::str::from_utf8(&out).unwrap());
    let found: Vec<&str> = net.nodes().places.iter().collect();
    assert_eq!(found, ["a_b_2", "a_b", "place_PN", "t", "place_1a", "_"]);
    assert_eq!(net.nodes().transitions.get(0), "t_2");
    assert_eq!((&*net.name, net.nodes().transitions.label(0)), ("the 'net'", "'quoted'"));
    assert_eq!(net.post(net.nodes().transition_ids().next().unwrap()).len(), places.len());
}

#[test]
fn new_names_do_not_change_the_structure() {
    common::assert_new_names_keep_the_structure(apt::write, plain);
}

#[test]
fn what_apt_cannot_say_is_not_written() {
    let mut out = Vec::new();
    let error = apt::write(&Model::Plain(tiny::net("p q; t: p, !q -> q")), &mut out).unwrap_err();
    assert!(matches!(error, NetWriteError::Inexpressible { construct: "inhibitor arcs", .. }));
    let coloured = Model::Coloured(random::coloured(&mut TestRng::new(1), 0));
    let error = apt::write(&coloured, &mut out).unwrap_err();
    assert!(matches!(error, NetWriteError::Inexpressible { construct: "coloured nets", .. }));
    assert!(out.is_empty());
}

#[test]
fn a_file_of_apt_is_recognised_by_its_first_section() {
    let read = |text: &str| read_net(&Source::memory("net", text.as_bytes().to_vec()), NetChoice::Only);
    assert!(read("// a\n.name \"b\" .type PN").is_ok());
    assert!(read(".transitions t").is_ok());
    assert!(read(".states s").unwrap_err().message.contains("transition system"));
    for other in [".name circuit\n.inputs a\n.end", ".model m", "places p"] {
        assert!(read(other).unwrap_err().message.contains("no format"), "{other}");
    }
    let named = read_net(&Source::memory("net", b".name \"b\" .type PN".to_vec()), NetChoice::Named("x"));
    assert!(named.unwrap_err().hint.unwrap().contains("`b`"));
}
