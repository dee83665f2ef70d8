//! Certificates that a predicate is met in no reachable marking, by the state equation and by traps.
//!
//! [`Certifier`] looks for an argument that a predicate is met in no reachable marking, about the net and the predicate as
//! they are written. The refutation is the tree that the search finds anyway; its constraints are told by their origins, in
//! the net's own places and transitions. Deadlocks that siphons and traps exclude have the traps as an inductive formula;
//! a predicate that needs tokens where none can come has the places that never get more than they have at the start.
//! Whether a certificate convinces is for `fireset_net::replay` to say. Sound for place/transition nets. Cost: the time limit of
//! the call.
//! Test: `tests/certificates.rs`.

use std::{cell::OnceCell, time::Duration};

use fireset_net::{
    Arc, Certificate, Choice, Comparison, Counted, Expr, Net, PlaceId, Premise, Refutation, StateAtom,
    StatePredicate, TransitionId,
};
use fireset_structure::{
    MarkingCondition, StateEquation,
    state_equation::{
        cuts::CutReason,
        refutation::{BranchChoice, ConstraintOrigin, RefutationTree},
    },
};

type CertificateMethod = fn(&StateEquation<'_>, &MarkingCondition) -> Option<Certificate>;

/// Finds certificates that predicates are met in no reachable marking of a net.
#[derive(Debug)]
pub struct Certifier<'a> {
    net: &'a Net,
    /// Made by the first call; `None` where a number does not fit.
    equation: OnceCell<Option<StateEquation<'a>>>,
}

impl<'a> Certifier<'a> {
    /// Nothing is computed before the first certificate is looked for.
    pub fn of(net: &'a Net) -> Self {
        Self { net, equation: OnceCell::new() }
    }

    /// Certificates that no reachable marking gives a state predicate this value, as they are found within a time.
    pub fn certificates<'s>(
        &'s self,
        predicate: &'s StatePredicate,
        value: bool,
        time: Duration,
    ) -> impl Iterator<Item = Certificate> + 's {
        let methods: [CertificateMethod; 3] = [by_constant_places, by_traps, by_refutation];
        let equation = self.equation.get_or_init(|| StateEquation::of(self.net));
        equation.iter().flat_map(move |equation| {
            equation.grant(time);
            methods.into_iter().filter_map(move |method| {
                let condition = MarkingCondition::of(predicate, value, equation.net());
                (!equation.is_over()).then(|| method(equation, &condition))?
            })
        })
    }
}

/// By places that never get more tokens than they have at the start, if the condition needs more.
fn by_constant_places(equation: &StateEquation<'_>, condition: &MarkingCondition) -> Option<Certificate> {
    let grows = growing_places(equation.net());
    if is_possible(equation, condition, &grows) {
        return None;
    }
    let stays = |(place, _): (usize, &bool)| {
        let tokens = i64::try_from(equation.initial(place as u32)).ok()?;
        let tokens = Expr::Constant(tokens);
        Some(StateAtom::Compare(Comparison::LessEqual, Expr::Tokens(places(&[place as u32])), tokens).into())
    };
    let bounded = grows.iter().enumerate().filter(|(_, grows)| !**grows);
    Some(Certificate::Inductive(StatePredicate::And(bounded.filter_map(stays).collect())))
}

/// The places that may get more tokens than they have at the start. A transition may fire if each of its inputs has
/// enough at the start or is such a place.
fn growing_places(net: &Net) -> Vec<bool> {
    let lacks = |arc: &Arc| net.initial_marking().tokens(arc.place) < arc.weight;
    let mut waiting: Vec<Vec<TransitionId>> = vec![Vec::new(); net.nodes().places.len()];
    let mut lacking: Vec<usize> = Vec::new();
    for t in net.nodes().transition_ids() {
        let arcs = net.pre(t).iter().filter(|arc| lacks(arc));
        lacking.push(arcs.map(|arc| waiting[arc.place.index()].push(t)).count());
    }
    let mut grows = vec![false; waiting.len()];
    let mut open: Vec<TransitionId> =
        net.nodes().transition_ids().filter(|t| lacking[t.index()] == 0).collect();
    while let Some(t) = open.pop() {
        let takes = |arc: &Arc| net.pre(t).iter().find(|input| input.place == arc.place);
        let more = |arc: &&Arc| takes(arc).is_none_or(|input| input.weight < arc.weight);
        for arc in net.post(t).iter().filter(more) {
            let place = arc.place.index();
            if std::mem::replace(&mut grows[place], true) {
                continue;
            }
            for &next in &waiting[place] {
                lacking[next.index()] -= 1;
                open.extend((lacking[next.index()] == 0).then_some(next));
            }
        }
    }
    grows
}

/// Whether the most that places can have allows a condition.
fn is_possible(equation: &StateEquation<'_>, condition: &MarkingCondition, grows: &[bool]) -> bool {
    match condition {
        MarkingCondition::AtLeast(form) => {
            let most = form.terms.iter().try_fold(form.constant, |sum, &(place, factor)| {
                let most = if factor < 0 { 0 } else { equation.initial(place) };
                let is_bounded = factor < 0 || !grows[place as usize];
                sum.checked_add(factor.checked_mul(most.into())?).filter(|_| is_bounded)
            });
            most.is_none_or(|most| most >= 0)
        }
        MarkingCondition::All(all) => all.iter().all(|part| is_possible(equation, part, grows)),
        MarkingCondition::Any(some) => some.iter().any(|part| is_possible(equation, part, grows)),
        MarkingCondition::Disabled(_) => true,
    }
}

/// By marked traps, if only a deadlock meets the condition.
fn by_traps(equation: &StateEquation<'_>, condition: &MarkingCondition) -> Option<Certificate> {
    let needs_deadlock = condition.needs_deadlock(equation.net());
    let traps = if needs_deadlock { equation.traps_against_deadlock()? } else { return None };
    let is_marked = |trap: &[u32]| {
        let tokens = Expr::Tokens(places(trap));
        StateAtom::Compare(Comparison::GreaterEqual, tokens, Expr::Constant(1)).into()
    };
    Some(Certificate::Inductive(StatePredicate::And(traps.iter().map(|trap| is_marked(trap)).collect())))
}

fn by_refutation(equation: &StateEquation<'_>, condition: &MarkingCondition) -> Option<Certificate> {
    let (_, tree) = equation.refutation(condition)?;
    Some(Certificate::Refutation(translated(equation, &tree)?))
}

fn translated(equation: &StateEquation<'_>, tree: &RefutationTree) -> Option<Refutation> {
    Some(match tree {
        RefutationTree::Leaf(constraints) => {
            let premises = constraints.iter().map(|(origin, times)| Some((premise(origin)?, *times)));
            Refutation::Contradiction(premises.collect::<Option<_>>()?)
        }
        RefutationTree::Branch(branch, trees) => {
            let cases = trees.iter().map(|tree| translated(equation, tree));
            Refutation::Cases(choice(equation, branch), cases.collect::<Option<_>>()?)
        }
    })
}

fn choice(equation: &StateEquation<'_>, branch: &BranchChoice) -> Choice {
    match branch {
        BranchChoice::Part(path) => Choice::Goal(path.to_vec()),
        BranchChoice::Cut(reason) => Choice::Cut(cut(reason)),
        BranchChoice::Tokens(place, most) => Choice::Whole(Counted::Tokens(places(&[*place])), *most),
        BranchChoice::Firings(column, most) => {
            Choice::Whole(Counted::Firings(equation.columns().members(*column).to_vec()), *most)
        }
    }
}

fn premise(origin: &ConstraintOrigin) -> Option<Premise> {
    Some(match origin {
        ConstraintOrigin::Place(place) => Premise::Place(PlaceId::new(*place as usize)),
        ConstraintOrigin::Part(path) => Premise::Goal(path.to_vec()),
        ConstraintOrigin::Case(number) => Premise::Case(*number),
        ConstraintOrigin::Cut(reason) => Premise::Cut(cut(reason)),
        ConstraintOrigin::Region => return None,
    })
}

fn cut(reason: &CutReason) -> fireset_net::Cut {
    match reason {
        CutReason::Emptying(among) => fireset_net::Cut::Emptying(places(among)),
        CutReason::Filling(among) => fireset_net::Cut::Filling(places(among)),
    }
}

fn places(numbers: &[u32]) -> Vec<PlaceId> {
    numbers.iter().map(|&place| PlaceId::new(place as usize)).collect()
}
