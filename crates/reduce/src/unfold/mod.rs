//! Coloured nets as place/transition nets: a place for each colour that can be reached, a transition for each binding
//! that can look enabled; traces come back coloured.
//!
//! Why: place/transition nets are explored on packed words, and their invariants simplify queries.
//! Sources: Dal Zilio, "MCC: a tool for unfolding coloured Petri nets in PNML format" (2020), for bindings found from
//! the reached colours and for constant places; Bilgram, Jensen, Pedersen, Srba and Taankvist, "Methods for efficient
//! unfolding of coloured Petri nets" (2023), for the colour fixed point and the coloured quotient. We differ in that
//! the former is exact for each colour and found from the latest reached token on, and the latter is found on the unfolded
//! net, where it takes transitions as they are instead of approximating guards and arcs.
//!
//! | file | what |
//! |---|---|
//! | `colour_irrelevance` | places whose colours nothing depends on |
//! | `colour_fixpoint` | the colours that can be reached, and the bindings that can take them |
//! | `reached_tokens` | the tokens that are reached, and what a search may see of them |
//! | `flat` | arcs between them, by number |
//! | `constants` | places that never change, and bindings that can never be enabled |
//! | `classes` | places that behave alike |
//! | `build` | the net with its names |
//! | `translate` | queries about the coloured net as queries about the unfolded one |
//! | `concrete` | runs of the unfolded net as runs of the coloured one |
//! | `pass` | all of it as a pass with its lift |
//!
//! Preserves: see [`Detail`]. Cost: time and memory in the arcs of the bindings that can look enabled, within the
//! budget. Test: `tests/unfold.rs`, against the reference checker on the coloured net.

mod build;
mod classes;
mod colour_fixpoint;
mod colour_irrelevance;
mod concrete;
mod constants;
mod flat;
mod pass;
mod reached_tokens;
mod translate;

use fireset_net::{
    Budget, Net, PlaceId, Rows, Step, StopReason, TransitionId,
    coloured::{BindingPattern, Colour, ColouredNet},
};

pub use pass::Unfold;

use self::{classes::Observed, colour_irrelevance::without_irrelevant_colours, flat::FlatNet};

/// How much of a coloured net its unfolding keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// All places, those that are never marked too, and each binding that can look enabled.
    AllPlaces,
    /// All places that can ever be marked, and each binding of its own.
    Full,
    /// Places that never change are left out: states and firings are the same, and what the left out places hold is
    /// known.
    Counts,
    /// Places that behave alike are one, and so are bindings: the same answers to the queries that are asked.
    Answers,
}

/// The place/transition net of a coloured net, with the map between the two.
#[derive(Clone, Debug)]
pub struct UnfoldedNet {
    /// Places are called `place_colour`, transitions `transition_colour` after the colours of their variables.
    pub net: Net,
    /// The coloured places and bindings that its places and transitions stand for.
    pub map: UnfoldingMap,
}

/// The coloured places and bindings that the places and transitions of an unfolded net stand for.
#[derive(Clone, Debug)]
pub struct UnfoldingMap {
    /// For each coloured place, its places that belong to no other coloured place.
    pub places: Vec<Vec<PlaceId>>,
    /// For each coloured place, what it holds in colours that have no place of their own, because their tokens never
    /// change.
    pub constant: Vec<u128>,
    /// The most tokens of such a colour.
    pub largest_constant: u64,
    /// For each coloured transition, its transitions.
    pub transitions: Vec<Vec<TransitionId>>,
    /// Whether a coloured place has the same number of tokens after each firing.
    pub balanced: Vec<bool>,
    /// The bindings that each transition stands for.
    members: Rows<u32>,
    bindings: BindingTable,
    /// For each place the colour of the first token that it stands for. Queries that name colours cannot tell that token
    /// from the others.
    colours: Vec<Colour>,
    /// The tokens that have no place of their own, because they never change, and how many there are.
    constant_tokens: Vec<((PlaceId, Colour), u64)>,
    /// The net without irrelevant colours that the bindings are of, where that is not the coloured net itself.
    folded: Option<ColouredNet>,
}

/// The bindings of all transitions, by number.
#[derive(Clone, Debug, Default)]
struct BindingTable {
    transitions: Vec<TransitionId>,
    colours: Rows<Colour>,
}

impl BindingTable {
    fn step(&self, number: u32) -> Step {
        let at = number as usize;
        Step { transition: self.transitions[at], binding: self.colours[at].into() }
    }
}

/// Unfolds a net, with each place and binding for itself.
///
/// ```
/// use fireset_net::{Budget, Model, families::{self, FamilyKind}};
/// let Ok(Model::Coloured(net)) = families::find("token-ring").unwrap().generate(FamilyKind::Coloured, &[3]) else { panic!() };
/// let unfolding = fireset_reduce::unfold(&net, &Budget::unlimited()).unwrap();
/// assert_eq!(unfolding.net.nodes().places.len(), 9);
/// ```
pub fn unfold(net: &ColouredNet, budget: &Budget) -> Result<UnfoldedNet, StopReason> {
    unfold_for(net, Detail::Full, &Observed::nothing(net), budget)
}

/// Unfolds a net as [`unfold`] does, but with a place for each colour of each coloured place, so that questions can name
/// those that are never marked. Fails as too large where the sorts have too many colours to list.
pub fn unfold_all_places(net: &ColouredNet, budget: &Budget) -> Result<UnfoldedNet, StopReason> {
    unfold_for(net, Detail::AllPlaces, &Observed::nothing(net), budget)
}

/// Whether a binding, as the unfolding lists it, is one of those that a query names. A variable that only the coloured net has
/// can take any colour where the others have theirs.
fn binding_matches(folded: Option<&ColouredNet>, pattern: &BindingPattern, colours: &[Colour]) -> bool {
    let Some(net) = folded else { return pattern.matches(|at| colours[at]) };
    let listed = net.variables_of(pattern.transition());
    pattern.variables().all(|(variable, meant)| match listed.binary_search(&variable) {
        Ok(at) => meant.matches(colours[at]),
        Err(_) => true,
    })
}

/// Unfolds a net as far as `observed` needs it.
fn unfold_for(
    net: &ColouredNet,
    detail: Detail,
    observed: &Observed,
    budget: &Budget,
) -> Result<UnfoldedNet, StopReason> {
    let folded = if detail == Detail::Answers { without_irrelevant_colours(net, observed) } else { None };
    let net = folded.as_ref().unwrap_or(net);
    let mut found = colour_fixpoint::find(net, budget)?;
    if detail == Detail::AllPlaces {
        found.add_unreached(net)?;
    }
    let mut flat = FlatNet::new(net, found, budget)?;
    let constant = match detail {
        Detail::AllPlaces | Detail::Full => vec![false; flat.tokens.len()],
        Detail::Counts | Detail::Answers => constants::prune(&mut flat, budget)?,
    };
    let classes = match detail {
        Detail::AllPlaces | Detail::Full | Detail::Counts => classes::apart(&constant),
        Detail::Answers => {
            let labels = observed.labels(&flat, folded.as_ref(), budget)?;
            classes::alike(&flat, &constant, &labels, budget)?
        }
    };
    let mut unfolding = build::build(net, flat, &classes, budget)?;
    unfolding.map.folded = folded;
    Ok(unfolding)
}
