//! One grid step of a key, and the events in it.

use crate::grand::equations::drive::DriveNow;
use crate::grand::equations::energy;
use crate::grand::equations::kinematics::Kinematics;
use crate::grand::equations::model::{Grand, guard};
use crate::grand::equations::precomputed::Precomputed;
use crate::grand::{GrandState, Phase, STATES, state};
use crate::interface::trajectory::is_jump;
use crate::{Drive, KeyEvent, STEP};
use touchback_core::episode::event::Event;
use touchback_core::episode::{Input, Observer, Outcome, Progress, Stepper};

/// Receives the events of a step; `offset` is the time since the beginning of the step, s.
pub trait Listener {
    /// An event of the action.
    fn event(&mut self, offset: f64, event: KeyEvent);
    /// A transition between submodels.
    fn phase(&mut self, _offset: f64, _from: Phase, _to: Phase) {}
}

impl<F: FnMut(f64, KeyEvent)> Listener for F {
    fn event(&mut self, offset: f64, event: KeyEvent) {
        self(offset, event);
    }
}

/// The stepper of the grand action with real-time settings.
pub const STEPPER: Stepper = Stepper::new(STEP);

/// The stepper of `grand` for steps of `h` s. Where rigid constraints guide the jack, the distance between the integration
/// and its interpolant would be a jump of the jack: events are located on the integration.
#[must_use]
pub fn stepper(grand: &Grand, h: f64) -> Stepper {
    Stepper { exact_events: grand.numbers.is_rigid(), ..Stepper::new(h) }
}

/// A step of one key that may be taken in several calls.
#[derive(Clone, Copy, Debug)]
pub struct KeyStep {
    /// Drive at both ends of the step.
    pub inputs: [DriveNow; 2],
    /// Progress of the step.
    pub progress: Progress,
}

impl KeyStep {
    /// Whether the step is complete.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.progress.done >= STEP
    }

    /// Takes one substep, which ends at the first event in it.
    pub fn substep(
        &mut self,
        grand: &Grand,
        running: &mut GrandState,
        listener: &mut impl Listener,
    ) {
        let mut translator = Translator { numbers: &grand.numbers, listener };
        let (stepper, progress) = (stepper(grand, STEP), &mut self.progress);
        stepper.substep(grand, running, &self.inputs, &mut translator, progress);
    }

    /// A substep has ended at `running`, `done` s after the beginning of the step, by `event`.
    pub fn take(
        &mut self,
        grand: &Grand,
        running: &mut GrandState,
        done: f64,
        event: Option<Event>,
        listener: &mut impl Listener,
    ) {
        (self.progress.done, self.progress.passed) = (done, None);
        if let Some(event) = event {
            let mut translator = Translator { numbers: &grand.numbers, listener };
            let (inputs, progress) = (&self.inputs, &mut self.progress);
            STEPPER.take(event, grand, running, inputs, &mut translator, progress);
        }
    }

    /// Takes the rest of the step.
    pub fn finish(
        &mut self,
        grand: &Grand,
        running: &mut GrandState,
        listener: &mut impl Listener,
    ) {
        let mut translator = Translator { numbers: &grand.numbers, listener };
        let (stepper, progress) = (stepper(grand, STEP), &mut self.progress);
        stepper.finish(grand, running, &self.inputs, &mut translator, progress);
    }
}

/// Advances one key by one step in `parts` shorter steps of integration; `tray` is the height of the damper
/// tray at both ends of the step, m. The counts of the shorter steps are added.
pub(crate) fn advance_finely(
    grand: &Grand,
    running: &mut GrandState,
    drive: Drive,
    tray: [f64; 2],
    parts: u32,
    listener: &mut impl Listener,
) -> Outcome {
    if parts <= 1 {
        return advance(grand, running, drive, tray, listener);
    }
    let ends = DriveNow::ends(drive, tray);
    if ends[0].is_imposed() {
        impose(grand, running, &ends[0]);
    }
    let stepper = stepper(grand, STEP / f64::from(parts));
    let mut sum = Outcome::default();
    for part in 0..parts {
        let at = |part: u32| ends[0].lerp(&ends[1], f64::from(part) / f64::from(parts));
        let mut later = Later { listener, by: f64::from(part) * stepper.h };
        let mut translator = Translator { numbers: &grand.numbers, listener: &mut later };
        let inputs = [at(part), at(part + 1)];
        let outcome = stepper.advance(grand, running, &inputs, &mut translator);
        sum.switches += outcome.switches;
        sum.substeps += outcome.substeps;
        sum.capped |= outcome.capped;
    }
    sum
}

/// Passes events on with their times later by `by` s.
struct Later<'a, L> {
    listener: &'a mut L,
    by: f64,
}

impl<L: Listener> Listener for Later<'_, L> {
    fn event(&mut self, offset: f64, event: KeyEvent) {
        self.listener.event(self.by + offset, event);
    }

    fn phase(&mut self, offset: f64, from: Phase, to: Phase) {
        self.listener.phase(self.by + offset, from, to);
    }
}

/// Advances one key by one step; `tray` is the height of the damper tray at both ends of the step, m.
pub fn advance(
    grand: &Grand,
    running: &mut GrandState,
    drive: Drive,
    tray: [f64; 2],
    listener: &mut impl Listener,
) -> Outcome {
    let inputs = DriveNow::ends(drive, tray);
    if inputs[0].is_imposed() {
        impose(grand, running, &inputs[0]);
    }
    let mut step = KeyStep { inputs, progress: STEPPER.begin() };
    step.finish(grand, running, listener);
    step.progress.outcome
}

/// Sets angle and speed of the key to those of the imposed motion. The change of energy counts as work of
/// the drive.
pub(crate) fn impose(grand: &Grand, running: &mut GrandState, input: &DriveNow) {
    let n = &grand.numbers;
    let energy = |r: &GrandState| {
        let k = Kinematics::at(n, &r.phase.into(), &r.x);
        energy::total(n, r.phase, &k, &r.x, input.tray)
    };
    let (angle, speed) = (n.key.rest_angle + input.target / n.key.front, input.rate / n.key.front);
    let turned = running.x[state::KEY] - n.key.rest_angle;
    let now = [n.key.front * turned, n.key.front * running.x[state::KEY_SPEED]];
    let before = is_jump(now, [input.target, input.rate]).then(|| energy(running));
    running.x[state::KEY] = angle;
    running.x[state::KEY_SPEED] = speed;
    if let Some(before) = before {
        running.x[state::WORK] += energy(running) - before;
    }
}

/// Translates transitions and guards into events of the action.
struct Translator<'a, L> {
    numbers: &'a Precomputed,
    listener: &'a mut L,
}

impl<L: Listener> Observer<Phase, STATES> for Translator<'_, L> {
    fn transition(
        &mut self,
        t: f64,
        from: Phase,
        to: Phase,
        before: &[f64; STATES],
        _after: &[f64; STATES],
    ) {
        self.listener.phase(t, from, to);
        let depth = self.numbers.depth(before[state::KEY]);
        match (from, to) {
            (Phase::Acceleration, Phase::LetOff) => {
                self.listener.event(t, KeyEvent::LetOffStart { depth });
            }
            (Phase::LetOff, Phase::Catch | Phase::Flank) => {
                let speed = self.numbers.hammer.crown * before[state::HAMMER_SPEED];
                self.listener.event(t, KeyEvent::Release { speed });
            }
            (Phase::Catch | Phase::Flank | Phase::Wedge, Phase::Return | Phase::Acceleration) => {
                self.listener.event(t, KeyEvent::Reset { depth });
            }
            _ => {}
        }
    }

    fn guard(&mut self, t: f64, index: usize, rising: bool, x: &[f64; STATES]) {
        let crown = self.numbers.hammer.crown;
        let front = self.numbers.key.front * x[state::KEY_SPEED];
        match (index, rising) {
            (guard::STRING, true) => {
                self.listener.event(t, KeyEvent::Strike { speed: crown * x[state::HAMMER_SPEED] });
            }
            (guard::KEY_BED, true) => self.listener.event(t, KeyEvent::KeyBottom { speed: front }),
            (guard::DAMPER, true) => {
                let depth = self.numbers.depth(x[state::KEY]);
                self.listener.event(t, KeyEvent::DamperLift { depth });
            }
            (guard::DAMPER, false) => {
                self.listener.event(t, KeyEvent::DamperFall { speed: -x[state::DAMPER_SPEED] });
            }
            (guard::CHECK, true) => {
                self.listener.event(t, KeyEvent::Check { distance: -crown * x[state::HAMMER] });
            }
            (guard::REST, false) => self.listener.event(t, KeyEvent::KeyRest { speed: -front }),
            _ => {}
        }
    }
}
