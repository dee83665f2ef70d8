//! PNML as tools write it: labels under other names and in attributes, what is passed over, what is refused by name.

use fireset_io::{
    InputError, Source,
    net_file::{self, NetChoice, NetFile},
    pnml,
};
use fireset_net::{Model, Net, PlaceId, TransitionId, coloured::ColouredNet};
use fireset_oracle::tiny;

fn read(text: &str) -> Result<NetFile, InputError> {
    let read = pnml::read_net(text.as_bytes(), NetChoice::Only);
    read.map_err(|fault| InputError::locate_in("test", text, fault))
}

/// A file around the content of a net of a type.
fn file(kind: &str, content: &str) -> String {
    format!("<pnml><net id=\"n\" {kind}>\n{content}</net></pnml>")
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
fn refused(text: &str, message: &str) {
    let error = read(text).expect_err("it means something else");
    assert!(error.message.contains(message), "{error}");
}

/// The net `p:1 q; t: p -> 2*q` in the standard's form.
const STANDARD: &str = "<page id='g'><place id='p'><initialMarking><text>1</text></initialMarking></place><place id='q'/>\
    <transition id='t'/><arc id='a' source='p' target='t'/>\
    <arc id='b' source='t' target='q'><inscription><text>2</text></inscription></arc></page>";

/// The same net as another file has it; the names of nets are not compared.
#[track_caller]
fn is_the_same(net: &Net) {
    let expected = tiny::net("p:1 q; t: p -> 2*q");
    assert_eq!(tiny::text(net), tiny::text(&expected));
}

#[test]
fn the_content_decides_what_a_net_is() {
    let base = "http://www.pnml.org/version-2009/grammar/";
    for kind in [
        "ptnet",
        "pnmlcoremodel",
        "PTNet",
        "P/T net",
        "http://www.yasper.org/specs/epnml-1.1",
        "basicPNML.rng",
    ] {
        is_the_same(&plain(&file(&format!("type='{kind}'"), STANDARD)));
        is_the_same(&plain(&file(&format!("type='{base}{kind}'"), STANDARD)));
    }
    is_the_same(&plain(&file("", STANDARD)));
    let unknown = read(&file("type='unheard-of'", STANDARD)).unwrap();
    assert!(unknown.notes[0].contains("`unheard-of`"), "{:?}", unknown.notes);
    let colours = "<declaration><structure><declarations><namedsort id='s' name='s'><finiteenumeration>\
        <feconstant id='c' name='c'/></finiteenumeration></namedsort></declarations></structure></declaration>\
        <place id='p'><type><structure><usersort declaration='s'/></structure></type></place>";
    assert_eq!(coloured(&file("type='ptnet'", colours)).nodes().places.len(), 1);
    for (kind, meaning) in [("NPN", "nested"), ("http://x/yawl", "YAWL"), ("timed", "timed")] {
        refused(&file(&format!("type='{kind}'"), STANDARD), meaning);
    }
}

#[test]
fn pipe_says_value_and_default() {
    let text = file(
        "type='P/T net'",
        "<token id='Default' enabled='true' red='0' green='0' blue='0'/><labels x='1' y='2'><text>a note</text></labels>\
        <place id='p'><name><value>first</value></name><initialMarking><value>Default,1</value></initialMarking>\
        <capacity><value>0</value></capacity></place><place id='q'><initialMarking><value>0</value></initialMarking></place>\
        <transition id='t'><orientation><value>90</value></orientation><rate><value>1.0</value></rate>\
        <timed><value>false</value></timed><infiniteServer><value>false</value></infiniteServer>\
        <priority><value>1</value></priority></transition>\
        <arc id='a' source='p' target='t'><inscription><value>Default,1</value></inscription>\
        <tagged><value>false</value></tagged><arcpath id='0' x='1' y='2' curvePoint='false'/><type value='normal'/></arc>\
        <arc id='b' source='t' target='q'><inscription><value>2</value></inscription></arc>",
    );
    let read = read(&text).unwrap();
    let Model::Plain(net) = &read.model else { panic!("one class of tokens is a plain net") };
    is_the_same(net);
    assert_eq!(net.nodes().places.label(0), "first");
    assert!(read.notes.iter().any(|note| note.contains("`rate`")), "{:?}", read.notes);
    refused(&text.replace("<value>false</value></tagged>", "<value>true</value></tagged>"), "tagged");
    let other = "<transition id='u'><priority><value>2</value></priority></transition></net>";
    refused(&text.replace("</net>", other), "different priorities: 1 and 2");
}

#[test]
fn several_classes_of_tokens_are_colours() {
    let text = file(
        "type='P/T net'",
        "<place id='p'><initialMarking><value>Default,0,Red,2,Blue,1</value></initialMarking></place>\
        <place id='q'/><transition id='t'/>\
        <arc id='a' source='p' target='t'><inscription><value>Red,1,Blue,1</value></inscription></arc>\
        <arc id='b' source='t' target='q'><inscription><value>Red,2</value></inscription></arc>",
    );
    let net = coloured(&text);
    assert_eq!(net.place(PlaceId::new(0)).initial.total(), 3);
    assert_eq!(net.binding_count(TransitionId::new(0)), 1);
    refused(&text.replace("<value>Red,2</value>", "<value>2</value>"), "a plain count");
}

#[test]
fn tapaal_says_it_in_attributes() {
    let text = file(
        "active='true' type='P/T net'",
        "<place id='p' name='p' initialMarking='1' invariant='&lt; inf' positionX='1.0' positionY='2' markingOffsetX='0'/>\
        <place id='q' initialMarking='0' invariant='&lt; inf' displayName='true'/>\
        <transition angle='0' id='t' name='go' infiniteServer='false' priority='0' urgent='false' player='0'/>\
        <arc id='a' inscription='[0,inf)' source='p' target='t' type='timed' weight='1'><arcpath id='0' xCoord='1'/></arc>\
        <arc id='b' inscription='1' source='t' target='q' type='normal' weight='2' nameOffsetX='0'/>",
    );
    let net = plain(&text);
    is_the_same(&net);
    assert_eq!(net.nodes().transitions.label(0), "go");
    refused(&text.replace("[0,inf)", "[2,5]"), "the net is timed: the arc takes tokens of an age in `[2,5]`");
    refused(
        &text.replacen("&lt; inf", "&lt;= 3", 1),
        "the net is timed: tokens leave the place at an age `<= 3`",
    );
    refused(&text.replace("urgent='false'", "urgent='true'"), "the net is timed: a transition is urgent");
    refused(&text.replace("displayName", "tokens"), "unknown attribute `tokens` in a place");
    let moved = text.replace("type='timed'", "type='transport'").replace("[0,inf)'", "[0,inf):1'");
    is_the_same(&plain(&moved));
    let inhibits = text.replace("type='timed'", "type='tapnInhibitor'");
    assert_eq!(plain(&inhibits).inhibitors(TransitionId::new(0)).len(), 1);
}

#[test]
fn arcs_of_verifytapn_have_elements_of_their_own() {
    let text = file(
        "type='P/T net'",
        "<place id='p' initialMarking='1'/><place id='q'/><place id='r'/><transition id='t'><placeHolder/></transition>\
        <inputArc source='p' target='t' inscription='[0,inf)'/><outputArc source='t' target='q' inscription='2'/>\
        <inhibitorArc source='r' target='t' inscription='[0,inf)'/>",
    );
    let expected = tiny::net("p:1 q r; t: p, !r -> 2*q");
    assert_eq!(tiny::text(&plain(&text)), tiny::text(&expected));
    let moved = text
        .replace("<inputArc source='p' target='t' ", "<transportArc source='p' transition='t' target='q' ");
    let expected = tiny::net("p:1 q r; t: p, !r -> 3*q");
    assert_eq!(tiny::text(&plain(&moved)), tiny::text(&expected));
}

#[test]
fn components_share_places_and_transitions() {
    let text = "<pnml><shared-place name='lock' initialMarking='1' invariant='&lt; inf'/><shared-transition name='both'/>\
        <net id='A' active='true' type='P/T net'><place id='i' initialMarking='1'/><place id='lock' initialMarking='0'/>\
        <transition id='both'/><transition id='own'/><arc source='i' target='both'/><arc source='lock' target='own'/></net>\
        <net id='B' active='true' type='P/T net'><place id='i' initialMarking='2'/><place id='lock' initialMarking='0'/>\
        <transition id='both'/><arc source='i' target='both'/><arc source='both' target='lock'/></net>\
        <net id='C' active='false' type='P/T net'><place id='i' initialMarking='5'/></net></pnml>";
    let net = plain(text);
    let names: Vec<&str> = net.nodes().place_ids().map(|p| net.nodes().place(p)).collect();
    assert_eq!(names, ["A.i", "lock", "B.i"]);
    assert_eq!(net.initial_marking().0.to_vec(), [1, 1, 2]);
    let both = TransitionId::new(0);
    assert_eq!((net.nodes().transition(both), net.pre(both).len(), net.post(both).len()), ("both", 2, 1));
    let one = pnml::read_net(text.as_bytes(), NetChoice::Named("C")).unwrap();
    assert_eq!(one.model.nodes().places.len(), 1);
    let Model::Plain(alone) = pnml::read_net(text.as_bytes(), NetChoice::Named("A")).unwrap().model else {
        panic!("a component without colours")
    };
    assert_eq!(alone.initial_marking().0.to_vec(), [1, 1], "the shared place has the declared marking");
    refused(
        &text.replace("initialMarking='1' invariant='&lt; inf'", "invariant='&lt;= 4'"),
        "a shared place at an age `<= 4`",
    );
    refused(&text.replace("name='both'/>", "name='both' urgent='true'/>"), "a shared transition is urgent");
    let first = text.replace("id='own'", "id='own' priority='1'");
    refused(&first.replace("id='both'/><arc", "id='both' priority='2'/><arc"), "different priorities");
    assert!(pnml::read_net(text.as_bytes(), NetChoice::Named("D")).is_err());
}

#[test]
fn whole_numbers_may_have_a_decimal() {
    is_the_same(&plain(&file("", &STANDARD.replace("<text>2</text>", "<text>2.0</text>"))));
    for other in ["2.5", "2.000", ".0", "2."] {
        let text = STANDARD.replace("<text>2</text>", &format!("<text>{other}</text>"));
        refused(&file("", &text), "must be a whole number");
    }
}

#[test]
fn capacities_are_complementary_places() {
    let text = file(
        "",
        "<place id='p'><initialMarking><text>1</text></initialMarking><capacity><text>3</text></capacity></place>\
        <transition id='t'/><arc source='t' target='p'><inscription><text>2</text></inscription></arc>\
        <transition id='u'/><arc source='p' target='u'/>",
    );
    let expected = tiny::net("p:1 room:2; t: 2*room -> 2*p; u: p -> room");
    let found = tiny::text(&plain(&text)).replace("p.room", "room");
    assert_eq!(found, tiny::text(&expected));
    refused(&text.replace("<text>1</text>", "<text>4</text>"), "larger than the capacity");
}

#[test]
fn final_markings_are_kept() {
    let text = file(
        "",
        "<place id='p'/><place id='q'/><finalmarkings><marking><place idref='q'><text>2</text></place>\
        <place idref='p'><text>0</text></place></marking></finalmarkings>",
    );
    assert_eq!(read(&text).unwrap().final_markings, [vec![(PlaceId::new(1), 2)]]);
    refused(&text.replace("idref='q'", "idref='r'"), "no place or transition has the id `r`");
}

#[test]
fn data_and_nested_content_are_refused_by_name() {
    refused(&file("", "<transition id='t' guard='x > 3'/>"), "condition on data");
    refused(&file("", "<variables/>"), "variables for data");
    refused(&file("", "<transition id='t'><receive idref='c'/></transition>"), "a port of an open net");
    let stochastic = "<toolspecific tool='StochasticPetriNet' version='0.2'><property key='priority'>0</property></toolspecific>";
    let read = read(&file("", &format!("<transition id='t'>{stochastic}</transition>"))).unwrap();
    assert!(read.notes[0].contains("none has priority"), "{:?}", read.notes);
    refused(&file("", "<transition id='t'><horizontal_label/></transition>"), "nets that run in it");
}

#[test]
fn single_byte_encodings_are_decoded() {
    let mut text = b"<?xml version='1.0' encoding='ISO-8859-1'?><pnml><net id='n'><place id='m\xFCll'>\
        <name><text>T\xF6pfe</text></name></place><transition id='t'/>\n\xFC<arc source='m\xFCll' target='t'/>"
        .to_vec();
    let from = |bytes: &[u8]| net_file::read_net(&Source::memory("test", bytes.to_vec()), NetChoice::Only);
    let good = [&text[..], b"</net></pnml>"].concat();
    let file = from(&good).unwrap();
    let nodes = file.model.nodes();
    assert_eq!((nodes.place(PlaceId::new(0)), nodes.places.label(0)), ("m\u{fc}ll", "T\u{f6}pfe"));
    text.extend_from_slice(b"<arc source='m\xFCll' target='u'/></net></pnml>");
    let position = from(&text).unwrap_err().position.unwrap();
    assert_eq!((position.line, position.column), (2, 33), "columns count characters");
    assert!(position.text.contains("m\u{fc}ll"), "{}", position.text);
    let wrong = good.iter().map(|&byte| if byte == b'8' { b'7' } else { byte }).collect::<Vec<u8>>();
    assert!(from(&wrong).unwrap_err().message.contains("not UTF-8"));
}

#[test]
fn text_between_elements_is_passed_over() {
    let text = STANDARD
        .replace("<transition", "a line<transition")
        .replace("<place id='p'>", "<place id='p'>of text");
    let file = read(&file("", &text)).unwrap();
    let Model::Plain(net) = &file.model else { panic!("no colours") };
    is_the_same(net);
    assert!(file.notes[0].contains("characters between elements"), "{:?}", file.notes);
    refused(&self::file("", "<place id='p'><initialMarking>3</initialMarking></place>"), "found text");
}

#[test]
fn modules_are_pages_but_instances_are_not() {
    let page = STANDARD.replace("<page", "<module").replace("</page", "</module");
    is_the_same(&plain(&file("", &page)));
    refused(&file("", "<instance id='i' ref='m'/>"), "instances of modules");
    refused(&file("", "<page id='t'><net><place id='p'/></net></page>"), "a net within a net");
    refused("<pnml><net id='n'/><place id='p'/></pnml>", "outside of a `<net>`");
}

#[test]
fn arcs_read_or_are_refused_by_their_type() {
    let arc = |kind: &str| {
        let arc = format!(
            "<arc id='c' source='q' target='t'>{kind}<inscription><text>3</text></inscription></arc></page>"
        );
        file("", &STANDARD.replace("</page>", &arc))
    };
    let expected = tiny::net("p:1 q; t: p, 3*q -> 5*q");
    for kind in ["<type value='test'/>", "<type value='read'/>", "<arctype><text>read</text></arctype>"] {
        assert_eq!(tiny::text(&plain(&arc(kind))), tiny::text(&expected), "{kind}");
    }
    refused(&arc("<type value='reset'/>"), "reset arcs are not supported");
    refused(&arc("<type value='stopwatch'/>"), "arcs of the type `stopwatch`");
}

#[test]
fn components_of_tapaal_are_composed_even_if_they_share_nothing() {
    let nets = "<net id='A'><place id='p' initialMarking='1'/></net><net id='B'><place id='p'/></net>";
    refused(&format!("<pnml>{nets}</pnml>"), "the file has 2 nets");
    let composed = format!("<pnml>{nets}<k-bound bound='3'/></pnml>");
    let net = plain(&composed);
    assert_eq!((net.nodes().places.find("A.p"), net.nodes().places.find("B.p")), (Some(0), Some(1)));
    assert_eq!(
        plain(&format!("<pnml>{}</pnml>", nets.replace("id='B'", "id='B' active='true'")))
            .nodes()
            .places
            .len(),
        2
    );
}

#[test]
fn counts_may_be_constants_of_tapaal() {
    let text = "<pnml><constant name='N' value='4'/><constant name='Z' value='0'/><net id='A'>\
        <place id='p' initialMarking='N'/><place id='q'/><transition id='t'/>\
        <arc source='p' target='t' inscription='[Z,inf)' weight='N'/><arc source='t' target='q' inscription='2'/></net></pnml>";
    assert_eq!(tiny::text(&plain(text)), tiny::text(&tiny::net("p:4 q; t: 4*p -> 2*q")));
    refused(&text.replace("[Z,", "[N,"), "the net is timed");
    refused(&text.replace("weight='N'", "weight='M'"), "must be a whole number, but it is `M`");
}

#[test]
fn intervals_of_tina_must_exclude_nothing() {
    let net = |interval: &str| {
        file(
            "",
            &STANDARD.replace(
                "<transition id='t'/>",
                &format!(
                    "<transition id='t'><label><text>a</text></label>\
            <delay>{interval}</delay></transition>"
                ),
            ),
        )
    };
    is_the_same(&plain(&net("<interval closure='closed-open'><cn>0</cn><ci>infty</ci></interval>")));
    for timed in [
        "<interval closure='open'><cn>0</cn><ci>infty</ci></interval>",
        "<interval closure='closed-open'><cn>1</cn><ci>infty</ci></interval>",
        "<interval closure='closed'><cn>0</cn><cn>4</cn></interval>",
    ] {
        refused(&net(timed), "the net is timed: a transition has a delay");
    }
}

#[test]
fn an_inhibitor_arc_without_colours_counts_all_of_them() {
    let net = |count: u64| {
        file(
            "",
            &format!(
                "<declaration><structure><declarations><namedsort id='s' name='s'><cyclicenumeration>\
        <feconstant id='a' name='a'/><feconstant id='b' name='b'/></cyclicenumeration></namedsort>\
        <namedsort id='dot' name='dot'><dot/></namedsort></declarations></structure></declaration>\
        <place id='p'><type><structure><usersort declaration='s'/></structure></type></place><transition id='t'/>\
        <arc source='p' target='t' type='tapnInhibitor'><hlinscription><structure><numberof><subterm>\
        <numberconstant value='{count}'><positive/></numberconstant></subterm><subterm><all><usersort declaration='dot'/>\
        </all></subterm></numberof></structure></hlinscription></arc>"
            ),
        )
    };
    let read = coloured(&net(1));
    assert_eq!(read.transition(TransitionId::new(0)).inhibitors.len(), 1);
    refused(&net(2), "counts 2 tokens of all colours together");
}

#[test]
fn a_number_may_count_several_terms() {
    let text = file(
        "",
        "<declaration><structure><declarations><namedsort id='s' name='s'><cyclicenumeration>\
        <feconstant id='a' name='a'/><feconstant id='b' name='b'/></cyclicenumeration></namedsort></declarations></structure>\
        </declaration><place id='p'><type><structure><usersort declaration='s'/></structure></type><hlinitialMarking>\
        <structure><numberof><subterm><numberconstant value='3'><positive/></numberconstant></subterm>\
        <subterm><useroperator declaration='a'/></subterm><subterm><useroperator declaration='b'/></subterm></numberof>\
        </structure></hlinitialMarking></place>",
    );
    assert_eq!(coloured(&text).place(PlaceId::new(0)).initial.total(), 6);
}
