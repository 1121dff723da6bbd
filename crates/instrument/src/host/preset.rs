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
use crate::host::mechanism::{LoadedMechanism, MechanismText};
use crate::host::params::assign::apply;
use crate::host::params::{Parameter, ParameterGroup};

/// One factory piano.
pub struct Preset {
    /// Stable name, as on the command line.
    pub name: &'static str,
    /// Description, in one sentence.
    pub about: &'static str,
    /// Words to find it by.
    pub tags: &'static [&'static str],
    /// Values that differ from the default, as `ID=VALUE` with spaces between.
    values: &'static str,
    /// Name and text of the mechanism's file; none for a built-in action.
    file: Option<[&'static str; 2]>,
}

/// Name and text of a file of the folder `mechanisms` of this package, to which that of the workspace links.
macro_rules! mechanism_file {
    ($name:literal) => {
        [
            concat!($name, ".mechanism.toml"),
            include_str!(concat!("../../mechanisms/", $name, ".mechanism.toml")),
        ]
    };
}

impl Preset {
    /// The file of its mechanism; none for a built-in action.
    #[must_use]
    pub fn mechanism(&self) -> Option<MechanismText> {
        let [name, text] = self.file?.map(str::to_owned);
        Some(MechanismText { name, text, ..MechanismText::default() })
    }

    /// This piano with its words and its mechanism's file.
    #[cfg(feature = "files")]
    #[must_use]
    pub fn named(&self) -> file::NamedPiano {
        let (notes, tags) = (self.about.to_owned(), Vec::new());
        let (settings, mechanism) = (self.settings(), self.mechanism());
        file::NamedPiano { name: self.title(), tags, notes, settings, mechanism }
    }

    /// All settings of this piano with its mechanism, which takes up to a second to build. Allocates.
    #[must_use]
    pub fn piano(&self) -> Settings {
        let mut settings = self.settings();
        if let Some(source) = self.mechanism() {
            settings.action.mechanism = LoadedMechanism::of(source).file.clone();
        }
        settings
    }

    /// All settings of this piano but its mechanism.
    #[must_use]
    pub fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        let applied = apply(&mut settings, self.values.split_whitespace());
        debug_assert!(applied.is_ok(), "{}: {applied:?}", self.name);
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
pub static PRESETS: [Preset; 19] = [
    Preset {
        name: "concert",
        about: "A concert grand in best regulation: the default of every parameter.",
        tags: &["grand", "balanced"],
        values: "",
        file: None,
    },
    Preset {
        name: "mellow",
        about: "Soft felt on heavy hammers under a half-closed lid: long and dark, for quiet rooms.",
        tags: &["grand", "warm", "dark"],
        values: "hammer_hardness=-1.2 hammer_mass=1.25 lid=0.5 brightness_loss=1.4 \
            sustain=1.2 knocks=0.7 dynamics=0.9",
        file: None,
    },
    Preset {
        name: "bright",
        about: "Hard, light hammers near the strings' ends, to cut through an ensemble.",
        tags: &["grand", "bright", "ensemble"],
        values: "hammer_hardness=0.9 brightness_loss=0.8 hammer_mass=0.7 strike_point=0.85 \
            let_off_mm=1 dynamics=1.1",
        file: None,
    },
    Preset {
        name: "light",
        about: "A shallow, quick action and small hammers: responds to a soft touch, with a clear, short tone.",
        tags: &["grand", "clear", "quick action"],
        values: "key_dip_mm=9.5 blow_mm=44 hammer_mass=0.85 key_mass=0.85 \
            repetition_spring=1.3 friction=0.7 hammer_hardness=0.3 sustain=0.7",
        file: None,
    },
    Preset {
        name: "heavy",
        about: "A deep, heavy action with heavy hammers, as in old full-size concert grands: dark, singing.",
        tags: &["grand", "dark", "heavy action"],
        values: "key_dip_mm=10.5 blow_mm=49 hammer_mass=1.35 key_mass=1.2 friction=1.3 \
            hammer_hardness=-0.8 string_length=1.1 sustain=1.7",
        file: None,
    },
    Preset {
        name: "romantic",
        about: "The widest dynamic range, long decay, in a salon.",
        tags: &["grand", "warm", "wide dynamics"],
        values: "velocity_map=Gamma gamma=3 hammer_hardness=-0.2 sustain=1.7 \
            brightness_loss=0.9 board=1.3 room_db=-16 room_size=14 room_time=1",
        file: None,
    },
    Preset {
        name: "studio",
        about: "Microphones inside the rim, no room, a narrow dynamic range: close and dry, for a mix.",
        tags: &["grand", "close", "dry"],
        values: "velocity_map=Gamma gamma=1.5 dynamics=0.8 hammer_hardness=0.4 distance=0.6 \
            room_db=-60 board=0.7 sustain=0.9 brightness_loss=0.85 width=1.4",
        file: None,
    },
    Preset {
        name: "hall",
        about: "Heard from the middle of a large hall with a long reverberation.",
        tags: &["grand", "reverberant"],
        values: "perspective=Audience distance=4 room_db=-14.5 board=1.7 room_size=30 \
            room_time=2.2 sustain=1.3",
        file: None,
    },
    Preset {
        name: "felt",
        about: "A strip of felt between hammers and strings, microphones near: quiet, with audible \
             finger noise.",
        tags: &["soft", "warm", "close"],
        values: "dynamics=0.7 hammer_hardness=-1.8 hammer_mass=1.5 brightness_loss=2.2 \
            sustain=0.8 distance=0.6 room_db=-32 knocks=1.6",
        file: None,
    },
    Preset {
        name: "parlour",
        about: "A small old grand under its lid: short strings and a short decay.",
        tags: &["small", "old"],
        values: "blow_mm=45 friction=1.2 unevenness=0.2 hammer_hardness=-0.5 \
            string_length=0.65 sustain=0.55 unison_width_cents=2 board=1.3 width=0.6 \
            lid=0.2",
        file: None,
    },
    Preset {
        name: "neglected",
        about: "Not regulated for years: uneven keys, late let-off, weak springs, unisons out of tune.",
        tags: &["old", "worn"],
        values: "let_off_mm=4 drop_mm=4 check_mm=22 repetition_spring=0.6 friction=1.6 \
            key_bed_stiffness=2 unevenness=1 unison_width_cents=6 hammer_hardness=0.7 \
            damper_time=1.8 knocks=2 a4_hz=436",
        file: None,
    },
    Preset {
        name: "saloon",
        about: "Unisons far out of tune, very hard and uneven hammers, little soundboard.",
        tags: &["bright", "old", "out of tune"],
        values: "unevenness=0.7 unevenness_seed=7 unison_width_cents=20 hammer_hardness=1.6 \
            sustain=0.6 stretch=0.5 board=0.6 knocks=2 width=0.5",
        file: None,
    },
    Preset {
        name: "viennese",
        about: "A fortepiano action with the hammer on the key: no repetition lever, small leathered hammers.",
        tags: &["historical", "clear"],
        values: "action=Viennese hammer_hardness=0.5 hammer_mass=0.5 strike_point=0.7 \
            sustain=0.35 a4_hz=430",
        file: None,
    },
    Preset {
        name: "harpsichord",
        about: "A key and a jack whose plectrum plucks the string, at the same loudness for every velocity.",
        tags: &["historical", "plucked"],
        values: "action=Harpsichord sustain=0.6 a4_hz=415",
        file: None,
    },
    Preset {
        name: "ball",
        about: "A ball thrown from a paddle at the string: the simplest of the actions.",
        tags: &["experiment"],
        values: "action=Ball sustain=1.5 brightness_loss=0.7",
        file: None,
    },
    Preset {
        name: "upright",
        about: "An upright's action, without double escapement, on short strings near the wall.",
        tags: &["upright", "small", "other actions"],
        values: "action=From_file timing=Natural string_length=0.65 sustain=0.6 hammer_hardness=-0.4 \
            hammer_mass=0.9 width=0.5 lid=0.3 board=0.8 room_size=5 room_time=0.5",
        file: Some(mechanism_file!("upright")),
    },
    Preset {
        name: "clavichord",
        about: "A tangent that stays on its string: soft, near, and bent by the pressure of the finger.",
        tags: &["historical", "soft", "other actions"],
        values: "action=From_file key_pressure=Force string_length=0.6 sustain=0.4 a4_hz=415 \
            hammer_hardness=1.5 hammer_mass=0.5 strike_point=0.7 damper_time=0.5 knocks=0.4 board=0.5 \
            room_db=-30 room_size=4 room_time=0.4 distance=0.7",
        file: Some(mechanism_file!("clavichord")),
    },
    Preset {
        name: "organ",
        about: "A tracker organ's key, whose pallet lets wind to a flue pipe: it sounds as long as the key is down.",
        tags: &["historical", "pipes", "other actions"],
        values: "action=From_file timing=Natural stretch=0 knocks=0.5 room_db=-14 room_size=24 room_time=2.2",
        file: Some(mechanism_file!("tracker-organ")),
    },
    Preset {
        name: "toy",
        about: "A toy piano: little hammers on steel rods, without dampers.",
        tags: &["small", "bright", "other actions"],
        values: "action=From_file stretch=0 knocks=0.5 board=0.5 room_size=4 room_time=0.4 distance=0.8",
        file: Some(mechanism_file!("toy-piano")),
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
            let values = preset.values.split_whitespace();
            let applied = apply(&mut Settings::default(), values);
            assert!(applied.is_ok(), "{}: {applied:?}", preset.name);
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
