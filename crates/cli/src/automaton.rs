//! `fireset automaton`: writes a Büchi automaton for a path formula.

use std::{collections::HashMap, process::ExitCode};

use fireset::{
    automata::translate,
    io::query,
    ltl::path::{path, size, spelled_out, spelled_out_size},
    net::{Comparison, Expr, Nodes, StateAtom, StatePredicate},
};

use crate::{
    args::{AutomatonArgs, AutomatonFormat},
    failure::Failure,
    load,
};

pub fn run(args: &AutomatonArgs) -> Result<ExitCode, Failure> {
    let (formula, nodes) = query::read_path("the formula", &args.formula)?;
    // With shared subformulas expanded, a formula can be much longer; its automaton would not be small either.
    if size(&formula, &spelled_out_size) > args.limit.saturating_mul(10) {
        return Err(unfinished());
    }
    let mut atoms = HashMap::new();
    let mut names = Vec::new();
    let mut number = |atom: &StateAtom| {
        *atoms.entry(atom.clone()).or_insert_with(|| {
            names.push(name(atom, &nodes));
            names.len() as u32 - 1
        })
    };
    let normal = path(&formula, &mut |predicate, positive| spelled_out(predicate, positive, &mut number));
    let automaton = translate(&normal, args.limit).ok_or_else(unfinished)?;
    let title = args.formula.trim();
    let text = match args.to {
        AutomatonFormat::Hoa => automaton.to_hoa(title, &names),
        AutomatonFormat::Dot => automaton.to_dot(title, &names),
    };
    load::write_to(args.output.as_deref(), |out| out.write_all(text.as_bytes()))?;
    Ok(ExitCode::SUCCESS)
}

/// The name of an atom: its text, or a place's name if the atom says that the place is marked.
fn name(atom: &StateAtom, nodes: &Nodes) -> String {
    match atom {
        StateAtom::Compare(Comparison::GreaterEqual, Expr::Tokens(places), Expr::Constant(1))
            if places.len() == 1 =>
        {
            nodes.place(places[0]).to_owned()
        }
        _ => query::show(&(&StatePredicate::from(atom.clone())).into(), nodes),
    }
}

fn unfinished() -> Failure {
    let message = "no automaton is written: an intermediate automaton exceeds the limit";
    Failure::Unfinished(message.into(), "allow more states and edges with --limit".into())
}
