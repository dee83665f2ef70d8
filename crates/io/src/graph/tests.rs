//! What the tests of the formats share: small nets, explored and written.

use std::io;

use fireset_net::{
    Budget, Net, Semantics,
    coloured::{Bag, BagTerm, Colour, ColourTerm, ColouredNet, ColouredNetBuilder, Guard, SortKind},
    reachability::{GraphLimits, TabulatedNet},
};
use fireset_oracle::tiny;

use super::*;

/// The `write` function of a format.
type Write<S> = fn(&StateGraph<'_, S>, &mut Vec<u8>) -> io::Result<()>;

/// The graph of a net, whose edges are kept.
fn explore<S: Semantics>(net: &S, states: usize) -> ReachabilityGraph<'_, S> {
    ReachabilityGraph::explore(net, GraphLimits { states, edges: true }, &Budget::unlimited(), &mut ())
}

fn written_by<S: PrintableMarkings>(model: &Model, net: &S, write: Write<S>) -> String {
    let graph = explore(net, 100);
    let mut out = Vec::new();
    write(&StateGraph::new(model, &graph).unwrap(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The graph of a [tiny] net as `write` writes it.
pub fn written(net: &str, write: Write<Net>) -> String {
    let net = tiny::net(net);
    written_by(&Model::Plain(net.clone()), &net, write)
}

/// The graph of a coloured net as `write` writes it.
pub fn written_coloured<'a>(net: &'a ColouredNet, write: Write<TabulatedNet<'a>>) -> String {
    let table = TabulatedNet::new(net, &Budget::unlimited()).unwrap();
    written_by(&Model::Coloured(net.clone()), &table, write)
}

/// `pool` holds 1 and twice 2, `dots` three plain tokens; `take` removes any number.
pub fn pool() -> ColouredNet {
    let mut net = ColouredNetBuilder::new("pool");
    let number = net.sorts.add("number", SortKind::IntRange { start: 1, end: 2 }).unwrap();
    let dot = net.sorts.add("dot", SortKind::Dot).unwrap();
    let x = net.variable("x", number);
    let numbers = Bag::collect([(Colour(0), 1), (Colour(1), 2)]).unwrap();
    let pool = net.place("pool", number, numbers).unwrap();
    net.place("dots", dot, Bag::of(Colour(0), 3)).unwrap();
    let take = net.transition("take", Guard::Constant(true)).unwrap();
    net.input(pool, take, BagTerm::One(ColourTerm::Variable(x))).unwrap();
    net.build()
}

#[test]
fn a_part_of_a_graph_is_refused() {
    let refusal = |net: &str| {
        let net = tiny::net(net);
        let graph = explore(&net, 2);
        StateGraph::new(&Model::Plain(net.clone()), &graph).err()
    };
    assert_eq!(refusal("p:2; t: p ->"), Some(StopReason::States(2)));
    assert_eq!(refusal("p; t: -> p"), Some(StopReason::Unbounded));
    assert_eq!(refusal("p:1; t: p ->"), None);
}
