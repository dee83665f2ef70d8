//! What tools write beside the standard's labels, as elements or as attributes: what is read under another name, what is
//! passed over because it cannot change the meaning of a net, and what is refused by name because it can.
//!
//! Sources: files of PIPE 2 to 5, TAPAAL 2 to 4, ProM 5 and 6, pm4py, WoPeD, Yasper, JARP, Tina and ePNK, and the proposal of
//! modular PNML. Layout is passed over in silence; where a reader could expect more than fireset makes of it, a note says so.
//!
//! Reset arcs are refused: a net without them that has the same runs exists only for bounded places. Draining the place step
//! by step needs markings in between, which a property would see, and changes the number of steps.

/// The element that has a label or an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LabelOwner {
    Net,
    Place,
    Transition,
    Arc,
}

impl LabelOwner {
    /// A noun for messages.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Net => "a net",
            Self::Place => "a place",
            Self::Transition => "a transition",
            Self::Arc => "an arc",
        }
    }
}

/// What becomes of a label that is no part of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Treatment {
    /// Layout and the like.
    Passed,
    /// Passed over, with a note that says why that is right.
    PassedWithNote(&'static str),
    /// Passed over where the value is this one; otherwise refused for this reason.
    Only(&'static str, &'static str),
    /// Refused for this reason.
    Refused(&'static str),
}

const DELAYS: &str =
    "delays of a stochastic simulation are not used: an enabled transition may fire at any time";
const INSTANCE: &str = "instances of modules are not supported";
const HIERARCHY: &str = "the net consists of nets that run in it, which a Petri net does not have";

use LabelOwner::{Arc, Net, Place, Transition};
use Treatment::{Only, Passed, PassedWithNote, Refused};

const RATES: &str = "rates do not change which markings can be reached";
/// Of the tool-specific part with which process miners say so.
pub(super) const STOCHASTIC_TOOL: &str = "StochasticPetriNet";

pub(super) const TIMING: &str = "timed and immediate transitions are read alike: none has priority";
const DATA: &str = "the transition has a condition on data, which a Petri net does not have";
const GAME: &str = "the players of a game are read alike";
const OPEN: &str = "the transition communicates at a port of an open net, which fireset does not compose";
const TIMED: &str = "the net is timed";

/// The labels by owner and name.
const TREATMENTS: &[(LabelOwner, &str, Treatment)] = &[
    (Net, "active", Passed),
    (Net, "comment", Passed),
    (Net, "definition", PassedWithNote("definitions of rates and parameters are not used")),
    (Net, "description", Passed),
    (Net, "importPlace", Refused(INSTANCE)),
    (Net, "importTransition", Refused(INSTANCE)),
    (Net, "instance", Refused(INSTANCE)),
    (Net, "interface", Refused(INSTANCE)),
    (Net, "labels", Passed),
    (Net, "stategroup", PassedWithNote("groups of states are questions of another tool")),
    (Net, "token", Passed),
    (Net, "variables", Refused("the net has variables for data, which a Petri net does not have")),
    (Place, "colorinvariant", Refused(TIMED)),
    (Place, "comment", Passed),
    (Place, "description", Passed),
    (Place, "displayName", Passed),
    (Place, "label", Passed),
    (Place, "markingOffsetX", Passed),
    (Place, "markingOffsetY", Passed),
    (Place, "nameOffsetX", Passed),
    (Place, "nameOffsetY", Passed),
    (Place, "positionX", Passed),
    (Place, "positionY", Passed),
    (Place, "tagged", Only("false", "the tagged token of a place is followed, which fireset does not do")),
    (Transition, "a", PassedWithNote(DELAYS)),
    (Transition, "angle", Passed),
    (Transition, "b", PassedWithNote(DELAYS)),
    (Transition, "comment", Passed),
    (Transition, "description", Passed),
    (Transition, "distribution", PassedWithNote(DELAYS)),
    (Transition, "displayName", Passed),
    (Transition, "downlink_label", Refused(HIERARCHY)),
    (Transition, "firingMode", PassedWithNote(RATES)),
    (Transition, "guard", Refused(DATA)),
    (Transition, "horizontal_label", Refused(HIERARCHY)),
    (Transition, "infiniteServer", PassedWithNote(RATES)),
    (Transition, "invisible", Passed),
    (Transition, "label", Passed),
    (Transition, "mean", PassedWithNote(DELAYS)),
    (Transition, "nameOffsetX", Passed),
    (Transition, "nameOffsetY", Passed),
    (Transition, "orientation", Passed),
    (Transition, "placeHolder", Passed),
    (Transition, "player", PassedWithNote(GAME)),
    (Transition, "positionX", Passed),
    (Transition, "positionY", Passed),
    (Transition, "rate", PassedWithNote(RATES)),
    (Transition, "readVariable", Refused(DATA)),
    (Transition, "receive", Refused(OPEN)),
    (Transition, "scale", PassedWithNote(DELAYS)),
    (Transition, "send", Refused(OPEN)),
    (Transition, "shape", PassedWithNote(DELAYS)),
    (Transition, "stddev", PassedWithNote(DELAYS)),
    (Transition, "timed", PassedWithNote(TIMING)),
    (Transition, "synchronize", Refused(OPEN)),
    (Transition, "uplink_label", Refused(HIERARCHY)),
    (Transition, "urgent", Only("false", "the net is timed: a transition is urgent")),
    (Transition, "value", PassedWithNote(DELAYS)),
    (Transition, "weight", PassedWithNote(RATES)),
    (Transition, "writeVariable", Refused(DATA)),
    (Arc, "arcpath", Passed),
    (Arc, "comment", Passed),
    (Arc, "description", Passed),
    (Arc, "colorinterval", Refused(TIMED)),
    (Arc, "nameOffsetX", Passed),
    (Arc, "nameOffsetY", Passed),
    (Arc, "tagged", Only("false", "the arc moves tagged tokens, which fireset does not follow")),
    (Arc, "transportID", Passed),
];

/// What becomes of a label; `None` for one that no known tool writes.
pub(super) fn treatment(owner: LabelOwner, name: &str) -> Option<Treatment> {
    TREATMENTS.iter().find(|(of, known, _)| *of == owner && *known == name).map(|(.., treatment)| *treatment)
}

/// Whether an interval of token ages excludes nothing: `[0,inf)`.
pub(super) fn is_untimed_interval(text: &str) -> bool {
    let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    plain.eq_ignore_ascii_case("[0,inf)")
}

/// Whether an invariant of a place excludes nothing: `< inf`.
pub(super) fn is_untimed_invariant(text: &str) -> bool {
    let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    plain.is_empty() || plain.eq_ignore_ascii_case("<inf")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_label_stands_once() {
        for (at, (owner, name, _)) in TREATMENTS.iter().enumerate() {
            assert!(!TREATMENTS[..at].iter().any(|(of, known, _)| (of, known) == (owner, name)), "{name}");
        }
    }

    #[test]
    fn intervals_are_untimed_only_from_zero_to_infinity() {
        assert!(["[0,inf)", " [ 0 , Inf ) "].into_iter().all(is_untimed_interval));
        assert!(!["(0,inf)", "[1,inf)", "[0,5]", "[0,inf]", ""].into_iter().any(is_untimed_interval));
        assert!(["< inf", "<inf", ""].into_iter().all(is_untimed_invariant));
        assert!(!["<= 5", "< 3", "inf"].into_iter().any(is_untimed_invariant));
    }
}
