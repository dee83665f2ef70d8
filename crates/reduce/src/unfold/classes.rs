//! Tokens that behave alike, so that it is enough to know how many of them there are together.
//!
//! Source: the coloured quotient of Bilgram et al.; here it is found on the unfolded net. Two markings are alike when
//! each class has the same number of tokens in both. Classes are *stable* when for each binding `b`, each token `p` that it
//! takes and each `q` in the class of `p` there is a binding `c` that takes `q` instead of one `p` and else the same,
//! gives as many tokens of each class as `b`, looks the same to the queries, and is inhibited by the same tokens; and
//! tokens of inhibitor arcs have classes of their own. Then whatever a marking can do, all markings alike can do: a
//! binding takes some tokens, a marking alike has tokens of the same classes, and exchanging them one by one leads to
//! a binding that takes those. So the net in which classes are places has the same runs, as far as the queries can
//! tell, with all temporal operators.
//!
//! The coarsest stable classes are found by splitting: first by what the queries count, then by what tokens can do,
//! until nothing changes. Bindings are compared as they are, not by hashes.
//! Cost: a round sorts all input arcs; there are as many rounds as it takes to tell tokens apart.

use fireset_net::{
    Budget, Rows, StopReason,
    coloured::{BindingPattern, ColouredNet, PlaceColours},
};
use hashbrown::HashMap;

use super::{
    binding_matches,
    flat::{FlatNet, Weight},
};

/// Tokens of bindings that take more kinds of tokens than this have classes of their own.
const MOST_INPUTS: usize = 24;

/// What queries can tell apart: places and transitions with different numbers, and tokens and bindings that are not among
/// the same of those that queries name by their colours.
pub(super) struct Observed {
    pub(super) places: Vec<u32>,
    pub(super) transitions: Vec<u32>,
    pub(super) tokens: Vec<PlaceColours>,
    pub(super) bindings: Vec<BindingPattern>,
}

impl Observed {
    pub(super) fn nothing(net: &ColouredNet) -> Self {
        let nodes = net.nodes();
        Self {
            places: vec![0; nodes.places.len()],
            transitions: vec![0; nodes.transitions.len()],
            tokens: Vec::new(),
            bindings: Vec::new(),
        }
    }

    /// The labels of the tokens and bindings of a net; `folded` is the net without irrelevant colours, if there is one.
    pub(super) fn labels(
        &self,
        flat: &FlatNet,
        folded: Option<&ColouredNet>,
        budget: &Budget,
    ) -> Result<ObservedLabels, StopReason> {
        let mut labels = ObservedLabels { tokens: Vec::new(), bindings: Vec::new() };
        let in_time = |at: usize| match at.is_multiple_of(1024) {
            true => budget.check(flat.bytes, budget.progress().states()),
            false => Ok(()),
        };
        // For each place and each transition, what queries name of it.
        let named_tokens = grouped(self.places.len(), self.tokens.iter().map(|some| some.place.index()));
        let named_bindings =
            grouped(self.transitions.len(), self.bindings.iter().map(|some| some.transition().index()));
        let mut numbers: HashMap<(u32, Vec<u32>), u32> = HashMap::new();
        let mut number = |own: u32, among: Vec<u32>| {
            let next = numbers.len() as u32;
            *numbers.entry((own, among)).or_insert(next)
        };
        for (at, token) in flat.tokens.iter().enumerate() {
            in_time(at)?;
            let is_among = |some: &&u32| self.tokens[**some as usize].colours.matches(token.colour);
            let among = named_tokens[token.place.index()].iter().filter(is_among).copied().collect();
            labels.tokens.push(number(self.places[token.place.index()], among));
        }
        for (at, transition) in flat.bindings.transitions.iter().enumerate() {
            in_time(at)?;
            let colours = &flat.bindings.colours[at];
            let is_among = |some: &&u32| binding_matches(folded, &self.bindings[**some as usize], colours);
            let among = named_bindings[transition.index()].iter().filter(is_among).copied().collect();
            labels.bindings.push(number(self.transitions[transition.index()], among));
        }
        Ok(labels)
    }
}

/// For each number below `count`, the positions at which it stands.
fn grouped(count: usize, numbers: impl Iterator<Item = usize> + Clone) -> Rows<u32> {
    Rows::group(count, numbers.zip(0..))
}

/// Tokens, and bindings, with different labels are told apart by the queries.
pub(super) struct ObservedLabels {
    tokens: Vec<u32>,
    bindings: Vec<u32>,
}

/// The places of the unfolded net.
pub(super) struct Classes {
    /// For each token its place; none where it never changes.
    pub(super) of: Vec<Option<u32>>,
    /// Whether bindings that move the same are one transition.
    pub(super) merged: bool,
}

impl Classes {
    /// The arcs of a binding between classes; `None` when a weight does not fit.
    pub(super) fn arcs(&self, arcs: &[Weight]) -> Option<Vec<Weight>> {
        let class = |&(token, weight): &Weight| Some((self.of[token as usize]?, weight));
        let mut classes: Vec<Weight> = arcs.iter().filter_map(class).collect();
        classes.sort_unstable();
        let mut joined: Vec<Weight> = Vec::with_capacity(classes.len());
        for (class, weight) in classes {
            match joined.last_mut().filter(|last| last.0 == class) {
                Some(last) => last.1 = last.1.checked_add(weight)?,
                None => joined.push((class, weight)),
            }
        }
        Some(joined)
    }
}

/// Each token that changes for itself.
pub(super) fn apart(constant: &[bool]) -> Classes {
    let mut next = 0..;
    let class = |&constant: &bool| (!constant).then(|| next.next().expect("it has no end"));
    Classes { of: constant.iter().map(class).collect(), merged: false }
}

/// The coarsest stable classes; each token for itself where they are not found in time.
pub(super) fn alike(
    flat: &FlatNet,
    constant: &[bool],
    labels: &ObservedLabels,
    budget: &Budget,
) -> Result<Classes, StopReason> {
    budget.check(flat.bytes, budget.progress().states())?;
    let part = budget.part(2);
    let refinement = PartitionRefinement::new(flat, constant, labels, &part);
    let classes = refinement.and_then(|mut refinement| {
        while refinement.round()? {}
        Ok(refinement.classes)
    });
    let single = apart(constant);
    Ok(classes.map_or(Classes { merged: true, ..single }, |of| numbered(&of)))
}

/// Classes in the order of their first tokens.
fn numbered(of: &[Option<u32>]) -> Classes {
    let mut numbers = HashMap::new();
    let mut number = |class: u32| {
        let next = numbers.len() as u32;
        *numbers.entry(class).or_insert(next)
    };
    Classes { of: of.iter().map(|class| class.map(&mut number)).collect(), merged: true }
}

/// The refinement of classes: they are split until they are stable.
struct PartitionRefinement<'a> {
    flat: &'a FlatNet,
    labels: &'a ObservedLabels,
    budget: &'a Budget,
    classes: Vec<Option<u32>>,
    count: usize,
    /// For each binding its inputs, each with the number of what else the binding takes.
    inputs: Rows<(u32, u32)>,
}

impl<'a> PartitionRefinement<'a> {
    fn new(
        flat: &'a FlatNet,
        constant: &[bool],
        labels: &'a ObservedLabels,
        budget: &'a Budget,
    ) -> Result<Self, StopReason> {
        let changing = |arcs: &'a [Weight]| arcs.iter().copied().filter(|arc| !constant[arc.0 as usize]);
        let mut single = vec![false; flat.tokens.len()];
        let mut contexts: HashMap<Vec<Weight>, u32> = HashMap::new();
        let mut inputs = Rows::new();
        let mut bytes = flat.bytes;
        for (at, pre) in flat.pre.iter().enumerate() {
            if at.is_multiple_of(1024) {
                budget.check(bytes, budget.progress().states())?;
            }
            changing(&flat.inhibitors[at]).for_each(|arc| single[arc.0 as usize] = true);
            let pre: Vec<Weight> = changing(pre).collect();
            if pre.len() > MOST_INPUTS {
                pre.iter().for_each(|arc| single[arc.0 as usize] = true);
            }
            let few = if pre.len() > MOST_INPUTS { &[] } else { &pre[..] };
            bytes += (few.len() * (24 + 16 * few.len())) as u64;
            let mut context = |at: usize| {
                let mut rest = pre.clone();
                rest[at].1 -= 1;
                rest.retain(|arc| arc.1 > 0);
                let next = contexts.len() as u32;
                *contexts.entry(rest).or_insert(next)
            };
            inputs.push((0..few.len()).map(|at| (few[at].0, context(at))).collect::<Vec<_>>());
        }
        let mut first = HashMap::new();
        let class = |at: usize| {
            let own = single[at].then_some(at);
            let next = first.len() as u32;
            let key = (own, labels.tokens[at]);
            (!constant[at]).then(|| *first.entry(key).or_insert(next))
        };
        let classes = (0..flat.tokens.len()).map(class).collect();
        let count = first.len();
        Ok(Self { flat, labels, budget, classes, count, inputs })
    }

    /// Splits the classes by what their tokens can do; `false` when that changes nothing.
    fn round(&mut self) -> Result<bool, StopReason> {
        let effects = self.effects()?;
        let mut uses: Vec<(u32, (u32, u32))> = Vec::with_capacity(self.inputs.items().len());
        for (inputs, &effect) in self.inputs.iter().zip(&effects) {
            uses.extend(inputs.iter().map(|&(token, context)| (token, (context, effect))));
        }
        uses.sort_unstable();
        uses.dedup();
        let can_do =
            Rows::group(self.classes.len(), uses.iter().map(|&(token, used)| (token as usize, used)));
        self.budget.check(self.flat.bytes, self.budget.progress().states())?;
        let mut split = HashMap::new();
        for (class, can_do) in self.classes.iter_mut().zip(can_do.iter()) {
            let Some(class) = class else { continue };
            let next = split.len() as u32;
            *class = *split.entry((*class, can_do)).or_insert(next);
        }
        let more = split.len() > self.count;
        self.count = split.len();
        Ok(more)
    }

    /// For each binding the number of what it does, seen from outside: what it is to the queries, what inhibits it,
    /// and how many tokens of each class it gives.
    fn effects(&self) -> Result<Vec<u32>, StopReason> {
        let classes = Classes { of: self.classes.clone(), merged: true };
        let mut numbers = HashMap::new();
        let mut effects = Vec::with_capacity(self.flat.len());
        for at in 0..self.flat.len() {
            if at.is_multiple_of(1024) {
                self.budget.check(self.flat.bytes, self.budget.progress().states())?;
            }
            let label = self.labels.bindings[at];
            let post = classes.arcs(&self.flat.post[at]).ok_or(StopReason::Overflow)?;
            let next = numbers.len() as u32;
            effects.push(*numbers.entry((label, &self.flat.inhibitors[at], post)).or_insert(next));
        }
        Ok(effects)
    }
}
