//! The zero of an incremental encoder: a key at rest is at the highest position that it can have.
//!
//! An encoder counts from wherever the key stands at power-up. The zero is found where the key has stood still for
//! 1 s at the highest position so far, and it is lost where the key is seen above it: then a finger or a weight has
//! held the key down at power-up. Until the zero is found, the fault [`crate::message::fault::NO_ZERO`] keeps the
//! motors off. A board whose encoder has an index pulse or is absolute needs no homing.

/// Time for which the key has to stand still, µs.
const STILL_US: u32 = 1_000_000;
/// Motion within which a key stands still, nm, and distance above the zero at which it is lost, nm (rest felt gives
/// by less under a returning key; the host wants keys within 0.3 mm of rest).
const STILL_NM: u32 = 50_000;
/// See [`STILL_NM`].
const LOST_NM: u32 = 250_000;

/// Search for the zero of one key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Homing {
    /// Raw count at rest.
    zero: Option<i32>,
    /// Highest raw count so far (counts grow downward), and where the key has stood still since.
    highest: i32,
    anchor: i32,
    still_us: u32,
    /// [`STILL_NM`] and [`LOST_NM`] in counts.
    still: i32,
    lost: i32,
}

impl Homing {
    /// A search that begins with the raw count `raw`; a count is `step_nm` nm of the key front.
    #[must_use]
    pub const fn new(raw: i32, step_nm: u32) -> Self {
        let step = if step_nm == 0 { 1 } else { step_nm };
        Self {
            zero: None,
            highest: raw,
            anchor: raw,
            still_us: 0,
            still: (STILL_NM / step).cast_signed() + 1,
            lost: (LOST_NM / step).cast_signed() + 1,
        }
    }

    /// The zero is known.
    #[must_use]
    pub const fn is_found(&self) -> bool {
        self.zero.is_some()
    }

    /// Count from the zero, or from the highest position so far, of the raw count `raw`, read `us` µs after the
    /// last.
    pub fn position(&mut self, raw: i32, us: u32) -> i32 {
        if let Some(zero) = self.zero {
            let above = zero.wrapping_sub(raw);
            if above <= self.lost {
                return raw.wrapping_sub(zero);
            }
            *self = Self { zero: None, highest: raw, anchor: raw, still_us: 0, ..*self };
        }
        if self.highest.wrapping_sub(raw) > 0 {
            self.highest = raw;
        }
        if raw.wrapping_sub(self.anchor).wrapping_abs() > self.still {
            (self.anchor, self.still_us) = (raw, 0);
        }
        self.still_us = self.still_us.saturating_add(us);
        let depth = raw.wrapping_sub(self.highest);
        if self.still_us >= STILL_US && depth <= self.still {
            self.zero = Some(raw);
            return 0;
        }
        depth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs `ms` of 1 ms at `raw`; returns the last position.
    fn run(homing: &mut Homing, ms: u32, raw: i32) -> i32 {
        (0..ms).map(|_| homing.position(raw, 1000)).last().unwrap()
    }

    #[test]
    fn a_key_at_rest_has_its_zero_after_a_second() {
        let mut homing = Homing::new(70, 2000);
        assert_eq!(run(&mut homing, 999, 70), 0);
        assert!(!homing.is_found());
        assert_eq!((run(&mut homing, 1, 72), homing.is_found()), (0, true));
        assert_eq!((run(&mut homing, 1, 5072), homing.is_found()), (5000, true));
        // The rest felt gives by 0.2 mm.
        assert_eq!((run(&mut homing, 1, -28), homing.is_found()), (-100, true));
    }

    /// A key that is held at power-up gets a wrong zero, loses it when it is released, and finds the right one.
    #[test]
    fn a_key_held_at_power_up_finds_its_zero_at_its_release() {
        let mut homing = Homing::new(0, 2000);
        run(&mut homing, 1200, 0);
        assert!(homing.is_found());
        // Up by 8 mm in 40 ms.
        for ms in 1..=40 {
            homing.position(-100 * ms, 1000);
        }
        assert!(!homing.is_found());
        run(&mut homing, 999, -4000);
        assert_eq!((run(&mut homing, 2, -4000), homing.is_found()), (0, true));
    }

    /// A key that was seen higher is not at rest where it stands still.
    #[test]
    fn a_held_key_has_no_zero() {
        let mut homing = Homing::new(0, 2000);
        run(&mut homing, 500, 0);
        assert_eq!((run(&mut homing, 5000, 3000), homing.is_found()), (3000, false));
        run(&mut homing, 1100, 4);
        assert!(homing.is_found());
    }
}
