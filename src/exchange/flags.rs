//! Single values that several threads look at: a flag, a level, a count.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use atomic_float::AtomicF64;

/// Something that is so or not so.
#[derive(Debug, Default)]
pub struct Flag(AtomicBool);

impl Flag {
    /// A flag that is `up`.
    #[must_use]
    pub const fn new(up: bool) -> Self {
        Self(AtomicBool::new(up))
    }

    /// Makes it so, or not.
    pub fn set(&self, up: bool) {
        self.0.store(up, Ordering::Release);
    }

    /// Whether it is so.
    #[must_use]
    pub fn is_up(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// Whether it was so; it is not, afterwards.
    pub fn take(&self) -> bool {
        self.0.swap(false, Ordering::AcqRel)
    }
}

/// A number.
#[derive(Debug, Default)]
pub struct Level(AtomicF64);

impl Level {
    /// A level of `value`.
    #[must_use]
    pub const fn new(value: f64) -> Self {
        Self(AtomicF64::new(value))
    }

    /// Puts it to `value`.
    pub fn set(&self, value: f64) {
        self.0.store(value, Ordering::Release);
    }

    /// What it is.
    #[must_use]
    pub fn get(&self) -> f64 {
        self.0.load(Ordering::Acquire)
    }

    /// What it was; it is `value` afterwards.
    pub fn swap(&self, value: f64) -> f64 {
        self.0.swap(value, Ordering::AcqRel)
    }

    /// Raises it to `value` if that is more; for peaks.
    pub fn raise(&self, value: f64) {
        self.0.fetch_max(value, Ordering::AcqRel);
    }
}

/// How often something happened.
#[derive(Debug, Default)]
pub struct Count(AtomicU64);

impl Count {
    /// Once more.
    pub fn add(&self, times: u64) {
        self.0.fetch_add(times, Ordering::Relaxed);
    }

    /// How often since creation.
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
        let level = Level::new(1.0);
        level.raise(0.5);
        level.raise(3.0);
        assert_eq!((level.swap(0.0), level.get()), (3.0, 0.0));
        let count = Count::default();
        count.add(2);
        count.add(3);
        assert_eq!(count.get(), 5);
    }
}
