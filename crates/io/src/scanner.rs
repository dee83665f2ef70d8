//! A scanner for the text formats of nets: white space and comments passed over, words, symbols and numbers with their offsets.

use fireset_net::Comparison;

use crate::Fault;

/// Comparisons as most languages write them; a symbol comes before its prefixes.
const COMPARISONS: [(&str, Comparison); 7] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::NotEqual),
    ("<=", Comparison::LessEqual),
    (">=", Comparison::GreaterEqual),
    ("=", Comparison::Equal),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
];

/// How a format writes comments.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Comment {
    /// From this symbol to the end of the line.
    Line(&'static str),
    /// From the first symbol to the second; not nested.
    Block(&'static str, &'static str),
}

/// A position in a text.
#[derive(Clone, Debug)]
pub(crate) struct Scanner<'t> {
    text: &'t str,
    at: usize,
    comments: &'static [Comment],
}

/// A piece of the text with its offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word<'t> {
    pub(crate) text: &'t str,
    pub(crate) offset: u64,
}

impl<'t> Scanner<'t> {
    pub(crate) fn new(text: &'t str, comments: &'static [Comment]) -> Self {
        Self { text, at: 0, comments }
    }

    /// The offset of the next piece, after white space and comments.
    pub(crate) fn offset(&mut self) -> Result<u64, Fault> {
        self.rest()?;
        Ok(self.at as u64)
    }

    /// What follows white space and comments.
    pub(crate) fn rest(&mut self) -> Result<&'t str, Fault> {
        loop {
            let rest = self.text[self.at..].trim_start();
            self.at = self.text.len() - rest.len();
            let begins = |comment: &&Comment| match comment {
                Comment::Line(start) | Comment::Block(start, _) => rest.starts_with(start),
            };
            self.at += match self.comments.iter().find(begins) {
                None => return Ok(rest),
                Some(Comment::Line(_)) => rest.find('\n').unwrap_or(rest.len()),
                Some(Comment::Block(start, end)) => match rest[start.len()..].find(end) {
                    Some(length) => start.len() + length + end.len(),
                    None => {
                        let message = "the comment does not end";
                        return Err(Fault::at(self.at as u64, message).hint(format!("close it with `{end}`")));
                    }
                },
            };
        }
    }

    pub(crate) fn is_at_end(&mut self) -> Result<bool, Fault> {
        Ok(self.rest()?.is_empty())
    }

    /// Takes a symbol if it comes next.
    pub(crate) fn eat(&mut self, symbol: &str) -> Result<bool, Fault> {
        let found = self.rest()?.starts_with(symbol);
        if found {
            self.at += symbol.len();
        }
        Ok(found)
    }

    /// Takes a symbol, which must come next.
    pub(crate) fn expect(&mut self, symbol: &str) -> Result<(), Fault> {
        if self.eat(symbol)? { Ok(()) } else { Err(self.unexpected(&format!("`{symbol}`"))) }
    }

    /// Takes a comparison if it comes next.
    pub(crate) fn comparison(&mut self) -> Result<Option<Comparison>, Fault> {
        for (symbol, comparison) in COMPARISONS {
            if self.eat(symbol)? {
                return Ok(Some(comparison));
            }
        }
        Ok(None)
    }

    /// The longest word of such characters that comes next; it may be empty.
    pub(crate) fn word(&mut self, is_inner: impl Fn(char) -> bool) -> Result<Word<'t>, Fault> {
        let rest = self.rest()?;
        let length = rest.find(|letter| !is_inner(letter)).unwrap_or(rest.len());
        Ok(self.take(length))
    }

    /// The next characters, as many bytes as given. White space and comments must have been passed over.
    pub(crate) fn take(&mut self, length: usize) -> Word<'t> {
        let start = self.at;
        self.at += length;
        Word { text: &self.text[start..self.at], offset: start as u64 }
    }

    /// A number, which must come next.
    pub(crate) fn number(&mut self) -> Result<u64, Fault> {
        let word = self.word(|letter| letter.is_ascii_digit())?;
        if word.text.is_empty() { Err(self.unexpected("a number")) } else { number(word) }
    }

    /// The fault of anything else than what is expected here.
    pub(crate) fn unexpected(&self, expected: &str) -> Fault {
        let rest = &self.text[self.at..];
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let shown: String = rest[..end].chars().take(SHOWN).collect();
        let found = if rest.is_empty() { "the end of the file".to_owned() } else { format!("`{shown}`") };
        Fault::at(self.at as u64, format!("expected {expected}, found {found}"))
    }
}

/// Longer pieces of the text are cut to this number of characters in messages.
const SHOWN: usize = 40;

/// The value of a word of digits.
pub(crate) fn number(word: Word<'_>) -> Result<u64, Fault> {
    let not_a_number = |_| {
        let all_digits = !word.text.is_empty() && word.text.bytes().all(|byte| byte.is_ascii_digit());
        let message = match all_digits {
            true => format!("the number {} does not fit into 64 bits", word.text),
            false => format!("`{}` is not a number", word.text),
        };
        Fault::at(word.offset, message)
    };
    word.text.parse().map_err(not_a_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMENTS: &[Comment] = &[Comment::Line("//"), Comment::Block("/*", "*/")];

    #[test]
    fn white_space_and_comments_are_passed_over() {
        let mut scanner = Scanner::new(" // a\n /* b\n */ c1 = 23", COMMENTS);
        assert_eq!(scanner.word(char::is_alphanumeric).unwrap(), Word { text: "c1", offset: 16 });
        scanner.expect("=").unwrap();
        assert_eq!(scanner.number().unwrap(), 23);
        assert!(scanner.is_at_end().unwrap());
    }

    #[test]
    fn what_is_wrong_is_named_with_its_offset() {
        let fault = Scanner::new("a /* b", COMMENTS).clone();
        let mut scanner = fault;
        scanner.expect("a").unwrap();
        assert_eq!(scanner.rest().unwrap_err().offset, 2);
        let mut scanner = Scanner::new("x 99999999999999999999", &[]);
        assert_eq!(scanner.number().unwrap_err().message, "expected a number, found `x`");
        scanner.expect("x").unwrap();
        assert!(scanner.number().unwrap_err().message.contains("64 bits"));
        assert_eq!(scanner.expect(";").unwrap_err().message, "expected `;`, found the end of the file");
    }
}
