//! Repeatable pseudo-random numbers.

/// The generator `SplitMix64` [Steele 2014]: a seed gives the same numbers on every machine.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator from `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1), with a resolution of 32 bits.
    pub fn share(&mut self) -> f64 {
        f64::from(u32::try_from(self.bits() >> 32).unwrap_or(0)) / 4_294_967_296.0
    }

    /// Uniform in [−1, 1), with a resolution of 53 bits.
    pub const fn signed(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Uniform among 0…`n` − 1; 0 if `n` is 0.
    pub const fn below(&mut self, n: u64) -> u64 {
        if n == 0 { 0 } else { self.bits() % n }
    }
}

/// A pseudo-random number in [−1, 1) that is a function of a pair of integers.
#[must_use]
pub const fn of_pair(a: u64, b: u64) -> f64 {
    let seed = a.wrapping_mul(0x1000_0001).wrapping_add(b.wrapping_mul(0x5851_F42D_4C95_7F2D));
    Random::new(seed).signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fill_their_intervals_evenly() {
        let mut random = Random::new(1);
        let (mut mean, mut square, mut shares, mut dice) = (0.0, 0.0, 0.0, [0u32; 6]);
        for _ in 0..100_000 {
            let x = random.signed();
            assert!((-1.0..1.0).contains(&x));
            mean += x / 1e5;
            square += x * x / 1e5;
            shares += random.share() / 1e5;
            dice[usize::try_from(random.below(6)).unwrap()] += 1;
        }
        assert!(mean.abs() < 0.01 && (square - 1.0 / 3.0).abs() < 0.01, "{mean} {square}");
        assert!((shares - 0.5).abs() < 0.005, "{shares}");
        assert!(dice.iter().all(|n| n.abs_diff(16_667) < 600), "{dice:?}");
    }

    /// The first numbers of the published algorithm from seed 1234567.
    #[test]
    fn random_numbers_agree_with_the_reference() {
        let mut random = Random::new(1_234_567);
        for expected in
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        {
            assert_eq!(random.bits(), expected);
        }
    }
}
