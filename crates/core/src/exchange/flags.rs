//! Atomic values shared by threads: a flag, a number.

use std::sync::atomic::{AtomicBool, Ordering};

use atomic_float::AtomicF64;

/// A boolean.
#[derive(Debug, Default)]
pub struct Flag(AtomicBool);

impl Flag {
    /// A flag of the value `up`.
    #[must_use]
    pub const fn new(up: bool) -> Self {
        Self(AtomicBool::new(up))
    }

    /// Sets the flag to `up`.
    pub fn set(&self, up: bool) {
        self.0.store(up, Ordering::Release);
    }

    /// Whether the flag is up.
    #[must_use]
    pub fn is_up(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// A number; its unit is the owner's choice.
#[derive(Debug, Default)]
pub struct SharedLevel(AtomicF64);

impl SharedLevel {
    /// Sets the number to `value`.
    pub fn set(&self, value: f64) {
        self.0.store(value, Ordering::Release);
    }

    /// Sets the number to `value` and returns the previous one.
    pub fn swap(&self, value: f64) -> f64 {
        self.0.swap(value, Ordering::AcqRel)
    }

    /// Sets the number to the maximum of itself and `value`, for peaks.
    pub fn raise(&self, value: f64) {
        self.0.fetch_max(value, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_and_levels_store_their_values() {
        let flag = Flag::new(true);
        assert!(flag.is_up());
        flag.set(false);
        assert!(!flag.is_up());
        let level = SharedLevel::default();
        level.set(1.0);
        level.raise(0.5);
        level.raise(3.0);
        assert_eq!((level.swap(0.0), level.swap(0.0)), (3.0, 0.0));
    }
}
