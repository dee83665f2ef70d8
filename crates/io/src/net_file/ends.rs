//! The markings in which the runs of a file's net should end.

use fireset_net::{Marking, Model, NotWorkflow, PlaceId, WorkflowEnds, WorkflowNet};

use super::NetFile;

impl NetFile {
    /// The final markings of the file; without any, one token in the sink of a workflow net.
    ///
    /// # Errors
    /// The net is coloured, or has no final marking and is no workflow net.
    pub fn workflow_ends(&self) -> Result<WorkflowEnds, NotWorkflow> {
        let Model::Plain(net) = &self.model else {
            let reason = "a coloured net; unfold it with `fireset convert --unfold` to ask for its soundness";
            return Err(NotWorkflow(reason.into()));
        };
        let places = net.nodes().places.len();
        let marking = |tokens: &[(PlaceId, u64)]| {
            let mut counts = vec![0; places];
            tokens.iter().for_each(|&(place, count)| counts[place.index()] = count);
            Marking(counts.into())
        };
        let mut finals: Vec<Marking> = self.final_markings.iter().map(|tokens| marking(tokens)).collect();
        if finals.is_empty() {
            finals.push(marking(&[(WorkflowNet::of(net)?.sink, 1)]));
        }
        Ok(WorkflowEnds { finals, ignored: self.messages.clone() })
    }
}
