//! Properties of the whole net through the whole line, against the reference checker.

use fireset::{
    Budget, Evidence, Model, Options, Problem, Query, Reduction, Simplification, Switch, Verdict, check,
    net::{Global, replay},
};
use fireset_oracle::random::{self, NetShape, TestRng};

const MAX_STATES: usize = 300;
const ASKED: [Global; 4] = [Global::OneSafe, Global::StableMarking, Global::QuasiLiveness, Global::Liveness];

/// Answers of each property: those that fail and those that hold.
#[derive(Debug, Default)]
struct Tally {
    answers: [[usize; 2]; 4],
    open: usize,
}

impl Tally {
    fn compare(&mut self, model: Model, options: &Options, seed: u64) {
        let queries: Vec<Query> = ASKED.map(Query::Global).into();
        let expected = fireset_oracle::outcomes(&model, &queries, MAX_STATES, &Budget::unlimited());
        if expected.iter().any(|outcome| matches!(outcome.verdict, Verdict::Unknown(_))) {
            return;
        }
        let problem = Problem { model: model.into(), queries };
        let report = check(&problem, options, &Budget::unlimited(), &mut ());
        for ((kind, given), expected) in report.outcomes.iter().enumerate().zip(&expected) {
            if matches!(given.verdict, Verdict::Unknown(_)) {
                self.open += 1;
                continue;
            }
            let context = || format!("seed {seed}: {:?} of {:?}", ASKED[kind], problem.model);
            assert_eq!(given.verdict, expected.verdict, "{}", context());
            assert_eq!(given.evidence.is_some(), expected.evidence.is_some(), "{}", context());
            if let Some(evidence @ Evidence::Trace(_)) = &given.evidence {
                replay::confirm(&problem.model, &problem.queries[kind], &given.verdict, evidence)
                    .expect("what is given out was replayed");
            }
            self.answers[kind][usize::from(given.verdict == Verdict::Holds)] += 1;
        }
    }

    /// Whether of each property more than so many were found to hold and to fail.
    fn is_enough(&self, holds: [usize; 4], fails: usize) -> bool {
        let enough = |(answers, holds): (&[usize; 2], usize)| answers[0] > fails && answers[1] >= holds;
        self.open == 0 && self.answers.iter().zip(holds).all(enough)
    }
}

fn options(seed: u64) -> Options {
    let options = Options { threads: 1, first_look: Switch::Off, ..Options::default() };
    match seed % 5 {
        0 => Options { simplification: Simplification::Off, ..options },
        1 => Options { reduction: Reduction::Off, ..options },
        _ => options,
    }
}

#[test]
fn plain_nets() {
    let mut tally = Tally::default();
    let shape = NetShape { inhibitors: 20, tokens: 2, ..NetShape::default() };
    for seed in 0..800 {
        let mut random = TestRng::new(seed);
        let net =
            if seed % 2 == 0 { random::net(&mut random, &shape) } else { random::grown(&mut random, 25) };
        tally.compare(Model::Plain(net), &options(seed), seed);
    }
    assert!(tally.is_enough([15; 4], 15), "{tally:?}");
}

#[test]
fn coloured_nets() {
    let mut tally = Tally::default();
    for seed in 0..200 {
        let net = random::coloured(&mut TestRng::new(seed), 15);
        tally.compare(Model::Coloured(net), &options(seed), seed);
    }
    // A random coloured net has two tokens in its first place.
    assert!(tally.is_enough([0, 30, 30, 2], 30), "{tally:?}");
}
