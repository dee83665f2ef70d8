//! Components of one model that share places and transitions by name, as TAPAAL composes them.
//!
//! A shared place is one place, with the marking that its declaration has; a shared transition fires in all components that
//! have it at the same time. The other nodes of component `C` are called `C.node`, as TAPAAL's queries call them.

use std::collections::HashMap;

use super::{
    draft::{DeclaredNode, DraftArc, DraftPlace, DraftTransition, NetDraft, NetKind},
    labels::check_priority,
    symbols::Symbol,
};
use crate::Fault;

/// The nodes that components share.
#[derive(Debug, Default)]
pub(super) struct SharedNodes {
    /// Places with their tokens.
    pub(super) places: Vec<(String, u64)>,
    pub(super) transitions: Vec<String>,
}

impl SharedNodes {
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty() && self.transitions.is_empty()
    }
}

/// The composition of the components with their names.
pub(super) fn compose(components: Vec<(String, NetDraft)>, shared: &SharedNodes) -> Result<NetDraft, Fault> {
    let name = components.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>().join(" || ");
    let mut whole = NetDraft::new(NetKind::Plain, name);
    let is_alone = components.len() == 1;
    whole.component = components.first().filter(|_| is_alone).map(|(id, _)| id.clone());
    for (component, draft) in components {
        if draft.kind == NetKind::Coloured || !draft.classes.is_empty() {
            let message = "components with colours are not supported";
            return Err(Fault::at(0, message).within(format!("net {component}")));
        }
        let mut add = ComponentAdder { whole: &mut whole, shared, renamed: HashMap::new() };
        let prefix = if is_alone { String::new() } else { format!("{component}.") };
        add.nodes(&prefix, &draft)?;
        add.arcs(&draft)?;
        if let Some(priority) = &draft.priority {
            check_priority(&mut whole, priority, 0)?;
        }
        whole.notes.extend(draft.notes);
    }
    Ok(whole)
}

struct ComponentAdder<'w> {
    whole: &'w mut NetDraft,
    shared: &'w SharedNodes,
    /// Symbols of the component, and their new ones.
    renamed: HashMap<Symbol, Symbol>,
}

impl ComponentAdder<'_> {
    fn nodes(&mut self, prefix: &str, draft: &NetDraft) -> Result<(), Fault> {
        for place in &draft.places {
            let (id, name) = names(draft, place.id, place.label.as_deref());
            let shared = self.shared.places.iter().find(|(shared, _)| shared == id || shared == name);
            let new = match shared {
                Some((shared, tokens)) => self.place(shared, place, *tokens)?,
                None => self.place(&format!("{prefix}{id}"), place, place.tokens.unwrap_or(0))?,
            };
            self.renamed.insert(place.id, new);
        }
        for transition in &draft.transitions {
            let (id, name) = names(draft, transition.id, transition.label.as_deref());
            let shared = self.shared.transitions.iter().find(|shared| *shared == id || *shared == name);
            let new = match shared {
                Some(shared) => self.transition(shared)?,
                None => self.transition(&format!("{prefix}{id}"))?,
            };
            self.renamed.insert(transition.id, new);
        }
        Ok(())
    }

    /// The place with this name, which is added by the first component that has it.
    fn place(&mut self, name: &str, like: &DraftPlace, tokens: u64) -> Result<Symbol, Fault> {
        let id = self.whole.intern(name, like.offset)?;
        if self.whole.nodes[id.index()] == DeclaredNode::Unknown {
            self.whole.nodes[id.index()] = DeclaredNode::Place(self.whole.places.len() as u32);
            let capacity = like.capacity;
            let place = DraftPlace { tokens: Some(tokens), capacity, ..DraftPlace::new(id, like.offset) };
            self.whole.places.push(place);
        }
        Ok(id)
    }

    fn transition(&mut self, name: &str) -> Result<Symbol, Fault> {
        let id = self.whole.intern(name, 0)?;
        if self.whole.nodes[id.index()] == DeclaredNode::Unknown {
            self.whole.nodes[id.index()] = DeclaredNode::Transition(self.whole.transitions.len() as u32);
            self.whole.transitions.push(DraftTransition { id, label: None, guard: None });
        }
        Ok(id)
    }

    fn arcs(&mut self, draft: &NetDraft) -> Result<(), Fault> {
        for arc in &draft.arcs {
            let end =
                |id: Symbol| self.renamed.get(&id).copied().ok_or_else(|| draft.unknown(id, arc.offset));
            let (source, target) = (end(arc.source)?, end(arc.target)?);
            self.whole.arcs.push(DraftArc { source, target, ..*arc });
        }
        Ok(())
    }
}

/// The id and the name of a node.
fn names<'d>(draft: &'d NetDraft, id: Symbol, label: Option<&'d str>) -> (&'d str, &'d str) {
    let id = draft.ids.get(id);
    (id, label.unwrap_or(id))
}
