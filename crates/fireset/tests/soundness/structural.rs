//! Soundness by structure against the definitions: nets of blocks, which have free choice, and others.

use fireset::{
    Budget, Query, Verdict,
    io::net_file::NetFile,
    net::{Formula, Logic, Model, NamedProperty, Net, SoundnessNotion},
    soundness::{StructuralSoundness, Workflow, structural_soundness},
};
use fireset_oracle::{outcomes, random::TestRng, tiny};

use crate::workflow_nets;

const MAX_STATES: usize = 400;

/// How often structure said that nets are sound, that they are not, and nothing.
#[derive(Debug, Default)]
struct StructuralCounts {
    sound: usize,
    unsound: usize,
    silent: usize,
    /// Those that are not, by a word of the reason.
    reasons: [usize; 4],
}

const REASONS: [&str; 4] = ["can never happen", "T-semiflow", "S-component", "rank theorem"];

fn by_definition(net: &Net) -> Option<bool> {
    let file = NetFile::of(Model::Plain(net.clone()));
    let property = NamedProperty::Sound(SoundnessNotion::Sound, file.workflow_ends().ok()?);
    let query = Query::classify(&Formula::Named(property), Logic::Ctl).unwrap();
    match outcomes(&file.model, &[query], MAX_STATES, &Budget::unlimited())[0].verdict {
        Verdict::Holds => Some(true),
        Verdict::Fails => Some(false),
        _ => None,
    }
}

fn compare(seeds: std::ops::Range<u64>, draw: impl Fn(&mut TestRng) -> Net) -> StructuralCounts {
    let mut counts = StructuralCounts::default();
    for seed in seeds {
        let net = draw(&mut TestRng::new(seed));
        let Ok(workflow) = Workflow::of(&NetFile::of(Model::Plain(net.clone()))) else { continue };
        let Some(expected) = by_definition(&net) else { continue };
        let (given, count) = match structural_soundness(&workflow, &Budget::unlimited()) {
            Some(StructuralSoundness::Sound) => (true, &mut counts.sound),
            Some(StructuralSoundness::Unsound(reason)) => {
                let at = REASONS.iter().position(|word| reason.contains(word));
                at.into_iter().for_each(|at| counts.reasons[at] += 1);
                (false, &mut counts.unsound)
            }
            None => (expected, &mut counts.silent),
        };
        assert_eq!(given, expected, "seed {seed}: {}", tiny::text(&net));
        *count += 1;
    }
    counts
}

#[test]
fn free_choice_is_decided() {
    let counts = compare(0..3_000, |random| {
        let blocks = random.within(1, 6) as usize;
        workflow_nets::of_blocks(random, blocks, 15)
    });
    assert!(counts.sound > 1_000 && counts.unsound > 300 && counts.silent == 0, "{counts:?}");
    assert!(counts.reasons[1..].iter().all(|&count| count > 20), "{counts:?}");
}

#[test]
fn other_nets_are_decided_in_part() {
    let counts = compare(0..4_000, workflow_nets::workflow);
    assert!(counts.sound > 500 && counts.unsound > 300 && counts.silent > 50, "{counts:?}");
    assert!(counts.reasons[0] > 20, "{counts:?}");
}

/// Each of these differs in one premise from a net that structure decides.
#[test]
fn premises_are_checked() {
    let asked = |text: &str, end: Vec<(usize, u64)>, messages: &[usize]| {
        let place = fireset::net::PlaceId::new;
        let mut file = NetFile::of(Model::Plain(tiny::net(text)));
        file.final_markings = vec![end.into_iter().map(|(p, tokens)| (place(p), tokens)).collect()];
        file.messages = messages.iter().map(|&p| place(p)).collect();
        structural_soundness(&Workflow::of(&file).unwrap(), &Budget::unlimited())
    };
    let line = "i:1 o p; t: i -> p; u: p -> o";
    assert_eq!(asked(line, vec![(1, 1)], &[]), Some(StructuralSoundness::Sound));
    for (text, end, messages) in [
        (line, vec![(1, 2)], &[][..]),
        (line, vec![(2, 1)], &[]),
        (line, vec![], &[]),
        (line, vec![(1, 1), (2, 1)], &[]),
        (line, vec![(1, 1)], &[2]),
        ("i:2 o p; t: i -> p; u: p -> o", vec![(1, 1)], &[]),
        ("i:1 o p:1; t: i -> p; u: p -> o", vec![(1, 1)], &[]),
        ("i:1 o p; t: i -> p; u: p -> o, i", vec![(1, 1)], &[]),
        ("i:1 o p; t: i -> p; u: p, !i -> o", vec![(1, 1)], &[]),
    ] {
        assert_eq!(asked(text, end, messages), None, "{text}");
    }
}
