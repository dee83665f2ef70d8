//! A technique on and off: the formulas that each configuration answers, and the ratio of costs over those that both
//! answer.

use std::error::Error;

use super::{
    markdown::{MarkdownTable, count, ratio, slug},
    measure::{Experiment, FormulaCost},
    plot::{Axis, Series, scatter},
};
use crate::nets::megabytes;

/// Times below this say more about the machine than about a technique.
const SECONDS: f64 = 1e-3;
/// The same of megabytes.
const MEGABYTES: f64 = 0.1;

/// The costs of a formula with a technique, and without it.
#[derive(Clone)]
pub struct CostPair {
    pub with: FormulaCost,
    pub without: FormulaCost,
}

impl CostPair {
    fn is_answered(&self) -> bool {
        self.with.is_answered() && self.without.is_answered()
    }

    /// How many times as long it takes without; infinite if there is no answer then, none if there is none at all.
    pub fn time_ratio(&self) -> Option<f64> {
        match (self.with.time(), self.without.time()) {
            (Some(with), Some(without)) => Some(without.max(SECONDS) / with.max(SECONDS)),
            (Some(_), None) => Some(f64::INFINITY),
            (None, Some(_)) => Some(0.0),
            (None, None) => None,
        }
    }

    /// How many times as much memory it takes.
    pub fn memory_ratio(&self) -> f64 {
        let held = |cost: &FormulaCost| megabytes(cost.memory).max(MEGABYTES);
        held(&self.without) / held(&self.with)
    }

    /// How many times as many states are seen.
    pub fn state_ratio(&self) -> f64 {
        self.without.states.max(1) as f64 / self.with.states.max(1) as f64
    }
}

/// The costs of some formulas with a technique and without it.
pub struct TechniqueComparison {
    /// The kind of property, such as `LTL`.
    pub about: &'static str,
    pub technique: String,
    /// The option of the command line that switches the technique off.
    pub option: String,
    pub pairs: Vec<CostPair>,
}

impl TechniqueComparison {
    /// Compares two columns of measurements.
    pub fn new(
        about: &'static str,
        technique: &str,
        option: &str,
        costs: &[Vec<FormulaCost>],
        configurations: [usize; 2],
    ) -> Self {
        let pair = |row: &Vec<FormulaCost>| CostPair {
            with: row[configurations[0]].clone(),
            without: row[configurations[1]].clone(),
        };
        let pairs = costs.iter().map(pair).collect();
        Self { about, technique: technique.into(), option: option.into(), pairs }
    }

    /// The numbers of formulas answered with the technique, and without it.
    pub fn answered(&self) -> [usize; 2] {
        let count = |of: fn(&CostPair) -> &FormulaCost| {
            self.pairs.iter().filter(|pair| of(pair).is_answered()).count()
        };
        [count(|pair| &pair.with), count(|pair| &pair.without)]
    }

    /// Geometric means, over the formulas that both configurations answer, of the ratios of time, memory and states without the
    /// technique to those with it.
    pub fn means(&self) -> Option<[f64; 3]> {
        let both: Vec<&CostPair> = self.pairs.iter().filter(|pair| pair.is_answered()).collect();
        let mean = |of: fn(&CostPair) -> f64| {
            let sum: f64 = both.iter().map(|pair| of(pair).ln()).sum();
            (sum / both.len() as f64).exp()
        };
        let time = |pair: &CostPair| pair.time_ratio().unwrap_or(1.0);
        (!both.is_empty()).then(|| [mean(time), mean(CostPair::memory_ratio), mean(CostPair::state_ratio)])
    }

    /// The numbers of answers and the ratio of times, as a sentence of the report.
    pub fn sentence(&self) -> String {
        let ([with, without], all) = (self.answered(), self.pairs.len());
        let counts = format!(
            "With {} {with} of {all} formulas are answered, without it (`{}`) {without}",
            self.technique, self.option
        );
        match self.means() {
            Some([time, ..]) => {
                format!("{counts}; what both answer takes {} times as long without it.\n\n", ratio(time))
            }
            None => format!("{counts}.\n\n"),
        }
    }

    /// Draws time against time, a point a formula; gives the line that shows the plot.
    pub fn time_plot(&self, experiment: &Experiment) -> Result<String, Box<dyn Error>> {
        let title = format!("{}, {}: time", self.about, self.technique);
        let series = Series { name: "formulas".into(), points: times(&self.pairs) };
        plot(
            experiment,
            &title,
            &[&series_label(&self.technique), &format!("with {}", self.option)],
            PlotQuantity::Time,
            vec![series],
        )
    }

    /// The same for memory, over the formulas that both configurations answer.
    pub fn memory_plot(&self, experiment: &Experiment) -> Result<String, Box<dyn Error>> {
        let title = format!("{}, {}: memory", self.about, self.technique);
        let both = self.pairs.iter().filter(|pair| pair.is_answered());
        let points = both.map(|pair| [&pair.with, &pair.without].map(|cost| Some(megabytes(cost.memory))));
        let series = Series { name: "formulas".into(), points: points.collect() };
        plot(
            experiment,
            &title,
            &[&series_label(&self.technique), &format!("with {}", self.option)],
            PlotQuantity::Memory,
            vec![series],
        )
    }
}

fn series_label(technique: &str) -> String {
    format!("with {technique}")
}

/// The times of pairs, as points.
pub fn times(pairs: &[CostPair]) -> Vec<[Option<f64>; 2]> {
    pairs.iter().map(|pair| [pair.with.time(), pair.without.time()]).collect()
}

/// The quantity on both axes of a plot.
#[derive(Clone, Copy)]
pub enum PlotQuantity {
    Time,
    Memory,
}

/// Draws a plot into a file, and gives the text that shows it.
pub fn plot(
    experiment: &Experiment,
    title: &str,
    labels: &[&str; 2],
    quantity: PlotQuantity,
    series: Vec<Series>,
) -> Result<String, Box<dyn Error>> {
    let axis = match quantity {
        PlotQuantity::Time => Axis { unit: "s", least: SECONDS, limit: Some(experiment.timeout as f64) },
        PlotQuantity::Memory => Axis { unit: "MB", least: MEGABYTES, limit: None },
    };
    let file = format!("{}.svg", slug(title));
    experiment.write(&file, &scatter(title, *labels, &axis, &series)?)?;
    Ok(format!("![{title}]({file})\n"))
}

/// The table of all comparisons.
pub fn summary(comparisons: &[TechniqueComparison]) -> String {
    let mut table = MarkdownTable::new([
        "about",
        "technique",
        "without it",
        "formulas",
        "answered with",
        "without",
        "s ×",
        "MB ×",
        "states ×",
    ]);
    for comparison in comparisons {
        let [with, without] = comparison.answered().map(|n| count(n as u64));
        let means = comparison.means().map_or_else(|| vec!["–".into(); 3], |means| means.map(ratio).to_vec());
        let cells = [
            comparison.about.to_owned(),
            comparison.technique.clone(),
            format!("`{}`", comparison.option),
            comparison.pairs.len().to_string(),
            with,
            without,
        ];
        table.row(cells.into_iter().chain(means));
    }
    table.text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::measure::SearchEnd;

    fn cost(end: SearchEnd, seconds: f64, states: u64) -> FormulaCost {
        FormulaCost { end, seconds, memory: states << 20, states, encoding: String::new() }
    }

    #[test]
    fn means_are_over_what_both_answer() {
        let answered = |seconds, states| cost(SearchEnd::Answered, seconds, states);
        let costs = vec![
            vec![answered(1.0, 10), answered(4.0, 10)],
            vec![answered(0.0, 1), answered(0.0, 4)],
            vec![answered(1.0, 1), cost(SearchEnd::Time, 10.0, 9)],
            vec![cost(SearchEnd::Open, 1.0, 1), answered(1.0, 1)],
            vec![cost(SearchEnd::Refused, 0.0, 0), cost(SearchEnd::Time, 10.0, 9)],
        ];
        let comparison = TechniqueComparison::new("LTL", "magic", "--magic off", &costs, [0, 1]);
        assert_eq!(comparison.answered(), [3, 3]);
        let means = comparison.means().unwrap().map(|mean| (mean * 1e6).round() / 1e6);
        assert_eq!(means, [2.0, 2.0, 2.0]);
        let ratios: Vec<_> = comparison.pairs.iter().map(CostPair::time_ratio).collect();
        assert_eq!(ratios, [Some(4.0), Some(1.0), Some(f64::INFINITY), Some(0.0), None]);
        assert_eq!(TechniqueComparison::new("LTL", "magic", "off", &[], [0, 1]).means(), None);
        assert!(
            summary(&[comparison])
                .ends_with("| LTL | magic | `--magic off` | 5 | 3 | 3 | 2.00 | 2.00 | 2.00 |\n\n")
        );
    }
}
