//! One key of the grand action behind the interface that all actions share.

use super::kinematics::Kinematics;
use super::spec::Spec;
use super::{Grand, Phase, STATES, contact, key, rest, state};
use crate::action::mechanism::{Hear, Mechanism};
use crate::action::pose::Pose;
use crate::action::{Drive, KeyEvent, Readout};
use crate::episode::State;
use crate::math::trig::direction;
use crate::math::vec2::Vec2;

/// The damper tray stays down: one key alone has no pedal.
const TRAY: [f64; 2] = [rest::TRAY_DOWN; 2];

/// A key with its numbers, its state and where it started.
#[derive(Clone, Debug)]
pub struct GrandKey {
    spec: Box<Spec>,
    /// The model over `spec`, worked out once.
    grand: Box<Grand>,
    state: State<Phase, STATES>,
    start: State<Phase, STATES>,
}

impl GrandKey {
    /// A key with the numbers `spec`, standing at `x` in `phase`.
    #[must_use]
    pub fn new(spec: Box<Spec>, phase: Phase, x: [f64; STATES]) -> Self {
        let state = State { phase, x };
        Self { grand: Box::new(Grand::new(&spec)), spec, state, start: state }
    }
}

impl Mechanism for GrandKey {
    fn step(&mut self, drive: Drive, hear: &mut Hear<'_>) {
        let mut listener = |offset: f64, event: KeyEvent| hear(offset, event);
        key::advance(&self.grand, &mut self.state, drive, TRAY, &mut listener);
    }

    fn view(&self, drive: Drive) -> Readout {
        key::show(&self.grand, &self.state, drive, TRAY)
    }

    fn key(&self) -> [f64; 2] {
        let key = &self.spec.key;
        [
            key.front * (self.state.x[state::KEY] - key.rest_angle),
            key.front * self.state.x[state::KEY_SPEED],
        ]
    }

    fn reset(&mut self) {
        self.state = self.start;
    }

    fn pose(&self) -> Pose {
        let spec = &self.spec;
        let k = Kinematics::new(spec, self.state.phase, &self.state.x);
        let places = Places {
            key: k.key,
            wippen: k.wippen,
            hammer: k.hammer,
            jack: (spec.wippen.pivot + k.to_jack, k.jack.direction),
            lever: (spec.wippen.pivot + k.to_lever, k.surface),
            damper: self.state.x[state::DAMPER],
        };
        outline(spec, &places)
    }
}

/// Where the bodies of a key are: directions, and centre pins of those that move.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// Direction of the key.
    pub key: Vec2,
    /// Direction of the wippen.
    pub wippen: Vec2,
    /// Direction of the hammer's shank.
    pub hammer: Vec2,
    /// Centre pin and direction of the jack.
    pub jack: (Vec2, Vec2),
    /// Centre pin of the repetition lever and direction of its surface.
    pub lever: (Vec2, Vec2),
    /// Height of the damper above its string, m.
    pub damper: f64,
}

/// The parts of a key as lines.
#[must_use]
pub fn outline(spec: &Spec, at: &Places) -> Pose {
    let (w, h) = (&spec.wippen, &spec.hammer);
    let ((jack, fly), (lever, surface)) = (at.jack, at.lever);
    let head = direction(spec.jack.lean).perp().turned(fly) * spec.jack.length;
    let capstan = spec.key.capstan.turned(at.key);
    let rise = surface.perp() * spec.lever.surface_height;
    let on_hammer = |x: f64, y: f64| h.pivot + Vec2::new(x, y).turned(at.hammer);
    // The hammer's head stands up from the shank; the string lies where its crown meets it.
    let above = 0.036;
    let string = h.pivot.y + above;
    let mut pose = Pose::default()
        .with("key", [at.key * -spec.key.front, at.key * spec.damper.arm.max(capstan.x)])
        .with("capstan", [at.key * capstan.dot(at.key), capstan])
        .with("wippen", [w.pivot, w.pivot + w.lever_pivot.turned(at.wippen), jack])
        .with("jack", [jack + spec.jack.toe.turned(fly), jack, jack + head])
        .with("repetition lever", [lever, lever + rise, lever + contact::drop_point(spec, surface)])
        .with("knuckle", [on_hammer(h.knuckle, 0.0), on_hammer(h.knuckle, -h.knuckle_depth)])
        .with("hammer", [h.pivot, on_hammer(h.crown, 0.0), on_hammer(h.crown, above)])
        .with("backcheck", [spec.check.face.turned(at.key)])
        .with("button", [Vec2::new(spec.jack.button_x, spec.jack.button_height)])
        .with("string", [Vec2::new(h.pivot.x, string), Vec2::new(h.pivot.x + 0.3, string)]);
    if spec.damper.present {
        let foot = Vec2::new(h.pivot.x + 0.25, string + at.damper);
        pose = pose.with("damper", [foot, foot + Vec2::new(0.0, 0.02)]);
    }
    pose
}
