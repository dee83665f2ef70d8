//! The unfolded net with its names: `place_colour_colour`, `transition_colour_colour` after the variables' colours.

use fireset_net::{
    Budget, BuildError, NetBuilder, PlaceId, Rows, SortId, StopReason, TransitionId,
    coloured::{Colour, ColouredNet, SortKind},
};
use hashbrown::HashMap;

use super::{
    UnfoldedNet, UnfoldingMap,
    classes::Classes,
    flat::{FlatNet, Weight},
};

/// Builds the net in which classes are places. Places and transitions come in the order of the tokens and bindings that
/// are their first.
pub(super) fn build(
    net: &ColouredNet,
    flat: FlatNet,
    classes: &Classes,
    budget: &Budget,
) -> Result<UnfoldedNet, StopReason> {
    let mut builder = NetBuilder::new(net.name.clone());
    let (homes, colours) = add_places(&mut builder, net, &flat, classes)?;
    let nodes = net.nodes();
    let mut places = vec![Vec::new(); nodes.places.len()];
    for (number, home) in homes.into_iter().enumerate() {
        if let Some(home) = home {
            places[home.index()].push(PlaceId::new(number));
        }
    }
    let mut constant = vec![0; nodes.places.len()];
    let mut largest_constant = 0;
    let mut constant_tokens = Vec::new();
    for (token, _) in flat.tokens.iter().zip(&classes.of).filter(|(_, class)| class.is_none()) {
        constant[token.place.index()] += u128::from(token.initial);
        largest_constant = largest_constant.max(token.initial);
        if token.initial > 0 {
            constant_tokens.push(((token.place, token.colour), token.initial));
        }
    }
    let balanced = balanced(net, &flat);
    let mut transitions = vec![Vec::new(); nodes.transitions.len()];
    let members = add_transitions(&mut builder, net, &flat, classes, budget)?;
    for (number, members) in members.iter().enumerate() {
        for &member in members {
            let list = &mut transitions[flat.bindings.transitions[member as usize].index()];
            if list.last() != Some(&TransitionId::new(number)) {
                list.push(TransitionId::new(number));
            }
        }
    }
    let net = builder.build().map_err(|_| StopReason::Overflow)?;
    let bindings = flat.bindings;
    let folded = None;
    let map = UnfoldingMap {
        places,
        constant,
        largest_constant,
        transitions,
        balanced,
        members,
        bindings,
        colours,
        constant_tokens,
        folded,
    };
    Ok(UnfoldedNet { net, map })
}

/// Adds a place for each class; tells to which coloured place all its tokens belong, if to one, and the colour of the first.
fn add_places(
    builder: &mut NetBuilder,
    net: &ColouredNet,
    flat: &FlatNet,
    classes: &Classes,
) -> Result<(Vec<Option<PlaceId>>, Vec<Colour>), StopReason> {
    // The first token and the sum of each class.
    let mut sums: Vec<(usize, u64)> = Vec::new();
    let mut homes: Vec<Option<PlaceId>> = Vec::new();
    for (at, token) in flat.tokens.iter().enumerate() {
        let Some(class) = classes.of[at].map(|class| class as usize) else { continue };
        if class == sums.len() {
            sums.push((at, token.initial));
            homes.push(Some(token.place));
        } else {
            sums[class].1 = sums[class].1.checked_add(token.initial).ok_or(StopReason::Overflow)?;
            homes[class] = homes[class].filter(|&home| home == token.place);
        }
    }
    let colours = sums.iter().map(|&(first, _)| flat.tokens[first].colour).collect();
    for (first, tokens) in sums {
        let token = &flat.tokens[first];
        let mut name = net.nodes().place(token.place).to_owned();
        append(&mut name, net, net.place(token.place).sort, token.colour);
        add_named(&name, |name| builder.place(name, tokens));
    }
    Ok((homes, colours))
}

/// Adds the transitions with their arcs; tells the bindings that each stands for.
fn add_transitions(
    builder: &mut NetBuilder,
    net: &ColouredNet,
    flat: &FlatNet,
    classes: &Classes,
    budget: &Budget,
) -> Result<Rows<u32>, StopReason> {
    let mut known: HashMap<[Vec<Weight>; 3], u32> = HashMap::new();
    let mut stands_for: Vec<(usize, u32)> = Vec::with_capacity(flat.len());
    let mut count = 0;
    for at in 0..flat.len() {
        if at.is_multiple_of(1024) {
            budget.check(flat.bytes, budget.progress().states())?;
        }
        let arcs = [&flat.pre[at], &flat.post[at], &flat.inhibitors[at]];
        let [Some(pre), Some(post), Some(inhibitors)] = arcs.map(|arcs| classes.arcs(arcs)) else {
            return Err(StopReason::Overflow);
        };
        let arcs = [pre, post, inhibitors];
        if let Some(&number) = known.get(&arcs) {
            stands_for.push((number as usize, at as u32));
            continue;
        }
        let step = flat.bindings.step(at as u32);
        let mut name = net.nodes().transition(step.transition).to_owned();
        for (&variable, &colour) in net.variables_of(step.transition).iter().zip(&step.binding) {
            append(&mut name, net, net.variable(variable).sort, colour);
        }
        let transition = add_named(&name, |name| builder.transition(name));
        let place = |arc: &Weight| PlaceId::new(arc.0 as usize);
        arcs[0].iter().for_each(|arc| builder.input(place(arc), transition, arc.1));
        arcs[1].iter().for_each(|arc| builder.output(transition, place(arc), arc.1));
        arcs[2].iter().for_each(|arc| builder.inhibitor(place(arc), transition, arc.1));
        if classes.merged {
            known.insert(arcs, count);
        }
        stands_for.push((count as usize, at as u32));
        count += 1;
    }
    Ok(Rows::group(count as usize, stands_for.into_iter()))
}

/// Which coloured places have the same number of tokens after each firing.
fn balanced(net: &ColouredNet, flat: &FlatNet) -> Vec<bool> {
    let mut balanced = vec![true; net.nodes().places.len()];
    let mut change: HashMap<PlaceId, i128> = HashMap::new();
    for (pre, post) in flat.pre.iter().zip(flat.post.iter()) {
        for (arcs, sign) in [(pre, -1), (post, 1)] {
            for &(token, weight) in arcs {
                *change.entry(flat.tokens[token as usize].place).or_default() += sign * i128::from(weight);
            }
        }
        change
            .drain()
            .filter(|(_, change)| *change != 0)
            .for_each(|(place, _)| balanced[place.index()] = false);
    }
    balanced
}

/// Adds `_` and a colour to a name, component by component. There is only one plain token, which needs no name.
fn append(name: &mut String, net: &ColouredNet, sort: SortId, colour: Colour) {
    match &net.sorts()[sort].kind {
        SortKind::Dot => {}
        SortKind::Product(parts) => {
            for (&part, component) in parts.iter().zip(net.sorts().components(sort, colour)) {
                append(name, net, part, component);
            }
        }
        _ => {
            name.push('_');
            name.push_str(&net.sorts().show(sort, colour));
        }
    }
}

/// Adds something under a name, or the first of `name_2`, `name_3`, ... that is not taken.
fn add_named<T>(name: &str, mut add: impl FnMut(&str) -> Result<T, BuildError>) -> T {
    add(name).unwrap_or_else(|_| {
        let mut others = (2u64..).map(|number| format!("{name}_{number}"));
        others.find_map(|name| add(&name).ok()).expect("there are more numbers than names")
    })
}
