//! What a motor may do: force, change of force, and heat.
//!
//! Heat follows force squared with one time constant, dh/dt = (F² − h)/τ; as it nears the square of
//! the continuous force, the force allowed goes from the largest to the continuous one.

/// Share of the continuous force's heat from which the force allowed is reduced.
const WARM: f64 = 0.9;

/// Limits of every key's motor.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MotorLimits {
    /// Largest force, N.
    pub force: f64,
    /// Largest change of force, N/s.
    pub slew: f64,
    /// Continuous force, N.
    pub held: f64,
    /// Thermal time constant τ, s; 0 switches the thermal limit off.
    pub time: f64,
}

impl MotorLimits {
    /// The tighter of both in every respect.
    #[must_use]
    pub const fn within(&self, other: &Self) -> Self {
        Self {
            force: self.force.min(other.force),
            slew: self.slew.min(other.slew),
            held: self.held.min(other.held),
            time: self.time.min(other.time),
        }
    }
}

/// State of one motor.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Motor {
    /// Force applied, N.
    force: f64,
    /// Mean square of the force, N².
    heat: f64,
}

/// What a limit did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limited {
    /// Force, slew or heat limited the force: it differs from the one wanted.
    pub clamped: bool,
    /// Heat reduced the force allowed.
    pub hot: bool,
}

impl Motor {
    /// The force, N, that acts for the next `t` s where `wanted` N are asked for: within the
    /// thermal limit, changed by at most slew·`t`. Takes a `wanted` that is not finite as 0.
    pub fn apply(&mut self, limits: &MotorLimits, wanted: f64, t: f64) -> (f64, Limited) {
        let cold = limits.held * limits.held;
        let warmth = if cold > 0.0 { (self.heat / cold - WARM) / (1.0 - WARM) } else { 1.0 };
        let warmth = warmth.clamp(0.0, 1.0);
        let most = limits.force + (limits.held.min(limits.force) - limits.force) * warmth;
        let wanted = if wanted.is_finite() { wanted } else { 0.0 };
        let step = limits.slew * t;
        let slewed = wanted.clamp(self.force - step, self.force + step);
        // Heat and force limits hold whatever the slew.
        let force = slewed.clamp(-most, most);
        self.force = force;
        if limits.time > 0.0 {
            self.heat += (force * force - self.heat) * (t / limits.time).min(1.0);
        }
        (force, Limited { clamped: force != wanted, hot: warmth > 0.0 && wanted.abs() > most })
    }

    /// Sets the force to 0 without slew; the heat stays.
    pub const fn cut(&mut self) {
        self.force = 0.0;
    }

    /// Force applied, N.
    #[must_use]
    pub const fn force(&self) -> f64 {
        self.force
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: MotorLimits = MotorLimits { force: 20.0, slew: 10_000.0, held: 5.0, time: 2.0 };
    const T: f64 = 125e-6;

    #[test]
    fn force_and_slew_stay_within_limits() {
        let mut motor = Motor::default();
        let (first, what) = motor.apply(&LIMITS, 1e9, T);
        assert_eq!((first, what.clamped), (1.25, true));
        for _ in 0..100 {
            motor.apply(&LIMITS, 1e9, T);
        }
        assert!(motor.force() <= 20.0 && motor.force() > 19.0);
        assert_eq!(motor.apply(&LIMITS, f64::NAN, T).0, motor.force());
    }

    /// Whatever is asked for, the mean square settles at what may be held.
    #[test]
    fn heat_settles_at_the_held_force() {
        let mut motor = Motor::default();
        let mut seconds_full = 0.0;
        for _ in 0..160_000 {
            let (force, _) = motor.apply(&LIMITS, 20.0, T);
            seconds_full += if force > 19.9 { T } else { 0.0 };
        }
        assert!((motor.force() - 5.0).abs() < 0.7, "{} N", motor.force());
        assert!(motor.heat <= 25.0 * 1.01, "{} N²", motor.heat);
        // h = 400 (1 − e^(−t/2)) reaches 22.5 after 0.116 s.
        assert!((seconds_full - 0.116).abs() < 0.005, "{seconds_full} s");
    }
}
