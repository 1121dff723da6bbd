//! The parts of a grand key as lines for drawing.

use crate::grand::design::spec::Spec;
use crate::grand::equations::contact;
use crate::grand::equations::kinematics::Kinematics;
use crate::grand::{GrandState, state};
use crate::interface::pose::Pose;
use touchback_core::math::trig::direction;
use touchback_core::math::vec2::Vec2;

/// The parts of the key `spec` in the state `key`.
#[must_use]
pub fn pose(spec: &Spec, key: &GrandState) -> Pose {
    let k = Kinematics::new(spec, key.phase, &key.x);
    let positions = BodyPositions {
        key: k.key,
        wippen: k.wippen,
        hammer: k.hammer,
        jack: (spec.wippen.pivot + k.to_jack, k.jack.direction),
        lever: (spec.wippen.pivot + k.to_lever, k.surface),
        damper: key.x[state::DAMPER],
    };
    outline(spec, &positions)
}

/// Positions of the bodies of a key: directions, and the centre pins that move, m.
#[derive(Clone, Copy, Debug)]
pub struct BodyPositions {
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

/// The parts of the key `spec` as lines, with the bodies at the positions `at`.
#[must_use]
pub fn outline(spec: &Spec, at: &BodyPositions) -> Pose {
    let (w, h) = (&spec.wippen, &spec.hammer);
    let ((jack, fly), (lever, surface)) = (at.jack, at.lever);
    let head = direction(spec.jack.lean).perp().turned(fly) * spec.jack.length;
    let capstan = spec.key.capstan.turned(at.key);
    let rise = surface.perp() * spec.lever.surface_height;
    let on_hammer = |x: f64, y: f64| h.pivot + Vec2::new(x, y).turned(at.hammer);
    // The head rises 36 mm above the shank, and the string is at that height.
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
