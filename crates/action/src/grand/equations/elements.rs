//! Force and dissipated power of each element of the grand action; the sum of the powers is [`Balance::loss`] with
//! friction.
//!
//! [`Balance::loss`]: crate::grand::equations::dynamics::Balance::loss

use crate::grand::equations::contact;
use crate::grand::equations::drive::DriveNow;
use crate::grand::equations::evaluation::Evaluation;
use crate::grand::equations::friction::element;
use crate::grand::equations::precomputed::Precomputed;
use crate::grand::{STATES, state};
use crate::interface::elements::Element;
use touchback_core::mech::felt::Contact;

/// Number of elements.
const COUNT: usize = 30;

/// The elements in the order of [`values`]: felts, viscous drag and the shank, Coulomb friction, springs.
pub(crate) const ELEMENTS: [Element; COUNT] = [
    Element::force("knuckle_on_jack"),
    Element::force("knuckle_on_lever"),
    Element::torque("jack_stop"),
    Element::torque("jack_window"),
    Element::force("let_off_button"),
    Element::torque("lever_stop"),
    Element::torque("wippen_stop"),
    Element::force("drop_screw"),
    Element::force("backcheck"),
    Element::force("string"),
    Element::force("rest_rail"),
    Element::force("key_bed"),
    Element::force("key_rest"),
    Element::force("damper_lift"),
    Element::force("damper_seat"),
    Element::force("damper_tray"),
    Element::force("damper_rail"),
    Element::force("jack_drag"),
    Element::torque("lever_drag"),
    Element::force("damper_drag"),
    Element::torque("shank"),
    Element::torque("key_capstan_and_button_friction"),
    Element::torque("hammer_friction"),
    Element::torque("lever_friction"),
    Element::force("knuckle_slide_friction"),
    Element::force("backcheck_friction"),
    Element::force("lever_slide_friction"),
    Element::force("damper_friction"),
    Element::torque("repetition_spring").lossless(),
    Element::torque("jack_spring").lossless(),
];

/// Force and dissipated power of each element at the state `x` with its frictionless evaluation `free` and the
/// friction that would be held through the next `dt` s.
#[must_use]
pub fn values(
    n: &Precomputed,
    free: &Evaluation,
    input: &DriveNow,
    x: &[f64; STATES],
    dt: f64,
) -> [Contact; COUNT] {
    let (k, c) = (&free.kinematics, &free.contacts);
    let none = Contact::default();
    let drag = |damping: f64, speed: f64| {
        let force = damping * speed;
        Contact { force, loss: force * speed }
    };
    let spring = |force: f64| Contact { force, loss: 0.0 };
    let bears = free.phases.jack_bears(n);
    let [slide_drag, _] = contact::slide_drag(n, k, c.jack.force);
    let (friction, damper_friction) = free.friction_elements(n, input, x, dt);
    let shank = &n.hammer.shank;
    let bending = shank.damping * k.u[4];
    // With a rigid knuckle the jack's stop and the button are constraints.
    let jack = if n.is_rigid() {
        [Contact { force: f64::NAN, loss: 0.0 }; 3]
    } else {
        [c.stop, c.window, c.button]
    };
    let jack_turn = if n.is_rigid() { k.jack_turn(n) } else { x[state::JACK] };
    [
        if bears { c.jack } else { none },
        c.lever.1,
        jack[0],
        jack[1],
        jack[2],
        c.raised,
        c.lowered,
        c.drop.1,
        c.check.1,
        c.string,
        c.rail,
        c.bed,
        c.rest,
        c.damper[0],
        c.damper[1],
        c.damper[2],
        c.damper[3],
        if bears {
            Contact { force: slide_drag, loss: slide_drag * k.drag_speed(n) }
        } else {
            none
        },
        drag(n.lever.damping, k.u[2] - k.wippen_speed()),
        drag(n.damper.damping, x[state::DAMPER_SPEED]),
        Contact { force: shank.stiffness * k.bend + bending, loss: bending * k.u[4] },
        friction[element::KEY],
        friction[element::HAMMER],
        friction[element::LEVER],
        friction[element::JACK_ON_KNUCKLE],
        friction[element::TAIL_ON_CHECK],
        friction[element::KNUCKLE_ON_LEVER],
        damper_friction,
        spring(n.lever.spring_torque + n.lever.spring_rate * k.lever_turn(n)),
        spring(n.jack.spring_torque + n.jack.spring_rate * jack_turn),
    ]
}
