//! The compass of 88 keys, and interpolation of tables along it.

use crate::math::cast::byte;

/// Number of keys, A0 to C8.
pub const KEYS: usize = 88;

/// One key of the compass, by its index 0…87 (A0…C8).
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize,
)]
#[serde(into = "u8", try_from = "u8")]
pub struct KeyNumber(u8);

impl From<KeyNumber> for u8 {
    /// Index 0…87.
    fn from(key: KeyNumber) -> Self {
        key.0
    }
}

impl TryFrom<u8> for KeyNumber {
    type Error = NoKey;

    fn try_from(index: u8) -> Result<Self, NoKey> {
        Self::from_index(usize::from(index)).ok_or(NoKey(index))
    }
}

/// An index that no key has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0} is not the index of a key, 0 to 87")]
pub struct NoKey(pub u8);

impl KeyNumber {
    /// The key of index 0…87; `None` outside.
    #[must_use]
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < KEYS { Some(Self(byte(index))) } else { None }
    }

    /// The key of the number 1…88 by which pianos count; `None` outside.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Self> {
        if number >= 1 && number as usize <= KEYS { Some(Self(number - 1)) } else { None }
    }

    /// The key of a MIDI note 21…108; `None` outside.
    #[must_use]
    pub const fn from_midi(note: u8) -> Option<Self> {
        if note >= 21 && note <= 108 { Some(Self(note - 21)) } else { None }
    }

    /// All keys from A0 to C8.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..KEYS).filter_map(Self::from_index)
    }

    /// Index 0…87.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Key number as piano makers count, 1…88.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0 + 1
    }

    /// MIDI note number, 21…108.
    #[must_use]
    pub const fn midi(self) -> u8 {
        self.0 + 21
    }
}

/// The values of the anchors on either side of `number`, and the share (0…1) of the way from the first to the
/// second; beyond the ends both are the value of the end.
fn around<T: Copy>(anchors: &[(f64, T)], number: f64) -> (T, T, f64) {
    let (first, last) = (anchors[0], anchors[anchors.len() - 1]);
    if number <= first.0 {
        return (first.1, first.1, 0.0);
    }
    if number >= last.0 {
        return (last.1, last.1, 0.0);
    }
    let upper = anchors.partition_point(|a| a.0 <= number);
    let (a, b) = (anchors[upper - 1], anchors[upper]);
    (a.1, b.1, (number - a.0) / (b.0 - a.0))
}

/// Fundamental of `key` in equal temperament at 440 Hz, Hz.
#[must_use]
pub fn fundamental(key: KeyNumber) -> f64 {
    440.0 * libm::exp2((f64::from(key.number()) - 49.0) / 12.0)
}

/// Piecewise-linear interpolation of `anchors` (key number, value), held flat beyond the ends.
///
/// Anchors must be in ascending order of key number.
///
/// # Panics
/// When `anchors` is empty.
#[must_use]
pub fn linear(anchors: &[(f64, f64)], number: f64) -> f64 {
    let (a, b, share) = around(anchors, number);
    a + (b - a) * share
}

/// [`linear`] for each of the values in a row.
#[must_use]
pub fn linear_rows<const N: usize>(anchors: &[(f64, [f64; N])], number: f64) -> [f64; N] {
    let (a, b, share) = around(anchors, number);
    std::array::from_fn(|i| a[i] + (b[i] - a[i]) * share)
}

/// [`linear`] in the logarithm of the value; values must be positive.
///
/// # Panics
/// When `anchors` is empty.
#[must_use]
pub fn log_linear(anchors: &[(f64, f64)], number: f64) -> f64 {
    let (a, b, share) = around(anchors, number);
    if share == 0.0 { a } else { a * libm::pow(b / a, share) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_numbered_from_a0_to_c8() {
        assert_eq!(KeyNumber::all().count(), KEYS);
        let c4 = KeyNumber::from_midi(60).unwrap();
        assert_eq!((c4.index(), c4.number(), c4.midi()), (39, 40, 60));
        assert!(KeyNumber::from_midi(20).is_none() && KeyNumber::from_midi(109).is_none());
        assert!(KeyNumber::all().all(|key| KeyNumber::from_number(key.number()) == Some(key)));
        assert!(KeyNumber::from_number(0).is_none() && KeyNumber::from_number(89).is_none());
    }

    #[test]
    fn tables_pass_through_their_anchors_and_hold_their_ends() {
        let anchors = [(1.0, 2.0), (40.0, 8.0), (88.0, 4.0)];
        for f in [linear, log_linear] {
            for (n, v) in anchors {
                assert!((f(&anchors, n) - v).abs() < 1e-12);
            }
            assert_eq!(f(&anchors, 0.0), 2.0);
            assert_eq!(f(&anchors, 99.0), 4.0);
        }
        assert!((log_linear(&anchors, 20.5) - 4.0).abs() < 1e-12);
    }
}
