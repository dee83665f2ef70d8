//! Marks of states and edges of a product: what a cycle through them does for acceptance and fairness.
//!
//! A cycle is accepting if it has the mark of acceptance, the mark of each weak group and, for each strong group that has
//! the mark of being enabled, that of being taken. So the marks of a strongly connected set are the union of those of its
//! states and edges.

use fireset_net::{FairGroup, FairnessStrength, Nodes, StepSet};

use crate::search::{MarkingSpace, Predicate, compile, value};

/// The mark of accepting states of the automaton.
const ACCEPTING: usize = 0;
/// The mark of sets with an edge between their states.
const CYCLIC: usize = 1;
/// The first mark of a group.
const GROUPS: usize = 2;

/// A set of marks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks(Vec<u64>);

impl Marks {
    fn set(&mut self, mark: usize) {
        self.0[mark / 64] |= 1 << (mark % 64);
    }

    pub(super) fn has(&self, mark: usize) -> bool {
        self.0[mark / 64] >> (mark % 64) & 1 == 1
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(all, more)| *all |= more);
    }

    pub(super) fn set_cyclic(&mut self) {
        self.set(CYCLIC);
    }

    /// Whether some mark of `wanted` is here and not in `had`.
    pub(super) fn brings(&self, wanted: &Self, had: &Self) -> bool {
        self.0.iter().zip(&wanted.0).zip(&had.0).any(|((new, wanted), had)| new & wanted & !had != 0)
    }
}

/// The steps of a group, ready to be compared with many.
struct CompiledGroup {
    strength: FairnessStrength,
    /// The mark of a weak group, or that of a strong one when it is taken; the next is that of being enabled.
    mark: usize,
    steps: StepSet,
    /// Bindings are asked one by one; transitions come from the list of the enabled ones.
    some_binding: Option<Predicate>,
}

/// All marks of a query.
pub(super) struct MarkTable {
    groups: Vec<CompiledGroup>,
    /// The groups of each transition as a whole.
    by_transition: Vec<Vec<u32>>,
    /// The groups with bindings.
    with_bindings: Vec<u32>,
    words: usize,
    enabled: Vec<u32>,
    is_enabled: Vec<bool>,
}

impl MarkTable {
    pub(super) fn new(groups: &[FairGroup], nodes: &Nodes) -> Self {
        let mut by_transition = vec![Vec::new(); nodes.transitions.len()];
        let (mut compiled, mut with_bindings, mut mark) = (Vec::new(), Vec::new(), GROUPS);
        for (at, group) in (0..).zip(groups) {
            for transition in &group.steps.transitions {
                by_transition[transition.index()].push(at);
            }
            let some_binding = (!group.steps.bindings.is_empty()).then(|| {
                with_bindings.push(at);
                compile(&StepSet { transitions: Vec::new(), ..group.steps.clone() }.enabled())
            });
            let FairGroup { strength, ref steps } = *group;
            compiled.push(CompiledGroup { strength, mark, steps: steps.clone(), some_binding });
            mark += 1 + usize::from(strength == FairnessStrength::Strong);
        }
        let (enabled, is_enabled) = (Vec::new(), vec![false; groups.len()]);
        Self { groups: compiled, by_transition, with_bindings, words: mark.div_ceil(64), enabled, is_enabled }
    }

    pub(super) fn none(&self) -> Marks {
        Marks(vec![0; self.words])
    }

    /// The marks of a product state, by its marking and whether the automaton accepts.
    pub(super) fn state<S: MarkingSpace>(&mut self, space: &mut S, row: &[u64], accepting: bool) -> Marks {
        let mut marks = self.none();
        if accepting {
            marks.set(ACCEPTING);
        }
        if self.groups.is_empty() {
            return marks;
        }
        self.is_enabled.fill(false);
        space.enabled_transitions(row, &mut self.enabled);
        for &transition in &self.enabled {
            for &group in &self.by_transition[transition as usize] {
                self.is_enabled[group as usize] = true;
            }
        }
        for &group in &self.with_bindings {
            let binding = self.groups[group as usize].some_binding.as_ref();
            let is_enabled = &mut self.is_enabled[group as usize];
            *is_enabled = *is_enabled || binding.is_some_and(|some| value(space, some, row));
        }
        for (group, &is_enabled) in self.groups.iter().zip(&self.is_enabled) {
            match group.strength {
                FairnessStrength::Weak if !is_enabled => marks.set(group.mark),
                FairnessStrength::Strong if is_enabled => marks.set(group.mark + 1),
                _ => {}
            }
        }
        marks
    }

    /// The marks of an edge, by its action; a deadlock that repeats has none.
    pub(super) fn edge<S: MarkingSpace>(&self, space: &S, action: Option<S::ActionId>) -> Marks {
        let mut marks = self.none();
        let Some(action) = action else { return marks };
        for &group in &self.by_transition[space.transition(action) as usize] {
            marks.set(self.groups[group as usize].mark);
        }
        if !self.with_bindings.is_empty() {
            let step = space.step(action);
            for &group in &self.with_bindings {
                let group = &self.groups[group as usize];
                if group.steps.contains(&step) {
                    marks.set(group.mark);
                }
            }
        }
        marks
    }

    /// Whether a cycle with these marks is accepted but for strong fairness.
    pub(super) fn is_almost_accepting(&self, marks: &Marks) -> bool {
        let is_weak = |group: &&CompiledGroup| group.strength == FairnessStrength::Weak;
        marks.has(ACCEPTING)
            && marks.has(CYCLIC)
            && self.groups.iter().filter(is_weak).all(|group| marks.has(group.mark))
    }

    /// The marks of being enabled of the strong groups that are enabled and not taken.
    pub(super) fn violated(&self, marks: &Marks) -> impl Iterator<Item = usize> {
        let is_violated = |group: &&CompiledGroup| {
            group.strength == FairnessStrength::Strong && marks.has(group.mark + 1) && !marks.has(group.mark)
        };
        self.groups.iter().filter(is_violated).map(|group| group.mark + 1)
    }

    pub(super) fn is_accepting(&self, marks: &Marks) -> bool {
        self.is_almost_accepting(marks) && self.violated(marks).next().is_none()
    }

    /// The marks that a cycle should bring together out of those of an accepting set; being enabled is no merit.
    pub(super) fn wanted(&self, marks: &Marks) -> Marks {
        let mut wanted = self.none();
        wanted.set(ACCEPTING);
        for group in self.groups.iter().filter(|group| marks.has(group.mark)) {
            wanted.set(group.mark);
        }
        wanted
    }
}
