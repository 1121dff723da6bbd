//! Processor time of the block of 64 samples (1.33 ms at 48 kHz) that holds the first note after a parameter
//! changed in silence: `cargo run --release -p touchback-instrument --example first_note`.
//!
//! Each figure is the least of several runs of the same block, so that other programs do not enter.

use std::time::Instant;

use touchback_core::math::compass::KeyNumber;
use touchback_instrument::host::params::{self, Parameter, ValueKind};
use touchback_instrument::{Event, Piano, Settings};

const BLOCK: usize = 64;
const RATE: f64 = 48_000.0;
const RUNS: usize = 7;

/// Time of the block, ms, in which `notes` begin, `silence` samples after a piano in standard settings got
/// `settings`.
fn block_time(piano: &mut Piano, settings: &Settings, silence: usize, notes: &[(u8, f64)]) -> f64 {
    let run = |_| {
        piano.set(&Settings::default());
        piano.reset();
        process(piano, 1003);
        piano.set(settings);
        process(piano, silence);
        let begin = Instant::now();
        for (note, velocity) in notes {
            if let Some(key) = KeyNumber::from_midi(*note) {
                piano.handle(Event::NoteOn { key, velocity: *velocity });
            }
        }
        process(piano, BLOCK);
        1e3 * begin.elapsed().as_secs_f64()
    };
    (0..RUNS).map(run).fold(f64::INFINITY, f64::min)
}

fn process(piano: &mut Piano, samples: usize) {
    let mut left = vec![0.0; samples];
    let mut right = left.clone();
    piano.process(&mut left, &mut right);
}

/// The settings with `parameter` at the end of its range that is farther from its default.
fn far(parameter: &Parameter) -> Settings {
    let default = parameter.default_value();
    let mut settings = Settings::default();
    let value = match parameter.kind {
        ValueKind::Number { min, max, .. } if default - min > max - default => min,
        ValueKind::Number { max, .. } => max,
        ValueKind::Choice(names) if default + 1.0 < names.len() as f64 => names.len() as f64 - 1.0,
        ValueKind::Choice(_) => 0.0,
    };
    parameter.set(&mut settings, value);
    settings
}

/// Ten notes, five to a hand, all at `velocity` or between the two.
fn chord(velocities: [f64; 2]) -> Vec<(u8, f64)> {
    let notes = [36, 43, 48, 52, 55, 60, 64, 67, 72, 76];
    let spread = |i: usize| velocities[0] + (velocities[1] - velocities[0]) * i as f64 / 9.0;
    notes.into_iter().enumerate().map(|(i, note)| (note, spread(i * 7 % 10))).collect()
}

fn main() {
    let piano = &mut Piano::new(RATE, &Settings::default());
    let one = [(60, 0.5)];
    println!("One note, C4 at velocity 64, after one parameter changed, ms of processor time:\n");
    println!("| parameter | at once | 100 ms later |\n| --- | --- | --- |");
    println!("| none | {:.2} | |", block_time(piano, &Settings::default(), 0, &one));
    let mut rows: Vec<(&str, f64, f64)> = params::all()
        .map(|parameter| {
            let settings = far(parameter);
            let [now, later] = [0, 4800].map(|wait| block_time(piano, &settings, wait, &one));
            (parameter.id, now, later)
        })
        .collect();
    rows.sort_by(|a, b| b.1.total_cmp(&a.1));
    for (id, now, later) in rows.iter().take(25) {
        println!("| `{id}` | {now:.2} | {later:.2} |");
    }
    let mut heavy = Settings::default();
    heavy.action.let_off_mm = 3.0;
    heavy.action.friction = 1.5;
    println!("\nLet-off 3 mm and friction 1.5, by what is played:\n");
    println!("| notes | at once | 100 ms later | 300 ms later | 1.2 s later |");
    println!("| --- | --- | --- | --- | --- |");
    let mut row = |name: &str, notes: &[(u8, f64)]| {
        let times = [0, 4800, 14_400, 57_600].map(|wait| block_time(piano, &heavy, wait, notes));
        let cells = times.map(|time| format!("{time:.2}")).join(" | ");
        println!("| {name} | {cells} |");
    };
    for velocity in [1u8, 8, 16, 32, 64, 96, 127] {
        let share = f64::from(velocity) / 127.0;
        row(&format!("C4 at velocity {velocity}"), &[(60, share)]);
    }
    row("C8 at velocity 64", &[(108, 0.5)]);
    row("ten notes C2 to E5 at velocity 64", &chord([0.5; 2]));
    row("ten notes C2 to E5 at velocities 50 to 80", &chord([0.4, 0.63]));
    row("ten notes C2 to E5 at velocities 1 to 127", &chord([0.01, 1.0]));
    let all: Vec<_> = (21..=108).map(|note| (note, 0.5)).collect();
    row("88 notes at velocity 64", &all);
}
