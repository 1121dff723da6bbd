//! What a haptic keyboard's own key brings, taken off a grand key.

use crate::grand::design::concert::Built;
use crate::interface::key::DynamicsCompensation;

/// Least mass left to the key alone, kg; the wippen with jack and lever comes with it, so that no
/// front is lighter than [`crate::interface::key::LIGHTEST`].
const FLOOR: f64 = 5e-3;

/// Takes what is `brought` off the key `built`; what could not be taken.
pub fn compensate(built: &mut Built, brought: &DynamicsCompensation) -> DynamicsCompensation {
    let mut left = *brought;
    if left == DynamicsCompensation::default() {
        return left;
    }
    let spec = &mut built.spec;
    let front = spec.key.front;
    let inertia = (spec.key.inertia - brought.mass * front * front).max(FLOOR * front * front);
    left.mass -= (spec.key.inertia - inertia) / (front * front);
    spec.key.inertia = inertia;
    let friction = (spec.key.friction - brought.friction * front).max(0.0);
    left.friction -= (spec.key.friction - friction) / front;
    spec.key.friction = friction;
    // The rest felt must still be pressed a little, or the key would hang.
    let up = built.regulated.upward_force - spec.key.lead_torque / front;
    let weight = brought.weight.clamp(up.min(0.0) - 2.0, (up - 0.05).max(0.0));
    left.weight -= weight;
    spec.key.lead_torque += weight * front;
    spec.key.rest_compression = spec.key.rest_felt.compression(up - weight);
    if brought.has_bed {
        left.has_bed = false;
        // What is left holds the parts together should the device's bed be deeper.
        spec.key.bed_felt = spec.key.bed_felt.stiffened(0.02);
    }
    left
}
