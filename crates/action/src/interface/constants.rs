//! Constants of all actions.

/// Standard gravity, m/s².
pub const GRAVITY: f64 = 9.806_65;

/// Length of an action step, s.
pub const STEP: f64 = 125e-6;

/// Time from the beginning of step 0 to the beginning of `step`, s. Computed from whole microseconds, so
/// that its decimal form is short.
#[must_use]
pub fn step_time(step: u64) -> f64 {
    (step as f64 * (STEP * 1e6)) / 1e6
}
