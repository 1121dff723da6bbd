//! A hammer at its strings, step by step.
//!
//! Over a step h the contact force F is constant. A modal string under it moves exactly to
//! y1 = y_free + c F, and a free mass to x1 = x + v h − F h²/2m, so the compression ξ = x − y ends
//! at ξ1 = ξ_free − (c + h²/2m) F. The felt's force is
//!
//! F = max(0, (Φ(ξ1) − Φ(ξ0))/(ξ1 − ξ0) + K α (ξ1^p − ξ0^p)/h),  Φ = K ξ^(p+1)/(p+1)
//!
//! The first term's work is exactly the change of the felt's energy, the second is never negative
//! work: the step conserves energy to rounding and is passive for any h. The right side grows with
//! ξ1, so the residual in ξ1 is strictly monotone and Newton's method inside a shrinking bracket
//! always converges.

use touchback_core::math::power::power;
use touchback_core::math::real::{MOST_LANES, Mask, Real};
use touchback_core::mech::hammer::{Hammer, HammerFelt};

/// Compression below which the felt is clear, m: far below any contact, far above denormals.
const CLEAR: f64 = 1e-60;

/// A hammer in flight or contact; `R` holds one hammer, or one in each lane.
#[derive(Clone, Copy, Debug)]
pub struct MovingHammer<R = f64> {
    mass: R,
    stiffness: R,
    exponent: R,
    relaxation: R,
    position: R,
    speed: R,
    compression: R,
    /// The compression to the felt's exponent.
    power: R,
    /// Force of the last step and of the one before, N.
    force: [R; 2],
}

impl MovingHammer {
    /// `hammer` moving at `speed` m/s, `gap` metres below the string, which is at `string` metres.
    #[must_use]
    pub const fn new(hammer: &Hammer, string: f64, gap: f64, speed: f64) -> Self {
        let HammerFelt { stiffness, exponent, relaxation, .. } = hammer.felt;
        Self {
            mass: hammer.mass,
            stiffness,
            exponent,
            relaxation,
            position: string - gap,
            speed,
            compression: -gap,
            power: 0.0,
            force: [0.0; 2],
        }
    }

    /// Whether the hammer moves away from the string and is farther than `reach` m, the largest
    /// displacement of the string.
    #[must_use]
    pub(crate) const fn is_out_of(&self, reach: f64) -> bool {
        self.speed < 0.0 && self.position < -reach
    }

    /// Speed toward the string, m/s.
    #[must_use]
    pub const fn speed(&self) -> f64 {
        self.speed
    }

    /// Kinetic and elastic energy, J.
    #[must_use]
    pub fn energy(&self) -> f64 {
        0.5 * self.mass * self.speed * self.speed + self.elastic()
    }

    /// Energy of the felt, J.
    #[must_use]
    pub fn elastic(&self) -> f64 {
        self.stiffness * self.compression.max(0.0) * self.power / (self.exponent + 1.0)
    }
}

impl<R: Real> MovingHammer<R> {
    /// `hammers` in the lanes; the remaining lanes repeat the last hammer.
    ///
    /// # Panics
    /// If `hammers` is empty.
    #[inline(always)]
    #[must_use]
    pub fn beside(hammers: &[MovingHammer]) -> Self {
        let last = hammers.len() - 1;
        let each =
            |value: fn(&MovingHammer) -> f64| R::from_lanes(|lane| value(&hammers[lane.min(last)]));
        Self {
            mass: each(|h| h.mass),
            stiffness: each(|h| h.stiffness),
            exponent: each(|h| h.exponent),
            relaxation: each(|h| h.relaxation),
            position: each(|h| h.position),
            speed: each(|h| h.speed),
            compression: each(|h| h.compression),
            power: each(|h| h.power),
            force: [each(|h| h.force[0]), each(|h| h.force[1])],
        }
    }

    /// Writes the state of as many lanes as there are `hammers` back to them.
    #[inline(always)]
    pub fn store(&self, hammers: &mut [MovingHammer]) {
        let mut each = |value: R, set: fn(&mut MovingHammer, f64)| {
            let mut lanes = [0.0; MOST_LANES];
            value.store(&mut lanes);
            hammers.iter_mut().zip(lanes).for_each(|(hammer, value)| set(hammer, value));
        };
        each(self.position, |h, x| h.position = x);
        each(self.speed, |h, x| h.speed = x);
        each(self.compression, |h, x| h.compression = x);
        each(self.power, |h, x| h.power = x);
        each(self.force[0], |h, x| h.force[0] = x);
        each(self.force[1], |h, x| h.force[1] = x);
    }

    /// Felt compression, m; negative when clear of the string.
    #[inline(always)]
    #[must_use]
    pub const fn compression(&self) -> R {
        self.compression
    }

    /// Moves the hammers in the lanes of `which` for `h` seconds in free flight; the string is then at
    /// `string` metres.
    #[inline(always)]
    pub(crate) fn coast(&mut self, string: R, h: R, which: R::Mask) {
        let zero = R::of(0.0);
        put(which, self.position + h * self.speed, &mut self.position);
        put(which, self.position - string, &mut self.compression);
        // A string that moves into the hammer within `h` is found in contact at the next step: the
        // contact starts up to one step late.
        put(which, raised(self.compression, self.exponent).0, &mut self.power);
        put(which, zero, &mut self.force[0]);
        put(which, zero, &mut self.force[1]);
    }

    /// Advances the lanes of `which` by `h` seconds against a string that would move to `y_free` metres
    /// without force and yields `compliance` m/N over the step. Returns the force of the step, N.
    #[inline(always)]
    pub fn step(&mut self, y_free: R, compliance: R, h: R, which: R::Mask) -> R {
        let zero = R::of(0.0);
        let kick = h / self.mass;
        let yields = compliance + R::of(0.5) * h * kick;
        let x_free = self.position + h * self.speed;
        let xi_free = x_free - y_free;
        let met = (xi_free.gt(zero) | self.compression.gt(zero)) & which;
        let (force, power) =
            if met.any() { self.solve(xi_free, yields, h, met) } else { (zero, zero) };
        let (force, power) = (R::select(met, force, zero), R::select(met, power, zero));
        put(which, xi_free - yields * force, &mut self.compression);
        put(which, x_free - R::of(0.5) * h * kick * force, &mut self.position);
        put(which, self.speed - kick * force, &mut self.speed);
        put(which, power, &mut self.power);
        put(which, self.force[0], &mut self.force[1]);
        put(which, force, &mut self.force[0]);
        force
    }

    #[inline(always)]
    fn felt(&self, h: R) -> FeltStep<R> {
        let share = R::of(1.0) / (self.exponent + R::of(1.0));
        let (xi0, u0) = (self.compression, self.power);
        let phi0 = xi0.max(R::of(0.0)) * u0 * share;
        FeltStep { exponent: self.exponent, xi0, u0, phi0, share, viscous: self.relaxation / h }
    }

    /// Force at which felt and motion agree, the root of ξ1 − ξ_free + c F(ξ1), and ξ1^p, in the lanes of
    /// `which`.
    #[inline(always)]
    fn solve(&self, xi_free: R, c: R, h: R, which: R::Mask) -> (R, R) {
        let (zero, half) = (R::of(0.0), R::of(0.5));
        let felt = self.felt(h);
        let ck = c * self.stiffness;
        let never = R::of(f64::NEG_INFINITY);
        let (mut low, mut high) = (never, xi_free);
        // First guess: the force extrapolated linearly from the last two steps.
        let mut xi1 = xi_free - c * (R::of(2.0) * self.force[0] - self.force[1]).max(zero);
        let mut power = zero;
        let mut open = which;
        for _ in 0..80 {
            let (f, slope, u1, du1) = felt.force(xi1);
            let residual = xi1 - xi_free + ck * f.max(zero);
            let beyond = residual.gt(zero);
            high = R::select(beyond, high.min(xi1), high);
            low = R::select(beyond, low, low.max(xi1));
            let gradient = R::of(1.0) + R::select(f.gt(zero), ck * slope, zero);
            let newton = xi1 - residual / gradient;
            let inside = newton.ge(low) & newton.le(high);
            let unbounded = !inside & low.le(never) & open;
            if unbounded.any() {
                // The force is largest at ξ_free, so the root is not below this.
                let bound = xi_free - ck * felt.force(xi_free).0.max(zero);
                low = R::select(unbounded, bound, low);
            }
            let next = R::select(inside, newton, half * (low + high));
            let step = (next - xi1).abs();
            let risen = R::select(next.gt(zero), (u1 + du1 * (next - xi1)).max(zero), zero);
            power = R::select(open, risen, power);
            xi1 = R::select(open, next, xi1);
            // Newton's error is squared in each step: the next one would change less than single
            // precision shows.
            let arrived = inside & step.le(R::of(3e-5) * xi1.abs() + R::of(1e-18));
            open = open & !(arrived | step.le(zero));
            if !open.any() {
                break;
            }
        }
        (((xi_free - xi1) / c).max(zero), power)
    }
}

/// The felt over one step.
#[derive(Clone, Copy)]
struct FeltStep<R> {
    exponent: R,
    /// Compression ξ0 at the beginning, m.
    xi0: R,
    /// ξ0^p.
    u0: R,
    /// Energy at the beginning over K.
    phi0: R,
    /// 1/(p + 1).
    share: R,
    /// α/h.
    viscous: R,
}

impl<R: Real> FeltStep<R> {
    /// For the compression ξ1 at the end: force and its slope, both over K; ξ1^p and its slope.
    #[inline(always)]
    fn force(&self, xi1: R) -> (R, R, R, R) {
        let (zero, half) = (R::of(0.0), R::of(0.5));
        let Self { exponent, xi0, u0, phi0, share, viscous } = *self;
        let (u1, du1) = raised(xi1, exponent);
        let d = xi1 - xi0;
        let near = d.abs().lt(R::of(1e-6) * xi0.abs().max(xi1.abs()));
        let over = R::of(1.0) / d;
        let mean = (xi1.max(zero) * u1 * share - phi0) * over;
        let slope = R::select(near, half * du1, (u1 - mean) * over);
        let mean = R::select(near, half * (u0 + u1), mean);
        (mean + viscous * (u1 - u0), slope + viscous * du1, u1, du1)
    }
}

/// Writes `new` to the lanes of `which`.
#[inline(always)]
fn put<R: Real>(which: R::Mask, new: R, old: &mut R) {
    *old = R::select(which, new, *old);
}

/// ξ^p of the compression ξ and its slope; both 0 where the felt is clear.
#[inline(always)]
fn raised<R: Real>(xi: R, exponent: R) -> (R, R) {
    let touching = xi.gt(R::of(CLEAR));
    let below = power(R::select(touching, xi, R::of(1.0)), exponent - R::of(1.0));
    let below = R::select(touching, below, R::of(0.0));
    (below * xi, exponent * below)
}
