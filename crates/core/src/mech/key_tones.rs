//! Tone of single keys: how level and decay time of their partials, and the noise of their blow, differ from the
//! piano's own.
//!
//! A technician writes them in the key sheet; `touchback match` fits them to a recorded piano.

use crate::exchange::shared::Neutral;
use crate::math::compass::{KEYS, KeyNumber};
use crate::math::steps::{self, MOST, stepped};

/// Numbers of the partials that have values. Between them a value is linear over the logarithm of the
/// partial's number, beyond the last one constant.
pub const PARTIALS: [u8; COUNT] =
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 20, 24, 32, 40, 48, 64];

/// Number of partials that have values.
pub const COUNT: usize = 20;

/// Middles of the half octaves in which the noise of the blow has levels, Hz.
pub const BLOW_HZ: [u16; BLOW_COUNT] =
    [63, 88, 125, 177, 250, 354, 500, 707, 1000, 1414, 2000, 2828, 4000, 5657, 8000, 11314];

/// Number of these half octaves; two neighbours, an octave, decay alike.
pub const BLOW_COUNT: usize = 16;

/// A property of a key's tone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ToneQuantity {
    /// Level of a partial, dB.
    Level,
    /// Decay time of a partial, octaves.
    Decay,
    /// Level of the blow on plate and rim in a half octave of [`BLOW_HZ`], dB: below 0 the blow is weaker, above 0
    /// plate and case ring with as much energy more.
    Blow,
    /// Decay time of this ring in two half octaves, octaves.
    BlowDecay,
    /// Level of the knocks of the key's action, dB.
    Knock,
}

/// Number of values of a key.
const VALUES: usize = 2 * COUNT + BLOW_COUNT + BLOW_COUNT / 2 + 1;

impl ToneQuantity {
    /// All properties.
    pub const ALL: [Self; 5] = [Self::Level, Self::Decay, Self::Blow, Self::BlowDecay, Self::Knock];

    /// The properties of partials.
    pub const OF_PARTIALS: [Self; 2] = [Self::Level, Self::Decay];

    /// The properties of the blow's noise.
    pub const OF_BLOW: [Self; 3] = [Self::Blow, Self::BlowDecay, Self::Knock];

    /// Number of values: of partials, of half octaves or octaves, or one.
    #[must_use]
    pub const fn count(self) -> usize {
        match self {
            Self::Level | Self::Decay => COUNT,
            Self::Blow => BLOW_COUNT,
            Self::BlowDecay => BLOW_COUNT / 2,
            Self::Knock => 1,
        }
    }

    /// Place of the first value among those of a key.
    const fn first(self) -> usize {
        match self {
            Self::Level => 0,
            Self::Decay => COUNT,
            Self::Blow => 2 * COUNT,
            Self::BlowDecay => 2 * COUNT + BLOW_COUNT,
            Self::Knock => 2 * COUNT + BLOW_COUNT + BLOW_COUNT / 2,
        }
    }

    /// Resolution, dB or octaves.
    #[must_use]
    pub const fn step(self) -> f64 {
        match self {
            Self::Level | Self::Blow | Self::Knock => 0.25,
            Self::Decay => 0.025,
            Self::BlowDecay => 0.04,
        }
    }

    /// Largest value, dB or octaves.
    #[must_use]
    pub const fn most(self) -> f64 {
        MOST as f64 * self.step()
    }

    /// Column in files of the value at an index.
    #[must_use]
    pub fn column(self, index: usize) -> String {
        match self {
            Self::Level => format!("partial_{}_db", PARTIALS[index]),
            Self::Decay => format!("partial_{}_decay_octaves", PARTIALS[index]),
            Self::Blow => format!("blow_{}_hz_db", BLOW_HZ[index]),
            Self::BlowDecay => format!("blow_{}_hz_decay_octaves", BLOW_HZ[2 * index]),
            Self::Knock => "knock_db".into(),
        }
    }
}

/// Tones of all keys, in multiples of [`ToneQuantity::step`].
#[derive(Clone, PartialEq, Eq)]
pub struct KeyTones([[i8; VALUES]; KEYS]);

impl KeyTones {
    /// The piano's own tone on every key.
    pub const EVEN: Self = Self([[0; VALUES]; KEYS]);

    /// Whether `key` does not differ.
    #[must_use]
    pub(crate) fn is_even_at(&self, key: KeyNumber) -> bool {
        self.0[key.index()] == [0; VALUES]
    }

    /// Value of `key` at an index below the quantity's count, dB or octaves.
    #[must_use]
    pub fn get(&self, key: KeyNumber, quantity: ToneQuantity, index: usize) -> f64 {
        f64::from(self.0[key.index()][quantity.first() + index]) * quantity.step()
    }

    /// Sets the value of `key` at an index below the quantity's count, rounded to a step and clamped to 127
    /// steps. NaN changes nothing.
    pub fn set(&mut self, key: KeyNumber, quantity: ToneQuantity, index: usize, value: f64) {
        if !value.is_nan() {
            self.0[key.index()][quantity.first() + index] = stepped(value / quantity.step());
        }
    }

    /// Largest value of any key, at least 0, dB or octaves.
    #[must_use]
    pub fn most(&self, quantity: ToneQuantity) -> f64 {
        let own = quantity.first()..quantity.first() + quantity.count();
        let all = self.0.iter().flat_map(|key| &key[own.clone()]);
        f64::from(all.copied().max().unwrap_or(0).max(0)) * quantity.step()
    }

    /// Takes the tone of `key` from `other`.
    pub fn copy(&mut self, key: KeyNumber, other: &Self) {
        self.0[key.index()] = other.0[key.index()];
    }

    /// Value of partial `partial` (from 1) of `key`, dB or octaves; `quantity` is of partials.
    #[must_use]
    pub fn at(&self, key: KeyNumber, quantity: ToneQuantity, partial: usize) -> f64 {
        if self.is_even_at(key) || quantity.count() != COUNT {
            return 0.0;
        }
        shares(partial as f64).map(|(index, share)| share * self.get(key, quantity, index)).sum()
    }

    /// Linear interpolation from `self` at share 0 to `target` at share 1, rounded to steps.
    #[must_use]
    pub fn toward(&self, target: &Self, share: f64) -> Self {
        let mut tones = self.clone();
        steps::toward(tones.0.as_flattened_mut(), target.0.as_flattened(), share);
        tones
    }
}

/// Indices into [`PARTIALS`] between which `partial` lies, with their shares; `partial` need not be whole.
pub fn shares(partial: f64) -> impl Iterator<Item = (usize, f64)> {
    let last = COUNT - 1;
    let upper = PARTIALS.iter().position(|p| f64::from(*p) > partial).unwrap_or(last).max(1);
    let ends = [upper - 1, upper].map(|index| libm::log(f64::from(PARTIALS[index])));
    let share = ((libm::log(partial.max(1.0)) - ends[0]) / (ends[1] - ends[0])).clamp(0.0, 1.0);
    [(upper - 1, 1.0 - share), (upper, share)].into_iter()
}

impl Neutral for KeyTones {
    const NEUTRAL: &'static Self = &Self::EVEN;
}

impl Default for KeyTones {
    fn default() -> Self {
        Self::EVEN
    }
}

impl std::fmt::Debug for KeyTones {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let differ = KeyNumber::all().filter(|key| !self.is_even_at(*key)).count();
        write!(f, "{differ} keys differ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> KeyNumber {
        KeyNumber::from_index(39).unwrap()
    }

    #[test]
    fn values_are_linear_over_the_logarithm_of_the_partial() {
        let mut tones = KeyTones::EVEN;
        for (index, partial) in PARTIALS.iter().enumerate() {
            tones.set(key(), ToneQuantity::Level, index, 2.0 * f64::from(*partial).log2());
        }
        for partial in [1, 2, 3, 4, 6, 16, 64] {
            let wanted = 2.0 * f64::from(u32::try_from(partial).unwrap()).log2();
            let found = tones.at(key(), ToneQuantity::Level, partial);
            assert!((found - wanted).abs() < 0.13, "{partial}: {found}");
        }
        // Between 12 and 14, and beyond the last.
        assert!((tones.at(key(), ToneQuantity::Level, 13) - 2.0 * 13.0f64.log2()).abs() < 0.15);
        assert_eq!(tones.at(key(), ToneQuantity::Level, 90), 12.0);
        assert_eq!(tones.at(key(), ToneQuantity::Decay, 5), 0.0);
    }

    #[test]
    fn values_are_rounded_clamped_and_interpolated() {
        let (mut from, mut to) = (KeyTones::EVEN, KeyTones::EVEN);
        from.set(key(), ToneQuantity::Decay, 3, -9.0);
        to.set(key(), ToneQuantity::Decay, 3, 1.01);
        to.set(key(), ToneQuantity::Decay, 4, f64::NAN);
        assert_eq!(from.get(key(), ToneQuantity::Decay, 3), -ToneQuantity::Decay.most());
        assert_eq!(to.get(key(), ToneQuantity::Decay, 3), 1.0);
        let middle = from.toward(&to, 0.5).get(key(), ToneQuantity::Decay, 3);
        assert!((middle + 1.0875).abs() < 0.02, "{middle}");
        assert!(from.toward(&to, 1.0) == to && to != KeyTones::EVEN);
    }

    #[test]
    fn every_quantity_has_values_of_its_own() {
        let mut tones = KeyTones::EVEN;
        let mut wanted = Vec::new();
        for quantity in ToneQuantity::ALL {
            for index in 0..quantity.count() {
                wanted.push((quantity, index, quantity.step() * (1 + wanted.len()) as f64));
            }
        }
        wanted
            .iter()
            .for_each(|(quantity, index, value)| tones.set(key(), *quantity, *index, *value));
        for (quantity, index, value) in &wanted {
            assert!(
                (tones.get(key(), *quantity, *index) - value).abs() < 1e-9,
                "{quantity:?} {index}"
            );
        }
        let mut names: Vec<String> = wanted.iter().map(|(q, i, _)| q.column(*i)).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), wanted.len());
        // Values of a blow are no partials.
        assert_eq!(tones.at(key(), ToneQuantity::Blow, 1), 0.0);
    }
}
