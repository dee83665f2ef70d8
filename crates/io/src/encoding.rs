//! Texts in a single-byte encoding, as XML files declare it, are read as UTF-8; other texts pass through as they are.
//!
//! ISO-8859-1 and windows-1252 are what tools in Java and .NET write on older systems. A file that declares another encoding
//! is taken as UTF-8: tools declare UTF-16 for texts that they save as UTF-8, and every ASCII text is UTF-8 as well. A text
//! that is neither is refused where its first such character is.

use std::io::{self, BufRead, Read};

/// The largest length of the declaration of an encoding, in bytes.
const DECLARATION: usize = 256;

/// The characters of windows-1252 that differ from ISO-8859-1, from byte 0x80; an unused byte is the replacement character.
const WINDOWS: [char; 32] = [
    '€', '\u{FFFD}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{FFFD}', 'Ž', '\u{FFFD}',
    '\u{FFFD}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{FFFD}', 'ž', 'Ÿ',
];

/// The characters of ISO-8859-15 that differ from ISO-8859-1.
const LATIN_9: [(u8, char); 8] =
    [(0xA4, '€'), (0xA6, 'Š'), (0xA8, 'š'), (0xB4, 'Ž'), (0xB8, 'ž'), (0xBC, 'Œ'), (0xBD, 'œ'), (0xBE, 'Ÿ')];

/// The largest number of extra bytes that are remembered for exact offsets; each takes 8 bytes of memory.
const MAX_WIDE: usize = 1 << 20;

/// An encoding in which each byte is a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SingleByte {
    /// The first 256 characters of Unicode.
    Latin1,
    /// Has the euro sign and French and Finnish letters in place of eight signs.
    Latin9,
    Windows1252,
}

impl SingleByte {
    /// The encoding that the start of an XML text declares; `None` for UTF-8 and what is taken as such.
    fn declared(start: &[u8]) -> Option<Self> {
        let start = &start[..start.len().min(DECLARATION)];
        let end = start.iter().position(|&byte| byte == b'>')?;
        let declaration = std::str::from_utf8(&start[..end]).ok()?.trim_start();
        let (_, value) = declaration.strip_prefix("<?xml")?.split_once("encoding")?;
        let value = value.trim_start().strip_prefix('=')?.trim_start();
        let quote = value.chars().next().filter(|letter| matches!(letter, '"' | '\''))?;
        let name = value[1..].split(quote).next()?.to_ascii_lowercase().replace('_', "-");
        match name.as_str() {
            "iso-8859-1" | "iso8859-1" | "latin1" | "latin-1" => Some(Self::Latin1),
            "iso-8859-15" | "iso8859-15" | "latin-9" => Some(Self::Latin9),
            "windows-1252" | "cp1252" | "cp-1252" => Some(Self::Windows1252),
            _ => None,
        }
    }

    fn char(self, byte: u8) -> char {
        match self {
            Self::Windows1252 if (0x80..0xA0).contains(&byte) => WINDOWS[usize::from(byte - 0x80)],
            Self::Latin9 => {
                let other = LATIN_9.iter().find(|(of, _)| *of == byte);
                other.map_or(char::from(byte), |(_, char)| *char)
            }
            _ => char::from(byte),
        }
    }
}

/// A reader of UTF-8, whatever the encoding of the input is.
pub(crate) struct Decoded<R> {
    input: R,
    encoding: Option<SingleByte>,
    /// Decoded text of which `taken` bytes have been consumed.
    text: Vec<u8>,
    taken: usize,
    /// The length of all text before `text`.
    before: u64,
    /// The offset in the decoded text of each byte that the input does not have.
    extra: Vec<u64>,
}

impl<R: BufRead> Decoded<R> {
    /// Looks for the declaration in what the input has first.
    pub(crate) fn new(mut input: R) -> io::Result<Self> {
        let encoding = SingleByte::declared(input.fill_buf()?);
        Ok(Self { input, encoding, text: Vec::new(), taken: 0, before: 0, extra: Vec::new() })
    }

    /// The offset in the input of an offset in the decoded text.
    pub(crate) fn offset(&self, decoded: u64) -> u64 {
        decoded - self.extra.partition_point(|&at| at < decoded) as u64
    }

    fn decode(&mut self, encoding: SingleByte) -> io::Result<()> {
        self.before += self.text.len() as u64;
        self.text.clear();
        self.taken = 0;
        let bytes = self.input.fill_buf()?;
        for &byte in bytes {
            if byte.is_ascii() {
                self.text.push(byte);
                continue;
            }
            let mut buffer = [0; 4];
            let encoded = encoding.char(byte).encode_utf8(&mut buffer).as_bytes();
            for at in 1..encoded.len() as u64 {
                if self.extra.len() < MAX_WIDE {
                    self.extra.push(self.before + self.text.len() as u64 + at);
                }
            }
            self.text.extend_from_slice(encoded);
        }
        let length = bytes.len();
        self.input.consume(length);
        Ok(())
    }
}

impl<R: BufRead> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut text = self.fill_buf()?;
        let length = text.read(buffer)?;
        self.consume(length);
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Decoded<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let Some(encoding) = self.encoding else { return self.input.fill_buf() };
        if self.taken == self.text.len() {
            self.decode(encoding)?;
        }
        Ok(&self.text[self.taken..])
    }

    fn consume(&mut self, amount: usize) {
        match self.encoding {
            None => self.input.consume(amount),
            Some(_) => self.taken = (self.taken + amount).min(self.text.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(encoding: &str, bytes: &[u8]) -> String {
        let mut input = format!("<?xml version='1.0' encoding=\"{encoding}\"?>").into_bytes();
        let start = input.len();
        input.extend_from_slice(bytes);
        let mut read = String::new();
        Decoded::new(&input[..]).unwrap().read_to_string(&mut read).unwrap();
        read[start..].to_owned()
    }

    #[test]
    fn single_bytes_are_characters() {
        assert_eq!(text("ISO-8859-1", b"M\xFCller \xA4"), "Müller ¤");
        assert_eq!(text("iso-8859-15", b"\xA4\xFC"), "€ü");
        assert_eq!(text("windows-1252", b"\x80 \x93x\x94 \xFC"), "€ “x” ü");
        assert_eq!(text("utf-16", "ü".as_bytes()), "ü");
        assert_eq!(text("US-ASCII", b"abc"), "abc");
    }

    #[test]
    fn offsets_are_those_of_the_input() {
        let input = b"<?xml encoding='latin1'?>\xFCa\xFCb";
        let mut decoded = Decoded::new(&input[..]).unwrap();
        let mut read = String::new();
        decoded.read_to_string(&mut read).unwrap();
        let found: Vec<u64> = read.char_indices().map(|(at, _)| decoded.offset(at as u64)).collect();
        assert_eq!(found, (0..input.len() as u64).collect::<Vec<_>>());
        assert_eq!(decoded.offset(read.len() as u64), input.len() as u64);
    }
}
