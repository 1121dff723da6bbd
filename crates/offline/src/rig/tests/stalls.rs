//! A right keyboard, and computers that stand still: the host's, and the one on which an emulated keyboard runs.

use std::collections::BTreeMap;

use crate::rig::KEY;
use crate::rig::co_simulation::{CoSimulation, MemoryLine};
use touchback_action::EventKind;
use touchback_core::math::random::Random;
use touchback_haptics::keyboard::emulator::KeyboardDesign;
use touchback_haptics::keyboard::script::{FingerAction, Script, ScriptedAction};
use touchback_haptics::line::simulated_link::Collected;
use touchback_haptics::record::log::MemoryLog;
use touchback_haptics::servo::ServoOptions;
use touchback_haptics::session::{ConnectionState, HaltReason};

/// How the two computers stand still, and how late frames are.
#[derive(Clone, Copy, Debug, Default)]
struct Stalls {
    /// Longest stall of the host and of the keyboard, ticks, and the number of stalls a second.
    host: u64,
    keyboard: u64,
    rate: f64,
    /// Share of late frames up and down, their largest delay, ticks, and the delay of all, µs.
    lateness: [f64; 2],
    late_ticks: u32,
    late_us: u32,
}

/// Reasons for which the force of a played key ended in `seconds` s, and their numbers; it is armed again each time.
fn ends(stalls: Stalls, seconds: u32, seed: u64) -> BTreeMap<String, u32> {
    let acts = (0..2 * seconds).flat_map(|i| {
        let begin = 1.0 + 0.9 * f64::from(i);
        let press = FingerAction::Press { depth: 22e-3, within: 0.06 };
        [(begin, press), (begin + 0.4, FingerAction::Release { within: 0.1 })]
            .map(|(time, action)| ScriptedAction { time, key: 0, action })
    });
    let design = KeyboardDesign { plant: KEY, ..KeyboardDesign::default() };
    let script = Script::new(acts.collect());
    let line = MemoryLine::new(1, seed);
    let mut pair = CoSimulation::new(&design, script, ServoOptions::default(), line);
    for (link, lateness) in
        [&mut pair.line.up, &mut pair.line.down].into_iter().zip(stalls.lateness)
    {
        let faults = &mut link.faults;
        (faults.lateness, faults.late_ticks, faults.late_us) =
            (lateness, stalls.late_ticks, stalls.late_us);
    }
    pair.run(0.3, &mut (), |_| ());
    let mut random = Random::new(seed);
    let mut ends = BTreeMap::new();
    let mut was = ConnectionState::Seeking;
    while pair.time() < f64::from(seconds) {
        if pair.servo.status().state != ConnectionState::Live {
            let _ = pair.arm(&mut ());
            was = pair.servo.status().state;
        }
        let stands = pair.frozen + pair.stalled > 0;
        if !stands && random.share() < stalls.rate * 125e-6 {
            let both = random.share() < 0.5;
            if stalls.keyboard > 0 {
                pair.stalled = 1 + random.below(stalls.keyboard);
            }
            if stalls.host > 0 && (both || stalls.keyboard == 0) {
                pair.frozen = 1 + random.below(stalls.host);
            }
        }
        pair.tick(&mut ());
        let status = pair.servo.status();
        if was == ConnectionState::Live && status.state != was {
            let reason = match status.halt_reason {
                HaltReason::Nothing => format!("{:?}", status.state),
                reason => format!("{reason:?}"),
            };
            *ends.entry(reason).or_insert(0) += 1;
        }
        was = status.state;
    }
    println!("{stalls:?}: {ends:?}");
    ends
}

/// Stalls of the host of up to 15 ms, several a second, and jitter of milliseconds each way are served.
#[test]
fn short_stalls_and_jitter_are_served() {
    let base = Stalls::default();
    for stalls in [
        Stalls { host: 40, rate: 5.0, ..base },
        Stalls { host: 120, rate: 3.0, ..base },
        Stalls { host: 148, rate: 3.0, ..base },
        Stalls { lateness: [0.3, 0.0], late_ticks: 32, ..base },
        Stalls { lateness: [0.3, 0.3], late_ticks: 16, ..base },
        Stalls { late_us: 1000, lateness: [0.5, 0.5], late_ticks: 8, ..base },
    ] {
        assert_eq!(ends(stalls, 30, 1), BTreeMap::new(), "{stalls:?}");
    }
}

/// A keyboard without motors whose states come in chunks, of 16 ms from a latency timer or of 4096 bytes, plays every
/// stroke, and the delay is known; one with motors is refused.
#[test]
fn positions_in_chunks_are_played() {
    let run = |has_motors: bool, collected: Collected| {
        let acts = (0..5).flat_map(|i| {
            let begin = 2.0 + 0.9 * f64::from(i);
            let press = FingerAction::Press { depth: 22e-3, within: 0.06 };
            [(begin, press), (begin + 0.4, FingerAction::Release { within: 0.1 })]
                .map(|(time, action)| ScriptedAction { time, key: 0, action })
        });
        let design = KeyboardDesign { plant: KEY, has_motors, ..KeyboardDesign::default() };
        let script = Script::new(acts.collect());
        let line = MemoryLine::new(1, 3);
        let mut pair = CoSimulation::new(&design, script, ServoOptions::default(), line);
        pair.line.up.faults.collected = collected;
        let mut log = MemoryLog::default();
        pair.run(7.5, &mut log, |_| ());
        let status = pair.servo.status();
        println!("{has_motors} {collected:?}: {:?}", status.state);
        (log.of(EventKind::Strike).len(), status.state, status.chunk_ms)
    };
    for (collected, chunk) in [
        (Collected::Not, 0..=0),
        (Collected::Time(16_000), 0..=0),
        (Collected::Time(40_000), 38..=42),
        (Collected::Bytes(4096), 100..=200),
    ] {
        let (strikes, state, chunk_ms) = run(false, collected);
        assert_eq!((strikes, state), (5, ConnectionState::Present), "{collected:?}");
        assert!(chunk.contains(&chunk_ms), "{collected:?}: {chunk_ms} ms");
    }
    assert_eq!(run(true, Collected::Bytes(4096)).1, ConnectionState::Refused);
}

/// Longer stalls end force, and the reason is the pause of this computer, commands that did not arrive or a keyboard that
/// was silent: never a wrong keyboard.
#[test]
fn long_stalls_are_never_blamed_on_the_keyboard() {
    let base = Stalls::default();
    for (stalls, is_host) in [
        (Stalls { host: 400, rate: 2.0, ..base }, true),
        (Stalls { keyboard: 400, rate: 4.0, ..base }, false),
        // An emulator makes up for 10 ms at most.
        (Stalls { host: 400, keyboard: 80, rate: 3.0, late_us: 1000, ..base }, true),
    ] {
        let ends = ends(stalls, 30, 2);
        assert!(!ends.is_empty() && !ends.keys().any(|r| r.starts_with("Implausible")), "{ends:?}");
        assert!(!is_host || ends.contains_key("Late"), "{ends:?}");
    }
}
