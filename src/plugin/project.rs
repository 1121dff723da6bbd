//! What a project saves: the parameters and how the window looked.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use nice_plug::params::Params;
use nice_plug::prelude::{ParamPtr, nice_log};

use crate::editor::app::KeptByProject;
use crate::params::host::HostParams;

/// Name of the window's field in saved states.
const WINDOW: &str = "window";

/// Parameters and window of one instance.
#[derive(Default)]
pub(super) struct Project {
    pub(super) params: Arc<HostParams>,
    pub(super) window: KeptByProject,
}

// SAFETY: the pointers are those of `params`, which lives as long as this does.
unsafe impl Params for Project {
    fn param_map(&self) -> Vec<(String, ParamPtr, String)> {
        self.params.param_map()
    }

    fn serialize_fields(&self) -> BTreeMap<String, String> {
        let mut fields = self.params.serialize_fields();
        let kept = *self.window.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(text) = serde_json::to_string(&kept) {
            fields.insert(WINDOW.to_owned(), text);
        }
        fields
    }

    fn deserialize_fields(&self, fields: &BTreeMap<String, String>) {
        self.params.deserialize_fields(fields);
        let Some(text) = fields.get(WINDOW) else { return };
        match serde_json::from_str::<crate::editor::looks::Kept>(text) {
            Ok(kept) => {
                *self.window.lock().unwrap_or_else(PoisonError::into_inner) = kept.checked();
            }
            Err(error) => nice_log!("Touchback keeps its window's size: {error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_remembers_its_window_and_survives_nonsense() {
        let project = Project::default();
        project.window.lock().unwrap().width = 1500.0;
        project.window.lock().unwrap().dark = Some(true);
        let fields = project.serialize_fields();
        let other = Project::default();
        other.deserialize_fields(&fields);
        assert_eq!(*other.window.lock().unwrap(), *project.window.lock().unwrap());
        for text in ["", "{", "[1]", r#"{"width": null}"#, r#"{"width": 1e40, "height": -7}"#] {
            let fields = BTreeMap::from([(WINDOW.to_owned(), text.to_owned())]);
            other.deserialize_fields(&fields);
            let kept = *other.window.lock().unwrap();
            assert_eq!(kept, kept.checked(), "{text}");
        }
        assert!(other.window.lock().unwrap().height >= 480.0);
    }
}
