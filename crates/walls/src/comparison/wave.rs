//! The wave junction under the comparison's conditions: damper at the device, wall at the far end.

use std::collections::VecDeque;
use std::f64::consts::TAU;
use touchback_core::exchange::cancel;

use nalgebra::{Vector1, Vector2};

use super::{Conditions, Swings};
use touchback_device::port::Port;
use touchback_haptics::wall::sampled::plant::Motion;

/// Tried line impedances, N·s/m.
pub const IMPEDANCES: [f64; 4] = [3.0, 8.0, 20.0, 50.0];

/// Corner frequency of the filter on the arriving wave, Hz; it damps the line's own resonances.
const WAVE_CORNER: f64 = 300.0;
/// Corner frequency of the damper's velocity filter, Hz, for measured positions.
const VELOCITY_CORNER: f64 = 800.0;

/// A wave junction between device and wall.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DelayedWave {
    /// Period, delay, finger and encoder of the comparison.
    pub conditions: Conditions,
    /// Z, N·s/m.
    pub impedance: f64,
    /// Steps of the device's damper per period.
    pub ratio: u32,
}

impl DelayedWave {
    /// Rendered stiffness of a wall of `stiffness` N/m through the line: in series with Z/τ, τ being half the
    /// round-trip delay with holds and filter.
    #[must_use]
    pub fn felt(&self, stiffness: f64) -> f64 {
        if stiffness <= 0.0 {
            return 0.0;
        }
        let periods = f64::from(u32::try_from(self.conditions.delay.max(1)).unwrap_or(u32::MAX));
        let own = 0.5 * self.conditions.period / f64::from(self.ratio);
        let tau = 0.5 * (periods * self.conditions.period + own) + 0.5 / (TAU * WAVE_CORNER);
        1.0 / (1.0 / stiffness + tau / self.impedance)
    }

    /// Peak-to-peak motion, m, earlier in a run and at its end, from `start`, with a wall of `stiffness` N/m at
    /// the far end.
    #[must_use]
    pub fn swings(&self, stiffness: f64, start: Motion, samples: usize) -> [f64; 2] {
        let conditions = &self.conditions;
        let h = conditions.period / f64::from(self.ratio);
        let plant = conditions.plant();
        let step = plant.discrete(h);
        let port = Port::new(self.impedance);
        let count = if conditions.is_measured { 2e-6 } else { 0.0 };
        let measure = |x: f64| if count > 0.0 { (x / count).ceil() * count } else { x };
        let share = |corner: f64| -libm::expm1(-TAU * corner * h);
        // At least one period passes between a sent wave and its echo.
        let periods = conditions.delay.max(1);
        let mut there: VecDeque<f64> = vec![0.0; periods / 2].into();
        let mut back: VecDeque<f64> = vec![0.0; periods - periods / 2].into();
        let (mut x, mut last) = (start, measure(start[0]));
        let (mut filtered, mut arriving) = (0.0, 0.0);
        // The wall's side starts at the device's position.
        let mut depth = start[0];
        let mut seen = Swings::new(samples);
        for k in 0..samples {
            cancel::check();
            let wave = back.pop_front().unwrap_or(0.0);
            let mut sum = 0.0;
            for _ in 0..self.ratio {
                let seen = measure(x[0]);
                let difference = (seen - last) / h;
                last = seen;
                let velocity = if conditions.is_measured { difference } else { x[1] };
                let smooth = if conditions.is_measured { share(VELOCITY_CORNER) } else { 1.0 };
                filtered += smooth * (velocity - filtered);
                arriving += share(WAVE_CORNER) * (wave - arriving);
                sum += port.leaving(arriving, velocity);
                let u = Vector1::new(plant.bias + port.force(arriving, filtered));
                let next = step.step(&Vector2::from(x), &u);
                x = [next[0], next[1]];
            }
            there.push_back(sum / f64::from(self.ratio));
            let come = there.pop_front().unwrap_or(0.0);
            let speed = port.spring_velocity(stiffness, depth, come, conditions.period);
            depth += speed * conditions.period;
            back.push_back(port.leaving(come, speed));
            if !seen.see(k, x[0]) {
                break;
            }
        }
        seen.found()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_static_push_meets_line_and_wall_in_series() {
        let conditions =
            Conditions { period: 1e-3, delay: 4, has_finger: true, is_measured: false };
        let link = DelayedWave { conditions, impedance: 8.0, ratio: 8 };
        assert!(link.swings(2000.0, [-1e-3, 0.05], 2500)[1] < 1e-5);
        assert!(link.felt(2000.0) < 2000.0 && link.felt(1e9) < 8.0 / 2e-3);
    }
}
