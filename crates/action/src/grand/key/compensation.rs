//! Compensation: the dynamics of a haptic keyboard's own key are subtracted from a grand key.

use crate::grand::design::concert::Built;
use crate::interface::key::DynamicsCompensation;

/// Least mass at the front that the key by itself keeps, kg. With wippen, jack and lever added, no key
/// front is lighter than [`crate::interface::key::LIGHTEST`].
const FLOOR: f64 = 5e-3;

/// Subtracts `device` from the key `built`. Returns the part that could not be subtracted.
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
    // The rest felt must keep 0.05 N, or the key would not return to it.
    let up = built.regulated.upward_force - spec.key.lead_torque / front;
    let weight = device.weight.clamp(up.min(0.0) - 2.0, (up - 0.05).max(0.0));
    residual.weight -= weight;
    spec.key.lead_torque += weight * front;
    spec.key.rest_compression = spec.key.rest_felt.compression(up - weight);
    if device.has_bed {
        residual.has_bed = false;
        // The remaining stiffness limits the travel of the parts if the device's bed is deeper.
        spec.key.bed_felt = spec.key.bed_felt.stiffened(0.02);
    }
    residual
}
