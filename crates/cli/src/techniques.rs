//! The techniques that can be switched on the command line, and their page `fireset help techniques`.
//!
//! `check` and `mcc` accept all of them without listing them in their help: few users need them.

use clap::{
    Args, Command,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use fireset::{
    Access, AutomatonOrder, Binding, ColouredConfig, ColouredOptions, CtlAlgorithm, Deepening, FiresetMode,
    LayoutChoice, NamedValues, Options, Order, PortfolioOptions, SearchOptions, Stubborn, Switch, Symmetry,
    TokenLayout,
};

/// Texts and defaults of all techniques; the defaults are those of the library.
#[derive(Debug, Args)]
pub struct TechniqueArgs {
    /// Encoding of a packed marking. Source: Ding, He and Li (EnPAC); implied places: Schmidt (TACAS 2003).
    #[arg(long, value_parser = named::<LayoutChoice>(), default_value = default_name::<LayoutChoice>())]
    #[arg(help_heading = "Search")]
    encoding: LayoutChoice,
    /// How transitions fire on packed markings. Source: EnPAC.
    #[arg(long, value_parser = named::<Access>(), default_value = default_name::<Access>())]
    #[arg(help_heading = "Search")]
    access: Access,
    /// Order in which states are explored. Without this option searches are breadth-first; CTL searches are
    /// depth-first, then best-first.
    #[arg(long, value_parser = named::<Order>(), help_heading = "Search")]
    order: Option<Order>,
    /// Transitions that a depth-first or LTL search stores for each state on its stack. Source: EnPAC (dynamic
    /// fireset).
    #[arg(long, value_parser = named::<FiresetMode>(), default_value = default_name::<FiresetMode>())]
    #[arg(value_name = "MODE", help_heading = "Search")]
    fireset: FiresetMode,
    /// Enable partial order reduction by stubborn sets, for reachability, deadlock, bounds and LTL without `X` on
    /// place/transition nets. Source: Valmari (1991); Schmidt (1999).
    #[arg(long, value_parser = named::<Stubborn>(), default_value = default_name::<Stubborn>())]
    #[arg(value_name = "on|off", hide_possible_values = true, help_heading = "Search")]
    stubborn: Stubborn,
    /// Order in which an LTL search follows the edges of the Büchi automaton. Source: EnPAC.
    #[arg(long, value_parser = named::<AutomatonOrder>(), default_value = default_name::<AutomatonOrder>())]
    #[arg(value_name = "ORDER", help_heading = "Search")]
    automaton_order: AutomatonOrder,
    /// Enable iterative deepening of LTL searches, which finds near violations first but searches states again. Source: EnPAC.
    #[arg(long, value_parser = named::<Deepening>(), default_value = default_name::<Deepening>())]
    #[arg(value_name = "on|off", hide_possible_values = true, help_heading = "Search")]
    deepening: Deepening,
    /// Algorithm that evaluates CTL operators. Source: Vergauwen and Lewi (CONCUR 1993) for `local`; Dalsgaard et
    /// al. (Petri Nets 2017) for `graph`; Clarke, Emerson and Sistla (1986) for `global`.
    #[arg(long, value_parser = named::<CtlAlgorithm>(), default_value = default_name::<CtlAlgorithm>())]
    #[arg(value_name = "ALGORITHM", help_heading = "Search")]
    ctl: CtlAlgorithm,

    /// Enable the unfolding of coloured nets to place/transition nets. Source: Dal Zilio (Petri Nets 2020); Bilgram
    /// et al. (2023).
    #[arg(long, value_parser = named::<Switch>(), default_value = default_name::<Switch>())]
    #[arg(value_name = "on|off", hide_possible_values = true, help_heading = "Coloured nets")]
    unfolding: Switch,
    /// Enable approximations of coloured nets that may be too large to unfold, by nets with few colours and with none. Source:
    /// Findlow (1992).
    #[arg(long, value_parser = named::<Switch>(), default_value = default_name::<Switch>())]
    #[arg(value_name = "on|off", hide_possible_values = true, help_heading = "Coloured nets")]
    colour_approximations: Switch,
    /// How the enabled bindings of a transition are found. Source: He and Ding (2021) for all but `token`.
    #[arg(long, value_parser = named::<Binding>(), default_value = default_name::<Binding>())]
    #[arg(value_name = "METHOD", help_heading = "Coloured nets")]
    bindings: Binding,
    /// Layout of a coloured marking.
    #[arg(long, value_parser = named::<TokenLayout>(), default_value = default_name::<TokenLayout>())]
    #[arg(value_name = "LAYOUT", help_heading = "Coloured nets")]
    tokens: TokenLayout,
    /// Enable symmetries of colours, which leave explicit searches one marking of each orbit. Source: Chiola et al. (1993, 1997).
    #[arg(long, value_parser = named::<Symmetry>(), default_value = default_name::<Symmetry>())]
    #[arg(value_name = "on|off", hide_possible_values = true, help_heading = "Coloured nets")]
    symmetry: Symmetry,

    /// Enable the pre-check: a quick attempt in a small share of the time, before everything else.
    #[arg(long, alias = "first-look", value_parser = named::<Switch>(), default_value = default_name::<Switch>())]
    #[arg(value_name = "on|off", hide_possible_values = true, help_heading = "Portfolio")]
    pre_check: Switch,
    /// Enable formula simplification. Source: Bønneland et al. (2018); Somenzi and Bloem (CAV 2000).
    #[arg(long, value_parser = named::<Switch>(), default_value = default_name::<Switch>())]
    #[arg(value_name = "on|off", hide_possible_values = true, help_heading = "Portfolio")]
    simplification: Switch,
    /// Enable structural reduction of the net. Source: Berthelot (1987); Haddad and Pradat-Peyre (2006);
    /// Thierry-Mieg (2020).
    #[arg(long, value_parser = named::<Switch>(), default_value = default_name::<Switch>())]
    #[arg(value_name = "on|off", hide_possible_values = true, help_heading = "Portfolio")]
    reduction: Switch,
    /// Enable random walks, which are guided by the distance to the goal.
    #[arg(long, value_parser = named::<Switch>(), default_value = default_name::<Switch>())]
    #[arg(value_name = "on|off", hide_possible_values = true, help_heading = "Portfolio")]
    walks: Switch,
    /// Enable the search for runs by solutions of the state equation. Source: Wimmel and Wolf (LMCS 2012), CEGAR.
    #[arg(long, alias = "equation", value_parser = named::<Switch>(), default_value = default_name::<Switch>())]
    #[arg(value_name = "on|off", hide_possible_values = true, help_heading = "Portfolio")]
    state_equation: Switch,
    /// Enable coverability sets, which decide goals, bounds and liveness of unbounded nets. Source: Karp and Miller (1969);
    /// Valmari and Hansen (2014); Abdulla et al. (1996).
    #[arg(long, value_parser = named::<Switch>(), default_value = default_name::<Switch>())]
    #[arg(value_name = "on|off", hide_possible_values = true, help_heading = "Portfolio")]
    coverability: Switch,
    /// Enable SAT-based model checking: bounded model checking, k-induction and IC3. Source: Bradley (2011); Eén,
    /// Mishchenko and Brayton (2011).
    #[arg(long, alias = "induction", value_parser = named::<Switch>(), default_value = default_name::<Switch>())]
    #[arg(value_name = "on|off", hide_possible_values = true, help_heading = "Portfolio")]
    sat: Switch,
    /// Enable symbolic state spaces: decision diagrams by saturation. Source: Ciardo, Lüttgen and Siminiceanu
    /// (TACAS 2001).
    #[arg(long, value_parser = named::<Switch>(), default_value = default_name::<Switch>())]
    #[arg(value_name = "on|off", hide_possible_values = true, help_heading = "Portfolio")]
    diagrams: Switch,
    /// Enable the labelling of all states with all CTL formulas together. Source: Clarke, Emerson and Sistla (1986).
    #[arg(long, value_parser = named::<Switch>(), default_value = default_name::<Switch>())]
    #[arg(value_name = "on|off", hide_possible_values = true, help_heading = "Portfolio")]
    labelling: Switch,
}

impl TechniqueArgs {
    /// The options of a check with this number of threads, or the default number.
    pub fn options(&self, threads: Option<u16>) -> Options {
        let defaults = Options::default();
        let config = ColouredConfig { bindings: self.bindings, tokens: self.tokens, symmetry: self.symmetry };
        Options {
            search: SearchOptions {
                encoding: self.encoding,
                access: self.access,
                order: self.order,
                fireset: self.fireset,
                stubborn: self.stubborn,
                automaton_order: self.automaton_order,
                deepening: self.deepening,
                ctl: self.ctl,
            },
            coloured: ColouredOptions {
                unfolding: self.unfolding,
                approximations: self.colour_approximations,
                config,
            },
            portfolio: PortfolioOptions {
                pre_check: self.pre_check,
                simplification: self.simplification,
                reduction: self.reduction,
                walks: self.walks,
                state_equation: self.state_equation,
                coverability: self.coverability,
                sat: self.sat,
                diagrams: self.diagrams,
                labelling: self.labelling,
                certificates: defaults.portfolio.certificates,
                shown_run: defaults.portfolio.shown_run,
                culprits: defaults.portfolio.culprits,
            },
            tuning: defaults.tuning,
            threads: threads.map_or(defaults.threads, usize::from),
        }
    }
}

/// A parser that knows the names of a type's values, and their explanations.
pub fn named<T: NamedValues + Send + Sync>() -> impl TypedValueParser<Value = T> {
    let value = |row: &fireset::NamedValue<T>| match row.explanation {
        "" => PossibleValue::new(row.name),
        explanation => PossibleValue::new(row.name).help(explanation),
    };
    PossibleValuesParser::new(T::table().iter().map(value))
        .map(|name| T::named(&name).expect("only names of the table are accepted"))
}

/// The name of a type's default value.
pub fn default_name<T: NamedValues>() -> &'static str {
    T::table()[0].name
}

/// Leaves the techniques out of a command's help.
pub fn hide_techniques(command: Command) -> Command {
    let techniques = TechniqueArgs::augment_args(Command::new("techniques"));
    techniques.get_arguments().fold(command, |command, technique| {
        command.mut_arg(technique.get_id(), |argument| argument.hide(true))
    })
}
