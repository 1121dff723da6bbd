//! A field for a path, with a menu of folders and files. A file dialog of the system is no option for a
//! window inside a host's: it may open behind the host or block the host and the sound.

use std::path::{Path, PathBuf};

use egui::containers::menu::{MenuButton, MenuConfig};
use egui::{PopupCloseBehavior, RichText, ScrollArea, TextEdit, Ui};

use crate::widgets::theme;
use touchback_core::exchange::file_worker::FileWorker;
use touchback_core::files::input;
use touchback_core::text::encoding::decode;

/// Most listed names of a folder.
const MOST: usize = 1000;
/// Largest text, bytes.
const LIMIT: u64 = 1_000_000;
/// Width of the button and the field's margin, points.
const BUTTON: f32 = 84.0;

/// The contents of a folder.
#[derive(Debug, Default)]
struct Listing {
    folder: PathBuf,
    folders: Vec<String>,
    files: Vec<String>,
    /// Why the folder cannot be read, or that it has more names.
    error: Option<String>,
}

/// The field and the last listing.
pub struct PathField {
    name: &'static str,
    hint: &'static str,
    /// Extension of the listed files; empty for a field that takes a folder.
    extension: &'static str,
    text: String,
    file_worker: FileWorker<Listing>,
    listing: Option<Listing>,
}

impl PathField {
    /// A field called `name` for files that end in `extension`.
    #[must_use]
    pub fn new(name: &'static str, hint: &'static str, extension: &'static str) -> Self {
        let (text, file_worker) = (String::new(), FileWorker::default());
        Self { name, hint, extension, text, file_worker, listing: None }
    }

    /// A field called `name` for a folder.
    #[must_use]
    pub(crate) fn of_folder(name: &'static str, hint: &'static str) -> Self {
        Self::new(name, hint, "")
    }

    /// The typed folder, with `~` for the home. None while nothing is typed, or a path that begins at no root.
    #[must_use]
    pub fn folder(&self) -> Option<PathBuf> {
        Some(expanded(&self.text)).filter(|path| path.is_absolute())
    }

    /// The typed text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The typed path, with `~` for the home and the usual extension added if it has none. None while no file
    /// is named.
    #[must_use]
    pub fn path(&self) -> Option<PathBuf> {
        let mut path = expanded(&self.text);
        path.file_name()?;
        if self.text.trim_end().ends_with(['/', '\\']) {
            return None;
        }
        if path.extension().is_none() {
            path.set_extension(self.extension);
        }
        Some(path)
    }

    /// Whether the field is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Replaces the field's text by `text`.
    pub fn fill(&mut self, text: &str) {
        text.clone_into(&mut self.text);
    }

    /// Whether a folder is being read.
    #[must_use]
    pub const fn is_busy(&self) -> bool {
        self.file_worker.is_busy()
    }

    /// Draws the field, and a button that opens the menu of folders.
    pub fn ui(&mut self, ui: &mut Ui) {
        if let Some(listing) = self.file_worker.answer() {
            self.listing = Some(listing);
        }
        if self.file_worker.is_busy() {
            ui.ctx().request_repaint_after(std::time::Duration::from_millis(20));
        }
        ui.horizontal(|ui| {
            let label = ui.label(self.name);
            let width = (ui.available_width() - BUTTON * theme::size(ui)).max(60.0);
            let edit = TextEdit::singleline(&mut self.text).hint_text(self.hint);
            ui.add(edit.desired_width(width)).labelled_by(label.id);
            let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
            let (button, _) = MenuButton::new("Browse").config(config).ui(ui, |ui| self.menu(ui));
            let name = format!("Browse for {}", self.name);
            button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &name));
            if button.clicked() {
                self.refresh();
            }
        });
    }

    fn refresh(&mut self) {
        let (text, extension) = (self.text.clone(), self.extension);
        self.file_worker.order(move || list(&expanded(&text), extension));
    }

    /// Draws the folder's folders and files.
    fn menu(&mut self, ui: &mut Ui) {
        ui.set_width(300.0);
        let Some(listing) = &self.listing else { return };
        ui.label(RichText::new(listing.folder.display().to_string()).small());
        let mut next = None;
        if let Some(parent) = listing.folder.parent()
            && ui.button("Up").on_hover_text("The parent folder").clicked()
        {
            next = Some(parent.to_owned());
        }
        let takes_folder = self.extension.is_empty();
        if takes_folder && ui.button("Use this folder").clicked() {
            self.text = listing.folder.display().to_string();
            ui.close();
        }
        ScrollArea::vertical().max_height(220.0).show(ui, |ui| {
            for name in &listing.folders {
                if ui.selectable_label(false, format!("{name}/")).clicked() {
                    next = Some(listing.folder.join(name));
                }
            }
            for name in &listing.files {
                if ui.selectable_label(false, name).clicked() {
                    self.text = listing.folder.join(name).display().to_string();
                    ui.close();
                }
            }
            if listing.files.is_empty() && !takes_folder {
                let none = format!("No file .{} here.", self.extension);
                ui.label(RichText::new(none).color(theme::faint(ui)));
            }
            if let Some(error) = &listing.error {
                ui.label(RichText::new(error).color(theme::accent(ui)));
            }
        });
        if let Some(folder) = next {
            self.text = folder.join("").display().to_string();
            self.refresh();
        }
    }
}

/// The text of a file of any encoding.
///
/// # Errors
/// A sentence that names the file, if it cannot be read or has more than a million bytes.
pub fn text(path: &Path) -> Result<String, String> {
    let bytes = input::read(path, LIMIT).map_err(|error| error.to_string())?;
    Ok(decode(&bytes))
}

/// A typed path, with `~` replaced by the home.
fn expanded(text: &str) -> PathBuf {
    let text = text.trim().trim_matches('"');
    match text.strip_prefix("~/").zip(dirs::home_dir()) {
        Some((rest, home)) => home.join(rest),
        None => PathBuf::from(text),
    }
}

/// Lists the folder `typed` or, if `typed` is no folder, its parent, or else the home.
fn list(typed: &Path, extension: &str) -> Listing {
    let folder = typed.ancestors().take(2).find(|path| path.is_dir()).map(Path::to_owned);
    let folder = folder.or_else(dirs::home_dir).unwrap_or_else(|| PathBuf::from("/"));
    let mut listing = Listing { folder, ..Listing::default() };
    let entries = match std::fs::read_dir(&listing.folder) {
        Ok(entries) => entries,
        Err(e) => {
            listing.error = Some(e.to_string());
            return listing;
        }
    };
    for entry in entries.flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if name.starts_with('.') {
            continue;
        }
        if listing.folders.len() + listing.files.len() == MOST {
            listing.error = Some(format!("Only {MOST} names are listed: type the rest."));
            break;
        }
        if path.is_dir() {
            listing.folders.push(name);
        } else if !extension.is_empty()
            && path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension))
        {
            listing.files.push(name);
        }
    }
    for names in [&mut listing.folders, &mut listing.files] {
        names.sort_by_key(|name| name.to_lowercase());
    }
    listing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_listed_and_other_paths_fall_back_to_a_parent() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("sheets")).unwrap();
        for name in ["b.csv", "A.CSV", "c.toml", ".hidden.csv"] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        for typed in [dir.path().to_owned(), dir.path().join("b.csv"), dir.path().join("new")] {
            let found = list(&typed, "csv");
            assert_eq!((found.folder.as_path(), found.error), (dir.path(), None), "{typed:?}");
            assert_eq!(
                (found.folders, found.files),
                (vec!["sheets".into()], vec!["A.CSV".to_owned(), "b.csv".to_owned()])
            );
        }
        assert!(list(Path::new("no/such/thing"), "csv").folder.is_dir());
    }

    #[test]
    fn a_field_for_a_folder_takes_whole_paths_and_lists_folders() {
        let typed = |text: &str| {
            let mut field = PathField::of_folder("Folder", "");
            field.fill(text);
            field.folder()
        };
        let root = std::env::temp_dir();
        assert_eq!(typed(&root.display().to_string()), Some(root));
        assert_eq!((typed(""), typed("songs"), typed("  ")), (None, None, None));
        if let Some(home) = dirs::home_dir() {
            assert_eq!(typed("~/songs"), Some(home.join("songs")));
        }
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("takes")).unwrap();
        std::fs::write(dir.path().join("README"), "").unwrap();
        let found = list(dir.path(), "");
        assert_eq!((found.folders, found.files), (vec!["takes".to_owned()], Vec::new()));
    }

    #[test]
    fn a_text_is_a_plain_file_of_bounded_size() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.scl");
        std::fs::write(&path, b"Werckmeister \xfc").unwrap();
        assert_eq!(text(&path).unwrap(), "Werckmeister ü");
        std::fs::File::create(&path).unwrap().set_len(LIMIT + 1).unwrap();
        assert!(text(&path).unwrap_err().ends_with("a.scl: is larger than 1 MB"));
        #[cfg(unix)]
        assert!(text(Path::new("/dev/zero")).unwrap_err().ends_with("is not a plain file"));
    }

    #[test]
    fn a_typed_path_is_completed_by_home_and_extension() {
        let typed = |text: &str| {
            let mut field = PathField::new("File", "", "csv");
            field.fill(text);
            field.path()
        };
        assert_eq!(typed(" \"/a/b c\" "), Some("/a/b c.csv".into()));
        assert_eq!(typed("/a/b.txt"), Some("/a/b.txt".into()));
        assert_eq!((typed(""), typed("/a/"), typed("..")), (None, None, None));
        if let Some(home) = dirs::home_dir() {
            assert_eq!(typed("~/x"), Some(home.join("x.csv")));
        }
    }
}
