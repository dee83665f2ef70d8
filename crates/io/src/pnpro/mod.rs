//! Projects of the GreatSPN editor (`.PNPRO`): generalised stochastic Petri nets and stochastic well-formed nets.
//!
//! Source: the files that GreatSPN's editor (version 100 and later) writes and its manual's grammar of colour expressions.
//!
//! ```text
//! project      = <project> (<gspn name> nodes edges </gspn> | other models)* </project>
//! nodes        = <place name marking? domain?/> | <transition name type guard? priority?/> | <constant name value/>
//!              | <template name/> | <color-class name definition/> | <color-var name domain/> | <text-box/>
//! edges        = <arc kind="INPUT|OUTPUT|INHIBITOR" tail head mult?/>
//! count        = count ("+" | "-") factor | factor;  factor = factor "*" unit | unit;  unit = number | name | "(" count ")"
//! tokens       = ["-"] summand (("+" | "-") summand)*;  summand = [count] "<" colour ("," colour)* ">" | name of a constant
//! colour       = variable ["++" | "--"] | constant | "All" [class]
//! class        = ["circular"] part ("+" part)* | class "*" class;  part = name "{" count ".." count "}" ["is" name]
//!              | "{" name ("," name)* "}" ["is" name]
//! guard        = comparisons and memberships ("x != y", "x in Part", "x !in Part") with "&&", "||", "!" and parentheses
//! ```
//!
//! Rates, weights of immediate transitions, numbers of servers and measures do not change which markings can be reached: they
//! are passed over, with a note. Refused by name: immediate transitions beside timed ones, and different priorities, since an
//! immediate transition fires first; general firing times; parameters without a value; counts that depend on the marking;
//! continuous places; functions in guards. Of several nets one must be chosen; other models of a project are passed over.

mod bind;
mod classes;
mod coloured;
mod count;
mod draft;
mod guard;
mod project;

use std::io::BufRead;

use crate::{
    Fault,
    net_file::{Head, NetChoice, NetFile},
    xml::XmlCursor,
};

/// Whether a file is a project of GreatSPN; other tools have projects too.
pub(crate) fn recognises(head: &Head<'_>) -> bool {
    head.root == Some("project") && (head.text.contains("<gspn") || head.text.contains("GreatSPN"))
}

/// Reads a net of a project.
pub fn read_net(reader: impl BufRead, choice: NetChoice<'_>) -> Result<NetFile, Fault> {
    let mut cursor = XmlCursor::new(reader)?;
    let (draft, others) = project::project(&mut cursor, choice)?;
    let mut file = bind::bind(&draft)?;
    if !others.is_empty() {
        file.notes.push(format!("other models of the project are passed over: {}", others.join(", ")));
    }
    Ok(file)
}
