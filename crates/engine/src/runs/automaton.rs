//! The automaton of the runs that satisfy a formula with events and past.
//!
//! A letter is a marking with the step that is taken there, so `fired(...)` is one more kind of atom. The past is told by
//! history variables: `Y f` becomes an atom `y` of its own, false in the first letter, with the constraint
//! `G (X y <-> f)`; `f S g` becomes `g | f & z`, where `z` is the history variable of `Y (f S g)`; `O` and `H` are special
//! cases. Every word has exactly one valuation of the history variables that meets the constraints, so the automaton of the
//! formula with its constraints, whose edges then forget the history variables, accepts the words that satisfy the
//! formula. After Manna and Pnueli, "The temporal logic of reactive and concurrent systems" (1992), section 3.6.
//!
//! Cost: a factor of at most 2 in the states of the automaton for each history variable. Equal past formulas share
//! theirs. Test: `tests/runs.rs`.

use fireset_kernel::automata::{self, AtomId, AtomLiteral, Buchi, LtlFormula};
use fireset_net::{
    BoolTree, Nodes, Past, RunAtom, RunFormula, StatePredicate, StepSet, Temporal, TransitionId,
};

use crate::{
    ltl::MAX_AUTOMATON,
    search::{MarkingSpace, Predicate, compile},
    stubborn::ObservedAtom,
};

/// What a literal of a cube tests, by its number.
pub(super) enum LetterAtom {
    /// Tests the marking without the step.
    Marking(Predicate),
    /// The step is one of these.
    Fired(CompiledSteps),
}

impl LetterAtom {
    /// What stubborn sets have to keep in order.
    pub(super) fn observed(&self) -> ObservedAtom<'_> {
        match self {
            Self::Marking(predicate) => ObservedAtom::Marking(predicate),
            Self::Fired(steps) => ObservedAtom::Fired(steps.transitions()),
        }
    }
}

/// A set of steps, ready to be compared with many.
pub(super) struct CompiledSteps {
    /// Whether every firing of a transition is in the set.
    whole: Vec<bool>,
    steps: StepSet,
}

impl CompiledSteps {
    fn new(steps: StepSet, nodes: &Nodes) -> Self {
        let mut whole = vec![false; nodes.transitions.len()];
        steps.transitions.iter().for_each(|t| whole[t.index()] = true);
        Self { whole, steps }
    }

    /// The transitions each of whose firings is in the set; all of the set on a place/transition net.
    pub(super) fn transitions(&self) -> &[TransitionId] {
        &self.steps.transitions
    }

    /// Whether an action is in the set.
    pub(super) fn contains<S: MarkingSpace>(&self, space: &S, action: S::ActionId) -> bool {
        self.whole[space.transition(action) as usize]
            || !self.steps.bindings.is_empty() && self.steps.contains(&space.step(action))
    }
}

/// A Büchi automaton over letters.
pub(super) struct RunAutomaton {
    pub(super) buchi: Buchi,
    pub(super) atoms: Vec<LetterAtom>,
    /// Whether stubborn sets find an accepted run wherever there is one.
    pub(super) is_closed_under_stuttering: bool,
}

impl RunAutomaton {
    /// The automaton of a formula about a net with these nodes; `None` when it gets too large.
    pub(super) fn new(wanted: &RunFormula, nodes: &Nodes) -> Option<Self> {
        let mut translation = PastTranslation::default();
        let mut parts = vec![translation.signed(wanted, true)];
        // The constraint of a history variable may bring in new ones.
        let mut at = 0;
        while at < translation.history.len() {
            parts.extend(translation.constraint(at));
            at += 1;
        }
        if translation.size > MAX_AUTOMATON {
            return None;
        }
        let leaves = translation.leaves;
        let is_history = |atom: AtomId| matches!(leaves[atom as usize], TranslatedAtom::History);
        let formula = LtlFormula::And(parts);
        let is_event = |atom: AtomId| matches!(leaves[atom as usize], TranslatedAtom::Fired(_));
        let is_closed_under_stuttering =
            translation.history.is_empty() && automata::is_closed_under_stuttering(&formula, &is_event);
        let mut buchi = automata::translate(&formula, MAX_AUTOMATON)?;
        for state in &mut buchi.states {
            for edge in &mut state.edges {
                edge.cube.retain(|literal| !is_history(literal.atom));
            }
            state.edges.sort();
            state.edges.dedup();
        }
        let atoms = leaves.into_iter().map(|leaf| match leaf {
            TranslatedAtom::Marking(predicate) => LetterAtom::Marking(compile(&predicate)),
            TranslatedAtom::Fired(steps) => LetterAtom::Fired(CompiledSteps::new(steps, nodes)),
            TranslatedAtom::History => LetterAtom::Marking(Predicate::Constant(false)),
        });
        Some(Self { buchi, atoms: atoms.collect(), is_closed_under_stuttering })
    }
}

/// What an atom of the automaton stands for.
#[derive(PartialEq)]
enum TranslatedAtom {
    Marking(StatePredicate),
    Fired(StepSet),
    History,
}

#[derive(Default)]
struct PastTranslation<'f> {
    leaves: Vec<TranslatedAtom>,
    /// The history variables: the atom, and the formula that it remembers.
    history: Vec<(AtomId, Remembered<'f>)>,
    /// The nodes that were made.
    size: usize,
}

/// What a history variable tells of the position before.
#[derive(Clone, Copy, PartialEq)]
enum Remembered<'f> {
    Formula(&'f RunFormula),
    Operator(&'f Past<RunFormula>),
}

impl<'f> PastTranslation<'f> {
    fn leaf(&mut self, leaf: TranslatedAtom, positive: bool) -> LtlFormula {
        let known = match leaf {
            TranslatedAtom::History => None,
            _ => self.leaves.iter().position(|known| *known == leaf),
        };
        let atom = known.unwrap_or_else(|| {
            self.leaves.push(leaf);
            self.leaves.len() - 1
        });
        LtlFormula::Literal(AtomLiteral { atom: atom as AtomId, positive })
    }

    /// The formula, or its negation, with negations before atoms only.
    fn signed(&mut self, formula: &'f RunFormula, positive: bool) -> LtlFormula {
        self.size += 1;
        if self.size > MAX_AUTOMATON {
            return LtlFormula::Constant(false);
        }
        match formula {
            BoolTree::Constant(value) => LtlFormula::Constant(*value == positive),
            BoolTree::Not(f) => self.signed(f, !positive),
            BoolTree::And(fs) => {
                let fs = fs.iter().map(|f| self.signed(f, positive)).collect();
                many(fs, positive)
            }
            BoolTree::Or(fs) => {
                let fs = fs.iter().map(|f| self.signed(f, positive)).collect();
                many(fs, !positive)
            }
            BoolTree::Iff(sides) => {
                let (f, g) = (&sides.0, &sides.1);
                let both = many(vec![self.signed(f, true), self.signed(g, positive)], true);
                let neither = many(vec![self.signed(f, false), self.signed(g, !positive)], true);
                many(vec![both, neither], false)
            }
            BoolTree::Atom(RunAtom::State(predicate)) => self.state(predicate, positive),
            BoolTree::Atom(RunAtom::Fired(steps)) => {
                self.leaf(TranslatedAtom::Fired(steps.clone()), positive)
            }
            BoolTree::Atom(RunAtom::Temporal(operator)) => self.temporal(operator, positive),
            BoolTree::Atom(RunAtom::Past(operator)) => self.past(operator, positive),
        }
    }

    fn state(&mut self, predicate: &StatePredicate, positive: bool) -> LtlFormula {
        match predicate {
            StatePredicate::Constant(value) => LtlFormula::Constant(*value == positive),
            StatePredicate::Not(inner) => self.state(inner, !positive),
            other => self.leaf(TranslatedAtom::Marking(other.clone()), positive),
        }
    }

    fn temporal(&mut self, operator: &'f Temporal<RunFormula>, positive: bool) -> LtlFormula {
        let operands: Vec<&'f RunFormula> = operator.operands().collect();
        let mut operands: Vec<LtlFormula> = operands.into_iter().map(|f| self.signed(f, positive)).collect();
        let (second, first) = (operands.pop(), operands.pop());
        let last = second.expect("an operator has an operand");
        let first = || first.clone().expect("a binary operator has two operands");
        match operator {
            Temporal::Next(_) => LtlFormula::Next(last.into()),
            Temporal::Finally(_) => until(LtlFormula::Constant(positive), last, positive),
            Temporal::Globally(_) => until(LtlFormula::Constant(!positive), last, !positive),
            Temporal::Until(..) => until(first(), last, positive),
            Temporal::Release(..) => until(first(), last, !positive),
            // The first may be false only when the second is true: f W g = g R (f | g).
            Temporal::WeakUntil(..) => {
                let either = many(vec![first(), last.clone()], !positive);
                until(last, either, !positive)
            }
        }
    }

    fn past(&mut self, operator: &'f Past<RunFormula>, positive: bool) -> LtlFormula {
        match operator {
            Past::Yesterday(f) => self.remember(Remembered::Formula(f), positive),
            Past::Once(f) => {
                let before = self.remember(Remembered::Operator(operator), positive);
                many(vec![self.signed(f, positive), before], !positive)
            }
            // At the first position there is no position before, so the variable tells that there was a time when not.
            Past::Historically(f) => {
                let before = self.remember(Remembered::Operator(operator), !positive);
                many(vec![self.signed(f, positive), before], positive)
            }
            Past::Since(f, g) => {
                let before = self.remember(Remembered::Operator(operator), positive);
                let stays = many(vec![self.signed(f, positive), before], positive);
                many(vec![self.signed(g, positive), stays], !positive)
            }
        }
    }

    /// The history variable of a formula, or its negation.
    fn remember(&mut self, remembered: Remembered<'f>, positive: bool) -> LtlFormula {
        let known = self.history.iter().find(|(_, other)| *other == remembered);
        let atom = match known {
            Some(&(atom, _)) => atom,
            None => {
                self.leaves.push(TranslatedAtom::History);
                let atom = (self.leaves.len() - 1) as AtomId;
                self.history.push((atom, remembered));
                atom
            }
        };
        LtlFormula::Literal(AtomLiteral { atom, positive })
    }

    /// The constraints of a history variable: it is false at first, and afterwards tells the value of the position before.
    fn constraint(&mut self, at: usize) -> [LtlFormula; 2] {
        let (atom, remembered) = self.history[at];
        let mut value = |positive| match remembered {
            Remembered::Formula(f) => self.signed(f, positive),
            // That of `H f` remembers that `f` was false at some time.
            Remembered::Operator(operator @ Past::Historically(_)) => self.past(operator, !positive),
            Remembered::Operator(operator) => self.past(operator, positive),
        };
        let literal = |positive| LtlFormula::Literal(AtomLiteral { atom, positive });
        let next = |positive| LtlFormula::Next(literal(positive).into());
        let holds = many(vec![value(true), next(true)], true);
        let fails = many(vec![value(false), next(false)], true);
        let always = until(LtlFormula::Constant(false), many(vec![holds, fails], false), false);
        [literal(false), always]
    }
}

fn many(parts: Vec<LtlFormula>, all: bool) -> LtlFormula {
    if all { LtlFormula::And(parts) } else { LtlFormula::Or(parts) }
}

/// The until of two formulas or, where both are negated, its dual.
fn until(f: LtlFormula, g: LtlFormula, is_until: bool) -> LtlFormula {
    if is_until { LtlFormula::Until(f.into(), g.into()) } else { LtlFormula::Release(f.into(), g.into()) }
}
