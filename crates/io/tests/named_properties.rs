//! Properties by name: they are printed as they are read, mean the formulas that they are, and leave their words to places.

use fireset_io::{net_file::NetFile, query};
use fireset_net::{
    Formula, Global, LivenessLevel, Marking, Model, NamedProperty, PlaceId, Query, SoundnessNotion,
    WorkflowEnds,
};
use fireset_oracle::tiny;

const NET: &str = "home:1 safe k bounded; dead: home -> safe; live: safe -> home, k";

fn parsed(text: &str) -> Formula {
    let net = tiny::net(NET);
    query::parse(text, net.nodes()).unwrap_or_else(|fault| panic!("{text}: {fault:?}")).formula
}

#[test]
fn properties_are_printed_as_they_are_read() {
    let net = tiny::net(NET);
    for (text, shown) in [
        ("bounded", "bounded"),
        ("bounded(k)", "bounded(k)"),
        ("bounded( home , k )", "bounded(home, k)"),
        ("k-bounded(3)", "k-bounded(3)"),
        ("k-bounded(3, k)", "k-bounded(3, k)"),
        ("deadlock-free", "deadlock-free"),
        ("reversible", "reversible"),
        ("home", "reversible"),
        ("home(k=2, home=1)", "home(home=1, k=2)"),
        ("home(k=0)", "home(home=0)"),
        ("dead(dead)", "dead(dead)"),
        ("live(dead, 2)", "live(dead, 2)"),
        ("live(\"live\", 4)", "live(\"live\")"),
        ("live(dead, \"live\")", "live(dead, \"live\")"),
        ("persistent", "persistent"),
        (" terminating ", "terminating"),
        ("safe", "one-safe"),
    ] {
        let formula = parsed(text);
        assert_eq!(query::show(&formula, net.nodes()), shown, "{text}");
        assert_eq!(parsed(shown), formula, "{text}");
    }
    assert_eq!(parsed("safe"), Formula::Global(Global::OneSafe));
}

#[test]
fn words_stay_names_of_places() {
    for text in ["AG (home + safe = 1)", "EF k-bounded > 0", "EF home > 0", "EF safe = 1 && bounded = 0"] {
        assert!(matches!(parsed(text), Formula::ForAll(_) | Formula::Exists(_) | Formula::And(_)), "{text}");
    }
}

#[test]
fn properties_mean_their_formulas() {
    let net = tiny::net(NET);
    let query_of = |text: &str| query::read("q", text, net.nodes()).unwrap().query().unwrap();
    for (property, formula) in [
        ("deadlock-free", "AG !deadlock"),
        ("dead(dead)", "AG !fireable(dead)"),
        ("live(dead, 1)", "EF fireable(dead)"),
        ("live(dead)", "AG EF fireable(dead)"),
        ("home(k=2)", "AG EF (home = 0 && safe = 0 && k = 2 && bounded = 0)"),
    ] {
        assert_eq!(query_of(property), query_of(formula), "{property}");
    }
    let level = NamedProperty::Live(vec![fireset_net::TransitionId::new(0)], LivenessLevel::L3);
    assert_eq!(query_of("live(dead, 3)"), Query::Named(level));
}

#[test]
fn mistakes_are_told_with_their_position() {
    let net = tiny::net(NET);
    for (text, offset, message) in [
        ("live(dead, 5)", 11, "there is no level 5 of liveness"),
        ("home(k)", 6, "expected `=`"),
        ("home(k=1, k=2)", 10, "`k` is named twice"),
        ("k-bounded(k)", 10, "the largest number of tokens"),
        ("dead(k)", 5, "is a place"),
        ("bounded()", 8, "expected a place"),
        ("AG bounded(k)", 3, "can only stand alone"),
        ("live(dead", 9, "`,` or `)`"),
    ] {
        let fault = query::parse(text, net.nodes()).expect_err(text);
        let shown = format!("{fault:?}");
        assert!(shown.contains(message) && shown.contains(&offset.to_string()), "{text}: {shown}");
    }
}

/// The ends are those of the file, or the sink of a workflow net; the net is asked as it is.
#[test]
fn soundness_gets_its_final_markings_from_the_file() {
    let file = |text: &str| NetFile::of(Model::Plain(tiny::net(text)));
    let line = file("i:1 o sound; t: i -> sound; u: sound -> o");
    let ended = NetFile { final_markings: vec![vec![], vec![(PlaceId::new(2), 3)]], ..line.clone() };
    for notion in SoundnessNotion::ALL {
        let word = notion.name();
        let bound = |file: &NetFile, finals: Vec<[u64; 3]>| {
            let finals = finals.into_iter().map(|end| Marking(end.into())).collect();
            let property = NamedProperty::Sound(notion, WorkflowEnds { finals, ignored: Vec::new() });
            let formula = query::parse(word, file).expect(word).formula;
            assert_eq!(formula, Formula::Named(property), "{word}");
            assert_eq!(query::show(&formula, file), word);
        };
        bound(&line, vec![[0, 1, 0]]);
        bound(&ended, vec![[0, 0, 0], [0, 0, 3]]);
        for (refused, message) in [
            (file("i o; t: i -> o"), "no token in its initial marking"),
            (file("p:1; t: p -> p"), "no source place"),
        ] {
            let fault = format!("{:?}", query::parse(word, &refused).expect_err(word));
            assert!(fault.contains(message), "{fault}");
        }
        let fault = query::parse(word, &line.model).expect_err("a net without its file");
        assert!(format!("{fault:?}").contains("the net's file"), "{fault:?}");
    }
    // A place may have the name.
    assert!(query::parse("EF sound = 1", &line).is_ok());
}
