//! Single atomic values shared by threads: a flag, a number, a count.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

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

    /// Lowers the flag; whether it was up.
    pub fn take(&self) -> bool {
        self.0.swap(false, Ordering::AcqRel)
    }
}

/// A number, in the unit its owner gives it.
#[derive(Debug, Default)]
pub struct SharedLevel(AtomicF64);

impl SharedLevel {
    /// A number of the value `value`.
    #[must_use]
    pub const fn new(value: f64) -> Self {
        Self(AtomicF64::new(value))
    }

    /// Sets it to `value`.
    pub fn set(&self, value: f64) {
        self.0.store(value, Ordering::Release);
    }

    /// The present value.
    #[must_use]
    pub fn get(&self) -> f64 {
        self.0.load(Ordering::Acquire)
    }

    /// Sets it to `value`; the value before.
    pub fn swap(&self, value: f64) -> f64 {
        self.0.swap(value, Ordering::AcqRel)
    }

    /// Raises it to `value` if that is more; for peaks.
    pub fn raise(&self, value: f64) {
        self.0.fetch_max(value, Ordering::AcqRel);
    }
}

/// A counter.
#[derive(Debug, Default)]
pub struct SharedCount(AtomicU64);

impl SharedCount {
    /// Adds one.
    pub fn add(&self, times: u64) {
        self.0.fetch_add(times, Ordering::Relaxed);
    }

    /// The count since creation.
    #[must_use]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_levels_and_counts_hold_what_they_were_given() {
        let flag = Flag::new(true);
        assert!(flag.is_up() && flag.take() && !flag.take());
        let level = SharedLevel::new(1.0);
        level.raise(0.5);
        level.raise(3.0);
        assert_eq!((level.swap(0.0), level.get()), (3.0, 0.0));
        let count = SharedCount::default();
        count.add(2);
        count.add(3);
        assert_eq!(count.get(), 5);
    }
}
