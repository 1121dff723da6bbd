//! What the emulated key takes of the simulation's mathematics.

pub mod cast {
    /// The nearest whole number.
    pub fn rounded_i32(value: f64) -> i32 {
        touchback_device::real::Real::rounded(value)
    }
}
