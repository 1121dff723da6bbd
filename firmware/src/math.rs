//! Substitutes for the functions of `touchback_core` that the emulated key uses.

pub mod cast {
    /// The nearest integer.
    pub fn rounded_i32(value: f64) -> i32 {
        touchback_device::real::Real::rounded(value)
    }
}
