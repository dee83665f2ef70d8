//! The driver of the engines that search encoded nets, place/transition or coloured.
//!
//! It picks the encoding of a model ([`decide`]) and runs tasks on it; when a marking does not fit the layout, it
//! widens the layout and runs the task again ([`run_widening`]). What a task keeps between two runs is its own affair:
//! some rewrite their rows and resume, others start again.

use fireset_net::{Budget, Model, Net, Outcome, Problem, StopReason, coloured::ColouredNet};
use fireset_structure::{ColourSymmetries, NetStructure, PlaceInvariants};

use crate::{
    ColouredConfig, ResultSink, Symmetry,
    coloured::{CompiledNet, PackedColouredNet, Skeleton, SymmetricColours},
    packed::{Access, LayoutChoice, PackedNet},
    search::{EncodedNet, LayoutOverflow, MarkingSpace, SpaceTask},
};

/// How models are encoded.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EncodingConfig {
    pub(crate) encoding: LayoutChoice,
    pub(crate) access: Access,
    pub(crate) coloured: ColouredConfig,
}

/// The model behind an encoded net, with what the encoding computed.
#[derive(Clone, Copy)]
pub(crate) enum EncodedModel<'a> {
    PlaceTransition { net: &'a Net, invariants: &'a PlaceInvariants },
    Coloured { net: &'a ColouredNet, compiled: &'a CompiledNet, skeleton: &'a Skeleton },
}

impl<'a> EncodedModel<'a> {
    /// The place/transition net or, of a coloured net, its skeleton.
    pub(crate) fn uncoloured(&self) -> &'a Net {
        match self {
            Self::PlaceTransition { net, .. } => net,
            Self::Coloured { skeleton, .. } => &skeleton.net,
        }
    }
}

/// A problem whose net is encoded.
#[derive(Clone, Copy)]
pub(crate) struct EncodedProblem<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) model: EncodedModel<'a>,
    pub(crate) budget: &'a Budget,
}

/// An engine that decides problems on any encoded net.
pub(crate) trait EncodedEngine {
    fn encoding_config(&self) -> EncodingConfig;

    /// Whether one marking of each orbit under the symmetries of a coloured net decides the queries.
    fn decides_by_orbits(&self) -> bool {
        false
    }

    fn decide_encoded<E: EncodedNet>(&self, net: E, input: EncodedProblem<'_>, sink: &mut dyn ResultSink);
}

/// Encodes the net of a problem and lets an engine decide the problem; when the net cannot be encoded, all its queries
/// stay unknown.
pub(crate) fn decide<T: EncodedEngine>(
    engine: &T,
    problem: &Problem,
    budget: &Budget,
    sink: &mut dyn ResultSink,
) {
    if let Err(reason) = try_decide(engine, problem, budget, sink) {
        (0..problem.queries.len()).for_each(|at| sink.report(at, Outcome::unknown(reason.clone())));
    }
}

/// Like [`decide`], but reports nothing when the net cannot be encoded.
pub(crate) fn try_decide<T: EncodedEngine>(
    engine: &T,
    problem: &Problem,
    budget: &Budget,
    sink: &mut dyn ResultSink,
) -> Result<(), StopReason> {
    let EncodingConfig { encoding, access, coloured } = engine.encoding_config();
    match &*problem.model {
        Model::Plain(net) => {
            let invariants = &NetStructure::of(net).place_invariants(budget);
            let model = EncodedModel::PlaceTransition { net, invariants };
            let encoded = PackedNet::new(net, invariants, encoding, access);
            engine.decide_encoded(encoded, EncodedProblem { problem, model, budget }, sink);
        }
        Model::Coloured(net) => {
            let compiled = &CompiledNet::new(net)?;
            let by_orbits = engine.decides_by_orbits() && coloured.symmetry == Symmetry::On;
            let symmetries = by_orbits.then(|| ColourSymmetries::of(net, &problem.queries));
            let symmetry = symmetries.and_then(|symmetries| SymmetricColours::new(net, &symmetries));
            let encoded = PackedColouredNet::new(net, compiled, coloured)?.with_symmetry(symmetry);
            let skeleton = &Skeleton::of(net, compiled);
            let model = EncodedModel::Coloured { net, compiled, skeleton };
            engine.decide_encoded(encoded, EncodedProblem { problem, model, budget }, sink);
        }
    }
    Ok(())
}

/// Work on an encoded net that can be run again in a wider layout.
pub(crate) trait WideningTask<E: EncodedNet> {
    type Output;

    fn run<S: MarkingSpace<ActionId = E::ActionId>>(
        &mut self,
        net: &E,
        space: &mut S,
    ) -> Result<Self::Output, LayoutOverflow<E::ActionId>>;

    /// Called between two runs, with the net before and after; rows of the first mean nothing in the second.
    fn on_widened(&mut self, _narrow: &E, _wide: &E, _budget: &Budget) -> Result<(), StopReason> {
        Ok(())
    }
}

/// Runs a task on a net, in layouts that widen until all markings of the task fit.
pub(crate) fn run_widening<E: EncodedNet, T: WideningTask<E>>(
    net: &mut E,
    task: &mut T,
    budget: &Budget,
) -> Result<T::Output, StopReason> {
    loop {
        match net.on_space(InOneLayout { net, task }, budget)? {
            Ok(output) => return Ok(output),
            Err(overflow) => {
                let wide = net.wider(&overflow)?;
                task.on_widened(net, &wide, budget)?;
                *net = wide;
            }
        }
    }
}

/// One run of a task.
struct InOneLayout<'a, E, T> {
    net: &'a E,
    task: &'a mut T,
}

impl<E: EncodedNet, T: WideningTask<E>> SpaceTask<E::ActionId> for InOneLayout<'_, E, T> {
    type Output = Result<T::Output, LayoutOverflow<E::ActionId>>;

    fn run<S: MarkingSpace<ActionId = E::ActionId>>(self, space: &mut S) -> Self::Output {
        self.task.run(self.net, space)
    }
}
