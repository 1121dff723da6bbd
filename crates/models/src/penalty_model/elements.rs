//! The elements of the second formulation, in the order of the indices in [`index`]: contacts, joints, drag, springs,
//! then the friction elements.

use super::body::friction;
use touchback_action::interface::elements::Element;

/// Number of elements.
pub(super) const COUNT: usize = index::FRICTION + super::body::ELEMENTS;

/// Indices of the elements.
pub(super) mod index {
    pub(in super::super) const CAPSTAN: usize = 0;
    pub(in super::super) const JACK_PIN: usize = 1;
    pub(in super::super) const LEVER_PIN: usize = 2;
    pub(in super::super) const KNUCKLE_ON_JACK: usize = 3;
    pub(in super::super) const KNUCKLE_FLANK: usize = 4;
    pub(in super::super) const KNUCKLE_ON_LEVER: usize = 5;
    pub(in super::super) const JACK_STOP: usize = 6;
    pub(in super::super) const JACK_WINDOW: usize = 7;
    pub(in super::super) const LET_OFF_BUTTON: usize = 8;
    pub(in super::super) const LEVER_STOP: usize = 9;
    pub(in super::super) const WIPPEN_STOP: usize = 10;
    pub(in super::super) const DROP_SCREW: usize = 11;
    pub(in super::super) const BACKCHECK: usize = 12;
    pub(in super::super) const STRING: usize = 13;
    pub(in super::super) const REST_RAIL: usize = 14;
    pub(in super::super) const KEY_BED: usize = 15;
    pub(in super::super) const KEY_REST: usize = 16;
    pub(in super::super) const DAMPER_LIFT: usize = 17;
    pub(in super::super) const DAMPER_SEAT: usize = 18;
    pub(in super::super) const DAMPER_TRAY: usize = 19;
    pub(in super::super) const DAMPER_RAIL: usize = 20;
    pub(in super::super) const JACK_DRAG: usize = 21;
    pub(in super::super) const LEVER_DRAG: usize = 22;
    pub(in super::super) const DAMPER_DRAG: usize = 23;
    pub(in super::super) const SHANK: usize = 24;
    pub(in super::super) const KEY_STICK: usize = 25;
    pub(in super::super) const REPETITION_SPRING: usize = 26;
    pub(in super::super) const JACK_SPRING: usize = 27;
    /// The first friction element.
    pub(in super::super) const FRICTION: usize = 28;
}

/// The elements; with the names of [`touchback_action::grand`] where it has them too.
pub(super) const ELEMENTS: [Element; COUNT] = {
    use Element as E;
    let mut all = [E::force(""); COUNT];
    all[index::CAPSTAN] = E::force("capstan");
    all[index::JACK_PIN] = E::force("jack_pin");
    all[index::LEVER_PIN] = E::force("lever_pin");
    all[index::KNUCKLE_ON_JACK] = E::force("knuckle_on_jack");
    all[index::KNUCKLE_FLANK] = E::force("knuckle_flank");
    all[index::KNUCKLE_ON_LEVER] = E::force("knuckle_on_lever");
    all[index::JACK_STOP] = E::torque("jack_stop");
    all[index::JACK_WINDOW] = E::torque("jack_window");
    all[index::LET_OFF_BUTTON] = E::force("let_off_button");
    all[index::LEVER_STOP] = E::torque("lever_stop");
    all[index::WIPPEN_STOP] = E::torque("wippen_stop");
    all[index::DROP_SCREW] = E::force("drop_screw");
    all[index::BACKCHECK] = E::force("backcheck");
    all[index::STRING] = E::force("string");
    all[index::REST_RAIL] = E::force("rest_rail");
    all[index::KEY_BED] = E::force("key_bed");
    all[index::KEY_REST] = E::force("key_rest");
    all[index::DAMPER_LIFT] = E::force("damper_lift");
    all[index::DAMPER_SEAT] = E::force("damper_seat");
    all[index::DAMPER_TRAY] = E::force("damper_tray");
    all[index::DAMPER_RAIL] = E::force("damper_rail");
    all[index::JACK_DRAG] = E::force("jack_drag");
    all[index::LEVER_DRAG] = E::torque("lever_drag");
    all[index::DAMPER_DRAG] = E::force("damper_drag");
    all[index::SHANK] = E::torque("shank");
    all[index::KEY_STICK] = E::torque("key_stick").lossless();
    all[index::REPETITION_SPRING] = E::torque("repetition_spring").lossless();
    all[index::JACK_SPRING] = E::torque("jack_spring").lossless();
    let first = index::FRICTION;
    all[first + friction::KEY] = E::torque("key_friction");
    all[first + friction::HAMMER] = E::torque("hammer_friction");
    all[first + friction::LEVER] = E::torque("lever_friction");
    all[first + friction::TOE_ON_BUTTON] = E::force("let_off_button_friction");
    all[first + friction::JACK_ON_KNUCKLE] = E::force("knuckle_slide_friction");
    all[first + friction::TAIL_ON_CHECK] = E::force("backcheck_friction");
    all[first + friction::CAPSTAN_ON_HEEL] = E::force("capstan_friction");
    all[first + friction::KNUCKLE_ON_LEVER] = E::force("lever_slide_friction");
    all[first + friction::DAMPER] = E::force("damper_friction");
    all
};
