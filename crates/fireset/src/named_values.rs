//! The values of options as users write them: a name, and a sentence that explains it.
//!
//! Each type has one table here; the command line reads it instead of defining the types a second time.

use fireset_engine::{
    Access, AutomatonOrder, Binding, CtlAlgorithm, Deepening, Encoding, FiresetMode, LayoutChoice, Order,
    Stubborn, Symmetry, TokenLayout,
};

use crate::Switch;

/// A value of an option, with its name on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedValue<T> {
    /// In lower case, unique among the values of the type.
    pub name: &'static str,
    /// What the library is given.
    pub value: T,
    /// One sentence or phrase without a full stop; empty where the name says it all.
    pub explanation: &'static str,
}

/// A type whose values have names.
pub trait NamedValues: Copy + PartialEq + 'static {
    /// All values that users can choose, the default first.
    fn table() -> Vec<NamedValue<Self>>;

    /// The value of that name.
    fn named(name: &str) -> Option<Self> {
        Self::table().into_iter().find(|row| row.name == name).map(|row| row.value)
    }
}

fn row<T>(name: &'static str, value: T, explanation: &'static str) -> NamedValue<T> {
    NamedValue { name, value, explanation }
}

impl NamedValues for Switch {
    fn table() -> Vec<NamedValue<Self>> {
        vec![row("on", Self::On, ""), row("off", Self::Off, "")]
    }
}

impl NamedValues for Stubborn {
    fn table() -> Vec<NamedValue<Self>> {
        vec![row("on", Self::On, ""), row("off", Self::Off, "")]
    }
}

impl NamedValues for Symmetry {
    fn table() -> Vec<NamedValue<Self>> {
        vec![row("on", Self::On, ""), row("off", Self::Off, "")]
    }
}

impl NamedValues for Deepening {
    fn table() -> Vec<NamedValue<Self>> {
        vec![row("on", Self::GROWING, ""), row("off", Self::Off, "")]
    }
}

impl NamedValues for LayoutChoice {
    fn table() -> Vec<NamedValue<Self>> {
        vec![
            row("auto", Self::Auto, "The smallest encoding that fits the net"),
            row("wide", Self::Only(Encoding::Wide), "16 bits for each place, more where needed"),
            row("safe", Self::Only(Encoding::Safe), "One bit for each place"),
            row("nupn", Self::Only(Encoding::Nupn), "The marked place of each unit of the NUPN structure"),
            row(
                "invariant",
                Self::Only(Encoding::Invariant),
                "Widths and implied places from place invariants",
            ),
        ]
    }
}

impl NamedValues for Access {
    fn table() -> Vec<NamedValue<Self>> {
        vec![
            row("direct", Self::Direct, "Fire transitions on the packed words"),
            row("decode", Self::Decode, "Decode a marking, fire, and encode the successor"),
        ]
    }
}

impl NamedValues for Order {
    fn table() -> Vec<NamedValue<Self>> {
        vec![
            row("breadth-first", Self::BreadthFirst, "Explore near states first, which gives shortest runs"),
            row("depth-first", Self::DepthFirst, "Follow one run until it ends"),
            row("best-first", Self::BestFirst, "Explore the most promising states first"),
        ]
    }
}

impl NamedValues for FiresetMode {
    fn table() -> Vec<NamedValue<Self>> {
        vec![
            row("dynamic", Self::Dynamic, "Only the transition that fired last"),
            row("full", Self::Full, "All enabled transitions"),
        ]
    }
}

impl NamedValues for CtlAlgorithm {
    /// `Sample` decides only some formulas, so it is a member of the portfolio and cannot be chosen.
    fn table() -> Vec<NamedValue<Self>> {
        vec![
            row("local", Self::Local, "Depth-first, with one value for each marking"),
            row("graph", Self::DependencyGraph, "A dependency graph for each operator, in any search order"),
            row("global", Self::Global, "Labelling of all states"),
        ]
    }
}

impl NamedValues for AutomatonOrder {
    fn table() -> Vec<NamedValue<Self>> {
        vec![
            row("heuristic", Self::Heuristic, "Edges near acceptance with weak conditions first"),
            row("plain", Self::Plain, "The order of the translation"),
        ]
    }
}

impl NamedValues for Binding {
    fn table() -> Vec<NamedValue<Self>> {
        vec![
            row("token", Self::Token, "Match input arcs with the tokens of the marking"),
            row("dynexp", Self::DynExp, "Enumerate all bindings whenever the next one is needed"),
            row("minrep", Self::MinRep, "Store the first enabled binding of each transition with the state"),
            row("fullinfo", Self::FullInfo, "Store all enabled bindings with the state"),
        ]
    }
}

impl NamedValues for TokenLayout {
    fn table() -> Vec<NamedValue<Self>> {
        vec![
            row("auto", Self::Auto, "The layout that is likely to be smaller"),
            row("dense", Self::Dense, "One field for each colour of each place"),
            row("sparse", Self::Sparse, "A sorted list of tokens"),
        ]
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::*;

    /// Names are unique, lead back to their values, and the default comes first.
    fn check<T: NamedValues + Debug>(default: T) {
        let table = T::table();
        assert_eq!(table[0].value, default);
        for row in &table {
            assert_eq!(T::named(row.name), Some(row.value));
        }
        assert_eq!(T::named("no such value"), None);
    }

    #[test]
    fn every_name_leads_back_to_its_value() {
        check(Switch::default());
        check(Stubborn::default());
        check(Deepening::GROWING);
        check(LayoutChoice::default());
        check(Access::default());
        check(Order::default());
        check(FiresetMode::default());
        check(CtlAlgorithm::default());
        check(AutomatonOrder::default());
        check(Binding::default());
        check(TokenLayout::default());
        check(Symmetry::default());
    }
}
