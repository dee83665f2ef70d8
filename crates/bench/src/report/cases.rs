//! The nets and formulas of a report: contest instances, and generated nets with formulas that are drawn with a fixed seed.

use std::{
    error::Error,
    path::{Path, PathBuf},
    sync::Arc,
};

use fireset::{
    Model, Problem, Query,
    net::{
        Quantifier, StateAtom,
        families::{self, FamilyKind},
    },
};
use fireset_oracle::random::{self, TestRng};

use super::journal;
use crate::runs;

/// How many formulas are drawn for an examination of a generated net.
const DRAWN: usize = 8;
/// How deep their temporal operators nest.
const NESTING: usize = 2;
/// How often a formula is drawn again that does not fit its examination.
const TRIES: usize = 1_000;

/// A net with the source of its formulas.
pub struct BenchNet {
    pub name: String,
    pub model: Arc<Model>,
    /// The directory of its instance; none if it is generated.
    directory: Option<PathBuf>,
}

impl BenchNet {
    /// The instance of that name, or else the generated net; none if there is neither.
    pub fn find(name: &str, instances: Option<&Path>) -> Result<Option<Self>, Box<dyn Error>> {
        let directory = instances.map(|instances| instances.join(name)).filter(|path| path.exists());
        let model = match &directory {
            Some(directory) => fireset::read(directory)?,
            None => match generated(name)? {
                Some(model) => model,
                None => return Ok(None),
            },
        };
        Ok(Some(Self { name: name.to_owned(), model: model.into(), directory }))
    }

    pub fn is_generated(&self) -> bool {
        self.directory.is_none()
    }

    pub fn kind(&self) -> FamilyKind {
        match *self.model {
            Model::Plain(_) => FamilyKind::Plain,
            Model::Coloured(_) => FamilyKind::Coloured,
        }
    }

    /// The formulas of an examination.
    pub fn queries(&self, examination: &str) -> Result<Vec<Query>, Box<dyn Error>> {
        match &self.directory {
            Some(directory) => runs::queries(directory, examination, &self.model),
            None => {
                let letters = self.name.bytes().chain(examination.bytes());
                let seed = letters.fold(0u64, |seed, byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
                let mut random = TestRng::new(seed);
                Ok((0..DRAWN).map(|_| drawn(examination, &self.model, &mut random)).collect())
            }
        }
    }
}

/// The net of a family by its name, such as `philosophers-5` or `token-ring-coloured-20`.
fn generated(name: &str) -> Result<Option<Model>, Box<dyn Error>> {
    let family = families::all().iter().find_map(|family| {
        let rest = name.strip_prefix(family.name)?;
        rest.starts_with('-').then_some((family, rest))
    });
    let Some((family, rest)) = family else { return Ok(None) };
    let (kind, rest) = match rest.strip_prefix("-coloured") {
        Some(rest) => (FamilyKind::Coloured, rest),
        None => (FamilyKind::Plain, rest),
    };
    let parameters = rest.split('-').skip(1).map(str::parse).collect::<Result<Vec<u64>, _>>();
    let parameters = parameters.map_err(|error| format!("{name}: {error}"))?;
    Ok(Some(family.generate(kind, &parameters).map_err(|error| format!("{name}: {error}"))?))
}

/// A formula that fits an examination: its logic, and whether it asks what can fire or how many tokens there are.
fn drawn(examination: &str, model: &Model, random: &mut TestRng) -> Query {
    let nodes = model.nodes();
    let mut draw = || match () {
        () if examination.starts_with("LTL") => {
            Query::Ltl(Quantifier::ForAll, random::nested_path(random, nodes, NESTING))
        }
        () if examination.starts_with("CTL") => Query::Ctl(random::nested_ctl(random, nodes, NESTING)),
        () if random.percent(50) => Query::Reachable(random::predicate(random, nodes, NESTING)),
        () => Query::Invariant(random::predicate(random, nodes, NESTING)),
    };
    let fits = |query: &Query| asks_what_fires(query) == examination.ends_with("Fireability");
    let tried = (0..TRIES).map(|_| draw()).find(fits);
    tried.unwrap_or_else(draw)
}

fn asks_what_fires(query: &Query) -> bool {
    let mut asks = false;
    query.state_atoms(&mut |atom| {
        asks |= matches!(atom, StateAtom::Fireable(_) | StateAtom::BindingFireable(_))
    });
    asks
}

/// A formula of a net.
#[derive(Clone)]
pub struct FormulaCase<'n> {
    pub net: &'n BenchNet,
    pub examination: &'static str,
    /// Its number in its examination.
    pub at: usize,
    pub query: Query,
}

impl FormulaCase<'_> {
    /// The formula's name.
    pub fn formula(&self) -> String {
        format!("{} {:02}", self.examination, self.at)
    }

    /// The formula alone.
    pub fn problem(&self) -> Problem {
        Problem { model: Arc::clone(&self.net.model), queries: vec![self.query.clone()] }
    }

    /// Its name in the journal, when it is measured in some configuration for some time.
    pub fn key(&self, configuration: &str, timeout: u64) -> String {
        journal::key(&[
            &self.net.name,
            self.examination,
            &self.at.to_string(),
            configuration,
            &timeout.to_string(),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_nets_have_names() {
        let find = |name| BenchNet::find(name, None);
        assert_eq!(find("philosophers-3").unwrap().unwrap().kind(), FamilyKind::Plain);
        assert_eq!(find("token-ring-coloured-3").unwrap().unwrap().kind(), FamilyKind::Coloured);
        assert!(find("Philosophers-PT-000005").unwrap().is_none());
        for wrong in ["philosophers-x", "philosophers-1", "philosophers-3-3", "kanban-coloured-3"] {
            let error = find(wrong).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.starts_with(wrong), "{wrong}: {error}");
        }
    }

    #[test]
    fn their_formulas_fit_and_are_always_the_same() {
        for name in ["philosophers-3", "token-ring-coloured-3"] {
            let net = BenchNet::find(name, None).unwrap().unwrap();
            for examination in
                ["LTLCardinality", "LTLFireability", "CTLFireability", "ReachabilityCardinality"]
            {
                let queries = net.queries(examination).unwrap();
                assert_eq!(queries, net.queries(examination).unwrap());
                let fireability = examination.ends_with("Fireability");
                assert!(queries.iter().all(|query| asks_what_fires(query) == fireability), "{queries:?}");
            }
        }
    }
}
