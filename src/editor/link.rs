//! Between audio thread and window: snapshots and steps one way, played notes the other.
//!
//! The audio end waits for nothing and allocates nothing; with no window open it does next to
//! nothing.

use std::sync::Arc;

use crate::exchange::flags::Flag;
use crate::exchange::latest::{Reader, Writer, latest};
use crate::exchange::queue::{Receiver, Sender, bounded};
use crate::instrument::trace::Sample;
use crate::instrument::{Event, Piano, Snapshot};

/// Steps on their way to the window: two thirds of a second, much more than a frame.
const STEPS: usize = 5333;
/// Events on their way to the piano: more than hands on a mouse can make between two blocks.
const EVENTS: usize = 256;
/// Time between two snapshots, s: twice the rate of a usual display.
const INTERVAL: f64 = 1.0 / 120.0;

/// The audio thread's end.
pub struct AudioEnd {
    open: Arc<Flag>,
    was_open: bool,
    shown: f64,
    snapshots: Writer<Snapshot>,
    steps: Sender<Sample>,
    events: Receiver<Event>,
}

/// The window's end.
pub struct WindowEnd {
    /// Whether a window is open: the audio thread publishes only then.
    pub open: Arc<Flag>,
    /// The keyboard's state.
    pub snapshots: Reader<Snapshot>,
    /// Steps of the last touched key.
    pub steps: Receiver<Sample>,
    /// What the window plays.
    pub events: Sender<Event>,
}

/// Both ends. Allocates.
#[must_use]
pub fn link() -> (AudioEnd, WindowEnd) {
    let open = Arc::new(Flag::new(false));
    let (writer, reader) = latest(&Snapshot::default());
    let (step_sender, step_receiver) = bounded(STEPS);
    let (event_sender, event_receiver) = bounded(EVENTS);
    let audio = AudioEnd {
        open: open.clone(),
        was_open: false,
        shown: f64::NEG_INFINITY,
        snapshots: writer,
        steps: step_sender,
        events: event_receiver,
    };
    let window = WindowEnd { open, snapshots: reader, steps: step_receiver, events: event_sender };
    (audio, window)
}

impl AudioEnd {
    /// Before a block: what the window played.
    pub fn before(&mut self, piano: &mut Piano) {
        let open = self.open.is_up();
        if open != self.was_open {
            self.was_open = open;
            self.shown = f64::NEG_INFINITY;
            piano.watch(open);
        }
        while let Some(event) = self.events.receive() {
            piano.handle(event);
        }
    }

    /// After a block: what there is to see.
    pub fn after(&mut self, piano: &mut Piano) {
        if !self.was_open {
            return;
        }
        for sample in piano.trace() {
            // A window that does not look loses steps, counted by the queue.
            let _ = self.steps.send(*sample);
        }
        piano.trace_read();
        let now = piano.time();
        // A reset puts the clock back.
        if now >= self.shown + INTERVAL || now < self.shown {
            self.shown = now;
            self.snapshots.update(|snapshot| piano.show(snapshot));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instrument::Settings;
    use crate::math::compass::Key;

    #[test]
    fn a_closed_window_gets_nothing_and_an_open_one_sees_what_it_plays() {
        let mut piano = Piano::new(48_000.0, &Settings::default());
        let (mut audio, mut window) = link();
        let key = Key::from_midi(64).unwrap();
        let mut run = |audio: &mut AudioEnd, blocks: usize| {
            let (mut left, mut right) = ([0.0f32; 480], [0.0f32; 480]);
            let mut loudest = 0.0f32;
            for _ in 0..blocks {
                audio.before(&mut piano);
                piano.process(&mut left, &mut right);
                audio.after(&mut piano);
                loudest = left.iter().fold(loudest, |a, b| a.max(b.abs()));
            }
            loudest
        };
        window.events.send(Event::NoteOn { key, velocity: 0.7 }).unwrap();
        assert!(run(&mut audio, 10) > 1e-3);
        assert!(window.snapshots.news().is_none() && window.steps.waiting() == 0);
        window.open.set(true);
        window.events.send(Event::NoteOn { key, velocity: 0.7 }).unwrap();
        run(&mut audio, 10);
        let snapshot = *window.snapshots.news().unwrap();
        assert_eq!(snapshot.touched, Some(key));
        // 100 ms of steps.
        assert_eq!(window.steps.waiting(), 800);
        assert_eq!(window.steps.receive().unwrap().key, key);
        window.open.set(false);
        run(&mut audio, 10);
        assert_eq!(window.steps.waiting(), 799);
        assert!(window.snapshots.news().is_none());
    }
}
