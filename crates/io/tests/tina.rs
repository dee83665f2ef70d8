//! Nets in Tina's formats, as text and as drawings: what is read, what is refused, and that a written net is read again.

use fireset_io::{
    Fault, InputError, Source,
    net_file::{self, NetChoice, NetWriteError},
    tina,
};
use fireset_net::{Marking, Model, Names, Net, NetBuilder, TransitionId};
use fireset_oracle::{
    random::{self, NetShape, TestRng},
    tiny,
};
use proptest::prelude::*;

fn plain(model: Model) -> Net {
    match model {
        Model::Plain(net) => net,
        Model::Coloured(_) => panic!("Tina's nets are not coloured"),
    }
}

#[track_caller]
fn net(text: &str) -> Net {
    plain(tina::read(text).unwrap_or_else(|fault| panic!("{fault:?}")).model)
}

#[track_caller]
fn drawn(text: &str) -> Net {
    plain(tina::read_drawing(text).unwrap_or_else(|fault| panic!("{fault:?}")).model)
}

/// The fault has this message, where this text first stands in the file; the empty text is at its end.
#[track_caller]
fn is_at(fault: Fault, text: &str, message: &str, at: &str) {
    assert!(fault.message.contains(message), "{fault:?}");
    let offset = if at.is_empty() { text.len() } else { text.find(at).expect("the text has it") };
    assert_eq!(fault.offset, offset as u64, "{fault:?}");
}

#[track_caller]
fn refused(text: &str, message: &str, at: &str) {
    is_at(tina::read(text).expect_err("the file is wrong"), text, message, at);
}

#[track_caller]
fn refused_drawing(text: &str, message: &str, at: &str) {
    is_at(tina::read_drawing(text).expect_err("the file is wrong"), text, message, at);
}

#[test]
fn a_net_has_the_nodes_arcs_and_tokens_of_its_declarations() {
    let net =
        net("# a comment\nnet {my net}\n\ntr t1 : {first one} [0,w[ p*2 q?-3 -> {r s}*4\ntr t2 {r s} ->\n\
         pl p (3)\npl q : second (2K) t1 -> t2*5\ntr t3 -> p\n");
    assert_eq!(net.name, "my net");
    assert_eq!(
        tiny::text(&net).replace("r s", "r_s"),
        "p:3 q:2000 r_s; t1: 2*p, 3*!q -> q, 4*r_s; t2: 5*q, r_s ->; t3: -> p"
    );
    let nodes = net.nodes();
    assert_eq!([nodes.transitions.label(0), nodes.transitions.label(1)], ["first one", "t2"]);
    assert_eq!([nodes.places.label(0), nodes.places.label(1)], ["p", "second"]);
}

#[test]
fn declarations_of_a_node_add_up() {
    let net = net("tr t p p -> q\ntr t p*3 -> q*2\npl p (1) -> t*4\npl p (2)\ntr t q?-5 q?-2 ->\n");
    assert_eq!(tiny::text(&net), "p:3 q; t: 9*p, 2*!q -> 3*q");
}

#[test]
fn spaces_line_breaks_and_comments_separate() {
    let net = net("\u{20}tr\tt\r\n# between\n [ 0 , w [\n p * 2\n # again\n -> q # at the end");
    assert_eq!(tiny::text(&net), "p q; t: 2*p -> q");
}

#[test]
fn every_multiplier_is_known() {
    let net = net("pl k (1K)\npl m (2M)\npl g (3G)\npl t (4T)\npl p (5P)\npl e (6E)\n");
    let tokens: Vec<u64> = net.nodes().place_ids().map(|place| net.initial_marking().tokens(place)).collect();
    assert_eq!(tokens, [3, 6, 9, 12, 15, 18].map(|zeros| zeros / 3 * 10u64.pow(zeros as u32)));
}

#[test]
fn names_in_braces_have_escapes() {
    let net = net("tr {a\\{b\\}c\\\\d} {tr} {} -> {x\n# no comment}\npl it's_1");
    let names: Vec<&str> = net.nodes().places.iter().collect();
    assert_eq!(names, ["tr", "", "x\n# no comment", "it's_1"]);
    assert_eq!(net.nodes().transition(TransitionId::new(0)), "a{b}c\\d");
}

#[test]
fn the_last_label_counts() {
    let labels = |text: &str| {
        let net = net(text);
        let nodes = net.nodes();
        (nodes.places.label(0).to_owned(), nodes.transitions.label(0).to_owned())
    };
    let pair = |place: &str, transition: &str| (place.to_owned(), transition.to_owned());
    assert_eq!(labels("tr t : a p ->\npl p : b\nlb t c\nlb p d"), pair("d", "c"));
    assert_eq!(labels("lb t c\nlb p d\ntr t : a p ->\npl p"), pair("d", "a"));
    assert_eq!(labels("tr t : a p ->\ntr t : {}"), pair("p", "t"));
}

/// A transition that takes 2 of `p`, tests for 3, and gives 1 back fires from 3 on, and leaves one token less.
#[test]
fn a_test_arc_needs_tokens_and_takes_none() {
    let net = net("tr t p*2 p?3 -> p q\npl p (5)");
    assert_eq!(tiny::text(&net), "p:5 q; t: 3*p -> 2*p, q");
    let t = TransitionId::new(0);
    let fire = |tokens: [u64; 2]| net.fire_transition(&Marking(tokens.into()), t).map(|next| next.0.to_vec());
    assert!(fire([2, 0]).is_err());
    assert_eq!(fire([3, 0]), Ok(vec![2, 1]));
    assert_eq!(fire([5, 7]), Ok(vec![4, 8]));
}

/// Each combination of weights behaves as its three arcs say, computed by hand from their definition.
#[test]
fn test_arcs_beside_other_arcs_follow_their_definition() {
    for (takes, tests, gives) in (0..4).flat_map(|a| (0..4).flat_map(move |b| (0..4).map(move |c| (a, b, c))))
    {
        let net = net(&format!("tr t p*{takes} p?{tests} -> p*{gives}"));
        for tokens in 0..6u64 {
            let next = net.fire_transition(&Marking([tokens].into()), TransitionId::new(0));
            let expected = (tokens >= takes && tokens >= tests).then(|| vec![tokens - takes + gives]);
            assert_eq!(next.ok().map(|next| next.0.to_vec()), expected, "{takes} {tests} {gives}: {tokens}");
        }
    }
}

#[test]
fn several_test_arcs_need_the_most_of_them() {
    assert_eq!(tiny::text(&net("tr t p?2 p?3 p?1 ->\n")), "p; t: 3*p -> 3*p");
    assert_eq!(tiny::text(&net("pl p -> t?2\n")), "p; t: 2*p -> 2*p");
}

#[test]
fn time_is_refused() {
    for interval in ["[0,0]", "[2,w[", "]0,w[", "[0,4[", "]1,2]"] {
        refused(
            &format!("tr t {interval} p -> q"),
            &format!("`t` is timed: its interval is `{interval}`"),
            interval,
        );
    }
    refused("tr t [0,w p -> q\n", "is timed", "[");
}

#[test]
fn what_changes_the_meaning_is_refused_by_name() {
    refused("tr t p ->\ntr u p ->\npr t > u\n", "priorities of transitions", "pr");
    refused("tr t p!2 ->", "stopwatch arcs", "!");
    refused("tr t p!-2 ->", "stopwatch-inhibitor arcs", "!");
    refused("tr t p** q ->", "reset arcs", "**");
    refused("tr t p -> q?1", "lead from a place to a transition", "?");
    refused("pl p t?1 -> u", "lead from a place to a transition", "?");
}

#[test]
fn malformed_files_are_refused_at_their_fault() {
    refused("tr t p q\ntr u p -> q", "expected `->`", "tr u");
    refused("tr t p -> q r.s", "expected a declaration", ".s");
    refused("tr t p -> q\ntr", "expected a name, found the end of the file", "");
}

#[test]
fn a_keyword_is_no_name() {
    let text = "tr t p -> pl q (1)";
    refused(text, "found the keyword `pl`", "pl");
    refused("tr tr p -> q", "found the keyword `tr`", "tr p");
    // It is one in braces.
    assert_eq!(net("tr {tr} {pl} -> {net}").nodes().places.len(), 2);
}

#[test]
fn numbers_must_fit() {
    refused("pl p (18446744073709551616)", "does not fit into 64 bits", "18446744073709551616");
    refused("pl p (19E)", "19E does not fit into 64 bits", "19E");
    refused("pl p (3k)", "`3k` is not a number", "3k");
    refused("tr t p*x ->", "expected a number, found `x`", "x");
    refused("tr t p? ->", "expected a number, found `->`", "->");
    refused("pl p (18E)\npl p (1E)", "added up, do not fit into 64 bits", "p (1E)");
    refused("tr t p?18446744073709551615 -> p*1", "added up, do not fit into 64 bits", "p*1");
}

#[test]
fn names_must_end() {
    refused("tr {t p -> q", "does not end", "{");
    refused("tr {t{ p -> q", "a `{` stands within", "{ p");
    refused("tr {t\\n} p -> q", "`\\n` has no meaning", "\\n");
    refused("tr {t\\", "does not end", "{");
    refused("lb t x", "no place or transition is called `t`", "t");
    refused("tr a a ->\nlb a x", "a place and a transition are called `a`", "a x");
    refused("hello", "expected a declaration", "hello");
    refused("net", "expected a name, found the end of the file", "");
}

fn read_any(text: &str) -> Result<Net, InputError> {
    let source = Source::memory("test", text.into());
    net_file::read_net(&source, NetChoice::Only).map(|file| plain(file.model))
}

#[test]
fn the_content_tells_the_format() {
    for text in ["# c\n\nnet {x}\ntr t p -> q", "tr t p -> q", "pl p (1)", "\u{feff}tr t p -> q"] {
        assert!(read_any(text).is_ok(), "{text}");
    }
    assert!(read_any("p 1.0 2.0 a 1 n\nt 2 3 t 0 w n\nh x").is_ok());
    for text in ["network", "tree", "net", "p a b c", "PLACE p;", "t 1.0"] {
        assert!(read_any(text).is_err(), "{text}");
    }
    let greatspn = read_any("|0|\n|\nf   0   1   0   1   0   0   0\n").expect_err("another format");
    assert_eq!(greatspn.message, "the file is a net of GreatSPN in its old format");
    assert!(greatspn.hint.is_some_and(|hint| hint.contains("PNML")));
}

#[test]
fn only_the_net_of_the_file_can_be_chosen() {
    let source = Source::memory("test", b"net a\ntr t p -> q".to_vec());
    assert!(net_file::read_net(&source, NetChoice::Named("a")).is_ok());
    let error = net_file::read_net(&source, NetChoice::Named("b")).expect_err("no such net");
    assert_eq!(error.message, "the file has no net `b`");
}

const DRAWING: &str = "# drawn\np 10.0 20.0 a 3 n\np 1 -2.5 {b c} 1K ne {the b} s\n\
    t 0.0 1.0 t 0 w n\nt 2.0 1.0 u c 0 w n {a label} e\nt 2.0 1.0 v c 0 w n {} e\n\
    e a t 2 n\ne t 0.5 55.0 {b c} 0.25 28.3 3 n\ne a u ?2 n\ne {b c} u ?-4 n\ne u a 1 n\n\
    n 10.0 20.0 note 0 {some\ntext}\nh {the drawing} small white\n\n";

#[test]
fn a_drawing_has_the_nodes_and_arcs_of_its_lines() {
    let net = drawn(DRAWING);
    assert_eq!(net.name, "the drawing");
    assert_eq!(
        tiny::text(&net).replace("b c", "b_c"),
        "a:3 b_c:1000; t: 2*a -> 3*b_c; u: 2*a, 4*!b_c -> 3*a; v: ->"
    );
    let nodes = net.nodes();
    assert_eq!(nodes.places.label(1), "the b");
    assert_eq!([nodes.transitions.label(1), nodes.transitions.label(2)], ["a label", "v"]);
}

#[test]
fn drawings_are_refused_by_name() {
    refused_drawing("t 1 2 t 15 w n\nh x", "`t` is timed: its times are `15 w`", "15");
    refused_drawing("t 1 2 t n 0 4 n {} n\nh x", "`t` is timed: its times are `0 4`", "0 4");
    refused_drawing("t 1 2 t -0 w n\nh x", "`t` is timed", "-0");
    let nodes = "p 1 2 p 0 n\nt 1 2 t 0 w n\nt 1 2 u 0 w n\n";
    let edge =
        |line: &str, message: &str, at: &str| refused_drawing(&format!("{nodes}{line}\nh x"), message, at);
    edge("e t u 1 n", "an edge between two transitions is a priority", "t u");
    edge("e p p 1 n", "from a place to a place", "p p");
    edge("e p t !1 n", "stopwatch arcs", "!1");
    edge("e p t !-1 n", "stopwatch-inhibitor arcs", "!-1");
    edge("e t p ?1 n", "lead from a place to a transition", "?1");
    edge("e q t 1 n", "no node is called `q`", "q");
    edge("e p t x n", "`x` is not a number", "x n");
    edge("e p t 1 n more", "begins with `e` has 6 words", "e p");
    edge("s 1 2 state", "no line of a drawing begins with `s`", "s 1");
    refused_drawing("p 1 x p 0 n\nh x", "`x` is not a coordinate", "x p");
    refused_drawing("p 1 2 p 0 n\np 1 2 p 1 n\nh x", "two nodes are called `p`", "p 1 n");
    refused_drawing("p 1 2 p 0 n\nh x\np 3 4 q 0 n", "must be the last one", "p 3");
    let cut = "p 1 2 p 0 n\n";
    let fault = tina::read_drawing(cut).expect_err("cut off");
    assert!(fault.message.contains("without its last line") && fault.offset == cut.len() as u64, "{fault:?}");
}

fn written(model: &Model) -> (String, Vec<String>) {
    let mut text = Vec::new();
    let notes = tina::write(model, &mut text).expect("a vector takes everything");
    (String::from_utf8(text).expect("Tina's nets are UTF-8"), notes)
}

#[track_caller]
fn same_again(net: Net) {
    let model = Model::Plain(net);
    let (text, _) = written(&model);
    assert_eq!(tina::read(&text).map(|file| file.model).as_ref(), Ok(&model), "{text}");
}

#[test]
fn a_net_is_written_as_tina_reads_it() {
    let net = net("net {a b}\npl p : {the p} (3)\npl q\ntr t : x p*2 q?-3 -> q*2\ntr {u v} -> p");
    assert_eq!(
        written(&Model::Plain(net)).0,
        "net {a b}\npl p : {the p} (3)\npl q\ntr t : x p*2 q?-3 -> q*2\ntr {u v} -> p\n"
    );
}

#[test]
fn units_are_left_out_and_coloured_nets_refused() {
    let mut random = TestRng::new(1);
    let net = random::net(&mut random, &NetShape::default());
    let units = random::units(&mut random, &net);
    assert_eq!(written(&Model::Plain(net.with_nupn(Some(units)))).1.len(), 1);
    let coloured = Model::Coloured(random::coloured(&mut random, 0));
    let error = tina::write(&coloured, &mut Vec::new()).expect_err("coloured");
    assert!(matches!(error, NetWriteError::Inexpressible { .. }), "{error}");
    assert_eq!(error.to_string(), "a coloured net cannot be written in Tina's .net");
}

#[test]
fn written_random_nets_are_read_again() {
    let shape = NetShape { places: 8, transitions: 9, tokens: 5, weight: 4, inhibitors: 50 };
    for seed in 0..300 {
        same_again(random::net(&mut TestRng::new(seed), &shape));
    }
}

/// A name that none of them has.
fn fresh(names: &Names, wanted: &str) -> String {
    let mut name = wanted.to_owned();
    while names.find(&name).is_some() {
        name.push('}');
    }
    name
}

/// The net with other names, and labels where they are not empty.
fn renamed(net: &Net, names: &[String], labels: &[String]) -> Net {
    let mut builder = NetBuilder::new(names[0].clone());
    let (mut names, mut labels, nodes) = (names.iter(), labels.iter(), net.nodes());
    for (place, name) in nodes.place_ids().zip(&mut names) {
        let name = fresh(&builder.nodes_mut().places, name);
        builder.place(&name, net.initial_marking().tokens(place)).expect("a new name");
        builder.nodes_mut().places.set_label(place.index(), labels.next().expect("enough labels"));
    }
    for (transition, name) in nodes.transition_ids().zip(&mut names) {
        let name = fresh(&builder.nodes_mut().transitions, name);
        builder.transition(&name).expect("a new name");
        builder.nodes_mut().transitions.set_label(transition.index(), labels.next().expect("enough labels"));
        net.pre(transition).iter().for_each(|arc| builder.input(arc.place, transition, arc.weight));
        net.post(transition).iter().for_each(|arc| builder.output(transition, arc.place, arc.weight));
        net.inhibitors(transition)
            .iter()
            .for_each(|arc| builder.inhibitor(arc.place, transition, arc.weight));
    }
    builder.build().expect("small weights")
}

/// Names with all that has a meaning in the format, and anything else.
fn any_name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_']{0,4}",
        "[{}\\\\#:*?!() \n\t\\[\\]\u{e9}a-]{0,6}",
        "(net|tr|pl|lb|nt|pr|w|->)",
        any::<String>()
    ]
}

proptest! {
    #[test]
    fn any_names_are_read_again(
        seed in 0u64..1_000,
        names in prop::collection::vec(any_name(), 40),
        labels in prop::collection::vec(any_name(), 20),
    ) {
        let shape = NetShape { places: 6, transitions: 6, inhibitors: 30, ..NetShape::default() };
        same_again(renamed(&random::net(&mut TestRng::new(seed), &shape), &names, &labels));
    }
}
