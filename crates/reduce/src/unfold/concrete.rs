//! Runs of the unfolded net as runs of the coloured one.
//!
//! A transition stands for bindings that move tokens of the same classes. Which of them is enabled depends on the
//! colours that are really there, so the run is followed on the coloured net, and each step takes the first binding
//! that is enabled; `classes` says why there is one. A cycle of the unfolded net ends in a marking alike, not always in
//! the same one: it is repeated until a marking comes again.

use fireset_net::{
    Branch, Branching, Claim, CtlAtom, CtlFormula, Evidence, Formula, Lasso, Query, Semantics, Step, Trace,
    coloured::{ColouredMarking, ColouredNet},
};

use super::{UnfoldingMap, colour_irrelevance::complete};

/// Rounds of a cycle, and steps in them, after which evidence is given up.
const MOST_ROUNDS: usize = 1000;
const MOST_STEPS: usize = 1_000_000;

impl UnfoldingMap {
    /// Evidence on the unfolded net as evidence on the coloured net. `None` where a cycle does not come back within
    /// some rounds. Runs that branch may show less there, since they need not meet where they did.
    pub(super) fn concrete(&self, net: &ColouredNet, query: &Query, evidence: Evidence) -> Option<Evidence> {
        let mut run = ColouredRun { map: self, net, state: net.initial() };
        match evidence {
            // It is about the places of the unfolded net.
            Evidence::Certificate(_) => None,
            Evidence::Trace(Trace(steps)) => run.follow(&steps).map(|steps| Evidence::Trace(Trace(steps))),
            Evidence::Lasso(Lasso { prefix, cycle }) => {
                let mut steps = run.follow(&prefix)?;
                if cycle.is_empty() {
                    return Some(Evidence::Lasso(Lasso { prefix: steps, cycle }));
                }
                let mut seen = vec![(run.state.clone(), steps.len())];
                for _ in 0..MOST_ROUNDS.min(1 + MOST_STEPS / cycle.len()) {
                    steps.extend(run.follow(&cycle)?);
                    if let Some((_, start)) = seen.iter().find(|(state, _)| *state == run.state) {
                        let cycle = steps.split_off(*start);
                        return Some(Evidence::Lasso(Lasso { prefix: steps, cycle }));
                    }
                    seen.push((run.state.clone(), steps.len()));
                }
                None
            }
            Evidence::Branching(Branching { runs, claims }) => {
                let mut states = vec![run.state.clone()];
                let mut concrete = Vec::with_capacity(runs.len());
                for Branch { from, steps } in runs {
                    run.state = states.get(from)?.clone();
                    let mut taken = Vec::with_capacity(steps.len());
                    for step in &steps {
                        taken.push(run.take(step)?);
                        states.push(run.state.clone());
                    }
                    concrete.push(Branch { from, steps: taken });
                }
                let claims = self.concrete_claims(query, &claims);
                Some(Evidence::Branching(Branching { runs: concrete, claims }))
            }
        }
    }

    /// What is claimed of unfolded places, said of coloured ones as the query does.
    fn concrete_claims(&self, query: &Query, claims: &[Claim]) -> Vec<Claim> {
        let Query::Ctl(formula) = query else { return Vec::new() };
        let (mut parts, mut concrete) = (vec![formula], Vec::new());
        while let Some(part) = parts.pop().filter(|_| !claims.is_empty()) {
            parts.extend(part.children());
            if let CtlFormula::Atom(CtlAtom::Temporal(_, operator)) = part {
                parts.extend(operator.operands());
                let unfolded = Formula::from(&part.map_state_atoms(&mut |atom| self.atom(atom)));
                let about = claims.iter().filter(|claim| claim.formula == unfolded);
                let said = about.map(|claim| Claim { formula: part.into(), ..*claim });
                let new: Vec<Claim> = said.filter(|claim| !concrete.contains(claim)).collect();
                concrete.extend(new);
            }
        }
        concrete
    }
}

/// A run of the coloured net.
struct ColouredRun<'a> {
    map: &'a UnfoldingMap,
    net: &'a ColouredNet,
    state: ColouredMarking,
}

impl ColouredRun<'_> {
    /// Takes steps of the unfolded net.
    fn follow(&mut self, steps: &[Step]) -> Option<Vec<Step>> {
        steps.iter().map(|step| self.take(step)).collect()
    }

    fn take(&mut self, step: &Step) -> Option<Step> {
        let members = &self.map.members[step.transition.index()];
        let step = members.iter().find_map(|&member| {
            let step = self.map.bindings.step(member);
            let step = match &self.map.folded {
                Some(folded) => complete(self.net, folded, &self.state, &step)?,
                None => step,
            };
            self.net.enabled(&self.state, &step).is_ok().then_some(step)
        })?;
        self.state = self.net.fire(&self.state, &step).ok()?;
        Some(step)
    }
}
