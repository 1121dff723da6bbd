//! Tables of small keys with a quick hash.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A hash for small keys, several times as fast as the usual one, which resists an opponent's choice of keys.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Quick(u64);

impl Hasher for Quick {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u16(&mut self, value: u16) {
        self.write_u64(u64::from(value));
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        // The multiplier of Firefox's hash.
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn write_isize(&mut self, value: isize) {
        self.write_u64(value.unsigned_abs() as u64);
    }
}

/// A table of small keys.
pub(crate) type Table<K, V> = HashMap<K, V, BuildHasherDefault<Quick>>;
