//! Markings and their changes as text and as JSON, place by place. Test: `graph/tests.rs`, and `crates/cli/tests/steps.rs`.

use fireset_net::{
    Net, PlaceId, Semantics, TransitionId,
    coloured::{Bag, ColouredNet, SortKind},
    reachability::{CoverabilityNet, LimitCount, TabulatedNet},
};
use serde_json::{Value, json};

use crate::{query::quote_title, witness};

/// A net whose markings can be written, place by place.
pub trait PrintableMarkings: Semantics {
    /// The tokens of a place as text for people: `p`, `2*p`, `p{red, 2*blue}`; `None` if it is empty.
    fn text(&self, state: &Self::State, place: PlaceId) -> Option<String>;

    /// The tokens of a place as JSON: a count, or a list of colours with their counts; `None` if it is empty.
    fn json(&self, state: &Self::State, place: PlaceId) -> Option<Value>;
}

impl PrintableMarkings for Net {
    fn text(&self, state: &Self::State, place: PlaceId) -> Option<String> {
        times(state.tokens(place), &quote_title(self.nodes().place_title(place)))
    }

    fn json(&self, state: &Self::State, place: PlaceId) -> Option<Value> {
        let count = state.tokens(place);
        (count > 0).then(|| count.to_string().into())
    }
}

/// `ω` is written as such for people, and as `omega` in JSON.
impl PrintableMarkings for CoverabilityNet<'_> {
    fn text(&self, state: &Self::State, place: PlaceId) -> Option<String> {
        let name = quote_title(self.as_ref().place_title(place));
        match state.0[place.index()] {
            LimitCount::Finite(count) => times(count, &name),
            LimitCount::Omega => Some(format!("ω*{name}")),
        }
    }

    fn json(&self, state: &Self::State, place: PlaceId) -> Option<Value> {
        match state.0[place.index()] {
            LimitCount::Finite(count) => (count > 0).then(|| count.to_string().into()),
            LimitCount::Omega => Some("omega".into()),
        }
    }
}

impl PrintableMarkings for ColouredNet {
    fn text(&self, state: &Self::State, place: PlaceId) -> Option<String> {
        let bag = &state.0[place.index()];
        if bag.is_empty() {
            return None;
        }
        let name = quote_title(self.nodes().place_title(place));
        if is_dot(self, place) {
            times(bag.largest(), &name)
        } else {
            Some(name + &colours(self, place, bag))
        }
    }

    fn json(&self, state: &Self::State, place: PlaceId) -> Option<Value> {
        let (bag, sort) = (&state.0[place.index()], self.place(place).sort);
        let colours = bag.iter().map(|(colour, count)| {
            json!({ "color": witness::show_colour(self, sort, colour), "count": count.to_string() })
        });
        (!bag.is_empty()).then(|| colours.collect())
    }
}

impl PrintableMarkings for TabulatedNet<'_> {
    fn text(&self, state: &Self::State, place: PlaceId) -> Option<String> {
        self.net().text(state, place)
    }

    fn json(&self, state: &Self::State, place: PlaceId) -> Option<Value> {
        self.net().json(state, place)
    }
}

/// A net whose steps can be written by what they change.
pub trait PrintableChanges: PrintableMarkings {
    /// The places whose tokens a transition may change, each once.
    fn changed_places(&self, transition: TransitionId) -> Vec<PlaceId>;

    /// How the tokens of a place differ between two markings: `p 1→0`, `p -{red} +{2*blue}`.
    fn change(&self, before: &Self::State, after: &Self::State, place: PlaceId) -> String;
}

impl PrintableChanges for Net {
    fn changed_places(&self, transition: TransitionId) -> Vec<PlaceId> {
        self.changes(transition).map(|change| change.place).collect()
    }

    fn change(&self, before: &Self::State, after: &Self::State, place: PlaceId) -> String {
        let name = quote_title(self.nodes().place_title(place));
        format!("{name} {}→{}", before.tokens(place), after.tokens(place))
    }
}

impl PrintableChanges for ColouredNet {
    fn changed_places(&self, transition: TransitionId) -> Vec<PlaceId> {
        let arcs = self.transition(transition);
        let mut places: Vec<PlaceId> = arcs.pre.iter().chain(&arcs.post).map(|arc| arc.place).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    fn change(&self, before: &Self::State, after: &Self::State, place: PlaceId) -> String {
        let name = quote_title(self.nodes().place_title(place));
        let (before, after) = (&before.0[place.index()], &after.0[place.index()]);
        if is_dot(self, place) {
            return format!("{name} {}→{}", before.largest(), after.largest());
        }
        let signed = |sign: char, bag: &Bag| match bag.is_empty() {
            true => String::new(),
            false => format!(" {sign}{}", colours(self, place, bag)),
        };
        name + &signed('-', &before.minus(after)) + &signed('+', &after.minus(before))
    }
}

/// Whether a place holds tokens without colours.
fn is_dot(net: &ColouredNet, place: PlaceId) -> bool {
    matches!(net.sorts()[net.place(place).sort].kind, SortKind::Dot)
}

/// `{red, 2*blue}`
fn colours(net: &ColouredNet, place: PlaceId, bag: &Bag) -> String {
    let sort = net.place(place).sort;
    let shown = bag.iter().filter_map(|(colour, count)| times(count, &net.sorts().show(sort, colour)));
    format!("{{{}}}", shown.collect::<Vec<_>>().join(", "))
}

/// `name`, `2*name`; `None` for zero.
fn times(count: u64, name: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(name.to_owned()),
        n => Some(format!("{n}*{name}")),
    }
}
