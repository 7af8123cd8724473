//! The map from one viewport to another: a frame may be scaled, turned, or drawn in perspective.
//!
//! Owns the arithmetic: a rectangle onto four corners (a homography), its inverse, and two maps in a row. Never asks the
//! browser.

use super::element::Point;
use serde::Deserialize;

/// A rectangle in CSS pixels of a viewport.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub(in crate::page) struct Bounds {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Bounds {
    pub(in crate::page) fn middle(&self) -> Point {
        Point { x: self.x + self.width / 2.0, y: self.y + self.height / 2.0 }
    }
}

/// A projective map of the plane: three rows of three numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::page) struct Projection([f64; 9]);

impl Projection {
    pub(in crate::page) const IDENTITY: Self = Self([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);

    /// Maps a rectangle at the origin onto four corners, from its top left one on clockwise. `None` if the rectangle or
    /// the corners have no area.
    pub(super) fn onto(width: f64, height: f64, corners: [Point; 4]) -> Option<Self> {
        let [a, b, c, d] = corners;
        let (x1, y1) = (b.x - c.x, b.y - c.y);
        let (x2, y2) = (d.x - c.x, d.y - c.y);
        let (x3, y3) = (a.x - b.x + c.x - d.x, a.y - b.y + c.y - d.y);
        let area = x1 * y2 - x2 * y1;
        if !(width > 0.0 && height > 0.0 && area.abs() > 1e-9) {
            return None;
        }
        let (g, h) = ((x3 * y2 - x2 * y3) / area, (x1 * y3 - x3 * y1) / area);
        let unit =
            [b.x - a.x + g * b.x, d.x - a.x + h * d.x, a.x, b.y - a.y + g * b.y, d.y - a.y + h * d.y, a.y, g, h, 1.0];
        Some(Self(unit).after(&Self([1.0 / width, 0.0, 0.0, 0.0, 1.0 / height, 0.0, 0.0, 0.0, 1.0])))
    }

    pub(in crate::page) fn point(&self, at: Point) -> Point {
        let m = &self.0;
        let scale = m[6] * at.x + m[7] * at.y + m[8];
        Point { x: (m[0] * at.x + m[1] * at.y + m[2]) / scale, y: (m[3] * at.x + m[4] * at.y + m[5]) / scale }
    }

    /// Returns the smallest rectangle around what a rectangle is drawn as.
    pub(in crate::page) fn bounds(&self, of: Bounds) -> Bounds {
        let (right, bottom) = (of.x + of.width, of.y + of.height);
        let corners = [(of.x, of.y), (right, of.y), (right, bottom), (of.x, bottom)];
        let corners = corners.map(|(x, y)| self.point(Point { x, y }));
        let least = |of: fn(&Point) -> f64| corners.iter().map(of).fold(f64::INFINITY, f64::min);
        let most = |of: fn(&Point) -> f64| corners.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
        let (x, y) = (least(|at| at.x), least(|at| at.y));
        Bounds { x, y, width: most(|at| at.x) - x, height: most(|at| at.y) - y }
    }

    /// Returns the map that applies `first`, then this one.
    pub(super) fn after(&self, first: &Self) -> Self {
        let (a, b) = (&self.0, &first.0);
        Self(std::array::from_fn(|at| (0..3).map(|k| a[at / 3 * 3 + k] * b[k * 3 + at % 3]).sum()))
    }

    /// Returns the map back. `None` if there is none.
    pub(super) fn inverse(&self) -> Option<Self> {
        let [a, b, c, d, e, f, g, h, i] = self.0;
        let whole = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
        if whole.abs() < 1e-12 {
            return None;
        }
        let turned = [
            e * i - f * h,
            c * h - b * i,
            b * f - c * e,
            f * g - d * i,
            a * i - c * g,
            c * d - a * f,
            d * h - e * g,
            b * g - a * h,
            a * e - b * d,
        ];
        Some(Self(turned.map(|part| part / whole)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Bounds, Point, Projection};

    fn at(x: f64, y: f64) -> Point {
        Point { x, y }
    }

    fn near(one: Point, other: Point) {
        assert!((one.x - other.x).abs() < 1e-6 && (one.y - other.y).abs() < 1e-6, "{one:?} {other:?}");
    }

    #[test]
    fn corners_go_to_corners_also_in_perspective() {
        let corners = [at(10.0, 20.0), at(110.0, 30.0), at(100.0, 140.0), at(0.0, 120.0)];
        let drawn = Projection::onto(800.0, 500.0, corners).unwrap();
        for (from, to) in [at(0.0, 0.0), at(800.0, 0.0), at(800.0, 500.0), at(0.0, 500.0)].into_iter().zip(corners) {
            near(drawn.point(from), to);
            near(drawn.inverse().unwrap().point(to), from);
        }
    }

    #[test]
    fn a_scaled_frame_in_a_scaled_frame_is_scaled_twice() {
        let half =
            Projection::onto(100.0, 100.0, [at(4.0, 4.0), at(54.0, 4.0), at(54.0, 54.0), at(4.0, 54.0)]).unwrap();
        let twice = half.after(&half);
        near(twice.point(at(8.0, 40.0)), at(8.0, 16.0));
        let shown = twice.bounds(Bounds { x: 0.0, y: 0.0, width: 40.0, height: 8.0 });
        assert!((shown.width - 10.0).abs() < 1e-9 && (shown.height - 2.0).abs() < 1e-9, "{shown:?}");
        assert_eq!(Projection::IDENTITY.after(&half), half);
        assert_eq!(Projection::onto(0.0, 10.0, [at(0.0, 0.0); 4]), None);
    }
}
