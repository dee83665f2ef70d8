//! TestRng formulas of either logic. Parts come again, because rules look for equal parts.

use fireset_net::{Comparison, Expr, Formula, Logic, PlaceId, TransitionId};
use fireset_oracle::random::TestRng;

use crate::formula::{
    rewrite::size,
    view::{PathQuantifier, UnaryOperator},
};

pub(super) struct RandomFormulas {
    pub(super) random: TestRng,
    logic: Logic,
    known: Vec<Formula>,
}

impl RandomFormulas {
    pub(super) fn new(logic: Logic, seed: u64) -> Self {
        Self { random: TestRng::new(seed), logic, known: Vec::new() }
    }

    pub(super) fn draw(&mut self, depth: usize) -> Formula {
        if !self.known.is_empty() && self.random.percent(35) {
            return self.random.pick(&self.known).clone();
        }
        let f = if depth == 0 { self.atom() } else { self.operator(depth - 1) };
        if self.known.len() < 4 && size(&f).1 < 6 {
            self.known.push(f.clone());
        }
        f
    }

    fn atom(&mut self) -> Formula {
        let random = &mut self.random;
        let tokens = |at: usize| Expr::Tokens(vec![PlaceId::new(at)]);
        let both = || Expr::Tokens(vec![PlaceId::new(0), PlaceId::new(1)]);
        let how = [Comparison::Less, Comparison::LessEqual, Comparison::Equal, Comparison::NotEqual];
        match random.below(14) {
            0 | 1 => Formula::Deadlock,
            2 | 3 => Formula::Constant(random.percent(50)),
            4..=6 => {
                let count = random.below(3);
                Formula::Fireable((0..count).map(|_| TransitionId::new(random.below(2))).collect())
            }
            7 => Formula::Compare(*random.pick(&how), tokens(0), tokens(random.below(2))),
            8 => Formula::Compare(*random.pick(&how), Expr::Constant(random.below(3) as i64), both()),
            9 => {
                let product = Expr::Product(vec![tokens(0), tokens(1)]);
                let difference = Expr::Difference(Box::new(product), Box::new(tokens(0)));
                Formula::Compare(*random.pick(&how), difference, Expr::Constant(0))
            }
            _ => Formula::Compare(*random.pick(&how), tokens(random.below(2)), Expr::Constant(1)),
        }
    }

    fn quantifier(&mut self) -> PathQuantifier {
        match self.logic {
            Logic::Ltl => PathQuantifier::ThisPath,
            Logic::Ctl => *self.random.pick(&[PathQuantifier::Exists, PathQuantifier::ForAll]),
        }
    }

    fn operator(&mut self, depth: usize) -> Formula {
        use UnaryOperator::{Finally, Globally, Next};
        let (choice, quantifier) = (self.random.below(40), self.quantifier());
        let mut sub = || Box::new(self.draw(depth));
        let mut chain = |operators: [UnaryOperator; 2]| {
            let [outer, inner] = operators.map(|operator| move |f| quantifier.apply(operator, f));
            outer(inner(*sub()))
        };
        match choice {
            // Chains and pairs, which rules look for and chance seldom draws.
            0 => chain([Globally, Finally]),
            1 => chain([Finally, Globally]),
            2 => chain([Next, Finally]),
            3 => chain([Next, Globally]),
            4 | 5 => self.pair(quantifier, choice == 4, depth),
            6 => Formula::Not(sub()),
            7 => Formula::Iff(sub(), sub()),
            8..=10 => quantifier.apply(Next, *sub()),
            11..=13 => quantifier.apply(Finally, *sub()),
            14..=16 => quantifier.apply(Globally, *sub()),
            17..=20 => quantifier.over(Formula::Until(sub(), sub())),
            21..=24 => quantifier.over(Formula::Release(sub(), sub())),
            25..=28 => quantifier.over(Formula::WeakUntil(sub(), sub())),
            _ => {
                let count = self.random.below(4);
                let fs = (0..count).map(|_| self.draw(depth)).collect();
                if choice.is_multiple_of(2) { Formula::And(fs) } else { Formula::Or(fs) }
            }
        }
    }

    /// `Q[f U g] | QG f` or `Q[f W g] & QF g`.
    fn pair(&mut self, quantifier: PathQuantifier, disjunction: bool, depth: usize) -> Formula {
        let (f, g) = (self.draw(depth), self.draw(depth));
        let both = (Box::new(f.clone()), Box::new(g.clone()));
        if disjunction {
            let until = quantifier.over(Formula::Until(both.0, both.1));
            Formula::Or(vec![until, quantifier.apply(UnaryOperator::Globally, f)])
        } else {
            let weak_until = quantifier.over(Formula::WeakUntil(both.0, both.1));
            Formula::And(vec![weak_until, quantifier.apply(UnaryOperator::Finally, g)])
        }
    }
}
