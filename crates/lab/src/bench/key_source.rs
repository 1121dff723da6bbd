//! Which keys an experiment runs on: the standard piano's, or numbers of one's own.

use anyhow::{Result, bail};

use super::test_bench::TestBench;
use crate::controls;
use crate::output::Shown as _;
use crate::paths::{InputPath, PianoName};
use crate::simulate::plants;
use touchback_action::catalogue::Model;
use touchback_action::grand::design::concert::{Built, Design};
use touchback_action::grand::design::regulation::Regulated;
use touchback_action::{ActionKind, ActionSettings};
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::Settings;

/// Middle C.
pub const MIDDLE: u8 = 40;

/// Numbers of one's own, as options.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct OwnNumbers {
    /// Starts from this piano: a factory's or FILE.toml
    #[arg(long, value_name = "NAME")]
    preset: Option<PianoName>,
    /// Sets a parameter, in its unit or by the choice's name (repeatable)
    #[arg(long, value_name = "ID=VALUE")]
    set: Vec<String>,
    /// Makes single keys differ: a sheet with a column `key` and any of let_off_mm, drop_mm, …
    #[arg(long, value_name = "SHEET.csv")]
    keys: Option<InputPath>,
    /// Key dimensions and masses from a file of `touchback model export` or `touchback fit`
    #[arg(long, value_name = "FILE.toml", conflicts_with_all = ["preset", "set", "keys"])]
    model: Option<InputPath>,
    /// One key, 1 (A0) to 88 (C8), in place of those of the experiment
    #[arg(long, value_name = "1..88", value_parser = clap::value_parser!(u8).range(1..=88))]
    key: Option<u8>,
}

impl OwnNumbers {
    /// Its options.
    pub const IDS: [&str; 5] = ["preset", "set", "keys", "model", "key"];

    /// Nothing of the standard piano is changed.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.is_of_piano() && self.preset.is_none() && self.set.is_empty() && self.keys.is_none()
    }

    /// Nothing is asked that only a single key can have.
    #[must_use]
    pub const fn is_of_piano(&self) -> bool {
        self.model.is_none() && self.key.is_none()
    }

    /// In words: empty where nothing is changed.
    fn message(&self) -> String {
        let preset = self.preset.iter().map(|name| format!("preset {name}"));
        let set = self.set.iter().map(|s| s.replacen('=', " = ", 1));
        let keys = self.keys.iter().map(|path| format!("keys {}", path.shown()));
        let model = self.model.iter().map(|path| format!("model {}", path.shown()));
        let key = self.key.iter().map(|n| format!("key {n}"));
        preset.chain(set).chain(keys).chain(model).chain(key).collect::<Vec<_>>().join(", ")
    }
}

/// The keys of a grand, each by its number.
#[derive(Clone, Debug, Default)]
pub struct KeySource {
    settings: Settings,
    model: Option<Built>,
    key: Option<u8>,
    told: Option<String>,
}

impl KeySource {
    /// Those that `own` asks for.
    ///
    /// # Errors
    /// An unknown preset or parameter, a model that is not the grand's or cannot be used.
    pub fn open(own: &OwnNumbers) -> Result<Self> {
        let mut settings = match &own.preset {
            Some(name) => controls::preset(name)?,
            None => Settings::default(),
        };
        controls::set(&mut settings, &own.set)?;
        controls::keys(&mut settings, own.keys.as_deref())?;
        if settings.action.action != ActionKind::Grand {
            bail!(
                "the laboratory's keys are the grand's, not of the action {}; `touchback simulate \
                 --action` plays others",
                settings.action.action.name()
            );
        }
        let model = own.model.as_deref().map(|path| {
            let file = path.shown();
            match plants::open(path)? {
                Model::Grand { start: [key, hammer, lever, _], model, .. } => {
                    Ok(measured(levelled(Built {
                        spec: *model,
                        regulated: Regulated { rest: [key, hammer, lever], ..Regulated::default() },
                    })))
                }
                _ => bail!("{file}: the laboratory's keys are the grand's; this is another action"),
            }
        });
        let key = own.key.or_else(|| own.model.as_ref().map(|_| MIDDLE));
        let told = Some(own.message()).filter(|words| !words.is_empty());
        Ok(Self { settings, model: model.transpose()?, key, told })
    }

    /// What is not the standard piano's, in words; none for the standard piano.
    #[must_use]
    pub fn told(&self) -> Option<&str> {
        self.told.as_deref()
    }

    /// The piano's settings; a model has its own numbers in place of them.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The action's settings; none where a model stands in their place.
    #[must_use]
    pub fn action(&self) -> Option<&ActionSettings> {
        self.model.is_none().then_some(&self.settings.action)
    }

    /// The same with other settings of the action.
    #[must_use]
    pub fn with(&self, settings: &Settings) -> Self {
        Self { settings: *settings, ..self.clone() }
    }

    /// The key of this number, 1…88, regulated.
    #[must_use]
    pub fn built(&self, number: u8) -> Built {
        self.model.unwrap_or_else(|| Design::new(key_of(number)).build(&self.settings.action))
    }

    /// The key of this number, 1…88, at rest on the bench.
    #[must_use]
    pub fn bench(&self, number: u8) -> TestBench {
        match self.model {
            Some(built) => TestBench::at_rest(built),
            None => TestBench::concert(number, &self.settings.action),
        }
    }

    /// The one key asked for, or `usual`.
    #[must_use]
    pub fn one(&self, usual: u8) -> u8 {
        self.key.unwrap_or(usual)
    }

    /// The keys `usual`, or the one asked for.
    #[must_use]
    pub fn numbers(&self, usual: &[u8]) -> Vec<u8> {
        self.key.map_or_else(|| usual.to_vec(), |key| vec![key])
    }

    /// Keys with what is known of each; where one is asked for, that with what is known of the
    /// nearest.
    #[must_use]
    pub fn known<T: Copy>(&self, usual: &[(u8, T)]) -> Vec<(u8, T)> {
        let Some(key) = self.key else { return usual.to_vec() };
        let nearest = usual.iter().min_by_key(|(number, _)| number.abs_diff(key));
        nearest.map(|(_, known)| (key, *known)).into_iter().collect()
    }

    /// How the key that stands for `usual` is called in titles.
    #[must_use]
    pub fn name(&self, usual: u8) -> String {
        match self.one(usual) {
            MIDDLE => "C4".into(),
            other => format!("key {other}"),
        }
    }
}

fn key_of(number: u8) -> KeyNumber {
    let index = usize::from(number.clamp(1, 88)) - 1;
    KeyNumber::from_index(index).unwrap_or_else(|| unreachable!("1…88"))
}

/// How far a key's front may stand off its level at rest, m: first motions are told at ten times that.
const LEVEL: f64 = 1e-6;

/// `built` with its key levelled: what its parts weigh compresses the rest felt as much as before.
#[must_use]
pub fn levelled(mut built: Built) -> Built {
    // The felt carries nearly all of it: a turn or two is enough.
    for _ in 0..4 {
        let depth = TestBench::at_rest(built).key().depth;
        if depth.abs() < LEVEL {
            break;
        }
        built.spec.key.rest_compression -= depth;
    }
    built
}

/// `built` with the depth at which its jack slips, as a slow press finds it.
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
    fn nothing_asked_is_the_standard_piano() {
        let keys = KeySource::open(&OwnNumbers::default()).unwrap();
        assert!(OwnNumbers::default().is_empty() && keys.told().is_none());
        assert_eq!(keys.numbers(&[4, 40]), [4, 40]);
        let (ours, theirs) = (keys.bench(4), TestBench::concert(4, &ActionSettings::default()));
        assert_eq!(ours.state(), theirs.state());
    }

    #[test]
    fn one_key_takes_what_is_known_of_its_neighbour_and_says_so() {
        let keys = KeySource::open(&own(&["let_off_mm=3"], Some(80))).unwrap();
        assert_eq!(keys.told(), Some("let_off_mm = 3, key 80"));
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
        let depth = |built: Built| TestBench::at_rest(built).key().depth;
        assert!(depth(built).abs() < 1e-9);
        built.spec.hammer.mass *= 1.3;
        let [before, after] = [built, levelled(built)].map(depth);
        assert!(before.abs() > LEVEL && after.abs() < LEVEL, "{before} {after}");
    }

    #[test]
    fn a_model_is_the_key_it_was_exported_from() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("k.toml");
        crate::model::export("grand", key_of(52), &path).unwrap();
        let own = OwnNumbers { model: Some(path.into()), key: Some(52), ..OwnNumbers::default() };
        let (keys, standard) = (KeySource::open(&own).unwrap(), KeySource::default());
        assert_eq!(keys.bench(1).spec(), standard.bench(52).spec());
        let depth = |keys: &KeySource| keys.built(52).regulated.let_off_depth;
        // The slow press finds felts and knuckle sunk by what it presses with.
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
