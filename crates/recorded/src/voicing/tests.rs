use super::*;
use crate::compare::tests::own_note;
use touchback_action::interface::key_sheet::{KeySheet, QUANTITIES};
use touchback_core::exchange::shared::Shared;
use touchback_core::math::compass::KeyNumber;
use touchback_core::mech::key_tones::{COUNT, ToneQuantity};
use touchback_instrument::Settings;
use touchback_sound::SoundSettings;
use touchback_sound::output::perspective::Perspective;

fn options(folder: &std::path::Path, output: std::path::PathBuf) -> MatchOptions {
    MatchOptions {
        octave: None,
        folder: folder.to_owned().into(),
        output: output.into(),
        json: false,
        free: ["hammer_hardness", "sustain", "perspective"].map(String::from).into(),
        tones: false,
        page: None,
        keys: 2,
        velocities: vec![64],
        preset: "concert".to_owned().into(),
        set: Vec::new(),
    }
}

/// The felt of two registers, the sustain and the listener's perspective are recovered.
#[test]
#[ignore = "long: `.ci/run` runs it"]
fn a_known_voicing_is_recovered() {
    let folder = tempfile::tempdir().unwrap();
    for (index, name, hardness) in [(27, "C3.wav", -0.9), (51, "C5.wav", 0.3)] {
        let key = KeyNumber::from_index(index).unwrap();
        let mut voiced = Settings::default();
        voiced.action.hammer_hardness = hardness;
        voiced.sound.sustain = 0.6;
        voiced.sound.perspective = Perspective::Audience;
        own_note(&voiced, key, &folder.path().join(name));
    }
    let output = folder.path().join("mine.toml");
    matched(&options(folder.path(), output.clone())).unwrap();
    let (found, losses) = user_presets::read(&output).unwrap();
    assert_eq!((losses.message(), found.name.as_str()), (None, "mine"));
    let settings = found.settings;
    let hardness = QUANTITIES.iter().position(|q| q.id == "hammer_hardness").unwrap();
    for (index, wanted) in [(27, -0.9), (51, 0.3)] {
        let key = KeyNumber::from_index(index).unwrap();
        let felt = settings.action.hammer_hardness + settings.action.keys.get(key, hardness);
        assert!((felt - wanted).abs() < 0.15, "{index}: {felt}");
    }
    assert!((settings.sound.sustain - 0.6).abs() < 0.06, "{}", settings.sound.sustain);
    assert_eq!(settings.sound.perspective, Perspective::Audience);
    let mut rest = settings;
    rest.action.hammer_hardness = 0.0;
    rest.set_key_sheet(KeySheet::EVEN);
    rest.sound.sustain = 1.0;
    rest.sound.perspective = Perspective::Player;
    assert_eq!(rest, Settings::default());
}

#[test]
fn bad_options_are_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("mine.toml");
    let told = |change: &dyn Fn(&mut MatchOptions)| {
        let mut options = options(folder.path(), output.clone());
        change(&mut options);
        format!("{:#}", matched(&options).unwrap_err())
    };
    assert!(told(&|_| ()).contains("no .wav, .aiff, .flac or .ogg file"));
    assert!(told(&|o| o.output = std::path::PathBuf::from("mine.wav").into()).contains(".toml"));
    assert!(told(&|o| o.free = vec!["felt".into()]).contains("felt"));
    assert!(told(&|o| o.free = vec!["temperament".into()]).contains("is a choice"));
    assert!(told(&|o| o.free = vec!["lid".into(), "lid".into()]).contains("once"));
    assert!(!output.exists());
}

#[test]
fn keys_are_spread_over_the_given_ones() {
    let keys: Vec<u8> = (1..=88).collect();
    assert_eq!(evenly(&keys, 3).into_iter().collect::<Vec<_>>(), [1, 44, 88]);
    assert_eq!(evenly(&keys, 1).into_iter().collect::<Vec<_>>(), [44]);
    assert_eq!(evenly(&[7, 9], 8).into_iter().collect::<Vec<_>>(), [7, 9]);
}

/// A key whose partials are louder and decay faster than the piano's is matched by its tone, which the preset
/// holds; its neighbours have the tone too, and nothing else moves.
#[test]
#[ignore = "long: `.ci/run` runs it"]
fn the_tone_of_a_key_is_recovered() {
    let folder = tempfile::tempdir().unwrap();
    let key = KeyNumber::from_index(39).unwrap();
    let mut voiced = Settings::default();
    let wanted = |index: usize| [6.0 - 1.5 * index as f64, -0.5];
    for index in 0..COUNT {
        for (quantity, value) in ToneQuantity::ALL.into_iter().zip(wanted(index)) {
            voiced.sound.tones.set(key, quantity, index, value);
        }
    }
    own_note(&voiced, key, &folder.path().join("C4.wav"));
    let output = folder.path().join("mine.toml");
    let mut options = options(folder.path(), output.clone());
    (options.free, options.tones) = (vec!["none".into()], true);
    matched(&options).unwrap();
    let settings = user_presets::read(&output).unwrap().0.settings;
    let tones = &settings.sound.tones;
    // Of C4, partials up to 16 are above the floor; the gain of the note is free.
    let off = tones.get(key, ToneQuantity::Level, 0) - wanted(0)[0];
    for index in 0..8 {
        let level = tones.get(key, ToneQuantity::Level, index) - wanted(index)[0] - off;
        assert!(level.abs() < 2.5, "level {index}: {level}");
        let decay = tones.get(key, ToneQuantity::Decay, index) - wanted(index)[1];
        assert!(decay.abs() < 0.3, "decay {index}: {decay}");
    }
    let other = KeyNumber::from_index(45).unwrap();
    let level = |key| tones.get(key, ToneQuantity::Level, 3);
    assert_eq!(level(key), level(other));
    let plain = SoundSettings { tones: Shared::NEUTRAL, ..settings.sound.clone() };
    assert_eq!(plain, Settings::default().sound);
}
