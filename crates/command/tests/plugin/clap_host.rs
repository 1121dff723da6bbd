//! The built plugin in a CLAP host.
//!
//! Debug builds of the plugin abort on any allocation inside `process`, so every test here also checks for
//! allocations.

use crate::host::{
    Message, Plugin, PluginEntry, ProcessStatus, Processor, bits, blocks, control, library, off,
};
use clack_extensions::tail::TailLength;
use touchback_command::host::{ClapId, PLUGIN_ID};
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::host::midi::InputMessage;
use touchback_instrument::host::params::{self, Parameter};
use touchback_instrument::play::event_scheduler::{EventScheduler, Host};
use touchback_instrument::{Event, Piano, Settings};

pub(crate) const RATE: f64 = 48_000.0;
/// Delay of the output guard, samples.
const GUARD: u32 = 72;

pub(crate) fn parameter(id: &str) -> &'static Parameter {
    params::find(id).unwrap()
}

fn key(note: i16) -> KeyNumber {
    KeyNumber::from_midi(u8::try_from(note).unwrap()).unwrap()
}

/// Music with pedal and automation, at offsets that are no multiples of a block length.
pub(crate) fn music() -> Vec<(usize, Message)> {
    let (blow, hardness, timing) =
        (parameter("blow_mm"), parameter("hammer_hardness"), parameter("timing"));
    vec![
        (0, control(blow, 0.25)),
        (0, Message::NoteOn(60, 0.8)),
        (317, Message::NoteOn(64, 0.3)),
        (317, Message::NoteOn(67, 0.6)),
        (1_001, Message::Midi([0xB0, 64, 127])),
        (2_500, off(60)),
        // At one sample: a note, a control, a note, in this order.
        (3_333, Message::NoteOn(36, 0.9)),
        (3_333, control(hardness, 0.9)),
        (3_333, control(blow, 0.75)),
        (3_333, Message::NoteOn(96, 0.5)),
        (4_000, Message::Midi([0x90, 72, 100])),
        (4_801, Message::Midi([0xB0, 64, 51])),
        (5_432, control(timing, 1.0)),
        (5_433, Message::NoteOn(60, 0.4)),
        (7_001, Message::Midi([0xB0, 64, 0])),
        (7_777, off(67)),
        (8_191, control(timing, 0.0)),
        (8_192, Message::Midi([0x80, 72, 64])),
    ]
}

pub(crate) const LENGTH: usize = 12_000;

fn fresh(entry: &PluginEntry) -> Vec<[u32; 2]> {
    let mut plugin = Plugin::active(entry, RATE);
    bits(&plugin.processor().render([LENGTH - 8_000, 8_000], &music()))
}

#[test]
fn the_descriptor_names_the_plugin() {
    let entry = library();
    let factory = entry.get_plugin_factory().unwrap();
    assert_eq!(factory.plugin_count(), 1);
    let descriptor = factory.plugin_descriptor(0).unwrap();
    assert_eq!(descriptor.id().unwrap().to_str(), Ok(PLUGIN_ID));
    assert_eq!(descriptor.name(), Some(c"Touchback"));
    assert_eq!(descriptor.vendor(), Some(c"Touchback"));
    let features: Vec<_> = descriptor.features().collect();
    for feature in [c"instrument", c"synthesizer", c"stereo"] {
        assert!(features.contains(&feature), "{feature:?} of {features:?}");
    }
    assert_eq!(Plugin::active(&entry, RATE).host.latency().unwrap(), GUARD);
}

#[test]
fn the_plugin_has_the_parameters_of_the_table() {
    let listed = Plugin::new(&library()).host.parameters().unwrap();
    let names: Vec<_> = listed[params::COUNT..].iter().map(|listed| listed.name.as_str()).collect();
    assert_eq!(names[..3], ["Sustain pedal", "Sostenuto pedal", "Una corda pedal"]);
    let numbered: Vec<String> = (1..=8).map(|number| format!("Mechanism {number}")).collect();
    assert_eq!(names[3..], numbered);
    for (parameter, listed) in params::all().zip(listed) {
        assert_eq!(listed.id, crate::host::clap_id(parameter), "{}", parameter.id);
        assert_eq!(listed.name, parameter.name);
        assert_eq!(listed.module, parameter.group.name());
        assert_eq!(listed.default_text, parameter.text(parameter.default_value()));
        let steps = parameter.choices().len().saturating_sub(1).max(1);
        assert_eq!((listed.min, listed.max), (0.0, steps as f64));
    }
}

#[test]
fn texts_of_controls_read_back() {
    let mut plugin = Plugin::new(&library());
    for parameter in params::all() {
        for value in [parameter.min(), parameter.default_value(), parameter.max()] {
            let text = parameter.text(value);
            let control = plugin.control_at(parameter, &text).unwrap();
            assert_eq!(plugin.text(parameter, control), text, "{}", parameter.id);
        }
        assert_eq!(plugin.control_at(parameter, "nonsense"), None, "{}", parameter.id);
    }
}

/// The plugin's samples are the piano's samples, later by the delay of the output guard.
#[test]
fn the_plugins_samples_are_those_of_the_piano() {
    let blow = parameter("blow_mm");
    let mut settings = Settings::default();
    blow.set(&mut settings, blow.max());
    let mut piano = Piano::new(RATE, &settings);
    let mut expected = Vec::new();
    let mut piece = |piano: &mut Piano, length: usize| {
        let (mut left, mut right) = (vec![0.0; length], vec![0.0; length]);
        piano.process(&mut left, &mut right);
        expected.extend(left.into_iter().zip(right).map(|(l, r)| [l, r]));
    };
    piece(&mut piano, 100);
    piano.handle(Event::NoteOn { key: key(60), velocity: 0.75 });
    piece(&mut piano, 4_900);
    piano.handle(Event::Sustain(1.0));
    piano.handle(Event::NoteOff { key: key(60), velocity: 0.5 });
    piece(&mut piano, 3_000);
    blow.set(&mut settings, blow.min());
    piano.set(&settings);
    piano.handle(Event::NoteOn { key: key(40), velocity: 0.25 });
    piece(&mut piano, 4_000);

    let mut plugin = Plugin::new(&library());
    // Set before activation, as when a project is loaded.
    plugin.activate(RATE).unwrap();
    plugin.processor().render([1], &[(0, control(blow, 1.0))]);
    plugin.activate(RATE).unwrap();
    let events = [
        (100, Message::NoteOn(60, 0.75)),
        (5_000, Message::Midi([0xB0, 64, 127])),
        (5_000, off(60)),
        (8_000, control(blow, 0.0)),
        (8_000, Message::NoteOn(40, 0.25)),
    ];
    let rendered = plugin.processor().render(blocks(LENGTH, 512), &events);
    let delay = usize::try_from(GUARD).unwrap();
    assert!(bits(&rendered[..delay]) == bits(&vec![[0.0; 2]; delay]));
    assert!(bits(&rendered[delay..]) == bits(&expected[..LENGTH - delay]));
}

/// A latency change requests a restart and applies from then on; the output is that of the piano, delayed by
/// the latency.
#[test]
fn look_ahead_has_its_latency_from_the_next_activation_on() {
    let timing = parameter("timing");
    let mut plugin = Plugin::active(&library(), RATE);
    assert!(!plugin.host.is_restart_wanted());
    for _ in 0..3 {
        plugin.processor().render([64], &[(0, control(timing, 2.0))]);
    }
    assert!(plugin.host.is_restart_wanted());
    assert_eq!(plugin.host.latency().unwrap(), GUARD);
    plugin.activate(RATE).unwrap();
    assert_eq!(plugin.host.latency().unwrap(), 9600 + GUARD);
    let events = [(100, Message::NoteOn(60, 0.6)), (12_000, off(60))];
    let whole = plugin.processor().render(blocks(LENGTH * 2, 8_000), &events);
    assert!(!plugin.host.is_restart_wanted());
    let first = whole.iter().position(|frame| *frame != [0.0; 2]).unwrap();
    let delay = usize::try_from(GUARD).unwrap();
    assert!((100..9_701 + delay).contains(&first), "the knock of key or hammer: {first}");
    let loudness = |span: &[[f32; 2]]| span.iter().map(|[l, r]| l * l + r * r).sum::<f32>();
    let second = |from: usize| loudness(&whole[from + delay..from + delay + 1_000]);
    assert!(second(9_700) > 100.0 * second(8_600));
    plugin.processor().reset();
    let again = plugin.processor().render(blocks(LENGTH * 2, 111), &events);
    assert!(bits(&again) == bits(&whole));

    let now = plugin.processor().now();
    plugin.processor().render([64], &[(now, control(timing, 0.0))]);
    assert!(plugin.host.is_restart_wanted());
    assert_eq!(plugin.host.latency().unwrap(), 9600 + GUARD, "until the restart");
    plugin.activate(RATE).unwrap();
    assert_eq!(plugin.host.latency().unwrap(), GUARD);
}

#[test]
fn a_chord_sounds() {
    let mut plugin = Plugin::active(&library(), RATE);
    let chord = [
        (10, Message::NoteOn(60, 0.7)),
        (10, Message::NoteOn(64, 0.7)),
        (10, Message::NoteOn(67, 0.7)),
    ];
    let samples = plugin.processor().render(blocks(24_000, 256), &chord);
    assert!(samples.iter().flatten().all(|s| s.is_finite()));
    let peak = samples.iter().flatten().fold(0.0f32, |peak, s| peak.max(s.abs()));
    assert!((0.01..=2.0).contains(&peak), "peak {peak}");
}

#[test]
fn block_sizes_do_not_change_a_sample() {
    let entry = library();
    let expected = fresh(&entry);
    for size in [1, 64, 1_000, 8_192] {
        let mut plugin = Plugin::active(&entry, RATE);
        let rendered = plugin.processor().render(blocks(LENGTH, size), &music());
        assert!(bits(&rendered) == expected, "blocks of {size}");
    }
    // Block lengths vary, as in hosts that split at loop points.
    let mut plugin = Plugin::active(&entry, RATE);
    let uneven = (0..).map(|i: usize| 1 + i * 37 % 500).scan(LENGTH, |left, length| {
        let length = length.min(*left);
        *left -= length;
        (length > 0).then_some(length)
    });
    assert!(bits(&plugin.processor().render(uneven, &music())) == expected, "uneven blocks");
}

#[test]
fn a_reset_repeats_the_same_samples() {
    let entry = library();
    let mut plugin = Plugin::active(&entry, RATE);
    let first = bits(&plugin.processor().render([LENGTH], &music()));
    // The music ends with other settings than at its start. A reset keeps them; the music's first event restores
    // one, and the test restores hardness.
    let hardness = parameter("hammer_hardness");
    let back = [
        (LENGTH, control(hardness, hardness.normalized(0.0))),
        (LENGTH, control(parameter("blow_mm"), 0.25)),
    ];
    plugin.processor().render([1], &back);
    plugin.processor().reset();
    let quiet = plugin.processor().render([64], &[]);
    assert!(quiet.iter().flatten().all(|s| *s == 0.0), "a reset leaves sound");
    plugin.processor().reset();
    let again = bits(&plugin.processor().render([LENGTH], &music()));

    // The beginning of the first run: the same settings before the first sample.
    let mut other = Plugin::active(&entry, RATE);
    other.processor().render([1], &[(0, control(parameter("blow_mm"), 0.25))]);
    other.activate(RATE).unwrap();
    let expected = bits(&other.processor().render([LENGTH], &music()));
    assert!(again == expected, "after a reset");
    assert_eq!(first.len(), again.len());
}

/// The host changes it at the first sample, or loads a state that has it before.
#[test]
#[ignore = "long: `.ci/run` runs it"]
fn a_parameter_that_changes_with_the_first_note_is_in_force_at_its_first_sample() {
    let entry = library();
    let note = (0, Message::NoteOn(60, 0.8));
    let render = |plugin: &mut Plugin, events: &[(usize, Message)]| {
        bits(&plugin.processor().render([64, 4_736], events))
    };
    let standard = render(&mut Plugin::active(&entry, RATE), &[note]);
    let mut heard = 0;
    // Another latency needs another activation.
    for parameter in
        params::all().filter(|p| !["timing", "latency", "output_guard"].contains(&p.id))
    {
        let mut changed = Plugin::active(&entry, RATE);
        let now = changed.control(parameter);
        let last = parameter.choices().len().saturating_sub(1) as f64;
        let far = match parameter.choices() {
            [] => f64::from(u8::from(now < 0.5)),
            _ if now == last => 0.0,
            _ => last,
        };
        let got = render(&mut changed, &[(0, control(parameter, far)), note]);
        let mut loaded = Plugin::new(&entry);
        assert!(loaded.load(&changed.save()));
        loaded.activate(RATE).unwrap();
        assert!(got == render(&mut loaded, &[note]), "{}", parameter.id);
        heard += usize::from(got != standard);
    }
    assert!(heard >= 30, "only {heard} parameters change the note");
}

/// Live playing runs in real time, an offline render as fast as possible.
#[test]
fn live_playing_and_offline_render_give_the_same_samples() {
    let entry = library();
    let expected = fresh(&entry);
    let mut plugin = Plugin::active(&entry, RATE);
    let (processor, music) = (plugin.processor(), music());
    let (mut samples, begin) = (Vec::new(), std::time::Instant::now());
    for length in blocks(LENGTH, 480) {
        let due = std::time::Duration::from_secs_f64(processor.now() as f64 / RATE);
        std::thread::sleep(due.saturating_sub(begin.elapsed()));
        processor.block(length, &music, &mut samples);
    }
    assert!(bits(&samples) == expected);
}

pub(crate) fn sounds_finite(processor: &mut Processor) {
    let samples = processor.render(blocks(2_000, 333), &[(5, Message::NoteOn(60, 0.9))]);
    assert!(samples.iter().flatten().all(|s| s.is_finite()));
}

#[test]
fn two_instances_play_at_once() {
    let entry = library();
    let expected = fresh(&entry);
    let mut plugins = [Plugin::active(&entry, RATE), Plugin::active(&entry, RATE)];
    let processors: Vec<_> = plugins.iter_mut().map(Plugin::take_processor).collect();
    let rendered: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = processors
            .into_iter()
            .map(|mut processor| {
                scope.spawn(move || {
                    let samples = bits(&processor.render(blocks(LENGTH, 128), &music()));
                    (processor, samples)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for (plugin, (processor, samples)) in plugins.iter_mut().zip(rendered) {
        assert!(samples == expected);
        plugin.give_back(processor);
        plugin.deactivate();
    }
}

#[test]
fn invalid_events_are_ignored() {
    let mut plugin = Plugin::active(&library(), RATE);
    let blow = parameter("blow_mm");
    let mut events = vec![
        (0, Message::NoteOn(-1, 0.5)),
        (1, Message::NoteOn(0, 0.5)),
        (1, Message::NoteOn(127, 0.5)),
        (2, Message::NoteOn(60, f64::NAN)),
        (2, Message::NoteOn(60, 1e9)),
        (3, Message::NoteOn(61, -4.0)),
        (4, off(61)),
        (4, off(61)),
        (5, Message::Choke(60)),
        (6, Message::Choke(-1)),
        (7, Message::Midi([0xB0, 120, 0])),
        (7, Message::Midi([0xB0, 123, 0])),
        (8, Message::Midi([0xFF, 0xFF, 0xFF])),
        (8, Message::Midi([0xE0, 0, 127])),
        (9, control(blow, f64::NAN)),
        (10, control(blow, f64::INFINITY)),
        (11, control(blow, -70.0)),
        (12, control(blow, 70.0)),
        (13, Message::Parameter(ClapId::new(12_345), 0.5)),
    ];
    // More events at one sample than music has.
    for i in 0..3_000 {
        events.push((20, if i % 2 == 0 { Message::NoteOn(62, 0.5) } else { off(62) }));
    }
    events.push((20, control(blow, 0.5)));
    let samples = plugin.processor().render([64, 4_000], &events);
    assert!(samples.iter().flatten().all(|s| s.is_finite()));
    let control = plugin.control(blow);
    assert_eq!(plugin.text(blow, control), "46.0 mm");
}

#[test]
fn the_plugin_runs_at_usual_sample_rates_and_refuses_absurd_ones() {
    let entry = library();
    for rate in [1_000.0, 8_000.0, 22_050.0, 44_100.0, 96_000.0, 192_000.0, 768_000.0, 1_536_000.0]
    {
        sounds_finite(Plugin::active(&entry, rate).processor());
    }
    for rate in [0.0, -48_000.0, 1.0, 1e9, f64::NAN, f64::INFINITY] {
        assert!(Plugin::new(&entry).activate(rate).is_err(), "{rate}");
    }
    // A rate change in one instance leaves no trace of the old rate.
    let mut plugin = Plugin::active(&entry, 96_000.0);
    plugin.processor().render([1_000], &[(0, Message::NoteOn(60, 0.5))]);
    plugin.activate(RATE).unwrap();
    let rendered = bits(&plugin.processor().render([LENGTH - 8_000, 8_000], &music()));
    assert!(rendered == fresh(&entry));
}

/// A host without messages.
struct Nobody;

impl Host for Nobody {
    fn next(&mut self) -> Option<(u32, InputMessage)> {
        None
    }
}

/// A sounding piano is kept awake, a silent one may sleep.
#[test]
fn the_plugin_sleeps_only_in_silence() {
    let mut plugin = Plugin::active(&library(), RATE);
    let mut player = EventScheduler::new(Piano::new(RATE, &Settings::default()));
    let mut samples = Vec::new();
    let (mut left, mut right) = (vec![0.0; 512], vec![0.0; 512]);
    for block in 0..40 {
        let start = block * 512;
        if block == 2 {
            player.haptic(Event::NoteOn { key: key(60), velocity: 0.5 });
        }
        player.process(&mut left, &mut right, &mut Nobody);
        let processor = plugin.processor();
        let status = processor.block(512, &[(2 * 512, Message::NoteOn(60, 0.5))], &mut samples);
        let (expected, tail) = if player.is_idle() {
            (ProcessStatus::ContinueIfNotQuiet, TailLength::Finite(0))
        } else {
            (ProcessStatus::Continue, TailLength::Finite(player.tail()))
        };
        assert_eq!(status, expected, "at sample {start}");
        assert_eq!(processor.tail(), tail, "at sample {start}");
    }
}
