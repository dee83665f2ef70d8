//! The result file of an interrupted run: what it answers is not asked again.
//!
//! The file has JSON lines as `--format jsonl` writes them. A line without an end was being written when the process was
//! killed; it is cut off. Lines of properties that are asked again are taken out, so that no property has two; so are lines
//! that say what is wrong with a model, with all lines of that model before, which cannot be relied on, and lines about a file
//! that has changed since.

use std::{
    collections::HashMap,
    fs,
    io::{self, Write},
    path::Path,
};

use fireset::{
    Model, Property,
    io::{Fault, InputError, query},
    net::Logic,
};
use serde_json::Value;

use crate::{
    digest::digest,
    failure::Failure,
    print::jsonl::{Allowed, CANCELLED},
    tally::{Kind, Tally},
};

/// Answers of an earlier run.
#[derive(Debug, Default)]
pub struct Known(HashMap<Key, Kind>);

/// What an answer is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    path: String,
    name: String,
    query: String,
    logic: String,
}

impl Known {
    /// The answers in a file that still count when each model may use what is `allowed`. The others are taken out of it.
    /// A file that is not there has no answers.
    pub fn resume(file: &Path, allowed: &Allowed) -> Result<Self, Failure> {
        let bytes = match fs::read(file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => {
                let message = format!("the file cannot be read: {error}");
                return Err(InputError::whole(file.display().to_string(), message).into());
            }
        };
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let mut digests = HashMap::new();
        // Nothing is asked about a file that is gone.
        let mut now = |path: &str| {
            let now = digests.entry(path.to_owned()).or_insert_with(|| digest(Path::new(path)).ok());
            now.clone()
        };
        let changed = |path: &str, then: &str| then.is_empty() || now(path).is_some_and(|now| now != then);
        let (known, kept) =
            select(&bytes[..whole], allowed, changed).map_err(|fault| InputError::locate(file, fault))?;
        if kept.len() < bytes.len() {
            rewrite(file, &kept).map_err(Failure::writing(file))?;
        }
        Ok(known)
    }

    /// The properties of a model that have no answer, and the answers of the others.
    pub fn without(&self, path: &str, model: &Model, properties: Vec<Property>) -> (Vec<Property>, Tally) {
        let mut before = Tally::default();
        if self.0.is_empty() {
            return (properties, before);
        }
        let answered = |property: &Property| {
            let key = Key {
                path: path.to_owned(),
                name: property.name.clone(),
                query: query::show_as(&property.formula, property.logic, model.nodes()),
                logic: if property.logic == Logic::Ltl { "LTL" } else { "CTL" }.to_owned(),
            };
            self.0.get(&key).map(|&kind| before.count(kind)).is_some()
        };
        let (_, open) = properties.into_iter().partition::<Vec<_>, _>(answered);
        (open, before)
    }
}

/// The answers of some lines that count, and those lines; `changed` says whether a model has not that digest now.
fn select(
    lines: &[u8],
    allowed: &Allowed,
    mut changed: impl FnMut(&str, &str) -> bool,
) -> Result<(Known, Vec<u8>), Fault> {
    let (mut kept, mut offset) = (Vec::new(), 0);
    for line in lines.split_inclusive(|&byte| byte == b'\n') {
        let wrong = |message: &str| {
            let hint = "--resume goes on with a file that `fireset check --format jsonl -o FILE` wrote; \
                        without it FILE is overwritten";
            Fault::at(offset, format!("this line is no result: {message}")).hint(hint)
        };
        let entry: Value =
            serde_json::from_slice(line).map_err(|error| wrong(&format!("it is not JSON: {error}")))?;
        if let (Some(path), Some(_)) = (entry["path"].as_str(), entry["error"].as_str()) {
            kept.retain(|(key, _, _): &(Key, Kind, &[u8])| key.path != path);
        } else {
            let (key, digest, kind) = answer(&entry).ok_or_else(|| {
                wrong(
                    "an object with texts `path`, `digest`, `name`, `query`, `logic` and `verdict` is expected",
                )
            })?;
            let counts = kind != Kind::Unknown || is_final(&entry, allowed);
            if counts && !changed(&key.path, digest) {
                kept.push((key, kind, line));
            }
        }
        offset += line.len() as u64;
    }
    let bytes = kept.iter().flat_map(|(_, _, line)| *line).copied().collect();
    Ok((Known(kept.into_iter().map(|(key, kind, _)| (key, kind)).collect()), bytes))
}

/// What a line answers, about which contents of the model's file.
fn answer(entry: &Value) -> Option<(Key, &str, Kind)> {
    let text = |key: &str| entry[key].as_str().map(str::to_owned);
    let kind = match entry["verdict"].as_str()? {
        "holds" => Kind::Holds,
        "fails" => Kind::Fails,
        "bound" | "state-space" => Kind::Computed,
        "unknown" => Kind::Unknown,
        _ => return None,
    };
    let (path, name, query, logic) = (text("path")?, text("name")?, text("query")?, text("logic")?);
    Some((Key { path, name, query, logic }, entry["digest"].as_str()?, kind))
}

/// Whether asking again what stayed unknown would only give the same: it was not interrupted, and is allowed no more now.
fn is_final(entry: &Value, allowed: &Allowed) -> bool {
    let limits = &entry["limits"];
    let more_time = more(allowed.seconds, limits["seconds"].as_f64());
    let more_memory = more(allowed.memory_bytes, limits["memory_bytes"].as_u64());
    entry["stop"] != CANCELLED && !more_time && !more_memory
}

/// Whether a limit allows more than another; none allows most.
fn more<T: PartialOrd>(now: Option<T>, then: Option<T>) -> bool {
    match (now, then) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(now), Some(then)) => now > then,
    }
}

/// Puts other contents in the place of a file; if that is interrupted, the old ones are there.
fn rewrite(file: &Path, contents: &[u8]) -> io::Result<()> {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let new = file.with_file_name(name);
    let mut out = fs::File::create(&new)?;
    out.write_all(contents)?;
    out.sync_all()?;
    fs::rename(new, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, verdict: &str, more: &str) -> String {
        format!(
            "{{\"path\":\"a\",\"digest\":\"0\",\"name\":\"{name}\",\"query\":\"EF deadlock\",\"logic\":\"CTL\",\
             \"verdict\":\"{verdict}\"{more}}}\n"
        )
    }

    /// The names that are not asked again.
    fn kept(lines: &[String], allowed: &Allowed) -> Vec<String> {
        let (known, kept) = select(lines.concat().as_bytes(), allowed, |_, digest| digest != "0").unwrap();
        let mut names: Vec<_> = known.0.into_keys().map(|key| key.name).collect();
        names.sort();
        assert_eq!(kept.iter().filter(|&&byte| byte == b'\n').count(), names.len());
        names
    }

    #[test]
    fn what_may_be_answered_now_is_asked_again() {
        let limits = |stop: &str| {
            format!(",\"stop\":\"{stop}\",\"limits\":{{\"seconds\":10.0,\"memory_bytes\":1000}}")
        };
        let lines = [
            line("holds", "holds", ""),
            line("time", "unknown", &limits("time")),
            line("cancelled", "unknown", &limits("cancelled")),
            line("memory", "unknown", &limits("memory")),
        ];
        let allowed = |seconds, memory_bytes| Allowed { seconds, memory_bytes };
        let same = kept(&lines, &allowed(Some(10.0), Some(1000)));
        assert_eq!(same, ["holds", "memory", "time"]);
        assert_eq!(kept(&lines, &allowed(Some(5.0), Some(500))), same);
        assert_eq!(kept(&lines, &allowed(Some(11.0), Some(500))), ["holds"]);
        assert_eq!(kept(&lines, &allowed(None, Some(1000))), ["holds"]);
        assert_eq!(kept(&lines, &allowed(Some(10.0), Some(1001))), ["holds"]);
    }

    #[test]
    fn a_model_that_broke_is_asked_again() {
        let other = line("b", "holds", "").replace("\"path\":\"a\"", "\"path\":\"b\"");
        let broken = "{\"path\":\"a\",\"error\":\"two engines differ\"}\n".to_owned();
        let lines = [line("before", "holds", ""), other, broken, line("after", "fails", "")];
        assert_eq!(kept(&lines, &Allowed::default()), ["after", "b"]);
    }

    #[test]
    fn a_model_that_has_changed_is_asked_again() {
        let changed = line("changed", "holds", "").replace("\"digest\":\"0\"", "\"digest\":\"1\"");
        assert_eq!(kept(&[line("same", "holds", ""), changed], &Allowed::default()), ["same"]);
    }

    #[test]
    fn a_line_that_is_no_result_is_told_with_its_place() {
        let first = line("a", "holds", "");
        let select = |lines: &[u8]| select(lines, &Allowed::default(), |_, _| false);
        for wrong in ["{\n", "[]\n", "3\n", "\n", "{\"verdict\":\"holds\"}\n", "\u{1b}\n"] {
            let fault = select(format!("{first}{wrong}").as_bytes()).unwrap_err();
            assert_eq!(fault.offset, first.len() as u64, "{wrong}");
        }
        assert!(select(&[0xff, b'\n']).is_err());
        assert!(select(line("a", "perhaps", "").as_bytes()).is_err());
    }
}
