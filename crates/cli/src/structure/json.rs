//! The structure of a net for programs; `docs/src/schema/structure.json` describes it. Nodes have their ids.

use fireset::{
    net::Net,
    structure::{
        ClassBreach, ClassBreaches, Coverage, Enumeration, MinimalSet, ReachedLimit, SparseVector, semiflows,
    },
};
use serde_json::{Map, Value, json};

use super::{
    AnalysedNet,
    sentences::{NodeLists, property_name},
};
use crate::print::record;

pub(super) fn document(analysed: &AnalysedNet<'_>) -> Value {
    let AnalysedNet { args, net, is_unfolded, analysis } = analysed;
    let names = NodeLists { net, most: usize::MAX };
    let classes = classes(&analysis.breaches).map(|(name, breach)| {
        let because = breach.as_ref().map(|breach| names.breach(breach));
        (name.replace(' ', "_"), json!({ "holds": breach.is_none(), "because": because }))
    });
    json!({
        "fireset": record::program(),
        "format": record::FORMAT,
        "path": args.model.display().to_string(),
        "name": &net.name,
        "unfolded": is_unfolded,
        "places": net.nodes().places.len(),
        "transitions": net.nodes().transitions.len(),
        "arcs": net.arc_count(),
        "limits": { "number": args.limit, "seconds": args.timeout.as_secs_f64() },
        "classes": classes.into_iter().collect::<Map<String, Value>>(),
        "properties": properties(analysed),
        "p_semiflows": list(&analysis.place_semiflows, |at, weights| {
            place_semiflow(net, weights, analysis.s_components.contains(&at))
        }),
        "t_semiflows": list(&analysis.transition_semiflows, |at, counts| {
            let firing = |entry: &(u32, i64)| json!({ "transition": transition(net, entry.0), "count": entry.1 });
            let firings: Vec<Value> = counts.iter().map(firing).collect();
            json!({ "firings": firings, "t_component": analysis.t_components.contains(&at) })
        }),
        "siphons": list(&analysis.siphons, |_, siphon| json!({
            "places": set(net, siphon),
            "marked": siphon.is_marked,
            "contains_marked_trap": siphon.has_marked_trap,
        })),
        "traps": list(&analysis.traps, |_, trap| {
            json!({ "places": set(net, trap), "marked": trap.is_marked })
        }),
        "bounds": bounds(analysed),
        "follows": analysis.conclusions.iter().map(|conclusion| json!({
            "property": property_name(conclusion.property),
            "holds": conclusion.holds,
            "because": names.reason(&conclusion.reason),
        })).collect::<Vec<_>>(),
    })
}

/// The classes by their names.
pub(super) fn classes(breaches: &ClassBreaches) -> [(&'static str, &Option<ClassBreach>); 9] {
    [
        ("ordinary", &breaches.ordinary),
        ("state machine", &breaches.state_machine),
        ("marked graph", &breaches.marked_graph),
        ("simple free choice", &breaches.simple_free_choice),
        ("extended free choice", &breaches.extended_free_choice),
        ("asymmetric choice", &breaches.asymmetric_choice),
        ("loop free", &breaches.loop_free),
        ("connected", &breaches.connected),
        ("strongly connected", &breaches.strongly_connected),
    ]
}

fn properties(analysed: &AnalysedNet<'_>) -> Value {
    let AnalysedNet { net, analysis, .. } = analysed;
    let coverage = |coverage: &Coverage, name: fn(&Net, u32) -> &str| {
        let nodes: &[u32] = if let Coverage::Fails(nodes) = coverage { nodes } else { &[] };
        let nodes: Vec<&str> = nodes.iter().map(|&node| name(net, node)).collect();
        json!({ "holds": coverage.verdict(), "because_of": nodes })
    };
    json!({
        "conservative": coverage(&analysis.conservative, place),
        "consistent": coverage(&analysis.consistent, transition),
        "structurally_bounded": coverage(&analysis.structurally_bounded, place),
        "repetitive": coverage(&analysis.repetitive, transition),
        "siphon_trap": analysis.siphon_trap,
        "rank": analysis.rank,
        "clusters": analysis.clusters,
    })
}

fn place_semiflow(net: &Net, weights: &SparseVector, is_component: bool) -> Value {
    let total = semiflows::total(weights, &net.initial_marking().0);
    let weight = |entry: &(u32, i64)| json!({ "place": place(net, entry.0), "weight": entry.1 });
    json!({
        "weights": weights.iter().map(weight).collect::<Vec<_>>(),
        "total": total.map(|total| u64::try_from(total).map_or_else(|_| total.to_string().into(), Value::from)),
        "s_component": is_component,
    })
}

fn list<T>(list: &Enumeration<T>, element: impl Fn(usize, &T) -> Value) -> Value {
    let cut_off = list.cut_off.map(|reason| match reason {
        ReachedLimit::Number => "number",
        ReachedLimit::Time => "time",
        ReachedLimit::Size => "size",
    });
    let found: Vec<Value> = list.found.iter().enumerate().map(|(at, one)| element(at, one)).collect();
    json!({ "complete": list.is_complete(), "cut_off": cut_off, "found": found })
}

fn bounds(analysed: &AnalysedNet<'_>) -> Vec<Value> {
    let AnalysedNet { net, analysis, .. } = analysed;
    let bounds = analysis.bounds.iter().enumerate();
    let bounded = bounds.filter_map(|(at, bound)| bound.map(|bound| (at as u32, bound)));
    bounded
        .map(|(at, bound)| {
            json!({ "place": place(net, at), "tokens": bound.tokens, "p_semiflow": bound.semiflow + 1 })
        })
        .collect()
}

fn set<'n>(net: &'n Net, set: &MinimalSet) -> Vec<&'n str> {
    set.places.iter().map(|&at| place(net, at)).collect()
}

fn place(net: &Net, at: u32) -> &str {
    net.nodes().places.get(at as usize)
}

fn transition(net: &Net, at: u32) -> &str {
    net.nodes().transitions.get(at as usize)
}
