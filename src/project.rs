//! The saved state of a project: parameters, scale, mechanism, and the window's size and appearance.

use std::collections::BTreeMap;
use std::sync::Arc;

use nice_plug::params::Params;
use nice_plug::prelude::{ParamPtr, nice_log};

use crate::host_params::HostParams;
use crate::mechanisms::Mechanisms;
use crate::saved_window::{SavedWindow, SharedWindowState};
use crate::scales::Scales;
use touchback_core::exchange::latest::LatestReader;
use touchback_core::exchange::lock::lock;
use touchback_core::exchange::shared::Shared;
use touchback_instrument::host::mechanism::{LoadedMechanism, MechanismFile, MechanismText};
use touchback_sound::tuning::scala::{Scale, Texts};

/// Name of the window's field in saved states.
const WINDOW: &str = "window";

/// Name of the scale's field in saved states: the texts of its files.
pub(super) const SCALE: &str = "scale";

/// Name of the mechanism's field in saved states: its file and the values of its parameters.
pub(super) const MECHANISM: &str = "mechanism";

/// The audio thread's ends of scale and mechanism.
pub(super) type Readers =
    (LatestReader<Shared<Option<Scale>>>, LatestReader<Shared<Option<MechanismFile>>>);

/// Parameters, scale, mechanism and window of one instance.
pub(super) struct Project {
    pub(super) params: Arc<HostParams>,
    pub(super) scales: Arc<Scales>,
    pub(super) mechanisms: Arc<Mechanisms>,
    pub(super) window: SharedWindowState,
}

impl Project {
    /// A new project, and the audio thread's ends of scale and mechanism.
    pub(super) fn new() -> (Self, Readers) {
        let (scales, scale) = Scales::new();
        let params = Arc::<HostParams>::default();
        let (mechanisms, mechanism) = Mechanisms::new(params.clone());
        let (scales, mechanisms) = (Arc::new(scales), Arc::new(mechanisms));
        let window = SharedWindowState::default();
        (Self { params, scales, mechanisms, window }, (scale, mechanism))
    }

    /// Loads the mechanism saved as `text`. One that this version cannot read stays in the project, and the grand
    /// plays.
    fn load_mechanism(&self, text: Option<&String>) {
        let read = text.map(|text| serde_json::from_str::<MechanismText>(text));
        let loaded = match read.transpose() {
            Ok(source) => source.map(LoadedMechanism::of).unwrap_or_default(),
            Err(error) => {
                nice_log!("Touchback: the saved mechanism cannot be read: {error}");
                Arc::default()
            }
        };
        if let (Some(source), Some(fault)) = (&loaded.source, &loaded.fault) {
            nice_log!("Touchback: the grand plays instead of {}: {fault}", source.name);
        }
        self.mechanisms.load(loaded);
    }

    /// Loads the scale saved as `text`; without a readable one the temperament applies.
    fn load_scale(&self, text: Option<&String>) {
        let read = |text: &String| serde_json::from_str::<Texts>(text).map_err(|e| e.to_string());
        let loaded = text.map(read).transpose().and_then(|texts| self.scales.set(texts));
        if let Err(error) = loaded {
            nice_log!("Touchback: the saved scale cannot be read: {error}");
            let _ = self.scales.set(None);
        }
    }
}

// SAFETY: the pointers are those of `params`, which lives as long as this value.
unsafe impl Params for Project {
    fn param_map(&self) -> Vec<(String, ParamPtr, String)> {
        self.params.param_map()
    }

    fn serialize_fields(&self) -> BTreeMap<String, String> {
        let mut fields = self.params.serialize_fields();
        let kept = lock(&self.window).clone();
        if let Ok(text) = serde_json::to_string(&kept) {
            fields.insert(WINDOW.to_owned(), text);
        }
        if let Some(Ok(text)) = self.scales.texts().map(|texts| serde_json::to_string(&texts)) {
            fields.insert(SCALE.to_owned(), text);
        }
        if let Some(source) = &self.mechanisms.get().source
            && let Ok(text) = serde_json::to_string(source)
        {
            fields.insert(MECHANISM.to_owned(), text);
        }
        fields
    }

    fn deserialize_fields(&self, fields: &BTreeMap<String, String>) {
        self.params.deserialize_fields(fields);
        self.load_scale(fields.get(SCALE));
        self.load_mechanism(fields.get(MECHANISM));
        let Some(text) = fields.get(WINDOW) else { return };
        match serde_json::from_str::<SavedWindow>(text) {
            Ok(kept) => {
                *lock(&self.window) = kept.checked();
            }
            Err(error) => nice_log!("Touchback keeps its window's size: {error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_sound::tuning::scala::texts::PYTHAGOREAN;

    const SAMPLE: &str = include_str!("../mechanisms/ball.mechanism.toml");

    /// A build without the window leaves the window's state to those with it.
    #[test]
    #[cfg(not(feature = "window"))]
    fn a_project_keeps_the_window_that_another_build_saved() {
        let (project, _) = Project::new();
        let text = r#"{"height":500.0,"new":[1],"width":1500.0}"#;
        project.deserialize_fields(&BTreeMap::from([(WINDOW.to_owned(), text.to_owned())]));
        assert_eq!(project.serialize_fields().get(WINDOW).map(String::as_str), Some(text));
    }

    #[test]
    #[cfg(feature = "window")]
    fn a_project_restores_its_window_and_ignores_invalid_text() {
        let (project, _) = Project::new();
        project.window.lock().unwrap().width = 1500.0;
        project.window.lock().unwrap().dark = Some(true);
        let fields = project.serialize_fields();
        let (other, _) = Project::new();
        other.deserialize_fields(&fields);
        assert_eq!(*other.window.lock().unwrap(), *project.window.lock().unwrap());
        for text in ["", "{", "[1]", r#"{"width": null}"#, r#"{"width": 1e40, "height": -7}"#] {
            let fields = BTreeMap::from([(WINDOW.to_owned(), text.to_owned())]);
            other.deserialize_fields(&fields);
            let kept = other.window.lock().unwrap().clone();
            assert_eq!(kept, kept.clone().checked(), "{text}");
        }
        assert!(other.window.lock().unwrap().height >= 480.0);
    }

    /// The host's parameters are those of the instance, each by its id.
    #[test]
    fn a_project_has_every_parameter_of_its_instance() {
        let (project, _) = Project::new();
        let map = project.param_map();
        assert_eq!(map, project.params.param_map());
        let own = touchback_instrument::host::params::all().map(|p| p.id);
        let pedals = ["sustain_pedal", "sostenuto_pedal", "una_corda_pedal"];
        let numbered: Vec<String> = (1..=8).map(|number| format!("mechanism_{number}")).collect();
        let others = pedals.into_iter().chain(numbered.iter().map(String::as_str));
        assert!(map.iter().map(|(id, ..)| id.as_str()).eq(own.chain(others)));
    }

    #[test]
    fn a_project_restores_its_own_scale() {
        let (project, _) = Project::new();
        let scale = PYTHAGOREAN.to_owned();
        let texts = Texts { name: "fifths.scl".into(), scale, map: None };
        project.scales.set(Some(texts.clone())).unwrap();
        let fields = project.serialize_fields();
        let (other, (mut reader, _)) = Project::new();
        other.deserialize_fields(&fields);
        assert_eq!(other.scales.texts(), Some(texts.clone()));
        assert_eq!(*reader.read(), Some(texts.scale().unwrap()).into());
        // Without a scale, or with invalid text, the temperament applies.
        for text in [None, Some(""), Some(r#"{"name":"","scale":"x"}"#), Some("[]")] {
            other.scales.set(Some(texts.clone())).unwrap();
            let fields = text.map(|text| (SCALE.to_owned(), text.to_owned()));
            other.deserialize_fields(&fields.into_iter().collect());
            assert!(other.scales.texts().is_none() && reader.read().is_none(), "{text:?}");
        }
    }

    #[test]
    fn a_project_restores_its_own_mechanism_and_keeps_one_that_it_cannot_read() {
        let (project, _) = Project::new();
        let source = MechanismText {
            name: "own.mechanism.toml".into(),
            text: SAMPLE.into(),
            ..MechanismText::default()
        };
        project.mechanisms.set(LoadedMechanism::of(source.clone()));
        let fields = project.serialize_fields();
        let (other, (_, mut reader)) = Project::new();
        other.deserialize_fields(&fields);
        assert_eq!(reader.read().as_ref().map(|file| file.source().clone()), Some(source.clone()));
        // A newer file plays nothing and is saved again as it was.
        let newer = MechanismText { text: "of a later version".into(), ..source };
        let text = serde_json::to_string(&newer).unwrap();
        other.deserialize_fields(&BTreeMap::from([(MECHANISM.to_owned(), text.clone())]));
        assert!(reader.read().is_none() && other.mechanisms.get().fault.is_some());
        assert_eq!(other.serialize_fields().get(MECHANISM), Some(&text));
        // A project of before has none.
        other.deserialize_fields(&BTreeMap::new());
        assert_eq!(other.serialize_fields().get(MECHANISM), None);
    }
}
