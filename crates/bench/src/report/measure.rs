//! Measures formulas one by one, each in several configurations, and keeps the costs.
//!
//! Configurations of one thread are measured several formulas at a time, all others alone. Times are wall-clock times: the processor
//! time of a process cannot be divided among formulas that are measured at once.

use std::{
    cmp::Reverse,
    collections::BTreeSet,
    error::Error,
    fs, io,
    panic::resume_unwind,
    path::PathBuf,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use fireset::{Budget, Options, Problem, Query, StopReason, Verdict, net::families::FamilyKind};

use super::{
    ReportArgs,
    cases::{BenchNet, FormulaCase},
    journal::Journal,
};
use crate::runs::{self, MeasuredAnswer};

/// Seconds for all formulas of a net together when some of them are chosen.
pub const TRIAL: u64 = 2;
/// Bytes that a search may hold.
const MEMORY: u64 = 4 << 30;

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchEnd {
    Answered,
    /// The time was up.
    Time,
    /// There are more bindings than are tried one by one.
    Refused,
    /// For another reason than the two above.
    Open,
}

impl SearchEnd {
    const ALL: [Self; 4] = [Self::Answered, Self::Time, Self::Refused, Self::Open];

    pub fn word(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Time => "time",
            Self::Refused => "refused",
            Self::Open => "open",
        }
    }

    /// The end that has that word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|end| end.word() == word)
    }

    fn by(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Unknown(StopReason::Time) => Self::Time,
            Verdict::Unknown(StopReason::Bindings(_)) => Self::Refused,
            Verdict::Unknown(_) => Self::Open,
            _ => Self::Answered,
        }
    }
}

/// The cost of a formula in one configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct FormulaCost {
    pub end: SearchEnd,
    pub seconds: f64,
    /// The most bytes that the search held.
    pub memory: u64,
    pub states: u64,
    /// The encoding of markings; empty where none was used.
    pub encoding: String,
}

impl FormulaCost {
    fn new(answer: &MeasuredAnswer, seconds: f64) -> Self {
        let cost = &answer.cost;
        Self {
            end: SearchEnd::by(&answer.verdict),
            seconds,
            memory: cost.memory,
            states: cost.states,
            encoding: cost.encoding.to_owned(),
        }
    }

    pub fn is_answered(&self) -> bool {
        self.end == SearchEnd::Answered
    }

    /// The time to the answer, if there is one.
    pub fn time(&self) -> Option<f64> {
        self.is_answered().then_some(self.seconds)
    }
}

/// Options with a name; measurements in the journal go by it.
#[derive(Clone)]
pub struct Configuration {
    name: String,
    options: Options,
    threads: ThreadUse,
}

/// How many threads a configuration uses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ThreadUse {
    One,
    Several,
}

impl Configuration {
    /// A configuration whose search uses one thread, with nothing beside it.
    pub fn single(name: impl Into<String>, options: Options) -> Self {
        Self { name: name.into(), options: Options { threads: 1, ..options }, threads: ThreadUse::One }
    }

    /// A configuration that may use all processors.
    pub fn several(name: impl Into<String>, options: Options) -> Self {
        Self { name: name.into(), options, threads: ThreadUse::Several }
    }
}

/// How many formulas are chosen: of those that a trial answers, and of those that it leaves open.
#[derive(Clone, Copy)]
pub struct SampleSize {
    pub answered: usize,
    pub open: usize,
}

/// The setting of a report: the source of nets, the time for each formula, and the measurements that are known already.
pub struct Experiment {
    instances: Option<PathBuf>,
    out: PathBuf,
    nets: Vec<String>,
    pub timeout: u64,
    jobs: usize,
    journal: Mutex<Journal>,
    /// Sentences of the report about nets that are missing.
    notes: Mutex<BTreeSet<String>>,
}

impl Experiment {
    /// An error names the first net of the command line that does not exist.
    pub fn new(args: &ReportArgs) -> Result<Self, Box<dyn Error>> {
        for name in &args.nets {
            if BenchNet::find(name, args.instances.as_deref())?.is_none() {
                return Err(format!(
                    "{name}: no such instance, and no family of generated nets has that name; \
                     --instances says where instances are unpacked, `fireset generate --help` lists the families"
                )
                .into());
            }
        }
        fs::create_dir_all(&args.out)
            .map_err(|error| format!("{}: cannot be made a directory: {error}", args.out.display()))?;
        let path = args.out.join("measurements.tsv");
        let journal = Journal::open(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        if journal.len() > 0 {
            eprintln!("{} measurements are taken from {}", journal.len(), path.display());
        }
        Ok(Self {
            instances: args.instances.clone(),
            out: args.out.clone(),
            nets: args.nets.clone(),
            timeout: args.timeout,
            jobs: args
                .jobs
                .map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from),
            journal: Mutex::new(journal),
            notes: Mutex::default(),
        })
    }

    /// The nets of a table, of one kind: those of the command line, or else those of a list that are available, or else generated ones.
    pub fn nets(&self, names: &[&str], generated: &[&str], kind: FamilyKind) -> Vec<BenchNet> {
        let asked: Vec<&str> = if self.nets.is_empty() {
            names.to_vec()
        } else {
            self.nets.iter().map(String::as_str).collect()
        };
        let mut nets: Vec<BenchNet> = asked.into_iter().filter_map(|name| self.net(name)).collect();
        if self.nets.is_empty() && nets.iter().all(BenchNet::is_generated) {
            self.note("Where none of a table's instances is at hand it is about generated nets.".into());
            let more = generated.iter().filter(|name| !names.contains(name));
            nets.extend(more.filter_map(|name| self.net(name)));
        }
        nets.retain(|net| net.kind() == kind);
        nets
    }

    fn net(&self, name: &str) -> Option<BenchNet> {
        match BenchNet::find(name, self.instances.as_deref()) {
            Ok(Some(net)) => return Some(net),
            Ok(None) => self.note(format!("{name} is not at hand.")),
            Err(error) => self.note(format!("{name} is left out: {error}")),
        }
        None
    }

    fn cases<'n>(&self, net: &'n BenchNet, examinations: &[&'static str]) -> Vec<FormulaCase<'n>> {
        let mut cases = Vec::new();
        for &examination in examinations {
            let queries = self.queries(net, examination);
            let numbered = queries.into_iter().enumerate();
            cases.extend(numbered.map(|(at, query)| FormulaCase { net, examination, at, query }));
        }
        cases
    }

    /// The formulas of an examination of a net; none, with a note, if they cannot be read.
    pub fn queries(&self, net: &BenchNet, examination: &str) -> Vec<Query> {
        net.queries(examination).unwrap_or_else(|error| {
            self.note(format!("{examination} of {} is left out: {error}", net.name));
            Vec::new()
        })
    }

    /// The first formulas of each examination of each net.
    pub fn first<'n>(
        &self,
        nets: &'n [BenchNet],
        examinations: &[&'static str],
        count: usize,
    ) -> Vec<FormulaCase<'n>> {
        let all = nets.iter().flat_map(|net| self.cases(net, examinations));
        all.filter(|case| case.at < count).collect()
    }

    /// Of the formulas of each net those that show most states in a short trial of all together, in any of some configurations:
    /// a choice by one configuration alone would be for or against what the others do without.
    pub fn pick<'n>(
        &self,
        nets: &'n [BenchNet],
        examinations: &[&'static str],
        configurations: &[Configuration],
        pick: SampleSize,
    ) -> io::Result<Vec<FormulaCase<'n>>> {
        let picked = self.in_parallel(nets.len(), |at| {
            let cases = self.cases(&nets[at], examinations);
            let trials = configurations
                .iter()
                .map(|configuration| self.trial(&cases, configuration))
                .collect::<io::Result<Vec<_>>>()?;
            Ok(chosen(cases, &trials, pick))
        });
        Ok(picked.into_iter().collect::<io::Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    /// The costs of the formulas of a net in a short run on all of them together.
    fn trial(
        &self,
        cases: &[FormulaCase<'_>],
        configuration: &Configuration,
    ) -> io::Result<Vec<FormulaCost>> {
        let name = format!("trial of {}", configuration.name);
        let keys: Vec<String> = cases.iter().map(|case| case.key(&name, TRIAL)).collect();
        let known = |key: &String| self.journal().get(key).cloned();
        if let Some(costs) = keys.iter().map(known).collect() {
            return Ok(costs);
        }
        let Some(first) = cases.first() else { return Ok(Vec::new()) };
        let queries = cases.iter().map(|case| case.query.clone()).collect();
        let problem = Problem { model: first.problem().model, queries };
        let run = runs::run(&problem, &configuration.options, &budget(TRIAL));
        eprintln!("{} is tried", first.net.name);
        let costs =
            run.answers.iter().map(|answer| FormulaCost::new(answer, answer.cost.elapsed.as_secs_f64()));
        let costs: Vec<FormulaCost> = costs.collect();
        for (key, cost) in keys.into_iter().zip(&costs) {
            self.journal().record(key, cost.clone())?;
        }
        Ok(costs)
    }

    /// Measures each formula in each configuration, in that order.
    pub fn measure(
        &self,
        cases: &[FormulaCase<'_>],
        configurations: &[Configuration],
    ) -> io::Result<Vec<Vec<FormulaCost>>> {
        let cost = |task: usize| {
            self.cost(&cases[task / configurations.len()], &configurations[task % configurations.len()])
        };
        let tasks = cases.len() * configurations.len();
        let costs: Vec<io::Result<FormulaCost>> =
            if configurations.iter().all(|configuration| configuration.threads == ThreadUse::One) {
                self.in_parallel(tasks, cost)
            } else {
                (0..tasks).map(cost).collect()
            };
        let costs = costs.into_iter().collect::<io::Result<Vec<FormulaCost>>>()?;
        Ok(costs.chunks(configurations.len()).map(<[FormulaCost]>::to_vec).collect())
    }

    fn cost(&self, case: &FormulaCase<'_>, configuration: &Configuration) -> io::Result<FormulaCost> {
        let key = case.key(&configuration.name, self.timeout);
        if let Some(cost) = self.journal().get(&key) {
            return Ok(cost.clone());
        }
        let run = runs::run(&case.problem(), &configuration.options, &budget(self.timeout));
        let cost = FormulaCost::new(&run.answers[0], run.elapsed);
        let (net, formula, end) = (&case.net.name, case.formula(), cost.end.word());
        eprintln!("{net} {formula}, {}: {end}, {:.3} s", configuration.name, cost.seconds);
        self.journal().record(key, cost.clone())?;
        Ok(cost)
    }

    /// Maps positions to results, in order, with the threads of `--jobs`.
    pub fn in_parallel<T: Send>(&self, count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
        let next = AtomicUsize::new(0);
        let worker = || {
            let mut done = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                if at >= count {
                    return done;
                }
                done.push((at, work(at)));
            }
        };
        let mut all: Vec<(usize, T)> = thread::scope(|scope| {
            let threads: Vec<_> =
                (0..self.jobs.clamp(1, count.max(1))).map(|_| scope.spawn(worker)).collect();
            let ended =
                threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
            ended.flatten().collect()
        });
        all.sort_by_key(|(at, _)| *at);
        all.into_iter().map(|(_, done)| done).collect()
    }

    /// Writes a file of the report.
    pub fn write(&self, name: &str, text: &str) -> Result<(), Box<dyn Error>> {
        let path = self.out.join(name);
        Ok(fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?)
    }

    pub fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    fn note(&self, text: String) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).insert(text);
    }

    fn journal(&self) -> MutexGuard<'_, Journal> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The budget of a measurement that starts now.
fn budget(seconds: u64) -> Budget {
    Budget::unlimited().with_timeout(Duration::from_secs(seconds)).with_memory(MEMORY)
}

/// The formulas with most states, those that a configuration answers first. Formulas that no configuration searches for are left out.
fn chosen<'n>(
    cases: Vec<FormulaCase<'n>>,
    trials: &[Vec<FormulaCost>],
    pick: SampleSize,
) -> Vec<FormulaCase<'n>> {
    let states = |at: usize| trials.iter().map(|costs| costs[at].states).max().unwrap_or(0);
    let is_answered = |at: usize| trials.iter().any(|costs| costs[at].is_answered());
    let mut searched: Vec<usize> = (0..cases.len()).filter(|&at| states(at) > 0).collect();
    searched.sort_by_key(|&at| Reverse(states(at)));
    let (answered, open): (Vec<usize>, Vec<usize>) = searched.into_iter().partition(|&at| is_answered(at));
    let picked = answered.into_iter().take(pick.answered).chain(open.into_iter().take(pick.open));
    picked.map(|at| cases[at].clone()).collect()
}
