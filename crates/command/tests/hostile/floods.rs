//! Hosts that send more than a performance has: controllers at every sample, values from every thread.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use crate::host::{Event, Instance};
use crate::outputs::Outputs;
use crate::{FRAMES, blow};

/// Processor time of the calling thread.
fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: room for what is written.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) }, 0);
    Duration::new(time.tv_sec.cast_unsigned(), u32::try_from(time.tv_nsec).unwrap())
}

/// Processor time of a block of 512 samples with `events`, while all keys sound under the pedal.
fn block_time(events: &[Event]) -> Duration {
    let instance = Instance::active();
    let outputs = Outputs::stereo(FRAMES);
    let mut all: Vec<_> = (0..88).map(|i| Event::note_on(0, 21 + i)).collect();
    all.insert(0, Event::midi(0, [0xB0, 64, 127]));
    instance.process(FRAMES, Some(&outputs), &all).expect("played");
    instance.process(FRAMES, Some(&outputs), &[]).expect("played");
    let begin = thread_time();
    instance.process(FRAMES, Some(&outputs), events).expect("played");
    let time = thread_time() - begin;
    assert!(outputs.are_finite());
    time
}

/// The block of 512 samples that costs least of three.
fn least_time(events: &[Event]) -> Duration {
    (0..3).map(|_| block_time(events)).min().unwrap()
}

/// 4096 messages in 512 samples.
fn flood(message: impl Fn(u8, u8) -> [u8; 3]) -> Vec<Event> {
    (0..4096_u32)
        .map(|i| {
            let [value, more, ..] = i.to_le_bytes();
            Event::midi(i * FRAMES / 4096, message(value & 0x7F, (value >> 7) | (more << 1)))
        })
        .collect()
}

#[test]
fn a_flood_of_controllers_costs_no_more_than_its_block() {
    let quiet = least_time(&[]);
    let block = Duration::from_secs_f64(f64::from(FRAMES) / 48_000.0);
    let mut floods: Vec<_> = [1, 7, 10, 11, 16, 64, 66, 67, 74, 88, 120, 121, 123]
        .map(|number| (format!("CC {number}"), flood(|value, _| [0xB0, number, value])))
        .into();
    floods.push(("bend".into(), flood(|value, _| [0xE0, value, value])));
    let any = |value, channel: u8| [0xB0 | channel & 15, value, value ^ channel];
    floods.push(("all controllers of all channels".into(), flood(any)));
    for (name, events) in floods {
        let time = least_time(&events);
        println!(
            "{name}: {:.1} ms, {:.1} without",
            1e3 * time.as_secs_f64(),
            1e3 * quiet.as_secs_f64()
        );
        assert!(time < quiet + block, "{name}: {time:?}, without {quiet:?}");
    }
}

/// The left channel of 2048 samples of a chord under floods of pedals, levels, bends and a parameter, in blocks of `size`.
fn flooded(size: u32) -> Vec<u32> {
    const ALL: u32 = 2048;
    let chord = (0..5).map(|i| Event::note_on(100, 40 + 7 * i));
    let late = (0..3).map(|i| Event::note_on(1_000 + i, 50 + i16::from(i.to_le_bytes()[0])));
    let values = (0..ALL).flat_map(|at| {
        let [value, ..] = (at * 37).to_le_bytes();
        let value = value & 0x7F;
        [
            [0xB0, 21, value],
            [0xB0, 64, value],
            [0xB1, 67, value],
            [0xB0, 7, 127 - value / 4],
            [0xE0, 0, value],
        ]
        .map(|bytes| Event::midi(at, bytes))
    });
    let mut events: Vec<_> = chord.chain(late).chain(values).collect();
    events.sort_by_key(Event::time);
    let instance = Instance::active();
    // Controller 21 moves a parameter.
    instance
        .load(r#"{"version":"0.2.0","params":{},"fields":{"controllers":"21=hammer_hardness"}}"#);
    let mut samples = Vec::new();
    for begin in (0..ALL).step_by(usize::try_from(size).unwrap()) {
        let frames = size.min(ALL - begin);
        let outputs = Outputs::stereo(frames);
        let inside = events.iter().filter(|event| (begin..begin + frames).contains(&event.time()));
        let events: Vec<_> = inside.map(|event| event.at(event.time() - begin)).collect();
        instance.process(frames, Some(&outputs), &events).expect("played");
        samples.extend(outputs.channels[0].samples().iter().map(|sample| sample.to_bits()));
    }
    samples
}

#[test]
fn a_flood_gives_the_same_samples_in_every_block_size() {
    let whole = flooded(2048);
    assert!(whole.iter().any(|bits| f32::from_bits(*bits).abs() > 0.01));
    for size in [1, 7, 64, 500] {
        assert!(flooded(size) == whole, "in blocks of {size}");
    }
}

/// Values that are flushed while blocks are processed cost no block.
#[test]
fn values_flushed_by_two_threads_cost_no_block() {
    const BLOCKS: u32 = 2_000;
    let instance = Instance::active();
    let (is_over, flushes) = (AtomicBool::new(false), AtomicU32::new(0));
    let refused = std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let values: Vec<_> =
                    (0..64).map(|i| Event::value(0, blow(), f64::from(i) / 63.0)).collect();
                while !is_over.load(Ordering::Relaxed) {
                    instance.flush(&values);
                    flushes.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let outputs = Outputs::stereo(64);
        let refused = (0..BLOCKS)
            .filter(|block| {
                let note = [Event::note_on(0, 60)];
                let events = if block % 100 == 0 { &note[..] } else { &[] };
                let refused = instance.process(64, Some(&outputs), events).is_err();
                std::thread::sleep(Duration::from_micros(200));
                refused
            })
            .count();
        is_over.store(true, Ordering::Relaxed);
        refused
    });
    println!("{} flushes", flushes.load(Ordering::Relaxed));
    assert_eq!(refused, 0, "of {BLOCKS} blocks");
}
