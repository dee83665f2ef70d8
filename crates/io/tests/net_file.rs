//! Files of nets in any format: recognised by content, compressed or not; and files that are something else.

use std::io::Write;

use fireset_io::{
    InputError, Source,
    net_file::{NetChoice, NetFile, read_net},
};
use flate2::{Compression, write::GzEncoder};

const PNML: &str = "<pnml><net id='n' type='ptnet'><place id='p'/></net></pnml>";

fn read(bytes: impl Into<Vec<u8>>) -> Result<NetFile, InputError> {
    read_net(&Source::memory("file", bytes.into()), NetChoice::Only)
}

fn compressed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn the_content_decides_the_format() {
    for text in
        [PNML, "\u{feff}<?xml version='1.0'?>\n<!-- a net --><pnml><net id='n'><place id='p'/></net></pnml>"]
    {
        let file = read(text).unwrap();
        assert_eq!((file.model.name(), file.model.nodes().places.len()), ("n", 1));
    }
    let tina = read("net n\npl p (1)\n").unwrap();
    assert_eq!((tina.model.name(), tina.model.nodes().places.len()), ("n", 1));
}

#[test]
fn compressed_files_are_read_and_their_faults_have_positions() {
    assert_eq!(read(compressed(PNML)).unwrap().model.name(), "n");
    // Several members follow each other, as parallel compressors write them.
    let (first, second) = PNML.split_at(20);
    assert_eq!(read([compressed(first), compressed(second)].concat()).unwrap().model.name(), "n");
    let error = read(compressed("<pnml>\n <net><arc/></net></pnml>")).unwrap_err();
    assert_eq!(error.position.map(|position| position.line), Some(2), "{}", error.message);
    let whole = compressed(&PNML.repeat(200));
    assert!(read(&whole[..whole.len() - 9]).is_err());
    assert!(read([0x1F, 0x8B, 8, 0, 1]).is_err());
}

#[test]
fn other_files_are_told_apart() {
    let lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
    let files: [(&[u8], &str, &str); 12] = [
        (b"", "the file is empty", "PNML"),
        (b" \n", "the file is empty", "PNML"),
        (lfs.as_bytes(), "Git LFS pointer", "git lfs pull"),
        (b"PK\x03\x04....", "zip archive", "unpack"),
        (b"BZh91AY", "bzip2", "unpack"),
        (b"\xFF\xFE<\0p\0", "UTF-16", "UTF-8"),
        (b"<html><body/></html>", "a web page", "download"),
        (b"<property-set/>", "a property file", "--properties"),
        (b"<?xml version='1.0'?>\n<workspaceElements>", "CPN Tools", "PNML"),
        (b"<a:something/>", "`<something>`", "PNML"),
        (b"{\"a\": 1}", "JSON", "PNML"),
        (b"just text", "no format that is known", "PNML"),
    ];
    for (bytes, message, hint) in files {
        let error = read(bytes).unwrap_err();
        assert!(error.message.contains(message), "{message}: {error}");
        assert!(error.hint.as_ref().is_some_and(|given| given.contains(hint)), "{hint}: {error}");
    }
}

#[test]
fn a_text_that_is_not_utf_8_is_refused_where_it_is_not() {
    let error = read(b"net n\npl caf\xE9 (1)\n").unwrap_err();
    assert!(error.message.contains("UTF-8"), "{error}");
    assert_eq!(error.position.map(|position| position.line), Some(2));
}
