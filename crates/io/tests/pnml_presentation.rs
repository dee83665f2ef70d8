//! PNML in, PNML out: what the file says of the presentation stays.

use fireset_io::{
    Source,
    net_file::{self, NetChoice, NetFile},
    pnml::{self, Keeping},
};
use fireset_net::Model;
use fireset_oracle::random::{self, TestRng};

fn keeping(text: &str) -> NetFile {
    pnml::read_net_keeping(text.as_bytes(), NetChoice::Only, Keeping::Everything)
        .unwrap_or_else(|fault| panic!("{fault:?}\n{text}"))
}

/// The file that is written for one that was read.
fn written(text: &str) -> String {
    let file = keeping(text);
    let mut out = Vec::new();
    pnml::write_with(&file.model, &file.presentation.expect("it was kept"), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[track_caller]
fn has(text: &str, pieces: &[&str]) {
    for piece in pieces {
        assert!(text.contains(piece), "{piece} is not in\n{text}");
    }
}

const FILE: &str = r##"<?xml version="1.0"?>
<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml" xmlns:w="http://woped">
<net id="n7" type="http://www.pnml.org/version-2009/grammar/ptnet">
<name><text>a net</text><graphics><offset x="9" y="8"/></graphics></name>
<toolspecific tool="Editor" version="1"><zoom>1.5</zoom><w:bounds x="1"/></toolspecific>
<page id="g">
<place id="p"><name><text>first</text><graphics><offset x="1" y="2"/></graphics></name>
<graphics><position x="10" y="20.5"/><dimension x="40" y="40"/><fill color="#ff0000"/><line width="2"/></graphics>
<initialMarking><text>1</text><graphics><offset x="3" y="4"/></graphics>
<toolspecific tool="org.pnml.tool" version="1.0"><tokengraphics><tokenposition x="-2" y="-2"/></tokengraphics></toolspecific></initialMarking>
<toolspecific tool="Editor" version="1"><note>a &lt; b &amp; c</note></toolspecific></place>
<place id="q"><initialMarking><text>0</text><graphics><offset x="5" y="6"/></graphics></initialMarking></place>
<transition id="t"><graphics><position x="30" y="20"/></graphics><toolspecific tool="ProM" version="6" activity="go"/></transition>
<arc id="a1" source="p" target="t"><graphics><position x="15" y="20"/><position x="25" y="20"/></graphics>
<inscription><text>1</text><graphics><offset x="7" y="7"/></graphics></inscription></arc>
<arc id="a2" source="t" target="q"><inscription><text>2</text></inscription><toolspecific tool="Editor" version="1"><bend/></toolspecific></arc>
<toolspecific tool="nupn" version="1.1"><structure units="1" root="u" safe="false"><unit id="u"><places>p q</places><subunits/></unit></structure></toolspecific>
</page>
<finalmarkings><marking><place idref="q"><text>2</text></place></marking></finalmarkings>
</net></pnml>"##;

#[test]
fn layout_and_parts_of_tools_stay() {
    let text = written(FILE);
    has(
        &text,
        &[
            "xmlns:w=\"http://woped\"",
            "<net id=\"n7\"",
            "<name><text>a net</text><graphics><offset x=\"9\" y=\"8\"/></graphics></name>",
            "<zoom>1.5</zoom><w:bounds x=\"1\"/>",
            "<name><text>first</text><graphics><offset x=\"1\" y=\"2\"/></graphics></name>",
            "<position x=\"10\" y=\"20.5\"/><dimension x=\"40\" y=\"40\"",
            "<fill color=\"#ff0000\"",
            "<initialMarking><text>1</text><graphics><offset x=\"3\" y=\"4\"",
            "<tokenposition x=\"-2\" y=\"-2\"",
            "<note>a &lt; b &amp; c</note>",
            "<initialMarking><text>0</text><graphics><offset x=\"5\" y=\"6\"",
            "<toolspecific tool=\"ProM\" version=\"6\" activity=\"go\"",
            "<arc id=\"a1\" source=\"p\" target=\"t\"><inscription><text>1</text><graphics><offset x=\"7\" y=\"7\"",
            "<position x=\"15\" y=\"20\"/><position x=\"25\" y=\"20\"",
            "<arc id=\"a2\" source=\"t\" target=\"q\"><inscription><text>2</text></inscription><toolspecific",
            "<unit id=\"u\"><places>p q</places>",
            "<finalmarkings><marking><place idref=\"q\"><text>2</text></place></marking></finalmarkings>",
        ],
    );
    assert_eq!(text.matches("<structure units").count(), 1, "the units are written once");
    let (before, after) = (keeping(FILE), keeping(&text));
    assert_eq!(before.model, after.model);
    assert_eq!(before.final_markings, after.final_markings);
    assert_eq!(text, written(&text), "writing it again changes nothing");
}

#[test]
fn nothing_is_kept_unless_it_is_asked_for() {
    let file = pnml::read_net(FILE.as_bytes(), NetChoice::Only).unwrap();
    assert!(file.presentation.is_none());
    assert_eq!(file.model, keeping(FILE).model);
    let source = Source::memory("test", FILE.as_bytes().to_vec());
    assert!(net_file::read_net(&source, NetChoice::Only).unwrap().presentation.is_none());
    assert!(net_file::read_whole_net(&source, NetChoice::Only).unwrap().presentation.is_some());
}

#[test]
fn coloured_nets_keep_it_too() {
    let text = r##"<pnml><net id="c" type="symmetricnet"><declaration><structure><declarations>
        <namedsort id="s" name="s"><cyclicenumeration><feconstant id="a" name="a"/><feconstant id="b" name="b"/></cyclicenumeration></namedsort>
        <variabledecl id="x" name="x"><usersort declaration="s"/></variabledecl></declarations></structure></declaration>
        <page id="g"><place id="p"><graphics><position x="1" y="2"/></graphics><type><text>S &amp; more</text><graphics><offset x="3" y="3"/></graphics>
        <structure><usersort declaration="s"/></structure></type><hlinitialMarking><text>1'a</text><structure><useroperator declaration="a"/></structure>
        </hlinitialMarking></place><transition id="t"><name><graphics><offset x="4" y="4"/></graphics><text>go</text></name><condition><text>x = a</text>
        <structure><equality><subterm><variable refvariable="x"/></subterm><subterm><useroperator declaration="a"/></subterm></equality></structure>
        <graphics><offset x="5" y="5"/></graphics></condition></transition><arc id="k" source="p" target="t"><hlinscription><text>x</text>
        <structure><variable refvariable="x"/></structure></hlinscription><graphics><position x="6" y="6"/></graphics></arc></page></net></pnml>"##;
    let out = written(text);
    has(
        &out,
        &[
            "<net id=\"c\"",
            "<type><text>S &amp; more</text><graphics><offset x=\"3\" y=\"3\"/></graphics><structure>",
            "<hlinitialMarking><text>1'a</text><structure>",
            "<name><text>go</text><graphics><offset x=\"4\" y=\"4\"",
            "<condition><text>x = a</text><graphics><offset x=\"5\" y=\"5\"",
            "<arc id=\"k\" source=\"p\" target=\"t\"><hlinscription><text>x</text><structure>",
            "</hlinscription><graphics><position x=\"6\" y=\"6\"",
        ],
    );
    assert_eq!(keeping(text).model, keeping(&out).model);
    assert_eq!(out, written(&out));
}

#[test]
fn pages_become_one_and_references_are_followed() {
    let text = "<pnml><net id='n'><page id='g'><place id='p'/><page id='h'><referencePlace id='r' ref='p'/><transition id='t'/>\
        <toolspecific tool='x' version='1'><kept/></toolspecific>\
        <arc id='a' source='r' target='t'><graphics><position x='1' y='1'/></graphics></arc></page></page></net></pnml>";
    let out = written(text);
    has(&out, &["<kept/>", "<arc id=\"a\" source=\"p\" target=\"t\"><graphics><position x='1' y='1'"]);
    assert_eq!(out.matches("<page ").count(), 1);
}

#[test]
fn positions_in_attributes_become_graphics() {
    let text = "<pnml><net id='A' active='true'><place id='p' positionX='12.5' positionY='30' initialMarking='1'/></net></pnml>";
    has(&written(text), &["<graphics><position x=\"12.5\" y=\"30\"/></graphics>"]);
    let odd = text.replace("12.5", "\"/&gt;&lt;place id=\"z");
    assert!(!written(&odd).contains("graphics"), "a position is a number");
}

#[test]
fn pieces_that_need_other_declarations_are_left_out() {
    let inner = "<pnml><net id='n'><page id='g' xmlns:w='u'><place id='p'><toolspecific tool='a'><w:b/></toolspecific>\
        <graphics><position x='1' y='2'/></graphics></place></page></net></pnml>";
    let out = written(inner);
    assert!(!out.contains("w:b"), "{out}");
    let entity = "<!DOCTYPE pnml [<!ENTITY e 'x'>]><pnml><net id='n'><place id='p'><toolspecific tool='a'>&e;</toolspecific></place></net></pnml>";
    assert!(!written(entity).contains("&e;"));
}

/// What is kept does not change the net: random nets with random layout, written and read again.
#[test]
fn random_nets_stay_the_same() {
    for seed in 0..200 {
        let mut random = TestRng::new(seed);
        let net = match seed % 2 {
            0 => Model::Plain(random::grown(&mut random, 30)),
            _ => Model::Coloured(random::coloured(&mut random, 30)),
        };
        let mut text = Vec::new();
        pnml::write(&net, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let layout = format!(
            "<graphics><position x='{seed}' y='-1'/></graphics><toolspecific tool='x' version='1'>&#65;<a b='>'/></toolspecific>"
        );
        let drawn = text
            .replace("</place>", &format!("{layout}</place>"))
            .replace("</arc>", &format!("{layout}</arc>"));
        let out = written(&drawn);
        // Reading normalises terms, so the net is compared with the one that was read.
        let net = pnml::read(text.as_bytes()).unwrap();
        assert_eq!(keeping(&out).model, net, "seed {seed}");
        let count = |text: &str| text.matches("<graphics>").count();
        assert_eq!(count(&out), count(&drawn), "seed {seed}");
    }
}
