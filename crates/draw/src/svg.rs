//! Pictures as SVG.

use std::{fmt::Write as _, io};

use crate::{
    diagram::{ArcHead, Diagram, DiagramArc, DiagramNode, DrawnTokens, MAX_DOTS, NodeShape, RADIUS},
    geometry::{Point, Rectangle},
    labels,
    layout::{self, NetLayout},
    routes::{self, Route},
    text,
};

/// The room around a picture.
const MARGIN: f64 = 20.0;

/// A diagram whose nodes, arcs and inscriptions have their places.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    diagram: Diagram,
    centres: Vec<Point>,
    routes: Vec<Route>,
    curves: Vec<Vec<Point>>,
    labels: Vec<Point>,
}

impl Picture {
    /// Lays a diagram out.
    pub fn new(diagram: Diagram) -> Self {
        let layout: NetLayout = layout::layout(&diagram);
        let routes = routes::routes(&diagram, &layout);
        let curves: Vec<Vec<Point>> = routes.iter().map(|route| routes::curve(route)).collect();
        let labels = labels::places(&diagram, &layout, &curves);
        Self { diagram, centres: layout.centres, routes, curves, labels }
    }

    /// Writes the picture as an SVG document.
    pub fn to_svg(&self, out: &mut impl io::Write) -> io::Result<()> {
        out.write_all(self.svg().as_bytes())
    }

    /// A node and its middle.
    pub(crate) fn node(&self, at: usize) -> (&DiagramNode, Point) {
        (&self.diagram.nodes[at], self.centres[at])
    }

    /// The `svg` element.
    pub(crate) fn svg(&self) -> String {
        let frame = self.frame();
        let (left, top) =
            (frame.centre.x - frame.extent.width / 2.0, frame.centre.y - frame.extent.height / 2.0);
        let caption = if self.diagram.caption.is_empty() { 0.0 } else { 2.0 * text::LINE_HEIGHT };
        let (width, height) = (frame.extent.width, frame.extent.height + caption);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{left:.1} {top:.1} {width:.1} {height:.1}\" \
             width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\">\n<title>{}</title>\n{STYLE}{MARKERS}",
            escape(&self.diagram.title)
        );
        for (at, arc) in self.diagram.arcs.iter().enumerate() {
            arc_element(&mut svg, arc, &self.routes[at]);
        }
        for (node, &centre) in self.diagram.nodes.iter().zip(&self.centres) {
            node_element(&mut svg, node, centre);
        }
        for (arc, &at) in self.diagram.arcs.iter().zip(&self.labels) {
            if !arc.label.is_empty() {
                lines(&mut svg, "inscription", at, std::slice::from_ref(&arc.label));
            }
        }
        if caption > 0.0 {
            let at = Point::new(frame.centre.x, top + height - text::LINE_HEIGHT);
            lines(&mut svg, "caption", at, std::slice::from_ref(&self.diagram.caption));
        }
        svg += "</svg>\n";
        svg
    }

    /// What holds all nodes, ways and inscriptions.
    fn frame(&self) -> Rectangle {
        let (mut least, mut most) = (Point::new(f64::MAX, f64::MAX), Point::new(f64::MIN, f64::MIN));
        let mut hold = |at: Point, width: f64, height: f64| {
            least = Point::new(least.x.min(at.x - width / 2.0), least.y.min(at.y - height / 2.0));
            most = Point::new(most.x.max(at.x + width / 2.0), most.y.max(at.y + height / 2.0));
        };
        for (node, &centre) in self.diagram.nodes.iter().zip(&self.centres) {
            let extent = node.extent();
            hold(centre, extent.width, extent.height);
        }
        self.curves.iter().flatten().for_each(|&point| hold(point, 0.0, 0.0));
        for (arc, &at) in self.diagram.arcs.iter().zip(&self.labels).filter(|(arc, _)| !arc.label.is_empty())
        {
            hold(at, text::width(&arc.label), text::LINE_HEIGHT);
        }
        if self.diagram.nodes.is_empty() {
            hold(Point::default(), 0.0, 0.0);
        }
        let caption = text::width(&self.diagram.caption);
        let size = most.minus(least);
        let width = size.x.max(caption) + 2.0 * MARGIN;
        let extent = crate::geometry::BoxSize { width, height: size.y + 2.0 * MARGIN };
        Rectangle { centre: least.towards(most, 0.5), extent }
    }
}

const STYLE: &str = "<style>\
    text{font:12px sans-serif;text-anchor:middle;fill:#1b1b1b}\
    .place,.transition,.marking{fill:#fff;stroke:#1b1b1b;stroke-width:1.4}\
    .transition{fill:#e9eef5}\
    .arc{fill:none;stroke:#5a6472;stroke-width:1.2}\
    .highlighted .place,.highlighted .transition,.highlighted .marking{fill:#ffd27f}\
    .arc.highlighted{stroke:#c05000;stroke-width:2}\
    .dot{fill:#1b1b1b}.count{font-weight:bold}\
    .name,.inscription,.colours{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}\
    .inscription{fill:#8a3b00}.colours{fill:#20508a}.caption{fill:#5a6472}\
    </style>\n";

const MARKERS: &str = "<defs>\
    <marker id=\"arrow\" viewBox=\"0 0 10 10\" refX=\"10\" refY=\"5\" markerWidth=\"8\" markerHeight=\"8\" \
    markerUnits=\"userSpaceOnUse\" orient=\"auto-start-reverse\"><path d=\"M0 1L10 5L0 9z\" fill=\"#5a6472\"/></marker>\
    <marker id=\"inhibits\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"9\" markerHeight=\"9\" \
    markerUnits=\"userSpaceOnUse\"><circle cx=\"5\" cy=\"5\" r=\"4\" fill=\"#fff\" stroke=\"#5a6472\"/></marker>\
    </defs>\n";

/// An arc as a smooth curve through its points.
fn arc_element(svg: &mut String, arc: &DiagramArc, route: &[Point]) {
    let class = if arc.highlighted { "arc highlighted" } else { "arc" };
    let ends = match arc.head {
        ArcHead::Arrow => " marker-end=\"url(#arrow)\"",
        ArcHead::Both => " marker-start=\"url(#arrow)\" marker-end=\"url(#arrow)\"",
        ArcHead::Circle => " marker-end=\"url(#inhibits)\"",
    };
    let mut path = format!("M{:.1} {:.1}", route[0].x, route[0].y);
    for at in 1..route.len() {
        let (b, (c, d)) = (route[at], routes::controls(route, at));
        let _ = match route.len() {
            2 => write!(path, "L{:.1} {:.1}", b.x, b.y),
            _ => write!(path, "C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}", c.x, c.y, d.x, d.y, b.x, b.y),
        };
    }
    let _ = writeln!(svg, "<path class=\"{class}\" d=\"{path}\"{ends}/>");
}

fn node_element(svg: &mut String, node: &DiagramNode, centre: Point) {
    let class = if node.highlighted { " class=\"highlighted\"" } else { "" };
    let _ = writeln!(svg, "<g id=\"{}\"{class}>", escape(&node.id));
    let Point { x, y } = centre;
    let extent = node.shape_extent();
    let (left, top) = (x - extent.width / 2.0, y - extent.height / 2.0);
    match node.shape {
        NodeShape::Place => {
            let _ = writeln!(svg, "<circle class=\"place\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{RADIUS}\"/>");
            let _ = writeln!(svg, "<g class=\"tokens\">{}</g>", tokens(node, &node.tokens, centre));
            let label = text::extent(&node.lines);
            lines(svg, "name", centre.plus(Point::new(0.0, RADIUS + label.height / 2.0 + 1.0)), &node.lines);
        }
        NodeShape::Transition | NodeShape::Marking => {
            let (class, round) = match node.shape {
                NodeShape::Marking => ("marking", 10),
                _ => ("transition", 2),
            };
            let _ = writeln!(
                svg,
                "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"{round}\"/>",
                extent.width, extent.height
            );
            lines(svg, "text", centre, &node.lines);
        }
    }
    *svg += "</g>\n";
}

/// The tokens of a place around its centre: dots for few, a number for many, and the colours below the name.
pub(crate) fn tokens(node: &DiagramNode, tokens: &DrawnTokens, centre: Point) -> String {
    let (count, colours) = match tokens {
        DrawnTokens::Count(count) => (*count, ""),
        DrawnTokens::Colours { count, text } => (*count, text.as_str()),
    };
    let text = |class: &str, y: f64, text: &str| {
        format!("<text class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\">{}</text>", centre.x, y + 4.0, escape(text))
    };
    let mut all: String = match count {
        0 => String::new(),
        1..=MAX_DOTS => (0..count).map(|at| dot(at, count, centre)).collect(),
        _ => text("count", centre.y, &short(count)),
    };
    if !colours.is_empty() {
        let below = RADIUS + text::extent(&node.lines).height + text::LINE_HEIGHT / 2.0 + 1.0;
        all += &text("colours", centre.y + below, colours);
    }
    all
}

fn dot(at: u64, count: u64, centre: Point) -> String {
    let (x, y) = dot_place(at, count);
    format!("<circle class=\"dot\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"3.6\"/>", centre.x + x, centre.y + y)
}

/// Where a dot stands, from the middle of its place: one in the middle, more of them in a circle.
fn dot_place(at: u64, count: u64) -> (f64, f64) {
    if count == 1 {
        return (0.0, 0.0);
    }
    let angle = std::f64::consts::TAU * (at as f64 / count as f64) - std::f64::consts::FRAC_PI_2;
    let radius = if count == 2 { 5.0 } else { 8.0 };
    // Two stand side by side.
    let angle = if count == 2 { angle + std::f64::consts::FRAC_PI_2 } else { angle };
    (radius * angle.cos(), radius * angle.sin())
}

/// A count that fits into a place.
fn short(count: u64) -> String {
    if count < 10_000 { count.to_string() } else { format!("{:.0e}", count as f64) }
}

/// Lines below each other around a point.
fn lines(svg: &mut String, class: &str, centre: Point, lines: &[String]) {
    let first = centre.y - text::LINE_HEIGHT * (lines.len() as f64 - 1.0) / 2.0 + 4.0;
    for (at, line) in lines.iter().enumerate() {
        let y = first + text::LINE_HEIGHT * at as f64;
        let _ = writeln!(
            svg,
            "<text class=\"{class}\" x=\"{:.1}\" y=\"{y:.1}\">{}</text>",
            centre.x,
            escape(line)
        );
    }
}

/// A text as XML has it; characters that XML cannot have are left out.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\t' | '\n' | '\r' => escaped.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => escaped.push(c),
        }
    }
    escaped
}
