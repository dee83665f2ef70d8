//! Applies rules until none does anything more.
//!
//! Each round has rules for the whole net first, since they remove most, then those for places and transitions on a work
//! list: what changes has its neighbours looked at again. A rule may look further than that, so rounds are repeated until
//! one changes nothing. Then agglomerations may make more transitions than they remove, as long as there are not more than at
//! the start: fewer places have fewer markings. Every application leaves a net that is as good as the last one, so the budget may end at any time.

use fireset_net::{Budget, Net};

use super::{
    ReductionRule, RuleTarget,
    mutable_net::{MutableNet, QueuedNode},
};

/// Nodes that are looked at between two looks at the clock.
const PATIENCE: usize = 64;

/// Applies rules, and counts how often each of them did something.
pub(super) fn run(
    net: &mut MutableNet,
    original: &Net,
    rules: &[&ReductionRule],
    budget: &Budget,
) -> Vec<usize> {
    let mut counts = vec![0; rules.len()];
    for (rule, count) in rules.iter().zip(&mut counts) {
        if let RuleTarget::Start(apply) = rule.target {
            *count += apply(net, original, budget);
        }
    }
    loop {
        let before = counts.iter().sum::<usize>();
        for (rule, count) in rules.iter().zip(&mut counts) {
            if let RuleTarget::Net(apply) = rule.target {
                *count += apply(net);
            }
            if budget.go_on().is_err() {
                return counts;
            }
        }
        net.touch_all();
        let mut looks = 0;
        while let Some(node) = net.next() {
            looks += 1;
            if looks % PATIENCE == 0 && budget.go_on().is_err() {
                return counts;
            }
            for (rule, count) in rules.iter().zip(&mut counts) {
                let applied = match (rule.target, node) {
                    (RuleTarget::Place(apply), QueuedNode::Place(p)) => net.has_place(p) && apply(net, p),
                    (RuleTarget::Transition(apply), QueuedNode::Transition(t)) => {
                        net.has_transition(t) && apply(net, t)
                    }
                    _ => false,
                };
                *count += usize::from(applied);
            }
        }
        if counts.iter().sum::<usize>() == before {
            if net.may_grow {
                return counts;
            }
            net.may_grow = true;
        }
    }
}
