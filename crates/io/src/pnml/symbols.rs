//! Strings kept once, in one buffer, under small numbers.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// The number of a string in its [`Symbols`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Symbol(pub u32);

impl Symbol {
    /// Where data about the symbol stands in an array.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// All strings of a kind; an arc's ends are two numbers instead of two strings.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    text: String,
    /// Where each string ends; it starts where the one before ends.
    ends: Vec<usize>,
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

/// The string with number `at`.
fn slice<'a>(text: &'a str, ends: &[usize], at: u32) -> &'a str {
    let at = at as usize;
    let start = if at == 0 { 0 } else { ends[at - 1] };
    &text[start..ends[at]]
}

impl Symbols {
    /// The number of a string, a new one where it is new; `None` when there are 2^32 of them.
    pub(super) fn intern(&mut self, string: &str) -> Option<Symbol> {
        let hash = self.hasher.hash_one(string);
        let (text, ends, hasher) = (&self.text, &self.ends, &self.hasher);
        let entry = self.index.entry(
            hash,
            |&at| slice(text, ends, at) == string,
            |&at| hasher.hash_one(slice(text, ends, at)),
        );
        match entry {
            hashbrown::hash_table::Entry::Occupied(found) => Some(Symbol(*found.get())),
            hashbrown::hash_table::Entry::Vacant(vacant) => {
                let at = u32::try_from(self.ends.len()).ok().filter(|&at| at < u32::MAX)?;
                vacant.insert(at);
                self.text.push_str(string);
                self.ends.push(self.text.len());
                Some(Symbol(at))
            }
        }
    }

    /// The number of a string, if it is known.
    pub(super) fn find(&self, string: &str) -> Option<Symbol> {
        let same = |&at: &u32| slice(&self.text, &self.ends, at) == string;
        self.index.find(self.hasher.hash_one(string), same).map(|&at| Symbol(at))
    }

    /// The string with that number.
    pub(super) fn get(&self, symbol: Symbol) -> &str {
        slice(&self.text, &self.ends, symbol.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_has_one_number() {
        let mut symbols = Symbols::default();
        let numbers: Vec<_> =
            ["a", "", "b", "a", ""].map(|string| symbols.intern(string).unwrap().0).into_iter().collect();
        assert_eq!(numbers, [0, 1, 2, 0, 1]);
        assert_eq!((symbols.get(Symbol(0)), symbols.get(Symbol(1)), symbols.get(Symbol(2))), ("a", "", "b"));
        assert_eq!((symbols.find("b"), symbols.find("c")), (Some(Symbol(2)), None));
    }
}
