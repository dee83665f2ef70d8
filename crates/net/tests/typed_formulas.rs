//! Formulas of one kind: conversions there and back on random formulas, and what is refused.

use fireset_net::{
    CtlFormula, CtlStarFormula, Formula, Global, Logic, Nodes, PathFormula, PlaceId, Quantifier, Query,
    StateAtom, StatePredicate, Temporal,
};
use fireset_oracle::{
    random::{self, TestRng},
    tiny,
};

/// Calls `test` with random numbers and the nodes of a small net.
fn with_random(mut test: impl FnMut(&mut TestRng, &Nodes)) {
    let net = tiny::net("p:1 q; t: p -> q; u: q -> p");
    (0..2_000).for_each(|seed| test(&mut TestRng::new(seed), net.nodes()));
}

#[test]
fn conversions_lose_nothing() {
    with_random(|random, nodes| {
        let path = random::path(random, nodes, 4);
        let formula = Formula::from(&path);
        assert_eq!(PathFormula::try_from(&formula).as_ref(), Ok(&path));
        assert_eq!(path.temporal_depth(), formula.temporal_depth());
        assert_eq!(path.temporal_operators(), formula.temporal_operators());
        let ctl = random::ctl(random, nodes, 4);
        let formula = Formula::from(&ctl);
        assert_eq!(CtlFormula::try_from(&formula).as_ref(), Ok(&ctl));
        assert_eq!(ctl.temporal_depth(), formula.temporal_depth());
        let star = random::ctl_star(random, nodes, 4, 20);
        let formula = Formula::from(&star);
        assert_eq!(CtlStarFormula::try_from(&formula).as_ref(), Ok(&star));
        assert_eq!(star.temporal_operators(), formula.temporal_operators());
        assert!(star.is_about_markings());
        let predicate = random::predicate(random, nodes, 4);
        let formula = Formula::from(&predicate);
        assert_eq!(StatePredicate::try_from(&formula).as_ref(), Ok(&predicate));
    });
}

#[test]
fn state_predicates_are_maximal() {
    let [mut state, mut temporal] = [0; 2];
    with_random(|random, nodes| {
        let mut open = vec![random::ctl(random, nodes, 3)];
        while let Some(f) = open.pop() {
            let is_state = Formula::from(&f).is_state_predicate();
            assert_eq!(f.as_state().is_some(), is_state, "{f:?}");
            assert_eq!(StatePredicate::try_from(&Formula::from(&f)).is_ok(), is_state);
            *(if is_state { &mut state } else { &mut temporal }) += 1;
            let complement = f.clone().complement();
            assert_eq!(complement.as_state().is_some(), is_state);
            open.extend(f.children().cloned());
        }
    });
    assert!(state > 500 && temporal > 2_000, "{state} {temporal}");
}

#[test]
fn formulas_of_another_kind_are_refused() {
    let deadlock = || Box::new(Formula::Deadlock);
    let next = Formula::Next(deadlock());
    let quantified = Formula::Exists(Box::new(next.clone()));
    let bare = Formula::Exists(deadlock());
    let inside = Formula::And(vec![Formula::Deadlock, Formula::Global(Global::OneSafe)]);
    let bound = Formula::Bound(vec![PlaceId::new(0)]);
    let kinds = |f: &Formula| {
        let state = StatePredicate::try_from(f).is_ok();
        [state, PathFormula::try_from(f).is_ok(), CtlFormula::try_from(f).is_ok()]
    };
    assert_eq!(kinds(&Formula::Deadlock), [true; 3]);
    assert_eq!(kinds(&next), [false, true, false]);
    assert_eq!(kinds(&quantified), [false, false, true]);
    for other in [bare, inside, bound, Formula::Iff(Box::new(next), Box::new(quantified))] {
        assert_eq!(kinds(&other), [false; 3], "{other:?}");
    }
}

#[test]
fn queries_give_their_formula_back() {
    with_random(|random, nodes| {
        let query = random::query(random, nodes, 3);
        let logic = if matches!(query, Query::Ltl(..)) { Logic::Ltl } else { Logic::Ctl };
        let again = Query::classify(&query.formula(), logic).expect("one of the kinds");
        assert_eq!(again.formula(), query.formula());
    });
    let always =
        Query::Ltl(Quantifier::ForAll, Temporal::Globally(StatePredicate::Constant(true).into()).into());
    assert_eq!(always.constant(), None);
    assert_eq!(Query::Ctl(StatePredicate::Constant(true).into()).constant(), Some(true));
}

#[test]
fn atoms_are_changed_everywhere() {
    with_random(|random, nodes| {
        let query = random::query(random, nodes, 3);
        let mut before = 0;
        query.state_atoms(&mut |_| before += 1);
        let same = query.map_state_atoms(&mut |atom| atom.clone().into());
        assert_eq!(same, query);
        let changed = query.map_state_atoms(&mut |_| StateAtom::Deadlock.into());
        let mut deadlocks = 0;
        changed.state_atoms(&mut |atom| deadlocks += usize::from(*atom == StateAtom::Deadlock));
        assert_eq!(deadlocks, before);
    });
}

#[test]
fn formulas_about_runs_lose_nothing() {
    let model = fireset_net::Model::Plain(tiny::net("p:1 q; t: p -> q; u: q -> p"));
    with_random(|random, _| {
        let run = random::run_formula(random, &model, 3);
        let formula = Formula::from(&run);
        assert_eq!(fireset_net::RunFormula::try_from(&formula).as_ref(), Ok(&run));
        assert_eq!(run.operators(), formula.temporal_operators());
        let asked = random::run_query(random, &model);
        if asked.formula().is_about_runs() {
            assert_eq!(Query::classify(&asked.formula(), Logic::Ltl).as_ref(), Ok(&asked));
        }
    });
}
