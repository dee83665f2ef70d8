//! Colours in questions: some colours of a sort, the tokens of these colours in a place, some bindings of a transition.
//!
//! Why: a question about `leader[n1]` or `elect[p=n1]` speaks of a part of a place's tokens or of a transition's bindings.
//! A part is a pattern, not a list, because a component that may be anything stands for as many colours as its sort has.
//! Components are those that are no tuples themselves, in order, so that nested products have one flat list.
//! Invariant: a pattern keeps at most one colour for each component, in ascending order of the components, so equal parts of one
//! sort are equal patterns. Cost: a division for each component that is fixed. Test: below, against the components of all colours.

use super::{Colour, ColouredNet, SortKind, Sorts};
use crate::{PlaceId, SortId, Step, TransitionId, VariableId};

/// Some colours of a sort: those with certain components. It belongs to the sort that it was made for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ColourPattern(Box<[FixedComponent]>);

/// A component with a certain colour, as a digit of the number that a tuple is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct FixedComponent {
    component: u32,
    /// The number of tuples of the components behind it.
    divisor: u64,
    size: u64,
    colour: Colour,
}

impl ColourPattern {
    /// Whether a colour is one of these.
    #[inline]
    pub fn matches(&self, colour: Colour) -> bool {
        self.0.iter().all(|fixed| colour.0 / fixed.divisor % fixed.size == fixed.colour.0)
    }

    /// Whether no component is fixed, so that all colours of the sort are meant.
    pub fn is_any(&self) -> bool {
        self.0.is_empty()
    }
}

impl Sorts {
    /// The components of a sort's colours that are no tuples; a sort that is no product is its own only one.
    pub fn flat_components(&self, sort: SortId) -> Vec<SortId> {
        // A product refers only to sorts before it, so this ends.
        let (mut open, mut components) = (vec![sort], Vec::new());
        while let Some(sort) = open.pop() {
            match &self[sort].kind {
                SortKind::Product(parts) => open.extend(parts.iter().rev()),
                _ => components.push(sort),
            }
        }
        components
    }

    /// The colours of a sort with these components, where `None` stands for any colour; `None` when there are more or
    /// fewer components than the sort has, or a colour is not one of its component's sort.
    pub fn pattern(&self, sort: SortId, components: &[Option<Colour>]) -> Option<ColourPattern> {
        let sorts = self.flat_components(sort);
        if sorts.len() != components.len() {
            return None;
        }
        let (mut fixed, mut divisor) = (Vec::new(), 1u64);
        for (at, (&part, &colour)) in sorts.iter().zip(components).enumerate().rev() {
            let size = self[part].size();
            if let Some(colour) = colour {
                if colour.0 >= size {
                    return None;
                }
                fixed.push(FixedComponent { component: at as u32, divisor, size, colour });
            }
            divisor = divisor.checked_mul(size)?;
        }
        fixed.reverse();
        Some(ColourPattern(fixed.into()))
    }

    /// The pattern of one colour of a sort.
    pub fn only(&self, sort: SortId, colour: Colour) -> ColourPattern {
        let sorts = self.flat_components(sort);
        let (mut fixed, mut divisor) = (Vec::new(), 1u64);
        for (at, &part) in sorts.iter().enumerate().rev() {
            let size = self[part].size();
            let colour = Colour(colour.0 / divisor % size);
            fixed.push(FixedComponent { component: at as u32, divisor, size, colour });
            divisor = divisor.saturating_mul(size);
        }
        fixed.reverse();
        ColourPattern(fixed.into())
    }

    /// The components that [`pattern`](Self::pattern) was given.
    pub fn pattern_components(&self, sort: SortId, pattern: &ColourPattern) -> Vec<Option<Colour>> {
        let mut components = vec![None; self.flat_components(sort).len()];
        for fixed in &pattern.0 {
            components[fixed.component as usize] = Some(fixed.colour);
        }
        components
    }
}

/// The tokens of some colours in a place of a coloured net.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PlaceColours {
    /// The place that holds the tokens.
    pub place: PlaceId,
    /// Colours of the place's sort.
    pub colours: ColourPattern,
}

impl PlaceColours {
    /// Whether the tokens of a place/transition net are meant, which have the first and only colour.
    pub fn is_plain(&self) -> bool {
        self.colours.matches(Colour(0))
    }
}

/// Some bindings of a transition of a coloured net: those that give certain colours to certain variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BindingPattern {
    transition: TransitionId,
    variables: Box<[FixedVariable]>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct FixedVariable {
    variable: VariableId,
    /// Where the variable's colour stands in a binding.
    position: u32,
    colours: ColourPattern,
}

impl BindingPattern {
    /// The bindings of a transition in which each of these variables has one of its colours; `None` when the transition does
    /// not have one of the variables, or one is there twice. Variables that may have any colour are not kept.
    pub fn new(
        net: &ColouredNet,
        transition: TransitionId,
        colours: impl IntoIterator<Item = (VariableId, ColourPattern)>,
    ) -> Option<Self> {
        let mut variables = Vec::new();
        for (variable, colours) in colours {
            let position = net.variables_of(transition).binary_search(&variable).ok()? as u32;
            variables.push(FixedVariable { variable, position, colours });
        }
        variables.sort_by_key(|fixed| fixed.variable);
        if variables.windows(2).any(|two| two[0].variable == two[1].variable) {
            return None;
        }
        variables.retain(|fixed| !fixed.colours.is_any());
        Some(Self { transition, variables: variables.into() })
    }

    /// The transition whose bindings are meant.
    pub fn transition(&self) -> TransitionId {
        self.transition
    }

    /// The variables that are not free, ascending, with the colours that they may have.
    pub fn variables(&self) -> impl ExactSizeIterator<Item = (VariableId, &ColourPattern)> {
        self.variables.iter().map(|fixed| (fixed.variable, &fixed.colours))
    }

    /// Whether a binding of the transition is one of these; `colour` tells the colour at a position of the binding.
    #[inline]
    pub fn matches(&self, colour: impl Fn(usize) -> Colour) -> bool {
        self.variables.iter().all(|fixed| fixed.colours.matches(colour(fixed.position as usize)))
    }

    /// Whether a step fires the transition under one of these bindings.
    pub fn matches_step(&self, step: &Step) -> bool {
        let has = |fixed: &FixedVariable| {
            step.binding.get(fixed.position as usize).is_some_and(|&colour| fixed.colours.matches(colour))
        };
        step.transition == self.transition && self.variables.iter().all(has)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The components of a colour, one product at a time.
    fn flat(sorts: &Sorts, sort: SortId, colour: Colour) -> Vec<Colour> {
        match &sorts[sort].kind {
            SortKind::Product(parts) => {
                let components = sorts.components(sort, colour);
                parts.iter().zip(components).flat_map(|(&part, colour)| flat(sorts, part, colour)).collect()
            }
            _ => vec![colour],
        }
    }

    #[test]
    fn patterns_match_by_components() {
        let mut sorts = Sorts::default();
        let dot = sorts.add("dot", SortKind::Dot).unwrap();
        let three = sorts.add("three", SortKind::IntRange { start: 5, end: 7 }).unwrap();
        let two = sorts.add("two", SortKind::Bool).unwrap();
        let pair = sorts.add("pair", SortKind::Product(vec![three, dot, two])).unwrap();
        let nested = sorts.add("nested", SortKind::Product(vec![two, pair, three])).unwrap();
        for sort in [dot, three, pair, nested] {
            let parts = sorts.flat_components(sort);
            let choices = parts.iter().fold(vec![Vec::new()], |all: Vec<Vec<Option<Colour>>>, &part| {
                let colours = || (0..sorts[part].size()).map(|c| Some(Colour(c))).chain([None]);
                all.iter().flat_map(|head| colours().map(move |c| [&head[..], &[c]].concat())).collect()
            });
            for components in choices {
                let pattern = sorts.pattern(sort, &components).unwrap();
                assert_eq!(sorts.pattern_components(sort, &pattern), components);
                assert_eq!(pattern.is_any(), components.iter().all(Option::is_none));
                for colour in (0..sorts[sort].size()).map(Colour) {
                    let has = flat(&sorts, sort, colour);
                    let expected = components.iter().zip(has).all(|(c, has)| c.is_none_or(|c| c == has));
                    assert_eq!(pattern.matches(colour), expected, "{components:?} and {colour:?}");
                }
            }
        }
        assert_eq!(sorts.pattern(pair, &[None, None]), None, "a component is missing");
        assert_eq!(sorts.pattern(three, &[Some(Colour(3))]), None, "no such colour");
    }
}
