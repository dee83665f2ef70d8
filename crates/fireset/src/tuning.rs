//! The time, memory and effort shares of the portfolio, in one place.
//!
//! A share is a part of the time or memory that remains when its stage begins, so that what one stage does not need goes to the
//! next ones. `fireset check --explain` prints the shares of a run and what each stage made of its own.

use std::time::Duration;

/// The shares of a check. They are no techniques to choose from, so no option of the command line changes them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuning {
    /// The time share of the pre-check.
    pub pre_check: f64,

    /// The longest pre-check.
    pub pre_check_limit: Duration,

    /// The share of the pre-check for the first states, before a random walk.
    pub pre_check_states: f64,

    /// The longest random walk of a pre-check.
    pub pre_check_walk: Duration,

    /// A pre-check explores at most this many states for all queries together. The search goes on with them if the passes after
    /// the pre-check leave the net as it is; otherwise they are explored in vain.
    pub pre_check_most_states: usize,

    /// States times queries that the search explores before the rest of the portfolio starts beside it: small nets end here, with
    /// shortest runs and the same answer in every run.
    pub search_head_start: usize,

    /// The rest of the portfolio starts after this share of the time at the latest: a single state of a large net takes long.
    pub search_head_start_time: f64,

    /// The share of the time in which queries that can share one exploration do so, before each is searched on its own net.
    pub joint_search: f64,

    /// The share of the time in which a global property is decided in parts, before it is decided as a whole.
    pub decomposition: f64,

    /// The time share of random walks, the first method of those that need no exploration and run in sequence beside the search.
    pub random_walk: f64,

    /// The time share of the state equation, after random walks.
    pub state_equation: f64,

    /// The time share of decision diagrams, after the state equation.
    pub decision_diagrams: f64,

    /// The time share of SAT-based methods, after decision diagrams; a second random walk has the rest.
    pub sat: f64,

    /// The memory share of the methods beside the search; the search has the rest.
    pub beside_search_memory: f64,

    /// LTL: the share of the time for the search alone, before decision diagrams run beside it.
    pub ltl_search: f64,

    /// LTL: the memory share of the search beside decision diagrams.
    pub ltl_search_memory: f64,

    /// CTL: the share of the time for the searches, before labelling and decision diagrams.
    pub ctl_search: f64,

    /// CTL: the share of the time for labelling and decision diagrams; the searches take over again afterwards.
    pub ctl_labelling: f64,

    /// CTL: the memory share of labelling; decision diagrams beside it have the rest.
    pub ctl_labelling_memory: f64,

    /// CTL: the time share of the LTL approximations beside the search.
    pub ctl_approximations: f64,

    /// CTL: the time share of random walks, after the approximations.
    pub ctl_walks: f64,

    /// CTL: the memory share of the search; approximations and walks have the rest.
    pub ctl_search_memory: f64,

    /// Coloured nets: the search on the coloured net starts after this share of the time, beside the unfolded net.
    pub unfolded_head_start: f64,

    /// Coloured nets: the memory share of the unfolded net; the coloured net has the rest.
    pub unfolded_memory: f64,

    /// With more queries than this a net is reduced for each only when its turn comes.
    pub many_queries: usize,

    /// The shortest turn of one of many queries.
    pub shortest_turn: Duration,

    /// Without a time limit the whole strategy runs in rounds, so that every open query and every portfolio member gets its turn
    /// again with more time. This is the length of the first round.
    pub first_round: Duration,

    /// How many times as long as the round before it a round lasts.
    pub round_growth: u32,

    /// The longest search for a certificate.
    pub certificate_limit: Duration,

    /// The search for a certificate takes at most the remaining time divided by this.
    pub certificate_part: u32,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            pre_check: 0.02,
            pre_check_limit: Duration::from_secs(1),
            pre_check_states: 0.5,
            pre_check_walk: Duration::from_millis(50),
            pre_check_most_states: 1 << 17,
            search_head_start: 1 << 20,
            search_head_start_time: 0.3,
            joint_search: 0.4,
            decomposition: 0.7,
            random_walk: 0.1,
            state_equation: 0.2,
            decision_diagrams: 0.4,
            sat: 0.8,
            beside_search_memory: 0.4,
            ltl_search: 0.4,
            ltl_search_memory: 0.5,
            ctl_search: 0.25,
            ctl_labelling: 0.75,
            ctl_labelling_memory: 0.5,
            ctl_approximations: 0.4,
            ctl_walks: 0.5,
            ctl_search_memory: 0.6,
            unfolded_head_start: 0.3,
            unfolded_memory: 0.6,
            many_queries: 64,
            shortest_turn: Duration::from_millis(50),
            first_round: Duration::from_secs(20),
            round_growth: 3,
            certificate_limit: Duration::from_secs(1),
            certificate_part: 64,
        }
    }
}
