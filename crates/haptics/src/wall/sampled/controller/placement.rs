//! Design in the digital domain: the poles of the sampled loop are those of the plant on a real wall.
//!
//! [Gillespie 1996, §5.4.2]. Gains by Ackermann's formula k = [0 1] C⁻¹ p(Φ), C = [Γ ΦΓ] (the
//! thesis prints b for Γ and names Aizerman), p the characteristic polynomial of the target
//! sampled, z² − 2e^{−σT}cos(ωT) z + e^{−2σT}. For an undamped ball k₁ = 2m(1 − cos θ)/T² and
//! k₂ = k₁T/2; a damped target puts the poles inside the unit circle.

use nalgebra::{Matrix2, RowVector2, Vector2};

use super::{Controller, Measurement};
use crate::wall::sampled::plant::{Motion, Plant};
use touchback_core::episode::exact::Discrete;

/// Gains k with which Φ − Γk has the characteristic polynomial z² − `trace` z + `det`; `None` if the plant is not
/// controllable.
#[must_use]
pub(crate) fn ackermann(plant: &Discrete<2, 1>, trace: f64, det: f64) -> Option<RowVector2<f64>> {
    let (phi, gamma) = (&plant.phi, &plant.gamma);
    let reach = Matrix2::from_columns(&[*gamma, phi * gamma]);
    let polynomial = phi * phi - phi * trace + Matrix2::identity() * det;
    reach.try_inverse().map(|inverse| RowVector2::new(0.0, 1.0) * inverse * polynomial)
}

/// A wall with placed poles.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Placement {
    gains: RowVector2<f64>,
    /// Rest position of the target, m, and its force, N.
    rest: (f64, f64),
}

impl Placement {
    /// A wall of `stiffness`, N/m, and `damping`, N·s/m, for `plant` at the sample period `period`, s; `None` if the
    /// plant is not controllable at this period.
    #[must_use]
    pub fn new(plant: &Plant, stiffness: f64, damping: f64, period: f64) -> Option<Self> {
        let target = plant.on(stiffness, damping).discrete(period).phi;
        let gains = ackermann(&plant.discrete(period), target.trace(), target.determinant())?;
        Some(Self { gains, rest: (0.0, 0.0) })
    }

    /// Applies the gains about the rest position of a real wall, so that the bias does not shift it.
    #[must_use]
    pub(crate) fn about_rest(self, plant: &Plant, stiffness: f64) -> Self {
        let rest = plant.bias / (plant.stiffness + stiffness);
        Self { rest: (rest, stiffness * rest), ..self }
    }

    /// The gains k₁, N/m, and k₂, N·s/m.
    #[must_use]
    pub fn gains(&self) -> [f64; 2] {
        [self.gains[0], self.gains[1]]
    }

    /// Force inside the wall, N.
    #[must_use]
    pub fn inside(&self, [x, v]: Motion) -> f64 {
        let (rest, held) = self.rest;
        held + (self.gains * Vector2::new(x - rest, v))[0]
    }
}

impl Controller for Placement {
    fn force(&mut self, now: Measurement) -> f64 {
        if now.position > 0.0 { self.inside([now.position, now.velocity]) } else { 0.0 }
    }

    fn reset(&mut self) {}
}
