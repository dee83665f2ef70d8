//! Tasks and sub-processes, with their boundary events and loops.
//!
//! A task is one transition, which fires when the task is done. A task with boundary events, a loop or messages in both
//! directions is started first; a token then says in which state it is: which boundary events that occur only once have
//! occurred, and whether its messages are sent already.

use fireset_net::{PlaceId, TransitionId};

use super::{
    document::{FlowNodeKind, Repetition, TriggerKind},
    effects::Effect,
    notes,
    scopes::ScopeClosing,
    translation::{PlaceOrigin, Translation},
};
use crate::Fault;

/// The most boundary events on one activity that occur only once and do not interrupt it.
const MAX_ONCE: usize = 3;

/// A state of a task that was started.
struct TaskState {
    place: PlaceId,
    /// A bit for each boundary event that occurs only once.
    occurred: usize,
    is_sent: bool,
}

impl Translation<'_> {
    pub(super) fn task(&mut self, node: usize) -> Result<(), Fault> {
        let repetition = self.node(node).repetition;
        let is_repeated = matches!(repetition, Repetition::OnceOrMore | Repetition::ZeroOrMore);
        let entries = self.entries(node)?;
        let exchanges = self.mailboxes[node].is_some() && self.sends_inside(node);
        if self.graph.boundaries[node].is_empty() && !is_repeated && !exchanges {
            for (at, entry) in entries.into_iter().enumerate() {
                let step = self.step_at(node, &Self::variant(at))?;
                self.builder.input(entry, step, 1);
                self.receive(step, node);
                self.send(step, node);
                self.leave(step, node)?;
            }
            return Ok(());
        }
        let once = self.once_only(node)?;
        let states = self.task_states(node, exchanges, once.len())?;
        for (at, entry) in entries.into_iter().enumerate() {
            let step = self.step_at(node, &format!(".start{}", Self::variant(at)))?;
            self.builder.input(entry, step, 1);
            self.builder.output(step, states[0].place, 1);
            if repetition == Repetition::ZeroOrMore {
                self.skip(node, entry)?;
            }
        }
        if is_repeated {
            self.repeat(node, states[0].place)?;
        }
        for (at, state) in states.iter().enumerate() {
            let step = self.step_at(node, &Self::variant(at))?;
            self.builder.input(state.place, step, 1);
            self.receive(step, node);
            if !state.is_sent {
                self.send(step, node);
            }
            self.leave(step, node)?;
        }
        if exchanges {
            self.notes.add(notes::EXCHANGE, self.node(node).head.shown());
            self.send_first(node, &states)?;
        }
        self.task_events(node, &once, &states)
    }

    /// Whether a message of a node goes to another node of the net.
    fn sends_inside(&self, node: usize) -> bool {
        let receivers = self.graph.sent[node].iter().filter_map(|&flow| self.graph.receivers[flow]);
        receivers.into_iter().any(|receiver| self.mailboxes[receiver].is_some())
    }

    fn task_states(&mut self, node: usize, exchanges: bool, once: usize) -> Result<Vec<TaskState>, Fault> {
        let mut states = Vec::new();
        for is_sent in [false, true].into_iter().take(if exchanges { 2 } else { 1 }) {
            for occurred in 0..1_usize << once {
                let events = if occurred == 0 { String::new() } else { format!(".{occurred}") };
                let suffix = format!("{}{events}", if is_sent { ".sent" } else { ".active" });
                states.push(TaskState { place: self.place_at(node, &suffix)?, occurred, is_sent });
            }
        }
        Ok(states)
    }

    /// A task that exchanges messages may send its own before it receives.
    fn send_first(&mut self, node: usize, states: &[TaskState]) -> Result<(), Fault> {
        for (at, state) in states.iter().filter(|state| !state.is_sent).enumerate() {
            let sent = states.iter().find(|other| other.is_sent && other.occurred == state.occurred);
            let Some(sent) = sent else { continue };
            let step = self.step_at(node, &format!(".send{}", Self::variant(at)))?;
            self.builder.input(state.place, step, 1);
            self.send(step, node);
            self.builder.output(step, sent.place, 1);
        }
        Ok(())
    }

    fn task_events(&mut self, node: usize, once: &[usize], states: &[TaskState]) -> Result<(), Fault> {
        for &event in &self.graph.boundaries[node] {
            let bit = once.iter().position(|&other| other == event).map(|at| 1_usize << at);
            let is_interrupting = self.is_interrupting(event);
            let open = states.iter().filter(|state| bit.is_none_or(|bit| state.occurred & bit == 0));
            for (at, state) in open.enumerate() {
                let step = self.step_at(event, &Self::variant(at))?;
                self.builder.input(state.place, step, 1);
                self.receive(step, event);
                self.leave(step, event)?;
                let after = state.occurred | bit.unwrap_or(0);
                let is_after = |other: &&TaskState| other.occurred == after && other.is_sent == state.is_sent;
                if let Some(next) = states.iter().find(is_after).filter(|_| !is_interrupting) {
                    self.builder.output(step, next.place, 1);
                }
            }
        }
        Ok(())
    }

    fn is_interrupting(&self, event: usize) -> bool {
        matches!(self.node(event).kind, FlowNodeKind::Boundary { is_interrupting: true, .. })
    }

    /// The non-interrupting boundary events of an activity that occur at most once: timers that are not cyclic.
    fn once_only(&self, activity: usize) -> Result<Vec<usize>, Fault> {
        let is_once = |&&event: &&usize| {
            let triggers = &self.node(event).triggers;
            !self.is_interrupting(event) && triggers.iter().all(|trigger| trigger.kind == TriggerKind::Timer)
        };
        let once: Vec<usize> = self.graph.boundaries[activity].iter().filter(is_once).copied().collect();
        if once.len() > MAX_ONCE {
            let message = format!("an activity has more than {MAX_ONCE} non-interrupting timers");
            let node = self.node(activity);
            return Err(Fault::at(node.head.offset, message).within(node.described()));
        }
        Ok(once)
    }

    /// An activity that is carried out not at all.
    fn skip(&mut self, node: usize, entry: PlaceId) -> Result<(), Fault> {
        let step = self.step_at(node, ".skip")?;
        self.builder.input(entry, step, 1);
        // The loop's own exit place is not there yet, so the token goes to the outgoing flows.
        self.leave(step, node)
    }

    /// Puts a place behind a repeated activity, from which it starts again or is left. Returns the transition that starts again.
    fn repeat(&mut self, node: usize, active: PlaceId) -> Result<TransitionId, Fault> {
        let done = self.place_at(node, ".done")?;
        let step = self.step_at(node, ".leave")?;
        self.builder.input(done, step, 1);
        self.leave(step, node)?;
        self.leave_through(node, done);
        let again = self.step_at(node, ".repeat")?;
        self.builder.input(done, again, 1);
        self.builder.output(again, active, 1);
        Ok(again)
    }

    pub(super) fn sub_process(&mut self, node: usize, inner: usize) -> Result<(), Fault> {
        let Some(active) = self.scopes[inner].running else { return Ok(()) };
        let repetition = self.node(node).repetition;
        let once = self.once_only(node)?;
        let mut armed = Vec::new();
        for &event in &once {
            let origin = PlaceOrigin { is_armed: true, ..PlaceOrigin::control(Some(inner)) };
            armed.push(self.place(&format!("{}.armed", self.node(event).head.id), origin)?);
        }
        let mut started: Vec<PlaceId> = self.scopes[inner].entry.clone();
        started.extend(&armed);
        let mut starts = Vec::new();
        for (at, entry) in self.entries(node)?.into_iter().enumerate() {
            let step = self.step_at(node, &format!(".start{}", Self::variant(at)))?;
            self.builder.input(entry, step, 1);
            self.builder.output(step, active, 1);
            self.receive(step, node);
            starts.push(step);
            if repetition == Repetition::ZeroOrMore {
                self.skip(node, entry)?;
            }
        }
        if repetition != Repetition::Once {
            starts.push(self.repeat(node, active)?);
        }
        for step in starts {
            for &place in &started {
                self.builder.output(step, place, 1);
            }
            self.needs_empty(step, active)?;
            if let Some(cancelling) = self.scopes[inner].cancelling {
                self.needs_empty(step, cancelling)?;
            }
        }
        self.completions(node, inner, &armed)?;
        self.endings(node, inner)?;
        self.scope_events(node, active, (&once, &armed))
    }

    /// The transitions that fire when a sub-process holds no token any more; timers that may still go off are taken away.
    fn completions(&mut self, node: usize, inner: usize, armed: &[PlaceId]) -> Result<(), Fault> {
        for left in 0..1_usize << armed.len() {
            let step = self.step_at(node, &Self::variant(left))?;
            if let Some(active) = self.scopes[inner].running {
                self.builder.input(active, step, 1);
            }
            for (at, &place) in armed.iter().enumerate() {
                match left >> at & 1 {
                    0 => self.builder.input(place, step, 1),
                    _ => self.needs_empty(step, place)?,
                }
            }
            self.send(step, node);
            self.leave(step, node)?;
            self.closings.push(ScopeClosing { step, scope: inner, passes_armed: true });
        }
        Ok(())
    }

    /// How it goes on when the tokens of a sub-process that was ended early are removed.
    fn endings(&mut self, node: usize, inner: usize) -> Result<(), Fault> {
        let Some(cancelling) = self.scopes[inner].cancelling else { return Ok(()) };
        for (goes_on, pending) in self.scopes[inner].pending.clone() {
            let step = match goes_on {
                Some(event) => self.step_at(event, ".leave")?,
                None => self.step_at(node, ".terminate")?,
            };
            self.builder.input(cancelling, step, 1);
            self.builder.input(pending, step, 1);
            if goes_on.is_none() {
                self.send(step, node);
            }
            self.leave(step, goes_on.unwrap_or(node))?;
            self.closings.push(ScopeClosing { step, scope: inner, passes_armed: false });
        }
        Ok(())
    }

    /// The boundary events of a sub-process that occur without an event inside.
    fn scope_events(
        &mut self,
        node: usize,
        active: PlaceId,
        (once, armed): (&[usize], &[PlaceId]),
    ) -> Result<(), Fault> {
        for &event in &self.graph.boundaries[node] {
            let data = self.node(event);
            if data.has_trigger(TriggerKind::Error) || data.has_trigger(TriggerKind::Escalation) {
                if self.effects[event] == Effect::OnlyCaused {
                    continue;
                }
                self.notes.add(notes::ERRORS, data.head.shown());
            }
            match self.effects[event] {
                Effect::OnlyCaused | Effect::Raise(_) => {}
                Effect::End { scope, goes_on } => {
                    let step = self.ending_step(event, "", (scope, goes_on))?;
                    self.receive(step, event);
                }
                Effect::None => {
                    let step = self.step_at(event, "")?;
                    self.builder.input(active, step, 1);
                    self.builder.output(step, active, 1);
                    if let Some(at) = once.iter().position(|&other| other == event) {
                        self.builder.input(armed[at], step, 1);
                    }
                    self.receive(step, event);
                    self.leave(step, event)?;
                }
            }
        }
        Ok(())
    }
}
