//! What a folder of recordings is like that a match does not fit: noise, pitch, and channels.

use crate::measure::bands::noise;
use crate::pairs::Notes;
use crate::pitch;
use crate::takes::Take;
use crate::verdict::mean;
use touchback_instrument::Settings;

/// Least deviation in pitch that is reported, cents (chosen: pianos are tuned within 3 cents).
const OUT_OF_TUNE: f64 = 8.0;

/// Last key of the bass and first key of the treble whose channels are compared, and the least difference that tells
/// left from right, dB (chosen: between the least of two recorded grands and half of it).
const BASS: u8 = 34;
const TREBLE: u8 = 55;
const LEAST: f64 = 1.5;

/// Sentences about the recordings `takes`, measured as `recorded`, beside the piano `settings`.
pub fn told(takes: &[Take], recorded: &Notes, settings: &Settings) -> Vec<String> {
    let mut told = Vec::new();
    let noise = 100.0 * noise(recorded);
    if noise >= 1.0 {
        told.push(format!("{noise:.0} % of the recorded levels are noise, which does not count"));
    }
    let named: Vec<_> = takes.iter().map(|take| (&*take.path, take.key)).collect();
    let cents = pitch::cents_of_files(&named, &settings.sound);
    if let Some(cents) = cents.filter(|cents| cents.abs() >= OUT_OF_TUNE) {
        let hz = settings.sound.a4_hz * libm::exp2(cents / 1200.0);
        told.push(format!(
            "the recordings are tuned {cents:+.0} cents from this piano; --set a4_hz={hz:.1} follows them"
        ));
    }
    if let Some(left) = bass_on_the_left(recorded).filter(|left| *left <= -LEAST) {
        told.push(format!(
            "bass is {:.1} dB farther right than treble, as from the audience or with swapped channels; from the \
             player it is left",
            -left
        ));
    }
    told
}

/// Level of the left channel over the right one in the bass less that in the treble, dB.
fn bass_on_the_left(recorded: &Notes) -> Option<f64> {
    let of = |inside: fn(u8) -> bool| {
        let keys = recorded.iter().filter(|(key, _)| inside(**key));
        mean(keys.flat_map(|(_, layers)| layers.values().map(|note| note.left_over_right)))
    };
    Some(of(|key| key <= BASS)? - of(|key| key >= TREBLE)?)
}
