//! Certificates of what the state equation refutes, for those who do not believe it.
//!
//! [`Certifier`] looks for an argument that a predicate is met in no reachable marking, about the net and the predicate as
//! they are written. The refutation is the tree that the search finds anyway; its rows are told by what they are about, in
//! the net's own places and transitions. Deadlocks that siphons and traps exclude have the traps as an inductive formula.
//! Whether a certificate convinces is for `fireset_net::replay` to say. Sound for place/transition nets.
//! Test: `tests/certificates.rs`.

use std::{cell::OnceCell, time::Duration};

use fireset_net::{
    Certificate, Choice, Comparison, Counted, Expr, Formula, Net, PlaceId, Premise, Refutation, TransitionId,
};

use super::{
    Condition, StateEquation,
    cuts::Source,
    search::{Origin, Split, Tree},
};

/// A way to a certificate.
type Way<'a> = fn(&StateEquation<'a>, &Condition) -> Option<Certificate>;

/// Finds certificates for what is never reached in a net.
#[derive(Debug)]
pub struct Certifier<'a> {
    net: &'a Net,
    /// Made when it is first needed; `None` where a number does not fit.
    equation: OnceCell<Option<StateEquation<'a>>>,
}

impl<'a> Certifier<'a> {
    /// For a net.
    pub fn of(net: &'a Net) -> Self {
        Self { net, equation: OnceCell::new() }
    }

    /// Arguments that no reachable marking gives a state predicate this value, as they are found within a time.
    pub fn certificates<'s>(
        &'s self,
        predicate: &'s Formula,
        value: bool,
        time: Duration,
    ) -> impl Iterator<Item = Certificate> + 's {
        let ways: [Way<'a>; 2] = [StateEquation::by_traps, StateEquation::by_search];
        let equation = self.equation.get_or_init(|| StateEquation::of(self.net));
        equation.iter().flat_map(move |equation| {
            equation.grant(time);
            ways.into_iter().filter_map(move |way| {
                let condition = Condition::of(predicate, value, equation.net);
                (!equation.is_over()).then(|| way(equation, &condition))?
            })
        })
    }
}

impl StateEquation<'_> {
    /// That there is no deadlock, by marked traps.
    fn by_traps(&self, condition: &Condition) -> Option<Certificate> {
        let traps = if condition.needs_deadlock(self.net) { self.never_dead()? } else { return None };
        let is_marked = |trap: &[u32]| {
            let tokens = Expr::Tokens(places(trap));
            Formula::Compare(Comparison::GreaterEqual, tokens, Expr::Constant(1))
        };
        Some(Certificate::Inductive(Formula::And(traps.iter().map(|trap| is_marked(trap)).collect())))
    }

    fn by_search(&self, condition: &Condition) -> Option<Certificate> {
        let (_, tree) = self.search(condition)?;
        Some(Certificate::Refutation(self.refutation(&tree)?))
    }

    fn refutation(&self, tree: &Tree) -> Option<Refutation> {
        Some(match tree {
            Tree::Leaf(rows) => {
                let premises = rows.iter().map(|(row, times)| Some((premise(row)?, *times)));
                Refutation::Contradiction(premises.collect::<Option<_>>()?)
            }
            Tree::Branch(split, trees) => {
                let cases = trees.iter().map(|tree| self.refutation(tree));
                Refutation::Cases(self.choice(split), cases.collect::<Option<_>>()?)
            }
        })
    }

    fn choice(&self, split: &Split) -> Choice {
        match split {
            Split::Part(path) => Choice::Goal(path.to_vec()),
            Split::Cut(source) => Choice::Cut(cut(source)),
            Split::Tokens(place, most) => Choice::Whole(Counted::Tokens(places(&[*place])), *most),
            Split::Firings(column, most) => Choice::Whole(Counted::Firings(self.alike(*column)), *most),
        }
    }

    /// The transitions of a column: those with the same arcs.
    fn alike(&self, column: u32) -> Vec<TransitionId> {
        let (net, first) = (self.net, self.columns[column as usize]);
        let is_alike = |&t: &TransitionId| net.pre(t) == net.pre(first) && net.post(t) == net.post(first);
        net.nodes().transition_ids().filter(is_alike).collect()
    }
}

fn premise(origin: &Origin) -> Option<Premise> {
    Some(match origin {
        Origin::Place(place) => Premise::Place(PlaceId::new(*place as usize)),
        Origin::Part(path) => Premise::Goal(path.to_vec()),
        Origin::Case(number) => Premise::Case(*number),
        Origin::Cut(source) => Premise::Cut(cut(source)),
        Origin::Region => return None,
    })
}

fn cut(source: &Source) -> fireset_net::Cut {
    match source {
        Source::Emptying(among) => fireset_net::Cut::Emptying(places(among)),
        Source::Filling(among) => fireset_net::Cut::Filling(places(among)),
    }
}

fn places(numbers: &[u32]) -> Vec<PlaceId> {
    numbers.iter().map(|&place| PlaceId::new(place as usize)).collect()
}
