//! Tones of the keys between the recorded ones.
//!
//! What a recorded key differs by from the piano has two parts: a response over frequency that its neighbours
//! share, which is that of microphones and room, and what belongs to this key alone, such as the board's modes
//! under its partials. Of another key only the first is known. The noise of the blow, which has octaves of its own, is
//! averaged over the keys.

use touchback_core::math::compass::{KeyNumber, fundamental};
use touchback_core::math::power::square;
use touchback_core::mech::key_tones::{COUNT, KeyTones, PARTIALS, ToneQuantity};

/// Widths of the averages over frequency, octaves, and over the keys (chosen: of 0.3 and 0.6 octaves, the keys left
/// out of two recorded grands are equally near).
const OCTAVES: f64 = 0.5;
const KEYS: f64 = 14.0;

/// Weight of the piano's own tone among the keys (chosen: as that of a recorded key at hand).
const OWN: f64 = 1.0;

/// Least width of a key's partials about a frequency, octaves, with which the key has a value there (chosen: a quarter
/// of the average's width).
const LEAST: f64 = 0.3;

/// Differences of a key's partials from the start, by [`ToneQuantity::OF_PARTIALS`].
type Differences = [[f64; COUNT]; 2];

/// How keys between get their tones.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Spreading {
    /// Share of the response.
    pub response: f64,
    /// Share of what is left of the recorded keys on either side, partial by partial.
    pub rest: f64,
    /// Share of the mean difference of the blow's noise.
    pub blow: f64,
}

impl Spreading {
    /// As at the start.
    pub const NONE: Self = Self { response: 0.0, rest: 0.0, blow: 0.0 };
    /// As the recorded keys on either side.
    pub const INTERPOLATED: Self = Self { response: 0.0, rest: 1.0, blow: 0.0 };
    /// Those that are tried, without the blow's noise.
    pub const TRIED: [Self; 4] = [
        Self { response: 1.0, rest: 0.0, blow: 0.0 },
        Self { response: 1.0, rest: 0.5, blow: 0.0 },
        Self { response: 0.0, rest: 0.5, blow: 0.0 },
        Self::INTERPOLATED,
    ];
    /// Shares of the blow's noise that are tried with the nearest of these.
    pub const BLOWS: [f64; 2] = [1.0, 0.5];
}

/// Tones of some keys, and what they were at the start.
pub struct Spread<'a> {
    pub start: &'a KeyTones,
    pub tones: &'a KeyTones,
    /// The recorded keys, sorted.
    pub numbers: &'a [u8],
}

impl Spread<'_> {
    /// The tones, with all keys but the recorded ones spread as `how` tells.
    pub fn between(&self, how: impl Fn(u8) -> Spreading) -> KeyTones {
        let mut new = self.tones.clone();
        for key in KeyNumber::all().filter(|key| !self.numbers.contains(&key.number())) {
            self.set(&mut new, key, self.numbers, how(key.number()));
        }
        new
    }

    /// The tones of [`Self::between`], with each recorded key spread from the other ones.
    pub fn left_out(&self, how: impl Fn(u8) -> Spreading) -> KeyTones {
        let mut new = self.between(&how);
        for number in self.numbers {
            let others = self.numbers.iter().copied().filter(|other| other != number);
            let key = KeyNumber::from_number(*number);
            let others: Vec<u8> = others.collect();
            key.into_iter().for_each(|key| self.set(&mut new, key, &others, how(*number)));
        }
        new
    }

    /// Sets `key` in `new` from the recorded keys `numbers`.
    fn set(&self, new: &mut KeyTones, key: KeyNumber, numbers: &[u8], how: Spreading) {
        let mut sum = self.response(key, numbers).map(|each| each.map(|x| how.response * x));
        let number = key.number();
        let lower = numbers.iter().rev().find(|n| **n <= number).or(numbers.first());
        let upper = numbers.iter().find(|n| **n >= number).or(numbers.last());
        let (Some(lower), Some(upper)) = (lower, upper) else { return };
        let gap = f64::from(upper.saturating_sub(*lower));
        let place = if gap > 0.0 { f64::from(number.saturating_sub(*lower)) / gap } else { 0.0 };
        for (number, share) in [(*lower, 1.0 - place), (*upper, place)] {
            let Some(key) = KeyNumber::from_number(number) else { continue };
            let (own, response) = (self.differences(key), self.response(key, numbers));
            for (sum, (own, response)) in
                sum.iter_mut().flatten().zip(own.as_flattened().iter().zip(response.as_flattened()))
            {
                *sum += how.rest * share * (own - how.response * response);
            }
        }
        for (quantity, sum) in ToneQuantity::OF_PARTIALS.into_iter().zip(sum) {
            for (index, change) in sum.into_iter().enumerate() {
                let own = self.start.get(key, quantity, index);
                new.set(key, quantity, index, own + change);
            }
        }
        for quantity in ToneQuantity::OF_BLOW {
            for index in 0..quantity.count() {
                let change = how.blow * self.mean(key, numbers, quantity, index);
                new.set(key, quantity, index, self.start.get(key, quantity, index) + change);
            }
        }
    }

    fn difference(&self, key: KeyNumber, quantity: ToneQuantity, index: usize) -> f64 {
        self.tones.get(key, quantity, index) - self.start.get(key, quantity, index)
    }

    fn differences(&self, key: KeyNumber) -> Differences {
        ToneQuantity::OF_PARTIALS
            .map(|quantity| std::array::from_fn(|i| self.difference(key, quantity, i)))
    }

    /// Mean difference of the keys `numbers` about `key` in one value.
    fn mean(&self, key: KeyNumber, numbers: &[u8], quantity: ToneQuantity, index: usize) -> f64 {
        let (mut sum, mut weight) = (0.0, OWN);
        for other in numbers.iter().filter_map(|n| KeyNumber::from_number(*n)) {
            let apart = f64::from(other.number()) - f64::from(key.number());
            let nearness = bell(apart / KEYS);
            sum += nearness * self.difference(other, quantity, index);
            weight += nearness;
        }
        sum / weight
    }

    /// Mean difference of the keys `numbers` about `key` at the frequencies of its partials.
    fn response(&self, key: KeyNumber, numbers: &[u8]) -> Differences {
        let hz = |key: KeyNumber, i: usize| fundamental(key) * f64::from(PARTIALS[i]);
        let widths: [f64; COUNT] = std::array::from_fn(width);
        let mut sums = [[0.0; COUNT]; 2];
        let mut weights = [OWN; COUNT];
        for other in numbers.iter().filter_map(|n| KeyNumber::from_number(*n)) {
            let apart = f64::from(other.number()) - f64::from(key.number());
            let nearness = bell(apart / KEYS);
            let differences = self.differences(other);
            for (i, weight) in weights.iter_mut().enumerate() {
                let about: [f64; COUNT] = std::array::from_fn(|j| {
                    widths[j] * bell(libm::log2(hz(other, j) / hz(key, i)) / OCTAVES)
                });
                let all: f64 = about.iter().sum();
                if all < LEAST {
                    continue;
                }
                *weight += nearness;
                for (sum, differences) in sums.iter_mut().zip(&differences) {
                    let here = about.iter().zip(differences).map(|(a, d)| a * d).sum::<f64>();
                    sum[i] += nearness * here / all;
                }
            }
        }
        sums.map(|sum| std::array::from_fn(|i| sum[i] / weights[i]))
    }
}

/// Width that the partial at `index` stands for, octaves: the mean distance of its neighbours in [`PARTIALS`]. With it
/// the average is one over octaves; high partials, which lie closer, count no more than low ones.
fn width(index: usize) -> f64 {
    let octaves =
        |lower: usize| libm::log2(f64::from(PARTIALS[lower + 1]) / f64::from(PARTIALS[lower]));
    let below = octaves(index.max(1) - 1);
    let above = octaves(index.min(COUNT - 2));
    0.5 * (below + above)
}

/// exp(−x²/2).
fn bell(x: f64) -> f64 {
    libm::exp(-0.5 * square(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u8) -> KeyNumber {
        KeyNumber::from_number(number).unwrap()
    }

    /// Keys that differ by a slope over frequency, and one partial of one key.
    fn tones() -> KeyTones {
        let mut tones = KeyTones::EVEN;
        for number in [28, 34, 40, 46, 52] {
            for (index, partial) in PARTIALS.iter().enumerate() {
                let octaves = libm::log2(fundamental(key(number)) * f64::from(*partial) / 1000.0);
                tones.set(key(number), ToneQuantity::Level, index, 3.0 * octaves);
            }
        }
        tones
    }

    #[test]
    fn a_response_over_frequency_reaches_the_keys_between_and_a_single_partial_does_not() {
        let numbers = [28, 34, 40, 46, 52];
        let even = tones();
        let mut tones = even.clone();
        tones.set(key(40), ToneQuantity::Level, 2, 25.0);
        let spread = Spread { start: &KeyTones::EVEN, tones: &tones, numbers: &numbers };
        let how = Spreading { response: 1.0, ..Spreading::NONE };
        let new = spread.between(|_| how);
        for (index, partial) in PARTIALS.iter().enumerate().take(8) {
            let hz = fundamental(key(43)) * f64::from(*partial);
            let wanted = 3.0 * libm::log2(hz / 1000.0);
            let found = new.get(key(43), ToneQuantity::Level, index);
            assert!((found - wanted).abs() < 2.2, "{index}: {found} {wanted}");
        }
        assert_eq!(new.get(key(40), ToneQuantity::Level, 2), 25.0);
        let left_out = spread.left_out(|_| how).get(key(40), ToneQuantity::Level, 2);
        let as_even = Spread { tones: &even, ..spread }.left_out(|_| how);
        assert_eq!(left_out, as_even.get(key(40), ToneQuantity::Level, 2));
    }

    #[test]
    fn the_rest_is_interpolated_partial_by_partial() {
        let tones = tones();
        let numbers = [28, 34, 40, 46, 52];
        let spread = Spread { start: &KeyTones::EVEN, tones: &tones, numbers: &numbers };
        let level = |tones: &KeyTones, number| tones.get(key(number), ToneQuantity::Level, 4);
        let new = spread.between(|_| Spreading::INTERPOLATED);
        let middle = 0.5 * (level(&tones, 40) + level(&tones, 46));
        assert!((level(&new, 43) - middle).abs() < 0.13);
        assert_eq!(level(&new, 60), level(&tones, 52));
        let none = spread.between(|_| Spreading::NONE);
        assert_eq!(level(&none, 43), 0.0);
    }
}
