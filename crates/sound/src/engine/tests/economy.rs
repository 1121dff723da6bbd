//! Economy: less is computed, nothing clicks.

use super::*;

/// Chords under the pedal at 0, 0.4 and 0.8 s, while `set` gives economy in each block of 64 samples;
/// processed in portions of `portion` samples.
fn chords(portion: usize, economy: impl Fn(usize) -> bool) -> Vec<[f32; 2]> {
    let at_first = SoundSettings { economy: economy(0), ..SoundSettings::default() };
    let mut sound = Sound::new(RATE, &at_first);
    KeyNumber::all().for_each(|key| sound.damper(key, 1.0));
    let mut out = Vec::new();
    for block in 0..900 {
        if block % 300 == 0 {
            for note in [16, 28, 40, 47, 64] {
                sound.strike(key(note + block / 300), 3.0, 0.3);
            }
        }
        sound.set(&SoundSettings { economy: economy(block), ..SoundSettings::default() });
        let (mut left, mut right) = ([0.0f32; 64], [0.0f32; 64]);
        for (left, right) in left.chunks_mut(portion).zip(right.chunks_mut(portion)) {
            sound.process(left, right);
        }
        out.extend(left.iter().zip(&right).map(|(l, r)| [*l, *r]));
    }
    out
}

/// Mean square, dB.
fn level(samples: &[[f32; 2]]) -> f64 {
    let sum: f64 = samples.iter().flatten().map(|x| f64::from(*x) * f64::from(*x)).sum();
    10.0 * (sum / samples.len() as f64).log10()
}

#[test]
fn economy_gives_nearly_the_sound_at_every_block_size() {
    let (full, economy) = (chords(64, |_| false), chords(64, |_| true));
    let difference: Vec<[f32; 2]> =
        full.iter().zip(&economy).map(|(f, e)| [f[0] - e[0], f[1] - e[1]]).collect();
    let (whole, less, distance) = (level(&full), level(&economy), level(&difference));
    assert!((less - whole).abs() < 0.5, "{less} against {whole} dB");
    assert!((-40.0..-12.0).contains(&(distance - whole)), "{distance} against {whole} dB");
    assert!(chords(13, |_| true) == economy);
}

#[test]
fn economy_is_switched_without_a_click() {
    /// Largest fourth difference: that of a step is six times its height.
    fn roughest(samples: &[[f32; 2]]) -> f32 {
        let fourth =
            |w: &[[f32; 2]]| w[0][0] - 4.0 * w[1][0] + 6.0 * w[2][0] - 4.0 * w[3][0] + w[4][0];
        samples.windows(5).fold(0.0, |most, w| most.max(fourth(w).abs()))
    }
    let full = chords(64, |_| false);
    // In the middle of sounding chords, and long before the next.
    for (on, off) in [(150, 420), (120, 700)] {
        let switched = chords(64, |block| (on..off).contains(&block));
        assert!(switched != full);
        assert!(switched[..on * 64] == full[..on * 64]);
        for change in [on, off] {
            for blocks in [change..change + 40, change + 40..change + 110] {
                let range = blocks.start * 64..blocks.end * 64;
                let (with, without) = (roughest(&switched[range.clone()]), roughest(&full[range]));
                assert!(with < 1.05 * without, "{blocks:?}: {with} for {without}");
            }
        }
    }
}

#[test]
fn economy_off_returns_to_the_sound() {
    // The second chord under economy, the third without.
    let (full, switched) = (chords(64, |_| false), chords(64, |block| (200..550).contains(&block)));
    let from = 800 * 64;
    let difference: Vec<[f32; 2]> = full[from..]
        .iter()
        .zip(&switched[from..])
        .map(|(f, s)| [f[0] - s[0], f[1] - s[1]])
        .collect();
    let (whole, distance) = (level(&full[from..]), level(&difference));
    assert!(distance < whole - 20.0, "{distance} against {whole} dB");
}
