//! The full return map: the exit of each contact from the previous exit, with the wall switched at samples only.
//!
//! [Gillespie 1996, eqs. 6.15–6.34, with 6.25, 6.31–6.33 corrected]. Between switches the wall is continuous,
//! so that only the effect of late switching remains: at the first sample after the threshold, in and out. The section is the exit; outside, model I is the plant, inside,
//! model II the plant on its wall.

use touchback_core::exchange::cancel;
use touchback_haptics::wall::sampled::plant::{Motion, Plant};

/// A crossing of the wall's threshold x = 0.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Crossing {
    /// Time t_j of the crossing, s.
    pub time: f64,
    /// Speed |v_j| at the crossing, m/s.
    pub speed: f64,
}

/// One pass from exit to exit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pass {
    /// State at the first sample after the exit, when the wall's force ends.
    pub off: Motion,
    /// Energy removed with the wall at that sample, J: ½ K x² of a stretched spring.
    pub lost: f64,
    /// The plant's crossing of the threshold into the wall.
    pub entry: Crossing,
    /// State at the first sample after the entry, when the wall's force begins.
    pub on: Motion,
    /// Energy added with the wall at that sample, J: ½ K x².
    pub gained: f64,
    /// The next exit.
    pub exit: Crossing,
}

/// A plant and a wall that switches at samples.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Switching {
    /// Plant outside the wall (model I).
    pub outside: Plant,
    /// Plant on its wall (model II).
    pub inside: Plant,
    /// T, s; 0 switches at the threshold.
    pub period: f64,
}

/// Longest simulated flight, s.
const LONGEST: f64 = 1e6;

impl Switching {
    /// The first sample after `time` (eqs. 6.23, 6.27).
    fn next(&self, time: f64) -> f64 {
        if self.period > 0.0 { self.period * (1.0 + (time / self.period).floor()) } else { time }
    }

    /// Energy that a switch at `x` adds or removes, J.
    fn step(&self, x: f64) -> f64 {
        0.5 * (self.inside.stiffness - self.outside.stiffness) * x * x
    }

    /// F = F₂ ∘ F₁ from the exit `from`; `None` if the plant does not come back, or stays inside.
    #[must_use]
    pub fn pass(&self, from: Crossing) -> Option<Pass> {
        let t_off = self.next(from.time);
        let off = self.inside.after([0.0, -from.speed], t_off - from.time);
        // After a slow exit the plant may fall back before the wall switches off: it enters at once.
        let flight =
            if off[0] < 0.0 || (off[0] == 0.0 && off[1] < 0.0) { self.fall(off)? } else { 0.0 };
        let at = self.outside.after(off, flight);
        let entry = Crossing { time: t_off + flight, speed: at[1].abs() };
        let late = self.next(entry.time) - entry.time;
        let on = self.outside.after([at[0].max(0.0), at[1]], late);
        let stay = self.inside.leaves(on)?;
        let end = self.inside.after(on, stay);
        let exit = Crossing { time: entry.time + late + stay, speed: -end[1] };
        Some(Pass { off, lost: self.step(off[0]), entry, on, gained: self.step(on[0]), exit })
    }

    /// Time outside, s.
    fn fall(&self, from: Motion) -> Option<f64> {
        if self.outside.stiffness == 0.0 {
            return self.outside.lands(from, LONGEST);
        }
        // Half a period of the spring bounds the flight.
        let sigma = 0.5 * self.outside.damping / self.outside.mass;
        let square = self.outside.stiffness / self.outside.mass - sigma * sigma;
        self.outside.lands(
            [from[0].min(-f64::MIN_POSITIVE), from[1]],
            1.5 * std::f64::consts::PI / square.sqrt(),
        )
    }

    /// Passes `strikes` times from `from` on; `see` gets the number of each strike, from 1, and its exit, whose clock is
    /// taken back by whole periods, so that it keeps its precision, with the number of these periods. Returns the
    /// number of strikes, less than `strikes` if the map ends.
    pub fn iterate(
        &self,
        from: Crossing,
        strikes: usize,
        mut see: impl FnMut(usize, f64, Crossing),
    ) -> usize {
        let (mut now, mut periods) = (from, 0.0);
        for strike in 1..=strikes {
            if strike % 4096 == 0 {
                cancel::check();
            }
            let Some(pass) = self.pass(now) else { return strike - 1 };
            now = pass.exit;
            let whole = (now.time / self.period).floor();
            now.time -= self.period * whole;
            periods += whole;
            see(strike, periods, now);
        }
        strikes
    }

    /// Exit speeds of `strikes` contacts from `start` on; shorter if the map ends.
    #[must_use]
    pub fn speeds(&self, start: Crossing, strikes: usize) -> Vec<f64> {
        let mut now = start;
        let mut found = Vec::with_capacity(strikes);
        while found.len() < strikes {
            let Some(pass) = self.pass(now) else { break };
            now = pass.exit;
            found.push(now.speed);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(period: f64) -> Switching {
        let outside = Plant::ball(1.0, 1.0);
        Switching { outside, inside: outside.on(1.0, 0.0), period }
    }

    const START: Crossing = Crossing { time: 0.0, speed: 1.0 };

    #[test]
    fn the_largest_speed_of_40_strikes_agrees_with_the_reference() {
        let expected =
            [(0.01, 0.999961), (0.03, 1.000928), (0.1, 0.998587), (0.2, 1.066322), (0.3, 1.275111)];
        for (t, most) in expected {
            let speeds = unit(t).speeds(START, 40);
            let got = speeds.iter().copied().fold(0.0, f64::max);
            assert!(speeds.len() == 40 && (got - most).abs() < 5.1e-7, "{t}: {got}");
        }
    }

    #[test]
    fn energy_changes_only_by_late_switching() {
        let system = unit(0.2);
        let mut now = START;
        for _ in 0..40 {
            let pass = system.pass(now).unwrap();
            let change = 0.5 * (pass.exit.speed.powi(2) - now.speed.powi(2));
            assert!((change - (pass.gained - pass.lost)).abs() < 1e-12);
            assert!((pass.gained - 0.5 * pass.on[0].powi(2)).abs() < 1e-15);
            now = pass.exit;
        }
        // Switching at the threshold changes no energy.
        let pass = unit(0.0).pass(START).unwrap();
        assert!(pass.gained.abs() < 1e-15 && pass.lost == 0.0);
        assert!((pass.exit.speed - 1.0).abs() < 1e-12);
    }
}
