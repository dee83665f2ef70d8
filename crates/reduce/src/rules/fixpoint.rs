//! Applies rules until none does anything more.
//!
//! Each round has rules for the whole net first, since they remove most, then those for places and transitions on a work
//! list: what changes has its neighbours looked at again. A rule may look further than that, so rounds are repeated until
//! one changes nothing. Then agglomerations may make more transitions than they remove, as long as there are not more than at
//! the start: fewer places have fewer markings. Every application leaves a net that is as good as the last one, so the budget may end at any time.

use fireset_net::{Budget, Net};

use super::{
    Focus, Rule,
    draft::{Draft, Node},
};

/// Nodes that are looked at between two looks at the clock.
const PATIENCE: usize = 64;

/// Applies rules, and counts how often each of them did something.
pub(super) fn run(draft: &mut Draft, net: &Net, rules: &[&Rule], budget: &Budget) -> Vec<usize> {
    let mut counts = vec![0; rules.len()];
    for (rule, count) in rules.iter().zip(&mut counts) {
        if let Focus::Start(apply) = rule.focus {
            *count += apply(draft, net, budget);
        }
    }
    loop {
        let before = counts.iter().sum::<usize>();
        for (rule, count) in rules.iter().zip(&mut counts) {
            if let Focus::Net(apply) = rule.focus {
                *count += apply(draft);
            }
            if budget.go_on().is_err() {
                return counts;
            }
        }
        draft.touch_all();
        let mut looks = 0;
        while let Some(node) = draft.next() {
            looks += 1;
            if looks % PATIENCE == 0 && budget.go_on().is_err() {
                return counts;
            }
            for (rule, count) in rules.iter().zip(&mut counts) {
                let applied = match (rule.focus, node) {
                    (Focus::Place(apply), Node::Place(p)) => draft.has_place(p) && apply(draft, p),
                    (Focus::Transition(apply), Node::Transition(t)) => {
                        draft.has_transition(t) && apply(draft, t)
                    }
                    _ => false,
                };
                *count += usize::from(applied);
            }
        }
        if counts.iter().sum::<usize>() == before {
            if draft.may_grow {
                return counts;
            }
            draft.may_grow = true;
        }
    }
}
