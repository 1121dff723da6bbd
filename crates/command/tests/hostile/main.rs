//! The built plugin in a CLAP and a VST3 host that break the rules: buffers end at guard pages, and allocations
//! inside `process` are counted, also those that the framework permits.
//!
//! `TOUCHBACK_FUZZ_SECONDS=3600` runs the random hosts for an hour instead of 5 s.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

mod allocations;
mod broken_rules;
mod floods;
mod host;
mod layouts;
mod memory;
mod outputs;
mod small_stacks;
mod strange_hosts;
mod vst3;
mod vst3_broken_rules;
mod vst3_host;
mod window;
mod windowed;

use host::{Event, Instance, list};
use outputs::{Guarded, Outputs};
use serde_json::json;
use touchback_core::math::random::Random;
use touchback_instrument::host::params;

const FRAMES: u32 = 512;

fn blow() -> u32 {
    params::find("blow_mm").expect("a parameter").host_id()
}

/// When a random host ends.
fn end() -> std::time::Instant {
    let seconds = std::env::var("TOUCHBACK_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok());
    std::time::Instant::now() + std::time::Duration::from_secs(seconds.unwrap_or(5))
}

fn loudest(buffer: &Guarded) -> f32 {
    buffer.samples().iter().fold(0.0, |peak, sample| peak.max(sample.abs()))
}

/// Peak of the next `blocks` blocks.
fn listen(instance: &Instance, blocks: u32) -> f32 {
    (0..blocks).fold(0.0, |peak, _| {
        let outputs = Outputs::stereo(FRAMES);
        instance.process(FRAMES, Some(&outputs), &[]).expect("processed");
        outputs.channels.iter().map(loudest).fold(peak, f32::max)
    })
}

#[test]
fn events_after_the_block_are_played_inside_it() {
    for time in [FRAMES - 1, FRAMES, FRAMES + 1, 100_000, u32::MAX] {
        let instance = Instance::active();
        let outputs = Outputs::stereo(FRAMES);
        let events = [
            Event::note_on(time, 60),
            Event::transport(time),
            Event::modulation(time, blow(), 0.1),
            Event::value(time, blow(), 0.875),
        ];
        instance.process(FRAMES, Some(&outputs), &events).expect("processed");
        assert!((instance.value(blow()) - 0.975).abs() < 1e-6, "stamped {time}");
        assert!(listen(&instance, 8) > 0.001, "stamped {time}");
    }
}

#[test]
fn events_in_disorder_are_played_in_order() {
    let render = |events: &[Event]| {
        let instance = Instance::active();
        let outputs = Outputs::stereo(FRAMES);
        instance.process(FRAMES, Some(&outputs), events).expect("processed");
        outputs.channels[0].samples().iter().map(|s| s.to_bits()).collect::<Vec<_>>()
    };
    let [a, b, c] =
        [Event::note_on(40, 60), Event::value(100, blow(), 0.9), Event::note_on(300, 64)];
    let sorted = render(&[a, b, c]);
    assert!(sorted.iter().any(|bits| f32::from_bits(*bits) != 0.0));
    assert!(render(&[c, b, a]) == sorted && render(&[b, c, a]) == sorted);
}

#[test]
fn blocks_without_samples_or_outputs_lose_nothing() {
    for frames in [0, FRAMES] {
        let instance = Instance::active();
        let play = |event: Event| instance.process(frames, None, &[event]).expect("processed");
        play(Event::note_on(0, 60));
        assert!(listen(&instance, 20) > 0.01, "{frames}: the note is lost");
        play(Event::note_off(0, 60));
        listen(&instance, 200);
        let ringing = listen(&instance, 20);
        assert!(ringing < 1e-4, "{frames}: the note rings on at {ringing}");
        play(Event::value(0, blow(), 0.875));
        assert_eq!(instance.value(blow()), 0.875);
    }
}

#[test]
fn an_inactive_plugin_processes_nothing() {
    let outputs = Outputs::stereo(FRAMES);
    let instance = Instance::new();
    assert!(!instance.start());
    assert!(instance.process(FRAMES, Some(&outputs), &[Event::note_on(0, 60)]).is_err());
    assert!(instance.activate(48_000.0) && instance.start());
    instance.process(FRAMES, Some(&outputs), &[]).expect("processed");
    instance.deactivate();
    assert!(instance.process(FRAMES, Some(&outputs), &[]).is_err());
    assert!(!instance.activate(0.0));
    assert!(instance.process(FRAMES, Some(&outputs), &[]).is_err());
}

#[test]
fn outputs_of_any_shape_are_accepted() {
    for lengths in [
        &[][..],
        &[FRAMES],
        &[FRAMES, 0],
        &[0, FRAMES],
        &[0, 0],
        &[FRAMES, FRAMES, FRAMES],
        &[FRAMES, FRAMES, 0, FRAMES],
    ] {
        let instance = Instance::active();
        let outputs = Outputs::new(lengths);
        instance
            .process(FRAMES, Some(&outputs), &[Event::note_on(5, 60)])
            .unwrap_or_else(|()| panic!("{lengths:?}"));
        for (index, channel) in outputs.channels.iter().enumerate() {
            let is_finite = channel.samples().iter().all(|sample| sample.is_finite());
            assert!(is_finite, "{lengths:?}: channel {index}");
        }
        assert!(listen(&instance, 8) > 0.001, "{lengths:?}");
    }
}

#[test]
fn any_number_of_events_allocates_nothing() {
    let instance = Instance::active();
    let outputs = Outputs::stereo(FRAMES);
    let notes = |count: u32, spread: u32| -> Vec<_> {
        let key = |i: u32| i16::try_from(21 + i % 88).unwrap();
        let at = |i: u32| i * spread / count;
        (0..count)
            .map(|i| {
                let (at, key) = (at(i), key(i / 2));
                if i % 2 == 0 { Event::note_on(at, key) } else { Event::note_off(at, key) }
            })
            .collect()
    };
    for (count, spread) in [(16_384, FRAMES), (20_000, FRAMES), (40_000, 1)] {
        let events = notes(count, spread);
        let allocations = instance.process(FRAMES, Some(&outputs), &events);
        assert_eq!(allocations, Ok(0), "{count} events in {spread} samples");
    }
    assert!(outputs.channels.iter().flat_map(Guarded::samples).all(|sample| sample.is_finite()));
}

#[test]
fn the_first_change_of_a_parameter_on_a_thread_allocates_nothing() {
    let instance = Instance::active();
    instance.stop();
    std::thread::scope(|scope| {
        let audio = scope.spawn(|| {
            let outputs = Outputs::stereo(FRAMES);
            assert!(instance.start());
            instance.process(FRAMES, Some(&outputs), &[Event::value(0, blow(), 0.3)])
        });
        assert_eq!(audio.join().unwrap(), Ok(0));
    });
    assert!((instance.value(blow()) - 0.3).abs() < 1e-6);
}

#[test]
fn sheets_and_scales_of_loaded_states_are_freed_by_the_loading_thread() {
    let instance = Instance::active();
    let outputs = Outputs::stereo(FRAMES);
    for i in 0..20 {
        let sheet = format!("key,let_off_mm,unison_width_cents,partial_1_db\n40,0.{i},1.{i},3\n");
        let scale = json!({ "name": "", "scale": format!("two\n2\n{}.0\n1200.0\n", 690 + i) });
        let fields = json!({ "keys": sheet, "scale": scale.to_string() });
        let state = json!({ "version": "0.2.0", "params": {}, "fields": fields }).to_string();
        instance.load(&state);
        for event in [Event::note_on(0, 60), Event::note_off(0, 60)] {
            let heap_calls = instance.process(FRAMES, Some(&outputs), &[event]);
            assert_eq!(heap_calls, Ok(0), "after state {i}");
        }
    }
}

/// Up to three outputs of any shape.
fn any_outputs(below: &mut dyn FnMut(u32) -> u32, frames: u32) -> Vec<Outputs> {
    (0..below(4))
        .map(|_| match below(5) {
            0 => Outputs::new(&[frames]),
            1 => Outputs::new(&[0, frames, frames]),
            2 => Outputs::new(&[]),
            _ => Outputs::stereo(frames),
        })
        .collect()
}

/// Plays 40 blocks with random outputs and events on `instance`, half of them invalid.
fn harass(instance: &Instance, random: &mut Random, seed: u64) {
    let ids: Vec<_> = params::all().map(params::Parameter::host_id).collect();
    let mut below = |sides: u32| u32::try_from(random.below(u64::from(sides))).unwrap();
    for _ in 0..40 {
        let frames = [0_u32, 1, 3, 64, 512, 3_000][below(6) as usize];
        let count = [0, 1, 5, 200][below(4) as usize];
        let time = |below: &mut dyn FnMut(u32) -> u32| match below(4) {
            0 => frames.saturating_add(below(3)),
            1 => below(u32::MAX),
            _ => below(frames.max(1)),
        };
        let events: Vec<_> = (0..count)
            .map(|_| {
                let at = time(&mut below);
                let key = i16::try_from(below(140)).unwrap() - 6;
                let number = [0.0, 0.5, 1.0, -7.0, 1e300, f64::NAN, f64::INFINITY];
                let number = number[below(7) as usize];
                let id = ids[below(u32::try_from(ids.len()).unwrap()) as usize];
                match below(9) {
                    0 | 1 => Event::note_on(at, key),
                    2 => Event::note_off(at, key),
                    3 => Event::value(at, id, number),
                    4 => Event::modulation(at, id, number),
                    5 => Event::transport(at),
                    6 => Event::strange(at, u16::try_from(below(65_536)).unwrap()),
                    7 => Event::expression(at, key, i32::try_from(below(9)).unwrap(), number),
                    _ => {
                        let [a, b, c, _] = below(u32::MAX).to_le_bytes();
                        Event::midi(at, [a | 0x80, b, c])
                    }
                }
            })
            .collect();
        let outputs = any_outputs(&mut below, frames);
        let played = instance.process_ports(frames, &outputs, &list(&&events[..]));
        assert_eq!(played.map(|(count, _)| count), Ok(0), "seed {seed}");
        assert!(outputs.iter().all(Outputs::are_finite), "seed {seed}: not finite");
        instance.main_thread();
        if below(20) == 0 {
            instance.reset();
        }
    }
}

#[test]
fn a_random_host_does_no_harm() {
    let end = end();
    let mut seed = 0;
    while std::time::Instant::now() < end {
        seed += 1;
        let mut random = Random::new(seed);
        let instance = Instance::new();
        let rate = [8_000.0, 9_600.0, 44_100.0, 48_000.0, 768_000.0];
        let rate = rate[usize::try_from(random.below(5)).unwrap()];
        assert!(instance.select(u32::try_from(random.below(2)).unwrap()));
        assert!(instance.activate(rate) && instance.start());
        harass(&instance, &mut random, seed);
    }
    println!("{} blocks of {seed} instances", 40 * seed);
}
