//! Settings, hammers and pitches that change while strings sound.

use super::super::loading::{PARTIALS_A_SECOND, SILENT};
use super::*;
use crate::output::perspective::Perspective;
use crate::strings::bank::BLOCK;
use crate::strings::note::Note;

#[test]
fn a_sounding_note_is_retuned_without_a_click() {
    let mut sound = engine();
    let a4 = key(49);
    sound.damper(a4, 1.0);
    sound.strike(a4, 1.0, 0.0);
    let _ = measure::render(&mut sound, 0.5, RATE);
    // A click would show in the second difference, relative to that of the note.
    let rough = |r: &measure::RenderedNote| {
        r.samples.windows(3).map(|w| (w[2] - 2.0 * w[1] + w[0]).abs()).fold(0.0, f64::max)
    };
    let before = measure::render(&mut sound, 0.1, RATE);
    sound.set(&SoundSettings {
        a4_hz: 445.0,
        board: 0.3,
        width: 0.2,
        sustain: 1.5,
        ..SoundSettings::default()
    });
    let during = measure::render(&mut sound, 0.1, RATE);
    assert!(rough(&during) < 1.2 * rough(&before), "{} {}", rough(&during), rough(&before));
    let after = measure::render(&mut sound, 1.0, RATE);
    let cents = 1200.0 * (after.peak_hz(445.0, 30.0, 0.0, 1.0) / 445.0).log2();
    assert!(cents.abs() < 1.0, "{cents}");
    // All settings are applied: a reset engine and a new one agree.
    let settings = SoundSettings {
        a4_hz: 445.0,
        board: 0.3,
        width: 0.2,
        sustain: 1.5,
        ..SoundSettings::default()
    };
    let taken = measure::strike_free(&mut sound, key(3), 1.0, 0.1, RATE);
    let new = measure::strike_free(&mut Sound::new(RATE, &settings), key(3), 1.0, 0.1, RATE);
    assert_eq!(taken, new);
}

#[test]
fn a_ringing_note_bends_without_a_click_and_returns() {
    let mut sound = engine();
    let a4 = key(49);
    let fresh = measure::strike_free(&mut sound, a4, 1.0, 0.1, RATE);
    sound.reset();
    sound.damper(a4, 1.0);
    sound.strike(a4, 1.0, 0.0);
    let _ = measure::render(&mut sound, 0.5, RATE);
    let rough = |r: &measure::RenderedNote| {
        r.samples.windows(3).map(|w| (w[2] - 2.0 * w[1] + w[0]).abs()).fold(0.0, f64::max)
    };
    let before = measure::render(&mut sound, 0.1, RATE);
    let mut bent = |cents: f64, hz: f64| {
        sound.retune(a4, cents);
        let during = measure::render(&mut sound, 0.1, RATE);
        // A tone second higher bends its curve by 2 dB more.
        assert!(rough(&during) < 1.3 * rough(&before), "{cents}: {}", rough(&during));
        let after = measure::render(&mut sound, 0.5, RATE);
        let error = 1200.0 * (after.peak_hz(hz, 20.0, 0.0, 0.5) / hz).log2();
        assert!(error.abs() < 1.0, "{cents}: {error} cents off");
    };
    bent(200.0, 440.0 * (200.0f64 / 1200.0).exp2());
    bent(-50.0, 440.0 * (-50.0f64 / 1200.0).exp2());
    bent(0.0, 440.0);
    sound.retune(a4, 4000.0);
    sound.retune(a4, f64::NAN);
    assert_eq!(sound.ignored(), 1);
    assert!(measure::render(&mut sound, 0.1, RATE).peak_db().is_finite());
    assert_eq!(measure::strike_free(&mut sound, a4, 1.0, 0.1, RATE), fresh, "reset is in tune");
}

#[test]
fn a_blow_on_a_bent_string_has_its_pitch_and_level() {
    let mut sound = engine();
    sound.retune(key(40), 100.0);
    let level = |sound: &mut Sound, key: KeyNumber| {
        sound.damper(key, 1.0);
        sound.strike(key, 2.0, 0.0);
        measure::render(sound, 0.5, RATE)
    };
    let bent = level(&mut sound, key(40));
    let hz =
        StringSpec::of(key(40), &SoundSettings::default()).partial_hz(1) * (1.0f64 / 12.0).exp2();
    let cents = 1200.0 * (bent.peak_hz(hz, 20.0, 0.02, 0.5) / hz).log2();
    assert!(cents.abs() < 1.0, "{cents}");
    sound.reset();
    let step = bent.rms_db(0.0, 0.3) - level(&mut sound, key(40)).rms_db(0.0, 0.3);
    assert!(step.abs() < 3.0, "{step} dB");
}

#[test]
fn a_blow_on_a_string_bent_by_octaves_is_at_most_19_db_louder() {
    for rate in [44_100.0, 176_400.0] {
        let mut sound = Sound::new(rate, &SoundSettings::close());
        for number in [1, 40, 69, 81, 88] {
            let mut peak = |cents: f64| {
                sound.reset();
                sound.retune(key(number), cents);
                sound.damper(key(number), 1.0);
                sound.strike(key(number), 6.0, 0.0);
                measure::render(&mut sound, 0.1, rate).peak_db()
            };
            let tune = peak(0.0);
            for cents in [-2400.0, -700.0, 700.0, 1400.0, 2400.0, 3600.0] {
                let louder = peak(cents) - tune;
                // Two octaves lower the board radiates up to 9 dB more. The largest is 18.1 dB.
                assert!(louder < 19.0, "key {number} by {cents} cents at {rate} Hz: {louder} dB");
            }
        }
    }
}

#[test]
fn a_change_takes_as_long_at_every_sample_rate() {
    for rate in [44_100.0, 192_000.0] {
        let mut sound = Sound::new(rate, &SoundSettings::close());
        sound.set(&SoundSettings { distance: 3.0, a4_hz: 441.0, ..SoundSettings::close() });
        let (mut blocks, mut seconds) = (0, None);
        let (mut left, mut right) = ([0.0f32; BLOCK], [0.0f32; BLOCK]);
        while seconds.is_none() {
            sound.process(&mut left, &mut right);
            blocks += 1;
            let time = f64::from(blocks) * BLOCK as f64 / rate;
            // The direct level falls from 1 to a half.
            let level = f64::from(sound.board.mix[1].1.now);
            let exact = 0.5 + 0.5 * (-time / MIX_TIME).exp();
            assert!((level - exact).abs() < 2e-4, "{rate} Hz, {time} s: {level} for {exact}");
            seconds = sound.strings.loading.is_none().then_some(time);
        }
        let partials: usize = sound.strings.notes.iter().map(Note::partials).sum();
        let a_second = PARTIALS_A_SECOND * SILENT as f64;
        let time = seconds.unwrap() * a_second / partials as f64;
        assert!((0.95..1.1).contains(&time), "{rate} Hz: {time} of the time meant");
    }
}

#[test]
fn changed_hammers_equal_initial_ones() {
    let hammers = HammerSettings { mass: 1.5, added: 1e-3, hardness: -1.0, strike_point: 1.3 };
    let mut new = Sound::with_hammers(RATE, &SoundSettings::close(), &hammers);
    let mut changed = engine();
    let struck = |sound: &mut Sound| measure::strike_free(sound, key(40), 2.0, 0.1, RATE);
    let concert = struck(&mut changed);
    changed.set_hammers(&hammers);
    // The strike point follows note by note.
    let _ = measure::render(&mut changed, 0.6, RATE);
    assert!(changed.strings.loading.is_none());
    let (new, taken) = (struck(&mut new), struck(&mut changed));
    assert_eq!(taken, new);
    changed.set_hammers(&HammerSettings::CONCERT);
    assert_eq!(struck(&mut changed), concert);
}

#[test]
fn a_heavier_softer_hammer_sounds_fuller_and_darker() {
    // The strike point stays: another one would change single partials in both directions.
    let hammers = HammerSettings { mass: 1.5, added: 1e-3, hardness: -1.0, strike_point: 1.0 };
    let struck = |hammers: &HammerSettings| {
        let mut sound = Sound::with_hammers(RATE, &SoundSettings::close(), hammers);
        measure::strike_free(&mut sound, key(40), 2.0, 0.1, RATE)
    };
    let (heavy, concert) = (struck(&hammers), struck(&HammerSettings::CONCERT));
    let level = |r: &measure::RenderedNote, k: f64| measure::db(r.amplitude(262.0 * k, 0.02, 0.1));
    let gain = |k: f64| level(&heavy, k) - level(&concert, k);
    // The momentum is 1.6 times the concert hammer's, 4 dB; the softer felt attenuates high partials.
    assert!((2.0..6.0).contains(&gain(1.0)), "{} dB", gain(1.0));
    let upper = (4..=8).map(|k| gain(f64::from(k))).sum::<f64>() / 5.0;
    assert!(upper < gain(1.0) - 3.0, "{upper} dB");
}

#[test]
fn the_distant_pairs_room_level_does_not_depend_on_the_perspective() {
    let render = |perspective, room_db| {
        let settings = SoundSettings { perspective, room_db, ..SoundSettings::default() };
        let mut sound = Sound::new(RATE, &settings);
        // Many notes, because a single one excites the modes at each pair differently.
        (1..=88).for_each(|n| sound.strike(key(n), 1.0, 0.0));
        let mut all = [(); 4].map(|()| vec![0.0f32; 86_400]);
        let [left, right, far_left, far_right] = &mut all;
        sound.process_with(left, right, Some([far_left, far_right]));
        all
    };
    let perspectives = [Perspective::Player, Perspective::Audience, Perspective::Near];
    let levels = perspectives.map(|perspective| {
        // What still rings without a room, undamped strings and rear lengths, is no part of its level.
        let (with, without) = (render(perspective, -6.0), render(perspective, -60.0));
        std::array::from_fn(|channel| {
            let late = with[channel][14_400..].iter().zip(&without[channel][14_400..]);
            let energy: f64 = late.map(|(a, b)| f64::from(a - b).powi(2)).sum();
            10.0 * energy.log10()
        })
    });
    let both = |levels: [f64; 4], first: usize| 0.5 * (levels[first] + levels[first + 1]);
    let [player, audience, near] = levels.map(|levels| [both(levels, 0), both(levels, 2)]);
    for other in [audience, near] {
        assert!((other[1] - player[1]).abs() < 1.0, "{levels:?}");
    }
    let chosen = [audience, near].map(|other| other[0] - player[0]);
    assert!((chosen[0] - 1.4).abs() < 2.0 && (chosen[1] + 10.1).abs() < 2.0, "{levels:?}");
}
