//! `action-cost`: time and output of the action together, so that a change in one shows the other.

use std::time::Instant;

use anyhow::{Context, Result};

use super::{Band, Folder, Report, short};
use crate::action::events::EventList;
use crate::action::{ActionSettings, Drive, Keyboard, STEP};
use crate::math::compass::Key;

/// Steps of one stroke: 0.2 s of a pressed touch with its check.
const STROKE: u32 = 1600;
/// The quickest of so many strokes counts: the others were disturbed.
const REPEATS: usize = 5;
/// Steps of the idle measurement.
const IDLE: u32 = 200_000;

/// FNV-1a over 64-bit words.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Hash(pub(super) u64);

impl Hash {
    pub(super) const NEW: Self = Self(0xcbf2_9ce4_8422_2325);

    pub(super) fn add(&mut self, value: f64) {
        self.0 = (self.0 ^ value.to_bits()).wrapping_mul(0x0100_0000_01b3);
    }
}

/// One stroke on `keys`; seconds it took, and the hash of every event and every key's depth.
fn stroke(keyboard: &mut Keyboard, keys: &[Key], events: &mut EventList) -> (f64, Hash) {
    keyboard.reset();
    let mut hash = Hash::NEW;
    let mut seconds = 0.0;
    for i in 0..STROKE {
        let depth = |t: f64| (t * 0.2).min(0.0165);
        let t = f64::from(i) * STEP;
        events.clear();
        let begin = Instant::now();
        for &key in keys {
            // A hair of motion keeps a held key from being skipped.
            let end = depth(t + STEP) + 1e-9 * f64::from(i % 2);
            keyboard.drive(key, Drive::Finger([depth(t), end]));
        }
        keyboard.step(events);
        seconds += begin.elapsed().as_secs_f64();
        for event in events.iter() {
            hash.add(f64::from(event.key.number()));
            hash.add(event.offset);
            hash.add(event.value);
        }
    }
    keys.iter().for_each(|key| hash.add(keyboard.key_depth(*key)));
    (seconds, hash)
}

/// Measures one key, all keys, none.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let mut keyboard = Keyboard::new(&ActionSettings::default());
    let mut events = EventList::default();
    let all: Vec<Key> = Key::all().collect();
    let mut report = Report::default();
    let mut csv = String::from("case,ns_a_step,hash\n");
    let mut measure = |keys: &[Key]| {
        let runs: Vec<_> = (0..REPEATS).map(|_| stroke(&mut keyboard, keys, &mut events)).collect();
        let best = runs.iter().map(|r| r.0).fold(f64::INFINITY, f64::min);
        let same = runs.iter().all(|r| r.1 == runs[0].1);
        (1e9 * best / (f64::from(STROKE) * keys.len() as f64), runs[0].1.0, same)
    };
    let middle = Key::from_midi(60).context("middle C is off the compass")?;
    let (one, one_hash, one_same) = measure(&[middle]);
    let (many, many_hash, many_same) = measure(&all);
    report.check("one key through a stroke, ns a step", "600", Band::AtMost(1000.0), one);
    report.check("88 keys at once, ns a key and step", "150", Band::AtMost(350.0), many);

    keyboard.reset();
    let begin = Instant::now();
    for _ in 0..IDLE {
        events.clear();
        keyboard.step(std::hint::black_box(&mut events));
    }
    let idle = 1e9 * begin.elapsed().as_secs_f64() / f64::from(IDLE);
    report.check("no key moving, ns a step", "0", Band::AtMost(200.0), idle);
    report.holds("repeated strokes give the same output", one_same && many_same);
    report.note(&format!(
        "Hash of events and depths: one key {one_hash:016x}, 88 keys {many_hash:016x}. Equal on \
         one machine for the same physics; other processors may round sine and power differently."
    ));
    report.note(&format!(
        "88 moving keys take {} % of a core in real time.",
        short(100.0 * many * 1e-9 * 88.0 / STEP)
    ));
    csv += &format!("one,{one},{one_hash:016x}\nall,{many},{many_hash:016x}\nidle,{idle},\n");
    folder.write("action-cost.csv", csv.as_bytes())?;
    Ok(report)
}
