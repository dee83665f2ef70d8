//! Coloured nets that are too large to unfold, approximated by nets that are not.
//!
//! Why: the answer to a query about a net with 100,000 colours seldom depends on which of them a token has, and a run that
//! shows it seldom needs more than a few. Both nets here have few bindings, however large the sorts are, so everything that
//! decides place/transition nets decides them; each answers in one direction.
//!
//! | file | what |
//! |---|---|
//! | `erasure` | the net in which some sorts have one colour: it can do more |
//! | `abstraction` | that net as a pass: what it cannot do, the coloured net cannot |
//! | `restriction` | the net in which variables take few colours, as a pass: what it does, the coloured net does |
//! | `named_colours` | the colours that the few should have among them |
//! | `one_sided` | queries as the search for a witness, and formulas that are implied, or that imply |
//!
//! The properties of the whole net are decomposed before ([`crate::Decompose`]), and bounds become goals
//! ([`crate::Simplify`]). CTL is approximated by LTL and reachability there, and so answered in part.

mod abstraction;
mod erasure;
mod named_colours;
mod one_sided;
mod restriction;

use fireset_net::{
    SortId, VariableId,
    coloured::{ColouredNet, Sorts},
};

pub use abstraction::ColourAbstraction;
pub(crate) use erasure::skeleton;
pub use restriction::ColourRestriction;

/// At most how many places and transitions an unfolding has; saturates. Mostly it has fewer: bindings that can never be
/// enabled count.
pub fn unfolded_size(net: &ColouredNet) -> u64 {
    size_with(net, net.sorts(), |v| net.sorts()[net.variable(v).sort].size())
}

/// The same where places have colours of these sorts, and each variable has the number of values that `values` says.
fn size_with(net: &ColouredNet, sorts: &Sorts, values: impl Fn(VariableId) -> u64) -> u64 {
    let colours = |sort: SortId| sorts[sort].size();
    let places = net.nodes().place_ids().map(|place| colours(net.place(place).sort));
    let bindings = net.nodes().transition_ids().map(|transition| {
        net.variables_of(transition).iter().map(|&v| values(v)).fold(1, u64::saturating_mul)
    });
    places.chain(bindings).fold(0, u64::saturating_add)
}
