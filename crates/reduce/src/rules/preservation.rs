//! What a reduction has to preserve: the behaviour that the queries see, and of which places and transitions.

use fireset_net::{Net, PlaceId, Query, StateAtom, StatePredicate, Temporal, TransitionId};

/// How much of a net's behaviour is seen. Each level sees all that those before it see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PreservationLevel {
    /// Which markings of the visible places are reachable: predicates without `deadlock`, and bounds.
    Reachability,
    /// Also which of them are those of a deadlock. Not which are not: agglomerations leave out markings on the way, so a
    /// query must not ask for a marking that is no deadlock.
    Deadlock,
    /// What the visible places do along maximal runs, up to stuttering: LTL without X.
    Linear,
    /// How these runs branch, up to stuttering: CTL without X.
    Branching,
    /// Every step and every deadlock: X, and `deadlock` where it is negated or inside temporal operators.
    Exact,
}

/// The part of a net that the queries of a problem see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preservation {
    /// The highest level of a query.
    pub level: PreservationLevel,
    /// The places whose tokens are compared or counted.
    pub counted: Vec<bool>,
    /// Those of them whose largest sum is asked for, so that nothing else can stand for their tokens.
    pub summed: Vec<bool>,
    /// The places that transitions depend on whose firing is asked about.
    pub tested: Vec<bool>,
    /// The transitions whose firing is asked about.
    pub kept: Vec<bool>,
}

impl Preservation {
    /// What these queries see of a net; `None` where one of them speaks of the whole net or of the steps of runs, or none of
    /// anything.
    pub fn of(net: &Net, queries: &[Query]) -> Option<Self> {
        let mut levels = Vec::new();
        let places = net.nodes().places.len();
        let mut preservation = Self {
            level: PreservationLevel::Exact,
            counted: vec![false; places],
            summed: vec![false; places],
            tested: vec![false; places],
            kept: vec![false; net.nodes().transitions.len()],
        };
        for query in queries {
            match query {
                Query::Global(_) | Query::ColourBound(_) | Query::Run(_) | Query::CtlStar(_) => return None,
                Query::Bound(places) => {
                    for place in places {
                        preservation.counted[place.index()] = true;
                        preservation.summed[place.index()] = true;
                    }
                    levels.push(PreservationLevel::Reachability);
                }
                formula if formula.constant().is_some() => {}
                formula => {
                    formula.state_atoms(&mut |atom| preservation.see(net, atom));
                    levels.push(level(formula));
                }
            }
        }
        preservation.level = levels.into_iter().max()?;
        Some(preservation)
    }

    /// Takes note of an atom.
    fn see(&mut self, net: &Net, atom: &StateAtom) {
        match atom {
            StateAtom::Deadlock | StateAtom::BindingFireable(_) => {}
            StateAtom::Fireable(transitions) => transitions.iter().for_each(|&t| self.keep(net, t)),
            StateAtom::Compare(_, a, b) => {
                for side in [a, b] {
                    side.places(&mut |place: PlaceId| self.counted[place.index()] = true);
                }
            }
        }
    }

    fn keep(&mut self, net: &Net, transition: TransitionId) {
        self.kept[transition.index()] = true;
        let arcs = net.pre(transition).iter().chain(net.inhibitors(transition));
        arcs.for_each(|arc| self.tested[arc.place.index()] = true);
    }
}

fn level(query: &Query) -> PreservationLevel {
    let mut deadlock = false;
    query.state_atoms(&mut |atom| deadlock |= *atom == StateAtom::Deadlock);
    match query {
        Query::Reachable(p) | Query::Invariant(p) if deadlock => {
            let sign = matches!(query, Query::Reachable(_));
            if only_with_sign(p, sign) { PreservationLevel::Deadlock } else { PreservationLevel::Exact }
        }
        Query::Reachable(_) | Query::Invariant(_) | Query::Bound(_) => PreservationLevel::Reachability,
        Query::Ltl(_, path) if !deadlock && !path.any_operator(&is_next) => PreservationLevel::Linear,
        Query::Ctl(f) if !deadlock && !f.any_operator(&is_next) => PreservationLevel::Branching,
        Query::Ltl(..)
        | Query::Ctl(_)
        | Query::ColourBound(_)
        | Query::Run(_)
        | Query::CtlStar(_)
        | Query::Global(_)
        | Query::Named(_) => PreservationLevel::Exact,
    }
}

fn is_next<F>(operator: &Temporal<F>) -> bool {
    matches!(operator, Temporal::Next(_))
}

/// Whether `deadlock` stands in a state predicate below an even number of negations, or an odd one, only.
fn only_with_sign(predicate: &StatePredicate, even: bool) -> bool {
    match predicate {
        StatePredicate::Atom(atom) => *atom != StateAtom::Deadlock || even,
        StatePredicate::Not(f) => only_with_sign(f, !even),
        StatePredicate::Iff(_) => !predicate.any_atom(&|atom| *atom == StateAtom::Deadlock),
        _ => predicate.children().all(|child| only_with_sign(child, even)),
    }
}
