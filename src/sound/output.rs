//! The last step: width, and a guard that only extreme input meets.

/// Level up to which the guard changes nothing (−1 dBFS).
const KNEE: f32 = 0.891;

/// Leaves levels up to −1 dBFS untouched and bends the rest smoothly below 1.
#[must_use]
pub fn guarded(x: f32) -> f32 {
    let over = x.abs() - KNEE;
    if over <= 0.0 {
        return x;
    }
    let room = 1.0 - KNEE;
    (KNEE + room * over / (room + over)).copysign(x)
}

/// Left and right with the side signal scaled by `width`.
#[must_use]
pub fn widened(left: f32, right: f32, width: f32) -> (f32, f32) {
    let (mid, side) = (0.5 * (left + right), 0.5 * width * (left - right));
    (mid + side, mid - side)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guard_is_transparent_below_its_knee_and_bounded_above() {
        for i in 0..=891 {
            let x = i as f32 / 1000.0;
            assert_eq!(guarded(x).to_bits(), x.to_bits());
            assert_eq!(guarded(-x).to_bits(), (-x).to_bits());
        }
        assert!(guarded(1e6) <= 1.0 && guarded(2.0) < guarded(3.0) && guarded(-9.0) > -1.0);
    }
}
