//! Rules, normal form, implications and classes in both logics: LTL on random words, CTL in every state of random
//! nets.

mod formulas;
mod oracle;

use fireset_net::{Formula, Logic, Quantifier};

use super::*;
use crate::formula::{
    classes::{is_eventual, is_universal},
    implies::{covers, excludes, implies},
    normal::{negated, normal},
    view::{finally, not_deadlock, quantified, quantify},
};
use formulas::RandomFormulas;
use oracle::in_both_logics;

/// Whether a negation stands at something else than an atom, or in CTL a quantifier.
fn is_negative(f: &Formula) -> bool {
    let may_be_negated =
        |f: &Formula| matches!(f, Formula::Deadlock | Formula::Fireable(_)) || quantified(f).is_some();
    matches!(f, Formula::Not(g) if !may_be_negated(g))
}

#[test]
fn normal_form_keeps_the_meaning() {
    in_both_logics(|oracle| {
        for seed in 0..3_000 {
            let mut formulas = RandomFormulas::new(oracle.logic, seed);
            let f = formulas.draw(4);
            let normal = normal(&f).expect("small");
            assert!(!normal.any(&is_negative), "{normal:?}");
            assert!(oracle.logic == Logic::Ltl || size(&normal).0 <= size(&f).0, "{f:?} became {normal:?}");
            oracle.assert_equivalent(&mut formulas.random, "normal form", &f, &normal);
            let negated = negated(&f).expect("small");
            assert!(!negated.any(&is_negative), "{negated:?}");
            oracle.assert_equivalent(&mut formulas.random, "negation", &Formula::Not(Box::new(f)), &negated);
        }
    });
}

/// Applies one rule wherever it fits: in CTL at state formulas only, since a path formula has its quantifier before it.
fn apply_everywhere(
    (logic, rule): (Logic, &RewriteRule),
    f: &Formula,
    seen: &mut impl FnMut(&Formula, &Formula),
) {
    if (logic == Logic::Ltl || !f.is_temporal())
        && let Some(smaller) = (rule.apply)(f)
    {
        seen(f, &smaller);
    }
    f.children().for_each(|child| apply_everywhere((logic, rule), child, seen));
}

#[test]
fn each_rule_keeps_the_meaning_and_fires() {
    in_both_logics(|oracle| {
        let mut fired = vec![0; rules(oracle.logic).count()];
        for seed in 0..150_000 {
            if fired.iter().all(|&count| count > 300) {
                break;
            }
            let mut formulas = RandomFormulas::new(oracle.logic, seed);
            let f = normal(&formulas.draw(2 + seed as usize % 3)).expect("small");
            let tested = rules(oracle.logic).zip(&mut fired).filter(|(_, fired)| **fired <= 300);
            for (rule, fired) in tested {
                let mut found = Vec::new();
                apply_everywhere((oracle.logic, rule), &f, &mut |f, smaller| {
                    found.push((f.clone(), smaller.clone()));
                });
                for (f, smaller) in found {
                    assert!(size(&smaller) <= size(&f), "{}: {f:?} became {smaller:?}", rule.name);
                    oracle.assert_equivalent(&mut formulas.random, rule.name, &f, &smaller);
                    *fired += 1;
                }
            }
        }
        let names = rules(oracle.logic).map(|rule| rule.name);
        let rare: Vec<_> = names.zip(fired).filter(|(_, fired)| *fired < 60).collect();
        assert!(rare.is_empty(), "{:?} rules that fired too seldom to be tested: {rare:?}", oracle.logic);
    });
}

#[test]
fn pairs_of_rules_keep_the_meaning() {
    in_both_logics(|oracle| {
        let all: Vec<&RewriteRule> = rules(oracle.logic).collect();
        let mut changed = 0;
        for (at, &first) in all.iter().enumerate() {
            for &second in &all[..at] {
                for seed in 0..12 {
                    let seed = (at * all.len() + seed) as u64;
                    let mut formulas = RandomFormulas::new(oracle.logic, seed);
                    let f = normal(&formulas.draw(4)).expect("small");
                    let mut work = max_work(oracle.logic);
                    let small = bottom_up(f.clone(), &[first, second], &mut work);
                    assert!(work > 0, "{} and {} never end on {f:?}", first.name, second.name);
                    if small != f {
                        let label = format!("{} and {}", first.name, second.name);
                        oracle.assert_equivalent(&mut formulas.random, &label, &f, &small);
                        changed += 1;
                    }
                }
            }
        }
        assert!(changed > all.len() * all.len(), "{changed}");
    });
}

#[test]
fn all_rules_together_keep_the_meaning() {
    in_both_logics(|oracle| {
        let (mut before, mut after) = (0, 0);
        for seed in 0..5_000 {
            let mut formulas = RandomFormulas::new(oracle.logic, seed);
            let depth = 3 + formulas.random.below(3);
            let f = formulas.draw(depth);
            let normal = normal(&f).expect("small");
            let small = rewrite(normal.clone());
            assert!(size(&small) <= size(&normal), "{normal:?} became {small:?}");
            assert_eq!(rewrite(small.clone()), small, "a rule fits the result");
            oracle.assert_equivalent(&mut formulas.random, "all rules", &f, &small);
            before += size(&normal).0;
            after += size(&small).0;
        }
        assert!(after * 5 < before * 2, "{before} temporal operators became {after}");
    });
}

#[test]
fn implications_hold() {
    type Relation = (fn(&Formula, &Formula) -> bool, fn(bool, bool) -> bool);
    let relations: [Relation; 3] =
        [(implies, |a, b| !a || b), (excludes, |a, b| !(a && b)), (covers, |a, b| a || b)];
    in_both_logics(|oracle| {
        let mut found = [0; 3];
        for seed in 0..30_000 {
            let mut formulas = RandomFormulas::new(oracle.logic, seed);
            let (f, g) = (formulas.draw(2), formulas.draw(2));
            let (f, g) = (normal(&f).expect("small"), normal(&g).expect("small"));
            if f == g || f.is_state_predicate() && g.is_state_predicate() {
                continue;
            }
            for ((shows, holds), found) in relations.into_iter().zip(&mut found) {
                if shows(&f, &g) {
                    *found += 1;
                    oracle.assert_related(&mut formulas.random, "implication", (&f, &g), holds);
                }
            }
        }
        assert!(found.iter().all(|&count| count > 400), "{found:?}");
    });
}

#[test]
fn classes_are_closed() {
    in_both_logics(|oracle| {
        let mut found = [0; 2];
        for seed in 0..20_000 {
            let mut formulas = RandomFormulas::new(oracle.logic, seed);
            let f = normal(&formulas.draw(4)).expect("small");
            let (earlier, later) = match oracle.logic {
                Logic::Ltl => (finally(f.clone()), Formula::Globally(Box::new(f.clone()))),
                Logic::Ctl => (f.clone().possible(), f.clone().invariant()),
            };
            let classes = [(is_eventual(oracle.logic, &f), earlier), (is_universal(oracle.logic, &f), later)];
            for (at, (_, closed)) in classes.into_iter().enumerate().filter(|(_, class)| class.0) {
                found[at] += 1;
                oracle.assert_equivalent(&mut formulas.random, "class", &f, &closed);
            }
        }
        assert!(found.iter().all(|&count| count > 500), "{found:?}");
    });
}

/// The laws about deadlocks of the paper on CTL, which look wrong at first sight.
#[test]
fn deadlock_laws_of_the_paper_hold() {
    in_both_logics(|oracle| {
        if oracle.logic == Logic::Ltl {
            return;
        }
        for seed in 0..200 {
            let mut formulas = RandomFormulas::new(oracle.logic, seed);
            let f = formulas.draw(2);
            let boxed = || Box::new(f.clone());
            let until = |left: Formula| Formula::Until(Box::new(left), boxed());
            for quantifier in [Quantifier::Exists, Quantifier::ForAll] {
                let q = |path: Formula| quantify(quantifier, path);
                for (given, expected) in [
                    (q(finally(not_deadlock())), not_deadlock()),
                    (q(Formula::Until(boxed(), Box::new(not_deadlock()))), not_deadlock()),
                    (q(until(Formula::Deadlock)), f.clone()),
                    (q(until(not_deadlock())), q(finally(f.clone()))),
                    (q(finally(f.clone().possible())), f.clone().possible()),
                ] {
                    let small = rewrite(normal(&given).expect("small"));
                    assert!(size(&small) <= size(&expected), "{given:?} became {small:?}");
                    oracle.assert_equivalent(&mut formulas.random, "paper", &given, &expected);
                    oracle.assert_equivalent(&mut formulas.random, "paper", &small, &expected);
                }
            }
        }
    });
}
