//! A coloured net in a layout.

use fireset_kernel::random::Random;
use fireset_net::{
    Budget, FireError, Semantics, Step, StopReason,
    coloured::{Bag, Colour, ColouredMarking, ColouredNet},
};

use super::{
    Binding, ColouredConfig, Tokens,
    bindings::{Bindings, FullInfo, MinRep, Token, Trial},
    compile::Compiled,
    marks::{self, Dense, Marks, Sparse},
    space::Colours,
};
use crate::search::{Alarm, Cursor, Ground, Space, Task, interruptible};

/// Dense rows of so many words are not looked at again.
const SHORT: u64 = 32;
/// A word of a list is worth so many words of fields.
const WORTH: u64 = 3;
/// More bindings are not tried one by one: a single state would take longer than anybody waits.
const MAX_TRIED: u64 = 1 << 26;

/// A coloured net, compiled, in a layout.
#[derive(Clone, Debug)]
pub(crate) struct Coloured<'a> {
    net: &'a ColouredNet,
    compiled: &'a Compiled,
    layout: Layout,
    ways: ColouredConfig,
}

/// The layout of markings.
#[derive(Clone, Debug)]
enum Layout {
    Dense(Dense),
    Sparse(Sparse),
}

impl<'a> Coloured<'a> {
    /// A net that was compiled, in the chosen layout.
    pub(crate) fn new(
        net: &'a ColouredNet,
        compiled: &'a Compiled,
        ways: ColouredConfig,
    ) -> Result<Self, StopReason> {
        let positions = compiled.transitions.iter().map(|t| t.plan.positions);
        let bindings = positions.fold(0, u64::saturating_add);
        if ways.bindings != Binding::Token && bindings > MAX_TRIED {
            return Err(StopReason::Bindings(bindings));
        }
        let tokens = tokens(&net.initial());
        let sizes = &compiled.sizes;
        let list = tokens.iter().map(|tokens| tokens.len() as u64).sum::<u64>();
        let dense = Dense::least_width(sizes);
        let sparse = match ways.tokens {
            Tokens::Auto => dense > SHORT.max(WORTH.saturating_mul(list)),
            Tokens::Dense => dense > 1 << 24,
            Tokens::Sparse => true,
        };
        let layout = if sparse {
            Marks::fitting(sizes, &tokens, None).map(Layout::Sparse)
        } else {
            Marks::fitting(sizes, &tokens, None).map(Layout::Dense)
        };
        Ok(Self { net, compiled, layout: layout.ok_or(StopReason::Overflow)?, ways })
    }

    fn marking(&self, row: &[u64]) -> ColouredMarking {
        match &self.layout {
            Layout::Dense(marks) => decode(marks, row, self.compiled.sizes.len()),
            Layout::Sparse(marks) => decode(marks, row, self.compiled.sizes.len()),
        }
    }

    fn encode(&self, marking: &ColouredMarking, row: &mut [u64]) {
        match &self.layout {
            Layout::Dense(marks) => encode(marks, marking, row),
            Layout::Sparse(marks) => encode(marks, marking, row),
        }
    }

    fn width(&self) -> usize {
        match &self.layout {
            Layout::Dense(marks) => marks.width(),
            Layout::Sparse(marks) => marks.width(),
        }
    }

    fn with<M: Marks + 'static, T: Task<u64>>(&self, marks: &M, task: T, alarm: Alarm) -> T::Output {
        let bindings: Box<dyn Bindings<M>> = match self.ways.bindings {
            Binding::Token => Box::new(Token::default()),
            Binding::DynExp => Box::new(Trial::default()),
            Binding::MinRep => Box::new(MinRep::default()),
            Binding::FullInfo => Box::new(FullInfo::default()),
        };
        task.run(&mut Colours::new(self.compiled, marks, bindings, alarm))
    }
}

impl Ground for Coloured<'_> {
    type Number = u64;

    fn initial(&self) -> Vec<u64> {
        let mut row = vec![0; self.width()];
        self.encode(&self.net.initial(), &mut row);
        row
    }

    fn on_space<T: Task<u64>>(&self, task: T, budget: &Budget) -> Result<T::Output, StopReason> {
        let alarm = Alarm::new(budget);
        interruptible(|| match &self.layout {
            Layout::Dense(marks) => self.with(marks, task, alarm),
            Layout::Sparse(marks) => self.with(marks, task, alarm),
        })
    }

    fn wider(&self, row: &[u64], action: u64) -> Result<Self, StopReason> {
        let reached = match self.net.fire(&self.marking(row), &self.compiled.step(action)) {
            Ok(reached) => tokens(&reached),
            Err(FireError::Overflow { .. }) => return Err(StopReason::Overflow),
            Err(why) => panic!("an enabled binding fires, but: {why:?}"),
        };
        let sizes = &self.compiled.sizes;
        let layout = match &self.layout {
            Layout::Dense(marks) => Marks::fitting(sizes, &reached, Some(marks)).map(Layout::Dense),
            Layout::Sparse(marks) => Marks::fitting(sizes, &reached, Some(marks)).map(Layout::Sparse),
        };
        Ok(Self { layout: layout.ok_or(StopReason::Overflow)?, ..*self })
    }

    fn converter(&self, wider: &Self) -> impl FnMut(&[u64], &mut [u64]) {
        |row, to| wider.encode(&self.marking(row), to)
    }

    fn encoding(&self) -> &'static str {
        match self.layout {
            Layout::Dense(_) => "dense",
            Layout::Sparse(_) => "sparse",
        }
    }
}

/// A random step that is enabled in a marking, if there is one; looking for it may be interrupted.
pub(crate) fn any_step(
    net: &Compiled,
    marking: &ColouredMarking,
    random: &mut Random,
    alarm: &Alarm,
) -> Option<Step> {
    let marks = Sparse::fitting(&net.sizes, &tokens(marking), None)?;
    let mut row = vec![0; marks.width()];
    encode(&marks, marking, &mut row);
    let mut space = Colours::new(net, &marks, Box::new(Token::default()), alarm.clone());
    let start = space.draw(random);
    let enabled = space.next(&row, start).or_else(|| space.next(&row, Cursor::default()));
    enabled.map(|(action, _)| net.step(action))
}

/// The tokens of a marking, by place.
fn tokens(marking: &ColouredMarking) -> Vec<Vec<marks::Token>> {
    marking.0.iter().map(|bag| bag.iter().map(|(colour, count)| (colour.0, count)).collect()).collect()
}

fn encode<M: Marks>(marks: &M, marking: &ColouredMarking, row: &mut [u64]) {
    row.fill(0);
    for (place, bag) in marking.0.iter().enumerate() {
        for (colour, count) in bag.iter() {
            let fits = marks.give(row, place, colour.0, count);
            assert!(
                fits,
                "a layout holds the markings that it was made for, and all that narrower ones held"
            );
        }
    }
}

fn decode<M: Marks>(marks: &M, row: &[u64], places: usize) -> ColouredMarking {
    let bag = |place| {
        let mut tokens = Vec::new();
        marks.each(row, place, |(colour, count)| tokens.push((Colour(colour), count)));
        Bag::collect(tokens).expect("each colour comes once")
    };
    ColouredMarking((0..places).map(bag).collect())
}
