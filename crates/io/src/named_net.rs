//! A net under construction from a text that names its nodes: each name is bound with a fault at its offset.

use fireset_net::{BuildError, Model, NetBuilder, PlaceId, TransitionId};

use crate::{Fault, scanner::Word, suggest::nearest};

/// Builds a place/transition net by names.
pub(crate) struct NamedNet {
    pub(crate) builder: NetBuilder,
    /// Where each transition is declared, for faults of the finished net.
    transitions: Vec<u64>,
}

impl NamedNet {
    pub(crate) fn new(name: impl Into<String>) -> Self {
        Self { builder: NetBuilder::new(name), transitions: Vec::new() }
    }

    /// Declares a place, whose name must be new.
    pub(crate) fn place(&mut self, name: Word<'_>, tokens: u64) -> Result<PlaceId, Fault> {
        self.builder.place(name.text, tokens).map_err(|_| twice("place", name))
    }

    /// Declares a transition, whose name must be new.
    pub(crate) fn transition(&mut self, name: Word<'_>) -> Result<TransitionId, Fault> {
        let transition = self.builder.transition(name.text).map_err(|_| twice("transition", name))?;
        self.transitions.push(name.offset);
        Ok(transition)
    }

    /// A place that must be declared.
    pub(crate) fn find_place(&mut self, name: Word<'_>) -> Result<PlaceId, Fault> {
        let places = &self.builder.nodes_mut().places;
        places.find(name.text).map(PlaceId::new).ok_or_else(|| unknown("place", name, places.iter()))
    }

    /// A transition that must be declared.
    pub(crate) fn find_transition(&mut self, name: Word<'_>) -> Result<TransitionId, Fault> {
        let transitions = &self.builder.nodes_mut().transitions;
        let unknown = || unknown("transition", name, transitions.iter());
        transitions.find(name.text).map(TransitionId::new).ok_or_else(unknown)
    }

    /// The net, once all is declared.
    pub(crate) fn build(self) -> Result<Model, Fault> {
        self.builder.build().map(Model::Plain).map_err(|error| {
            let offset = match error {
                BuildError::WeightOverflow { transition, .. } => self.transitions[transition.index()],
                BuildError::Duplicate(_) => 0,
            };
            Fault::at(offset, error.to_string())
        })
    }
}

fn twice(kind: &str, name: Word<'_>) -> Fault {
    Fault::at(name.offset, format!("the {kind} `{}` is declared twice", name.text))
}

fn unknown<'n>(kind: &str, name: Word<'_>, known: impl Iterator<Item = &'n str>) -> Fault {
    let fault = Fault::at(name.offset, format!("no {kind} is called `{}`", name.text));
    match nearest(name.text, known) {
        Some(other) => fault.hint(format!("did you mean `{other}`?")),
        None => fault,
    }
}
