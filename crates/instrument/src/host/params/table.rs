//! The table of parameters in display order; their rows are those of the settings.
//!
//! Ids never change: projects and automation use them.

use crate::Settings;
use crate::host::params::{ParamError, Parameter, ParameterGroup};
use crate::settings::{MidiSettings, PedalSettings, TouchSettings};
use touchback_action::ActionSettings;
use touchback_core::math::setting::{Row, Value};
use touchback_sound::SoundSettings;

/// Declares the table from lines of group, struct of the rows, its place in the settings, and fields.
macro_rules! table {
    ($($group:ident, $rows:ty, |$s:ident| $place:expr => $($id:ident)+;)+) => {
        static TABLE: &[Parameter] = &[$($({
            const ROW: &Row = Row::of(<$rows>::ROWS, stringify!($id));
            Parameter {
                id: ROW.id,
                name: ROW.name,
                group: ParameterGroup::$group,
                suffix: ROW.suffix,
                kind: ROW.kind,
                doc: ROW.doc,
                get: |$s| $place.$id.number(),
                set: |$s, value| $place.$id = Value::from_number(value),
            }
        },)+)+];

        /// Number of parameters.
        pub const COUNT: usize = [$($(stringify!($id)),+),+].len();
    };
}

table! {
    Touch, TouchSettings, |s| s.touch =>
        timing latency velocity_means velocity_map softest_m_s loudest_m_s gamma dynamics
        release_m_s soft_velocity medium_velocity loud_velocity silent_below strict_repetition
        legato_repair key_pressure;
    Pedals, PedalSettings, |s| s.pedals => pedal_polarity pedal_from pedal_to pedal_repair;
    Midi, MidiSettings, |s| s.midi =>
        transpose bend_range mpe mpe_bend_range rpn mts_esp strike_output;
    Regulation, ActionSettings, |s| s.action =>
        key_dip_mm blow_mm let_off_mm drop_mm check_mm jack_clearance_mm damper_pickup
        key_height_mm capstan_mm knuckle_mm;
    Action, ActionSettings, |s| s.action =>
        action strike_weight_g repetition_spring jack_spring hammer_mass key_mass key_lead_g
        knuckle_stiffness key_bed_stiffness friction check_friction damper_weight unevenness
        unevenness_seed;
    Tuning, SoundSettings, |s| s.sound => a4_hz stretch temperament unison_width_cents;
    Sound, SoundSettings, |s| s.sound => string_length;
    Sound, ActionSettings, |s| s.action => strike_point hammer_hardness;
    Sound, SoundSettings, |s| s.sound => sustain brightness_loss damper_time board knocks;
    Output, SoundSettings, |s| s.sound =>
        width lid perspective distance room_db room_size room_time;
    Output, Settings, |s| s => output_db output_guard;
    Output, SoundSettings, |s| s.sound => economy;
    // Newer parameters, at the end: some hosts number parameters by their order.
    Regulation, ActionSettings, |s| s.action => jack_position_mm;
    Sound, SoundSettings, |s| s.sound => evenness_db;
}

/// All parameters, in display order.
pub fn all() -> impl ExactSizeIterator<Item = &'static Parameter> + Clone {
    TABLE.iter()
}

/// The parameter of this id.
///
/// # Errors
/// [`ParamError::NoSuchParameter`] for an unknown id.
pub fn find(id: &str) -> Result<&'static Parameter, ParamError> {
    all()
        .find(|p| p.id.eq_ignore_ascii_case(id))
        .ok_or_else(|| ParamError::NoSuchParameter { id: id.to_owned() })
}

/// Values of parameters in projects saved before the parameters existed, where not the default.
const BEFORE: [(&str, f64); 7] = [
    ("output_guard", 0.0),
    ("velocity_means", 1.0),
    ("legato_repair", 0.0),
    ("mts_esp", 0.0),
    ("rpn", 0.0),
    ("pedal_repair", 0.0),
    ("evenness_db", 0.0),
];

impl Parameter {
    /// Index in the table; `None` for a parameter that is not in the table.
    #[must_use]
    pub fn index(&self) -> Option<usize> {
        all().position(|parameter| std::ptr::eq(parameter, self))
    }

    /// The value in a project without the parameter: one saved before the parameter existed.
    #[must_use]
    pub fn value_where_absent(&self) -> f64 {
        let before = BEFORE.iter().find(|(id, _)| *id == self.id);
        before.map_or_else(|| self.default_value(), |(_, value)| *value)
    }
}
