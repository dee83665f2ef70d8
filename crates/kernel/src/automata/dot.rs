//! Büchi automata as graphs for Graphviz: accepting states have a double line.

use super::{AtomLiteral, Buchi};

impl Buchi {
    /// A graph with this name, where `atoms` has the names of the atoms by number.
    ///
    /// # Panics
    /// When an atom of the automaton has no name.
    pub fn to_dot(&self, name: &str, atoms: &[String]) -> String {
        let mut out = format!("digraph {} {{\n  rankdir=LR\n", quote(name));
        for state in &self.initial {
            out += &format!("  start{state} [shape=point]\n  start{state} -> s{state}\n");
        }
        for (number, state) in self.states.iter().enumerate() {
            let shape = if state.accepting { "doublecircle" } else { "circle" };
            out += &format!("  s{number} [shape={shape}, label=\"{number}\"]\n");
            for edge in &state.edges {
                let label = quote(&label(&edge.cube, atoms));
                out += &format!("  s{number} -> s{} [label={label}]\n", edge.to);
            }
        }
        out + "}\n"
    }
}

/// A readable cube. Names that are not plain words are put in parentheses below `!`.
fn label(cube: &[AtomLiteral], atoms: &[String]) -> String {
    let literal = |l: &AtomLiteral| {
        let name = &atoms[l.atom as usize];
        let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        match (l.positive, plain) {
            (true, _) => name.clone(),
            (false, true) => format!("!{name}"),
            (false, false) => format!("!({name})"),
        }
    };
    if cube.is_empty() { "true".into() } else { cube.iter().map(literal).collect::<Vec<_>>().join(" && ") }
}

/// A quoted string of Graphviz.
fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use crate::automata::{AtomLiteral, LtlFormula, translate};

    #[test]
    fn a_picture() {
        let literal = |atom, positive| Box::new(LtlFormula::Literal(AtomLiteral { atom, positive }));
        let automaton = translate(&LtlFormula::Until(literal(0, false), literal(1, false)), 100).unwrap();
        let expected = "digraph \"f\" {\n  rankdir=LR\n  start0 [shape=point]\n  start0 -> s0\n\
                        \x20 s0 [shape=circle, label=\"0\"]\n  s0 -> s0 [label=\"!p\"]\n  \
                        s0 -> s1 [label=\"!(q >= \\\"2\\\")\"]\n\
                        \x20 s1 [shape=doublecircle, label=\"1\"]\n  s1 -> s1 [label=\"true\"]\n}\n";
        assert_eq!(automaton.to_dot("f", &["p".into(), "q >= \"2\"".into()]), expected);
    }
}
