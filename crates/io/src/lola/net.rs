//! Reads low-level nets of LoLA.

use fireset_net::Nodes;

use super::{COMMENTS, NET_KEYWORDS, formula, is_inner};
use crate::{
    Fault,
    counted_names::{CountedName, sums},
    named_net::NamedNet,
    net_file::NetFile,
    scanner::{Scanner, Word, number},
};

const UNFOLD: &str = "fireset reads low-level nets of LoLA: unfold the net first";

/// Reads a net of LoLA, with the formula behind it.
pub fn read(text: &str) -> Result<NetFile, Fault> {
    refuse_text_between_comments(text)?;
    let mut reader = LolaReader { scanner: Scanner::new(text, COMMENTS), notes: Vec::new() };
    let mut net = reader.places_and_marking()?;
    let task = loop {
        match reader.keyword(&["TRANSITION", "FORMULA", "ANALYSE", "AUTOMATON"])? {
            Some(word) if word.text == "TRANSITION" => reader.transition(&mut net)?,
            None if !reader.scanner.is_at_end()? => return Err(reader.expected("`TRANSITION`")),
            task => break task,
        }
    };
    if has_line_comment(text) {
        reader.notes.push("text behind `//` is passed over, although LoLA has no such comments".to_owned());
    }
    let mut file = NetFile::of(net.build()?);
    file.notes = reader.notes;
    match task {
        Some(word) if word.text == "FORMULA" => add_formula(&mut file, text, word)?,
        Some(word) => file.notes.push(format!(
            "`{}` is passed over: it tells LoLA what to analyse, but not what the net is",
            word.text
        )),
        None => {}
    }
    Ok(file)
}

/// The formula of a net file is one of LoLA 1.
fn add_formula(file: &mut NetFile, text: &str, keyword: Word<'_>) -> Result<(), Fault> {
    let nodes: &Nodes = file.model.nodes();
    let property = formula::read_task(text, keyword.offset, nodes)?;
    if property.formula.is_state_predicate() {
        // LoLA 1 is compiled for one kind of question, which decides what such a formula asks.
        file.notes
            .push("the `FORMULA` is passed over: it has no temporal operator to tell its question".into());
    } else {
        file.properties.push(property);
    }
    Ok(())
}

struct LolaReader<'t> {
    scanner: Scanner<'t>,
    notes: Vec<String>,
}

impl<'t> LolaReader<'t> {
    /// The places with their initial tokens.
    fn places_and_marking(&mut self) -> Result<NamedNet, Fault> {
        let places = self.places()?;
        let marking = self.entries()?;
        self.scanner.expect(";")?;
        let tokens = sums(&marking)?;
        let mut net = NamedNet::new("net");
        for place in places {
            net.place(place, tokens.get(place.text).copied().unwrap_or(0))?;
        }
        marking.iter().try_for_each(|entry| net.find_place(entry.name).map(drop))?;
        Ok(net)
    }

    /// The names of the places, up to and including the keyword of the marking.
    fn places(&mut self) -> Result<Vec<Word<'t>>, Fault> {
        self.begin()?;
        let mut places = Vec::new();
        loop {
            match self.keyword(&["MARKING", "SAFE"])? {
                Some(word) if word.text == "MARKING" => return Ok(places),
                Some(_) => self.capacity()?,
                None => {}
            }
            if !self.scanner.rest()?.starts_with(';') {
                places.push(self.place("a place or `MARKING`")?);
                while self.scanner.eat(",")? {
                    places.push(self.place("a place")?);
                }
            }
            self.scanner.expect(";")?;
        }
    }

    /// The first keyword; a declaration before it makes the net a high-level one.
    fn begin(&mut self) -> Result<(), Fault> {
        let word = self.scanner.clone().word(is_inner)?;
        match word.text {
            "PLACE" => {}
            "SORT" | "FUNCTION" | "CONSTANT" => {
                let message = format!("`{}` declares a high-level net, which is not supported", word.text);
                return Err(Fault::at(word.offset, message).hint(UNFOLD));
            }
            _ => return Err(self.expected("`PLACE`")),
        }
        self.scanner.word(is_inner)?;
        let mut ahead = self.scanner.clone();
        let next = ahead.word(is_inner)?;
        // A place may have such a name.
        let is_section = ahead.rest()?.starts_with(is_inner);
        if is_section && ["INPUT", "OUTPUT", "INTERNAL"].contains(&next.text) {
            let message = format!("`{}` declares an open net, which is not supported", next.text);
            return Err(Fault::at(next.offset, message).hint("give the net that a composition makes of it"));
        }
        Ok(())
    }

    /// A claim that places are bounded, which is not taken for granted.
    fn capacity(&mut self) -> Result<(), Fault> {
        if !self.scanner.rest()?.starts_with(':') {
            self.scanner.number()?;
        }
        self.scanner.expect(":")?;
        let note = "`SAFE` is passed over: bounds of places are found, not believed";
        if !self.notes.iter().any(|known| known == note) {
            self.notes.push(note.to_owned());
        }
        Ok(())
    }

    fn place(&mut self, expected: &str) -> Result<Word<'t>, Fault> {
        let place = self.name(expected)?;
        if self.scanner.rest()?.starts_with(':') {
            let message = format!("`{}` is a high-level place, which is not supported", place.text);
            return Err(Fault::at(place.offset, message).hint(UNFOLD));
        }
        Ok(place)
    }

    /// A transition behind its keyword.
    fn transition(&mut self, net: &mut NamedNet) -> Result<(), Fault> {
        let name = self.name("a transition")?;
        let within = |fault: Fault| fault.within(format!("transition {}", name.text));
        self.refuse_annotations().map_err(within)?;
        let transition = net.transition(name)?;
        self.required("CONSUME").map_err(within)?;
        for entry in self.arcs().map_err(within)? {
            let place = net.find_place(entry.name).map_err(within)?;
            net.builder.input(place, transition, entry.count);
        }
        self.required("PRODUCE").map_err(within)?;
        for entry in self.arcs().map_err(within)? {
            let place = net.find_place(entry.name).map_err(within)?;
            net.builder.output(transition, place, entry.count);
        }
        Ok(())
    }

    /// What may stand between the name of a transition and its arcs changes the meaning of the net.
    fn refuse_annotations(&mut self) -> Result<(), Fault> {
        let word = self.scanner.clone().word(is_inner)?;
        let (what, hint) = match word.text {
            "WEAK" | "STRONG" => (
                "a fairness assumption, which is not supported",
                "remove it if no answer depends on which transitions are treated fairly",
            ),
            "VAR" | "GUARD" => ("part of a high-level transition, which is not supported", UNFOLD),
            _ => return Ok(()),
        };
        Err(Fault::at(word.offset, format!("`{}` is {what}", word.text)).hint(hint))
    }

    /// A list of arcs with the semicolon behind it; LoLA admits a comma at its end.
    fn arcs(&mut self) -> Result<Vec<CountedName<'t>>, Fault> {
        let arcs = self.entries()?;
        self.scanner.expect(";")?;
        Ok(arcs)
    }

    /// Places with counts, up to a semicolon.
    fn entries(&mut self) -> Result<Vec<CountedName<'t>>, Fault> {
        let mut entries = Vec::new();
        while !self.scanner.rest()?.starts_with(';') {
            let name = self.name("a place or `;`")?;
            let count = if self.scanner.eat(":")? { self.count(name)? } else { 1 };
            entries.push(CountedName { name, count });
            if !self.scanner.eat(",")? {
                break;
            }
        }
        Ok(entries)
    }

    fn count(&mut self, place: Word<'_>) -> Result<u64, Fault> {
        let word = self.scanner.word(is_inner)?;
        if word.text.is_empty() {
            return Err(self.expected("a number"));
        }
        number(word).map_err(|fault| {
            let is_term = !word.text.starts_with(|first: char| first.is_ascii_digit() || first == '-');
            let hint = format!("a number of tokens stands behind `{}:`; {UNFOLD}", place.text);
            if is_term { fault.hint(hint) } else { fault }
        })
    }

    /// A name, which must come next.
    fn name(&mut self, expected: &str) -> Result<Word<'t>, Fault> {
        let before = self.scanner.clone();
        let word = self.scanner.word(is_inner)?;
        if word.text.is_empty() || NET_KEYWORDS.contains(&word.text) {
            self.scanner = before;
            return Err(self.expected(expected));
        }
        Ok(word)
    }

    fn required(&mut self, keyword: &str) -> Result<(), Fault> {
        match self.keyword(&[keyword])? {
            Some(_) => Ok(()),
            None => Err(self.expected(&format!("`{keyword}`"))),
        }
    }

    /// Takes one of some keywords if it comes next.
    fn keyword(&mut self, keywords: &[&str]) -> Result<Option<Word<'t>>, Fault> {
        let before = self.scanner.clone();
        let word = self.scanner.word(is_inner)?;
        if keywords.contains(&word.text) {
            return Ok(Some(word));
        }
        self.scanner = before;
        Ok(None)
    }

    /// The fault of anything else than what is expected here; keywords must be in capitals.
    fn expected(&mut self, expected: &str) -> Fault {
        let next = match self.scanner.clone().word(is_inner) {
            Ok(next) => next,
            Err(fault) => return fault,
        };
        let fault = match self.scanner.offset() {
            Ok(_) => self.scanner.unexpected(expected),
            Err(fault) => fault,
        };
        let capitals = next.text.to_ascii_uppercase();
        if capitals != next.text && expected.contains(&format!("`{capitals}`")) {
            return fault.hint(format!("keywords are in capitals: `{capitals}`"));
        }
        fault
    }
}

/// LoLA takes all from the first `{` to the last `}` of a line for one comment, this reader all to the first `}`.
pub(super) fn refuse_text_between_comments(text: &str) -> Result<(), Fault> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let braces = line.find('{').and_then(|open| {
            let close = open + line[open..].find('}')?;
            Some((close, line.rfind('}')?))
        });
        if let Some((close, last)) = braces {
            let mut is_inside = false;
            for (at, letter) in line[close + 1..=last].char_indices() {
                match letter {
                    '{' => is_inside = true,
                    '}' if is_inside => is_inside = false,
                    _ if is_inside || letter.is_whitespace() => {}
                    _ => {
                        let offset = (start + close + 1 + at) as u64;
                        let message =
                            "LoLA reads all between the first `{` and the last `}` of a line as a comment";
                        return Err(Fault::at(offset, message).hint("put each comment on a line of its own"));
                    }
                }
            }
        }
        start += line.len();
    }
    Ok(())
}

/// Whether some line has a comment of a kind that LoLA does not have; within other comments it does not matter.
fn has_line_comment(text: &str) -> bool {
    let mut scanner = Scanner::new(text, &COMMENTS[..2]);
    loop {
        match scanner.rest() {
            Err(_) | Ok("") => return false,
            Ok(rest) if rest.starts_with("//") => return true,
            Ok(rest) => {
                let length = rest.find(|letter: char| !is_inner(letter)).unwrap_or(rest.len());
                let first = rest.chars().next().map_or(0, char::len_utf8);
                scanner.take(length.max(first));
            }
        }
    }
}
