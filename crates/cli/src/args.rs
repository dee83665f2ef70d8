//! The command line: commands, options and their help.

use std::{path::PathBuf, time::Duration};

use clap::{
    Args, Command, CommandFactory, Parser, Subcommand, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};
use fireset::{Switch, soundness::SoundnessNotion};

use crate::{
    examination::{self, Examination},
    structure::HighlightChoice,
    techniques::{TechniqueArgs, default_name, hide_techniques, named},
    units::{parse_seconds, parse_size, parse_time},
};

/// Model checker for Petri nets: reachability, deadlock, LTL, CTL, bounds, liveness, state spaces.
#[derive(Debug, Parser)]
#[command(name = "fireset", version, max_term_width = 100, after_help = TOP_NOTES)]
pub struct CommandLine {
    #[command(subcommand)]
    pub command: Subcommands,
}

/// What follows the list of commands.
const TOP_NOTES: &str = "\
Example: fireset check net.pnml -q 'EF deadlock'
More:    fireset help <COMMAND>, fireset help techniques, fireset check --help-queries";

/// What follows the options of `check`.
const CHECK_NOTES: &str = "\
SIGINT and SIGTERM end the command within a second; it prints the answers found so far and lists
unanswered properties.

Exit code: 0 if all properties hold, 1 if some property fails, 3 if some property stays unknown,
2 on bad input; with several models, the most serious code: 2, then 1, then 3. A property with
`expect` in its file counts as holding if its verdict is the expected one, and as failing if not.

`fireset help techniques` lists the switches of the search and of the portfolio.";

/// What follows the options of `mcc`.
const SEE_TECHNIQUES: &str =
    "`fireset help techniques` lists the switches of the search and of the portfolio.";

/// What precedes the list of techniques.
const TECHNIQUES_NOTES: &str = "\
`fireset check` and `fireset mcc` accept these options. The defaults give the best results known;
the other values exist to measure a technique, or to avoid it.";

/// What follows the options of `graph` and `automaton`.
const WRITTEN_CODES: &str = "Exit code: 0 if the file is written, 3 if a limit prevents it, 2 on bad input.";

/// What follows the options of `sound`.
const SOUND_NOTES: &str = "\
A workflow ends in the final markings of its file, a BPMN process without tokens; without final
markings, a workflow net ends with one token in its only sink place. A net without tokens starts
with one in its only source place.

Exit code: 0 if all workflows have the property, 1 if some have not, 3 if some stay unknown, 2 if some
file is no workflow or cannot be read; with several files, the most serious code: 2, then 1, then 3.";
/// What follows the options of `structure`.
const STRUCTURE_NOTES: &str = "\
The structure of a coloured net is that of its unfolding. A list that a limit cuts off says so; its
elements and what follows from them are right all the same.";

/// What follows the options of `replay`.
const REPLAY_CODES: &str =
    "Exit code: 0 if all witnesses are accepted, 1 if some witness is refused, 2 on bad input.";

#[derive(Debug, Subcommand)]
pub enum Subcommands {
    /// Check properties of one or more nets
    #[command(after_help = CHECK_NOTES)]
    Check(CheckArgs),
    /// Answer an examination of the Model Checking Contest
    #[command(after_help = SEE_TECHNIQUES)]
    Mcc(MccArgs),
    /// Check the soundness of workflow nets and BPMN processes
    #[command(after_help = SOUND_NOTES)]
    Sound(SoundArgs),
    /// Print the size and the structural class of a net
    Info(InfoArgs),
    /// Print semiflows, siphons, traps and classes of a net, and what follows from them
    #[command(after_help = STRUCTURE_NOTES)]
    Structure(StructureArgs),
    /// Write a net or its properties in another format
    Convert(ConvertArgs),
    /// Draw a net as SVG, or play a run of it in a page that works offline
    Draw(DrawArgs),
    /// Play the token game in the terminal: fire, undo, search, break, ask, save the run
    Play(PlayArgs),
    /// Write the reachability graph of a small net
    #[command(after_help = WRITTEN_CODES)]
    Graph(GraphArgs),
    /// Write a Büchi automaton for an LTL formula; no net is needed
    #[command(after_help = WRITTEN_CODES)]
    Automaton(AutomatonArgs),
    /// Write a net of a scalable family, such as `philosophers 5`
    Generate(GenerateArgs),
    /// Check the witnesses of a file against a net, without any engine
    #[command(after_help = REPLAY_CODES)]
    Replay(ReplayArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write one for each command
    Man(ManArgs),
    /// List the techniques that `check` and `mcc` can switch on and off
    #[command(before_help = TECHNIQUES_NOTES, override_usage = "fireset check <MODEL>... [TECHNIQUES]")]
    Techniques(TechniqueArgs),
}

impl CommandLine {
    /// The description of the whole command line. Techniques have a page of their own.
    pub fn describe() -> Command {
        let timeout = "Stop after this time, such as 30, 90s, 5m or 1h; applies to each model separately";
        Self::command()
            .mut_subcommand("check", |check| {
                hide_techniques(check).mut_arg("timeout", |argument| argument.help(timeout))
            })
            .mut_subcommand("mcc", hide_techniques)
    }
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// PNML files. A directory must follow the Model Checking Contest layout: the net is `model.pnml`; without
    /// -q, --properties or --examination, all its `<Examination>.xml` files are checked
    #[arg(required_unless_present = "help_queries", value_name = "MODEL")]
    pub models: Vec<PathBuf>,
    #[command(flatten)]
    pub net: NetArgs,
    #[command(flatten)]
    pub properties: PropertyArgs,
    /// Check the properties of a contest examination, such as OneSafe or CTLFireability; repeatable
    #[arg(long = "examination", value_name = "NAME", value_parser = examination_parser())]
    #[arg(hide_possible_values = true, help_heading = "Properties")]
    pub examinations: Vec<Examination>,
    /// Explain the query language and exit
    #[arg(long, help_heading = "Properties")]
    pub help_queries: bool,
    /// `human` for reading, `json` for one document, `jsonl` for one object per line, `junit` for JUnit XML,
    /// `sarif` for SARIF 2.1.0, `github` for annotations of GitHub Actions
    #[arg(long, value_enum, default_value_t, hide_possible_values = true, help_heading = "Output")]
    pub format: AnswerFormat,
    /// Write the answers to a file instead of the standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Print the answers in the order of the properties; by default each answer is printed when it is known
    #[arg(long, help_heading = "Output")]
    pub ordered: bool,
    /// Continue an interrupted run: skip properties that the file of --output, in the format jsonl, answers; check
    /// properties again that an interrupt or a stricter limit left unknown
    #[arg(long, conflicts_with = "witness", help_heading = "Output")]
    pub resume: bool,
    /// Print the strategy, the stages that each property went through, and their cost
    #[arg(long, help_heading = "Output")]
    pub explain: bool,
    /// Write witnesses and counterexamples to a JSON file that `fireset replay` checks; for one model
    #[arg(long, value_name = "FILE", help_heading = "Evidence")]
    pub witness: Option<PathBuf>,
    #[command(flatten)]
    pub steps: StepsArgs,
    /// Attach a certificate to unreachability answers on place/transition nets, if one is found in a second
    #[arg(long, value_parser = named::<Switch>(), default_value = default_name::<Switch>())]
    #[arg(value_name = "on|off", hide_possible_values = true, help_heading = "Evidence")]
    pub certificates: Switch,
    /// Show short runs, the same in each run of the command, where they are found in half a second; otherwise those of the engine
    /// that answered first
    #[arg(long, value_parser = named::<Switch>(), default_value = default_name::<Switch>())]
    #[arg(value_name = "on|off", hide_possible_values = true, help_heading = "Evidence")]
    pub short_runs: Switch,
    /// Search for the shortest run that shows an answer as long as time and memory last, and say whether it was found: for goals,
    /// invariants, bounds and LTL (prefix and cycle together)
    #[arg(long, conflicts_with = "short_runs", help_heading = "Evidence")]
    pub shortest: bool,
    /// Name the places or transitions for which a property of the whole net fails, in at most five seconds each
    #[arg(long, value_parser = named::<Switch>(), default_value = default_name::<Switch>())]
    #[arg(value_name = "on|off", hide_possible_values = true, help_heading = "Evidence")]
    pub culprits: Switch,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub threads: ThreadArgs,
    #[command(flatten)]
    pub techniques: TechniqueArgs,
}

fn examination_parser() -> impl TypedValueParser<Value = Examination> {
    PossibleValuesParser::new(examination::ALL.map(|examination| examination.name))
        .map(|name| Examination::find(&name).expect("only these names are accepted"))
}

#[derive(Clone, Debug, Default, Args)]
pub struct PropertyArgs {
    /// A property in the query language; repeatable
    #[arg(short, long = "query", value_name = "QUERY", help_heading = "Properties")]
    pub queries: Vec<String>,
    /// A file of properties: contest XML, the text form of `convert --to text`, or a query on each line; repeatable
    #[arg(long, value_name = "FILE", help_heading = "Properties")]
    pub properties: Vec<PathBuf>,
    /// Ask LTL properties about fair runs alone: `weak(t1, t2)`, `strong(t3)`, or `weak` for every transition; repeatable
    #[arg(long, value_name = "FAIRNESS", help_heading = "Properties")]
    pub fair: Vec<String>,
}

impl PropertyArgs {
    pub fn is_empty(&self) -> bool {
        self.queries.is_empty() && self.properties.is_empty()
    }
}

#[derive(Clone, Copy, Debug, Args)]
pub struct StepsArgs {
    /// Print runs as tables: for each step the places that it changes, and which parts of the property hold; for a
    /// deadlock what each transition lacks
    #[arg(long, help_heading = "Evidence")]
    pub steps: bool,
    /// How many operators below each other are explained in the value of a CTL property
    #[arg(long, value_name = "N", default_value_t = 3, requires = "steps", help_heading = "Evidence")]
    pub depth: usize,
}

#[derive(Debug, Args)]
pub struct LimitArgs {
    /// Stop after this time, such as 30, 90s, 5m or 1h
    #[arg(long, value_name = "TIME", value_parser = parse_time, allow_negative_numbers = true)]
    #[arg(help_heading = "Limits")]
    pub timeout: Option<Duration>,
    /// Stop before the process uses more memory than this, such as 512M or 4G; a number alone is in GiB
    /// [default: three quarters of the machine's memory]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, allow_negative_numbers = true)]
    #[arg(help_heading = "Limits")]
    pub memory: Option<u64>,
}

#[derive(Debug, Args)]
pub struct ThreadArgs {
    /// Number of threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    #[arg(help_heading = "Limits")]
    pub threads: Option<u16>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum AnswerFormat {
    #[default]
    Human,
    Json,
    Jsonl,
    Junit,
    Sarif,
    Github,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum InfoFormat {
    #[default]
    Human,
    Json,
}

#[derive(Debug, Args)]
pub struct MccArgs {
    /// Directory of the instance, with `model.pnml` and `<Examination>.xml`
    #[arg(default_value = ".")]
    pub directory: PathBuf,
    /// Name of the examination, such as StateSpace or LTLFireability
    #[arg(long, env = "BK_EXAMINATION")]
    pub examination: String,
    /// Time limit of the run in seconds
    #[arg(long, env = "BK_TIME_CONFINEMENT", value_name = "SECONDS", value_parser = parse_seconds)]
    #[arg(help_heading = "Limits")]
    pub time: Option<Duration>,
    /// Memory limit of the run in MiB
    #[arg(long, env = "BK_MEMORY_CONFINEMENT", value_name = "MB", help_heading = "Limits")]
    pub memory: Option<u64>,
    #[command(flatten)]
    pub threads: ThreadArgs,
    #[command(flatten)]
    pub techniques: TechniqueArgs,
}

/// The choice among several nets of a file.
#[derive(Clone, Debug, Default, Args)]
pub struct NetArgs {
    /// The id or name of the net, if a file has several
    #[arg(long, value_name = "NAME")]
    pub net: Option<String>,
}

#[derive(Debug, Args)]
pub struct SoundArgs {
    /// Workflow nets and BPMN processes, files in any format that fireset reads
    #[arg(required = true, value_name = "FILE")]
    pub models: Vec<PathBuf>,
    #[command(flatten)]
    pub net: NetArgs,
    /// `sound`, `weak-sound`, `relaxed-sound` or `easy-sound`: the notion that decides the exit code
    #[arg(long, value_name = "NOTION", value_parser = notion_parser(), default_value = "sound")]
    #[arg(hide_possible_values = true)]
    pub notion: SoundnessNotion,
    /// `human` for reading, `json` for programs
    #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
    pub format: InfoFormat,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub threads: ThreadArgs,
}

fn notion_parser() -> impl TypedValueParser<Value = SoundnessNotion> {
    PossibleValuesParser::new(SoundnessNotion::ALL.map(SoundnessNotion::name)).map(|name| {
        let mut all = SoundnessNotion::ALL.into_iter();
        all.find(|notion| notion.name() == name).expect("only these names are accepted")
    })
}

#[derive(Debug, Args)]
pub struct InfoArgs {
    /// The net, a file in any format that fireset reads; `-` is the standard input
    pub model: PathBuf,
    #[command(flatten)]
    pub net: NetArgs,
    /// List all places with their initial tokens, and all transitions
    #[arg(long)]
    pub names: bool,
    /// `human` for reading, `json` for programs
    #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
    pub format: InfoFormat,
}

#[derive(Debug, Args)]
pub struct StructureArgs {
    /// The net, a file in any format that fireset reads; `-` is the standard input
    pub model: PathBuf,
    #[command(flatten)]
    pub net: NetArgs,
    /// `human` for reading, `json` for programs, `dot` for the net as a Graphviz drawing, `svg` for it as a picture
    #[arg(long, value_enum, default_value_t, hide_possible_values = true, value_name = "FORMAT")]
    pub format: StructureFormat,
    /// Colour a semiflow, siphon or trap by its number in the drawing: `P-semiflow 3`, `T-semiflow 1`, `siphon 2`, `trap 1`
    #[arg(long, value_name = "ELEMENT")]
    pub highlight: Option<HighlightChoice>,
    /// Print long lists in full
    #[arg(long)]
    pub all: bool,
    /// Write to a file instead of the standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Find at most this number of semiflows of each kind, of siphons and of traps
    #[arg(long, value_name = "N", default_value_t = 1000, help_heading = "Limits")]
    pub limit: usize,
    /// Stop the searches after this time, such as 30, 90s, 5m or 1h
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "4s", help_heading = "Limits")]
    pub timeout: Duration,
    /// Stop unfolding before the process uses more memory than this, such as 512M or 4G; a number alone is in GiB
    /// [default: three quarters of the machine's memory]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = "Limits")]
    pub memory: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum StructureFormat {
    #[default]
    Human,
    Json,
    Dot,
    Svg,
}

#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// The net, a file in any format that fireset reads; `-` is the standard input
    pub model: PathBuf,
    #[command(flatten)]
    pub net: NetArgs,
    /// `pnml`, `lola`, `tina` or `apt` for the net in that format, `dot` for the net as a Graphviz drawing, `xml` for
    /// the properties as contest XML, `text` for the properties with their names in the query language
    #[arg(long, value_enum, default_value_t, hide_possible_values = true, value_name = "FORMAT")]
    pub to: ConvertFormat,
    /// Unfold a coloured net to a place/transition net first
    #[arg(long, conflicts_with_all = ["queries", "properties"])]
    pub unfold: bool,
    /// Write to a file instead of the standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub properties: PropertyArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ConvertFormat {
    #[default]
    Pnml,
    Lola,
    Tina,
    Apt,
    Dot,
    Xml,
    Text,
}

#[derive(Debug, Args)]
pub struct DrawArgs {
    /// The net, a file in any format that fireset reads; `-` is the standard input
    pub model: PathBuf,
    #[command(flatten)]
    pub net: NetArgs,
    /// Write an HTML page that plays a run of this file, which `fireset check --witness FILE` has written
    #[arg(long, value_name = "WITNESS")]
    pub run: Option<PathBuf>,
    /// The name of the property whose run is played [default: the first with a run]
    #[arg(long, value_name = "NAME", requires = "run")]
    pub property: Option<String>,
    /// Write to a file instead of the standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct PlayArgs {
    /// The net, a file in any format that fireset reads
    pub model: PathBuf,
    #[command(flatten)]
    pub net: NetArgs,
    /// Play a run of this file, which `fireset check --witness FILE` or the game itself has written
    #[arg(long, value_name = "WITNESS")]
    pub run: Option<PathBuf>,
    /// The name of the property whose run is played [default: the first with a run]
    #[arg(long, value_name = "NAME", requires = "run")]
    pub property: Option<String>,
    /// Random steps are the same for the same number
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

#[derive(Debug, Args)]
pub struct GraphArgs {
    /// The net, a file in any format that fireset reads; `-` is the standard input
    pub model: PathBuf,
    #[command(flatten)]
    pub net: NetArgs,
    /// `dot` for a Graphviz drawing with markings, `svg` for a picture, `aut` for firings in the Aldebaran format, `json`
    /// for markings and firings
    #[arg(long, value_enum, default_value_t, hide_possible_values = true, value_name = "FORMAT")]
    pub to: GraphFormat,
    /// Write the coverability graph, which is finite also for an unbounded net: `ω` stands for any number of tokens. For
    /// place/transition nets without inhibitor arcs
    #[arg(long)]
    pub coverability: bool,
    /// Write nothing if the graph has more states than this
    #[arg(long, value_name = "N", default_value_t = 1000, help_heading = "Limits")]
    pub limit: usize,
    /// Write to a file instead of the standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub limits: LimitArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    #[default]
    Dot,
    Svg,
    Aut,
    Json,
}

#[derive(Debug, Args)]
pub struct AutomatonArgs {
    /// A path formula in the query language, without a quantifier. Comparisons, `deadlock` and `fireable(...)` are
    /// atoms; so is the name of a place, which means that the place is marked.
    pub formula: String,
    /// `hoa` for the Hanoi Omega-Automata format, `dot` for a Graphviz drawing
    #[arg(long, value_enum, default_value_t, hide_possible_values = true, value_name = "FORMAT")]
    pub to: AutomatonFormat,
    /// Write nothing if an intermediate automaton has more states or edges than this
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub limit: usize,
    /// Write to a file instead of the standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum AutomatonFormat {
    #[default]
    Hoa,
    Dot,
}

#[derive(Debug, Args)]
pub struct GenerateArgs {
    /// Name of the family
    #[arg(required_unless_present = "list", value_name = "FAMILY")]
    pub family: Option<String>,
    /// Parameters of the family
    #[arg(value_name = "N")]
    pub parameters: Vec<u64>,
    /// Generate the coloured net of the family
    #[arg(long, alias = "colored")]
    pub coloured: bool,
    /// List the families with their parameters and exit
    #[arg(long)]
    pub list: bool,
    /// Write the PNML to a file instead of the standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The net, a file in any format that fireset reads; `-` is the standard input
    pub model: PathBuf,
    #[command(flatten)]
    pub net: NetArgs,
    /// The witnesses, a file written by `fireset check --witness FILE` or `fireset check --format json`
    pub witness: PathBuf,
    #[command(flatten)]
    pub steps: StepsArgs,
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write one page for each command into this directory
    #[arg(long, value_name = "DIR")]
    pub directory: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        CommandLine::describe().debug_assert();
    }

    /// The text of `fireset NAME --help` on a terminal of 100 columns.
    fn page(name: &str) -> String {
        let line = CommandLine::describe().term_width(100);
        let help = line.try_get_matches_from(["fireset", name, "--help"]).expect_err("help ends the parsing");
        help.to_string()
    }

    #[test]
    fn the_help_of_check_is_short_and_techniques_have_their_own_page() {
        let (check, techniques) = (page("check"), page("techniques"));
        assert!(check.lines().count() <= 70, "{check}");
        for heading in ["Properties:", "Output:", "Evidence:", "Limits:"] {
            assert!(check.contains(heading), "{check}");
        }
        for option in ["--stubborn", "--bindings", "--pre-check", "--state-equation", "--sat", "--labelling"]
        {
            assert!(!check.contains(option) && !page("mcc").contains(option), "{option}");
            assert!(techniques.contains(option), "{option}");
        }
    }

    #[test]
    fn every_technique_is_accepted_by_check_and_mcc() {
        for command in [["check", "net.pnml"], ["mcc", "--examination=OneSafe"]] {
            let line = ["fireset"].into_iter().chain(command).chain(["--sat", "off", "--ctl", "graph"]);
            let matches = CommandLine::describe().try_get_matches_from(line).expect("hidden, not gone");
            let techniques = match CommandLine::from_arg_matches(&matches).expect("it matches").command {
                Subcommands::Check(args) => args.techniques,
                Subcommands::Mcc(args) => args.techniques,
                other => panic!("{other:?}"),
            };
            let options = techniques.options(Some(3));
            assert!(!options.portfolio.sat.is_on() && options.portfolio.walks.is_on());
            assert_eq!((options.search.ctl, options.threads), (fireset::CtlAlgorithm::DependencyGraph, 3));
        }
    }
}
