//! Points, rectangles and line segments of a picture; y grows downwards.

use std::collections::HashMap;

/// A point of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Grows to the right.
    pub x: f64,
    /// Grows downwards.
    pub y: f64,
}

impl Point {
    pub(crate) fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y)
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y)
    }

    pub(crate) fn times(self, factor: f64) -> Self {
        Self::new(self.x * factor, self.y * factor)
    }

    pub(crate) fn length(self) -> f64 {
        self.x.hypot(self.y)
    }

    /// The point on the way to another one, at a fraction of it.
    pub(crate) fn towards(self, other: Self, fraction: f64) -> Self {
        self.plus(other.minus(self).times(fraction))
    }
}

/// The width and height of something.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct BoxSize {
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// A rectangle by its centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rectangle {
    pub(crate) centre: Point,
    pub(crate) extent: BoxSize,
}

impl Rectangle {
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let apart = self.centre.minus(other.centre);
        apart.x.abs() * 2.0 < self.extent.width + other.extent.width
            && apart.y.abs() * 2.0 < self.extent.height + other.extent.height
    }

    /// Whether a segment has a point inside.
    pub(crate) fn meets(&self, from: Point, to: Point) -> bool {
        // The part of the segment that is inside of both strips, as an interval of fractions.
        let (mut first, mut last) = (0.0f64, 1.0f64);
        let sides = [
            (from.x - self.centre.x, to.x - from.x, self.extent.width / 2.0),
            (from.y - self.centre.y, to.y - from.y, self.extent.height / 2.0),
        ];
        for (start, way, half) in sides {
            if way == 0.0 {
                if start.abs() > half {
                    return false;
                }
                continue;
            }
            let (a, b) = ((-half - start) / way, (half - start) / way);
            (first, last) = (first.max(a.min(b)), last.min(a.max(b)));
        }
        first < last
    }
}

/// Rectangles by the squares that they touch, so that those near another one are found without looking at all.
#[derive(Debug, Default)]
pub(crate) struct RectangleIndex {
    squares: HashMap<(i64, i64), Vec<Rectangle>>,
}

impl RectangleIndex {
    const SIDE: f64 = 120.0;

    fn squares_of(rectangle: &Rectangle) -> impl Iterator<Item = (i64, i64)> {
        let Rectangle { centre, extent } = *rectangle;
        let range = |middle: f64, size: f64| {
            let square = |at: f64| (at / Self::SIDE).floor() as i64;
            square(middle - size / 2.0)..=square(middle + size / 2.0)
        };
        let rows = range(centre.y, extent.height);
        range(centre.x, extent.width).flat_map(move |x| rows.clone().map(move |y| (x, y)))
    }

    pub(crate) fn add(&mut self, rectangle: Rectangle) {
        for square in Self::squares_of(&rectangle) {
            self.squares.entry(square).or_default().push(rectangle);
        }
    }

    /// Whether one of the rectangles overlaps another one.
    pub(crate) fn is_covered(&self, rectangle: &Rectangle) -> bool {
        let mut near = Self::squares_of(rectangle).filter_map(|square| self.squares.get(&square)).flatten();
        near.any(|other| other.overlaps(rectangle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_meet_rectangles() {
        let extent = BoxSize { width: 4.0, height: 2.0 };
        let rectangle = Rectangle { centre: Point::new(10.0, 10.0), extent };
        let meets =
            |a: (f64, f64), b: (f64, f64)| rectangle.meets(Point::new(a.0, a.1), Point::new(b.0, b.1));
        assert!(meets((0.0, 10.0), (20.0, 10.0)) && meets((10.0, 0.0), (10.0, 20.0)));
        assert!(meets((9.0, 9.5), (11.0, 10.5)), "inside");
        assert!(!meets((0.0, 0.0), (20.0, 0.0)) && !meets((0.0, 12.0), (20.0, 12.0)));
        assert!(!meets((0.0, 10.0), (7.0, 10.0)), "it ends before");
        assert!(!meets((0.0, 5.0), (20.0, 25.0)), "it passes by a corner");
    }
}
