//! Whether the words of a formula are closed under stuttering, where some atoms are events.
//!
//! A letter has the values of atoms that tell a state, and of *events*, which tell the step that is taken there. A *stutter
//! letter* has no event, and the letter after it has the same state. Words are equivalent if they are equal without their
//! stutter letters (those of an endless tail excepted). Partial order reduction finds runs up to this equivalence. Without
//! events it is the usual one, and every formula without `X` is closed; with events `fired(t)` alone is not, `F fired(t)` is.
//!
//! For a formula `f` and a stutter letter `s` before a word `w`, four facts are derived: *forward*, `f` of `sw` implies `f` of
//! `w`; *backward*, the converse; *idle*, `f` of `sw` is true; *busy*, `f` of `sw` is false. Literals of states are forward and
//! backward, events are busy, negated events are idle. Then `f U g` is closed, so forward and backward, if
//!
//! * `f` is backward, so that stutter letters may be added wherever `f` holds;
//! * `g` is forward, so that they may be left out where `g` holds; and
//! * a stutter letter before the first `g` satisfies `f` or `g`: `g` is backward, or `f` is idle, or `g` implies `f`.
//!
//! Proof: let two equivalent words be aligned by the letters that are no stutter letters. By induction operands have equal
//! values at aligned letters. If the first word has `g` at or just before a letter `x` and `f` until then, the second has `g` at
//! `x`, since `g` is forward; `f` at the earlier aligned letters, and since it is backward at the stutter letters before them;
//! and by the third condition the stutter letters just before `x` satisfy `f`, or the first of them `g`. `R` is dual. An
//! endless tail of stutter letters has one value for each formula. Every `U` and `R` inside has to be closed, so that the words
//! that are accepted from a state of the automaton are closed too: they are those of a conjunction of such formulas.
//! Cost: linear, but for comparing operands. Test: `tests/mod.rs`.

use super::{AtomId, LtlFormula};

/// What is known of a formula at a stutter letter before a word.
#[derive(Clone, Copy)]
struct StutterFacts {
    forward: bool,
    backward: bool,
    idle: bool,
    busy: bool,
}

/// The facts of formulas whose words are closed.
const CLOSED: StutterFacts = StutterFacts { forward: true, backward: true, idle: false, busy: false };

/// The facts of an event.
const EVENT: StutterFacts = StutterFacts { forward: true, backward: false, idle: false, busy: true };

impl StutterFacts {
    fn negated(self) -> Self {
        Self { forward: self.backward, backward: self.forward, idle: self.busy, busy: self.idle }
    }

    fn and(self, other: Self) -> Self {
        let busy = self.busy || other.busy;
        Self {
            forward: busy || self.forward && other.forward,
            backward: self.backward && other.backward,
            idle: self.idle && other.idle,
            busy,
        }
    }
}

/// Whether the words of a formula, and those of each state of its automaton, are closed under stuttering; `false` also where
/// that is not found out.
pub fn is_closed_under_stuttering(formula: &LtlFormula, is_event: &dyn Fn(AtomId) -> bool) -> bool {
    facts(formula, is_event).is_some_and(|facts| facts.forward && facts.backward)
}

/// The facts of a formula; `None` if a temporal operator inside is not known to be closed.
fn facts(formula: &LtlFormula, is_event: &dyn Fn(AtomId) -> bool) -> Option<StutterFacts> {
    let of = |f: &LtlFormula| facts(f, is_event);
    Some(match formula {
        LtlFormula::Constant(value) => StutterFacts { idle: *value, busy: !value, ..CLOSED },
        LtlFormula::Literal(literal) if is_event(literal.atom) && literal.positive => EVENT,
        LtlFormula::Literal(literal) if is_event(literal.atom) => EVENT.negated(),
        LtlFormula::Literal(_) => CLOSED,
        LtlFormula::And(fs) => {
            let parts = fs.iter().map(of).collect::<Option<Vec<_>>>()?;
            parts.into_iter().fold(StutterFacts { idle: true, ..CLOSED }, StutterFacts::and)
        }
        LtlFormula::Or(fs) => {
            let parts = fs.iter().map(of).collect::<Option<Vec<_>>>()?;
            let negated = parts.into_iter().map(StutterFacts::negated);
            negated.fold(StutterFacts { idle: true, ..CLOSED }, StutterFacts::and).negated()
        }
        LtlFormula::Next(_) => return None,
        LtlFormula::Until(f, g) => closed_until(of(f)?, of(g)?, implies(g, f))?,
        LtlFormula::Release(f, g) => closed_until(of(f)?.negated(), of(g)?.negated(), implies(f, g))?,
    })
}

/// The facts of `f U g`, if it is closed.
fn closed_until(f: StutterFacts, g: StutterFacts, g_implies_f: bool) -> Option<StutterFacts> {
    (f.backward && g.forward && (g.backward || f.idle || g_implies_f)).then_some(CLOSED)
}

/// Whether a formula implies another by its form: `f & g` implies `f`, and `f` implies `f | g`.
fn implies(f: &LtlFormula, g: &LtlFormula) -> bool {
    f == g
        || matches!(f, LtlFormula::And(parts) if parts.contains(g))
        || matches!(g, LtlFormula::Or(parts) if parts.contains(f))
}
