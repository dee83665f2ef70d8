//! Scatter plots of costs with a technique against those without it, as SVG.
//!
//! Both axes are logarithmic and have the same range. A point above the diagonal is a formula for which the technique
//! pays. Formulas without an answer lie on the border, behind the time limit; costs below the least value of an axis lie
//! at its beginning.

use std::error::Error;

use plotters::prelude::*;

/// The width and height of a plot, in pixels.
const SIZE: (u32, u32) = (480, 480);

/// Colours that can be told apart, also by those who do not see all of them.
const COLORS: [RGBColor; 4] =
    [RGBColor(0, 114, 178), RGBColor(213, 94, 0), RGBColor(0, 158, 115), RGBColor(204, 121, 167)];

/// The unit and the range of both axes.
pub struct Axis {
    pub unit: &'static str,
    /// Anything less is as good as this.
    pub least: f64,
    /// Where an axis ends, if that is known beforehand.
    pub limit: Option<f64>,
}

/// Points of one kind.
pub struct Series {
    pub name: String,
    /// With the technique, and without it; none where there was no answer.
    pub points: Vec<[Option<f64>; 2]>,
}

/// Draws a scatter plot.
pub fn scatter(
    title: &str,
    labels: [&str; 2],
    axis: &Axis,
    series: &[Series],
) -> Result<String, Box<dyn Error>> {
    let bounds = AxisRange::new(axis, series);
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let range = || (bounds.start..bounds.end).log_scale();
        let mut chart = ChartBuilder::on(&area)
            .caption(title, ("sans-serif", 16))
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(58)
            .build_cartesian_2d(range(), range())?;
        let [x, y] = labels.map(|label| format!("{label}, {}", axis.unit));
        chart
            .configure_mesh()
            .x_desc(x)
            .y_desc(y)
            .x_labels(9)
            .y_labels(9)
            .max_light_lines(1)
            .label_style(("sans-serif", 12))
            .x_label_formatter(&|value| tick(*value))
            .y_label_formatter(&|value| tick(*value))
            .draw()?;
        let path = |from, to| PathElement::new(vec![from, to], BLACK.mix(0.4));
        chart.draw_series([path((bounds.start, bounds.start), (bounds.end, bounds.end))])?;
        if let Some(limit) = axis.limit {
            let [across, up] =
                [((bounds.start, limit), (bounds.end, limit)), ((limit, bounds.start), (limit, bounds.end))];
            chart.draw_series([path(across.0, across.1), path(up.0, up.1)])?;
        }
        for (at, series) in series.iter().enumerate() {
            let style = COLORS[at % COLORS.len()].mix(0.7).filled();
            let points = series.points.iter().map(|point| point.map(|value| bounds.place(value)));
            chart
                .draw_series(points.map(|[x, y]| Circle::new((x, y), 3, style)))?
                .label(format!("{} ({})", series.name, series.points.len()))
                .legend(move |(x, y)| Circle::new((x + 8, y), 3, style));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerRight)
            .label_font(("sans-serif", 12))
            .background_style(WHITE.mix(0.8))
            .draw()?;
        area.present()?;
    }
    Ok(svg)
}

/// From where to where the axes go.
struct AxisRange {
    /// A little before the least value, so that its points and its label are seen.
    start: f64,
    least: f64,
    /// Where points without an answer lie.
    border: f64,
    end: f64,
}

impl AxisRange {
    fn new(axis: &Axis, series: &[Series]) -> Self {
        let known = series.iter().flat_map(|series| series.points.iter().flatten().flatten());
        let most = known.copied().fold(axis.least * 10.0, f64::max);
        let border = axis.limit.map_or(most, |limit| most.max(limit)) * 1.5;
        Self { start: axis.least / 1.3, least: axis.least, border, end: border * 1.3 }
    }

    fn place(&self, value: Option<f64>) -> f64 {
        value.unwrap_or(self.border).clamp(self.least, self.border)
    }
}

/// A power of ten at an axis, which comes with an error in its last digits.
fn tick(value: f64) -> String {
    let decimals = (-value.log10()).round().max(0.0) as usize;
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: Axis = Axis { unit: "s", least: 1e-3, limit: Some(10.0) };

    /// Draws points, and gives how many circles there are for them.
    fn circles(axis: &Axis, points: &[[Option<f64>; 2]]) -> usize {
        let series = Series { name: "a < b & c".into(), points: points.to_vec() };
        let svg = scatter("p <q>", ["with", "without"], axis, &[series]).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        svg.matches("<circle").count() - 1
    }

    #[test]
    fn every_point_is_drawn() {
        assert_eq!(circles(&TIME, &[]), 0);
        assert_eq!(circles(&TIME, &[[None, None], [None, Some(1.0)], [Some(1.0), None]]), 3);
        assert_eq!(circles(&TIME, &[[Some(0.0), Some(0.0)], [Some(1e-9), Some(1e9)]]), 2);
        let memory = Axis { unit: "MB", least: 0.1, limit: None };
        assert_eq!(circles(&memory, &[]), 0);
        assert_eq!(circles(&memory, &[[None, Some(0.0)], [Some(5.0), Some(3.0)]]), 2);
    }

    #[test]
    fn points_stay_inside() {
        let range = AxisRange::new(&TIME, &[]);
        let places = [None, Some(0.0), Some(2.0), Some(f64::INFINITY)].map(|value| range.place(value));
        assert_eq!(places, [15.0, 1e-3, 2.0, 15.0]);
        assert!(range.end > range.border);
    }

    #[test]
    fn ticks_are_powers_of_ten() {
        assert_eq!([0.001, 0.1, 1.0, 1000.0].map(tick), ["0.001", "0.1", "1", "1000"]);
    }
}
