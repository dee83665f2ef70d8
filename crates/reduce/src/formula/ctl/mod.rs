//! CTL: what is particular to branching time, and queries of other kinds that a formula is made of.
//!
//! Why: few engines decide CTL, and none as fast as reachability; what can be said with `EF` and `AG` over a state
//! predicate should be. Source: Bønneland, Dyhr, Jensen, Johannsen and Srba, "Simplification of CTL Formulae for
//! Efficient Model Checking of Petri Nets" (Petri Nets 2018), sections 3 and 4.
//!
//! | file | what |
//! |---|---|
//! | [`reversible`] | what is the same everywhere in a reversible net |
//! | [`next`] | `X` before state predicates, as predicates |
//! | [`terminating`] | `AG` and `EF` that a terminating part of the net decides |
//! | [`independent`] | what happens for ever, where another part of the net can go on alone |
//! | [`linear`] | CTL that is LTL too |
//! | [`parts`] | queries that a formula is a Boolean combination of |
//! | [`approximation`], `one_quantifier` | easier queries that decide a formula one way |
//!
//! For CTL and LTL together are the paper's rules ρ, in [`super::rewrite`], and the initial marking, its Ω, in
//! `super::initial`. Semantics: see `super::view`.

pub mod approximation;
pub mod independent;
pub mod linear;
pub mod next;
mod one_quantifier;
pub mod parts;
pub mod reversible;
pub mod terminating;
