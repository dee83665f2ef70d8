//! Lists of places with counts, as text formats write markings and arcs.

use std::collections::HashMap;

use crate::{Fault, scanner::Word};

/// A name that stands in a list with a count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CountedName<'t> {
    pub(crate) name: Word<'t>,
    pub(crate) count: u64,
}

/// The tokens of each name; counts of a name that is listed several times add up.
pub(crate) fn sums<'t>(entries: &[CountedName<'t>]) -> Result<HashMap<&'t str, u64>, Fault> {
    let mut sums = HashMap::new();
    for entry in entries {
        let sum: &mut u64 = sums.entry(entry.name.text).or_default();
        *sum = sum.checked_add(entry.count).ok_or_else(|| {
            let message = format!("the tokens on `{}` do not fit into 64 bits", entry.name.text);
            Fault::at(entry.name.offset, message)
        })?;
    }
    Ok(sums)
}
