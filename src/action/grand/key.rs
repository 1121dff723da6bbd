//! One key's action running: a step of the grid, and what happened in it.

use super::drive::{DriveKind, DriveNow};
use super::model::{Grand, Held, guard};
use super::readout::Readout;
use super::spec::Spec;
use super::{Phase, STATES, state};
use crate::action::{Drive, EventKind, STEP};
use crate::episode::{Model, Observer, Outcome, State, Stepper};

/// Hears of an event: seconds after the step's beginning, kind, value.
pub trait Listener {
    /// One event.
    fn event(&mut self, offset: f64, kind: EventKind, value: f64);
    /// One change of submodel.
    fn phase(&mut self, _offset: f64, _from: Phase, _to: Phase) {}
}

impl<F: FnMut(f64, EventKind, f64)> Listener for F {
    fn event(&mut self, offset: f64, kind: EventKind, value: f64) {
        self(offset, kind, value);
    }
}

/// Real-time stepping of the grand action.
pub const STEPPER: Stepper = Stepper::new(STEP);

/// Advances one key by one step.
///
/// `tray` is the damper tray's height at both ends of the step, m.
pub fn step(
    spec: &Spec,
    running: &mut State<Phase, STATES>,
    drive: Drive,
    tray: [f64; 2],
    listener: &mut impl Listener,
) -> Outcome {
    let inputs = DriveNow::ends(drive, tray);
    if inputs[0].kind == DriveKind::Motion {
        impose(spec, running, &inputs[0]);
    }
    let mut translator = Translator { spec, listener };
    STEPPER.advance(&Grand::new(spec), running, &inputs, &mut translator)
}

/// Puts the key where and at what speed the imposed motion has it; the energy that the jump in
/// speed takes is work of the drive.
fn impose(spec: &Spec, running: &mut State<Phase, STATES>, input: &DriveNow) {
    use super::energy;
    use super::kinematics::Kinematics;
    let energy = |r: &State<Phase, STATES>| {
        energy::total(spec, r.phase, &Kinematics::new(spec, r.phase, &r.x), &r.x, input.tray)
    };
    let before = energy(running);
    running.x[state::KEY] = spec.key.rest_angle + input.value / spec.key.front;
    running.x[state::KEY_SPEED] = input.rate / spec.key.front;
    running.x[state::WORK] += energy(running) - before;
}

/// What a key shows at the end of a step driven by `drive`.
#[must_use]
pub fn read(spec: &Spec, running: &State<Phase, STATES>, drive: Drive, tray: [f64; 2]) -> Readout {
    let input = DriveNow::ends(drive, tray)[1];
    let model = Grand::new(spec);
    let held: Held = model.hold(running.phase, &input, &running.x, STEP);
    let moment = model.moment(running.phase, &held, &input, &running.x);
    Readout::new(spec, running.phase, &moment, &running.x, input.tray)
}

/// Turns transitions and guards into action events.
struct Translator<'a, L> {
    spec: &'a Spec,
    listener: &'a mut L,
}

impl<L: Listener> Translator<'_, L> {
    fn depth(&self, x: &[f64; STATES]) -> f64 {
        self.spec.key.front * (x[state::KEY] - self.spec.key.rest_angle)
    }
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
        let depth = self.depth(before);
        match (from, to) {
            (Phase::Acceleration, Phase::LetOff) => {
                self.listener.event(t, EventKind::LetOffStart, depth);
            }
            (Phase::LetOff, Phase::Catch) => {
                let speed = self.spec.hammer.crown * before[state::HAMMER_SPEED];
                self.listener.event(t, EventKind::Release, speed);
            }
            (Phase::Catch | Phase::Flank, Phase::Return | Phase::Acceleration) => {
                self.listener.event(t, EventKind::Reset, depth);
            }
            _ => {}
        }
    }

    fn guard(&mut self, t: f64, index: usize, rising: bool, x: &[f64; STATES]) {
        let spec = self.spec;
        let crown = spec.hammer.crown;
        let front = spec.key.front * x[state::KEY_SPEED];
        match (index, rising) {
            (guard::STRING, true) => {
                self.listener.event(t, EventKind::Strike, crown * x[state::HAMMER_SPEED]);
            }
            (guard::KEY_BED, true) => self.listener.event(t, EventKind::KeyBottom, front),
            (guard::DAMPER, true) => {
                let depth = self.depth(x);
                self.listener.event(t, EventKind::DamperLift, depth);
            }
            (guard::DAMPER, false) => {
                self.listener.event(t, EventKind::DamperFall, -x[state::DAMPER_SPEED]);
            }
            (guard::CHECK, true) => {
                self.listener.event(t, EventKind::Check, -crown * x[state::HAMMER]);
            }
            (guard::REST, false) => self.listener.event(t, EventKind::KeyRest, -front),
            _ => {}
        }
    }
}
