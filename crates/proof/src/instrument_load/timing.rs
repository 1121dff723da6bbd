//! Strike times and hammer speeds of notes.

use touchback_core::exchange::cancel;
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::random::Random;
use touchback_instrument::settings::Timing;
use touchback_instrument::{Event, Piano, Settings};

/// Number of notes of each measurement.
const NOTES: usize = 1000;

/// Largest deviations under immediate timing.
pub(super) struct Immediate {
    /// Missing or surplus strikes.
    pub(super) missing: f64,
    /// Largest time between note-on and strike, samples.
    pub(super) samples: f64,
    /// Largest deviation of hammer speed from the map, m/s.
    pub(super) speed: f64,
}

/// One note under natural timing.
pub(super) struct Travelled {
    /// Key 1…88.
    pub(super) key: u8,
    /// Velocity, 0…127.
    pub(super) velocity: f64,
    /// Hammer speed by the velocity map, and measured, m/s.
    pub(super) mapped: f64,
    pub(super) speed: f64,
    /// Time from note-on to strike, ms.
    pub(super) travel_ms: f64,
}

/// Notes under natural timing.
pub(super) struct Natural {
    pub(super) notes: Vec<Travelled>,
    pub(super) silent: f64,
}

fn key(random: &mut Random) -> KeyNumber {
    let index = usize::try_from(random.below(KEYS as u64)).unwrap_or(0);
    KeyNumber::from_index(index).unwrap_or_else(|| unreachable!("below KEYS"))
}

/// Renders `samples` samples and passes the piano with its strikes to `struck`.
fn run(piano: &mut Piano, samples: usize, mut struck: impl FnMut(&Piano)) {
    let (mut left, mut right) = ([0.0; 64], [0.0; 64]);
    let mut remaining = samples;
    while remaining > 0 {
        cancel::check();
        let length = remaining.min(64);
        piano.process(&mut left[..length], &mut right[..length]);
        struck(piano);
        remaining -= length;
    }
}

/// Measures random notes and chords at 48 kHz.
pub(super) fn immediate() -> Immediate {
    let rate = 48_000.0;
    let settings = Settings::default();
    let mut piano = Piano::new(rate, &settings);
    let mut random = Random::new(1);
    let (mut requested, mut strikes) = (Vec::new(), Vec::new());
    while requested.len() < NOTES {
        for _ in 0..=random.below(6) {
            let (key, velocity) = (key(&mut random), (1 + random.below(127)) as f64 / 127.0);
            piano.handle(Event::NoteOn { key, velocity });
            let speed = settings.touch.hammer_speed(velocity);
            requested.push((piano.sample() as f64 / rate, key, speed));
            if random.below(2) == 0 {
                piano.handle(Event::NoteOff { key, velocity: 0.5 });
            }
        }
        let wait = usize::try_from(random.below(900)).unwrap_or(0);
        run(&mut piano, wait, |piano| strikes.extend_from_slice(piano.strikes()));
    }
    run(&mut piano, 4_800, |piano| strikes.extend_from_slice(piano.strikes()));
    let mut worst = Immediate {
        missing: requested.len().abs_diff(strikes.len()) as f64,
        samples: 0.0,
        speed: 0.0,
    };
    for ((time, key, speed), strike) in requested.iter().zip(&strikes) {
        if strike.key != *key {
            worst.missing += 1.0;
        }
        worst.samples = worst.samples.max((strike.time - time).abs() * rate);
        worst.speed = worst.speed.max((strike.speed - speed).abs());
    }
    worst
}

/// Measures random notes, one every 70 ms, each on a key at rest.
pub(super) fn natural() -> Natural {
    const EVERY: usize = 1_544;
    /// Notes after which a key is released, and after which it may be played again.
    const HELD: usize = 6;
    const RESTED: usize = 12;
    let rate = 22_050.0;
    let mut settings = Settings::default();
    settings.touch.timing = Timing::Natural;
    let mut piano = Piano::new(rate, &settings);
    let mut random = Random::new(1);
    let mut last = [usize::MAX; KEYS];
    let mut velocities = [0.0; KEYS];
    let mut notes = Vec::new();
    for i in 0..NOTES + RESTED {
        let rested = |key: &KeyNumber| last[key.index()] == usize::MAX;
        let key = std::iter::repeat_with(|| key(&mut random)).find(rested);
        if let Some(key) = key.filter(|_| i < NOTES) {
            let velocity = (1 + random.below(127)) as f64;
            piano.handle(Event::NoteOn { key, velocity: velocity / 127.0 });
            (last[key.index()], velocities[key.index()]) = (i, velocity);
        }
        run(&mut piano, EVERY, |piano| {
            for strike in piano.strikes() {
                let velocity = velocities[strike.key.index()];
                notes.push(Travelled {
                    key: strike.key.number(),
                    velocity,
                    mapped: settings.touch.hammer_speed(velocity / 127.0),
                    speed: strike.speed,
                    travel_ms: 1e3 * (strike.time - strike.note_on),
                });
            }
        });
        for key in KeyNumber::all() {
            let since = &mut last[key.index()];
            if *since != usize::MAX && i >= *since + HELD {
                if i == *since + HELD {
                    piano.handle(Event::NoteOff { key, velocity: 0.5 });
                }
                if i >= *since + RESTED {
                    *since = usize::MAX;
                }
            }
        }
    }
    let silent = NOTES.saturating_sub(notes.len()) as f64;
    Natural { notes, silent }
}
