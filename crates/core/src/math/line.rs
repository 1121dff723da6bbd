//! Linear regression.

/// A regression line: least squares of the vertical distances.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Line {
    /// Slope dy/dx.
    pub slope: f64,
    /// Mean of x; the line passes through the means.
    pub x: f64,
    /// Mean of y.
    pub y: f64,
}

impl Line {
    /// The line through `points` (x, y); `None` if they do not differ in x.
    #[must_use]
    pub fn through(points: &[(f64, f64)]) -> Option<Self> {
        let n = points.len() as f64;
        let (x, y) = points.iter().fold((0.0, 0.0), |(a, b), p| (a + p.0 / n, b + p.1 / n));
        let (xy, xx) = points
            .iter()
            .fold((0.0, 0.0), |(a, b), p| (a + (p.0 - x) * (p.1 - y), b + (p.0 - x) * (p.0 - x)));
        (xx > 0.0).then(|| Self { slope: xy / xx, x, y })
    }

    /// Value of the line at `x`.
    #[must_use]
    pub fn at(&self, x: f64) -> f64 {
        self.y + self.slope * (x - self.x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_on_a_line_give_that_line_and_one_point_gives_none() {
        let points = [1.0, 2.0, 4.0, 7.0].map(|x: f64| (x, 3.0 - 0.5 * x));
        let line = Line::through(&points).unwrap();
        assert!((line.slope + 0.5).abs() < 1e-15 && (line.at(0.0) - 3.0).abs() < 1e-15, "{line:?}");
        assert_eq!(Line::through(&points[..1]), None);
        assert_eq!(Line::through(&[]), None);
    }
}
