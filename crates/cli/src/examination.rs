//! The examinations of the Model Checking Contest, and what each of them asks.

use std::path::{Path, PathBuf};

use fireset::{
    Property,
    io::{InputError, properties},
    net::{Formula, Global, Logic, Nodes},
};

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Examination {
    /// The contest's name for it.
    pub name: &'static str,
    asks: Asks,
}

/// What it asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asks {
    /// The properties of `<Examination>.xml`.
    File,
    /// Whether a deadlock can be reached.
    Deadlock,
    /// A property of the whole net.
    Whole(Global),
}

/// All of them.
pub const ALL: [Examination; 13] = [
    Examination { name: "StateSpace", asks: Asks::Whole(Global::StateSpace) },
    Examination { name: "OneSafe", asks: Asks::Whole(Global::OneSafe) },
    Examination { name: "StableMarking", asks: Asks::Whole(Global::StableMarking) },
    Examination { name: "QuasiLiveness", asks: Asks::Whole(Global::QuasiLiveness) },
    Examination { name: "Liveness", asks: Asks::Whole(Global::Liveness) },
    Examination { name: "ReachabilityDeadlock", asks: Asks::Deadlock },
    Examination { name: "UpperBounds", asks: Asks::File },
    Examination { name: "ReachabilityCardinality", asks: Asks::File },
    Examination { name: "ReachabilityFireability", asks: Asks::File },
    Examination { name: "CTLCardinality", asks: Asks::File },
    Examination { name: "CTLFireability", asks: Asks::File },
    Examination { name: "LTLCardinality", asks: Asks::File },
    Examination { name: "LTLFireability", asks: Asks::File },
];

impl Examination {
    /// The one of that name.
    pub fn find(name: &str) -> Option<Self> {
        ALL.into_iter().find(|examination| examination.name == name)
    }

    /// The file in a directory of the contest that has its properties, if they are in one.
    pub fn file(self, directory: &Path) -> Option<PathBuf> {
        (self.asks == Asks::File).then(|| directory.join(format!("{}.xml", self.name)))
    }

    /// What it asks of a net with these nodes in a directory of the contest.
    pub fn properties(self, directory: &Path, nodes: &Nodes) -> Result<Vec<Property>, InputError> {
        let one = |formula| Ok(vec![Property { name: self.name.into(), formula, logic: Logic::Ctl }]);
        match (self.asks, self.file(directory)) {
            (Asks::Deadlock, _) => one(Formula::Deadlock.possible()),
            (Asks::Whole(global), _) => one(Formula::Global(global)),
            (Asks::File, file) => properties::read_file(&file.expect("it has a file"), nodes),
        }
    }
}
