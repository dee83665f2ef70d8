//! The first enabled binding of each transition is kept with the state, and those after it are tried when they are
//! asked for: the paper's MinRep.

use super::{Bindings, State, kept::Kept, trial::Trial};
use crate::coloured::marks::Marks;

/// No binding.
const NONE: u64 = u64::MAX;

/// The first bindings of all states that were looked at.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct MinRep {
    kept: Kept,
    trial: Trial,
}

impl<M: Marks> Bindings<M> for MinRep {
    fn seek(&mut self, state: State<'_, M>, transition: usize, from: u64) -> Option<u64> {
        let Self { kept, trial } = self;
        let least = kept.of(state.row, || {
            let all = 0..state.net.transitions.len();
            all.map(|t| trial.seek(state, t, 0).unwrap_or(NONE)).collect()
        });
        let least = least[transition];
        if least == NONE { None } else { trial.seek(state, transition, from.max(least)) }
    }

    fn next(&mut self, state: State<'_, M>) -> Option<u64> {
        self.trial.next(state)
    }

    fn binding(&self) -> &[u64] {
        Bindings::<M>::binding(&self.trial)
    }

    fn another(&self) -> Box<dyn Bindings<M>> {
        Box::new(Self::default())
    }

    fn bytes(&self) -> usize {
        self.kept.bytes()
    }
}
