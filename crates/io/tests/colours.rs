//! Colours in queries, as text and as attributes of contest XML: what is read, written and refused.

use fireset_io::{Fault, properties, query};
use fireset_net::{
    Expr, Formula, Logic, Model, PlaceId, Property, Query, TransitionId,
    coloured::{
        Bag, BagTerm, BindingPattern, Colour, ColourTerm, ColouredNet, ColouredNetBuilder, Guard,
        PlaceColours, SortKind,
    },
};
use fireset_oracle::{
    random::{self, TestRng},
    tiny,
};

/// Nodes elect a leader: `leader` and `A` hold nodes, `vote` holds pairs of a node and a number, `done` plain tokens.
fn election() -> ColouredNet {
    let mut builder = ColouredNetBuilder::new("election");
    let names = ["n1", "n2", "X", "node 4"].map(str::to_owned).to_vec();
    let node = SortKind::Enumeration { constants: names, cyclic: true };
    let node = builder.sorts.add("Node", node).expect("four nodes");
    let number = builder.sorts.add("Number", SortKind::IntRange { start: -1, end: 3 }).expect("five numbers");
    let vote = builder.sorts.add("Vote", SortKind::Product(vec![node, number])).expect("a product");
    let dot = builder.sorts.add("dot", SortKind::Dot).expect("one colour");
    let (p, v) = (builder.variable("p", node), builder.variable("v", vote));
    let one = |v| BagTerm::One(ColourTerm::Variable(v));
    let leader = builder.place("leader", node, Bag::of(Colour(0), 1)).expect("a place");
    builder.place("A", node, Bag::default()).expect("a place");
    let votes = builder.place("vote", vote, Bag::of(Colour(6), 2)).expect("a place");
    let done = builder.place("done", dot, Bag::default()).expect("a place");
    let elect = builder.transition("elect", Guard::Constant(true)).expect("a transition");
    builder.input(leader, elect, one(p)).expect("a small term");
    builder.input(votes, elect, one(v)).expect("a small term");
    builder.output(elect, leader, one(p)).expect("a small term");
    let stop = builder.transition("stop", Guard::Constant(true)).expect("a transition");
    builder.output(stop, done, BagTerm::All(dot)).expect("a small term");
    builder.build()
}

fn parse(text: &str) -> Formula {
    let net = election();
    query::parse(text, &net).unwrap_or_else(|fault| panic!("{text}: {fault:?}")).formula
}

fn refused(text: &str) -> Fault {
    query::parse(text, &election()).expect_err(text)
}

fn colours(place: usize, components: &[Option<u64>]) -> PlaceColours {
    let (net, place) = (election(), PlaceId::new(place));
    let components: Vec<_> = components.iter().map(|c| c.map(Colour)).collect();
    let colours = net.sorts().pattern(net.place(place).sort, &components).expect("colours of the sort");
    PlaceColours { place, colours }
}

/// The left side of the comparison in `EF (left >= 1)`.
fn counted(left: &str) -> Expr {
    match parse(&format!("{left} >= 1")) {
        Formula::Compare(_, left, _) => left,
        other => panic!("{other:?}"),
    }
}

#[test]
fn places_have_colours() {
    let leader = |c| Expr::ColourTokens(colours(0, &[Some(c)]));
    assert_eq!(counted("leader[n1]"), leader(0));
    assert_eq!(counted("tokens(leader[n2])"), leader(1));
    assert_eq!(counted("leader[X]"), leader(2), "a keyword");
    assert_eq!(counted("leader[\"node 4\"]"), leader(3));
    assert_eq!(counted("leader[*]"), Expr::Tokens(vec![PlaceId::new(0)]), "all colours");
    assert_eq!(counted("leader"), Expr::Tokens(vec![PlaceId::new(0)]));
    assert_eq!(counted("\"A\"[n1]"), Expr::ColourTokens(colours(1, &[Some(0)])), "a quoted quantifier");
    assert_eq!(counted("vote[n2,-1]"), Expr::ColourTokens(colours(2, &[Some(1), Some(0)])));
    assert_eq!(counted("vote[*, 3]"), Expr::ColourTokens(colours(2, &[None, Some(4)])));
    assert_eq!(counted("vote[n1,*]"), Expr::ColourTokens(colours(2, &[Some(0), None])));
    assert_eq!(counted("done[dot]"), Expr::ColourTokens(colours(3, &[Some(0)])));
    let both = Expr::Sum(vec![Expr::Tokens(vec![PlaceId::new(3)]), leader(0), leader(1)]);
    assert_eq!(counted("tokens(leader[n1], done, leader[n2])"), both);
    assert_eq!(counted("2*leader[n1] - 1"), counted("2 * leader [ n1 ] - 1"));
}

#[test]
fn bounds_have_colours() {
    assert_eq!(parse("bound(leader[n1])"), Formula::ColourBound(vec![colours(0, &[Some(0)])]));
    let mixed = Formula::ColourBound(vec![colours(3, &[None]), colours(2, &[None, Some(1)])]);
    assert_eq!(parse("bound(done, vote[*,0])"), mixed);
    assert_eq!(parse("bound(done, leader[*])"), Formula::Bound(vec![PlaceId::new(3), PlaceId::new(0)]));
    assert!(matches!(
        query::read("q", "bound(leader[n1])", &election()).unwrap().query(),
        Ok(Query::ColourBound(_))
    ));
    assert!(refused("bound(leader[n1]) >= 1").message.contains("stand alone"));
}

#[test]
fn transitions_have_bindings() {
    let net = election();
    let elect = TransitionId::new(0);
    let [p, v] = net.variables_of(elect) else { panic!("two variables") };
    let (node, vote) = (net.variable(*p).sort, net.variable(*v).sort);
    let n1 = net.sorts().pattern(node, &[Some(Colour(0))]).unwrap();
    let one = |fixed| Formula::BindingFireable(BindingPattern::new(&net, elect, fixed).unwrap());
    assert_eq!(parse("fireable(elect[p=n1])"), one(vec![(*p, n1.clone())]));
    let any_two = net.sorts().pattern(vote, &[None, Some(Colour(3))]).unwrap();
    let both = one(vec![(*p, n1), (*v, any_two)]);
    assert_eq!(parse("fireable(elect[p=n1,v=(*,2)])"), both);
    assert_eq!(parse("fireable(elect[v = (*, 2), p = n1])"), both, "in any order");
    assert_eq!(parse("fireable(elect[p=*])"), Formula::Fireable(vec![elect]));
    assert_eq!(parse("fireable(elect[v=*])"), Formula::Fireable(vec![elect]));
    let stop = Formula::Fireable(vec![TransitionId::new(1)]);
    assert_eq!(parse("fireable(elect[p=n1,v=(*,2)], stop)"), Formula::Or(vec![stop, both]));
}

#[test]
fn unknown_colours_have_suggestions() {
    let check = |text: &str, at: usize, message: &str, hint: &str| {
        let fault = refused(text);
        assert!(fault.message.contains(message), "{text}: {fault:?}");
        assert!(fault.hint.as_deref().unwrap_or_default().contains(hint), "{text}: {fault:?}");
        assert_eq!(fault.offset, at as u64, "{text}: {fault:?}");
    };
    check("leadr[n1] >= 1", 0, "no place `leadr`", "did you mean `leader`?");
    check("leader[n3] >= 1", 7, "`n3` is no colour of the sort `Node`", "did you mean `n1`?");
    check("leader[red] >= 1", 7, "`red` is no colour", "`n1`, `n2`, `\"X\"` and 1 more");
    check("vote[n1,7] >= 1", 8, "`7` is no colour of the sort `Number`", "from -1 to 3");
    check("done[n1] >= 1", 5, "`n1` is no colour of the sort `dot`", "`dot`");
    check("vote[n1] >= 1", 5, "have 2 components", "`*` for any");
    check("vote[n1,2,3] >= 1", 10, "have 2 components", "");
    check("leader[] >= 1", 7, "expected a colour or `*`, found `]`", "");
    check("vote[(n1,2)] >= 1", 5, "expected a colour", "without parentheses");
    check("leader[n1 >= 1", 10, "expected `,` or `]`", "");
    check("fireable(elect[q=n1])", 15, "`elect` has no variable `q`", "`p`, `v`");
    check("fireable(stop[p=n1])", 14, "`stop` has no variable `p`", "leave out the brackets");
    check("fireable(elect[p=n9])", 17, "`n9` is no colour", "did you mean");
    check("fireable(elect[p=n1,p=n2])", 20, "`p` is given twice", "");
    check("fireable(elect[n1])", 15, "no variable `n1`", "`p`, `v`");
    check("fireable(elect[p])", 16, "expected `=`", "");
    check("fireable(elect[v=n1])", 17, "are tuples with 2 components", "`v=(*,*)`");
    check("fireable(elect[v=(n1)])", 18, "have 2 components", "");
    check("leader(n1) >= 1", 6, "expected", "`place[colour]`");
}

#[test]
fn plain_nets_have_no_colours() {
    let net = tiny::net("leader:1 leader_n1 p; t: leader -> p; t_n1: p -> leader");
    let refused = |text| query::parse(text, &net).expect_err(text);
    let fault = refused("leader[n1] >= 1");
    assert!(fault.message.contains("at `leader`, but the net has no colours"), "{fault:?}");
    assert_eq!((fault.offset, fault.hint.as_deref()), (6, Some("did you mean `leader_n1`?")));
    assert!(refused("p[n1] >= 1").hint.unwrap().contains("leave out the brackets"));
    assert!(refused("fireable(t[x=n1])").message.contains("no colours"));
    let xml = property_xml(
        "<finally><is-fireable><transition binding=\"x=1\">t</transition></is-fireable></finally>",
    );
    assert!(properties::read(xml.as_bytes(), &net, Logic::Ctl).unwrap_err().message.contains("no colours"));
}

fn property_xml(path: &str) -> String {
    let formula = format!("<exists-path>{path}</exists-path>");
    format!("<property-set><property><id>a</id><formula>{formula}</formula></property></property-set>")
}

#[test]
fn attributes_of_xml_name_colours() {
    let net = election();
    let read = |state: &str| {
        let xml = property_xml(&format!("<finally>{state}</finally>"));
        properties::read(xml.as_bytes(), &net, Logic::Ctl).map(|mut all| all.remove(0).formula)
    };
    let fireable = "<is-fireable><transition binding=\"p=n1, v=(X,*)\">elect</transition></is-fireable>";
    assert_eq!(read(fireable), Ok(parse("EF fireable(elect[p=n1,v=(X,*)])")));
    let count = "<integer-le><integer-constant>1</integer-constant><tokens-count>\
                 <place colour='\"node 4\"'>leader</place><place>done</place></tokens-count></integer-le>";
    assert_eq!(read(count), Ok(parse("EF (1 <= tokens(leader[\"node 4\"], done))")));
    let refused = |state: &str, message: &str| {
        let fault = read(state).expect_err(state);
        assert!(fault.message.contains(message), "{state}: {fault:?}");
    };
    refused("<is-fireable><transition colour=\"n1\">elect</transition></is-fireable>", "no such attribute");
    refused(
        "<is-fireable><transition binding=\"p\">elect</transition></is-fireable>",
        "in the attribute `binding`",
    );
    let count = |attribute: &str| {
        format!(
            "<integer-le><integer-constant>1</integer-constant><tokens-count><place {attribute}>vote</place>\
             </tokens-count></integer-le>"
        )
    };
    refused(&count("binding=\"p=n1\""), "no such attribute");
    refused(&count("colour=\"n1\""), "have 2 components");
    refused(&count("colour=\"n1,2]\""), "expected `,` or the end");
    refused(&count("colour=\"\""), "expected a colour");
}

/// Whether a formula names colours.
fn names_colours(formula: &Formula) -> bool {
    format!("{formula:?}").contains("FixedComponent")
}

/// Bound properties and queries of random nets are the same after they were written and read, as text and as XML.
#[test]
fn random_queries_are_read_as_they_are_written() {
    let (mut named, mut written) = (0, 0);
    for seed in 0..4_000 {
        let mut random = TestRng::new(seed);
        let net = random::coloured(&mut random, 0);
        let query = random::coloured_query(&mut random, &net, 2);
        let logic = if matches!(query, Query::Ltl(..)) { Logic::Ltl } else { Logic::Ctl };
        let model = Model::Coloured(net);
        // A first round brings single operands and empty lists to their form.
        let text = query::show_as(&query.formula(), logic, &model);
        let formula = query::parse(&text, &model).unwrap_or_else(|e| panic!("{text}: {e:?}")).formula;
        let again = query::show_as(&formula, logic, &model);
        let parsed = query::parse(&again, &model).unwrap_or_else(|e| panic!("{again}: {e:?}"));
        assert_eq!(parsed.formula, formula, "seed {seed}: {again}");
        named += usize::from(names_colours(&formula));
        let has_xml = !formula
            .any(&|f| matches!(f, Formula::Global(_) | Formula::Release(..) | Formula::WeakUntil(..)));
        if has_xml {
            let property = Property { name: "a".into(), formula, logic };
            let mut xml = Vec::new();
            properties::write(std::slice::from_ref(&property), &model, &mut xml).expect("it has a form");
            let read = properties::read(&xml[..], &model, logic).unwrap_or_else(|e| panic!("{again}: {e:?}"));
            assert_eq!(read[0].formula, property.formula, "seed {seed}: {again}");
            written += usize::from(names_colours(&property.formula));
        }
    }
    assert!(named > 2_000 && written > 1_000, "{named} named colours, {written} of them had a form in XML");
}
