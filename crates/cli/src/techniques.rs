//! The techniques that can be switched on the command line.

use clap::{Args, ValueEnum};
use fireset::{Encoding, LayoutChoice, Options};

/// What is used to find answers; the defaults are best, the rest is for measuring.
#[derive(Debug, Args)]
#[command(next_help_heading = "Techniques")]
pub struct Techniques {
    /// How markings are packed into words.
    #[arg(long, value_enum, default_value_t, value_name = "LAYOUT")]
    pub encoding: Layout,
    /// How packed markings are read and written.
    #[arg(long, value_enum, default_value_t)]
    pub access: Access,
    /// In which order states are visited; if not given breadth-first, for CTL depth-first and then best-first.
    #[arg(long, value_enum)]
    pub order: Option<Order>,
    /// What a depth-first or LTL search remembers of the enabled transitions of a state.
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    pub fireset: Fireset,
    /// How many threads explore, breadth-first; as many as there are processors if not given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
    /// How the values of CTL operators are searched for.
    #[arg(long, value_enum, default_value_t, value_name = "ALGORITHM")]
    pub ctl: Ctl,
    /// Whether CTL is also decided by labelling all states, for all properties together.
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    pub labelling: Switch,
    /// In which order an LTL search tries the edges of the automaton.
    #[arg(long, value_enum, default_value_t, value_name = "ORDER")]
    pub automaton_order: AutomatonOrder,
    /// Whether an LTL search looks for near violations first.
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    pub deepening: Deepening,
    /// Whether only stubborn sets of transitions fire, where a property allows it.
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    pub stubborn: Stubborn,
    /// Whether a first look, in little time, comes before everything else.
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    pub first_look: Switch,
    /// Whether properties are made smaller before they are checked.
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    pub simplification: Simplification,
    /// Whether place/transition nets are made smaller before they are explored.
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    pub reduction: Reduction,
    /// Whether coloured nets are unfolded to place/transition nets.
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    pub unfolding: Unfolding,
    /// Whether reachability is also looked for by random walks.
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    pub walks: Switch,
    /// Whether reachability is also looked for by solutions of the state equation.
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    pub equation: Switch,
    /// Whether reachability is also decided by clauses: bounded model checking, k-induction, and IC3.
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    pub induction: Switch,
    /// Whether all markings of a place/transition net are also kept as decision diagrams.
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    pub diagrams: Switch,
    /// How the enabled bindings of a coloured net are found.
    #[arg(long, value_enum, default_value_t, value_name = "WAY")]
    pub bindings: Bindings,
    /// How the markings of a coloured net are laid out.
    #[arg(long, value_enum, default_value_t, value_name = "LAYOUT")]
    pub tokens: Tokens,
}

impl Techniques {
    /// The same for the library.
    pub fn options(&self) -> Options {
        let encoding = match self.encoding {
            Layout::Auto => LayoutChoice::Auto,
            Layout::Wide => LayoutChoice::Only(Encoding::Wide),
            Layout::Safe => LayoutChoice::Only(Encoding::Safe),
            Layout::Nupn => LayoutChoice::Only(Encoding::Nupn),
            Layout::Invariant => LayoutChoice::Only(Encoding::Invariant),
        };
        let access = match self.access {
            Access::Direct => fireset::Access::Direct,
            Access::Decode => fireset::Access::Decode,
        };
        let order = self.order.map(|order| match order {
            Order::Breadth => fireset::Order::BreadthFirst,
            Order::Depth => fireset::Order::DepthFirst,
            Order::Best => fireset::Order::BestFirst,
        });
        let fireset = match self.fireset {
            Fireset::Dynamic => fireset::FiresetMode::Dynamic,
            Fireset::Full => fireset::FiresetMode::Full,
        };
        let threads = self.threads.map_or(Options::default().threads, usize::from);
        let ctl = match self.ctl {
            Ctl::Local => fireset::CtlAlgorithm::Local,
            Ctl::Graph => fireset::CtlAlgorithm::Graph,
            Ctl::Global => fireset::CtlAlgorithm::Global,
        };
        let automaton_order = match self.automaton_order {
            AutomatonOrder::Heuristic => fireset::AutomatonOrder::Heuristic,
            AutomatonOrder::Plain => fireset::AutomatonOrder::Plain,
        };
        let deepening = match self.deepening {
            Deepening::On => fireset::Deepening::default(),
            Deepening::Off => fireset::Deepening::Off,
        };
        let stubborn = match self.stubborn {
            Stubborn::On => fireset::Stubborn::On,
            Stubborn::Off => fireset::Stubborn::Off,
        };
        let simplification = match self.simplification {
            Simplification::On => fireset::Simplification::On,
            Simplification::Off => fireset::Simplification::Off,
        };
        let reduction = match self.reduction {
            Reduction::On => fireset::Reduction::On,
            Reduction::Off => fireset::Reduction::Off,
        };
        let unfolding = match self.unfolding {
            Unfolding::On => fireset::Unfolding::On,
            Unfolding::Off => fireset::Unfolding::Off,
        };
        let bindings = match self.bindings {
            Bindings::Token => fireset::Binding::Token,
            Bindings::Dynexp => fireset::Binding::DynExp,
            Bindings::Minrep => fireset::Binding::MinRep,
            Bindings::Fullinfo => fireset::Binding::FullInfo,
        };
        let tokens = match self.tokens {
            Tokens::Auto => fireset::TokenLayout::Auto,
            Tokens::Dense => fireset::TokenLayout::Dense,
            Tokens::Sparse => fireset::TokenLayout::Sparse,
        };
        let ways = fireset::ColouredConfig { bindings, tokens };
        Options {
            encoding,
            access,
            order,
            fireset,
            threads,
            ctl,
            labelling: self.labelling.into(),
            automaton_order,
            deepening,
            stubborn,
            first_look: self.first_look.into(),
            simplification,
            reduction,
            unfolding,
            ways,
            walks: self.walks.into(),
            equation: self.equation.into(),
            induction: self.induction.into(),
            diagrams: self.diagrams.into(),
            certificates: fireset::Certificates::default(),
        }
    }
}

/// Algorithms for CTL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Ctl {
    /// Depth-first, with a value for each marking.
    #[default]
    Local,
    /// A dependency graph for each operator, in any order.
    Graph,
    /// In all states.
    Global,
}

/// ColouredConfig to the enabled bindings of a coloured net.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Bindings {
    /// From the tokens that are there.
    #[default]
    Token,
    /// All bindings are tried when the next one is asked for.
    Dynexp,
    /// The first one of each transition is kept with the state.
    Minrep,
    /// All of them are kept with the state.
    Fullinfo,
}

/// Layouts of coloured markings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Tokens {
    /// What is likely to be smaller.
    #[default]
    Auto,
    /// A field for each colour of each place.
    Dense,
    /// A list of tokens.
    Sparse,
}

/// Orders of the edges of an automaton.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum AutomatonOrder {
    /// Those first that lead near to acceptance and ask for little.
    #[default]
    Heuristic,
    /// As the translation gives them.
    Plain,
}

/// What is done with properties before they are checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Simplification {
    /// Rules, place invariants and the initial marking make them smaller.
    #[default]
    On,
    /// They stay as they are written.
    Off,
}

/// What is done with place/transition nets before they are explored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Reduction {
    /// Places and transitions that do not matter to the properties are removed or put together.
    #[default]
    On,
    /// They stay as they are.
    Off,
}

/// What is done with coloured nets before they are checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Unfolding {
    /// They are unfolded, as far as a part of the time and memory goes.
    #[default]
    On,
    /// They are checked as they are.
    Off,
}

/// Depths of an LTL search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Deepening {
    /// Within a bound that grows.
    #[default]
    On,
    /// As far as paths go.
    Off,
}

/// Which enabled transitions fire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Stubborn {
    /// Those of a stubborn set, on place/transition nets: for reachability, deadlock, bounds, and LTL without `X`.
    #[default]
    On,
    /// All of them.
    Off,
}

/// Whether a technique is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// It is.
    #[default]
    On,
    /// It is not.
    Off,
}

impl From<Switch> for fireset::Switch {
    fn from(switch: Switch) -> Self {
        match switch {
            Switch::On => Self::On,
            Switch::Off => Self::Off,
        }
    }
}

/// Orders of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// Near states first: shortest runs.
    #[value(name = "breadth-first")]
    Breadth,
    /// Along one run until it ends.
    #[value(name = "depth-first")]
    Depth,
    /// Those first that look nearest to what is wanted.
    #[value(name = "best-first")]
    Best,
}

/// What is remembered of enabled transitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Fireset {
    /// The last one that fired.
    #[default]
    Dynamic,
    /// All of them.
    Full,
}

/// Layouts of markings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Layout {
    /// The smallest that is right.
    #[default]
    Auto,
    /// 16 bits a place, more where needed.
    Wide,
    /// One bit a place.
    Safe,
    /// The marked place of each unit.
    Nupn,
    /// Widths and redundant places from place invariants.
    Invariant,
}

/// ColouredConfig to read and write packed markings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Access {
    /// On the packed words.
    #[default]
    Direct,
    /// By decoding and encoding them.
    Decode,
}
