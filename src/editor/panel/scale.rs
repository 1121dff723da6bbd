//! A scale file and its keyboard map, by their paths: hosts give windows no way to drop a file.

use std::path::Path;

use egui::{RichText, TextEdit, Ui};

use super::heading;
use crate::editor::controls::Controls;
use crate::editor::theme;
use crate::sound::scala::Texts;

/// Largest file, bytes.
const LIMIT: u64 = 1_000_000;

/// Typed paths and the outcome of loading them.
#[derive(Default, Debug)]
pub struct ScalePanel {
    scale: String,
    map: String,
    said: String,
}

/// The text of a file; descriptions are in whatever code page their author used.
fn text(path: &str) -> Result<String, String> {
    let path = Path::new(path.trim());
    let told = |e: std::io::Error| format!("{}: {e}", path.display());
    let size = std::fs::metadata(path).map_err(told)?.len();
    if size > LIMIT {
        return Err(format!("{}: {size} bytes; a scale has {LIMIT} at most", path.display()));
    }
    std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).map_err(told)
}

impl ScalePanel {
    /// Two paths, a button to load them, another to go back to the temperament.
    pub fn ui(&mut self, ui: &mut Ui, controls: &mut dyn Controls) {
        heading(ui, "Scale file");
        let field = |ui: &mut Ui, name: &str, of: &mut String, hint: &str| {
            ui.horizontal(|ui| {
                let label = ui.label(name);
                let width = ui.available_width() - 12.0;
                let edit = TextEdit::singleline(of).hint_text(hint).desired_width(width);
                ui.add(edit).labelled_by(label.id);
            });
        };
        field(ui, "Scale", &mut self.scale, "path of a .scl file");
        field(ui, "Map", &mut self.map, "path of a .kbm file, or empty");
        ui.horizontal(|ui| {
            if ui.button("Tune by it").clicked() {
                self.said = self.load(controls).err().unwrap_or_default();
            }
            let tuned = controls.texts().map(|texts| texts.name);
            if ui.add_enabled(tuned.is_some(), egui::Button::new("Temperament")).clicked() {
                self.said = controls.tune(None).err().unwrap_or_default();
            }
            let name = tuned.unwrap_or_else(|| "by the temperament".into());
            ui.label(RichText::new(format!("Tuned: {name}")).color(theme::faint(ui)));
        });
        if !self.said.is_empty() {
            ui.label(&self.said);
        }
    }

    fn load(&self, controls: &mut dyn Controls) -> Result<(), String> {
        if self.scale.trim().is_empty() {
            return Err("Type the path of a Scala file first.".into());
        }
        let name = Path::new(self.scale.trim()).file_name().unwrap_or_default();
        let map = (!self.map.trim().is_empty()).then(|| text(&self.map)).transpose()?;
        let scale = text(&self.scale)?;
        controls.tune(Some(Texts { name: name.to_string_lossy().into_owned(), scale, map }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::editor::controls::DetachedControls;
    use crate::sound::scala::texts::TWELVE;

    #[test]
    fn files_are_read_and_faults_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fifths.scl");
        let text = [b"\xff ", TWELVE.as_bytes()].concat();
        std::fs::write(&path, text).unwrap();
        let mut desk = DetachedControls::default();
        let mut panel = ScalePanel::default();
        assert!(panel.load(&mut desk).unwrap_err().contains("path"));
        panel.scale = path.display().to_string();
        panel.load(&mut desk).unwrap();
        assert_eq!(desk.texts().unwrap().name, "fifths.scl");
        panel.map = folder.path().join("none.kbm").display().to_string();
        assert!(panel.load(&mut desk).unwrap_err().contains("none.kbm"));
        std::fs::write(&path, "fifths\n2\n3/2\n").unwrap();
        panel.map.clear();
        assert!(panel.load(&mut desk).unwrap_err().contains("line 4"));
        desk.tune(None).unwrap();
        assert_eq!(desk.texts(), None);
    }
}
