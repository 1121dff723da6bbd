//! What a haptic keyboard's own key brings, taken off a grand key.

use crate::grand::design::concert::Built;
use crate::interface::key::DynamicsCompensation;

/// Least mass left to the key alone, kg; the wippen with jack and lever comes with it, so that no
/// front is lighter than [`crate::interface::key::LIGHTEST`].
const FLOOR: f64 = 5e-3;

/// Takes what is `device` off the key `built`; what could not be taken.
pub fn compensate(built: &mut Built, device: &DynamicsCompensation) -> DynamicsCompensation {
    let mut residual = *device;
    if residual == DynamicsCompensation::default() {
        return residual;
    }
    let spec = &mut built.spec;
    let front = spec.key.front;
    let inertia = (spec.key.inertia - device.mass * front * front).max(FLOOR * front * front);
    residual.mass -= (spec.key.inertia - inertia) / (front * front);
    spec.key.inertia = inertia;
    let friction = (spec.key.friction - device.friction * front).max(0.0);
    residual.friction -= (spec.key.friction - friction) / front;
    spec.key.friction = friction;
    // The rest felt must still be pressed a little, or the key would hang.
    let up = built.regulated.upward_force - spec.key.lead_torque / front;
    let weight = device.weight.clamp(up.min(0.0) - 2.0, (up - 0.05).max(0.0));
    residual.weight -= weight;
    spec.key.lead_torque += weight * front;
    spec.key.rest_compression = spec.key.rest_felt.compression(up - weight);
    if device.has_bed {
        residual.has_bed = false;
        // What is residual holds the parts together should the device's bed be deeper.
        spec.key.bed_felt = spec.key.bed_felt.stiffened(0.02);
    }
    residual
}
