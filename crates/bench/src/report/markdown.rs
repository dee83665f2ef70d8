//! Markdown tables and the numbers in them.

use std::fmt::Write;

/// A table; all rows have as many cells as the header.
pub struct MarkdownTable {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl MarkdownTable {
    pub fn new<S: Into<String>>(header: impl IntoIterator<Item = S>) -> Self {
        Self { header: header.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row; missing cells are empty.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let mut row: Vec<String> = cells.into_iter().map(Into::into).collect();
        row.resize(self.header.len(), String::new());
        self.rows.push(row);
    }

    /// The table as text, with an empty line at its end.
    pub fn text(&self) -> String {
        let mut text = line(&self.header);
        text += &format!("|{}\n", "---|".repeat(self.header.len()));
        text.extend(self.rows.iter().map(|row| line(row)));
        text + "\n"
    }
}

fn line(cells: &[String]) -> String {
    let mut line = String::from("|");
    for cell in cells {
        // A bar or a line break would begin another cell or row.
        let cell = cell.replace('|', "\\|").replace('\n', " ");
        let _ = write!(line, " {cell} |");
    }
    line + "\n"
}

/// Seconds to a millisecond.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 0.000_5 => "<0.001".into(),
        s if s < 10.0 => format!("{s:.3}"),
        s => format!("{s:.1}"),
    }
}

/// A count with its thousands apart.
pub fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// How many times as much.
pub fn ratio(ratio: f64) -> String {
    match ratio {
        r if r.is_infinite() => "+∞".into(),
        r if r < 100.0 => format!("{r:.2}"),
        r => count(r.round() as u64),
    }
}

pub fn percent(part: usize, whole: usize) -> String {
    if whole == 0 { "–".into() } else { format!("{:.1}", 100.0 * part as f64 / whole as f64) }
}

/// A title as a name of a file.
pub fn slug(title: &str) -> String {
    let words = title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [0.0, 0.0004, 0.0125, 9.9999, 12.34].map(seconds),
            ["<0.001", "<0.001", "0.013", "10.000", "12.3"]
        );
        assert_eq!([0, 999, 1_000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0.5, 99.0, 1234.4, f64::INFINITY].map(ratio), ["0.50", "99.00", "1,234", "+∞"]);
        assert_eq!([percent(1, 3), percent(0, 0)], ["33.3", "–"]);
        assert_eq!(slug("CTL: local & graph"), "ctl-local-graph");
    }

    #[test]
    fn rows_are_as_wide_as_the_header() {
        let mut table = MarkdownTable::new(["a", "b", "c"]);
        table.row(["1"]);
        table.row(["x|y", "two\nlines", "3", "4"]);
        let text = table.text();
        assert_eq!(text, "| a | b | c |\n|---|---|---|\n| 1 |  |  |\n| x\\|y | two lines | 3 |\n\n");
    }
}
