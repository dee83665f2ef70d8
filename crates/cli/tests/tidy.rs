//! What the repository asks of its own text and code: paths that documents name exist, sizes stay readable, names stand for
//! one thing, and comments say something.
//!
//! A check lists its offenders, and [`LIMITS`] has the largest number that it allows. Limits only go down: a change that removes
//! offenders lowers them. The aim is 25 type names that are defined more than once, and none of all others.

#[path = "tidy/comments.rs"]
mod comments;
#[path = "tidy/documents.rs"]
mod documents;
#[path = "tidy/items.rs"]
mod items;
#[path = "tidy/source.rs"]
mod source;

use source::{Repository, SourceFile};

/// How many offenders each check allows.
const LIMITS: [(&str, TidyCheck, usize); 13] = [
    ("named paths that do not exist", documents::missing_paths, 0),
    ("links that lead nowhere", documents::broken_links, 0),
    ("documents that are too long", documents::too_long, 0),
    ("phrases without a subject in documents", documents::vague_phrases, 0),
    ("files of more than 600 lines whose head does not say why", items::long_files, 0),
    ("functions of more than 100 lines, but for one flat match", items::long_functions, 1),
    ("functions of more than five parameters", items::wide_functions, 0),
    ("functions with two boolean parameters", items::boolean_functions, 0),
    ("type names that are defined more than once", items::ambiguous_types, 0),
    ("names of the old vocabulary", items::retired_names, 0),
    ("doc comments that repeat a name", comments::hollow, 0),
    ("phrases without a subject in comments and messages", comments::vague_phrases, 0),
    ("spellings that are not British", comments::spellings, 0),
];

/// Lists offenders, each with its file and line.
type TidyCheck = fn(&Repository) -> Vec<String>;

#[test]
fn the_repository_is_tidy() {
    let repository = Repository::read();
    assert!(repository.sources.len() > 100, "the sources are there");
    let mut failures = String::new();
    for (name, check, limit) in LIMITS {
        let offenders = check(&repository);
        if offenders.len() > limit {
            let list = offenders.join("\n  ");
            failures += &format!("{name}: {} (limit {limit})\n  {list}\n", offenders.len());
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}
