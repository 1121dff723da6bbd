//! What a technician sets in the action.

use super::{at, centred, index_of, number};
use crate::action::ActionKind;
use crate::params::{Parameter, ParameterGroup, ValueKind};

/// Regulation, then springs, masses, felts and friction.
///
/// Usual figures: factory sheets of Steinway, Yamaha and Kawai grands as gathered in
/// `docs/references.md` [regulation sheets]; weights [Stanwood tables].
pub static ACTION: [Parameter; 22] = [
    Parameter {
        // Usual 9.5–10.7 mm [regulation sheets].
        id: "key_dip_mm",
        name: "Key dip",
        group: ParameterGroup::Regulation,
        suffix: " mm",
        kind: number(8.0, 12.0, 2),
        doc: "Depth of the key bed at the key front.",
        get: |s| s.action.key_dip_mm,
        set: |s, v| s.action.key_dip_mm = v,
    },
    Parameter {
        // Usual 42–49 mm [regulation sheets].
        id: "blow_mm",
        name: "Blow distance",
        group: ParameterGroup::Regulation,
        suffix: " mm",
        kind: number(38.0, 54.0, 1),
        doc: "How far the resting hammer stands below the string.",
        get: |s| s.action.blow_mm,
        set: |s, v| s.action.blow_mm = v,
    },
    Parameter {
        // Usual 0.8–3.2 mm [regulation sheets]; at 0 the hammer blocks.
        id: "let_off_mm",
        name: "Let-off",
        group: ParameterGroup::Regulation,
        suffix: " mm",
        kind: centred(0.3, 2.0, 8.0, 2),
        doc: "How far below the string the jack lets the hammer go.",
        get: |s| s.action.let_off_mm,
        set: |s, v| s.action.let_off_mm = v,
    },
    Parameter {
        // Usual 1.0–2.0 mm [regulation sheets].
        id: "drop_mm",
        name: "Drop",
        group: ParameterGroup::Regulation,
        suffix: " mm",
        kind: number(0.0, 6.0, 2),
        doc: "How far the hammer falls after let-off in a slow press.",
        get: |s| s.action.drop_mm,
        set: |s, v| s.action.drop_mm = v,
    },
    Parameter {
        // Usual 12.7–16 mm [regulation sheets].
        id: "check_mm",
        name: "Check distance",
        group: ParameterGroup::Regulation,
        suffix: " mm",
        kind: number(8.0, 30.0, 1),
        doc: "How far below the string the backcheck holds the hammer.",
        get: |s| s.action.check_mm,
        set: |s, v| s.action.check_mm = v,
    },
    Parameter {
        // Usual 0.2 mm [regulation sheets].
        id: "jack_clearance_mm",
        name: "Jack clearance",
        group: ParameterGroup::Regulation,
        suffix: " mm",
        kind: centred(0.0, 0.2, 1.0, 2),
        doc: "Gap between jack and knuckle at rest.",
        get: |s| s.action.jack_clearance_mm,
        set: |s, v| s.action.jack_clearance_mm = v,
    },
    Parameter {
        // Usual half the blow [regulation sheets].
        id: "damper_pickup",
        name: "Damper pick-up",
        group: ParameterGroup::Regulation,
        suffix: " of blow",
        kind: number(0.1, 0.95, 2),
        doc: "Share of the hammer's way at which the key begins to lift the damper.",
        get: |s| s.action.damper_pickup,
        set: |s, v| s.action.damper_pickup = v,
    },
    Parameter {
        // Chosen: what a technician's shims take.
        id: "key_height_mm",
        name: "Key height",
        group: ParameterGroup::Regulation,
        suffix: " mm",
        kind: number(-3.0, 3.0, 2),
        doc: "Key fronts at rest above the concert grand's; the dip is kept.",
        get: |s| s.action.key_height_mm,
        set: |s, v| s.action.key_height_mm = v,
    },
    Parameter {
        // Key ratios of 0.47 to 0.60 are found, 0.49 here [Stanwood tables].
        id: "capstan_mm",
        name: "Capstan position",
        group: ParameterGroup::Regulation,
        suffix: " mm",
        kind: number(-4.0, 6.0, 2),
        doc: "Capstans farther from the balance rail than the concert grand's; more is a larger \
              ratio.",
        get: |s| s.action.capstan_mm,
        set: |s, v| s.action.capstan_mm = v,
    },
    Parameter {
        // Usual 16–18 mm [regulation sheets].
        id: "knuckle_mm",
        name: "Knuckle distance",
        group: ParameterGroup::Regulation,
        suffix: " mm",
        kind: number(16.0, 18.0, 2),
        doc: "Hammer centre to knuckle, the jack set under it; less is a larger ratio.",
        get: |s| s.action.knuckle_mm,
        set: |s, v| s.action.knuckle_mm = v,
    },
    Parameter {
        id: "action",
        name: "Action",
        group: ParameterGroup::Action,
        suffix: "",
        kind: ValueKind::Choice(&ActionKind::LABELS),
        doc: "What lies between key and string; a change takes effect on each key's next note from \
              rest.",
        get: |s| index_of(&ActionKind::ALL, &s.action.action),
        set: |s, v| s.action.action = at(&ActionKind::ALL, v),
    },
    Parameter {
        // Light and heavy sets lie 2 g below and above the middle one [Stanwood tables].
        id: "strike_weight_g",
        name: "Strike weight",
        group: ParameterGroup::Action,
        suffix: " g",
        kind: number(-2.5, 2.5, 2),
        doc: "Weight added at the hammers' crowns.",
        get: |s| s.action.strike_weight_g,
        set: |s, v| s.action.strike_weight_g = v,
    },
    Parameter {
        // 0 takes the spring out: the grand then repeats like an upright.
        id: "repetition_spring",
        name: "Repetition spring",
        group: ParameterGroup::Action,
        suffix: " ×",
        kind: number(0.0, 2.0, 2),
        doc: "Torque of the repetition spring against the concert grand's.",
        get: |s| s.action.repetition_spring,
        set: |s, v| s.action.repetition_spring = v,
    },
    Parameter {
        // Chosen: two octaves either way, as for all stiffnesses below.
        id: "jack_spring",
        name: "Jack spring",
        group: ParameterGroup::Action,
        suffix: " ×",
        kind: centred(0.25, 1.0, 4.0, 2),
        doc: "Torque of the jack spring against the concert grand's.",
        get: |s| s.action.jack_spring,
        set: |s, v| s.action.jack_spring = v,
    },
    Parameter {
        // Strike weights from light to heavy sets span 0.76–1.14 of the middle set [Stanwood tables].
        id: "hammer_mass",
        name: "Hammer mass",
        group: ParameterGroup::Action,
        suffix: " ×",
        kind: centred(0.5, 1.0, 2.0, 2),
        doc: "Mass and inertia of the hammers against the concert grand's.",
        get: |s| s.action.hammer_mass,
        set: |s, v| s.action.hammer_mass = v,
    },
    Parameter {
        id: "key_mass",
        name: "Key mass",
        group: ParameterGroup::Action,
        suffix: " ×",
        kind: centred(0.5, 1.0, 2.0, 2),
        doc: "Inertia of the keys against the concert grand's.",
        get: |s| s.action.key_mass,
        set: |s, v| s.action.key_mass = v,
    },
    Parameter {
        // Down weights run from 46 to 56 g, up weights from 20 g [regulation sheets; Stanwood tables].
        id: "key_lead_g",
        name: "Key lead removed",
        group: ParameterGroup::Action,
        suffix: " g",
        kind: number(-20.0, 20.0, 1),
        doc: "Lead taken out of the keys, in static down weight at the key front: a positive value \
              makes the touch heavier, a negative one adds lead.",
        get: |s| s.action.key_lead_g,
        set: |s, v| s.action.key_lead_g = v,
    },
    Parameter {
        id: "knuckle_stiffness",
        name: "Knuckle stiffness",
        group: ParameterGroup::Action,
        suffix: " ×",
        kind: centred(0.25, 1.0, 4.0, 2),
        doc: "Stiffness of the knuckles against the concert grand's.",
        get: |s| s.action.knuckle_stiffness,
        set: |s, v| s.action.knuckle_stiffness = v,
    },
    Parameter {
        id: "key_bed_stiffness",
        name: "Key-bed stiffness",
        group: ParameterGroup::Action,
        suffix: " ×",
        kind: centred(0.25, 1.0, 4.0, 2),
        doc: "Stiffness of the felt under the key fronts against the concert grand's.",
        get: |s| s.action.key_bed_stiffness,
        set: |s, v| s.action.key_bed_stiffness = v,
    },
    Parameter {
        // Friction weights: 15 g bass to 11 g treble, ± 2 g [Stanwood tables]; 0 is ideal.
        id: "friction",
        name: "Friction",
        group: ParameterGroup::Action,
        suffix: " ×",
        kind: number(0.0, 2.0, 2),
        doc: "Friction of centres and slides against the concert grand's.",
        get: |s| s.action.friction,
        set: |s, v| s.action.friction = v,
    },
    Parameter {
        // Chosen: from polished to roughened leather.
        id: "check_friction",
        name: "Check friction",
        group: ParameterGroup::Action,
        suffix: "",
        kind: number(0.1, 1.5, 2),
        doc: "Friction coefficient of the backcheck leather.",
        get: |s| s.action.check_friction,
        set: |s, v| s.action.check_friction = v,
    },
    Parameter {
        id: "damper_weight",
        name: "Damper weight",
        group: ParameterGroup::Action,
        suffix: " ×",
        kind: centred(0.25, 1.0, 4.0, 2),
        doc: "Weight of the dampers against the concert grand's.",
        get: |s| s.action.damper_weight,
        set: |s, v| s.action.damper_weight = v,
    },
];
