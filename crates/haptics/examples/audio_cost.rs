//! Processor time of the audio thread while a phrase moves the keys of an emulated keyboard, and of the same phrase
//! without the keyboard:
//! `cargo run --release -p touchback-haptics --example audio_cost [KEYS [BLOCK [SECONDS [PACE]]]] [regulation] [hand]`
//!
//! The host plays at `PACE` times real time, at most 1. With `regulation` a screw moves once a block. With `hand`
//! fingers trill on the keys instead of notes, against silence. Figures are shares of a block, %. `memory` prints the
//! resident memory after connections of the keyboard instead.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::random::Random;
use touchback_haptics::connection::{ActivationContext, Choice, KeyboardConnection};
use touchback_haptics::keyboard::emulator::{Emulator, KeyboardDesign};
use touchback_haptics::keyboard::live::Emulated;
use touchback_haptics::keyboard::script::{FingerAction, Script, ScriptedAction};
use touchback_haptics::record::replay::ReplayEvent;
use touchback_haptics::session::ConnectionState;
use touchback_instrument::{Event, Piano, Settings};

const RATE: f64 = 48_000.0;

/// What is played.
#[derive(Clone, Copy)]
struct Case {
    first: u8,
    keys: u8,
    block: usize,
    seconds: f64,
    pace: f64,
    turns: bool,
    by_hand: bool,
}

/// Processor time of this thread, s.
#[cfg(unix)]
fn seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Time, s.
#[cfg(not(unix))]
fn seconds() -> f64 {
    static BEGIN: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    BEGIN.elapsed().as_secs_f64()
}

/// Resident memory, MB.
fn memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or(0.0) * 1e-3
}

/// The notes of sixteenths of a second: chords of four in turn, each held for three sixteenths.
fn play(case: &Case, sixteenth: u64, mut play: impl FnMut(Event)) {
    let chord = u64::from(case.keys.min(4));
    let key = |i: u64| {
        let place = Random::new(i / chord).below(u64::from(case.keys)) + i % chord;
        let number = u64::from(case.first) + place % u64::from(case.keys);
        KeyNumber::from_number(u8::try_from(number).unwrap_or(1)).expect("a key of the keyboard")
    };
    if sixteenth >= 3 * chord {
        play(Event::NoteOff { key: key(sixteenth - 3 * chord), velocity: 0.5 });
    }
    play(Event::NoteOn { key: key(sixteenth), velocity: 0.6 });
}

/// Plays the phrase; prints the cost of the blocks.
fn run(case: &Case, port: Option<&str>) {
    let mut settings = Settings::default();
    let connection = Arc::new(KeyboardConnection::default());
    let ports = port.map(str::to_owned).into_iter().collect();
    connection.choose(Choice { ports, plays: true, ..Choice::default() });
    let mut piano = Piano::new(RATE, &settings);
    let mut end = connection.activate(&ActivationContext {
        owner: "audio_cost",
        settings: &settings.action,
        sample_rate: RATE,
        block: case.block,
        is_offline: false,
    });
    let (mut left, mut right) = (vec![0.0; case.block], vec![0.0; case.block]);
    let length = case.block as f64 / RATE;
    // Keys prove their motors, eight at a time.
    let waits = port.map_or(0.5, |_| 2.0 + 0.1 * f64::from(case.keys));
    let blocks = |time: f64| floor_index(time / length) as u64;
    let begin = Instant::now();
    let (mut shares, mut strikes, mut received) = (Vec::new(), 0u32, 0.0);
    let mut sixteenth = 0;
    for i in 0..blocks(waits + case.seconds) {
        if port.is_some() && i % blocks(0.25) == 0 {
            match connection.report().map(|report| report.status.state) {
                Some(ConnectionState::Live) => {}
                _ => connection.arm(true),
            }
        }
        let is_measured = i >= blocks(waits);
        let now = i * case.block as u64;
        let from = seconds();
        if is_measured && case.turns {
            settings.action.let_off_mm = 1.5 + 0.001 * (i % 1000) as f64;
            piano.set(&settings);
            end.regulate(&settings.action);
        }
        let block_from = seconds();
        end.block(now, case.block, &settings.action, |output| {
            if let ReplayEvent::Event(ahead, event) = output {
                strikes += u32::from(event.event.kind() == touchback_action::EventKind::Strike);
                piano.handle(Event::haptic(event, ahead));
            }
        });
        if is_measured {
            received += 100.0 * (seconds() - block_from) / length;
        }
        if is_measured && !case.by_hand {
            let due = floor_index((i - blocks(waits)) as f64 * length * 16.0) as u64;
            while sixteenth <= due {
                play(case, sixteenth, |event| {
                    if let Some((key, speed)) = event.fingertip(&settings) {
                        end.note(key, speed);
                    }
                    piano.handle(event);
                });
                sixteenth += 1;
            }
        }
        piano.process(&mut left, &mut right);
        if is_measured {
            shares.push(100.0 * (seconds() - from) / length);
        }
        let due = begin + Duration::from_secs_f64((i + 1) as f64 * length / case.pace);
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
    }
    let strikes = strikes + u32::try_from(piano.counts().strikes).unwrap_or(0);
    shares.sort_by(f64::total_cmp);
    let at = |share: f64| shares[floor_index(share * (shares.len() - 1) as f64)];
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    let (p95, worst) = (at(0.95), at(1.0));
    print!(
        "{:9} {:2} keys, block {:3}, pace {}: mean {mean:5.2}, 95 % {p95:5.2}, worst {worst:5.2}; {:.2} of it to receive; {strikes} strikes",
        port.map_or("alone", |_| "keyboard"),
        case.keys,
        case.block,
        case.pace,
        received / shares.len() as f64
    );
    if let Some(report) = connection.report() {
        let work = &report.work;
        print!(
            "; servo {:.0} µs a state, longest {:.0}, {:?}, {} lost",
            1e6 * work.sum / work.count().max(1) as f64,
            1e6 * work.longest,
            report.status.state,
            report.lost_log
        );
    }
    println!();
    connection.deactivate();
}

/// Connects and disconnects the keyboard at `port`, 500 times.
fn connect(port: &str) {
    let (settings, connection) = (Settings::default(), KeyboardConnection::default());
    let (before, mut counts) = (memory(), [1, 10, 500].into_iter().peekable());
    for i in 1..=500 {
        connection.choose(Choice { ports: vec![port.into()], ..Choice::default() });
        let mut end = connection.activate(&ActivationContext {
            owner: "audio_cost",
            settings: &settings.action,
            sample_rate: RATE,
            block: 256,
            is_offline: false,
        });
        end.block(0, 256, &settings.action, |_| ());
        // Until the servo has built its keys.
        let begin = Instant::now();
        let patience = Duration::from_secs(2);
        while begin.elapsed() < patience && connection.report().is_some_and(|r| r.status.states < 2)
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        if counts.next_if_eq(&i).is_some() {
            println!("{i} connections: {:.1} MB more than before", memory() - before);
        }
        connection.deactivate();
    }
    println!("disconnected: {:.1} MB more", memory() - before);
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| words.iter().any(|w| w == word);
    let number = |i: usize, default| words.get(i).and_then(|w| w.parse().ok()).unwrap_or(default);
    let keys = u8::try_from(floor_index(number(0, 8.0))).unwrap_or(88);
    let case = Case {
        first: if keys > 49 { 1 } else { 40 },
        keys: keys.clamp(1, 88),
        block: floor_index(number(1, 256.0)).max(1),
        seconds: number(2, 10.0),
        pace: number(3, 1.0),
        turns: has("regulation"),
        by_hand: has("hand"),
    };
    if !has("memory") {
        run(&case, None);
    }
    let acts = (0..if case.by_hand { case.keys } else { 0 }).map(|key| ScriptedAction {
        time: 2.0 + 0.1 * f64::from(case.keys),
        key: usize::from(key),
        action: FingerAction::Trill { depth: 14e-3, rate: 4.0, lasts: 1e9 },
    });
    let design = KeyboardDesign { keys: case.keys, first_key: case.first, ..Emulator::on_a_desk() };
    let emulated = Emulated::start(&design, Script::new(acts.collect()))?;
    match has("memory") {
        true => connect(emulated.path()),
        false => run(&case, Some(emulated.path())),
    }
    Ok(())
}
