//! Names of places and transitions, looked up once when files and queries are bound.

use std::{collections::HashMap, fmt, hash::BuildHasher, sync::OnceLock};

use hashbrown::{DefaultHashBuilder, HashTable};

/// A list of unique names with a lookup that does not store them twice.
///
/// Each entry has the id that files refer to and, where it differs, the label that people read.
#[derive(Clone, Debug, Default)]
pub struct Names {
    ids: Vec<Box<str>>,
    labels: Vec<Option<Box<str>>>,
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// Whether each label is shared; computed for the first title, since most commands print none.
    shared: OnceLock<Vec<bool>>,
}

impl Names {
    /// Adds a name at the end; `None` when it is there already.
    pub fn insert(&mut self, id: &str) -> Option<usize> {
        let hash = self.hasher.hash_one(id);
        let (ids, hasher) = (&mut self.ids, &self.hasher);
        let entry =
            self.index.entry(hash, |&i| *ids[i as usize] == *id, |&i| hasher.hash_one(&*ids[i as usize]));
        match entry {
            hashbrown::hash_table::Entry::Occupied(_) => None,
            hashbrown::hash_table::Entry::Vacant(vacant) => {
                let at = u32::try_from(ids.len()).expect("a net has at most 2^32 elements of a kind");
                vacant.insert(at);
                self.ids.push(id.into());
                self.labels.push(None);
                self.shared.take();
                Some(at as usize)
            }
        }
    }

    /// Gives entry `index` a label for people; one equal to the id is not kept.
    pub fn set_label(&mut self, index: usize, label: &str) {
        self.labels[index] = (*self.ids[index] != *label && !label.is_empty()).then(|| label.into());
        self.shared.take();
    }

    /// Where `id` stands.
    pub fn find(&self, id: &str) -> Option<usize> {
        self.index.find(self.hasher.hash_one(id), |&i| *self.ids[i as usize] == *id).map(|&i| i as usize)
    }

    /// The id of entry `index`.
    pub fn get(&self, index: usize) -> &str {
        &self.ids[index]
    }

    /// What people call entry `index`: its label, or its id where it has none.
    pub fn label(&self, index: usize) -> &str {
        self.labels[index].as_deref().unwrap_or(&self.ids[index])
    }

    /// How texts for people name entry `index`. The first call takes time linear in the number of names.
    pub fn title(&self, index: usize) -> NodeTitle<'_> {
        let (id, label) = (self.get(index), self.labels[index].as_deref());
        // A label of blanks alone names nothing that can be seen.
        let label = label.filter(|label| !label.trim().is_empty());
        let is_shared = || self.shared.get_or_init(|| self.shared_labels())[index];
        NodeTitle { id, label, is_unique: label.is_none() || !is_shared() }
    }

    /// For each entry, whether its label is also the label or the id of another entry.
    fn shared_labels(&self) -> Vec<bool> {
        let mut counts: HashMap<&str, u32> = HashMap::new();
        self.labels.iter().flatten().for_each(|label| *counts.entry(label).or_default() += 1);
        let is_shared = |label: &str| counts[label] > 1 || self.find(label).is_some();
        self.labels.iter().map(|label| label.as_deref().is_some_and(is_shared)).collect()
    }

    /// Ids are the numbers below this one.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// In the order in which the names were added.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.ids.iter().map(|id| &**id)
    }
}

/// Two lists are equal when their ids and labels are; how they are indexed does not matter.
impl PartialEq for Names {
    fn eq(&self, other: &Self) -> bool {
        self.ids == other.ids && self.labels == other.labels
    }
}

impl Eq for Names {}

/// How texts for people name a node: by its label, with the id behind it if the label alone could be mistaken, and by the id
/// if it has no label. Queries read a title of one name as this node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeTitle<'n> {
    id: &'n str,
    label: Option<&'n str>,
    /// Whether the label is neither the label nor the id of another node of this kind.
    is_unique: bool,
}

impl<'n> NodeTitle<'n> {
    /// The name that stands for the node alone. A label of several lines does not fit into a line of text, and so it is no
    /// such name.
    pub fn name(&self) -> Option<&'n str> {
        match self.label {
            None => Some(self.id),
            Some(label) => (self.is_unique && !label.contains(char::is_control)).then_some(label),
        }
    }

    /// The id, by which files name the node.
    pub fn id(&self) -> &'n str {
        self.id
    }

    /// The label in one line.
    pub fn label_in_line(&self) -> String {
        let label = self.label.unwrap_or(self.id);
        label.split(|c: char| c.is_control()).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// The title for a drawing, where labels keep their lines.
    pub fn drawn(&self) -> String {
        match self.label {
            None => self.id.to_owned(),
            Some(label) if self.is_unique => label.to_owned(),
            Some(label) => format!("{label} ({})", self.id),
        }
    }
}

/// `waiting room`, `busy (p2)`
impl fmt::Display for NodeTitle<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "{} ({})", self.label_in_line(), self.id),
        }
    }
}

/// The nodes that every net has, coloured or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nodes {
    /// Names of the places, indexed by `PlaceId`.
    pub places: Names,
    /// Names of the transitions, indexed by `TransitionId`.
    pub transitions: Names,
}

impl Nodes {
    /// In the order of the file.
    pub fn place_ids(&self) -> impl DoubleEndedIterator<Item = crate::PlaceId> + ExactSizeIterator + Clone {
        crate::PlaceId::first(self.places.len())
    }

    /// In the order of the file.
    pub fn transition_ids(
        &self,
    ) -> impl DoubleEndedIterator<Item = crate::TransitionId> + ExactSizeIterator + Clone {
        crate::TransitionId::first(self.transitions.len())
    }

    /// The name of a place in its file.
    pub fn place(&self, place: crate::PlaceId) -> &str {
        self.places.get(place.index())
    }

    /// The name of a transition in its file.
    pub fn transition(&self, transition: crate::TransitionId) -> &str {
        self.transitions.get(transition.index())
    }

    /// The name of a place in texts for people.
    pub fn place_title(&self, place: crate::PlaceId) -> NodeTitle<'_> {
        self.places.title(place.index())
    }

    /// The name of a transition in texts for people.
    pub fn transition_title(&self, transition: crate::TransitionId) -> NodeTitle<'_> {
        self.transitions.title(transition.index())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(entries: &[(&str, &str)]) -> Names {
        let mut names = Names::default();
        for (id, label) in entries {
            let at = names.insert(id).unwrap();
            names.set_label(at, label);
        }
        names
    }

    #[test]
    fn a_title_is_the_label_where_that_names_one_node() {
        let names =
            names(&[("p1", "idle"), ("p2", "busy"), ("p3", "busy"), ("p4", "p1"), ("p5", ""), ("p6", " \n")]);
        let titles: Vec<_> = (0..names.len()).map(|at| names.title(at).to_string()).collect();
        assert_eq!(titles, ["idle", "busy (p2)", "busy (p3)", "p1 (p4)", "p5", "p6"]);
        assert_eq!(names.title(0).name(), Some("idle"));
        assert_eq!(names.title(1).name(), None);
    }

    #[test]
    fn a_label_of_several_lines_is_joined_and_has_its_id() {
        let names = names(&[("t1", "check\r\n\tthe order")]);
        assert_eq!(names.title(0).to_string(), "check the order (t1)");
        assert_eq!(names.title(0).drawn(), "check\r\n\tthe order");
    }

    #[test]
    fn titles_follow_names_that_are_added_later() {
        let mut names = names(&[("a", "x")]);
        assert_eq!(names.title(0).to_string(), "x");
        names.insert("x").unwrap();
        assert_eq!(names.title(0).to_string(), "x (a)");
        names.set_label(0, "y");
        assert_eq!(names.title(0).to_string(), "y");
    }
}
