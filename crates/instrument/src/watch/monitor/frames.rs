//! Tests of the frames that the audio thread requests: at the display's rate while keys move, a few for the
//! meter while strings ring, none in silence.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{AudioEnd, WindowEnd, link};
use crate::host::midi::InputMessage;
use crate::settings::Timing;
use crate::{Event, Piano, Settings};
use touchback_core::math::compass::KeyNumber;

const RATE: f64 = 48_000.0;
const BLOCK: usize = 64;

/// A piano with an open window, and the number of frames that were requested.
struct Bench {
    piano: Piano,
    audio: AudioEnd,
    window: WindowEnd,
    frames: Arc<AtomicUsize>,
}

impl Bench {
    fn new() -> Self {
        let mut settings = Settings::default();
        settings.touch.timing = Timing::Natural;
        let (mut audio, mut window) = link();
        let frames = Arc::new(AtomicUsize::new(0));
        let count = frames.clone();
        audio.wake_by(move || {
            count.fetch_add(1, Ordering::Relaxed);
        });
        window.open();
        Self { piano: Piano::new(RATE, &settings), audio, window, frames }
    }

    /// Runs `seconds` of blocks; returns requested frames and whether a snapshot was published.
    fn run(&mut self, seconds: f64) -> (usize, bool) {
        let (mut left, mut right) = ([0.0f32; BLOCK], [0.0f32; BLOCK]);
        let before = self.frames.load(Ordering::Relaxed);
        let mut time = 0.0;
        while time < seconds {
            let _ = self.audio.before(&mut self.piano);
            self.piano.process(&mut left, &mut right);
            self.audio.after(&mut self.piano, &left, &right);
            while self.window.steps.receive().is_some() {}
            time += BLOCK as f64 / RATE;
        }
        let frames = self.frames.load(Ordering::Relaxed) - before;
        (frames, self.window.snapshots.take_update().is_some())
    }
}

#[test]
fn frames_are_requested_while_keys_move_and_none_in_silence() {
    let mut bench = Bench::new();
    // The first snapshot of an open window.
    bench.run(0.1);
    assert_eq!(bench.run(1.0), (0, false));

    let key = KeyNumber::from_midi(60).unwrap();
    bench.piano.handle(Event::NoteOn { key, velocity: 0.6 });
    let (moving, published) = bench.run(0.1);
    assert!(moving >= 60 && published, "{moving} in 0.1 s");
    // The held key comes to rest while its strings ring: the meter alone moves.
    bench.run(1.0);
    let (ringing, published) = bench.run(1.0);
    assert!((1..=21).contains(&ringing) && !published, "{ringing} a second");

    bench.piano.handle(Event::Sustain(1.0));
    let (pedal, published) = bench.run(0.2);
    assert!(pedal > 10 && published, "{pedal}");
    bench.piano.handle(Event::AllSoundOff);
    bench.piano.handle(Event::AllNotesOff);
    bench.piano.handle(Event::Sustain(0.0));
    bench.run(1.0);
    assert_eq!(bench.run(1.0), (0, false));
}

/// A face lists the received messages.
#[test]
fn a_message_without_effect_requests_one_frame() {
    let mut bench = Bench::new();
    bench.run(0.1);
    assert_eq!(bench.run(1.0), (0, false));
    let message = InputMessage::Controller { channel: 0, number: 20, value: 0.5 };
    bench.audio.record(0, &message);
    assert_eq!(bench.run(1.0), (1, false));
}

#[test]
fn a_held_keys_hammer_stays_in_its_check_in_the_snapshot() {
    let mut bench = Bench::new();
    let key = KeyNumber::from_midi(60).unwrap();
    let i = key.index();
    bench.piano.handle(Event::NoteOn { key, velocity: 0.6 });
    let (mut highest, mut time) = (0.0f32, 0.0);
    let mut snapshot = crate::Snapshot::default();
    while time < 1.5 {
        bench.run(0.005);
        time += 0.005;
        bench.piano.show(&mut snapshot);
        highest = highest.max(snapshot.hammer[i]);
    }
    // 47 mm to the string; the check holds the hammer 15 mm below it.
    assert!((0.042..0.050).contains(&highest), "{highest}");
    assert!((0.025..0.040).contains(&snapshot.hammer[i]), "{}", snapshot.hammer[i]);
    assert!(snapshot.hammer.iter().enumerate().all(|(other, rise)| other == i || *rise == 0.0));
    bench.piano.handle(Event::NoteOff { key, velocity: 0.5 });
    bench.run(1.0);
    bench.piano.show(&mut snapshot);
    assert_eq!(snapshot.hammer[i], 0.0);
}
