//! The command line as people write it.

use std::{path::PathBuf, time::Duration};

use clap::{
    Args, Parser, Subcommand, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};

use crate::{
    examination::{self, Examination},
    techniques::Techniques,
    units::{parse_seconds, parse_size, parse_time},
};

/// Decides properties of Petri nets: reachability, deadlock, LTL, CTL, bounds, state spaces.
#[derive(Debug, Parser)]
#[command(name = "fireset", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check properties of one net or many.
    ///
    /// SIGINT and SIGTERM end it within a second: what is known is printed, and what is open is said.
    ///
    /// Exit code: 0 when all properties hold, 1 when some fails, 3 when something stays unknown, 2 on bad
    /// input; of several models, the first of 2, 1, 3 that one of them has.
    Check(CheckArgs),
    /// Answer an examination as in the Model Checking Contest.
    Mcc(MccArgs),
    /// Show the size and the structure of a net.
    Info(InfoArgs),
    /// Write a net or its properties in another format.
    Convert(ConvertArgs),
    /// Write the reachability graph of a small net.
    ///
    /// Exit code: 0 when it is written, 3 when it is not because a limit is reached, 2 on bad input.
    Graph(GraphArgs),
    /// Write a Büchi automaton of an LTL formula; no net is needed.
    ///
    /// Exit code: 0 when it is written, 3 when it is not because the limit is reached, 2 on bad input.
    Automaton(AutomatonArgs),
    /// Write a net of a scalable family, such as `philosophers 5`.
    Generate(GenerateArgs),
    /// Check the witnesses of a file against a net, independently of any engine.
    ///
    /// Exit code: 0 when all witnesses are accepted, 1 when some is refused, 2 on bad input.
    Replay(ReplayArgs),
    /// Print a completion script for a shell.
    Completions(CompletionsArgs),
    /// Print the manual page, or write one for each command.
    Man(ManArgs),
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Nets, as PNML. A directory is one of the contest: the net is `model.pnml`, and without -q, --properties or
    /// --examination all `<Examination>.xml` are asked that it has.
    #[arg(required_unless_present = "help_queries", value_name = "MODEL")]
    pub models: Vec<PathBuf>,
    #[command(flatten)]
    pub asked: Asked,
    /// Ask what an examination of the contest asks, such as OneSafe or CTLFireability; may be given several times.
    #[arg(long = "examination", value_name = "NAME", value_parser = examination_parser())]
    pub examinations: Vec<Examination>,
    /// Explain the query language and stop.
    #[arg(long)]
    pub help_queries: bool,
    /// How to print the answers.
    #[arg(long, value_enum, default_value_t)]
    pub format: AnswerFormat,
    /// Write the answers to this file instead of the standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Go on with the file of --output, of --format jsonl: what is answered there is not asked again, but for what
    /// was interrupted, or had stricter limits, and stayed unknown.
    #[arg(long, conflicts_with = "witness")]
    pub resume: bool,
    /// Write the witnesses to this file, as JSON that `fireset replay` checks; for one model.
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,
    /// Whether answers that nothing is reached come with a certificate, where one is found in a second.
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    pub certificates: Certificates,
    /// Show the plan, what was done for each property, and what its answer cost.
    #[arg(long)]
    pub explain: bool,
    #[command(flatten)]
    pub limits: Limits,
    #[command(flatten)]
    pub techniques: Techniques,
}

/// Knows the names of the examinations.
fn examination_parser() -> impl TypedValueParser<Value = Examination> {
    PossibleValuesParser::new(examination::ALL.map(|examination| examination.name))
        .map(|name| Examination::find(&name).expect("only these names are accepted"))
}

/// Whether certificates are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Certificates {
    /// On place/transition nets.
    #[default]
    On,
    /// Answers that nothing is reached have no evidence, unless it comes with them.
    Off,
}

/// The properties that are asked.
#[derive(Clone, Debug, Default, Args)]
pub struct Asked {
    /// A property in the query language; may be given several times.
    #[arg(short, long = "query", value_name = "QUERY")]
    pub queries: Vec<String>,
    /// A file of properties, as contest XML; may be given several times.
    #[arg(long, value_name = "FILE")]
    pub properties: Vec<PathBuf>,
}

/// What a run may use.
#[derive(Debug, Args)]
pub struct Limits {
    /// Stop after this time, such as 30, 90s, 5m or 1h; of several models each has so much.
    #[arg(long, value_name = "TIME", value_parser = parse_time, allow_negative_numbers = true)]
    pub timeout: Option<Duration>,
    /// Stop before using more memory than this, such as 512M or 4G; a number alone is in GiB. By default three
    /// quarters of the machine's.
    #[arg(long, value_name = "SIZE", value_parser = parse_size, allow_negative_numbers = true)]
    pub memory: Option<u64>,
}

/// How answers are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum AnswerFormat {
    /// For people.
    #[default]
    Human,
    /// For programs: one document.
    Json,
    /// For programs: an object a line, as soon as the answer is there.
    Jsonl,
    /// For build servers: JUnit XML.
    Junit,
}

/// How facts are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Human,
    /// For programs.
    Json,
}

#[derive(Debug, Args)]
pub struct MccArgs {
    /// The directory of the instance, with `model.pnml` and `<Examination>.xml`.
    #[arg(default_value = ".")]
    pub directory: PathBuf,
    /// What to answer.
    #[arg(long, env = "BK_EXAMINATION")]
    pub examination: String,
    /// Seconds that the run may take.
    #[arg(long, env = "BK_TIME_CONFINEMENT", value_name = "SECONDS", value_parser = parse_seconds)]
    pub time: Option<Duration>,
    /// Megabytes that the run may use.
    #[arg(long, env = "BK_MEMORY_CONFINEMENT", value_name = "MB")]
    pub memory: Option<u64>,
    #[command(flatten)]
    pub techniques: Techniques,
}

#[derive(Debug, Args)]
pub struct InfoArgs {
    /// The net, as PNML.
    pub model: PathBuf,
    /// Also list all places with their initial tokens, and all transitions.
    #[arg(long)]
    pub names: bool,
    /// How to print it.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// The net, as PNML.
    pub model: PathBuf,
    /// What to write.
    #[arg(long, value_enum, default_value_t)]
    pub to: Target,
    /// Unfold a coloured net to a place/transition net first.
    #[arg(long, conflicts_with_all = ["queries", "properties"])]
    pub unfold: bool,
    /// Where to write it; the standard output by default.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub asked: Asked,
    #[command(flatten)]
    pub limits: Limits,
}

/// What `convert` writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// The net as PNML.
    #[default]
    Pnml,
    /// The net as a graph for Graphviz.
    Dot,
    /// The properties as contest XML.
    Xml,
    /// The properties in the query language, one a line.
    Text,
}

#[derive(Debug, Args)]
pub struct GraphArgs {
    /// The net, as PNML.
    pub model: PathBuf,
    /// How to write it.
    #[arg(long, value_enum, default_value_t)]
    pub to: GraphFormat,
    /// Write nothing if there are more states than this.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub limit: usize,
    /// Where to write it; the standard output by default.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub limits: Limits,
}

/// How `graph` writes a reachability graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// For Graphviz: a picture with markings.
    #[default]
    Dot,
    /// For tools that read the Aldebaran format: firings only.
    Aut,
    /// For programs: markings and firings.
    Json,
}

#[derive(Debug, Args)]
pub struct AutomatonArgs {
    /// A path formula in the query language, without a quantifier. Comparisons, `deadlock` and
    /// `fireable(...)` are atoms; a name alone is one too and means that the place is marked.
    pub formula: String,
    /// How to write it.
    #[arg(long, value_enum, default_value_t)]
    pub to: AutomatonFormat,
    /// Write nothing if an automaton on the way has more states or edges than this.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub limit: usize,
    /// Where to write it; the standard output by default.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// How `automaton` writes an automaton.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum AutomatonFormat {
    /// For tools that read the Hanoi Omega-Automata format.
    #[default]
    Hoa,
    /// For Graphviz: a picture.
    Dot,
}

#[derive(Debug, Args)]
pub struct GenerateArgs {
    /// The family, and its parameters.
    #[arg(required_unless_present = "list", value_name = "FAMILY")]
    pub family: Option<String>,
    /// The family's parameters.
    #[arg(value_name = "N")]
    pub parameters: Vec<u64>,
    /// Make the coloured net of the family.
    #[arg(long, alias = "colored")]
    pub coloured: bool,
    /// List the families and stop.
    #[arg(long)]
    pub list: bool,
    /// Where to write the PNML; the standard output by default.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The net, as PNML.
    pub model: PathBuf,
    /// The witnesses, as `fireset check --witness FILE` or `--format json` writes them.
    pub witness: PathBuf,
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell.
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write one page for each command into this directory.
    #[arg(long, value_name = "DIR")]
    pub directory: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
