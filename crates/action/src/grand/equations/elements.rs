//! Power dissipated by each element of the grand action; the sum is [`Balance::loss`] with friction.
//!
//! [`Balance::loss`]: crate::grand::equations::dynamics::Balance::loss

use crate::grand::equations::drive::DriveNow;
use crate::grand::equations::evaluation::Evaluation;
use crate::grand::equations::friction::element;
use crate::grand::equations::precomputed::Precomputed;
use crate::grand::{STATES, state};
use crate::interface::losses::Losses;

/// Names of the elements in the order of [`losses`]: felts, viscous drag, Coulomb friction.
const ELEMENTS: [&str; 28] = [
    "knuckle_on_jack",
    "knuckle_on_lever",
    "jack_stop",
    "jack_window",
    "let_off_button",
    "lever_stop",
    "wippen_stop",
    "drop_screw",
    "backcheck",
    "string",
    "rest_rail",
    "key_bed",
    "key_rest",
    "damper_lift",
    "damper_seat",
    "damper_tray",
    "damper_rail",
    "jack_drag",
    "lever_drag",
    "damper_drag",
    "shank",
    "key_capstan_and_button_friction",
    "hammer_friction",
    "lever_friction",
    "knuckle_slide_friction",
    "backcheck_friction",
    "lever_slide_friction",
    "damper_friction",
];

/// Power dissipated by each element, W, at the state `x` with its frictionless evaluation `free` and the
/// friction that would be held through the next `dt` s.
#[must_use]
pub fn losses(
    n: &Precomputed,
    free: &Evaluation,
    input: &DriveNow,
    x: &[f64; STATES],
    dt: f64,
) -> Losses {
    let (k, c) = (&free.kinematics, &free.contacts);
    let slide = k.slide_speed();
    let jack_drag =
        if free.phases.jack_bears(n) { n.hammer.slide_damping * slide * slide } else { 0.0 };
    let turning = k.u[2] - k.wippen_speed();
    let damper_speed = x[state::DAMPER_SPEED];
    let (friction, damper_friction) = free.friction_heat(n, input, x, dt);
    Losses::new(
        &ELEMENTS,
        [
            if free.phases.jack_bears(n) { c.jack.loss } else { 0.0 },
            c.lever.1.loss,
            c.stop.loss,
            c.window.loss,
            c.button.loss,
            c.raised.loss,
            c.lowered.loss,
            c.drop.1.loss,
            c.check.1.loss,
            c.string.loss,
            c.rail.loss,
            c.bed.loss,
            c.rest.loss,
            c.damper[0].loss,
            c.damper[1].loss,
            c.damper[2].loss,
            c.damper[3].loss,
            jack_drag,
            n.lever.damping * turning * turning,
            n.damper.damping * damper_speed * damper_speed,
            n.hammer.shank.damping * k.u[4] * k.u[4],
            friction[element::KEY],
            friction[element::HAMMER],
            friction[element::LEVER],
            friction[element::JACK_ON_KNUCKLE],
            friction[element::TAIL_ON_CHECK],
            friction[element::KNUCKLE_ON_LEVER],
            damper_friction,
        ],
    )
}
