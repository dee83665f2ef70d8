//! The formats of Tina (TIme petri Net Analyzer): nets as text, `.net`, and nets as drawings, `.ndr`.
//!
//! Both describe a net as a superposition of declarations, so they share `superposition`, and they write names and numbers
//! alike (`words`). Source: the manual page "formats(n)" of the Tina toolbox.

mod ndr;
mod net;
mod superposition;
mod words;
mod write;

pub use ndr::read as read_drawing;
pub(crate) use ndr::recognises as recognises_drawing;
pub use net::read;
pub(crate) use net::recognises;
pub use write::write;
