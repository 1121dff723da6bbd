//! What a motor may do: force, growth of force, and heat.
//!
//! Heat follows force squared with one time constant, dh/dt = (F² − h)/τ; as it nears the square of
//! the continuous force, the force allowed goes from the largest to the continuous one.

use crate::real::Real;

/// Share of the continuous force's heat from which the force allowed is reduced.
const WARM: f64 = 0.9;

/// Limits of every key's motor.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MotorLimits<F = f64> {
    /// Largest force, N.
    pub force: F,
    /// Largest growth of |force|, N/s; towards 0 a force may go at once.
    pub slew: F,
    /// Continuous force, N.
    pub held: F,
    /// Thermal time constant τ, s; 0 switches the thermal limit off.
    pub time: F,
}

impl<F: Real> MotorLimits<F> {
    /// What is `asked` for, as far as these limits allow it; a 0 asks for theirs.
    #[must_use]
    pub fn tightened(&self, asked: &Self) -> Self {
        let tighter = |own: F, asked: F| if asked > F::of(0.0) { own.min(asked) } else { own };
        Self {
            force: tighter(self.force, asked.force),
            slew: tighter(self.slew, asked.slew),
            held: tighter(self.held, asked.held),
            time: tighter(self.time, asked.time),
        }
    }
}

/// State of one motor.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Motor<F = f64> {
    /// Force applied, N.
    force: F,
    /// Mean square of the force, N².
    heat: F,
}

/// What a limit did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limited {
    /// Force, slew or heat limited the force: it differs from the one wanted.
    pub clamped: bool,
    /// Heat reduced the force allowed.
    pub hot: bool,
}

impl<F: Real> Motor<F> {
    /// The force, N, that acts for the next `t` s where `wanted` N are asked for: within the
    /// thermal limit, grown by at most slew·`t`. Takes a `wanted` that is not finite as 0.
    pub fn apply(&mut self, limits: &MotorLimits<F>, wanted: F, t: F) -> (F, Limited) {
        let (none, one) = (F::of(0.0), F::of(1.0));
        let cold = limits.held * limits.held;
        let warm = F::of(WARM);
        let warmth = if cold > none { (self.heat / cold - warm) / (one - warm) } else { one };
        let warmth = warmth.within(none, one);
        let most = limits.force + (limits.held.min(limits.force) - limits.force) * warmth;
        let wanted = if wanted.is_finite() { wanted } else { none };
        let step = limits.slew * t;
        let slewed = wanted.within(self.force.min(none) - step, self.force.max(none) + step);
        // Heat and force limits hold whatever the slew.
        let force = slewed.within(-most, most);
        self.force = force;
        self.warm(limits, t);
        (force, Limited { clamped: force != wanted, hot: warmth > none && wanted.abs() > most })
    }

    /// Sets the force to 0 without slew; the heat stays.
    pub fn cut(&mut self) {
        self.force = F::of(0.0);
    }

    /// `t` s without power: no force, the motor cools.
    pub fn rest(&mut self, limits: &MotorLimits<F>, t: F) {
        self.cut();
        self.warm(limits, t);
    }

    fn warm(&mut self, limits: &MotorLimits<F>, t: F) {
        if limits.time > F::of(0.0) {
            self.heat += (self.force * self.force - self.heat) * (t / limits.time).min(F::of(1.0));
        }
    }

    /// Force applied, N.
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

    /// A slew of nearly nothing keeps a force from growing, not from ending.
    #[test]
    fn a_force_ends_at_once_whatever_the_slew() {
        let mut motor = Motor { force: 15.0, heat: 0.0 };
        let slow = MotorLimits { slew: 1.0, ..LIMITS };
        assert_eq!(motor.apply(&slow, 20.0, T).0, 15.0 + T);
        assert_eq!(motor.apply(&slow, 3.0, T).0, 3.0);
        assert_eq!(motor.apply(&slow, -9.0, T).0, -T);
        assert_eq!(motor.apply(&slow, 0.0, T).0, 0.0);
    }

    #[test]
    fn heat_is_told_of_where_it_takes_force_away() {
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
    fn nothing_asked_is_the_devices_own_and_nothing_lifts_it() {
        let none = MotorLimits { force: 0.0, slew: 0.0, held: 0.0, time: 0.0 };
        let huge = MotorLimits { force: 1e3, slew: 1e9, held: 1e3, time: 1e3 };
        assert_eq!((LIMITS.tightened(&none), LIMITS.tightened(&huge)), (LIMITS, LIMITS));
        let tight = MotorLimits { force: 8.0, slew: 1e3, held: 2.0, time: 0.5 };
        assert_eq!(LIMITS.tightened(&tight), tight);
    }
}
