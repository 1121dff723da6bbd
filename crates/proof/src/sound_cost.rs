//! `sound-cost`: computing time and output hash of the sound engine, measured in the same run.

use std::time::Instant;
use touchback_core::exchange::cancel;

use anyhow::Result;

use touchback_core::math::compass::KeyNumber;
use touchback_core::math::kernel::Kernel;
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand, key};
use touchback_sound::strings::bank::BLOCK;
use touchback_sound::{Sound, SoundSettings};

const RATE: usize = 48_000;

/// Repetitions; the quickest counts, because the others were disturbed.
const REPEATS: usize = 5;

/// A chord of ten notes for both hands.
const CHORD: [usize; 10] = [16, 23, 28, 32, 35, 40, 44, 47, 52, 56];

/// Processor time of this thread where the system reports it, else wall-clock time, s.
fn seconds(start: Instant) -> f64 {
    let counted = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let counted = counted.and_then(|s| s.split_whitespace().next()?.parse::<f64>().ok());
    counted.map_or_else(|| start.elapsed().as_secs_f64(), |ns| 1e-9 * ns)
}

/// FNV-1a over the bits of the samples.
fn hash(mut sum: u64, samples: &[f32]) -> u64 {
    for x in samples {
        sum = (sum ^ u64::from(x.to_bits())).wrapping_mul(0x0100_0000_01b3);
    }
    sum
}

/// Strikes `struck` at 3 m/s with the dampers of `lifted` raised and renders 2 s; processor time of each
/// second, s, longest block relative to its duration, hash.
fn play(sound: &mut Sound, lifted: &[KeyNumber], struck: &[KeyNumber]) -> ([f64; 2], f64, u64) {
    let start = Instant::now();
    sound.reset();
    lifted.iter().for_each(|key| sound.damper(*key, 1.0));
    struck.iter().for_each(|key| sound.strike(*key, 3.0, 0.0));
    let (mut times, mut worst, mut sum) = ([0.0; 2], 0.0f64, 0xcbf2_9ce4_8422_2325);
    let (mut left, mut right) = ([0.0f32; BLOCK], [0.0f32; BLOCK]);
    for time in &mut times {
        let begin = seconds(start);
        for _ in 0..RATE / BLOCK {
            cancel::check();
            let block = Instant::now();
            sound.process(&mut left, &mut right);
            worst = worst.max(block.elapsed().as_secs_f64() * RATE as f64 / BLOCK as f64);
            sum = hash(hash(sum, &left), &right);
        }
        *time = seconds(start) - begin;
    }
    (times, worst, sum)
}

/// Longest block relative to its duration while 10 notes sound and every string gets a new pitch and new
/// losses.
fn changing(sound: &mut Sound, notes: &[KeyNumber]) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..REPEATS {
        sound.set(&SoundSettings::default());
        let _ = play(sound, notes, notes);
        sound.set(&SoundSettings { a4_hz: 446.0, sustain: 0.8, ..SoundSettings::default() });
        let (mut left, mut right) = ([0.0f32; BLOCK], [0.0f32; BLOCK]);
        let mut worst = 0.0f64;
        for _ in 0..RATE / BLOCK / 2 {
            cancel::check();
            let block = Instant::now();
            sound.process(&mut left, &mut right);
            worst = worst.max(block.elapsed().as_secs_f64() * RATE as f64 / BLOCK as f64);
        }
        best = best.min(worst);
    }
    best
}

/// Name, lifted keys, struck keys, target and limit, % of a core.
type Case<'a> = (&'a str, &'a [KeyNumber], &'a [KeyNumber], f64, f64);

/// Measures silence, a chord, a note, and all notes under the pedal, on every kernel.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let mut report = Report::default();
    let mut csv = DataTable::new(&[
        "case",
        "kernel",
        "first_second_share",
        "second_second_share",
        "worst_block_share",
        "hash",
    ]);
    let all: Vec<KeyNumber> = KeyNumber::all().collect();
    let ten = CHORD.iter().map(|n| key(*n)).collect::<Result<Vec<_>>>()?;
    let one = [key(40)?];
    let cases: [Case; 5] = [
        ("silence", &[], &[], 0.0, 0.1),
        ("ten notes", &ten, &ten, 3.0, 5.0),
        ("ten notes with pedal", &all, &ten, 5.0, 20.0),
        ("one note with pedal", &all, &one, 5.0, 20.0),
        ("88 notes with pedal", &all, &all, 12.0, 20.0),
    ];
    let best_kernel = Kernel::detect();
    for (name, lifted, struck, aim, most) in cases {
        let mut hashes = Vec::new();
        for kernel in Kernel::available() {
            let mut sound = Sound::with_kernel(RATE as f64, &SoundSettings::default(), kernel);
            let mut best = ([f64::INFINITY; 2], f64::INFINITY);
            for _ in 0..REPEATS {
                let (times, worst, sum) = play(&mut sound, lifted, struck);
                best.0 = [best.0[0].min(times[0]), best.0[1].min(times[1])];
                best.1 = best.1.min(worst);
                hashes.push(sum);
            }
            let ([first, second], worst) = best;
            let sum = hashes[0];
            let (kernel_name, sum) = (format!("{kernel:?}"), format!("{sum:016x}"));
            csv.row(&[&name, &kernel_name, &first, &second, &worst, &sum]);
            let share = 100.0 * first.max(second);
            let quantity = format!("{name}, {kernel:?}: share of a core, %");
            let bound = if kernel.lanes() > 2 { most } else { 2.0 * most };
            report.check(&quantity, &format!("{aim}"), TargetBand::AtMost(bound), share);
            if name == "ten notes" && kernel == best_kernel {
                let quantity = "ten notes: longest block of 64 samples, % of its time";
                report.check(quantity, "25", TargetBand::AtMost(50.0), 100.0 * worst);
            }
        }
        let same = hashes.iter().all(|h| *h == hashes[0]);
        report.holds(&format!("{name}: every kernel and run gives the same samples"), same);
    }
    let mut sound = Sound::new(RATE as f64, &SoundSettings::default());
    let quantity = "ten notes, every string changing: longest block of 64 samples, % of its time";
    report.check(quantity, "25", TargetBand::AtMost(50.0), 100.0 * changing(&mut sound, &ten));
    let start = Instant::now();
    let begin = seconds(start);
    let sound = std::hint::black_box(Sound::new(RATE as f64, &SoundSettings::default()));
    report.check(
        "preparing 88 notes, ms",
        "50",
        TargetBand::AtMost(100.0),
        1e3 * (seconds(start) - begin),
    );
    drop(sound);
    report.note(
        "Shares are processor time of the thread, the quickest of five runs; on a machine with \
         other load they can be twice as large. The activation of the plugin prepares a whole piano. \
         A setting that changes during play is applied on the audio thread, to sixteen partials of a \
         note every 64 samples: the thread never waits, and the sample of each change does not depend \
         on the machine.",
    );
    folder.table("sound-cost.csv", &csv)?;
    Ok(report)
}
