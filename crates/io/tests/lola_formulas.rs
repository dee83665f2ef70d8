//! Formulas of LoLA, compared with the same formulas in the query language.

use fireset_io::{lola, query};
use fireset_net::{Comparison, Expr, Formula, Logic, Net, Nodes, Property};
use fireset_oracle::{
    random::{self, NetShape, TestRng},
    tiny,
};

/// The places have names that LoLA's formulas can misread.
fn net() -> Net {
    tiny::net("p:1 q r-1 r A FX 1; t: p -> q; u-v: q -> p; X: r -> A")
}

fn read(text: &str) -> Vec<Property> {
    let net = net();
    lola::read_properties(text, net.nodes()).unwrap_or_else(|fault| panic!("{fault:?} in\n{text}"))
}

#[track_caller]
fn same(text: &str, expected: &str) {
    let net = net();
    let parsed = query::parse(expected, net.nodes()).expect("a query");
    let properties = read(text);
    assert_eq!(properties.len(), 1);
    let shown = query::show(&properties[0].formula, net.nodes());
    assert_eq!(properties[0].formula, parsed.formula, "{text} is read as {shown}");
}

/// Stands for the end of a text.
const END: &str = "\0";

#[track_caller]
fn refused(text: &str, at: &str, message: &str) {
    let fault = lola::read_properties(text, net().nodes()).expect_err("no such formula");
    assert!(fault.message.contains(message), "{fault:?}");
    let offset = if at == END { text.len() } else { text.find(at).expect("the construct is in the text") };
    assert_eq!(fault.offset, offset as u64, "{fault:?}");
}

#[test]
fn state_predicates_are_read() {
    same("p = 1", "p = 1");
    same("FORMULA p = 1;", "p = 1");
    same("p != 1 AND q <> 2 AND r # 3", "p != 1 && q != 2 && r != 3");
    same("p < 1 OR q <= 2 XOR (r > 3 OR A >= 4)", "(p < 1 || q <= 2) xor (r > 3 || \"A\" >= 4)");
    same("2 * p + q - 3 <= -4", "(2 * p + q) - 3 <= -4");
    same("2 * (p + q) - (r - 1) = 0", "2 * (p + q) - (r - 1) = 0");
    same("NOT TRUE OR FALSE AND DEADLOCK", "!true || false && deadlock");
    same("FIREABLE(t) AND NOT FIREABLE ( u-v )", "fireable(t) && !fireable(\"u-v\")");
    same("p = 1 -> q = 1 -> r = 1", "(p = 1 -> q = 1) -> r = 1");
    same("p = 1 <-> q = 1 -> r = 1 OR p = 0", "p = 1 <-> (q = 1 -> r = 1 || p = 0)");
}

#[test]
fn temporal_operators_are_read() {
    same("REACHABLE p = 1 AND DEADLOCK", "EF (p = 1 && deadlock)");
    same("INVARIANT p = 1 OR q = 1", "AG (p = 1 || q = 1)");
    same("IMPOSSIBLE p > 1 AND q > 1", "AG !(p > 1 && q > 1)");
    same("EF p = 1 AND q = 1", "EF (p = 1) && q = 1");
    same("AGEF (p = 1)", "AG EF (p = 1)");
    same("AG EF p = 1 -> AF q = 1", "AG EF (p = 1) -> AF (q = 1)");
    same("EX p = 1 OR NOT AX q = 1", "EX (p = 1) || !AX (q = 1)");
    same("EG NOT p = 1", "EG !(p = 1)");
    same("E (p = 1 U q = 1)", "E[p = 1 U q = 1]");
    same("E[p = 1 U q = 1]", "E[p = 1 U q = 1]");
    same("A(p = 1 AND q = 0 UNTIL r = 1 OR q = 1)", "A[(p = 1 && q = 0) U (r = 1 || q = 1)]");
    same("ALLPATH ALWAYS EXPATH EVENTUALLY p = 1", "AG EF (p = 1)");
    same("ALLPATH (ALWAYS EVENTUALLY p = 1)", "A G F (p = 1)");
    same("A GF (p = 1 -> X q = 1)", "A G F (p = 1 -> X (q = 1))");
    same("G (p = 1 R q = 1)", "G ((p = 1) R (q = 1))");
    same("EXPATH NEXTSTATE (p = 1 RELEASE q = 1)", "E X ((p = 1) R (q = 1))");
    same("A (REACHABLE p = 1 UNTIL q = 1)", "A[EF (p = 1) U q = 1]");
}

#[test]
fn bounds_are_read() {
    same("MAX(p)", "bound(p)");
    same("MAX ( p + (A) + FX )", "bound(p, \"A\", FX)");
    refused("MAX(2 * p)", "MAX", "different places");
    refused("MAX(p + p)", "MAX", "different places");
    refused("MAX(p) + q", "MAX", "stand alone");
    refused("MAX(p = 1)", "(p", "number is expected");
    refused("REACHABLE MAX(p)", "MAX", "stand alone");
}

#[test]
fn names_are_the_longest_that_the_net_has() {
    same("r-1 = 2", "\"r-1\" = 2");
    same("r - 1 = 2", "r - 1 = 2");
    same("q-1=2", "q - 1 = 2");
    same("p+q<=r-1", "p + q <= \"r-1\"");
    same("A = 1", "\"A\" = 1");
    same("A FX = 1", "A (FX = 1)");
    same("EF A + FX = 1", "EF (\"A\" + FX = 1)");
    same("1 = 1", "1 = 1");
    same("p=1->q=1", "p = 1 -> q = 1");
}

#[test]
fn a_formula_of_both_logics_is_ltl() {
    let logics: Vec<Logic> = read("A X p = 1 : AX p = 1").into_iter().map(|p| p.logic).collect();
    assert_eq!(logics, [Logic::Ltl, Logic::Ltl]);
}

#[test]
fn a_file_has_several_formulas() {
    let names = |text: &str| read(text).into_iter().map(|p| p.name).collect::<Vec<_>>();
    assert_eq!(names("EF p = 1 : MAX(p) : AG q = 0;"), ["formula 1", "formula 2", "formula 3"]);
    assert_eq!(names("FORMULA p = 1; FORMULA /* : */ q = 1; { the end }"), ["formula 1", "formula 2"]);
    refused("EF p = 1 :", END, "formula is missing");
    refused("", "", "formula is missing");
    refused("EF p = 1 q", "q", "expected an operator");
}

#[test]
fn what_is_not_supported_is_refused_by_name() {
    refused("EF INITIAL", "INITIAL", "INITIAL");
    refused("p * 2 = 1", "*", "only a number");
    refused("p * q = 1", "*", "only a number");
    refused("p = 1 UNTIL q = 1", "UNTIL", "parentheses");
    refused("(p = 1 U q = 1 U r = 1)", "U r", "parentheses");
    refused("U p = 1", "U", "between two formulas");
    refused("EF {p = 1} q = 1 {r}", "q", "comment");
}

#[test]
fn malformed_formulas_are_refused_where_they_are_wrong() {
    refused("EF pp = 1", "pp", "no place `pp`");
    refused("EF t = 1", "t", "is a transition");
    refused("FIREABLE(p)", "p", "is a place");
    refused("FIREABLE p", "p", "expected `(`");
    refused("EF (p = 1", "(", "not closed");
    refused("EF p = 1)", ")", "closes nothing");
    refused("E[p = 1)", ")", "does not close");
    refused("EF [p = 1]", "[", "expected a formula");
    refused("p", "p", "number stands where a formula");
    refused("p = TRUE", "TRUE", "formula stands where a number");
    refused("NOT p + 1", "p", "number stands where a formula");
    refused("p = 9223372036854775808", "9", "out of range");
    refused("p = -q", "q", "expected a number");
    refused("p = 1 and q = 1", "and", "expected an operator");
    refused("p = 1 }", "}", "closes no comment");
    refused("!p = 1", "!", "found `!`");
    let fault = lola::read_properties("p = 1 and q = 1", net().nodes()).unwrap_err();
    assert!(fault.hint.unwrap().contains("`AND`"));
}

#[test]
fn nesting_is_bounded_and_chains_are_not() {
    for (open, close) in [("(", ")"), ("NOT ", ""), ("AG ", ""), ("(TRUE U ", ")"), ("p = 1 -> (", ")")] {
        let deep = format!("{}TRUE{}", open.repeat(2_000), close.repeat(2_000));
        let fault = lola::read_properties(&deep, net().nodes()).unwrap_err();
        assert!(fault.message.contains("too deeply"), "{fault:?}");
    }
    let implications = format!("{}TRUE", "TRUE -> ".repeat(2_000));
    assert!(lola::read_properties(&implications, net().nodes()).unwrap_err().message.contains("too deeply"));
    let chain = format!("{}q = 1", "p = 1 AND ".repeat(20_000));
    assert!(matches!(&read(&chain)[0].formula, Formula::And(operands) if operands.len() == 20_001));
    let sum = format!("{}q = 1", "p+".repeat(20_000));
    assert_eq!(read(&sum).len(), 1);
}

/// A formula as LoLA writes it, in parentheses throughout. LoLA has no way to write weak until, several transitions or
/// places at once, and products of places.
fn lola_text(formula: &Formula, nodes: &Nodes) -> Option<String> {
    let text = |f: &Formula| lola_text(f, nodes);
    let all = |fs: &[Formula], operator: &str| {
        let parts: Option<Vec<String>> = fs.iter().map(text).collect();
        parts.filter(|parts| parts.len() > 1).map(|parts| format!("({})", parts.join(operator)))
    };
    Some(match formula {
        Formula::Constant(value) => value.to_string().to_uppercase(),
        Formula::Deadlock => "DEADLOCK".to_owned(),
        Formula::Fireable(ts) if ts.len() == 1 => format!("FIREABLE({})", nodes.transition(ts[0])),
        Formula::Compare(how, a, b) => {
            let sign = if *how == Comparison::NotEqual { "#" } else { how.symbol() };
            format!("{} {sign} {}", term_text(a, nodes)?, term_text(b, nodes)?)
        }
        Formula::Not(f) => format!("NOT ({})", text(f)?),
        Formula::And(fs) => all(fs, " AND ")?,
        Formula::Or(fs) => all(fs, " OR ")?,
        Formula::Iff(f, g) => format!("(({}) <-> ({}))", text(f)?, text(g)?),
        Formula::Next(f) => format!("NEXTSTATE ({})", text(f)?),
        Formula::Finally(f) => format!("EVENTUALLY ({})", text(f)?),
        Formula::Globally(f) => format!("ALWAYS ({})", text(f)?),
        Formula::Until(f, g) => format!("({} UNTIL {})", text(f)?, text(g)?),
        Formula::Release(f, g) => format!("({} RELEASE {})", text(f)?, text(g)?),
        Formula::Exists(f) => format!("EXPATH {}", text(f)?),
        Formula::ForAll(f) => format!("ALLPATH {}", text(f)?),
        _ => return None,
    })
}

fn term_text(term: &Expr, nodes: &Nodes) -> Option<String> {
    let all = |terms: &[Expr], operator: &str| {
        let parts: Option<Vec<String>> = terms.iter().map(|term| term_text(term, nodes)).collect();
        parts.filter(|parts| parts.len() > 1).map(|parts| format!("({})", parts.join(operator)))
    };
    match term {
        Expr::Constant(value) => Some(value.to_string()),
        Expr::Tokens(places) if places.len() == 1 => Some(nodes.place(places[0]).to_owned()),
        Expr::Sum(terms) => all(terms, " + "),
        Expr::Difference(a, b) => Some(format!("({} - {})", term_text(a, nodes)?, term_text(b, nodes)?)),
        Expr::Product(factors) if matches!(factors[..], [Expr::Constant(_), _]) => all(factors, " * "),
        _ => None,
    }
}

#[test]
fn random_formulas_are_read_as_they_are_written() {
    let mut read_formulas = 0;
    for seed in 0..4_000 {
        let mut random = TestRng::new(seed);
        let net = random::net(&mut random, &NetShape::default());
        let formula: Formula = match seed % 3 {
            0 => (&random::predicate(&mut random, net.nodes(), 2)).into(),
            1 => (&random::ctl(&mut random, net.nodes(), 2)).into(),
            _ => (&random::path(&mut random, net.nodes(), 2)).into(),
        };
        if let Some(text) = lola_text(&formula, net.nodes()) {
            let properties = lola::read_properties(&text, net.nodes());
            let properties = properties.unwrap_or_else(|fault| panic!("{fault:?} in\n{text}"));
            assert_eq!(properties[0].formula, formula, "seed {seed}: {text}");
            read_formulas += 1;
        }
    }
    assert!(read_formulas > 1_000, "only {read_formulas} formulas can be written");
}
