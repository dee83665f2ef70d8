//! Texts in a single-byte encoding, as XML files declare it, are read as UTF-8; other texts pass through as they are.
//!
//! ISO-8859-1 and windows-1252 are what tools in Java and .NET write on older systems. A file that declares another encoding
//! is taken as UTF-8: tools declare UTF-16 for texts that they save as UTF-8, and every ASCII text is UTF-8 as well. A text
//! that is neither is refused where its first such character is.
//!
//! Sources are decoded before a reader of a format sees them, so that the readers of large files do not pay for it. Offsets
//! count bytes of the decoded text; errors are located in it as well.

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

/// An encoding in which each byte is a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SingleByte {
    /// The first 256 characters of Unicode.
    Latin1,
    /// Has the euro sign and French and Finnish letters in place of eight signs.
    Latin9,
    Windows1252,
}

impl SingleByte {
    /// The encoding that the start of an XML text declares; `None` for UTF-8 and what is taken as such.
    pub(crate) fn declared(start: &[u8]) -> Option<Self> {
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

/// A text in a single-byte encoding, read as UTF-8.
pub(crate) struct Decoded<R> {
    input: R,
    encoding: SingleByte,
    /// Decoded text of which `taken` bytes have been consumed.
    text: Vec<u8>,
    taken: usize,
}

impl<R: BufRead> Decoded<R> {
    pub(crate) fn new(input: R, encoding: SingleByte) -> Self {
        Self { input, encoding, text: Vec::new(), taken: 0 }
    }

    fn decode(&mut self) -> io::Result<()> {
        self.text.clear();
        self.taken = 0;
        let bytes = self.input.fill_buf()?;
        for &byte in bytes {
            let mut buffer = [0; 4];
            self.text.extend_from_slice(self.encoding.char(byte).encode_utf8(&mut buffer).as_bytes());
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
        if self.taken == self.text.len() {
            self.decode()?;
        }
        Ok(&self.text[self.taken..])
    }

    fn consume(&mut self, amount: usize) {
        self.taken = (self.taken + amount).min(self.text.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(encoding: &str, bytes: &[u8]) -> String {
        let mut input = format!("<?xml version='1.0' encoding=\"{encoding}\"?>").into_bytes();
        let start = input.len();
        input.extend_from_slice(bytes);
        let Some(encoding) = SingleByte::declared(&input) else {
            return String::from_utf8(bytes.to_vec()).unwrap();
        };
        let mut read = String::new();
        Decoded::new(&input[..], encoding).read_to_string(&mut read).unwrap();
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
    fn only_the_declaration_of_an_xml_text_counts() {
        for other in [
            "<a encoding='latin1'>",
            "",
            "<?xml?>",
            "<?xml encoding=",
            "<?xml encoding='latin1",
            "encoding='latin1'>",
        ] {
            assert_eq!(SingleByte::declared(other.as_bytes()), None, "{other}");
        }
        assert_eq!(SingleByte::declared(b"<?xml encoding = 'LATIN1' ?>"), Some(SingleByte::Latin1));
    }
}
