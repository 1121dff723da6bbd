//! What a keyboard was built for, and how a configuration is cut to it.

use super::key_impedance::RenderedBed;
use super::limit::MotorLimits;
use crate::message::{Config, Hello, IMPEDANCE, KeyFacts, ability};
use crate::real::Real;

/// Damping a host may ask for while force fades and after, N·s/m.
pub const SAFE_DAMPING: [f64; 2] = [2.0, 5.0];
/// The device's own.
const OWN_DAMPING: f64 = 3.0;
/// Times between states a host may ask for, µs.
const REPORTS_US: core::ops::RangeInclusive<u16> = 250..=20_000;

/// What a keyboard is, fixed at build time of its firmware. No host can lift a limit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Build<const KEYS: usize, F = f64> {
    /// What it says of itself; its largest and held forces are limits.
    pub hello: Hello,
    /// Mass, weight, friction, damping and bed of every key's own mechanics.
    pub facts: [KeyFacts; KEYS],
    /// Largest growth of force the amplifier allows, N/s.
    pub slew: F,
    /// Thermal time constant of the motors, s.
    pub thermal_time: F,
    /// Longest time without a command, µs.
    pub timeout_us: u32,
    /// The stiffest, most damped and highest bed it renders, where its abilities have one.
    pub bed: RenderedBed<F>,
    /// Ceiling of the energy guard, J.
    pub guard: F,
    /// Most keys in one state message, 1 or more: what the wire carries.
    pub state_keys: u8,
}

/// Everything a configuration sets, in SI.
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
    /// Limits of every motor.
    fn limits(&self) -> MotorLimits<F> {
        MotorLimits {
            force: scaled(self.hello.force_max, 10e-3),
            slew: self.slew,
            held: scaled(self.hello.force_held, 10e-3),
            time: self.thermal_time,
        }
    }

    /// Before any configuration.
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

    /// The rules of a configuration, and whether something it needs was cut: the bed, the safe
    /// damping or the report interval. Upper limits are kept by being tighter.
    pub(super) fn configured(&self, c: &Config) -> (Rules<F>, bool) {
        let own = self.rules();
        let asked = MotorLimits {
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
            limits: own.limits.tightened(&asked),
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

    /// The bed asked for as far as this device renders it, and whether it was cut.
    fn rendered(&self, c: &Config) -> (RenderedBed<F>, bool) {
        if c.bed_stiffness == 0 {
            return (RenderedBed::default(), false);
        }
        if self.hello.abilities & ability::KEYBED == 0 {
            return (RenderedBed::default(), true);
        }
        let asked: RenderedBed<F> = RenderedBed {
            stiffness: scaled(c.bed_stiffness, 10.0),
            damping: scaled(c.bed_damping, 0.1),
            depth: scaled(c.bed, 10e-6),
        };
        let bed = RenderedBed {
            stiffness: asked.stiffness.min(self.bed.stiffness),
            damping: asked.damping.min(self.bed.damping),
            depth: asked.depth.max(self.bed.depth),
        };
        (bed, bed != asked)
    }
}

fn scaled<F: Real>(field: u16, unit: f64) -> F {
    F::from_count(i32::from(field)) * F::of(unit)
}
