//! The shares of the portfolio, each with the questions that it can matter for and the setting that lets it matter.

use std::time::Duration;

use fireset::Tuning;

use super::{cases::QuestionKind, settings::RunSetting};

/// A share of the portfolio that is measured.
pub struct TunedShare {
    pub name: &'static str,
    pub kind: QuestionKind,
    pub setting: RunSetting,
    field: ShareField,
}

/// The field of a share, by the type of its values.
#[derive(Clone, Copy)]
enum ShareField {
    Part(fn(&mut Tuning) -> &mut f64),
    Time(fn(&mut Tuning) -> &mut Duration),
    Count(fn(&mut Tuning) -> &mut usize),
    Divisor(fn(&mut Tuning) -> &mut u32),
}

/// How a share is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareChange {
    Halved,
    Unchanged,
    Doubled,
}

/// The shares with another value for one of them, and that value.
pub struct ShareVariant {
    pub tuning: Tuning,
    pub value: String,
}

impl TunedShare {
    pub fn variant(&self, change: ShareChange) -> ShareVariant {
        let mut tuning = Tuning::default();
        let value = match self.field {
            ShareField::Part(field) => {
                let value = field(&mut tuning);
                *value = changed_part(*value, change);
                format!("{:.3}", *value).trim_end_matches('0').to_owned()
            }
            ShareField::Time(field) => {
                let value = field(&mut tuning);
                *value = value.mul_f64(factor(change));
                format!("{value:?}")
            }
            ShareField::Count(field) => {
                let value = field(&mut tuning);
                *value = (*value as f64 * factor(change)) as usize;
                value.to_string()
            }
            ShareField::Divisor(field) => {
                let value = field(&mut tuning);
                *value = (f64::from(*value) * factor(change)) as u32;
                value.to_string()
            }
        };
        ShareVariant { tuning, value }
    }
}

fn factor(change: ShareChange) -> f64 {
    match change {
        ShareChange::Halved => 0.5,
        ShareChange::Unchanged => 1.0,
        ShareChange::Doubled => 2.0,
    }
}

/// A large part cannot be doubled; half of what the others have is added to it instead.
fn changed_part(part: f64, change: ShareChange) -> f64 {
    match change {
        ShareChange::Doubled => (2.0 * part).min(0.5 + part / 2.0),
        _ => part * factor(change),
    }
}

/// The share of that name of `Tuning`, in the order of the measurement.
macro_rules! share {
    ($kind:ident, $setting:ident, $type:ident, $field:ident) => {
        TunedShare {
            name: stringify!($field),
            kind: QuestionKind::$kind,
            setting: RunSetting::$setting,
            field: ShareField::$type(|tuning| &mut tuning.$field),
        }
    };
}

/// All shares that are measured; those with the same questions in the same setting follow each other. `round_growth` follows
/// from arithmetic alone; those of coverability need unbounded nets, those of approximations coloured nets that are too large to
/// unfold, and three are for sizes of state spaces, which are not among the questions.
pub const TUNED_SHARES: [TunedShare; 34] = [
    share!(Reachability, Limited, Part, pre_check),
    share!(Reachability, Limited, Count, search_head_start),
    share!(Reachability, Limited, Part, search_head_start_time),
    share!(Reachability, Limited, Part, joint_search),
    share!(Reachability, Limited, Part, random_walk),
    share!(Reachability, Limited, Part, state_equation),
    share!(Reachability, Limited, Part, decision_diagrams),
    share!(Reachability, Limited, Part, sat),
    share!(Reachability, LittleMemory, Part, beside_search_memory),
    share!(Reachability, Patient, Time, pre_check_limit),
    share!(Reachability, Patient, Part, pre_check_states),
    share!(Reachability, Patient, Time, pre_check_walk),
    share!(Reachability, Patient, Count, pre_check_most_states),
    share!(Reachability, Certified, Divisor, certificate_part),
    share!(Reachability, PatientCertified, Time, certificate_limit),
    share!(Global, Limited, Part, decomposition),
    share!(Global, Limited, Count, many_queries),
    share!(Global, Limited, Time, shortest_turn),
    share!(Ltl, Limited, Part, ltl_pruning),
    share!(Ltl, Limited, Part, lasso_walk),
    share!(Ltl, Limited, Part, joint_lasso_walk),
    share!(Ltl, Limited, Part, first_ltl_search),
    share!(Ltl, LittleMemory, Part, ltl_search_memory),
    share!(Ctl, Limited, Part, ctl_search),
    share!(Ctl, Limited, Part, ctl_labelling),
    share!(Ctl, Limited, Part, ctl_inner_checks),
    share!(Ctl, Limited, Part, ctl_lasso_walks),
    share!(Ctl, Limited, Part, ctl_approximations),
    share!(Ctl, Limited, Part, ctl_walks),
    share!(Ctl, LittleMemory, Part, ctl_search_memory),
    share!(Ctl, LittleMemory, Part, ctl_labelling_memory),
    share!(Ctl, Unlimited, Time, first_round),
    share!(Coloured, Limited, Part, unfolded_head_start),
    share!(Coloured, LittleMemory, Part, unfolded_memory),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The last four choose the run that is shown; no verdict depends on them.
    const EXEMPT: [&str; 14] = [
        "bound_checks",
        "round_growth",
        "coverability",
        "pre_check_most_nodes",
        "surely_unfolded",
        "colour_restriction",
        "coloured_walk",
        "most_tokens",
        "most_tokens_limit",
        "size_head_start_time",
        "run_search_effort",
        "run_search_least_states",
        "run_search_most_states",
        "run_search_limit",
    ];

    #[test]
    fn every_share_is_measured_or_exempt() {
        let all = format!("{:?}", Tuning::default());
        let body = all.trim_start_matches("Tuning { ").trim_end_matches(" }");
        let mut fields: Vec<&str> = body.split(", ").filter_map(|field| field.split(':').next()).collect();
        fields.retain(|field| !EXEMPT.contains(field));
        fields.sort_unstable();
        let mut measured = TUNED_SHARES.map(|share| share.name);
        measured.sort_unstable();
        assert_eq!(fields, measured);
    }

    #[test]
    fn a_change_is_to_one_share_alone() {
        for share in &TUNED_SHARES {
            assert_eq!(share.variant(ShareChange::Unchanged).tuning, Tuning::default(), "{}", share.name);
            let [half, double] =
                [ShareChange::Halved, ShareChange::Doubled].map(|change| share.variant(change));
            assert!(half.tuning != Tuning::default() && double.tuning != Tuning::default(), "{}", share.name);
            assert_ne!(half.value, double.value, "{}", share.name);
        }
    }

    #[test]
    fn parts_stay_parts() {
        let values =
            |part| [ShareChange::Halved, ShareChange::Doubled].map(|change| changed_part(part, change));
        assert_eq!(values(0.25), [0.125, 0.5]);
        assert_eq!(values(0.75), [0.375, 0.875]);
    }
}
