//! Why a CTL property has its value, as a tree of subformulas with the runs that show them.

use std::fmt::Write as _;

use fireset::{
    Evidence, Model,
    io::query,
    net::{
        Formula, Logic, Property, Query,
        replay::{self, ExplainedEnd, Explanation, ExplanationReason},
    },
};

use super::evidence::{one_step, plural, shorten};

/// Reasons of one value that are listed.
const SHOWN_REASONS: usize = 5;
/// Steps of a run that are named.
const SHOWN_STEPS: usize = 8;

/// The lines of the tree, of a depth; none where runs that branch are not the evidence.
pub fn lines(model: &Model, property: &Property, evidence: &Evidence, depth: usize) -> String {
    let (Ok(Query::Ctl(formula)), Evidence::Branching(branching)) = (property.query(), evidence) else {
        return String::new();
    };
    let Ok(Some(explanation)) = replay::explain(model, &formula, branching, depth) else {
        return String::new();
    };
    let mut tree = TreePrinter { model, depth, text: String::new() };
    tree.node(&explanation, None, 1);
    tree.text
}

struct TreePrinter<'m> {
    model: &'m Model,
    depth: usize,
    text: String,
}

impl TreePrinter<'_> {
    /// The lines of a node and of those below it; `above` is the marking that the line above speaks of.
    fn node(&mut self, node: &Explanation, above: Option<usize>, indentation: usize) {
        let formula = query::show_with_titles(&Formula::from(&node.formula), Logic::Ctl, self.model);
        let value = if node.holds { "holds" } else { "fails" };
        let place = match node.marking {
            at if above == Some(at) => String::new(),
            0 => " in the initial marking".to_owned(),
            at => format!(" after step {at}"),
        };
        let reason = self.reason(&node.reason);
        let margin = "  ".repeat(indentation);
        let _ = writeln!(self.text, "  {margin}{} {value}{place}{reason}", shorten(&formula));
        let operands = match &node.reason {
            ExplanationReason::Operands(operands)
            | ExplanationReason::Run { operands, .. }
            | ExplanationReason::AllSteps(operands) => &operands[..],
            _ => return,
        };
        for operand in operands.iter().take(SHOWN_REASONS) {
            self.node(operand, Some(node.marking), indentation + 1);
        }
        if let Some(rest @ 1..) = operands.len().checked_sub(SHOWN_REASONS) {
            let _ = writeln!(self.text, "  {margin}  and {rest} more like it");
        }
    }

    fn reason(&self, reason: &ExplanationReason) -> String {
        match reason {
            ExplanationReason::Marking => String::new(),
            ExplanationReason::Operands(_) => ", since".to_owned(),
            ExplanationReason::Run { steps, end, .. } => {
                let named: Vec<String> =
                    steps.iter().take(SHOWN_STEPS).map(|(step, _)| one_step(self.model, step)).collect();
                let more = if steps.len() > SHOWN_STEPS { " …" } else { "" };
                let (count, names) = (steps.len(), named.join(" "));
                match (end, count) {
                    (ExplainedEnd::Deadlock, 0) => ", since no transition is enabled".to_owned(),
                    (_, 0) => ", at once".to_owned(),
                    (ExplainedEnd::Open, _) => format!(": {count} step{}, {names}{more}", plural(count)),
                    (ExplainedEnd::Deadlock, _) => {
                        format!(": {count} step{} to a deadlock, {names}{more}", plural(count))
                    }
                    (ExplainedEnd::BackTo(0), _) => {
                        format!(": {count} step{} repeated for ever, {names}{more}", plural(count))
                    }
                    (ExplainedEnd::BackTo(before), _) => {
                        let cycle = count - before;
                        format!(
                            ": {count} step{}, the last {cycle} repeated for ever, {names}{more}",
                            plural(count)
                        )
                    }
                }
            }
            ExplanationReason::AllSteps(operands) if operands.is_empty() => {
                ", since no transition is enabled".to_owned()
            }
            ExplanationReason::AllSteps(_) => ", as after each step".to_owned(),
            ExplanationReason::AllRuns(1) => ", since no other marking is reached".to_owned(),
            ExplanationReason::AllRuns(count) => {
                format!(", as the {count} markings on the runs from there show")
            }
            ExplanationReason::Claim => ", which is claimed and not shown".to_owned(),
            ExplanationReason::Omitted => format!(" (why: --depth {})", self.depth + 1),
        }
    }
}
