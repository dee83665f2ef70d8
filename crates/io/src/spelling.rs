//! Names of nodes as a format can write them: admissible names are kept, others are replaced by new ones, each with a note.

use std::collections::{HashMap, HashSet};

use fireset_net::{Names, Nodes, PlaceId, TransitionId};

use crate::query::names::NodeKind;

/// Which names a format admits.
pub(crate) struct NameRules {
    /// As notes call the format.
    pub(crate) format: &'static str,
    pub(crate) is_admissible: fn(&str) -> bool,
    pub(crate) scope: NameScope,
}

/// Whether a place and a transition may have the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameScope {
    Shared,
    Separate,
}

/// The names that a format writes for the nodes of a net.
pub(crate) struct Spelling<'n> {
    nodes: &'n Nodes,
    places: HashMap<usize, String>,
    transitions: HashMap<usize, String>,
    /// One for each name that is replaced.
    pub(crate) notes: Vec<String>,
}

impl<'n> Spelling<'n> {
    pub(crate) fn new(nodes: &'n Nodes, rules: &NameRules) -> Self {
        let (mut taken, mut notes) = (HashSet::new(), Vec::new());
        let places = replacements(&nodes.places, NodeKind::Place, rules, &mut taken, &mut notes);
        if rules.scope == NameScope::Separate {
            taken.clear();
        }
        let transitions =
            replacements(&nodes.transitions, NodeKind::Transition, rules, &mut taken, &mut notes);
        Self { nodes, places, transitions, notes }
    }

    pub(crate) fn place(&self, place: PlaceId) -> &str {
        self.places.get(&place.index()).map_or(self.nodes.place(place), String::as_str)
    }

    pub(crate) fn transition(&self, transition: TransitionId) -> &str {
        self.transitions.get(&transition.index()).map_or(self.nodes.transition(transition), String::as_str)
    }
}

/// New names for the nodes of one kind whose names are not admissible or are taken.
fn replacements(
    names: &Names,
    kind: NodeKind,
    rules: &NameRules,
    taken: &mut HashSet<String>,
    notes: &mut Vec<String>,
) -> HashMap<usize, String> {
    // Admissible names come first, so that a new name never takes one of them away.
    let mut replaced: Vec<usize> = Vec::new();
    for (at, name) in names.iter().enumerate() {
        if !(rules.is_admissible)(name) || !taken.insert(name.to_owned()) {
            replaced.push(at);
        }
    }
    let mut counters = HashMap::new();
    let mut new_names = HashMap::new();
    for at in replaced {
        let old = names.get(at);
        let base = admissible(old, kind, rules);
        let counter = counters.entry(base.clone()).or_insert(1u64);
        let mut new = base.clone();
        while !taken.insert(new.clone()) {
            *counter += 1;
            // Behind a number, the counter may make a word that is no name.
            new = admissible(&format!("{base}_{counter}"), kind, rules);
        }
        let (noun, format) = (kind.noun(), rules.format);
        notes.push(format!("the {noun} `{old}` is written as `{new}`, since {format} cannot write its name"));
        new_names.insert(at, new);
    }
    new_names
}

/// An admissible name that looks like another one: its letters and digits are kept.
fn admissible(old: &str, kind: NodeKind, rules: &NameRules) -> String {
    let kept: String =
        old.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
    if (rules.is_admissible)(&kept) { kept } else { format!("{}_{kept}", kind.noun()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_lower_case(name: &str) -> bool {
        !name.is_empty()
            && name.chars().all(|letter| letter.is_ascii_lowercase() || "_0123456789".contains(letter))
    }

    fn nodes(places: &[&str], transitions: &[&str]) -> Nodes {
        let mut nodes = Nodes::default();
        places.iter().for_each(|name| assert!(nodes.places.insert(name).is_some()));
        transitions.iter().for_each(|name| assert!(nodes.transitions.insert(name).is_some()));
        nodes
    }

    fn spelt(nodes: &Nodes, scope: NameScope) -> (Vec<String>, Vec<String>, usize) {
        let rules = NameRules { format: "the format", is_admissible: is_lower_case, scope };
        let spelling = Spelling::new(nodes, &rules);
        let places = nodes.place_ids().map(|place| spelling.place(place).to_owned()).collect();
        let transitions = nodes.transition_ids().map(|t| spelling.transition(t).to_owned()).collect();
        (places, transitions, spelling.notes.len())
    }

    #[test]
    fn admissible_names_are_kept_and_others_are_unique() {
        let nodes = nodes(&["a b", "a_b", "a-b", "", "a_b_2", "P"], &["a_b", "a b"]);
        let (places, transitions, notes) = spelt(&nodes, NameScope::Separate);
        assert_eq!(places, ["a_b_3", "a_b", "a_b_4", "place_", "a_b_2", "place_P"]);
        assert_eq!(transitions, ["a_b", "a_b_2"]);
        assert_eq!(notes, 5);
    }

    #[test]
    fn a_counter_keeps_a_name_admissible() {
        fn is_admissible(name: &str) -> bool {
            name.bytes().all(|byte| byte.is_ascii_digit()) || name.starts_with(char::is_alphabetic)
        }
        let rules = NameRules { format: "the format", is_admissible, scope: NameScope::Shared };
        let nodes = nodes(&["7"], &["7"]);
        assert_eq!(Spelling::new(&nodes, &rules).transition(TransitionId::new(0)), "transition_7_2");
    }

    #[test]
    fn a_shared_scope_keeps_transitions_apart_from_places() {
        let nodes = nodes(&["a", "b"], &["b", "c"]);
        let (_, transitions, notes) = spelt(&nodes, NameScope::Shared);
        assert_eq!((transitions, notes), (vec!["b_2".to_owned(), "c".to_owned()], 1));
    }
}
