//! Property files of the Model Checking Contest: XML in the namespace `http://mcc.lip6.fr/`, read with [`read_file`] or [`read`]
//! and written with [`write()`].
//!
//! Elements are identified by their local names, so any namespace prefix is accepted. Entities other than XML's own five are
//! refused, and a document type is ignored.
//!
//! The contest's language cannot name colours. Two attributes, which other tools ignore or refuse, extend it: `colour` of a `place`
//! that is counted and `binding` of a `transition` that is fireable, with what the [query language](crate::query) has in
//! brackets: `<place colour="a,*">p</place>` is `p[a,*]`, and `<transition binding="x=a">t</transition>` is `t[x=a]`. They are
//! written only where a property names colours.

mod build;
mod operands;
mod read;
#[cfg(test)]
mod tests;
mod write;

use std::{io::BufRead, path::Path};

use fireset_net::{Logic, Property};

pub use write::{WriteError, write};

use crate::{Fault, InputError, Source, net_file::Head, property_file::PropertyList, query::QueryNames};

/// Reads a property file.
///
/// For formulas in both CTL and LTL, the name of the file decides (`LTLCardinality.xml`), else the id of the property
/// (`Net-LTLCardinality-03`), else CTL.
pub fn read_file<'n>(path: &Path, names: impl Into<QueryNames<'n>>) -> Result<Vec<Property>, InputError> {
    let source = Source::open(path)?;
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    read_named(source.input()?, stem, names.into())
        .and_then(PropertyList::all)
        .map_err(|fault| source.locate(fault))
}

/// Reads properties. For formulas in both CTL and LTL, the id of the property decides, else `default`.
pub fn read<'n>(
    reader: impl BufRead,
    names: impl Into<QueryNames<'n>>,
    default: Logic,
) -> Result<Vec<Property>, Fault> {
    read::document(reader, names.into(), |id| logic_of(id).unwrap_or(default)).and_then(PropertyList::all)
}

/// Whether a file has properties of the contest.
pub(crate) fn recognises(head: &Head<'_>) -> bool {
    head.root == Some("property-set")
}

/// Reads the properties of a file whose name without its ending is `stem`. A property that is not understood does not end
/// the reading; a file that is not XML does.
pub(crate) fn read_named(
    reader: impl BufRead,
    stem: &str,
    names: QueryNames<'_>,
) -> Result<PropertyList<Fault>, Fault> {
    let of_file = match stem {
        _ if stem.starts_with("LTL") => Some(Logic::Ltl),
        _ if stem.starts_with("CTL") => Some(Logic::Ctl),
        _ => None,
    };
    read::document(reader, names, |id| of_file.or_else(|| logic_of(id)).unwrap_or_default())
}

/// The logic in an id such as `Net-LTLCardinality-03`; the last one counts, since the net's name may contain another.
fn logic_of(id: &str) -> Option<Logic> {
    match (id.rfind("-LTL"), id.rfind("-CTL")) {
        (None, None) => None,
        (ltl, ctl) if ltl > ctl => Some(Logic::Ltl),
        _ => Some(Logic::Ctl),
    }
}
