//! The screen of the token game.

use fireset::{Model, io::query};
use ratatui::{
    Frame,
    layout::{Constraint, Layout, Rect},
    style::{Color, Modifier, Style},
    text::{Line, Span},
    widgets::{Block, Clear, Paragraph},
};

use super::{
    app::{Pane, PlayApp, ShownNet, TransitionRow},
    commands,
};
use crate::print;

/// Where the lists are on the screen, for the mouse.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScreenAreas(pub [Rect; 3]);

impl ScreenAreas {
    /// The list and its line at a point of the screen.
    pub fn at(&self, column: u16, row: u16, firsts: [usize; 3]) -> Option<(Pane, usize)> {
        let panes = [Pane::Transitions, Pane::Places, Pane::Run];
        let found = panes.into_iter().zip(self.0).find(|(_, area)| area.contains((column, row).into()));
        found.map(|(pane, area)| (pane, firsts[pane as usize] + usize::from(row - area.y)))
    }
}

const CHANGED: Style = Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD);
const FAINT: Style = Style::new().add_modifier(Modifier::DIM);
const SELECTED: Style = Style::new().add_modifier(Modifier::REVERSED);

/// Draws what the game has come to; returns where the lists are.
pub fn draw<S: ShownNet>(frame: &mut Frame<'_>, app: &mut PlayApp<'_, S>) -> ScreenAreas {
    let rows = [Constraint::Length(1), Constraint::Min(3), Constraint::Length(1), Constraint::Length(1)];
    let [title, body, message, keys] = Layout::vertical(rows).areas(frame.area());
    frame.render_widget(Paragraph::new(heading(app)).style(SELECTED), title);
    let thirds = [Constraint::Fill(5), Constraint::Fill(5), Constraint::Fill(3)];
    let mut areas: [Rect; 3] = Layout::horizontal(thirds).areas(body);
    for (pane, area) in [Pane::Transitions, Pane::Places, Pane::Run].into_iter().zip(&mut areas) {
        *area = list(frame, app, pane, *area);
    }
    frame.render_widget(Paragraph::new(status(app)), message);
    frame.render_widget(Paragraph::new(key_line(usize::from(keys.width))), keys);
    if app.has_help {
        help(frame, body);
    }
    if let Some(prompt) = &app.prompt {
        let column = prompt.kind.title().chars().count() + 2 + Line::raw(&prompt.text).width();
        let column = u16::try_from(column).unwrap_or(u16::MAX).min(message.width.saturating_sub(1));
        frame.set_cursor_position((message.x + column, message.y));
    }
    ScreenAreas(areas)
}

fn heading<S: ShownNet>(app: &PlayApp<'_, S>) -> String {
    let (position, steps) = (app.game.position(), app.game.steps().len());
    let place = match position {
        0 => "the initial marking".to_owned(),
        _ => format!("after step {position}"),
    };
    let rest = if steps > position { format!(", {} to redo", steps - position) } else { String::new() };
    let breakpoints = match app.breakpoints.len() {
        0 => String::new(),
        1 => ", 1 breakpoint".into(),
        n => format!(", {n} breakpoints"),
    };
    let filter = if app.filter.is_empty() { String::new() } else { format!(", only {}", app.filter) };
    format!(" {}: {place}{rest}{breakpoints}{filter}", app.model.name())
}

/// As many keys as there is room for, those for help and the end in any case.
fn key_line(width: usize) -> Line<'static> {
    let (mut all, mut used): (Vec<_>, _) = (Vec::new(), 0);
    let (last, others): (Vec<_>, Vec<_>) =
        commands::shown_keys().partition(|(_, short)| matches!(*short, "help" | "quit"));
    for (keys, short) in last.into_iter().chain(others) {
        let spans =
            [Span::styled(keys, Style::new().add_modifier(Modifier::BOLD)), Span::raw(format!(" {short}  "))];
        used += spans.iter().map(Span::width).sum::<usize>();
        if used > width + 2 {
            break;
        }
        all.extend(spans);
    }
    Line::from(all)
}

/// What is typed, or the last message.
fn status<S: ShownNet>(app: &PlayApp<'_, S>) -> Line<'static> {
    match (&app.prompt, &app.question) {
        (Some(prompt), _) => Line::raw(format!("{}: {}", prompt.kind.title(), prompt.text)),
        (None, Some(question)) => Line::raw(format!("{}: checking … (Esc ends it)", question.text)),
        (None, None) => Line::raw(app.message.clone()),
    }
}

/// Draws a list; only the lines on the screen are made. Returns where its lines are.
fn list<S: ShownNet>(frame: &mut Frame<'_>, app: &mut PlayApp<'_, S>, pane: Pane, area: Rect) -> Rect {
    let title = match pane {
        Pane::Transitions if app.all_transitions => format!(" Transitions: {} ", app.transitions.len()),
        Pane::Transitions => format!(" Enabled: {} ", app.transitions.len()),
        Pane::Places => format!(" Marking: {} ", app.places.len()),
        Pane::Run => " Run ".to_owned(),
    };
    let border = if app.pane == pane { Style::new().fg(Color::Cyan) } else { FAINT };
    let block = Block::bordered().title(title).border_style(border);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let height = usize::from(inside.height);
    app.page = height.max(1);
    app.list(pane).scroll(height);
    let list = *app.list(pane);
    let last = (list.first + height).min(list.lines);
    let lines = (list.first..last).map(|at| {
        let line = match pane {
            Pane::Transitions => transition_line(app, at),
            Pane::Places => place_line(app, at),
            Pane::Run => run_line(app, at),
        };
        let is_selected = at == list.selected && app.pane == pane;
        if is_selected { line.patch_style(SELECTED) } else { line }
    });
    frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()), inside);
    inside
}

fn transition_line<S: ShownNet>(app: &PlayApp<'_, S>, at: usize) -> Line<'static> {
    match &app.transitions[at] {
        TransitionRow::Enabled(step) => {
            let is_next = app.game.steps().get(app.game.position()) == Some(step);
            let mark = if is_next { "▸ " } else { "  " };
            Line::raw(format!("{mark}{}", print::one_step(app.model, step)))
        }
        TransitionRow::Disabled(transition) => {
            let title = query::quote_title(app.model.nodes().transition_title(*transition));
            Line::styled(format!("  {title}"), FAINT)
        }
    }
}

fn place_line<S: ShownNet>(app: &PlayApp<'_, S>, at: usize) -> Line<'static> {
    let place = app.places[at];
    match &app.before {
        Some(before) if app.changed.contains(&place) => {
            let change = app.net.change(before, app.game.state(), place);
            let name = query::quote_title(app.model.nodes().place_title(place));
            let text = app.net.text(app.game.state(), place).unwrap_or_else(|| name.clone());
            // A change of colours does not tell which are there.
            let shown = match (app.model, change.strip_prefix(&name)) {
                (Model::Coloured(_), Some(change)) => text + change,
                _ => change,
            };
            Line::styled(shown, CHANGED)
        }
        _ => match app.net.text(app.game.state(), place) {
            Some(text) => Line::raw(text),
            None => Line::styled(query::quote_title(app.model.nodes().place_title(place)), FAINT),
        },
    }
}

fn run_line<S: ShownNet>(app: &PlayApp<'_, S>, at: usize) -> Line<'static> {
    let text = match at.checked_sub(1) {
        None => "0 initial marking".to_owned(),
        Some(step) => format!("{at} {}", print::one_step(app.model, &app.game.steps()[step])),
    };
    match at.cmp(&app.game.position()) {
        std::cmp::Ordering::Equal => Line::styled(text, CHANGED),
        std::cmp::Ordering::Less => Line::raw(text),
        std::cmp::Ordering::Greater => Line::styled(text, FAINT),
    }
}

fn help(frame: &mut Frame<'_>, area: Rect) {
    let lines = commands::all_keys().map(|(keys, help)| {
        let keys = format!(" {keys:<6}");
        Line::from(vec![Span::styled(keys, Style::new().add_modifier(Modifier::BOLD)), Span::raw(help)])
    });
    let block = Block::bordered().title(" Keys; the mouse selects, and fires what is selected ");
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()).block(block), area);
}
