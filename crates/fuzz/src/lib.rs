//! Fuzz targets for the parsers of fireset, in `tests/parsers.rs`. They have a package of their own, because a fuzzer can only
//! link targets that it runs.
