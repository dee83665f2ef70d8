//! A job: a model with the properties to check, names bound; and the answers.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use fireset::{Model, Outcome, Problem, Property, StopReason, Timeline};

use crate::{
    args::{NetArgs, PropertyArgs},
    counts::AnswerCounts,
    examination::{self, Examination},
    failure::Failure,
    load,
    resume::EarlierAnswers,
};

/// Which properties of each model are checked.
#[derive(Debug, Default)]
pub struct PropertySelection {
    pub net: NetArgs,
    pub named: PropertyArgs,
    pub examinations: Vec<Examination>,
    /// Properties with an answer here are left out.
    pub earlier: EarlierAnswers,
}

#[derive(Debug)]
pub struct Job {
    /// The model as the command line names it.
    pub path: String,
    pub model: Arc<Model>,
    pub properties: Vec<Property>,
    /// Answers of an earlier run, for properties that are not checked again.
    pub earlier: AnswerCounts,
}

#[derive(Clone, Debug)]
pub struct PropertyAnswer {
    pub outcome: Outcome,
    /// The passes and stages that led to the outcome.
    pub timeline: Timeline,
}

impl PropertyAnswer {
    /// No verdict, for this reason.
    pub fn unknown(reason: StopReason) -> Self {
        Self { outcome: Outcome::unknown(reason), timeline: Timeline::default() }
    }
}

impl Job {
    /// Reads a net and its properties. A directory follows the contest's layout: the net is `model.pnml`, and without a selection
    /// all property files of the directory are read.
    pub fn read(path: &Path, selection: &PropertySelection) -> Result<Self, Failure> {
        let model = load::model(path, &selection.net)?;
        let mut properties = load::properties(&selection.named, &model)?;
        let examinations = match &selection.examinations[..] {
            [] if properties.is_empty() => examinations_in(path),
            named => named.to_vec(),
        };
        for examination in examinations {
            if !path.is_dir() && examination.file(path).is_some() {
                let name = examination.name;
                return Err(Failure::Usage(
                    format!(
                        "{} is a file; the properties of {name} are read from a directory",
                        path.display()
                    ),
                    format!("give the directory with model.pnml and {name}.xml, or --properties FILE"),
                ));
            }
            if let Some(file) = examination.file(path).filter(|file| !file.is_file()) {
                let there: Vec<_> =
                    examinations_in(path).iter().map(|examination| examination.name).collect();
                let there = if there.is_empty() { "none".to_owned() } else { there.join(", ") };
                return Err(Failure::Usage(
                    format!("the directory has no {}", file.display()),
                    format!("examinations with a property file in this directory: {there}"),
                ));
            }
            properties.extend(examination.properties(path, &model)?);
        }
        if properties.is_empty() && !selection.named.properties.is_empty() {
            return Err(Failure::Usage(
                "the files of --properties contain no property".into(),
                "`<property-set>` must contain at least one `<property>`".into(),
            ));
        }
        if properties.is_empty() {
            return Err(Failure::Usage(
                "no property to check".into(),
                "give a property, such as -q 'EF deadlock', or a file with --properties; \
                 --help-queries explains the language"
                    .into(),
            ));
        }
        let path = path.display().to_string();
        let (properties, earlier) = selection.earlier.split(&path, &model, properties);
        Ok(Self { path, model: Arc::new(model), properties, earlier })
    }

    /// The job in the library's terms.
    pub fn problem(&self) -> Problem {
        let query = |p: &Property| p.query().expect("properties are classified when read");
        Problem { model: self.model.clone(), queries: self.properties.iter().map(query).collect() }
    }
}

/// The file of a model: the path itself, or `model.pnml` of a directory.
pub fn model_file(path: &Path) -> PathBuf {
    if path.is_dir() { path.join("model.pnml") } else { path.to_owned() }
}

/// The examinations whose property files are in a directory.
fn examinations_in(directory: &Path) -> Vec<Examination> {
    let is_there = |e: &Examination| e.file(directory).is_some_and(|file| file.is_file());
    examination::ALL.into_iter().filter(is_there).collect()
}
