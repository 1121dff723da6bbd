//! From host notes to motions of keys.

use super::{SWITCH, at, centred, index_of, number};
use crate::params::{Parameter, ParameterGroup, ValueKind};
use crate::settings::{KeyPressure, Latency, Timing, TouchSettings, VelocityMap, VelocityMeans};

const TIMINGS: [Timing; 3] = [Timing::Immediate, Timing::Natural, Timing::LookAhead];
const LATENCIES: [Latency; 3] = [Latency::Short, Latency::Middle, Latency::Long];
const MEANS: [VelocityMeans; 2] = [VelocityMeans::Finger, VelocityMeans::Hammer];
const MAPS: [VelocityMap; 4] =
    [VelocityMap::Se290, VelocityMap::Disklavier, VelocityMap::Linear, VelocityMap::Gamma];

const PRESSURES: [KeyPressure; 2] = [KeyPressure::Ignored, KeyPressure::Position];

/// Timing, velocity, release, calibration, repetition, position.
pub static TOUCH: [Parameter; 16] = [
    Parameter {
        id: "timing",
        name: "Timing",
        group: ParameterGroup::Touch,
        suffix: "",
        kind: ValueKind::Choice(&["Immediate", "Natural", "Look-ahead"]),
        doc: "Immediate: the note sounds at the note-on. Natural: the finger's motion begins at \
              the note-on, and the note sounds when the hammer arrives. Look-ahead: the motion \
              begins so early that a hammer of the standard regulation arrives at the note's \
              time; the host compensates the latency, and a change of the latency takes effect \
              when the plugin restarts.",
        get: |s| index_of(&TIMINGS, &s.touch.timing),
        set: |s, v| s.touch.timing = at(&TIMINGS, v),
    },
    Parameter {
        id: "latency",
        name: "Latency",
        group: ParameterGroup::Touch,
        suffix: "",
        kind: ValueKind::Choice(&["60 ms", "120 ms", "200 ms"]),
        doc: "Delay of all output in look-ahead timing. A note whose press takes longer than this \
              sounds late.",
        get: |s| index_of(&LATENCIES, &s.touch.latency),
        set: |s, v| s.touch.latency = at(&LATENCIES, v),
    },
    Parameter {
        id: "velocity_means",
        name: "Velocity means",
        group: ParameterGroup::Touch,
        suffix: "",
        kind: ValueKind::Choice(&["Finger", "Hammer"]),
        doc: "Finger: an immediate note gets the effort that its velocity needs under the \
              standard regulation, and the present regulation decides the speed of the grand's \
              hammer. Hammer: the hammer itself has the velocity's speed. Natural notes always \
              use Finger.",
        get: |s| index_of(&MEANS, &s.touch.velocity_means),
        set: |s, v| s.touch.velocity_means = at(&MEANS, v),
    },
    Parameter {
        id: "velocity_map",
        name: "Velocity map",
        group: ParameterGroup::Touch,
        suffix: "",
        kind: ValueKind::Choice(&["SE290", "Disklavier", "Linear", "Gamma"]),
        doc: "Law from note velocity to hammer speed.",
        get: |s| index_of(&MAPS, &s.touch.velocity_map),
        set: |s, v| s.touch.velocity_map = at(&MAPS, v),
    },
    Parameter {
        id: "softest_m_s",
        name: "Softest strike",
        group: ParameterGroup::Touch,
        suffix: " m/s",
        kind: centred(&TouchSettings::RANGES.softest_m_s, 0.25, 2),
        doc: "Hammer speed of velocity 1 in the linear and gamma maps.",
        get: |s| s.touch.softest_m_s,
        set: |s, v| s.touch.softest_m_s = v,
    },
    Parameter {
        id: "loudest_m_s",
        name: "Loudest strike",
        group: ParameterGroup::Touch,
        suffix: " m/s",
        kind: centred(&TouchSettings::RANGES.loudest_m_s, 5.0, 2),
        doc: "Hammer speed of velocity 127 in the linear and gamma maps.",
        get: |s| s.touch.loudest_m_s,
        set: |s, v| s.touch.loudest_m_s = v,
    },
    Parameter {
        id: "gamma",
        name: "Velocity curve",
        group: ParameterGroup::Touch,
        suffix: "",
        kind: centred(&TouchSettings::RANGES.gamma, 1.0, 2),
        doc: "Exponent of the gamma map: above 1, soft notes take more of the velocity range.",
        get: |s| s.touch.gamma,
        set: |s, v| s.touch.gamma = v,
    },
    Parameter {
        id: "dynamics",
        name: "Dynamics",
        group: ParameterGroup::Touch,
        suffix: " ×",
        kind: centred(&TouchSettings::RANGES.dynamics, 1.0, 2),
        doc: "Multiplies every hammer speed.",
        get: |s| s.touch.dynamics,
        set: |s, v| s.touch.dynamics = v,
    },
    Parameter {
        id: "release_m_s",
        name: "Release speed",
        group: ParameterGroup::Touch,
        suffix: " m/s",
        kind: centred(&TouchSettings::RANGES.release_m_s, 0.3, 2),
        doc: "Speed of the rising key front at the middle release velocity.",
        get: |s| s.touch.release_m_s,
        set: |s, v| s.touch.release_m_s = v,
    },
    Parameter {
        id: "soft_velocity",
        name: "Soft velocity",
        group: ParameterGroup::Touch,
        suffix: "",
        kind: number(&TouchSettings::RANGES.soft_velocity, 0),
        doc: "Velocity your keyboard sends when you play softly (mapped to 32).",
        get: |s| s.touch.soft_velocity,
        set: |s, v| s.touch.soft_velocity = v,
    },
    Parameter {
        id: "medium_velocity",
        name: "Medium velocity",
        group: ParameterGroup::Touch,
        suffix: "",
        kind: number(&TouchSettings::RANGES.medium_velocity, 0),
        doc: "Velocity your keyboard sends when you play at middle strength (mapped to 64).",
        get: |s| s.touch.medium_velocity,
        set: |s, v| s.touch.medium_velocity = v,
    },
    Parameter {
        id: "loud_velocity",
        name: "Loud velocity",
        group: ParameterGroup::Touch,
        suffix: "",
        kind: number(&TouchSettings::RANGES.loud_velocity, 0),
        doc: "Velocity your keyboard sends when you play loudly (mapped to 96).",
        get: |s| s.touch.loud_velocity,
        set: |s, v| s.touch.loud_velocity = v,
    },
    Parameter {
        id: "silent_below",
        name: "Silent below",
        group: ParameterGroup::Touch,
        suffix: "",
        kind: number(&TouchSettings::RANGES.silent_below, 0),
        doc: "Notes with a velocity below this value are pressed silently: they lift only their damper.",
        get: |s| s.touch.silent_below,
        set: |s, v| s.touch.silent_below = v,
    },
    Parameter {
        id: "strict_repetition",
        name: "Strict repetition",
        group: ParameterGroup::Touch,
        suffix: "",
        kind: ValueKind::Choice(&["Off", "On"]),
        doc: "On: an immediate note that comes before the jack has reset is silent, as on a grand.",
        get: |s| index_of(&SWITCH, &s.touch.strict_repetition),
        set: |s, v| s.touch.strict_repetition = at(&SWITCH, v),
    },
    Parameter {
        id: "legato_repair",
        name: "Legato repair",
        group: ParameterGroup::Touch,
        suffix: "",
        kind: ValueKind::Choice(&["Off", "On"]),
        doc: "On: a natural note strikes even if it ends early, and a key that is still rising \
              first rises until it can be played again; in look-ahead timing the finger of the \
              note before leaves the key in time. Off: keys follow the notes as written, and such \
              a note may stay silent.",
        get: |s| index_of(&SWITCH, &s.touch.legato_repair),
        set: |s, v| s.touch.legato_repair = at(&SWITCH, v),
    },
    Parameter {
        id: "key_pressure",
        name: "Key pressure",
        group: ParameterGroup::Touch,
        suffix: "",
        kind: ValueKind::Choice(&["Ignored", "Position"]),
        doc: "Position: polyphonic key pressure is read as the depth of the key, for keyboards \
              that measure it. It is not used as aftertouch.",
        get: |s| index_of(&PRESSURES, &s.touch.key_pressure),
        set: |s, v| s.touch.key_pressure = at(&PRESSURES, v),
    },
];
