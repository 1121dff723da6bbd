//! One reported interval of a key: the report and the junction it was made under.

use super::command_path::DeviceTick;
use super::command_times::CommandTimes;
use super::seconds;
use touchback_action::interface::slew::Slew;
use touchback_device::message::{KeyState, NO_SPEED, POSITION, SPEED};

/// Junction between keyboard and simulated key in a slot.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Join {
    /// Waves at an impedance, N·s/m.
    Wave(f64),
    /// A virtual spring and damper; the keyboard applies plain forces.
    Coupled,
    /// The simulated key follows the keyboard's position; the keyboard gives no force.
    Followed,
}

/// One reported interval of a key.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'a> {
    /// Number of steps begun before the interval.
    pub before: u64,
    /// Number of steps begun by its end.
    pub after: u64,
    /// The keyboard's report of the key.
    pub report: &'a KeyState,
    /// The junction.
    pub join: Join,
    /// The slewed regulation.
    pub settings: &'a Slew,
    /// Force may be commanded.
    pub is_live: bool,
    /// A key whose motor is not proven may make its probe push now.
    pub may_push: bool,
    /// The keyboard has a wave junction, whose integral has to be proven.
    pub has_junction: bool,
    /// The report repeats the last one, because the keyboard has not reported the key.
    pub is_repeated: bool,
    /// Time of the report, µs of the keyboard's clock.
    pub time_us: u32,
    /// Tick of the keyboard.
    pub tick: &'a DeviceTick,
    /// Times at which the keyboard received the commands.
    pub times: &'a CommandTimes,
    /// A force is measured by a sensor, not calculated by the law.
    pub has_force_sensor: bool,
    /// Step of the sensors, m.
    pub sensor_step: f64,
    /// The keyboard's energy guard has acted since the last clear.
    pub is_guarded: bool,
}

impl Slot<'_> {
    /// Number of steps.
    pub const fn steps(&self) -> u64 {
        self.after - self.before
    }

    /// Duration, s.
    pub fn time(&self) -> f64 {
        seconds(self.steps())
    }

    /// Measured speed of the key at the end, m/s; none without a sensor of it.
    pub fn speed(&self) -> Option<f64> {
        (self.report.speed != NO_SPEED).then(|| f64::from(self.report.speed) * SPEED)
    }

    /// Reported depth of the key at the end, m.
    pub fn depth(&self) -> f64 {
        f64::from(self.report.x) * POSITION
    }
}
