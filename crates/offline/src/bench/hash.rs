//! A hash of numbers by their bits: equal on every machine for the same physics.

/// FNV-1a over 64-bit words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hash(pub u64);

impl Hash {
    /// The initial hash.
    pub const NEW: Self = Self(0xcbf2_9ce4_8422_2325);

    /// Adds the bits of `value`.
    pub fn add(&mut self, value: f64) {
        self.0 = (self.0 ^ value.to_bits()).wrapping_mul(0x0100_0000_01b3);
    }
}
