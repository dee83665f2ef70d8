//! The net as a drawing in which a semiflow, siphon or trap is coloured.

use std::str::FromStr;

use fireset::structure::SparseVector;
use fireset_draw::{Diagram, place_transition_diagram};

use super::{AnalysedNet, sentences::NodeLists};
use crate::failure::Failure;

/// What is coloured: an element of a list by its number, which starts with 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HighlightChoice {
    list: HighlightedList,
    number: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HighlightedList {
    PlaceSemiflows,
    TransitionSemiflows,
    Siphons,
    Traps,
}

impl HighlightedList {
    fn name(self) -> &'static str {
        match self {
            Self::PlaceSemiflows => "P-semiflow",
            Self::TransitionSemiflows => "T-semiflow",
            Self::Siphons => "siphon",
            Self::Traps => "trap",
        }
    }
}

/// `P-semiflow 3`, `siphon 1`; `semiflow` alone is a P-semiflow.
impl FromStr for HighlightChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected =
            || "expected a list and a number, such as 'P-semiflow 3', 'T-semiflow 1', 'siphon 2' or 'trap 1'";
        let (list, number) = text.trim().rsplit_once(char::is_whitespace).ok_or_else(expected)?;
        let list = match list.trim().to_lowercase().as_str() {
            "p-semiflow" | "semiflow" => HighlightedList::PlaceSemiflows,
            "t-semiflow" => HighlightedList::TransitionSemiflows,
            "siphon" => HighlightedList::Siphons,
            "trap" => HighlightedList::Traps,
            _ => return Err(expected().into()),
        };
        let number = number.parse().ok().filter(|&number| number > 0).ok_or_else(expected)?;
        Ok(Self { list, number })
    }
}

/// The net, with the nodes that `--highlight` names coloured.
pub(super) fn diagram(analysed: &AnalysedNet<'_>) -> Result<Diagram, Failure> {
    let AnalysedNet { args, net, analysis, .. } = analysed;
    let mut diagram = place_transition_diagram(net);
    let Some(HighlightChoice { list, number }) = args.highlight else { return Ok(diagram) };
    let names = NodeLists { net, most: 10 };
    let at = number - 1;
    let support = |vector: &SparseVector| -> Vec<u32> { vector.iter().map(|entry| entry.0).collect() };
    let (len, found) = match list {
        HighlightedList::PlaceSemiflows => {
            let found = &analysis.place_semiflows.found;
            (found.len(), found.get(at).map(|one| (support(one), names.semiflow(one))))
        }
        HighlightedList::TransitionSemiflows => {
            let found = &analysis.transition_semiflows.found;
            (found.len(), found.get(at).map(|one| (support(one), names.transition_sum(one))))
        }
        HighlightedList::Siphons | HighlightedList::Traps => {
            let sets = if list == HighlightedList::Siphons { &analysis.siphons } else { &analysis.traps };
            let found = &sets.found;
            (found.len(), found.get(at).map(|one| (one.places.clone(), names.places(&one.places))))
        }
    };
    let Some((members, text)) = found else {
        let message = format!("there is no {} {number}: {len} of them are found", list.name());
        return Err(Failure::Usage(
            message,
            "`fireset structure MODEL` lists them with their numbers".into(),
        ));
    };
    // Transitions are the nodes after the places.
    let first = match list {
        HighlightedList::TransitionSemiflows => net.nodes().places.len(),
        _ => 0,
    };
    diagram.highlight(members.into_iter().map(|member| first + member as usize));
    diagram.caption = format!("{} {number}: {text}", list.name());
    Ok(diagram)
}
