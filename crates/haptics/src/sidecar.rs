//! The sidecar: one thread that owns the port and runs the servo against the wall clock.
//!
//! It waits for bytes, not for a timer: a state's arrival is the servo's tick. Orders come by a
//! queue, the status goes out as latest value, the log goes to whoever replays it. A lost port is
//! opened again; force comes back only when armed again.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::action::Action;
use crate::log::{Entry, Log};
use crate::priority::{self, Priority};
use crate::serial::{PortError, SerialLink};
use crate::servo::{Servo, ServoOptions, ServoStatus};
use touchback_action::{ActionSettings, Drive, TimedEvent};
use touchback_core::exchange::flags::Flag;
use touchback_core::exchange::{latest, queue};
use touchback_core::math::compass::KeyNumber;

/// Longest wait for bytes: the rate at which silence is noticed.
const PATIENCE: Duration = Duration::from_millis(1);
/// Time between attempts to open a lost port.
const RETRY: Duration = Duration::from_millis(300);
/// Room for entries: a second of ten keys.
const LOG_ROOM: usize = 16_384;
/// Room for events and orders.
const ROOM: usize = 256;

/// An order to the sidecar.
#[derive(Clone, Copy, PartialEq, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "the sidecar takes orders without freeing memory; its queue is short"
)]
pub enum SidecarOrder {
    /// Arms or disarms.
    Arm(bool),
    /// Share of the force, 0…1.
    Gain(f64),
    /// Action and settings to be felt.
    Feel(Action, ActionSettings),
    /// Host notes may move the keys.
    LetPlay(bool),
}

/// A host note that may move a key.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct KeyPress {
    /// Which key.
    pub key: KeyNumber,
    /// Speed of the fingertip, m/s; 0 where the note ends.
    pub speed: f64,
}

/// Histogram of times in octaves: below 125 µs, 250 µs, … 64 ms, and above.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Histogram {
    /// Number of times in each class: 0 below 125 µs, 1 125 to 250 µs, … 9 32 to 64 ms, 10
    /// above.
    pub counts: [u64; 11],
    /// Longest time, s.
    pub longest: f64,
    /// Sum of all times, s.
    pub sum: f64,
}

impl Histogram {
    /// Counts a time, s.
    pub fn add(&mut self, time: f64) {
        let mut class = 0;
        let mut bound = 125e-6;
        while time >= bound && class < 10 {
            class += 1;
            bound *= 2.0;
        }
        self.counts[class] += 1;
        self.longest = self.longest.max(time);
        self.sum += time;
    }

    /// Number of times counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }
}

/// Measurements of the sidecar, published once a wake-up.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SidecarReport {
    /// The servo's status.
    pub status: ServoStatus,
    /// Priority of the thread.
    pub priority: Priority,
    /// The port is open.
    pub is_open: bool,
    /// Round trips from command to acknowledging state.
    pub round_trips: Histogram,
    /// Times between arrivals of states.
    pub periods: Histogram,
    /// Times of the servo's work on a state.
    pub work: Histogram,
    /// Key slots worked on, for the work per key.
    pub key_slots: u64,
    /// Depth and force of the first ten keys: m, N.
    pub keys: [[f64; 2]; 10],
    /// Height of the first key's hammer over its string, m, if there is one.
    pub hammer: Option<f64>,
    /// Log entries that found no room in the queue.
    pub lost_log: u64,
}

/// Handle of the thread; dropping it ends force and the thread.
#[derive(Debug)]
pub struct Sidecar {
    orders: queue::Sender<SidecarOrder>,
    report: latest::LatestReader<SidecarReport>,
    log: Option<queue::Receiver<Entry>>,
    settings: Option<latest::LatestWriter<ActionSettings>>,
    notes: Option<queue::Sender<KeyPress>>,
    events: queue::Receiver<TimedEvent>,
    ends: Arc<Flag>,
    /// Force is unwanted: a way of its own, which no full queue can lose.
    disarms: Arc<Flag>,
    thread: Option<JoinHandle<()>>,
}

/// The log's way out of the thread.
struct Out {
    log: queue::Sender<Entry>,
    events: queue::Sender<TimedEvent>,
}

impl Log for Out {
    fn put(&mut self, entry: &Entry) -> bool {
        self.log.send(*entry).is_ok()
    }
    fn heard(&mut self, heard: &TimedEvent) {
        // A full queue drops the event and counts it.
        let _ = self.events.send(*heard);
    }
}

impl Sidecar {
    /// Opens `path` for `owner` and starts. The first opening is the caller's, so that its trouble
    /// can be told; later ones are tried again and again.
    ///
    /// # Errors
    /// Why the port cannot be had.
    pub fn start(path: &str, owner: &str, options: ServoOptions) -> Result<Self, PortError> {
        let port = SerialLink::open(path, owner, PATIENCE)?;
        let (orders, inbox) = queue::bounded(ROOM);
        let (writer, report) = latest::latest(&SidecarReport::default());
        let (log, outlet) = queue::bounded(LOG_ROOM);
        let (events, heard) = queue::bounded(ROOM);
        let (settings, regulation) = latest::latest(&options.settings);
        let (notes, played) = queue::bounded(ROOM);
        let ends = Arc::new(Flag::new(false));
        let disarms = Arc::new(Flag::new(false));
        let run = Run {
            path: path.into(),
            owner: owner.into(),
            inbox,
            regulation,
            played,
            writer,
            ends: ends.clone(),
            disarms: disarms.clone(),
            report: SidecarReport::default(),
            last_state: None,
            last_states: 0,
            last_trip: 0.0,
        };
        let out = Out { log, events };
        let thread = std::thread::Builder::new()
            .name("touchback haptics".into())
            .spawn(move || run.run(port, options, out))
            .map_err(|e| PortError::Other(path.into(), e.to_string()))?;
        Ok(Self {
            orders,
            report,
            log: Some(outlet),
            settings: Some(settings),
            notes: Some(notes),
            events: heard,
            ends,
            disarms,
            thread: Some(thread),
        })
    }

    /// Queues an order; dropped where 256 wait already. To disarm is never dropped.
    pub fn order(&self, order: SidecarOrder) {
        if order == SidecarOrder::Arm(false) {
            self.disarms.set(true);
        } else {
            let _ = self.orders.send(order);
        }
    }

    /// The latest report.
    pub fn report(&mut self) -> &SidecarReport {
        self.report.read()
    }

    /// The log's receiving end, once.
    pub fn take_log(&mut self) -> Option<queue::Receiver<Entry>> {
        self.log.take()
    }

    /// Where a new regulation is written, once: without waiting, from the audio thread too.
    pub fn take_settings(&mut self) -> Option<latest::LatestWriter<ActionSettings>> {
        self.settings.take()
    }

    /// Where notes that move keys are sent, once: without waiting, from the audio thread too.
    pub fn take_notes(&mut self) -> Option<queue::Sender<KeyPress>> {
        self.notes.take()
    }

    /// The oldest event not yet heard of.
    #[must_use]
    pub fn heard(&self) -> Option<TimedEvent> {
        self.events.receive()
    }
}

impl Drop for Sidecar {
    fn drop(&mut self) {
        self.ends.set(true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Run {
    path: String,
    owner: String,
    inbox: queue::Receiver<SidecarOrder>,
    regulation: latest::LatestReader<ActionSettings>,
    played: queue::Receiver<KeyPress>,
    writer: latest::LatestWriter<SidecarReport>,
    ends: Arc<Flag>,
    disarms: Arc<Flag>,
    report: SidecarReport,
    last_state: Option<Instant>,
    last_states: u64,
    last_trip: f64,
}

impl Run {
    fn run(mut self, port: SerialLink, options: ServoOptions, mut log: Out) {
        self.report.priority = priority::raise();
        let begin = Instant::now();
        let mut servo = Servo::new(options, 0.0);
        let mut port = Some(port);
        let mut bytes = [0; 4096];
        let mut out = Vec::with_capacity(8192);
        let mut lost_at = begin;
        while !self.ends.is_up() {
            let got = match port.as_mut().map(|p| p.read(&mut bytes)) {
                Some(Ok(n)) => n,
                Some(Err(_)) => {
                    port = None;
                    lost_at = Instant::now();
                    0
                }
                None => {
                    std::thread::sleep(PATIENCE);
                    if lost_at.elapsed() >= RETRY {
                        lost_at = Instant::now();
                        port = SerialLink::open(&self.path, &self.owner, PATIENCE).ok();
                    }
                    0
                }
            };
            let arrived = Instant::now();
            let now = (arrived - begin).as_secs_f64();
            out.clear();
            while let Some(order) = self.inbox.receive() {
                match order {
                    SidecarOrder::Arm(on) => servo.arm(on, now, &mut out),
                    SidecarOrder::Gain(gain) => servo.gain(gain),
                    SidecarOrder::Feel(action, settings) => servo.feel(action, &settings),
                    SidecarOrder::LetPlay(on) => servo.let_play(on),
                }
            }
            // After the orders: whoever disarms within the same millisecond has the last word.
            if self.disarms.is_up() {
                self.disarms.set(false);
                servo.arm(false, now, &mut out);
            }
            if let Some(settings) = self.regulation.take_update() {
                servo.feel(servo.options().action, settings);
            }
            while let Some(note) = self.played.receive() {
                servo.play(note.key, note.speed);
            }
            servo.receive(now, &bytes[..got], &mut out, &mut log);
            servo.tick(now, &mut out);
            if let Some(open) = port.as_mut()
                && open.write(&out).is_err()
            {
                port = None;
                lost_at = Instant::now();
            }
            self.publish(&servo, arrived, port.is_some(), &log);
        }
        // Disarm before the port is closed.
        out.clear();
        servo.arm(false, begin.elapsed().as_secs_f64(), &mut out);
        if let Some(open) = port.as_mut() {
            let _ = open.write(&out);
        }
    }

    fn publish(&mut self, servo: &Servo, arrived: Instant, is_open: bool, log: &Out) {
        let status = servo.status();
        if status.states > self.last_states {
            if let Some(last) = self.last_state.replace(arrived) {
                self.report.periods.add((arrived - last).as_secs_f64());
            }
            self.report.work.add(arrived.elapsed().as_secs_f64());
            let slots = (status.states - self.last_states) * u64::from(status.awake);
            self.report.key_slots += slots;
            self.last_states = status.states;
        }
        if status.round_trip != self.last_trip {
            self.last_trip = status.round_trip;
            self.report.round_trips.add(status.round_trip);
        }
        self.report.status = status;
        self.report.is_open = is_open;
        self.report.lost_log = log.log.lost();
        for (i, key) in self.report.keys.iter_mut().enumerate() {
            *key = servo.key(i).map_or([0.0; 2], |key| [key.depth, key.force]);
        }
        let first = servo.simulated(0).map(|key| key.readout(Drive::Free).hammer);
        self.report.hammer = first.filter(|height| height.is_finite());
        self.writer.write(self.report);
    }
}
