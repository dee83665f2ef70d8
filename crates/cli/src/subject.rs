//! A model with what is asked of it, read and bound; and what is answered.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use fireset::{Model, Outcome, Problem, Property, StopReason, Timeline};

use crate::{
    args::Asked,
    examination::{self, Examination},
    failure::Failure,
    load,
    resume::Known,
    tally::Tally,
};

/// What is asked of each model of a call.
#[derive(Debug, Default)]
pub struct Request {
    /// Queries and property files.
    pub asked: Asked,
    /// And examinations of the contest.
    pub examinations: Vec<Examination>,
    /// What an earlier run answered.
    pub known: Known,
}

/// A model with the properties that are asked.
#[derive(Debug)]
pub struct Subject {
    /// The model as the command line names it.
    pub path: String,
    /// The net.
    pub model: Arc<Model>,
    /// What is asked of it.
    pub properties: Vec<Property>,
    /// What an earlier run answered, and is not asked again.
    pub before: Tally,
}

/// The answer to a property.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The verdict, with what supports it.
    pub outcome: Outcome,
    /// What was done for it.
    pub timeline: Timeline,
}

impl Answer {
    /// None, of which nobody knows more.
    pub fn unknown(reason: StopReason) -> Self {
        Self { outcome: Outcome::unknown(reason), timeline: Timeline::default() }
    }
}

impl Subject {
    /// Reads a net and what is asked of it. A directory is one of the contest: the net is `model.pnml`, and where nothing is
    /// asked, all of its property files are.
    pub fn read(path: &Path, request: &Request) -> Result<Self, Failure> {
        let model = if path.is_dir() { load::model(&model_in(path)?) } else { load::model(path) }?;
        let mut properties = load::asked(&request.asked, &model)?;
        let examinations = match &request.examinations[..] {
            [] if properties.is_empty() => examinations_in(path),
            named => named.to_vec(),
        };
        for examination in examinations {
            if !path.is_dir() && examination.file(path).is_some() {
                let name = examination.name;
                return Err(Failure::Usage(
                    format!("{} is a file, and the properties of {name} are in a directory", path.display()),
                    format!("give the directory with model.pnml and {name}.xml, or --properties FILE"),
                ));
            }
            if let Some(file) = examination.file(path).filter(|file| !file.is_file()) {
                let there: Vec<_> = examinations_in(path).iter().map(|there| there.name).collect();
                let there = if there.is_empty() { "none".to_owned() } else { there.join(", ") };
                return Err(Failure::Usage(
                    format!("the directory has no {}", file.display()),
                    format!("of those that have a file, it has {there}"),
                ));
            }
            properties.extend(examination.properties(path, model.nodes())?);
        }
        if properties.is_empty() && !request.asked.properties.is_empty() {
            return Err(Failure::Usage(
                "the files of --properties ask nothing".into(),
                "`<property-set>` holds a `<property>` for each question".into(),
            ));
        }
        if properties.is_empty() {
            return Err(Failure::Usage(
                "there is nothing to check".into(),
                "give a property, such as -q 'EF deadlock', or a file with --properties; \
                 --help-queries explains the language"
                    .into(),
            ));
        }
        let path = path.display().to_string();
        let (properties, before) = request.known.without(&path, &model, properties);
        Ok(Self { path, model: Arc::new(model), properties, before })
    }

    /// The same for the library.
    pub fn problem(&self) -> Problem {
        let query = |p: &Property| p.query().expect("properties are classified when read");
        Problem { model: self.model.clone(), queries: self.properties.iter().map(query).collect() }
    }
}

/// The file of a model: itself, or where a directory of the contest has its net.
pub fn model_file(path: &Path) -> PathBuf {
    if path.is_dir() { path.join("model.pnml") } else { path.to_owned() }
}

/// The same, if it is there.
fn model_in(directory: &Path) -> Result<PathBuf, Failure> {
    let file = model_file(directory);
    if file.exists() {
        return Ok(file);
    }
    Err(Failure::Usage(
        format!("the directory {} has no model.pnml", directory.display()),
        "a directory is read as one of the contest, with model.pnml and <Examination>.xml; give other files by name"
            .into(),
    ))
}

/// The examinations whose property files are in a directory.
fn examinations_in(directory: &Path) -> Vec<Examination> {
    let is_there = |e: &Examination| e.file(directory).is_some_and(|file| file.is_file());
    examination::ALL.into_iter().filter(is_there).collect()
}
