//! Sizes of automata of well-known formulas, so that a translation that gets worse is seen.

use super::LIMIT;
use crate::automata::{Buchi, Class, Edge, Literal, Ltl, State, translate};

fn atom(atom: u32) -> Ltl {
    Ltl::Literal(Literal { atom, positive: true })
}

fn not(f: Ltl) -> Ltl {
    match f {
        Ltl::Constant(value) => Ltl::Constant(!value),
        Ltl::Literal(l) => Ltl::Literal(Literal { positive: !l.positive, ..l }),
        Ltl::And(fs) => Ltl::Or(fs.into_iter().map(not).collect()),
        Ltl::Or(fs) => Ltl::And(fs.into_iter().map(not).collect()),
        Ltl::Next(f) => Ltl::Next(not(*f).into()),
        Ltl::Until(f, g) => Ltl::Release(not(*f).into(), not(*g).into()),
        Ltl::Release(f, g) => Ltl::Until(not(*f).into(), not(*g).into()),
    }
}

fn and(f: Ltl, g: Ltl) -> Ltl {
    Ltl::And(vec![f, g])
}

fn or(f: Ltl, g: Ltl) -> Ltl {
    Ltl::Or(vec![f, g])
}

fn implies(f: Ltl, g: Ltl) -> Ltl {
    or(not(f), g)
}

fn until(f: Ltl, g: Ltl) -> Ltl {
    Ltl::Until(f.into(), g.into())
}

fn weak(f: Ltl, g: Ltl) -> Ltl {
    Ltl::Release(g.clone().into(), or(f, g).into())
}

fn finally(f: Ltl) -> Ltl {
    until(Ltl::Constant(true), f)
}

fn globally(f: Ltl) -> Ltl {
    not(finally(not(f)))
}

/// Small formulas; the states for each, and for its negation.
fn basic() -> Vec<(&'static str, Ltl, [usize; 2])> {
    let [p, q, r] = [0, 1, 2].map(|a| move || atom(a));
    vec![
        ("true", Ltl::Constant(true), [1, 0]),
        ("p", p(), [2, 2]),
        ("X p", Ltl::Next(p().into()), [3, 3]),
        ("F p", finally(p()), [2, 1]),
        ("G p", globally(p()), [1, 2]),
        ("G F p", globally(finally(p())), [2, 2]),
        ("F G p", finally(globally(p())), [2, 2]),
        ("p U q", until(p(), q()), [2, 2]),
        ("p U (q U r)", until(p(), until(q(), r())), [3, 3]),
        ("(p U q) U r", until(until(p(), q()), r()), [4, 3]),
        ("G F p -> G F q", implies(globally(finally(p())), globally(finally(q()))), [4, 3]),
        ("G F p & G F q", and(globally(finally(p())), globally(finally(q()))), [3, 3]),
        (
            "G F p & G F q & G F r",
            and(globally(finally(p())), and(globally(finally(q())), globally(finally(r())))),
            [4, 4],
        ),
        ("G (p -> X q)", globally(implies(p(), Ltl::Next(q().into()))), [2, 3]),
        ("F p & F q & F r", and(finally(p()), and(finally(q()), finally(r()))), [8, 3]),
    ]
}

/// The patterns of Dwyer, Avrunin and Corbett, "Patterns in property specifications" (ICSE 1999), in their
/// scopes.
fn patterns() -> Vec<(&'static str, Ltl, [usize; 2])> {
    let [p, q, r, s] = [0, 1, 2, 3].map(|a| move || atom(a));
    let np = || not(p());
    let inside = || and(q(), not(r()));
    let ended = || and(inside(), finally(r()));
    let answer = || until(not(r()), and(s(), not(r())));
    vec![
        ("absence", globally(np()), [1, 2]),
        ("absence before r", implies(finally(r()), until(np(), r())), [3, 3]),
        ("absence after q", globally(implies(q(), globally(np()))), [2, 3]),
        ("absence between q and r", globally(implies(ended(), until(np(), r()))), [3, 4]),
        ("absence after q until r", globally(implies(inside(), weak(np(), r()))), [2, 3]),
        ("existence", finally(p()), [2, 1]),
        ("existence before r", weak(not(r()), and(p(), not(r()))), [2, 2]),
        ("existence after q", or(globally(not(q())), finally(and(q(), finally(p())))), [4, 3]),
        (
            "existence between q and r",
            globally(implies(inside(), weak(not(r()), and(p(), not(r()))))),
            [2, 3],
        ),
        (
            "existence after q until r",
            globally(implies(inside(), until(not(r()), and(p(), not(r()))))),
            [2, 3],
        ),
        ("universality", globally(p()), [1, 2]),
        ("universality before r", implies(finally(r()), until(p(), r())), [3, 3]),
        ("universality after q", globally(implies(q(), globally(p()))), [2, 3]),
        ("universality between q and r", globally(implies(ended(), until(p(), r()))), [3, 4]),
        ("universality after q until r", globally(implies(inside(), weak(p(), r()))), [2, 3]),
        ("precedence", weak(np(), s()), [2, 2]),
        ("precedence before r", implies(finally(r()), until(np(), or(s(), r()))), [3, 3]),
        ("precedence after q", or(globally(not(q())), finally(and(q(), weak(np(), s())))), [4, 4]),
        ("precedence between q and r", globally(implies(ended(), until(np(), or(s(), r())))), [3, 4]),
        ("precedence after q until r", globally(implies(inside(), weak(np(), or(s(), r())))), [2, 3]),
        ("response", globally(implies(p(), finally(s()))), [2, 2]),
        ("response before r", implies(finally(r()), until(implies(p(), answer()), r())), [4, 3]),
        ("response after q", globally(implies(q(), globally(implies(p(), finally(s()))))), [3, 3]),
        ("response between q and r", globally(implies(ended(), until(implies(p(), answer()), r()))), [4, 4]),
        ("response after q until r", globally(implies(inside(), weak(implies(p(), answer()), r()))), [3, 4]),
    ]
}

#[test]
fn automata_stay_as_small_as_they_are() {
    for (name, formula, expected) in basic().into_iter().chain(patterns()) {
        let size = |f: &Ltl| translate(f, LIMIT).expect("it is small").states.len();
        assert_eq!([size(&formula), size(&not(formula))], expected, "{name}");
    }
}

#[test]
fn automata_are_classified() {
    let class = |f: &Ltl| translate(f, LIMIT).expect("it is small").classify();
    let p = || atom(0);
    assert_eq!(class(&Ltl::Constant(false)), Class::Terminal);
    assert_eq!(class(&Ltl::Constant(true)), Class::Terminal);
    assert_eq!(class(&finally(p())), Class::Terminal);
    assert_eq!(class(&until(p(), until(atom(1), atom(2)))), Class::Terminal);
    assert_eq!(class(&globally(p())), Class::Weak);
    assert_eq!(class(&finally(globally(p()))), Class::Weak);
    assert_eq!(class(&weak(p(), atom(1))), Class::Weak);
    assert_eq!(class(&globally(finally(p()))), Class::General);
    assert_eq!(class(&globally(implies(p(), finally(atom(1))))), Class::General);
}

#[test]
fn distances_lead_to_accepting_cycles() {
    let distances = |f: &Ltl| translate(f, LIMIT).expect("it is small").distances();
    let two = Ltl::Next(Ltl::Next(atom(0).into()).into());
    assert_eq!(distances(&two), [Some(3), Some(2), Some(1), Some(0)]);
    assert_eq!(distances(&finally(globally(atom(0)))), [Some(1), Some(0)]);
    assert_eq!(distances(&Ltl::Constant(false)), []);
    // An accepting state that lies on no cycle is no goal, and from behind the last goal there is none.
    let edge = |to| Edge { cube: Vec::new(), to };
    let state = |accepting, to: &[u32]| State { accepting, edges: to.iter().map(|&to| edge(to)).collect() };
    let states = vec![state(true, &[1]), state(true, &[1, 2]), state(false, &[2]), state(true, &[])];
    let automaton = Buchi { initial: vec![0], states };
    assert_eq!(automaton.distances(), [Some(1), Some(0), None, None]);
}
