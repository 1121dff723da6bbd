//! A scale file and its keyboard map, by path: hosts do not pass dropped files to plugins.

use egui::{RichText, Ui};

use super::heading;
use crate::state::controls::Controls;
use crate::widgets::path_field::{PathField, text};
use crate::widgets::theme;
use touchback_sound::tuning::scala::Texts;

/// Typed paths, and the outcome of loading the files.
pub struct ScalePanel {
    scale: PathField,
    map: PathField,
    outcome: String,
}

impl Default for ScalePanel {
    fn default() -> Self {
        Self {
            scale: PathField::new("Scale", "path of a .scl file", "scl"),
            map: PathField::new("Map", "path of a .kbm file, or empty", "kbm"),
            outcome: String::new(),
        }
    }
}

impl ScalePanel {
    /// Draws two paths, a button that loads the files, and one that returns to the temperament.
    pub fn ui(&mut self, ui: &mut Ui, controls: &mut dyn Controls) {
        heading(ui, "Scale file");
        self.scale.ui(ui);
        self.map.ui(ui);
        ui.horizontal_wrapped(|ui| {
            if ui.button("Load").clicked() {
                self.outcome = self.load(controls).unwrap_or_else(|error| error);
            }
            let tuned = controls.texts().map(|texts| texts.name);
            if ui.add_enabled(tuned.is_some(), egui::Button::new("Temperament")).clicked() {
                self.outcome = controls.tune(None).err().unwrap_or_default();
            }
            let name = tuned.unwrap_or_else(|| "by the temperament".into());
            ui.label(RichText::new(format!("Tuned: {name}")).color(theme::faint(ui)));
        });
        if !self.outcome.is_empty() {
            ui.label(&self.outcome);
        }
    }

    /// Loads the files. Returns a sentence about keys that become silent, or nothing.
    fn load(&self, controls: &mut dyn Controls) -> Result<String, String> {
        let path = self.scale.path().ok_or("Type the path of a Scala file first.")?;
        let name = path.file_name().unwrap_or_default();
        let map = match self.map.path() {
            Some(map) => Some(text(&map)?),
            None if self.map.is_empty() => None,
            None => return Err("The map is no file: leave it empty, or choose one.".into()),
        };
        let scale = text(&path)?;
        let texts = Texts { name: name.to_string_lossy().into_owned(), scale, map };
        let silent = texts.scale()?.silent().len();
        controls.tune(Some(texts))?;
        Ok(match silent {
            0 => String::new(),
            _ => format!("{silent} keys are silent: their strings do not reach the scale."),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::controls::DetachedControls;
    use touchback_sound::tuning::scala::texts::PYTHAGOREAN;

    #[test]
    fn files_are_read_and_faults_are_explained() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fifths.scl");
        let text = [b"\xff ", PYTHAGOREAN.as_bytes()].concat();
        std::fs::write(&path, text).unwrap();
        let mut connection = DetachedControls::default();
        let mut panel = ScalePanel::default();
        assert!(panel.load(&mut connection).unwrap_err().contains("path"));
        panel.scale.fill(&path.display().to_string());
        panel.load(&mut connection).unwrap();
        assert_eq!(connection.texts().unwrap().name, "fifths.scl");
        std::fs::write(&path, "pentatonic\n5\n240.\n480.\n720.\n960.\n2/1\n").unwrap();
        assert!(panel.load(&mut connection).unwrap().starts_with("35 keys are silent"));
        panel.map.fill(&folder.path().join("none.kbm").display().to_string());
        assert!(panel.load(&mut connection).unwrap_err().contains("none.kbm"));
        std::fs::write(&path, "fifths\n2\n3/2\n").unwrap();
        panel.map.fill("");
        assert!(panel.load(&mut connection).unwrap_err().contains("line 4"));
        connection.tune(None).unwrap();
        assert_eq!(connection.texts(), None);
    }
}
