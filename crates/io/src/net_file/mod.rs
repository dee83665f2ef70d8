//! A file with a net, in any format: the content decides which one it is.

mod ends;
pub(crate) mod foreign;
mod head;
mod write_error;

use std::path::Path;

use fireset_net::{Model, PlaceId, Property};

pub(crate) use head::Head;
pub use write_error::NetWriteError;

use crate::{
    Fault, InputError, apt, astg, bpmn, lola, mist,
    pnml::{self, Keeping, Presentation},
    pnpro,
    source::{Input, Source},
    tina,
};

/// What a file says of a net.
#[derive(Clone, Debug)]
pub struct NetFile {
    /// Of the chosen net, or of all components together.
    pub model: Model,
    /// The markings in which a run should end, as process miners give them: places with their tokens.
    pub final_markings: Vec<Vec<(PlaceId, u64)>>,
    /// Places whose tokens may be left at the end: messages that are never received.
    pub messages: Vec<PlaceId>,
    /// The properties that the file asks of its net.
    pub properties: Vec<Property>,
    /// What was passed over, each in one sentence.
    pub notes: Vec<String>,
    /// How the file presents the net, if that is kept and the format has it.
    pub presentation: Option<Presentation>,
}

impl NetFile {
    /// A net with nothing beside it.
    pub fn of(model: Model) -> Self {
        let (final_markings, properties) = (Vec::new(), Vec::new());
        let (messages, notes) = (Vec::new(), Vec::new());
        Self { model, final_markings, messages, properties, notes, presentation: None }
    }

    /// The only net of a file, which must be the chosen one.
    pub(crate) fn chosen(self, choice: NetChoice<'_>) -> Result<Self, Fault> {
        match choice {
            NetChoice::Named(name) if name != self.model.name() => {
                let fault = Fault::at(0, format!("the file has no net `{name}`"));
                Err(fault.hint(format!("its only net is `{}`", self.model.name())))
            }
            NetChoice::Named(_) | NetChoice::Only => Ok(self),
        }
    }
}

/// Which net of a file is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NetChoice<'n> {
    /// The only one; several components of one model are composed.
    #[default]
    Only,
    /// The one with this id or name.
    Named(&'n str),
}

/// A format in which nets are read.
struct NetFormat {
    /// As messages call it.
    name: &'static str,
    recognises: fn(&Head<'_>) -> bool,
    read: fn(Input<'_>, NetChoice<'_>) -> Result<NetFile, Fault>,
}

/// Every format; the first that recognises a file reads it.
const FORMATS: [NetFormat; 9] = [
    NetFormat {
        name: "PNML",
        recognises: pnml::recognises,
        // Plain files may be large; code of their own reads them faster.
        read: |input, choice| match input {
            Input::File(file) => pnml::read_net(file, choice),
            Input::Other(other) => pnml::read_net(other, choice),
        },
    },
    NetFormat {
        name: "APT",
        recognises: apt::recognises,
        read: |input, choice| apt::read(&input.text()?)?.chosen(choice),
    },
    NetFormat {
        name: "ASTG (.g)",
        recognises: astg::recognises,
        read: |input, choice| astg::read(&input.text()?)?.chosen(choice),
    },
    NetFormat {
        name: "BPMN",
        recognises: bpmn::recognises,
        read: |input, choice| bpmn::read_net(input, choice),
    },
    NetFormat {
        name: "LoLA",
        recognises: lola::recognises,
        read: |input, choice| lola::read(&input.text()?)?.chosen(choice),
    },
    NetFormat {
        name: "mist (.spec)",
        recognises: mist::recognises,
        read: |input, choice| mist::read(&input.text()?)?.chosen(choice),
    },
    NetFormat {
        name: "GreatSPN (.PNPRO)",
        recognises: pnpro::recognises,
        read: |input, choice| pnpro::read_net(input, choice),
    },
    NetFormat {
        name: "Tina (.ndr)",
        recognises: tina::recognises_drawing,
        read: |input, choice| tina::read_drawing(&input.text()?)?.chosen(choice),
    },
    NetFormat {
        name: "Tina (.net)",
        recognises: tina::recognises,
        read: |input, choice| tina::read(&input.text()?)?.chosen(choice),
    },
];

/// The number of bytes that tell the format of a file. Comments may come first.
const HEAD: u64 = 1 << 16;

/// Reads a net of a file, compressed or not; `-` is the standard input.
pub fn read_net_file(path: &Path, choice: NetChoice<'_>) -> Result<NetFile, InputError> {
    read_net(&Source::open(path)?, choice)
}

/// Reads a net of a source with all that the file says of its presentation, if its format is PNML.
pub fn read_whole_net(source: &Source, choice: NetChoice<'_>) -> Result<NetFile, InputError> {
    let bytes = source.head(HEAD)?;
    if !pnml::recognises(&Head::new(&String::from_utf8_lossy(&bytes))) {
        return read_net(source, choice);
    }
    let read = pnml::read_net_keeping(source.input()?, choice, Keeping::Everything);
    read.map_err(|fault| source.locate(fault))
}

/// Reads a net of a file or of bytes in memory.
pub fn read_net(source: &Source, choice: NetChoice<'_>) -> Result<NetFile, InputError> {
    let bytes = source.head(HEAD)?;
    let text = String::from_utf8_lossy(&bytes);
    let head = Head::new(&text);
    let format = FORMATS.iter().find(|format| (format.recognises)(&head));
    match format {
        Some(format) => (format.read)(source.input()?, choice).map_err(|fault| source.locate(fault)),
        None => Err(source.locate(foreign::fault(&bytes, &head))),
    }
}

/// The names of all formats, for messages.
fn format_names() -> String {
    FORMATS.map(|format| format.name).join(", ")
}
