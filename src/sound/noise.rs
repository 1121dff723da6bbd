//! Repeatable pseudo-random numbers: what differs from string to string and mode to mode.

/// A small generator [Steele 2014]; the same seed gives the same numbers everywhere.
#[derive(Clone, Debug)]
pub struct Noise(u64);

impl Noise {
    /// A generator from `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Next number, uniform in −1…1.
    pub fn draw(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (z >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// The number −1…1 that belongs to a pair of integers.
#[must_use]
pub fn at(a: u64, b: u64) -> f64 {
    Noise::new(a.wrapping_mul(0x1000_0001).wrapping_add(b.wrapping_mul(0x5851_f42d_4c95_7f2d)))
        .draw()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fill_their_interval_evenly() {
        let mut noise = Noise::new(1);
        let (mut mean, mut square) = (0.0, 0.0);
        for _ in 0..100_000 {
            let x = noise.draw();
            assert!((-1.0..=1.0).contains(&x));
            mean += x / 1e5;
            square += x * x / 1e5;
        }
        assert!(mean.abs() < 0.01 && (square - 1.0 / 3.0).abs() < 0.01, "{mean} {square}");
    }
}
