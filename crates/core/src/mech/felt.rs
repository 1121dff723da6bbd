//! Felt, leather and other one-sided soft contacts.
//!
//! F = K ξ^p · max(0, 1 + λ ξ̇ + η ξ̇/√(ξ̇² + v₀²)) for ξ > 0, else 0; ξ compression in m (or
//! rad), K in N/m^p, λ in s/m, η a pure number, v₀ = [`TURN`] or, for a torsional stop,
//! [`ANGULAR_TURN`]. λ is the rate-dependent damping of [Hunt and Crossley 1975]. η is the
//! rate-independent hysteresis of felt: loading above and unloading below the elastic curve, which
//! returns the same share √((1−η)/(1+η)) of any impact speed. The elastic part stores
//! K ξ^(p+1)/(p+1); the rest is dissipated. The clamp keeps a separating contact from pulling; v₀
//! only rounds the reversal of the hysteresis loop.

use crate::math::real::{Mask, Real};

/// Speed v₀ at which the hysteresis loop reverses, m/s (chosen: far below any impact speed).
pub const TURN: f64 = 0.05;
/// Speed v₀ of a torsional stop, rad/s: [`TURN`] at an arm of 50 mm.
pub const ANGULAR_TURN: f64 = 1.0;

/// One soft contact.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Felt<R = f64> {
    /// Stiffness K, N/m^p (N·m/rad^p for a torsional stop).
    pub stiffness: R,
    /// Exponent p, ≥ 1.
    pub exponent: R,
    /// Damping λ, s/m (s/rad).
    pub damping: R,
    /// Hysteresis η, 0…1.
    #[serde(default)]
    pub hysteresis: R,
}

/// Force and dissipated power of a contact at one instant.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Contact<R = f64> {
    /// Force, N (torque, N·m, for a torsional stop); never negative.
    pub force: R,
    /// Dissipated power, W; never negative.
    pub loss: R,
}

impl Felt {
    /// A felt of stiffness K, exponent p and damping λ, without hysteresis.
    #[must_use]
    pub const fn new(stiffness: f64, exponent: f64, damping: f64) -> Self {
        Self { stiffness, exponent, damping, hysteresis: 0.0 }
    }

    /// Compression under a static `force` in N, m.
    #[must_use]
    pub fn compression(&self, force: f64) -> f64 {
        libm::pow(force.max(0.0) / self.stiffness, 1.0 / self.exponent)
    }

    /// Slope dF/dξ at `compression`, N/m.
    #[must_use]
    pub fn tangent(&self, compression: f64) -> f64 {
        if compression <= 0.0 {
            return 0.0;
        }
        self.exponent * self.elastic(compression) / compression
    }

    /// Slope dF/dξ̇ at `compression` and ξ̇ = 0, where it is steepest, N·s/m.
    #[must_use]
    pub fn reversal_damping(&self, compression: f64) -> f64 {
        self.elastic(compression.max(0.0)) * (self.damping + self.hysteresis / TURN)
    }

    /// This felt with `scale` times the stiffness.
    #[must_use]
    pub fn stiffened(self, scale: f64) -> Self {
        Self { stiffness: self.stiffness * scale, ..self }
    }
}

impl<R: Real> Felt<R> {
    /// K ξ^p for ξ ≥ 0, without `pow` for the exponents 1 and 1.5.
    #[inline(always)]
    fn elastic(&self, compression: R) -> R {
        let (p, linear, hertzian) = (self.exponent, R::of(1.0), R::of(1.5));
        let shape = if (p.le(hertzian) & p.ge(hertzian)).all() {
            compression * compression.sqrt()
        } else if (p.le(linear) & p.ge(linear)).all() {
            compression
        } else {
            compression.zip(self.exponent, shape)
        };
        self.stiffness * shape
    }

    /// Force and loss at the compression ξ = `compression` m, growing at ξ̇ = `rate` m/s.
    #[inline(always)]
    #[must_use]
    pub fn contact(&self, compression: R, rate: R) -> Contact<R> {
        self.law(TURN, f64::INFINITY, compression, rate)
    }

    /// Torque, N·m, and loss of a torsional stop at `compression` rad growing at `rate` rad/s.
    #[inline(always)]
    #[must_use]
    pub fn torsional_contact(&self, compression: R, rate: R) -> Contact<R> {
        self.law(ANGULAR_TURN, f64::INFINITY, compression, rate)
    }

    /// Force and loss of a contact with a light part: above `load` N, v₀ grows in proportion to the
    /// elastic force, so that the felt damps the part no more than at that load.
    #[inline(always)]
    #[must_use]
    pub fn contact_with_light_part(&self, load: f64, compression: R, rate: R) -> Contact<R> {
        self.law(TURN, load, compression, rate)
    }

    /// Torque, N·m, and loss of a torsional stop against a light part; v₀ grows above `load` N·m.
    #[inline(always)]
    #[must_use]
    pub fn torsional_contact_with_light_part(
        &self,
        load: f64,
        compression: R,
        rate: R,
    ) -> Contact<R> {
        self.law(ANGULAR_TURN, load, compression, rate)
    }

    /// The law with v₀ = `turn`; where the elastic force is above `load`, v₀ grows in proportion to it.
    #[inline(always)]
    fn law(&self, turn: f64, load: f64, compression: R, rate: R) -> Contact<R> {
        let zero = R::of(0.0);
        let touching = compression.gt(zero);
        if !touching.any() {
            return Contact { force: zero, loss: zero };
        }
        let elastic = self.elastic(R::select(touching, compression, zero));
        let mut square = R::of(turn * turn);
        if load < f64::INFINITY {
            let over = elastic * R::of(1.0 / load);
            if over.gt(R::of(1.0)).any() {
                let over = over.max(R::of(1.0));
                square = square * over * over;
            }
        }
        let turning = rate / (rate * rate + square).sqrt();
        let factor = R::of(1.0) + self.damping * rate + self.hysteresis * turning;
        let force = elastic * factor.max(zero);
        let loss = (force - elastic) * rate;
        Contact { force: R::select(touching, force, zero), loss: R::select(touching, loss, zero) }
    }

    /// Time, s, until a body of `momentum` kg·m/s that compresses the felt by `compression` m at `speed`
    /// m/s reverses under the force of the felt alone. An estimate, valid for times up to about `span` s.
    #[inline(always)]
    #[must_use]
    pub fn reversal_time(&self, compression: R, speed: R, momentum: R, span: R) -> R {
        // First estimate from the present force, second from the force half-way to the first.
        let first = (momentum / self.contact(compression, speed).force).min(span);
        let half = R::of(0.5);
        momentum / self.contact(compression + half * first * speed, half * speed).force
    }

    /// Elastic energy stored at `compression`, J.
    #[inline(always)]
    #[must_use]
    pub fn energy(&self, compression: R) -> R {
        let squeezed = compression.max(R::of(0.0));
        self.elastic(squeezed) * squeezed / (self.exponent + R::of(1.0))
    }
}

/// ξ^p of one lane.
fn shape(compression: f64, exponent: f64) -> f64 {
    if exponent == 1.5 {
        compression * compression.sqrt()
    } else if exponent == 1.0 {
        compression
    } else {
        libm::pow(compression, exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FELT: Felt = Felt { stiffness: 3e6, exponent: 1.5, damping: 0.4, hysteresis: 0.3 };

    #[test]
    fn force_and_loss_are_never_negative() {
        for compression in [-1e-3, 0.0, 1e-5, 1e-3] {
            for rate in [-10.0, -1.0, 0.0, 1.0] {
                let c = FELT.contact(compression, rate);
                assert!(c.force >= 0.0 && c.loss >= 0.0, "{compression} {rate} {c:?}");
            }
        }
    }

    #[test]
    fn energy_is_the_integral_of_the_static_force() {
        let n = 20_000;
        let end = 8e-4;
        let sum: f64 = (0..n)
            .map(|i| FELT.contact((f64::from(i) + 0.5) * end / f64::from(n), 0.0).force)
            .sum::<f64>()
            * end
            / f64::from(n);
        assert!((sum / FELT.energy(end) - 1.0).abs() < 1e-7);
    }

    #[test]
    fn static_compression_inverts_the_law() {
        let c = FELT.compression(12.0);
        assert!((FELT.contact(c, 0.0).force - 12.0).abs() < 1e-9);
        let slope =
            (FELT.contact(c * 1.001, 0.0).force - FELT.contact(c * 0.999, 0.0).force) / (0.002 * c);
        assert!((slope / FELT.tangent(c) - 1.0).abs() < 1e-5);
    }
}
