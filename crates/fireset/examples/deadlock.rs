//! Reads a net, asks whether it can deadlock, and prints the verdict with the run that shows it:
//! `cargo run --example deadlock -- examples/philosophers.pnml`

use std::{env, error::Error, path::Path};

use fireset::{Budget, Evidence, Options, Problem, Verdict, check, io::query, read};

/// The verdict on `EF deadlock`, with the names of the transitions that lead into the deadlock.
fn deadlock(path: &Path) -> Result<String, Box<dyn Error>> {
    let model = read(path)?;
    let property = query::read("deadlock", "EF deadlock", model.nodes())?;
    let problem = Problem { queries: vec![property.query()?], model: model.into() };
    let report = check(&problem, &Options::default(), &Budget::unlimited(), &mut ());
    let outcome = &report.outcomes[0];
    Ok(match (&outcome.verdict, &outcome.evidence) {
        (Verdict::Holds, Some(Evidence::Trace(trace))) => {
            let nodes = problem.model.nodes();
            let run: Vec<&str> = trace.0.iter().map(|step| nodes.transition(step.transition)).collect();
            format!("a deadlock is reachable: {}", run.join(" "))
        }
        (Verdict::Fails, _) => "no deadlock is reachable".into(),
        (verdict, _) => format!("{verdict:?}"),
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args_os().nth(1).ok_or("give the path of a PNML file")?;
    #[allow(clippy::print_stdout)] // An example prints; the library does not.
    {
        println!("{}", deadlock(Path::new(&path))?);
    }
    Ok(())
}

#[test]
fn philosophers_deadlock_in_three_steps() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let said = deadlock(&examples.join("philosophers.pnml")).unwrap();
    let steps = said.strip_prefix("a deadlock is reachable: ").expect(&said);
    assert_eq!(steps.split(' ').count(), 3, "each philosopher takes a fork: {said}");
    assert_eq!(deadlock(&examples.join("contest")).unwrap(), "no deadlock is reachable");
}
