//! Under-approximation by few colours, as a pass: a run of the smaller net is one of the coloured net, step by step.
//!
//! What: guards get a further condition, by which each variable takes one of a few colours of its sort. Nothing else changes,
//! so tokens of other colours stay where they are, and the unfolding counts them as constants. The colours are the first ones of
//! a sort, those that the net names, and those of places with few tokens.
//! Why: most goals need a few processes of 100,000, and most lassos one.
//!
//! Every step of the smaller net is a step of the coloured net with the same effect. So a witness on the smaller net is one on the
//! coloured net for each formula that is implied there:
//!
//! | literal | is implied by |
//! |---|---|
//! | comparison of token counts, also of colours | itself: the markings are the same |
//! | `fireable(t)`, `!deadlock` | itself: what is enabled is enabled under more bindings |
//! | `!fireable(t)` | too few tokens in an input place, for any binding |
//! | `deadlock` | the same for all transitions |
//! | the transition is not fireable under bindings that are named | nothing |
//!
//! The formula as it is is asked too where that changes it. In either case an answer comes back only where its run replays on the
//! coloured net: a run that ends may have to go on there.
//!
//! Cost: linear in the net and the queries; the replay of the run. Test: `tests/colours.rs`.

use std::{collections::BTreeSet, sync::Arc};

use fireset_net::{
    Budget, Comparison, Expr, Formula, Model, Outcome, Problem, Query, SortId, StopReason, Technique,
    TransitionId, VariableId, Verdict,
    coloured::{Colour, ColourTerm, ColouredArc, ColouredNet, ColouredNetBuilder, Guard, SortKind},
    replay,
};

use super::{
    abstraction::nothing,
    erasure::simple_sorts,
    named_colours::{MAX_NAMED, named_colours},
    one_sided::SoughtWitness,
    size_with,
};
use crate::{Lift, Pass, Reduced};

/// Numbers of first colours that are tried.
const FIRST_COLOURS: [u64; 4] = [8, 5, 3, 2];
/// Tuples that a variable of a product sort may take; more are not listed, and it takes any.
const MAX_TUPLES: usize = 64;

/// Lets variables take few colours, and keeps answers whose runs replay.
#[derive(Clone, Copy, Debug)]
pub struct ColourRestriction {
    /// As many colours are taken as leave the unfolding at most this number of transitions and places that can change.
    pub most_nodes: u64,
}

impl Default for ColourRestriction {
    fn default() -> Self {
        Self { most_nodes: 1 << 12 }
    }
}

impl Pass for ColourRestriction {
    fn name(&self) -> &'static str {
        "colour restriction"
    }

    fn apply(&self, problem: &Problem, budget: &Budget) -> Result<Option<Reduced>, StopReason> {
        let Model::Coloured(net) = &*problem.model else { return Ok(None) };
        let Some(restricted) = FewColours::to_size(net, self.most_nodes).and_then(|few| few.net()) else {
            return Ok(Some(nothing(problem)));
        };
        let (mut queries, mut asked_for, mut asked) = (Vec::new(), Vec::new(), Vec::new());
        for (at, query) in problem.queries.iter().enumerate() {
            let Some(witness) = SoughtWitness::of(query) else { continue };
            let stronger = witness.with_literals(&|literal| implying(literal, net));
            let same = Some(witness.shows.clone()).filter(|same| Some(same) != stronger.as_ref());
            let formulas = [stronger, same].into_iter().flatten();
            for part in formulas.filter_map(|shows| witness.query(&shows)) {
                queries.push(part);
                asked_for.push(at);
                asked.push((query.clone(), witness.verdict(true)));
            }
        }
        let lift = RestrictionLift { model: problem.model.clone(), asked, budget: budget.clone() };
        let problem = Problem { model: Arc::new(Model::Coloured(restricted)), queries };
        Ok(Some(Reduced { problem, asked_for, lift: Box::new(lift) }))
    }
}

/// A literal that, true on the net with few colours, makes `literal` true on the net.
fn implying(literal: &Formula, net: &ColouredNet) -> Formula {
    match literal {
        Formula::Deadlock => {
            Formula::And(net.nodes().transition_ids().map(|t| lacks_tokens(t, net)).collect())
        }
        Formula::Not(atom) => match &**atom {
            Formula::Fireable(transitions) => {
                Formula::And(transitions.iter().map(|&t| lacks_tokens(t, net)).collect())
            }
            Formula::BindingFireable(_) => Formula::Constant(false),
            _ => literal.clone(),
        },
        _ => literal.clone(),
    }
}

/// Some input place of a transition has fewer tokens than it takes under any binding.
fn lacks_tokens(transition: TransitionId, net: &ColouredNet) -> Formula {
    let too_few = |arc: &ColouredArc| {
        let takes = Expr::Constant(arc.term.cardinality(net.sorts())?.try_into().ok()?);
        Some(Formula::Compare(Comparison::Less, Expr::Tokens(vec![arc.place]), takes))
    };
    Formula::Or(net.transition(transition).pre.iter().filter_map(too_few).collect())
}

/// The colours that variables may take, for each simple sort; all where there are none.
struct FewColours<'a> {
    net: &'a ColouredNet,
    colours: Vec<Option<BTreeSet<Colour>>>,
}

impl<'a> FewColours<'a> {
    /// The most colours that leave the size; `None` where no sort loses any.
    fn to_size(net: &'a ColouredNet, most: u64) -> Option<Self> {
        let mut choices = FIRST_COLOURS.iter().map(|&first| Self::of(net, first));
        let last = Self::of(net, FIRST_COLOURS[FIRST_COLOURS.len() - 1]);
        let few = choices.find(|few| few.size() <= most).unwrap_or(last);
        few.colours.iter().any(Option::is_some).then_some(few)
    }

    fn of(net: &'a ColouredNet, first: u64) -> Self {
        let mut colours = vec![None; net.sorts().iter().len()];
        let named = named_colours(net, first);
        for sort in simple_sorts(net) {
            let mut few: BTreeSet<Colour> = (0..first.min(net.sorts()[sort].size())).map(Colour).collect();
            few.extend(named[sort.index()].iter().take(MAX_NAMED));
            if (few.len() as u64) < net.sorts()[sort].size() {
                colours[sort.index()] = Some(few);
            }
        }
        Self { net, colours }
    }

    /// At most how many nodes of the unfolding can change, by the number of bindings.
    fn size(&self) -> u64 {
        let all: Vec<u64> = (0..self.colours.len()).map(|at| self.count(SortId::new(at))).collect();
        let places =
            self.net.nodes().place_ids().map(|place| self.net.sorts()[self.net.place(place).sort].size());
        let places = places.fold(0, u64::saturating_add);
        size_with(self.net, self.net.sorts(), |v| all[self.net.variable(v).sort.index()])
            .saturating_sub(places)
    }

    fn count(&self, sort: SortId) -> u64 {
        match (&self.colours[sort.index()], &self.net.sorts()[sort].kind) {
            (Some(few), _) => few.len() as u64,
            (None, SortKind::Product(parts)) => {
                parts.iter().map(|&part| self.count(part)).fold(1, u64::saturating_mul)
            }
            (None, _) => self.net.sorts()[sort].size(),
        }
    }

    /// The colours of a sort; `None` where it has all, or where they are too many to list.
    fn listed(&self, sort: SortId) -> Option<Vec<Colour>> {
        let sorts = self.net.sorts();
        if let Some(few) = &self.colours[sort.index()] {
            return Some(few.iter().copied().collect());
        }
        let SortKind::Product(parts) = &sorts[sort].kind else { return None };
        if self.count(sort) == sorts[sort].size() || self.count(sort) > MAX_TUPLES as u64 {
            return None;
        }
        let mut tuples = vec![Vec::new()];
        for &part in parts {
            let colours = self.listed(part).unwrap_or_else(|| (0..sorts[part].size()).map(Colour).collect());
            let longer = |tuple: &Vec<Colour>| {
                colours.iter().map(|&colour| [&tuple[..], &[colour]].concat()).collect::<Vec<_>>()
            };
            tuples = tuples.iter().flat_map(longer).collect();
        }
        Some(tuples.iter().map(|tuple| sorts.tuple(parts, tuple)).collect())
    }

    /// That a variable has one of its colours; a condition on the first colours alone is one comparison.
    fn condition(&self, variable: VariableId) -> Option<Guard> {
        let sort = self.net.variable(variable).sort;
        let colours = self.listed(sort)?;
        let first = colours.iter().zip(0..).take_while(|(colour, at)| colour.0 == *at).count();
        let compare = |how, colour: Colour| {
            let value = (sort, ColourTerm::Variable(variable));
            Guard::Compare(how, value, (sort, ColourTerm::Constant(sort, colour)))
        };
        let below = colours[..first].last().map(|&last| compare(Comparison::LessEqual, last));
        let others = colours[first..].iter().map(|&colour| compare(Comparison::Equal, colour));
        Some(Guard::Or(below.into_iter().chain(others).collect()))
    }

    /// The net with the conditions.
    fn net(&self) -> Option<ColouredNet> {
        let (net, mut builder) = (self.net, ColouredNetBuilder::new(self.net.name.clone()));
        builder.sorts = net.sorts().clone();
        for variable in net.variables() {
            builder.variable(variable.name.clone(), variable.sort);
        }
        for place in net.nodes().place_ids() {
            let coloured = net.place(place);
            builder.place(net.nodes().place(place), coloured.sort, coloured.initial.clone()).ok()?;
        }
        for id in net.nodes().transition_ids() {
            let transition = net.transition(id);
            let conditions = transition.variables().iter().filter_map(|&v| self.condition(v));
            let guard = Guard::And(conditions.chain([transition.guard.clone()]).collect());
            let at = builder.transition(net.nodes().transition(id), guard).ok()?;
            for arc in &transition.pre {
                builder.input(arc.place, at, arc.term.clone()).ok()?;
            }
            for arc in &transition.post {
                builder.output(at, arc.place, arc.term.clone()).ok()?;
            }
            for arc in &transition.inhibitors {
                builder.inhibitor(arc.place, at, arc.term.clone()).ok()?;
            }
        }
        Some(builder.build())
    }
}

/// Brings back witnesses that replay.
struct RestrictionLift {
    model: Arc<Model>,
    /// For each query, the one of the coloured net that it is asked for, and the answer to it where there is a witness.
    asked: Vec<(Query, Verdict)>,
    /// Of the replays.
    budget: Budget,
}

impl Lift for RestrictionLift {
    fn lift(&mut self, at: usize, mut outcome: Outcome) -> Option<Outcome> {
        let (query, verdict) = &self.asked[at];
        match outcome.verdict {
            Verdict::Unknown(_) => return Some(outcome),
            Verdict::Holds => outcome.verdict = verdict.clone(),
            _ => return None,
        }
        let evidence = outcome.evidence.as_ref()?;
        replay::confirm_within(&self.model, query, verdict, evidence, &self.budget).ok()?;
        outcome.techniques.push(Technique::QueryReduction);
        Some(outcome)
    }
}
