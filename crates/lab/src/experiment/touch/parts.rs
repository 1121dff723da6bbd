//! The sound of a stroke as a sum of parts: the strings, and each kind of knock alone.
//!
//! Strings, board and room are linear in these parts. Knocks vary at random by their number since reset, so
//! each kind is rendered alone: equal numbers vary equally in both strokes.

use anyhow::{Result, anyhow};

use super::stroke::Outcome;
use touchback_core::exchange::cancel;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::power::square;
use touchback_sound::{Knock, Sound};

pub(super) const RATE: u32 = 48_000;

/// Time of the strike in the sound, s, and its length, s.
const STRIKE: f64 = 0.25;
const LENGTH: f64 = 2.0;

/// Causes of a difference between two strokes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cause {
    /// Speed of the hammer: the strings.
    Hammer,
    /// Vibration of the hammer's shank.
    Shank,
    /// The key on its bed.
    KeyBed,
    /// Jack and backcheck.
    Mechanism,
}

impl Cause {
    pub(super) const ALL: [Self; 4] = [Self::Hammer, Self::Shank, Self::KeyBed, Self::Mechanism];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Hammer => "hammer speed",
            Self::Shank => "shank vibration",
            Self::KeyBed => "key on its bed",
            Self::Mechanism => "jack and backcheck",
        }
    }

    const fn of(knock: Knock) -> Self {
        match knock {
            Knock::Sway | Knock::Ring => Self::Shank,
            Knock::KeyBed => Self::KeyBed,
            _ => Self::Mechanism,
        }
    }
}

/// Both channels of each cause's part.
pub(super) struct Parts([[Vec<f32>; 2]; Cause::ALL.len()]);

impl Parts {
    /// Renders `outcome` on key `number`.
    pub(super) fn render(sound: &mut Sound, number: u8, outcome: &Outcome) -> Result<Self> {
        let key = KeyNumber::from_number(number).ok_or_else(|| anyhow!("no key"))?;
        let count = floor_index(LENGTH * f64::from(RATE));
        let mut parts = Self(std::array::from_fn(|_| [vec![0.0; count], vec![0.0; count]]));
        parts.add(sound, key, Cause::Hammer, STRIKE, |sound, delay| {
            sound.strike(key, outcome.hammer_speed, delay);
        });
        for (i, (knock, after, speed)) in outcome.knocks.iter().enumerate() {
            if STRIKE + after < LENGTH {
                // The number of equal knocks before it, which the strings' variation follows.
                let before = outcome.knocks[..i].iter().filter(|k| k.0 == *knock).count();
                if before == 0 {
                    parts.add(sound, key, Cause::of(*knock), STRIKE + after, |sound, _| {
                        sound.knock(key, *knock, *speed);
                    });
                }
            }
        }
        Ok(parts)
    }

    /// Adds the sound of what `act` does `at` s.
    fn add(
        &mut self,
        sound: &mut Sound,
        key: KeyNumber,
        cause: Cause,
        at: f64,
        act: impl FnOnce(&mut Sound, f64),
    ) {
        sound.reset();
        sound.damper(key, 1.0);
        let sample = (at * f64::from(RATE)).max(0.0);
        let whole = floor_index(sample);
        let count = self.0[0][0].len();
        let [mut left, mut right] = [vec![0.0f32; count], vec![0.0f32; count]];
        cancel::check();
        sound.process(&mut left[..whole], &mut right[..whole]);
        act(sound, sample.fract());
        cancel::check();
        sound.process(&mut left[whole..], &mut right[whole..]);
        for (sum, part) in self.0[cause as usize].iter_mut().zip([left, right]) {
            sum.iter_mut().zip(part).for_each(|(sum, x)| *sum += x);
        }
    }

    /// Both channels of the whole sound.
    pub(super) fn sum(&self) -> [Vec<f32>; 2] {
        [0, 1].map(|channel| {
            let mut sum = vec![0.0; self.0[0][channel].len()];
            for part in &self.0 {
                sum.iter_mut().zip(&part[channel]).for_each(|(sum, x)| *sum += x);
            }
            sum
        })
    }

    /// Energy of the part of `cause` less that of `other`; with `other` `None`, of the part itself.
    fn energy(&self, cause: Cause, other: Option<&Self>) -> f64 {
        let channel = |channel: usize| {
            let own = &self.0[cause as usize][channel];
            let theirs = other.map(|other| &other.0[cause as usize][channel]);
            let square_of = |(i, x): (usize, &f32)| {
                square(f64::from(*x) - theirs.map_or(0.0, |theirs| f64::from(theirs[i])))
            };
            own.iter().enumerate().map(square_of).sum::<f64>()
        };
        channel(0) + channel(1)
    }

    /// Level of the difference between both strokes in each cause's part relative to the whole sound of this
    /// stroke, dB.
    pub(super) fn differences(&self, other: &Self) -> [f64; Cause::ALL.len()] {
        let [left, right] = self.sum();
        let whole: f64 = left.iter().chain(&right).map(|x| square(f64::from(*x))).sum();
        Cause::ALL.map(|cause| {
            10.0 * libm::log10(self.energy(cause, Some(other)).max(1e-30) / whole.max(1e-30))
        })
    }
}
