//! Interpretation of pedals.

use super::{SWITCH, at, index_of, number};
use crate::params::{Parameter, ParameterGroup, ValueKind};
use crate::settings::{PedalSettings, Polarity};

const POLARITIES: [Polarity; 2] = [Polarity::Normal, Polarity::Inverted];

/// Polarity, zone and repair of the sustain pedal.
pub static PEDALS: [Parameter; 4] = [
    Parameter {
        id: "pedal_polarity",
        name: "Pedal polarity",
        group: ParameterGroup::Pedals,
        suffix: "",
        kind: ValueKind::Choice(&["Normal", "Inverted"]),
        doc: "Inverted: value 0 of the sustain pedal means pressed, for pedals of the opposite polarity.",
        get: |s| index_of(&POLARITIES, &s.pedals.pedal_polarity),
        set: |s, v| s.pedals.pedal_polarity = at(&POLARITIES, v),
    },
    Parameter {
        id: "pedal_from",
        name: "Pedal zone from",
        group: ParameterGroup::Pedals,
        suffix: " %",
        kind: number(&PedalSettings::RANGES.pedal_from, 1),
        doc: "Travel of the sustain pedal at which the dampers begin to leave the strings.",
        get: |s| s.pedals.pedal_from,
        set: |s, v| s.pedals.pedal_from = v,
    },
    Parameter {
        id: "pedal_to",
        name: "Pedal zone to",
        group: ParameterGroup::Pedals,
        suffix: " %",
        kind: number(&PedalSettings::RANGES.pedal_to, 1),
        doc: "Travel of the sustain pedal at which the dampers are clear of the strings.",
        get: |s| s.pedals.pedal_to,
        set: |s, v| s.pedals.pedal_to = v,
    },
    Parameter {
        id: "pedal_repair",
        name: "Pedal repair",
        group: ParameterGroup::Pedals,
        suffix: "",
        kind: ValueKind::Choice(&["Off", "On"]),
        doc: "On: in files and in look-ahead timing, a pedal that scores lift for less than 150 ms \
              goes down later or up earlier, so that the dampers stop the strings; pedals that \
              send positions between up and down stay as they are. Live playing is not changed.",
        get: |s| index_of(&SWITCH, &s.pedals.pedal_repair),
        set: |s, v| s.pedals.pedal_repair = at(&SWITCH, v),
    },
];
