//! Which techniques are used.

use std::thread::available_parallelism;

use fireset_engine::{
    Access, AutomatonOrder, ColouredConfig, CtlAlgorithm, Deepening, Explicit, FiresetMode, LayoutChoice,
    LtlEngine, Order, Stubborn,
};

/// Which techniques are used. The default is the best that is known; the others are there to be measured
/// against it.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How markings are laid out.
    pub encoding: LayoutChoice,
    /// How packed markings are read and written.
    pub access: Access,
    /// In which order states are visited; if it is not given each engine takes its own.
    pub order: Option<Order>,
    /// What a depth-first or LTL search remembers of the states on its stack.
    pub fireset: FiresetMode,
    /// How many threads explore; the default is as many as there are processors.
    pub threads: usize,
    /// How the values of CTL operators are searched for.
    pub ctl: CtlAlgorithm,
    /// Whether CTL formulas are also evaluated in all markings, all formulas together.
    pub labelling: Switch,
    /// In which order an LTL search tries the edges of the automaton.
    pub automaton_order: AutomatonOrder,
    /// How deep an LTL search goes.
    pub deepening: Deepening,
    /// Whether only stubborn sets of transitions fire, where a query allows it.
    pub stubborn: Stubborn,
    /// Whether a first look, in little time, comes before everything else.
    pub first_look: Switch,
    /// Whether queries are made smaller first.
    pub simplification: Simplification,
    /// Whether nets are made smaller first.
    pub reduction: Reduction,
    /// Whether coloured nets are unfolded first.
    pub unfolding: Unfolding,
    /// How coloured nets are searched.
    pub ways: ColouredConfig,
    /// Whether goals are looked for by walking.
    pub walks: Switch,
    /// Whether runs to goals are made of solutions of the state equation.
    pub equation: Switch,
    /// Whether goals are looked for, or excluded, by clauses.
    pub induction: Switch,
    /// Whether all markings are also kept as decision diagrams.
    pub diagrams: Switch,
    /// Whether answers that nothing is reached come with a certificate.
    pub certificates: Certificates,
}

/// Whether a certificate is looked for where an answer has no other evidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Certificates {
    /// On place/transition nets, for what is never reached; that takes a second for each such answer at most.
    #[default]
    On,
    /// Only what comes with an answer anyway.
    Off,
}

/// Whether a technique is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Switch {
    /// It is.
    #[default]
    On,
    /// It is not.
    Off,
}

/// Whether coloured nets are unfolded to place/transition nets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unfolding {
    /// Where that takes a part of the time and memory; what stays open is tried on the coloured net.
    #[default]
    On,
    /// They are checked as they are.
    Off,
}

/// Whether queries are made smaller before they are decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Simplification {
    /// By rules, place invariants and the initial marking.
    #[default]
    On,
    /// They stay as they are written.
    Off,
}

/// Whether place/transition nets are made smaller before they are explored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reduction {
    /// As far as the queries allow; a coloured net after it was unfolded.
    #[default]
    On,
    /// They stay as they are.
    Off,
}

impl Default for Options {
    fn default() -> Self {
        let Explicit { encoding, access, fireset, coloured: ways, .. } = Explicit::default();
        let threads = available_parallelism().map_or(1, usize::from);
        let LtlEngine { automaton_order, deepening, .. } = LtlEngine::default();
        let (simplification, unfolding) = (Simplification::default(), Unfolding::default());
        Self {
            encoding,
            access,
            order: None,
            fireset,
            threads,
            ctl: CtlAlgorithm::default(),
            labelling: Switch::On,
            automaton_order,
            deepening,
            stubborn: Stubborn::default(),
            first_look: Switch::On,
            simplification,
            reduction: Reduction::default(),
            unfolding,
            ways,
            walks: Switch::On,
            equation: Switch::On,
            induction: Switch::On,
            diagrams: Switch::On,
            certificates: Certificates::default(),
        }
    }
}

impl Options {
    /// The default without what answers reachability without exploring: to measure how states are explored.
    #[must_use]
    pub fn exploring() -> Self {
        let off = Switch::Off;
        let answering = Self { walks: off, equation: off, induction: off, diagrams: off, ..Self::default() };
        Self { first_look: off, ..answering }
    }
}
