//! Queries that people write.
