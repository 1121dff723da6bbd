//! Measurements with other strings: pedal, silent keys, left pedal.

use crate::measure::{RenderedNote, db, decay_time, render, strike_free};
use crate::tuning::scale::StringSpec;
use crate::{Sound, SoundSettings};
use touchback_core::math::compass::KeyNumber;

/// Keys whose decay is compared with and without the pedal, and seconds rendered.
pub const PEDAL_KEYS: [(usize, f64); 9] = [
    (4, 8.0),
    (16, 10.0),
    (28, 6.0),
    (34, 5.0),
    (40, 4.0),
    (46, 3.5),
    (52, 3.0),
    (64, 1.5),
    (76, 0.8),
];

/// Decay time of the fundamental over its first 20 dB with the pedal down, over that with the key alone
/// held.
#[must_use]
pub fn pedal_effect(sound: &mut Sound, key: KeyNumber, seconds: f64, rate: f64) -> Option<f64> {
    let hz = StringSpec::of(key, &SoundSettings::default()).partial_hz(1);
    let window = (5.0 / hz).max(0.03);
    let time = |r: &RenderedNote| decay_time(&r.envelope_db(hz, window, 0.5 * window), 0.0, 20.0);
    let alone = time(&strike_free(sound, key, 2.0, seconds, rate))?;
    sound.reset();
    KeyNumber::all().for_each(|key| sound.damper(key, 1.0));
    sound.strike(key, 2.0, 0.0);
    Some(time(&render(sound, seconds, rate))? / alone)
}

/// Level of a note with the pedal down over that with the key alone held, dB, in each of `spans` (s).
#[must_use]
pub fn pedal_levels<const N: usize>(
    sound: &mut Sound,
    key: KeyNumber,
    spans: [(f64, f64); N],
    rate: f64,
) -> [f64; N] {
    let seconds = spans.iter().fold(0.0f64, |most, (_, end)| most.max(*end));
    let levels = |note: &RenderedNote| spans.map(|(from, to)| note.rms_db(from, to));
    let alone = levels(&strike_free(sound, key, 2.0, seconds, rate));
    sound.reset();
    KeyNumber::all().for_each(|key| sound.damper(key, 1.0));
    sound.strike(key, 2.0, 0.0);
    let all = levels(&render(sound, seconds, rate));
    std::array::from_fn(|i| all[i] - alone[i])
}

/// Level of partial `k` of `silent`, which is held, after `struck` was played staccato (0.3 s) at 5 m/s,
/// over the struck sound's level at that frequency, dB. With `held` false, `silent` is not held.
#[must_use]
pub fn silent_key(
    sound: &mut Sound,
    silent: KeyNumber,
    k: usize,
    struck: KeyNumber,
    held: bool,
    rate: f64,
) -> f64 {
    sound.reset();
    sound.damper(silent, f64::from(u8::from(held)));
    sound.damper(struck, 1.0);
    sound.strike(struck, 5.0, 0.0);
    let strike = render(sound, 0.3, rate);
    sound.damper(struck, 0.0);
    let _ = render(sound, 0.7, rate);
    let rest = render(sound, 0.4, rate);
    let hz = StringSpec::of(silent, &SoundSettings::default()).partial_hz(k);
    db(rest.amplitude(hz, 0.0, 0.4)) - db(strike.amplitude(hz, 0.0, 0.3))
}

/// Levels of a free note's first 0.3 s and of its aftersound (1.5 to 2 s) with the left pedal
/// down against up, dB.
#[must_use]
pub fn una_corda(sound: &mut Sound, key: KeyNumber, rate: f64) -> (f64, f64) {
    let mut levels = |amount: f64| {
        sound.reset();
        sound.una_corda(amount);
        sound.damper(key, 1.0);
        sound.strike(key, 2.0, 0.0);
        let sound = render(sound, 2.0, rate);
        (sound.rms_db(0.0, 0.3), sound.rms_db(1.5, 2.0))
    };
    let (up, down) = (levels(0.0), levels(1.0));
    (down.0 - up.0, down.1 - up.1)
}
