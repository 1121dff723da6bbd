//! Root finding: where inside a step a function changes sign.

/// Largest number of function evaluations of [`first_nonpositive`].
const MAX_EVALUATIONS: u32 = 200;

/// Point s of [0, 1] with g(s) ≤ 0, within `tolerance` after the sign change of `g`; g(0) = `g0` > 0 and
/// g(1) = `g1` ≤ 0.
///
/// Regula falsi with the Illinois modification: superlinear, and always bracketed. The result is the
/// upper end of the bracket, so that the sign change lies before it.
pub fn first_nonpositive(mut g: impl FnMut(f64) -> f64, g0: f64, g1: f64, tolerance: f64) -> f64 {
    let (mut a, mut ga) = (0.0, g0);
    let (mut b, mut gb) = (1.0, g1);
    let mut last_side = 0i8;
    for evaluation in 0..MAX_EVALUATIONS {
        if b - a <= tolerance || gb == 0.0 {
            break;
        }
        let mut c = a + (b - a) * ga / (ga - gb);
        // Bisect every fourth time, so that jumps converge too, and where rounding puts c on an end.
        if evaluation % 4 == 3 || !(c > a && c < b) {
            c = 0.5 * (a + b);
        }
        let gc = g(c);
        if gc > 0.0 {
            (a, ga) = (c, gc);
            if last_side == 1 {
                gb *= 0.5;
            }
            last_side = 1;
        } else {
            (b, gb) = (c, gc);
            if last_side == -1 {
                ga *= 0.5;
            }
            last_side = -1;
        }
    }
    b
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
