//! Distances of a folder's notes from a piano, by key and register.

use std::ops::RangeInclusive;

use serde_json::{Value, json};

use crate::pairs::{Found, Notes, compare};
use crate::takes::Take;
use crate::verdict::{mean, registers};
use touchback_core::math::compass::KeyNumber;

/// Distances that differ by less are equal, dB: what other keys have left ringing changes a note by as much.
pub const EQUAL: f64 = 0.005;

/// Distances of the recorded notes from the renderings `ours`.
pub fn apart(takes: &[Take], recorded: &Notes, ours: &Notes) -> Vec<Apart> {
    compare(takes, recorded, ours).found.iter().map(Apart::of).collect()
}

/// The objective of one key, dB².
pub fn whole_of(apart: &[Apart], key: KeyNumber) -> f64 {
    whole_within(apart, &(key.number()..=key.number()))
}

/// The objective of the keys in a range, dB².
pub fn whole_within(apart: &[Apart], keys: &RangeInclusive<u8>) -> f64 {
    let inside = apart.iter().filter(|one| keys.contains(&one.number));
    whole(&inside.copied().collect::<Vec<_>>())
}

/// Root of the objective of the keys in a range, dB.
pub fn root_within(apart: &[Apart], keys: &RangeInclusive<u8>) -> f64 {
    whole_within(apart, keys).sqrt()
}

/// Distance of a recorded note from the nearest rendering.
#[derive(Clone, Copy)]
pub struct Apart {
    /// The key, 1…88.
    pub number: u8,
    /// Distances of body and attack, dB.
    pub decibels: [f64; 2],
}

impl Apart {
    pub const fn of(found: &Found<'_>) -> Self {
        Self { number: found.number, decibels: found.apart }
    }
}

/// The objective: mean square of all distances, dB².
pub fn whole(apart: &[Apart]) -> f64 {
    mean(apart.iter().flat_map(|one| one.decibels).map(|d| d * d)).unwrap_or(f64::INFINITY)
}

/// Mean distance of body (part 0) or attack (1) of `keys`, dB; `None` without notes.
pub fn mean_of(apart: &[Apart], keys: &RangeInclusive<u8>, part: usize) -> Option<f64> {
    mean(apart.iter().filter(|one| keys.contains(&one.number)).map(|one| one.decibels[part]))
}

/// Whether neither body nor attack of `keys` are farther than in `first`.
pub fn is_no_farther(apart: &[Apart], first: &[Apart], keys: &RangeInclusive<u8>) -> bool {
    (0..2).all(|part| grown(apart, first, keys, part).is_none_or(|grown| grown < EQUAL))
}

/// Growth of the mean distance of body (part 0) or attack (1) of `keys` since `first`, dB.
pub fn grown(
    apart: &[Apart],
    first: &[Apart],
    keys: &RangeInclusive<u8>,
    part: usize,
) -> Option<f64> {
    Some(mean_of(apart, keys, part)? - mean_of(first, keys, part)?)
}

/// Mean distances of body and attack of two pianos, by register with notes and of all keys.
fn means(apart: [&[Apart]; 2]) -> impl Iterator<Item = (&'static str, [[f64; 2]; 2])> {
    registers().chain([("all keys", 1..=88)]).filter_map(move |(name, keys)| {
        let part = |part| Some([mean_of(apart[0], &keys, part)?, mean_of(apart[1], &keys, part)?]);
        Some((name, [part(0)?, part(1)?]))
    })
}

/// Mean distances of two pianos, one line per register with notes.
pub fn distances(apart: [&[Apart]; 2]) -> String {
    let mut text = format!("{:<9} {:>19} {:>19}\n", "dB apart", "body", "attack");
    for (name, parts) in means(apart) {
        let cells = parts.map(|[before, after]| format!("{before:.2} → {after:.2}"));
        text += &format!("{name:<9} {:>19} {:>19}\n", cells[0], cells[1]);
    }
    text
}

/// The same as JSON.
pub fn distances_json(apart: [&[Apart]; 2]) -> Value {
    let entry = |(name, [body, attack]): (_, [[f64; 2]; 2])| {
        json!({
            "register": name,
            "body_before_db": body[0],
            "body_after_db": body[1],
            "attack_before_db": attack[0],
            "attack_after_db": attack[1],
        })
    };
    means(apart).map(entry).collect()
}
