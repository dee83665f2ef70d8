//! Projects of GreatSPN: what is read, what is refused by name.

use fireset_io::{
    Fault, Source,
    net_file::{self, NetChoice, NetFile},
    pnpro,
};
use fireset_net::{Model, Net, PlaceId, TransitionId, coloured::ColouredNet};
use fireset_oracle::tiny;

fn read(text: &str) -> Result<NetFile, Fault> {
    pnpro::read_net(text.as_bytes(), NetChoice::Only)
}

/// A project with one net.
fn project(nodes: &str, edges: &str) -> String {
    format!(
        "<?xml version='1.0'?><!-- saved by the New GreatSPN Editor --><project name='p' version='121'>\n\
        <gspn name='n'><nodes>{nodes}</nodes><edges>{edges}</edges></gspn></project>"
    )
}

#[track_caller]
fn plain(text: &str) -> Net {
    match read(text) {
        Ok(NetFile { model: Model::Plain(net), .. }) => net,
        other => panic!("not a plain net: {other:?}"),
    }
}

#[track_caller]
fn coloured(text: &str) -> ColouredNet {
    match read(text) {
        Ok(NetFile { model: Model::Coloured(net), .. }) => net,
        other => panic!("not a coloured net: {other:?}"),
    }
}

#[track_caller]
fn refused(text: &str, message: &str) -> Fault {
    let fault = read(text).expect_err("it means something else");
    assert!(fault.message.contains(message), "{fault:?}");
    fault
}

const NODES: &str = "<place marking='1' name='p' x='1.0' y='2.0'/><place name='q' magnets='THREE_PER_SIDE'/>\
    <transition delay='lambda' name='t' type='EXP' nservers='2' x='1' y='2'/><text-box name='b'>a note</text-box>\
    <constant consttype='REAL' name='lambda' value='1.5'/>";
const EDGES: &str = "<arc head='t' kind='INPUT' mult-k='0.5' tail='p'><point x='1' y='2'/></arc>\
    <arc head='q' kind='OUTPUT' mult='2' tail='t'/>";

#[test]
fn a_net_with_rates_is_read_without_them() {
    let file = read(&project(NODES, EDGES)).unwrap();
    let Model::Plain(net) = &file.model else { panic!("no colours") };
    assert_eq!(tiny::text(net), tiny::text(&tiny::net("p:1 q; t: p -> 2*q")));
    assert!(file.notes[0].contains("rates"), "{:?}", file.notes);
    let inhibited = format!("{EDGES}<arc head='t' kind='INHIBITOR' mult='3' tail='q'/>");
    let inhibitors = plain(&project(NODES, &inhibited)).inhibitors(TransitionId::new(0)).to_vec();
    assert_eq!(inhibitors.iter().map(|arc| (arc.place.index(), arc.weight)).collect::<Vec<_>>(), [(1, 3)]);
    let source = Source::memory("test", project(NODES, EDGES).into_bytes());
    assert!(net_file::read_net(&source, NetChoice::Only).is_ok(), "the content tells the format");
}

#[test]
fn counts_are_sums_and_products_of_constants() {
    let nodes = NODES.replace("marking='1'", "marking='2*(N+1)-M'")
        + "<constant name='N' value='3'/><constant name='M' value='N-1'/>";
    let edges = EDGES.replace("mult='2'", "mult=' N '");
    let expected = tiny::net("p:6 q; t: p -> 3*q");
    assert_eq!(tiny::text(&plain(&project(&nodes, &edges))), tiny::text(&expected));
    let count = |count: &str| project(&nodes.replace("2*(N+1)-M", count), EDGES);
    let fault = refused(&count("K"), "no constant is called `K`");
    assert_eq!(fault.element.as_deref(), Some("place p"));
    assert_eq!(fault.offset, count("K").find("<place").unwrap() as u64);
    refused(
        &project(&(nodes.clone() + "<template name='K' type='INTEGER'/>"), &EDGES.replace('2', "K")),
        "the parameter `K` has no value",
    );
    refused(&count("N-M-9"), "is negative");
    refused(&count("9223372036854775807*9223372036854775807"), "64 bits");
    refused(&count("#q"), "depend on the marking");
    refused(&count("Max[1,2]"), "depend on the marking");
    refused(&count("2 3"), "expected a count, found `3`");
    let cycle = nodes + "<constant name='A' value='A+A'/>";
    refused(&project(&cycle.replace("2*(N+1)-M", "A"), EDGES), "nest too deeply");
}

#[test]
fn what_fires_first_is_refused() {
    let two = |one: &str, other: &str| {
        project(&format!("<transition name='a' {one}/><transition name='b' {other}/>"), "")
    };
    assert_eq!(plain(&two("type='IMM'", "type='IMM' priority='1'")).nodes().transitions.len(), 2);
    assert_eq!(
        plain(&two("type='IMM' priority='2'", "type='IMM' priority='2' weight='3'"))
            .nodes()
            .transitions
            .len(),
        2
    );
    refused(&two("type='EXP'", "type='IMM'"), "the immediate transition `b` fires before the timed one `a`");
    refused(&two("type='IMM'", "type='IMM' priority='3'"), "priorities: 1 of `a`, 3 of `b`");
    refused(&two("type='EXP'", "type='GEN'"), "`b` has a general firing time");
    refused(&two("type='EXP'", "type='CONTINUOUS'"), "transitions of the type `CONTINUOUS`");
}

/// Philosophers with colours: each takes two forks.
fn philosophers(class: &str) -> String {
    project(
        &format!(
            "<color-class definition='{class}' name='P'/><color-var domain='P' name='x'/><constant name='N' value='3'/>\
            <place domain='P' marking='&lt;All>' name='fork'/><place domain='P' marking='&lt;All> - &lt;p2>' name='think'/>\
            <place domain='P' name='eat'/><place name='done'/><transition name='take' type='EXP'/>"
        ),
        "<arc kind='INPUT' tail='think' head='take' mult='&lt;x>'/><arc kind='INPUT' tail='fork' head='take' mult='&lt;x>+&lt;x++>'/>\
        <arc kind='OUTPUT' tail='take' head='eat' mult='&lt;x>'/><arc kind='OUTPUT' tail='take' head='done'/>",
    )
}

#[test]
fn colours_are_read() {
    let net = coloured(&philosophers("circular p{1..N}"));
    let tokens: Vec<u128> = (0..4).map(|p| net.place(PlaceId::new(p)).initial.total()).collect();
    assert_eq!(tokens, [3, 2, 0, 0]);
    assert_eq!(net.binding_count(TransitionId::new(0)), 3);
    assert_eq!(net.transition(TransitionId::new(0)).pre.len(), 2);
    refused(&philosophers("p{1..N}"), "only in classes that are `circular`");
    refused(&philosophers("circular p{1..K}"), "no constant is called `K`");
    refused(&philosophers("circular p{1..99999999999}"), "more than 1048576 colours");
    refused(&philosophers("Q"), "no colour class is called `Q`");
    let with = |from: &str, to: &str| philosophers("circular p{1..N}").replace(from, to);
    refused(&with("&lt;p2>", "&lt;p7>"), "no variable or colour of this class is called `p7`");
    refused(&with("&lt;p2>", "&lt;x>"), "the initial marking has variables");
    refused(&with("head='eat' mult='&lt;x>'", "head='eat'"), "the arc has no colours, but its place has");
    refused(&with("head='eat' mult='&lt;x>'", "head='eat' mult='&lt;x,x>'"), "fewer components");
}

#[test]
fn products_and_parts_are_read() {
    let text = |guard: &str| {
        project(
            &format!(
                "<color-class definition='C*S' name='CS'/><color-class definition='c{{1..2}}' name='C'/>\
                <color-class definition='{{a,b}} is High + s{{1..3}} is Low' name='S'/><color-var domain='C' name='c'/>\
                <color-var domain='S' name='s'/><color-var domain='S' name='r'/>\
                <place name='p' domain='CS' marking='2&lt;c1,All>'/><place name='q' domain='S'/>\
                <transition name='t' type='EXP' guard='{guard}'/>"
            ),
            "<arc kind='INPUT' tail='p' head='t' mult='&lt;c,s>'/><arc kind='OUTPUT' tail='t' head='q' mult='&lt;r>'/>",
        )
    };
    let net = coloured(&text("s in High &amp;&amp; (r != s || r == s1)"));
    assert_eq!(net.place(PlaceId::new(0)).initial.total(), 10);
    assert_eq!(net.binding_count(TransitionId::new(0)), 2 * 5 * 5);
    assert!(read(&text("!(s !in Low)")).is_ok());
    refused(&text("Mod[CN[r],CN[s]] == 0"), "the function `Mod` in a guard");
    refused(&text("#p > 2"), "depend on the marking");
    refused(&text("s in Middle"), "no part of the class is called `Middle`");
    refused(&text("s == c"), "the variable `c` is of another class");
    refused(&text(&"(".repeat(100_000)), "nests too deeply");
}

#[test]
fn one_of_several_nets_is_chosen() {
    let other = "<dta name='d'/><gspn name='m'><nodes><place name='r'/></nodes><edges/></gspn></project>";
    let two = project(NODES, EDGES).replace("</project>", other);
    refused(&two, "the project has 2 nets");
    let chosen = pnpro::read_net(two.as_bytes(), NetChoice::Named("m")).unwrap();
    assert_eq!(chosen.model.nodes().places.len(), 1);
    assert!(chosen.notes[0].contains("dta `d`"), "{:?}", chosen.notes);
    assert!(pnpro::read_net(two.as_bytes(), NetChoice::Named("d")).is_err());
    refused("<project><dta name='d'/></project>", "no net, but dta `d`");
    refused("<project><measures/></project>", "the project has no net");
}

#[test]
fn wrong_files_are_refused() {
    refused(&project("<plaec name='p'/>", ""), "unknown element `<plaec>`");
    refused(&project("<place/>", ""), "`<place>` has no attribute `name`");
    refused(&project("<place name='p' type='CONTINUOUS'/>", ""), "places of the type `CONTINUOUS`");
    refused(&project("<place name='p'/><place name='p'/>", ""), "declared twice");
    refused(&project(NODES, "<arc kind='INPUT' tail='r' head='t'/>"), "no place is called `r`");
    refused(&project(NODES, "<arc kind='TEST' tail='p' head='t'/>"), "arcs of the kind `TEST`");
    refused(&project("<transition name='t' guard='x==y'/>", ""), "has a guard, but the net has no colours");
    let build =
        Source::memory("build.xml", b"<project name='ant' default='all'><target/></project>".to_vec());
    assert!(net_file::read_net(&build, NetChoice::Only).is_err());
}
