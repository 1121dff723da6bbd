//! The user's own pianos: list, the pop-up that saves, replacement after confirmation, import, export.
//!
//! Files are written and read on a worker thread.

use std::collections::BTreeSet;
use std::path::PathBuf;

use egui::text::{CCursor, CCursorRange};
use egui::{Popup, PopupCloseBehavior, Response, RichText, TextEdit, Ui};

use super::super::outcome;
use super::is_current;
use crate::state::controls::Controls;
use crate::widgets::icon::Icon;
use crate::widgets::path_field::PathField;
use crate::widgets::theme;
use touchback_core::exchange::file_worker::FileWorker;
use touchback_instrument::host::preset::file::{NamedPiano, PresetLosses};
use touchback_instrument::host::preset::user_presets::{
    self, EXTENSION, PresetEntry, PresetError, UserPresets,
};

/// An action that may replace or delete a file, after the user has confirmed it.
#[derive(Clone)]
enum FileAction {
    Keep(NamedPiano),
    Import(PathBuf),
    Export(NamedPiano, PathBuf),
    Remove(PathBuf),
}

impl FileAction {
    const fn question(&self) -> &'static str {
        match self {
            Self::Keep(_) | Self::Import(_) => "A piano of this name is there already.",
            Self::Export(..) => "There is a file of this name.",
            Self::Remove(_) => "Its file will be gone.",
        }
    }

    const fn yes(&self) -> &'static str {
        match self {
            Self::Remove(_) => "Delete it",
            _ => "Replace it",
        }
    }

    /// Runs the action; returns the message for the user.
    fn run(&self, shelf: &UserPresets, replaces: bool) -> Result<String, PresetError> {
        match self {
            Self::Keep(saved) => {
                shelf.keep(saved, replaces).map(|path| format!("Saved {}", path.display()))
            }
            Self::Import(from) => {
                let (path, losses) = shelf.import(from, replaces)?;
                Ok(format!("Imported {}{}", path.display(), losses_text(&losses)))
            }
            Self::Export(saved, to) => {
                user_presets::write(saved, to, replaces).map(|()| format!("Saved {}", to.display()))
            }
            Self::Remove(path) => {
                shelf.remove(path).map(|()| format!("Deleted {}", path.display()))
            }
        }
    }
}

fn losses_text(losses: &PresetLosses) -> String {
    losses.message().map_or_else(String::new, |message| format!("; {message}"))
}

/// Results of the file worker.
enum PresetAnswer {
    Listed(Result<Vec<PresetEntry>, String>, BTreeSet<String>),
    Done(Result<String, String>),
    /// The piano of the form is saved.
    Kept,
    /// The file exists: the user has to confirm its replacement.
    Taken(Box<FileAction>),
}

/// State of the list and the form.
pub(super) struct OwnPresets {
    shelf: Option<UserPresets>,
    file_worker: FileWorker<PresetAnswer>,
    /// None before the folder is read.
    entries: Option<Vec<PresetEntry>>,
    /// Names of the favourites, factory pianos included.
    favourites: BTreeSet<String>,
    name: String,
    tags: String,
    notes: String,
    file: PathField,
    unconfirmed: Option<FileAction>,
    outcome: Option<Result<String, String>>,
    /// The form has saved, and is to be closed.
    is_kept: bool,
}

impl OwnPresets {
    pub(super) fn new(shelf: Option<UserPresets>) -> Self {
        Self {
            shelf,
            file_worker: FileWorker::default(),
            entries: None,
            favourites: BTreeSet::new(),
            name: String::new(),
            tags: String::new(),
            notes: String::new(),
            file: PathField::new("File", "path of a preset file", EXTENSION),
            unconfirmed: None,
            outcome: None,
            is_kept: false,
        }
    }

    pub(super) const fn is_busy(&self) -> bool {
        self.file_worker.is_busy() || self.file.is_busy()
    }

    /// Reads the folder once, and takes the worker's results since the last frame.
    pub(super) fn follow(&mut self, ui: &Ui) {
        let Some(shelf) = self.shelf.clone() else { return };
        if self.entries.is_none() && !self.file_worker.is_busy() {
            self.refresh(&shelf);
        }
        while let Some(answer) = self.file_worker.answer() {
            match answer {
                PresetAnswer::Listed(listed, favourites) => {
                    self.favourites = favourites;
                    self.entries = Some(listed.unwrap_or_else(|message| {
                        self.outcome = Some(Err(message));
                        Vec::new()
                    }));
                }
                PresetAnswer::Done(outcome) => self.outcome = Some(outcome),
                PresetAnswer::Kept => self.is_kept = true,
                PresetAnswer::Taken(action) => self.unconfirmed = Some(*action),
            }
        }
        if self.file_worker.is_busy() {
            ui.ctx().request_repaint_after(std::time::Duration::from_millis(20));
        }
    }

    /// The pianos that could be read.
    pub(super) fn pianos(&self) -> impl Iterator<Item = &NamedPiano> {
        let entries = self.entries.iter().flatten();
        entries.filter_map(|entry| entry.held.as_ref().ok().map(|(saved, _)| saved))
    }

    /// Draws the form in a pop-up under the button `save`, which opens and closes it. The form begins with the
    /// name `current`; Enter saves, and the pop-up closes once the file is written.
    pub(super) fn pop_up(&mut self, save: &Response, current: &str, controls: &dyn Controls) {
        let opens =
            save.clicked() && !Popup::is_id_open(&save.ctx, Popup::default_response_id(save));
        if opens {
            current.clone_into(&mut self.name);
            let own = self.pianos().find(|piano| piano.name == current);
            let (tags, notes) =
                own.map(|own| (own.tags.join(", "), own.notes.clone())).unwrap_or_default();
            (self.tags, self.notes) = (tags, notes);
            (self.outcome, self.unconfirmed, self.is_kept) = (None, None, false);
        }
        let popup = Popup::from_toggle_button_response(save)
            .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
            .accessible_name("Save this piano");
        popup.show(|ui| {
            ui.set_width(300.0);
            let Some(shelf) = self.shelf.clone() else {
                ui.label("This user has no folder for data: own pianos cannot be saved.");
                return;
            };
            self.form(ui, &shelf, controls, opens);
            self.ask(ui, &shelf, true);
            outcome(ui, self.outcome.as_ref());
            if std::mem::take(&mut self.is_kept) {
                ui.close();
            }
        });
    }

    /// Whether the piano is a favourite.
    pub(super) fn is_favourite(&self, name: &str) -> bool {
        self.favourites.contains(name)
    }

    /// Draws a star that makes a piano a favourite.
    pub(super) fn star(&mut self, ui: &mut Ui, name: &str) {
        let Some(shelf) = self.shelf.clone() else { return };
        let is_marked = self.is_favourite(name);
        let star = Icon::Star(is_marked).button(ui, &format!("Favourite: {name}"), true);
        if star.on_hover_text("Among the favourites").clicked() {
            if !self.favourites.remove(name) {
                self.favourites.insert(name.to_owned());
            }
            let names = self.favourites.clone();
            self.file_worker.order(move || {
                let kept = shelf.keep_favourites(&names);
                PresetAnswer::Done(kept.map(|()| String::new()).map_err(|e| e.to_string()))
            });
        }
    }

    /// Draws list and form; `wanted` selects the listed pianos. Returns the chosen piano, to be loaded.
    pub(super) fn ui(
        &mut self,
        ui: &mut Ui,
        controls: &dyn Controls,
        wanted: &dyn Fn(&NamedPiano, bool) -> bool,
    ) -> Option<NamedPiano> {
        let Some(shelf) = self.shelf.clone() else {
            ui.label("This user has no folder for data: own pianos cannot be saved.");
            return None;
        };
        let chosen = self.list(ui, controls, wanted);
        let hint = "Reads the folder again, after files were added or removed by hand";
        if ui.button("Refresh").on_hover_text(hint).clicked() {
            self.outcome = None;
            self.refresh(&shelf);
        }
        self.transfer(ui, &shelf, controls);
        self.ask(ui, &shelf, false);
        outcome(ui, self.outcome.as_ref());
        chosen
    }

    fn refresh(&mut self, shelf: &UserPresets) {
        let shelf = shelf.clone();
        self.file_worker.order(move || {
            let entries = shelf.entries().map_err(|e| e.to_string());
            PresetAnswer::Listed(entries, shelf.favourites())
        });
    }

    /// Queues `action` and a new reading of the folder.
    fn order(&mut self, shelf: &UserPresets, action: FileAction, replaces: bool) {
        self.outcome = None;
        self.unconfirmed = None;
        let at = shelf.clone();
        self.file_worker.order(move || match action.run(&at, replaces) {
            Ok(_) if matches!(action, FileAction::Keep(_)) => PresetAnswer::Kept,
            Ok(message) => PresetAnswer::Done(Ok(message)),
            Err(PresetError::Taken(_)) => PresetAnswer::Taken(Box::new(action)),
            Err(error) => PresetAnswer::Done(Err(error.to_string())),
        });
        self.refresh(shelf);
    }

    /// Draws the wanted files and the files that cannot be read.
    fn list(
        &mut self,
        ui: &mut Ui,
        controls: &dyn Controls,
        wanted: &dyn Fn(&NamedPiano, bool) -> bool,
    ) -> Option<NamedPiano> {
        let entries = self.entries.take()?;
        if entries.is_empty() {
            ui.label(
                RichText::new("None yet: Save, in the bar, keeps the present one.")
                    .color(theme::faint(ui)),
            );
        }
        let mut chosen = None;
        for entry in &entries {
            match &entry.held {
                Ok((saved, losses)) if wanted(saved, self.is_favourite(&saved.name)) => {
                    let loads = self.entry(ui, entry, saved, losses, controls);
                    chosen = loads.then(|| saved.clone()).or(chosen);
                }
                Err(message) => {
                    ui.label(RichText::new(message).small().color(theme::accent(ui)));
                }
                Ok(_) => {}
            }
        }
        self.entries = Some(entries);
        chosen
    }

    /// Draws one piano's row; returns whether it was chosen.
    fn entry(
        &mut self,
        ui: &mut Ui,
        entry: &PresetEntry,
        saved: &NamedPiano,
        losses: &PresetLosses,
        controls: &dyn Controls,
    ) -> bool {
        let mut loads = false;
        ui.horizontal_wrapped(|ui| {
            let is_this = is_current(&saved.settings, &controls.settings());
            self.star(ui, &saved.name);
            let name = ui.selectable_label(is_this, RichText::new(&saved.name).strong());
            let hint = if saved.notes.is_empty() { "Load this piano" } else { &saved.notes };
            if name.on_hover_text(hint).clicked() {
                loads = true;
                self.name.clone_from(&saved.name);
                self.tags = saved.tags.join(", ");
                self.notes.clone_from(&saved.notes);
                let message = losses_text(losses);
                self.outcome =
                    (!message.is_empty()).then(|| Err(format!("{}{message}", saved.name)));
            }
            // An empty label would place the following buttons over the name.
            if !saved.tags.is_empty() {
                ui.label(RichText::new(saved.tags.join(", ")).small().color(theme::faint(ui)));
            }
            let remove = ui.add(egui::Button::new("delete").small().frame(false));
            let label = format!("Delete {}", saved.name);
            remove.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &label));
            if remove.on_hover_text(&label).clicked() {
                self.unconfirmed = Some(FileAction::Remove(entry.path.clone()));
            }
        });
        loads
    }

    /// Draws the form that saves the current settings; the name has the focus if the form `opens`.
    fn form(&mut self, ui: &mut Ui, shelf: &UserPresets, controls: &dyn Controls, opens: bool) {
        let line = |ui: &mut Ui, name: &str, text: &mut String, hint: &str, rows: usize| {
            let label = ui.label(name);
            let edit = if rows == 1 {
                TextEdit::singleline(text)
            } else {
                TextEdit::multiline(text).desired_rows(rows)
            };
            let edit = edit.hint_text(hint).desired_width(f32::INFINITY);
            let response = ui.add(edit).labelled_by(label.id);
            ui.end_row();
            response
        };
        let mut is_entered = false;
        egui::Grid::new("own").num_columns(2).show(ui, |ui| {
            let name = line(ui, "Name", &mut self.name, "of this piano", 1);
            let tags = line(ui, "Tags", &mut self.tags, "with commas between them", 1);
            line(ui, "Notes", &mut self.notes, "", 2);
            if opens {
                // Typing replaces the name.
                let all =
                    CCursorRange::two(CCursor::new(0), CCursor::new(self.name.chars().count()));
                let mut state = TextEdit::load_state(ui.ctx(), name.id).unwrap_or_default();
                state.cursor.set_char_range(Some(all));
                state.store(ui.ctx(), name.id);
                name.request_focus();
            }
            let enter = ui.input(|i| i.key_pressed(egui::Key::Enter));
            is_entered = enter && (name.lost_focus() || tags.lost_focus());
        });
        let named = self.name.chars().any(char::is_alphanumeric);
        let save = ui.add_enabled(named, egui::Button::new("Save this piano"));
        let hint = format!("All settings as they are, as a file in {}", shelf.folder().display());
        let save = save.on_hover_text(hint).on_disabled_hover_text("Give it a name first");
        if save.clicked() || named && is_entered {
            self.order(shelf, FileAction::Keep(self.present(controls)), false);
        }
    }

    /// The current settings with the form's name.
    fn present(&self, controls: &dyn Controls) -> NamedPiano {
        NamedPiano {
            name: self.name.trim().to_owned(),
            tags: tags(&self.tags),
            notes: self.notes.clone(),
            settings: controls.settings(),
            mechanism: controls.mechanism().source.clone(),
        }
    }

    /// Draws import and export by path.
    fn transfer(&mut self, ui: &mut Ui, shelf: &UserPresets, controls: &dyn Controls) {
        ui.add_space(4.0);
        self.file.ui(ui);
        let path = self.file.path();
        ui.horizontal(|ui| {
            let import = ui.add_enabled(path.is_some(), egui::Button::new("Import"));
            let export = ui.add_enabled(path.is_some(), egui::Button::new("Export"));
            let import = import.on_hover_text("Copies the piano of this file to my pianos");
            let export = export.on_hover_text("Writes the present settings to this file");
            let Some(path) = path else { return };
            if import.clicked() {
                self.order(shelf, FileAction::Import(path), false);
            } else if export.clicked() {
                let mut saved = self.present(controls);
                if saved.name.is_empty() {
                    let stem = path.file_stem().unwrap_or_default();
                    saved.name = stem.to_string_lossy().into_owned();
                }
                self.order(shelf, FileAction::Export(saved, path), false);
            }
        });
    }

    /// Asks whether to go on with an action: of the form, or of the list.
    fn ask(&mut self, ui: &mut Ui, shelf: &UserPresets, of_form: bool) {
        let Some(action) = self.unconfirmed.clone() else { return };
        if of_form != matches!(action, FileAction::Keep(_)) {
            return;
        }
        ui.label(RichText::new(action.question()).color(theme::accent(ui)).strong());
        ui.horizontal(|ui| {
            if ui.button(action.yes()).clicked() {
                self.order(shelf, action, true);
            } else if ui.button("Leave it").clicked() {
                self.unconfirmed = None;
            }
        });
    }
}

/// Tags from a list separated by commas.
fn tags(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
}
