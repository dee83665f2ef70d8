//! The time, memory and effort shares of the portfolio, in one place.
//!
//! A share is a part of the time or memory that remains when its stage begins, so that what one stage does not need goes to the
//! next ones. `fireset check --explain` prints the shares of a run and what each stage made of its own.

use std::time::Duration;

/// The pre-check takes at most this share of the time, and never longer than [`PRE_CHECK_LIMIT`].
pub(crate) const PRE_CHECK: f64 = 0.02;
pub(crate) const PRE_CHECK_LIMIT: Duration = Duration::from_secs(1);

/// The share of the pre-check for the first states, before a random walk of at most [`PRE_CHECK_WALK`].
pub(crate) const PRE_CHECK_STATES: f64 = 0.5;
pub(crate) const PRE_CHECK_WALK: Duration = Duration::from_millis(50);

/// A pre-check explores at most this many states for all queries together. The search goes on with them if the passes after the
/// pre-check leave the net as it is; otherwise they are explored in vain.
pub(crate) const PRE_CHECK_MOST_STATES: usize = 1 << 17;

/// States times queries that the search explores before the rest of the portfolio starts beside it: small nets end here, with
/// shortest runs and the same answer in every run.
pub(crate) const SEARCH_HEAD_START: usize = 1 << 20;

/// The rest of the portfolio starts after this share of the time at the latest: a single state of a large net takes long.
pub(crate) const SEARCH_HEAD_START_TIME: f64 = 0.3;

/// The share of the time in which queries that can share one exploration do so, before each is searched on its own net.
pub(crate) const JOINT_SEARCH: f64 = 0.4;

/// The share of the time in which a global property is decided in parts, before it is decided as a whole.
pub(crate) const DECOMPOSITION: f64 = 0.7;

/// Time shares of the methods that need no exploration, in sequence beside the search.
pub(crate) const RANDOM_WALK: f64 = 0.1;
pub(crate) const STATE_EQUATION: f64 = 0.2;
pub(crate) const DECISION_DIAGRAMS: f64 = 0.4;
pub(crate) const SAT: f64 = 0.8;

/// The memory share of those methods; the search has the rest.
pub(crate) const BESIDE_SEARCH_MEMORY: f64 = 0.4;

/// LTL: the share of the time for the search alone, before decision diagrams run beside it.
pub(crate) const LTL_SEARCH: f64 = 0.4;

/// CTL: the share of the time for the searches, then the share of the rest for labelling and decision diagrams; the searches take
/// over again afterwards.
pub(crate) const CTL_SEARCH: f64 = 0.25;
pub(crate) const CTL_LABELLING: f64 = 0.75;

/// CTL: time shares of the LTL approximations and of random walks, in sequence beside the search, and the search's memory share.
pub(crate) const CTL_APPROXIMATIONS: f64 = 0.4;
pub(crate) const CTL_WALKS: f64 = 0.5;
pub(crate) const CTL_SEARCH_MEMORY: f64 = 0.6;

/// Coloured nets: the search on the coloured net starts after this share of the time beside the unfolded net, and the two memory
/// shares.
pub(crate) const UNFOLDED_HEAD_START: f64 = 0.3;
pub(crate) const UNFOLDED_MEMORY: f64 = 0.6;
pub(crate) const COLOURED_MEMORY: f64 = 0.4;

/// With more queries than this a net is reduced for each only when its turn comes, and its turn lasts at least
/// [`SHORTEST_TURN`].
pub(crate) const MANY_QUERIES: usize = 64;
pub(crate) const SHORTEST_TURN: Duration = Duration::from_millis(50);

/// Without a time limit the whole strategy runs in rounds: the first lasts this long, each following one [`ROUND_GROWTH`] times
/// as long as the one before, so that every open query and every portfolio member gets its turn again with more time. With a
/// factor of three at most half of the time goes into rounds that did not suffice.
pub(crate) const FIRST_ROUND: Duration = Duration::from_secs(20);
pub(crate) const ROUND_GROWTH: u32 = 3;

/// The longest search for a certificate, and the part of the remaining time that it may take.
pub(crate) const CERTIFICATE_LIMIT: Duration = Duration::from_secs(1);
pub(crate) const CERTIFICATE_PART: u32 = 64;
