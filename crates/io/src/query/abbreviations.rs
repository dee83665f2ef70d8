//! Names that stand for more than one node: patterns, labels that transitions share, and definitions.

use std::rc::Rc;

use fireset_net::{Expr, PlaceId, TransitionId};

use super::{
    lexer::{Lexeme, LexemeKind},
    names::NodeKind,
    parser::{LocatedOperand, Operand, Parser},
    reader::{Definition, NODE},
};
use crate::Fault;

/// The word of a sum over a pattern. It is a keyword only in front of a word and a colon.
const SUM: &str = "sum";

impl<'t> Parser<'t, '_> {
    /// The places that a name in a list stands for: one, or those that match a pattern.
    pub(super) fn places(&mut self, token: Lexeme<'t>) -> Result<Vec<PlaceId>, Fault> {
        match self.matches(NodeKind::Place, token)? {
            Some(matches) => Ok(matches.into_iter().map(PlaceId::new).collect()),
            None => self.place(token).map(|place| vec![place]),
        }
    }

    /// The transitions that a name in a list stands for: one, those that share a label, or those that match a pattern.
    pub(super) fn transitions(&mut self, token: Lexeme<'t>) -> Result<Vec<TransitionId>, Fault> {
        let kind = NodeKind::Transition;
        if let Some(matches) = self.matches(kind, token)? {
            return Ok(matches.into_iter().map(TransitionId::new).collect());
        }
        let name = token.name();
        let bound = self.binder.transitions(&name);
        let bound = bound.map_err(|unbound| self.unbound(kind, token, &name, unbound))?;
        if bound.len() > 1 {
            self.add(bound.len(), token)?;
            let note = format!("the label `{name}` stands for {} transitions, any of them", bound.len());
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        Ok(bound)
    }

    /// The nodes that match a quoted pattern; `None` if the name is no pattern, or the name of a node.
    fn matches(&mut self, kind: NodeKind, token: Lexeme<'t>) -> Result<Option<Vec<usize>>, Fault> {
        let name = token.name();
        if !token.is_pattern() || self.binder.knows(kind, &name) {
            return Ok(None);
        }
        let matches = self.binder.matching(kind, &name);
        if matches.is_empty() {
            let fault = Fault::at(token.start as u64, format!("no {} matches `{name}`", kind.noun()));
            let hint = match (self.binder.matching(kind.other(), &name).len(), kind) {
                (0, _) => self.binder.examples(kind, |name| format!("`{}`", super::quote(name))),
                (_, NodeKind::Place) => format!("it matches transitions; write fireable({})", token.text),
                (_, NodeKind::Transition) => format!("it matches places; write tokens({})", token.text),
            };
            return Err(fault.hint(hint));
        }
        self.add(matches.len(), token)?;
        Ok(Some(matches))
    }

    /// A sum over a pattern, `sum p : "fork_*"`, or the value of a definition; `None` for any other atom.
    pub(super) fn abbreviation(&mut self, token: Lexeme<'t>) -> Result<Option<LocatedOperand>, Fault> {
        if token.kind != LexemeKind::Name || token.is_quoted() {
            return Ok(None);
        }
        if token.text == SUM && self.is_before_colon() {
            return self.sum(token).map(Some);
        }
        match self.definitions.clone().get(token.text) {
            Some(definition) => self.defined(token, definition.as_ref()).map(Some),
            None => Ok(None),
        }
    }

    /// Whether the word at hand is followed by another word and a colon.
    fn is_before_colon(&self) -> bool {
        let mut ahead = self.lexer.clone();
        let is_word = |word: Lexeme<'t>| word.kind == LexemeKind::Name || word.is_keyword();
        ahead.next().is_ok_and(is_word) && ahead.next().is_ok_and(|next| next.kind == LexemeKind::Colon)
    }

    /// `sum p : "fork_*"`. The variable has no other use, since a place denotes its tokens.
    fn sum(&mut self, token: Lexeme<'t>) -> Result<LocatedOperand, Fault> {
        for _ in 0..3 {
            self.advance()?;
        }
        if self.token.kind != LexemeKind::Name {
            return Err(self.unexpected("the pattern of a sum"));
        }
        let places = self.places(self.token)?;
        self.advance()?;
        self.part(token.start, 1, Operand::Number(Expr::Tokens(places)))
    }

    fn defined(
        &mut self,
        token: Lexeme<'t>,
        definition: Option<&Definition>,
    ) -> Result<LocatedOperand, Fault> {
        let Some(definition) = definition else {
            let message = format!("the definition of `{}` is not understood", token.text);
            return Err(Fault::at(token.start as u64, message).hint("correct the definition"));
        };
        self.add(definition.size, token)?;
        self.note_definition(token, definition);
        self.advance()?;
        self.part(token.start, definition.height, definition.operand.clone())
    }

    /// Counts names and nodes that are not in the text of the query.
    fn add(&mut self, count: usize, token: Lexeme<'t>) -> Result<(), Fault> {
        match self.room.checked_sub(count) {
            Some(room) => {
                self.room = room;
                Ok(())
            }
            None => {
                let message = "patterns and definitions make the properties too large";
                Err(Fault::at(token.start as u64, message).hint("use fewer of them"))
            }
        }
    }

    /// Parses the whole text as a number or formula.
    pub(super) fn definition(&mut self) -> Result<Definition, Fault> {
        let room = self.room;
        let LocatedOperand { operand, height, .. } = self.only_expression()?;
        // Each node comes from a letter of the text, or was counted when it was added.
        let size = NODE * self.lexer.text().len() + room - self.room;
        let (logic, is_global) = self.style();
        Ok(Definition { operand, height, size, logic, is_global })
    }

    /// Whether a name is defined, for hints.
    pub(super) fn is_defined(&self, name: &str) -> bool {
        Rc::as_ref(&self.definitions).contains_key(name)
    }
}
