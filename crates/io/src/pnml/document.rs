//! The root of a PNML file: its nets, and what TAPAAL writes beside them.

use std::{borrow::Cow, collections::HashMap, io::BufRead};

use super::{
    arcs::timed,
    collect,
    components::{self, SharedNodes},
    dialect::is_untimed_invariant,
    draft::{NetDraft, NetKind},
    labels::structure,
    presentation::{DraftPresentation, Keeping},
    queries::{self, QueryTag},
};
use crate::{
    Fault,
    net_file::NetChoice,
    xml::{Tag, XmlCursor},
};

/// The types of nets, by the last part of their address, that are coloured even if they have no colours.
const COLOURED_TYPES: [&str; 3] = ["symmetricnet", "highlevelnet", "pt-hlpng"];

/// Types of place/transition nets as tools write them. Others are read by their content, with a note.
const PLAIN_TYPES: [&str; 9] =
    ["ptnet", "pnmlcoremodel", "ptnetb", "p/t net", "basicpnml.rng", "epnml-1.1", "epnml11", "pnml", ""];

/// Types of nets that mean something else than a place/transition net or a coloured net.
const OTHER_TYPES: [(&str, &str); 7] = [
    ("refnet", "a reference net of Renew"),
    ("npn", "a nested Petri net"),
    ("yawl", "a YAWL workflow"),
    ("empty", "a net type without places and transitions"),
    ("stochastic", "a stochastic Petri net"),
    ("timed", "a timed Petri net"),
    ("tpn", "a timed Petri net"),
];

/// A net of the file before the choice.
struct FileNet {
    draft: NetDraft,
    id: String,
    is_active: bool,
    offset: u64,
}

/// Reads a whole PNML text.
pub(super) fn document<R: BufRead>(
    cursor: &mut XmlCursor<R>,
    choice: NetChoice<'_>,
    keeping: Keeping,
) -> Result<NetDraft, Fault> {
    let root = cursor
        .child()?
        .ok_or_else(|| Fault::at(0, "the file has no content").hint("a PNML file starts with `<pnml>`"))?;
    if root.name() != "pnml" {
        let message = format!("the root element is `<{}>`, but `<pnml>` is expected", root.name());
        return Err(Fault::at(root.offset, message));
    }
    let namespaces = root.namespaces();
    if keeping == Keeping::Everything {
        cursor.keep_sources();
    }
    let (mut nets, mut shared) = (Vec::new(), SharedNodes::default());
    let (mut constants, mut queries, mut is_tapaal) = (HashMap::new(), Vec::new(), false);
    // TAPAAL declares sorts beside the nets.
    let mut declared = NetDraft::new(NetKind::Plain, String::new());
    let mut pages = 0;
    loop {
        let Some(tag) = cursor.child_noting_text()? else {
            if pages == 0 {
                break;
            }
            pages -= 1;
            continue;
        };
        match tag.name() {
            // Some tools put a net into a page or a module.
            "page" | "module" => pages += 1,
            "net" => {
                let tag = NetTag::of(&tag)?;
                let empty = NetDraft::new(NetKind::Plain, String::new());
                let mut draft = std::mem::replace(&mut declared, empty);
                draft.constants.clone_from(&constants);
                if keeping == Keeping::Everything {
                    draft.kept = Some(Box::new(DraftPresentation::new(&namespaces, &tag.namespaces)));
                }
                is_tapaal |= tag.has_activity;
                nets.push(file_net(tag, draft, cursor)?);
            }
            "declaration" => {
                let draft = nets.last_mut().map_or(&mut declared, |net: &mut FileNet| &mut net.draft);
                let found = structure(cursor, draft)?;
                draft.declarations.extend(found);
                cursor.take_kept();
            }
            "shared-place" => {
                declared.constants.clone_from(&constants);
                shared.places.push(shared_place(&tag, &declared)?);
                cursor.skip()?;
            }
            "shared-transition" => {
                shared.transitions.push(shared_transition(&tag)?);
                cursor.skip()?;
            }
            "constant" => {
                constants.extend(constant(&tag)?);
                cursor.skip()?;
            }
            "query" => {
                is_tapaal = true;
                let tag = QueryTag::of(&tag)?;
                queries.extend(queries::query(cursor, tag)?);
            }
            // TAPAAL's queries may be in an element of their own.
            "queries" => {
                is_tapaal = true;
                pages += 1;
            }
            "k-bound" | "feature" => {
                is_tapaal = true;
                cursor.skip()?;
            }
            "instance" => {
                return Err(Fault::at(tag.offset, "instances of modules are not supported"));
            }
            name @ ("place" | "transition" | "arc") => {
                return Err(Fault::at(tag.offset, format!("`<{name}>` is outside of a `<net>`")));
            }
            _ => cursor.skip()?,
        }
    }
    is_tapaal |= !shared.is_empty();
    if let Some(tag) = cursor.child()? {
        return Err(Fault::at(tag.offset, "unexpected element after `</pnml>`"));
    }
    let mut draft = chosen(nets, FileTraits { shared: &shared, is_tapaal }, choice)?;
    draft.queries = queries;
    if cursor.has_stray_text() {
        draft.note("text", "characters between elements have no meaning in PNML");
    }
    Ok(draft)
}

/// What the nets of a file have in common.
#[derive(Clone, Copy)]
struct FileTraits<'s> {
    shared: &'s SharedNodes,
    /// TAPAAL's nets are components of one model.
    is_tapaal: bool,
}

/// The name and the tokens of a shared place.
fn shared_place(tag: &Tag, declared: &NetDraft) -> Result<(String, u64), Fault> {
    let [name, tokens, invariant] = tag.attributes(["name", "initialMarking", "invariant"])?;
    if let Some(invariant) = invariant.filter(|invariant| !is_untimed_invariant(invariant)) {
        let message = format!("the net is timed: tokens leave a shared place at an age `{invariant}`");
        return Err(timed(message, tag.offset));
    }
    let name = name.ok_or_else(|| tag.lacks("name"))?.into_owned();
    let tokens = tokens.unwrap_or(Cow::Borrowed("0"));
    let tokens = declared.count_text(&tokens, "an initial marking", tag.offset)?.total();
    Ok((name, tokens))
}

/// The name of a shared transition.
fn shared_transition(tag: &Tag) -> Result<String, Fault> {
    let [urgent] = tag.attributes(["urgent"])?;
    if urgent.is_some_and(|urgent| urgent == "true") {
        return Err(timed("the net is timed: a shared transition is urgent".into(), tag.offset));
    }
    tag.required("name").map(Cow::into_owned)
}

/// The name and the value of a constant; `None` if it is no count, which matters only where it is used.
fn constant(tag: &Tag) -> Result<Option<(String, u64)>, Fault> {
    let [name, value] = tag.attributes(["name", "value"])?;
    let value = value.and_then(|value| value.trim().parse().ok());
    Ok(name.map(Cow::into_owned).zip(value))
}

/// The start tag of a net, without its borrow of the cursor.
struct NetTag {
    id: String,
    kind: Option<String>,
    is_active: bool,
    /// Only TAPAAL says whether a net is active.
    has_activity: bool,
    namespaces: String,
    offset: u64,
}

impl NetTag {
    fn of(tag: &Tag) -> Result<Self, Fault> {
        let [id, kind, active] = tag.attributes(["id", "type", "active"])?;
        let has_activity = active.is_some();
        let is_active = active.is_none_or(|active| active != "false");
        let (id, kind) = (id.unwrap_or_default().into_owned(), kind.map(Cow::into_owned));
        let namespaces = tag.namespaces();
        Ok(Self { id, kind, is_active, has_activity, namespaces, offset: tag.offset })
    }
}

/// Reads the rest of a net, into a draft that has the declarations before it.
fn file_net<R: BufRead>(
    tag: NetTag,
    mut draft: NetDraft,
    cursor: &mut XmlCursor<R>,
) -> Result<FileNet, Fault> {
    let NetTag { id, kind, is_active, offset, .. } = tag;
    draft.name.clone_from(&id);
    if let Some(kind) = kind {
        declare_type(&mut draft, &kind, offset)?;
    }
    collect::net(cursor, &mut draft)?;
    Ok(FileNet { draft, id, is_active, offset })
}

/// Takes note of a net's type, of which the last part counts: it is an address.
fn declare_type(draft: &mut NetDraft, kind: &str, offset: u64) -> Result<(), Fault> {
    let address = kind.trim().trim_end_matches('/').to_ascii_lowercase();
    let last = if address.contains("://") { address.rsplit('/').next().unwrap_or("") } else { &address };
    if let Some((_, meaning)) = OTHER_TYPES.iter().find(|(name, _)| *name == last) {
        let message = format!("nets of the type `{kind}` are not supported: this is {meaning}");
        return Err(Fault::at(offset, message));
    }
    if COLOURED_TYPES.contains(&last) {
        draft.kind = NetKind::Coloured;
    } else if !PLAIN_TYPES.contains(&last) {
        draft.note(kind, "the type of the net is not known; what the net has decides its meaning");
    }
    Ok(())
}

/// The net that is asked for.
fn chosen(mut nets: Vec<FileNet>, traits: FileTraits<'_>, choice: NetChoice<'_>) -> Result<NetDraft, Fault> {
    let FileTraits { shared, is_tapaal } = traits;
    if let NetChoice::Named(name) = choice {
        let found = nets.iter().position(|net| net.id == name || net.draft.name == name);
        let Some(at) = found else {
            let fault = Fault::at(0, format!("the file has no net `{name}`"));
            return Err(fault.hint(format!("its nets are {}", names(&nets))));
        };
        let FileNet { id, draft, .. } = nets.swap_remove(at);
        // A component's shared places have the marking that the file declares for them.
        return if shared.is_empty() {
            Ok(alone(id, draft))
        } else {
            components::compose(vec![(id, draft)], shared)
        };
    }
    match nets.len() {
        0 => Err(Fault::at(0, "the file has no net").hint("`<pnml>` must contain a `<net>`")),
        1 if shared.is_empty() => {
            let FileNet { id, draft, .. } = nets.swap_remove(0);
            Ok(alone(id, draft))
        }
        _ if !is_tapaal => {
            let message = format!("the file has {} nets", nets.len());
            let hint = format!("choose one with --net: {}", names(&nets));
            Err(Fault::at(nets[1].offset, message).hint(hint))
        }
        _ => {
            let active = nets.into_iter().filter(|net| net.is_active);
            components::compose(active.map(|net| (net.id, net.draft)).collect(), shared)
        }
    }
}

/// A net of which queries may speak as of a component.
fn alone(id: String, draft: NetDraft) -> NetDraft {
    NetDraft { component: Some(id), ..draft }
}

fn names(nets: &[FileNet]) -> String {
    let shown = |net: &FileNet| format!("`{}`", if net.id.is_empty() { &net.draft.name } else { &net.id });
    nets.iter().map(shown).collect::<Vec<_>>().join(", ")
}
