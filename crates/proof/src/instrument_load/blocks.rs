//! Computing time and memory of blocks and instances. The least of several repetitions counts, because
//! the others were disturbed.

use std::hash::{DefaultHasher, Hasher as _};
use std::time::Instant;

use anyhow::Result;

use touchback_command::host::{self, Host};
use touchback_core::exchange::cancel;
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::random::Random;
use touchback_instrument::play::load::WorkCounters;
use touchback_instrument::{Event, Piano, Settings};
use touchback_offline::memory::resident;

const RATE: f64 = 48_000.0;
/// Samples of a block.
const BLOCK: usize = 64;
const REPEATS: usize = 25;
/// Repetitions of measurements that last seconds.
const LONG_REPEATS: usize = 3;

/// Processor time of this thread where the system reports it (Linux, resolution 4 ms), so that other
/// programs do not count; else wall-clock time.
struct Stopwatch {
    begun: Instant,
    worked: Option<f64>,
}

impl Stopwatch {
    fn start() -> Self {
        Self { begun: Instant::now(), worked: worked() }
    }

    /// Seconds since the start.
    fn seconds(&self) -> f64 {
        let passed = self.begun.elapsed().as_secs_f64();
        self.worked.zip(worked()).map_or(passed, |(before, now)| now - before)
    }
}

/// Processor time of this thread, s.
fn worked() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(1e-9 * nanoseconds)
}

/// Wall-clock time of one block relative to its duration.
fn block(piano: &mut Piano, left: &mut [f32], right: &mut [f32]) -> f64 {
    let begun = Instant::now();
    piano.process(left, right);
    begun.elapsed().as_secs_f64() * RATE / left.len() as f64
}

/// Starts a chord of `notes` notes evenly over the compass; its events count towards the first block.
pub(super) fn strike(piano: &mut Piano, notes: usize) {
    for i in 0..notes {
        if let Some(key) = KeyNumber::from_index((i * KEYS + KEYS / 2) / notes) {
            piano.handle(Event::NoteOn { key, velocity: 100.0 / 127.0 });
        }
    }
}

/// Share of a core of the most expensive 64-sample block within 60 ms after a chord (strikes, rebounds,
/// checks).
pub(super) fn worst(notes: usize) -> f64 {
    let blocks = 45;
    let mut least = vec![f64::INFINITY; blocks];
    let mut piano = Piano::new(RATE, &Settings::default());
    let (mut left, mut right) = ([0.0; BLOCK], [0.0; BLOCK]);
    for _ in 0..REPEATS {
        piano.reset();
        piano.process(&mut left, &mut right);
        let begun = Instant::now();
        strike(&mut piano, notes);
        let mut events = begun.elapsed().as_secs_f64() * RATE / BLOCK as f64;
        for least in &mut least {
            cancel::check();
            let share = events + block(&mut piano, &mut left, &mut right);
            *least = least.min(share);
            events = 0.0;
        }
    }
    least.into_iter().fold(0.0, f64::max)
}

/// Least share of a core over `seconds` that follow `prepare`.
fn share(seconds: f64, prepare: impl Fn(&mut Piano)) -> f64 {
    let mut piano = Piano::new(RATE, &Settings::default());
    let (mut left, mut right) = ([0.0; 512], [0.0; 512]);
    let blocks = touchback_core::math::cast::floor_index(seconds * RATE / 512.0);
    let mut least = f64::INFINITY;
    for _ in 0..LONG_REPEATS {
        cancel::check();
        piano.reset();
        prepare(&mut piano);
        let watch = Stopwatch::start();
        for _ in 0..blocks {
            cancel::check();
            piano.process(&mut left, &mut right);
        }
        least = least.min(watch.seconds() * RATE / (blocks * 512) as f64);
    }
    least
}

/// Share of a core of a silent piano.
pub(super) fn idle() -> f64 {
    share(20.0, |_| {})
}

/// Share of a core of a held chord after its first second.
pub(super) fn held() -> f64 {
    share(2.0, |piano| {
        strike(piano, 10);
        let (mut left, mut right) = (vec![0.0; 48_000], vec![0.0; 48_000]);
        piano.process(&mut left, &mut right);
    })
}

/// Dense music: share of a core, workload, and a hash of its samples.
pub(super) struct Dense {
    pub(super) share: f64,
    pub(super) load: WorkCounters,
    pub(super) hash: u64,
}

/// Plays 10 s of 16 notes per second under the pedal, which is changed every second.
pub(super) fn dense() -> Dense {
    let mut best = Dense { share: f64::INFINITY, load: WorkCounters::default(), hash: 0 };
    let (mut left, mut right) = ([0.0; 3_000], [0.0; 3_000]);
    let mut piano = Piano::new(RATE, &Settings::default());
    for _ in 0..LONG_REPEATS {
        piano.reset();
        let (mut random, mut hash) = (Random::new(1), DefaultHasher::new());
        let mut samples = Vec::with_capacity(480_000);
        let watch = Stopwatch::start();
        let mut held = [None; 8];
        for i in 0..160 {
            cancel::check();
            if i % 16 == 0 {
                piano.handle(Event::Sustain(0.0));
            }
            if i % 16 == 1 {
                piano.handle(Event::Sustain(1.0));
            }
            if let Some(key) = held[i % 8] {
                piano.handle(Event::NoteOff { key, velocity: 0.5 });
            }
            let index = usize::try_from(12 + random.below(60)).unwrap_or(0);
            held[i % 8] = KeyNumber::from_index(index);
            if let Some(key) = held[i % 8] {
                let velocity = (40 + random.below(70)) as f64 / 127.0;
                piano.handle(Event::NoteOn { key, velocity });
            }
            piano.process(&mut left, &mut right);
            samples.extend(left.iter().zip(&right).map(|(l, r)| [l.to_bits(), r.to_bits()]));
        }
        let share = watch.seconds() * RATE / 480_000.0;
        samples.iter().flatten().for_each(|bits| hash.write_u32(*bits));
        best = Dense { share: share.min(best.share), load: piano.load(), hash: hash.finish() };
    }
    best
}

/// Share of a core in every second of a decay.
pub(super) struct Decay {
    pub(super) shares: Vec<f64>,
    pub(super) most_expensive_late_over_early: f64,
}

/// Strikes all keys under the pedal and measures 60 s of decay: denormal numbers would make blocks more
/// expensive as the sound decays.
pub(super) fn decay() -> Decay {
    let mut piano = Piano::new(RATE, &Settings::default());
    piano.handle(Event::Sustain(1.0));
    strike(&mut piano, KEYS);
    let (mut left, mut right) = ([0.0; 480], [0.0; 480]);
    let mut shares = Vec::new();
    for _ in 0..60 {
        // The median of a second's blocks excludes disturbed blocks.
        let mut second: Vec<f64> =
            (0..100).map(|_| block(&mut piano, &mut left, &mut right)).collect();
        second.sort_by(f64::total_cmp);
        shares.push(second[50]);
    }
    let late = shares[10..].iter().copied().fold(0.0, f64::max);
    Decay { most_expensive_late_over_early: late / shares[9].max(1e-12), shares }
}

/// Cost of construction and loading.
pub(super) struct Starting {
    pub(super) build_ms: f64,
    /// The first load of the library, and the least of the later ones.
    pub(super) plugin_ms: Result<[f64; 2]>,
    /// Memory of one more piano, MB.
    pub(super) megabytes: Option<f64>,
}

/// Measures the construction of pianos and the loading of the plugin.
pub(super) fn starting() -> Starting {
    let mut build_ms = f64::INFINITY;
    let mut pianos = Vec::new();
    let before = resident();
    for _ in 0..4 {
        let begun = Instant::now();
        pianos.push(Piano::new(RATE, &Settings::default()));
        build_ms = build_ms.min(1e3 * begun.elapsed().as_secs_f64());
    }
    let megabytes = before.zip(resident()).map(|(before, after)| (after - before) / 4e6);
    drop(pianos);
    Starting { build_ms, plugin_ms: plugin(), megabytes }
}

fn plugin() -> Result<[f64; 2]> {
    let library = host::find()?;
    let mut times = Vec::new();
    for _ in 0..4 {
        let begun = Instant::now();
        let mut host = Host::load(&library)?;
        host.activate(RATE, 512)?;
        times.push(1e3 * begun.elapsed().as_secs_f64());
    }
    let best = times[1..].iter().copied().fold(f64::INFINITY, f64::min);
    Ok([times[0], best])
}
