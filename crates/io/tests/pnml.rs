//! Place/transition nets in PNML: every construct that is read, and what is said where it is wrong.

use fireset_io::{
    InputError,
    net_file::{self, NetChoice},
    pnml,
};
use fireset_net::{Model, Net, PlaceId, TransitionId, UnitId};
use fireset_oracle::tiny;

/// A file around the content of a net, which starts in line 2.
fn file(content: &str) -> String {
    let kind = "http://www.pnml.org/version-2009/grammar/ptnet";
    format!("<pnml><net id=\"n\" type=\"{kind}\">\n{content}</net></pnml>")
}

fn net(content: &str) -> Net {
    match read(&file(content)) {
        Ok(Model::Plain(net)) => net,
        other => panic!("not a plain net: {other:?}"),
    }
}

fn read(text: &str) -> Result<Model, Box<InputError>> {
    pnml::read(text.as_bytes()).map_err(|fault| InputError::locate_in("test", text, fault).into())
}

/// Message, element, line and hint of what is wrong.
fn wrong(text: &str) -> (String, String, u64, String) {
    let error = read(text).expect_err("the file is wrong");
    let (element, hint) = (error.element.unwrap_or_default(), error.hint.unwrap_or_default());
    (error.message, element, error.position.map_or(0, |position| position.line), hint)
}

#[track_caller]
fn refused(text: &str, message: &str, element: &str, line: u64, hint: &str) {
    let found = wrong(text);
    assert_eq!(
        (found.0.as_str(), found.1.as_str(), found.2, found.3.as_str()),
        (message, element, line, hint)
    );
}

#[track_caller]
fn same_again(model: &Model) {
    let mut text = Vec::new();
    pnml::write(model, &mut text).expect("a vector takes everything");
    let text = String::from_utf8(text).expect("PNML is UTF-8");
    assert_eq!(read(&text).as_ref(), Ok(model), "{text}");
}

const SMALL: &str = r#"<name><text> small &amp; <![CDATA[<nice>]]> </text></name>
<page id="page"><name><text>a page</text></name>
<arc id="a1" source="p" target="t"><inscription><text> 2 </text></inscription></arc>
<place id="p"><name><graphics/><text>first</text></name><initialMarking><text>3</text></initialMarking></place>
<place id="q"/>
<transition id="t"><name><text>t</text></name></transition>
<arc id="a2" source="t" target="q"><graphics><line/></graphics></arc>
<arc id="a3" source="t" target="p"><inscription><text>0</text></inscription></arc>
</page>"#;

#[test]
fn a_small_net_is_read() {
    let net = net(SMALL);
    assert_eq!(net.name, "small & <nice>");
    let nodes = net.nodes();
    assert_eq!((nodes.places.label(0), nodes.places.label(1)), ("first", "q"));
    assert_eq!(nodes.transitions.label(0), "t");
    assert_eq!(&*net.initial_marking().0, [3, 0]);
    let arc =
        |arcs: &[fireset_net::Arc]| arcs.iter().map(|a| (a.place.index(), a.weight)).collect::<Vec<_>>();
    let t = TransitionId::new(0);
    assert_eq!((arc(net.pre(t)), arc(net.post(t)), net.arc_count()), (vec![(0, 2)], vec![(1, 1)], 2));
    same_again(&Model::Plain(net));
}

#[test]
fn prefixes_marks_and_declarations_of_documents_do_not_matter() {
    let text = "\u{FEFF}<?xml version=\"1.0\"?><!DOCTYPE pnml [<!ENTITY x \"y\">]>\n<!-- c --><p:pnml><p:net \
                id='n' type='http://www.pnml.org/version-2009/grammar/ptnet'><p:place id='p'/></p:net></p:pnml>\n";
    let model = read(text).unwrap();
    assert_eq!((model.name(), model.nodes().places.len()), ("n", 1));
    let marked = format!("\u{FEFF}{}", file("<place/>"));
    refused(&marked, "`<place>` has no attribute `id`", "", 2, "");
    assert_eq!(pnml::read(marked.as_bytes()).unwrap_err().offset, marked.find("<place").unwrap() as u64);
}

#[test]
fn inhibitor_arcs_are_read_in_all_notations() {
    for (attribute, child) in [
        ("type='inhibitor'", ""),
        ("type='tapnInhibitor'", ""),
        ("", "<type value='inhibitor'/>"),
        ("", "<type><text>inhibitor</text></type>"),
        ("", "<toolspecific tool='TAPAAL' version='1'><inhibitor/></toolspecific>"),
        ("", "<toolspecific tool='tapaal' version='1'><arc type='inhibitor'/></toolspecific>"),
    ] {
        let net = net(&format!(
            "<place id='p'/><transition id='t'/><arc id='a' source='p' target='t' {attribute}>{child}\
             <inscription><text>2</text></inscription></arc>"
        ));
        let found: Vec<_> =
            net.inhibitors(TransitionId::new(0)).iter().map(|a| (a.place.index(), a.weight)).collect();
        assert_eq!((found, net.arc_count()), (vec![(0, 2)], 1), "{attribute}{child}");
        same_again(&Model::Plain(net));
    }
    let normal = net("<place id='p'/><transition id='t'/><arc id='a' source='p' target='t' type='normal'>\
                      <type value='normal'/><toolspecific tool='x'><inhibitor/></toolspecific></arc>");
    assert!(!normal.has_inhibitors());
}

#[test]
fn references_are_followed_through_pages() {
    let net = net(
        "<page id='one'><referencePlace id='r2' ref='r1'/><page id='two'><referencePlace id='r1' ref='p'/>\
         <referenceTransition id='s' ref='t'/><arc id='a' source='r2' target='s'/></page></page>\
         <page id='three'><place id='p'/><transition id='t'/></page>",
    );
    assert_eq!((net.nodes().places.len(), net.nodes().transitions.len()), (1, 1));
    assert_eq!(net.pre(TransitionId::new(0))[0].place, PlaceId::new(0));
}

#[test]
fn wrong_references_are_refused() {
    refused(
        &file("<referencePlace id='a' ref='b'/>\n<referencePlace id='b' ref='a'/>"),
        "the reference `a` leads to itself",
        "",
        2,
        "a reference must lead to a place or transition",
    );
    refused(
        &file("<transition id='t'/>\n<referencePlace id='a' ref='t'/>"),
        "`a` is a referencePlace, but it leads to the transition `t`",
        "",
        3,
        "",
    );
    refused(
        &file("<place id='place1'/>\n<referencePlace id='a' ref='plase1'/>"),
        "no place or transition has the id `plase1`",
        "reference a",
        3,
        "did you mean `place1`?",
    );
}

const UNITS: &str = r#"<page id="g"><place id="p"/><place id="q"/><place id="r"/>
<toolspecific tool="nupn" version="1.1"><size places="3" transitions="0" arcs="0"/>
<structure units="3" root="u0" safe="true">
<unit id="u0"><places/><subunits>u1 u2</subunits></unit>
<unit id="u1"><places>p
 q</places><subunits/></unit>
<unit id="u2"><places>r</places><subunits/></unit>
</structure></toolspecific></page>"#;

#[test]
fn nested_units_are_read() {
    let net = net(UNITS);
    let nupn = net.nupn().unwrap();
    assert_eq!((nupn.root, nupn.unit_safe, nupn.units.len()), (UnitId::new(0), true, 3));
    assert_eq!(nupn.units[0].subunits, [UnitId::new(1), UnitId::new(2)]);
    assert_eq!(nupn.units[1].places, [PlaceId::new(0), PlaceId::new(1)]);
    same_again(&Model::Plain(net));
}

#[test]
fn wrong_units_are_refused() {
    let with = |from: &str, to: &str| file(&UNITS.replace(from, to));
    let (tree, once) = ("units form a tree", "every place belongs to exactly one unit");
    let twice = |unit: &str| format!("the unit `{unit}` is below two units or below itself");
    refused(&with(">u1 u2<", ">u1<"), "the unit `u2` is not below the root `u0`", "unit u2", 8, tree);
    refused(&with(">u1 u2<", ">u1 u2 u2<"), &twice("u2"), "unit u0", 5, tree);
    refused(&with(">u1 u2<", ">u1 u2 u0<"), &twice("u0"), "unit u0", 5, tree);
    refused(&with(">u1 u2<", ">u1 u22<"), "no unit has the id `u22`", "unit u0", 5, "did you mean `u2`?");
    refused(&with(">r<", ">r p<"), "the place `p` is in the unit `u1` already", "unit u2", 8, once);
    refused(&with(">r<", "><"), "the place `r` is in no unit", "", 2, once);
    refused(&with(">r<", ">r s<"), "no place or transition has the id `s`", "unit u2", 8, "");
    refused(&with("\"u2\"", "\"u1\""), "the unit `u1` is declared twice", "unit u1", 8, "");
    refused(&with("root=\"u0\"", "root=\"u\""), "no unit has the id `u`", "", 4, "");
}

#[test]
fn wrong_numbers_are_refused() {
    let place = |tokens: &str| {
        file(&format!("<place id='p'>\n<initialMarking><text>{tokens}</text></initialMarking></place>"))
    };
    let hint = "write a whole number from 0 to 18446744073709551615";
    refused(&place("-3"), "an initial marking cannot be negative, but it is -3", "place p", 3, hint);
    refused(&place("1.5"), "an initial marking must be a whole number, but it is `1.5`", "place p", 3, hint);
    let message = "an initial marking must fit into 64 bits, but it is 18446744073709551616";
    refused(&place("18446744073709551616"), message, "place p", 3, hint);
    assert!(read(&place("18446744073709551615")).is_ok());
    assert!(read(&place("")).is_ok());
    let arc = "<arc id='a7' source='p' target='t'><inscription>\n<text>x</text></inscription></arc>";
    refused(&file(arc), "an arc's weight must be a whole number, but it is `x`", "arc a7", 3, hint);
    let heavy =
        format!("<arc source='p' target='t'><inscription><text>{}</text></inscription></arc>\n", u64::MAX);
    let both = file(&format!("<place id='p'/><transition id='t'/>\n{heavy}{heavy}"));
    let message = "the weights of parallel arcs do not fit into 64 bits";
    refused(&both, message, "arc from p to t", 4, "");
}

#[test]
fn wrong_nodes_and_arcs_are_refused() {
    let unique = "every place and transition needs a unique id";
    let message = "the id `p` is used twice; it denotes a place already";
    refused(&file("<place id='p'/>\n<transition id='p'/>"), message, "", 3, unique);
    let nodes = "<place id='p'/><place id='q'/><transition id='t'/><transition id='u'/>\n";
    let arc = |rest: &str| file(&format!("{nodes}<arc id='a' {rest}/>"));
    let ends = "an arc connects a place and a transition; compare its source and target with the ids";
    refused(
        &arc("source='p' target='q'"),
        "the arc goes from a place to a place",
        "arc from p to q",
        3,
        ends,
    );
    let message = "the arc goes from a transition to a transition";
    refused(&arc("source='t' target='u'"), message, "arc from t to u", 3, ends);
    let message = "no place or transition has the id `tt`";
    refused(&arc("source='p' target='tt'"), message, "arc from p to tt", 3, "did you mean `t`?");
    refused(&arc("source='p'"), "`<arc>` has no attribute `target`", "", 3, "");
    let message = "an inhibitor arc goes from a place to a transition, not the other way";
    refused(&arc("source='t' target='p' type='inhibitor'"), message, "arc from t to p", 3, ends);
    let (message, hint) =
        ("arcs of the type `stop` are not supported", "arcs are `normal`, `inhibitor` or `read`");
    refused(&arc("source='p' target='t' type='stop'"), message, "", 3, hint);
    refused(&arc("source='p' target='t' source='q'"), "the attribute `source` is given twice", "", 3, "");
}

/// Every element of a net is read or refused.
#[test]
fn no_element_is_ignored() {
    let place = |inside: &str| file(&format!("<place id='p'>\n{inside}</place>"));
    let stray = "expected an XML element, found text";
    refused(&place("<initialMarking>2</initialMarking>"), stray, "place p", 3, "");
    let number = "<initialMarking><number>2</number></initialMarking>";
    refused(&place(number), "expected `<text>`, found `<number>`", "place p", 3, "");
    let message = "unknown element `<initialmarking>` in a place";
    let near = "did you mean `<initialMarking>`?";
    refused(&place("<initialmarking><text>2</text></initialmarking>"), message, "place p", 3, near);
    let twice = "<initialMarking><text>2</text></initialMarking>".repeat(2);
    refused(&place(&twice), "`<initialMarking>` is given twice", "place p", 3, "");
    let out = "remove it or put it into `<toolspecific>`, if the net has the same meaning without it";
    let weight = "<heaviness><text>1</text></heaviness>";
    refused(&place(weight), "unknown element `<heaviness>` in a place", "place p", 3, out);
    let said = "<initialMarking tokens='2'/>";
    refused(&place(said), "unknown attribute `tokens` in a place", "place p", 3, out);
    let kept =
        place("<toolspecific tool='x'>any <heaviness>1</heaviness></toolspecific><graphics>0</graphics>");
    assert!(read(&kept).is_ok());
    refused(&file("\n<place id='p' tokens='1'/>"), "unknown attribute `tokens` in a place", "", 3, out);

    let arc = |inside: &str| {
        file(&format!(
            "<place id='p'/><transition id='t'/><arc id='a' source='p' target='t'>\n{inside}</arc>"
        ))
    };
    refused(&arc("<inscription>2</inscription>"), stray, "arc a", 3, "");
    let (message, near) = ("unknown element `<inscripton>` in an arc", "did you mean `<inscription>`?");
    refused(&arc("<inscripton><text>2</text></inscripton>"), message, "arc a", 3, near);
    let (message, hint) =
        ("arcs of the type `stop` are not supported", "arcs are `normal`, `inhibitor` or `read`");
    refused(&arc("<arctype><text>stop</text></arctype>"), message, "arc a", 3, hint);

    let (message, near) = ("unknown element `<plaec>` in a net", "did you mean `<place>`?");
    refused(&file("\n<plaec id='q'/>"), message, "", 3, near);
    let time = "<transition id='t'><delay><text>3</text></delay></transition>";
    let (message, hint) = (
        "the net is timed: a transition has a delay",
        "fireset reads untimed nets: all intervals must be [0,inf)",
    );
    refused(&file(time), message, "transition t", 2, hint);
}

#[test]
fn other_files_are_refused() {
    refused("", "the file has no content", "", 1, "a PNML file starts with `<pnml>`");
    let message = "not an XML file; fireset reads PNML models and contest XML properties";
    refused("just text", message, "", 1, "");
    refused(
        "<?xml version='1.0'?>\n<bpmn:definitions xmlns:bpmn='b'><bpmn:process/></bpmn:definitions>",
        "the root element is `<definitions>`, but `<pnml>` is expected",
        "",
        2,
        "",
    );
    refused("<pnml/>", "the file has no net", "", 1, "`<pnml>` must contain a `<net>`");
    let message = "nets of the type `stochastic` are not supported: this is a stochastic Petri net";
    refused("<pnml><net type='stochastic'/></pnml>", message, "", 1, "");
    let two = "<pnml><net id='a' type='ptnet'/>\n<net id='b' type='ptnet'/></pnml>";
    refused(two, "the file has 2 nets", "", 2, "choose one with --net: `a`, `b`");
    let after = "<pnml><net type='ptnet'/></pnml>\nx";
    refused(after, "unexpected text after the root element", "", 2, "");
    let after = "<pnml><net type='ptnet'/></pnml>\n<pnml/>";
    refused(after, "unexpected element after `</pnml>`", "", 2, "");
}

#[test]
fn broken_files_are_refused() {
    let cut = "the file may be cut off: compare its size with the original";
    let whole = file(SMALL);
    refused(&whole[..whole.len() - 13], "the file ends before its elements are closed", "", 10, cut);
    let inside = whole.find("<transition").unwrap() + 5;
    let message = "not XML: tag not closed: `>` not found before end of input";
    refused(&whole[..inside], message, "", 7, cut);
    refused("<pnml>\n</net>", "not XML: expected `</pnml>`, but `</net>` was found", "", 2, "");
    let mut bytes = file("<place id='a\u{e4}'/>").into_bytes();
    let at = bytes.iter().position(|&byte| byte == 0xC3).unwrap();
    bytes.remove(at);
    let fault = pnml::read(&bytes[..]).unwrap_err();
    assert_eq!((fault.message.as_str(), fault.offset), ("the text is not UTF-8", at as u64));
    assert_eq!(pnml::read(&b"\xFF\xFE<\0p\0"[..]).unwrap_err().message, "the file is in UTF-16");
}

#[test]
fn packed_files_are_told_apart() {
    for start in [&[0x1F, 0x8B, 8, 0][..], b"PK\x03\x04"] {
        let fault = pnml::read(start).unwrap_err();
        assert_eq!(
            (fault.message.as_str(), fault.hint.as_deref()),
            ("the file is compressed", Some("unpack it first"))
        );
    }
}

#[test]
fn entities_are_never_expanded() {
    let bomb = "<!DOCTYPE pnml [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;\">]>\n";
    let known = "only &amp; &lt; &gt; &apos; &quot; and character references are allowed";
    let named = file("<place id='p'>\n<name><text>&c;</text></name></place>");
    let (message, _, line, hint) = wrong(&format!("{bomb}{named}"));
    assert!(message.starts_with("unknown reference"), "{message}");
    assert_eq!((line, hint.as_str()), (4, known));
    let (message, ..) = wrong(&format!("{bomb}{}", file("<place id='&c;'/>")));
    assert!(message.starts_with("unknown reference"), "{message}");
    let skipped = net("<place id='p'><toolspecific tool='x'>&c;</toolspecific></place>");
    assert_eq!(skipped.nodes().places.len(), 1);
    assert_eq!(net("<place id='a&#x62;&lt;'/>").nodes().place(PlaceId::new(0)), "ab<");
}

#[test]
fn deep_nesting_is_refused() {
    for element in ["page", "toolspecific", "graphics"] {
        let text = file(&format!("<{element} id='x'>").repeat(5_000));
        assert_eq!(wrong(&text).0, "elements nest more than 1000 levels deep", "{element}");
    }
}

#[test]
fn a_missing_file_is_an_error() {
    let error =
        net_file::read_net_file(std::path::Path::new("no/such/file.pnml"), NetChoice::Only).unwrap_err();
    assert!(error.message.starts_with("cannot read the file: "), "{error}");
    assert_eq!(error.hint.as_deref(), Some("check the path"));
}

#[test]
fn names_of_all_kinds_are_written_and_read() {
    let mut net = fireset_net::NetBuilder::new(" <name> & \"more\"\n ");
    for id in ["p", "_q", " spaced ", "<&>'\"", "tab\tbed", "\u{fc}ml\u{e4}ut", "__x"] {
        net.place(id, 7).unwrap();
    }
    let transition = net.transition("t\u{a0}").unwrap();
    net.nodes_mut().places.set_label(0, "\u{2003}wide label\r\n");
    net.input(PlaceId::new(2), transition, u64::MAX);
    same_again(&Model::Plain(net.build().unwrap()));
    same_again(&Model::Plain(tiny::net("p:2 q r; t: p, q, !r -> 2*q; u: q, 3*!p -> p; v: 3*q ->; w: ->")));
    same_again(&Model::Plain(tiny::net("")));
}
