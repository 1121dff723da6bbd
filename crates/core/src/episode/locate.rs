//! Root finding: where inside a step a function changes sign.

/// Largest number of function evaluations of [`first_nonpositive`].
const MAX_EVALUATIONS: u32 = 200;

/// Point s of [0, 1] with g(s) ≤ 0, within `tolerance` after the sign change of `g`; g(0) = `g0` > 0 and
/// g(1) = `g1` ≤ 0.
///
/// Regula falsi with the Illinois modification: superlinear, and always bracketed. The result is the
/// upper end of the bracket, so that the sign change lies before it.
pub fn first_nonpositive(mut g: impl FnMut(f64) -> f64, g0: f64, g1: f64, tolerance: f64) -> f64 {
    let mut bracket = Bracket::new(g0, g1);
    while let Some(point) = bracket.next_point(tolerance) {
        bracket.put(g(point));
    }
    bracket.upper
}

/// The search of [`first_nonpositive`], one evaluation at a time, so that several searches can evaluate
/// side by side.
#[derive(Clone, Copy, Debug)]
pub struct Bracket {
    /// Lower end, where the function is positive, and its value there.
    lower: f64,
    at_lower: f64,
    /// Upper end of the bracket, where the function is not positive.
    pub upper: f64,
    at_upper: f64,
    /// The point of the evaluation at hand.
    point: f64,
    /// 1 if the last evaluation was positive, −1 if it was not.
    last_side: i8,
    evaluations: u32,
}

impl Bracket {
    /// The bracket [0, 1] of a function g with g(0) = `g0` > 0 and g(1) = `g1` ≤ 0.
    #[must_use]
    pub const fn new(g0: f64, g1: f64) -> Self {
        Self {
            lower: 0.0,
            at_lower: g0,
            upper: 1.0,
            at_upper: g1,
            point: 1.0,
            last_side: 0,
            evaluations: 0,
        }
    }

    /// The point at which the function is to be evaluated next, for [`Self::put`]; none once the bracket is
    /// as narrow as `tolerance`.
    pub(crate) fn next_point(&mut self, tolerance: f64) -> Option<f64> {
        let Self { lower: a, at_lower: ga, upper: b, at_upper: gb, .. } = *self;
        if self.evaluations == MAX_EVALUATIONS || b - a <= tolerance || gb == 0.0 {
            return None;
        }
        let mut c = a + (b - a) * ga / (ga - gb);
        // Bisect every fourth time, so that jumps converge too, and where rounding puts c on an end.
        if self.evaluations % 4 == 3 || !(c > a && c < b) {
            c = 0.5 * (a + b);
        }
        self.evaluations += 1;
        self.point = c;
        Some(c)
    }

    /// The function is `value` at the point returned last.
    pub fn put(&mut self, value: f64) {
        if value > 0.0 {
            (self.lower, self.at_lower) = (self.point, value);
            if self.last_side == 1 {
                self.at_upper *= 0.5;
            }
            self.last_side = 1;
        } else {
            (self.upper, self.at_upper) = (self.point, value);
            if self.last_side == -1 {
                self.at_lower *= 0.5;
            }
            self.last_side = -1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_and_triple_roots_are_found_just_after_the_sign_change() {
        for root in [1e-9, 0.2, 0.5, 0.999] {
            for power in [1, 3] {
                let g = |s: f64| (root - s).powi(power);
                let s = first_nonpositive(g, g(0.0), g(1.0), 1e-13);
                assert!(g(s) <= 0.0 && (s - root).abs() < 1e-4f64.powi(2 / power), "{root} {s}");
            }
        }
    }

    #[test]
    fn a_jump_is_bracketed_to_the_tolerance() {
        let g = |s: f64| if s < 0.3 { 1.0 } else { -1e-9 };
        let s = first_nonpositive(g, g(0.0), g(1.0), 1e-12);
        assert!((0.3..0.3 + 1e-11).contains(&s), "{s}");
    }
}
