//! The worst-case return map: every entry just after a sample, every exit just before one.
//!
//! [Gillespie 1996, eqs. 6.37–6.57, corrected]. A mass on a weak spring k₁ outside and a stiff one k₂
//! inside, without bias, with the same decay rate on both: a whole period T inside is spent on the weak
//! spring. One cycle multiplies the speed by e^{−σ(t₁+t₂)} G with
//!
//! t₁ = π/ω₁ + T,  t₂ = [π − atan((ω₂/ω₁) tan ω₁T)]/ω₂,  G² = cos² ω₁T + (ω₂/ω₁)² sin² ω₁T
//!
//! so that σ(t₁ + t₂) = ln G keeps the speed; b = 2mσ. ωᵢ are the damped frequencies. With a bias there is no
//! closed form: the map is iterated with the exact motions.

use touchback_core::episode::locate::first_nonpositive;
use touchback_haptics::wall::sampled::plant::Plant;

/// Mass and the two springs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WorstCase {
    /// m, kg.
    pub mass: f64,
    /// k₁ outside, N/m.
    pub outside: f64,
    /// k₂ inside, N/m.
    pub inside: f64,
    /// T, s.
    pub period: f64,
}

impl WorstCase {
    /// t₁, t₂ (s) and G at the decay rate `sigma`, 1/s.
    #[must_use]
    pub fn round(&self, sigma: f64) -> [f64; 3] {
        let w = |k: f64| (k / self.mass - sigma * sigma).sqrt();
        let (w1, w2) = (w(self.outside), w(self.inside));
        let (s, c) = libm::sincos(w1 * self.period);
        let t2 = (std::f64::consts::PI - libm::atan2(w2 / w1 * s, c)) / w2;
        [std::f64::consts::PI / w1 + self.period, t2, libm::hypot(c, w2 / w1 * s)]
    }

    /// The decay rate σ, 1/s, at which a cycle keeps its speed; `None` if the oscillation outside becomes
    /// overdamped first (σ ≥ ω₁).
    #[must_use]
    pub fn balance(&self) -> Option<f64> {
        let most = (self.outside / self.mass).sqrt() * (1.0 - 1e-9);
        let excess = |s: f64| {
            let [t1, t2, gain] = self.round(s * most);
            libm::log(gain) - s * most * (t1 + t2)
        };
        let (low, high) = (excess(0.0), excess(1.0));
        (low > 0.0 && high <= 0.0).then(|| most * first_nonpositive(excess, low, high, 1e-16))
    }

    /// Exit speed, m/s, of a worst-case cycle that begins with the exit speed `speed`, with the device damping
    /// `damping`, N·s/m, and a bias toward the wall, N, computed with the exact motions. `None` if the plant
    /// does not come back or does not leave the wall.
    #[must_use]
    pub fn exit(&self, speed: f64, damping: f64, bias: f64) -> Option<f64> {
        let outside = Plant { mass: self.mass, damping, stiffness: self.outside, bias };
        let inside = outside.on(self.inside - self.outside, 0.0);
        let sigma = 0.5 * damping / self.mass;
        let square = self.outside / self.mass - sigma * sigma;
        if square <= 0.0 {
            return None;
        }
        let longest = 1.2 * std::f64::consts::PI / square.sqrt();
        let flight = outside.lands([-f64::MIN_POSITIVE, -speed], longest)?;
        let entry = outside.after([0.0, -speed], flight);
        let on = outside.after([0.0, entry[1]], self.period);
        let stay = inside.leaves(on)?;
        Some(-inside.after(on, stay)[1])
    }

    /// The damping, N·s/m, at which a worst-case cycle under a bias toward the wall, N, keeps the exit speed
    /// `speed`, m/s; `None` if no damping below the critical one does.
    #[must_use]
    pub fn damping(&self, speed: f64, bias: f64) -> Option<f64> {
        let most = 1.98 * (self.outside * self.mass).sqrt();
        let gain = |s: f64| self.exit(speed, s * most, bias).unwrap_or(0.0) / speed - 1.0;
        let (low, high) = (gain(0.0), gain(1.0));
        (low > 0.0 && high <= 0.0).then(|| most * first_nonpositive(gain, low, high, 1e-15))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASE: WorstCase = WorstCase { mass: 0.32, outside: 257.0, inside: 5000.0, period: 0.0 };

    #[test]
    fn balancing_dampings_agree_with_the_reference() {
        let expected = [
            (1.0, 0.0540805, 0.0346115),
            (2.0, 0.2114853, 0.1353506),
            (5.0, 1.1472737, 0.7342552),
            (10.0, 3.2035889, 2.0502969),
        ];
        for (ms, sigma, b) in expected {
            let case = WorstCase { period: ms * 1e-3, ..CASE };
            let got = case.balance().unwrap();
            assert!((got - sigma).abs() < 5.1e-8, "{ms} ms: {got}");
            let damping = 2.0 * CASE.mass * got;
            assert!((damping - b).abs() < 5.1e-8, "{damping}");
            // Compared with the exact motions.
            let exit = case.exit(1.0, damping, 0.0).unwrap();
            assert!((exit - 1.0).abs() < 1e-12, "{exit}");
            assert!((case.damping(1.0, 0.0).unwrap() - damping).abs() < 1e-9);
        }
    }

    #[test]
    fn short_periods_follow_the_square_law() {
        let case = WorstCase { period: 1e-5, ..CASE };
        let (w1, w2) = ((257.0f64 / 0.32).sqrt(), (5000.0f64 / 0.32).sqrt());
        let pi = std::f64::consts::PI;
        let law = 0.5 * (w2 * w2 - w1 * w1) * 1e-10 / (pi / w1 + pi / w2);
        assert!((case.balance().unwrap() / law - 1.0).abs() < 1e-3);
    }
}
