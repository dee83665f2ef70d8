//! `fireset play`: the token game in the terminal.

mod app;
mod asking;
mod commands;
mod view;

#[cfg(test)]
mod tests;

use std::{
    io::{self, IsTerminal as _},
    process::ExitCode,
    time::Duration,
};

use fireset::{Evidence, Model, game::Game, io::witness};
use ratatui::{
    DefaultTerminal,
    crossterm::{
        event::{
            self, DisableMouseCapture, EnableMouseCapture, Event, KeyCode, KeyEvent, KeyEventKind,
            KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
        },
        execute,
    },
};

use self::{
    app::{PlayApp, ShownNet},
    commands::PlayCommand,
    view::ScreenAreas,
};
use crate::{args::PlayArgs, failure::Failure, load};

/// How often the answer of a query is looked for.
const LOOK: Duration = Duration::from_millis(100);

pub fn run(args: &PlayArgs) -> Result<ExitCode, Failure> {
    let file = load::whole_net_file(&args.model, &args.net)?;
    let (steps, message) = match &args.run {
        None => (Vec::new(), String::new()),
        Some(path) => {
            let witnesses = witness::read_file(path, &file, &args.model)?;
            let asked =
                load::witness_with_run(path, &witnesses, args.property.as_deref(), Evidence::first_run)?;
            let (witness, steps) = asked;
            (steps, format!("the run of {}: r plays it", witness.property.name))
        }
    };
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        let hint = "`fireset check --steps` and `fireset draw --run` show runs without one";
        return Err(Failure::Usage("`play` needs a terminal".into(), hint.into()));
    }
    match &file.model {
        Model::Plain(net) => play(&file.model, net, &steps, (args.seed, message)),
        Model::Coloured(net) => play(&file.model, net, &steps, (args.seed, message)),
    }
}

fn play<S: ShownNet>(
    model: &Model,
    net: &S,
    steps: &[fireset::net::Step],
    (seed, message): (u64, String),
) -> Result<ExitCode, Failure> {
    let game = Game::with_run(net, steps).map_err(|refusal| {
        let hint = "`fireset replay` tells which witnesses fit to the net";
        Failure::Usage(format!("the run is none of this net: {}", refusal.describe(model)), hint.into())
    })?;
    let mut app = PlayApp::new(model, (net, game), seed, message);
    let mut terminal = ratatui::init();
    // Without the mouse the keys do.
    let _ = execute!(io::stdout(), EnableMouseCapture);
    let ended = event_loop(&mut terminal, &mut app);
    let _ = execute!(io::stdout(), DisableMouseCapture);
    ratatui::restore();
    ended.map_err(|error| Failure::Output("the terminal".into(), error))?;
    Ok(ExitCode::SUCCESS)
}

fn event_loop<S: ShownNet>(terminal: &mut DefaultTerminal, app: &mut PlayApp<'_, S>) -> io::Result<()> {
    let mut areas = ScreenAreas::default();
    while !app.is_over {
        terminal.draw(|frame| areas = view::draw(frame, app))?;
        // The screen changes by events, and by an answer.
        while !event::poll(LOOK)? {
            if app.look_for_answer() {
                break;
            }
        }
        // What has been typed meanwhile is shown at once.
        while event::poll(Duration::ZERO)? && !app.is_over {
            take(app, &event::read()?, areas);
        }
    }
    Ok(())
}

/// Takes an event of the terminal.
fn take<S: ShownNet>(app: &mut PlayApp<'_, S>, event: &Event, areas: ScreenAreas) {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => take_key(app, *key),
        Event::Mouse(mouse) => take_mouse(app, *mouse, areas),
        Event::Paste(text) => {
            if let Some(prompt) = &mut app.prompt {
                prompt.text.extend(text.chars().filter(|c| !c.is_control()));
            }
        }
        _ => {}
    }
}

fn take_key<S: ShownNet>(app: &mut PlayApp<'_, S>, key: KeyEvent) {
    if PlayCommand::of(key) == Some(PlayCommand::Quit) && key.code == KeyCode::Char('c') {
        app.is_over = true;
        return;
    }
    let Some(mut prompt) = app.prompt.take() else {
        // Any key ends the help.
        let command = PlayCommand::of(key).or(app.has_help.then_some(PlayCommand::Cancel));
        command.into_iter().for_each(|command| app.do_command(command));
        return;
    };
    match key.code {
        KeyCode::Enter => return app.enter(prompt),
        KeyCode::Esc => return,
        KeyCode::Backspace => drop(prompt.text.pop()),
        KeyCode::Char(c) if !key.modifiers.contains(KeyModifiers::CONTROL) => prompt.text.push(c),
        _ => {}
    }
    app.prompt = Some(prompt);
}

fn take_mouse<S: ShownNet>(app: &mut PlayApp<'_, S>, mouse: MouseEvent, areas: ScreenAreas) {
    let at = areas.at(mouse.column, mouse.row, app.lists.map(|list| list.first));
    match (mouse.kind, at) {
        _ if app.has_help || app.prompt.is_some() => {}
        (MouseEventKind::Down(MouseButton::Left), Some((pane, line))) => app.point_at(pane, line),
        (MouseEventKind::ScrollUp | MouseEventKind::ScrollDown, Some((pane, _))) => {
            app.pane = pane;
            let is_up = mouse.kind == MouseEventKind::ScrollUp;
            app.do_command(if is_up { PlayCommand::Up } else { PlayCommand::Down });
        }
        _ => {}
    }
}
