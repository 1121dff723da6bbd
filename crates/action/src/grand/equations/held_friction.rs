//! Friction forces held constant through a step or substep.

use crate::grand::SPEEDS;
use touchback_core::math::real::Real;

/// Friction held through a (sub)step.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeldFriction<R = f64> {
    /// Generalized forces on key, hammer, lever, jack and the shank's bend, N·m.
    pub torques: [R; SPEEDS],
    /// Force on the damper, N.
    pub on_damper: R,
}

impl<R: Real> HeldFriction<R> {
    /// Power dissipated at the speeds `u`, W.
    #[inline(always)]
    pub fn loss(&self, u: &[R; SPEEDS]) -> R {
        let [key, hammer, lever, jack, bend] = self.torques;
        -(key * u[0] + hammer * u[1] + lever * u[2] + jack * u[3] + bend * u[4])
    }
}
