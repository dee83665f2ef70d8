//! Specifications of mist, a tool for coverability, `.spec`: a net as guarded commands, its initial markings and a target.
//!
//! Source: the grammar of mist itself, with the meaning that mist gives to guards and to variables without a constraint.
//!
//! ```text
//! file        ::= 'vars' ID* 'rules' rule* 'init' all 'target' all+ ['invariants' all+]
//! rule        ::= ('true' | constraint) (',' ('true' | constraint))* '->' [change (',' change)*] ';'
//! change      ::= ID ''' '=' (ID ('+' ID)* [('+' | '-') NUMBER] | NUMBER)
//! all         ::= constraint (',' constraint)*
//! constraint  ::= ID '=' NUMBER | ID '>=' NUMBER | ID 'in' '[' NUMBER ',' NUMBER ']'
//! ```
//!
//! White space separates, line breaks included, and `#` begins a comment. A variable is a place. Rules have no names; they
//! are the transitions `rule1`, `rule2` and so on.
//!
//! **Rules.** A rule is enabled where its guard is true and no variable becomes negative: with the guard `x >= g` and the change
//! `x' = x - d`, it needs `max(g, d)` tokens and takes `d`. Only the guards `x >= k` and the changes `x' = x`, `x' = x + k` and
//! `x' = x - k` make a Petri net. Refused by name: zero tests and other guards, resets (`x' = 0`), assignments, transfers, and
//! what bounds or changes a variable twice, where mist takes the last one.
//!
//! **Initial markings.** `x >= k` allows any number of tokens from `k` on, and a variable that is not mentioned any number at all.
//! The net has the least of them, and for each such variable a transition `init_x` that is always enabled and adds a token.
//! *The reachable markings are the same:* from the initial marking with `n` more tokens, `init_x` can fire `n` times first;
//! and in a run of the net, all firings of `init_x` can be moved to its beginning, since more tokens never disable a rule, which
//! gives a run from some initial marking to the same marking. So whatever asks for reachable markings has mist's answer, and a
//! target above all. Deadlocks, liveness and temporal properties do not: `init_x` can always fire. A note says so.
//!
//! **Target.** It is the property `target`: mist asks whether a marking with one of its alternatives can be reached, and answers
//! "safe" if not. A comma joins constraints; constraints that follow without a comma are the next alternative, wherever lines end.
//! Invariants are hints for mist's search and are passed over.

mod specification;
mod translate;

use crate::{
    Fault,
    net_file::{Head, NetFile},
};

/// Whether a file is a specification of mist: its variables come first, then its rules.
pub(crate) fn recognises(head: &Head<'_>) -> bool {
    let lines = head.lines().map(|line| line.split('#').next().unwrap_or_default());
    let mut words = lines.flat_map(str::split_whitespace);
    // The names of the variables may fill the head of the file.
    words.next() == Some("vars")
        && words.take_while(|&word| word != "rules").all(specification::is_identifier)
}

/// Reads a specification.
pub fn read(text: &str) -> Result<NetFile, Fault> {
    translate::translate(specification::parse(text)?)
}
