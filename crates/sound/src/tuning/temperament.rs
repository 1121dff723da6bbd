//! Temperaments: positions of the twelve notes within the octave.
//!
//! A temperament is given as tuners do, by the narrowing of each of the eleven fifths from E♭ up to G♯
//! relative to pure; the twelfth closes the circle. Sources: [Barbour 1951] for the historical
//! ones.

use touchback_core::math::compass::KeyNumber;
use touchback_core::math::setting::choice;

/// The temperaments known by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Temperament {
    /// Twelve equal semitones.
    #[default]
    Equal,
    /// Eleven pure fifths, the wolf from G♯ to E♭.
    Pythagorean,
    /// Fifths narrower by a quarter of the syntonic comma: pure thirds in the good keys.
    QuarterComma,
    /// Fifths narrower by a sixth of the syntonic comma, after Silbermann.
    SixthComma,
    /// Werckmeister's third correct temperament (1691).
    Werckmeister3,
    /// Kirnberger's third (1779): four quarter-comma fifths from C to E.
    Kirnberger3,
    /// Vallotti: six fifths from F to B narrower by a sixth of the Pythagorean comma.
    Vallotti,
    /// Young's second (1800): as Vallotti, a fifth higher.
    Young2,
}

choice!(
    Temperament:
    Equal "Equal", Pythagorean "Pythagorean", QuarterComma "Quarter-comma", SixthComma "Sixth-comma",
    Werckmeister3 "Werckmeister III", Kirnberger3 "Kirnberger III", Vallotti "Vallotti", Young2 "Young II"
);

/// A pure fifth and the two commas, cents.
const FIFTH: f64 = 701.955_000_865;
const PYTHAGOREAN: f64 = 23.460_010_384;
const SYNTONIC: f64 = 21.506_289_597;

impl Temperament {
    /// Cents by which the fifths E♭–B♭, B♭–F, F–C, C–G, G–D, D–A, A–E, E–B, B–F♯, F♯–C♯ and C♯–G♯
    /// are narrower than pure.
    const fn narrowed(self) -> [f64; 11] {
        const P: f64 = PYTHAGOREAN;
        const S: f64 = SYNTONIC;
        const Q: f64 = P / 4.0;
        const X: f64 = P / 6.0;
        match self {
            Self::Equal => [P / 12.0; 11],
            Self::Pythagorean => [0.0; 11],
            Self::QuarterComma => [S / 4.0; 11],
            Self::SixthComma => [S / 6.0; 11],
            Self::Werckmeister3 => [0.0, 0.0, 0.0, Q, Q, Q, 0.0, 0.0, Q, 0.0, 0.0],
            Self::Kirnberger3 => {
                let s = S / 4.0;
                // The schisma is left between F♯ and C♯.
                [0.0, 0.0, 0.0, s, s, s, s, 0.0, 0.0, P - S, 0.0]
            }
            Self::Vallotti => [0.0, 0.0, X, X, X, X, X, X, 0.0, 0.0, 0.0],
            Self::Young2 => [0.0, 0.0, 0.0, X, X, X, X, X, X, 0.0, 0.0],
        }
    }

    /// Cents of `key` relative to equal temperament, with every A unchanged.
    #[must_use]
    pub fn cents(self, key: KeyNumber) -> f64 {
        // Fifths above E♭ of each note of the octave from C.
        let fifths = |note: usize| (note * 7 + 3) % 12;
        let narrowed = self.narrowed();
        let offset = |note: usize| {
            let steps = fifths(note);
            let narrowing: f64 = narrowed[..steps].iter().sum();
            // Relative to equal fifths of 700 cents.
            steps as f64 * (FIFTH - 700.0) - narrowing
        };
        const A: usize = 9;
        offset(usize::from(key.midi()) % 12) - offset(A)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_core::math::setting::{Choice, Value};

    /// Cents above C of C♯, E♭, E, F, F♯, G, G♯, A, B♭, B.
    fn from_c(temperament: Temperament) -> Vec<f64> {
        let at = |m: u8| {
            temperament.cents(KeyNumber::from_midi(60 + m).unwrap()) + 100.0 * f64::from(m)
                - temperament.cents(KeyNumber::from_midi(60).unwrap())
        };
        (0..12).map(at).collect()
    }

    #[test]
    fn cents_agree_with_published_tables() {
        let tables: [(Temperament, [f64; 12]); 5] = [
            (
                Temperament::Pythagorean,
                [
                    0.0, 113.685, 203.91, 294.135, 407.82, 498.045, 611.73, 701.955, 815.64,
                    905.865, 996.09, 1109.775,
                ],
            ),
            (
                Temperament::QuarterComma,
                [
                    0.0, 76.049, 193.157, 310.265, 386.314, 503.422, 579.471, 696.578, 772.627,
                    889.735, 1006.843, 1082.892,
                ],
            ),
            (
                Temperament::Werckmeister3,
                [
                    0.0, 90.225, 192.18, 294.135, 390.225, 498.045, 588.27, 696.09, 792.18, 888.27,
                    996.09, 1092.18,
                ],
            ),
            (
                Temperament::Kirnberger3,
                [
                    0.0, 90.225, 193.157, 294.135, 386.314, 498.045, 590.224, 696.578, 792.18,
                    889.735, 996.09, 1088.269,
                ],
            ),
            (
                Temperament::Young2,
                [
                    0.0, 90.225, 196.09, 294.135, 392.18, 498.045, 588.27, 698.045, 792.18,
                    894.135, 996.09, 1090.225,
                ],
            ),
        ];
        for (temperament, table) in tables {
            for (got, cents) in from_c(temperament).iter().zip(table) {
                assert!((got - cents).abs() < 0.002, "{temperament:?}: {got} against {cents}");
            }
        }
    }

    #[test]
    fn equal_temperament_has_no_offset_and_every_a_stays() {
        for key in KeyNumber::all() {
            assert!(Temperament::Equal.cents(key).abs() < 1e-6);
        }
        for temperament in <Temperament as Choice>::ALL {
            assert_eq!(temperament.cents(KeyNumber::from_midi(57).unwrap()), 0.0);
            assert_eq!(Temperament::from_number(temperament.number()), *temperament);
        }
    }
}
