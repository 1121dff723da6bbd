//! Options of the servo, and the transmission line that follows from them.

use super::coupling::Coupling;
use crate::action::Action;
use touchback_action::{ActionSettings, STEP};
use touchback_device::device::key_impedance::{SPEED_CORNER, WAVE_CORNER};
use touchback_device::device::limit::MotorLimits;
use touchback_device::message::IMPEDANCE;

/// Largest impedance Z of the line, N·s/m.
const IMPEDANCE_MAX: f64 = 25.0;
/// Largest sensor step at the largest impedance, m. Coarser sensors get less impedance by the square of their step: every
/// step sends a wave of the energy Z·step²/T, T a tick of 125 µs, here 8 mJ over 10 mm of travel, and the keyboard's energy
/// guard of 10 mJ must not take motion from the line. By the square 1.6 mJ remain at the coarsest step for force, 20 µm.
const FINE_STEP: f64 = 4e-6;
/// Tick of a law that needs no filter on the answer, µs: at 8 kHz.
const FAST_TICK_US: u16 = 125;
/// Time constant of the filter on the answer to a slower law: ticks times key mass, kg. The law's outgoing wave has the
/// force of the next tick and the motion of the last one; with a force that alternates at the resonance of the line this
/// creates energy in inverse proportion to the mass of the key, more than the keyboard's own filter takes. Chosen: at 1 kHz
/// and 1 to 25 N·s/m keys of 30 to 100 g return quietly, and the key of a controller, 60 g, is held as firmly as at 8 kHz.
const ANSWER_TICKS: f64 = 0.06;
/// Largest such time constant, ticks.
const ANSWER_MOST: f64 = 3.0;
/// Mass of the line, kg: Z = [`LINE_MASS`]/τ.
const LINE_MASS: f64 = 0.045;
/// Largest block delay, samples at 48 kHz.
pub const BLOCK_MAX: u32 = 256;

/// Options of the servo.
#[derive(Clone, PartialEq, Debug)]
pub struct ServoOptions {
    /// Simulated action.
    pub action: Action,
    /// Regulation, springs, masses and friction of the action.
    pub settings: ActionSettings,
    /// Block delay: further delay of the loop, samples at 48 kHz, 0…256.
    pub block: u32,
    /// Lead: time from a state to the play-out of its answer, µs. It must cover the transmission both ways
    /// and the servo's computation.
    pub lead_us: u32,
    /// Share of the computed force that is commanded, 0…1.
    pub gain: f64,
    /// Limits of force, slew and heat. The host applies them and configures the keyboard with them.
    pub limits: MotorLimits,
    /// Mass, weight, friction and bed that the keyboard declares are deducted from the simulated key.
    pub deducts: bool,
    /// Time between states, µs.
    pub report_us: u16,
    /// The vibration of the strings is added to the forces.
    pub vibrates: bool,
    /// Host notes may move the keys.
    pub plays: bool,
    /// Largest force of the virtual finger that plays host notes, N.
    pub play_force: f64,
    /// Largest impedance of the line, N·s/m. The servo sets it from the keyboard's sensor step.
    pub impedance_max: f64,
    /// Tick of the keyboard's law, µs. The servo sets it from the keyboard's rate.
    pub tick_us: u16,
    /// Spring and damper to a keyboard without a wave junction.
    pub coupling: Coupling,
}

/// Largest impedance, N·s/m, of a line to a keyboard with sensors of this step, nm.
pub(super) fn impedance_max(step_nm: u32) -> f64 {
    let fineness = (FINE_STEP / (f64::from(step_nm) * 1e-9)).min(1.0);
    IMPEDANCE_MAX * fineness * fineness
}

impl Default for ServoOptions {
    fn default() -> Self {
        Self {
            action: Action::GRAND,
            settings: ActionSettings::default(),
            block: 0,
            lead_us: 1000,
            gain: 1.0,
            limits: MotorLimits { force: 20.0, slew: 40_000.0, held: 6.0, time: 2.0 },
            deducts: true,
            report_us: 1000,
            vibrates: false,
            plays: false,
            // Chosen: enough for a forte in the middle of the keyboard. It bounds the force on a hand
            // in the way.
            play_force: 10.0,
            impedance_max: IMPEDANCE_MAX,
            tick_us: FAST_TICK_US,
            coupling: Coupling::default(),
        }
    }
}

impl ServoOptions {
    /// One-way delay τ of the line, s; the static stiffness of the line is Z/τ.
    #[must_use]
    pub fn line_delay(&self) -> f64 {
        // The device applies a command at the first tick after its play-out time.
        let loop_us = (self.lead() * 125) as f64 + f64::from(self.report_us) - 125.0;
        0.5 * (loop_us * 1e-6 + lag(WAVE_CORNER))
    }

    /// Share of the way to the wanted answer that the answer of a slot of `time` s takes, for a key of `mass` kg; 1 where the
    /// keyboard's law is quick enough.
    pub(super) fn answer_share(&self, time: f64, mass: f64) -> f64 {
        if self.tick_us <= FAST_TICK_US {
            return 1.0;
        }
        let ticks = (ANSWER_TICKS / mass).min(ANSWER_MOST);
        1.0 - libm::exp(-time / (ticks * f64::from(self.tick_us) * 1e-6))
    }

    /// Steps from a report to the first tick at which the keyboard applies its answer.
    pub(super) fn lead(&self) -> u64 {
        u64::from((self.lead_us + self.block_us()).div_ceil(125))
    }

    pub(super) fn block_us(&self) -> u32 {
        // 48 samples are 1000 µs.
        self.block.min(BLOCK_MAX) * 1000 / 48
    }

    /// Mass that the line adds to the key, kg: Z·(τ − delay of the damper's 800 Hz filter).
    #[must_use]
    pub fn line_mass(&self) -> f64 {
        self.impedance() * (self.line_delay() - lag(SPEED_CORNER)).max(0.0)
    }

    /// Impedance of the line, N·s/m, a multiple of the wire's unit.
    #[must_use]
    pub fn impedance(&self) -> f64 {
        let z = self.impedance_max.min(LINE_MASS / self.line_delay());
        // A multiple that rounding has made smaller stays.
        (z / IMPEDANCE + 1e-9).floor() * IMPEDANCE
    }
}

/// Mean delay, s, of the device's one-pole filter with the corner frequency `corner`, Hz.
fn lag(corner: f64) -> f64 {
    let left = libm::exp(-std::f64::consts::TAU * corner * STEP);
    STEP * left / (1.0 - left)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(lead_us: u32, report_us: u16, block: u32) -> ServoOptions {
        ServoOptions { lead_us, report_us, block, ..ServoOptions::default() }
    }

    #[test]
    fn a_filters_lag_is_the_mean_delay_of_its_impulse_response() {
        for corner in [WAVE_CORNER, SPEED_CORNER] {
            let share = 1.0 - (-std::f64::consts::TAU * corner * STEP).exp();
            let (mut state, mut mean) = (1.0, 0.0);
            for tick in 0..10_000 {
                mean += f64::from(tick) * STEP * share * state;
                state *= 1.0 - share;
            }
            assert!((lag(corner) - mean).abs() < 1e-12, "{corner} Hz: {} s", lag(corner));
        }
    }

    /// τ is half of lead, report interval, block delay and lag of the wave filter, less one tick that both
    /// ends share.
    #[test]
    fn the_delay_of_the_line_is_half_that_of_its_loop() {
        for (lead, report, block, loop_us) in [
            (1000, 1000, 0, 1875.0),
            (1001, 1000, 0, 2000.0),
            (1000, 500, 0, 1375.0),
            (1000, 1000, 48, 2875.0),
            (1000, 1000, 256, 7250.0),
            (1000, 1000, 5000, 7250.0),
        ] {
            let delay = options(lead, report, block).line_delay();
            let expected = 0.5 * (loop_us * 1e-6 + lag(WAVE_CORNER));
            assert!((delay - expected).abs() < 1e-12, "{lead} {report} {block}: {delay} s");
        }
        assert_eq!(options(1000, 1000, 48).block_us(), 1000);
    }

    /// Z is 45 g/τ, at most 25 N·s/m, rounded down to a multiple of 0.5 N·s/m.
    #[test]
    fn the_impedance_is_the_mass_of_the_line_over_its_delay() {
        let mut least = 25.0;
        for block in [0, 16, 48, 96, 200, 256] {
            let options = options(1000, 1000, block);
            let (z, delay) = (options.impedance(), options.line_delay());
            let exact = f64::min(25.0, 0.045 / delay);
            assert!(z <= exact && z > exact - 0.5 && (2.0 * z).fract() == 0.0, "{block}: {z}");
            assert!(z <= least);
            least = z;
            let mass = z * (delay - lag(SPEED_CORNER));
            assert!((options.line_mass() - mass).abs() < 1e-12 && mass < 0.045);
        }
        assert!(least < 12.5, "{least}");
    }
}
