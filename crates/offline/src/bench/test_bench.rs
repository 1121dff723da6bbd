//! One key of the grand action on a test bench: driven step by step, with a log of its events.

use super::driven::Driven;
use crate::gesture::KeyView;
use touchback_action::grand::design::concert::Built;
use touchback_action::grand::design::regulation::Regulated;
use touchback_action::grand::equations::step::Listener;
use touchback_action::grand::{GrandKey, GrandState, Phase, Spec, design::thesis, key::rest};
use touchback_action::{ActionSettings, Drive, EventKind, Key, KeyEvent, Readout, STEP};
use touchback_core::exchange::cancel;
use touchback_core::math::compass::KeyNumber;

/// Largest speed at which the bench raises the damper tray, m/s.
const TRAY_SPEED: f64 = 0.05;

/// A key with the log of its events.
#[derive(Clone, Debug)]
pub struct TestBench {
    key: GrandKey,
    /// Events and phase changes.
    pub log: EventLog,
    /// Height of the damper tray, m.
    tray: f64,
    steps: u32,
}

/// Events, and changes of submodel.
#[derive(Clone, Default, Debug)]
pub struct EventLog {
    now: f64,
    /// Time, s, and event, in order.
    pub events: Vec<(f64, KeyEvent)>,
    /// Changes of submodel: time, s, from, to.
    pub phases: Vec<(f64, Phase, Phase)>,
}

impl Listener for EventLog {
    fn event(&mut self, offset: f64, event: KeyEvent) {
        self.events.push((self.now + offset, event));
    }
    fn phase(&mut self, offset: f64, from: Phase, to: Phase) {
        self.phases.push((self.now + offset, from, to));
    }
}

impl EventLog {
    /// Time, s, and value of every event of a kind.
    pub fn of(&self, kind: EventKind) -> impl Iterator<Item = (f64, f64)> {
        self.events.iter().filter(move |e| e.1.kind() == kind).map(|e| (e.0, e.1.value()))
    }

    /// Time and value of the first event of a kind.
    pub fn first(&self, kind: EventKind) -> Option<(f64, f64)> {
        self.of(kind).next()
    }

    /// Number of events of a kind.
    pub fn count(&self, kind: EventKind) -> usize {
        self.of(kind).count()
    }
}

impl TestBench {
    /// Key `number` (1…88) of the concert grand at rest.
    #[must_use]
    pub fn concert(number: u8, settings: &ActionSettings) -> Self {
        let index = usize::from(number.clamp(1, 88)) - 1;
        let number = KeyNumber::from_index(index).unwrap_or_else(|| unreachable!("1…88"));
        Self::of(GrandKey::new(number, settings))
    }

    /// A regulated key at rest.
    #[must_use]
    pub fn at_rest(built: Built) -> Self {
        Self::of(GrandKey::built(built))
    }

    /// Changes the regulation of the key while it moves.
    pub fn regulate(&mut self, settings: &ActionSettings) {
        self.key.regulate(settings);
    }

    /// The thesis's key at the beginning of its run.
    #[must_use]
    pub fn thesis() -> Self {
        Self::started(thesis::build().spec, thesis::initial())
    }

    /// A key given by its specification and initial state.
    #[must_use]
    pub fn started(spec: Spec, start: GrandState) -> Self {
        Self::of(GrandKey::from_state(spec, start))
    }

    /// The key in the same state with changed parameters and an empty log.
    #[must_use]
    pub fn with(&self, change: impl FnOnce(&mut Spec)) -> Self {
        let mut spec = *self.spec();
        change(&mut spec);
        Self::of(GrandKey::from_state(spec, *self.state()))
    }

    fn of(key: GrandKey) -> Self {
        Self { key, log: EventLog::default(), tray: rest::TRAY_DOWN, steps: 0 }
    }

    /// Divides every action step into `parts` steps of integration.
    pub fn refine(&mut self, parts: u32) {
        self.key.refine(parts);
    }

    /// The key's parameters.
    #[must_use]
    pub fn spec(&self) -> &Spec {
        &self.key.assembly().spec
    }

    /// Rest position and let-off depth.
    #[must_use]
    pub fn regulated(&self) -> &Regulated {
        &self.key.assembly().regulated
    }

    /// Submodel and states.
    #[must_use]
    pub const fn state(&self) -> &GrandState {
        self.key.state()
    }

    /// The key itself.
    #[must_use]
    pub const fn grand(&self) -> &GrandKey {
        &self.key
    }

    /// Crown above the string, m, and its speed, m/s.
    #[must_use]
    pub fn hammer(&self) -> (f64, f64) {
        self.key.assembly().hammer(&self.state().x).into()
    }

    /// Raises the damper from the string as the pedal does, then waits 0.1 s.
    pub fn raise_damper(&mut self) {
        let up = self.spec().damper.tray;
        while self.tray < up {
            self.tray = (self.tray + TRAY_SPEED * STEP).min(up);
            self.key.set_tray(self.tray);
            self.step(Drive::Free);
        }
        self.run(0.1, |_, _| Drive::Free, |_, _| true);
    }
}

impl Driven for TestBench {
    fn now(&self) -> f64 {
        f64::from(self.steps) * STEP
    }

    fn step(&mut self, drive: Drive) {
        cancel::check();
        self.log.now = self.now();
        self.key.advance(drive, &mut self.log);
        self.steps += 1;
    }

    fn view(&self) -> KeyView {
        KeyView::of(&self.key)
    }

    fn read(&self, drive: Drive) -> Readout {
        self.key.readout(drive)
    }

    fn first(&self, kind: EventKind) -> Option<(f64, f64)> {
        self.log.first(kind)
    }
}

/// Imposed depth of the key front, linear through points of time, s, and depth, m.
pub fn motion(points: &[(f64, f64)]) -> impl Fn(f64, f64) -> Drive + '_ {
    |a, _| Drive::along(|time| touchback_core::math::compass::linear(points, time), a)
}
