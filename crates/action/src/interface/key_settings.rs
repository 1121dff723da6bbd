//! Settings of one key: the settings of all keys plus its differences.

use super::key_sheet::{
    CHECK, DAMPER, DROP, FRICTION, HARDNESS, KEY_LEAD, KeyOffsets, LET_OFF, QUANTITIES,
    REPETITION_SPRING, STRIKE_WEIGHT, UNISON,
};
use super::settings::ActionSettings;
use touchback_core::exchange::shared::Shared;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::random;
use touchback_core::math::range::Range;

/// Latest let-off of a key by its row of the sheet, mm: the jack would slip 3 mm past the string, and the key holds
/// the hammer at the string.
const LATEST_LET_OFF_MM: f64 = -3.0;

/// Difference of `key` in a quantity on the piano `seed`, in standard deviations: the sum of three numbers
/// uniform in ±1. Between whole seeds it is interpolated linearly, so that the seed can be automated.
fn deviation(seed: f64, key: KeyNumber, quantity: usize) -> f64 {
    let whole = seed.floor();
    let of = |piano: f64| {
        let piano = touchback_core::math::cast::floor_index(piano) as u64;
        let draw =
            |i: u64| random::of_pair(piano * 64 + quantity as u64 * 4 + i, key.number().into());
        draw(0) + draw(1) + draw(2)
    };
    let share = seed - whole;
    if share > 0.0 { of(whole) * (1.0 - share) + of(whole + 1.0) * share } else { of(whole) }
}

impl ActionSettings {
    /// Whether the action of all keys has the same settings.
    #[must_use]
    pub fn is_even(&self) -> bool {
        self.unevenness == 0.0 && self.keys.is_neutral()
    }

    /// Differences of `key`: its row of the sheet plus its share of the unevenness, which only widens
    /// unisons.
    #[must_use]
    pub fn offsets(&self, key: KeyNumber) -> KeyOffsets {
        self.with_unevenness(key, self.keys.of(key))
    }

    /// `offsets` of `key` plus its share of the unevenness.
    fn with_unevenness(&self, key: KeyNumber, mut offsets: KeyOffsets) -> KeyOffsets {
        let unevenness = Self::RANGES.unevenness.clamped(self.unevenness);
        if unevenness > 0.0 {
            let seed = Self::RANGES.unevenness_seed.clamped(self.unevenness_seed);
            for (q, offset) in offsets.iter_mut().enumerate() {
                let deviation = deviation(seed, key, q);
                let deviation = if q == UNISON { deviation.abs() } else { deviation };
                *offset += unevenness * QUANTITIES[q].spread * deviation;
            }
        }
        offsets
    }

    /// Difference of the unison width of `key`, cents.
    #[must_use]
    pub fn unison_offset(&self, key: KeyNumber) -> f64 {
        if self.is_even() { 0.0 } else { self.offsets(key)[UNISON] }
    }

    /// The settings of `key`, as if they held for all keys: the differences of `key` are added, and each sum
    /// is clamped to its range.
    #[must_use]
    pub fn of(&self, key: KeyNumber) -> Self {
        if self.is_even() { self.clone() } else { self.with_row(key, self.keys.of(key)) }
    }

    /// [`Self::of`] with the row `offsets` in place of that of the sheet.
    pub(super) fn with_row(&self, key: KeyNumber, offsets: KeyOffsets) -> Self {
        let ranges = Self::RANGES;
        let own = self.let_off_mm + offsets[LET_OFF];
        // Only its own row can make a key block, not the unevenness of the piano.
        let let_off = if own < ranges.let_off_mm.min {
            Range { min: LATEST_LET_OFF_MM, ..ranges.let_off_mm }
        } else {
            ranges.let_off_mm
        };
        let offsets = self.with_unevenness(key, offsets);
        let offset = |value: f64, range: Range, q: usize| {
            if offsets[q] == 0.0 { value } else { range.clamped(value + offsets[q]) }
        };
        Self {
            keys: Shared::NEUTRAL,
            unevenness: 0.0,
            let_off_mm: offset(self.let_off_mm, let_off, LET_OFF),
            drop_mm: offset(self.drop_mm, ranges.drop_mm, DROP),
            check_mm: offset(self.check_mm, ranges.check_mm, CHECK),
            repetition_spring: offset(
                self.repetition_spring,
                ranges.repetition_spring,
                REPETITION_SPRING,
            ),
            key_lead_g: offset(self.key_lead_g, ranges.key_lead_g, KEY_LEAD),
            strike_weight_g: offset(self.strike_weight_g, ranges.strike_weight_g, STRIKE_WEIGHT),
            hammer_hardness: offset(self.hammer_hardness, ranges.hammer_hardness, HARDNESS),
            friction: offset(self.friction, ranges.friction, FRICTION),
            damper_pickup: offset(self.damper_pickup, ranges.damper_pickup, DAMPER),
            ..self.clone()
        }
    }
}
