//! The sink of one engine run: reports its outcomes under the ids of the queries, and records when work on each query begins
//! and how it ends.

use std::time::{Duration, Instant};

use fireset_engine::ResultSink;
use fireset_net::{Ending, Event, Outcome, Progress, Signal, StopReason, Verdict};

use crate::{
    results::{QueryId, Results},
    strategy::{Batching, Stage},
};

/// A query that a stage left open because a limit of the stage was reached: with a larger one it may be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CutOff {
    pub(crate) id: QueryId,
    pub(crate) limit: Limit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    Time,
    Memory,
}

pub(crate) struct Recorder<'r, 'c> {
    results: &'r Results<'c>,
    stage: &'static str,
    ids: &'r [QueryId],
    signals: Vec<Signal>,
    signals_as_written: Vec<Signal>,
    progress: Progress,
    spells: Vec<Spell>,
    /// The query whose turn it is, and since when.
    turn: Option<(usize, Instant)>,
    cut_off: Vec<CutOff>,
}

/// The work of the engine on one query.
#[derive(Clone, Copy, Default)]
struct Spell {
    /// When the engine began with it, together with others.
    since: Option<Instant>,
    /// The time that its turns took so far.
    turns: Duration,
    has_begun: bool,
    is_told: bool,
}

impl<'r, 'c> Recorder<'r, 'c> {
    pub(crate) fn new(
        results: &'r Results<'c>,
        stage: Stage,
        ids: &'r [QueryId],
        progress: Progress,
    ) -> Self {
        let (signals, signals_as_written) = (results.signals(ids), results.signals_as_written(ids));
        let spells = vec![Spell::default(); ids.len()];
        let (stage, batching) = (stage.name(), stage.batching());
        let (turn, cut_off) = (None, Vec::new());
        let mut recorder =
            Self { results, stage, ids, signals, signals_as_written, progress, spells, turn, cut_off };
        if batching == Batching::Together {
            (0..ids.len()).for_each(|at| {
                recorder.spells[at].since = Some(Instant::now());
                recorder.begin(at);
            });
        }
        recorder
    }

    fn begin(&mut self, at: usize) {
        self.spells[at].has_begun = true;
        self.results.record(self.ids[at], &Event::Began(self.stage, self.progress.clone()));
    }

    fn end_turn(&mut self) {
        if let Some((at, since)) = self.turn.take() {
            self.spells[at].turns += since.elapsed();
        }
    }

    fn end(&mut self, at: usize, states: u64, ending: Ending) {
        self.end_turn();
        let Spell { since, turns, .. } = self.spells[at];
        let elapsed = since.map_or(turns, |since| since.elapsed());
        self.results.record(self.ids[at], &Event::Ended { stage: self.stage, elapsed, states, ending });
    }

    /// The engine broke: its open queries have that as the reason.
    pub(crate) fn fail(&mut self, fault: &StopReason) {
        for at in 0..self.ids.len() {
            if !self.spells[at].is_told {
                self.report(at, Outcome::unknown(fault.clone()));
            }
        }
    }

    /// The engine has ended; gives what it left open because of a limit.
    pub(crate) fn finish(mut self, reason: &StopReason) -> Vec<CutOff> {
        for at in 0..self.ids.len() {
            let Spell { has_begun, is_told, .. } = self.spells[at];
            if has_begun && !is_told {
                let open = self.is_open(at);
                let ending = if open { Ending::Open(reason.clone()) } else { Ending::Superfluous };
                self.end(at, self.progress.states(), ending);
            }
        }
        self.cut_off
    }

    fn note_limit(&mut self, at: usize, reason: &StopReason) {
        let limit = match reason {
            StopReason::Time => Limit::Time,
            StopReason::Memory => Limit::Memory,
            _ => return,
        };
        self.cut_off.push(CutOff { id: self.ids[at], limit });
    }
}

impl ResultSink for Recorder<'_, '_> {
    fn report(&mut self, at: usize, outcome: Outcome) {
        self.spells[at].is_told = true;
        let ending = match &outcome.verdict {
            Verdict::Unknown(_) if !self.is_open(at) => Ending::Superfluous,
            Verdict::Unknown(reason) => {
                self.note_limit(at, &reason.clone());
                Ending::Open(reason.clone())
            }
            _ => Ending::Decided,
        };
        self.end(at, outcome.statistics.states, ending);
        self.results.report(self.ids[at], outcome);
    }

    fn is_open(&self, at: usize) -> bool {
        self.signals[at].given().is_none()
    }

    fn signal(&self, at: usize) -> Option<&Signal> {
        Some(&self.signals[at])
    }

    fn signal_as_written(&self, at: usize) -> Option<&Signal> {
        Some(&self.signals_as_written[at])
    }

    fn record(&mut self, at: usize, event: Event) {
        if event == Event::Turn {
            self.end_turn();
            self.turn = Some((at, Instant::now()));
            self.begin(at);
        } else {
            self.results.record(self.ids[at], &event);
        }
    }
}
