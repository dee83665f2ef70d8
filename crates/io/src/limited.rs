//! A reader with a bound on the length of one piece.

use std::io::{self, BufRead, Read};

/// The error of a piece that is too long; it passes through the XML library.
#[derive(Debug)]
pub(crate) struct TooLong;

impl std::fmt::Display for TooLong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a tag, comment or text is too long")
    }
}

impl std::error::Error for TooLong {}

/// Fails when more than `left` bytes are read.
pub(crate) struct Limited<R> {
    pub(crate) input: R,
    /// The XML cursor resets it before each piece.
    pub(crate) left: usize,
}

impl<R: BufRead> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.input.read(buffer)
    }
}

impl<R: BufRead> BufRead for Limited<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.left == 0 {
            return Err(io::Error::other(TooLong));
        }
        self.input.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.left = self.left.saturating_sub(amount);
        self.input.consume(amount);
    }
}
