//! `action-cost`: computing time and output hash of the action, measured in the same run.

use std::time::Instant;
use touchback_core::exchange::cancel;

use anyhow::{Context, Result};

use touchback_action::interface::events::EventList;
use touchback_action::keyboard::load::Load;
use touchback_action::{ActionSettings, Keyboard, STEP};
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::kernel::Kernel;
use touchback_offline::bench::hash::Hash;
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand, short};

/// Repetitions; the quickest counts, because the others were disturbed.
const REPEATS: usize = 5;
/// Least number of steps of one run.
const STEPS: u32 = 400;
/// Steps of the idle measurement.
const IDLE: u32 = 200_000;

/// The cost of a load.
struct Cost {
    nanoseconds: f64,
    hash: Hash,
    steady: bool,
}

/// Runs one `load` on `keys`; seconds per step, and the hash of every event and every key's state.
fn once(
    load: Load,
    keyboard: &mut Keyboard,
    keys: &[KeyNumber],
    events: &mut EventList,
) -> (f64, Hash) {
    let mut hash = Hash::NEW;
    let mut seconds = 0.0;
    let mut steps = 0;
    while steps < STEPS {
        let mut loaded = load.prepare(keyboard, keys, events);
        for _ in 0..load.steps() {
            cancel::check();
            events.clear();
            loaded.drive(keyboard, keys);
            let begin = Instant::now();
            keyboard.step(events);
            seconds += begin.elapsed().as_secs_f64();
            for event in events.iter() {
                hash.add(f64::from(event.key.number()));
                hash.add(event.offset);
                hash.add(event.event.value());
            }
        }
        keys.iter().for_each(|key| keyboard.state(*key).x.iter().for_each(|x| hash.add(*x)));
        steps += load.steps();
    }
    (seconds / f64::from(steps), hash)
}

fn cost(load: Load, keyboard: &mut Keyboard, keys: &[KeyNumber]) -> Cost {
    let mut events = EventList::default();
    let runs: Vec<_> = (0..REPEATS).map(|_| once(load, keyboard, keys, &mut events)).collect();
    let best = runs.iter().map(|r| r.0).fold(f64::INFINITY, f64::min);
    Cost {
        nanoseconds: 1e9 * best / keys.len() as f64,
        hash: runs[0].1,
        steady: runs.iter().all(|r| r.1 == runs[0].1),
    }
}

/// Number of keys of a chord over the whole compass, no two adjacent.
const SPREAD: usize = 10;

/// Measures one key, a chord, all keys, and no key.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let settings = ActionSettings::default();
    let all: Vec<KeyNumber> = KeyNumber::all().collect();
    let middle = KeyNumber::from_midi(60).context("middle C is off the compass")?;
    let mut report = Report::default();
    let mut csv = DataTable::new(&["case", "kernel", "time_a_key_step_ns", "hash"]);
    let mut steady = true;
    let mut record = |case: &str, kernel: Kernel, cost: &Cost| {
        steady &= cost.steady;
        let (kernel, hash) = (format!("{kernel:?}"), format!("{:016x}", cost.hash.0));
        csv.row(&[&case, &kernel, &cost.nanoseconds, &hash]);
    };

    let mut plain = Keyboard::with_kernel(&settings, Kernel::Plain);
    let one = cost(Load::Stroke, &mut plain, &[middle]);
    record("one key stroke", Kernel::Plain, &one);
    report.check("one key, stroke, ns a step", "600", TargetBand::AtMost(1000.0), one.nanoseconds);
    let chord: Vec<KeyNumber> = all.iter().step_by(9).copied().take(SPREAD).collect();
    let best = Kernel::detect();
    let mut spread = Vec::new();
    for kernel in Kernel::available() {
        let cost = cost(Load::Stroke, &mut Keyboard::with_kernel(&settings, kernel), &chord);
        record("spread chord stroke", kernel, &cost);
        spread.push((kernel, cost));
    }
    let mut equal = spread.iter().all(|(_, cost)| cost.hash == spread[0].1.hash);
    let mut slower = Vec::new();
    for load in Load::ALL {
        let mut hash = None;
        for kernel in Kernel::available() {
            let all = cost(load, &mut Keyboard::with_kernel(&settings, kernel), &all);
            record(&format!("88 keys {}", load.name()), kernel, &all);
            equal &= *hash.get_or_insert(all.hash) == all.hash;
            let name = format!("88 keys, {}, {kernel:?}, ns a key-step", load.name());
            if kernel == best {
                report.check(&name, "150", TargetBand::AtMost(350.0), all.nanoseconds);
            } else {
                slower.push(format!("{name}: {}", short(all.nanoseconds)));
            }
        }
    }

    let mut keyboard = Keyboard::new(&settings);
    let mut events = EventList::default();
    let begin = Instant::now();
    for _ in 0..IDLE {
        events.clear();
        keyboard.step(std::hint::black_box(&mut events));
    }
    let idle = 1e9 * begin.elapsed().as_secs_f64() / f64::from(IDLE);
    report.check("no key moving, ns a step", "0", TargetBand::AtMost(200.0), idle);
    report.holds("repeated runs give the same output", steady);
    report.holds("all kernels give the same output", equal);
    report.note(&format!(
        "Hash of events and states of one key: {:016x}; action-cost.csv has the others. The same code \
         gives the same hash on every machine.",
        one.hash.0
    ));
    let spread: Vec<_> =
        spread.iter().map(|(k, cost)| format!("{k:?} {}", short(cost.nanoseconds))).collect();
    report.note(&format!(
        "A stroke of {SPREAD} keys spread over the compass, ns a key-step: {}.",
        spread.join(", ")
    ));
    report.note(&format!("With other instruction sets: {}.", slower.join("; ")));
    report.note(&format!(
        "One key takes {} % of a core in real time.",
        short(100.0 * one.nanoseconds * 1e-9 / STEP)
    ));
    csv.row(&[&"idle", &format!("{best:?}"), &idle, &""]);
    folder.table("action-cost.csv", &csv)?;
    Ok(report)
}
