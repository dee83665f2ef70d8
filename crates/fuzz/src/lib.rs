//! A fuzz target for each parser: whatever the bytes, it ends with a value or with a fault inside the input.
//!
//! As tests they run on random inputs with a fixed seed; `fuzz.sh` runs one guided by coverage. They are the only tests of this
//! package, because a fuzzer instruments everything that it links.

#![cfg(test)]

use bolero::check;
use fireset_io::{
    Fault, Source, apt, astg, bpmn, lola, mist, net_file::NetChoice, pnml, pnpro, properties, property_file,
    query, tapaal, tina, witness,
};
use fireset_net::{
    Logic, Model, PlaceId, TransitionId,
    families::{self, FamilyKind},
};
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

/// Runs a parser of texts on the bytes as they are, and on words of its format that the bytes choose, which come further than
/// random bytes. Words are given with `¦` between them.
fn text_parser<T>(words: &str, read: impl Fn(&str) -> Result<T, Fault> + std::panic::RefUnwindSafe) {
    let words: Vec<&str> = words.split('¦').collect();
    check!().with_iterations(ITERATIONS).for_each(|bytes: &[u8]| {
        let word = |&byte: &u8| {
            let space = if byte & 0x80 == 0 { " " } else { "" };
            [words[usize::from(byte & 0x7f) % words.len()], space]
        };
        let spelt: String = bytes.iter().flat_map(word).collect();
        for text in [&*String::from_utf8_lossy(bytes), &*spelt] {
            if let Err(fault) = read(text) {
                within(&fault, text.len());
            }
        }
    });
}

#[test]
fn apt_file() {
    let words = ".name¦.type¦.places¦.transitions¦.flows¦.initial_marking¦.final_markings¦\"¦PN¦p¦t¦7¦{¦}¦[¦]¦:¦\
         ,¦->¦*¦=¦//¦\n¦/*¦*/¦label";
    text_parser(words, apt::read);
}

#[test]
fn astg_file() {
    let words = "a+¦b-/2¦d¦p¦q¦ ¦ ¦\n¦\n¦.inputs a b\n¦.dummy d\n¦.graph\n¦.marking¦{¦}¦<¦,¦>¦=¦(¦)¦2¦.end\n¦#¦/¦\
         \u{e9}¦.state graph\n¦?";
    text_parser(words, astg::read);
}

/// Pieces of BPMN files: random bytes alone rarely get past the root element.
const BPMN_PIECES: [&str; 32] = [
    "<process id='p'>",
    "</process>",
    "<process id='q'><task id='z'/></process>",
    "<startEvent id='s'/>",
    "<startEvent id='t'><messageEventDefinition/></startEvent>",
    "<endEvent id='e'/>",
    "<endEvent id='e2'><terminateEventDefinition/></endEvent>",
    "<endEvent id='e3'><errorEventDefinition errorRef='r'/></endEvent>",
    "<task id='a'/>",
    "<task id='b' default='f3'><standardLoopCharacteristics/></task>",
    "<subProcess id='x'>",
    "<subProcess id='y'>",
    "</subProcess>",
    "<boundaryEvent id='i' attachedToRef='x'><timerEventDefinition/></boundaryEvent>",
    "<boundaryEvent id='j' attachedToRef='a' cancelActivity='false'><timerEventDefinition/></boundaryEvent>",
    "<boundaryEvent id='k' attachedToRef='y'><errorEventDefinition/></boundaryEvent>",
    "<exclusiveGateway id='g'/>",
    "<parallelGateway id='h'/>",
    "<inclusiveGateway id='o'/>",
    "<eventBasedGateway id='w'/>",
    "<intermediateCatchEvent id='c'><linkEventDefinition name='l'/></intermediateCatchEvent>",
    "<intermediateThrowEvent id='d'><linkEventDefinition name='l'/></intermediateThrowEvent>",
    "<sequenceFlow id='f1' sourceRef='s' targetRef='o'/>",
    "<sequenceFlow id='f2' sourceRef='o' targetRef='a'/>",
    "<sequenceFlow id='f3' sourceRef='b' targetRef='o'/>",
    "<sequenceFlow id='f4' sourceRef='a' targetRef='x'/>",
    "<sequenceFlow id='f5' sourceRef='x' targetRef='o'/>",
    "<sequenceFlow id='f6' sourceRef='b'><conditionExpression/></sequenceFlow>",
    "<sequenceFlow id='f7' targetRef='e2'/>",
    "<sequenceFlow id='f8' sourceRef='a' targetRef='a'/>",
    "<collaboration id='n'><participant id='m1' processRef='q'/><messageFlow id='m2' sourceRef='a' targetRef='z'/></collaboration>",
    "<messageFlow id='m3' sourceRef='z' targetRef='t'/>",
];

#[test]
fn bpmn_file() {
    check!().with_iterations(ITERATIONS).for_each(|bytes: &[u8]| {
        if let Err(fault) = bpmn::read(bytes) {
            within(&fault, bytes.len());
        }
        // Each piece stands once, since ids must be unique.
        let mut pieces: Vec<&str> = Vec::new();
        for &byte in bytes {
            let piece = BPMN_PIECES[usize::from(byte) % BPMN_PIECES.len()];
            if piece.starts_with("</") || !pieces.contains(&piece) {
                pieces.push(piece);
            }
        }
        for (start, end) in [
            ("<definitions>", "</definitions>"),
            ("<definitions><process id='p'>", "</process></definitions>"),
        ] {
            let text = start.to_owned() + &pieces.concat() + end;
            if let Err(fault) = bpmn::read(text.as_bytes()) {
                within(&fault, text.len());
            }
        }
    });
}

#[test]
fn lola_file() {
    let words = "PLACE¦MARKING¦TRANSITION¦CONSUME¦PRODUCE¦SAFE¦FORMULA¦p¦q¦t¦7¦:¦;¦,¦{¦}¦/*¦*/¦//¦\n¦=¦NOT¦AND¦\
         OR¦EXPATH¦ALWAYS¦(¦)";
    text_parser(words, lola::read);
}

#[test]
fn lola_formula() {
    let model = model();
    let words = "p¦q¦t¦7¦(¦)¦[¦]¦=¦<->¦->¦-¦+¦*¦#¦NOT¦AND¦OR¦XOR¦UNTIL¦R¦AG¦E¦X¦MAX¦FIREABLE(t)¦DEADLOCK¦TRUE¦\
         REACHABLE¦;¦:¦{¦}¦!";
    text_parser(words, |text| lola::read_properties(text, model.nodes()));
}

#[test]
fn mist_file() {
    let words = "vars x y ¦rules ¦init ¦target ¦invariants ¦x¦y¦'¦=¦>=¦ in ¦[¦]¦,¦->¦;¦true¦+¦-¦0¦2¦ ¦\n¦#¦\
         99999999999999999999¦\u{e9}";
    text_parser(words, mist::read);
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

/// The text that a fault shows is that of the file, and a text form is one by its first word.
#[test]
fn property_text() {
    let model = model();
    check!().with_iterations(ITERATIONS).for_each(|bytes: &[u8]| {
        for head in ["", "property a: ", "let a = ", "property a: true\nexpect "] {
            let text = [head.as_bytes(), bytes].concat();
            let lines = text.split(|&byte| byte == b'\n').count() as u64;
            let read = property_file::read_properties(&Source::memory("fuzz", text), "", model.nodes());
            let errors = match read {
                Ok(list) => list.refused.into_iter().map(|refused| refused.error).collect(),
                Err(error) => vec![error],
            };
            for position in errors.iter().filter_map(|error| error.position.as_ref()) {
                assert!(position.line <= lines, "{position:?} is outside of {lines} lines");
            }
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
    let words = "EF ¦AG ¦E ¦A ¦X ¦U ¦not ¦!¦(¦)¦[¦]¦p¦t?¦q¦.¦\"¦ and ¦ or ¦>=¦-¦+¦*¦3 ";
    text_parser(words, |text| tapaal::read_properties(text, model.nodes()));
}

#[test]
fn tina_net_file() {
    let words = "tr ¦pl ¦net ¦lb ¦nt ¦pr ¦t¦p¦{¦}¦\\¦:¦[0,w[¦]¦->¦*¦?¦?-¦!¦(¦)¦3¦K¦18E¦ ¦\n¦\n¦#¦\u{e9}";
    text_parser(words, tina::read);
}

#[test]
fn tina_drawing_file() {
    let words = "\np 1 2 p 1 n¦\nt 1 2 t 0 w n¦\ne p t 1 n¦\nh x¦\nn ¦ ¦p¦t¦e¦{¦}¦\\¦?¦?-¦!¦0¦3¦18E¦w¦\n¦#¦\
         \u{e9}¦-1.5";
    text_parser(words, tina::read_drawing);
}

#[test]
fn query_colours() {
    let family = families::find("token-ring").expect("a family");
    let model = family.generate(FamilyKind::Coloured, &[3]).expect("a small net");
    let (place, transition) =
        (model.nodes().place(PlaceId::new(0)), model.nodes().transition(TransitionId::new(0)));
    check!().with_iterations(ITERATIONS).for_each(|bytes: &[u8]| {
        let colours = String::from_utf8_lossy(bytes);
        for text in [format!("\"{place}\"[{colours}] >= 1"), format!("fireable(\"{transition}\"[{colours}])")]
        {
            if let Err(fault) = query::parse(&text, &model) {
                within(&fault, text.len());
            }
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
