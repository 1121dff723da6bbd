//! Build of a keyboard without motors, and its sensors' calibration.

use touchback_device::device::Build;
use touchback_device::device::key_impedance::RenderedBed;
use touchback_device::firmware::positions::{Calibration, STEP_NM};
use touchback_device::message::{Hello, KeyFacts, ability};

/// A keyboard of `KEYS` keys from piano key `first_key` on, with a number of keys per state that its wire carries and
/// `rate_hz` scans, ticks and states per second, Hz.
pub const fn build<const KEYS: usize>(
    first_key: u8,
    state_keys: u8,
    rate_hz: u16,
) -> Build<KEYS, f32> {
    Build {
        hello: Hello {
            keys: KEYS as u8,
            first_key,
            abilities: ability::POSITIONS | ability::PHYSICAL_BED,
            rate_hz,
            report_us: (1_000_000 / rate_hz as u32) as u16,
            step_nm: STEP_NM,
            firmware: [0, 2, 0],
            ..Hello::NONE
        },
        facts: [KeyFacts { key: 0, mass: 0, weight: 0, friction: 0, damping: 0, bed: 1000 }; KEYS],
        slew: 0.0,
        thermal_time: 0.0,
        timeout_us: 20_000,
        bed: RenderedBed { stiffness: 0.0, damping: 0.0, depth: 0.0 },
        guard: 0.0,
        state_keys,
    }
    .checked()
}

/// Facts with the numbers of the keys.
pub fn numbered<const KEYS: usize>(mut build: Build<KEYS, f32>) -> Build<KEYS, f32> {
    for (key, facts) in build.facts.iter_mut().enumerate() {
        facts.key = key as u8;
    }
    build
}

/// The calibration of a key before it is measured: a reflective sensor 13.5 mm under the key at rest.
pub const TYPICAL: Calibration = Calibration { readings: [473, 891, 2871], depths: [620, 1000] };
