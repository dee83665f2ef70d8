//! Pictures of nets and state graphs as SVG, without any other program.
//!
//! A net or a graph becomes a [`Diagram`]: nodes with their texts, and arcs. [`Picture::new`] gives the nodes their places
//! (`layout`), the arcs their ways (`routes`) and the inscriptions of arcs their places (`labels`); [`Picture::to_svg`] writes
//! it, and [`page`] plays a run on it. [`dot::write`] leaves the layout to Graphviz. Everything is deterministic: the same net
//! gives the same picture.

mod animation;
mod diagram;
pub mod dot;
mod geometry;
mod labels;
mod layout;
mod net;
mod positions;
mod routes;
mod state_graph;
mod svg;
mod terms;
mod text;

pub use animation::{AnimatedRun, page};
pub use diagram::{ArcHead, Diagram, DiagramArc, DiagramNode, DrawnTokens, NodeShape};
pub use geometry::Point;
pub use net::{net_diagram, place_transition_diagram};
pub use positions::take_positions;
pub use state_graph::state_diagram;
pub use svg::Picture;
