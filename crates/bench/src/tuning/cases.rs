//! The problems on which shares are measured: questions of one kind to contest instances or to generated nets.

use std::{
    collections::BTreeMap,
    error::Error,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use fireset::{
    Problem, Query,
    net::{Global, families::FamilyKind},
};

use super::settings::RunSetting;
use crate::{nets, report::cases::BenchNet};

/// Generated nets for a run without instances.
const GENERATED: [&str; 12] = [
    "fms-10",
    "kanban-10",
    "peterson-5",
    "philosophers-20",
    "pipeline-8-4",
    "readers-writers-20",
    "round-robin-14",
    "shared-memory-12",
    "slotted-ring-10",
    "swimming-pool-5",
    "token-ring-16",
    "database-6-4",
];
const GENERATED_COLOURED: [&str; 5] = [
    "database-coloured-6-4",
    "peterson-coloured-4",
    "philosophers-coloured-20",
    "shared-memory-coloured-10",
    "token-ring-coloured-16",
];

/// What a problem asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum QuestionKind {
    Reachability,
    /// The four properties of the whole net that can be decomposed.
    Global,
    Ltl,
    Ctl,
    /// Temporal and reachability questions to coloured nets.
    Coloured,
}

impl QuestionKind {
    /// A word for the table.
    pub fn word(self) -> &'static str {
        match self {
            Self::Reachability => "reachability",
            Self::Global => "global",
            Self::Ltl => "LTL",
            Self::Ctl => "CTL",
            Self::Coloured => "coloured",
        }
    }

    /// Nets take turns with these examinations, so that the first problems are about many nets.
    fn examinations(self) -> &'static [&'static str] {
        match self {
            Self::Reachability => &["ReachabilityCardinality", "ReachabilityFireability"],
            Self::Global => &["global"],
            Self::Ltl => &["LTLCardinality", "LTLFireability"],
            Self::Ctl => &["CTLCardinality", "CTLFireability"],
            Self::Coloured => &["ReachabilityCardinality", "CTLFireability", "LTLCardinality"],
        }
    }

    fn nets(self) -> FamilyKind {
        if self == Self::Coloured { FamilyKind::Coloured } else { FamilyKind::Plain }
    }

    fn queries(self, net: &BenchNet, at: usize) -> Result<Vec<Query>, Box<dyn Error>> {
        let examinations = self.examinations();
        match self {
            Self::Global => {
                let all = [Global::OneSafe, Global::StableMarking, Global::QuasiLiveness, Global::Liveness];
                Ok(all.map(Query::Global).to_vec())
            }
            _ => net.queries(examinations[at % examinations.len()]),
        }
    }
}

/// All nets at hand, those of medium size first: small ones take no time, and the largest leave most questions open.
pub struct TuningNets(Vec<BenchNet>);

impl TuningNets {
    /// The instances of a directory, or generated nets.
    pub fn read(instances: Option<&Path>) -> Result<Self, Box<dyn Error>> {
        let Some(directory) = instances else {
            let names = GENERATED.iter().chain(&GENERATED_COLOURED);
            let nets = names.map(|name| BenchNet::find(name, None)).collect::<Result<Vec<_>, _>>()?;
            return Ok(Self(nets.into_iter().flatten().collect()));
        };
        let entries = fs::read_dir(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
        let mut paths =
            entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>, Box<dyn Error>>>()?;
        paths.retain(|path| path.is_dir());
        // The size of the file stands for the size of the net; names break ties.
        let size = |path: &PathBuf| fs::metadata(path.join("model.pnml")).map_or(0, |file| file.len());
        paths.sort_by_key(|path| (size(path), nets::name(path)));
        let find = |path: PathBuf| BenchNet::find(&nets::name(&path), Some(directory));
        let nets = middle_first(paths).into_iter().map(find).collect::<Result<Vec<_>, _>>()?;
        Ok(Self(nets.into_iter().flatten().collect()))
    }
}

/// The problems for which time matters, by kind and by whether the setting is patient.
pub struct SelectedProblems {
    pub nets: TuningNets,
    pub timeout: Duration,
    /// The most problems of a kind.
    pub most: usize,
    pub known: BTreeMap<(QuestionKind, bool), Vec<Problem>>,
}

impl SelectedProblems {
    /// The problems of a kind in a setting; trials choose them once for all settings alike.
    pub fn of(&mut self, kind: QuestionKind, setting: RunSetting) -> Result<Vec<Problem>, Box<dyn Error>> {
        let key = (kind, setting.is_patient());
        if !self.known.contains_key(&key) {
            let problems = self.select(kind, setting)?;
            self.known.insert(key, problems);
        }
        Ok(self.known[&key].iter().take(setting.most_problems()).cloned().collect())
    }

    /// Tries nets in the same order in every run.
    fn select(&self, kind: QuestionKind, setting: RunSetting) -> Result<Vec<Problem>, Box<dyn Error>> {
        let mut problems = Vec::new();
        let nets: Vec<&BenchNet> = self.nets.0.iter().filter(|net| net.kind() == kind.nets()).collect();
        for at in 0..nets.len() * kind.examinations().len() {
            if problems.len() == self.most {
                break;
            }
            let (round, at) = (at / nets.len(), at % nets.len());
            let (net, queries) = (nets[at], kind.queries(nets[at], at + round)?);
            let problem = Problem { model: Arc::clone(&net.model), queries };
            if setting.is_about(&problem, self.timeout) {
                eprintln!("{}: {} questions to {}", kind.word(), problem.queries.len(), net.name);
                problems.push(problem);
            }
        }
        Ok(problems)
    }
}

/// The same values by their distance from the middle.
fn middle_first<T>(sorted: Vec<T>) -> Vec<T> {
    let middle = sorted.len() / 2;
    let mut numbered: Vec<(usize, T)> = sorted.into_iter().enumerate().collect();
    numbered.sort_by_key(|(at, _)| at.abs_diff(middle));
    numbered.into_iter().map(|(_, value)| value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_comes_first() {
        assert_eq!(middle_first(vec![1, 2, 3, 4, 5]), [3, 2, 4, 1, 5]);
    }

    #[test]
    fn generated_nets_exist_for_every_kind() {
        let nets = TuningNets::read(None).unwrap();
        assert_eq!(nets.0.len(), GENERATED.len() + GENERATED_COLOURED.len());
        for kind in [QuestionKind::Reachability, QuestionKind::Global, QuestionKind::Coloured] {
            let net = nets.0.iter().find(|net| net.kind() == kind.nets()).unwrap();
            assert!(!kind.queries(net, 0).unwrap().is_empty());
        }
    }
}
