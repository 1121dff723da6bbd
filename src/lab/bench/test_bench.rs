//! One key of the grand action on the bench: driven step by step, with what happened to it.

use crate::action::grand::concert::{Built, Design};
use crate::action::grand::regulation::Regulated;
use crate::action::grand::{Phase, STATES, Spec, key, rest, state, thesis};
use crate::action::{ActionSettings, Drive, EventKind, KeyEvent, Readout, STEP};
use crate::episode::State;
use crate::lab::gesture::{Gesture, KeyView};
use crate::math::compass::KeyNumber;

/// Largest speed at which the bench raises the damper tray, m/s.
const TRAY_SPEED: f64 = 0.05;

/// A key, its state, and its log since it was made.
#[derive(Clone, Debug)]
pub struct TestBench {
    /// The key's numbers.
    pub spec: Spec,
    /// Where it rests and lets off.
    pub regulated: Regulated,
    /// Submodel and states.
    pub running: State<Phase, STATES>,
    /// What happened.
    pub log: Log,
    /// What its screws are turned on; none for the thesis's key.
    design: Option<Design>,
    tray: f64,
    steps: u32,
}

/// Events (time s) and submodels entered (time s, from, to).
#[derive(Clone, Default, Debug)]
pub struct Log {
    now: f64,
    /// Events.
    pub events: Vec<(f64, KeyEvent)>,
    /// Changes of submodel.
    pub phases: Vec<(f64, Phase, Phase)>,
}

impl key::Listener for Log {
    fn event(&mut self, offset: f64, event: KeyEvent) {
        self.events.push((self.now + offset, event));
    }
    fn phase(&mut self, offset: f64, from: Phase, to: Phase) {
        self.phases.push((self.now + offset, from, to));
    }
}

impl Log {
    /// Time, s, and value of every event of a kind.
    pub fn of(&self, kind: EventKind) -> impl Iterator<Item = (f64, f64)> {
        self.events.iter().filter(move |e| e.1.kind() == kind).map(|e| (e.0, e.1.value()))
    }

    /// Time and value of the first event of a kind.
    pub fn first(&self, kind: EventKind) -> Option<(f64, f64)> {
        self.of(kind).next()
    }

    /// How many events of a kind there were.
    pub fn count(&self, kind: EventKind) -> usize {
        self.of(kind).count()
    }
}

impl TestBench {
    /// The key of this number (1…88) of the concert grand at rest.
    #[must_use]
    pub fn concert(number: u8, settings: &ActionSettings) -> Self {
        let index = usize::from(number.clamp(1, 88)) - 1;
        let design =
            Design::new(KeyNumber::from_index(index).unwrap_or_else(|| unreachable!("1…88")));
        Self { design: Some(design), ..Self::at_rest(design.build(settings)) }
    }

    /// A regulated key at rest.
    #[must_use]
    pub fn at_rest(built: Built) -> Self {
        let Built { spec, regulated } = built;
        Self::new(spec, regulated, rest::pose(&spec, &regulated.rest))
    }

    /// Turns the screws under the key as it moves.
    pub fn regulate(&mut self, settings: &ActionSettings) {
        if let Some(design) = &self.design {
            Built { spec: self.spec, regulated: self.regulated } = design.build(settings);
        }
    }

    /// The thesis's key at the beginning of its run.
    #[must_use]
    pub fn thesis() -> Self {
        let (phase, x) = thesis::initial();
        let Built { spec, regulated } = thesis::build();
        Self::new(spec, regulated, State { phase, x })
    }

    fn new(spec: Spec, regulated: Regulated, running: State<Phase, STATES>) -> Self {
        let (log, tray) = (Log::default(), rest::TRAY_DOWN);
        Self { spec, regulated, running, log, design: None, tray, steps: 0 }
    }

    /// Time since the bench began, s.
    #[must_use]
    pub fn now(&self) -> f64 {
        f64::from(self.steps) * STEP
    }

    /// How the key front stands.
    #[must_use]
    pub fn key(&self) -> KeyView {
        let key = &self.spec.key;
        KeyView {
            depth: key.front * (self.running.x[state::KEY] - key.rest_angle),
            speed: key.front * self.running.x[state::KEY_SPEED],
        }
    }

    /// Crown above the string, m, and its speed, m/s.
    #[must_use]
    pub fn hammer(&self) -> (f64, f64) {
        let crown = self.spec.hammer.crown;
        (crown * self.running.x[state::HAMMER], crown * self.running.x[state::HAMMER_SPEED])
    }

    /// One action step.
    pub fn step(&mut self, drive: Drive) {
        self.log.now = self.now();
        key::step(&self.spec, &mut self.running, drive, [self.tray; 2], &mut self.log);
        self.steps += 1;
    }

    /// What the key shows now under `drive`.
    #[must_use]
    pub fn read(&self, drive: Drive) -> Readout {
        key::read(&self.spec, &self.running, drive, [self.tray; 2])
    }

    /// Steps for `seconds` under drives of (time since now, the same a step later); `each` may stop
    /// it by answering `false`.
    pub fn run(
        &mut self,
        seconds: f64,
        drive: impl Fn(f64, f64) -> Drive,
        mut each: impl FnMut(&Self, Drive) -> bool,
    ) {
        let start = self.now();
        while self.now() - start < seconds - 0.5 * STEP {
            let t = self.now() - start;
            let d = drive(t, t + STEP);
            self.step(d);
            if !each(self, d) {
                break;
            }
        }
    }

    /// Plays a gesture; `each` may stop it by answering `false`.
    pub fn play(&mut self, gesture: &mut Gesture, mut each: impl FnMut(&Self, Drive) -> bool) {
        for step in 0..gesture.steps() {
            let drive = gesture.drive(step, self.key());
            self.step(drive);
            if !each(self, drive) {
                break;
            }
        }
    }

    /// Raises the damper from the string as the pedal does, and lets all settle.
    pub fn raise_damper(&mut self) {
        let up = self.spec.damper.tray;
        while self.tray < up {
            let from = self.tray;
            self.tray = (self.tray + TRAY_SPEED * STEP).min(up);
            let tray = [from, self.tray];
            key::step(&self.spec, &mut self.running, Drive::Free, tray, &mut self.log);
            self.steps += 1;
        }
        self.run(0.1, |_, _| Drive::Free, |_, _| true);
    }
}

/// Imposed key-front depth along straight lines through (time s, depth m).
pub fn motion(points: &[(f64, f64)]) -> impl Fn(f64, f64) -> Drive + '_ {
    |a, b| {
        Drive::Motion([
            crate::math::compass::linear(points, a),
            crate::math::compass::linear(points, b),
        ])
    }
}
