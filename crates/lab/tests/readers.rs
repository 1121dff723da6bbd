//! Every reader of files against damaged ones: refused or taken, never a panic.
//!
//! `TOUCHBACK_FUZZ_SECONDS=3600` goes on for an hour a reader instead of two seconds.

use std::time::{Duration, Instant};

use touchback::action::ActionSettings;
use touchback::action::interface::kind::NAMES;
use touchback::math::compass::KeyNumber;
use touchback::math::random::Random;
use touchback::params;
use touchback::preset::file::NamedPiano;
use touchback::sound::scala::{KeyMap, Scale, notes};
use touchback_lab::controls;
use touchback_lab::gesture::Gesture;
use touchback_lab::midi::Score;
use touchback_lab::simulate::{self, plants};

/// Words that numbers and texts are exchanged for.
const WORDS: [&str; 12] = [
    "nan",
    "inf",
    "-inf",
    "1e300",
    "-1e300",
    "1e-300",
    "-1",
    "0",
    "99999999999999999999",
    "",
    "\"",
    "[[",
];

/// A copy of one of `seeds` with one to four places damaged.
fn damaged(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut below = |sides: usize| usize::try_from(random.below(sides.max(1) as u64)).unwrap();
    let mut bytes = seeds[below(seeds.len())].clone();
    for _ in 0..=below(4) {
        let at = below(bytes.len());
        let end = (at + below(40)).min(bytes.len());
        match below(6) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << below(8),
            1 if !bytes.is_empty() => bytes[at] = u8::try_from(below(256)).unwrap(),
            2 => drop(bytes.drain(at..end)),
            3 => bytes.extend_from_within(at..end),
            4 => bytes.truncate(at),
            _ => {
                // A whole number for another.
                let is_number = |byte: &u8| byte.is_ascii_digit() || b".-e".contains(byte);
                let from = bytes[at..].iter().position(is_number).map_or(at, |i| at + i);
                let to = bytes[from..].iter().take_while(|byte| is_number(byte)).count() + from;
                bytes.splice(from..to, WORDS[below(WORDS.len())].bytes());
            }
        }
    }
    bytes
}

/// Hands damaged copies of `seeds` to `read`, which says whether they were taken.
fn try_reader(name: &str, seeds: &[Vec<u8>], mut read: impl FnMut(&[u8]) -> bool) {
    let seconds = std::env::var("TOUCHBACK_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok());
    let end = Instant::now() + Duration::from_secs(seconds.unwrap_or(2));
    assert!(seeds.iter().all(|seed| read(seed)), "{name}: a whole file is refused");
    let (mut tried, mut taken, mut random) = (0_u64, 0_u64, Random::new(17));
    // A busy machine may be slow to find one that is taken.
    while Instant::now() < end || taken == 0 && tried < 5_000 {
        tried += 1;
        taken += u64::from(read(&damaged(seeds, &mut random)));
    }
    println!("{name}: {tried} files, {taken} taken");
    assert!(taken > 0, "{name}: nothing of {tried} is taken: they try little");
}

fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

#[test]
fn music() {
    let track = |events: &[u8]| {
        let length = u32::try_from(events.len()).unwrap().to_be_bytes();
        [&b"MTrk"[..], &length, events].concat()
    };
    let tempo = track(&[0, 0xFF, 0x51, 3, 7, 0xA1, 0x20, 0, 0xFF, 0x2F, 0]);
    let notes = track(&[
        0, 0xB0, 64, 100, 0, 0x90, 60, 100, 48, 64, 80, 1, 0xE0, 1, 64, 47, 0x80, 60, 0, 0, 0xFF,
        0x2F, 0,
    ]);
    let whole = [&b"MThd\0\0\0\x06\0\x01\0\x02\0\x60"[..], &tempo, &notes].concat();
    try_reader("MIDI", &[whole], |bytes| Score::read("x.mid", bytes).is_ok());
}

#[test]
fn gestures_and_curves() {
    let rows = texts(&[
        "t_s,key_m\n0,0\n0.1,0.01\n0.2,0\n",
        "t_s,force_n\n0,0\n0.05,3\n0.2,-1\n",
        "t_s,d_rad\n0,0\n0.1,0.05\n",
    ]);
    try_reader("gesture, CSV", &rows, |bytes| Gesture::from_csv("x.csv", bytes).is_ok());
    let forms = texts(&[
        "form = \"struck\"\nspeed_m_s = 1\nduration_s = 0.1\n",
        "[[part]]\nform = \"pressed\"\nspeed_m_s = 0.25\nduration_s = 0.2\n",
    ]);
    try_reader("gesture, TOML", &forms, |bytes| Gesture::from_toml("x.toml", bytes).is_ok());
    let blow = params::find("blow_mm").unwrap();
    let curve = texts(&["t_s,value\n0,45\n0.3,50\n"]);
    try_reader("automation", &curve, |bytes| controls::curve(blow, "x.csv", bytes).is_ok());
}

#[test]
fn presets_and_scales() {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let preset = NamedPiano { name: "Mine".into(), ..NamedPiano::default() };
    let presets = vec![preset.text().unwrap().into_bytes()];
    try_reader("preset", &presets, |bytes| match NamedPiano::read(&text(bytes)) {
        Ok((saved, _)) => params::all()
            .all(|p| (p.min()..=p.max()).contains(&p.get(&saved.settings)) || panic!("{}", p.id)),
        Err(_) => false,
    });
    let scales = texts(&["! x.scl\nminor\n 7\n9/8\n32/27\n498.0\n3/2\n 8/5\n16/9\n2/1\n"]);
    try_reader("scale", &scales, |bytes| match notes(&text(bytes)) {
        Ok(notes) => Scale::new(&notes, &KeyMap::plain(440.0)).is_ok(),
        Err(_) => false,
    });
    let maps = texts(&["! x.kbm\n12\n0\n127\n60\n69\n440.0\n12\n0\n1\nx\n3\n4\n"]);
    try_reader("keyboard map", &maps, |bytes| KeyMap::read(&text(bytes)).is_ok());
}

/// What is taken also runs: to numbers, or to a clear end.
#[test]
fn models() {
    let key = KeyNumber::from_midi(60).unwrap();
    let settings = ActionSettings::default();
    let export = |name: &&str| {
        toml::to_string(&plants::model(name, key, &settings).unwrap()).unwrap().into_bytes()
    };
    let seeds: Vec<_> = NAMES.iter().map(export).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.toml");
    try_reader("model", &seeds, |bytes| {
        std::fs::write(&path, bytes).unwrap();
        let Ok(model) = plants::open(&path) else { return false };
        let mut press = Gesture::from_csv("x.csv", b"t_s,force_n\n0,0\n0.02,5\n0.03,0\n").unwrap();
        // Whether its state holds is for the command to say.
        let _ = simulate::play(&mut press, model.start().as_mut(), key, |_, _| Ok(()));
        true
    });
}
