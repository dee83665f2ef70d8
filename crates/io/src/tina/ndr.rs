//! Tina's drawings of nets, `.ndr`, as its editor nd saves them.
//!
//! Source: the manual page "formats(n)" of the Tina toolbox. A line is a declaration; names and numbers are as in `.net`.
//!
//! ```text
//! place       ::= 'p' X Y NAME COUNT ANCHOR [NAME ANCHOR]
//! transition  ::= 't' X Y NAME EFT LFT ANCHOR | 't' X Y NAME ANCHOR EFT LFT ANCHOR NAME ANCHOR
//! edge        ::= 'e' NAME NAME weight ANCHOR | 'e' NAME ANGLE RADIUS NAME ANGLE RADIUS weight ANCHOR
//! note        ::= 'n' ...
//! end         ::= 'h' NAME [SIZE [COLOUR]]
//! weight      ::= ['?' (test) | '?-' (inhibitor) | '!' | '!-' (stopwatches)] COUNT
//! ```
//!
//! The second name of a node is its label. Positions, anchors and notes are passed over. Refused by name: times other than
//! from `0` to `w` (without end); edges between transitions, which are priorities; stopwatch arcs. A drawing without its last
//! line, `h`, is cut off and refused.

use std::borrow::Cow;

use super::{
    superposition::{InputArc, Superposition},
    words::{braced, count},
};
use crate::{
    Fault,
    net_file::{Head, NetFile},
    scanner::Word,
};

/// Whether a file is a drawing of Tina: its first line gives a node or a note with its position.
pub(crate) fn recognises(head: &Head<'_>) -> bool {
    let first = head.lines().find(|line| !line.starts_with('#'));
    let mut fields = first.unwrap_or_default().split_ascii_whitespace();
    let is_node = matches!(fields.next(), Some("p" | "t" | "n"));
    let mut is_number = || fields.next().is_some_and(|field| field.parse::<f64>().is_ok());
    is_node && is_number() && is_number()
}

/// Reads a net that is drawn.
pub fn read(text: &str) -> Result<NetFile, Fault> {
    let mut drawing = Drawing { net: Superposition::default(), is_complete: false };
    let mut lines = DrawnLines { text, at: 0 };
    while let Some(fields) = lines.next_line()? {
        drawing.line(&fields)?;
    }
    if !drawing.is_complete {
        let fault = Fault::at(text.len() as u64, "the drawing ends without its last line, `h` with its name");
        return Err(fault.hint("the file may be cut off"));
    }
    drawing.net.build().map(NetFile::of)
}

/// A word of a line; braces around it are gone.
struct DrawnField<'t> {
    text: Cow<'t, str>,
    offset: u64,
}

impl DrawnField<'_> {
    fn word(&self) -> Word<'_> {
        Word { text: &self.text, offset: self.offset }
    }
}

/// The lines that are neither empty nor comments.
struct DrawnLines<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> DrawnLines<'t> {
    /// The words of the next line; a name in braces may contain line breaks.
    fn next_line(&mut self) -> Result<Option<Vec<DrawnField<'t>>>, Fault> {
        let mut fields = Vec::new();
        loop {
            let rest = &self.text[self.at..];
            let offset = self.at as u64;
            let Some(letter) = rest.chars().next() else { break };
            if letter == '\n' && !fields.is_empty() {
                break;
            }
            if letter.is_whitespace() {
                self.at += letter.len_utf8();
            } else if letter == '#' && fields.is_empty() {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if letter == '{' {
                let (name, length) = braced(rest, offset)?;
                fields.push(DrawnField { text: name.into(), offset });
                self.at += length;
            } else {
                let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
                fields.push(DrawnField { text: rest[..length].into(), offset });
                self.at += length;
            }
        }
        Ok((!fields.is_empty()).then_some(fields))
    }
}

struct Drawing {
    net: Superposition,
    is_complete: bool,
}

/// A node at an end of an edge.
enum DrawnNode {
    Place(usize),
    Transition(usize),
}

impl Drawing {
    fn line(&mut self, fields: &[DrawnField<'_>]) -> Result<(), Fault> {
        let kind = &fields[0];
        if self.is_complete {
            return Err(Fault::at(kind.offset, "the line with `h` must be the last one of a drawing"));
        }
        match (&*kind.text, fields.len()) {
            ("p", 6 | 8) => self.place(fields),
            ("t", 7 | 10) => self.transition(fields),
            ("e", 5 | 9) => self.edge(fields),
            ("n", _) => Ok(()),
            ("h", 2..) => {
                self.net.name = fields[1].text.clone().into_owned();
                self.is_complete = true;
                Ok(())
            }
            ("p" | "t" | "e" | "h", length) => {
                let message =
                    format!("a line of a drawing that begins with `{}` has {length} words", kind.text);
                let hint =
                    "a place has 6 or 8 words, a transition 7 or 10, an edge 5 or 9, the name at least 2";
                Err(Fault::at(kind.offset, message).hint(hint))
            }
            (other, _) => {
                let shown: String = other.chars().take(20).collect();
                let message = format!("no line of a drawing begins with `{shown}`");
                Err(Fault::at(kind.offset, message).hint("expected `p`, `t`, `e`, `n` or `h`"))
            }
        }
    }

    fn place(&mut self, fields: &[DrawnField<'_>]) -> Result<(), Fault> {
        let name = self.new_node(fields)?;
        let place = self.net.place(name);
        self.net.mark(place, count(fields[4].word())?, fields[4].offset)?;
        if let Some(label) = fields.get(6) {
            self.net.label_place(place, &label.text);
        }
        Ok(())
    }

    fn transition(&mut self, fields: &[DrawnField<'_>]) -> Result<(), Fault> {
        let name = self.new_node(fields)?;
        let transition = self.net.transition(name, fields[3].offset);
        // The longer form has the anchor of the name before the times.
        let times = if fields.len() == 7 { &fields[4..6] } else { &fields[5..7] };
        let (earliest, latest) = (&*times[0].text, &*times[1].text);
        if (earliest, latest) != ("0", "w") {
            let message = format!("the transition `{name}` is timed: its times are `{earliest} {latest}`");
            let hint = "time is not supported; the times `0 w` leave it out";
            return Err(Fault::at(times[0].offset, message).hint(hint));
        }
        if let Some(label) = fields.get(8) {
            self.net.label_transition(transition, &label.text);
        }
        Ok(())
    }

    /// The name of a node, which must be new, behind its position.
    fn new_node<'f>(&self, fields: &'f [DrawnField<'_>]) -> Result<&'f str, Fault> {
        for field in &fields[1..3] {
            if !field.text.parse::<f64>().is_ok_and(f64::is_finite) {
                return Err(Fault::at(field.offset, format!("`{}` is not a coordinate", field.text)));
            }
        }
        let name = &*fields[3].text;
        if self.node(name).is_some() {
            return Err(Fault::at(fields[3].offset, format!("two nodes are called `{name}`")));
        }
        Ok(name)
    }

    fn node(&self, name: &str) -> Option<DrawnNode> {
        let place = self.net.find_place(name).map(DrawnNode::Place);
        place.or_else(|| self.net.find_transition(name).map(DrawnNode::Transition))
    }

    fn edge(&mut self, fields: &[DrawnField<'_>]) -> Result<(), Fault> {
        let (from, to, weight) = match fields.len() {
            5 => (&fields[1], &fields[2], &fields[3]),
            _ => (&fields[1], &fields[4], &fields[7]),
        };
        let find = |field: &DrawnField<'_>| {
            let unknown = || {
                let fault = Fault::at(field.offset, format!("no node is called `{}`", field.text));
                fault.hint("in a drawing, nodes stand before their edges")
            };
            self.node(&field.text).ok_or_else(unknown)
        };
        match (find(from)?, find(to)?) {
            (DrawnNode::Place(place), DrawnNode::Transition(transition)) => {
                self.net.input(place, transition, arc(weight.word())?, from.offset)
            }
            (DrawnNode::Transition(transition), DrawnNode::Place(place)) => match arc(weight.word())? {
                InputArc::Normal(count) => self.net.output(transition, place, count, from.offset),
                InputArc::Test(_) | InputArc::Inhibitor(_) => {
                    let message =
                        "test and inhibitor arcs lead from a place to a transition, not the other way";
                    Err(Fault::at(weight.offset, message))
                }
            },
            (DrawnNode::Transition(_), DrawnNode::Transition(_)) => {
                let message = "an edge between two transitions is a priority, which is not supported";
                Err(Fault::at(from.offset, message))
            }
            (DrawnNode::Place(_), DrawnNode::Place(_)) => {
                Err(Fault::at(from.offset, "an edge leads from a place to a place"))
            }
        }
    }
}

/// The kind and weight of an arc from a place to a transition.
fn arc(word: Word<'_>) -> Result<InputArc, Fault> {
    let behind = |sign: &str| word.text.strip_prefix(sign).map(|text| Word { text, offset: word.offset });
    if word.text.starts_with('!') {
        let kind = if word.text.starts_with("!-") { "stopwatch-inhibitor" } else { "stopwatch" };
        return Err(Fault::at(word.offset, format!("{kind} arcs (`{}`) are not supported", word.text)));
    }
    match (behind("?-"), behind("?")) {
        (Some(number), _) => count(number).map(InputArc::Inhibitor),
        (None, Some(number)) => count(number).map(InputArc::Test),
        (None, None) => count(word).map(InputArc::Normal),
    }
}
