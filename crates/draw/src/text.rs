//! How much room a text takes, without a font: the widths are those of common sans-serif fonts, a little generous.

use crate::geometry::BoxSize;

/// The size of all texts, in pixels.
pub(crate) const FONT_SIZE: f64 = 12.0;
/// The height of a line.
pub(crate) const LINE_HEIGHT: f64 = 15.0;

/// How wide a line is in the pictures' font.
pub(crate) fn width(line: &str) -> f64 {
    let ems: f64 = line.chars().map(ems).sum();
    ems * FONT_SIZE
}

fn ems(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '|' | '\'' | '.' | ',' | ':' | ';' | '!' => 0.3,
        'f' | 't' | 'r' | ' ' | '(' | ')' | '[' | ']' | '{' | '}' | '-' => 0.38,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.95,
        'A'..='Z' | '&' => 0.72,
        '\u{1100}'.. => 1.05,
        _ => 0.6,
    }
}

/// The room of some lines below each other.
pub(crate) fn extent(lines: &[String]) -> BoxSize {
    let width = lines.iter().map(|line| width(line)).fold(0.0, f64::max);
    BoxSize { width, height: LINE_HEIGHT * lines.len() as f64 }
}

/// Breaks a text into lines of at most about this number of characters, at blanks, underscores and commas where there are any.
pub(crate) fn lines(text: &str, most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for part in text.split('\n').map(str::trim_end).filter(|part| !part.is_empty()) {
        let mut rest: Vec<char> = part.chars().collect();
        while rest.len() > most {
            let breaks = |c: &char| matches!(c, ' ' | '_' | ',' | '-' | '.');
            let at = rest[..most].iter().rposition(breaks).map_or(most, |at| at + 1);
            // A short first line looks worse than a word that is cut.
            let at = if at * 3 < most { most } else { at };
            lines.push(rest.drain(..at).collect::<String>().trim_end().to_owned());
        }
        lines.push(rest.into_iter().collect::<String>().trim().to_owned());
    }
    lines
}

/// Cuts a text that has more than this number of characters.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_broken_where_words_end() {
        assert_eq!(lines("take_left_fork_of_philosopher_1", 16), ["take_left_fork_", "of_philosopher_1"]);
        assert_eq!(lines("waiting\nroom", 16), ["waiting", "room"]);
        assert_eq!(lines("abcdefghijklmnopqrstuvwxyz", 10), ["abcdefghij", "klmnopqrst", "uvwxyz"]);
        assert!(lines("", 10).is_empty());
    }

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(cut("αβγδ", 3), "αβγ…");
        assert_eq!(cut("αβγ", 3), "αβγ");
    }
}
