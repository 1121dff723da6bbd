//! Data between audio thread and window: snapshots, steps, load and the performance one way, events of the
//! window the other.
//!
//! | part | thread |
//! | --- | --- |
//! | [`AudioEnd`] | audio: does not wait or allocate |
//! | [`WindowEnd`] | window |
//! | [`tape`] | both ends of the recorded performance |
//! | [`haptic`] | audio: the keys of a motorized keyboard |
//! | `steps` | both ends of the watched key's steps |
//! | `remote` | the link over a channel of bytes |
//! | `phrase` | audio: a phrase that previews a piano |
//!
//! Without an open window the audio thread only records the performance. Only for an open window does it
//! read the clock, twice a block.

#[cfg(test)]
mod frames;
pub mod haptic;
mod phrase;
#[cfg(feature = "remote")]
pub mod remote;
mod steps;
pub mod tape;

use std::sync::Arc;
#[cfg(not(target_family = "wasm"))]
use std::sync::LazyLock;
#[cfg(not(target_family = "wasm"))]
use std::time::Instant;

use crate::host::midi::InputMessage;
use crate::play::load::WorkCounters;
use crate::{Event, Piano, Snapshot};
use haptic::{HapticKeys, HapticStep};
use phrase::Phrase;
use steps::{StepsIn, StepsOut};
use tape::{Take, Tape};
use touchback_core::exchange::flags::{Flag, SharedLevel};
use touchback_core::exchange::latest::{LatestReader, LatestWriter, latest};
use touchback_core::exchange::queue::{Receiver, Sender, bounded};

/// Most events waiting for the piano: more than a mouse produces between two blocks.
const EVENTS: usize = 256;
/// Time between two snapshots, s: twice the rate of a usual display.
const INTERVAL: f64 = 1.0 / 120.0;
/// Time over which the load is averaged, s.
const AVERAGED: f64 = 0.3;

/// Time between two frames for the meter alone, s: its bars then fall by 0.6 dB a frame.
const METER_INTERVAL: f64 = 1.0 / 20.0;

/// Least output that moves the window's meter: −66 dBFS.
const AUDIBLE: f32 = 5e-4;

/// The cost of computing.
#[derive(Clone, Copy, PartialEq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Meter {
    /// Computing time over the blocks' duration, averaged over 0.3 s.
    pub busy: f64,
    /// Work since reset.
    pub load: WorkCounters,
}

/// The audio thread's end.
pub struct AudioEnd {
    open: Arc<Flag>,
    was_open: bool,
    shown: f64,
    /// Time of the last request of a frame for the meter alone, s.
    metered: f64,
    snapshots: LatestWriter<Snapshot>,
    /// The last published snapshot.
    last: Snapshot,
    steps: StepsIn,
    events: Receiver<Event>,
    tape: Tape,
    haptic: HapticKeys,
    phrase: Phrase,
    preview: Arc<Flag>,
    sample_rate: f64,
    /// The clock by which blocks are timed, s.
    clock: fn() -> f64,
    /// When the block began, s.
    begun: Option<f64>,
    busy: f64,
    worst: Arc<SharedLevel>,
    meters: LatestWriter<Meter>,
    peaks: Arc<[SharedLevel; 2]>,
    limited: Arc<SharedLevel>,
    /// Whether a message was recorded since the last snapshot.
    has_message: bool,
    wake: Option<Box<dyn Fn() + Send>>,
}

/// The window's end.
pub struct WindowEnd {
    open: Arc<Flag>,
    /// The keyboard's state.
    pub snapshots: LatestReader<Snapshot>,
    /// Steps of the last touched key.
    pub steps: StepsOut,
    /// Events that the window plays.
    pub events: Sender<Event>,
    /// The performance of host, window and motorized keyboard.
    pub take: Take,
    /// Whether to play the preview phrase; it sounds only while the window is open.
    pub preview: Arc<Flag>,
    /// The cost of computing.
    pub meters: LatestReader<Meter>,
    /// Largest ratio of a block's computing time to its duration since the window last reset it to 0.
    pub worst: Arc<SharedLevel>,
    /// Largest magnitude of left and right since the window last reset them to 0.
    pub peaks: Arc<[SharedLevel; 2]>,
    /// Largest attenuation by the output guard since the window last reset it to 0, as 1 − gain.
    pub limited: Arc<SharedLevel>,
}

/// Time by the system's steady clock, s from its first reading.
#[cfg(not(target_family = "wasm"))]
fn seconds() -> f64 {
    static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
    FIRST.elapsed().as_secs_f64()
}

/// No clock is common to all threads of a browser.
#[cfg(target_family = "wasm")]
const fn seconds() -> f64 {
    0.0
}

/// Both ends. Allocates.
#[must_use]
pub fn link() -> (AudioEnd, WindowEnd) {
    // The audio thread must find the clock running.
    seconds();
    let open = Arc::new(Flag::new(false));
    let (writer, reader) = latest(&Snapshot::default());
    let (steps_in, steps_out) = steps::steps();
    let (event_sender, event_receiver) = bounded(EVENTS);
    let (tape, take) = tape::tape();
    let (meter_writer, meter_reader) = latest(&Meter::default());
    let worst = Arc::new(SharedLevel::default());
    let peaks = Arc::<[SharedLevel; 2]>::default();
    let limited = Arc::<SharedLevel>::default();
    let preview = Arc::<Flag>::default();
    let audio = AudioEnd {
        open: open.clone(),
        was_open: false,
        shown: f64::NEG_INFINITY,
        metered: f64::NEG_INFINITY,
        snapshots: writer,
        last: Snapshot::default(),
        steps: steps_in,
        events: event_receiver,
        tape,
        haptic: HapticKeys::default(),
        phrase: Phrase::default(),
        preview: preview.clone(),
        sample_rate: 48_000.0,
        clock: seconds,
        begun: None,
        busy: 0.0,
        worst: worst.clone(),
        meters: meter_writer,
        peaks: peaks.clone(),
        limited: limited.clone(),
        has_message: false,
        wake: None,
    };
    let window = WindowEnd {
        open,
        snapshots: reader,
        steps: steps_out,
        events: event_sender,
        take,
        preview,
        meters: meter_reader,
        worst,
        peaks,
        limited,
    };
    (audio, window)
}

impl WindowEnd {
    /// Opens the link: the audio thread publishes from now on. Allocates.
    pub fn open(&mut self) {
        self.steps.open();
        self.open.set(true);
    }

    /// Closes the link.
    pub fn close(&mut self) {
        self.open.set(false);
        self.steps.close();
    }
}

impl AudioEnd {
    /// Sets the function that is called whenever an open window has a change to show. The audio thread
    /// calls it, so it may neither allocate nor wait.
    pub fn wake_by(&mut self, wake: impl Fn() + Send + 'static) {
        self.wake = Some(Box::new(wake));
    }

    /// Wakes an open window: something that it shows has changed.
    pub fn wake(&self) {
        if self.was_open
            && let Some(wake) = &self.wake
        {
            wake();
        }
    }

    /// Sets the clock by which blocks are timed, s from any moment; without one the load is 0 in a browser.
    pub fn time_by(&mut self, clock: fn() -> f64) {
        self.clock = clock;
    }

    /// Sets the sample rate, Hz.
    pub const fn run_at(&mut self, sample_rate: f64) {
        self.sample_rate = sample_rate;
    }

    /// Call before a block: passes the window's events to `piano`. Returns whether one of them was
    /// [`Event::AllSoundOff`].
    #[must_use]
    pub fn before(&mut self, piano: &mut Piano) -> bool {
        let open = self.open.is_up();
        self.steps.follow(open);
        if open != self.was_open {
            self.was_open = open;
            self.shown = f64::NEG_INFINITY;
            piano.watch(open);
            self.haptic = HapticKeys::default();
            self.busy = 0.0;
        }
        self.begun = open.then(self.clock);
        let mut stopped = false;
        while let Some(event) = self.events.receive() {
            stopped |= event == Event::AllSoundOff;
            self.tape.play(0.0, &event, piano.settings());
            piano.handle(event);
        }
        // Only the performance is recorded, not the preview.
        self.phrase.play(open && self.preview.is_up(), |event| piano.handle(event));
        stopped
    }

    /// Records a message of the block, `offset` samples after its beginning.
    pub fn record(&mut self, offset: u32, message: &InputMessage) {
        self.tape.record(f64::from(offset) / self.sample_rate, message);
        self.has_message = true;
    }

    /// Records an event of a motorized keyboard that `piano` receives before the block.
    pub fn record_haptic(&mut self, event: &Event, piano: &Piano) {
        if let Event::Haptic { ahead, .. } = event {
            self.tape.play(ahead / self.sample_rate, event, piano.settings());
        }
    }

    /// Sends a step of a haptic key to an open window.
    pub fn show_haptic(&mut self, step: &HapticStep) {
        if self.was_open
            && let Some(sample) = self.haptic.take(step)
        {
            self.steps.send(&sample);
        }
    }

    /// Clears the haptic keys: no keyboard is connected any more.
    pub fn clear_haptic(&mut self) {
        self.haptic = HapticKeys::default();
    }

    /// Call after a block: the output guard's least gain in it.
    pub fn limit(&self, least_gain: f64) {
        if self.was_open {
            self.limited.raise(1.0 - least_gain);
        }
    }

    /// Call after a block, with its samples: publishes snapshot, steps, level and load.
    pub fn after(&mut self, piano: &mut Piano, left: &[f32], right: &[f32]) {
        let length = left.len() as f64 / self.sample_rate;
        self.tape.advance(length);
        self.phrase.advance(length);
        if let Some(begun) = self.begun.take()
            && length > 0.0
        {
            let share = ((self.clock)() - begun) / length;
            self.busy += (share - self.busy) * (length / AVERAGED).min(1.0);
            self.worst.raise(share);
        }
        if !self.was_open {
            return;
        }
        let (mut has_changed, mut sounds) = (false, false);
        for (shown, channel) in self.peaks.iter().zip([left, right]) {
            let peak = channel.iter().fold(0.0f32, |peak, sample| peak.max(sample.abs()));
            shown.raise(f64::from(peak));
            sounds |= peak > AUDIBLE;
        }
        for sample in piano.trace() {
            has_changed = true;
            if self.haptic.yields_to(sample.touch) {
                self.steps.send(sample);
            }
        }
        piano.trace_read();
        let now = piano.time();
        // A reset sets the clock back.
        let is_reset = now < self.shown;
        if now >= self.shown + INTERVAL || is_reset {
            has_changed |= std::mem::take(&mut self.has_message);
            // The first snapshot of an open window is always published.
            let is_first = !self.shown.is_finite();
            self.shown = now;
            let haptic = self.haptic.has_moved();
            if is_first || is_reset || haptic || piano.has_changed(&self.last) {
                let last = &mut self.last;
                self.snapshots.update(|snapshot| {
                    piano.show(snapshot);
                    self.haptic.show(snapshot);
                    // A change of the time alone changes nothing in the picture.
                    has_changed |= *snapshot != Snapshot { time: snapshot.time, ..*last };
                    *last = *snapshot;
                });
            }
            self.meters.write(Meter { busy: self.busy, load: piano.load() });
        }
        if sounds && !has_changed && (now >= self.metered + METER_INTERVAL || is_reset) {
            has_changed = true;
        }
        if has_changed {
            self.metered = now;
            self.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;
    use crate::watch::trace::Sample;
    use touchback_action::grand::GrandKey;
    use touchback_action::interface::key::Key;
    use touchback_action::{ActionKind, ActionSettings, Drive};
    use touchback_core::math::compass::KeyNumber;

    #[test]
    fn a_closed_window_receives_nothing_and_an_open_one_the_steps_it_plays() {
        let mut piano = Piano::new(48_000.0, &Settings::default());
        let (mut audio, mut window) = link();
        let key = KeyNumber::from_midi(64).unwrap();
        let mut run = |audio: &mut AudioEnd, blocks: usize| {
            let (mut left, mut right) = ([0.0f32; 480], [0.0f32; 480]);
            let mut loudest = 0.0f32;
            for _ in 0..blocks {
                let _ = audio.before(&mut piano);
                piano.process(&mut left, &mut right);
                audio.after(&mut piano, &left, &right);
                loudest = left.iter().fold(loudest, |a, b| a.max(b.abs()));
            }
            loudest
        };
        window.events.send(Event::NoteOn { key, velocity: 0.7 }).unwrap();
        assert!(run(&mut audio, 10) > 1e-3);
        assert!(window.snapshots.take_update().is_none() && window.steps.waiting() == 0);
        assert!(window.meters.take_update().is_none() && window.worst.swap(0.0) == 0.0);
        // The performance is recorded all the same.
        let notes = |window: &WindowEnd| {
            let all = window.take.all();
            all.into_iter().filter(|h| h.velocity().is_some()).collect::<Vec<_>>()
        };
        assert_eq!(notes(&window).len(), 1);
        window.open();
        window.events.send(Event::NoteOn { key, velocity: 0.7 }).unwrap();
        run(&mut audio, 10);
        let snapshot = *window.snapshots.take_update().unwrap();
        assert_eq!(snapshot.touched, Some(key));
        // 100 ms of steps.
        assert_eq!(window.steps.waiting(), 800);
        assert_eq!(window.steps.receive().unwrap().key, key);
        let meter = *window.meters.take_update().unwrap();
        assert!(meter.busy > 0.0 && window.worst.swap(0.0) >= meter.busy, "{meter:?}");
        assert!(meter.load.key_steps >= 800, "{meter:?}");
        let second = notes(&window)[1];
        assert!((second.time - 0.1).abs() < 1e-9 && second.bytes[..2] == [0x90, 64]);
        window.close();
        run(&mut audio, 10);
        assert_eq!(window.steps.waiting(), 0);
        assert!(window.snapshots.take_update().is_none());
        window.events.send(Event::AllSoundOff).unwrap();
        assert!(audio.before(&mut piano));
    }

    #[test]
    fn a_phrase_is_played_for_an_open_window_and_leaves_nothing_held() {
        let mut piano = Piano::new(48_000.0, &Settings::default());
        let (mut audio, mut window) = link();
        window.preview.set(true);
        let mut run = |audio: &mut AudioEnd, blocks: usize| {
            let (mut left, mut right) = ([0.0f32; 480], [0.0f32; 480]);
            for _ in 0..blocks {
                let _ = audio.before(&mut piano);
                piano.process(&mut left, &mut right);
                audio.after(&mut piano, &left, &right);
            }
            let mut snapshot = Snapshot::default();
            piano.show(&mut snapshot);
            (snapshot.counts.notes, snapshot.depth.iter().any(|d| *d > 1e-3), snapshot.sustain)
        };
        // Without an open window the phrase does not play.
        assert_eq!(run(&mut audio, 10), (0, false, 0.0));
        window.open();
        assert_eq!(run(&mut audio, 100), (3, true, 1.0));
        window.preview.set(false);
        assert_eq!(run(&mut audio, 60), (3, false, 0.0));
        window.preview.set(true);
        assert!(run(&mut audio, 20).1);
        window.close();
        assert_eq!(run(&mut audio, 60), (4, false, 0.0));
        // The phrase is not recorded.
        assert!(window.take.all().is_empty());
    }

    /// A haptic key is shown while the piano's own keys rest: in the snapshot, and step by step with the
    /// state of its action. A key played later is shown instead; a disconnected keyboard is not shown.
    #[test]
    fn a_haptic_key_is_shown_like_a_played_one() {
        let mut piano = Piano::new(48_000.0, &Settings::default());
        let (mut audio, mut window) = link();
        window.open();
        let key = KeyNumber::from_midi(64).unwrap();
        let mut haptic = GrandKey::new(key, &ActionSettings::default());
        haptic.reset_to_rest();
        let drive = Drive::Wave { force: 6.0, impedance: 5.0 };
        let mut step = 0;
        let mut run = |audio: &mut AudioEnd, blocks: usize, plays: bool| {
            let (mut left, mut right) = ([0.0f32; 480], [0.0f32; 480]);
            for _ in 0..blocks {
                let _ = audio.before(&mut piano);
                for _ in 0..if plays { 80 } else { 0 } {
                    haptic.step(drive, &mut |_, _| ());
                    let kind = Some(ActionKind::Grand);
                    let ([depth, _], lift) = (haptic.front(), haptic.damper_lift());
                    let picture = Some((drive, haptic.save()));
                    audio.show_haptic(&HapticStep { key, step, kind, depth, lift, picture });
                    step += 1;
                }
                piano.process(&mut left, &mut right);
                audio.after(&mut piano, &left, &right);
            }
        };
        run(&mut audio, 10, true);
        let snapshot = *window.snapshots.take_update().unwrap();
        assert!(snapshot.depth[key.index()] > 8e-3 && snapshot.damper[key.index()] > 0.5);
        assert_eq!((snapshot.touched, snapshot.awake), (Some(key), 1));
        let samples: Vec<Sample> = std::iter::from_fn(|| window.steps.receive()).collect();
        assert!(samples.len() > 700 && samples.iter().all(|s| s.key == key && s.touch > 1 << 62));
        assert!(samples.windows(2).all(|pair| pair[1].step == pair[0].step + 1));

        let other = KeyNumber::from_midi(50).unwrap();
        window.events.send(Event::NoteOn { key: other, velocity: 0.7 }).unwrap();
        run(&mut audio, 2, false);
        let samples: Vec<Sample> = std::iter::from_fn(|| window.steps.receive()).collect();
        assert!(!samples.is_empty() && samples.iter().all(|s| s.key == other));
        audio.clear_haptic();
        run(&mut audio, 2, false);
        assert!(window.snapshots.take_update().unwrap().depth[key.index()] < 1e-3);
    }
}
