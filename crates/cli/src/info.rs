//! `fireset info`: prints the size and the structural class of a net.

use std::process::ExitCode;

use fireset::{
    Model,
    io::query::quote,
    net::{Names, Net, PlaceId, coloured::ColouredNet},
    structure::NetStructure,
};
use serde_json::{Map, Value, json};

use crate::{
    args::{InfoArgs, InfoFormat},
    failure::Failure,
    load,
    print::record,
};

pub fn run(args: &InfoArgs) -> Result<ExitCode, Failure> {
    let model = load::model(&args.model, &args.net)?;
    let mut rows = InfoRows::default();
    rows.put("name", model.name());
    let kind = if matches!(model, Model::Plain(_)) { "place/transition net" } else { "coloured net" };
    rows.put("kind", kind);
    rows.put("places", model.nodes().places.len());
    rows.put("transitions", model.nodes().transitions.len());
    match &model {
        Model::Plain(net) => plain(&mut rows, net),
        Model::Coloured(net) => coloured(&mut rows, net),
    }
    if args.names {
        let nodes = model.nodes();
        let tokens = |at| match &model {
            Model::Plain(net) => u128::from(net.initial_marking().0[at]),
            Model::Coloured(net) => net.place(PlaceId::new(at)).initial.total(),
        };
        rows.put("place names", node_list(&nodes.places, |at| Some(tokens(at))));
        rows.put("transition names", node_list(&nodes.transitions, |_| None));
    }
    load::write_to(None, |out| match args.format {
        InfoFormat::Json => {
            let mut object = InfoRows::default();
            object.put("fireset", record::program());
            object.put("format", record::FORMAT);
            object.put("path", args.model.display().to_string());
            object.0.extend(rows.0.into_iter().map(|(key, value)| (key.replace(' ', "_"), value)));
            writeln!(out, "{:#}", Value::Object(object.0))
        }
        InfoFormat::Human => rows.0.iter().try_for_each(|(key, value)| match value {
            Value::String(text) => writeln!(out, "{key:22} {text}"),
            Value::Bool(yes) => writeln!(out, "{key:22} {}", if *yes { "yes" } else { "no" }),
            Value::Null => writeln!(out, "{key:22} none"),
            Value::Array(sorts) if key == SORTS => {
                let shown: Vec<_> = sorts.iter().map(sort_text).collect();
                writeln!(out, "{key:22} {}", shown.join(", "))
            }
            Value::Array(nodes) => {
                writeln!(out, "{key}")?;
                nodes.iter().try_for_each(|node| writeln!(out, "  {}", node_line(node)))
            }
            other => writeln!(out, "{key:22} {other}"),
        }),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The row whose list is printed in one line.
const SORTS: &str = "sorts";

fn sort_text(sort: &Value) -> String {
    format!("{} ({})", sort["name"].as_str().unwrap_or_default(), sort["size"])
}

/// Nodes with the names that queries use.
fn node_list(names: &Names, tokens: impl Fn(usize) -> Option<u128>) -> Value {
    let node = |at| {
        let mut node = InfoRows::default();
        node.put("id", names.get(at));
        if names.label(at) != names.get(at) {
            node.put("label", names.label(at));
        }
        if let Some(tokens) = tokens(at) {
            node.put("tokens", count(tokens));
        }
        Value::Object(node.0)
    };
    (0..names.len()).map(node).collect()
}

/// One line for a node, with names quoted as in queries.
fn node_line(node: &Value) -> String {
    let text = |key: &str| node[key].as_str();
    let id = quote(text("id").unwrap_or_default());
    let label = text("label").map(|label| format!(" ({})", quote(label)));
    let tokens = node.get("tokens").filter(|&tokens| *tokens != 0);
    let tokens = tokens.map(|tokens| format!(": {}", tokens.to_string().trim_matches('"')));
    id + &label.unwrap_or_default() + &tokens.unwrap_or_default()
}

/// A JSON number if the count fits into 64 bits, otherwise a string.
fn count(count: u128) -> Value {
    u64::try_from(count).map_or_else(|_| count.to_string().into(), Value::from)
}

/// Keys and values in the order of the output.
#[derive(Default)]
struct InfoRows(Map<String, Value>);

impl InfoRows {
    fn put(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key.into(), value.into());
    }
}

fn plain(rows: &mut InfoRows, net: &Net) {
    let transitions = || net.nodes().transition_ids();
    rows.put("arcs", net.arc_count());
    rows.put("inhibitor arcs", transitions().map(|t| net.inhibitors(t).len()).sum::<usize>());
    let tokens: u128 = net.initial_marking().0.iter().map(|&n| u128::from(n)).sum();
    rows.put("initial tokens", count(tokens));
    let arcs = |t| net.pre(t).iter().chain(net.post(t));
    rows.put("largest weight", transitions().flat_map(arcs).map(|a| a.weight).max().unwrap_or(0));
    match net.nupn() {
        Some(nupn) => {
            rows.put("units", nupn.units.len());
            rows.put("declared unit-safe", nupn.unit_safe);
        }
        None => rows.put("units", Value::Null),
    }
    let facts = NetStructure::of(net).classes();
    rows.put("ordinary", facts.ordinary);
    rows.put("simple free choice", facts.simple_free_choice);
    rows.put("extended free choice", facts.extended_free_choice);
    rows.put("state machine", facts.state_machine);
    rows.put("marked graph", facts.marked_graph);
    rows.put("connected", facts.connected);
    rows.put("strongly connected", facts.strongly_connected);
    rows.put("source places", facts.source_places);
    rows.put("sink places", facts.sink_places);
    rows.put("source transitions", facts.source_transitions);
    rows.put("sink transitions", facts.sink_transitions);
    rows.put("loop free", facts.loop_free);
    rows.put("conservative", facts.conservative);
    rows.put("subconservative", facts.subconservative);
}

fn coloured(rows: &mut InfoRows, net: &ColouredNet) {
    rows.put("arcs", net.arc_count());
    let inhibitors = net.nodes().transition_ids().map(|t| net.transition(t).inhibitors.len());
    rows.put("inhibitor arcs", inhibitors.sum::<usize>());
    let tokens: u128 = net.nodes().place_ids().map(|p| net.place(p).initial.total()).sum();
    rows.put("initial tokens", count(tokens));
    let sorts = net.sorts().iter().map(|sort| json!({ "name": sort.name, "size": sort.size() }));
    rows.put(SORTS, sorts.collect::<Vec<_>>());
    rows.put("variables", net.variables().len());
    let places = net.nodes().place_ids().map(|p| net.sorts()[net.place(p).sort].size());
    rows.put("unfolded places", places.fold(0, u64::saturating_add));
    let bindings = net.nodes().transition_ids().map(|t| net.binding_count(t));
    rows.put("bindings", bindings.fold(0, u64::saturating_add));
}
