//! Path formulas without a net: every name is a place and a transition.
//!
//! The names are collected from the lexemes first; then the formula is parsed for a net with just these nodes.

use fireset_net::{Formula, Nodes, PathFormula};

use super::{
    lexer::{LexemeKind, Lexer},
    names::Binder,
    parser::Parser,
};
use crate::{Fault, InputError};

/// Reads a path formula without quantifiers; errors name it `source`. Also returns the nodes that it uses. A name alone, where
/// a formula is expected, means that the place is marked.
pub fn read_path(source: &str, text: &str) -> Result<(PathFormula, Nodes), InputError> {
    let read = || {
        let nodes = nodes(text)?;
        let mut parser = Parser::new(text, Binder::new(&nodes))?;
        parser.free = true;
        let formula = parser.query()?.formula;
        let start = (text.len() - text.trim_start().len()) as u64;
        if formula.any(&|f| matches!(f, Formula::Exists(_) | Formula::ForAll(_))) {
            let fault = Fault::at(start, "a path formula has no quantifier");
            return Err(fault.hint("leave out `A` and `E`; a path formula describes a single run"));
        }
        match PathFormula::try_from(&formula) {
            Ok(path) => Ok((path, nodes)),
            Err(_) if formula.is_about_runs() => {
                let message = "formulas with `fired`, past operators or fairness have no automaton here";
                Err(Fault::at(start, message)
                    .hint("`check` decides them; describe markings and the future alone"))
            }
            Err(_) => Err(Fault::at(start, "this is a property of the whole net, not of a path")),
        }
    };
    read().map_err(|fault| InputError::locate_in(source, text, fault))
}

/// Nodes for all names in a text.
fn nodes(text: &str) -> Result<Nodes, Fault> {
    let mut nodes = Nodes::default();
    let mut lexer = Lexer::new(text);
    loop {
        let token = lexer.next()?;
        match token.kind {
            LexemeKind::End => return Ok(nodes),
            LexemeKind::Name => {
                nodes.places.insert(&token.name());
                nodes.transitions.insert(&token.name());
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::show;

    #[test]
    fn names_need_no_net() {
        let shown = |text| {
            let (formula, nodes) = read_path("formula", text).unwrap();
            show(&formula.into(), &nodes)
        };
        assert_eq!(shown("G (p -> F \"a b\")"), "G (p >= 1 -> F (\"a b\" >= 1))");
        assert_eq!(shown("fireable(p) U p + q < 3 && r"), shown("fireable(p) U p + q < 3 && r >= 1"));
    }

    #[test]
    fn only_paths_are_described() {
        let refused = |text| read_path("formula", text).unwrap_err().to_string();
        assert!(refused("A G p").contains("no quantifier"));
        assert!(refused("G (p -> EF q)").contains("no quantifier"));
        assert!(refused("bound(p)").contains("whole net"));
        assert!(refused("p + 1").contains("is a number"));
        assert!(refused("G p )").contains("closes nothing"));
    }
}
