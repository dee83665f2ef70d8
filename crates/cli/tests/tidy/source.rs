//! The files of the repository, and Rust text divided into code, comments and literals.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// All files that the checks read.
pub struct Repository {
    pub root: PathBuf,
    /// Paths of all files, relative to the root.
    pub paths: Vec<String>,
    pub sources: Vec<SourceFile>,
    /// Markdown files with their text.
    pub documents: Vec<(String, String)>,
}

/// A Rust file. The three texts have the same lines as the file; each has blanks where the others have text.
pub struct SourceFile {
    pub path: String,
    pub text: String,
    pub code: String,
    pub comments: String,
    pub literals: String,
}

impl Repository {
    pub fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
        let mut paths = Vec::new();
        walk(&root, &root, &mut paths);
        paths.sort();
        let text = |path: &String| fs::read_to_string(root.join(path)).unwrap();
        let ending = |end: &'static str| paths.iter().filter(move |path| path.ends_with(end));
        let sources = ending(".rs").map(|path| SourceFile::new(path, text(path))).collect();
        let documents = ending(".md").map(|path| (path.clone(), text(path))).collect();
        Self { root, sources, documents, paths }
    }
}

fn walk(root: &Path, directory: &Path, paths: &mut Vec<String>) {
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name());
        if name == "target" || name == ".git" {
            continue;
        }
        if path.is_dir() {
            walk(root, &path, paths);
        } else {
            paths.push(path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/"));
        }
    }
}

/// What a character of a Rust file belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextKind {
    Code,
    Comment,
    Literal,
}

impl SourceFile {
    pub fn new(path: &str, text: String) -> Self {
        let kinds = kinds(&text.chars().collect::<Vec<_>>());
        let only = |kind: TextKind| {
            let keep = |(c, own): (char, &TextKind)| if *own == kind || c == '\n' { c } else { ' ' };
            text.chars().zip(&kinds).map(keep).collect::<String>()
        };
        let (code, comments, literals) =
            (only(TextKind::Code), only(TextKind::Comment), only(TextKind::Literal));
        Self { path: path.to_owned(), text, code, comments, literals }
    }

    /// Where a byte offset is, as `path:line`.
    pub fn place(&self, offset: usize) -> String {
        let line = 1 + self.code[..offset].matches('\n').count();
        format!("{}:{line}", self.path)
    }
}

/// The kind of each character.
fn kinds(text: &[char]) -> Vec<TextKind> {
    let mut kinds = Vec::with_capacity(text.len());
    while kinds.len() < text.len() {
        let at = kinds.len();
        let rest = &text[at..];
        let (kind, length) = match rest {
            ['/', '/', ..] => (TextKind::Comment, rest.iter().take_while(|c| **c != '\n').count()),
            ['/', '*', ..] => (TextKind::Comment, block_comment(rest)),
            ['"', ..] => (TextKind::Literal, quoted(rest, '"')),
            ['r' | 'b', ..] if !at.checked_sub(1).is_some_and(|before| is_word(text[before])) => {
                raw_string(rest)
            }
            ['\'', '\\', ..] | ['\'', _, '\'', ..] => (TextKind::Literal, quoted(rest, '\'')),
            _ => (TextKind::Code, 1),
        };
        kinds.resize(text.len().min(at + length), kind);
    }
    kinds
}

pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn block_comment(text: &[char]) -> usize {
    let (mut depth, mut at) = (0, 0);
    loop {
        match text[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] if depth == 1 => return at + 2,
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            [] => return at,
            _ => at += 1,
        }
    }
}

/// The length of a literal with its quotes.
fn quoted(text: &[char], quote: char) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != quote {
        at += if text[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

/// A literal that begins with `r`, `b` or `br`; otherwise one character of code.
fn raw_string(text: &[char]) -> (TextKind, usize) {
    let prefix = text.iter().take(2).take_while(|c| matches!(c, 'r' | 'b')).count();
    let hashes = text[prefix..].iter().take_while(|c| **c == '#').count();
    let is_raw = text[..prefix].contains(&'r');
    if text.get(prefix + hashes) != Some(&'"') || hashes > 0 && !is_raw {
        return (TextKind::Code, 1);
    }
    if !is_raw {
        return (TextKind::Literal, prefix + quoted(&text[prefix..], '"'));
    }
    let end: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
    let body = prefix + hashes + 1;
    let length = text[body..].windows(end.len()).position(|window| window == end);
    (TextKind::Literal, length.map_or(text.len(), |length| body + length + end.len()))
}

/// The words of a name in snake or camel case, in lower case and without a plural's `s`.
pub fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().unwrap().extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words.iter().map(|word| word.strip_suffix('s').unwrap_or(word).to_owned()).collect()
}

#[test]
fn text_is_divided_into_code_comments_and_literals() {
    let text =
        "let a = \"x // \\\" y\"; // b'c\nlet r = r#\"\"q\"#; let c = '\\''; fn f<'a>() {} /* /* */ d */";
    let file = SourceFile::new("a.rs", text.to_owned());
    assert_eq!(file.code.split_whitespace().collect::<String>(), "leta=;letr=;letc=;fnf<'a>(){}");
    assert_eq!(file.comments.split_whitespace().collect::<String>(), "//b'c/*/**/d*/");
    assert!(file.literals.contains("x // \\\" y") && file.literals.contains("\"q"));
    assert_eq!(words_of("AutomatonEdges"), ["automaton", "edge"]);
}
