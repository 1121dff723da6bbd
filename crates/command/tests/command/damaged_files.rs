//! Every reader of files and of a keyboard's bytes with damaged input: accepted or refused, never a panic.
//!
//! `TOUCHBACK_FUZZ_SECONDS=3600` runs each reader for an hour instead of 1 s.

#[allow(
    missing_docs,
    dead_code,
    clippy::disallowed_methods,
    reason = "the fuzz targets' library, which writes no results"
)]
#[path = "../../../../fuzz/src/lib.rs"]
mod trials;

use std::path::Path;
use std::time::{Duration, Instant};

use touchback_action::ActionSettings;
use touchback_action::interface::key::STATES;
use touchback_action::interface::kind::NAMES;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::random::Random;
use touchback_instrument::host::preset::file::NamedPiano;
use touchback_offline::simulate::plants;
use trials::READERS;

/// Words that replace numbers and texts.
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

/// A copy of one of `seeds`, damaged at one to four positions.
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
                // Replaces a whole number.
                let is_number = |byte: &u8| byte.is_ascii_digit() || b".-e".contains(byte);
                let from = bytes[at..].iter().position(is_number).map_or(at, |i| at + i);
                let to = bytes[from..].iter().take_while(|byte| is_number(byte)).count() + from;
                bytes.splice(from..to, WORDS[below(WORDS.len())].bytes());
            }
        }
    }
    bytes
}

/// Valid files of a reader: its corpus, and files written now.
fn seeds(name: &str) -> Vec<Vec<u8>> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
    let files = std::fs::read_dir(&corpus).into_iter().flatten();
    let mut seeds: Vec<_> =
        files.map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect();
    match name {
        "preset" => {
            let preset = NamedPiano { name: "Mine".into(), ..NamedPiano::default() };
            seeds.push(preset.text().unwrap().into_bytes());
        }
        "model" => {
            let (key, settings) = (KeyNumber::from_midi(60).unwrap(), ActionSettings::default());
            let export = |name: &&str| {
                toml::to_string(&plants::model(name, key, &settings).unwrap()).unwrap().into_bytes()
            };
            seeds.extend(NAMES.iter().map(export));
        }
        "mechanism" => {
            let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../mechanisms");
            let files = std::fs::read_dir(files).unwrap();
            seeds.extend(files.map(|file| std::fs::read(file.unwrap().path()).unwrap()));
        }
        "take" => {
            let place = "0 ".repeat(STATES);
            let take =
                format!("touchback servo log 3\nplace 3 40 0 0 0 1 {place}0\nslot 3 40 8 0 0\n");
            seeds.push(take.into_bytes());
        }
        // A history is made of any bytes; these are live at its end.
        "force" => seeds.extend([0, 4, 11, 12].map(|seed| {
            let mut random = Random::new(seed);
            (0..2000).map(|_| u8::try_from(random.below(256)).unwrap()).collect()
        })),
        _ => {}
    }
    assert!(!seeds.is_empty(), "{name}: no seeds in {}", corpus.display());
    // Directory listings have no defined order.
    seeds.sort();
    seeds
}

/// Passes damaged copies of its seeds to the reader called `name`.
fn try_reader(name: &str) {
    let (_, read) = READERS.iter().find(|(reader, _)| *reader == name).unwrap();
    let seeds = seeds(name);
    let seconds = std::env::var("TOUCHBACK_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok());
    let end = Instant::now() + Duration::from_secs(seconds.unwrap_or(1));
    assert!(seeds.iter().all(|seed| read(seed)), "{name}: a whole file is refused");
    let (mut tried, mut taken, mut random) = (0_u64, 0_u64, Random::new(17));
    // On a busy machine it may take longer to find an accepted file.
    while Instant::now() < end || taken == 0 && tried < 5_000 {
        tried += 1;
        taken += u64::from(read(&damaged(&seeds, &mut random)));
    }
    println!("{name}: {tried} files, {taken} taken");
    assert!(taken > 0, "{name}: nothing of {tried} is taken: they try little");
}

macro_rules! readers {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                try_reader(stringify!($name));
            }
        )*

        #[test]
        fn every_reader_has_a_test() {
            assert_eq!(READERS.map(|(name, _)| name), [$(stringify!($name)),*]);
        }
    };
}

readers! {
    midi gesture_csv gesture_toml automation preset scale keymap take model model_numbers names sfz sound
    fit_data key_sheet decode force mechanism
}
