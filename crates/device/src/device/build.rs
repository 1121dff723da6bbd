//! Fixed properties and limits of a keyboard, and the rules that follow from them and a configuration.

use super::key_impedance::RenderedBed;
use super::limit::MotorLimits;
use crate::message::{Config, Hello, IMPEDANCE, KeyFacts, ability};
use crate::real::Real;

/// Range of the safe damping that a host may request, N·s/m.
pub const SAFE_DAMPING: [f64; 2] = [2.0, 5.0];
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

fn scaled<F: Real>(field: u16, unit: f64) -> F {
    F::from_count(i32::from(field)) * F::of(unit)
}
