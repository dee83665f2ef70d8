//! Names of places and transitions, looked up once when files and queries are bound.

use std::hash::BuildHasher;

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
                Some(at as usize)
            }
        }
    }

    /// Gives entry `index` a label for people; one equal to the id is not kept.
    pub fn set_label(&mut self, index: usize, label: &str) {
        self.labels[index] = (*self.ids[index] != *label && !label.is_empty()).then(|| label.into());
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
}
