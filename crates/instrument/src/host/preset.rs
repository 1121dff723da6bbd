//! Factory pianos: whole settings by name.
//!
//! Values that are not set are the concert grand's. The others are chosen within the range of the sources of
//! each parameter (see the table of parameters). All pianos are equally loud on a soft and a loud phrase by `levels`,
//! which `touchback-proof lab presets` measures, together with the differences between the pianos.
//!
//! The player's own pianos are files in a folder: `file` and `user_presets`, with the feature
//! `files`.

#[cfg(feature = "files")]
pub mod file;
mod levels;
#[cfg(feature = "files")]
pub mod user_presets;

use crate::Settings;
use crate::host::params::{Parameter, ParameterGroup};
use crate::settings::VelocityMap;
use touchback_action::ActionKind;
use touchback_sound::output::perspective::Perspective;

/// One factory piano.
pub struct Preset {
    /// Stable name, as on the command line.
    pub name: &'static str,
    /// Description, in one sentence.
    pub about: &'static str,
    /// Words to find it by.
    pub tags: &'static [&'static str],
    set: fn(&mut Settings),
}

impl Preset {
    /// All settings of this piano.
    #[must_use]
    pub fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        (self.set)(&mut settings);
        let level = levels::LEVELS.iter().find(|(name, _)| *name == self.name);
        settings.output_db = level.map_or(0.0, |(_, db)| *db);
        settings
    }

    /// The name with a capital.
    #[must_use]
    pub fn title(&self) -> String {
        let mut letters = self.name.chars();
        let first = letters.next();
        first.map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    }
}

/// Whether `parameter` belongs to the player's keyboard and pedals rather than to the piano: choosing a
/// preset does not change it.
#[must_use]
pub fn is_keyboards(parameter: &Parameter) -> bool {
    const TOUCH: [&str; 4] = ["soft_velocity", "medium_velocity", "loud_velocity", "silent_below"];
    matches!(parameter.group, ParameterGroup::Pedals | ParameterGroup::Midi)
        || TOUCH.contains(&parameter.id)
}

/// Whether `parameter` belongs to the machine that computes the piano: no preset changes it.
#[must_use]
pub fn is_machines(parameter: &Parameter) -> bool {
    parameter.id == "economy"
}

/// All factory pianos, the default first.
pub static PRESETS: [Preset; 15] = [
    Preset {
        name: "concert",
        about: "A concert grand in best regulation: the default of every parameter.",
        tags: &["grand", "balanced"],
        set: |_| {},
    },
    Preset {
        name: "mellow",
        about: "Soft felt on heavy hammers under a half-closed lid: long and dark, for quiet rooms.",
        tags: &["grand", "warm", "dark"],
        set: |s| {
            s.action.hammer_hardness = -1.2;
            s.action.hammer_mass = 1.25;
            s.sound.lid = 0.5;
            s.sound.brightness_loss = 1.4;
            s.sound.sustain = 1.2;
            s.sound.knocks = 0.7;
            s.touch.dynamics = 0.9;
        },
    },
    Preset {
        name: "bright",
        about: "Hard, light hammers near the strings' ends, to cut through an ensemble.",
        tags: &["grand", "bright", "ensemble"],
        set: |s| {
            s.action.hammer_hardness = 0.9;
            s.sound.brightness_loss = 0.8;
            s.action.hammer_mass = 0.7;
            s.action.strike_point = 0.85;
            s.action.let_off_mm = 1.0;
            s.touch.dynamics = 1.1;
        },
    },
    Preset {
        name: "light",
        about: "A shallow, quick action and small hammers: responds to a soft touch, with a clear, short tone.",
        tags: &["grand", "clear", "quick action"],
        set: |s| {
            s.action.key_dip_mm = 9.5;
            s.action.blow_mm = 44.0;
            s.action.hammer_mass = 0.85;
            s.action.key_mass = 0.85;
            s.action.repetition_spring = 1.3;
            s.action.friction = 0.7;
            s.action.hammer_hardness = 0.3;
            s.sound.sustain = 0.7;
        },
    },
    Preset {
        name: "heavy",
        about: "A deep, heavy action with heavy hammers, as in old full-size concert grands: dark, singing.",
        tags: &["grand", "dark", "heavy action"],
        set: |s| {
            s.action.key_dip_mm = 10.5;
            s.action.blow_mm = 49.0;
            s.action.hammer_mass = 1.35;
            s.action.key_mass = 1.2;
            s.action.friction = 1.3;
            s.action.hammer_hardness = -0.8;
            s.sound.string_length = 1.1;
            s.sound.sustain = 1.7;
        },
    },
    Preset {
        name: "romantic",
        about: "The widest dynamic range, long decay, in a salon.",
        tags: &["grand", "warm", "wide dynamics"],
        set: |s| {
            s.touch.velocity_map = VelocityMap::Gamma;
            s.touch.gamma = 3.0;
            s.action.hammer_hardness = -0.2;
            s.sound.sustain = 1.7;
            s.sound.brightness_loss = 0.9;
            s.sound.board = 1.3;
            s.sound.room_db = -16.0;
            s.sound.room_size = 14.0;
            s.sound.room_time = 1.0;
        },
    },
    Preset {
        name: "studio",
        about: "Microphones inside the rim, no room, a narrow dynamic range: close and dry, for a mix.",
        tags: &["grand", "close", "dry"],
        set: |s| {
            s.touch.velocity_map = VelocityMap::Gamma;
            s.touch.gamma = 1.5;
            s.touch.dynamics = 0.8;
            s.action.hammer_hardness = 0.4;
            s.sound.distance = 0.6;
            s.sound.room_db = -60.0;
            s.sound.board = 0.7;
            s.sound.sustain = 0.9;
            s.sound.brightness_loss = 0.85;
            s.sound.width = 1.4;
        },
    },
    Preset {
        name: "hall",
        about: "Heard from the middle of a large hall with a long reverberation.",
        tags: &["grand", "reverberant"],
        set: |s| {
            s.sound.perspective = Perspective::Audience;
            s.sound.distance = 4.0;
            s.sound.room_db = -14.5;
            s.sound.board = 1.7;
            s.sound.room_size = 30.0;
            s.sound.room_time = 2.2;
            s.sound.sustain = 1.3;
        },
    },
    Preset {
        name: "felt",
        about: "A strip of felt between hammers and strings, microphones near: quiet, with audible \
             finger noise.",
        tags: &["soft", "warm", "close"],
        set: |s| {
            s.touch.dynamics = 0.7;
            s.action.hammer_hardness = -1.8;
            s.action.hammer_mass = 1.5;
            s.sound.brightness_loss = 2.2;
            s.sound.sustain = 0.8;
            s.sound.distance = 0.6;
            s.sound.room_db = -32.0;
            s.sound.knocks = 1.6;
        },
    },
    Preset {
        name: "parlour",
        about: "A small old grand under its lid: short strings and a short decay.",
        tags: &["small", "old"],
        set: |s| {
            s.action.blow_mm = 45.0;
            s.action.friction = 1.2;
            s.action.unevenness = 0.2;
            s.action.hammer_hardness = -0.5;
            s.sound.string_length = 0.65;
            s.sound.sustain = 0.55;
            s.sound.unison_width_cents = 2.0;
            s.sound.board = 1.3;
            s.sound.width = 0.6;
            s.sound.lid = 0.2;
        },
    },
    Preset {
        name: "neglected",
        about: "Not regulated for years: uneven keys, late let-off, weak springs, unisons out of tune.",
        tags: &["old", "worn"],
        set: |s| {
            s.action.let_off_mm = 4.0;
            s.action.drop_mm = 4.0;
            s.action.check_mm = 22.0;
            s.action.repetition_spring = 0.6;
            s.action.friction = 1.6;
            s.action.key_bed_stiffness = 2.0;
            s.action.unevenness = 1.0;
            s.sound.unison_width_cents = 6.0;
            s.action.hammer_hardness = 0.7;
            s.sound.damper_time = 1.8;
            s.sound.knocks = 2.0;
            s.sound.a4_hz = 436.0;
        },
    },
    Preset {
        name: "saloon",
        about: "Unisons far out of tune, very hard and uneven hammers, little soundboard.",
        tags: &["bright", "old", "out of tune"],
        set: |s| {
            s.action.unevenness = 0.7;
            s.action.unevenness_seed = 7.0;
            s.sound.unison_width_cents = 20.0;
            s.action.hammer_hardness = 1.6;
            s.sound.sustain = 0.6;
            s.sound.stretch = 0.5;
            s.sound.board = 0.6;
            s.sound.knocks = 2.0;
            s.sound.width = 0.5;
        },
    },
    Preset {
        name: "viennese",
        about: "A fortepiano action with the hammer on the key: no repetition lever, small leathered hammers.",
        tags: &["historical", "clear"],
        set: |s| {
            s.action.action = ActionKind::Viennese;
            s.action.hammer_hardness = 0.5;
            s.action.hammer_mass = 0.5;
            s.action.strike_point = 0.7;
            s.sound.sustain = 0.35;
            s.sound.a4_hz = 430.0;
        },
    },
    Preset {
        name: "harpsichord",
        about: "A key and a jack whose plectrum plucks the string, at the same loudness for every velocity.",
        tags: &["historical", "plucked"],
        set: |s| {
            s.action.action = ActionKind::Harpsichord;
            s.sound.sustain = 0.6;
            s.sound.a4_hz = 415.0;
        },
    },
    Preset {
        name: "ball",
        about: "A ball thrown from a paddle at the string: the simplest of the actions.",
        tags: &["experiment"],
        set: |s| {
            s.action.action = ActionKind::Ball;
            s.sound.sustain = 1.5;
            s.sound.brightness_loss = 0.7;
        },
    },
];

/// The factory piano of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name.eq_ignore_ascii_case(name))
}

/// The names of all factory pianos, separated by commas.
#[must_use]
pub fn names() -> String {
    PRESETS.iter().map(|preset| preset.name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_single_words_and_all_pianos_differ() {
        for (i, preset) in PRESETS.iter().enumerate() {
            assert!(preset.name.chars().all(|c| c.is_ascii_lowercase()));
            assert!(preset.about.ends_with('.') && !preset.about.contains('\n'));
            let alike = |other: &Preset| other.settings() == preset.settings();
            assert!(!PRESETS[..i].iter().any(|p| p.name == preset.name || alike(p)));
            assert_eq!(find(preset.name).map(Preset::settings), Some(preset.settings()));
        }
        let named: Vec<_> = levels::LEVELS.iter().map(|(name, _)| *name).collect();
        assert_eq!(named, PRESETS.iter().map(|p| p.name).collect::<Vec<_>>());
        assert_eq!(PRESETS[0].settings(), Settings::default());
        assert!(find("spinet").is_none() && names().starts_with("concert, "));
    }
}
