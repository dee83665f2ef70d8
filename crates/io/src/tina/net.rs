//! Tina's textual nets, `.net`.
//!
//! Source: the manual page "formats(n)" of the Tina toolbox.
//!
//! ```text
//! file        ::= (net | transition | place | label | note | priority)*
//! net         ::= 'net' NAME
//! transition  ::= 'tr' NAME [':' NAME] [INTERVAL] [(NAME [arc])* '->' (NAME ['*' COUNT])*]
//! place       ::= 'pl' NAME [':' NAME] ['(' COUNT ')'] [(NAME ['*' COUNT])* '->' (NAME [arc])*]
//! label       ::= 'lb' NAME NAME
//! note        ::= 'nt' NAME ('0' | '1') NAME
//! priority    ::= 'pr' NAME+ ('<' | '>') NAME+
//! arc         ::= '*' COUNT | '?' COUNT (test) | '?-' COUNT (inhibitor) | '!' COUNT | '!-' COUNT (stopwatches)
//! COUNT       ::= digits, and at most one of K M G T P E
//! NAME        ::= letters, digits, primes and underscores | '{' anything, with '\' before '{', '}' and '\' '}'
//! ```
//!
//! Nodes are declared by their first use; `superposition` says how declarations add up. A `#` begins a comment. Line breaks
//! are white space to Tina, which would make `tr a -> tr` end before its last word; here a keyword must be the first word of
//! its line, and elsewhere such a word is refused.
//!
//! Refused by name: time intervals other than `[0,w[`, which is the default and leaves time out; priorities; stopwatch arcs;
//! reset arcs (`**`), which are an extension of other tools. Notes are passed over.

use super::{
    superposition::{InputArc, Superposition},
    words::{KEYWORDS, braced, count, is_plain},
};
use crate::{
    Fault,
    net_file::{Head, NetFile},
    scanner::{Comment, Scanner, Word},
};

const COMMENTS: &[Comment] = &[Comment::Line("#")];

/// Whether a file is a net of Tina as text: it begins with a declaration.
pub(crate) fn recognises(head: &Head<'_>) -> bool {
    let first = head.lines().find(|line| !line.starts_with('#'));
    first.is_some_and(|line| {
        let (keyword, rest) = line.split_at(line.find([' ', '\t', '{']).unwrap_or(line.len()));
        let rest = rest.trim_start();
        KEYWORDS.contains(&keyword) && rest.starts_with(|letter| letter == '{' || is_plain(letter))
    })
}

/// Reads a net in Tina's textual format.
pub fn read(text: &str) -> Result<NetFile, Fault> {
    let scanner = Scanner::new(text, COMMENTS);
    let mut reader = TinaReader { text, scanner, net: Superposition::default(), labels: Vec::new() };
    while !reader.scanner.is_at_end()? {
        reader.declaration()?;
    }
    reader.late_labels()?;
    reader.net.build().map(NetFile::of)
}

struct TinaReader<'t> {
    text: &'t str,
    scanner: Scanner<'t>,
    net: Superposition,
    /// Labels of nodes that are declared later, with the offsets of the nodes' names.
    labels: Vec<(TinaName, String)>,
}

/// A name without its braces.
struct TinaName {
    text: String,
    offset: u64,
}

impl TinaReader<'_> {
    fn declaration(&mut self) -> Result<(), Fault> {
        let mut ahead = self.scanner.clone();
        let keyword = ahead.word(is_plain)?;
        if !KEYWORDS.contains(&keyword.text) || !self.begins_line(keyword.offset) {
            let known = "a declaration (`net`, `tr`, `pl`, `lb` or `nt`)";
            let fault = self.scanner.unexpected(known);
            return Err(
                fault.hint("a declaration begins a line; names with other characters stand in braces")
            );
        }
        self.scanner = ahead;
        match keyword.text {
            "net" => self.net.name = self.name()?.text,
            "tr" => self.transition()?,
            "pl" => self.place()?,
            "lb" => self.label()?,
            "nt" => self.note()?,
            _ => {
                let fault = Fault::at(keyword.offset, "priorities of transitions (`pr`) are not supported");
                return Err(fault.hint("without them, transitions could fire that Tina keeps from firing"));
            }
        }
        Ok(())
    }

    fn transition(&mut self) -> Result<(), Fault> {
        let name = self.name()?;
        let transition = self.net.transition(&name.text, name.offset);
        if self.scanner.eat(":")? {
            let label = self.name()?.text;
            self.net.label_transition(transition, &label);
        }
        self.interval(&name.text)?;
        let mut has_inputs = false;
        while self.is_at_name()? {
            let place = self.name()?;
            let arc = self.arc()?;
            let index = self.net.place(&place.text);
            self.net.input(index, transition, arc, place.offset)?;
            has_inputs = true;
        }
        if self.has_arrow(has_inputs)? {
            while self.is_at_name()? {
                let place = self.name()?;
                let weight = self.normal_arc()?;
                let index = self.net.place(&place.text);
                self.net.output(transition, index, weight, place.offset)?;
            }
        }
        Ok(())
    }

    fn place(&mut self) -> Result<(), Fault> {
        let name = self.name()?;
        let place = self.net.place(&name.text);
        if self.scanner.eat(":")? {
            let label = self.name()?.text;
            self.net.label_place(place, &label);
        }
        if self.scanner.eat("(")? {
            let tokens = self.count()?;
            self.scanner.expect(")")?;
            self.net.mark(place, tokens, name.offset)?;
        }
        let mut has_inputs = false;
        while self.is_at_name()? {
            let giver = self.name()?;
            let weight = self.normal_arc()?;
            let index = self.net.transition(&giver.text, giver.offset);
            self.net.output(index, place, weight, giver.offset)?;
            has_inputs = true;
        }
        if self.has_arrow(has_inputs)? {
            while self.is_at_name()? {
                let taker = self.name()?;
                let arc = self.arc()?;
                let index = self.net.transition(&taker.text, taker.offset);
                self.net.input(place, index, arc, taker.offset)?;
            }
        }
        Ok(())
    }

    fn label(&mut self) -> Result<(), Fault> {
        let node = self.name()?;
        let label = self.name()?.text;
        if !self.set_label(&node, &label)? {
            self.labels.push((node, label));
        }
        Ok(())
    }

    /// Whether a node has this name; it gets the label.
    fn set_label(&mut self, node: &TinaName, label: &str) -> Result<bool, Fault> {
        match (self.net.find_place(&node.text), self.net.find_transition(&node.text)) {
            (None, None) => return Ok(false),
            (Some(place), None) => self.net.label_place(place, label),
            (None, Some(transition)) => self.net.label_transition(transition, label),
            (Some(_), Some(_)) => {
                let message = format!("a place and a transition are called `{}`", node.text);
                return Err(Fault::at(node.offset, message).hint("give the label where the node is declared"));
            }
        }
        Ok(true)
    }

    /// The labels of nodes that were declared after them; of several labels the last one counts.
    fn late_labels(&mut self) -> Result<(), Fault> {
        // A label with the node's declaration came later than this one.
        let settled: Vec<bool> = self.labels.iter().map(|(node, _)| self.net.has_label(&node.text)).collect();
        for ((node, label), settled) in std::mem::take(&mut self.labels).into_iter().zip(settled) {
            if !settled && !self.set_label(&node, &label)? {
                let message = format!("no place or transition is called `{}`", node.text);
                return Err(Fault::at(node.offset, message));
            }
        }
        Ok(())
    }

    fn note(&mut self) -> Result<(), Fault> {
        self.name()?;
        self.scanner.number()?;
        self.name()?;
        Ok(())
    }

    /// Takes the interval of a transition, which must be the one that leaves time out.
    fn interval(&mut self, transition: &str) -> Result<(), Fault> {
        let rest = self.scanner.rest()?;
        if !rest.starts_with(['[', ']']) {
            return Ok(());
        }
        let Some(length) = rest[1..].find(['[', ']', '\n']).map(|at| at + 2) else {
            return Err(self.scanner.unexpected("a time interval such as `[0,w[`"));
        };
        let interval = self.scanner.take(length);
        let bare: String = interval.text.split_whitespace().collect();
        if bare == "[0,w[" {
            return Ok(());
        }
        let message = format!("the transition `{transition}` is timed: its interval is `{bare}`");
        let hint = "time is not supported; the interval `[0,w[`, or none, leaves it out";
        Err(Fault::at(interval.offset, message).hint(hint))
    }

    /// What follows the name at one end of an arc from a place to a transition.
    fn arc(&mut self) -> Result<InputArc, Fault> {
        let offset = self.scanner.offset()?;
        let refused = |what: &str| Err(Fault::at(offset, format!("{what} are not supported")));
        if self.scanner.eat("**")? {
            refused("reset arcs (`**`)")
        } else if self.scanner.eat("*")? {
            self.count().map(InputArc::Normal)
        } else if self.scanner.eat("?-")? {
            self.count().map(InputArc::Inhibitor)
        } else if self.scanner.eat("?")? {
            self.count().map(InputArc::Test)
        } else if self.scanner.eat("!-")? {
            refused("stopwatch-inhibitor arcs (`!-`)")
        } else if self.scanner.eat("!")? {
            refused("stopwatch arcs (`!`)")
        } else {
            Ok(InputArc::Normal(1))
        }
    }

    /// What follows the name at one end of an arc from a transition to a place.
    fn normal_arc(&mut self) -> Result<u64, Fault> {
        let offset = self.scanner.offset()?;
        match self.arc()? {
            InputArc::Normal(weight) => Ok(weight),
            InputArc::Test(_) | InputArc::Inhibitor(_) => {
                let message = "test and inhibitor arcs lead from a place to a transition, not the other way";
                Err(Fault::at(offset, message))
            }
        }
    }

    /// Takes the arrow between both sides of the arcs, which may be missing together with them.
    fn has_arrow(&mut self, has_inputs: bool) -> Result<bool, Fault> {
        let found = self.scanner.eat("->")?;
        if has_inputs && !found { Err(self.scanner.unexpected("`->`")) } else { Ok(found) }
    }

    fn count(&mut self) -> Result<u64, Fault> {
        let word = self.scanner.clone().word(|letter| letter.is_ascii_alphanumeric())?;
        self.scanner.offset()?;
        if !word.text.starts_with(|letter: char| letter.is_ascii_digit()) {
            return Err(self.scanner.unexpected("a number"));
        }
        count(self.scanner.take(word.text.len()))
    }

    /// Whether a name comes next; a keyword that begins a line is the next declaration.
    fn is_at_name(&mut self) -> Result<bool, Fault> {
        let mut ahead = self.scanner.clone();
        if ahead.rest()?.starts_with('{') {
            return Ok(true);
        }
        let Word { text, offset } = ahead.word(is_plain)?;
        let is_declaration = KEYWORDS.contains(&text) && self.begins_line(offset);
        Ok(!text.is_empty() && !is_declaration)
    }

    fn name(&mut self) -> Result<TinaName, Fault> {
        let rest = self.scanner.rest()?;
        if rest.starts_with('{') {
            let (text, length) = braced(rest, self.scanner.offset()?)?;
            let offset = self.scanner.take(length).offset;
            return Ok(TinaName { text, offset });
        }
        let mut ahead = self.scanner.clone();
        let word = ahead.word(is_plain)?;
        if word.text.is_empty() {
            let fault = self.scanner.unexpected("a name");
            return Err(
                fault.hint("names of other characters than letters, digits, `'` and `_` stand in braces")
            );
        }
        if KEYWORDS.contains(&word.text) {
            let message = format!("expected a name, found the keyword `{}`", word.text);
            let hint = "begin each declaration on a new line, and put a node's name like this one in braces";
            return Err(Fault::at(word.offset, message).hint(hint));
        }
        self.scanner = ahead;
        Ok(TinaName { text: word.text.to_owned(), offset: word.offset })
    }

    /// Whether only white space stands before this offset in its line.
    fn begins_line(&self, offset: u64) -> bool {
        let before = &self.text[..offset as usize];
        before.chars().rev().take_while(|&letter| letter != '\n' && letter != '\r').all(char::is_whitespace)
    }
}
