//! What is drawn, before it has a place: nodes with their texts, and arcs between them.

use crate::{
    geometry::{BoxSize, Point},
    text,
};

/// The radius of a place.
pub(crate) const RADIUS: f64 = 17.0;
/// More tokens than this are drawn as a number.
pub(crate) const MAX_DOTS: u64 = 6;

/// A drawing whose nodes have no place yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagram {
    /// What is drawn, for readers that cannot see it.
    pub title: String,
    /// A line below the drawing; none if it is empty.
    pub caption: String,
    /// Places, transitions or markings, in the order in which they are drawn.
    pub nodes: Vec<DiagramNode>,
    /// The arcs, between nodes by their numbers.
    pub arcs: Vec<DiagramArc>,
}

/// How a node is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeShape {
    /// A circle with tokens, and the name below.
    Place,
    /// A box with the name inside.
    Transition,
    /// A box with round corners and the text inside.
    Marking,
}

/// The tokens of a place: dots inside for few of them, a number for many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DrawnTokens {
    /// Tokens without colours.
    Count(u64),
    /// Tokens with colours, which are written in a line below the name.
    Colours {
        /// The tokens of all colours together.
        count: u64,
        /// What is written below the name.
        text: String,
    },
}

/// A node of a drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct DiagramNode {
    /// The id of the element in the picture.
    pub id: String,
    /// How it is drawn.
    pub shape: NodeShape,
    /// The tokens of a place.
    pub tokens: DrawnTokens,
    /// The lines of its text.
    pub lines: Vec<String>,
    /// Whether it stands out.
    pub highlighted: bool,
    /// Whether runs begin there: a marked place, or the initial marking.
    pub is_start: bool,
    /// Where its file has it.
    pub position: Option<Point>,
}

/// The end of an arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArcHead {
    /// An arrow where it ends.
    Arrow,
    /// Arrows at both ends: what is taken is given back.
    Both,
    /// A small circle: it inhibits.
    Circle,
}

/// An arc of a drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct DiagramArc {
    /// The number of the node where it starts.
    pub from: usize,
    /// The number of the node where it ends.
    pub to: usize,
    /// Its inscription; none if it is empty.
    pub label: String,
    /// How its end is drawn.
    pub head: ArcHead,
    /// The points at which its file bends it, where nodes have the positions of the file.
    pub bends: Vec<Point>,
    /// Whether it stands out.
    pub highlighted: bool,
}

impl Diagram {
    /// Lets nodes stand out, and the arcs at them.
    pub fn highlight(&mut self, nodes: impl IntoIterator<Item = usize>) {
        nodes.into_iter().for_each(|node| self.nodes[node].highlighted = true);
        let nodes = &self.nodes;
        self.arcs
            .iter_mut()
            .for_each(|arc| arc.highlighted = nodes[arc.from].highlighted || nodes[arc.to].highlighted);
    }
}

impl DrawnTokens {
    /// The tokens of all colours together.
    pub(crate) fn count(&self) -> u64 {
        match self {
            Self::Count(count) | Self::Colours { count, .. } => *count,
        }
    }
}

impl DiagramNode {
    /// The room of the shape alone.
    pub(crate) fn shape_extent(&self) -> BoxSize {
        match self.shape {
            NodeShape::Place => BoxSize { width: 2.0 * RADIUS, height: 2.0 * RADIUS },
            NodeShape::Transition | NodeShape::Marking => {
                let text = text::extent(&self.lines);
                BoxSize { width: (text.width + 14.0).max(26.0), height: (text.height + 10.0).max(26.0) }
            }
        }
    }

    /// The room of the shape with the text below it. Both halves are equal, so that the shape is in the middle.
    pub(crate) fn extent(&self) -> BoxSize {
        let shape = self.shape_extent();
        match self.shape {
            NodeShape::Place => {
                let mut label = text::extent(&self.lines);
                if let DrawnTokens::Colours { text, .. } = &self.tokens {
                    label.width = label.width.max(text::width(text));
                    label.height += text::LINE_HEIGHT;
                }
                BoxSize { width: shape.width.max(label.width), height: shape.height + 2.0 * label.height }
            }
            NodeShape::Transition | NodeShape::Marking => shape,
        }
    }
}
