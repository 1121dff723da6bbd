//! Fixed properties and limits of a keyboard, and the rules that follow from them and a configuration.

use super::key_impedance::RenderedBed;
use super::limit::MotorLimits;
use crate::message::{Config, Hello, IMPEDANCE, KeyFacts, ability};
use crate::real::Real;

/// Range of the safe damping that a host may request, N·s/m.
pub(crate) const SAFE_DAMPING: [f64; 2] = [2.0, 5.0];
/// Safe damping without a request, N·s/m.
const OWN_DAMPING: f64 = 3.0;
/// Range of the report interval that a host may request, µs.
const REPORTS_US: core::ops::RangeInclusive<u16> = 250..=20_000;

/// Properties of a keyboard, fixed when its firmware is built. A host can only tighten the limits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Build<const KEYS: usize, F = f64> {
    /// Description that the host receives; its largest and continuous forces are limits.
    pub hello: Hello,
    /// Mechanics of every physical key.
    pub facts: [KeyFacts; KEYS],
    /// Largest growth of force, N/s.
    pub slew: F,
    /// Thermal time constant of the motors, s.
    pub thermal_time: F,
    /// Timeout: time without an accepted command after which force fades, µs.
    pub timeout_us: u32,
    /// Limits of the rendered key bed: largest stiffness and damping, smallest depth. Used with
    /// [`ability::KEYBED`] only.
    pub bed: RenderedBed<F>,
    /// Ceiling of the energy guard, J.
    pub guard: F,
    /// Largest number of keys in one state message, at least 1; the capacity of the wire decides.
    pub state_keys: u8,
}

/// The values that a configuration sets, in SI units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules<F> {
    pub limits: MotorLimits<F>,
    pub safe_damping: F,
    pub bed: RenderedBed<F>,
    pub guard: F,
    pub report_us: u16,
    pub timeout_us: u32,
}

impl<const KEYS: usize, F: Real> Build<KEYS, F> {
    /// Limits of the build for every motor.
    fn limits(&self) -> MotorLimits<F> {
        MotorLimits {
            force: scaled(self.hello.force_max, 10e-3),
            slew: self.slew,
            held: scaled(self.hello.force_held, 10e-3),
            time: self.thermal_time,
        }
    }

    /// Rules before a configuration.
    pub(super) fn rules(&self) -> Rules<F> {
        Rules {
            limits: self.limits(),
            safe_damping: F::of(OWN_DAMPING),
            bed: RenderedBed::default(),
            guard: self.guard,
            report_us: self.hello.report_us.max(125),
            timeout_us: self.timeout_us,
        }
    }

    /// Rules of a configuration, and whether the bed, the safe damping or the report interval differ from
    /// the request. A build with tighter upper limits fulfils the request and does not differ.
    pub(super) fn configured(&self, c: &Config) -> (Rules<F>, bool) {
        let own = self.rules();
        let requested = MotorLimits {
            force: scaled(c.force_max, 10e-3),
            slew: scaled(c.slew, 10.0),
            held: scaled(c.force_held, 10e-3),
            time: scaled(c.thermal_time, 10e-3),
        };
        let [least, most] = SAFE_DAMPING.map(F::of);
        let damping: F = scaled(u16::from(c.safe_damping), IMPEDANCE);
        let has_own_damping = c.safe_damping == 0;
        let safe_damping = if has_own_damping { own.safe_damping } else { damping };
        let report_us = if c.report_us == 0 { own.report_us } else { c.report_us };
        let timeout_us = u32::from(c.timeout_ms) * 1000;
        let (bed, is_bed_cut) = self.rendered(c);
        let rules = Rules {
            limits: own.limits.tightened(&requested),
            safe_damping: safe_damping.within(least, most),
            bed,
            guard: if c.guard == 0 { own.guard } else { own.guard.min(scaled(c.guard, 10e-6)) },
            report_us: report_us.clamp(*REPORTS_US.start(), *REPORTS_US.end()),
            timeout_us: if timeout_us == 0 {
                own.timeout_us
            } else {
                own.timeout_us.min(timeout_us)
            },
        };
        let is_cut = is_bed_cut
            || rules.safe_damping != safe_damping
            || c.report_us != 0 && rules.report_us != c.report_us;
        (rules, is_cut)
    }

    /// The requested bed within the limits of the build, and whether it differs from the request.
    fn rendered(&self, c: &Config) -> (RenderedBed<F>, bool) {
        if c.bed_stiffness == 0 {
            return (RenderedBed::default(), false);
        }
        if self.hello.abilities & ability::KEYBED == 0 {
            return (RenderedBed::default(), true);
        }
        let requested: RenderedBed<F> = RenderedBed {
            stiffness: scaled(c.bed_stiffness, 10.0),
            damping: scaled(c.bed_damping, 0.1),
            depth: scaled(c.bed, 10e-6),
        };
        let bed = RenderedBed {
            stiffness: requested.stiffness.min(self.bed.stiffness),
            damping: requested.damping.min(self.bed.damping),
            depth: requested.depth.max(self.bed.depth),
        };
        (bed, bed != requested)
    }
}

impl<const KEYS: usize> Build<KEYS, f32> {
    /// This build, with all limits checked; in a `const`, a wrong one does not compile.
    ///
    /// # Panics
    /// A number of keys, rate, force, time or slew that no keyboard can have; thermal time, slew or
    /// timeout of 0, which would switch the limit off.
    #[must_use]
    pub const fn checked(self) -> Self {
        let hello = &self.hello;
        let last = hello.first_key as usize + hello.keys as usize - 1;
        assert!(hello.keys >= 1 && hello.keys as usize <= KEYS, "1 to KEYS keys");
        assert!(hello.first_key >= 1 && last <= 88, "piano keys are 1 to 88");
        assert!(hello.step_nm > 0, "a sensor step above 0 nm");
        assert!(hello.report_us >= 250 && hello.report_us <= 20_000, "a state every 0.25 to 20 ms");
        assert!(self.state_keys >= 1, "at least one key in a state");
        let has_motors = hello.abilities & (ability::WAVE | ability::TORQUE) != 0;
        let has_positions = hello.abilities & ability::POSITIONS != 0;
        assert!(has_motors != has_positions, "motors (1, 2) or positions alone (32)");
        if !has_motors {
            return self;
        }
        assert!(hello.rate_hz >= 1000, "at least 1000 ticks per second");
        assert!(hello.force_max > 0 && hello.force_max <= 10_000, "at most 100 N, above 0");
        assert!(hello.force_held > 0 && hello.force_held <= hello.force_max, "held force");
        assert!(self.slew > 0.0 && self.slew <= 1e6, "a slew above 0, at most 1 N per µs");
        assert!(self.thermal_time > 0.0 && self.thermal_time <= 600.0, "a thermal time above 0 s");
        assert!(self.timeout_us >= 5_000 && self.timeout_us <= 20_000, "a timeout of 5 to 20 ms");
        assert!(self.guard > 0.0 && self.guard <= 0.05, "an energy guard of at most 50 mJ");
        let bed = &self.bed;
        assert!(bed.stiffness >= 0.0 && bed.stiffness <= 100e3, "a bed of at most 100 kN/m");
        assert!(bed.damping >= 0.0 && bed.damping <= 50.0, "a bed of at most 50 N·s/m");
        assert!(bed.depth >= 0.0 && bed.depth <= 16e-3, "a bed at most 16 mm deep");
        self
    }
}

fn scaled<F: Real>(field: u16, unit: f64) -> F {
    F::from_count(i32::from(field)) * F::of(unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::build;

    /// Checked by the compiler.
    const CHECKED: Build<1, f32> = Build {
        hello: Hello {
            keys: 1,
            first_key: 40,
            abilities: ability::WAVE,
            rate_hz: 8000,
            report_us: 1000,
            force_max: 1500,
            force_held: 500,
            step_nm: 2000,
            ..Hello::NONE
        },
        facts: [KeyFacts { key: 0, mass: 450, weight: 0, friction: 0, damping: 0, bed: 1000 }],
        slew: 40_000.0,
        thermal_time: 2.0,
        timeout_us: 20_000,
        bed: RenderedBed { stiffness: 0.0, damping: 0.0, depth: 0.0 },
        guard: 10e-3,
        state_keys: 1,
    }
    .checked();

    #[test]
    fn limits_that_switch_a_protection_off_are_refused() {
        assert_eq!(CHECKED, CHECKED.checked());
        let right = build::<f32>();
        type Change = fn(&mut Build<2, f32>);
        let wrong: [Change; 14] = [
            |b| b.hello.keys = 0,
            |b| b.hello.keys = 3,
            |b| b.hello.first_key = 88,
            |b| b.hello.step_nm = 0,
            |b| b.hello.rate_hz = 100,
            |b| b.hello.report_us = 0,
            |b| b.hello.force_max = 65_535,
            |b| b.hello.force_held = 65_535,
            |b| b.hello.abilities |= ability::POSITIONS,
            |b| b.slew = 0.0,
            |b| b.thermal_time = 0.0,
            |b| b.timeout_us = 100_000,
            |b| b.guard = f32::NAN,
            |b| b.state_keys = 0,
        ];
        let is_refused =
            |build: Build<2, f32>| std::panic::catch_unwind(|| build.checked()).is_err();
        assert!(!is_refused(right));
        for (i, change) in wrong.iter().enumerate() {
            let mut build = right;
            change(&mut build);
            assert!(is_refused(build), "{i}");
        }
    }
}
