//! Splits the text of a property file into its statements, before any of them is understood: a mistake in one statement does
//! not reach the next.

use std::ops::Range;

/// What a statement begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatementKind {
    Definition,
    Property,
    /// Fairness of all properties that follow.
    Assumption,
}

/// A statement: its first word stands at the beginning of a line, and it ends before the next statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Statement {
    pub(super) kind: StatementKind,
    /// The offset of the first word.
    pub(super) start: usize,
    /// What follows the first word.
    pub(super) body: Range<usize>,
}

/// A text whose comments are blanks, so that offsets stay those of the file.
pub(super) struct MaskedText {
    pub(super) text: String,
    /// The offsets of quotes that are not closed on their lines, in order.
    pub(super) open_quotes: Vec<usize>,
}

/// Replaces comments by blanks: from a `#` outside of quotes to the end of the line.
pub(super) fn without_comments(text: &str) -> MaskedText {
    let mut masked = MaskedText { text: String::with_capacity(text.len()), open_quotes: Vec::new() };
    for line in text.split_inclusive('\n') {
        let start = masked.text.len();
        let (mut quote, mut is_escaped, mut comment) = (None, false, None);
        for (at, letter) in line.char_indices() {
            match letter {
                '"' if quote.is_none() => quote = Some(at),
                '"' if !is_escaped => quote = None,
                '#' if quote.is_none() => {
                    comment = Some(at);
                    break;
                }
                _ => {}
            }
            is_escaped = quote.is_some() && letter == '\\' && !is_escaped;
        }
        let kept = comment.unwrap_or(line.len());
        masked.text.push_str(&line[..kept]);
        let blanks = line[kept..].trim_end_matches('\n').len();
        masked.text.extend(std::iter::repeat_n(' ', blanks));
        masked.text.push_str(&line[kept + blanks..]);
        masked.open_quotes.extend(quote.map(|at| start + at));
    }
    masked
}

/// The statements of a text without comments, and the range before the first of them.
pub(super) fn statements(text: &str) -> (Range<usize>, Vec<Statement>) {
    let (mut statements, mut at): (Vec<Statement>, usize) = (Vec::new(), 0);
    let mut before = 0..text.len();
    for line in text.split_inclusive('\n') {
        if let Some((kind, word)) = statement_word(line) {
            let start = at + line.len() - line.trim_start().len();
            match statements.last_mut() {
                Some(last) => last.body.end = start,
                None => before.end = start,
            }
            statements.push(Statement { kind, start, body: start + word.len()..text.len() });
        }
        at += line.len();
    }
    (before, statements)
}

/// The word with which a statement begins on this line.
pub(super) fn statement_word(line: &str) -> Option<(StatementKind, &'static str)> {
    let words = [
        (StatementKind::Definition, "let"),
        (StatementKind::Property, "property"),
        (StatementKind::Assumption, "assume"),
    ];
    let is_word =
        |rest: &str| !rest.starts_with(|letter: char| letter.is_alphanumeric() || "_.-".contains(letter));
    words.into_iter().find(|(_, word)| line.trim_start().strip_prefix(word).is_some_and(is_word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_end_with_their_lines_and_not_inside_of_quotes() {
        let text = "a # b \"é\n\"c # d\" # e\r\n\"f\\\" # g\" h\n# i";
        let masked = without_comments(text);
        assert_eq!(masked.text, "a        \n\"c # d\"     \n\"f\\\" # g\" h\n   ");
        assert_eq!(masked.text.len(), text.len());
        assert_eq!(without_comments("\"a\n\"b # c").open_quotes, [0, 3]);
    }

    #[test]
    fn a_statement_ends_before_the_next() {
        let text = "\n let a = 1\nproperty b: c\n  let d\nletter\nproperties";
        let (before, all) = statements(text);
        assert_eq!(&text[before], "\n ");
        let shown: Vec<_> = all.iter().map(|s| (s.kind, &text[s.body.clone()])).collect();
        let (definition, property) = (StatementKind::Definition, StatementKind::Property);
        assert_eq!(
            shown,
            [(definition, " a = 1\n"), (property, " b: c\n  "), (definition, " d\nletter\nproperties")]
        );
    }
}
