//! Observer of a key's energy at the host: what the motor does beyond what the simulated key gives.
//!
//! Of every report, W = −½·(F + F₋₁)·Δx, J, is the work of the motor on the real key by the reported force F, N,
//! and the line does the work W' on the simulated key. A passive junction stores or absorbs: the sum of W + W'
//! over a stroke is negative. A sum that rises by more than [`LIMIT`] above its least recent value is energy
//! that something in the loop creates, whatever the cause.

/// Largest energy, J. The kinetic energy of a forte stroke is 15 mJ.
const LIMIT: f64 = 20e-3;
/// Energy that the line may return after it has absorbed it, J: ½·f²·τ/Z at 15 N, 1.2 ms and 25 N·s/m.
const STORED: f64 = 5e-3;
/// Time constant with which the sum is forgotten, s: errors of the sums over reports do not accumulate.
const FORGET: f64 = 2.0;

/// Observer of one key.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct EnergyWatch {
    /// Energy created, J.
    created: f64,
    /// Force of the last report, N.
    force: Option<f64>,
}

/// One reported interval, as the observer needs it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EnergyReport {
    /// Motion of the real key, m.
    pub motion: f64,
    /// Reported force at the end, N, against downward motion.
    pub force: f64,
    /// Work of the line on the simulated key, J.
    pub line_work: f64,
    /// Energy that the host has added to the commands on purpose, J.
    pub added: f64,
    /// Time, s.
    pub time: f64,
}

impl EnergyWatch {
    /// Begins anew.
    pub const fn restart(&mut self) {
        (self.created, self.force) = (0.0, None);
    }

    /// Notes an interval. Returns whether more than 20 mJ have been created.
    pub fn note(&mut self, report: &EnergyReport) -> bool {
        let before = self.force.replace(report.force).unwrap_or(report.force);
        let motor = -0.5 * (before + report.force) * report.motion;
        let sum = self.created + motor + report.line_work - report.added.max(0.0);
        self.created = (sum * (1.0 - (report.time / FORGET).min(1.0))).max(-STORED);
        self.created > LIMIT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A key swings at 180 Hz with ±1 mm; its motor gives a force of 10 N with or against its speed.
    #[test]
    fn a_motor_that_drives_a_swing_is_found_and_one_that_damps_it_is_not() {
        let found = |sign: f64| {
            let mut watch = EnergyWatch::default();
            let w = std::f64::consts::TAU * 180.0;
            let x = |t: f64| 1e-3 * (w * t).sin();
            (0..1000u32).find(|i| {
                let t = f64::from(*i) * 1e-3;
                watch.note(&EnergyReport {
                    motion: x(t + 1e-3) - x(t),
                    force: -sign * 10.0 * (w * (t + 1e-3)).cos(),
                    line_work: 0.0,
                    added: 0.0,
                    time: 1e-3,
                })
            })
        };
        assert!(found(1.0).is_some_and(|ms| ms < 20), "{:?}", found(1.0));
        assert_eq!(found(-1.0), None);
    }

    /// What the simulated key gives, the motor may give.
    #[test]
    fn energy_of_the_simulated_key_is_not_created() {
        let mut watch = EnergyWatch::default();
        let report =
            EnergyReport { motion: -1e-3, force: 5.0, line_work: -5e-3, added: 0.0, time: 1e-3 };
        assert!((0..1000).all(|_| !watch.note(&report)));
        let report = EnergyReport { line_work: 0.0, ..report };
        assert!((0..10).any(|_| watch.note(&report)));
    }
}
