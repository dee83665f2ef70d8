//! Büchi automata in the Hanoi Omega-Automata format, version 1, which most tools for them read.

use super::{AtomLiteral, Buchi};

impl Buchi {
    /// The automaton with this name, where `atoms` has the names of the atoms by number.
    ///
    /// # Panics
    /// When an atom of the automaton has no name.
    pub fn to_hoa(&self, name: &str, atoms: &[String]) -> String {
        let mut out = format!("HOA: v1\nname: {}\nStates: {}\n", quote(name), self.states.len());
        for state in &self.initial {
            out += &format!("Start: {state}\n");
        }
        out += "acc-name: Buchi\nAcceptance: 1 Inf(0)\n";
        out += &format!("AP: {}", atoms.len());
        for atom in atoms {
            out += &format!(" {}", quote(atom));
        }
        out += "\nproperties: trans-labels explicit-labels state-acc\n--BODY--\n";
        for (number, state) in self.states.iter().enumerate() {
            out += &format!("State: {number}{}\n", if state.accepting { " {0}" } else { "" });
            for edge in &state.edges {
                out += &format!("[{}] {}\n", label(&edge.cube, atoms), edge.to);
            }
        }
        out + "--END--\n"
    }
}

/// A cube over the numbers of the atoms.
fn label(cube: &[AtomLiteral], atoms: &[String]) -> String {
    let literal = |l: &AtomLiteral| {
        assert!((l.atom as usize) < atoms.len(), "every atom has a name");
        format!("{}{}", if l.positive { "" } else { "!" }, l.atom)
    };
    if cube.is_empty() { "t".into() } else { cube.iter().map(literal).collect::<Vec<_>>().join("&") }
}

/// A quoted string of the format.
fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use crate::automata::{AtomLiteral, LtlFormula, translate};

    fn literal(atom: u32, positive: bool) -> Box<LtlFormula> {
        LtlFormula::Literal(AtomLiteral { atom, positive }).into()
    }

    #[test]
    fn an_until() {
        let automaton = translate(&LtlFormula::Until(literal(0, true), literal(1, false)), 100).unwrap();
        let atoms = ["p".into(), "say \"q\" \\".into()];
        let expected = r#"HOA: v1
name: "p U !q"
States: 2
Start: 0
acc-name: Buchi
Acceptance: 1 Inf(0)
AP: 2 "p" "say \"q\" \\"
properties: trans-labels explicit-labels state-acc
--BODY--
State: 0
[0] 0
[!1] 1
State: 1 {0}
[t] 1
--END--
"#;
        assert_eq!(automaton.to_hoa("p U !q", &atoms), expected);
    }

    #[test]
    fn again_and_again() {
        let finally = LtlFormula::Until(LtlFormula::Constant(true).into(), literal(0, true));
        let formula = LtlFormula::Release(LtlFormula::Constant(false).into(), finally.into());
        let expected = r#"HOA: v1
name: "G F p"
States: 2
Start: 0
acc-name: Buchi
Acceptance: 1 Inf(0)
AP: 1 "p"
properties: trans-labels explicit-labels state-acc
--BODY--
State: 0 {0}
[t] 1
[0] 0
State: 1
[t] 1
[0] 0
--END--
"#;
        assert_eq!(translate(&formula, 100).unwrap().to_hoa("G F p", &["p".into()]), expected);
    }

    #[test]
    fn no_state_at_all() {
        let text = translate(&LtlFormula::Constant(false), 100).unwrap().to_hoa("false", &[]);
        assert!(text.contains("States: 0\nacc-name"), "{text}");
        assert!(
            text.ends_with("AP: 0\nproperties: trans-labels explicit-labels state-acc\n--BODY--\n--END--\n")
        );
    }
}
