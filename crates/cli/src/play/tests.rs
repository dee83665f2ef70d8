//! Keys and the mouse on a screen in memory.

use fireset::io::witness;
use fireset_oracle::tiny;
use ratatui::{Terminal, backend::TestBackend, crossterm::event::MouseEvent};

use super::*;

/// The game on a small net, and its screen.
struct Played<'n> {
    app: PlayApp<'n, fireset::net::Net>,
    terminal: Terminal<TestBackend>,
    areas: ScreenAreas,
}

impl<'n> Played<'n> {
    fn new(model: &'n Model, (width, height): (u16, u16)) -> Self {
        let Model::Plain(net) = model else { panic!("a place/transition net") };
        let app = PlayApp::new(model, (net, Game::new(net)), 1, String::new());
        let terminal = Terminal::new(TestBackend::new(width, height)).expect("a screen");
        let mut played = Self { app, terminal, areas: ScreenAreas::default() };
        played.draw();
        played
    }

    fn draw(&mut self) {
        let Self { app, terminal, areas } = self;
        terminal.draw(|frame| *areas = view::draw(frame, app)).expect("a screen");
    }

    /// Presses keys: a character each, `\n` for Enter.
    fn press(&mut self, keys: &str) -> &mut Self {
        for key in keys.chars() {
            let code = if key == '\n' { KeyCode::Enter } else { KeyCode::Char(key) };
            take(&mut self.app, &Event::Key(code.into()), self.areas);
            self.draw();
        }
        self
    }

    fn click(&mut self, column: u16, row: u16) -> &mut Self {
        let kind = MouseEventKind::Down(MouseButton::Left);
        let mouse = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
        take(&mut self.app, &Event::Mouse(mouse), self.areas);
        self.draw();
        self
    }

    fn screen(&self) -> String {
        let buffer = self.terminal.backend().buffer();
        let width = usize::from(buffer.area.width);
        let symbols: Vec<&str> = buffer.content.iter().map(|cell| cell.symbol()).collect();
        symbols.chunks(width).map(|line| line.concat() + "\n").collect()
    }

    #[track_caller]
    fn shows(&mut self, text: &str) -> &mut Self {
        let screen = self.screen();
        assert!(screen.contains(text), "no `{text}` in\n{screen}");
        self
    }
}

fn locks() -> Model {
    Model::Plain(tiny::net(
        "l:1 m:1 a:1 b:1 a1 b1; take_a: a, l -> a1; work_a: a1, m -> a, l, m; take_b: b, m -> b1; work_b: b1, l -> b, l, m",
    ))
}

#[test]
fn steps_fire_and_are_undone_and_redone() {
    let model = locks();
    let mut game = Played::new(&model, (90, 12));
    game.shows("the initial marking").shows("Enabled: 2").shows("  take_a");
    game.press("\n").shows("after step 1").shows("a 1→0").shows("1 take_a");
    game.press("u").shows("the initial marking, 1 to redo").shows("▸ take_a");
    game.press("r").shows("after step 1 ");
    game.press("j\n").shows("after step 2").shows("a deadlock: no transition is enabled").shows("Enabled: 0");
    game.press("a").shows("Transitions: 4").press("j").shows("work_a needs a token on m");
    game.press("g1\n").shows("after step 1, 1 to redo").press("$").shows("after step 2");
    game.press("g?\n").shows("`?` is no number of steps");
}

#[test]
fn random_runs_stop_at_breakpoints() {
    let model = locks();
    let mut game = Played::new(&model, (90, 12));
    game.press("bb1 = 1\n").shows("c runs until b1 = 1").shows("1 breakpoint");
    game.press("c").shows("breakpoint: b1 = 1");
    game.press("bEF b1 = 1\n").shows("a breakpoint is a predicate of markings");
    game.press("bnothing = 1\n").shows("no place `nothing`");
    game.press("0B").shows("no breakpoints").press("c").shows("a deadlock");
    assert!(game.app.game.steps().len() >= 2);
}

#[test]
fn names_are_searched_for() {
    let model = locks();
    let mut game = Played::new(&model, (90, 12));
    game.press("/take_b\n").shows("only take_b").shows("Enabled: 1");
    assert!(!game.screen().contains("take_a"));
    take(&mut game.app, &Event::Key(KeyCode::Esc.into()), game.areas);
    game.draw();
    game.shows("Enabled: 2");
}

#[test]
fn the_mouse_selects_and_fires() {
    let model = locks();
    let mut game = Played::new(&model, (90, 12));
    let area = game.areas.0[0];
    game.click(area.x + 3, area.y + 1);
    assert_eq!(game.app.game.position(), 0);
    game.click(area.x + 3, area.y + 1).shows("after step 1").shows("1 take_b");
    let run = game.areas.0[2];
    game.click(run.x, run.y).shows("the initial marking, 1 to redo");
    game.click(run.x, run.y + 40);
}

#[test]
fn queries_are_asked_from_the_marking_on() {
    let model = locks();
    let mut game = Played::new(&model, (120, 12));
    game.press("\neEF deadlock\n");
    while !game.app.look_for_answer() {
        std::thread::sleep(Duration::from_millis(5));
    }
    game.draw();
    game.shows("EF deadlock: holds; 1 steps that show it can be redone").shows("after step 1, 1 to redo");
    game.press("r").shows("a deadlock");
    game.press("eEF (\n").shows("expected");
    assert!(game.app.question.is_none());
}

#[test]
fn a_saved_run_is_a_witness_of_the_net() {
    let model = locks();
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("run.json");
    let mut game = Played::new(&model, (90, 12));
    for keys in ["\n", "nn"] {
        game.press(keys).press(&format!("s{}\n", path.display())).shows("`fireset replay` accepts it");
        let text = std::fs::read_to_string(&path).expect("the run");
        let witnesses = witness::read("run.json", &text, &model).expect("a witness");
        let [run] = &witnesses[..] else { panic!("{text}") };
        let query = run.property.query().expect("a query");
        let confirmed = fireset::net::replay::confirm(&model, &query, &run.verdict, &run.evidence);
        assert_eq!(confirmed, Ok(()), "{text}");
    }
    game.press("s/nowhere/run.json\n").shows("/nowhere/run.json: ");
}

#[test]
fn the_screen_can_have_any_size() {
    let model = locks();
    for size in [(1, 1), (10, 3), (20, 5), (300, 100)] {
        let mut game = Played::new(&model, size);
        game.press("?").press("?njjkca").press("/x\n");
    }
    let mut game = Played::new(&model, (100, 40));
    game.press("?").shows("fire a random step").press("x");
    assert!(!game.screen().contains("fire a random step"));
    game.press("q");
    assert!(game.app.is_over);
}

/// Only the lines on the screen are made, so that large nets stay fluid.
#[test]
fn a_large_net_can_be_played() {
    let mut text = String::from("p0:1");
    (1..20_000).for_each(|at| text += &format!(" p{at}"));
    (0..20_000).for_each(|at| text += &format!("; t{at}: p{at} -> p{}", (at + 1) % 20_000));
    let model = Model::Plain(tiny::net(&text));
    let mut game = Played::new(&model, (90, 20));
    game.press("nnn").shows("after step 3").shows("p3").press("am").shows("Transitions: 20000");
    game.press("/p19999\n").shows("Marking: 1");
}
