//! One key's law: the damper of the wave junction, the key bed, the energy guard.
//!
//! Positive down; F acts against downward motion. Every tick T:
//!
//! v = Δx/T,  v_f: v through 800 Hz,  f: the incoming wave force −√(2Z)·w through 300 Hz
//! F = Z·v_f + f + bed(x, v),   u = √(2Z)·v + f/√(2Z),   Σu·T goes to the host
//!
//! The first filter keeps encoder steps out of the force, the second damps the line's own
//! resonances. Keeping the wave as a force makes a change of Z leave the force continuous.
//! The guard keeps E = ∫(½w² + F·v − ½u²)dt between 0 and its ceiling: what would leave with more
//! energy than came is scaled down, then damped, and counted.

use super::limit::{Limited, Motor, MotorLimits};
use crate::fixed::carry;
use crate::message::WAVE;
use crate::port::Port;
use crate::real::Real;

/// Corner of the filter on the incoming wave, Hz.
pub const WAVE_CORNER: f64 = 300.0;
/// Corner of the filter on the speed that makes force, Hz.
pub const SPEED_CORNER: f64 = 800.0;
/// Largest damping the guard may add, N·s/m.
const GUARD_DAMPING: f64 = 20.0;
/// Largest rise of impedance, N·s/m a second: from none to 25 in a tenth of a second.
const IMPEDANCE_SLEW: f64 = 250.0;
/// Largest fall of impedance, N·s/m a second: from the largest to none within the fade.
const IMPEDANCE_FALL: f64 = 6000.0;
/// Below this an impedance passes no wave, N·s/m.
pub const LEAST_IMPEDANCE: f64 = 0.25;

/// Constants of a tick.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TickConstants<F = f64> {
    /// Length of a tick, s.
    pub t: F,
    wave: F,
    speed: F,
}

impl<F: Real> TickConstants<F> {
    /// At `rate` Hz.
    #[must_use]
    pub fn new(rate: F) -> Self {
        let t = F::of(1.0) / rate;
        let share = |corner: f64| F::of(1.0) - (F::of(-core::f64::consts::TAU * corner) * t).exp();
        Self { t, wave: share(WAVE_CORNER), speed: share(SPEED_CORNER) }
    }
}

/// A key bed rendered by the motor.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct RenderedBed<F = f64> {
    /// Stiffness below `depth`, N/m; 0: no bed is rendered.
    pub stiffness: F,
    /// Damping below `depth`, N·s/m.
    pub damping: F,
    /// Key depth at which the bed is met, m, positive down.
    pub depth: F,
}

impl<F: Real> RenderedBed<F> {
    /// Force of the bed at the depth `x` m and speed `v` m/s, both positive down: N against
    /// downward motion, never negative.
    #[must_use]
    pub fn force(&self, x: F, v: F) -> F {
        let none = F::of(0.0);
        if self.stiffness <= none || x <= self.depth {
            return none;
        }
        (self.stiffness * (x - self.depth) + self.damping * v).max(none)
    }
}

/// What is asked of a key for one tick.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct KeyOrder<'a, F = f64> {
    /// Impedance to move to, N·s/m.
    pub impedance: F,
    /// Share of the commanded force, of the guard's and of the bed's, 0…1. At 0 the impedance is
    /// at most the one asked for.
    pub gain: F,
    /// The motor is on; off, its force is 0.
    pub is_powered: bool,
    /// The command is a plain force, not a wave: unfiltered, and no wave goes back.
    pub is_direct: bool,
    /// Key bed to render.
    pub bed: &'a RenderedBed<F>,
    /// Limits of force, slew and heat.
    pub limits: &'a MotorLimits<F>,
    /// Ceiling of the guard, J; 0: no guard.
    pub guard: F,
}

/// What a tick came to.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Done<F = f64> {
    /// Force applied against downward motion, N.
    pub force: F,
    /// What the limits did to the force.
    pub limited: Limited,
    /// The guard acted.
    pub is_guarded: bool,
}

/// One key's impedance, guard and motor: state of the law above.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct KeyImpedance<F = f64> {
    x: F,
    v: F,
    v_filtered: F,
    /// Wave force commanded, −√(2Z)·w, N.
    pub wave: F,
    wave_filtered: F,
    /// The port of the impedance in force; none below [`LEAST_IMPEDANCE`].
    port: Option<Port<F>>,
    impedance: F,
    motor: Motor<F>,
    energy: F,
    wave_sum: i32,
    /// Part of the wave integral below one unit of `wave_sum`, −1…1 µ√W·s.
    wave_rest: F,
}

impl<F: Real> KeyImpedance<F> {
    /// A key at rest at `x` m, its guard holding `energy` J.
    #[must_use]
    pub fn at(x: F, energy: F) -> Self {
        Self { x, energy, ..Self::default() }
    }

    /// Position, m.
    #[must_use]
    pub const fn position(&self) -> F {
        self.x
    }

    /// Speed of the last tick, m/s.
    #[must_use]
    pub const fn speed(&self) -> F {
        self.v
    }

    /// Running integral of the outgoing wave, whole µ√W·s modulo 2³².
    #[must_use]
    pub const fn wave_sum(&self) -> i32 {
        self.wave_sum
    }

    /// Impedance in force, N·s/m.
    #[must_use]
    pub const fn impedance(&self) -> F {
        self.impedance
    }

    /// Force applied, N.
    #[must_use]
    pub const fn force(&self) -> F {
        self.motor.force()
    }

    /// Sets the position to `x` m and the speed to 0: a jump of the sensor makes no force.
    pub fn place(&mut self, x: F) {
        self.x = x;
        self.v = F::of(0.0);
        self.v_filtered = F::of(0.0);
    }

    /// Resets all but position and motor: no wave, no impedance, the guard holding `energy` J.
    pub fn settle(&mut self, energy: F) {
        self.wave = F::of(0.0);
        self.wave_filtered = F::of(0.0);
        self.move_impedance(F::of(0.0));
        self.energy = energy;
    }

    fn move_impedance(&mut self, impedance: F) {
        if impedance != self.impedance {
            self.impedance = impedance;
            let passes = impedance >= F::of(LEAST_IMPEDANCE);
            self.port = passes.then(|| Port::new(impedance));
        }
    }

    /// One tick with the key measured at `x` m.
    pub fn tick(&mut self, tick: &TickConstants<F>, x: F, order: &KeyOrder<F>) -> Done<F> {
        let (t, none) = (tick.t, F::of(0.0));
        let moved = x - self.x;
        let v = moved / t;
        self.v_filtered += tick.speed * (v - self.v_filtered);
        let change = order.impedance - self.impedance;
        let change = change.within(F::of(-IMPEDANCE_FALL) * t, F::of(IMPEDANCE_SLEW) * t);
        let mut z = self.impedance + change;
        if order.gain > none {
            let share = if order.is_direct { F::of(1.0) } else { tick.wave };
            self.wave_filtered += share * (self.wave - self.wave_filtered);
        } else {
            z = z.min(order.impedance);
            self.wave_filtered = none;
        }
        self.move_impedance(z);
        quiet(&mut self.v_filtered);
        quiet(&mut self.wave_filtered);
        let wave = self.wave_filtered * order.gain;

        // The force of the last tick did the work of the way since.
        let work = self.motor.force() * moved;
        let (mut out, mut extra, mut is_guarded) = (none, none, false);
        if let Some(port) = self.port
            && !order.is_direct
        {
            // The commanded force acts against +v, the port's along it.
            out = port.leaving(port.wave(-wave), v);
            if order.guard > none && order.gain > none {
                (out, extra, is_guarded) = self.guarded(&port, out, work, v, t, order);
            }
        }
        let (whole, rest) = carry(self.wave_rest + out * t / F::of(WAVE));
        self.wave_sum = self.wave_sum.wrapping_add(whole);
        self.wave_rest = rest;

        (self.x, self.v) = (x, v);
        if !order.is_powered {
            self.motor.rest(order.limits, t);
            return Done { is_guarded, ..Done::default() };
        }
        let bed = order.bed.force(x, self.v_filtered) * order.gain;
        let wanted = bed + extra * v - (-wave - z * self.v_filtered);
        let (force, limited) = self.motor.apply(order.limits, wanted, t);
        Done { force, limited, is_guarded }
    }

    /// Books the energy of a tick whose outgoing wave is `out`; the wave that may go out, the
    /// damping to add, N·s/m, and whether the guard acted.
    fn guarded(
        &mut self,
        port: &Port<F>,
        out: F,
        work: F,
        v: F,
        t: F,
        order: &KeyOrder<F>,
    ) -> (F, F, bool) {
        let none = F::of(0.0);
        let come = port.wave(self.wave * order.gain);
        self.energy += Port::energy(come, out, t) + work;
        if self.energy >= none {
            self.energy = self.energy.min(order.guard);
            return (out, none, false);
        }
        let left = out * out + F::of(2.0) * self.energy / t;
        self.energy = none;
        if left >= none {
            return (left.sqrt() * out.signum(), none, true);
        }
        let damping = F::of(-0.5) * left / (v * v).max(F::of(1e-9));
        (none, damping.min(F::of(GUARD_DAMPING)) * order.gain, true)
    }
}

/// Sets a decayed value to 0 before it is denormal.
fn quiet<F: Real>(value: &mut F) {
    if value.abs() < F::of(1e-12) {
        *value = F::of(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: MotorLimits = MotorLimits { force: 50.0, slew: 1e9, held: 50.0, time: 1.0 };
    const NO_BED: RenderedBed = RenderedBed { stiffness: 0.0, damping: 0.0, depth: 0.0 };

    fn order(guard: f64) -> KeyOrder<'static> {
        KeyOrder {
            impedance: 20.0,
            gain: 1.0,
            is_powered: true,
            is_direct: false,
            bed: &NO_BED,
            limits: &LIMITS,
            guard,
        }
    }

    fn settled(guard: f64) -> (KeyImpedance, TickConstants) {
        let tick = TickConstants::new(8000.0);
        let mut law = KeyImpedance::at(0.0, guard);
        for _ in 0..2000 {
            law.tick(&tick, 0.0, &order(guard));
        }
        (law, tick)
    }

    #[test]
    fn steady_motion_meets_the_impedance_and_the_wave() {
        let (mut law, tick) = settled(0.0);
        let before = law.wave_sum();
        let mut force = 0.0;
        law.wave = -0.5;
        for i in 1..=800 {
            force = law.tick(&tick, 0.1 * f64::from(i) * tick.t, &order(0.0)).force;
        }
        assert!((force - (20.0 * 0.1 - 0.5)).abs() < 1e-6, "{force} N");
        // Σu·T = √40·0.01 m − 0.5/√40·(0.1 s − the filter's lag).
        let expected = 40f64.sqrt() * 0.01
            - 0.5 / 40f64.sqrt() * (0.1 - 1.0 / (core::f64::consts::TAU * WAVE_CORNER));
        let sum = f64::from(law.wave_sum() - before) * 1e-6;
        assert!((sum - expected).abs() < 1e-5, "{sum} against {expected}");
    }

    #[test]
    fn the_bed_only_pushes() {
        let bed = RenderedBed { stiffness: 20_000.0, damping: 10.0, depth: 0.01f64 };
        assert_eq!(bed.force(0.0099, 1.0), 0.0);
        assert_eq!(bed.force(0.0101, 0.0).round(), 2.0);
        assert_eq!(bed.force(0.0101, -1.0), 0.0);
    }

    /// Energy that the port gave beyond what its waves brought, at its largest, J, while a hand
    /// shakes the key against held samples of a large wave.
    fn created(guard: f64) -> f64 {
        let (mut law, tick) = settled(guard);
        let root = 40f64.sqrt();
        let (mut balance, mut most) = (0.0f64, 0.0f64);
        for i in 0..8000 {
            // A wave that a device cannot check: its samples arrive in step with the motion.
            let t = f64::from(i) * tick.t;
            law.wave = if i % 8 == 0 { 4.0 * (250.0 * t).sin() } else { law.wave };
            let x = 0.002 * (250.0 * t).sin();
            let (before, force, sum) = (law.position(), law.force(), law.wave_sum());
            law.tick(&tick, x, &order(guard));
            let out = f64::from(law.wave_sum() - sum) * 1e-6 / tick.t;
            balance += 0.5 * (law.wave / root).powi(2) * tick.t + force * (x - before)
                - 0.5 * out * out * tick.t;
            most = most.max(-balance);
        }
        most
    }

    #[test]
    fn the_guard_bounds_what_the_port_creates() {
        let guarded = created(5e-3);
        assert!(guarded <= 6e-3, "{guarded} J with a guard of 5 mJ");
    }

    #[test]
    fn a_motor_without_power_gives_no_force() {
        let (mut law, tick) = settled(0.0);
        law.wave = 10.0;
        let off = KeyOrder { is_powered: false, ..order(0.0) };
        assert_eq!(law.tick(&tick, 0.003, &off).force, 0.0);
        assert_eq!(law.force(), 0.0);
    }
    /// At most 250 N·s/m a second up, 6000 down, and never beyond what is asked.
    #[test]
    fn an_impedance_rises_and_falls_no_faster_than_documented() {
        let tick = TickConstants::new(8000.0);
        let mut law = KeyImpedance::at(0.0, 0.0);
        for ticks in 1..=800 {
            law.tick(&tick, 0.0, &order(0.0));
            let expected = (IMPEDANCE_SLEW * tick.t * f64::from(ticks)).min(20.0);
            assert!((law.impedance() - expected).abs() < 1e-9, "{ticks}: {}", law.impedance());
            assert_eq!(law.port.is_some(), law.impedance() >= LEAST_IMPEDANCE);
        }
        let down = KeyOrder { impedance: 1.0, ..order(0.0) };
        for ticks in 1..=40 {
            law.tick(&tick, 0.0, &down);
            let expected = (20.0 - IMPEDANCE_FALL * tick.t * f64::from(ticks)).max(1.0);
            assert!((law.impedance() - expected).abs() < 1e-9, "{ticks}: {}", law.impedance());
        }
        // Without a share of force it is at once what is asked for.
        let (mut law, tick) = settled(0.0);
        law.tick(&tick, 0.0, &KeyOrder { impedance: 3.0, gain: 0.0, ..order(0.0) });
        assert_eq!(law.impedance(), 3.0);
    }

    /// What a tick books is what came, less what leaves, and the work of the force; where more would
    /// leave than there is, the wave is made smaller, then the key damped, until none is missing.
    #[test]
    fn the_guard_lets_out_what_there_is_and_damps_the_rest() {
        let (t, ceiling) = (125e-6, 1e-3);
        let port = Port::new(20.0);
        let mut cases = [0; 4];
        for gain in [1.0, 0.25] {
            let order = KeyOrder { gain, ..order(ceiling) };
            for (energy, work, out, v) in [
                (0.5e-3, 1e-6, 1.0, 0.1),
                (ceiling, 1e-4, 0.1, 0.1),
                (0.1e-3, -0.05e-3, 1.5, -0.2),
                (0.1e-3, -0.05e-3, -1.5, 0.2),
                (0.0, -0.1e-3, 0.5, 0.4),
                (0.0, -0.2e-3, 0.5, -0.3),
                (0.0, -2.0, 0.5, 0.3),
            ] {
                let mut law = KeyImpedance::at(0.0, energy);
                law.wave = 3.0;
                let come = gain * 3.0 / 40f64.sqrt();
                let (left, damping, is_guarded) = law.guarded(&port, out, work, v, t, &order);
                let balance = energy + 0.5 * (come * come - left * left) * t + work;
                let case = match (is_guarded, left == 0.0) {
                    (false, _) => {
                        assert_eq!((left, damping), (out, 0.0));
                        assert!((law.energy - balance.min(ceiling)).abs() < 1e-15);
                        usize::from(balance > ceiling)
                    }
                    (true, false) => {
                        assert!(left.abs() < out.abs() && left * out > 0.0 && damping == 0.0);
                        assert!(balance.abs() < 1e-15 && law.energy == 0.0);
                        2
                    }
                    (true, true) => {
                        assert!(law.energy == 0.0 && damping > 0.0);
                        let most = GUARD_DAMPING * gain;
                        let missing = -balance / (v * v * t);
                        let expected = missing.min(GUARD_DAMPING) * gain;
                        assert!((damping - expected).abs() < 1e-9 && damping <= most, "{damping}");
                        3
                    }
                };
                cases[case] += 1;
            }
        }
        assert!(cases.iter().all(|number| *number > 1), "{cases:?}");
    }
}
