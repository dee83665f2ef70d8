//! Files that hold no net that fireset reads: what they probably are, and what to do.

use super::{Head, format_names};
use crate::Fault;

/// The first bytes of other files: what they are, and a hint.
const BEGINNINGS: [(&[u8], &str, &str); 10] = [
    (b"PK\x03\x04", "a zip archive", "unpack it first"),
    (b"7z\xBC\xAF", "a 7z archive", "unpack it first"),
    (b"BZh", "compressed with bzip2", "unpack it first; .gz is read as it is"),
    (b"\xFD7zXZ", "compressed with xz", "unpack it first; .gz is read as it is"),
    (b"(\xB5/\xFD", "compressed with zstd", "unpack it first; .gz is read as it is"),
    (b"%PDF", "a PDF document", "give the file of the net"),
    (b"\xFF\xFE", "in UTF-16", "convert it to UTF-8, for example with `iconv -f UTF-16 -t UTF-8`"),
    (b"\xFE\xFF", "in UTF-16", "convert it to UTF-8, for example with `iconv -f UTF-16 -t UTF-8`"),
    (
        b"version https://git-lfs",
        "a Git LFS pointer, not the file itself",
        "fetch the file with `git lfs pull`",
    ),
    (b"|0|", "a net of GreatSPN in its old format", "open it with GreatSPN's editor and export it as PNML"),
];

/// Root elements of other XML files: what they are, and a hint.
const ROOTS: [(&str, &str, &str); 9] = [
    ("property-set", "a property file", "give it with --properties, and the net as MODEL"),
    ("html", "a web page", "download the file itself"),
    ("workspaceElements", "a net of CPN Tools", "export it as PNML"),
    ("cpnet", "a net of CPN Tools", "export it as PNML"),
    ("sbml", "a biological model (SBML)", "convert it to PNML, for example with Snoopy"),
    ("Snoopy", "a net of Snoopy", "export it as PNML or APNN"),
    ("nta", "a model of UPPAAL", "timed automata are not supported"),
    ("specificationSet", "a YAWL workflow", "export it as PNML or BPMN"),
    ("epml", "an event-driven process chain (EPML)", "export it as BPMN or PNML"),
];

/// The fault of a file in none of the formats.
pub(super) fn fault(bytes: &[u8], head: &Head<'_>) -> Fault {
    if head.text.trim().is_empty() {
        return Fault::at(0, "the file is empty").hint(formats());
    }
    if let Some(fault) = beginning(bytes) {
        return fault;
    }
    if let Some(root) = head.root {
        let offset = head.text.find(root).unwrap_or(0) as u64;
        return match ROOTS.iter().find(|(name, ..)| name.eq_ignore_ascii_case(root)) {
            Some((_, what, hint)) => Fault::at(offset, format!("the file is {what}")).hint(*hint),
            None => Fault::at(offset, format!("no net has the root element `<{root}>`")).hint(formats()),
        };
    }
    let message = match head.text.trim_start().chars().next() {
        Some('{' | '[') => "the file is JSON",
        _ if head.text.contains('\0') => "the file is not a text",
        _ => "the file is in no format that is known",
    };
    Fault::at(0, message).hint(formats())
}

/// The fault of a file that is known by its first bytes, and no text.
pub(crate) fn beginning(bytes: &[u8]) -> Option<Fault> {
    let known = BEGINNINGS.iter().find(|(start, ..)| bytes.starts_with(start));
    known.map(|(_, what, hint)| Fault::at(0, format!("the file is {what}")).hint(*hint))
}

fn formats() -> String {
    format!("fireset reads nets in {}", format_names())
}
