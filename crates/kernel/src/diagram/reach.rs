//! What follows from a set of vectors by steps that change few values each.
//!
//! A step is an event that changes values of some levels, each by itself. Saturation closes the sets of the lowest levels first, and
//! closes each new set before it is used: an event fires only on sets that are closed under all events below its highest
//! level. So most events fire on small sets, and the sets in between stay small. Vectors can be
//! constrained to a set (Zhao and Ciardo, "Symbolic CTL model checking of asynchronous systems using constrained saturation", ATVA
//! 2009); [`Set::ALL`] is no constraint.
//! Invariant: what `fire` gives in [`Reach::all`] is closed under all events of its levels.

use std::rc::Rc;

use hashbrown::HashMap;

use super::{Diagram, Set, Stopped, table_bytes};

/// What is left to do of an event on lower levels. Events that go on in the same way share it, and so what is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rest(pub u32);

impl Rest {
    /// Nothing.
    pub const NOTHING: Self = Self(0);
}

/// Steps between vectors. An event changes the values of some levels, from its highest down, each by itself.
pub trait Relation {
    /// What the events whose highest level this is do to a value, if it allows them: what is left of them, and the value
    /// afterwards.
    fn moves(&mut self, level: usize, value: u32) -> Rc<[(Rest, u32)]>;

    /// The highest level that what is left changes or depends on; there is something left.
    fn level(&self, rest: Rest) -> usize;

    /// The value after an event at the highest level of what is left, and what is left then, if `value` allows the event.
    fn step(&mut self, rest: Rest, value: u32) -> Option<(Rest, u32)>;

    /// The bytes that it holds.
    fn bytes(&self) -> usize;
}

/// An operation that follows steps, with what it remembers.
pub struct Reach<'d, 'g, R> {
    diagram: &'d mut Diagram<'g>,
    relation: &'d mut R,
    /// Whether all steps that can follow are taken, or one.
    closing: bool,
    fired: HashMap<(Rest, Set, Set), Set>,
    done: HashMap<(Set, Set), Set>,
    /// Lists that are not in use.
    spare: Vec<Parts>,
    /// Its bytes as the diagram knows them.
    told: usize,
}

/// A value of a node that is being made, and what follows it.
struct Part {
    value: u32,
    set: Set,
    /// Whether events have to be tried with it.
    waits: bool,
}

/// Ascending.
type Parts = Vec<Part>;

impl<'d, 'g, R: Relation> Reach<'d, 'g, R> {
    /// Takes one step, from each vector of a set to one `within` another.
    pub fn one(
        diagram: &'d mut Diagram<'g>,
        relation: &'d mut R,
        within: Set,
        from: Set,
    ) -> Result<Set, Stopped> {
        Self::operation(diagram, relation, false, |it| it.step(within, from))
    }

    /// A set and all that follows from it by steps to vectors `within` another.
    pub fn all(
        diagram: &'d mut Diagram<'g>,
        relation: &'d mut R,
        within: Set,
        from: Set,
    ) -> Result<Set, Stopped> {
        Self::operation(diagram, relation, true, |it| it.close(within, from))
    }

    fn operation(
        diagram: &'d mut Diagram<'g>,
        relation: &'d mut R,
        closing: bool,
        run: impl FnOnce(&mut Self) -> Result<Set, Stopped>,
    ) -> Result<Set, Stopped> {
        let (fired, done, spare) = (HashMap::new(), HashMap::new(), Vec::new());
        let mut it = Self { diagram, relation, closing, fired, done, spare, told: 0 };
        let set = run(&mut it);
        it.diagram.others -= it.told;
        set
    }

    /// Asks now and then whether to go on, and says what it holds itself.
    fn look(&mut self, values: usize) -> Result<(), Stopped> {
        if self.diagram.until_look <= values {
            let bytes = table_bytes(&self.fired) + table_bytes(&self.done) + self.relation.bytes();
            self.diagram.others = self.diagram.others + bytes - self.told;
            self.told = bytes;
        }
        self.diagram.look(values)
    }

    /// One step.
    fn step(&mut self, within: Set, from: Set) -> Result<Set, Stopped> {
        if from <= Set::UNIT || within == Set::EMPTY {
            return Ok(Set::EMPTY);
        }
        if let Some(&known) = self.done.get(&(within, from)) {
            return Ok(known);
        }
        let (level, mut parts) = (self.diagram.level(from), self.spare.pop().unwrap_or_default());
        let (begin, end) = self.diagram.range(from);
        self.look(end - begin)?;
        for at in begin..end {
            let (value, child) = self.diagram.edges[at];
            // Events of lower levels only.
            let inside = self.diagram.child(within, value);
            let below = self.step(inside, child)?;
            self.add(&mut parts, value, below)?;
            for &(rest, next) in self.relation.moves(level, value).iter() {
                let inside = self.diagram.child(within, next);
                let below = self.fire(rest, inside, child)?;
                self.add(&mut parts, next, below)?;
            }
        }
        let set = self.finish(level, parts)?;
        self.done.insert((within, from), set);
        Ok(set)
    }

    /// All steps.
    fn close(&mut self, within: Set, from: Set) -> Result<Set, Stopped> {
        if from <= Set::UNIT || within == Set::EMPTY {
            return Ok(from);
        }
        if let Some(&known) = self.done.get(&(within, from)) {
            return Ok(known);
        }
        let (level, mut parts) = (self.diagram.level(from), self.spare.pop().unwrap_or_default());
        let (begin, end) = self.diagram.range(from);
        self.look(end - begin)?;
        for at in begin..end {
            let (value, child) = self.diagram.edges[at];
            let inside = self.diagram.child(within, value);
            let closed = self.close(inside, child)?;
            parts.push(Part { value, set: closed, waits: false });
        }
        let set = self.saturate(level, within, parts)?;
        self.done.insert((within, from), set);
        Ok(set)
    }

    /// What is left of an event, on the levels from that of `from` on.
    fn fire(&mut self, rest: Rest, within: Set, from: Set) -> Result<Set, Stopped> {
        if from == Set::EMPTY || within == Set::EMPTY {
            return Ok(Set::EMPTY);
        }
        if rest == Rest::NOTHING {
            let inside = self.diagram.intersection(within, from)?;
            // Without a constraint it is closed already.
            return if self.closing && within != Set::ALL { self.close(within, inside) } else { Ok(inside) };
        }
        if let Some(&known) = self.fired.get(&(rest, within, from)) {
            return Ok(known);
        }
        let (level, mut parts) = (self.diagram.level(from), self.spare.pop().unwrap_or_default());
        let here = self.relation.level(rest) == level;
        let (begin, end) = self.diagram.range(from);
        self.look(end - begin)?;
        for at in begin..end {
            let (value, child) = self.diagram.edges[at];
            let step = if here { self.relation.step(rest, value) } else { Some((rest, value)) };
            let Some((rest, next)) = step else { continue };
            let inside = self.diagram.child(within, next);
            let below = self.fire(rest, inside, child)?;
            self.add(&mut parts, next, below)?;
        }
        let set = match self.closing {
            true => self.saturate(level, within, parts)?,
            false => self.finish(level, parts)?,
        };
        self.fired.insert((rest, within, from), set);
        Ok(set)
    }

    /// Closes a node whose children are closed.
    fn saturate(&mut self, level: usize, within: Set, mut parts: Parts) -> Result<Set, Stopped> {
        let mut waiting: Vec<u32> = parts.iter().map(|part| part.value).collect();
        parts.iter_mut().for_each(|part| part.waits = true);
        while let Some(value) = waiting.pop() {
            let moves = self.relation.moves(level, value);
            self.look(1 + moves.len())?;
            let at = position(&parts, value).expect("it waits");
            parts[at].waits = false;
            for &(rest, next) in moves.iter() {
                let inside = self.diagram.child(within, next);
                if inside == Set::EMPTY {
                    continue;
                }
                let child = parts[position(&parts, value).expect("nothing goes")].set;
                let below = self.fire(rest, inside, child)?;
                if let Some(at) = self.add(&mut parts, next, below)?
                    && !std::mem::replace(&mut parts[at].waits, true)
                {
                    waiting.push(next);
                }
            }
        }
        self.finish(level, parts)
    }

    /// Adds what follows a value; where, if it is new.
    fn add(&mut self, parts: &mut Parts, value: u32, set: Set) -> Result<Option<usize>, Stopped> {
        if set == Set::EMPTY {
            return Ok(None);
        }
        match position(parts, value) {
            Ok(at) => {
                let before = parts[at].set;
                parts[at].set = self.diagram.union(before, set)?;
                Ok((parts[at].set != before).then_some(at))
            }
            Err(at) => {
                parts.insert(at, Part { value, set, waits: false });
                Ok(Some(at))
            }
        }
    }

    /// The node of parts.
    fn finish(&mut self, level: usize, mut parts: Parts) -> Result<Set, Stopped> {
        let from = self.diagram.making.len();
        self.diagram.making.extend(parts.drain(..).map(|part| (part.value, part.set)));
        self.spare.push(parts);
        self.diagram.made(level, from)
    }
}

/// Where a value is among parts, or belongs.
fn position(parts: &[Part], value: u32) -> Result<usize, usize> {
    parts.binary_search_by_key(&value, |part| part.value)
}
