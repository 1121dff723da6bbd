//! State of the whole keyboard at one moment, for a window: plain data, copied by the audio thread.

use serde_big_array::BigArray;

use crate::play::record::Counts;
use touchback_core::math::compass::{KEYS, KeyNumber};

/// State of the 88 keys and the pedals.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Snapshot {
    /// Time since reset, s.
    pub time: f64,
    /// Depth of each key at its front, m.
    #[serde(with = "BigArray")]
    pub depth: [f32; KEYS],
    /// Lift of each damper, 0 on its string … 1 clear.
    #[serde(with = "BigArray")]
    pub damper: [f32; KEYS],
    /// Rise of each hammer (a plectrum, a ball) above its rest pose, m.
    #[serde(with = "BigArray")]
    pub hammer: [f32; KEYS],
    /// Speed of each key's last strike, m/s; 0 before the first.
    #[serde(with = "BigArray")]
    pub struck: [f32; KEYS],
    /// Sustain pedal, 0 up … 1 down.
    pub sustain: f64,
    /// Sostenuto pedal, 0 up or 1 down.
    pub sostenuto: f64,
    /// Una corda pedal, 0 up … 1 down.
    pub una_corda: f64,
    /// Height of the damper tray, m.
    pub tray: f64,
    /// The last touched key.
    pub touched: Option<KeyNumber>,
    /// Velocity of the last note, as received, 0…1.
    pub velocity: f64,
    /// Keys that move.
    pub awake: usize,
    /// Counters since reset.
    pub counts: Counts,
}

impl Default for Snapshot {
    fn default() -> Self {
        Self {
            time: 0.0,
            depth: [0.0; KEYS],
            damper: [0.0; KEYS],
            hammer: [0.0; KEYS],
            struck: [0.0; KEYS],
            sustain: 0.0,
            sostenuto: 0.0,
            una_corda: 0.0,
            tray: 0.0,
            touched: None,
            velocity: 0.0,
            awake: 0,
            counts: Counts::default(),
        }
    }
}
