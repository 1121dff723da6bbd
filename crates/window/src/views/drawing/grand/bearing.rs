//! The active contacts in a pose, and the screws that can be dragged.

use super::{CROWN, GrandPose, KEY_END, WOOD};
use crate::views::drawing::{BodyFrame, Drawing, Screw};
use touchback_action::grand::equations::kinematics::Kinematics;
use touchback_action::grand::equations::precomputed::Precomputed;
use touchback_action::grand::{
    GrandState, Phase, Spec, equations::contact, equations::jack, state,
};
use touchback_core::math::vec2::Vec2;

/// Gap below which a free jack's toe counts as touching its button, m.
const TOUCHING: f64 = 1e-5;

/// Adds the active contacts.
pub(super) fn contacts(d: &mut Drawing, pose: &GrandPose, k: &Kinematics) {
    let (spec, GrandState { phase, x }) = (pose.spec, &pose.state);
    let h = &spec.hammer;
    let pin = spec.wippen.pivot + k.to_jack;
    if phase.jack_drives() {
        d.touch(pin + k.head.axis * spec.jack.length, "jack on knuckle", k.head.q4);
    }
    let gap = jack::toe_gap(spec, k.to_jack, k.jack.direction);
    // A rigid contact is active in its submodels; a free jack's, with felt, where it touches.
    let on_button = if spec.is_rigid() {
        matches!(phase, Phase::LetOff | Phase::Catch)
    } else {
        gap < TOUCHING
    };
    if on_button {
        let toe = pin + spec.jack.toe.turned(k.jack.direction);
        d.touch(toe, "toe on let-off button", (-gap).max(1e-4));
    }
    let n = Precomputed::new(spec);
    let on_lever = contact::knuckle_on_lever(&n, k);
    d.touch(
        h.pivot + on_lever.from_hammer,
        "knuckle on repetition lever",
        on_lever.compression.depth,
    );
    if spec.lever.drop_felt.stiffness > 0.0 {
        let (compression, arm) = contact::drop_screw(&n, k);
        d.touch(spec.wippen.pivot + k.to_lever + arm, "lever on drop screw", compression.depth);
    }
    if spec.check.felt.stiffness > 0.0 {
        let tail = h.pivot + spec.check.tail.turned(k.hammer);
        d.touch(tail, "tail on backcheck", contact::check_depth(&n, k));
    }
    let struck = h.crown * x[state::HAMMER];
    d.touch(h.pivot + Vec2::new(h.crown, CROWN), "hammer on string", struck);
    let key = BodyFrame::new(Vec2::default(), k.key);
    d.touch(key.at(-spec.key.front + 0.006, -WOOD), "key on its bed", k.depth - spec.key.dip);
    if spec.damper.present {
        let (arm, pickup) = (spec.damper.arm, spec.damper.pickup);
        let pressed = arm / spec.key.front * (k.depth - pickup) - x[state::DAMPER];
        d.touch(key.at(KEY_END - 0.006, 0.002), "key under damper", pressed);
    }
}

/// Adds the handles of the screws.
pub(super) fn handles(d: &mut Drawing, spec: &Spec, k: &Kinematics) {
    let key = BodyFrame::new(Vec2::default(), k.key);
    let (j, c) = (&spec.jack, &spec.check);
    let mut screw = |at, parameter, per_metre| d.screws.push(Screw { at, parameter, per_metre });
    // A screw's real travel is a fraction of a millimetre on the screen. A drag of 40 mm in the drawing
    // covers a usual range.
    screw(Vec2::new(j.button_x, j.button_height + 0.036), "let_off_mm", 50.0);
    screw(key.at(spec.key.capstan.x, 0.5 * spec.key.capstan.y), "blow_mm", -400.0);
    screw(Vec2::new(-spec.key.front + 0.006, -0.031), "key_dip_mm", -100.0);
    if c.felt.stiffness > 0.0 {
        screw(key.at(c.face.x + 0.008, 0.45 * c.face.y), "check_mm", -400.0);
    }
    if spec.lever.drop_felt.stiffness > 0.0 {
        let under = spec.wippen.pivot.x + k.to_lever.x + contact::drop_point(spec, k.surface).x;
        screw(Vec2::new(under, spec.hammer.pivot.y + 0.012), "drop_mm", 100.0);
    }
    let lever = BodyFrame::new(spec.wippen.pivot + k.to_lever, k.surface);
    screw(lever.at(-0.03, -0.004), "repetition_spring", 25.0);
}
