//! Limits of a motor: force, growth of force, heat.
//!
//! The heat h, N², follows the squared force with one time constant τ, s: dh/dt = (F² − h)/τ. While h
//! rises from 90 % to 100 % of the squared continuous force, the allowed force falls linearly from the
//! largest to the continuous one.

use crate::real::Real;

/// Share of the squared continuous force from which heat reduces the allowed force.
const WARM: f64 = 0.9;

/// Limits of every key's motor.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MotorLimits<F = f64> {
    /// Largest force, N.
    pub force: F,
    /// Largest growth of |force|, N/s; a fall towards 0 is not limited.
    pub slew: F,
    /// Continuous force, N.
    pub held: F,
    /// Thermal time constant τ, s; 0 switches the thermal limit off.
    pub time: F,
}

impl<F: Real> MotorLimits<F> {
    /// The tighter of these limits and the `requested` ones, field by field; 0 requests none.
    #[must_use]
    pub(crate) fn tightened(&self, requested: &Self) -> Self {
        let tighter = |own: F, limit: F| if limit > F::of(0.0) { own.min(limit) } else { own };
        Self {
            force: tighter(self.force, requested.force),
            slew: tighter(self.slew, requested.slew),
            held: tighter(self.held, requested.held),
            time: tighter(self.time, requested.time),
        }
    }
}

/// State of one motor.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Motor<F = f64> {
    /// Applied force, N.
    force: F,
    /// Mean square of the force, N².
    heat: F,
}

/// Effect of the limits on a force.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limited {
    /// The limits changed the force: it differs from the wanted one.
    pub clamped: bool,
    /// The heat limit reduced the force.
    pub hot: bool,
}

impl<F: Real> Motor<F> {
    /// Limits the `wanted` force, N, for the next `t` s: within the force and thermal limits, grown by at
    /// most slew·`t`. A `wanted` that is not finite counts as 0.
    pub fn apply(&mut self, limits: &MotorLimits<F>, wanted: F, t: F) -> (F, Limited) {
        let none = F::of(0.0);
        let (most, warmth) = (self.allowed(limits), self.warmth(limits));
        let wanted = if wanted.is_finite() { wanted } else { none };
        let step = limits.slew * t;
        let slewed = wanted.within(self.force.min(none) - step, self.force.max(none) + step);
        // The limits of force and heat take precedence over the slew.
        let force = slewed.within(-most, most);
        self.force = force;
        self.warm(limits, t);
        (force, Limited { clamped: force != wanted, hot: warmth > none && wanted.abs() > most })
    }

    /// Position of the heat between 90 % (0) and 100 % (1) of the squared continuous force.
    fn warmth(&self, limits: &MotorLimits<F>) -> F {
        let (none, one, warm) = (F::of(0.0), F::of(1.0), F::of(WARM));
        let cold = limits.held * limits.held;
        let warmth = if cold > none { (self.heat / cold - warm) / (one - warm) } else { one };
        warmth.within(none, one)
    }

    /// Largest force that force limit and heat allow at present, N.
    #[must_use]
    pub fn allowed(&self, limits: &MotorLimits<F>) -> F {
        limits.force + (limits.held.min(limits.force) - limits.force) * self.warmth(limits)
    }

    /// Sets the force to 0 without slew; the heat stays.
    pub fn cut(&mut self) {
        self.force = F::of(0.0);
    }

    /// Lets the motor cool for `t` s without power.
    pub fn rest(&mut self, limits: &MotorLimits<F>, t: F) {
        self.cut();
        self.warm(limits, t);
    }

    fn warm(&mut self, limits: &MotorLimits<F>, t: F) {
        if limits.time > F::of(0.0) {
            self.heat += (self.force * self.force - self.heat) * (t / limits.time).min(F::of(1.0));
        }
    }

    /// Applied force, N.
    #[must_use]
    pub const fn force(&self) -> F {
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

    /// With the largest force wanted, the mean square settles at that of the continuous force.
    #[test]
    fn heat_settles_at_that_of_the_continuous_force() {
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

    /// A slew of 1 N/s limits the growth of a force and not its fall.
    #[test]
    fn the_slew_does_not_limit_the_fall_of_a_force() {
        let mut motor = Motor { force: 15.0, heat: 0.0 };
        let slow = MotorLimits { slew: 1.0, ..LIMITS };
        assert_eq!(motor.apply(&slow, 20.0, T).0, 15.0 + T);
        assert_eq!(motor.apply(&slow, 3.0, T).0, 3.0);
        assert_eq!(motor.apply(&slow, -9.0, T).0, -T);
        assert_eq!(motor.apply(&slow, 0.0, T).0, 0.0);
    }

    #[test]
    fn overheating_is_reported_only_if_heat_reduces_the_force() {
        let limits = MotorLimits { slew: 1e9, ..LIMITS };
        for (heat, wanted, most, is_hot) in [
            (25.0, 6.0, 5.0, true),
            (25.0, -6.0, 5.0, true),
            (25.0, 4.0, 5.0, false),
            (23.75, 15.0, 12.5, true),
            (23.75, 12.0, 12.5, false),
            (22.5, 30.0, 20.0, false),
            (0.0, 30.0, 20.0, false),
        ] {
            let mut motor = Motor { force: 0.0, heat };
            let (force, limited) = motor.apply(&limits, wanted, T);
            assert!((force.abs() - most.min(f64::abs(wanted))).abs() < 1e-9, "{heat} {force}");
            assert_eq!(limited.hot, is_hot, "{heat} N², {wanted} N");
            assert_eq!(limited.clamped, f64::abs(wanted) > most);
        }
    }

    #[test]
    fn a_motor_without_power_cools() {
        let mut motor = Motor { force: 5.0, heat: 25.0 };
        assert!(motor.apply(&LIMITS, 20.0, T).0 <= 5.0);
        for _ in 0..32_000 {
            motor.rest(&LIMITS, T);
        }
        // Two time constants later.
        assert!((motor.heat / 25.0 - (-2.0f64).exp()).abs() < 1e-3, "{} N²", motor.heat);
    }

    #[test]
    fn requested_limits_tighten_and_never_lift_the_own_ones() {
        let none = MotorLimits { force: 0.0, slew: 0.0, held: 0.0, time: 0.0 };
        let huge = MotorLimits { force: 1e3, slew: 1e9, held: 1e3, time: 1e3 };
        assert_eq!((LIMITS.tightened(&none), LIMITS.tightened(&huge)), (LIMITS, LIMITS));
        let tight = MotorLimits { force: 8.0, slew: 1e3, held: 2.0, time: 0.5 };
        assert_eq!(LIMITS.tightened(&tight), tight);
    }
}
