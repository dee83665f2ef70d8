//! Structural facts in words, with the nodes named as people know them.

use fireset::{
    io::query::quote_title,
    net::{Net, PlaceId, TransitionId},
    structure::{
        ClassBreach, Conclusion, ConclusionReason, DerivedProperty, ReachedLimit, SparseVector, semiflows,
    },
};

/// Names the nodes of a net, and at most a number of them in a list.
#[derive(Clone, Copy)]
pub(super) struct NodeLists<'n> {
    pub net: &'n Net,
    pub most: usize,
}

impl NodeLists<'_> {
    pub fn place(&self, place: PlaceId) -> String {
        quote_title(self.net.nodes().place_title(place))
    }

    pub fn transition(&self, transition: TransitionId) -> String {
        quote_title(self.net.nodes().transition_title(transition))
    }

    pub fn places(&self, places: &[u32]) -> String {
        self.joined(places.iter(), ", ", |&p| self.place(PlaceId::new(p as usize)))
    }

    pub fn transitions(&self, transitions: &[u32]) -> String {
        self.joined(transitions.iter(), ", ", |&t| self.transition(TransitionId::new(t as usize)))
    }

    /// A weighted sum such as `a + 2 b`.
    pub fn place_sum(&self, weights: &SparseVector) -> String {
        self.joined(weights.iter(), " + ", |&(p, weight)| times(weight, self.place(PlaceId::new(p as usize))))
    }

    /// Numbers of firings such as `t + 2 u`.
    pub fn transition_sum(&self, counts: &SparseVector) -> String {
        self.joined(counts.iter(), " + ", |&(t, count)| {
            times(count, self.transition(TransitionId::new(t as usize)))
        })
    }

    /// `a + 2 b = 3`, with the tokens that the initial marking has.
    pub fn semiflow(&self, weights: &SparseVector) -> String {
        let total = semiflows::total(weights, &self.net.initial_marking().0);
        let total = total.map_or("a number that does not fit".into(), |total| total.to_string());
        format!("{} = {total}", self.place_sum(weights))
    }

    fn joined<T>(
        &self,
        nodes: impl ExactSizeIterator<Item = T>,
        between: &str,
        name: impl Fn(T) -> String,
    ) -> String {
        let more = nodes.len().saturating_sub(self.most);
        // A list is not cut for the sake of one name.
        let shown = if more <= 1 { nodes.len() } else { self.most };
        let mut names: Vec<String> = nodes.take(shown).map(name).collect();
        if more > 1 {
            names.push(format!("... ({more} more)"));
        }
        names.join(between)
    }

    /// Why a net is not in a class.
    pub fn breach(&self, breach: &ClassBreach) -> String {
        let (place, transition) = (|p| self.place(p), |t| self.transition(t));
        match *breach {
            ClassBreach::Weight(p, t, weight) => {
                format!("the arc between {} and {} has weight {weight}", place(p), transition(t))
            }
            ClassBreach::TransitionEnds(t) => {
                let (inputs, outputs) = (self.net.pre(t).len(), self.net.post(t).len());
                let ends = [counted(inputs, "input place"), counted(outputs, "output place")];
                format!("{} has {} and {}", transition(t), ends[0], ends[1])
            }
            ClassBreach::PlaceEnds(p, inputs, outputs) => {
                let ends = [counted(inputs, "input transition"), counted(outputs, "output transition")];
                format!("{} has {} and {}", place(p), ends[0], ends[1])
            }
            ClassBreach::SharedInput(p, t) => {
                let inputs = counted(self.net.pre(t).len(), "input place");
                format!(
                    "{} has several output transitions, of which {} has {inputs}",
                    place(p),
                    transition(t)
                )
            }
            ClassBreach::UnequalInputs(p, [t, u]) => format!(
                "{} and {} share the input place {}, but not all their input arcs are the same",
                transition(t),
                transition(u),
                place(p)
            ),
            ClassBreach::CrossedOutputs([p, q], t) => format!(
                "{} and {} share the output transition {}, and each has another one that the other does not have",
                place(p),
                place(q),
                transition(t)
            ),
            ClassBreach::Loop(p, t) => {
                format!("{} takes from {} and gives back to it", transition(t), place(p))
            }
            ClassBreach::NoWayBackToPlace(p, t) => {
                format!("no path leads from {} back to {}", transition(t), place(p))
            }
            ClassBreach::NoWayBackToTransition(t, p) => {
                format!("no path leads from {} back to {}", place(p), transition(t))
            }
            ClassBreach::ApartPlace(p) => format!("{} is not connected with the first place", place(p)),
            ClassBreach::ApartTransition(t) => {
                format!("{} is not connected with the first node", transition(t))
            }
        }
    }

    /// What a conclusion says, and why.
    pub fn conclusion(&self, conclusion: &Conclusion) -> String {
        format!("{}: {}", verdict(conclusion), self.reason(&conclusion.reason))
    }

    /// Why a conclusion is true.
    pub fn reason(&self, reason: &ConclusionReason) -> String {
        use ConclusionReason as R;
        match reason {
            R::CoveringSemiflows(all) => {
                let one_of = if all.len() > 1 { "one of " } else { "" };
                format!("every place is in {one_of}{}", numbered("P-semiflow", all, self.most))
            }
            R::SafeSemiflows(all) => {
                format!("every place has at most one token by {}", numbered("P-semiflow", all, self.most))
            }
            R::NoIncrease => "the net is structurally bounded".into(),
            R::SourceTransition(t) => {
                format!("{} takes nothing and gives tokens", self.transitions(&[*t]))
            }
            R::EmptySiphon(places, dead) => format!(
                "the siphon {{{}}} is empty and stays empty, so {} can never fire",
                self.places(places),
                self.transitions(dead)
            ),
            R::MarkedTraps => {
                "each set of places that a deadlock could leave empty contains a marked trap".into()
            }
            R::ByLiveness => "the net is live".into(),
            R::FreeChoiceSiphonTrap => "free choice and siphon-trap property (Commoner's theorem)".into(),
            R::AsymmetricChoiceSiphonTrap => "asymmetric choice and siphon-trap property".into(),
            R::UntrappedSiphon(siphon) => {
                let siphon = siphon.map_or("a siphon".into(), |at| format!("siphon {}", at + 1));
                format!("free choice, and {siphon} contains no marked trap (Commoner's theorem)")
            }
            R::NotRepetitive(ts) => {
                format!("not repetitive: {} can fire only finitely often", self.transitions(ts))
            }
            R::NotConsistent(ts) => format!("not consistent: {} in no T-semiflow", self.are(ts)),
            R::NotConservative(places) => {
                format!("free choice, but not conservative: no P-semiflow has {}", self.places(places))
            }
            R::NoCycle(breach) => self.breach(breach),
            R::RankTheorem => {
                "free choice, conservative, consistent, and the rank is the number of clusters less one"
                    .into()
            }
            R::RankTheoremFails => "free choice, and the rank theorem does not hold".into(),
            R::MarkedSiphons => "free choice, well-formed, and every siphon is marked".into(),
            R::AllTrapsMarked => "free choice, live, bounded, and every trap is marked".into(),
            R::EmptyTrap(places) => {
                format!("free choice, live, bounded, and the trap {{{}}} is empty", self.places(places))
            }
            R::NoTransitionSemiflow => {
                "bounded, and there is no T-semiflow, so no marking is repeated".into()
            }
            R::ByTermination => "every run ends".into(),
        }
    }

    fn are(&self, transitions: &[u32]) -> String {
        let verb = if transitions.len() == 1 { "is" } else { "are" };
        format!("{} {verb}", self.transitions(transitions))
    }
}

/// `live`, `not live`
pub(super) fn verdict(conclusion: &Conclusion) -> String {
    let name = property_name(conclusion.property).replace('-', " ");
    let name = match conclusion.property {
        DerivedProperty::DeadlockFree => "deadlock-free",
        DerivedProperty::QuasiLive => "quasi-live",
        DerivedProperty::WellFormed => "well-formed",
        DerivedProperty::LiveAndBounded if !conclusion.holds => "live and bounded at once",
        _ => &name,
    };
    if conclusion.holds { name.into() } else { format!("not {name}") }
}

/// The name of a property for programs.
pub(super) fn property_name(property: DerivedProperty) -> &'static str {
    match property {
        DerivedProperty::Bounded => "bounded",
        DerivedProperty::Safe => "safe",
        DerivedProperty::QuasiLive => "quasi-live",
        DerivedProperty::WellFormed => "well-formed",
        DerivedProperty::LiveAndBounded => "live-and-bounded",
        DerivedProperty::Live => "live",
        DerivedProperty::DeadlockFree => "deadlock-free",
        DerivedProperty::Reversible => "reversible",
        DerivedProperty::Terminating => "terminating",
    }
}

/// Why a list has not all elements, and which option changes that.
pub(super) fn cut_off(reason: ReachedLimit) -> &'static str {
    match reason {
        ReachedLimit::Number => "there are more; raise --limit",
        ReachedLimit::Time => "the time was up; raise --timeout",
        ReachedLimit::Size => "the intermediate results grew too large; raise --limit and --timeout",
    }
}

/// `P-semiflow 3`, `P-semiflows 1, 2, 5`
pub(super) fn numbered(kind: &str, positions: &[usize], most: usize) -> String {
    let more = positions.len().saturating_sub(most);
    let shown = if more <= 1 { positions.len() } else { most };
    let mut numbers: Vec<String> = positions[..shown].iter().map(|at| (at + 1).to_string()).collect();
    if more > 1 {
        numbers.push(format!("... ({more} more)"));
    }
    format!("{kind}{} {}", if positions.len() == 1 { "" } else { "s" }, numbers.join(", "))
}

/// `no input place`, `1 input place`, `2 input places`
pub(super) fn counted(number: usize, what: &str) -> String {
    match number {
        0 => format!("no {what}"),
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}

fn times(factor: i64, name: String) -> String {
    if factor == 1 { name } else { format!("{factor} {name}") }
}
