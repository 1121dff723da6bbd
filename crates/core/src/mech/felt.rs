//! Felt, leather and other one-sided soft contacts.
//!
//! F = K ξ^p · max(0, 1 + λ ξ̇ + η ξ̇/√(ξ̇² + v²)), v² = v₀² + (γ K ξ^p)², for ξ > 0, else 0; ξ compression
//! in m (or rad), K in N/m^p, λ in s/m, η a pure number, v₀ in m/s, γ in m/(s·N). λ is the
//! rate-dependent damping of [Hunt and Crossley 1975]. η is the rate-independent hysteresis of felt:
//! loading above and unloading below the elastic curve, which returns the same share √((1−η)/(1+η)) of
//! any impact speed. The elastic part stores K ξ^(p+1)/(p+1); the rest is dissipated. The clamp keeps
//! a separating contact from pulling.
//!
//! v is the speed within which the hysteresis loop reverses. Below it the felt acts as a damper of
//! η K ξ^p/v N·s/m, which grows with the load up to the limit η/γ: hysteresis in series with a damper of
//! that resistance. v₀ must be below the speeds at which the felt is squeezed in play.

use crate::math::real::{Mask, Real};

/// Speed v₀ of a felt that is met in impacts only, m/s: far below any impact speed.
pub(crate) const REVERSAL_SPEED: f64 = 0.05;
/// Speed v₀ of such a torsional felt, rad/s: [`REVERSAL_SPEED`] at an arm of 50 mm.
pub const ANGULAR_REVERSAL_SPEED: f64 = 1.0;

/// One soft contact.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(bound(deserialize = "R: Real + serde::Deserialize<'de>"))]
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
    /// Speed v₀ within which the hysteresis reverses under a light load, m/s (rad/s); > 0.
    #[serde(default = "reversal_speed")]
    pub reversal_speed: R,
    /// Growth γ of that speed with the load, m/(s·N) (rad/(s·N·m)).
    #[serde(default)]
    pub reversal_growth: R,
}

/// [`REVERSAL_SPEED`], that of older model files.
fn reversal_speed<R: Real>() -> R {
    R::of(REVERSAL_SPEED)
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
        Self {
            stiffness,
            exponent,
            damping,
            hysteresis: 0.0,
            reversal_speed: REVERSAL_SPEED,
            reversal_growth: 0.0,
        }
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
        let load = self.elastic(compression.max(0.0));
        load * (self.damping + self.hysteresis / self.reversal_squared(load).sqrt())
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

    /// v² under the load `load` N, m²/s² (N·m, rad²/s²).
    #[inline(always)]
    fn reversal_squared(&self, load: R) -> R {
        let grown = self.reversal_growth * load;
        self.reversal_speed * self.reversal_speed + grown * grown
    }

    /// Slope dF/dξ̇ of the law, unclamped, under the elastic force `load` N at ξ̇ = `rate` m/s, N·s/m.
    #[inline(always)]
    #[must_use]
    pub fn damping_under(&self, load: R, rate: R) -> R {
        let reversal = self.reversal_squared(load);
        let square = reversal + rate * rate;
        load * (self.damping + self.hysteresis * reversal / (square * square.sqrt()))
    }

    /// Force and loss at the compression ξ = `compression` m, growing at ξ̇ = `rate` m/s (rad, rad/s).
    #[inline(always)]
    #[must_use]
    pub fn contact(&self, compression: R, rate: R) -> Contact<R> {
        let zero = R::of(0.0);
        let touching = compression.gt(zero);
        if !touching.any() {
            return Contact { force: zero, loss: zero };
        }
        let elastic = self.elastic(R::select(touching, compression, zero));
        let turning = rate / (rate * rate + self.reversal_squared(elastic)).sqrt();
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

    const FELT: Felt = Felt {
        hysteresis: 0.3,
        reversal_speed: 0.005,
        reversal_growth: 2e-3,
        ..Felt::new(3e6, 1.5, 0.4)
    };

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

    /// The steepest slope of the force over the rate is that of `reversal_damping`; under any load its
    /// share of the hysteresis stays below η/γ.
    #[test]
    fn the_damping_at_reversal_is_limited_under_load() {
        for load in [0.01, 1.0, 30.0, 1000.0] {
            let compression = FELT.compression(load);
            let damping = FELT.reversal_damping(compression);
            let slope = (FELT.contact(compression, 1e-7).force
                - FELT.contact(compression, -1e-7).force)
                / 2e-7;
            assert!((slope / damping - 1.0).abs() < 1e-5, "{load}");
            let hysteresis = damping - load * FELT.damping;
            assert!(hysteresis <= FELT.hysteresis / FELT.reversal_growth, "{load}: {hysteresis}");
        }
        let light = FELT.reversal_damping(FELT.compression(0.01));
        let expected = 0.01 * (FELT.damping + FELT.hysteresis / FELT.reversal_speed);
        assert!((light / expected - 1.0).abs() < 1e-4);
    }

    /// Well above v the law is rate-independent: a cycle returns the share (1 − η)/(1 + η) of its work.
    #[test]
    fn hysteresis_returns_the_same_share_at_every_speed_above_reversal() {
        let felt = Felt { damping: 0.0, ..FELT };
        let compression = felt.compression(2.0);
        for rate in [0.2, 1.0, 5.0] {
            let [load, unload] = [rate, -rate].map(|rate| felt.contact(compression, rate).force);
            let share = (1.0 - felt.hysteresis) / (1.0 + felt.hysteresis);
            assert!((unload / load / share - 1.0).abs() < 2e-3, "{rate}");
        }
    }

    #[test]
    fn a_file_without_reversal_speed_has_the_former_one() {
        let old = r#"{"stiffness": 1e6, "exponent": 1.5, "damping": 0.5, "hysteresis": 0.3}"#;
        let felt: Felt = serde_json::from_str(old).unwrap();
        assert_eq!((felt.reversal_speed, felt.reversal_growth), (REVERSAL_SPEED, 0.0));
    }
}
