//! Reads the sheet of single keys' differences from a file.

use egui::Ui;

use crate::state::controls::Controls;
use crate::widgets::path_field::{self, PathField};
use touchback_action::interface::key_sheet::KeySheet;
use touchback_core::exchange::file_worker::FileWorker;

/// State of the form.
pub(super) struct SheetFile {
    file: PathField,
    file_worker: FileWorker<Result<(String, KeySheet), String>>,
    outcome: Option<Result<String, String>>,
}

impl Default for SheetFile {
    fn default() -> Self {
        let file = PathField::new("File", "path of a sheet of keys", "csv");
        Self { file, file_worker: FileWorker::default(), outcome: None }
    }
}

impl SheetFile {
    pub(super) const fn is_busy(&self) -> bool {
        self.file.is_busy() || self.file_worker.is_busy()
    }

    /// Draws the path, and a button that reads the file on a worker thread.
    pub(super) fn ui(&mut self, ui: &mut Ui, controls: &mut dyn Controls) {
        while let Some(answer) = self.file_worker.answer() {
            self.outcome = Some(answer.map(|(message, sheet)| {
                controls.end_exercise();
                controls.set_keys(&sheet);
                message
            }));
        }
        if self.file_worker.is_busy() {
            ui.ctx().request_repaint_after(std::time::Duration::from_millis(20));
        }
        super::heading(ui, "Sheet of keys");
        self.file.ui(ui);
        let path = self.file.path();
        let button = ui.add_enabled(path.is_some(), egui::Button::new("Read this sheet"));
        let hint = "Reads the differences of single keys from a CSV file that was saved here or by \
             a technician. Replaces the present differences; Undo restores them";
        if let Some(path) = path
            && button.on_hover_text(hint).clicked()
        {
            self.outcome = None;
            self.file_worker.order(move || {
                let named = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
                let sheet: KeySheet = path_field::text(&path)?.parse().map_err(|e| named(&e))?;
                Ok((format!("Read {}", path.display()), sheet))
            });
        }
        super::outcome(ui, self.outcome.as_ref());
    }
}
