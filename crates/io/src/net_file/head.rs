//! The beginning of a file, as far as it tells the format.

/// The first lines of a file.
pub(crate) struct Head<'t> {
    /// Without a byte order mark.
    pub(crate) text: &'t str,
    /// The name of an XML file's root element, without its prefix.
    pub(crate) root: Option<&'t str>,
}

impl<'t> Head<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let text = text.trim_start_matches('\u{feff}');
        Self { text, root: root(text) }
    }

    /// The lines with something on them, without surrounding white space.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &'t str> {
        self.text.lines().map(str::trim).filter(|line| !line.is_empty())
    }
}

/// The root element follows declarations and comments.
fn root(text: &str) -> Option<&str> {
    let mut rest = text.trim_start();
    loop {
        let end = match rest {
            _ if rest.starts_with("<?") => "?>",
            _ if rest.starts_with("<!--") => "-->",
            // An inner subset has tags of its own.
            _ if rest.starts_with("<!") && rest.find('[') < rest.find('>') && rest.contains('[') => "]>",
            _ if rest.starts_with("<!") => ">",
            _ => break,
        };
        rest = rest[rest.find(end)? + end.len()..].trim_start();
    }
    let name = rest.strip_prefix('<')?;
    let length = name.find(|letter: char| letter.is_whitespace() || "/>".contains(letter))?;
    let name = &name[..length];
    Some(name.split_once(':').map_or(name, |(_, local)| local))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_found_behind_declarations_and_comments() {
        let roots = [
            ("\u{feff}<?xml version='1.0'?>\n<!-- <a> --><pnml>", Some("pnml")),
            ("<!DOCTYPE bpmn:definitions><bpmn:definitions id='1'>", Some("definitions")),
            ("<!DOCTYPE a [<!ELEMENT a EMPTY>]>\n<a/>", Some("a")),
            ("PLACE a;", None),
            ("<", None),
            ("<!-- ", None),
        ];
        for (text, root) in roots {
            assert_eq!(Head::new(text).root, root, "{text}");
        }
    }
}
