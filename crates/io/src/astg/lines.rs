//! The lines of a file by their directives: signals, the lines of the graph, and the marking.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Fault, scanner::Word};

/// Directives that say nothing of the net.
const PASSED_OVER: [&str; 4] = [".mode", ".slow", ".slowenv", ".note"];

/// Characters that stand for themselves; all others but white space make words.
const SYMBOLS: &str = "{}<>(),=?";

/// A file whose nodes are not yet known.
#[derive(Default)]
pub(super) struct GraphFile<'t> {
    pub(super) name: &'t str,
    pub(super) signals: BTreeSet<&'t str>,
    /// Each line of the graph, with at least one token.
    pub(super) graph: Vec<Vec<Word<'t>>>,
    /// The tokens of each place in the marking, with its offset.
    pub(super) marking: BTreeMap<MarkedPlace<'t>, (u64, u64)>,
    pub(super) notes: Vec<String>,
}

/// A place as a marking writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MarkedPlace<'t> {
    Named(&'t str),
    /// Between two transitions.
    Between(&'t str, &'t str),
}

/// Where the lines of the text stand.
struct LineReader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> LineReader<'t> {
    /// The tokens of the next line that has any.
    fn next_line(&mut self) -> Option<Vec<Word<'t>>> {
        while self.at < self.text.len() {
            let rest = &self.text[self.at..];
            let line = rest.split('\n').next().unwrap_or_default();
            let content = line.split('#').next().unwrap_or_default();
            let tokens = tokens(content, self.at);
            self.at += line.len() + 1;
            if !tokens.is_empty() {
                return Some(tokens);
            }
        }
        None
    }
}

fn tokens(line: &str, start: usize) -> Vec<Word<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(letter) = line[at..].chars().next() {
        let is_end = |letter: char| letter.is_whitespace() || SYMBOLS.contains(letter);
        let length = match is_end(letter) {
            true => letter.len_utf8(),
            false => line[at..].find(is_end).unwrap_or(line.len() - at),
        };
        if !letter.is_whitespace() {
            tokens.push(Word { text: &line[at..at + length], offset: (start + at) as u64 });
        }
        at += length;
    }
    tokens
}

/// Sorts the lines by their directives.
pub(super) fn split(text: &str) -> Result<GraphFile<'_>, Fault> {
    let mut file = GraphFile::default();
    let mut reader = LineReader { text, at: 0 };
    let (mut is_graph, mut has_marking) = (false, false);
    while let Some(line) = reader.next_line() {
        let first = line[0];
        match first.text {
            ".end" => {
                if let Some(more) = reader.next_line() {
                    return Err(Fault::at(more[0].offset, "the file goes on after `.end`"));
                }
                if !has_marking {
                    file.notes.push("The file has no `.marking`: no place has a token.".to_owned());
                }
                return Ok(file);
            }
            ".model" | ".name" => file.name = rest_of_line(text, first),
            ".inputs" | ".outputs" | ".internal" | ".dummy" => file.signals(&line[1..])?,
            ".marking" if has_marking => return Err(Fault::at(first.offset, "the file has two markings")),
            ".marking" => {
                has_marking = true;
                file.marking(whole_marking(&line, &mut reader)?)?;
            }
            ".graph" => {
                if let Some(more) = line.get(1) {
                    return Err(Fault::at(
                        more.offset,
                        format!("`{}` stands in the line of `.graph`", more.text),
                    ));
                }
            }
            directive if directive.starts_with('.') => file.other(first, line.get(1))?,
            _ if is_graph => {
                file.graph.push(line);
                continue;
            }
            other => {
                let fault = Fault::at(first.offset, format!("`{other}` stands before `.graph`"));
                return Err(fault.hint("expected a directive such as `.inputs`, `.outputs` or `.graph`"));
            }
        }
        is_graph = first.text == ".graph";
    }
    let fault = Fault::at(text.len() as u64, "the file ends without `.end`");
    Err(fault.hint("the file may be cut off"))
}

/// The text behind a directive, without a comment.
fn rest_of_line<'t>(text: &'t str, directive: Word<'t>) -> &'t str {
    let rest = &text[directive.offset as usize + directive.text.len()..];
    rest.split(['\n', '#']).next().unwrap_or_default().trim()
}

/// The tokens of a marking behind its directive, which may take several lines.
fn whole_marking<'t>(line: &[Word<'t>], reader: &mut LineReader<'t>) -> Result<Vec<Word<'t>>, Fault> {
    let is_last = |line: &[Word<'_>]| line.iter().any(|token| token.text == "}");
    let (directive, mut is_complete) = (line[0], is_last(line));
    let mut tokens = line[1..].to_vec();
    while !is_complete {
        let next = reader.next_line().filter(|line| !line[0].text.starts_with('.'));
        let endless = || Fault::at(directive.offset, "the marking does not end").hint("close it with `}`");
        let next = next.ok_or_else(endless)?;
        is_complete = is_last(&next);
        tokens.extend(next);
    }
    Ok(tokens)
}

impl<'t> GraphFile<'t> {
    fn signals(&mut self, names: &[Word<'t>]) -> Result<(), Fault> {
        for name in names {
            let is_name =
                name.text.starts_with(begins_name) && !name.text.contains(['/', '+', '-', '~', '*']);
            if !is_name {
                return Err(Fault::at(name.offset, format!("`{}` is not the name of a signal", name.text)));
            }
            self.signals.insert(name.text);
        }
        Ok(())
    }

    /// Any other directive, with the word behind it.
    fn other(&mut self, directive: Word<'_>, next: Option<&Word<'_>>) -> Result<(), Fault> {
        match (directive.text, next.map(|word| word.text)) {
            (".initial", Some("state")) => {
                let note = "The initial values of signals were passed over: the net alone is checked.";
                self.notes.push(note.to_owned());
                Ok(())
            }
            (".state", _) => {
                let fault =
                    Fault::at(directive.offset, "the file has a state graph (`.state graph`), not a net");
                Err(fault.hint("a tool such as petrify makes a net of it"))
            }
            (".capacity", _) => {
                Err(Fault::at(directive.offset, "capacities of places (`.capacity`) are not supported"))
            }
            (passed_over, _) if PASSED_OVER.contains(&passed_over) => Ok(()),
            (other, _) => {
                Err(Fault::at(directive.offset, format!("the directive `{other}` is not known here")))
            }
        }
    }

    fn marking(&mut self, tokens: Vec<Word<'t>>) -> Result<(), Fault> {
        let mut tokens = TokenReader { end: end_of(&tokens), tokens: tokens.into_iter().peekable() };
        tokens.expect("{")?;
        while !tokens.eat("}") {
            let offset = tokens.offset();
            let place = if tokens.eat("<") {
                let from = tokens.name()?;
                tokens.expect(",")?;
                let to = tokens.name()?;
                tokens.expect(">")?;
                MarkedPlace::Between(plain_number(from.text), plain_number(to.text))
            } else {
                MarkedPlace::Named(tokens.name()?.text)
            };
            let count = if tokens.eat("=") { crate::scanner::number(tokens.name()?)? } else { 1 };
            if self.marking.insert(place, (count, offset)).is_some() {
                return Err(Fault::at(offset, "a place is marked twice").hint("write its tokens as in `p=2`"));
            }
        }
        match tokens.tokens.next() {
            Some(more) => {
                Err(Fault::at(more.offset, format!("expected the end of the line, found `{}`", more.text)))
            }
            None => Ok(()),
        }
    }
}

/// Transitions without a number are those with the number 0.
pub(super) fn plain_number(name: &str) -> &str {
    name.strip_suffix("/0").unwrap_or(name)
}

pub(super) fn begins_name(letter: char) -> bool {
    letter.is_alphabetic() || letter == '_'
}

fn end_of(tokens: &[Word<'_>]) -> u64 {
    tokens.last().map_or(0, |token| token.offset + token.text.len() as u64)
}

/// The tokens of a marking, one after the other.
struct TokenReader<'t> {
    tokens: std::iter::Peekable<std::vec::IntoIter<Word<'t>>>,
    end: u64,
}

impl<'t> TokenReader<'t> {
    fn offset(&mut self) -> u64 {
        self.tokens.peek().map_or(self.end, |token| token.offset)
    }

    fn eat(&mut self, symbol: &str) -> bool {
        self.tokens.next_if(|token| token.text == symbol).is_some()
    }

    fn expect(&mut self, symbol: &str) -> Result<(), Fault> {
        if self.eat(symbol) { Ok(()) } else { Err(self.unexpected(&format!("`{symbol}`"))) }
    }

    fn name(&mut self) -> Result<Word<'t>, Fault> {
        let name = self.tokens.next_if(|token| !SYMBOLS.contains(token.text));
        name.ok_or_else(|| self.unexpected("a name or a number"))
    }

    fn unexpected(&mut self, expected: &str) -> Fault {
        let found =
            self.tokens.peek().map_or("the end of the line".to_owned(), |token| format!("`{}`", token.text));
        Fault::at(self.offset(), format!("expected {expected} in the marking, found {found}"))
    }
}
