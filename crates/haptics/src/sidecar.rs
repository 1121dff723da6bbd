//! The sidecar: one thread that owns the port and runs the servo against the wall clock.
//!
//! The thread waits for bytes and not for a timer: the arrival of a state triggers the servo. Orders come
//! through a queue, the report goes out as latest value, log and events go through queues. A lost
//! port is opened again; force returns only after arming again.

use std::ops::Range;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::action::Action;
use crate::line::priority::{self, Priority};
use crate::line::serial::{PortError, SerialLink};
use crate::record::log::{Entry, Log};
use crate::servo::{Servo, ServoOptions, ServoStatus};
use touchback_action::interface::key::Key;
use touchback_action::{ActionSettings, Drive, EventKind, TimedEvent};
use touchback_core::exchange::flags::Flag;
use touchback_core::exchange::{latest, queue};
use touchback_core::math::compass::KeyNumber;

/// Longest wait for bytes, and so the time after which silence is noticed.
const READ_TIMEOUT: Duration = Duration::from_millis(1);
/// Time between readings of the hammers, which are drawn up to 60 times a second and cost as much as a step each.
const DRAWING_PERIOD: Duration = Duration::from_millis(10);
/// Time between attempts to open a lost port.
const RETRY_INTERVAL: Duration = Duration::from_millis(300);
/// Capacity of the queues.
const CAPACITY: usize = 256;

/// An order to the sidecar.
#[derive(Clone, PartialEq, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "the sidecar handles orders without freeing memory; the queue is short"
)]
pub enum SidecarOrder {
    /// Arms or disarms.
    Arm(bool),
    /// Sets the share of the computed force, 0…1.
    Gain(f64),
    /// Sets the simulated action and its settings.
    Feel(Action, ActionSettings),
    /// Lets host notes move the keys, or forbids it.
    LetPlay(bool),
}

/// A host note that may move a key.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct KeyPress {
    /// The key.
    pub key: KeyNumber,
    /// Speed of the fingertip, m/s; 0 where the note ends.
    pub speed: f64,
}

/// Histogram of times in octaves from 125 µs to 64 ms.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Histogram {
    /// Number of times in each class: class 0 below 125 µs, class 1 from 125 to 250 µs, …, class 9 from 32 to
    /// 64 ms, class 10 above.
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

/// Measurements of the sidecar, published at every wake-up.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SidecarReport {
    /// The servo's status.
    pub status: ServoStatus,
    /// Priority of the thread.
    pub priority: Priority,
    /// The port is open.
    pub is_open: bool,
    /// Round trips from ping to pong.
    pub round_trips: Histogram,
    /// Times between arrivals of states.
    pub periods: Histogram,
    /// Computation times of the servo per state.
    pub work: Histogram,
    /// Key slots computed, for the computation time per key.
    pub key_slots: u64,
    /// Depth and force of the first ten keys: m, N.
    pub keys: [[f64; 2]; 10],
    /// Positions of the hammers of the first ten keys relative to the string, m, negative below it; none for an action
    /// without hammer.
    pub hammers: [Option<f64>; 10],
    /// Entries of the log, or events and positions for the audio thread, lost to a full queue.
    pub lost_log: u64,
    /// Strikes of the simulated hammers.
    pub strikes: u64,
}

/// Handle of the thread; dropping it ends force and the thread.
#[derive(Debug)]
pub struct Sidecar {
    orders: queue::Sender<SidecarOrder>,
    report: latest::LatestReader<SidecarReport>,
    settings: Option<latest::LatestWriter<ActionSettings>>,
    notes: Option<queue::Sender<KeyPress>>,
    events: queue::Receiver<TimedEvent>,
    ends: Arc<Flag>,
    /// Set to disarm: a path of its own, which no full queue can block.
    disarms: Arc<Flag>,
    thread: Option<JoinHandle<()>>,
}

/// A log, and the queue that takes events out of the thread.
struct EventLog<L> {
    log: L,
    events: queue::Sender<TimedEvent>,
    strikes: u64,
}

impl<L: Log> Log for EventLog<L> {
    fn put(&mut self, entry: &Entry) -> bool {
        self.log.put(entry)
    }
    fn on_step(&mut self, key: KeyNumber, step: u64, drive: Drive, state: &dyn Key) {
        self.log.on_step(key, step, drive, state);
    }
    fn on_slot(&mut self, key: KeyNumber, steps: Range<u64>, state: &dyn Key) {
        self.log.on_slot(key, steps, state);
    }
    fn on_event(&mut self, event: &TimedEvent) {
        self.log.on_event(event);
        self.strikes += u64::from(event.event.kind() == EventKind::Strike);
        // A full queue drops the event and counts it.
        let _ = self.events.send(*event);
    }
}

impl Sidecar {
    /// Opens the port `path` for `owner` and starts the thread. The first opening happens in the caller's
    /// thread, so that its error can be shown; a lost port is opened again every 300 ms.
    ///
    /// # Errors
    /// The port cannot be opened.
    pub fn start(path: &str, owner: &str, options: ServoOptions) -> Result<Self, PortError> {
        Self::start_with(path, owner, options, None, ())
    }

    /// Like [`Sidecar::start`], with the servo's `log`; with an `origin` the steps are counted from this moment, so that
    /// the logs of several ports have one time base.
    ///
    /// # Errors
    /// The port cannot be opened.
    pub(crate) fn start_with(
        path: &str,
        owner: &str,
        options: ServoOptions,
        origin: Option<Instant>,
        log: impl Log + Send + 'static,
    ) -> Result<Self, PortError> {
        let port = SerialLink::open(path, owner, READ_TIMEOUT)?;
        let (orders, inbox) = queue::bounded(CAPACITY);
        let (writer, report) = latest::latest(&SidecarReport::default());
        let (events, event_outlet) = queue::bounded(CAPACITY);
        let (settings, regulation) = latest::latest(&options.settings);
        let (notes, played) = queue::bounded(CAPACITY);
        let ends = Arc::new(Flag::new(false));
        let disarms = Arc::new(Flag::new(false));
        let worker = Worker {
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
            drawn_at: None,
        };
        let out = EventLog { log, events, strikes: 0 };
        let thread = std::thread::Builder::new()
            .name("touchback haptics".into())
            .spawn(move || worker.run(port, options, origin, out))
            .map_err(|e| PortError::Other(path.into(), e.to_string()))?;
        Ok(Self {
            orders,
            report,
            settings: Some(settings),
            notes: Some(notes),
            events: event_outlet,
            ends,
            disarms,
            thread: Some(thread),
        })
    }

    /// Queues an order. A full queue of 256 orders drops it; an order to disarm is never dropped.
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

    /// The writer of new settings; none at a second call. It never waits and may be used by the audio thread.
    pub fn take_settings(&mut self) -> Option<latest::LatestWriter<ActionSettings>> {
        self.settings.take()
    }

    /// The sender of host notes that move keys; none at a second call. It never waits and may be used by the
    /// audio thread.
    pub(crate) fn take_notes(&mut self) -> Option<queue::Sender<KeyPress>> {
        self.notes.take()
    }

    /// Ends force and the thread; its events can still be read.
    pub fn end(&mut self) {
        self.ends.set(true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }

    /// The oldest event that has not been read.
    #[must_use]
    pub fn next_event(&self) -> Option<TimedEvent> {
        self.events.receive()
    }
}

impl Drop for Sidecar {
    fn drop(&mut self) {
        self.end();
    }
}

/// State of the sidecar's thread.
struct Worker {
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
    /// When the report's hammers were read.
    drawn_at: Option<Instant>,
}

impl Worker {
    /// Runs until the handle is dropped.
    fn run(
        mut self,
        port: SerialLink,
        options: ServoOptions,
        origin: Option<Instant>,
        mut log: EventLog<impl Log>,
    ) {
        self.report.priority = priority::raise();
        let begin = origin.unwrap_or_else(Instant::now);
        let mut servo = Servo::new(options, begin.elapsed().as_secs_f64());
        if origin.is_some() {
            servo.share_clock();
        }
        let mut port = Some(port);
        let mut bytes = [0; 4096];
        let mut out = Vec::with_capacity(8192);
        let mut lost_at = begin;
        while !self.ends.is_up() {
            let received = match port.as_mut().map(|p| p.read(&mut bytes)) {
                Some(Ok(n)) => n,
                Some(Err(_)) => {
                    port = None;
                    lost_at = Instant::now();
                    0
                }
                None => {
                    std::thread::sleep(READ_TIMEOUT);
                    if lost_at.elapsed() >= RETRY_INTERVAL {
                        lost_at = Instant::now();
                        port = SerialLink::open(&self.path, &self.owner, READ_TIMEOUT).ok();
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
            // After the orders, so that disarming prevails within the same wake-up.
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
            servo.receive(now, &bytes[..received], &mut out, &mut log);
            servo.tick(now, &mut out);
            log.log.flush();
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

    /// Publishes the report of a wake-up in which bytes arrived at `arrived`.
    fn publish(
        &mut self,
        servo: &Servo,
        arrived: Instant,
        is_open: bool,
        log: &EventLog<impl Log>,
    ) {
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
        self.report.strikes = log.strikes;
        for (i, key) in self.report.keys.iter_mut().enumerate() {
            *key = servo.key(i).map_or([0.0; 2], |key| [key.depth, key.force]);
        }
        if self.drawn_at.is_none_or(|drawn| arrived - drawn >= DRAWING_PERIOD) {
            self.drawn_at = Some(arrived);
            for (i, hammer) in self.report.hammers.iter_mut().enumerate() {
                let height = servo.simulated(i).map(|key| key.readout(Drive::Free).hammer);
                *hammer = height.filter(|height| height.is_finite());
            }
        }
        self.writer.write(self.report);
    }
}
