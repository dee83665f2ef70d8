//! Workflows: nets with markings in which their runs should end.
//!
//! Source: van der Aalst, "The application of Petri nets to workflow management" (1998), for workflow nets: one source place, one sink
//! place, and every node on a path from the one to the other. A file that gives final markings needs no such form.

use std::sync::Arc;

use fireset_io::net_file::NetFile;
use fireset_net::{BuildError, Marking, Model, Net, NotWorkflow, PlaceId, WorkflowEnds, WorkflowNet};

use crate::named::NetCopy;

/// A place/transition net with the markings in which its runs should end.
#[derive(Clone, Debug)]
pub struct Workflow {
    /// A place/transition net in its initial marking.
    pub(super) model: Arc<Model>,
    pub(super) ends: WorkflowEnds,
}

impl Workflow {
    /// The workflow of a file: its net and final markings; without final markings, a workflow net that ends with one token in its sink.
    /// A net without tokens starts with one in its source.
    ///
    /// # Errors
    /// The net is coloured, or has no final marking and is no workflow net.
    pub fn of(file: &NetFile) -> Result<Self, NotWorkflow> {
        let ends = file.workflow_ends()?;
        let model = match &file.model {
            Model::Plain(net) if net.initial_marking().0.iter().all(|&tokens| tokens == 0) => started(net)?,
            model => model.clone(),
        };
        Ok(Self { model: Arc::new(model), ends })
    }

    /// The workflow of a place/transition net as it is; `None` for a coloured net.
    pub(crate) fn new(model: &Arc<Model>, ends: &WorkflowEnds) -> Option<Self> {
        let is_plain = matches!(**model, Model::Plain(_));
        is_plain.then(|| Self { model: model.clone(), ends: ends.clone() })
    }

    pub(super) fn net(&self) -> &Net {
        match &*self.model {
            Model::Plain(net) => net,
            Model::Coloured(_) => unreachable!("a workflow has a place/transition net"),
        }
    }

    /// The net in its initial marking.
    pub fn model(&self) -> &Model {
        &self.model
    }
}

/// A workflow net that starts with one token in its source, with the same names.
fn started(net: &Net) -> Result<Model, NotWorkflow> {
    let fault = |error: BuildError| NotWorkflow(error.to_string());
    let source = WorkflowNet::of(net)?.source;
    let one = |place: PlaceId| u64::from(place == source);
    let marking = Marking(net.nodes().place_ids().map(one).collect());
    let mut copy = NetCopy::of(net, &marking).map_err(fault)?;
    *copy.builder.nodes_mut() = net.nodes().clone();
    Ok(Model::Plain(copy.builder.build().map_err(fault)?))
}

/// The transitions to which arcs lead from a marked place.
pub(super) fn ahead(net: &Net, marking: &Marking) -> Vec<bool> {
    let mut seen: Vec<bool> = marking.0.iter().map(|&tokens| tokens > 0).collect();
    let mut ahead = vec![false; net.nodes().transitions.len()];
    loop {
        let mut grows = false;
        for t in net.nodes().transition_ids() {
            if !ahead[t.index()] && net.pre(t).iter().any(|arc| seen[arc.place.index()]) {
                ahead[t.index()] = true;
                grows = true;
                net.post(t).iter().for_each(|arc| seen[arc.place.index()] = true);
            }
        }
        if !grows {
            return ahead;
        }
    }
}
