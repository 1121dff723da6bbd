//! What the concert grand's numbers are worked out from, key by key.

use crate::GRAVITY;
use crate::grand::design::fitted::Fitted;
use touchback_core::math::compass::{KeyNumber, linear};
use touchback_core::mech::hammer;

/// Friction weight at the key front by key number, g [Stanwood tables, medium zone].
const FRICTION_WEIGHT_G: [(f64, f64); 2] = [(1.0, 15.0), (88.0, 11.0)];

/// Balance point to where the finger plays, m.
pub(crate) const FRONT: f64 = 0.218;

/// Coulomb torque of the hammer's centre pin, N·m.
pub(crate) const HAMMER_FRICTION: f64 = 1.01e-3;

/// Friction coefficient of the knuckle's buckskin on jack and lever, well graphited. At 0.12 the
/// force of the let-off at the key is half again as large.
pub(crate) const KNUCKLE_FRICTION: f64 = 0.06;

/// A key of the concert grand before any part of it is designed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConcertKey<'a> {
    /// The key.
    pub(crate) key: KeyNumber,
    /// The hammer.
    pub(crate) hammer: &'a hammer::Hammer,
    /// The fitted numbers.
    pub(crate) fitted: &'a Fitted,
}

impl ConcertKey<'_> {
    /// Key number, 1 (A0) to 88 (C8).
    pub(crate) fn number(&self) -> f64 {
        f64::from(self.key.number())
    }

    /// Torque of all friction about the balance point, N·m.
    pub(crate) fn friction_torque(&self) -> f64 {
        linear(&FRICTION_WEIGHT_G, self.number()) * 1e-3 * GRAVITY * FRONT
    }

    /// Torque of the hammer's weight about its centre pin with the shank level, N·m.
    pub(crate) fn hammer_torque(&self) -> f64 {
        hammer::strike_weight(self.key) * GRAVITY * hammer::CROWN
    }
}
