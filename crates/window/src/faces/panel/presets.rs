//! The page of pianos: factory pianos as cards with words and tags, and the user's own as files.

mod own;

use std::sync::Arc;

use egui::{Align, Frame, Layout, RichText, TextEdit, Ui};

use super::heading;
use crate::state::controls::Controls;
use crate::widgets::theme;
use touchback_core::exchange::file_worker::FileWorker;
use touchback_core::exchange::flags::Flag;
use touchback_instrument::Settings;
use touchback_instrument::host::mechanism::LoadedMechanism;
use touchback_instrument::host::params::{Parameter, all};
use touchback_instrument::host::preset::file::NamedPiano;
use touchback_instrument::host::preset::user_presets::UserPresets;
use touchback_instrument::host::preset::{PRESETS, Preset, is_keyboards, is_machines};

/// Least width of a card, points.
const CARD: f32 = 270.0;
/// Time between looks whether a mechanism is built.
const POLL: std::time::Duration = std::time::Duration::from_millis(30);

/// State of the browser.
pub struct PresetsPanel {
    /// Whether loading keeps the settings of the user's keyboard and pedals.
    keeps_keyboard: bool,
    filter: Filter,
    own: own::OwnPresets,
    /// Builds the mechanisms of pianos that are to be loaded.
    builder: FileWorker<(NamedPiano, Arc<LoadedMechanism>)>,
    /// Name of the piano that is loaded once its mechanism is built.
    awaited: Option<String>,
    /// The last result of [`Self::current`] and its inputs.
    found: Option<(Settings, String, CurrentPiano)>,
}

/// The current piano.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CurrentPiano {
    /// The piano's name.
    pub name: String,
    /// Whether the piano was changed since it was loaded.
    pub is_modified: bool,
}

impl Default for PresetsPanel {
    fn default() -> Self {
        Self::on(UserPresets::usual())
    }
}

impl PresetsPanel {
    /// A panel that lists the user's pianos in the folder `shelf`.
    #[must_use]
    pub fn on(shelf: Option<UserPresets>) -> Self {
        Self {
            keeps_keyboard: true,
            filter: Filter::default(),
            own: own::OwnPresets::new(shelf),
            builder: FileWorker::default(),
            awaited: None,
            found: None,
        }
    }

    /// Reads the user's folder. Call once a frame.
    pub fn follow(&mut self, ui: &Ui) {
        let was_busy = self.own.is_busy();
        self.own.follow(ui);
        if was_busy {
            self.found = None;
        }
    }

    /// Draws the page, with the current piano marked. A click on a name changes every parameter that differs, each
    /// as a gesture that the host can undo. `preview` is up while the preview phrase is to play.
    pub fn ui(&mut self, ui: &mut Ui, controls: &mut dyn Controls, preview: &Flag) {
        theme::enlarge(ui, theme::enlargement(ui.ctx()));
        self.filters(ui, preview);
        self.tags(ui);
        heading(ui, "Factory pianos");
        let present = controls.settings();
        let listed: Vec<(String, &Preset)> = PRESETS
            .iter()
            .map(|preset| (preset.title(), preset))
            .filter(|(title, preset)| {
                let texts = [title.as_str(), preset.about];
                self.filter.lists(&texts, preset.tags, self.own.is_favourite(title))
            })
            .collect();
        if listed.is_empty() {
            ui.label(RichText::new("None of these.").color(theme::faint(ui)));
        }
        let count = columns(ui.available_width() / theme::size(ui));
        for row in listed.chunks(count) {
            ui.columns(count, |columns| {
                for (ui, (title, preset)) in columns.iter_mut().zip(row) {
                    let is_this = is_current(&self.merged(&preset.settings(), &present), &present);
                    // Columns stretch their texts over the width.
                    let left = Layout::top_down(Align::Min);
                    if ui
                        .with_layout(left, |ui| self.card(ui, title, preset, is_this, preview))
                        .inner
                    {
                        self.recall(controls, preset.named());
                    }
                }
            });
        }
        let changed =
            all().filter(|p| p.get(&present).to_bits() != p.default_value().to_bits()).count();
        let text =
            format!("{changed} of {} parameters differ from the concert grand.", all().len());
        ui.label(RichText::new(text).small().color(theme::faint(ui)));
        ui.add_space(8.0);
        heading(ui, "My pianos");
        let filter = self.filter.clone();
        let wanted = |saved: &NamedPiano, is_favourite: bool| {
            let tags: Vec<&str> = saved.tags.iter().map(String::as_str).collect();
            filter.lists(&[&saved.name], &tags, is_favourite)
        };
        if let Some(chosen) = self.own.ui(ui, controls, &wanted) {
            self.recall(controls, chosen);
        }
    }

    /// Draws search, favourites, the phrase and what loading leaves as it is.
    fn filters(&mut self, ui: &mut Ui, preview: &Flag) {
        ui.horizontal_wrapped(|ui| {
            let label = ui.label("Find");
            let edit = TextEdit::singleline(&mut self.filter.query).hint_text("name, tag or word");
            ui.add(edit.desired_width(150.0)).labelled_by(label.id);
            ui.checkbox(&mut self.filter.favourites_only, "Favourites")
                .on_hover_text("List only the favourites");
            let mut plays = preview.is_up();
            let phrase = ui.toggle_value(&mut plays, "Audition");
            let hint = "Repeats a short phrase on the loaded piano until this is clicked again or \
                        the page is closed. Needs a host that processes its audio.";
            if phrase.on_hover_text(hint).clicked() {
                preview.set(plays);
            }
            let keeps = ui.checkbox(&mut self.keeps_keyboard, "Keep my keyboard's settings");
            keeps.on_hover_text(
                "Loading a piano leaves calibration, silent velocities, pedals and MIDI as they \
                 are: they belong to the keyboard under your hands",
            );
        });
    }

    /// Draws the tags of all pianos; the chosen one selects the listed pianos.
    fn tags(&mut self, ui: &mut Ui) {
        let mut tags: Vec<String> = Vec::new();
        let factory = PRESETS.iter().flat_map(|preset| preset.tags).map(|tag| (*tag).to_owned());
        let own = self.own.pianos().flat_map(|own| own.tags.iter().cloned());
        for tag in factory.chain(own) {
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        if self.filter.tag.as_ref().is_some_and(|tag| !tags.contains(tag)) {
            self.filter.tag = None;
        }
        ui.horizontal_wrapped(|ui| {
            for tag in tags {
                let is_chosen = self.filter.tag.as_ref() == Some(&tag);
                let chip = ui.selectable_label(is_chosen, &tag);
                chip.widget_info(|| {
                    let label = format!("Tag: {tag}");
                    egui::WidgetInfo::selected(egui::Role::Button, true, is_chosen, label)
                });
                if chip.on_hover_text("List the pianos with this tag, or all again").clicked() {
                    self.filter.tag = (!is_chosen).then_some(tag);
                }
            }
        });
    }

    /// Draws one factory piano; returns whether it is to be loaded.
    fn card(
        &mut self,
        ui: &mut Ui,
        title: &str,
        preset: &Preset,
        is_this: bool,
        preview: &Flag,
    ) -> bool {
        let mut loads = false;
        let fill =
            if is_this { ui.visuals().extreme_bg_color } else { ui.visuals().faint_bg_color };
        Frame::group(ui.style()).fill(fill).show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.horizontal(|ui| {
                self.own.star(ui, title);
                let name = ui.selectable_label(is_this, RichText::new(title).strong());
                loads = name.on_hover_text("Load this piano").clicked();
                let plays = is_this && preview.is_up();
                let hear = ui.small_button(if plays { "Stop" } else { "Hear" });
                let label = format!("{} {title}", if plays { "Stop" } else { "Hear" });
                hear.widget_info(|| {
                    egui::WidgetInfo::labeled(egui::Role::Button, true, label.as_str())
                });
                if hear.on_hover_text("Load this piano and repeat a short phrase").clicked() {
                    preview.set(!plays);
                    loads = !plays;
                }
            });
            ui.label(RichText::new(preset.about).small());
            let tags = preset.tags.join(" · ");
            ui.label(RichText::new(tags).small().color(theme::faint(ui)));
        });
        loads
    }

    /// Draws the form that saves the current piano, called `name`, as a pop-up under the button `save`.
    pub fn save(&mut self, save: &egui::Response, name: &str, controls: &dyn Controls) {
        self.own.pop_up(save, name, controls);
    }

    /// The settings that loading `wanted` over `present` would give.
    fn merged(&self, wanted: &Settings, present: &Settings) -> Settings {
        let mut settings = wanted.clone();
        let keeps = |p: &&Parameter| is_machines(p) || self.keeps_keyboard && is_keyboards(p);
        for parameter in all().filter(keeps) {
            parameter.set(&mut settings, parameter.get(present));
        }
        settings
    }

    /// Loads `piano` with its mechanism, once that is built; without one, that of the project stays.
    fn recall(&mut self, controls: &mut dyn Controls, piano: NamedPiano) {
        let other = controls.mechanism().source != piano.mechanism;
        if let Some(source) = piano.mechanism.clone().filter(|_| other) {
            self.awaited = Some(piano.name.clone());
            self.builder.order_instead(move || (piano, LoadedMechanism::of(source)));
            return;
        }
        self.awaited = None;
        let settings = self.merged(&piano.settings, &controls.settings());
        controls.recall(&settings, Some(&piano.name));
    }

    /// Loads the piano chosen last if its mechanism has been built meanwhile. Call once a frame.
    pub fn settle(&mut self, ctx: &egui::Context, controls: &mut dyn Controls) {
        while let Some((piano, loaded)) = self.builder.answer() {
            if self.awaited.take_if(|name| *name == piano.name).is_some() {
                let settings = self.merged(&piano.settings, &controls.settings());
                controls.recall_with(loaded, &settings, Some(&piano.name));
            }
        }
        if self.builder.is_busy() {
            ctx.request_repaint_after(POLL);
        }
    }

    /// All pianos that can be loaded, by name, factory pianos first.
    fn pianos(&self) -> Vec<NamedPiano> {
        PRESETS.iter().map(Preset::named).chain(self.own.pianos().cloned()).collect()
    }

    /// The current piano for the settings `present`, after `loaded` was loaded last.
    pub fn current(&mut self, loaded: &str, present: &Settings) -> CurrentPiano {
        if let Some((of, from, current)) = &self.found
            && of == present
            && from == loaded
        {
            return current.clone();
        }
        let pianos = self.pianos();
        let exact =
            |piano: &&NamedPiano| is_current(&self.merged(&piano.settings, present), present);
        let same = pianos.iter().filter(|piano| piano.name == loaded).find(exact);
        let found = same.or_else(|| pianos.iter().find(exact));
        let (name, is_modified) = match found {
            Some(piano) => (piano.name.clone(), false),
            None if loaded.is_empty() => (PRESETS[0].title(), true),
            None => (loaded.to_owned(), true),
        };
        let current = CurrentPiano { name, is_modified };
        self.found = Some((present.clone(), loaded.to_owned(), current.clone()));
        current
    }

    /// Loads the piano `by` positions after the one called `name`, or after the one that is being built, cyclically,
    /// among the listed favourites if only these are listed.
    pub fn step(&mut self, name: &str, by: isize, controls: &mut dyn Controls) {
        let mut pianos = self.pianos();
        let name = self.awaited.as_deref().unwrap_or(name);
        pianos.retain(|p| !self.filter.favourites_only || self.own.is_favourite(&p.name));
        let index = pianos.iter().position(|other| other.name == name);
        let count = pianos.len();
        if count > 0 {
            let at = index.map_or(0, |p| (p + count).saturating_add_signed(by) % count);
            self.recall(controls, pianos.swap_remove(at));
        }
    }

    /// Whether files are being written or read, or a mechanism is being built.
    #[must_use]
    pub const fn is_busy(&self) -> bool {
        self.own.is_busy() || self.builder.is_busy()
    }
}

/// Number of cards beside each other in a page `width` points wide.
fn columns(width: f32) -> usize {
    (1..=5).rev().find(|count| width >= *count as f32 * CARD).unwrap_or(1)
}

/// Whether every parameter and key of `present` has the value of `settings`, in the precision of a host.
fn is_current(settings: &Settings, present: &Settings) -> bool {
    all().all(|p| p.quantize(p.get(settings)).to_bits() == p.get(present).to_bits())
        && settings.key_sheet() == present.key_sheet()
}

/// Which pianos are listed.
#[derive(Clone, Default)]
struct Filter {
    query: String,
    favourites_only: bool,
    /// The tag that listed pianos have; none lists all.
    tag: Option<String>,
}

impl Filter {
    /// Whether a piano with these `texts` and `tags` is listed: any of both contains the query.
    fn lists(&self, texts: &[&str], tags: &[&str], is_favourite: bool) -> bool {
        let query = self.query.trim().to_lowercase();
        (is_favourite || !self.favourites_only)
            && texts.iter().chain(tags).any(|word| word.to_lowercase().contains(&query))
            && self.tag.as_ref().is_none_or(|tag| tags.contains(&tag.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::controls::DetachedControls;
    use touchback_instrument::host::params::find;

    #[test]
    fn loading_can_keep_the_users_keyboard_settings() {
        let mut connection = DetachedControls::default();
        connection.put(find("soft_velocity").unwrap(), 20.0);
        connection.put(find("transpose").unwrap(), 12.0);
        let mut panel = PresetsPanel::on(None);
        let heavy = touchback_instrument::host::preset::find("heavy").unwrap().settings();
        let kept = panel.merged(&heavy, &connection.settings);
        assert_eq!((kept.touch.soft_velocity, kept.midi.transpose), (20.0, 12.0));
        assert_eq!(kept.action, heavy.action);
        assert!(!is_current(&kept, &connection.settings));
        connection.recall(&kept, None);
        assert!(is_current(&panel.merged(&heavy, &connection.settings), &connection.settings));
        panel.keeps_keyboard = false;
        assert_eq!(panel.merged(&heavy, &connection.settings), heavy);
    }

    #[test]
    fn the_current_piano_and_its_changes_are_recognized() {
        let mut connection = DetachedControls::default();
        let mut panel = PresetsPanel::on(None);
        let stands = |name: &str, is_modified| CurrentPiano { name: name.to_owned(), is_modified };
        assert_eq!(panel.current("", &connection.settings), stands("Concert", false));
        connection.put(find("blow_mm").unwrap(), 44.0);
        assert_eq!(panel.current("", &connection.settings), stands("Concert", true));
        assert_eq!(panel.current("Mine", &connection.settings), stands("Mine", true));
        // A piano loaded by other means is recognized by its settings.
        connection.settings =
            touchback_instrument::host::preset::find("mellow").unwrap().settings();
        assert_eq!(panel.current("Mine", &connection.settings), stands("Mellow", false));
        // Cyclically through all pianos.
        for _ in 0..PRESETS.len() {
            let at = panel.current("", &connection.settings).name;
            panel.step(&at, 1, &mut connection);
            while panel.is_busy() {
                panel.settle(&egui::Context::default(), &mut connection);
            }
            assert_ne!(panel.current("", &connection.settings).name, at);
        }
        assert_eq!(panel.current("", &connection.settings), stands("Mellow", false));
        // The second step is taken while the mechanism of the first is being built.
        for steps in [1, 2] {
            connection.set_mechanism(Arc::default());
            (0..steps).for_each(|_| panel.step("Concert", -1, &mut connection));
            while panel.is_busy() {
                panel.settle(&egui::Context::default(), &mut connection);
            }
            let title = PRESETS[PRESETS.len() - steps].title();
            assert_eq!(panel.current("", &connection.settings).name, title);
        }
    }
}
