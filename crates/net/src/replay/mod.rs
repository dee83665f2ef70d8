//! Replays evidence on a net: every step must fire, and the run must show what the verdict says.
//!
//! This is the check behind "never wrong": it knows nothing of engines and reductions, only the firing rule
//! and the meaning of formulas on a few runs, and for certificates the state equation and what keeps a formula true. Cost: linear in the run for a trace; for infinite and branching runs,
//! their length times formula size, and for branching ones the steps of the markings that have to be complete.

mod branching;
mod budgeted_net;
mod ctl_star;
mod explanation;
mod fragment;
mod goal;
mod inductive;
mod intervals;
mod named;
mod refutation;
mod runs;
mod word;

use std::fmt;

use self::{budgeted_net::BudgetedNet, goal::ReplayGoal, word::PeriodicWord};
pub use self::{
    explanation::{ExplainedEnd, Explanation, ExplanationReason, explain},
    runs::{fairness_met, run_satisfies},
};
use crate::{
    BoolTree, Budget, Certificate, Evidence, FireError, Global, Lasso, Model, Net, PathAtom, PathFormula,
    Quantifier, Query, Semantics, StateAtom, StatePredicate, StateTokens, Step, Trace, TransitionId, Verdict,
};

/// Why a piece of evidence does not show its verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A step cannot be taken; steps count from 0, a lasso's cycle goes on counting after its prefix.
    Step {
        /// The position of the step.
        at: usize,
        /// The step as the evidence has it.
        step: Step,
        /// What the firing rule says.
        why: FireError,
    },
    /// A step names a transition that the net does not have.
    NoTransition {
        /// The position of the step.
        at: usize,
    },
    /// The cycle does not come back to the marking where it started.
    CycleOpen,
    /// The cycle is empty, but the prefix does not end in a deadlock.
    NotDeadlocked,
    /// The run is one of the net, but does not show what the verdict says.
    ShowsNothing(&'static str),
    /// A run or a claim begins in a state that the runs before it do not have.
    NoState {
        /// The number that the evidence gives it.
        state: usize,
    },
    /// Runs that branch would have to take this step, after which a token count leaves 64 bits.
    Overflow {
        /// It is enabled in a marking of the runs.
        step: Step,
    },
    /// The runs and claims show the opposite of what they also show.
    Contradiction,
    /// This kind of evidence cannot support this verdict of this query.
    Mismatch,
    /// A certificate is wrong, and where.
    Wrong(String),
    /// Within its limits the check of a certificate cannot show what it says; it may be true.
    TooHard(String),
}

impl Refusal {
    /// Whether the run is refused only because a token count leaves 64 bits on the way. A run of a reduced net may do so on
    /// the net as written: then nothing is wrong, but nothing is shown either.
    pub fn is_overflow(&self) -> bool {
        matches!(self, Self::Overflow { .. } | Self::Step { why: FireError::Overflow { .. }, .. })
    }

    /// The reason in words, with the names of `model`.
    pub fn describe(&self, model: &Model) -> String {
        Explained { refusal: self, model }.to_string()
    }
}

/// A refusal with the net whose names it is told in.
struct Explained<'a> {
    refusal: &'a Refusal,
    model: &'a Model,
}

impl fmt::Display for Explained<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.refusal {
            Refusal::Step { at, step, why } => {
                write!(f, "step {} (`{}`) cannot fire: ", at + 1, self.step(step))?;
                self.fire_error(f, why)
            }
            Refusal::NoTransition { at } => write!(f, "step {} names no transition of the net", at + 1),
            Refusal::CycleOpen => f.write_str("the cycle does not come back to the marking where it starts"),
            Refusal::NotDeadlocked => {
                f.write_str("the run stops, but some transition is still enabled in its last marking")
            }
            Refusal::ShowsNothing(what) => f.write_str(what),
            Refusal::NoState { state } => {
                write!(f, "a run or a claim begins in state {state}, which no run before it reaches")
            }
            Refusal::Overflow { step } => {
                let step = self.step(step);
                write!(f, "after the step `{step}` a token count does not fit into 64 bits")
            }
            Refusal::Contradiction => f.write_str("what is claimed contradicts the runs"),
            Refusal::Mismatch => f.write_str("this kind of evidence cannot show this verdict"),
            Refusal::Wrong(what) => f.write_str(what),
            Refusal::TooHard(what) => write!(f, "cannot be shown: {what}"),
        }
    }
}

impl Explained<'_> {
    fn step(&self, step: &Step) -> String {
        let title = self.model.nodes().transition_title(step.transition);
        format!("{title}{}", show_binding(self.model, step))
    }

    fn fire_error(&self, f: &mut fmt::Formatter<'_>, why: &FireError) -> fmt::Result {
        let nodes = self.model.nodes();
        let colour = |place, colour: &Option<_>| match (self.model, colour) {
            (Model::Coloured(net), Some(colour)) => {
                format!(" of colour {}", net.sorts().show(net.place(place).sort, *colour))
            }
            _ => String::new(),
        };
        match why {
            FireError::TooFew { place, colour: c, needs, has } => write!(
                f,
                "place `{}` holds {has} token(s){}, {needs} needed",
                nodes.place_title(*place),
                colour(*place, c)
            ),
            FireError::Inhibited { place, colour: c, limit, has } => write!(
                f,
                "place `{}` holds {has} token(s){}, and {limit} or more inhibit it",
                nodes.place_title(*place),
                colour(*place, c)
            ),
            FireError::Guard => f.write_str("its guard is false under this binding"),
            FireError::Arity { expected, given } => {
                write!(f, "it has {expected} variable(s), but the binding gives {given} colour(s)")
            }
            FireError::NoSuchColour => {
                f.write_str("the binding gives a colour that its variable's sort does not have")
            }
            FireError::Overflow { place } => {
                write!(f, "the tokens on `{}` would not fit into 64 bits", nodes.place_title(*place))
            }
        }
    }
}

/// How files write a step: `t`, or `t(x=2, y=blue)` on a coloured net.
pub fn show_step(model: &Model, step: &Step) -> String {
    model.nodes().transition(step.transition).to_owned() + &show_binding(model, step)
}

/// The binding of a step on a coloured net: `(x=2, y=blue)`; empty without variables.
pub fn show_binding(model: &Model, step: &Step) -> String {
    let Model::Coloured(net) = model else { return String::new() };
    let variables = net.variables_of(step.transition);
    if variables.is_empty() || variables.len() != step.binding.len() {
        return String::new();
    }
    let shown = variables.iter().zip(&step.binding).map(|(&v, &colour)| {
        let variable = net.variable(v);
        format!("{}={}", variable.name, net.sorts().show(variable.sort, colour))
    });
    format!("({})", shown.collect::<Vec<_>>().join(", "))
}

/// The markings along a run from the initial one, or the first step that does not fit.
pub fn states<S: Semantics>(net: &S, steps: &[Step]) -> Result<Vec<S::State>, Refusal> {
    let mut run = vec![net.initial()];
    for (at, step) in steps.iter().enumerate() {
        run.push(take(net, &run[at], step, at)?);
    }
    Ok(run)
}

/// The marking after a step, which is number `at` of its evidence.
fn take<S: Semantics>(net: &S, state: &S::State, step: &Step, at: usize) -> Result<S::State, Refusal> {
    if step.transition.index() >= net.as_ref().transitions.len() {
        return Err(Refusal::NoTransition { at });
    }
    net.fire(state, step).map_err(|why| Refusal::Step { at, step: step.clone(), why })
}

/// The value of a state predicate in a marking.
pub fn holds_in<S: Semantics>(net: &S, state: &S::State, predicate: &StatePredicate) -> bool {
    let can_fire = |&t: &TransitionId| net.can_fire(state, t);
    predicate.value(&mut |atom| match atom {
        StateAtom::Deadlock => is_deadlock(net, state),
        StateAtom::Fireable(ts) => ts.iter().any(can_fire),
        StateAtom::BindingFireable(bindings) => net.can_fire_under(state, bindings),
        StateAtom::Compare(how, a, b) => a.compare(*how, b, &StateTokens { net, state }),
    })
}

/// Whether nothing can fire in a marking.
fn is_deadlock<S: Semantics>(net: &S, state: &S::State) -> bool {
    !net.as_ref().transition_ids().any(|t| net.can_fire(state, t))
}

/// Checks that `evidence` shows `verdict` of `query` on `model`.
pub fn confirm(model: &Model, query: &Query, verdict: &Verdict, evidence: &Evidence) -> Result<(), Refusal> {
    confirm_within(model, query, verdict, evidence, &Budget::unlimited())
}

/// [`confirm`] that refuses a certificate as too hard when the budget is used up, and a run of a coloured net when it is used up
/// while a binding is looked for. Otherwise runs are replayed to their end.
pub fn confirm_within(
    model: &Model,
    query: &Query,
    verdict: &Verdict,
    evidence: &Evidence,
    budget: &Budget,
) -> Result<(), Refusal> {
    let spelled_out = query.spelled_out(model).filter(|_| !named::confirms(query, evidence));
    let query = spelled_out.as_ref().unwrap_or(query);
    match model {
        Model::Plain(net) => match evidence {
            Evidence::Certificate(certificate) => certified(net, query, verdict, certificate, budget),
            _ => confirm_on(net, query, verdict, evidence),
        },
        Model::Coloured(net) => {
            let budgeted = BudgetedNet::new(net, budget);
            let confirmed = confirm_on(&budgeted, query, verdict, evidence);
            if budgeted.is_over() { Err(too_late()) } else { confirmed }
        }
    }
}

/// [`confirm`] for a certificate.
fn certified(
    net: &Net,
    query: &Query,
    verdict: &Verdict,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<(), Refusal> {
    let plain = query.without_colours();
    let goal = match (plain.as_ref().unwrap_or(query), verdict) {
        (Query::Reachable(predicate), Verdict::Fails) => ReplayGoal { predicate, value: true },
        (Query::Invariant(predicate), Verdict::Holds) => ReplayGoal { predicate, value: false },
        _ => return Err(Refusal::Mismatch),
    };
    match certificate {
        Certificate::Inductive(invariant) => inductive::check(net, goal, invariant, budget),
        Certificate::Refutation(refutation) => refutation::check(net, goal, refutation, budget),
    }
}

/// Whether the check of a certificate may go on.
fn in_time(budget: &Budget) -> Result<(), Refusal> {
    budget.go_on().map_err(|_| too_late())
}

fn too_late() -> Refusal {
    Refusal::TooHard("the time for it is up".into())
}

/// [`confirm`] for either kind of net.
fn confirm_on<S: Semantics>(
    net: &S,
    query: &Query,
    verdict: &Verdict,
    evidence: &Evidence,
) -> Result<(), Refusal> {
    match (evidence, query, verdict) {
        (Evidence::Trace(trace), Query::Reachable(p), Verdict::Holds) => {
            let last = last_state(net, trace)?;
            shown(holds_in(net, &last, p), "the run ends in a marking without the property")
        }
        (Evidence::Trace(trace), Query::Invariant(p), Verdict::Fails) => {
            let last = last_state(net, trace)?;
            shown(!holds_in(net, &last, p), "the run ends in a marking that has the property")
        }
        (Evidence::Trace(trace), Query::Bound(places), Verdict::Bound(bound)) => {
            let last = last_state(net, trace)?;
            let sum: u128 = places.iter().map(|&p| net.tokens(&last, p).total).sum();
            shown(*bound == sum.into(), "the run ends in a marking with another number of tokens")
        }
        (Evidence::Trace(trace), Query::ColourBound(tokens), Verdict::Bound(bound)) => {
            let last = last_state(net, trace)?;
            let sum: u128 = tokens.iter().map(|tokens| net.colour_tokens(&last, tokens)).sum();
            shown(*bound == sum.into(), "the run ends in a marking with another number of tokens")
        }
        (Evidence::Trace(trace), Query::Global(Global::OneSafe), Verdict::Fails) => {
            let last = last_state(net, trace)?;
            let unsafe_place = net.as_ref().place_ids().any(|p| !net.tokens(&last, p).is_safe());
            shown(unsafe_place, "the run ends in a marking with at most one token in each place")
        }
        (Evidence::Lasso(lasso), Query::Ltl(quantifier, path), verdict) => {
            let expected = match (quantifier, verdict) {
                (Quantifier::ForAll, Verdict::Fails) => false,
                (Quantifier::Exists, Verdict::Holds) => true,
                _ => return Err(Refusal::Mismatch),
            };
            let holds = lasso_satisfies(net, lasso, path)?;
            shown(holds == expected, "the infinite run does not decide the formula as the verdict says")
        }
        (Evidence::Lasso(lasso), Query::Run(run), verdict) => {
            let expected = match (run.quantifier, verdict) {
                (Quantifier::ForAll, Verdict::Fails) => false,
                (Quantifier::Exists, Verdict::Holds) => true,
                _ => return Err(Refusal::Mismatch),
            };
            let is_fair = fairness_met(net, lasso, &run.fairness)?.iter().all(Option::is_some);
            shown(is_fair, "the infinite run is not fair")?;
            let holds = run_satisfies(net, lasso, &run.formula)?;
            shown(holds == expected, "the infinite run does not decide the formula as the verdict says")
        }
        (Evidence::Branching(branching), Query::Ctl(formula), Verdict::Holds | Verdict::Fails) => {
            let value = branching::value(net, branching, formula)?;
            shown(
                value == Some(*verdict == Verdict::Holds),
                "the runs do not decide the formula as the verdict says",
            )
        }
        (evidence, Query::CtlStar(formula), Verdict::Holds | Verdict::Fails) => {
            let value = ctl_star::value(net, evidence, formula)?;
            shown(
                value == Some(*verdict == Verdict::Holds),
                "the runs do not decide the formula as the verdict says",
            )
        }
        (evidence, Query::Named(property), verdict) => named::confirm(net, property, verdict, evidence),
        _ => Err(Refusal::Mismatch),
    }
}

fn shown(it_does: bool, otherwise: &'static str) -> Result<(), Refusal> {
    if it_does { Ok(()) } else { Err(Refusal::ShowsNothing(otherwise)) }
}

fn last_state<S: Semantics>(net: &S, trace: &Trace) -> Result<S::State, Refusal> {
    // Long runs of large nets have too many markings to hold them all.
    let mut steps = trace.0.iter().enumerate();
    steps.try_fold(net.initial(), |state, (at, step)| take(net, &state, step, at))
}

/// The markings of a lasso, which must be a run of the net; the cycle leads from the last back to where it starts.
fn lasso_states<S: Semantics>(net: &S, lasso: &Lasso) -> Result<Vec<S::State>, Refusal> {
    let steps: Vec<Step> = lasso.prefix.iter().chain(&lasso.cycle).cloned().collect();
    let mut run = states(net, &steps)?;
    let back_to = lasso.prefix.len();
    if lasso.cycle.is_empty() {
        if !is_deadlock(net, &run[back_to]) {
            return Err(Refusal::NotDeadlocked);
        }
    } else if run.pop().as_ref() != Some(&run[back_to]) {
        return Err(Refusal::CycleOpen);
    }
    Ok(run)
}

/// Whether an LTL path formula holds on the infinite run of a lasso, which must be one of the net.
pub fn lasso_satisfies<S: Semantics>(net: &S, lasso: &Lasso, path: &PathFormula) -> Result<bool, Refusal> {
    let (run, back_to) = (lasso_states(net, lasso)?, lasso.prefix.len());
    Ok(on_word(path, run.len(), back_to, &|at, predicate| holds_in(net, &run[at], predicate))[0])
}

/// The value of a path formula at each position of the word `0..length`, after whose last position
/// position `back_to` follows; `atom` gives the value of a state predicate at a position.
pub fn on_word(
    path: &PathFormula,
    length: usize,
    back_to: usize,
    atom: &impl Fn(usize, &StatePredicate) -> bool,
) -> Vec<bool> {
    let sub = |f: &PathFormula| on_word(f, length, back_to, atom);
    let word = PeriodicWord { length, back_to };
    match path {
        BoolTree::Constant(value) => word.always(*value),
        BoolTree::Not(f) => word::negated(sub(f)),
        BoolTree::And(fs) => word.all(fs.iter().map(sub)),
        BoolTree::Or(fs) => word.any(fs.iter().map(sub)),
        BoolTree::Iff(sides) => word::pairwise(sub(&sides.0), sub(&sides.1), |a, b| a == b),
        BoolTree::Atom(PathAtom::State(predicate)) => (0..length).map(|at| atom(at, predicate)).collect(),
        BoolTree::Atom(PathAtom::Temporal((), operator)) => word.temporal(operator.map(&mut |f| sub(f))),
    }
}
