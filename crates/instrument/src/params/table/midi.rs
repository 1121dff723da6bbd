//! Meaning of MIDI messages, and messages sent.

use super::{SWITCH, at, index_of, number};
use crate::params::{Parameter, ParameterGroup, ValueKind};
use crate::settings::{MidiSettings, MtsEsp, StrikeOutput};

const OUTPUTS: [StrikeOutput; 3] =
    [StrikeOutput::Off, StrikeOutput::Notes, StrikeOutput::NotesAndCc88];

const FOLLOWING: [MtsEsp; 3] = [MtsEsp::Off, MtsEsp::Exact, MtsEsp::Stretched];

/// Transposition, bend, MPE, registered parameters, external tuning, strike output.
pub static MIDI: [Parameter; 7] = [
    Parameter {
        id: "transpose",
        name: "Transpose",
        group: ParameterGroup::Midi,
        suffix: " semitones",
        kind: number(&MidiSettings::RANGES.transpose, 0),
        doc: "Moves notes along the keyboard by whole semitones; held notes keep their keys.",
        get: |s| s.midi.transpose,
        set: |s, v| s.midi.transpose = v,
    },
    Parameter {
        id: "bend_range",
        name: "Bend range",
        group: ParameterGroup::Midi,
        suffix: " semitones",
        kind: number(&MidiSettings::RANGES.bend_range, 2),
        doc: "Pitch change of a full pitch bend, up and down.",
        get: |s| s.midi.bend_range,
        set: |s, v| s.midi.bend_range = v,
    },
    Parameter {
        id: "mpe",
        name: "MPE",
        group: ParameterGroup::Midi,
        suffix: "",
        kind: ValueKind::Choice(&["Off", "On"]),
        doc: "On: each of the channels 2 to 16 is one finger; pitch bend and pressure of a \
              channel apply to its note.",
        get: |s| index_of(&SWITCH, &s.midi.mpe),
        set: |s, v| s.midi.mpe = at(&SWITCH, v),
    },
    Parameter {
        id: "mpe_bend_range",
        name: "MPE bend range",
        group: ParameterGroup::Midi,
        suffix: " semitones",
        kind: number(&MidiSettings::RANGES.mpe_bend_range, 2),
        doc: "Pitch change of a finger's full bend under MPE, up and down.",
        get: |s| s.midi.mpe_bend_range,
        set: |s, v| s.midi.mpe_bend_range = v,
    },
    Parameter {
        id: "rpn",
        name: "RPN",
        group: ParameterGroup::Midi,
        suffix: "",
        kind: ValueKind::Choice(&["Off", "On"]),
        doc: "On: bend range, tuning and MPE zones that a keyboard or file sends (RPN 0, 1, 2, 6) \
              take effect.",
        get: |s| index_of(&SWITCH, &s.midi.rpn),
        set: |s, v| s.midi.rpn = at(&SWITCH, v),
    },
    Parameter {
        id: "mts_esp",
        name: "MTS-ESP",
        group: ParameterGroup::Midi,
        suffix: "",
        kind: ValueKind::Choice(&["Off", "Exact", "Stretched"]),
        doc: "Follows the session's tuning master, exactly or with the piano's stretch; a scale \
              loaded into the plugin takes precedence.",
        get: |s| index_of(&FOLLOWING, &s.midi.mts_esp),
        set: |s, v| s.midi.mts_esp = at(&FOLLOWING, v),
    },
    Parameter {
        id: "strike_output",
        name: "Strike output",
        group: ParameterGroup::Midi,
        suffix: "",
        kind: ValueKind::Choice(&["Off", "Notes", "Notes and CC 88"]),
        doc: "Sends every hammer strike as a note, so that the action can play another instrument.",
        get: |s| index_of(&OUTPUTS, &s.midi.strike_output),
        set: |s, v| s.midi.strike_output = at(&OUTPUTS, v),
    },
];
