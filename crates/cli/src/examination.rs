//! The examinations of the Model Checking Contest, and the properties of each.

use std::path::{Path, PathBuf};

use fireset::{
    Property,
    io::{net_file::NetFile, property_file::PropertyList},
    net::{Formula, Global, Logic},
};

use crate::load;

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

    /// Adds the properties of the examination for the net of a directory to a list.
    pub fn add_properties(self, list: &mut PropertyList, directory: &Path, net: &NetFile) {
        let mut add = |formula| {
            list.properties.push(Property { name: self.name.into(), formula, logic: Logic::Ctl }.into());
        };
        match (self.source, self.file(directory)) {
            (PropertySource::Deadlock, _) => add(Formula::Deadlock.possible()),
            (PropertySource::Global(global), _) => add(Formula::Global(global)),
            (PropertySource::File, file) => {
                load::add_file(list, &file.expect("the source is a file"), net);
            }
        }
    }
}
