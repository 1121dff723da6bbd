//! The audio path of the piano and of a replayed keyboard does not allocate.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

use touchback_action::interface::key::DynamicsCompensation;
use touchback_action::interface::key_sheet::KeySheet;
use touchback_action::interface::kind;
use touchback_action::{ActionKind, ActionSettings, Drive, TimedEvent};
use touchback_core::exchange::latest;
use touchback_core::exchange::shared::Keeper;
use touchback_core::exchange::shared::Shared;
use touchback_core::math::compass::KeyNumber;
use touchback_haptics::action::Action;
use touchback_haptics::record::live::LiveReplay;
use touchback_haptics::record::log::{Entry, Log};
use touchback_haptics::record::publish::publisher;
use touchback_haptics::record::replay::{Replay, ReplayEvent};
use touchback_instrument::host::mechanism;
use touchback_instrument::host::midi::{Address, InputMessage};
use touchback_instrument::host::params;
use touchback_instrument::play::event_scheduler::{EventScheduler, Host};
use touchback_instrument::settings::Timing;
use touchback_instrument::{Event, Piano, Settings, Snapshot};
use touchback_models::catalogue::Model;
use touchback_sound::tuning::scala::Texts;

struct Counting;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // A thread that ends has no counter any more.
    let _ = CALLS.try_with(|calls| calls.set(calls.get() + 1));
}

// SAFETY: every call is passed to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the conditions are those of the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count();
        // SAFETY: the conditions are those of the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations and releases of this thread during `work`.
fn calls(work: impl FnOnce()) -> u64 {
    let before = CALLS.get();
    work();
    CALLS.get() - before
}

#[test]
fn the_counter_counts_allocations_and_releases() {
    assert_eq!(calls(|| drop(black_box(vec![1u8; 100]))), 2);
    assert_eq!(calls(|| assert_eq!(black_box([1u8; 100]).len(), 100)), 0);
}

#[test]
fn stepping_and_reading_any_action_allocates_nothing() {
    let key = KeyNumber::from_midi(60).expect("a key");
    for name in kind::NAMES {
        let model = Model::named(name, key, &ActionSettings::default()).expect("a model");
        let mut played = model.start();
        let counted = calls(|| {
            for i in 0..800 {
                let drive = Drive::Finger([f64::from(i) * 3e-5, f64::from(i + 1) * 3e-5]);
                played.step(drive, &mut |_, event| {
                    black_box(event);
                });
                black_box(played.readout(drive).key_force);
            }
            played.reset_to_rest();
        });
        assert_eq!(counted, 0, "{name}");
    }
}

#[test]
fn changing_the_action_while_playing_allocates_nothing() {
    let mut piano = Piano::new(48_000.0, &Settings::default());
    // Its publisher keeps a mechanism as long as the piano may have it.
    let text = include_str!("../../../mechanisms/ball.mechanism.toml");
    let file = mechanism::read("own.mechanism.toml", text.into()).expect("a file");
    let file = Shared::from(Some(file));
    let (mut left, mut right) = (vec![0.0; 480], vec![0.0; 480]);
    let counted = calls(|| {
        for timing in [Timing::Immediate, Timing::Natural] {
            for action in ActionKind::ALL {
                let mut settings = Settings::default();
                settings.action.action = action;
                if action == ActionKind::File {
                    settings.action.mechanism.clone_from(&file);
                }
                settings.touch.timing = timing;
                piano.set(&settings);
                for key in KeyNumber::all() {
                    piano.handle(Event::NoteOn { key, velocity: 0.6 });
                }
                for _ in 0..20 {
                    piano.process(&mut left, &mut right);
                }
                piano.handle(Event::AllNotesOff);
                piano.process(&mut left, &mut right);
            }
        }
    });
    assert_eq!(counted, 0);
}

#[test]
fn playing_allocates_nothing() {
    let mut piano = Piano::new(48_000.0, &Settings::default());
    let (mut left, mut right) = (vec![0.0; 512], vec![0.0; 512]);
    let changed: Vec<Settings> = params::all()
        .map(|p| {
            let mut settings = Settings::default();
            p.set(&mut settings, p.max());
            settings
        })
        .collect();
    let mut snapshot = Snapshot::default();
    let counted = calls(|| {
        // The keys are watched half of the time.
        for (i, settings) in changed.iter().enumerate() {
            piano.watch(i % 2 == 0);
            piano.set(settings);
            for key in KeyNumber::all().filter(|k| k.index() % 7 == i % 7) {
                piano.handle(Event::NoteOn { key, velocity: 0.1 + 0.025 * i as f64 });
            }
            piano.handle(Event::Sustain(if i % 3 == 0 { 1.0 } else { 0.4 }));
            for length in [1, 63, 512, 200] {
                piano.process(&mut left[..length], &mut right[..length]);
            }
            for key in KeyNumber::all().filter(|k| k.index() % 7 == i % 7) {
                piano.handle(Event::NoteOff { key, velocity: 0.5 });
            }
            black_box((piano.counts(), piano.strikes().len(), piano.is_idle()));
            piano.process(&mut left, &mut right);
            black_box(piano.trace().len());
            piano.trace_read();
            piano.show(&mut snapshot);
        }
        piano.handle(Event::AllNotesOff);
        piano.process(&mut left, &mut right);
        piano.handle(Event::AllSoundOff);
        piano.process(&mut left, &mut right);
        piano.reset();
        piano.process(&mut left, &mut right);
    });
    assert_eq!(counted, 0, "allocations and releases while playing");
}

/// A host's block of notes.
struct Chord(Vec<(u32, InputMessage)>);

impl Chord {
    /// Begins `notes`, or ends them.
    fn new(notes: std::ops::Range<u8>, begins: bool) -> Self {
        let message = |note| match begins {
            true => InputMessage::NoteOn { channel: 0, note, id: None, velocity: 0.6 },
            false => InputMessage::NoteOff { to: Address::note(0, note), velocity: 0.5 },
        };
        Self(notes.map(|note| (0, message(note))).collect())
    }
}

impl Host for Chord {
    fn next(&mut self) -> Option<(u32, InputMessage)> {
        self.0.pop()
    }
}

#[test]
fn look_ahead_with_uneven_keys_allocates_nothing() {
    let mut settings = Settings::default();
    settings.touch.timing = Timing::LookAhead;
    settings.action.unevenness = 1.0;
    let sheet = "key,let_off_mm,friction\n40,1,0.3\n69,-0.5,\n";
    settings.set_key_sheet(sheet.parse().expect("a sheet"));
    let mut scheduler = EventScheduler::new(Piano::new(48_000.0, &settings));
    let mut turned = settings.clone();
    turned.action.hammer_mass = 1.5;
    let (mut left, mut right) = (vec![0.0; 4_800], vec![0.0; 4_800]);
    let mut blocks: Vec<Chord> =
        (0..12).map(|i| Chord::new(21 + 6 * i..40 + 6 * i, i % 2 == 0)).collect();
    let counted = calls(|| {
        for (i, chord) in blocks.iter_mut().enumerate() {
            scheduler.set(if i % 3 == 0 { &turned } else { &settings });
            scheduler.process(&mut left, &mut right, chord);
            black_box((scheduler.counts(), scheduler.lateness(), scheduler.tail()));
        }
        scheduler.forget();
    });
    assert_eq!(counted, 0);
    assert!(scheduler.counts().strikes > 20);
}

/// Sheets and scales come from another thread, which keeps them until this one has others.
#[test]
fn changing_sheet_and_scale_while_playing_neither_allocates_nor_frees() {
    for timing in [Timing::Immediate, Timing::LookAhead] {
        let mut settings = Settings::default();
        settings.touch.timing = timing;
        let mut scheduler = EventScheduler::new(Piano::new(48_000.0, &settings));
        let (mut writer, mut reader) = latest::latest(&Settings::default());
        let (mut actions, mut tones) = (Keeper::default(), Keeper::default());
        let mut scales = Keeper::default();
        let (mut left, mut right) = (vec![0.0; 2_400], vec![0.0; 2_400]);
        let mut counted = 0;
        for i in 0..30u8 {
            let sheet: KeySheet =
                format!("key,let_off_mm,unison_width_cents,partial_1_db\n40,0.{i},1.{i},-3\n")
                    .parse()
                    .expect("a sheet");
            let scale = format!("a fifth\n2\n{}.0\n1200.0\n", 690 + u16::from(i));
            let texts = Texts { name: String::new(), scale, map: None };
            let mut published = settings.clone();
            published.set_key_sheet(sheet);
            published.sound.scale = Some(texts.scale().expect("a scale")).into();
            actions.keep(&published.action.keys);
            tones.keep(&published.sound.tones);
            scales.keep(&published.sound.scale);
            writer.write(published);
            let mut chord = Chord::new(60..70, i % 2 == 0);
            counted += calls(|| {
                if let Some(published) = reader.take_update() {
                    settings = published.clone();
                }
                scheduler.set(&settings);
                scheduler.process(&mut left, &mut right, &mut chord);
            });
        }
        assert_eq!(counted, 0, "{timing:?}");
        assert!(left.iter().any(|sample| sample.abs() > 1e-3), "{timing:?}: silence");
    }
}

/// Replay of a recorded log in the audio thread, with a change of regulation and another action; and the events of a
/// running servo, with a pause and a restarted count.
#[test]
fn replaying_a_servo_allocates_nothing() {
    let (mut publisher, receiver) = publisher();
    let mut live = LiveReplay::new(receiver, Action::GRAND, 48_000.0, 256);
    let settings = ActionSettings::default();
    let other = ActionSettings { let_off_mm: 4.0, ..settings.clone() };
    let compensation = DynamicsCompensation { mass: 0.02, ..DynamicsCompensation::default() };
    let key = KeyNumber::from_midi(60).expect("a key");
    let (mut simulated, _) = Action::GRAND.key(key, &settings, &compensation);
    simulated.reset_to_rest();
    let saved = simulated.save();
    let mut entries =
        vec![Entry::Setting { step: 0, action: Action::GRAND, settings: settings.clone() }];
    entries.push(Entry::Place { step: 0, key, compensation, saved });
    let force = |slot: u64| if slot % 100 < 50 { 6.0 } else { 0.2 };
    for slot in 0..1000u64 {
        let step = 8 * slot;
        if slot == 300 {
            let settings = other.clone();
            entries.push(Entry::Setting { step, action: Action::GRAND, settings });
        }
        if slot == 900 {
            let settings = settings.clone();
            entries.push(Entry::Setting { step, action: Action::Bench, settings });
        }
        entries.push(Entry::Slot { step, key, steps: 8, force: force(slot), impedance: 10.0 });
    }
    let mut replay = Replay::recorded(entries, Action::GRAND, 48_000.0);
    let (mut events, mut live_events) = (0, 0);
    let counted = calls(|| {
        for slot in 0..1000 {
            replay.block(48 * slot, 48, |_, event| {
                black_box(event);
                events += 1;
            });
        }
        for pass in 0..3u64 {
            // In the third pass the keyboard's count is restarted.
            let start = [0, 100_000, 0][usize::try_from(pass).unwrap_or(0)];
            for slot in 0..1000u64 {
                let drive = Drive::Wave { force: force(slot), impedance: 10.0 };
                let steps = start + 8 * slot..start + 8 * slot + 8;
                for step in steps.clone() {
                    simulated.step(drive, &mut |offset, event| {
                        publisher.on_event(&TimedEvent { key, step, offset, event });
                    });
                    publisher.on_step(key, step, drive, &*simulated);
                }
                publisher.on_slot(key, steps, &*simulated);
                publisher.flush();
                // The audio thread pauses from 500 to 600.
                if !(500..600).contains(&slot) {
                    live.watch(48 * (1000 * pass + slot), 48, |output| {
                        live_events += u32::from(matches!(output, ReplayEvent::Event(..)));
                    });
                }
            }
        }
    });
    assert_eq!(counted, 0);
    assert!(events > 50 && live_events > 50 && live.late > 0, "{events} {live_events} events");
}
