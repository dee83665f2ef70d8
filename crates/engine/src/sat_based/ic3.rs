//! Property-directed reachability: an inductive invariant that excludes the goal, or a run to it.
//!
//! After Bradley, "SAT-based model checking without unrolling" (2011), and Eén, Mishchenko, Brayton, "Efficient
//! implementation of property directed reachability" (2011). Frame `i` is a set of cubes that no run of at most `i` steps
//! meets. A marking of the last frame that meets the goal is a cube to be blocked: if no marking of the frame before leads
//! into it, it is generalised as long as that stays so, and excluded; otherwise its predecessor has to be blocked first, down to
//! the initial marking. When all cubes of a frame are blocked in the next one too, they are an inductive invariant.
//!
//! How this differs: a step is one transition, and cubes are boxes of markings, so the pre-image of a cube by
//! that transition is exactly a cube ([`EncodedTransition::before`](super::transition_relation::EncodedTransition::before)), and needs
//! no lifting by a solver. A marking that leaves an initially marked trap empty is excluded for ever, with the whole trap. One solver has all frames, each behind an activation
//! literal; it is built anew when too many of these are out of use.
//!
//! Invariants: (1) the initial marking is in no cube that is blocked; (2) cubes of frame `i` are cubes of all frames before;
//! (3) a run of the net from the initial marking is one of the encoding, so an invariant is right on every net; a run is fired by the caller.
//! Test: `tests/induction.rs`.

use std::{cmp::Reverse, collections::BinaryHeap};

use fireset_kernel::sat::Literal;
use fireset_net::{Budget, StopReason, TransitionId};

use super::{
    cnf::{CnfEncoder, StateVariables},
    cube::Cube,
    encoding::{SatEncoding, ask},
    nnf::NnfPredicate,
    transition_relation::StepSemantics,
};

/// Activation literals that are out of use before the solver is built anew.
const MAX_RETIRED: usize = 2_000;

/// Calls of the solver where the time is not limited: a proof that counts tokens one by one takes very many.
const MAX_QUERIES: usize = 4_000;

pub(super) enum Ic3Result {
    /// A run of the encoding to the goal.
    Run(Vec<TransitionId>),
    /// Cubes outside of which, with what is known, all reachable markings are; every goal is in one of them.
    Unreachable(Vec<Cube>),
}

/// A cube from which the goal is reached.
struct ProofObligation {
    cube: Cube,
    /// The transition that leads on, and to which obligation; `None` if the cube meets the goal.
    next: Option<(u32, usize)>,
}

pub(super) struct Ic3<'e, 'n> {
    encoding: &'e mut SatEncoding<'n>,
    goal: &'e NnfPredicate,
    budget: &'e Budget,
    solver: FrameSolver,
    /// Cubes by the last frame in which they are known to be blocked; frame 0 has none.
    blocked: Vec<Vec<Cube>>,
    obligations: Vec<ProofObligation>,
    queries: usize,
}

/// The clauses of all frames, and the meaning of their variables.
struct FrameSolver {
    cnf: CnfEncoder,
    /// The offsets of the variables before and after the step.
    now: Literal,
    next: Literal,
    firing: Vec<Literal>,
    is_goal: Literal,
    /// The activation literal of each frame; that of frame 0 stands for the initial marking.
    frames: Vec<Literal>,
    /// The activation literal of the last query alone.
    last: Option<Literal>,
    retired: usize,
}

impl<'e, 'n> Ic3<'e, 'n> {
    pub(super) fn new(
        encoding: &'e mut SatEncoding<'n>,
        goal: &'e NnfPredicate,
        budget: &'e Budget,
    ) -> Result<Self, StopReason> {
        let blocked = vec![Vec::new(), Vec::new()];
        let solver = FrameSolver::new(encoding, goal, &blocked)?;
        Ok(Self { encoding, goal, budget, solver, blocked, obligations: Vec::new(), queries: 0 })
    }

    /// Decides whether the goal, which the initial marking does not meet, is reachable.
    pub(super) fn run(mut self) -> Result<Ic3Result, StopReason> {
        loop {
            while let Some(cube) = self.goal_in_last()? {
                if let Some(run) = self.block(cube)? {
                    return Ok(Ic3Result::Run(run));
                }
            }
            self.blocked.push(Vec::new());
            self.solver.add_frame();
            if let Some(fixed) = self.push()? {
                let cubes = self.blocked.drain(fixed..).flatten().collect();
                return Ok(Ic3Result::Unreachable(cubes));
            }
        }
    }

    fn last(&self) -> usize {
        self.blocked.len() - 1
    }

    /// A cube of goals in the last frame.
    fn goal_in_last(&mut self) -> Result<Option<Cube>, StopReason> {
        let last = self.last();
        loop {
            self.solver.begin();
            let mut assumed: Vec<Literal> = self.solver.frames[last..].to_vec();
            assumed.push(self.solver.is_goal);
            if !ask(&mut self.solver.cnf, &assumed, self.budget)? {
                return Ok(None);
            }
            let counts = self.counts();
            if !self.exclude_by_trap(&counts) {
                let reasons = self.goal.reasons(&self.encoding.order, &counts);
                return Ok(Some(Cube::new(reasons, &self.encoding.order)));
            }
        }
    }

    /// The marking of the last solution.
    fn counts(&self) -> Vec<u32> {
        let FrameSolver { cnf, now, .. } = &self.solver;
        self.encoding.order.read(|literal| cnf.is_true(literal + now))
    }

    /// Excludes the counts if they leave a marked trap empty.
    fn exclude_by_trap(&mut self, counts: &[u32]) -> bool {
        let Some(cube) = self.encoding.empty_trap(counts) else { return false };
        let now = self.state(self.solver.now);
        let clause: Vec<Literal> = cube.clause().map(|literal| now.at(literal)).collect();
        self.solver.cnf.add(clause);
        self.encoding.excluded.push(cube);
        true
    }

    fn state(&self, offset: Literal) -> StateVariables<'_> {
        StateVariables { order: &self.encoding.order, offset }
    }

    /// Blocks a cube of goals in the last frame, or finds a run to it.
    fn block(&mut self, cube: Cube) -> Result<Option<Vec<TransitionId>>, StopReason> {
        self.obligations.clear();
        let mut open: BinaryHeap<Reverse<(usize, usize)>> = BinaryHeap::new();
        let last = self.last();
        if let Some(run) = self.oblige(cube, None) {
            return Ok(Some(run));
        }
        open.push(Reverse((last, 0)));
        while let Some(Reverse((frame, at))) = open.pop() {
            let cube = self.obligations[at].cube.clone();
            let blocked_in = match self.blocked_from(&cube, frame) {
                Some(known) => known,
                None => match self.predecessor(&cube, frame)? {
                    None => self.exclude(cube, frame)?,
                    Some(transition) => {
                        let before = self.encoding.relation.transitions[transition as usize]
                            .before(cube.literals(), &self.encoding.order);
                        let before = Cube::new(before, &self.encoding.order);
                        let new = self.obligations.len();
                        if let Some(run) = self.oblige(before, Some((transition, at))) {
                            return Ok(Some(run));
                        }
                        open.push(Reverse((frame, at)));
                        // The initial marking is in no obligation, so this is not frame 0.
                        open.push(Reverse((frame - 1, new)));
                        continue;
                    }
                },
            };
            if blocked_in < last {
                open.push(Reverse((blocked_in + 1, at)));
            }
        }
        Ok(None)
    }

    /// Adds a proof obligation; gives a run if the initial marking is in it.
    fn oblige(&mut self, cube: Cube, next: Option<(u32, usize)>) -> Option<Vec<TransitionId>> {
        let is_initial = cube.contains(&self.encoding.initial, &self.encoding.order);
        self.obligations.push(ProofObligation { cube, next });
        is_initial.then(|| {
            let mut run = Vec::new();
            let mut at = self.obligations.len() - 1;
            while let Some((transition, next)) = self.obligations[at].next {
                run.push(self.encoding.relation.transitions[transition as usize].transition);
                at = next;
            }
            run
        })
    }

    /// The last frame in which a cube is known to be blocked, if it is one from `frame` on.
    fn blocked_from(&self, cube: &Cube, frame: usize) -> Option<usize> {
        let covers = |other: &Cube| other.covers(cube, &self.encoding.order);
        (frame..self.blocked.len()).rev().find(|&at| self.blocked[at].iter().any(covers))
    }

    /// Whether no marking outside a cube, of the frame before, leads into it.
    fn is_inductive(&mut self, cube: &Cube, frame: usize) -> Result<bool, StopReason> {
        self.renew()?;
        let solver = &mut self.solver;
        solver.begin();
        let outside = solver.cnf.fresh();
        let now = StateVariables { order: &self.encoding.order, offset: solver.now };
        solver.cnf.add([-outside].into_iter().chain(cube.clause().map(|literal| now.at(literal))));
        solver.last = Some(outside);
        self.leads_nowhere(cube, frame, Some(outside))
    }

    /// Whether no marking of the frame before leads into a cube.
    fn leads_nowhere(
        &mut self,
        cube: &Cube,
        frame: usize,
        outside: Option<Literal>,
    ) -> Result<bool, StopReason> {
        self.queries += 1;
        if self.queries > MAX_QUERIES && self.budget.time_left().is_none() {
            return Err(StopReason::Time);
        }
        let next = self.state(self.solver.next);
        let mut assumed: Vec<Literal> = self.solver.frames[frame - 1..].to_vec();
        assumed.extend(outside);
        assumed.extend(cube.literals().iter().map(|&literal| next.at(literal)));
        Ok(!ask(&mut self.solver.cnf, &assumed, self.budget)?)
    }

    /// The transition by which a marking of the frame before leads into a cube.
    fn predecessor(&mut self, cube: &Cube, frame: usize) -> Result<Option<u32>, StopReason> {
        while !self.is_inductive(cube, frame)? {
            let places = cube.literals().iter().map(|&literal| self.encoding.order.meaning(literal).0);
            let mut changing = places.flat_map(|place| self.encoding.relation.changing(place));
            // The marking before is outside the cube and the one after inside: a place of the cube has changed.
            let fires = |transition: &u32| self.solver.cnf.is_true(self.solver.firing[*transition as usize]);
            let transition = changing.find(fires).expect("a place of the cube changes");
            drop(changing);
            let counts = self.counts();
            if !self.exclude_by_trap(&counts) {
                return Ok(Some(transition));
            }
        }
        Ok(None)
    }

    /// Excludes as much as possible around a cube that nothing leads into; gives the last frame where that is so.
    fn exclude(&mut self, cube: Cube, frame: usize) -> Result<usize, StopReason> {
        let mut cube = self.needed(&cube);
        let mut at = 0;
        while let Some(&literal) = cube.literals().get(at) {
            let without = cube.literals().iter().copied().filter(|&other| other != literal);
            let weaker = self.encoding.order.weaker(literal);
            let larger = Cube::new(without.clone(), &self.encoding.order);
            if self.can_exclude(&larger, frame)? {
                cube = self.needed(&larger);
                // Literals before are needed still, those after have moved up.
                at = at.min(cube.literals().len());
                continue;
            }
            let larger = weaker.map(|weaker| Cube::new(without.chain([weaker]), &self.encoding.order));
            match larger {
                Some(larger) if self.can_exclude(&larger, frame)? => cube = self.needed(&larger),
                _ => at += 1,
            }
        }
        let mut frame = frame;
        while frame < self.last() && self.is_inductive(&cube, frame + 1)? {
            frame += 1;
        }
        self.add(cube, frame);
        Ok(frame)
    }

    fn can_exclude(&mut self, cube: &Cube, frame: usize) -> Result<bool, StopReason> {
        let is_initial = cube.contains(&self.encoding.initial, &self.encoding.order);
        Ok(!is_initial && self.is_inductive(cube, frame)?)
    }

    /// The literals of a cube in the core of the last query, which had no solution, and one that excludes the initial marking.
    fn needed(&self, cube: &Cube) -> Cube {
        let next = self.state(self.solver.next);
        let literals = cube.literals().iter().copied();
        let mut needed: Vec<Literal> =
            literals.clone().filter(|&literal| self.solver.cnf.failed(next.at(literal))).collect();
        let excludes = |&literal: &Literal| !self.encoding.order.holds(literal, &self.encoding.initial);
        if !needed.iter().any(excludes) {
            needed.extend(literals.clone().find(excludes));
        }
        Cube::new(needed, &self.encoding.order)
    }

    /// Blocks a cube in a frame and all before.
    fn add(&mut self, cube: Cube, frame: usize) {
        let now = self.state(self.solver.now);
        let clause: Vec<Literal> =
            [-self.solver.frames[frame]].into_iter().chain(cube.clause().map(|l| now.at(l))).collect();
        self.solver.begin();
        self.solver.cnf.add(clause);
        for earlier in &mut self.blocked[..=frame] {
            earlier.retain(|other| !cube.covers(other, &self.encoding.order));
        }
        self.blocked[frame].push(cube);
    }

    /// Moves cubes on to the next frame where they stay blocked; gives a frame from which on the cubes are inductive.
    fn push(&mut self) -> Result<Option<usize>, StopReason> {
        for frame in 1..self.last() {
            let mut cubes = std::mem::take(&mut self.blocked[frame]);
            cubes.sort_by_key(|cube| cube.literals().len());
            for cube in cubes {
                self.solver.begin();
                if self.leads_nowhere(&cube, frame + 1, None)? {
                    self.add(cube, frame + 1);
                } else {
                    self.blocked[frame].push(cube);
                }
            }
            if self.blocked[frame].is_empty() {
                return Ok(Some(frame + 1));
            }
        }
        Ok(None)
    }

    /// Builds the solver anew when too many literals are out of use.
    fn renew(&mut self) -> Result<(), StopReason> {
        if self.solver.retired > MAX_RETIRED {
            self.solver = FrameSolver::new(self.encoding, self.goal, &self.blocked)?;
        }
        Ok(())
    }
}

impl FrameSolver {
    fn new(
        encoding: &SatEncoding<'_>,
        goal: &NnfPredicate,
        blocked: &[Vec<Cube>],
    ) -> Result<Self, StopReason> {
        let mut cnf = CnfEncoder::default();
        let now = encoding.encode_reachable(&mut cnf);
        let next = encoding.encode_marking(&mut cnf);
        let firing = encoding.relation.encode(&mut cnf, &now, &next, StepSemantics::Interleaving);
        let is_goal = cnf.fresh();
        cnf.require(goal, &[is_goal], &now).map_err(|_| StopReason::Memory)?;
        let mut frames = Vec::new();
        for cubes in blocked {
            let switch = cnf.fresh();
            for cube in cubes {
                cnf.add([-switch].into_iter().chain(cube.clause().map(|literal| now.at(literal))));
            }
            frames.push(switch);
        }
        encoding.initial_literals().for_each(|literal| cnf.add([-frames[0], now.at(literal)]));
        let (now, next) = (now.offset, next.offset);
        Ok(Self { cnf, now, next, firing, is_goal, frames, last: None, retired: 0 })
    }

    fn add_frame(&mut self) {
        self.frames.push(self.cnf.fresh());
    }

    /// Deactivates the clauses of the last query, before its solution is changed.
    fn begin(&mut self) {
        if let Some(last) = self.last.take() {
            self.cnf.add([-last]);
            self.retired += 1;
        }
    }
}
