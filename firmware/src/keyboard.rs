//! Build of the keyboard of all boards here: one key, in f32.

use touchback_device::device::Build;
use touchback_device::device::key_impedance::RenderedBed;
use touchback_device::message::{Hello, KeyFacts, VERSION, ability};

/// Description and limits of the keyboard. The key front moves by `step_nm`, nm, per count.
pub fn build(facts: KeyFacts, step_nm: u32, name: [u8; 16]) -> Build<1, f32> {
    Build {
        hello: Hello {
            version: VERSION,
            keys: 1,
            first_key: 40,
            abilities: ability::WAVE | ability::TORQUE | ability::PHYSICAL_BED,
            rate_hz: 8000,
            report_us: 1000,
            force_max: 1500,
            force_held: 500,
            step_nm,
            name,
        },
        facts: [facts],
        slew: 40_000.0,
        thermal_time: 2.0,
        timeout_us: 20_000,
        bed: RenderedBed { stiffness: 0.0, damping: 0.0, depth: 0.0 },
        guard: 10e-3,
        state_keys: 1,
    }
}
