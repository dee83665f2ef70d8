//! Each construct of the language, and each message.

use fireset_net::{Comparison, Expr, Formula, Global, Logic, Nodes, PlaceId, Query, TransitionId};

use super::*;

/// Places and transitions, some of whose names need quotes.
fn nodes() -> Nodes {
    let mut nodes = Nodes::default();
    for id in ["p1", "p2", "place 7", "p-1", "F", "true", "n1", "n2", "live"] {
        nodes.places.insert(id);
    }
    for (at, label) in [(6, "waiting"), (7, "twice"), (8, "twice")] {
        nodes.places.set_label(at, label);
    }
    for id in ["t1", "t2"] {
        nodes.transitions.insert(id);
    }
    nodes
}

fn parsed(text: &str) -> Parsed {
    parse(text, &nodes()).unwrap_or_else(|fault| panic!("`{text}`: {fault:?}"))
}

fn formula(text: &str) -> Formula {
    parsed(text).formula
}

fn place(at: usize) -> Expr {
    Expr::Tokens(vec![PlaceId::new(at)])
}

fn compare(a: Expr, how: Comparison, b: i64) -> Formula {
    Formula::Compare(how, a, Expr::Constant(b))
}

/// The query of which `text` is another form.
fn same(text: &str, plain: &str) {
    assert_eq!(formula(text), formula(plain), "`{text}` should be `{plain}`");
}

/// What is said of a wrong query: byte, message, hint.
fn fault(text: &str) -> (u64, String, String) {
    let fault = parse(text, &nodes()).expect_err(text);
    (fault.offset, fault.message, fault.hint.unwrap_or_default())
}

fn fails(text: &str, offset: u64, message: &str, hint: &str) {
    assert_eq!(fault(text), (offset, message.into(), hint.into()), "`{text}`");
}

#[test]
fn atoms() {
    assert_eq!(formula("true"), Formula::Constant(true));
    assert_eq!(formula("false"), Formula::Constant(false));
    assert_eq!(formula("deadlock"), Formula::Deadlock);
    let both = vec![TransitionId::new(0), TransitionId::new(1)];
    assert_eq!(formula("fireable(t1, t2)"), Formula::Fireable(both));
    assert_eq!(formula("bound(p1, p2)"), Formula::Bound(vec![PlaceId::new(0), PlaceId::new(1)]));
    for (word, global) in [
        ("state-space", Global::StateSpace),
        ("one-safe", Global::OneSafe),
        ("stable-marking", Global::StableMarking),
        ("quasi-live", Global::QuasiLiveness),
        ("live", Global::Liveness),
    ] {
        assert_eq!(formula(word), Formula::Global(global));
    }
}

#[test]
fn comparisons() {
    use Comparison::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    for (symbol, how) in [
        ("<", Less),
        ("<=", LessEqual),
        ("=", Equal),
        ("==", Equal),
        ("!=", NotEqual),
        (">=", GreaterEqual),
        (">", Greater),
    ] {
        assert_eq!(formula(&format!("p1 {symbol} 3")), compare(place(0), how, 3));
    }
    let all = Expr::Tokens(vec![PlaceId::new(0), PlaceId::new(2)]);
    assert_eq!(formula("tokens(p1, \"place 7\") >= 1"), compare(all, GreaterEqual, 1));
}

#[test]
fn arithmetic() {
    let left = |text: &str| match formula(&format!("{text} = 0")) {
        Formula::Compare(_, a, _) => a,
        other => panic!("{other:?}"),
    };
    let difference = |a, b| Expr::Difference(Box::new(a), Box::new(b));
    let product = Expr::Product(vec![Expr::Constant(2), place(1)]);
    assert_eq!(left("p1 + 2*p2"), Expr::Sum(vec![place(0), product]));
    assert_eq!(left("p1 - p2 - 1"), difference(difference(place(0), place(1)), Expr::Constant(1)));
    assert_eq!(left("p1 - (p2 - 1)"), difference(place(0), difference(place(1), Expr::Constant(1))));
    assert_eq!(
        left("(p1 + p2) * 2"),
        Expr::Product(vec![Expr::Sum(vec![place(0), place(1)]), Expr::Constant(2)])
    );
    assert_eq!(left("-7"), Expr::Constant(-7));
    assert_eq!(left("-p1"), difference(Expr::Constant(0), place(0)));
    assert_eq!(left("p1-1"), difference(place(0), Expr::Constant(1)));
    assert_eq!(left("-9223372036854775808"), Expr::Constant(i64::MIN));
    assert_eq!(left("9223372036854775807"), Expr::Constant(i64::MAX));
}

#[test]
fn words_and_symbols_are_the_same() {
    same("not deadlock", "!deadlock");
    for and in ["and", "&"] {
        same(&format!("deadlock {and} true"), "deadlock && true");
    }
    for or in ["or", "|"] {
        same(&format!("deadlock {or} true"), "deadlock || true");
    }
    for implies in ["=>", "implies"] {
        same(&format!("deadlock {implies} true"), "deadlock -> true");
    }
    for iff in ["<=>", "iff"] {
        same(&format!("deadlock {iff} true"), "deadlock <-> true");
    }
    same("deadlock xor true", "!(deadlock <-> true)");
    same("deadlock -> true", "!deadlock || true");
}

#[test]
fn precedence() {
    same("!p1 = 0 && deadlock", "(!(p1 = 0)) && deadlock");
    same("AG p1 <= 3", "AG (p1 <= 3)");
    same("G deadlock U true", "(G deadlock) U true");
    same("p1 = 0 U p2 = 0 U deadlock", "(p1 = 0) U ((p2 = 0) U deadlock)");
    same("deadlock U true && false", "(deadlock U true) && false");
    same("true || false && deadlock", "true || (false && deadlock)");
    same("true || false xor deadlock", "true || (false xor deadlock)");
    same("true -> false || deadlock", "true -> (false || deadlock)");
    same("true -> false -> deadlock", "true -> (false -> deadlock)");
    same("true <-> false -> deadlock", "true <-> (false -> deadlock)");
    same("true <-> false <-> deadlock", "(true <-> false) <-> deadlock");
    same("p1 = 1 - 1 && true", "(p1 = (1 - 1)) && true");
}

#[test]
fn time() {
    let boxed = || Box::new(Formula::Deadlock);
    let (now, t) = (|| Box::new(Formula::Constant(true)), Formula::Until);
    assert_eq!(formula("AX deadlock"), Formula::ForAll(Box::new(Formula::Next(boxed()))));
    assert_eq!(formula("EF deadlock"), Formula::Deadlock.possible());
    assert_eq!(formula("AG deadlock"), Formula::Deadlock.invariant());
    for text in ["E(true U deadlock)", "E[true U deadlock]", "E (true U deadlock)"] {
        assert_eq!(formula(text), Formula::Exists(Box::new(t(now(), boxed()))));
    }
    assert_eq!(formula("A[true R deadlock]"), Formula::ForAll(Box::new(Formula::Release(now(), boxed()))));
    assert_eq!(formula("true W deadlock"), Formula::WeakUntil(now(), boxed()));
    for (apart, together) in
        [("A F", "AF"), ("A G", "AG"), ("A X", "AX"), ("E F", "EF"), ("E G", "EG"), ("E X", "EX")]
    {
        same(&format!("{apart} deadlock"), &format!("{together} deadlock"));
    }
}

#[test]
fn the_logic_follows_from_how_quantifiers_are_written() {
    for text in ["AX deadlock", "A[X deadlock]", "!AX deadlock", "AG A X deadlock", "E[true U A X true]"] {
        assert_eq!(parsed(text).logic, Logic::Ctl, "{text}");
    }
    for text in ["A X deadlock", "A (X deadlock)", "X deadlock", "!A X deadlock", "deadlock"] {
        assert_eq!(parsed(text).logic, Logic::Ltl, "{text}");
    }
    let query = |text| read("q", text, &nodes()).unwrap().query().unwrap();
    assert!(matches!(query("AX deadlock"), Query::Ctl(_)));
    assert!(matches!(query("A X deadlock"), Query::Ltl(..)));
    assert!(matches!(query("A G (fireable(t1) -> F tokens(\"place 7\") >= 1)"), Query::Ltl(..)));
    assert!(matches!(query("AG (p1 + 2*p2 <= 3)"), Query::Invariant(_)));
    assert!(matches!(query("EF deadlock"), Query::Reachable(_)));
    assert!(matches!(query("bound(p1, p2)"), Query::Bound(_)));
    assert!(matches!(query("one-safe"), Query::Global(_)));
    assert!(matches!(query("deadlock"), Query::Ctl(_)));
}

#[test]
fn names() {
    same("\"p1\" = 0", "p1 = 0");
    same("waiting = 0", "n1 = 0");
    assert_eq!(formula("\"F\" >= 1"), compare(place(4), Comparison::GreaterEqual, 1));
    assert_eq!(formula("\"p-1\" >= 1"), compare(place(3), Comparison::GreaterEqual, 1));
    let mut nodes = Nodes::default();
    nodes.places.insert("a\"b\\c");
    let parsed = parse("\"a\\\"b\\\\c\" = 0", &nodes).unwrap();
    assert_eq!(show(&parsed.formula, &nodes), "\"a\\\"b\\\\c\" = 0");
}

#[test]
fn wrong_names() {
    fails("p3 = 0", 0, "the net has no place `p3`", "did you mean `p1`?");
    fails("AG plaec7 = 0", 3, "the net has no place `plaec7`", "did you mean `\"place 7\"`?");
    let hint = "the net's places are `p1`, `p2`, `\"place 7\"` and 6 more";
    fails("zzzzz = 0", 0, "the net has no place `zzzzz`", hint);
    fails("EF t1", 3, "`t1` is a transition, not a place", "write fireable(t1)");
    let hint = "to refer to the place, compare its tokens, as in `p1 >= 1`";
    fails("fireable(t1, p1)", 13, "`p1` is a place, not a transition", hint);
    let hint = "write the id of one, such as `n2` or `\"live\"`";
    fails("twice = 0", 0, "`twice` is the label of several places", hint);
    fails("p-1 = 0", 0, "the net has no place `p`", "a name with `-` is quoted: \"p-1\"");
    let hint = "a name with blanks is quoted: \"place 7\"";
    fails("AG place 7 <= 2", 3, "the net has no place `place`", hint);
    fails("AG (tokens(p1, place 7) <= 2)", 15, "the net has no place `place`", hint);
    fails("TRUE || deadlock", 0, "the net has no place `TRUE`", "did you mean `true`?");
    fails(
        "7up = 0",
        0,
        "`7up` is neither a number nor a plain name",
        "quote names that begin with a digit: \"7up\"",
    );
}

#[test]
fn keywords_that_are_names() {
    let hint = |word| format!("`{word}` is a keyword; for the place write \"{word}\"");
    fails("F >= 1", 2, "expected a formula or a number, found `>=`", &hint("F"));
    fails("tokens(F) = 1", 7, "expected a name, found `F`", &hint("F"));
    fails("true >= 1", 0, "`true` is a formula, but a number is expected here", &hint("true"));
    fails("live >= 1", 0, "`live` is a formula, but a number is expected here", &hint("live"));
    fails("G >= 1", 2, "expected a formula or a number, found `>=`", "");
}

#[test]
fn wrong_sorts() {
    fails(
        "AG p1",
        3,
        "`p1` is a number, but a formula is expected here",
        "compare it with another, as in `p1 >= 1`",
    );
    fails("(p1 = 0) + 1 = 2", 0, "`(p1 = 0)` is a formula, but a number is expected here", "");
    fails(
        "bound(p1, p2) <= 3",
        0,
        "a bound or a property of the whole net can only stand alone",
        "to check a bound, write an invariant: `AG (tokens(p1, p2) <= 3)`",
    );
    fails("AG one-safe", 3, "a bound or a property of the whole net can only stand alone", "");
    fails("p1 < p2 < 3", 8, "comparisons cannot be chained", "write `a < b && b < c`");
}

#[test]
fn wrong_syntax() {
    fails("", 0, "the query is empty", "write a formula, such as `EF deadlock`");
    fails("EF", 2, "expected a formula or a number, found the end of the query", "");
    fails("p1 = ", 5, "expected a formula or a number, found the end of the query", "");
    fails("(deadlock", 0, "this `(` is not closed", "");
    fails("A[true U deadlock)", 17, "expected an operator or `]`, found `)`", "");
    fails("deadlock)", 8, "`)` closes nothing", "");
    fails(
        "deadlock true",
        9,
        "expected an operator or the end of the query, found `true`",
        "`true` is a keyword; for the place write \"true\"",
    );
    fails("fireable t1", 9, "expected `(`, found `t1`", "");
    let hint = "name places or transitions, as in `fireable(t1, t2)`";
    fails("fireable()", 9, "expected a name, found `)`", hint);
    let hint = "a place denotes its tokens of all colours; to refer to one colour, write `place[colour]`";
    fails("p1(red) = 1", 2, "expected an operator or the end of the query, found `(`", hint);
    let hint = "for `[] f` write `G f`; `A[f U g]` and `E[f U g]` need the quantifier";
    fails("[] p1 = 1", 0, "expected a formula or a number, found `[`", hint);
    let hint = "for `<> f` write `F f`, and for `a <> b` `a != b`";
    fails("p1 <> 1", 4, "expected a formula or a number, found `>`", hint);
    fails("p1 =< 1", 4, "expected a formula or a number, found `<`", "write `<=`");
    fails("p1 = 1 /\\ p2 = 1", 7, "unexpected character `/`", "write `&&` instead of `/\\`");
    let message = "`1.5` is neither a number nor a plain name";
    fails("1.5*p1 = 1", 0, message, "numbers must be whole; multiply both sides");
    fails("EF deadlok", 3, "the net has no place `deadlok`", "did you mean `deadlock`?");
    fails("tokens(p1 p2) = 1", 10, "expected `,` or `)`, found `p2`", "");
    let hint = "quote names with such characters, as in \"place 7\"";
    fails("p1 / 2 = 1", 3, "unexpected character `/`", hint);
    fails("\"p1 = 0", 0, "unterminated quoted name", "close it with \"");
    let hint = "in a quoted name, write \\\" for a quote, \\\\ for a backslash and \\n for a line end";
    fails("\"p\\t\" = 0", 2, "unknown escape `\\t`", hint);
    let range = "is out of range: numbers go from -9223372036854775808 to 9223372036854775807";
    for number in ["9223372036854775808", "-9223372036854775809", "99999999999999999999"] {
        fails(&format!("p1 = {number}"), 5, &format!("{number} {range}"), "");
    }
}

#[test]
fn ctl_star_is_what_is_neither_ctl_nor_ltl() {
    let query = |text: &str| read("q", text, &nodes()).unwrap().query().unwrap();
    for text in ["A (F G deadlock && EX deadlock)", "F deadlock && E G deadlock", "A G E (F G deadlock)"] {
        assert!(matches!(query(text), Query::CtlStar(_)), "{text}");
    }
    let all_runs = query("F deadlock && E G deadlock");
    assert_eq!(all_runs, query("A (F deadlock && E G deadlock)"));
}

#[test]
fn steps_outside_ltl_are_refused() {
    let error = read("query 2", "  A (F G deadlock && EX fired(t1))", &nodes()).unwrap_err();
    assert!(error.message.contains("`fired` and the past operators"), "{}", error.message);
    assert!(error.hint.is_some());
    assert_eq!(error.position.map(|p| (p.line, p.column)), Some((1, 3)));
    assert_eq!(error.source, "query 2");
}

#[test]
fn flat_queries_may_be_long() {
    let operands = 100_000;
    for operator in ["&&", "||"] {
        let text = vec!["deadlock"; operands].join(operator);
        let all = formula(&text);
        assert_eq!(all.children().count(), operands);
        assert_eq!(formula(&show(&all, &nodes())), all);
    }
    let sum = vec!["p1"; operands].join(" + ");
    formula(&format!("{sum} = {}", vec!["2"; operands].join("*")));
    formula(&format!("fireable({})", vec!["t1"; operands].join(",")));
}

#[test]
fn deep_queries_are_refused_or_read_but_never_overflow() {
    let hint = "`&&`, `||`, `+` and `*` can be chained without nesting";
    let deep = |n: usize| {
        [
            format!("{}deadlock{}", "(".repeat(n), ")".repeat(n)),
            format!("{}deadlock", "!".repeat(n)),
            format!("{}deadlock", "AG ".repeat(n)),
            format!("{}deadlock{}", "A[".repeat(n), "]".repeat(n)),
            format!("{}deadlock{}", "(true && ".repeat(n), ")".repeat(n)),
            format!("{}deadlock", "deadlock -> ".repeat(n)),
            format!("{}deadlock", "deadlock <-> ".repeat(n)),
            format!("{}deadlock", "deadlock xor ".repeat(n)),
            format!("{}deadlock", "deadlock U ".repeat(n)),
            format!("{}p1 = 0", "p1 - ".repeat(n)),
            format!("{}p1 = 0", "p1 + p1 - ".repeat(n)),
            format!("{}p1 = 0", "-".repeat(n)),
        ]
    };
    for text in deep(400) {
        assert_eq!(formula(&show(&formula(&text), &nodes())), formula(&text), "{}", &text[..40]);
    }
    for text in deep(100_000) {
        let (_, message, given) = fault(&text);
        assert_eq!(
            (message.as_str(), given.as_str()),
            ("the query is nested too deeply", hint),
            "{}",
            &text[..40]
        );
    }
}

#[test]
fn shown_with_few_parentheses() {
    for text in [
        "AG (p1 + 2*p2 <= 3)",
        "EF deadlock",
        "AG EF fireable(t1, t2)",
        "A[p1 = 0 && deadlock U deadlock -> true]",
        "!deadlock && p1 = 0 || p2 != 1 -> deadlock <-> true",
        "deadlock xor true xor (false xor deadlock)",
        "!(p1 < 1) U G deadlock R X (p2 > 1)",
        "p1 - p2 + 3 - (\"place 7\" - 1) >= -4*(p1 + 1)",
        "(true || false) || deadlock",
        "state-space",
    ] {
        assert_eq!(show(&formula(text), &nodes()), text);
    }
    let until = formula("A[p1 = 0 && deadlock U deadlock]");
    assert_eq!(show(&until, &nodes()), "A[p1 = 0 && deadlock U deadlock]");
    assert_eq!(show_as(&until, Logic::Ltl, &nodes()), "A (p1 = 0 && deadlock U deadlock)");
    assert_eq!(show(&formula("A[(p1 = 0) U (G deadlock)]"), &nodes()), "A[(p1 = 0) U G deadlock]");
    assert_eq!(show_as(&formula("AX (p1 = 0)"), Logic::Ltl, &nodes()), "A X (p1 = 0)");
}

#[test]
fn what_queries_cannot_say_is_shown_as_its_equal() {
    let shown = |f| show(&f, &nodes());
    assert_eq!(shown(Formula::And(vec![])), "true");
    assert_eq!(shown(Formula::Or(vec![])), "false");
    assert_eq!(shown(Formula::Fireable(vec![])), "false");
    assert_eq!(shown(Formula::And(vec![Formula::Or(vec![Formula::Deadlock])])), "deadlock");
    assert_eq!(shown(compare(Expr::Sum(vec![]), Comparison::Equal, 0)), "0 = 0");
    assert_eq!(shown(compare(Expr::Product(vec![]), Comparison::Equal, 0)), "1 = 0");
    assert_eq!(shown(compare(Expr::Tokens(vec![]), Comparison::Equal, 0)), "0 = 0");
}

#[test]
fn the_examples_of_the_help_are_queries() {
    let examples = HELP.split("Examples\n").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap();
    let mut count = 0;
    for line in examples.lines() {
        let query = line.trim_start().split("  ").next().unwrap();
        read("help", query, &nodes()).unwrap_or_else(|error| panic!("{error}"));
        count += 1;
    }
    assert_eq!(count, 11);
}

/// Nodes whose names are words of formulas about runs.
fn nodes_with_words() -> Nodes {
    let mut nodes = Nodes::default();
    for id in ["Y", "O", "H", "S", "fired", "fair", "weak", "response", "after", "p"] {
        nodes.places.insert(id);
        nodes.transitions.insert(id);
    }
    nodes
}

#[test]
fn words_about_runs_are_names_where_nothing_follows() {
    let nodes = nodes_with_words();
    let shown = |text: &str| {
        let parsed = parse(text, &nodes).unwrap_or_else(|fault| panic!("`{text}`: {fault:?}"));
        show_as(&parsed.formula, parsed.logic, &nodes)
    };
    for text in [
        "Y >= 1",
        "O + H >= S",
        "tokens(Y, O, S) = 0",
        "F (Y - 1 = 0)",
        "fired >= 1 && fair >= 1 && weak >= 1",
        "fireable(Y, S)",
        "fired(fired, Y)",
        "response >= after",
        "Y (Y >= 1)",
        "(S >= 1) S (S >= 1)",
        "Y Y O H (p >= 1)",
        "fair weak(weak, S), strong: F fired(p)",
        "A (fired(p) S (p = 0) S fired(O))",
    ] {
        assert_eq!(shown(text), text);
    }
    assert_eq!(shown("O p = 0"), "O (p = 0)");
    assert_eq!(shown("p = 0 S H p = 1"), "(p = 0) S H (p = 1)");
}

#[test]
fn patterns_are_translated() {
    same("absence(p1 = 0)", "G !(p1 = 0)");
    same("existence(p1 = 0) globally", "F (p1 = 0)");
    same("response(p1 = 0, p2 = 0)", "G (p1 = 0 -> F p2 = 0)");
    same("universality(p1 = 0) before p2 = 0", "F p2 = 0 -> (p1 = 0 W p2 = 0)");
    same("precedence(p1 = 0, deadlock) after fired(t1)", "!fired(t1) W (fired(t1) && (!deadlock W p1 = 0))");
    same(
        "absence(p1 = 0) between (deadlock, p2 = 0)",
        "G (deadlock && !(p2 = 0) && F p2 = 0 -> (!(p1 = 0) W p2 = 0))",
    );
    same(
        "A absence(p1 = 0) after deadlock until p2 = 0",
        "A G (deadlock && !(p2 = 0) -> (!(p1 = 0) W p2 = 0))",
    );
    let (_, notes) = read_with_notes("q", "absence(deadlock)", &nodes()).unwrap();
    assert_eq!(notes, ["q: `absence(deadlock)` stands for `G !deadlock`"]);
    fails(
        "absence(existence(deadlock))",
        8,
        "a pattern stands inside another pattern",
        "write the inner one as a formula",
    );
    fails("bounded_existence(deadlock, 0)", 28, "expected a number from 1 to 10, found `0`", "");
    assert_eq!(fault("response(deadlock)").1, "expected `,`, found `)`");
}

#[test]
fn runs_are_for_ltl() {
    let refused = |text: &str| read("q", text, &nodes()).expect_err(text).message;
    for text in ["AG EF fired(t1)", "EF EG O deadlock"] {
        assert!(refused(text).contains("for LTL only"), "{text}");
    }
    assert!(refused("fair weak: AG EF deadlock").contains("CTL under fairness"));
    assert!(refused("fair weak: one-safe").contains("can only stand alone"));
    assert_eq!(fault("fair weak(t1) F deadlock").1, "expected `,` or `:`, found `F`");
    assert!(read_fairness("--fair", "sometimes", &nodes()).is_err());
    assert_eq!(read_fairness("--fair", "weak(t1, t2), strong", &nodes()).unwrap().0.len(), 2);
}
