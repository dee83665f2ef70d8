//! Digest of a model's file: `--resume` compares it to see whether earlier answers are about the same net.
//!
//! The digest is FNV-1a of 64 bits, which is the same on every machine and in every version. It only has to detect accidental
//! changes, so it need not be cryptographic.

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader},
    path::Path,
};

use crate::job::model_file;

/// The digest of a model's file, or of `model.pnml` in a directory. A pipe has none, since it cannot be read twice.
pub fn digest(path: &Path) -> io::Result<String> {
    let file = model_file(path);
    if !fs::metadata(&file)?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let (mut reader, mut hash) = (BufReader::with_capacity(1 << 16, File::open(file)?), EMPTY);
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            return Ok(format!("{hash:016x}"));
        }
        hash = extend(hash, bytes);
        let count = bytes.len();
        reader.consume(count);
    }
}

/// The digest of a text.
pub fn of_text(text: &str) -> String {
    format!("{:016x}", extend(EMPTY, text.as_bytes()))
}

/// The hash of no bytes.
const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

fn extend(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_depends_on_the_contents_alone() {
        let directory = tempfile::tempdir().unwrap();
        let (a, b) = (directory.path().join("a"), directory.path().join("model.pnml"));
        fs::write(&a, "foobar").unwrap();
        fs::write(&b, "foobar").unwrap();
        assert_eq!(digest(&a).unwrap(), "85944171f73967e8");
        assert_eq!(of_text("foobar"), "85944171f73967e8");
        assert_eq!(digest(directory.path()).unwrap(), digest(&a).unwrap());
        fs::write(&b, "fooba").unwrap();
        assert_ne!(digest(&b).unwrap(), digest(&a).unwrap());
        assert!(digest(&directory.path().join("c")).is_err());
    }
}
