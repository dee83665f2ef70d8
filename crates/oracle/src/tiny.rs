//! Nets in a line of text, for tests and examples.
//!
//! ```
//! let net = fireset_oracle::tiny::net("p:2 q; t: p -> 2*q; u: q, !p -> p; v: 3*q ->");
//! assert_eq!(net.nodes().transitions.len(), 3);
//! ```
//!
//! First the places, with their tokens unless it is 0; then the transitions with what they take and give;
//! `!p` is an inhibitor arc, `2*!p` one of weight 2.

use fireset_net::{Arc, Net, NetBuilder, PlaceId};

/// Builds a net from its text form.
///
/// # Panics
/// When the text is not of that form.
pub fn net(text: &str) -> Net {
    let mut builder = NetBuilder::new("tiny");
    let mut parts = text.split(';');
    for place in parts.next().unwrap_or_default().split_whitespace() {
        let (id, tokens) = place.split_once(':').unwrap_or((place, "0"));
        builder.place(id, tokens.parse().expect("a token count")).expect("a new place");
    }
    for part in parts.map(str::trim).filter(|part| !part.is_empty()) {
        let (id, arcs) = part.split_once(':').expect("a transition is `name: inputs -> outputs`");
        let (inputs, outputs) = arcs.split_once("->").expect("a transition has an arrow");
        let transition = builder.transition(id.trim()).expect("a new transition");
        for (weight, place) in terms(inputs) {
            match place.strip_prefix('!') {
                Some(place) => {
                    let place = find(&mut builder, place);
                    builder.inhibitor(place, transition, weight);
                }
                None => {
                    let place = find(&mut builder, place);
                    builder.input(place, transition, weight);
                }
            }
        }
        for (weight, place) in terms(outputs) {
            let place = find(&mut builder, place);
            builder.output(transition, place, weight);
        }
    }
    builder.build().expect("a tiny net is small")
}

/// The text form of a net, which [`net`] reads; units are left out. The names must have no spaces or signs.
///
/// ```
/// let text = "p:2 q; t: p -> 2*q; u: q, 3*!p -> p";
/// assert_eq!(fireset_oracle::tiny::text(&fireset_oracle::tiny::net(text)), text);
/// ```
pub fn text(net: &Net) -> String {
    let nodes = net.nodes();
    let places: Vec<String> = nodes
        .place_ids()
        .map(|place| match net.initial_marking().tokens(place) {
            0 => nodes.place(place).to_owned(),
            tokens => format!("{}:{tokens}", nodes.place(place)),
        })
        .collect();
    let term = |arc: &Arc, sign: &str| match arc.weight {
        1 => format!("{sign}{}", nodes.place(arc.place)),
        weight => format!("{weight}*{sign}{}", nodes.place(arc.place)),
    };
    let mut text = places.join(" ");
    for t in nodes.transition_ids() {
        let inputs = net.pre(t).iter().map(|arc| term(arc, ""));
        let inputs: Vec<String> = inputs.chain(net.inhibitors(t).iter().map(|arc| term(arc, "!"))).collect();
        let outputs: Vec<String> = net.post(t).iter().map(|arc| term(arc, "")).collect();
        let arcs = format!("{} -> {}", inputs.join(", "), outputs.join(", "));
        text += &format!("; {}: {}", nodes.transition(t), arcs.trim());
    }
    text
}

fn find(builder: &mut NetBuilder, place: &str) -> PlaceId {
    let at = builder.nodes_mut().places.find(place);
    PlaceId::new(at.unwrap_or_else(|| panic!("place `{place}` is not declared")))
}

fn terms(text: &str) -> impl Iterator<Item = (u64, &str)> {
    text.split(',').map(str::trim).filter(|term| !term.is_empty()).map(|term| match term.split_once('*') {
        Some((weight, place)) => (weight.trim().parse().expect("a weight"), place.trim()),
        None => (1, term),
    })
}
