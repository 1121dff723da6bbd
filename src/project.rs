//! What a project saves: the parameters, its scale, and how the window looked.

use std::collections::BTreeMap;
use std::sync::Arc;

use nice_plug::params::Params;
use nice_plug::prelude::{ParamPtr, nice_log};

use crate::editor::app::KeptByProject;
use crate::editor::scales::Scales;
use crate::host_params::HostParams;
use touchback_core::exchange::latest::LatestReader;
use touchback_core::exchange::lock::lock;
use touchback_sound::scala::{Scale, Texts};

/// Name of the window's field in saved states.
const WINDOW: &str = "window";

/// Name of the scale's field in saved states: the texts of its files.
pub(super) const SCALE: &str = "scale";

/// Parameters, scale and window of one instance.
pub(super) struct Project {
    pub(super) params: Arc<HostParams>,
    pub(super) scales: Arc<Scales>,
    pub(super) window: KeptByProject,
}

impl Project {
    /// A new project, and the scale as the audio thread reads it.
    pub(super) fn new() -> (Self, LatestReader<Option<Scale>>) {
        let (scales, reader) = Scales::new();
        let scales = Arc::new(scales);
        (Self { params: Arc::default(), scales, window: KeptByProject::default() }, reader)
    }

    /// The scale saved as `text`; without one, or with one that cannot be read, the temperament.
    fn load_scale(&self, text: Option<&String>) {
        let read = |text: &String| serde_json::from_str::<Texts>(text).map_err(|e| e.to_string());
        let loaded = text.map(read).transpose().and_then(|texts| self.scales.set(texts));
        if let Err(error) = loaded {
            nice_log!("Touchback: the saved scale cannot be read: {error}");
            let _ = self.scales.set(None);
        }
    }
}

// SAFETY: the pointers are those of `params`, which lives as long as this does.
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
        fields
    }

    fn deserialize_fields(&self, fields: &BTreeMap<String, String>) {
        self.params.deserialize_fields(fields);
        self.load_scale(fields.get(SCALE));
        let Some(text) = fields.get(WINDOW) else { return };
        match serde_json::from_str::<crate::editor::window_state::SavedWindow>(text) {
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
    use touchback_sound::scala::texts::PYTHAGOREAN;

    #[test]
    fn a_project_remembers_its_window_and_survives_nonsense() {
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

    /// The host's parameters are the instance's own, each by its id.
    #[test]
    fn a_project_has_every_parameter_of_its_instance() {
        let (project, _) = Project::new();
        let map = project.param_map();
        assert_eq!(map, project.params.param_map());
        assert!(
            map.iter()
                .map(|(id, ..)| id.as_str())
                .eq(touchback_instrument::params::all().map(|p| p.id))
        );
    }

    #[test]
    fn a_project_remembers_its_scale_and_not_another_ones() {
        let (project, _) = Project::new();
        let scale = PYTHAGOREAN.to_owned();
        let texts = Texts { name: "fifths.scl".into(), scale, map: None };
        project.scales.set(Some(texts.clone())).unwrap();
        let fields = project.serialize_fields();
        let (other, mut heard) = Project::new();
        other.deserialize_fields(&fields);
        assert_eq!(other.scales.texts(), Some(texts.clone()));
        assert_eq!(*heard.read(), Some(texts.scale().unwrap()));
        // One without a scale, or with nonsense for one, is tuned by its temperament.
        for text in [None, Some(""), Some(r#"{"name":"","scale":"x"}"#), Some("[]")] {
            other.scales.set(Some(texts.clone())).unwrap();
            let fields = text.map(|text| (SCALE.to_owned(), text.to_owned()));
            other.deserialize_fields(&fields.into_iter().collect());
            assert_eq!((other.scales.texts(), *heard.read()), (None, None), "{text:?}");
        }
    }
}
