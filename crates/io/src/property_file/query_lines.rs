//! Bare queries, one on each line, with `#` comments: each property is named after its line.

use super::{PropertyList, RefusedProperty, statements::without_comments};
use crate::{
    Fault,
    net_file::Head,
    query::{QueryNames, QueryReader, names::Binder},
};

/// Any text that is not of another kind.
pub(super) fn recognises(head: &Head<'_>) -> bool {
    !head.text.contains('\0') && !head.text.trim_start().starts_with(['<', '{'])
}

/// Of more lines than this, at least one must be a query.
const MOST_WRONG: usize = 3;

/// Reads the queries. If none of several lines is understood, the file is not one of queries, and the fault of its first line
/// is that of the whole file.
pub(super) fn read(text: &str, names: QueryNames<'_>) -> Result<PropertyList<Fault>, Fault> {
    let masked = without_comments(text).text;
    let mut reader = QueryReader::new(Binder::new(names));
    let (mut list, mut start) = (PropertyList::default(), 0);
    for (at, line) in masked.split_inclusive('\n').enumerate() {
        let (name, text) = (format!("line {}", at + 1), line.trim_end());
        if !text.is_empty() {
            match reader.property(&name, text) {
                Ok((property, notes)) => {
                    list.properties.push(property.into());
                    list.notes.extend(notes);
                }
                Err(fault) => {
                    let error = Fault { offset: fault.offset + start, ..fault };
                    list.refused.push(RefusedProperty { name, error });
                }
            }
        }
        start += line.len() as u64;
    }
    match list.refused.first() {
        Some(first) if list.properties.is_empty() && list.refused.len() > MOST_WRONG => {
            let hint = "each line of this file is read as a query; a property with a name is written `property NAME: QUERY`";
            Err(first.error.clone().hint(hint))
        }
        _ => Ok(list),
    }
}
