//! The queries in TAPAAL's files, as texts or as formulas of the contest's XML.
//!
//! A query that cannot be read does not stop the net: it is left out, with a note. Queries that are switched off are left out
//! in silence.

use std::io::BufRead;

use fireset_net::{Logic, Nodes, Property};

use crate::{
    Fault, properties,
    tapaal::{read_query, without_component},
    xml::{Tag, XmlCursor},
};

/// A query before names are bound.
#[derive(Debug)]
pub(super) struct DraftQuery {
    name: String,
    content: QueryContent,
}

#[derive(Debug)]
enum QueryContent {
    Text(String),
    /// The source of a `<formula>`.
    Xml(String, Logic),
    /// Of a kind that is not supported.
    Other(String),
}

/// The start tag of a query, without its borrow of the cursor.
pub(super) struct QueryTag {
    name: String,
    text: Option<String>,
    kind: String,
    is_active: bool,
}

impl QueryTag {
    pub(super) fn of(tag: &Tag) -> Result<Self, Fault> {
        let [name, text, kind, active] = tag.attributes(["name", "query", "type", "active"])?;
        Ok(Self {
            name: name.unwrap_or_default().into_owned(),
            text: text.map(std::borrow::Cow::into_owned),
            kind: kind.unwrap_or_default().into_owned(),
            is_active: active.is_none_or(|active| active != "false"),
        })
    }
}

/// Reads the rest of a `query`; `None` if it is switched off or empty.
pub(super) fn query<R: BufRead>(
    cursor: &mut XmlCursor<R>,
    tag: QueryTag,
) -> Result<Option<DraftQuery>, Fault> {
    let QueryTag { name, text, kind, is_active } = tag;
    let mut formula = None;
    while let Some(tag) = cursor.child_amid_text()? {
        match tag.name() {
            "formula" => formula = Some(cursor.source()?),
            _ => cursor.skip()?,
        }
    }
    let content = match (text, formula) {
        _ if !is_active => return Ok(None),
        _ if ["SMC", "HyperLTL"].contains(&kind.as_str()) => QueryContent::Other(kind),
        (Some(text), _) => QueryContent::Text(text),
        (None, Some(formula)) if kind == "LTL" => QueryContent::Xml(formula, Logic::Ltl),
        (None, Some(formula)) => QueryContent::Xml(formula, Logic::Ctl),
        (None, None) => return Ok(None),
    };
    Ok(Some(DraftQuery { name, content }))
}

/// The properties that the queries ask, and notes on those that are left out.
pub(super) fn bind(
    queries: &[DraftQuery],
    nodes: &Nodes,
    component: Option<&str>,
) -> (Vec<Property>, Vec<String>) {
    let (mut properties, mut notes) = (Vec::<Property>::new(), Vec::new());
    for (at, query) in queries.iter().enumerate() {
        let mut name = match query.name.as_str() {
            "" => format!("query {}", at + 1),
            name => name.to_owned(),
        };
        if properties.iter().any(|property| property.name == name) {
            name = format!("{name} ({})", at + 1);
        }
        let left_out = format!("the query `{name}` is left out");
        let bound = match &query.content {
            QueryContent::Text(text) => read_query(name, text, nodes, component),
            QueryContent::Xml(formula, logic) => of_xml(name, formula, *logic, (nodes, component)),
            QueryContent::Other(kind) => {
                Err(Fault::at(0, format!("queries of the type `{kind}` are not supported")))
            }
        };
        match bound {
            Ok(property) => properties.push(property),
            Err(fault) => notes.push(format!("{left_out}: {}", fault.message)),
        }
    }
    (properties, notes)
}

fn of_xml(
    name: String,
    formula: &str,
    logic: Logic,
    (nodes, component): (&Nodes, Option<&str>),
) -> Result<Property, Fault> {
    let mut text = "<property-set><property><id>q</id>".to_owned();
    for piece in formula.split('<').skip(1) {
        let (tag, content) = piece.split_once('>').unwrap_or((piece, ""));
        text.push('<');
        text.push_str(tag);
        text.push('>');
        text.push_str(without_component(content.trim(), component));
    }
    text.push_str("</property></property-set>");
    let mut found = properties::read(text.as_bytes(), nodes, logic)?;
    let property = found.pop().ok_or_else(|| Fault::at(0, "the query has no formula"))?;
    Ok(Property { name, ..property })
}
