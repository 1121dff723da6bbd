//! The law of one key: damper of the wave junction, key bed, energy guard.
//!
//! Position x and speed v are positive down; the force F is positive against downward motion. Every
//! tick of T s:
//!
//! v = Δx/T,  v_f: v through a low-pass of 800 Hz,  f: the wave force −√(2Z)·w through one of 300 Hz
//! F = Z·v_f + f + bed(x, v_f),   u = √(2Z)·v + f/√(2Z),   the host receives Σu·T
//!
//! The first filter keeps sensor steps out of the force, the second damps the resonances of the line.
//! The wave is stored as a force, so that a change of Z leaves the force continuous. The guard keeps
//! E = ∫(½w² + F·v − ½u²)dt, J, between 0 and its ceiling: it scales an outgoing wave u down that would
//! carry more energy than there is, and where that is not enough adds damping.

use super::limit::{Limited, Motor, MotorLimits};
use crate::fixed::carry;
use crate::message::WAVE;
use crate::port::Port;
use crate::real::Real;

/// Corner frequency of the filter on the incoming wave, Hz.
pub const WAVE_CORNER: f64 = 300.0;
/// Corner frequency of the filter on the speed, Hz.
pub const SPEED_CORNER: f64 = 800.0;
/// Largest damping that the guard adds, N·s/m.
const GUARD_DAMPING: f64 = 20.0;
/// Largest rise of impedance, N·s/m per second: from 0 to 25 in 0.1 s.
pub const IMPEDANCE_SLEW: f64 = 250.0;
/// Largest fall of impedance, N·s/m per second: from 60 to 0 within the fade of 10 ms.
pub const IMPEDANCE_FALL: f64 = 6000.0;
/// Smallest impedance that passes waves, N·s/m.
pub const LEAST_IMPEDANCE: f64 = 0.25;

/// Constants of a tick: its length and the coefficients of both filters.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TickConstants<F = f64> {
    /// Length of a tick, s.
    pub t: F,
    wave: F,
    speed: F,
}

impl<F: Real> TickConstants<F> {
    /// Constants at `rate` ticks per second, Hz.
    #[must_use]
    pub fn new(rate: F) -> Self {
        let t = F::of(1.0) / rate;
        let share = |corner: f64| F::of(1.0) - (F::of(-core::f64::consts::TAU * corner) * t).exp();
        Self { t, wave: share(WAVE_CORNER), speed: share(SPEED_CORNER) }
    }

    /// Constants of a tick of `t` s that came early or late.
    #[must_use]
    pub fn after(t: F) -> Self {
        Self { t, wave: share_of(WAVE_CORNER, t), speed: share_of(SPEED_CORNER, t) }
    }
}

/// 1 − e^(−x), x = 2π·`corner`·`t`. Up to x = 1 by x/(1 + x/2 + x²/12), whose error is below 2·10⁻⁴ and which costs a
/// board one division.
fn share_of<F: Real>(corner: f64, t: F) -> F {
    let x = F::of(core::f64::consts::TAU * corner) * t;
    let one = F::of(1.0);
    if x > one {
        return one - (F::of(0.0) - x).exp();
    }
    x / (one + x * F::of(0.5) + x * x * F::of(1.0 / 12.0))
}

/// A key bed rendered by the motor.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct RenderedBed<F = f64> {
    /// Stiffness below `depth`, N/m; 0 renders no bed.
    pub stiffness: F,
    /// Damping below `depth`, N·s/m.
    pub damping: F,
    /// Depth at which the bed begins, m, positive down.
    pub depth: F,
}

impl<F: Real> RenderedBed<F> {
    /// Force of the bed at the depth `x` m and speed `v` m/s, both positive down. N, against downward
    /// motion, never negative.
    #[must_use]
    pub fn force(&self, x: F, v: F) -> F {
        let none = F::of(0.0);
        if self.stiffness <= none || x <= self.depth {
            return none;
        }
        (self.stiffness * (x - self.depth) + self.damping * v).max(none)
    }
}

/// Inputs of one tick of a key besides its position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct KeyOrder<'a, F = f64> {
    /// Target impedance, N·s/m; the present one approaches it at a limited rate.
    pub impedance: F,
    /// Share of the commanded force, of the guard's damping and of the bed, 0…1. At 0 the present
    /// impedance is at most the target.
    pub gain: F,
    /// The motor is on; the force is 0 otherwise.
    pub is_powered: bool,
    /// The command is a plain force: it is not filtered, and no wave goes back.
    pub is_direct: bool,
    /// Rendered key bed.
    pub bed: &'a RenderedBed<F>,
    /// Limits of force, slew and heat.
    pub limits: &'a MotorLimits<F>,
    /// Ceiling of the energy guard, J; 0 switches the guard off.
    pub guard: F,
}

/// Result of one tick of a key.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct TickResult<F = f64> {
    /// Force applied against downward motion, N.
    pub force: F,
    /// Effect of the limits on the force.
    pub limited: Limited,
    /// The guard reduced the wave or added damping.
    pub is_guarded: bool,
}

/// State of one key: impedance, filters, guard and motor.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct KeyImpedance<F = f64> {
    x: F,
    v: F,
    v_filtered: F,
    /// The way of the next tick says nothing of the present speed.
    is_restarted: bool,
    /// Commanded wave force −√(2Z)·w, N.
    pub wave: F,
    wave_filtered: F,
    /// Port of the present impedance; none below [`LEAST_IMPEDANCE`].
    port: Option<Port<F>>,
    impedance: F,
    motor: Motor<F>,
    /// See [`KeyImpedance::feed_forward`] and [`KeyImpedance::allowed`].
    feed_forward: F,
    allowed: F,
    /// Energy in the guard, J.
    energy: F,
    wave_sum: i32,
    /// Part of the wave integral below one unit of `wave_sum`, −1…1 µ√W·s.
    wave_rest: F,
}

impl<F: Real> KeyImpedance<F> {
    /// A key at rest at `x` m with `energy` J in its guard.
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

    /// Integral of the outgoing wave, µ√W·s modulo 2³².
    #[must_use]
    pub const fn wave_sum(&self) -> i32 {
        self.wave_sum
    }

    /// Present impedance, N·s/m.
    #[must_use]
    pub const fn impedance(&self) -> F {
        self.impedance
    }

    /// Applied force, N.
    #[must_use]
    pub const fn force(&self) -> F {
        self.motor.force()
    }

    /// The force without the damping Z·v_f, N, against downward motion, for a motor controller that damps by itself: it
    /// adds Z times the speed that it measures and limits the sum to [`KeyImpedance::allowed`]. The slew limit, which
    /// needs the whole force, has acted on this part. 0 without power.
    #[must_use]
    pub const fn feed_forward(&self) -> F {
        self.feed_forward
    }

    /// Largest force that force limit and heat allow at present, N; 0 without power.
    #[must_use]
    pub const fn allowed(&self) -> F {
        self.allowed
    }

    /// Sets the position to `x` m and the speed to 0, so that a jump of the sensor gives no force.
    pub fn set_position(&mut self, x: F) {
        self.x = x;
        self.v = F::of(0.0);
        self.v_filtered = F::of(0.0);
    }

    /// Starts the speed that gives force at 0 in the next tick, whose way the key has gone in an unknown time. The
    /// wave still carries the whole way, so that Σu fits the positions.
    pub(crate) const fn restart_speed(&mut self) {
        self.is_restarted = true;
    }

    /// Resets wave and impedance to 0 and the guard to `energy` J; position and motor stay.
    pub fn reset(&mut self, energy: F) {
        self.wave = F::of(0.0);
        self.wave_filtered = F::of(0.0);
        self.set_impedance(F::of(0.0));
        self.energy = energy;
    }

    fn set_impedance(&mut self, impedance: F) {
        if impedance != self.impedance {
            self.impedance = impedance;
            let passes = impedance >= F::of(LEAST_IMPEDANCE);
            self.port = passes.then(|| Port::new(impedance));
        }
    }

    /// One tick with the key measured at `x` m.
    pub fn tick(&mut self, tick: &TickConstants<F>, x: F, order: &KeyOrder<F>) -> TickResult<F> {
        let (t, none) = (tick.t, F::of(0.0));
        let moved = x - self.x;
        let v = moved / t;
        let mut speed = v;
        if core::mem::take(&mut self.is_restarted) {
            (speed, self.v_filtered) = (none, none);
        }
        self.v_filtered += tick.speed * (speed - self.v_filtered);
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
        self.set_impedance(z);
        flush_tiny(&mut self.v_filtered);
        flush_tiny(&mut self.wave_filtered);
        let wave = self.wave_filtered * order.gain;

        // The force of the last tick acted over the distance since then.
        let work = self.motor.force() * moved;
        let (mut out, mut extra, mut is_guarded) = (none, none, false);
        if let Some(port) = self.port
            && !order.is_direct
        {
            // Forces of the port are positive along +v, the commanded one against it.
            out = port.leaving(port.wave(-wave), v);
            if order.guard > none && order.gain > none {
                (out, extra, is_guarded) = self.guarded(&port, out, work, v, t, order);
            }
        }
        let (whole, rest) = carry(self.wave_rest + out * t / F::of(WAVE));
        self.wave_sum = self.wave_sum.wrapping_add(whole);
        self.wave_rest = rest;

        (self.x, self.v) = (x, v);
        (self.feed_forward, self.allowed) = (none, none);
        if !order.is_powered {
            self.motor.rest(order.limits, t);
            return TickResult { is_guarded, ..TickResult::default() };
        }
        let bed = order.bed.force(x, self.v_filtered) * order.gain;
        let damped = z * self.v_filtered;
        let wanted = bed + extra * speed - (-wave - damped);
        self.allowed = self.motor.allowed(order.limits);
        let (force, limited) = self.motor.apply(order.limits, wanted, t);
        let slewed = force - wanted.within(-self.allowed, self.allowed);
        self.feed_forward = wanted - damped + slewed;
        TickResult { force, limited, is_guarded }
    }

    /// Adds the energy of a tick with the outgoing wave `out`, √W, and the work `work`, J, to the guard.
    /// Returns the wave that may leave, √W, the damping to add, N·s/m, and whether the guard acted.
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
        let incoming = port.wave(self.wave * order.gain);
        self.energy += Port::energy(incoming, out, t) + work;
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

/// Sets a decayed value to 0 before it becomes denormal.
fn flush_tiny<F: Real>(value: &mut F) {
    if value.abs() < F::of(1e-12) {
        *value = F::of(0.0);
    }
}

#[cfg(test)]
mod tests;
