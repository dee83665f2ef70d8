//! A coloured net whose atoms about colours are read off their definition.
//!
//! A token is of the colours that are asked for when each of its components is, and a transition is enabled under some of the
//! bindings that are asked for when one of all its bindings is one of these and enabled. Nothing is shared with the patterns of
//! `fireset_net`, which compare digits of numbers. Everything else is the tabulated net's. Test: `tests/reference/coloured.rs`.

use fireset_net::{
    FireError, Nodes, PlaceId, Semantics, SortId, Step, Tokens, TransitionId,
    coloured::{BindingPattern, Colour, ColourPattern, ColouredMarking, ColouredNet, PlaceColours, SortKind},
    reachability::TabulatedNet,
};

pub(crate) struct NaiveColours<'a> {
    pub(crate) net: &'a ColouredNet,
    pub(crate) table: TabulatedNet<'a>,
}

impl NaiveColours<'_> {
    /// Whether the components of a colour are those that a pattern asks for.
    fn is_among(&self, sort: SortId, colour: Colour, pattern: &ColourPattern) -> bool {
        let wanted = self.net.sorts().pattern_components(sort, pattern);
        let mut components = Vec::new();
        self.flatten(sort, colour, &mut components);
        wanted.iter().zip(components).all(|(wanted, has)| wanted.is_none_or(|wanted| wanted == has))
    }

    fn flatten(&self, sort: SortId, colour: Colour, components: &mut Vec<Colour>) {
        let sorts = self.net.sorts();
        match &sorts[sort].kind {
            SortKind::Product(parts) => {
                let colours = sorts.components(sort, colour);
                parts.iter().zip(colours).for_each(|(&part, colour)| self.flatten(part, colour, components));
            }
            _ => components.push(colour),
        }
    }
}

impl AsRef<Nodes> for NaiveColours<'_> {
    fn as_ref(&self) -> &Nodes {
        self.net.nodes()
    }
}

impl Semantics for NaiveColours<'_> {
    type State = ColouredMarking;

    fn initial(&self) -> ColouredMarking {
        self.table.initial()
    }

    fn steps(&self, state: &ColouredMarking) -> Vec<Step> {
        self.table.steps(state)
    }

    fn can_fire(&self, state: &ColouredMarking, transition: TransitionId) -> bool {
        self.table.can_fire(state, transition)
    }

    fn can_fire_under(&self, state: &ColouredMarking, bindings: &BindingPattern) -> bool {
        let (net, transition) = (self.net, bindings.transition());
        let is_meant = |binding: &[Colour]| {
            let colours = net.lookup(transition, binding);
            bindings.variables().all(|(v, wanted)| self.is_among(net.variable(v).sort, colours(v), wanted))
        };
        net.bindings(transition)
            .any(|binding| is_meant(&binding) && net.enabled(state, &Step { transition, binding }).is_ok())
    }

    fn fire(&self, state: &ColouredMarking, step: &Step) -> Result<ColouredMarking, FireError> {
        self.table.fire(state, step)
    }

    fn tokens(&self, state: &ColouredMarking, place: PlaceId) -> Tokens {
        self.table.tokens(state, place)
    }

    fn colour_tokens(&self, state: &ColouredMarking, tokens: &PlaceColours) -> u128 {
        let sort = self.net.place(tokens.place).sort;
        let all = state.0[tokens.place.index()].iter();
        all.filter(|&(colour, _)| self.is_among(sort, colour, &tokens.colours))
            .map(|(_, n)| u128::from(n))
            .sum()
    }

    fn monotone(&self) -> bool {
        self.table.monotone()
    }

    fn bytes(&self, state: &ColouredMarking) -> usize {
        self.table.bytes(state)
    }

    fn table_bytes(&self) -> u64 {
        self.table.table_bytes()
    }

    fn successors(
        &self,
        state: &ColouredMarking,
        visit: &mut dyn FnMut(Step, Result<ColouredMarking, FireError>),
    ) {
        self.table.successors(state, visit);
    }
}
