//! The keys of an experiment: the standard piano's, or keys with parameters from the command line.

use anyhow::{Context as _, Result, bail};

use super::any_bench::AnyBench;
use super::driven::Driven as _;
use super::test_bench::TestBench;
use crate::controls;
use crate::output::Shown as _;
use crate::paths::{InputPath, PianoName};
use crate::simulate::plants;
use touchback_action::grand::design::concert::{Built, Design};
use touchback_action::grand::design::regulation::Regulated;
use touchback_action::grand::{GrandKey, GrandState, Spec};
use touchback_action::{ActionKind, ActionSettings, MechanismFile};
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::Settings;
use touchback_models::catalogue::Model;

/// Number of middle C.
pub const MIDDLE: u8 = 40;

/// Options that change the piano or key.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct OwnNumbers {
    /// Factory piano to start from, or FILE.toml
    #[arg(long, value_name = "NAME")]
    preset: Option<PianoName>,
    /// Sets a parameter: a number in its unit, or a choice by name (repeatable)
    #[arg(long, value_name = "ID=VALUE")]
    set: Vec<String>,
    /// Offsets of single keys: a sheet with a column `key` and any of let_off_mm, drop_mm, …
    #[arg(long, value_name = "SHEET.csv")]
    keys: Option<InputPath>,
    /// Key dimensions and masses from a file written by `touchback model export` or `touchback fit`
    #[arg(long, value_name = "FILE.toml", conflicts_with_all = ["preset", "set", "keys"])]
    model: Option<InputPath>,
    /// Plays the mechanism that this file describes; --set sets its parameters by name
    #[arg(long, value_name = "FILE.mechanism.toml", conflicts_with_all = ["preset", "keys", "model"])]
    mechanism: Option<InputPath>,
    /// One key, 1 to 88 or A0 to C8, instead of the experiment's keys
    #[arg(long, value_name = "KEY", value_parser = controls::key_number)]
    key: Option<u8>,
}

impl OwnNumbers {
    /// Ids of the options.
    pub const IDS: [&str; 6] = ["preset", "set", "keys", "model", "mechanism", "key"];

    /// Whether the standard piano is unchanged.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.is_of_piano() && self.preset.is_none() && self.set.is_empty() && self.keys.is_none()
    }

    /// These options without the parameters, and the parameters as `ID=VALUE`.
    #[must_use]
    pub fn without_set(&self) -> (Self, &[String]) {
        (Self { set: Vec::new(), ..self.clone() }, &self.set)
    }

    /// Whether no option concerns a single key.
    #[must_use]
    pub const fn is_of_piano(&self) -> bool {
        self.model.is_none() && self.key.is_none() && !self.has_mechanism()
    }

    /// Whether the keys are a mechanism's from a file.
    #[must_use]
    pub const fn has_mechanism(&self) -> bool {
        self.mechanism.is_some()
    }

    /// The options as text; empty for the standard piano.
    fn message(&self) -> String {
        let preset = self.preset.iter().map(|name| format!("preset {name}"));
        let set = self.set.iter().map(|s| s.replacen('=', " = ", 1));
        let keys = self.keys.iter().map(|path| format!("keys {}", path.shown()));
        let model = self.model.iter().map(|path| format!("model {}", path.shown()));
        let file = self.mechanism.iter().map(|path| format!("mechanism {}", path.shown()));
        let key = self.key.iter().map(|n| format!("key {n}"));
        preset
            .chain(file)
            .chain(set)
            .chain(keys)
            .chain(model)
            .chain(key)
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// The key of a model file: levelled, and as the file gives it.
#[derive(Clone, Copy, Debug)]
struct ModelKey {
    built: Built,
    spec: Spec,
    start: GrandState,
}

/// The keys of a grand, or of a mechanism from a file, by number.
#[derive(Clone, Debug, Default)]
pub struct KeySource {
    settings: Settings,
    model: Option<ModelKey>,
    key: Option<u8>,
    own_numbers: Option<String>,
}

impl KeySource {
    /// The keys that `own` describes.
    ///
    /// # Errors
    /// An unknown preset or parameter, a model that is not the grand's or cannot be used.
    pub fn open(own: &OwnNumbers) -> Result<Self> {
        let mut settings = match &own.preset {
            Some(name) => controls::preset(name)?,
            None => Settings::default(),
        };
        controls::mechanism(&mut settings, own.mechanism.as_deref())?;
        controls::set(&mut settings, &own.set)?;
        controls::keys(&mut settings, own.keys.as_deref())?;
        if settings.action.action != ActionKind::Grand && !own.has_mechanism() {
            bail!(
                "the laboratory's keys are the grand's or by --mechanism those of a file, not of the action {}; \
                 `touchback simulate --action` plays others",
                settings.action.action.name()
            );
        }
        let model = own.model.as_deref().map(|path| {
            let file = path.shown();
            built_of(plants::open(path)?).with_context(|| file.to_string())
        });
        let key = own.key.or_else(|| own.model.as_ref().map(|_| MIDDLE));
        let own_numbers = Some(own.message()).filter(|text| !text.is_empty());
        Ok(Self { settings, model: model.transpose()?, key, own_numbers })
    }

    /// The keys of a piano with `settings`, or the key `model` as key `key`. `own_numbers` says in figures and
    /// records how they differ from the standard piano.
    ///
    /// # Errors
    /// A model that is not the grand's.
    pub fn of(
        settings: &Settings,
        model: Option<Model>,
        key: Option<u8>,
        own_numbers: Option<String>,
    ) -> Result<Self> {
        let key = key.or_else(|| model.as_ref().map(|_| MIDDLE));
        let model = model.map(built_of).transpose()?;
        Ok(Self { settings: settings.clone(), model, key, own_numbers })
    }

    /// Differences from the standard piano as text; `None` for the standard piano.
    #[must_use]
    pub fn own_numbers(&self) -> Option<&str> {
        self.own_numbers.as_deref()
    }

    /// The piano's settings, which do not apply to a model.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The action's settings; `None` for a model.
    #[must_use]
    pub fn action(&self) -> Option<&ActionSettings> {
        self.model.is_none().then_some(&self.settings.action)
    }

    /// The mechanism from a file.
    #[must_use]
    pub fn mechanism(&self) -> Option<&MechanismFile> {
        self.settings.action.mechanism.as_ref()
    }

    /// Key `number`, 1…88, at rest, of whatever mechanism.
    #[must_use]
    pub fn any(&self, number: u8) -> AnyBench {
        AnyBench::new(match (self.mechanism(), &self.model) {
            (Some(file), _) => file.key(key_of(number)),
            (None, Some(ModelKey { built, .. })) => Box::new(GrandKey::built(*built)),
            (None, None) => Box::new(GrandKey::new(key_of(number), &self.settings.action)),
        })
    }

    /// These keys with other settings.
    #[must_use]
    pub fn with(&self, settings: &Settings) -> Self {
        Self { settings: settings.clone(), ..self.clone() }
    }

    /// Key `number`, 1…88, regulated.
    #[must_use]
    pub fn built(&self, number: u8) -> Built {
        let design = || Design::new(key_of(number)).build(&self.settings.action);
        self.model.map_or_else(design, |model| model.built)
    }

    /// The key of the model file in the initial state that the file gives; `None` without a model.
    #[must_use]
    pub fn started(&self) -> Option<TestBench> {
        self.model.map(|ModelKey { spec, start, .. }| TestBench::started(spec, start))
    }

    /// Key `number`, 1…88, at rest on the test bench.
    #[must_use]
    pub fn bench(&self, number: u8) -> TestBench {
        match self.model {
            Some(ModelKey { built, .. }) => TestBench::at_rest(built),
            None => TestBench::concert(number, &self.settings.action),
        }
    }

    /// The requested key, or `usual`.
    #[must_use]
    pub fn one(&self, usual: u8) -> u8 {
        self.key.unwrap_or(usual)
    }

    /// The keys `usual`, or the requested key alone.
    #[must_use]
    pub fn numbers(&self, usual: &[u8]) -> Vec<u8> {
        self.key.map_or_else(|| usual.to_vec(), |key| vec![key])
    }

    /// Keys with data for each; a requested key gets the data of the nearest key in `usual`.
    #[must_use]
    pub fn known<T: Copy>(&self, usual: &[(u8, T)]) -> Vec<(u8, T)> {
        let Some(key) = self.key else { return usual.to_vec() };
        let nearest = usual.iter().min_by_key(|(number, _)| number.abs_diff(key));
        nearest.map(|(_, known)| (key, *known)).into_iter().collect()
    }

    /// Name, for titles, of the key used for `usual`.
    #[must_use]
    pub fn name(&self, usual: u8) -> String {
        match self.one(usual) {
            MIDDLE => "C4".into(),
            other => format!("key {other}"),
        }
    }
}

/// The key of a model file, levelled, with its let-off depth.
fn built_of(model: Model) -> Result<ModelKey> {
    let start = model.clone().start().save();
    let Model::Grand { start: [key, hammer, lever, _], model, .. } = model else {
        bail!("the laboratory's keys are the grand's; this is another action");
    };
    let regulated = Regulated { rest: [key, hammer, lever], ..Regulated::default() };
    let built = measured(levelled(Built { spec: *model, regulated }));
    Ok(ModelKey { built, spec: *model, start: (&start).into() })
}

fn key_of(number: u8) -> KeyNumber {
    let index = usize::from(number.clamp(1, 88)) - 1;
    KeyNumber::from_index(index).unwrap_or_else(|| unreachable!("1…88"))
}

/// Largest offset of the key front from its level at rest, m: a tenth of the depth that counts as first
/// motion.
const LEVEL: f64 = 1e-6;

/// `built` with its key levelled: the compression of the rest felt is adjusted to the weight of the
/// parts.
#[must_use]
pub fn levelled(mut built: Built) -> Built {
    // Two iterations are usually enough.
    for _ in 0..4 {
        let depth = TestBench::at_rest(built).view().depth;
        if depth.abs() < LEVEL {
            break;
        }
        built.spec.key.rest_compression -= depth;
    }
    built
}

/// `built` with its let-off depth, measured by a slow press.
fn measured(built: Built) -> Built {
    let slow = super::statics::slow_press(&TestBench::at_rest(built), 8e-3);
    let let_off_depth = slow.slips();
    let aftertouch = built.spec.key.dip - let_off_depth;
    Built { regulated: Regulated { let_off_depth, aftertouch, ..built.regulated }, ..built }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(set: &[&str], key: Option<u8>) -> OwnNumbers {
        let set = set.iter().map(|s| (*s).into()).collect();
        OwnNumbers { set, key, ..OwnNumbers::default() }
    }

    #[test]
    fn without_options_the_keys_are_the_standard_piano() {
        let keys = KeySource::open(&OwnNumbers::default()).unwrap();
        assert!(OwnNumbers::default().is_empty() && keys.own_numbers().is_none());
        assert_eq!(keys.numbers(&[4, 40]), [4, 40]);
        let (ours, theirs) = (keys.bench(4), TestBench::concert(4, &ActionSettings::default()));
        assert_eq!(ours.state(), theirs.state());
    }

    #[test]
    fn a_requested_key_gets_the_data_of_the_nearest_known_key() {
        let keys = KeySource::open(&own(&["let_off_mm=3"], Some(80))).unwrap();
        assert_eq!(keys.own_numbers(), Some("let_off_mm = 3, key 80"));
        assert_eq!(keys.known(&[(1, "bass"), (44, "middle"), (88, "treble")]), [(80, "treble")]);
        assert_eq!((keys.one(40), keys.name(40)), (80, "key 80".into()));
        let standard = KeySource::default().built(80).regulated.let_off_depth;
        assert!(keys.built(80).regulated.let_off_depth < standard);
        let error = KeySource::open(&own(&["action=viennese"], None)).unwrap_err();
        assert!(error.to_string().contains("the grand's"), "{error}");
    }

    #[test]
    fn a_key_with_other_weights_is_levelled() {
        let mut built = KeySource::default().built(20);
        let depth = |built: Built| TestBench::at_rest(built).view().depth;
        assert!(depth(built).abs() < 1e-9);
        built.spec.hammer.mass *= 1.3;
        let [before, after] = [built, levelled(built)].map(depth);
        assert!(before.abs() > LEVEL && after.abs() < LEVEL, "{before} {after}");
    }

    #[test]
    fn an_exported_model_is_the_same_key() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("k.toml");
        crate::model::export("grand", key_of(52), &path).unwrap();
        let own = OwnNumbers { model: Some(path.into()), key: Some(52), ..OwnNumbers::default() };
        let (keys, standard) = (KeySource::open(&own).unwrap(), KeySource::default());
        assert_eq!(keys.bench(1).spec(), standard.bench(52).spec());
        let depth = |keys: &KeySource| keys.built(52).regulated.let_off_depth;
        // The slow press compresses felts and knuckle by its force.
        assert!(
            (depth(&keys) - depth(&standard)).abs() < 0.15e-3,
            "{} {}",
            depth(&keys),
            depth(&standard)
        );
        crate::model::export("viennese", key_of(52), own.model.as_deref().unwrap()).unwrap();
        assert!(KeySource::open(&own).is_err());
    }
}
