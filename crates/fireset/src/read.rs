//! The way from a path to a model: a file in any format that fireset reads, or a directory in the layout of the Model
//! Checking Contest.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

use fireset_io::{
    InputError, Source,
    net_file::{self, NetChoice, NetFile},
};
use fireset_net::Model;

/// The file that holds the net in a directory of the Model Checking Contest.
const CONTEST_MODEL: &str = "model.pnml";

/// Reads the model at a path. A file is PNML with a place/transition net or a coloured (symmetric) net; a directory
/// must follow the Model Checking Contest layout, with its net in `model.pnml`.
///
/// # Errors
///
/// The file cannot be opened, or something in it is not understood. The error names the line, the column and the XML
/// element, and mostly has a hint.
///
/// ```
/// use fireset::{Model, read};
///
/// let model = read("../../examples/philosophers.pnml")?;
/// assert_eq!(model.nodes().places.len(), 15);
/// assert!(matches!(read("../../examples/contest-coloured")?, Model::Coloured(_)));
/// assert!(read("Cargo.toml").unwrap_err().to_string().contains("Cargo.toml"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(path: impl AsRef<Path>) -> Result<Model, InputError> {
    read_net(path, NetChoice::Only).map(|file| file.model)
}

/// [`read`] for one of several nets in a file, with what the file says beside the net: final markings, and notes about labels that
/// were passed over.
///
/// # Errors
///
/// As those of [`read`]; or the file has no such net.
pub fn read_net(path: impl AsRef<Path>, choice: NetChoice<'_>) -> Result<NetFile, InputError> {
    net_file::read_net_file(&net_path(path.as_ref())?, choice)
}

/// [`read_net`] that also keeps how the file presents the net: positions, colours, parts of tools. It takes about as much memory as
/// the file.
///
/// # Errors
///
/// As those of [`read_net`].
pub fn read_whole_net(path: impl AsRef<Path>, choice: NetChoice<'_>) -> Result<NetFile, InputError> {
    net_file::read_whole_net(&Source::open(&net_path(path.as_ref())?)?, choice)
}

/// The file of the net: in a directory, the one that the contest's layout says.
fn net_path(path: &Path) -> Result<Cow<'_, Path>, InputError> {
    if path.is_dir() { model_in(path).map(Cow::Owned) } else { Ok(Cow::Borrowed(path)) }
}

fn model_in(directory: &Path) -> Result<PathBuf, InputError> {
    let file = directory.join(CONTEST_MODEL);
    if file.exists() {
        return Ok(file);
    }
    let hint = "a directory must follow the Model Checking Contest layout, with model.pnml and <Examination>.xml; \
                name other files themselves";
    let message = format!("the directory has no {CONTEST_MODEL}");
    Err(InputError { hint: Some(hint.into()), ..InputError::whole(directory.display().to_string(), message) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_without_a_model_is_an_error_with_a_hint() {
        let error = read(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap_err();
        assert!(error.message.contains("model.pnml"), "{error}");
        assert!(error.hint.is_some_and(|hint| hint.contains("Contest")));
    }

    #[test]
    fn a_missing_file_is_an_error_that_names_it() {
        let error = read("no/such/net.pnml").unwrap_err();
        assert!(error.source.contains("net.pnml"), "{error}");
    }
}
