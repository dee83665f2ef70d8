//! Sizes of automata of well-known formulas beside published ones, so that a translation that gets worse is seen.
//!
//! The published sizes are those of Spot's `ltl2tgba -B`, which like ours makes automata with accepting states: the
//! fifth pair of columns in the table of its test suite (`tests/core/ltl2tgba2.test`, 2023), whose formulas are
//! those of `genltl --dac-patterns --eh-patterns --sb-patterns` (`spot/gen/formulas.cc`). For an empty language Spot
//! counts one state and we none.
//!
//! How ours differ: most are as small. Ours are larger for some obligations, which Spot minimises as deterministic
//! automata (`F p <-> F q`, unions of untils, formulas that are valid), and for some that nest recurrence
//! (`G (p & X F ...)`). `the_distance_to_the_published_sizes` keeps count.

use super::{
    LIMIT,
    formulas::{formula, not},
};
use crate::automata::{Buchi, BuchiClass, BuchiEdge, BuchiState, LtlFormula, translate};

/// The numbers of states for a formula and for its negation.
type StateCounts = [usize; 2];
/// A formula, our states, the published ones.
type SizeRow = (&'static str, StateCounts, StateCounts);

/// Small formulas.
const BASIC: [(&str, StateCounts); 9] = [
    ("p", [2, 2]),
    ("X p", [3, 3]),
    ("G F p", [2, 2]),
    ("F G p", [2, 2]),
    ("(p U q) U r", [4, 3]),
    ("G F p & G F q", [3, 3]),
    ("G F p & G F q & G F r", [4, 4]),
    ("G (p -> X q)", [2, 3]),
    ("F p & F q & F r", [8, 3]),
];

/// Dwyer, Avrunin and Corbett, "Property specification patterns for finite-state verification" (FMSP 1998), without
/// the chains.
#[rustfmt::skip]
const DWYER: [SizeRow; 25] = [
    // Absence of p: globally, before r, after q, between q and r, after q until r.
    ("G !p", [1, 2], [1, 2]),
    ("F r -> (!p U r)", [3, 3], [3, 3]),
    ("G (q -> G !p)", [2, 3], [2, 3]),
    ("G (q & !r & F r -> (!p U r))", [3, 4], [3, 4]),
    ("G (q & !r -> (!p W r))", [2, 3], [2, 3]),
    // Existence of p: globally, before r, after q, between q and r, after q until r.
    ("F p", [2, 1], [2, 1]),
    ("!r W (p & !r)", [2, 2], [2, 2]),
    ("G !q | F (q & F p)", [4, 3], [3, 2]),
    ("G (q & !r -> (!r W (p & !r)))", [2, 3], [2, 3]),
    ("G (q & !r -> (!r U (p & !r)))", [2, 3], [2, 3]),
    // Universality of p: globally, before r, after q, between q and r, after q until r.
    ("G p", [1, 2], [1, 2]),
    ("F r -> (p U r)", [3, 3], [3, 3]),
    ("G (q -> G p)", [2, 3], [2, 3]),
    ("G (q & !r & F r -> (p U r))", [3, 4], [3, 4]),
    ("G (q & !r -> (p W r))", [2, 3], [2, 3]),
    // s precedes p: globally, before r, after q, between q and r, after q until r.
    ("!p W s", [2, 2], [2, 2]),
    ("F r -> (!p U (s | r))", [3, 3], [3, 3]),
    ("G !q | F (q & (!p W s))", [4, 4], [5, 3]),
    ("G (q & !r & F r -> (!p U (s | r)))", [3, 4], [3, 4]),
    ("G (q & !r -> (!p W (s | r)))", [2, 3], [2, 3]),
    // s responds to p: globally, before r, after q, between q and r, after q until r.
    ("G (p -> F s)", [2, 2], [2, 2]),
    ("F r -> ((p -> (!r U (s & !r))) U r)", [4, 3], [3, 3]),
    ("G (q -> G (p -> F s))", [3, 3], [3, 3]),
    ("G (q & !r & F r -> ((p -> (!r U (s & !r))) U r))", [4, 4], [3, 4]),
    ("G (q & !r -> ((p -> (!r U (s & !r))) W r))", [3, 4], [3, 4]),
];

/// Etessami and Holzmann, "Optimizing Büchi automata" (CONCUR 2000).
#[rustfmt::skip]
const ETESSAMI_HOLZMANN: [SizeRow; 12] = [
    ("p U (q & G r)", [2, 4], [2, 4]),
    ("p U (q & X (r U s))", [3, 4], [3, 4]),
    ("p U (q & X (r & F (s & X F (t & X F (u & X F v)))))", [7, 8], [7, 8]),
    ("F (p & X G q)", [2, 3], [2, 3]),
    ("F (p & X (q & X F r))", [4, 4], [4, 3]),
    ("F (p & X (q U r))", [3, 2], [3, 2]),
    ("F G p | G F q", [4, 3], [4, 3]),
    ("G (p -> (q U r))", [2, 3], [2, 3]),
    ("G (p & X F (q & X F (r & X F s)))", [9, 5], [4, 5]),
    ("G F p & G F q & G F r & G F s & G F t", [6, 6], [6, 6]),
    ("(p U (q U r)) | (q U (r U p)) | (r U (p U q))", [7, 2], [2, 2]),
    ("G (p -> (q U (G r | G s)))", [4, 8], [4, 8]),
];

/// Somenzi and Bloem, "Efficient Büchi automata from LTL formulae" (CAV 2000), without those that stand here already
/// or are the negation of another.
#[rustfmt::skip]
const SOMENZI_BLOEM: [SizeRow; 22] = [
    ("p U q", [2, 2], [2, 2]),
    ("p U (q U r)", [3, 3], [3, 3]),
    ("G F p -> G F q", [4, 3], [4, 3]),
    ("F p U G q", [3, 3], [3, 3]),
    ("G p U q", [4, 3], [4, 3]),
    ("!(F F p <-> F q)", [4, 5], [3, 4]),
    ("!(G F p <-> G F q)", [5, 5], [5, 5]),
    ("p R (p | q)", [2, 2], [2, 2]),
    ("(X p U X q) | !X (p U q)", [5, 0], [1, 1]),
    ("(X p U q) | !X (p U (p & q))", [5, 0], [1, 1]),
    ("G (p -> F q) & ((X p U q) | !X (p U (p & q)))", [7, 2], [2, 2]),
    ("G (p -> F q) & ((X p U X q) | !X (p U q))", [7, 2], [2, 2]),
    ("!G (p -> X (q R r))", [3, 2], [3, 2]),
    ("!(F G p | F G q)", [3, 3], [3, 3]),
    ("G (F p & F q)", [3, 3], [3, 3]),
    ("F p & F !p", [4, 2], [4, 3]),
    ("(X q & r) R X (((s U p) R r) U (s R r))", [5, 4], [5, 4]),
    ("(G (q | G F p) & G (r | G F !p)) | G q | G r", [10, 10], [6, 6]),
    ("(G (q | F G p) & G (r | F G !p)) | G q | G r", [7, 10], [3, 4]),
    ("G (q | X G p) & G (r | X G !p)", [3, 4], [3, 4]),
    ("G (q | (X p & X !p))", [1, 4], [1, 2]),
    ("(p U p) | (q U p)", [2, 2], [2, 2]),
];

fn automaton(text: &str) -> Buchi {
    translate(&formula(text), LIMIT).expect("it is small")
}

/// The states for a formula and for its negation.
fn states(text: &str) -> StateCounts {
    let states = |f: &LtlFormula| translate(f, LIMIT).expect("it is small").states.len();
    [states(&formula(text)), states(&not(formula(text)))]
}

#[test]
fn automata_do_not_grow() {
    for (text, expected) in BASIC {
        assert_eq!(states(text), expected, "{text}");
    }
    for (text, expected, _) in DWYER.into_iter().chain(ETESSAMI_HOLZMANN).chain(SOMENZI_BLOEM) {
        assert_eq!(states(text), expected, "{text}");
    }
}

#[test]
fn the_distance_to_the_published_sizes() {
    let total = |rows: &[SizeRow]| {
        let sum = |states: fn(&SizeRow) -> StateCounts| rows.iter().flat_map(states).sum::<usize>();
        let worse = |row: &&SizeRow| row.1[0] > row.2[0] || row.1[1] > row.2[1];
        (sum(|row| row.1), sum(|row| row.2), rows.iter().filter(worse).count())
    };
    // Our states, the published ones, and for how many formulas we need more.
    assert_eq!(total(&DWYER), (138, 134, 4));
    assert_eq!(total(&ETESSAMI_HOLZMANN), (105, 94, 3));
    assert_eq!(total(&SOMENZI_BLOEM), (166, 129, 8));
}

#[test]
fn automata_are_classified() {
    let class = |text: &str| automaton(text).classify();
    assert_eq!(class("p & !p"), BuchiClass::Terminal);
    assert_eq!(class("p | !p"), BuchiClass::Terminal);
    assert_eq!(class("F p"), BuchiClass::Terminal);
    assert_eq!(class("p U (q U r)"), BuchiClass::Terminal);
    assert_eq!(class("G p"), BuchiClass::Weak);
    assert_eq!(class("F G p"), BuchiClass::Weak);
    assert_eq!(class("p W q"), BuchiClass::Weak);
    assert_eq!(class("G F p"), BuchiClass::General);
    assert_eq!(class("G (p -> F q)"), BuchiClass::General);
}

#[test]
fn distances_lead_to_accepting_cycles() {
    assert_eq!(automaton("X X p").distances(), [Some(3), Some(2), Some(1), Some(0)]);
    assert_eq!(automaton("F G p").distances(), [Some(1), Some(0)]);
    assert_eq!(automaton("p & !p").distances(), []);
    // An accepting state that lies on no cycle is no goal, and from behind the last goal there is none.
    let edge = |to| BuchiEdge { cube: Vec::new(), to };
    let state =
        |accepting, to: &[u32]| BuchiState { accepting, edges: to.iter().map(|&to| edge(to)).collect() };
    let states = vec![state(true, &[1]), state(true, &[1, 2]), state(false, &[2]), state(true, &[])];
    let automaton = Buchi { initial: vec![0], states };
    assert_eq!(automaton.distances(), [Some(1), Some(0), None, None]);
}
