//! Build of the keyboard of all boards here: one key, in f32. A limit that is none does not compile.

use touchback_device::device::Build;
use touchback_device::device::key_impedance::RenderedBed;
use touchback_device::message::{Hello, KeyFacts, ability, reset_cause};

/// Version of this firmware.
const FIRMWARE: [u8; 3] = [0, 2, 0];

/// Limits of the motor and its amplifier, checked by the compiler.
const CHECKED: Build<1, f32> = Build {
    hello: Hello {
        keys: 1,
        first_key: 40,
        abilities: ability::WAVE | ability::TORQUE | ability::PHYSICAL_BED,
        rate_hz: 8000,
        report_us: 1000,
        force_max: 1500,
        force_held: 500,
        step_nm: 2000,
        firmware: FIRMWARE,
        reset_cause: reset_cause::UNKNOWN,
        ..Hello::NONE
    },
    facts: [KeyFacts { key: 0, mass: 0, weight: 0, friction: 0, damping: 0, bed: 0 }],
    slew: 40_000.0,
    thermal_time: 2.0,
    timeout_us: 20_000,
    bed: RenderedBed { stiffness: 0.0, damping: 0.0, depth: 0.0 },
    guard: 10e-3,
    state_keys: 1,
}
.checked();

/// What a board adds to the build.
pub struct Identity {
    /// Name, UTF-8, padded with zeros.
    pub name: [u8; 16],
    /// Serial number; 0 for none.
    pub serial: u64,
    /// Cause of the last reset: a value of [`reset_cause`].
    pub reset_cause: u8,
}

/// Description and limits of the keyboard. The key front moves by `step_nm`, nm, per count.
pub fn build(facts: KeyFacts, step_nm: u32, identity: &Identity) -> Build<1, f32> {
    let Identity { name, serial, reset_cause } = *identity;
    let hello = Hello { step_nm, name, serial, reset_cause, ..CHECKED.hello };
    Build { hello, facts: [facts], ..CHECKED }
}
