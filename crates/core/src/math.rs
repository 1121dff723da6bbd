//! Mathematics independent of piano and framework: SIMD lanes, plane vectors, tables over the compass,
//! random numbers, regression.
//!
//! Functions whose last bit IEEE 754 does not define come from `libm`, [`trig`], [`power`] or [`complex`],
//! which give the same bits on every system; `clippy.toml` forbids those of the standard library.

pub mod cast;
pub mod compass;
pub mod complex;
pub mod kernel;
pub mod key_set;
pub mod lane_work;
#[cfg(target_arch = "x86_64")]
mod lanes;
pub mod line;
#[cfg(target_arch = "aarch64")]
mod neon;
pub mod pages;
pub mod power;
pub mod random;
pub mod range;
pub mod real;
#[cfg(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
mod register;
pub mod setting;
pub mod shared;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(target_arch = "x86_64")]
mod sse2;
pub mod steps;
pub mod trig;
pub mod vec2;

#[cfg(test)]
mod tests {
    use super::random::Random;

    /// FNV-1a hash over the bits of numbers.
    fn hash(numbers: impl Iterator<Item = f64>) -> u64 {
        numbers.fold(0xCBF2_9CE4_8422_2325, |sum, x| {
            (sum ^ x.to_bits()).wrapping_mul(0x0100_0000_01B3)
        })
    }

    /// Hash of the values of every function that affects outputs, at a thousand arguments between 0 and an
    /// end. It is the same on every system. A version of `libm` that changes it changes the sound of saved
    /// projects.
    #[test]
    fn functions_have_the_same_bits_on_every_system() {
        type Row = (&'static str, fn(f64) -> f64, f64, u64);
        const EXPECTED: [Row; 20] = [
            ("sin", libm::sin, 1e4, 0xA05C_8F9A_33FA_6E63),
            ("cos", libm::cos, 1e4, 0xCB45_3BD1_AF90_A78D),
            ("tan", libm::tan, 1.5, 0x51FB_44DF_800E_D95E),
            ("asin", libm::asin, 1.0, 0x2B1D_A0D1_94BB_0C56),
            ("acos", libm::acos, 1.0, 0x8226_6DD2_4FA1_F0C1),
            ("atan2", |x| libm::atan2(x, -0.7), 10.0, 0xB070_AF0F_4EDE_18DF),
            ("hypot", |x| libm::hypot(x, -0.7), 10.0, 0x2552_4663_7AB2_F4B3),
            ("sinh", libm::sinh, 10.0, 0x1232_4E55_6B51_8ECF),
            ("cosh", libm::cosh, 10.0, 0xD9A2_682B_8011_636A),
            ("exp", libm::exp, -50.0, 0x87C7_D935_3F3F_4FFC),
            ("exp2", libm::exp2, -50.0, 0x24F2_DA77_76D6_8769),
            ("exp10", libm::exp10, -20.0, 0x7FFB_0AB4_CB50_CA12),
            ("expm1", libm::expm1, -2.0, 0x0BEC_8AC5_6DC1_C256),
            ("log", libm::log, 100.0, 0x6C35_7EFF_4381_459F),
            ("log2", libm::log2, 100.0, 0x556B_2D03_9C68_3E06),
            ("log10", libm::log10, 100.0, 0x79D2_5CA7_1E6E_B556),
            ("pow", |x| libm::pow(x, 2.3), 10.0, 0xAA96_526E_99D2_E0C2),
            ("power", |x| super::power::power(x, 2.3), 10.0, 0x06BA_CD25_B6F4_83CA),
            ("fma", |x| libm::fma(x, 0.7, 0.3), 10.0, 0x0227_27D9_D45F_FC82),
            ("direction", |x| super::trig::direction(x).y, 1.0, 0x673A_527F_51D6_542A),
        ];
        let mut found = Vec::new();
        for (name, function, end, expected) in EXPECTED {
            let mut random = Random::new(1);
            let hash = hash((0..1000).map(|_| function(end * random.share())));
            if hash != expected {
                found.push(format!("{name} {hash:#018x}"));
            }
        }
        assert!(found.is_empty(), "other bits: {found:#?}");
    }

    /// Numbers of octaves and decades are rounded down, so that whole powers must be exact.
    #[test]
    fn logarithms_of_whole_powers_are_whole() {
        for n in -15..=15 {
            let x = f64::from(n);
            assert_eq!(libm::log2(libm::exp2(x)), x);
            assert_eq!(libm::log10(libm::exp10(x)), x);
            assert_eq!(libm::exp10(x), format!("1e{n}").parse::<f64>().unwrap());
        }
    }
}
