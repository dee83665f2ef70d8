//! Property files.
