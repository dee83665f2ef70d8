//! What the player sees and does: a game, three lists, and a line for input.

use std::{collections::HashSet, fs, path::Path};

use fireset::{
    Evidence, Model, Verdict,
    game::{Game, PlayableNet, Random},
    io::{InputError, marking_text::PrintableChanges, query, witness},
    net::{
        Logic, Net, NodeTitle, PlaceId, Property, StateAtom, StatePredicate, Step, Trace, TransitionId,
        coloured::ColouredNet,
    },
    run_table::blocked::{BlockageSearch, BlockedTransition},
};

use super::{
    asking::{self, OpenQuestion},
    commands::PlayCommand,
};
use crate::print;

/// Bindings of a transition that are listed.
const MOST_BINDINGS: usize = 200;
/// The most steps of a random run.
const LONGEST_RUN: usize = 1_000;

/// A net that can be played and shown.
pub trait ShownNet: PlayableNet + PrintableChanges + BlockageSearch {
    /// The net in another marking.
    fn starting_in(&self, state: &Self::State) -> Model;
}

impl ShownNet for Net {
    fn starting_in(&self, state: &Self::State) -> Model {
        Model::Plain(self.with_initial_marking(state.clone()))
    }
}

impl ShownNet for ColouredNet {
    fn starting_in(&self, state: &Self::State) -> Model {
        Model::Coloured(self.with_initial_marking(state.clone()))
    }
}

/// The lists of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pane {
    Transitions,
    Places,
    Run,
}

/// A line of the list of transitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransitionRow {
    Enabled(Step),
    Disabled(TransitionId),
}

/// What is typed, and what for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    pub kind: PromptKind,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptKind {
    Search,
    GoTo,
    Breakpoint,
    Ask,
    Save,
}

impl PromptKind {
    pub fn title(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::GoTo => "go to step",
            Self::Breakpoint => "stop where",
            Self::Ask => "query",
            Self::Save => "save as",
        }
    }
}

/// A list: how many lines it has, which is selected, and which is the first on the screen.
#[derive(Clone, Copy, Debug, Default)]
pub struct PaneList {
    pub lines: usize,
    pub selected: usize,
    pub first: usize,
}

impl PaneList {
    fn select(&mut self, line: usize) {
        self.selected = line.min(self.lines.saturating_sub(1));
    }

    /// Brings the selected line on a screen of some lines.
    pub fn scroll(&mut self, height: usize) {
        self.first = self.first.min(self.selected).max((self.selected + 1).saturating_sub(height));
    }
}

pub struct PlayApp<'n, S: ShownNet> {
    pub model: &'n Model,
    pub net: &'n S,
    pub game: Game<'n, S>,
    random: Random,
    pub pane: Pane,
    pub transitions: Vec<TransitionRow>,
    pub places: Vec<PlaceId>,
    /// The places that the last step has changed.
    pub changed: HashSet<PlaceId>,
    pub before: Option<S::State>,
    pub lists: [PaneList; 3],
    pub all_transitions: bool,
    all_places: bool,
    pub filter: String,
    pub breakpoints: Vec<(String, StatePredicate)>,
    pub prompt: Option<Prompt>,
    pub message: String,
    pub has_help: bool,
    pub question: Option<OpenQuestion>,
    /// The lines of a page, as the screen has them.
    pub page: usize,
    pub is_over: bool,
}

impl<'n, S: ShownNet> PlayApp<'n, S> {
    pub fn new(model: &'n Model, game: (&'n S, Game<'n, S>), seed: u64, message: String) -> Self {
        let (net, game) = game;
        let mut app = Self {
            model,
            net,
            game,
            random: Random::new(seed),
            pane: Pane::Transitions,
            transitions: Vec::new(),
            places: Vec::new(),
            changed: HashSet::new(),
            before: None,
            lists: Default::default(),
            all_transitions: false,
            all_places: false,
            filter: String::new(),
            breakpoints: Vec::new(),
            prompt: None,
            message,
            has_help: false,
            question: None,
            page: 10,
            is_over: false,
        };
        app.refresh();
        app
    }

    pub fn list(&mut self, pane: Pane) -> &mut PaneList {
        &mut self.lists[pane as usize]
    }

    /// Lists anew what the marking, the filter and the switches show.
    fn refresh(&mut self) {
        let nodes = self.model.nodes();
        let filter = self.filter.to_lowercase();
        let is_listed = |title: NodeTitle<'_>| {
            filter.is_empty() || query::quote_title(title).to_lowercase().contains(&filter)
        };
        self.transitions.clear();
        for transition in nodes.transition_ids().filter(|&t| is_listed(nodes.transition_title(t))) {
            let steps = self.net.some_steps(self.game.state(), transition, MOST_BINDINGS);
            if steps.is_empty() && self.all_transitions {
                self.transitions.push(TransitionRow::Disabled(transition));
            }
            self.transitions.extend(steps.into_iter().map(TransitionRow::Enabled));
        }
        self.before = self.game.state_before();
        self.changed.clear();
        if let (Some(before), Some(step)) = (&self.before, self.game.played().last()) {
            let places = self.net.changed_places(step.transition).into_iter();
            let now = self.game.state();
            self.changed.extend(places.filter(|&p| self.net.text(before, p) != self.net.text(now, p)));
        }
        let is_shown = |&place: &PlaceId| {
            let has_tokens = || self.net.tokens(self.game.state(), place).total > 0;
            (self.all_places || self.changed.contains(&place) || has_tokens())
                && is_listed(nodes.place_title(place))
        };
        self.places = nodes.place_ids().filter(is_shown).collect();
        // A run has a marking more than steps.
        let lines = [self.transitions.len(), self.places.len(), self.game.steps().len() + 1];
        for (list, lines) in self.lists.iter_mut().zip(lines) {
            list.lines = lines;
            list.select(list.selected);
        }
        let position = self.game.position();
        self.list(Pane::Run).select(position);
    }

    pub fn do_command(&mut self, command: PlayCommand) {
        self.message.clear();
        if self.has_help && command != PlayCommand::Quit {
            self.has_help = false;
            return;
        }
        let position = self.game.position();
        match command {
            PlayCommand::Fire => self.fire_selected(),
            PlayCommand::Undo => self.go_to(position.saturating_sub(1)),
            PlayCommand::Redo => self.go_to(position + 1),
            PlayCommand::ToStart => self.go_to(0),
            PlayCommand::ToEnd => self.go_to(usize::MAX),
            PlayCommand::Random => self.fire_random(1),
            PlayCommand::Run => self.fire_random(LONGEST_RUN),
            PlayCommand::GoTo => self.open(PromptKind::GoTo),
            PlayCommand::Search => self.open(PromptKind::Search),
            PlayCommand::Breakpoint => self.open(PromptKind::Breakpoint),
            PlayCommand::Ask => self.open(PromptKind::Ask),
            PlayCommand::Save => self.open(PromptKind::Save),
            PlayCommand::NoBreakpoints => {
                self.breakpoints.clear();
                self.message = "no breakpoints".into();
            }
            PlayCommand::AllTransitions => self.all_transitions = !self.all_transitions,
            PlayCommand::AllPlaces => self.all_places = !self.all_places,
            PlayCommand::NextPane => {
                self.pane = match self.pane {
                    Pane::Transitions => Pane::Places,
                    Pane::Places => Pane::Run,
                    Pane::Run => Pane::Transitions,
                };
            }
            PlayCommand::Up => self.select(-1),
            PlayCommand::Down => self.select(1),
            PlayCommand::PageUp => self.select(-(self.page as isize)),
            PlayCommand::PageDown => self.select(self.page as isize),
            PlayCommand::First => self.select(isize::MIN),
            PlayCommand::Last => self.select(isize::MAX),
            PlayCommand::Help => self.has_help = true,
            PlayCommand::Cancel => {
                self.filter.clear();
                self.question = None;
            }
            PlayCommand::Quit => self.is_over = true,
        }
        if matches!(command, PlayCommand::AllTransitions | PlayCommand::AllPlaces | PlayCommand::Cancel) {
            self.refresh();
        }
    }

    fn select(&mut self, lines: isize) {
        let pane = self.pane;
        let list = self.list(pane);
        list.select(list.selected.saturating_add_signed(lines));
        self.tell_why_not();
    }

    /// Selects a line that the mouse points to; one that is selected already is used.
    pub fn point_at(&mut self, pane: Pane, line: usize) {
        self.message.clear();
        let is_selected = self.pane == pane && self.list(pane).selected == line;
        self.pane = pane;
        if line >= self.list(pane).lines {
            return;
        }
        self.list(pane).select(line);
        match is_selected || pane == Pane::Run {
            true => self.fire_selected(),
            false => self.tell_why_not(),
        }
    }

    fn fire_selected(&mut self) {
        let (pane, selected) = (self.pane, self.lists[self.pane as usize].selected);
        match (pane, self.transitions.get(selected).cloned()) {
            (Pane::Transitions, Some(TransitionRow::Enabled(step))) => match self.game.fire(&step) {
                Ok(()) => self.arrive(),
                Err(_) => self.message = "a place would have more than 2^64 - 1 tokens".into(),
            },
            (Pane::Transitions, _) => self.tell_why_not(),
            (Pane::Run, _) => self.go_to(selected),
            (Pane::Places, _) => {}
        }
    }

    fn fire_random(&mut self, most: usize) {
        let mut fired = 0;
        while fired < most && self.game.fire_random(&mut self.random, MOST_BINDINGS).is_some() {
            fired += 1;
            if self.breakpoint().is_some() {
                break;
            }
        }
        self.arrive();
        if most > 1 && self.message.is_empty() {
            self.message = format!("{fired} random steps");
        }
    }

    fn go_to(&mut self, position: usize) {
        self.game.go_to(position);
        self.arrive();
    }

    /// Shows the marking that the game has come to.
    fn arrive(&mut self) {
        self.refresh();
        self.message = match self.breakpoint() {
            Some(text) => format!("breakpoint: {text}"),
            None if self.is_deadlock() => "a deadlock: no transition is enabled (a lists why)".into(),
            None => String::new(),
        };
    }

    /// The breakpoint that the marking meets.
    fn breakpoint(&self) -> Option<&str> {
        let met = self.breakpoints.iter().find(|(_, predicate)| self.game.holds(predicate));
        met.map(|(text, _)| text.as_str())
    }

    pub fn is_deadlock(&self) -> bool {
        self.game.holds(&StateAtom::Deadlock.into())
    }

    /// Says why the selected transition is not enabled.
    fn tell_why_not(&mut self) {
        let selected = self.lists[Pane::Transitions as usize].selected;
        let (Pane::Transitions, Some(&TransitionRow::Disabled(transition))) =
            (self.pane, self.transitions.get(selected))
        else {
            return;
        };
        let places = self.net.blocked_places(self.game.state(), transition);
        let title = query::quote_title(self.model.nodes().transition_title(transition));
        let reasons = print::why_blocked(self.model, &BlockedTransition { transition, places });
        self.message = format!("{title} {reasons}");
    }

    fn open(&mut self, kind: PromptKind) {
        let text = if kind == PromptKind::Search { self.filter.clone() } else { String::new() };
        self.prompt = Some(Prompt { kind, text });
    }

    /// Takes what was typed.
    pub fn enter(&mut self, Prompt { kind, text }: Prompt) {
        self.message.clear();
        let text = text.trim();
        match kind {
            PromptKind::Search => {
                self.filter = text.to_owned();
                self.refresh();
            }
            _ if text.is_empty() => {}
            PromptKind::GoTo => match text.parse() {
                Ok(position) => self.go_to(position),
                Err(_) => self.message = format!("`{text}` is no number of steps"),
            },
            PromptKind::Breakpoint => match self.predicate(text) {
                Ok(predicate) => {
                    self.breakpoints.push((text.to_owned(), predicate));
                    self.message = format!("c runs until {text}");
                }
                Err(message) => self.message = message,
            },
            PromptKind::Ask => {
                let asked = self.property(text).and_then(|property| {
                    let model = self.net.starting_in(self.game.state());
                    OpenQuestion::ask(model, &property, text.to_owned(), self.game.position())
                });
                match asked {
                    Ok(question) => self.question = Some(question),
                    Err(message) => self.message = message,
                }
            }
            PromptKind::Save => {
                self.message = match self.save(Path::new(text)) {
                    Ok(()) => format!("saved as {text}; `fireset replay` accepts it"),
                    Err(error) => format!("{text}: {error}"),
                };
            }
        }
    }

    /// A query in the language of `check`; the error is in one line.
    fn property(&self, text: &str) -> Result<Property, String> {
        query::read("query", text, self.model).map_err(|InputError { message, hint, .. }| match hint {
            Some(hint) => format!("{message}; {hint}"),
            None => message,
        })
    }

    fn predicate(&self, text: &str) -> Result<StatePredicate, String> {
        let property = self.property(text)?;
        let predicate = StatePredicate::try_from(&property.formula);
        predicate.map_err(|_| "a breakpoint is a predicate of markings, without temporal operators".into())
    }

    /// Writes the run to the marking as the witness of a query that it shows.
    fn save(&self, path: &Path) -> std::io::Result<()> {
        let formula = self.game.goal().possible();
        let property = Property { name: "run".into(), formula, logic: Logic::Ctl };
        let evidence = Evidence::Trace(Trace(self.game.played().to_vec()));
        let entry = witness::entry(self.model, &property, &Verdict::Holds, Some(&evidence));
        let mut text = serde_json::to_string_pretty(&witness::document(self.model, vec![entry]))?;
        text.push('\n');
        fs::write(path, text)
    }

    /// Looks whether the query is answered; `true` if it is.
    pub fn look_for_answer(&mut self) -> bool {
        let Some(outcome) = self.question.as_ref().and_then(OpenQuestion::answer) else { return false };
        let OpenQuestion { ref text, from, .. } = *self.question.as_ref().expect("it was answered");
        let mut message = format!("{text}: {}", asking::verdict(&outcome.verdict));
        let run = outcome.evidence.as_ref().and_then(Evidence::first_run).filter(|run| !run.is_empty());
        if let Some(run) = run.filter(|_| from == self.game.position())
            && self.game.continue_with(&run).is_ok()
        {
            message += &format!("; {} steps that show it can be redone", run.len());
            self.game.go_to(from);
            self.refresh();
        }
        self.message = message;
        self.question = None;
        true
    }
}
