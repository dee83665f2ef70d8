//! A specification as a net: its rules, the transitions that add initial tokens, and the target as a property.

use std::collections::BTreeSet;

use fireset_net::{Comparison, Expr, Formula, Logic, PlaceId, Property, TransitionId};

use super::specification::{CounterChange, CounterRange, CounterRule, Specification};
use crate::{Fault, named_net::NamedNet, net_file::NetFile, scanner::Word};

/// The net, its property and a note about open initial markings.
pub(super) fn translate(specification: Specification) -> Result<NetFile, Fault> {
    let Specification { variables, rules, initial, target } = specification;
    let ranges = initial_ranges(variables.len(), &initial)?;
    let mut net = NamedNet::new("");
    for (name, &(least, _)) in variables.iter().zip(&ranges) {
        net.place(Word { text: name, offset: 0 }, least)?;
    }
    for (at, rule) in rules.iter().enumerate() {
        let name = free_name(&mut net, &format!("rule{}", at + 1));
        add_rule(&mut net, rule, &name)?;
    }
    let mut open = Vec::new();
    for (variable, (name, (_, most))) in variables.iter().zip(&ranges).enumerate() {
        if most.is_none() {
            let source = free_name(&mut net, &format!("init_{name}"));
            let transition = net.transition(Word { text: &source, offset: 0 })?;
            net.builder.output(transition, PlaceId::new(variable), 1);
            open.push((name, source));
        }
    }
    let property = Property { name: "target".to_owned(), formula: formula(target)?, logic: Logic::Ctl };
    let notes = open_note(&open).into_iter().collect();
    Ok(NetFile { properties: vec![property], notes, ..NetFile::of(net.build()?) })
}

/// The least and the largest initial number of each variable.
fn initial_ranges(variables: usize, initial: &[CounterRange]) -> Result<Vec<(u64, Option<u64>)>, Fault> {
    // A variable that is not mentioned may have any number of tokens.
    let mut ranges = vec![(0, None); variables];
    for range in initial {
        if range.most.is_some_and(|most| most != range.least) {
            let message = "an initial range with two ends is not supported";
            return Err(Fault::at(range.offset, message).hint("give one number, as in `x = 2`, or `x >= 2`"));
        }
        ranges[range.variable] = (range.least, range.most);
    }
    Ok(ranges)
}

/// A name that neither a place nor a transition has.
fn free_name(net: &mut NamedNet, wanted: &str) -> String {
    let nodes = net.builder.nodes_mut();
    let mut name = wanted.to_owned();
    while nodes.places.find(&name).is_some() || nodes.transitions.find(&name).is_some() {
        name.push('_');
    }
    name
}

/// Adds a transition: it takes what the rule needs and gives back what the rule leaves.
fn add_rule(net: &mut NamedNet, rule: &CounterRule, name: &str) -> Result<(), Fault> {
    let transition: TransitionId = net.transition(Word { text: name, offset: rule.offset })?;
    let needed = |variable| rule.needs.get(&variable).copied().unwrap_or(0);
    let variables: BTreeSet<usize> = rule.needs.keys().chain(rule.changes.keys()).copied().collect();
    for variable in variables {
        let (needs, gives) = match rule.changes.get(&variable) {
            None => (needed(variable), Some(needed(variable))),
            Some(CounterChange::Plus(more)) => (needed(variable), needed(variable).checked_add(*more)),
            Some(&CounterChange::Minus(less)) => {
                let needs = needed(variable).max(less);
                (needs, Some(needs - less))
            }
        };
        let too_large = || Fault::at(rule.offset, "the numbers of a rule, added up, do not fit into 64 bits");
        net.builder.input(PlaceId::new(variable), transition, needs);
        net.builder.output(transition, PlaceId::new(variable), gives.ok_or_else(too_large)?);
    }
    Ok(())
}

/// Whether a marking with one of the alternatives can be reached.
fn formula(target: Vec<Vec<CounterRange>>) -> Result<Formula, Fault> {
    let mut alternatives = Vec::with_capacity(target.len());
    for ranges in target {
        let mut parts = Vec::with_capacity(ranges.len());
        for CounterRange { variable, least, most, offset } in ranges {
            let mut compare = |how, number: u64| {
                let too_large = |_| Fault::at(offset, "the number of a target does not fit into 63 bits");
                let number = Expr::Constant(i64::try_from(number).map_err(too_large)?);
                parts.push(Formula::Compare(how, Expr::Tokens(vec![PlaceId::new(variable)]), number));
                Ok(())
            };
            match most {
                None => compare(Comparison::GreaterEqual, least)?,
                Some(most) if most == least => compare(Comparison::Equal, least)?,
                Some(most) => {
                    compare(Comparison::GreaterEqual, least)?;
                    compare(Comparison::LessEqual, most)?;
                }
            }
        }
        alternatives.push(one_or(parts, Formula::And));
    }
    Ok(one_or(alternatives, Formula::Or).possible())
}

/// A single formula stands for itself.
fn one_or(mut formulas: Vec<Formula>, join: fn(Vec<Formula>) -> Formula) -> Formula {
    if formulas.len() == 1 { formulas.remove(0) } else { join(formulas) }
}

/// How many names a note lists.
const LISTED: usize = 5;

/// What the transitions mean that add initial tokens; given with their variables.
fn open_note(open: &[(&str, String)]) -> Option<String> {
    let list = |names: &mut dyn Iterator<Item = &str>| {
        let listed: Vec<String> = names.take(LISTED).map(|name| format!("`{name}`")).collect();
        let more = if open.len() > LISTED { ", …" } else { "" };
        format!("{}{more}", listed.join(", "))
    };
    let variables = list(&mut open.iter().map(|(variable, _)| *variable));
    let sources = list(&mut open.iter().map(|(_, source)| source.as_str()));
    (!open.is_empty()).then(|| {
        format!(
            "The initial number of tokens is open for {variables}; the net adds them at any time by {sources}. \
             Reachable markings are those of all initial markings together, but deadlocks, liveness and temporal \
             properties are those of the net with these transitions."
        )
    })
}
