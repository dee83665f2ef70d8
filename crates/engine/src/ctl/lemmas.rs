//! What the values of operators in some markings say about other markings.
//!
//! Why: the operators inside of a formula are evaluated in many markings that differ only in tokens that do not matter. A lemma is
//! a value of an operator for all markings within bounds on a few token counts, so one comparison takes the place of a search. There are two
//! kinds:
//!
//! * A run shows `E[f U g]`: what its last steps need, backwards from bounds that imply `g`, is enough for the same steps elsewhere
//!   ([`super::learning`]). The weakest precondition of firings, as in the coverability analysis of Abdulla et al. (LICS 1996).
//! * An unmarked siphon decides an operator for ever ([`super::siphon_reasons`]).
//!
//! Invariant: in each marking within its bounds, reachable or not, the operator has the lemma's value. Cost: few lemmas an operator,
//! fewer where they do not answer. Test: `tests/ctl.rs`, with lemmas and without.

use fireset_net::{Net, PlaceId};

use super::{
    Learning,
    operators::{CompiledCtl, CtlTerm, OperatorId, TermAtom},
    siphon_reasons::reason,
    siphons::SiphonFinder,
    token_bounds::TokenBounds,
};

/// The most lemmas of an operator.
const MOST: usize = 64;
/// The most questions between two searches for a siphon.
const MAX_PAUSE: u32 = 1 << 10;
/// The questions after which an operator's lemmas are reviewed, and the share of them that the lemmas have to answer.
const TRIAL: u32 = 1 << 12;
const WORTH: u32 = 64;

#[derive(Clone, Debug)]
struct Lemma {
    bounds: TokenBounds,
    value: bool,
}

/// The lemmas of one operator.
#[derive(Clone, Debug)]
pub(super) struct OperatorLemmas {
    known: Vec<Lemma>,
    /// The questions since the lemmas were counted, and those that they answered.
    asked: u32,
    answered: u32,
    /// Whether runs are explained: those of inner operators.
    explains: bool,
    /// How many runs may still be explained: each answer allows another one.
    explanations: u32,
    /// The questions until the next search for a siphon, and after that; 0 if no siphon decides the operator.
    wait: u32,
    pause: u32,
}

impl OperatorLemmas {
    fn new(is_inner: bool, learning: Learning) -> Self {
        let explains = is_inner && learning != Learning::FromSiphons;
        let explanations = if explains { MOST as u32 } else { 0 };
        let pause = u32::from(learning != Learning::FromRuns);
        Self { known: Vec::new(), asked: 0, answered: 0, explains, explanations, wait: pause, pause }
    }

    /// The value in a marking that a lemma knows.
    fn recall(&mut self, tokens: &impl Fn(PlaceId) -> u64) -> Option<bool> {
        if self.known.is_empty() {
            return None;
        }
        self.asked += 1;
        let Some(at) = self.known.iter().position(|lemma| lemma.bounds.contain(tokens)) else {
            if self.asked >= TRIAL {
                self.review();
            }
            return None;
        };
        self.answered += 1;
        if self.explains {
            self.explanations = (self.explanations + 1).min(MOST as u32);
        }
        let value = self.known[at].value;
        // Lemmas that answer often are asked first.
        self.known.swap(at, at / 2);
        Some(value)
    }

    /// Forgets half of the lemmas if they do not answer often enough.
    #[cold]
    fn review(&mut self) {
        if self.answered < self.asked / WORTH {
            self.known.truncate(self.known.len() / 2);
        }
        (self.asked, self.answered) = (0, 0);
    }

    fn add(&mut self, bounds: TokenBounds, value: bool) {
        if self.known.len() == MOST {
            self.known.pop();
        }
        self.known.push(Lemma { bounds, value });
    }

    /// Whether it is time to look for a siphon.
    fn is_siphon_due(&mut self) -> bool {
        self.wait = self.wait.saturating_sub(1);
        self.wait == 0 && self.pause > 0
    }

    pub(super) fn bytes(&self) -> usize {
        let bounds: usize = self.known.iter().map(|lemma| lemma.bounds.bytes()).sum();
        bounds + self.known.capacity() * size_of::<Lemma>()
    }
}

/// The lemmas of the operators of a formula.
pub(super) struct Lemmas<'a> {
    pub(super) net: &'a Net,
    operators: &'a CompiledCtl,
    of: Vec<OperatorLemmas>,
    siphons: Option<SiphonFinder<'a>>,
}

impl<'a> Lemmas<'a> {
    pub(super) fn new(net: &'a Net, operators: &'a CompiledCtl, learning: Learning) -> Self {
        let mut is_inner = vec![false; operators.all.len()];
        let mut mark = |term: &CtlTerm| {
            term.atoms(&mut |atom| {
                if let TermAtom::Temporal(id) = atom {
                    is_inner[*id as usize] = true;
                }
            });
        };
        for operator in &operators.all {
            mark(&operator.hold);
            mark(&operator.goal);
        }
        let of = is_inner.into_iter().map(|is_inner| OperatorLemmas::new(is_inner, learning)).collect();
        Self { net, operators, of, siphons: None }
    }

    /// Goes on with the lemmas of an earlier evaluation of the formula.
    pub(super) fn resume(&mut self, earlier: Vec<OperatorLemmas>) {
        if earlier.len() == self.of.len() {
            self.of = earlier;
        }
    }

    pub(super) fn into_operators(self) -> Vec<OperatorLemmas> {
        self.of
    }

    /// The value of an operator in a marking, if a lemma or a siphon tells.
    pub(super) fn value(&mut self, operator: OperatorId, tokens: &impl Fn(PlaceId) -> u64) -> Option<bool> {
        let own = &mut self.of[operator as usize];
        let known = own.recall(tokens);
        if known.is_some() || !own.is_siphon_due() {
            return known;
        }
        self.look_for_siphon(operator, tokens)
    }

    fn look_for_siphon(&mut self, operator: OperatorId, tokens: &impl Fn(PlaceId) -> u64) -> Option<bool> {
        let Self { net, operators, of, siphons } = self;
        let own = &mut of[operator as usize];
        let siphons = siphons.get_or_insert_with(|| SiphonFinder::new(net));
        let found = siphons.find(tokens).then(|| reason(operators, operator, siphons)).flatten();
        let Some((value, places)) = found else {
            // The largest siphon of the net decides whatever a siphon can.
            let is_hopeless =
                own.pause == 1 && (!siphons.find(|_| 0) || reason(operators, operator, siphons).is_none());
            own.pause = if is_hopeless { 0 } else { (2 * own.pause).min(MAX_PAUSE) };
            own.wait = own.pause;
            return None;
        };
        own.pause = (own.pause / 2).max(1);
        own.wait = own.pause;
        let mut bounds = TokenBounds::default();
        if siphons.closed(&places).into_iter().try_for_each(|place| bounds.limit(place, 0)).is_ok() {
            own.add(bounds, value);
        }
        Some(value)
    }

    /// Whether a run that shows an operator should be explained.
    pub(super) fn wants_run(&self, operator: OperatorId) -> bool {
        self.of[operator as usize].explanations > 0
    }

    /// Adds what a run shows about an operator.
    pub(super) fn add(&mut self, operator: OperatorId, bounds: Option<TokenBounds>) {
        let own = &mut self.of[operator as usize];
        own.explanations -= 1;
        if let Some(bounds) = bounds {
            own.add(bounds, true);
        }
    }

    /// The bounds of a lemma by which an operator has a value in a marking.
    pub(super) fn bounds(
        &self,
        operator: OperatorId,
        value: bool,
        tokens: &impl Fn(PlaceId) -> u64,
    ) -> Option<&TokenBounds> {
        let mut known = self.of[operator as usize].known.iter();
        known.find(|lemma| lemma.value == value && lemma.bounds.contain(tokens)).map(|lemma| &lemma.bounds)
    }

    /// The bytes that they hold.
    pub(super) fn bytes(&self) -> usize {
        self.of.iter().map(OperatorLemmas::bytes).sum()
    }
}
