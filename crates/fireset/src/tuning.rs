//! The time, memory and effort shares of the portfolio, in one place.
//!
//! A share is a part of the time or memory that remains when its stage begins, so that what one stage does not need goes to the
//! next ones. `fireset check --explain` prints the shares of a run and what each stage made of its own.
//!
//! `fireset-bench tuning` measures each share at about half, as it is, and at about double; `crates/bench/README.md` has the table.
//! The portfolio is robust: most differences are within the noise of a shared machine with two cores, which is about two
//! answers, or a tenth of the time. A measurement that shows no difference says that the value does no harm, not that it is the
//! best. The numbers are answers and seconds for all problems together; the limit of each problem is in brackets. A search of 2 s
//! hardly fills 32 MB, so the memory shares are judgements still.

use std::time::Duration;

/// The shares of a check. They are no techniques to choose from, so no option of the command line changes them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuning {
    /// The time share of the pre-check.
    ///
    /// Measured (reachability, 96 queries, 2 s): 0.01: 95 answers in 8.3 s; 0.02: 94 in 7.9 s, again 94 in 7.5 s; 0.04: 93
    /// in 9.1 s.
    pub pre_check: f64,

    /// The longest pre-check.
    ///
    /// Measured (reachability, 96 queries, 128 s): 500 ms: 96 answers in 5.2 s; 1 s: 96 in 5.2 s, again 96 in 5.4 s; 2 s:
    /// 96 in 5.1 s.
    pub pre_check_limit: Duration,

    /// The share of the pre-check for the first states, before a random walk.
    ///
    /// Measured (reachability, 96 queries, 128 s): 0.25: 96 answers in 7.9 s; 0.5: 96 in 8.7 s, again 96 in 8.1 s; 0.75: 96
    /// in 8.0 s.
    pub pre_check_states: f64,

    /// The longest random walk of a pre-check.
    ///
    /// Measured (reachability, 96 queries, 128 s): 25 ms: 96 answers in 5.1 s; 50 ms: 96 in 5.2 s, again 96 in 5.2 s; 100
    /// ms: 96 in 6.3 s.
    pub pre_check_walk: Duration,

    /// A pre-check explores at most this many states for all queries together. The search goes on with them if the passes after
    /// the pre-check leave the net as it is; otherwise they are explored in vain.
    ///
    /// Measured (reachability, 96 queries, 128 s): 65_536: 96 answers in 5.2 s; 131_072: 96 in 5.4 s, again 96 in 5.4 s;
    /// 262_144: 96 in 5.9 s.
    pub pre_check_most_states: usize,

    /// States times queries that the search explores before the rest of the portfolio starts beside it: small nets end here, with
    /// shortest runs and the same answer in every run.
    ///
    /// Measured (reachability, 96 queries, 2 s): 524_288: 94 answers in 7.7 s; 1_048_576: 94 in 7.9 s, again 94 in 7.5 s;
    /// 2_097_152: 93 in 9.4 s.
    pub search_head_start: usize,

    /// The rest of the portfolio starts after this share of the time at the latest: a single state of a large net takes long, and small
    /// nets need no time at all.
    ///
    /// Measured (reachability, 96 queries, 2 s): 0.15: 94 answers in 7.5 s; 0.3: 94 in 7.9 s, again 94 in 7.5 s; 0.6: 94 in
    /// 7.5 s. On 18 large contest nets, 853 formulas, 16 s for 16: 0.05: 747 answers; 0.3: 745, and those of both in 0.85 times the time
    /// with 0.05 and half the time for simplification.
    pub search_head_start_time: f64,

    /// The same where only sizes of state spaces are asked for: large ones are counted by decision diagrams.
    ///
    /// A judgement: on CloudReconfiguration-PT-306 the diagrams begin after 0.8 s instead of 4.5 s of 16 s, and take 1.9 s.
    pub size_head_start_time: f64,

    /// The share of the time in which queries that can share one exploration do so, before each is searched on its own net.
    ///
    /// Measured (reachability, 96 queries, 2 s): 0.2: 94 answers in 7.3 s; 0.4: 94 in 7.9 s, again 94 in 7.5 s; 0.7: 94 in
    /// 7.2 s.
    pub joint_search: f64,

    /// The share of the time in which a global property is decided in parts, before it is decided as a whole.
    ///
    /// Measured (global properties, 24 queries, 2 s): 0.35: 15 answers in 8.4 s; 0.7: 15 in 8.7 s, again 15 in 9.0 s; 0.85:
    /// 15 in 9.1 s.
    pub decomposition: f64,

    /// The time share that is kept for the most tokens in a marking and in a place, for when the states are not counted in time.
    ///
    /// Measured (state-space sizes of 9 contest nets that were not counted, 16 s each): 0.1: 12 of 18 maxima are found, most of them in
    /// the first half second. Of 16 nets of the same set that are counted, one is counted in the last tenth of the time.
    pub most_tokens: f64,

    /// The longest search for the most tokens.
    ///
    /// A judgement: what the state equation and the walks find they find soon.
    pub most_tokens_limit: Duration,

    /// The time share of random walks, the first method of those that need no exploration and run in sequence beside the search.
    ///
    /// Measured (reachability, 96 queries, 2 s): 0.05: 94 answers in 7.1 s; 0.1: 94 in 7.9 s, again 94 in 7.5 s; 0.2: 94 in
    /// 7.4 s.
    pub random_walk: f64,

    /// The time share of the state equation, after random walks.
    ///
    /// Measured (reachability, 96 queries, 2 s): 0.1: 94 answers in 7.2 s; 0.2: 94 in 7.9 s, again 94 in 7.5 s; 0.4: 94 in
    /// 7.7 s.
    pub state_equation: f64,

    /// The time share of coverability, after the state equation.
    ///
    /// Not measured by `fireset-bench tuning`, whose nets are bounded: bounded by semiflows they take no time here. On public nets
    /// that are unbounded almost all answers come in the pre-check; the rest needs a share that is worth its name.
    pub coverability: f64,

    /// Nodes of a coverability tree in a pre-check.
    ///
    /// Not measured by `fireset-bench tuning`, for the same reason. Trees of this size take a few milliseconds; those of public
    /// unbounded nets mostly have fewer than a hundred nodes.
    pub pre_check_most_nodes: usize,

    /// The time share of bound checks, after the state equation.
    ///
    /// A judgement: the checks have the techniques of all others at hand.
    pub bound_checks: f64,

    /// The time share of decision diagrams, after coverability.
    ///
    /// Measured (reachability, 96 queries, 2 s): 0.2: 94 answers in 7.8 s; 0.4: 94 in 7.9 s, again 94 in 7.5 s; 0.7: 94 in
    /// 7.4 s.
    pub decision_diagrams: f64,

    /// The time share of SAT-based methods, after decision diagrams; a second random walk has the rest.
    ///
    /// Measured (reachability, 96 queries, 2 s): 0.4: 95 answers in 7.0 s; 0.8: 94 in 7.9 s, again 94 in 7.5 s; 0.9: 94 in
    /// 7.4 s.
    pub sat: f64,

    /// The memory share of the methods beside the search; the search has the rest.
    ///
    /// Measured (reachability, 96 queries, 2 s, 32 MB): 0.2: 94 answers in 7.4 s; 0.4: 94 in 7.3 s, again 94 in 7.6 s; 0.7:
    /// 94 in 7.5 s.
    pub beside_search_memory: f64,

    /// LTL: the time share of pruned automata, before everything else.
    ///
    /// Measured (43 LTL formulas that hold and were open before, on 10 large nets of the contest, 14 s for those of a net): 16
    /// answers, each within 0.5 s. What stays open on nets that repeat costs this share.
    pub ltl_pruning: f64,

    /// LTL: the share of the time for random walks beside the search, before decision diagrams take their place.
    ///
    /// A judgement: on 85 contest nets with open formulas, 16 s for 16 formulas, walks with a share of 0.3 answered 259 formulas more
    /// than none, and walks without anything beside them 281 in 10 s, so they get more.
    pub lasso_walk: f64,

    /// LTL: the share of the random walks for all queries together, before each walks on its own net.
    ///
    /// A judgement: lassos that are easy to find are met at once; a net that is reduced for one query is smaller.
    pub joint_lasso_walk: f64,

    /// LTL: the share of the search in the pre-check; random walks have the rest. Small nets end in the search, with short lassos.
    ///
    /// A judgement, as above.
    pub first_ltl_search: f64,

    /// LTL: the memory share of the search beside decision diagrams.
    ///
    /// Measured (LTL, 96 queries, 2 s, 32 MB): 0.25: 91 answers in 9.0 s; 0.5: 91 in 8.7 s, again 90 in 9.1 s; 0.75: 90 in
    /// 9.0 s.
    pub ltl_search_memory: f64,

    /// CTL: the share of the time for the searches, before labelling and decision diagrams.
    ///
    /// Measured (CTL, 96 queries, 2 s): 0.125: 89 answers in 10.9 s; 0.25: 91 in 9.7 s, again 91 in 9.7 s; 0.5: 91 in 10.0
    /// s.
    pub ctl_search: f64,

    /// CTL: the share of the time for labelling and decision diagrams; the searches take over again afterwards.
    ///
    /// Measured (CTL, 96 queries, 2 s): 0.375: 90 answers in 9.7 s; 0.75: 91 in 9.7 s, again 91 in 9.7 s; 0.875: 91 in 9.8
    /// s.
    pub ctl_labelling: f64,

    /// CTL: the time share of checks of inner formulas, before labelling and beside decision diagrams.
    ///
    /// A judgement: on 38 large contest nets, 40 s for 16 formulas on a busy machine, labelling decided none of the formulas that were
    /// left to it; nets with few enough markings for it end in the searches or need little time.
    pub ctl_inner_checks: f64,

    /// CTL: the memory share of labelling; decision diagrams beside it have the rest.
    ///
    /// Measured (CTL, 96 queries, 2 s, 32 MB): 0.25: 92 answers in 9.1 s; 0.5: 90 in 9.7 s, again 90 in 9.6 s; 0.75: 90 in
    /// 9.6 s.
    pub ctl_labelling_memory: f64,

    /// CTL: the time share of random walks for the LTL approximations, beside the search.
    ///
    /// A judgement: what they find they find soon.
    pub ctl_lasso_walks: f64,

    /// CTL: the time share of the LTL approximations, after those walks.
    ///
    /// Measured (CTL, 96 queries, 2 s): 0.2: 89 answers in 11.0 s; 0.4: 91 in 9.7 s, again 91 in 9.7 s; 0.7: 90 in 9.8 s.
    pub ctl_approximations: f64,

    /// CTL: the time share of random walks, after the approximations.
    ///
    /// Measured (CTL, 96 queries, 2 s): 0.25: 91 answers in 9.6 s; 0.5: 91 in 9.7 s, again 91 in 9.7 s; 0.75: 90 in 9.8 s.
    pub ctl_walks: f64,

    /// CTL: the memory share of the search; approximations and walks have the rest.
    ///
    /// Measured (CTL, 96 queries, 2 s, 32 MB): 0.3: 90 answers in 9.7 s; 0.6: 90 in 9.7 s, again 90 in 9.6 s; 0.8: 90 in
    /// 9.8 s.
    pub ctl_search_memory: f64,

    /// Coloured nets: the search on the coloured net starts after this share of the time, beside the unfolded net.
    ///
    /// Measured (coloured nets, 96 queries, 2 s): 0.15: 67 answers in 12.0 s; 0.3: 62 in 12.1 s, again 63 in 12.1 s; 0.6:
    /// 61 in 12.3 s. With 11 problems, 176 queries: 0.15: 130 answers; 0.3: 128, again 128; 0.6: 118.
    pub unfolded_head_start: f64,

    /// Coloured nets: the memory share of the unfolded net; the coloured net has the rest.
    ///
    /// Measured (coloured nets, 96 queries, 2 s, 32 MB): 0.3: 70 answers in 11.2 s; 0.6: 70 in 11.0 s, again 70 in 11.0 s;
    /// 0.8: 70 in 10.9 s.
    pub unfolded_memory: f64,

    /// Coloured nets: approximations run beside an unfolding that may have more places and transitions than this.
    ///
    /// A judgement: an unfolding of this size takes about a second. Where most bindings can never be enabled, an unfolding is much smaller than
    /// that, and the approximations run in vain until it answers.
    pub surely_unfolded: u64,

    /// Coloured nets: the time share of the net with few colours, before the net without colours.
    ///
    /// A judgement: the first shows what there is mostly at once; the second has the proofs, which take longer.
    pub colour_restriction: f64,

    /// Coloured nets: the time share of random walks on the coloured net, after the net with few colours.
    ///
    /// A judgement: what all of many processes have to do is shown by sweeps alone.
    pub coloured_walk: f64,

    /// With more queries than this a net is reduced for each only when its turn comes.
    ///
    /// Measured (global properties, 24 queries, 2 s): 32: 15 answers in 9.0 s; 64: 15 in 8.7 s, again 15 in 9.0 s; 128: 18
    /// in 7.2 s. With 11 nets, 44 queries: 32: 33 answers; 64: 34, again 34; 128: 32.
    pub many_queries: usize,

    /// The shortest turn of one of many queries.
    ///
    /// Measured (global properties, 24 queries, 2 s): 25 ms: 15 answers in 9.0 s; 50 ms: 15 in 8.7 s, again 15 in 9.0 s;
    /// 100 ms: 15 in 9.0 s.
    pub shortest_turn: Duration,

    /// Without a time limit the whole strategy runs in rounds, so that every open query and every portfolio member gets its turn
    /// again with more time. This is the length of the first round.
    ///
    /// Measured (CTL, 32 queries, without a limit, stopped after 30 s): 10 s: 30 answers in 34.7 s; 20 s: 30 in 37.3 s,
    /// again 30 in 38.3 s; 40 s: 30 in 42.7 s. The shorter the round, the sooner the later
    /// members have their first turn.
    pub first_round: Duration,

    /// How many times as long as the round before it a round lasts.
    ///
    /// Not measured, because it follows from arithmetic: with a factor of g, the rounds that did not suffice together last less than
    /// g / (g - 1) times what a query needs, and the last round less than g times. For a factor of three that is 1.5 and 3.
    pub round_growth: u32,

    /// The longest search for a certificate.
    ///
    /// Measured (reachability, 96 queries, 128 s): 500 ms: 40 certificates in 5.1 s; 1 s: 40 in 5.2 s, again 40 in 5.4 s; 2
    /// s: 40 in 5.2 s.
    pub certificate_limit: Duration,

    /// The search for a certificate takes at most the remaining time divided by this.
    ///
    /// Measured (reachability, 96 queries, 2 s): 32: 22 certificates in 7.4 s; 64: 22 in 7.3 s, again 22 in 7.4 s; 128: 19
    /// in 7.8 s.
    pub certificate_part: u32,

    /// The states of a search for a short run, times the nodes of the net. Not measured as a share, since no answer depends on it:
    /// it keeps the search below half a second.
    pub run_search_effort: u64,

    /// A search for a short run that could see fewer states is left out.
    pub run_search_least_states: usize,

    /// The most states of a search for a short run, however small the net.
    pub run_search_most_states: usize,

    /// The longest search for a short run, for nets whose markings take unusually long; the run that is shown may then depend on the
    /// load of the machine.
    pub run_search_limit: Duration,
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
            search_head_start_time: 0.05,
            size_head_start_time: 0.05,
            joint_search: 0.4,
            decomposition: 0.7,
            most_tokens: 0.1,
            most_tokens_limit: Duration::from_secs(10),
            random_walk: 0.1,
            state_equation: 0.2,
            coverability: 0.3,
            pre_check_most_nodes: 1 << 10,
            bound_checks: 0.5,
            decision_diagrams: 0.4,
            sat: 0.8,
            beside_search_memory: 0.4,
            ltl_pruning: 0.05,
            lasso_walk: 0.5,
            joint_lasso_walk: 0.3,
            first_ltl_search: 0.5,
            ltl_search_memory: 0.5,
            ctl_search: 0.25,
            ctl_labelling: 0.75,
            ctl_inner_checks: 0.35,
            ctl_labelling_memory: 0.5,
            ctl_lasso_walks: 0.1,
            ctl_approximations: 0.4,
            ctl_walks: 0.5,
            ctl_search_memory: 0.6,
            unfolded_head_start: 0.3,
            unfolded_memory: 0.6,
            surely_unfolded: 1 << 17,
            colour_restriction: 0.3,
            coloured_walk: 0.4,
            many_queries: 64,
            shortest_turn: Duration::from_millis(50),
            first_round: Duration::from_secs(20),
            round_growth: 3,
            certificate_limit: Duration::from_secs(1),
            certificate_part: 64,
            run_search_effort: 1 << 23,
            run_search_least_states: 256,
            run_search_most_states: 1 << 17,
            run_search_limit: Duration::from_secs(2),
        }
    }
}
