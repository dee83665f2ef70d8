//! The examinations of the Model Checking Contest, and the properties of each.

use std::path::{Path, PathBuf};

use fireset::{
    Model, Property,
    io::{InputError, properties},
    net::{Formula, Global, Logic},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Examination {
    pub name: &'static str,
    source: PropertySource,
}

/// Where the properties of an examination come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PropertySource {
    /// `<Examination>.xml`.
    File,
    Deadlock,
    Global(Global),
}

pub const ALL: [Examination; 13] = [
    Examination { name: "StateSpace", source: PropertySource::Global(Global::StateSpace) },
    Examination { name: "OneSafe", source: PropertySource::Global(Global::OneSafe) },
    Examination { name: "StableMarking", source: PropertySource::Global(Global::StableMarking) },
    Examination { name: "QuasiLiveness", source: PropertySource::Global(Global::QuasiLiveness) },
    Examination { name: "Liveness", source: PropertySource::Global(Global::Liveness) },
    Examination { name: "ReachabilityDeadlock", source: PropertySource::Deadlock },
    Examination { name: "UpperBounds", source: PropertySource::File },
    Examination { name: "ReachabilityCardinality", source: PropertySource::File },
    Examination { name: "ReachabilityFireability", source: PropertySource::File },
    Examination { name: "CTLCardinality", source: PropertySource::File },
    Examination { name: "CTLFireability", source: PropertySource::File },
    Examination { name: "LTLCardinality", source: PropertySource::File },
    Examination { name: "LTLFireability", source: PropertySource::File },
];

impl Examination {
    pub fn find(name: &str) -> Option<Self> {
        ALL.into_iter().find(|examination| examination.name == name)
    }

    /// The property file in a directory; `None` if the examination needs none.
    pub fn file(self, directory: &Path) -> Option<PathBuf> {
        (self.source == PropertySource::File).then(|| directory.join(format!("{}.xml", self.name)))
    }

    /// The properties of the examination for the net of a directory.
    pub fn properties(self, directory: &Path, model: &Model) -> Result<Vec<Property>, InputError> {
        let one = |formula| Ok(vec![Property { name: self.name.into(), formula, logic: Logic::Ctl }]);
        match (self.source, self.file(directory)) {
            (PropertySource::Deadlock, _) => one(Formula::Deadlock.possible()),
            (PropertySource::Global(global), _) => one(Formula::Global(global)),
            (PropertySource::File, file) => {
                properties::read_file(&file.expect("the source is a file"), model)
            }
        }
    }
}
