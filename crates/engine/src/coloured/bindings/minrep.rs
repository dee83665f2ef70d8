//! The first enabled binding of each transition is kept with the state, and later ones are tried on
//! demand: the paper's MinRep.

use super::{BindingContext, EnabledBindings, enumeration::BindingEnumeration, row_cache::RowCache};
use crate::coloured::layout::MarkingLayout;

/// Stands for a transition without an enabled binding.
const NONE: u64 = u64::MAX;

/// The first bindings of all states seen so far.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct MinRep {
    kept: RowCache,
    trial: BindingEnumeration,
}

impl<M: MarkingLayout> EnabledBindings<M> for MinRep {
    fn seek(&mut self, context: BindingContext<'_, M>, transition: usize, from: u64) -> Option<u64> {
        let Self { kept, trial } = self;
        let least = kept.of(context.row, || {
            let all = 0..context.net.transitions.len();
            all.map(|t| trial.seek(context, t, 0).unwrap_or(NONE)).collect()
        });
        let least = least[transition];
        if least == NONE { None } else { trial.seek(context, transition, from.max(least)) }
    }

    fn next(&mut self, context: BindingContext<'_, M>) -> Option<u64> {
        self.trial.next(context)
    }

    fn binding(&self) -> &[u64] {
        EnabledBindings::<M>::binding(&self.trial)
    }

    fn another(&self) -> Box<dyn EnabledBindings<M>> {
        Box::new(Self::default())
    }

    fn bytes(&self) -> usize {
        self.kept.bytes()
    }
}
