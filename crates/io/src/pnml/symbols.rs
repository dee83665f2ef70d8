//! Interned strings: one buffer, small numbers.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// The number of a string in its [`Symbols`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Symbol(pub u32);

impl Symbol {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// An entry of the hash index; a lookup touches only the entry and the text.
#[derive(Debug)]
struct SymbolEntry {
    start: usize,
    length: u32,
    symbol: u32,
}

/// Interned strings. With them the ends of an arc are two numbers instead of two strings.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    text: String,
    /// The end of each string; a string starts at the end of the one before.
    ends: Vec<usize>,
    index: HashTable<SymbolEntry>,
    hasher: DefaultHashBuilder,
    /// Recently used strings: the arcs of a node are often adjacent, in the order of the nodes.
    recent: [Symbol; 4],
}

impl Symbols {
    /// The symbol of a string; `None` after 2^32 strings.
    pub(super) fn intern(&mut self, string: &str) -> Option<Symbol> {
        let symbol = match self.guess(string) {
            Some(symbol) => symbol,
            None => self.look_up(string)?,
        };
        if !self.recent.contains(&symbol) {
            self.recent.rotate_right(1);
            self.recent[0] = symbol;
        }
        Some(symbol)
    }

    /// Tries the recent strings and their successors, which are likely in the cache.
    fn guess(&self, string: &str) -> Option<Symbol> {
        let known = |&symbol: &Symbol| symbol.index() < self.ends.len() && self.get(symbol) == string;
        let next = self.recent.map(|symbol| Symbol(symbol.0 + 1));
        self.recent.into_iter().chain(next).find(known)
    }

    fn look_up(&mut self, string: &str) -> Option<Symbol> {
        let hash = self.hasher.hash_one(string);
        let (text, hasher) = (self.text.as_bytes(), &self.hasher);
        // Comparing bytes is enough, since all slices of `text` are whole strings.
        let bytes = |entry: &SymbolEntry| &text[entry.start..entry.start + entry.length as usize];
        let length = u32::try_from(string.len()).ok()?;
        let entry = self.index.entry(
            hash,
            |entry| entry.length == length && bytes(entry) == string.as_bytes(),
            |entry| hasher.hash_one(&self.text[entry.start..entry.start + entry.length as usize]),
        );
        match entry {
            hashbrown::hash_table::Entry::Occupied(found) => Some(Symbol(found.get().symbol)),
            hashbrown::hash_table::Entry::Vacant(vacant) => {
                let symbol = u32::try_from(self.ends.len()).ok().filter(|&at| at < u32::MAX)?;
                vacant.insert(SymbolEntry { start: self.text.len(), length, symbol });
                self.text.push_str(string);
                self.ends.push(self.text.len());
                Some(Symbol(symbol))
            }
        }
    }

    pub(super) fn get(&self, symbol: Symbol) -> &str {
        let start = symbol.index().checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[symbol.index()]]
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
    }
}
