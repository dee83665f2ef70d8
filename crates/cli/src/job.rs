//! A job: a model with the properties to check, names bound; and the answers.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use fireset::{
    Culprits, Model, Outcome, Problem, Property, StopReason, Timeline,
    io::{
        InputError,
        net_file::NetFile,
        property_file::{Expectation, PropertyList, RefusedProperty},
    },
};

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
    /// What the model's file says and the net does not.
    pub notes: Vec<String>,
    pub properties: Vec<Property>,
    /// The verdict that is expected of each property, in their order.
    pub expected: Vec<Option<Expectation>>,
    /// Properties that are not understood.
    pub refused: Vec<RefusedProperty>,
    /// Answers of an earlier run, for properties that are not checked again.
    pub earlier: AnswerCounts,
}

#[derive(Clone, Debug)]
pub struct PropertyAnswer {
    pub outcome: Outcome,
    /// The passes and stages that led to the outcome.
    pub timeline: Timeline,
    /// The nodes for which the property fails.
    pub culprits: Option<Culprits>,
    /// The verdict that the property's file expects.
    pub expected: Option<Expectation>,
}

impl PropertyAnswer {
    /// No verdict, for this reason.
    pub fn unknown(reason: StopReason) -> Self {
        let (outcome, timeline) = (Outcome::unknown(reason), Timeline::default());
        Self { outcome, timeline, culprits: None, expected: None }
    }

    /// Whether the verdict is the expected one; `None` if none is expected, or the verdict is unknown.
    pub fn is_as_expected(&self) -> Option<bool> {
        self.expected.as_ref().and_then(|expected| expected.is_met_by(&self.outcome.verdict))
    }
}

impl Job {
    /// Reads a net and its properties. A directory follows the contest's layout: the net is `model.pnml`, and without a selection
    /// all property files of the directory are read. A file that asks properties of its own net is asked these without a
    /// selection.
    pub fn read(path: &Path, selection: &PropertySelection) -> Result<Self, Failure> {
        Self::of(path, load::net_file(path, &selection.net)?, selection)
    }

    /// The job of a net that is read.
    fn of(path: &Path, net: NetFile, selection: &PropertySelection) -> Result<Self, Failure> {
        let mut list = load::properties(&selection.named, &net);
        let examinations = match &selection.examinations[..] {
            [] if selection.named.is_empty() => examinations_in(path),
            named => named.to_vec(),
        };
        let is_without_selection = selection.named.is_empty() && examinations.is_empty();
        for examination in examinations {
            require_file(examination, path)?;
            examination.add_properties(&mut list, path, &net);
        }
        let NetFile { model, properties, notes, .. } = net;
        if is_without_selection {
            list = own_properties(path, properties);
        }
        let list = load::under_fairness(list, &selection.named.fair, &model)?;
        if list.properties.is_empty() && !list.refused.is_empty() {
            return Err(Failure::Properties(list.refused.into_iter().map(|refused| refused.error).collect()));
        }
        if list.is_empty() {
            return Err(without_properties(&selection.named));
        }
        let path = path.display().to_string();
        let (asked, earlier) = selection.earlier.split(&path, &model, list.properties);
        let (properties, expected) = asked.into_iter().map(|asked| (asked.property, asked.expected)).unzip();
        let (model, refused) = (Arc::new(model), list.refused);
        Ok(Self { path, model, notes, properties, expected, refused, earlier })
    }

    /// The job in the library's terms.
    pub fn problem(&self) -> Problem {
        let query = |p: &Property| p.query().expect("properties are classified when read");
        Problem { model: self.model.clone(), queries: self.properties.iter().map(query).collect() }
    }
}

/// The properties that the file of a net asks.
fn own_properties(path: &Path, properties: Vec<Property>) -> PropertyList {
    let (supported, others): (Vec<_>, Vec<_>) =
        properties.into_iter().partition(|property| property.query().is_ok());
    let mut list = PropertyList::from(supported);
    for property in others {
        let why = property.query().err().map_or(String::new(), |unsupported| unsupported.to_string());
        let error = InputError::whole(path.display().to_string(), why);
        let error = InputError { element: Some(format!("property {}", property.name)), ..error };
        list.refused.push(RefusedProperty { name: property.name, error });
    }
    list
}

/// Refuses an examination whose property file is not there.
fn require_file(examination: Examination, path: &Path) -> Result<(), Failure> {
    let Some(file) = examination.file(path) else { return Ok(()) };
    let name = examination.name;
    if !path.is_dir() {
        return Err(Failure::Usage(
            format!("{} is a file; the properties of {name} are read from a directory", path.display()),
            format!("give the directory with model.pnml and {name}.xml, or --properties FILE"),
        ));
    }
    if !file.is_file() {
        let there: Vec<_> = examinations_in(path).iter().map(|examination| examination.name).collect();
        let there = if there.is_empty() { "none".to_owned() } else { there.join(", ") };
        return Err(Failure::Usage(
            format!("the directory has no {}", file.display()),
            format!("examinations with a property file in this directory: {there}"),
        ));
    }
    Ok(())
}

/// The failure of a job without any property.
fn without_properties(named: &PropertyArgs) -> Failure {
    if named.properties.is_empty() {
        let hint = "give a property, such as -q 'EF deadlock', or a file with --properties; \
                    --help-queries explains the language";
        return Failure::Usage("no property to check".into(), hint.into());
    }
    Failure::Usage(
        "the files of --properties contain no property".into(),
        "a property is written `property NAME: QUERY`, in contest XML `<property>` inside of `<property-set>`"
            .into(),
    )
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

#[cfg(test)]
mod tests {
    use fireset::net::{Formula, Global, Logic};
    use fireset_oracle::tiny;

    use super::*;

    fn asked(selection: &PropertySelection, properties: Vec<Property>) -> Result<Job, Failure> {
        let model = Model::Plain(tiny::net("p:1; t: p -> "));
        let net = NetFile { properties, ..NetFile::of(model) };
        Job::of(Path::new("net.spec"), net, selection)
    }

    fn property(name: &str, formula: Formula) -> Property {
        Property { name: name.into(), formula, logic: Logic::Ctl }
    }

    #[test]
    fn a_net_is_asked_its_own_properties_without_a_selection() {
        let own = || vec![property("target", Formula::Deadlock.possible())];
        let job = asked(&PropertySelection::default(), own()).unwrap();
        assert_eq!(job.properties, own());
        let named = PropertyArgs { queries: vec!["AG p = 1".into()], ..PropertyArgs::default() };
        let job = asked(&PropertySelection { named, ..PropertySelection::default() }, own()).unwrap();
        assert_eq!(job.properties[0].name, "query 1");
        assert_eq!(job.properties.len(), 1);
        let examinations = vec![Examination::find("OneSafe").unwrap()];
        let selection = PropertySelection { examinations, ..PropertySelection::default() };
        assert_eq!(asked(&selection, own()).unwrap().properties[0].name, "OneSafe");
        let failure = asked(&PropertySelection::default(), Vec::new()).unwrap_err();
        assert!(failure.to_string().contains("no property to check"));
    }

    #[test]
    fn an_own_property_that_no_engine_decides_is_refused() {
        let nested = Formula::Not(Box::new(Formula::Global(Global::OneSafe)));
        let own = vec![property("a", nested.clone()), property("b", Formula::Deadlock)];
        let job = asked(&PropertySelection::default(), own).unwrap();
        assert_eq!((job.properties[0].name.as_str(), job.refused[0].name.as_str()), ("b", "a"));
        let failure = asked(&PropertySelection::default(), vec![property("a", nested)]).unwrap_err();
        assert!(failure.to_string().contains("can only stand alone (in property a)"), "{failure}");
    }
}
