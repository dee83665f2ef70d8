//! The XML of a project: its nets and the elements in them.

use std::{borrow::Cow, io::BufRead};

use super::draft::{FiringTime, GspnArc, GspnArcKind, GspnConstant, GspnDraft, GspnPlace, GspnTransition};
use crate::{
    Fault,
    net_file::NetChoice,
    xml::{Tag, XmlCursor},
};

/// Elements of a project that are no models.
const NO_MODELS: [&str; 2] = ["measures", "resource-list"];

/// Reads a project: the chosen net, and the names of the models that are none.
pub(super) fn project<R: BufRead>(
    cursor: &mut XmlCursor<R>,
    choice: NetChoice<'_>,
) -> Result<(GspnDraft, Vec<String>), Fault> {
    let root = cursor.child()?.ok_or_else(|| Fault::at(0, "the file has no content"))?;
    if root.name() != "project" {
        let message = format!("the root element is `<{}>`, but `<project>` is expected", root.name());
        return Err(Fault::at(root.offset, message));
    }
    let (mut nets, mut others) = (Vec::new(), Vec::new());
    while let Some(tag) = cursor.child_amid_text()? {
        let [name] = tag.attributes(["name"])?;
        let name = name.unwrap_or_default().into_owned();
        match tag.name() {
            "gspn" => {
                let draft = GspnDraft { name, offset: tag.offset, ..GspnDraft::default() };
                nets.push(gspn(cursor, draft)?);
            }
            other => {
                if !NO_MODELS.contains(&other) {
                    others.push(format!("{other} `{name}`"));
                }
                cursor.skip()?;
            }
        }
    }
    if let Some(tag) = cursor.child()? {
        return Err(Fault::at(tag.offset, "unexpected element after `</project>`"));
    }
    chosen(nets, &others, choice).map(|net| (net, others))
}

fn chosen(mut nets: Vec<GspnDraft>, others: &[String], choice: NetChoice<'_>) -> Result<GspnDraft, Fault> {
    let names =
        |nets: &[GspnDraft]| nets.iter().map(|net| format!("`{}`", net.name)).collect::<Vec<_>>().join(", ");
    if let NetChoice::Named(name) = choice {
        return match nets.iter().position(|net| net.name == name) {
            Some(at) => Ok(nets.swap_remove(at)),
            None => Err(Fault::at(0, format!("the project has no net `{name}`"))
                .hint(format!("its nets are {}", names(&nets)))),
        };
    }
    match nets.len() {
        1 => Ok(nets.swap_remove(0)),
        0 if others.is_empty() => Err(Fault::at(0, "the project has no net").hint("it needs a `<gspn>`")),
        0 => Err(Fault::at(0, format!("the project has no net, but {}", others.join(", ")))
            .hint("fireset reads the `<gspn>` nets of a project")),
        count => Err(Fault::at(nets[1].offset, format!("the project has {count} nets"))
            .hint(format!("choose one with --net: {}", names(&nets)))),
    }
}

/// Reads the rest of a `gspn`.
fn gspn<R: BufRead>(cursor: &mut XmlCursor<R>, mut draft: GspnDraft) -> Result<GspnDraft, Fault> {
    while let Some(tag) = cursor.child_amid_text()? {
        let part = match tag.name() {
            "nodes" => node,
            "edges" => edge,
            other => return Err(unknown(&tag, other, "a net")),
        };
        while let Some(tag) = cursor.child_amid_text()? {
            part(&tag, &mut draft)?;
            cursor.skip()?;
        }
    }
    Ok(draft)
}

fn unknown(tag: &Tag, name: &str, owner: &str) -> Fault {
    Fault::at(tag.offset, format!("unknown element `<{name}>` in {owner}"))
}

/// The value of an attribute, trimmed; empty if it is missing.
fn text(value: Option<Cow<'_, str>>) -> String {
    value.map(|value| value.trim().to_owned()).unwrap_or_default()
}

fn node(tag: &Tag, draft: &mut GspnDraft) -> Result<(), Fault> {
    let offset = tag.offset;
    match tag.name() {
        "place" => {
            let [marking, domain, kind] = tag.attributes(["marking", "domain", "type"])?;
            if let Some(kind) = kind.filter(|kind| kind != "DISCRETE") {
                return Err(Fault::at(offset, format!("places of the type `{kind}` are not supported")));
            }
            let name = tag.required("name")?.into_owned();
            draft.places.push(GspnPlace { name, marking: text(marking), domain: text(domain), offset });
        }
        "transition" => {
            let [kind, priority, guard] = tag.attributes(["type", "priority", "guard"])?;
            let name = tag.required("name")?.into_owned();
            let timing = match kind.as_deref() {
                None | Some("EXP") => FiringTime::Exponential,
                Some("IMM") => FiringTime::Immediate,
                Some("GEN") => FiringTime::General,
                Some(kind) => {
                    let message = format!("transitions of the type `{kind}` are not supported");
                    return Err(Fault::at(offset, message));
                }
            };
            let (priority, guard) = (text(priority), text(guard));
            draft.transitions.push(GspnTransition { name, timing, priority, guard, offset });
        }
        "constant" => {
            let [value] = tag.attributes(["value"])?;
            let name = tag.required("name")?.into_owned();
            draft.constants.push(GspnConstant { name, value: text(value) });
        }
        "template" => draft.parameters.push(tag.required("name")?.into_owned()),
        "color-class" => {
            let [definition] = tag.attributes(["definition"])?;
            draft.classes.push((tag.required("name")?.into_owned(), text(definition), offset));
        }
        "color-var" => {
            let [domain] = tag.attributes(["domain"])?;
            draft.variables.push((tag.required("name")?.into_owned(), text(domain), offset));
        }
        "text-box" => {}
        other => return Err(unknown(tag, other, "the nodes of a net")),
    }
    Ok(())
}

fn edge(tag: &Tag, draft: &mut GspnDraft) -> Result<(), Fault> {
    let offset = tag.offset;
    if tag.name() != "arc" {
        return Err(unknown(tag, tag.name(), "the edges of a net"));
    }
    let [kind, multiplicity] = tag.attributes(["kind", "mult"])?;
    let kind = match kind.as_deref() {
        Some("INPUT") => GspnArcKind::Input,
        Some("OUTPUT") => GspnArcKind::Output,
        Some("INHIBITOR") => GspnArcKind::Inhibitor,
        Some(kind) => return Err(Fault::at(offset, format!("arcs of the kind `{kind}` are not supported"))),
        None => return Err(tag.lacks("kind")),
    };
    let (tail, head) = (tag.required("tail")?.into_owned(), tag.required("head")?.into_owned());
    draft.arcs.push(GspnArc { kind, tail, head, multiplicity: text(multiplicity), offset });
    Ok(())
}
