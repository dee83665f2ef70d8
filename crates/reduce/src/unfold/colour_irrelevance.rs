//! Colour-irrelevant places, whose colours nothing depends on, hold plain tokens instead.
//!
//! Why: a transition that takes any five tokens of such places has a binding for each choice of five colours, and the
//! quotient of `classes` would find only after listing them all that they are alike. This is the part of the coloured
//! quotient of Bilgram et al. that the arcs show, done before the bindings are listed.
//!
//! A place is *colour-irrelevant* when no query names its colours or those of a variable at one of its arcs; no inhibitor arc
//! reads it; what transitions take from it is a sum of variables that occur
//! nowhere else in input arcs, guard and inhibitor arcs, and in output arcs only to such places; and the number of
//! tokens that an arc gives it does not depend on the binding. Then a binding can take other tokens of the place
//! instead, and gives as many tokens to these places and the same to all others: markings with equal numbers on these
//! places and the same colours elsewhere can do the same.
//! Found as a greatest fixpoint: places are irrelevant until a condition is broken.

use fireset_net::{
    PlaceId, SortId, Step, VariableId,
    coloured::{
        Bag, BagTerm, Colour, ColourTerm, ColouredArc, ColouredMarking, ColouredNet, ColouredNetBuilder,
        ColouredTransition, Members, SortKind,
    },
};

use super::classes::Observed;

/// The net with plain tokens on colour-irrelevant places; `None` where there is no such place, or numbers do not fit.
pub(super) fn without_irrelevant_colours(net: &ColouredNet, observed: &Observed) -> Option<ColouredNet> {
    let irrelevant = irrelevant_places(net, observed);
    if !irrelevant.contains(&true) {
        return None;
    }
    let mut builder = ColouredNetBuilder::new(net.name.clone());
    builder.sorts = net.sorts().clone();
    let dot = builder.sorts.add("plain tokens", SortKind::Dot).ok()?;
    for variable in net.variables() {
        builder.variable(variable.name.clone(), variable.sort);
    }
    for place in net.nodes().place_ids() {
        let coloured = net.place(place);
        let (sort, initial) = if irrelevant[place.index()] {
            (dot, Bag::of(Colour(0), u64::try_from(coloured.initial.total()).ok()?))
        } else {
            (coloured.sort, coloured.initial.clone())
        };
        builder.place(net.nodes().place(place), sort, initial).ok()?;
    }
    for transition in net.nodes().transition_ids() {
        let coloured = net.transition(transition);
        let name = net.nodes().transition(transition);
        let at = builder.transition(name, coloured.guard.clone()).ok()?;
        let term = |arc: &ColouredArc| match irrelevant[arc.place.index()] {
            true => arc.term.cardinality(net.sorts()).map(|tokens| plain(dot, tokens)),
            false => Some(arc.term.clone()),
        };
        for arc in &coloured.pre {
            builder.input(arc.place, at, term(arc)?).ok()?;
        }
        for arc in &coloured.post {
            builder.output(at, arc.place, term(arc)?).ok()?;
        }
        for arc in &coloured.inhibitors {
            builder.inhibitor(arc.place, at, arc.term.clone()).ok()?;
        }
    }
    Some(builder.build())
}

fn plain(dot: SortId, tokens: u64) -> BagTerm {
    BagTerm::Times(tokens, Box::new(BagTerm::One(ColourTerm::Constant(dot, Colour(0)))))
}

fn irrelevant_places(net: &ColouredNet, observed: &Observed) -> Vec<bool> {
    let large = |place: PlaceId| net.sorts()[net.place(place).sort].size() > 1;
    let mut irrelevant: Vec<bool> = net.nodes().place_ids().map(large).collect();
    let all = || net.nodes().transition_ids().map(|t| net.transition(t));
    let mut relevant = asked_for(net, observed);
    for transition in all() {
        let uses = Uses::of(net, transition);
        relevant.extend(transition.inhibitors.iter().map(|arc| arc.place));
        let varies = transition.post.iter().filter(|arc| arc.term.cardinality(net.sorts()).is_none());
        relevant.extend(varies.map(|arc| arc.place));
        let free = |v: &VariableId| uses.inputs[v.index()] == 1 && !uses.read[v.index()];
        let looks = transition.pre.iter().filter(|arc| match taken(net, arc.place, &arc.term) {
            Some(variables) => !variables.iter().all(free),
            None => true,
        });
        relevant.extend(looks.map(|arc| arc.place));
    }
    relevant.into_iter().for_each(|place| irrelevant[place.index()] = false);
    // A variable that goes to a relevant place makes the place that it comes from relevant.
    loop {
        let mut changed = false;
        for transition in all() {
            let shown = shown(net, transition, &irrelevant);
            for arc in transition.pre.iter().filter(|arc| irrelevant[arc.place.index()]).collect::<Vec<_>>() {
                let variables = taken(net, arc.place, &arc.term).unwrap_or_default();
                if variables.iter().any(|v| shown[v.index()]) {
                    irrelevant[arc.place.index()] = false;
                    changed = true;
                }
            }
        }
        if !changed {
            return irrelevant;
        }
    }
}

/// The places of which queries name colours, and those at arcs with variables of which they do.
fn asked_for(net: &ColouredNet, observed: &Observed) -> Vec<PlaceId> {
    let mut places: Vec<PlaceId> = observed.tokens.iter().map(|some| some.place).collect();
    for bindings in &observed.bindings {
        let transition = net.transition(bindings.transition());
        let is_named = |arc: &&ColouredArc| {
            let mut named = false;
            arc.term.variables(&mut |v| named |= bindings.variables().any(|(variable, _)| variable == v));
            named
        };
        let arcs = transition.pre.iter().chain(&transition.post).chain(&transition.inhibitors);
        places.extend(arcs.filter(is_named).map(|arc| arc.place));
    }
    places
}

/// The variables of a transition that occur in outputs to relevant places.
fn shown(net: &ColouredNet, transition: &ColouredTransition, irrelevant: &[bool]) -> Vec<bool> {
    let mut shown = vec![false; net.variables().len()];
    for arc in transition.post.iter().filter(|arc| !irrelevant[arc.place.index()]) {
        arc.term.variables(&mut |v| shown[v.index()] = true);
    }
    shown
}

/// How often variables occur in the input arcs of a transition, and whether its guard or inhibitor arcs read them.
struct Uses {
    inputs: Vec<usize>,
    read: Vec<bool>,
}

impl Uses {
    fn of(net: &ColouredNet, transition: &ColouredTransition) -> Self {
        let count = net.variables().len();
        let mut uses = Self { inputs: vec![0; count], read: vec![false; count] };
        transition.guard.variables(&mut |v| uses.read[v.index()] = true);
        for arc in &transition.inhibitors {
            arc.term.variables(&mut |v| uses.read[v.index()] = true);
        }
        for arc in &transition.pre {
            arc.term.variables(&mut |v| uses.inputs[v.index()] += 1);
        }
        uses
    }
}

/// The variables that a term is the sum of; `None` where it is none.
fn taken(net: &ColouredNet, place: PlaceId, term: &BagTerm) -> Option<Vec<VariableId>> {
    let members = Members::of(term, net.place(place).sort, net.sorts());
    let variable = |member: &(ColourTerm, u64)| match member {
        (ColourTerm::Variable(v), 1) => Some(*v),
        _ => None,
    };
    if members.complete { members.terms.iter().map(variable).collect() } else { None }
}

/// A step of the net with plain tokens as a step of the coloured net: variables that it lost take the first tokens
/// that are there, or any colour where they only give tokens to irrelevant places.
pub(super) fn complete(
    coloured: &ColouredNet,
    folded: &ColouredNet,
    state: &ColouredMarking,
    step: &Step,
) -> Option<Step> {
    let transition = step.transition;
    let mut slots = vec![None; coloured.variables().len()];
    for (v, &colour) in folded.variables_of(transition).iter().zip(&step.binding) {
        slots[v.index()] = Some(colour);
    }
    for arc in &coloured.transition(transition).pre {
        let lost = |v: &VariableId| slots[v.index()].is_none();
        let Some(variables) = taken(coloured, arc.place, &arc.term) else { continue };
        let variables: Vec<VariableId> = variables.into_iter().filter(lost).collect();
        let bag = &state.0[arc.place.index()];
        let each = |(colour, n): (Colour, u64)| {
            std::iter::repeat_n(colour, usize::try_from(n).unwrap_or(usize::MAX))
        };
        let mut tokens = bag.iter().flat_map(each);
        for v in variables {
            slots[v.index()] = Some(tokens.next()?);
        }
    }
    let colour = |v: &VariableId| slots[v.index()].unwrap_or(Colour(0));
    let binding = coloured.variables_of(transition).iter().map(colour).collect();
    Some(Step { transition, binding })
}
