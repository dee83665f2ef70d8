//! A bound on how much is read at a stretch.

use std::io::{self, BufRead, Read};

/// Says that a piece is too long, through the XML layer.
#[derive(Debug)]
pub(crate) struct TooLong;

impl std::fmt::Display for TooLong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a piece of the text is too long")
    }
}

impl std::error::Error for TooLong {}

/// A reader that gives up when too much is read at a stretch.
pub(crate) struct Limited<R> {
    pub(crate) input: R,
    /// How many bytes may still be read; whoever reads sets it again from time to time.
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
