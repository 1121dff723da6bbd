//! Initial positions of the bodies, and their positions for drawing.

use super::{BUTT, DAMPER, FRONT, HAMMER, JACK, JACK_AT, KEY, LEVER, LEVER_AT, STATES, WIPPEN};
use touchback_action::grand::design::spec::Spec;
use touchback_action::grand::equations::contact;
use touchback_action::grand::equations::kinematics::Kinematics;
use touchback_action::grand::key::{outline, rest};
use touchback_action::grand::{self, Phase};
use touchback_action::interface::pose::Pose;
use touchback_core::math::trig::direction;
use touchback_core::math::vec2::Vec2;

/// States of the rest pose of the other formulation, searched from the angles `near` of key, hammer and lever,
/// rad.
pub fn rest(spec: &Spec, near: &[f64; 3]) -> [f64; STATES] {
    let pose = rest::pose(spec, near).x;
    let k = Kinematics::new(spec, Phase::Return, &pose);
    let mut x = [0.0; STATES];
    x[KEY] = pose[grand::state::KEY];
    x[FRONT] = x[KEY];
    x[HAMMER] = pose[grand::state::HAMMER];
    x[LEVER] = pose[grand::state::LEVER];
    x[WIPPEN] = k.wippen.angle();
    x[JACK] = k.jack.direction.angle();
    let centre_of_mass =
        |pin: Vec2, centre: Vec2, turned: Vec2| spec.wippen.pivot + pin + centre.turned(turned);
    let jack = centre_of_mass(k.to_jack, spec.jack.centre, k.jack.direction);
    let lever = centre_of_mass(k.to_lever, spec.lever.centre, k.lever);
    (x[JACK_AT], x[JACK_AT + 1]) = (jack.x, jack.y);
    (x[LEVER_AT], x[LEVER_AT + 1]) = (lever.x, lever.y);
    x[DAMPER] = pose[grand::state::DAMPER];
    x[BUTT] = x[HAMMER] - spec.hammer.bend_share() * pose[grand::state::BEND];
    x
}

/// The parts at `x` as lines.
pub fn pose(spec: &Spec, x: &[f64; STATES]) -> Pose {
    let [key, wippen, hammer, jack, lever] =
        [KEY, WIPPEN, HAMMER, JACK, LEVER].map(|i| direction(x[i]));
    let at = |i: usize| Vec2::new(x[i], x[i + 1]);
    let surface = contact::surface(spec, lever);
    outline::outline(
        spec,
        &outline::BodyPositions {
            key,
            wippen,
            hammer,
            jack: (at(JACK_AT) - spec.jack.centre.turned(jack), jack),
            lever: (at(LEVER_AT) - spec.lever.centre.turned(lever), surface),
            damper: x[DAMPER],
        },
    )
}
