//! Reads nets of APT.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use fireset_net::{PlaceId, TransitionId};

use super::{COMMENTS, NET_SECTIONS, SYSTEM_SECTIONS, TYPES, is_name, is_name_letter, is_number};
use crate::{
    Fault,
    counted_names::{CountedName, sums},
    named_net::NamedNet,
    net_file::NetFile,
    scanner::{Scanner, Word, number},
};

/// Reads a net of APT.
pub fn read(text: &str) -> Result<NetFile, Fault> {
    let mut reader = AptReader { scanner: Scanner::new(text, COMMENTS), document: AptDocument::default() };
    while !reader.scanner.is_at_end()? {
        reader.section()?;
    }
    reader.document.bind()
}

/// A place or transition, with its label.
struct LabelledNode<'t> {
    name: Word<'t>,
    label: Option<&'t str>,
}

/// The arcs of a transition, as one line gives them.
struct Flow<'t> {
    transition: Word<'t>,
    pre: Vec<CountedName<'t>>,
    post: Vec<CountedName<'t>>,
}

/// What the sections say, in any order.
#[derive(Default)]
struct AptDocument<'t> {
    name: Option<&'t str>,
    has_type: bool,
    has_description: bool,
    places: Vec<LabelledNode<'t>>,
    transitions: Vec<LabelledNode<'t>>,
    flows: Vec<Flow<'t>>,
    initial: Option<Vec<CountedName<'t>>>,
    final_markings: Vec<Vec<CountedName<'t>>>,
    /// Options that are passed over.
    options: BTreeSet<&'t str>,
}

struct AptReader<'t> {
    scanner: Scanner<'t>,
    document: AptDocument<'t>,
}

impl<'t> AptReader<'t> {
    fn section(&mut self) -> Result<(), Fault> {
        let section = self.scanner.clone().word(|letter| letter == '.' || is_name_letter(letter))?;
        if !section.text.starts_with('.') {
            return Err(self.scanner.unexpected("a section, such as `.places`"));
        }
        self.scanner.take(section.text.len());
        match section.text {
            ".name" => {
                let is_new = self.document.name.is_none();
                self.document.name = Some(self.string()?);
                refuse_second(section, is_new)
            }
            ".type" => {
                self.net_type()?;
                refuse_second(section, !std::mem::replace(&mut self.document.has_type, true))
            }
            ".description" => {
                self.string()?;
                refuse_second(section, !std::mem::replace(&mut self.document.has_description, true))
            }
            ".places" => {
                let places = self.nodes()?;
                self.document.places.extend(places);
                Ok(())
            }
            ".transitions" => {
                let transitions = self.nodes()?;
                self.document.transitions.extend(transitions);
                Ok(())
            }
            ".flows" => self.flows(),
            ".initial_marking" => {
                let is_bag = self.scanner.rest()?.starts_with('{');
                let marking = if is_bag { self.bag()? } else { Vec::new() };
                refuse_second(section, self.document.initial.replace(marking).is_none())
            }
            ".final_markings" => {
                while self.scanner.rest()?.starts_with('{') {
                    let marking = self.bag()?;
                    self.document.final_markings.push(marking);
                }
                Ok(())
            }
            other if SYSTEM_SECTIONS.contains(&other) => Err(transition_system(section)),
            other => Err(Fault::at(section.offset, format!("`{other}` is no section of APT's nets"))
                .hint(format!("the sections are {}", NET_SECTIONS.join(", ")))),
        }
    }

    fn net_type(&mut self) -> Result<(), Fault> {
        let word = self.scanner.word(is_name_letter)?;
        match word.text {
            text if TYPES.contains(&text) => Ok(()),
            "LTS" | "TS" => Err(transition_system(word)),
            "" => Err(self.scanner.unexpected("`PN` or `LPN`")),
            other => Err(Fault::at(word.offset, format!("`{other}` is no type of nets"))
                .hint("the types are `PN` and `LPN`")),
        }
    }

    /// The text between two quotation marks; it has no escapes.
    fn string(&mut self) -> Result<&'t str, Fault> {
        let rest = self.scanner.rest()?;
        let Some(inner) = rest.strip_prefix('"') else {
            return Err(self.scanner.unexpected("a text in quotation marks"));
        };
        let Some(length) = inner.find('"') else {
            let offset = self.scanner.offset()?;
            return Err(Fault::at(offset, "the text does not end").hint("close it with `\"`"));
        };
        self.scanner.take(length + 2);
        Ok(&inner[..length])
    }

    fn nodes(&mut self) -> Result<Vec<LabelledNode<'t>>, Fault> {
        let mut nodes = Vec::new();
        while self.scanner.rest()?.starts_with(is_name_letter) {
            let name = self.name("a name")?;
            let label = self.options()?;
            if self.scanner.rest()?.starts_with(':') {
                let message =
                    format!("`{}` has an annotation behind `:`, which nets of APT do not have", name.text);
                return Err(Fault::at(self.scanner.offset()?, message));
            }
            nodes.push(LabelledNode { name, label });
        }
        Ok(nodes)
    }

    /// Options in brackets, if there are any; the result is the value of `label`.
    fn options(&mut self) -> Result<Option<&'t str>, Fault> {
        let mut label = None;
        if !self.scanner.eat("[")? {
            return Ok(label);
        }
        loop {
            let option = self.name("an option")?;
            let mut value = option.text;
            if self.scanner.eat("=")? {
                value = match self.scanner.rest()?.starts_with('"') {
                    true => self.string()?,
                    false => self.digits()?.text,
                };
            }
            if option.text == "label" {
                label = Some(value);
            } else {
                self.document.options.insert(option.text);
            }
            if !self.scanner.eat(",")? {
                break;
            }
        }
        self.scanner.expect("]")?;
        Ok(label)
    }

    fn flows(&mut self) -> Result<(), Fault> {
        while self.scanner.rest()?.starts_with(is_name_letter) {
            let transition = self.name("a transition")?;
            self.scanner.expect(":")?;
            let pre = self.bag()?;
            self.scanner.expect("->")?;
            let post = self.bag()?;
            if self.options()?.is_some() {
                self.document.options.insert("label");
            }
            self.document.flows.push(Flow { transition, pre, post });
        }
        Ok(())
    }

    /// Places with counts in braces.
    fn bag(&mut self) -> Result<Vec<CountedName<'t>>, Fault> {
        self.scanner.expect("{")?;
        let mut entries = Vec::new();
        if self.scanner.eat("}")? {
            return Ok(entries);
        }
        loop {
            let first = self.name("a place")?;
            entries.push(match self.scanner.eat("*")? {
                true if is_number(first.text) => {
                    CountedName { count: number(first)?, name: self.name("a place")? }
                }
                true => {
                    let message = format!("`{}` stands where a number is expected", first.text);
                    return Err(Fault::at(first.offset, message).hint("write `2*p` instead of `p*2`"));
                }
                false => CountedName { name: first, count: 1 },
            });
            if !self.scanner.eat(",")? {
                break;
            }
        }
        self.scanner.expect("}")?;
        Ok(entries)
    }

    fn digits(&mut self) -> Result<Word<'t>, Fault> {
        let word = self.scanner.word(|letter| letter.is_ascii_digit())?;
        if word.text.is_empty() { Err(self.scanner.unexpected("a text or a number")) } else { Ok(word) }
    }

    fn name(&mut self, expected: &str) -> Result<Word<'t>, Fault> {
        let word = self.scanner.word(is_name_letter)?;
        if word.text.is_empty() {
            return Err(self.scanner.unexpected(expected));
        }
        if !is_name(word.text) {
            return Err(Fault::at(word.offset, format!("`{}` is no name", word.text))
                .hint("a name that begins with a digit has digits only"));
        }
        Ok(word)
    }
}

impl AptDocument<'_> {
    /// The net, once all of its names are known.
    fn bind(self) -> Result<NetFile, Fault> {
        let mut net = NamedNet::new(self.name.unwrap_or_default());
        let initial = self.initial.unwrap_or_default();
        let tokens = sums(&initial)?;
        for node in &self.places {
            let place = net.place(node.name, tokens.get(node.name.text).copied().unwrap_or(0))?;
            if let Some(label) = node.label {
                net.builder.nodes_mut().places.set_label(place.index(), label);
            }
        }
        initial.iter().try_for_each(|entry| net.find_place(entry.name).map(drop))?;
        for node in &self.transitions {
            let transition = net.transition(node.name)?;
            if let Some(label) = node.label {
                net.builder.nodes_mut().transitions.set_label(transition.index(), label);
            }
        }
        bind_flows(&mut net, &self.flows)?;
        let markings = self.final_markings.iter().map(|entries| final_marking(&mut net, entries));
        let final_markings = markings.collect::<Result<_, _>>()?;
        let mut file = NetFile { final_markings, ..NetFile::of(net.build()?) };
        if !self.options.is_empty() {
            let options: Vec<&str> = self.options.into_iter().collect();
            file.notes.push(format!("options that only APT uses are passed over: {}", options.join(", ")));
        }
        Ok(file)
    }
}

fn bind_flows(net: &mut NamedNet, flows: &[Flow<'_>]) -> Result<(), Fault> {
    // The lines that give the arcs of a transition: only lines of the same transition can repeat an arc.
    let mut lines: BTreeMap<TransitionId, Vec<usize>> = BTreeMap::new();
    for (line, flow) in flows.iter().enumerate() {
        let transition = net.find_transition(flow.transition)?;
        let within = |fault: Fault| fault.within(format!("flow of {}", flow.transition.text));
        for entry in &flow.pre {
            let place = net.find_place(entry.name).map_err(within)?;
            net.builder.input(place, transition, entry.count);
        }
        for entry in &flow.post {
            let place = net.find_place(entry.name).map_err(within)?;
            net.builder.output(transition, place, entry.count);
        }
        lines.entry(transition).or_default().push(line);
    }
    for lines in lines.values().filter(|lines| lines.len() > 1) {
        let (mut taken, mut given) = (HashSet::new(), HashSet::new());
        for flow in lines.iter().map(|line| &flows[*line]) {
            refuse_repeated(&flow.pre, &mut taken)?;
            refuse_repeated(&flow.post, &mut given)?;
        }
    }
    Ok(())
}

/// Within a line, counts of a place add up; an arc in another line is an error.
fn refuse_repeated<'t>(line: &[CountedName<'t>], known: &mut HashSet<&'t str>) -> Result<(), Fault> {
    if let Some(entry) = line.iter().find(|entry| known.contains(entry.name.text)) {
        let message = format!("another line of flows has the arc of `{}` already", entry.name.text);
        return Err(Fault::at(entry.name.offset, message).hint("give all arcs of a transition in one line"));
    }
    known.extend(line.iter().map(|entry| entry.name.text));
    Ok(())
}

/// The marked places of a final marking, in the order of the net.
fn final_marking(net: &mut NamedNet, entries: &[CountedName<'_>]) -> Result<Vec<(PlaceId, u64)>, Fault> {
    let tokens = sums(entries)?;
    let mut marking = Vec::new();
    for entry in entries {
        let place = net.find_place(entry.name)?;
        marking.push((place, tokens[entry.name.text]));
    }
    marking.sort_unstable();
    marking.dedup();
    marking.retain(|(_, tokens)| *tokens > 0);
    Ok(marking)
}

fn refuse_second(section: Word<'_>, is_new: bool) -> Result<(), Fault> {
    match is_new {
        true => Ok(()),
        false => Err(Fault::at(section.offset, format!("`{}` is given twice", section.text))),
    }
}

fn transition_system(word: Word<'_>) -> Fault {
    let message = format!("`{}` belongs to a transition system, but a net is expected", word.text);
    Fault::at(word.offset, message).hint("APT can synthesise a net from it")
}
