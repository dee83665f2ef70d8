//! Soundness of workflows: the report with its parts, and the notions as queries.

#[path = "../common/mod.rs"]
mod common;
mod parts;
mod queries;
mod structural;
mod workflow_nets;
