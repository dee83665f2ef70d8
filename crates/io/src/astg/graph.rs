//! The net of the lines of a graph: nodes are told apart by the signals, and arcs are given once.

use std::collections::{BTreeMap, BTreeSet};

use fireset_net::{Model, PlaceId, TransitionId};

use super::lines::{GraphFile, MarkedPlace, begins_name, plain_number};
use crate::{
    Fault,
    named_net::NamedNet,
    scanner::{Word, number},
    suggest::nearest,
};

/// Builds the net of a file.
pub(super) fn build(file: GraphFile<'_>) -> Result<Model, Fault> {
    let net = NamedNet::new(file.name);
    let mut builder = AstgBuilder {
        signals: file.signals,
        marking: file.marking,
        net,
        places: BTreeMap::new(),
        transitions: BTreeMap::new(),
        arcs: BTreeSet::new(),
    };
    for line in &file.graph {
        builder.line(line)?;
    }
    builder.finish()
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum GraphNode {
    Place(PlaceId),
    Transition(TransitionId),
}

struct AstgBuilder<'t> {
    signals: BTreeSet<&'t str>,
    /// Without the places that the graph has mentioned already.
    marking: BTreeMap<MarkedPlace<'t>, (u64, u64)>,
    net: NamedNet,
    places: BTreeMap<&'t str, PlaceId>,
    /// By their names without the number 0, with the names as they are written.
    transitions: BTreeMap<&'t str, (TransitionId, &'t str)>,
    arcs: BTreeSet<(GraphNode, GraphNode)>,
}

impl<'t> AstgBuilder<'t> {
    fn line(&mut self, tokens: &[Word<'t>]) -> Result<(), Fault> {
        let (first, source) = (tokens[0], self.node(tokens[0])?);
        let (weight, mut at) = annotation(tokens, 1)?;
        if let Some((_, offset)) = weight {
            let fault = Fault::at(offset, "a weight stands behind the first node of a line");
            return Err(fault.hint("weights stand behind the nodes that arcs lead to"));
        }
        while let Some(&token) = tokens.get(at) {
            let target = self.node(token)?;
            let (weight, next) = annotation(tokens, at + 1)?;
            if !self.arcs.insert((source, target)) {
                let message = format!("the arc from `{}` to `{}` is given twice", first.text, token.text);
                return Err(Fault::at(token.offset, message).hint("write a weight as in `p(2)`"));
            }
            self.arc((first, source), (token, target), weight)?;
            at = next;
        }
        Ok(())
    }

    /// Adds an arc; the weight comes with its offset.
    fn arc(
        &mut self,
        (from, source): (Word<'t>, GraphNode),
        (to, target): (Word<'t>, GraphNode),
        weight: Option<(u64, u64)>,
    ) -> Result<(), Fault> {
        let count = weight.map_or(1, |(count, _)| count);
        match (source, target) {
            (GraphNode::Place(place), GraphNode::Transition(transition)) => {
                self.net.builder.input(place, transition, count);
            }
            (GraphNode::Transition(transition), GraphNode::Place(place)) => {
                self.net.builder.output(transition, place, count);
            }
            (GraphNode::Transition(before), GraphNode::Transition(after)) => {
                if let Some((_, offset)) = weight {
                    let message = "an arc between two transitions has no weight";
                    return Err(Fault::at(offset, message).hint("write the place between them"));
                }
                let between = MarkedPlace::Between(plain_number(from.text), plain_number(to.text));
                let tokens = self.marking.remove(&between).map_or(0, |(tokens, _)| tokens);
                let name = format!("<{},{}>", from.text, to.text);
                let place = self.net.place(Word { text: &name, offset: to.offset }, tokens)?;
                self.net.builder.output(before, place, 1);
                self.net.builder.input(place, after, 1);
            }
            (GraphNode::Place(_), GraphNode::Place(_)) => {
                let message = format!("the arc from `{}` to `{}` joins two places", from.text, to.text);
                return Err(Fault::at(to.offset, message)
                    .hint("the names of transitions are those of declared signals"));
            }
        }
        Ok(())
    }

    fn node(&mut self, name: Word<'t>) -> Result<GraphNode, Fault> {
        let at = |message: String| Fault::at(name.offset, message);
        if name.text == "?" {
            return Err(at("guards of arcs (`?`) are not supported".to_owned()));
        }
        if name.text.starts_with(|letter: char| letter.is_ascii_digit()) {
            let fault = at(format!("`{}` is no name", name.text));
            return Err(fault.hint("names begin with a letter; delays of transitions are not supported"));
        }
        if !name.text.starts_with(begins_name) {
            return Err(at(format!("expected a place or a transition, found `{}`", name.text)));
        }
        let (edge, copy) = match name.text.rsplit_once('/') {
            Some((edge, copy)) if !copy.is_empty() && copy.bytes().all(|byte| byte.is_ascii_digit()) => {
                (edge, Some(copy))
            }
            Some(_) => return Err(at(format!("the number behind `/` in `{}` is not one", name.text))),
            None => (name.text, None),
        };
        if edge.ends_with('*') {
            let message =
                format!("the transition `{}` of a signal that may change or not is not supported", name.text);
            return Err(at(message));
        }
        let signal = edge.strip_suffix(['+', '-', '~']).unwrap_or(edge);
        if self.signals.contains(signal) {
            return self.transition(name).map(GraphNode::Transition);
        }
        if signal == edge && copy.is_none() {
            return self.place(name).map(GraphNode::Place);
        }
        let fault = at(format!("no signal or dummy is called `{signal}`"));
        Err(match nearest(signal, self.signals.iter().copied()) {
            Some(other) => fault.hint(format!("did you mean `{other}`?")),
            None => fault.hint("declare it with `.inputs`, `.outputs`, `.internal` or `.dummy`"),
        })
    }

    fn transition(&mut self, name: Word<'t>) -> Result<TransitionId, Fault> {
        let plain = plain_number(name.text);
        match self.transitions.get(plain) {
            Some((_, written)) if *written != name.text => {
                let message = format!("`{}` and `{written}` are both in the graph", name.text);
                Err(Fault::at(name.offset, message)
                    .hint("the number 0 is the same as none; write one of the two"))
            }
            Some((transition, _)) => Ok(*transition),
            None => {
                let transition = self.net.transition(name)?;
                self.transitions.insert(plain, (transition, name.text));
                Ok(transition)
            }
        }
    }

    fn place(&mut self, name: Word<'t>) -> Result<PlaceId, Fault> {
        if let Some(&place) = self.places.get(name.text) {
            return Ok(place);
        }
        let marked = self.marking.remove(&MarkedPlace::Named(name.text));
        let place = self.net.place(name, marked.map_or(0, |(tokens, _)| tokens))?;
        self.places.insert(name.text, place);
        Ok(place)
    }

    /// The net, if all marked places are in the graph.
    fn finish(mut self) -> Result<Model, Fault> {
        let Some((place, (_, offset))) = self.marking.pop_first() else { return self.net.build() };
        let name = match place {
            MarkedPlace::Named(name) => name.to_owned(),
            MarkedPlace::Between(from, to) => format!("<{from},{to}>"),
        };
        let fault = Fault::at(offset, format!("the marked place `{name}` is not in the graph"));
        let places = &self.net.builder.nodes_mut().places;
        Err(match nearest(&name, places.iter()) {
            Some(other) => fault.hint(format!("did you mean `{other}`?")),
            None => fault,
        })
    }
}

/// What stands in parentheses from a token on: a weight with its offset, or coordinates, which are passed over. Gives also the
/// index of the token behind it.
fn annotation(tokens: &[Word<'_>], at: usize) -> Result<(Option<(u64, u64)>, usize), Fault> {
    let Some(open) = tokens.get(at).filter(|token| token.text == "(") else { return Ok((None, at)) };
    let Some(length) = tokens[at..].iter().position(|token| token.text == ")") else {
        return Err(Fault::at(open.offset, "the parenthesis does not end in its line"));
    };
    let inner = &tokens[at + 1..at + length];
    match inner {
        [_, comma, ..] if comma.text == "," => Ok((None, at + length + 1)),
        [weight] if open.offset == tokens[at - 1].offset + tokens[at - 1].text.len() as u64 => {
            Ok((Some((number(*weight)?, open.offset)), at + length + 1))
        }
        _ => {
            let fault = Fault::at(open.offset, "neither a weight nor coordinates stand in these parentheses");
            Err(fault.hint("a weight stands directly behind its node, as in `p(2)`"))
        }
    }
}
