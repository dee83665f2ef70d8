//! Checks of files, functions and type names.

use std::collections::BTreeMap;

use super::{Repository, SourceFile, source::is_word};

const FILE_LINES: usize = 600;
const FUNCTION_LINES: usize = 100;
const PARAMETERS: usize = 5;

/// Words that the code used before it took those of the literature. Each is unambiguous as a name.
const RETIRED: [&str; 42] = [
    "Asker",
    "Beside",
    "Lane",
    "Scribe",
    "Manner",
    "Hall",
    "Desk",
    "Ledger",
    "SHARES",
    "Misfit",
    "Obstacle",
    "Agenda",
    "Pace",
    "Patience",
    "Alarm",
    "Knowledge",
    "Standing",
    "Meeting",
    "Dull",
    "Ground",
    "Marked",
    "Maker",
    "Folded",
    "Noted",
    "Demand",
    "movers",
    "starved",
    "fountain",
    "futile",
    "Wholes",
    "stroll",
    "prolong",
    "Told",
    "Hearing",
    "Teller",
    "News",
    "palette",
    "Whiles",
    "crew",
    "Figures",
    "Survey",
    "Stuck",
];

/// A function in a file.
struct Function<'f> {
    file: &'f SourceFile,
    offset: usize,
    name: &'f str,
    parameters: Vec<&'f str>,
    lines: usize,
}

impl Function<'_> {
    fn show(&self, more: &str) -> String {
        format!("{} {} {more}", self.file.place(self.offset), self.name)
    }
}

/// A file may be longer if its first ten lines mention its length in lines.
pub fn long_files(repository: &Repository) -> Vec<String> {
    let count = |file: &SourceFile| file.text.lines().count();
    let says_why = |file: &SourceFile| {
        file.text.lines().take(10).any(|line| line.starts_with("//!") && line.contains("600 lines"))
    };
    let long = repository.sources.iter().filter(|file| count(file) > FILE_LINES && !says_why(file));
    long.map(|file| format!("{}: {} lines", file.path, count(file))).collect()
}

pub fn long_functions(repository: &Repository) -> Vec<String> {
    let long = functions(repository).filter(|function| function.lines > FUNCTION_LINES);
    long.map(|function| function.show(&format!("has {} lines", function.lines))).collect()
}

pub fn wide_functions(repository: &Repository) -> Vec<String> {
    let is_self = |parameter: &&str| !parameter.trim_end().ends_with("self");
    let own = |function: &Function<'_>| function.parameters.iter().copied().filter(is_self).count();
    let wide = functions(repository).filter(|function| own(function) > PARAMETERS);
    wide.map(|function| function.show(&format!("has {} parameters", own(&function)))).collect()
}

pub fn boolean_functions(repository: &Repository) -> Vec<String> {
    let is_boolean =
        |parameter: &&&str| parameter.rsplit_once(':').is_some_and(|(_, kind)| kind.trim() == "bool");
    let two =
        functions(repository).filter(|function| function.parameters.iter().filter(is_boolean).count() > 1);
    two.map(|function| function.show("has two booleans")).collect()
}

fn functions(repository: &Repository) -> impl Iterator<Item = Function<'_>> {
    repository.sources.iter().flat_map(functions_in)
}

fn functions_in(file: &SourceFile) -> impl Iterator<Item = Function<'_>> {
    let starts = file.code.match_indices("fn ").map(|(offset, _)| offset);
    starts.filter_map(move |offset| function_at(file, offset))
}

/// The function whose `fn` is at an offset; none for the type of a function.
fn function_at(file: &SourceFile, offset: usize) -> Option<Function<'_>> {
    let code = &file.code;
    if code[..offset].ends_with(is_word) {
        return None;
    }
    let start = offset + "fn ".len();
    let name = &code[start..start + code[start..].find(|c| !is_word(c))?];
    let open = start + name.len();
    let list = if code[open..].starts_with('<') { open + closing(&code[open..])? + 1 } else { open };
    if name.is_empty() || !code[list..].starts_with('(') {
        return None;
    }
    let end = list + closing(&code[list..])?;
    let body = end + code[end..].find(['{', ';'])?;
    let last = if code[body..].starts_with('{') { body + closing(&code[body..])? } else { body };
    let parameters = separate(&code[list + 1..end]);
    Some(Function { file, offset, name, parameters, lines: 1 + code[offset..last].matches('\n').count() })
}

/// Where the bracket at the beginning of a text is closed. An arrow is no bracket, and inside braces neither are comparisons.
fn closing(text: &str) -> Option<usize> {
    let opener = text.chars().next()?;
    let counts_angles = opener != '{';
    let (mut depth, mut before) = (0, ' ');
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '<' if counts_angles => depth += 1,
            '>' if counts_angles && before != '-' && before != '=' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
        before = c;
    }
    None
}

/// The parts of a list between its outermost commas.
fn separate(list: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start, mut before) = (Vec::new(), 0, 0, ' ');
    for (at, c) in list.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if before == '-' => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(list[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
        before = c;
    }
    parts.push(list[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// Structs, enums, traits, unions and type aliases of one name; associated types are aside.
pub fn ambiguous_types(repository: &Repository) -> Vec<String> {
    let mut definitions: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for file in &repository.sources {
        let mut offset = 0;
        for line in file.code.split_inclusive('\n') {
            if let Some(name) = defined(line) {
                definitions.entry(name).or_default().push(file.place(offset));
            }
            offset += line.len();
        }
    }
    definitions.retain(|_, places| places.len() > 1);
    definitions.iter().map(|(name, places)| format!("{name} {}", places.join(" "))).collect()
}

/// The type that a line defines.
fn defined(line: &str) -> Option<&str> {
    let is_indented = line.starts_with(' ');
    let mut words = line.split_whitespace().peekable();
    if words.peek()?.starts_with("pub") {
        while words.next()?.ends_with(|c: char| c != ')' && c != 'b') {}
    }
    let keyword = words.next()?;
    if !matches!(keyword, "struct" | "enum" | "trait" | "union" | "type") || keyword == "type" && is_indented
    {
        return None;
    }
    let name = words.next()?.split(|c| !is_word(c)).next()?;
    name.starts_with(char::is_uppercase).then_some(name)
}

/// Retired words as names of types, modules, functions and variables.
pub fn retired_names(repository: &Repository) -> Vec<String> {
    let mut found = Vec::new();
    for file in &repository.sources {
        for (at, line) in file.code.lines().enumerate() {
            let mut names = line.split(|c| !is_word(c)).filter(|name| RETIRED.contains(name));
            found.extend(names.next().map(|name| format!("{}:{} {name}", file.path, at + 1)));
        }
    }
    found
}

#[test]
fn functions_are_found_with_their_parameters() {
    let text = "impl A { pub fn f<F: Fn(u8) -> bool>(&self, a: bool, b: &[(u8, u8)], c: bool) -> X {\n if a < b {}\n }\n }\n\
                type G = fn (bool, bool);\ntrait T { fn g(&self); }";
    let file = SourceFile::new("a.rs", text.to_owned());
    let found: Vec<_> = functions_in(&file).map(|f| (f.name, f.parameters.len(), f.lines)).collect();
    assert_eq!(found, [("f", 4, 3), ("g", 1, 1)]);
}

#[test]
fn types_are_found_at_their_definitions() {
    let lines = [
        "pub(crate) struct Net {",
        "enum E<T> {",
        "    type Item = u8;",
        "type Row = u8;",
        "use a::struct_of;",
        "pub fn x() {}",
    ];
    assert_eq!(lines.map(defined), [Some("Net"), Some("E"), None, Some("Row"), None, None]);
}
