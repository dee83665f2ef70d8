//! What terms, guards and atoms demand of the permutations of colours.

use std::collections::BTreeSet;

use fireset_net::{
    Comparison, Expr, Global, Query, SortId, StateAtom, VariableId,
    coloured::{
        Bag, BagTerm, Colour, ColourPattern, ColourTerm, ColouredNet, ColouredTransition, Guard,
        PlaceColours, SortKind, Sorts,
    },
};

use super::{SortSymmetry, is_basic};

/// Sorts with more colours are rigid.
const MAX_COLOURS: u64 = 1 << 12;
/// The most tokens that are renamed to compare the colours of a multiset.
const MAX_RENAMED: u64 = 1 << 22;

/// What is demanded of a sort so far.
#[derive(Clone, Debug)]
struct SortConstraint {
    /// The block of each colour; a block is named by its first colour.
    blocks: Vec<u32>,
    rigid: bool,
    /// Whether successors are taken, so that at most rotations are left.
    shifted: bool,
    rotates: bool,
}

pub(super) struct Constraints<'a> {
    net: &'a ColouredNet,
    sorts: &'a Sorts,
    of: Vec<SortConstraint>,
}

impl<'a> Constraints<'a> {
    pub(super) fn new(net: &'a ColouredNet) -> Self {
        let sorts = net.sorts();
        let constraint = |at: usize| {
            let (sort, size) = (SortId::new(at), sorts[SortId::new(at)].size());
            let rigid = !is_basic(sorts, sort) || !(2..=MAX_COLOURS).contains(&size);
            let blocks = if rigid { Vec::new() } else { vec![0; size as usize] };
            SortConstraint { blocks, rigid, shifted: false, rotates: true }
        };
        let of = (0..sorts.iter().len()).map(constraint).collect();
        Self { net, sorts, of }
    }

    pub(super) fn symmetries(self) -> Vec<SortSymmetry> {
        let symmetry = |constraint: SortConstraint| {
            let SortConstraint { blocks, rigid, shifted, rotates } = constraint;
            let swaps = blocks.iter().enumerate().any(|(colour, &block)| block != colour as u32);
            match () {
                () if rigid => SortSymmetry::Rigid,
                () if swaps && !shifted => SortSymmetry::Blocks(blocks.into()),
                () if rotates => SortSymmetry::Rotations,
                () => SortSymmetry::Rigid,
            }
        };
        self.of.into_iter().map(symmetry).collect()
    }

    pub(super) fn keep_transition(&mut self, transition: &ColouredTransition) {
        self.guard(&transition.guard);
        let arcs = [&transition.pre, &transition.post, &transition.inhibitors];
        for arc in arcs.into_iter().flatten() {
            self.bag(&arc.term, self.net.place(arc.place).sort);
        }
    }

    /// Queries about the size count every marking, and those about runs need more than reachability.
    pub(super) fn keep_query(&mut self, query: &Query) {
        match query {
            Query::Reachable(_) | Query::Invariant(_) => query.state_atoms(&mut |atom| self.atom(atom)),
            Query::ColourBound(tokens) => tokens.iter().for_each(|tokens| self.place_colours(tokens)),
            Query::Bound(_) => {}
            Query::Global(global) if *global != Global::StateSpace => {}
            _ => self.of.iter_mut().for_each(|constraint| constraint.rigid = true),
        }
    }

    fn atom(&mut self, atom: &StateAtom) {
        match atom {
            StateAtom::Deadlock | StateAtom::Fireable(_) => {}
            StateAtom::Compare(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            StateAtom::BindingFireable(bindings) => {
                for (variable, colours) in bindings.variables() {
                    self.pattern(self.net.variable(variable).sort, colours);
                }
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Constant(_) | Expr::Tokens(_) => {}
            Expr::ColourTokens(tokens) => self.place_colours(tokens),
            Expr::Sum(terms) | Expr::Product(terms) => terms.iter().for_each(|term| self.expr(term)),
            Expr::Difference(a, b) => {
                self.expr(a);
                self.expr(b);
            }
        }
    }

    fn place_colours(&mut self, tokens: &PlaceColours) {
        self.pattern(self.net.place(tokens.place).sort, &tokens.colours);
    }

    /// The colours that a pattern names are fixed.
    fn pattern(&mut self, sort: SortId, colours: &ColourPattern) {
        let components = self.sorts.pattern_components(sort, colours);
        for (part, named) in self.sorts.flat_components(sort).into_iter().zip(components) {
            if let Some(named) = named {
                self.multiset(part, &Bag::of(named, 1));
            }
        }
    }

    /// A term whose value is used as a colour of `sort`.
    fn term(&mut self, term: &ColourTerm, sort: SortId) {
        let own = self.sort_of(term);
        self.same_colours(own, sort);
        let mut is_constant = true;
        term.variables(&mut |_| is_constant = false);
        if is_constant {
            let no_variable = |_| unreachable!("a constant term has no variable");
            let value = term.value(self.sorts, &no_variable);
            self.pattern(own, &self.sorts.only(own, value));
            return;
        }
        match term {
            ColourTerm::Constant(..) | ColourTerm::Variable(_) => {}
            ColourTerm::Shift { term, by, .. } => {
                if i128::from(*by).rem_euclid(i128::from(self.sorts[own].size())) != 0 {
                    // Tuples are shifted in their order, which no permutation of components keeps.
                    match is_basic(self.sorts, own) {
                        true => self.of[own.index()].shifted = true,
                        false => self.freeze(own),
                    }
                }
                self.term(term, own);
            }
            ColourTerm::Tuple(_, terms) => {
                terms.iter().zip(self.parts(own)).for_each(|(term, part)| self.term(term, part));
            }
            ColourTerm::BlockOf(_, term) => {
                self.freeze(own);
                let SortKind::Partition { base, block_of, .. } = &self.sorts[own].kind else {
                    panic!("a block belongs to a partition")
                };
                for block in 0..self.sorts[own].size() {
                    let within = (0..).zip(block_of).filter(|(_, of)| of.0 == block);
                    self.set(*base, within.map(|(colour, _)| Colour(colour)));
                }
                self.term(term, *base);
            }
        }
    }

    fn sort_of(&self, term: &ColourTerm) -> SortId {
        match term {
            ColourTerm::Variable(v) => self.net.variable(*v).sort,
            ColourTerm::Constant(sort, _)
            | ColourTerm::Shift { sort, .. }
            | ColourTerm::Tuple(sort, _)
            | ColourTerm::BlockOf(sort, _) => *sort,
        }
    }

    /// A term whose values are multisets over `sort`.
    fn bag(&mut self, term: &BagTerm, sort: SortId) {
        match term {
            BagTerm::One(term) => self.term(term, sort),
            BagTerm::All(own) => self.same_colours(*own, sort),
            BagTerm::Fixed(bag) => self.multiset(sort, bag),
            BagTerm::Times(_, term) => self.bag(term, sort),
            BagTerm::Sum(terms) => terms.iter().for_each(|term| self.bag(term, sort)),
            BagTerm::Minus(from, what) => {
                self.bag(from, sort);
                self.bag(what, sort);
            }
            BagTerm::Tuple(own, terms) => {
                self.same_colours(*own, sort);
                terms.iter().zip(self.parts(*own)).for_each(|(term, part)| self.bag(term, part));
            }
        }
    }

    fn guard(&mut self, guard: &Guard) {
        let mut variables = BTreeSet::new();
        guard.variables(&mut |v| {
            variables.insert(v);
        });
        if let Some(&only) = variables.first().filter(|_| variables.len() == 1) {
            let sort = self.net.variable(only).sort;
            if self.sorts[sort].size() <= MAX_COLOURS {
                let satisfies = |colour: &Colour| guard.holds(self.sorts, &|_: VariableId| *colour);
                return self.set(sort, (0..self.sorts[sort].size()).map(Colour).filter(satisfies));
            }
        }
        match guard {
            Guard::Constant(_) => {}
            Guard::Not(guard) => self.guard(guard),
            Guard::And(guards) | Guard::Or(guards) => guards.iter().for_each(|guard| self.guard(guard)),
            Guard::Compare(how, (left_sort, left), (right_sort, right)) => {
                // Sorts that differ may number the same values in different ways.
                let compares_equality = matches!(how, Comparison::Equal | Comparison::NotEqual);
                if !compares_equality || left_sort != right_sort {
                    self.freeze(*left_sort);
                    self.freeze(*right_sort);
                }
                self.term(left, *left_sort);
                self.term(right, *right_sort);
            }
        }
    }

    /// The colours of one sort are used as those of another one, by their numbers.
    fn same_colours(&mut self, one: SortId, other: SortId) {
        if one != other && self.sorts.flat_components(one) != self.sorts.flat_components(other) {
            self.freeze(one);
            self.freeze(other);
        }
    }

    fn freeze(&mut self, sort: SortId) {
        for part in self.sorts.flat_components(sort) {
            self.of[part.index()].rigid = true;
        }
    }

    fn parts(&self, product: SortId) -> Vec<SortId> {
        let SortKind::Product(parts) = &self.sorts[product].kind else {
            panic!("a tuple has a product sort")
        };
        parts.clone()
    }

    fn set(&mut self, sort: SortId, colours: impl Iterator<Item = Colour>) {
        let bag = Bag::collect(colours.map(|colour| (colour, 1))).expect("each colour comes once");
        self.multiset(sort, &bag);
    }

    /// A multiset over a sort is fixed.
    fn multiset(&mut self, sort: SortId, bag: &Bag) {
        let parts = self.sorts.flat_components(sort);
        let moved: BTreeSet<SortId> = parts.iter().copied().collect();
        for part in moved {
            let size = self.sorts[part].size();
            let constraint = &self.of[part.index()];
            if constraint.rigid || bag.is_empty() {
                continue;
            }
            let old_blocks = constraint.blocks.iter().collect::<BTreeSet<_>>().len() as u64;
            let work = size.saturating_mul(old_blocks.max(2)).saturating_mul(bag.iter().len() as u64);
            if work > MAX_RENAMED && !is_basic(self.sorts, sort) {
                self.of[part.index()].rigid = true;
                continue;
            }
            let renamed = |to: &dyn Fn(u64) -> u64| *bag == renamed(self.sorts, &parts, part, bag, to);
            let swaps = |a: u32, b: u32| match is_basic(self.sorts, sort) {
                true => bag.count(Colour(a.into())) == bag.count(Colour(b.into())),
                false => renamed(&|c| match c {
                    c if c == u64::from(a) => b.into(),
                    c if c == u64::from(b) => a.into(),
                    c => c,
                }),
            };
            let mut blocks: Vec<u32> = Vec::with_capacity(size as usize);
            // The new blocks by their first colours, each with the old block that it is part of.
            let mut firsts: Vec<(u32, u32)> = Vec::new();
            for (colour, &old) in (0..).zip(&constraint.blocks) {
                let fits = |&&(first, whole): &&(u32, u32)| whole == old && swaps(first, colour);
                let block = firsts.iter().find(fits).map(|&(first, _)| first);
                if block.is_none() {
                    firsts.push((colour, old));
                }
                blocks.push(block.unwrap_or(colour));
            }
            let rotates = constraint.rotates && renamed(&|c| (c + 1) % size);
            let constraint = &mut self.of[part.index()];
            (constraint.blocks, constraint.rotates) = (blocks, rotates);
        }
    }
}

/// A multiset of tuples whose components of one sort are renamed.
fn renamed(sorts: &Sorts, parts: &[SortId], moved: SortId, bag: &Bag, to: &dyn Fn(u64) -> u64) -> Bag {
    let rename = |colour: Colour| {
        let (mut new, mut weight, mut rest) = (0, 1, colour.0);
        for &part in parts.iter().rev() {
            let size = sorts[part].size();
            let component = rest % size;
            new += weight * if part == moved { to(component) } else { component };
            rest /= size;
            weight = weight.wrapping_mul(size);
        }
        Colour(new)
    };
    Bag::collect(bag.iter().map(|(colour, count)| (rename(colour), count))).expect("a renaming is injective")
}
