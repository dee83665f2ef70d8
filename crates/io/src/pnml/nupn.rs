//! The nested units (NUPN) of a net, from their `toolspecific` element.

use std::io::BufRead;

use fireset_net::{Nupn, PlaceId, Unit, UnitId};
use hashbrown::HashMap;

use super::{
    draft::{DeclaredNode, NetDraft},
    symbols::Symbol,
};
use crate::{Fault, suggest::nearest, xml::XmlCursor};

#[derive(Debug)]
struct DraftUnit {
    id: String,
    offset: u64,
    places: Vec<Symbol>,
    subunits: Vec<String>,
}

#[derive(Debug)]
pub(super) struct DraftNupn {
    units: Vec<DraftUnit>,
    root: String,
    safe: bool,
    offset: u64,
}

/// Reads the rest of a `toolspecific` element; an element without `structure` declares no units.
pub(super) fn read<R: BufRead>(cursor: &mut XmlCursor<R>, draft: &mut NetDraft) -> Result<(), Fault> {
    while let Some(tag) = cursor.child()? {
        if tag.name() != "structure" {
            cursor.skip()?;
            continue;
        }
        let offset = tag.offset;
        let [root, safe] = tag.attributes(["root", "safe"])?;
        let root = root.ok_or_else(|| tag.lacks("root"))?.into_owned();
        let safe = safe.is_some_and(|safe| safe == "true");
        if draft.nupn.is_some() {
            return Err(Fault::at(offset, "the units are declared twice"));
        }
        let mut units = Vec::new();
        while let Some(tag) = cursor.child()? {
            if tag.name() == "unit" {
                let (id, offset) = (tag.required("id")?.into_owned(), tag.offset);
                units.push(unit(cursor, draft, id, offset)?);
            } else {
                cursor.skip()?;
            }
        }
        draft.nupn = Some(DraftNupn { units, root, safe, offset });
    }
    Ok(())
}

/// Reads the rest of a `unit` element.
fn unit<R: BufRead>(
    cursor: &mut XmlCursor<R>,
    draft: &mut NetDraft,
    id: String,
    offset: u64,
) -> Result<DraftUnit, Fault> {
    let mut unit = DraftUnit { id, offset, places: Vec::new(), subunits: Vec::new() };
    while let Some(tag) = cursor.child()? {
        match tag.name() {
            "places" => {
                for place in cursor.text()?.split_whitespace() {
                    unit.places.push(draft.intern(place, offset)?);
                }
            }
            "subunits" => {
                unit.subunits.extend(cursor.text()?.split_whitespace().map(str::to_owned));
            }
            _ => cursor.skip()?,
        }
    }
    Ok(unit)
}

/// Resolves names and checks that every place is in one unit and that the units form a tree.
pub(super) fn bind(draft: &NetDraft, nupn: &DraftNupn) -> Result<Nupn, Fault> {
    let mut numbers = HashMap::new();
    for (at, unit) in nupn.units.iter().enumerate() {
        if numbers.insert(unit.id.as_str(), at).is_some() {
            return Err(fault(unit, format!("the unit `{}` is declared twice", unit.id)));
        }
    }
    let find = |name: &str| numbers.get(name).copied();
    let unknown = |name: &str, offset: u64| {
        let fault = Fault::at(offset, format!("no unit has the id `{name}`"));
        match nearest(name, nupn.units.iter().map(|unit| unit.id.as_str())) {
            Some(other) => fault.hint(format!("did you mean `{other}`?")),
            None => fault,
        }
    };
    let root = find(&nupn.root).ok_or_else(|| unknown(&nupn.root, nupn.offset))?;
    let mut units = Vec::with_capacity(nupn.units.len());
    let mut owner: Vec<Option<usize>> = vec![None; draft.places.len()];
    for (at, unit) in nupn.units.iter().enumerate() {
        let places = unit.places.iter().map(|&id| own(draft, nupn, &mut owner, (id, at)));
        let places = places.collect::<Result<_, _>>()?;
        let subunits = unit.subunits.iter().map(|name| {
            find(name)
                .map(UnitId::new)
                .ok_or_else(|| unknown(name, unit.offset).within(format!("unit {}", unit.id)))
        });
        units.push(Unit { name: unit.id.clone(), places, subunits: subunits.collect::<Result<_, _>>()? });
    }
    if let Some(place) = owner.iter().position(Option::is_none) {
        let place = &draft.places[place];
        return Err(Fault::at(
            place.offset,
            format!("the place `{}` is in no unit", draft.ids.get(place.id)),
        )
        .hint("every place belongs to exactly one unit"));
    }
    check_tree(nupn, &units, root)?;
    Ok(Nupn { units, root: UnitId::new(root), unit_safe: nupn.safe })
}

/// Assigns the place `id` to the unit with number `at`, unless another unit has it.
fn own(
    draft: &NetDraft,
    nupn: &DraftNupn,
    owner: &mut [Option<usize>],
    (id, at): (Symbol, usize),
) -> Result<PlaceId, Fault> {
    let unit = &nupn.units[at];
    let DeclaredNode::Place(place) = draft.nodes[id.index()] else {
        return Err(match draft.nodes[id.index()] {
            DeclaredNode::Unknown => draft.unknown(id, unit.offset),
            _ => fault(unit, format!("`{}` is not a place", draft.ids.get(id))),
        }
        .within(format!("unit {}", unit.id)));
    };
    match owner[place as usize].replace(at) {
        None => Ok(PlaceId::new(place as usize)),
        Some(other) => {
            let (name, other) = (draft.ids.get(id), &nupn.units[other].id);
            Err(fault(unit, format!("the place `{name}` is in the unit `{other}` already"))
                .hint("every place belongs to exactly one unit"))
        }
    }
}

/// Checks that every unit but the root is below exactly one other unit, and all are below the root.
fn check_tree(nupn: &DraftNupn, units: &[Unit], root: usize) -> Result<(), Fault> {
    let mut reached = vec![false; units.len()];
    reached[root] = true;
    let mut open = vec![root];
    while let Some(at) = open.pop() {
        for &below in &units[at].subunits {
            if std::mem::replace(&mut reached[below.index()], true) {
                let (upper, lower) = (&nupn.units[at], &units[below.index()].name);
                return Err(fault(upper, format!("the unit `{lower}` is below two units or below itself"))
                    .hint("units form a tree"));
            }
            open.push(below.index());
        }
    }
    match reached.iter().position(|&reached| !reached) {
        None => Ok(()),
        Some(at) => {
            let message = format!("the unit `{}` is not below the root `{}`", units[at].name, nupn.root);
            Err(fault(&nupn.units[at], message).hint("units form a tree"))
        }
    }
}

fn fault(unit: &DraftUnit, message: String) -> Fault {
    Fault::at(unit.offset, message).within(format!("unit {}", unit.id))
}
