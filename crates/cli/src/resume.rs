//! The result file of an interrupted run: properties that it answers are not checked again.
//!
//! The file has JSON lines as `--format jsonl` writes them; lines of versions before [`FORMAT`] had a number are read, too. A last line without a line end was being written when the process
//! was killed; it is removed. Lines of properties that are checked again are removed, so that each property has one line.
//! Error lines are removed too, together with all earlier lines of their model, which are unreliable; and so are lines about a
//! file that has changed since.

use std::{
    collections::HashMap,
    fs,
    io::{self, Write},
    path::Path,
};

use fireset::{
    Model,
    io::{Fault, InputError, property_file::AskedProperty, query},
    net::Logic,
};
use serde_json::Value;

use crate::{
    counts::{AnswerCounts, AnswerKind},
    digest::digest,
    failure::Failure,
    print::{
        jsonl::ModelLimits,
        record::{CANCELLED, FORMAT},
    },
};

/// Several properties may have the same key, with an answer each.
#[derive(Debug, Default)]
pub struct EarlierAnswers(HashMap<AnswerKey, Vec<EarlierAnswer>>);

#[derive(Clone, Debug)]
struct EarlierAnswer {
    kind: AnswerKind,
    /// As an expectation is shown: `holds`, `fails` or a number.
    verdict: String,
}

/// Identifies a property of a model.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct AnswerKey {
    path: String,
    name: String,
    query: String,
    logic: String,
}

impl EarlierAnswers {
    /// The answers in a file that are still valid with the limits of this run. All other lines are removed from the file.
    /// A missing file has no answers.
    pub fn resume(file: &Path, limits: &ModelLimits) -> Result<Self, Failure> {
        let bytes = match fs::read(file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => {
                let message = format!("cannot read the file: {error}");
                return Err(InputError::whole(file.display().to_string(), message).into());
            }
        };
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let mut digests = HashMap::new();
        // A model whose file is gone is not checked, so its answers stay.
        let mut now = |path: &str| {
            let now = digests.entry(path.to_owned()).or_insert_with(|| digest(Path::new(path)).ok());
            now.clone()
        };
        let changed = |path: &str, then: &str| then.is_empty() || now(path).is_some_and(|now| now != then);
        let (answers, kept) =
            select(&bytes[..whole], limits, changed).map_err(|fault| InputError::locate(file, fault))?;
        if kept.len() < bytes.len() {
            rewrite(file, &kept).map_err(Failure::writing(file))?;
        }
        Ok(answers)
    }

    /// The properties of a model without an earlier answer, and the counts of the earlier answers to the others.
    pub fn split(
        &self,
        path: &str,
        model: &Model,
        properties: Vec<AskedProperty>,
    ) -> (Vec<AskedProperty>, AnswerCounts) {
        let mut earlier = AnswerCounts::default();
        if self.0.is_empty() {
            return (properties, earlier);
        }
        let mut taken: HashMap<AnswerKey, usize> = HashMap::new();
        let is_answered = |asked: &AskedProperty| {
            let AskedProperty { property, expected } = asked;
            let key = AnswerKey {
                path: path.to_owned(),
                name: property.name.clone(),
                query: query::show_as(&property.formula, property.logic, model),
                logic: if property.logic == Logic::Ltl { "LTL" } else { "CTL" }.to_owned(),
            };
            let Some(answers) = self.0.get(&key) else { return false };
            let next = taken.entry(key).or_default();
            let Some(EarlierAnswer { kind, verdict }) = answers.get(*next) else { return false };
            *next += 1;
            earlier.count(*kind, expected.as_ref().map(|expected| expected.to_string() == *verdict));
            true
        };
        let (_, open) = properties.into_iter().partition::<Vec<_>, _>(is_answered);
        (open, earlier)
    }
}

/// The answers that stay valid, and their lines; `changed` tells whether the digest of a model differs from a line's.
fn select(
    lines: &[u8],
    limits: &ModelLimits,
    mut changed: impl FnMut(&str, &str) -> bool,
) -> Result<(EarlierAnswers, Vec<u8>), Fault> {
    let (mut kept, mut offset) = (Vec::new(), 0);
    for line in lines.split_inclusive(|&byte| byte == b'\n') {
        let wrong = |message: &str| {
            let hint = "--resume continues a file written by `fireset check --format jsonl -o FILE`; without --resume FILE is \
                        overwritten";
            Fault::at(offset, format!("this line is not a result: {message}")).hint(hint)
        };
        let entry: Value =
            serde_json::from_slice(line).map_err(|error| wrong(&format!("it is not JSON: {error}")))?;
        if let Some(format) = entry.get("format").filter(|&format| *format != FORMAT) {
            return Err(wrong(&format!("its format is {format}, and this version reads {FORMAT}")));
        }
        let is_error = entry.get("error").is_some();
        if is_error && entry["name"].is_string() {
            // A property that was not understood is read again.
        } else if let (true, Some(path)) = (is_error, entry["path"].as_str()) {
            kept.retain(|(key, _, _): &(AnswerKey, EarlierAnswer, &[u8])| key.path != path);
        } else {
            let (key, digest, earlier) = answer(&entry).ok_or_else(|| {
                wrong(
                    "expected an object with strings `path`, `digest`, `name`, `query`, `logic` and `verdict`",
                )
            })?;
            let valid = earlier.kind != AnswerKind::Unknown || is_final(&entry, limits);
            if valid && !changed(&key.path, digest) {
                kept.push((key, earlier, line));
            }
        }
        offset += line.len() as u64;
    }
    let bytes = kept.iter().flat_map(|(_, _, line)| *line).copied().collect();
    let mut answers = EarlierAnswers::default();
    kept.into_iter().for_each(|(key, earlier, _)| answers.0.entry(key).or_default().push(earlier));
    Ok((answers, bytes))
}

/// The property of a line, the digest of its model's file, and the answer.
fn answer(entry: &Value) -> Option<(AnswerKey, &str, EarlierAnswer)> {
    let text = |key: &str| entry[key].as_str().map(str::to_owned);
    let word = entry["verdict"].as_str()?;
    let (kind, verdict) = match word {
        "holds" => (AnswerKind::Holds, Some(word)),
        "fails" => (AnswerKind::Fails, Some(word)),
        "bound" => (AnswerKind::Computed, entry["bound"].as_str()),
        "state-space" => (AnswerKind::Computed, entry["states"].as_str()),
        "unknown" => (AnswerKind::Unknown, Some(word)),
        _ => return None,
    };
    let earlier = EarlierAnswer { kind, verdict: verdict.unwrap_or_default().to_owned() };
    let (path, name, query, logic) = (text("path")?, text("name")?, text("query")?, text("logic")?);
    Some((AnswerKey { path, name, query, logic }, entry["digest"].as_str()?, earlier))
}

/// Whether an unknown property would stay unknown: its run was not interrupted, and this run has no larger limits.
fn is_final(entry: &Value, limits: &ModelLimits) -> bool {
    let earlier = &entry["limits"];
    let more_time = is_larger(limits.seconds, earlier["seconds"].as_f64());
    let more_memory = is_larger(limits.memory_bytes, earlier["memory_bytes"].as_u64());
    entry["stop"] != CANCELLED && !more_time && !more_memory
}

/// Whether a limit exceeds another; no limit exceeds all.
fn is_larger<T: PartialOrd>(now: Option<T>, then: Option<T>) -> bool {
    match (now, then) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(now), Some(then)) => now > then,
    }
}

/// Replaces the contents of a file; if that is interrupted, the old contents stay.
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
    use fireset::io::property_file::Expectation;

    use super::*;

    fn line(name: &str, verdict: &str, more: &str) -> String {
        format!(
            "{{\"path\":\"a\",\"digest\":\"0\",\"name\":\"{name}\",\"query\":\"EF deadlock\",\"logic\":\"CTL\",\
             \"verdict\":\"{verdict}\"{more}}}\n"
        )
    }

    /// The names of the properties that are not checked again.
    fn kept(lines: &[String], limits: &ModelLimits) -> Vec<String> {
        let (answers, kept) = select(lines.concat().as_bytes(), limits, |_, digest| digest != "0").unwrap();
        let mut names: Vec<_> = answers.0.into_keys().map(|key| key.name).collect();
        names.sort();
        assert_eq!(kept.iter().filter(|&&byte| byte == b'\n').count(), names.len());
        names
    }

    #[test]
    fn a_property_that_may_be_answered_now_is_checked_again() {
        let limits = |stop: &str| {
            format!(",\"stop\":\"{stop}\",\"limits\":{{\"seconds\":10.0,\"memory_bytes\":1000}}")
        };
        let lines = [
            line("holds", "holds", ""),
            line("time", "unknown", &limits("time")),
            line("cancelled", "unknown", &limits("cancelled")),
            line("memory", "unknown", &limits("memory")),
        ];
        let limits_now = |seconds, memory_bytes| ModelLimits { seconds, memory_bytes };
        let same = kept(&lines, &limits_now(Some(10.0), Some(1000)));
        assert_eq!(same, ["holds", "memory", "time"]);
        assert_eq!(kept(&lines, &limits_now(Some(5.0), Some(500))), same);
        assert_eq!(kept(&lines, &limits_now(Some(11.0), Some(500))), ["holds"]);
        assert_eq!(kept(&lines, &limits_now(None, Some(1000))), ["holds"]);
        assert_eq!(kept(&lines, &limits_now(Some(10.0), Some(1001))), ["holds"]);
    }

    #[test]
    fn an_unreliable_model_is_checked_again() {
        let other = line("b", "holds", "").replace("\"path\":\"a\"", "\"path\":\"b\"");
        for error in ["\"two engines differ\"", "{\"kind\":\"fault\",\"message\":\"two engines differ\"}"] {
            let broken = format!("{{\"path\":\"a\",\"error\":{error}}}\n");
            let lines = [line("before", "holds", ""), other.clone(), broken, line("after", "fails", "")];
            assert_eq!(kept(&lines, &ModelLimits::default()), ["after", "b"]);
        }
    }

    #[test]
    fn a_property_that_was_not_understood_is_read_again() {
        let misread = "{\"path\":\"a\",\"name\":\"b\",\"verdict\":\"unknown\",\"error\":\"no place `x`\"}\n";
        let lines = [line("before", "holds", ""), misread.to_owned()];
        assert_eq!(kept(&lines, &ModelLimits::default()), ["before"]);
    }

    /// Two properties of the same name and query have two lines, and one line answers one of them.
    #[test]
    fn equal_properties_have_an_answer_each() {
        let model = Model::Plain(fireset_oracle::tiny::net("p:1; t: p -> "));
        let property = query::read("q", "EF deadlock", model.nodes()).unwrap();
        let properties = vec![AskedProperty::from(property); 3];
        for count in 0..4 {
            let lines = vec![line("q", "holds", ""); count].concat();
            let (answers, _) = select(lines.as_bytes(), &ModelLimits::default(), |_, _| false).unwrap();
            assert_eq!(answers.split("a", &model, properties.clone()).0.len(), 3 - count.min(3));
        }
    }

    #[test]
    fn an_earlier_answer_is_compared_with_the_expected_one() {
        let model = Model::Plain(fireset_oracle::tiny::net("p:1; t: p -> "));
        let property = query::read("q", "EF deadlock", model.nodes()).unwrap();
        let earlier = |verdict: &str, expected: Expectation| {
            let lines = line("q", verdict, "");
            let (answers, _) = select(lines.as_bytes(), &ModelLimits::default(), |_, _| false).unwrap();
            let asked = AskedProperty { property: property.clone(), expected: Some(expected) };
            answers.split("a", &model, vec![asked]).1.to_string()
        };
        assert_eq!(earlier("fails", Expectation::Fails), "1 fail");
        assert_eq!(earlier("holds", Expectation::Fails), "1 hold, 1 not as expected");
    }

    #[test]
    fn a_changed_model_is_checked_again() {
        let changed = line("changed", "holds", "").replace("\"digest\":\"0\"", "\"digest\":\"1\"");
        assert_eq!(kept(&[line("same", "holds", ""), changed], &ModelLimits::default()), ["same"]);
    }

    #[test]
    fn lines_of_another_format_are_refused() {
        let this = line("this", "holds", ",\"format\":1");
        assert_eq!(kept(&[line("old", "holds", ""), this], &ModelLimits::default()), ["old", "this"]);
        let next = line("next", "holds", ",\"format\":2");
        let fault = select(next.as_bytes(), &ModelLimits::default(), |_, _| false).unwrap_err();
        assert!(fault.message.contains("its format is 2"), "{}", fault.message);
    }

    #[test]
    fn a_line_that_is_not_a_result_is_reported_with_its_offset() {
        let first = line("a", "holds", "");
        let select = |lines: &[u8]| select(lines, &ModelLimits::default(), |_, _| false);
        for wrong in ["{\n", "[]\n", "3\n", "\n", "{\"verdict\":\"holds\"}\n", "\u{1b}\n"] {
            let fault = select(format!("{first}{wrong}").as_bytes()).unwrap_err();
            assert_eq!(fault.offset, first.len() as u64, "{wrong}");
        }
        assert!(select(&[0xff, b'\n']).is_err());
        assert!(select(line("a", "perhaps", "").as_bytes()).is_err());
    }
}
