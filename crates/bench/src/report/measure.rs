//! Measures formulas one by one, each in several ways, and keeps what that cost.
//!
//! What runs in one thread is measured several formulas at a time, everything else alone. Time is that of the clock: whoever
//! measures many formulas at once cannot tell whose processor time it was.

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
    Args,
    journal::Journal,
    subjects::{Net, Subject},
};
use crate::runs::{self, Answer};

/// Seconds for all formulas of a net together when some of them are chosen.
pub const TRIAL: u64 = 2;
/// Bytes that a search may hold.
const MEMORY: u64 = 4 << 30;

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Answered,
    /// The time was up.
    Time,
    /// There are more bindings than are tried one by one.
    Refused,
    /// Anything else.
    Open,
}

impl End {
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

/// What a formula cost in one way.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    pub end: End,
    pub seconds: f64,
    /// The most bytes that the search held.
    pub memory: u64,
    pub states: u64,
    /// How markings were laid out; empty where there were none.
    pub encoding: String,
}

impl Cost {
    fn new(answer: &Answer, seconds: f64) -> Self {
        let cost = &answer.cost;
        Self {
            end: End::by(&answer.verdict),
            seconds,
            memory: cost.memory,
            states: cost.states,
            encoding: cost.encoding.to_owned(),
        }
    }

    pub fn is_answered(&self) -> bool {
        self.end == End::Answered
    }

    /// The time to the answer, if there is one.
    pub fn time(&self) -> Option<f64> {
        self.is_answered().then_some(self.seconds)
    }
}

/// Options with a name; measurements in the journal go by it.
#[derive(Clone)]
pub struct Way {
    name: String,
    options: Options,
    threads: Threads,
}

/// How many threads a way uses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Threads {
    One,
    Several,
}

impl Way {
    /// A way whose search uses one thread, with nothing beside it.
    pub fn single(name: impl Into<String>, options: Options) -> Self {
        Self { name: name.into(), options: Options { threads: 1, ..options }, threads: Threads::One }
    }

    /// A way that may use all processors.
    pub fn several(name: impl Into<String>, options: Options) -> Self {
        Self { name: name.into(), options, threads: Threads::Several }
    }
}

/// How many formulas are chosen: of those that a trial answers, and of those that it leaves open.
#[derive(Clone, Copy)]
pub struct Pick {
    pub answered: usize,
    pub open: usize,
}

/// Where measuring happens: where nets are, how long each formula may take, and what is known already.
pub struct Lab {
    instances: Option<PathBuf>,
    out: PathBuf,
    nets: Vec<String>,
    pub timeout: u64,
    jobs: usize,
    journal: Mutex<Journal>,
    /// What the report has to say about nets that are not in it.
    notes: Mutex<BTreeSet<String>>,
}

impl Lab {
    /// Nets that are asked for by name have to be there.
    pub fn new(args: &Args) -> Result<Self, Box<dyn Error>> {
        for name in &args.nets {
            if Net::find(name, args.instances.as_deref())?.is_none() {
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

    /// The nets of a table: those asked for, or else those of a list that are at hand, or else generated ones; of one kind.
    pub fn nets(&self, names: &[&str], generated: &[&str], kind: FamilyKind) -> Vec<Net> {
        let asked: Vec<&str> = if self.nets.is_empty() {
            names.to_vec()
        } else {
            self.nets.iter().map(String::as_str).collect()
        };
        let mut nets: Vec<Net> = asked.into_iter().filter_map(|name| self.net(name)).collect();
        if self.nets.is_empty() && nets.iter().all(Net::is_generated) {
            self.note("Where none of a table's instances is at hand it is about generated nets.".into());
            let more = generated.iter().filter(|name| !names.contains(name));
            nets.extend(more.filter_map(|name| self.net(name)));
        }
        nets.retain(|net| net.kind() == kind);
        nets
    }

    fn net(&self, name: &str) -> Option<Net> {
        match Net::find(name, self.instances.as_deref()) {
            Ok(Some(net)) => return Some(net),
            Ok(None) => self.note(format!("{name} is not at hand.")),
            Err(error) => self.note(format!("{name} is left out: {error}")),
        }
        None
    }

    /// All formulas of some examinations of a net.
    fn subjects<'n>(&self, net: &'n Net, examinations: &[&'static str]) -> Vec<Subject<'n>> {
        let mut subjects = Vec::new();
        for &examination in examinations {
            let queries = self.queries(net, examination);
            let numbered = queries.into_iter().enumerate();
            subjects.extend(numbered.map(|(at, query)| Subject { net, examination, at, query }));
        }
        subjects
    }

    /// The formulas of an examination of a net; none, with a note, if they cannot be read.
    pub fn queries(&self, net: &Net, examination: &str) -> Vec<Query> {
        net.queries(examination).unwrap_or_else(|error| {
            self.note(format!("{examination} of {} is left out: {error}", net.name));
            Vec::new()
        })
    }

    /// The first formulas of each examination of each net.
    pub fn first<'n>(
        &self,
        nets: &'n [Net],
        examinations: &[&'static str],
        count: usize,
    ) -> Vec<Subject<'n>> {
        let all = nets.iter().flat_map(|net| self.subjects(net, examinations));
        all.filter(|subject| subject.at < count).collect()
    }

    /// Of the formulas of each net those that show most states in a short trial of all together, in any of some ways:
    /// a choice by one way alone would be for or against what the others do without.
    pub fn pick<'n>(
        &self,
        nets: &'n [Net],
        examinations: &[&'static str],
        ways: &[Way],
        pick: Pick,
    ) -> io::Result<Vec<Subject<'n>>> {
        let picked = self.in_parallel(nets.len(), |at| {
            let subjects = self.subjects(&nets[at], examinations);
            let trials = ways.iter().map(|way| self.trial(&subjects, way)).collect::<io::Result<Vec<_>>>()?;
            Ok(chosen(subjects, &trials, pick))
        });
        Ok(picked.into_iter().collect::<io::Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    /// What formulas of a net cost when all are tried together.
    fn trial(&self, subjects: &[Subject<'_>], way: &Way) -> io::Result<Vec<Cost>> {
        let name = format!("trial of {}", way.name);
        let keys: Vec<String> = subjects.iter().map(|subject| subject.key(&name, TRIAL)).collect();
        let known = |key: &String| self.journal().get(key).cloned();
        if let Some(costs) = keys.iter().map(known).collect() {
            return Ok(costs);
        }
        let Some(first) = subjects.first() else { return Ok(Vec::new()) };
        let queries = subjects.iter().map(|subject| subject.query.clone()).collect();
        let problem = Problem { model: first.problem().model, queries };
        let run = runs::run(&problem, &way.options, &budget(TRIAL));
        eprintln!("{} is tried", first.net.name);
        let costs = run.answers.iter().map(|answer| Cost::new(answer, answer.cost.elapsed.as_secs_f64()));
        let costs: Vec<Cost> = costs.collect();
        for (key, cost) in keys.into_iter().zip(&costs) {
            self.journal().record(key, cost.clone())?;
        }
        Ok(costs)
    }

    /// What each formula costs in each way.
    pub fn measure(&self, subjects: &[Subject<'_>], ways: &[Way]) -> io::Result<Vec<Vec<Cost>>> {
        let cost = |task: usize| self.cost(&subjects[task / ways.len()], &ways[task % ways.len()]);
        let tasks = subjects.len() * ways.len();
        let costs: Vec<io::Result<Cost>> = if ways.iter().all(|way| way.threads == Threads::One) {
            self.in_parallel(tasks, cost)
        } else {
            (0..tasks).map(cost).collect()
        };
        let costs = costs.into_iter().collect::<io::Result<Vec<Cost>>>()?;
        Ok(costs.chunks(ways.len()).map(<[Cost]>::to_vec).collect())
    }

    fn cost(&self, subject: &Subject<'_>, way: &Way) -> io::Result<Cost> {
        let key = subject.key(&way.name, self.timeout);
        if let Some(cost) = self.journal().get(&key) {
            return Ok(cost.clone());
        }
        let run = runs::run(&subject.problem(), &way.options, &budget(self.timeout));
        let cost = Cost::new(&run.answers[0], run.elapsed);
        let (net, formula, end) = (&subject.net.name, subject.formula(), cost.end.word());
        eprintln!("{net} {formula}, {}: {end}, {:.3} s", way.name, cost.seconds);
        self.journal().record(key, cost.clone())?;
        Ok(cost)
    }

    /// What some work gives for each position, in order, by as many threads as there may be.
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

    /// What there is to say about nets that are missing.
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

/// Those with most states, first those that are answered in some way; what needs no search in any way is left out.
fn chosen<'n>(subjects: Vec<Subject<'n>>, trials: &[Vec<Cost>], pick: Pick) -> Vec<Subject<'n>> {
    let states = |at: usize| trials.iter().map(|costs| costs[at].states).max().unwrap_or(0);
    let is_answered = |at: usize| trials.iter().any(|costs| costs[at].is_answered());
    let mut searched: Vec<usize> = (0..subjects.len()).filter(|&at| states(at) > 0).collect();
    searched.sort_by_key(|&at| Reverse(states(at)));
    let (answered, open): (Vec<usize>, Vec<usize>) = searched.into_iter().partition(|&at| is_answered(at));
    let picked = answered.into_iter().take(pick.answered).chain(open.into_iter().take(pick.open));
    picked.map(|at| subjects[at].clone()).collect()
}
