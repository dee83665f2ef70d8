//! Symmetric nets in PNML: sorts, terms and guards, and what is said where they are wrong.

use fireset_io::{InputError, pnml};
use fireset_net::{
    Comparison, Model, PlaceId, SortId, TransitionId, VariableId,
    coloured::{Bag, BagTerm, Colour, ColourTerm, ColouredNet, Guard, SortKind},
};

const DECLARATIONS: &str = r#"<declaration><structure><declarations>
<variabledecl id="x" name="x"><usersort declaration="E"/></variabledecl>
<variabledecl id="y" name="y"><usersort declaration="R"/></variabledecl>
<variabledecl id="w" name="w"><usersort declaration="R"/></variabledecl>
<variabledecl id="b" name="b"><bool/></variabledecl>
<namedsort id="P" name="Pair"><productsort><usersort declaration="E"/><usersort declaration="R"/></productsort></namedsort>
<namedsort id="E" name="Letters"><cyclicenumeration><feconstant id="ea" name="a"/><feconstant id="eb" name="b"/><feconstant id="ec" name="c"/></cyclicenumeration></namedsort>
<namedsort id="R" name="Numbers"><finiteintrange start="-1" end="2"/></namedsort>
<partition id="H" name="Halves"><usersort declaration="E"/><partitionelement id="low" name="low"><useroperator declaration="ea"/><useroperator declaration="eb"/></partitionelement><partitionelement id="high" name="high"><useroperator declaration="ec"/></partitionelement></partition>
</declarations></structure></declaration>
"#;

/// A file around the content of a net, which starts in line 2; the declarations come last, as they often do.
fn file(content: &str) -> String {
    let kind = "http://www.pnml.org/version-2009/grammar/symmetricnet";
    format!("<pnml><net id=\"n\" type=\"{kind}\">\n{content}\n{DECLARATIONS}</net></pnml>")
}

fn read(text: &str) -> Result<Model, Box<InputError>> {
    pnml::read(text.as_bytes()).map_err(|fault| InputError::locate_in("test", text, fault).into())
}

/// Reads a net, and again what is written of it.
#[track_caller]
fn net(content: &str) -> ColouredNet {
    let model = read(&file(content)).unwrap_or_else(|error| panic!("{error}"));
    let mut text = Vec::new();
    pnml::write(&model, &mut text).expect("a vector takes everything");
    let text = String::from_utf8(text).expect("PNML is UTF-8");
    assert_eq!(read(&text).as_ref(), Ok(&model), "{text}");
    match model {
        Model::Coloured(net) => net,
        Model::Plain(_) => panic!("the net is coloured"),
    }
}

/// A place of a sort with an initial marking, both as elements.
fn place(id: &str, sort: &str, marking: &str) -> String {
    format!(
        "<place id='{id}'><type><structure><usersort declaration='{sort}'/></structure></type>\
         <hlinitialMarking><structure>{marking}</structure></hlinitialMarking></place>\n"
    )
}

/// The initial marking that a term stands for, as counts by position.
#[track_caller]
fn marking(sort: &str, term: &str) -> Vec<(u64, u64)> {
    net(&place("p", sort, term)).place(PlaceId::new(0)).initial.iter().map(|(c, n)| (c.0, n)).collect()
}

/// The term on an arc from a place of a sort.
#[track_caller]
fn arc(sort: &str, term: &str) -> BagTerm {
    net(&with_arc(sort, term)).transition(TransitionId::new(0)).pre[0].term.clone()
}

fn with_arc(sort: &str, term: &str) -> String {
    let place = place("p", sort, "");
    format!(
        "{place}<transition id='t'/><arc id='a' source='p' target='t'><hlinscription><structure>{term}\
         </structure></hlinscription></arc>"
    )
}

#[track_caller]
fn guard(term: &str) -> Guard {
    net(&with_guard(term)).transition(TransitionId::new(0)).guard.clone()
}

fn with_guard(term: &str) -> String {
    format!("<transition id='t'><condition><structure>{term}</structure></condition></transition>")
}

#[track_caller]
fn refused(content: &str, message: &str, hint: &str) {
    let error = read(&file(content)).expect_err("the file is wrong");
    assert_eq!((error.message.as_str(), error.hint.as_deref().unwrap_or("")), (message, hint));
    assert!(error.position.is_some());
}

fn op(name: &str, terms: &[&str]) -> String {
    let terms: String = terms.iter().map(|term| format!("<subterm>{term}</subterm>")).collect();
    format!("<{name}>{terms}</{name}>")
}

fn times(count: &str, term: &str) -> String {
    op("numberof", &[&format!("<numberconstant value='{count}'><positive/></numberconstant>"), term])
}

fn integer(value: i64) -> String {
    let range = "<finiteintrange start='-1' end='2'/>";
    format!("<finiteintrangeconstant value='{value}'>{range}</finiteintrangeconstant>")
}

const A: &str = "<useroperator declaration='ea'/>";
const B: &str = "<useroperator declaration='eb'/>";
const C: &str = "<useroperator declaration='ec'/>";
const LOW: &str = "<useroperator declaration='low'/>";
const X: &str = "<variable refvariable='x'/>";
const Y: &str = "<variable refvariable='y'/>";
const ALL: &str = "<all><usersort declaration='E'/></all>";

#[test]
fn declarations_are_bound_in_any_order() {
    let net = net("");
    let names: Vec<_> = net.sorts().iter().map(|sort| sort.name.as_str()).collect();
    assert_eq!(names, ["Letters", "Numbers", "Pair", "Halves", "bool"]);
    assert_eq!(net.sorts()[SortId::new(2)].kind, SortKind::Product(vec![SortId::new(0), SortId::new(1)]));
    assert_eq!(net.sorts()[SortId::new(2)].size(), 12);
    let SortKind::Partition { base, blocks, block_of } = &net.sorts()[SortId::new(3)].kind else { panic!() };
    assert_eq!((base.index(), blocks.join(" ")), (0, "low high".to_owned()));
    assert_eq!(block_of.iter().map(|colour| colour.0).collect::<Vec<_>>(), [0, 0, 1]);
    let variables: Vec<_> = net.variables().iter().map(|v| (v.name.as_str(), v.sort.index())).collect();
    assert_eq!(variables, [("x", 0), ("y", 1), ("w", 1), ("b", 4)]);
}

#[test]
fn markings_are_evaluated() {
    assert_eq!(marking("E", ""), []);
    assert_eq!(marking("E", A), [(0, 1)]);
    assert_eq!(marking("E", &times("3", B)), [(1, 3)]);
    assert_eq!(marking("E", ALL), [(0, 1), (1, 1), (2, 1)]);
    assert_eq!(marking("E", &op("add", &[&times("2", A), &op("add", &[A, C])])), [(0, 3), (2, 1)]);
    assert_eq!(marking("E", &op("subtract", &[ALL, A, C])), [(1, 1)]);
    let product = op("scalarproduct", &["<numberconstant value='2'/>", ALL]);
    assert_eq!(marking("E", &product), [(0, 2), (1, 2), (2, 2)]);
    assert_eq!(marking("E", &op("successor", &[C])), [(0, 1)]);
    assert_eq!(marking("E", &op("predecessor", &[A])), [(2, 1)]);
    assert_eq!(marking("R", &integer(2)), [(3, 1)]);
    assert_eq!(marking("dot", &times("4", "<dotconstant/>")), [(0, 4)]);
    assert_eq!(marking("bool", "<booleanconstant value='true'/>"), [(1, 1)]);
    assert_eq!(marking("P", &op("tuple", &[B, &integer(0)])), [(5, 1)]);
    assert_eq!(marking("E", &op("tuple", &[ALL])), [(0, 1), (1, 1), (2, 1)]);
}

#[test]
fn blocks_are_colours_or_multisets() {
    assert_eq!(marking("E", LOW), [(0, 1), (1, 1)]);
    assert_eq!(marking("H", LOW), [(0, 1)]);
    assert_eq!(marking("H", "<all><usersort declaration='H'/></all>"), [(0, 1), (1, 1)]);
    let block_of =
        format!("<partitionelementof refpartition='H'><subterm>{C}</subterm></partitionelementof>");
    assert_eq!(marking("H", &block_of), [(1, 1)]);
    // A tuple of multisets is multiplied out.
    assert_eq!(marking("P", &op("tuple", &[&op("add", &[LOW, A]), &integer(-1)])), [(0, 2), (4, 1)]);
}

#[test]
fn plain_markings_and_inscriptions_do_for_dots() {
    let text = "<place id='p'><initialMarking><text>5</text></initialMarking></place><transition id='t'/>\
                <arc id='a' source='p' target='t'><inscription><text>2</text></inscription></arc>\
                <arc id='b' source='t' target='p'/>";
    let net = net(text);
    let dot = net.place(PlaceId::new(0)).sort;
    assert_eq!(net.place(PlaceId::new(0)).initial, Bag::of(Colour(0), 5));
    let transition = net.transition(TransitionId::new(0));
    assert_eq!(transition.pre[0].term, BagTerm::Fixed(Bag::of(Colour(0), 2)));
    assert_eq!(transition.post[0].term, BagTerm::One(ColourTerm::Constant(dot, Colour(0))));
}

#[test]
fn arcs_have_one_form_for_each_meaning() {
    let (e, x) = (SortId::new(0), ColourTerm::Variable(VariableId::new(0)));
    let one = |term: &ColourTerm| BagTerm::One(term.clone());
    assert_eq!(arc("E", X), one(&x));
    assert_eq!(arc("E", &times("1", X)), one(&x));
    assert_eq!(arc("E", &times("2", X)), BagTerm::Times(2, Box::new(one(&x))));
    assert_eq!(arc("E", ALL), BagTerm::All(e));
    let shift = |by| BagTerm::One(ColourTerm::Shift { term: Box::new(x.clone()), sort: e, by });
    assert_eq!(arc("E", &op("successor", &[&op("successor", &[X])])), shift(2));
    assert_eq!(arc("E", &op("predecessor", &[X])), shift(-1));
    assert_eq!(arc("E", &op("predecessor", &[&op("successor", &[X])])), one(&x));
    let a = BagTerm::One(ColourTerm::Constant(e, Colour(0)));
    let left = op("add", &[&op("add", &[X, A]), ALL]);
    assert_eq!(arc("E", &left), BagTerm::Sum(vec![one(&x), a, BagTerm::All(e)]));
    let fixed = BagTerm::Fixed(Bag::collect([(Colour(0), 1), (Colour(1), 1)]).unwrap());
    assert_eq!(arc("E", &op("add", &[A, B])), fixed);
    assert_eq!(arc("E", LOW), fixed);
    let minus = BagTerm::Minus(Box::new(BagTerm::All(e)), Box::new(one(&x)));
    assert_eq!(arc("E", &op("subtract", &[ALL, X])), minus);
    assert_eq!(arc("E", &times("0", A)), BagTerm::Fixed(Bag::default()));
    let (p, y) = (SortId::new(2), ColourTerm::Variable(VariableId::new(1)));
    let pair = ColourTerm::Tuple(p, vec![x.clone(), y.clone()]);
    assert_eq!(arc("P", &op("tuple", &[X, Y])), BagTerm::One(pair));
    let last = ColourTerm::Constant(p, Colour(11));
    assert_eq!(arc("P", &op("tuple", &[C, &integer(2)])), BagTerm::One(last));
    assert_eq!(arc("P", &op("tuple", &[LOW, Y])), BagTerm::Tuple(p, vec![fixed, BagTerm::One(y)]));
}

#[test]
fn parallel_arcs_add_up_and_inhibitors_stay_apart() {
    let arc = |attribute: &str, term: &str| {
        format!(
            "<arc source='p' target='t' {attribute}><hlinscription><structure>{term}</structure>\
             </hlinscription></arc>"
        )
    };
    let inhibitor = "type='inhibitor'";
    let arcs = [arc("", A), arc("", B), arc(inhibitor, X), arc(inhibitor, A)].concat();
    let net = net(&format!("{}<transition id='t'/>{arcs}", place("p", "E", "")));
    let transition = net.transition(TransitionId::new(0));
    let both = Bag::collect([(Colour(0), 1), (Colour(1), 1)]).unwrap();
    assert_eq!(transition.pre.iter().map(|a| a.term.clone()).collect::<Vec<_>>(), [BagTerm::Fixed(both)]);
    assert_eq!((transition.inhibitors.len(), net.variables_of(TransitionId::new(0)).len()), (2, 1));
}

/// Contest files contain such terms.
#[test]
fn stray_text_between_terms_does_no_harm() {
    assert_eq!(arc("E", &format!("${X}$")), arc("E", X));
}

#[test]
fn guards_compare_colours() {
    let (e, r) = (SortId::new(0), SortId::new(1));
    let x = || (e, ColourTerm::Variable(VariableId::new(0)));
    let y = || (r, ColourTerm::Variable(VariableId::new(1)));
    let w = || (r, ColourTerm::Variable(VariableId::new(2)));
    let a = || (e, ColourTerm::Constant(e, Colour(0)));
    let zero = || (r, ColourTerm::Constant(r, Colour(1)));
    for (name, ordering) in [
        ("equality", Comparison::Equal),
        ("inequality", Comparison::NotEqual),
        ("lessthan", Comparison::Less),
        ("lessthanorequal", Comparison::LessEqual),
        ("greaterthan", Comparison::Greater),
        ("greaterthanorequal", Comparison::GreaterEqual),
        ("ltp", Comparison::Less),
        ("gtp", Comparison::Greater),
    ] {
        assert_eq!(guard(&op(name, &[X, A])), Guard::Compare(ordering, x(), a()));
        assert_eq!(guard(&op(name, &[&integer(0), Y])), Guard::Compare(ordering, zero(), y()));
        assert_eq!(guard(&op(name, &["<variable refvariable='w'/>", Y])), Guard::Compare(ordering, w(), y()));
    }
    let halves = SortId::new(3);
    let block_of =
        format!("<partitionelementof refpartition='H'><subterm>{X}</subterm></partitionelementof>");
    let left = (halves, ColourTerm::BlockOf(halves, Box::new(x().1)));
    let right = (halves, ColourTerm::Constant(halves, Colour(0)));
    assert_eq!(guard(&op("equality", &[&block_of, LOW])), Guard::Compare(Comparison::Equal, left, right));
    let tuples = op("inequality", &[&op("tuple", &[X, Y]), &op("tuple", &[A, &integer(1)])]);
    assert!(matches!(guard(&tuples), Guard::Compare(..)));
    // An integer outside the other side's range keeps the range that the file gives it.
    let far =
        "<finiteintrangeconstant value='9'><finiteintrange start='0' end='9'/></finiteintrangeconstant>";
    let Guard::Compare(_, _, (sort, ColourTerm::Constant(_, Colour(9)))) = guard(&op("lessthan", &[Y, far]))
    else {
        panic!("a comparison with a constant")
    };
    assert_ne!(sort, r);
}

#[test]
fn guards_are_combined() {
    let (one, two) = (op("equality", &[X, A]), op("inequality", &[X, A]));
    let (is, is_not) = (guard(&one), guard(&two));
    let not = |guard: &Guard| Guard::Not(Box::new(guard.clone()));
    assert_eq!(guard(&op("and", &[&one, &two])), Guard::And(vec![is.clone(), is_not.clone()]));
    assert_eq!(guard(&op("or", &[&one, &op("not", &[&two])])), Guard::Or(vec![is.clone(), not(&is_not)]));
    assert_eq!(guard(&op("imply", &[&two, &one])), Guard::Or(vec![not(&is_not), is]));
    assert_eq!(guard(""), Guard::Constant(true));
    assert_eq!(guard("<booleanconstant value='false'/>"), Guard::Constant(false));
    let (bool, b) = (SortId::new(4), ColourTerm::Variable(VariableId::new(3)));
    let truth = (bool, ColourTerm::Constant(bool, Colour(1)));
    assert_eq!(guard("<variable refvariable='b'/>"), Guard::Compare(Comparison::Equal, (bool, b), truth));
}

#[test]
fn terms_of_other_sorts_are_refused() {
    let expected = |sort: &str| format!(", but the sort `{sort}` is expected");
    let variable = "the variable `x` denotes a colour of the sort `Letters`";
    refused(&with_arc("R", X), &(variable.to_owned() + &expected("Numbers")), "");
    let constant = "`ea` is a colour of the sort `Letters`";
    refused(&with_arc("R", A), &(constant.to_owned() + &expected("Numbers")), "");
    refused(&with_arc("E", &integer(1)), &("found an integer".to_owned() + &expected("Letters")), "");
    let tuple = op("tuple", &[X, Y]);
    refused(&with_arc("E", &tuple), &("found a tuple".to_owned() + &expected("Letters")), "");
    let all = "found every colour of the sort `Numbers`".to_owned() + &expected("Letters");
    refused(&with_arc("E", "<all><usersort declaration='R'/></all>"), &all, "");
    refused(&with_arc("R", &integer(7)), "7 is not in the sort `Numbers`, from -1 to 2", "");
    refused(&with_arc("P", &op("tuple", &[X])), "the tuple has 1 components, but the sort `Pair` has 2", "");
    let message = "colours of the sorts `Letters` and `Numbers` cannot be compared";
    refused(&with_guard(&op("equality", &[X, Y])), message, "");
}

#[test]
fn wrong_terms_are_refused() {
    let unknown = "<variable refvariable='xx'/>";
    refused(&with_arc("E", unknown), "the variable `xx` is not declared", "did you mean `x`?");
    let unknown = "<useroperator declaration='zz1zz'/>";
    refused(&with_arc("E", unknown), "the constant `zz1zz` is not declared", "");
    let message = "the count of a colour cannot be negative, but it is -1";
    refused(&with_arc("E", &times("-1", X)), message, "");
    let large = |term: &str| with_arc("E", &times(&u64::MAX.to_string(), &times("2", term)));
    refused(&large(X), "the term's counts may not fit into 64 bits", "");
    refused(&large(A), "the term's counts do not fit into 64 bits", "");
    let comparison = op("equality", &[X, X]);
    refused(&with_arc("E", &comparison), "`<equality>` does not denote a single colour", "");
    refused(&with_arc("E", "<all/>"), "`<all>` is empty", "");
    let known = "only the constructs of symmetric nets are supported";
    refused(
        &with_arc("E", "<stringconstant/>"),
        "unknown element `<stringconstant>` in a colour term",
        known,
    );
    let ground = "initial markings consist of constants";
    refused(&place("p", "E", X), "the initial marking has variables", ground);
    refused(&place("p", "EE", X), "the sort `EE` is not declared", "did you mean `E`?");
    refused(&with_guard(X), "`<variable>` is not a condition", "");
    refused(&with_guard(&op("and", &[])), "`<and>` is empty", "");
    refused(&with_guard(&op("equality", &[X])), "`<equality>` takes two terms", "");
    let bare = format!("{}<transition id='t'/><arc source='p' target='t'/>", place("p", "E", ""));
    let message = "the arc has no `<hlinscription>`, but its place has the sort `Letters`";
    refused(&bare, message, "only arcs of places of the sort dot may omit it");
    let hint = "fireset reads the term from the elements of `<structure>`, not from the text";
    for text in [
        "<arc source='p' target='t'><hlinscription><text>x</text></hlinscription></arc>",
        "<transition id='t'><condition><text>x</text></condition></transition>",
        "<place id='p'><hlinitialMarking><text>x</text></hlinitialMarking></place>",
        "<place id='p'><type><text>x</text></type></place>",
        "<declaration><text>x</text></declaration>",
    ] {
        refused(text, "the label has text, but no `<structure>`", hint);
    }
}

fn declared(text: &str) -> String {
    format!("<declaration><structure><declarations>{text}</declarations></structure></declaration>")
}

fn sort(id: &str, body: &str) -> String {
    format!("<namedsort id='{id}' name='{id}'>{body}</namedsort>")
}

#[test]
fn wrong_sorts_are_refused() {
    let user = |id: &str| format!("<productsort><usersort declaration='{id}'/></productsort>");
    let circle = sort("K", &user("L")) + &sort("L", &user("K"));
    refused(&declared(&circle), "the sort `K` contains itself", "");
    refused(&declared(&sort("E", "<dot/>")), "the sort `E` is declared twice", "");
    let range = sort("K", "<finiteintrange start='3' end='2'/>");
    refused(&declared(&range), "a sort needs at least one colour", "");
    let range = sort("K", "<finiteintrange start='x' end='2'/>");
    refused(&declared(&range), "`x` is not an integer that fits into 64 bits", "");
    refused(&declared(&sort("K", "<finiteenumeration/>")), "a sort needs at least one colour", "");
    refused(&declared(&sort("K", "<integer/>")), "the sort `<integer>` is not supported here", "");
    let chain: String = (0..200).map(|n| sort(&format!("s{n}"), &user(&format!("s{}", n + 1)))).collect();
    refused(&declared(&(chain + &sort("s200", "<dot/>"))), "sorts nest more than 64 levels deep", "");
    let mut wide = sort("s0", "<dot/>");
    for n in 0..60 {
        let part = format!("<usersort declaration='s{n}'/>");
        wide += &sort(&format!("s{}", n + 1), &format!("<productsort>{part}{part}</productsort>"));
    }
    refused(&declared(&wide), "the sort `s13` has more than 4096 components", "");
}

#[test]
fn wrong_declarations_are_refused() {
    let again = "<variabledecl id='x'><dot/></variabledecl>";
    refused(&declared(again), "the variable `x` is declared twice", "");
    let hint = "symmetric nets declare sorts, partitions and variables";
    let message = "declarations with `<namedoperator>` are not supported";
    refused(&declared("<namedoperator id='f'/>"), message, hint);
    let partition = |blocks: &str| {
        declared(&format!("<partition id='Q'><usersort declaration='E'/>{blocks}</partition>"))
    };
    let block = |id: &str, members: &str| format!("<partitionelement id='{id}'>{members}</partitionelement>");
    let twice = block("l", &format!("{A}{B}{C}")) + &block("m", A);
    refused(&partition(&twice), "the colour `a` is in two blocks of the partition", "");
    let gap = block("l", &format!("{A}{C}"));
    refused(&partition(&gap), "the colour `b` is in no block of the partition", "");
    let empty = block("l", &format!("{A}{B}{C}")) + &block("m", "");
    refused(&partition(&empty), "the block of the partition is empty", "");
}

#[test]
fn large_multisets_are_refused() {
    let range = |end: u64| declared(&sort("L", &format!("<finiteintrange start='0' end='{end}'/>")));
    let all = "<all><usersort declaration='L'/></all>";
    let message = "the term may stand for more than 16777216 different colours";
    refused(&(place("p", "L", all) + &range(99_999_999)), message, "");
    let places: String = (0..2).map(|n| place(&format!("p{n}"), "L", all)).collect();
    let message = "the multisets of the net have more than 16777216 colours in total";
    refused(&(places + &range(9_999_999)), message, "");
}

#[test]
fn deep_terms_are_read_up_to_the_bound() {
    let deep = |levels: usize, open: &str, close: &str| {
        with_arc("E", &format!("{}{X}{}", open.repeat(levels), close.repeat(levels)))
    };
    let (open, close) = ("<add><subterm>", format!("</subterm><subterm>{A}</subterm></add>"));
    let sum = net(&deep(490, open, &close));
    let BagTerm::Sum(terms) = &sum.transition(TransitionId::new(0)).pre[0].term else { panic!("a sum") };
    assert_eq!(terms.len(), 491);
    let error = read(&file(&deep(5_000, open, &close))).unwrap_err();
    assert_eq!(error.message, "elements nest more than 1000 levels deep");
    assert!(read(&file(&deep(490, "<successor><subterm>", "</subterm></successor>"))).is_ok());
    let nots = format!("{}{}{}", "<not>".repeat(980), op("equality", &[X, A]), "</not>".repeat(980));
    assert!(read(&file(&with_guard(&nots))).is_ok());
}
