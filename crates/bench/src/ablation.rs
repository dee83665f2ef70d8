//! Techniques that are measured by leaving them out.

use fireset::Options;

/// A technique, and the options of a run without it.
pub struct Ablation {
    pub technique: &'static str,
    /// The option of the command line that switches the technique off.
    pub option: &'static str,
    pub without: Options,
}

impl Ablation {
    pub fn new(technique: &'static str, option: &'static str, without: Options) -> Self {
        Self { technique, option, without }
    }
}
