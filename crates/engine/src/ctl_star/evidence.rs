//! Evidence for the value of a formula of CTL*: a lasso where one run shows it, else runs that branch.
//!
//! From the formula down: a Boolean combination is shown by operands that determine its value, `E f` that holds and `A f` that fails by
//! a lasso of the product for `f`. The letters of its word that are quantified formulas are shown in turn, at the positions where
//! they are needed ([`RunValues`]), if possible by a run that is there already. Letters that runs show come before those that no run
//! shows: `A f` that holds, `E f` that fails. Such a value is shown where there is only one run, and claimed elsewhere.
//! Where the evidence would be claims alone, or a limit is passed, there is none.
//!
//! Invariants: (1) a marking has a number before anything is shown in it; (2) where runs alone show the value, there is no claim.
//! Cost: a product for each quantified formula that is shown, and limits below. Test: `tests/ctl_star.rs`, where all evidence is
//! replayed.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    ops::ControlFlow,
    rc::Rc,
};

use fireset_kernel::{bits::Bits, store::TreeRow};
use fireset_net::{Branch, Branching, Claim, CtlStarAtom, CtlStarFormula, Evidence, Lasso, Quantifier, Step};

use super::{
    labelling::{LetterSource, StarLabelling, has_quantifier},
    product::{LabelledProduct, MarkingLasso},
    run_values::{PositionValue, RunValues, ShownBy},
};
use crate::{
    ctl::{MAX_CLAIMS, max_steps},
    search::{ActionCursor, MarkingSpace, WorkLimit},
};

/// The most edges of products that are followed for cycles, in about a second.
const MAX_EDGES: u64 = 10_000_000;

/// Runs that show the value of a formula about markings in the initial one, for a net with `places` places.
pub(super) fn of<S: MarkingSpace>(
    labelling: &mut StarLabelling<'_, '_, S>,
    formula: &CtlStarFormula,
    places: usize,
) -> Option<Evidence> {
    let initial = labelling.initial() as u32;
    let mut builder = StarEvidence {
        space: S::clone(labelling.graph.space),
        limit: WorkLimit::new(MAX_EDGES, labelling.budget),
        room: max_steps(places),
        labelling,
        products: HashMap::new(),
        values: HashMap::new(),
        runs: Vec::new(),
        visits: HashMap::new(),
        numbers: HashMap::from([(initial, 0)]),
        branching: Branching::default(),
        seen: HashSet::new(),
        open: VecDeque::new(),
    };
    // No operator looks behind the first position.
    let position = MarkingLasso { markings: vec![initial], back_to: 0 };
    let values = builder.evaluate(formula, &position)?;
    builder.ask(&values, &position, 0);
    while let Some((atom, marking)) = builder.open.pop_front() {
        builder.show(&atom, marking)?;
    }
    builder.finish()
}

struct StarEvidence<'e, 'a, 'm, S> {
    labelling: &'e mut StarLabelling<'a, 'm, S>,
    space: S,
    limit: WorkLimit<'a>,
    /// The number of steps that may still be added.
    room: usize,
    /// By quantified formula and the value that a path gives its path formula.
    products: HashMap<(CtlStarAtom, bool, LetterSource), Rc<LabelledProduct<'a>>>,
    /// By run and quantified formula, those of its path formula.
    values: HashMap<(usize, CtlStarAtom), Rc<RunValues>>,
    runs: Vec<Rc<MarkingLasso>>,
    /// By marking, the runs through it with the positions.
    visits: HashMap<u32, Vec<(usize, usize)>>,
    /// The numbers of markings in the evidence.
    numbers: HashMap<u32, usize>,
    branching: Branching,
    /// The quantified formulas that are shown or to be shown, and where.
    seen: HashSet<(CtlStarAtom, u32)>,
    open: VecDeque<(CtlStarAtom, u32)>,
}

impl<'a, S: MarkingSpace> StarEvidence<'_, 'a, '_, S> {
    /// The values of a formula along a run.
    fn evaluate(&mut self, formula: &CtlStarFormula, run: &MarkingLasso) -> Option<RunValues> {
        let mut sets: HashMap<CtlStarAtom, [Bits; 2]> = HashMap::new();
        self.collect(formula, &mut sets)?;
        let value = |atom: &CtlStarAtom, marking: u32| {
            let [labels, runs] = &sets[atom];
            let by = match atom {
                CtlStarAtom::State(_) => ShownBy::Marking,
                _ if runs.get(marking as usize) => ShownBy::Runs,
                _ => ShownBy::Claim,
            };
            PositionValue { holds: labels.get(marking as usize), by }
        };
        Some(RunValues::new(formula, run, &value))
    }

    /// Collects the letters of a formula with the markings that have them, and those where runs show their value.
    fn collect(
        &mut self,
        formula: &CtlStarFormula,
        sets: &mut HashMap<CtlStarAtom, [Bits; 2]>,
    ) -> Option<()> {
        let mut atoms = Vec::new();
        formula.atoms(&mut |atom| atoms.push(atom));
        for atom in atoms {
            match atom {
                CtlStarAtom::Temporal(operator) => {
                    operator.operands().try_for_each(|f| self.collect(f, sets))?;
                }
                CtlStarAtom::State(_) | CtlStarAtom::Quantified(..) => {
                    let [labels, runs] = [LetterSource::Labels, LetterSource::Runs]
                        .map(|source| self.labelling.letter(atom, source).ok());
                    sets.insert(atom.clone(), [labels?, runs?]);
                }
            }
        }
        Some(())
    }

    /// Asks for the letters that determine the value of a formula at a position of a run.
    fn ask(&mut self, values: &RunValues, run: &MarkingLasso, position: usize) {
        values.needed(position, &mut |atom, at| {
            let letter = (atom.clone(), run.markings[at]);
            if self.seen.insert(letter.clone()) {
                self.open.push_back(letter);
            }
        });
    }

    /// Shows the value of a quantified formula in a marking.
    fn show(&mut self, atom: &CtlStarAtom, marking: u32) -> Option<()> {
        let CtlStarAtom::Quantified(quantifier, path) = atom else {
            unreachable!("it takes runs to show it")
        };
        let holds = self.labelling.letter(atom, LetterSource::Labels).ok()?.get(marking as usize);
        let one_is_enough = holds == (*quantifier == Quantifier::Exists);
        let by_runs = self.labelling.letter(atom, LetterSource::Runs).ok()?.get(marking as usize);
        let most = if by_runs { ShownBy::Runs } else { ShownBy::Claim };
        for (number, position) in self.visits.get(&marking).cloned().unwrap_or_default() {
            let (run, values) = (self.runs[number].clone(), self.values_along(number, atom, path)?);
            let value = values.at(position);
            if value.holds == holds && value.by <= most && (one_is_enough || self.is_only(&run, position)) {
                self.ask(&values, &run, position);
                return Some(());
            }
        }
        if !one_is_enough && self.labelling.graph.steps.after[marking as usize] > 1 {
            return self.claim(atom, marking, holds);
        }
        let run = self.find(atom, holds, marking)?;
        if !one_is_enough && !self.is_only(&run, 0) {
            return self.claim(atom, marking, holds);
        }
        let number = self.record(run)?;
        let (run, values) = (self.runs[number].clone(), self.values_along(number, atom, path)?);
        self.ask(&values, &run, 0);
        Some(())
    }

    /// The values of the path formula of a quantified one along a run of the evidence.
    fn values_along(
        &mut self,
        number: usize,
        atom: &CtlStarAtom,
        path: &CtlStarFormula,
    ) -> Option<Rc<RunValues>> {
        let key = (number, atom.clone());
        if let Some(values) = self.values.get(&key) {
            return Some(values.clone());
        }
        let values = Rc::new(self.evaluate(path, &self.runs[number].clone())?);
        self.values.insert(key, values.clone());
        Some(values)
    }

    /// Whether there is no other run from a position of a run on.
    fn is_only(&self, run: &MarkingLasso, position: usize) -> bool {
        let from = position.min(run.back_to);
        run.markings[from..].iter().all(|&marking| self.labelling.graph.steps.after[marking as usize] <= 1)
    }

    /// A run from a marking on which the path formula of a quantified one has a value; there is one.
    fn find(&mut self, atom: &CtlStarAtom, value: bool, marking: u32) -> Option<MarkingLasso> {
        let CtlStarAtom::Quantified(_, path) = atom else { unreachable!("it has a path formula") };
        if has_quantifier(path) {
            let product = self.product(atom, path, (value, LetterSource::Runs))?;
            if let Some(run) = product.lasso(marking as usize, &mut self.limit) {
                return Some(run);
            }
        }
        let product = self.product(atom, path, (value, LetterSource::Labels))?;
        product.lasso(marking as usize, &mut self.limit)
    }

    fn product(
        &mut self,
        atom: &CtlStarAtom,
        path: &CtlStarFormula,
        (value, source): (bool, LetterSource),
    ) -> Option<Rc<LabelledProduct<'a>>> {
        let key = (atom.clone(), value, source);
        if !self.products.contains_key(&key) {
            let product = self.labelling.product(path, value, source).ok()?;
            self.labelling.kept += product.bytes();
            self.products.insert(key.clone(), Rc::new(product));
        }
        self.products.get(&key).cloned()
    }

    /// Adds a run from a marking that has a number; gives its position among the runs.
    fn record(&mut self, run: MarkingLasso) -> Option<usize> {
        let steps = self.steps(&run)?;
        let (from, number) = (self.numbers[&run.markings[0]], self.runs.len());
        let mut taken: usize = self.branching.runs.iter().map(|run| run.steps.len()).sum();
        // The last step, to where the cycle starts, leads to a marking that has a number.
        for &marking in &run.markings[1..] {
            taken += 1;
            self.numbers.entry(marking).or_insert(taken);
        }
        for (at, &marking) in run.markings.iter().enumerate() {
            self.visits.entry(marking).or_default().push((number, at));
        }
        self.branching.runs.push(Branch { from, steps });
        self.runs.push(Rc::new(run));
        Some(number)
    }

    /// The steps of a run, back to where its cycle starts.
    fn steps(&mut self, run: &MarkingLasso) -> Option<Vec<Step>> {
        let graph = self.labelling.graph;
        let last = *run.markings.last()? as usize;
        let back = (!graph.steps.is_deadlock(last)).then(|| run.markings[run.back_to]);
        let markings: Vec<u32> = run.markings.iter().copied().chain(back).collect();
        self.room = self.room.checked_sub(markings.len() - 1)?;
        let (mut from, mut to) = (TreeRow::default(), TreeRow::default());
        let mut steps = Vec::new();
        for pair in markings.windows(2) {
            graph.store.get(graph.numbers[pair[0] as usize], &mut from);
            graph.store.get(graph.numbers[pair[1] as usize], &mut to);
            let found =
                self.space.successors(from.row(), ActionCursor::default(), |successor| {
                    match successor.row == Some(to.row()) {
                        true => ControlFlow::Break(successor.action),
                        false => ControlFlow::Continue(()),
                    }
                });
            let ControlFlow::Break(action) = found else { unreachable!("a step leads to the next marking") };
            steps.push(self.space.step(action));
        }
        Some(steps)
    }

    /// Claims the value of a quantified formula in a marking.
    fn claim(&mut self, atom: &CtlStarAtom, marking: u32, holds: bool) -> Option<()> {
        let formula = (&CtlStarFormula::Atom(atom.clone())).into();
        self.branching.claims.push(Claim { state: self.numbers[&marking], formula, holds });
        (self.branching.claims.len() <= MAX_CLAIMS).then_some(())
    }

    fn finish(mut self) -> Option<Evidence> {
        let Branching { runs, claims } = &mut self.branching;
        match (&mut runs[..], claims.is_empty()) {
            ([], false) => None,
            ([run], true) => {
                let mut prefix = std::mem::take(&mut run.steps);
                let cycle = prefix.split_off(self.runs[0].back_to);
                Some(Evidence::Lasso(Lasso { prefix, cycle }))
            }
            _ => Some(Evidence::Branching(self.branching)),
        }
    }
}
