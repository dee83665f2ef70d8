//! Specifications of mist: the nets and targets that they mean, and what is refused because it is no Petri net.

use std::collections::BTreeSet;

use fireset_io::{
    Fault, Source, mist,
    net_file::{self, NetChoice, NetFile},
    query,
};
use fireset_net::{Marking, Model, Net, TransitionId};
use fireset_oracle::{random::TestRng, tiny};

#[track_caller]
fn file(text: &str) -> NetFile {
    mist::read(text).unwrap_or_else(|fault| panic!("{fault:?}"))
}

fn plain(file: &NetFile) -> &Net {
    match &file.model {
        Model::Plain(net) => net,
        Model::Coloured(_) => panic!("mist's nets are not coloured"),
    }
}

/// The text of the only property, which is called `target`.
#[track_caller]
fn target(file: &NetFile) -> String {
    assert_eq!(file.properties.len(), 1);
    assert_eq!(file.properties[0].name, "target");
    assert!(file.properties[0].query().is_ok());
    query::show(&file.properties[0].formula, file.model.nodes())
}

/// The fault has this message, where this text first stands in the file; the empty text is at its end.
#[track_caller]
fn refused(text: &str, message: &str, at: &str) {
    let fault: Fault = mist::read(text).expect_err("the file is wrong");
    assert!(fault.message.contains(message), "{fault:?}");
    let offset = if at.is_empty() { text.len() } else { text.find(at).expect("the text has it") };
    assert_eq!(fault.offset, offset as u64, "{fault:?}");
}

/// A specification of `x` and `y` with these rules, which stand in its second line.
fn rules(rules: &str) -> String {
    format!("vars x y\nrules {rules}\ninit x = 0, y = 0 target x >= 1")
}

#[test]
fn a_specification_is_a_net_with_a_target() {
    let file = file(
        "# a comment\nvars\n  x y # more\n\t_z1\nrules\n\
         x >= 1 ->\n\tx' = x - 1,\n\ty' = y + 2;\n\
         y >= 1 , _z1 >= 3 -> y' = y - 1, x' = x + 0;\n true -> ; \n\
         init x = 2, y = 0,\n _z1=4\ntarget\n x >= 1, y >= 2\n y >= 3\n\ninvariants\nx=1, y=2\n y=1, y=1\n",
    );
    assert_eq!(tiny::text(plain(&file)), "x:2 y _z1:4; rule1: x -> 2*y; rule2: y, 3*_z1 -> 3*_z1; rule3: ->");
    assert_eq!(target(&file), "EF (x >= 1 && y >= 2 || y >= 3)");
    assert!(file.notes.is_empty(), "{:?}", file.notes);
}

#[test]
fn commas_join_constraints_and_line_breaks_mean_nothing() {
    let of = |text: &str| target(&file(&format!("vars x y rules init x = 1, y = 1 target {text}")));
    assert_eq!(of("x >= 1,\n y >= 2"), "EF (x >= 1 && y >= 2)");
    assert_eq!(of("x >= 1 y >= 2 x = 0"), "EF (x >= 1 || y >= 2 || x = 0)");
    assert_eq!(of("x in [1,3], y in [2,2]"), "EF (x >= 1 && x <= 3 && y = 2)");
    assert_eq!(of("x\n>=\n0"), "EF (x >= 0)");
}

#[test]
fn open_initial_markings_are_added_by_transitions() {
    let file =
        file("vars x y init_x rules x >= 1 -> x' = x - 1, y' = y + 1; init x >= 2, init_x = 1 target y >= 1");
    assert_eq!(tiny::text(plain(&file)), "x:2 y init_x:1; rule1: x -> y; init_x_: -> x; init_y: -> y");
    assert_eq!(file.notes.len(), 1);
    assert!(file.notes[0].contains("open for `x`, `y`; "), "{:?}", file.notes);
    assert!(file.notes[0].contains("by `init_x_`, `init_y`. "), "{:?}", file.notes);
    assert!(file.notes[0].contains("deadlocks"), "{:?}", file.notes);
}

#[test]
fn names_of_rules_are_new() {
    let file = file("vars rule1 rule2 rules true ->; true ->; init rule1 = 0, rule2 = 0 target rule1 >= 1");
    assert_eq!(plain(&file).nodes().transitions.iter().collect::<Vec<_>>(), ["rule1_", "rule2_"]);
}

/// Each rule behaves as mist says, computed by hand: the guard holds and the result is not negative.
#[test]
fn guards_and_changes_follow_their_definition() {
    for (guard, change) in (0..4i64).flat_map(|guard| (-3..4i64).map(move |change| (guard, change))) {
        let sign = if change < 0 { '-' } else { '+' };
        let file = file(&rules(&format!("x >= {guard} -> x' = x {sign} {};", change.abs())));
        let unguarded = file_of_unguarded(change, sign);
        for tokens in 0..7i64 {
            let fires = |net: &Net| {
                let marking = Marking([tokens as u64, 0].into());
                net.fire_transition(&marking, TransitionId::new(0)).ok().map(|next| next.0[0] as i64)
            };
            let expected = |guard: i64| (tokens >= guard && tokens + change >= 0).then_some(tokens + change);
            assert_eq!(fires(plain(&file)), expected(guard), "{guard} {change} {tokens}");
            assert_eq!(fires(plain(&unguarded)), expected(0), "{change} {tokens}");
        }
    }
}

fn file_of_unguarded(change: i64, sign: char) -> NetFile {
    file(&rules(&format!("true -> x' = x {sign} {};", change.abs())))
}

/// A random specification of three variables: guards, changes, and least initial numbers of which some are open.
struct RandomSpec {
    rules: Vec<[(u64, i64); 3]>,
    initial: [(u64, bool); 3],
}

impl RandomSpec {
    fn draw(random: &mut TestRng) -> Self {
        let rule =
            |random: &mut TestRng| [(); 3].map(|()| (random.within(0, 2), random.within(0, 3) as i64 - 2));
        let rules = (0..random.within(1, 3)).map(|_| rule(random)).collect();
        Self { rules, initial: [(); 3].map(|()| (random.within(0, 1), random.percent(50))) }
    }

    fn text(&self) -> String {
        let mut text = "vars a b c\nrules\n".to_owned();
        let names = ["a", "b", "c"];
        for rule in &self.rules {
            let guards: Vec<String> =
                names.iter().zip(rule).map(|(x, (least, _))| format!("{x} >= {least}")).collect();
            let change = |(x, (_, change)): (&&str, &(u64, i64))| match change {
                0.. => format!("{x}' = {x} + {change}"),
                _ => format!("{x}' = {x} - {}", -change),
            };
            let changes: Vec<String> = names.iter().zip(rule).map(change).collect();
            text += &format!("{} -> {};\n", guards.join(", "), changes.join(", "));
        }
        let initial = names.iter().zip(self.initial);
        let initial: Vec<String> = initial
            .map(|(x, (least, open))| format!("{x} {} {least}", if open { ">=" } else { "=" }))
            .collect();
        text + &format!("init {}\ntarget a >= 1\n", initial.join(", "))
    }

    /// What is reachable by the definition, from all initial markings with at most `cap` tokens on a place.
    fn reachable(&self, cap: u64) -> BTreeSet<[u64; 3]> {
        let mut found = BTreeSet::new();
        let mut pending = vec![self.initial.map(|(least, _)| least)];
        for at in 0..3 {
            if self.initial[at].1 {
                let more = |marking: &[u64; 3]| {
                    let mut marking = *marking;
                    (marking[at]..=cap)
                        .map(|tokens| {
                            marking[at] = tokens;
                            marking
                        })
                        .collect::<Vec<_>>()
                };
                pending = pending.iter().flat_map(more).collect();
            }
        }
        while let Some(marking) = pending.pop() {
            if marking.iter().all(|&tokens| tokens <= cap) && found.insert(marking) {
                for rule in &self.rules {
                    let next = [0, 1, 2].map(|at| marking[at] as i64 + rule[at].1);
                    let allowed = (0..3).all(|at| marking[at] >= rule[at].0 && next[at] >= 0);
                    pending.extend(allowed.then(|| next.map(|tokens| tokens as u64)));
                }
            }
        }
        found
    }
}

/// The net reaches exactly the markings that all initial markings together reach, as the head of the reader argues. Both sides
/// stay below a cap; runs within it from either side need a higher one on the other, where the firings stand in another order.
#[test]
fn open_initial_markings_reach_what_all_of_them_reach() {
    const CAP: u64 = 4;
    let mut random = TestRng::new(7);
    let mut open = 0;
    for _ in 0..150 {
        let spec = RandomSpec::draw(&mut random);
        open += usize::from(spec.initial.iter().any(|initial| initial.1));
        let file = file(&spec.text());
        let within = |cap: u64| {
            let net = plain(&file);
            let mut found = BTreeSet::new();
            let mut pending = vec![net.initial_marking().clone()];
            while let Some(marking) = pending.pop() {
                let tokens = [marking.0[0], marking.0[1], marking.0[2]];
                if tokens.iter().all(|&tokens| tokens <= cap) && found.insert(tokens) {
                    let steps = net.nodes().transition_ids();
                    pending.extend(steps.filter_map(|t| net.fire_transition(&marking, t).ok()));
                }
            }
            found
        };
        let small = |markings: BTreeSet<[u64; 3]>| -> BTreeSet<[u64; 3]> {
            markings.into_iter().filter(|marking| marking.iter().all(|&tokens| tokens <= CAP)).collect()
        };
        let (by_net, by_definition) = (small(within(CAP)), small(spec.reachable(CAP)));
        let (by_net_wide, by_definition_wide) = (small(within(5 * CAP)), small(spec.reachable(5 * CAP)));
        assert!(by_net.is_subset(&by_definition_wide), "{}", spec.text());
        assert!(by_definition.is_subset(&by_net_wide), "{}", spec.text());
    }
    assert!(open > 50, "{open} specifications have an open initial marking");
}

#[test]
fn what_is_no_petri_net_is_refused_by_name() {
    refused(&rules("x = 0 -> ;"), "zero test", "x = 0");
    refused(&rules("y = 2 -> ;"), "the guard `y = 2` is not supported", "y = 2");
    refused(&rules("x in [0,2] -> ;"), "the guard `x in [0,2]` is not supported", "x in");
    refused(&rules("true -> x' = 0;"), "the reset `x' = 0`", "x' = 0");
    refused(&rules("true -> x' = 3;"), "the assignment `x' = 3`", "x' = 3");
    refused(&rules("true -> x' = y;"), "the change of `x` is a transfer from `y`", "x' = y");
    refused(&rules("true -> x' = x + y + 0;"), "a transfer from `y`", "x' = x");
    refused(&rules("true -> x' = x + x;"), "adds it to itself", "x' = x");
    refused(&rules("true -> y' = y + 1, x' = y - 1;"), "a transfer from `y`", "x' = y");
}

#[test]
fn what_mist_reads_by_its_last_mention_is_refused() {
    refused(&rules("x >= 1, x >= 2 -> ;"), "two guards for `x`", "x >= 2");
    refused(&rules("true -> x' = x + 1, x' = x + 2;"), "changes `x` twice", "x' = x + 2");
    refused("vars x rules init x = 1, x = 2 target x >= 1", "two joined constraints speak of `x`", "x = 2");
    refused("vars x rules init x = 1 target x >= 3, x >= 2", "two joined constraints speak of `x`", "x >= 2");
}

#[test]
fn malformed_files_are_refused_at_their_fault() {
    refused("vars x x rules", "`x` is declared twice", "x rules");
    refused("vars x y\nrules x >= 1 -> z' = z + 1;", "no variable is called `z`", "z'");
    refused(&rules("x > 1 -> ;"), "expected `>=`, `=` or `in`", "> 1");
    refused(&rules("x >= 1 -> x' = x - 1"), "expected `,`, found `init`", "init");
    refused(&rules("x >= 1 -> x' = x - 1 - 1;"), "expected `,`", "- 1;");
    refused(&rules("x >= 1 -> x' = x - y;"), "expected a number, found `y;`", "y;");
    refused("vars x rules init x in [1,2] target x >= 1", "an initial range with two ends", "x in");
    refused("vars x rules init x = 1 target x in [2,1]", "the range [2,1] is empty", "x in");
    refused("vars x rules init x = 1 target x >= 99999999999999999999", "does not fit into 64 bits", "999");
    refused("vars x rules init x = 1 target x >= 9999999999999999999", "does not fit into 63 bits", "x >=");
    refused(
        "vars x rules x >= 18446744073709551615 -> x' = x + 1; init x = 0 target x >= 1",
        "do not fit",
        "x >=",
    );
    refused("vars x rules init x = 1", "expected `target`, found the end of the file", "");
    refused("vars x rules init x = 1 target x >= 1 true", "expected a variable, found `true`", "true");
}

#[test]
fn the_content_tells_the_format() {
    let read = |text: &str| net_file::read_net(&Source::memory("test", text.into()), NetChoice::Only);
    assert!(read("# c\n\nvars x # x\nrules init x=1 target x>=1").is_ok());
    for text in ["vars", "vars = 3", "variables x rules", "vars x, y\nrules"] {
        assert!(read(text).is_err(), "{text}");
    }
    // The variables alone are longer than what is looked at.
    let names: Vec<String> = (0..20_000).map(|number| format!("x{number}")).collect();
    assert!(read(&format!("vars {}\nrules init x0=1 target x1>=1", names.join(" "))).is_ok());
}
