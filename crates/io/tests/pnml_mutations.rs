//! Broken PNML never brings the reader down, whatever is broken.

use fireset_io::{
    net_file::NetChoice,
    pnml::{self, Keeping},
};
use fireset_net::Model;
use proptest::prelude::*;

const PLAIN: &str = r#"<?xml version="1.0"?>
<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet">
<name><text>a &amp; b</text></name><page id="g"><place id="p1"><initialMarking><text>3</text><graphics><offset x="1" y="2"/>
</graphics></initialMarking><toolspecific tool="t" version="1"><a b="&lt;">c &#65; <![CDATA[<d>]]></a></toolspecific></place>
<place id="p2"><name><text>other</text></name></place><referencePlace id="r" ref="p2"/><transition id="t1"/>
<arc id="a1" source="p1" target="t1"><graphics><position x="3" y="4"/></graphics><inscription><text>2</text></inscription></arc>
<arc id="a2" source="t1" target="r"/><arc id="a3" source="p2" target="t1"><type value="inhibitor"/></arc>
<toolspecific tool="nupn" version="1.1"><structure units="2" root="u0" safe="false"><unit id="u0"><places>p1</places>
<subunits>u1</subunits></unit><unit id="u1"><places>p2</places><subunits/></unit></structure></toolspecific>
</page></net></pnml>"#;

const COLOURED: &str = r#"<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/symmetricnet"><page id="g">
<place id="p"><type><structure><usersort declaration="P"/></structure></type><hlinitialMarking><structure>
<add><subterm><numberof><subterm><numberconstant value="2"><positive/></numberconstant></subterm><subterm><tuple>
<subterm><useroperator declaration="a"/></subterm><subterm><finiteintrangeconstant value="1"><finiteintrange start="0"
 end="1"/></finiteintrangeconstant></subterm></tuple></subterm></numberof></subterm><subterm><tuple><subterm>
<useroperator declaration="l"/></subterm><subterm><all><usersort declaration="R"/></all></subterm></tuple></subterm>
</add></structure></hlinitialMarking></place><place id="q"/><transition id="t"><condition><structure><or><subterm>
<not><subterm><equality><subterm><variable refvariable="x"/></subterm><subterm><useroperator declaration="b"/></subterm>
</equality></subterm></not></subterm><subterm><lessthan><subterm><variable refvariable="y"/></subterm><subterm>
<finiteintrangeconstant value="1"><finiteintrange start="0" end="1"/></finiteintrangeconstant></subterm></lessthan>
</subterm></or></structure></condition></transition><arc id="i" source="p" target="t"><hlinscription><structure><subtract>
<subterm><tuple><subterm><successor><subterm><variable refvariable="x"/></subterm></successor></subterm><subterm>
<variable refvariable="y"/></subterm></tuple></subterm><subterm><all><usersort declaration="P"/></all></subterm>
</subtract></structure></hlinscription></arc><arc id="o" source="t" target="q"/></page><declaration><structure>
<declarations><namedsort id="E" name="E"><cyclicenumeration><feconstant id="a" name="a"/><feconstant id="b" name="b"/>
</cyclicenumeration></namedsort><namedsort id="R" name="R"><finiteintrange start="0" end="1"/></namedsort><namedsort
 id="P" name="P"><productsort><usersort declaration="E"/><usersort declaration="R"/></productsort></namedsort><partition
 id="H" name="H"><usersort declaration="E"/><partitionelement id="l" name="l"><useroperator declaration="a"/>
<useroperator declaration="b"/></partitionelement></partition><variabledecl id="x" name="x"><usersort declaration="E"/>
</variabledecl><variabledecl id="y" name="y"><usersort declaration="R"/></variabledecl></declarations></structure>
</declaration></net></pnml>"#;

/// Something that goes wrong with a file.
#[derive(Clone, Debug)]
enum Mutation {
    Set(usize, u8),
    Cut(usize),
    Remove(usize, usize),
    Repeat(usize, usize, usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let at = || any::<usize>();
    let byte = prop_oneof![any::<u8>(), prop::sample::select(b"<>&;\"'/0129-x ".to_vec())];
    prop_oneof![
        4 => (at(), byte).prop_map(|(at, byte)| Mutation::Set(at, byte)),
        1 => at().prop_map(Mutation::Cut),
        2 => (at(), 1usize..200).prop_map(|(at, length)| Mutation::Remove(at, length)),
        2 => (at(), at(), 1usize..200).prop_map(|(at, to, length)| Mutation::Repeat(at, to, length)),
    ]
}

fn mutate(text: &mut Vec<u8>, mutation: &Mutation) {
    if text.is_empty() {
        return;
    }
    let size = text.len();
    match *mutation {
        Mutation::Set(at, byte) => text[at % size] = byte,
        Mutation::Cut(at) => text.truncate(at % size),
        Mutation::Remove(at, length) => drop(text.drain(at % size..(at % size + length).min(size))),
        Mutation::Repeat(at, to, length) => {
            let piece = text[at % size..(at % size + length).min(size)].to_vec();
            let to = to % size;
            drop(text.splice(to..to, piece));
        }
    }
}

/// What is read is written and read again as the same; what is not has a message and a place.
fn survives(text: &[u8]) {
    match pnml::read(text) {
        Ok(model) => {
            let mut again = Vec::new();
            pnml::write(&model, &mut again).expect("a vector takes everything");
            assert_eq!(pnml::read(&again[..]).as_ref(), Ok(&model), "{}", String::from_utf8_lossy(text));
            keeps(text, &model);
        }
        Err(fault) => {
            assert!(!fault.message.is_empty() && fault.offset <= text.len() as u64, "{fault:?}");
        }
    }
}

/// The net is the same if its presentation is kept, and if it is written with it.
fn keeps(text: &[u8], model: &Model) {
    let file =
        pnml::read_net_keeping(text, NetChoice::Only, Keeping::Everything).expect("it was read before");
    assert_eq!(&file.model, model);
    let mut again = Vec::new();
    let presentation = file.presentation.unwrap_or_default();
    pnml::write_with(model, &presentation, &mut again).expect("a vector takes everything");
    assert_eq!(pnml::read(&again[..]).as_ref(), Ok(model), "{}", String::from_utf8_lossy(text));
}

#[test]
fn the_originals_are_read() {
    assert!(pnml::read(PLAIN.as_bytes()).is_ok());
    assert!(pnml::read(COLOURED.as_bytes()).is_ok());
}

#[test]
fn every_cut_survives() {
    for text in [PLAIN, COLOURED] {
        for end in 0..text.len() {
            assert!(pnml::read(&text.as_bytes()[..end]).is_err(), "cut at {end}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_files_survive(coloured: bool, mutations in prop::collection::vec(mutation(), 1..6)) {
        let mut text = if coloured { COLOURED } else { PLAIN }.as_bytes().to_vec();
        mutations.iter().for_each(|mutation| mutate(&mut text, mutation));
        survives(&text);
    }

    #[test]
    fn bytes_survive(text in prop::collection::vec(any::<u8>(), 0..200)) {
        survives(&text);
    }
}
