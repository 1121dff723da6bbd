//! The bar at the top: piano, undo and redo, comparison, faces, output level, computing load, zoom and help.

use egui::{Button, RichText, ThemePreference, Ui, vec2};

use crate::faces::face::Face;
use crate::faces::manual;
use crate::faces::page_bar::PageBar;
use crate::faces::panel::presets::{CurrentPiano, PresetsPanel};
use crate::state::compare::Compare;
use crate::state::controls::Controls;
use crate::state::history::{History, Recorded};
use crate::state::window_state::Appearance;
use crate::widgets::gauge::Gauge;
use crate::widgets::icon::Icon;
use crate::widgets::levels::Levels;
use crate::widgets::{control, theme};
use touchback_instrument::play::record::Counts;

/// Width from which the bar shows separators and full labels, points.
const WIDE: f32 = 1000.0;

/// Width of the menu of faces, points.
const FACES: f32 = 84.0;
/// Least room in a small window's bar for undo and redo beside the piano's name, points.
const UNDO: f32 = 180.0;

/// Factor of the texts in a narrower bar.
const NARROW: f32 = 0.88;

/// The state that the bar shows and changes.
pub struct Bar<'a> {
    /// The list of pianos.
    pub presets: &'a mut PresetsPanel,
    /// Whether the list of pianos is open.
    pub list_open: &'a mut bool,
    /// Undo and redo.
    pub history: &'a mut History,
    /// Pianos A and B.
    pub compare: &'a mut Compare,
    /// The selected face.
    pub face: &'a mut Face,
    /// Zoom and colours.
    pub appearance: &'a mut Appearance,
    /// The output's level.
    pub levels: &'a mut Levels,
    /// Computing load.
    pub gauge: &'a Gauge,
    /// The instrument's counters.
    pub counts: &'a Counts,
    /// Warnings that were dismissed.
    pub seen: &'a mut SeenCounts,
    /// The row of a page in a browser.
    pub page: Option<&'a mut PageBar>,
}

/// Counts up to which warnings were dismissed.
#[derive(Debug, Default)]
pub struct SeenCounts {
    /// Notes that did not sound.
    silent: u64,
    /// Motions whose energy balance did not close.
    unbalanced: u64,
}

impl Bar<'_> {
    /// Draws the bar in one row, in a small window with a second one for what is seldom used. Changes through
    /// `controls` are not recorded for undo.
    pub fn ui(mut self, ui: &mut Ui, controls: &mut dyn Controls) {
        if theme::is_small(ui.ctx()) {
            self.small(ui, controls);
            if let Some(page) = self.page.filter(|page| page.has_messages()) {
                ui.horizontal_wrapped(|ui| page.messages(ui));
            }
            return;
        }
        let wide = ui.available_width() > WIDE;
        ui.horizontal(|ui| {
            let large = theme::enlargement(ui.ctx());
            ui.spacing_mut().item_spacing.x = if wide { 6.0 * large } else { 1.0 };
            ui.spacing_mut().button_padding.x = if wide { 7.0 } else { 2.0 };
            theme::enlarge(ui, if wide { large } else { NARROW });
            self.piano(ui, wide, controls);
            gap(ui, wide);
            self.edits(ui, true, controls);
            self.compare.ui(ui, controls, self.history);
            gap(ui, wide);
            for (face, name, hint) in Face::tabs() {
                let tab = ui.selectable_label(self.face.tab() == face, name);
                if tab.on_hover_text(hint).clicked() {
                    *self.list_open = false;
                    // A page of the workshop stays.
                    if self.face.tab() != face {
                        *self.face = face;
                    }
                }
            }
            gap(ui, wide);
            self.silent(ui, wide);
            self.unbalanced(ui, wide);
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                self.help(ui);
                self.zoom(ui, wide);
                self.gauge.ui(ui, if wide { 70.0 * large } else { 26.0 });
                let room = ui.available_width() - 4.0;
                if room > 30.0 {
                    self.levels.ui(ui, room.min(130.0 * large));
                }
            });
        });
        if let Some(page) = self.page {
            ui.horizontal_wrapped(|ui| {
                theme::enlarge(ui, theme::enlargement(ui.ctx()));
                page.buttons(ui);
                page.messages(ui);
            });
        }
    }

    /// Draws the bar of a small window: the menu of faces, the piano, undo, and a button that opens the rest.
    fn small(&mut self, ui: &mut Ui, controls: &mut dyn Controls) {
        let id = ui.scope_id().with("rest");
        let mut is_open = ui.data(|data| data.get_temp::<bool>(id)).unwrap_or_default();
        let high = theme::touched(ui.ctx());
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.spacing_mut().button_padding.x = 5.0;
        ui.horizontal(|ui| {
            ui.spacing_mut().interact_size.y = high;
            self.faces(ui);
            let layout = egui::Layout::right_to_left(egui::Align::Center);
            ui.with_layout(layout, |ui| {
                let rest = ui.selectable_label(is_open, " … ");
                rest.widget_info(|| {
                    egui::WidgetInfo::selected(egui::Role::Button, true, is_open, "More of the bar")
                });
                if rest.clicked() {
                    is_open = !is_open;
                }
                let has_room = ui.available_width() > UNDO;
                self.edits(ui, has_room, controls);
                let current = self.current(controls);
                self.name(ui, &current, ui.available_width());
            });
        });
        if is_open {
            ui.horizontal_wrapped(|ui| {
                ui.spacing_mut().interact_size.y = 0.8 * high;
                if let Some(page) = &mut self.page {
                    page.buttons(ui);
                }
                let current = self.current(controls);
                self.step(ui, Icon::Before, "Previous piano", &current.name, -1, controls);
                self.step(ui, Icon::After, "Next piano", &current.name, 1, controls);
                self.save(ui, &current.name, controls);
                self.compare.ui(ui, controls, self.history);
                self.zoom(ui, false);
                self.gauge.ui(ui, 40.0);
                self.levels.ui(ui, 70.0);
                self.help(ui);
                self.silent(ui, true);
                self.unbalanced(ui, true);
            });
        }
        ui.data_mut(|data| data.insert_temp(id, is_open));
    }

    /// Draws the menu of faces.
    fn faces(&mut self, ui: &mut Ui) {
        let shown = Face::TABS.iter().find(|(face, ..)| *face == self.face.tab());
        let name = shown.map_or("", |(_, name, _)| name);
        let combo = egui::ComboBox::from_id_salt("face").selected_text(name).width(FACES);
        let menu = combo.show_ui(ui, |ui| {
            for (face, name, _) in Face::tabs() {
                if ui.selectable_label(self.face.tab() == face, name).clicked() {
                    (*self.face, *self.list_open) = (face, false);
                }
            }
        });
        menu.response.widget_info(|| {
            let mut info = egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Face");
            info.current_text_value = Some(name.to_owned());
            info
        });
    }

    /// The loaded piano.
    fn current(&mut self, controls: &dyn Controls) -> CurrentPiano {
        let current = self.presets.current(&self.history.piano, &controls.settings());
        self.history.piano.clone_from(&current.name);
        current
    }

    /// Draws the button that loads the piano `by` steps from `name`.
    fn step(
        &mut self,
        ui: &mut Ui,
        icon: Icon,
        hint: &str,
        name: &str,
        by: isize,
        controls: &mut dyn Controls,
    ) {
        if icon.button(ui, hint, true).on_hover_text(hint).clicked() {
            let mut recorded = Recorded { controls, history: self.history };
            self.presets.step(name, by, &mut recorded);
        }
    }

    /// Draws the button that opens the form to save the piano.
    fn save(&mut self, ui: &mut Ui, name: &str, controls: &dyn Controls) {
        let save = ui.button("Save").on_hover_text("Save this piano under this or a new name");
        self.presets.save(&save, name, controls);
    }

    /// Draws the piano's name, with a mark if it was changed, and buttons for the previous and next piano.
    fn piano(&mut self, ui: &mut Ui, wide: bool, controls: &mut dyn Controls) {
        let current = self.current(controls);
        self.step(ui, Icon::Before, "Previous piano", &current.name, -1, controls);
        let width = if wide { 170.0 * theme::enlargement(ui.ctx()) } else { 72.0 };
        self.name(ui, &current, width);
        self.step(ui, Icon::After, "Next piano", &current.name, 1, controls);
        self.save(ui, &current.name, controls);
    }

    /// Draws the piano's name, which opens the list of pianos, in `width` points.
    fn name(&mut self, ui: &mut Ui, current: &CurrentPiano, width: f32) {
        let mark = if current.is_modified { " •" } else { "" };
        let text = RichText::new(format!("{}{mark}", current.name)).strong();
        let button = Button::new(text).selected(*self.list_open).truncate();
        let name = ui.add_sized(vec2(width, ui.spacing().interact_size.y), button);
        let state = if current.is_modified { "changed since it was loaded" } else { "as loaded" };
        let label = format!("Piano: {}, {state}", current.name);
        name.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &label));
        if name.on_hover_text(format!("{label}. Opens the list of pianos.")).clicked() {
            *self.list_open = !*self.list_open;
        }
    }

    /// Handles undo and redo by keys and, where they have room, by buttons.
    fn edits(&mut self, ui: &mut Ui, has_room: bool, controls: &mut dyn Controls) {
        let types = ui.ctx().text_edit_focused();
        let keys = |key, modifiers| !types && ui.input_mut(|i| i.consume_key(modifiers, key));
        let command = egui::Modifiers::COMMAND;
        let again =
            keys(egui::Key::Z, command | egui::Modifiers::SHIFT) || keys(egui::Key::Y, command);
        let back = keys(egui::Key::Z, command);
        if !has_room {
            if back {
                self.history.undo(controls);
            } else if again {
                self.history.redo(controls);
            }
            return;
        }
        let button = |ui: &mut Ui, icon: Icon, name: &str, of: Option<&str>| {
            let response = icon.button(ui, name, of.is_some());
            let hint = of.map_or_else(|| format!("{name}: nothing"), |of| format!("{name}: {of}"));
            response.on_hover_text(&hint).on_disabled_hover_text(&hint)
        };
        // In a small window the bar is filled from its right end.
        let is_reversed = ui.layout().prefer_right_to_left();
        let early = is_reversed.then(|| button(ui, Icon::Redo, "Redo", self.history.redoes()));
        let undo = button(ui, Icon::Undo, "Undo", self.history.undoes());
        let redo = early.unwrap_or_else(|| button(ui, Icon::Redo, "Redo", self.history.redoes()));
        let mut left = Vec::new();
        if undo.clicked() || back {
            left = self.history.undo(controls);
        }
        if redo.clicked() || again {
            left = self.history.redo(controls);
        }
        let message = "Not undone, because the host changed it later";
        control::refused(
            &undo,
            (!left.is_empty()).then(|| format!("{message}: {}", left.join(", "))),
        );
    }

    /// Shows the number of notes that did not sound, until it is dismissed.
    fn silent(&mut self, ui: &mut Ui, wide: bool) {
        let count = self.counts.silent_presses + self.counts.missed_repetitions;
        let Some(silent) = new_since(&mut self.seen.silent, count) else { return };
        let text = if wide { format!("{silent} silent") } else { format!("{silent}!") };
        let label = format!("{silent} notes did not sound");
        let hint = "keys pressed too softly, again too soon, or under a regulation that cannot play \
                    them. Legato repair and Strict repetition (face Touch) decide what \
                    repeated notes do";
        if dismissed(ui, &text, &label, hint) {
            self.seen.silent = count;
        }
    }

    /// Shows the number of motions whose energy balance did not close, until it is dismissed.
    fn unbalanced(&mut self, ui: &mut Ui, wide: bool) {
        let count = self.counts.unbalanced;
        let Some(unbalanced) = new_since(&mut self.seen.unbalanced, count) else { return };
        let text = if wide { format!("{unbalanced} inexact") } else { format!("{unbalanced}?") };
        let label = format!("The energy balance of {unbalanced} key motions did not close");
        let hint = "the computed motion gained or lost more than 0.3 % of the work on the key, and \
                    more than 1 mJ. Felts too stiff or parts too light for the time step cause it; \
                    sound and measured figures of such keys are inexact";
        if dismissed(ui, &text, &label, hint) {
            self.seen.unbalanced = count;
        }
    }

    /// Draws the choice of the zoom.
    fn zoom(&mut self, ui: &mut Ui, wide: bool) {
        let percent = format!("{:.0} %", 100.0 * self.appearance.zoom);
        let combo = egui::ComboBox::from_id_salt("zoom").selected_text(&percent).width(if wide {
            56.0
        } else {
            40.0
        });
        let response = combo.show_ui(ui, |ui| {
            for zoom in [0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0f32] {
                let name = format!("{:.0} %", 100.0 * zoom);
                if ui.selectable_label((self.appearance.zoom - zoom).abs() < 1e-3, name).clicked() {
                    self.appearance.zoom = zoom;
                }
            }
        });
        let zoom = response.response;
        let info = || {
            let mut info = egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Zoom");
            info.current_text_value = Some(percent.clone());
            info
        };
        zoom.widget_info(info);
        zoom.on_hover_text("Size of everything in the window");
    }

    /// Draws the help menu: version, manual, keys, colours.
    fn help(&mut self, ui: &mut Ui) {
        let menu = ui.menu_button(" ? ", |ui| {
            ui.set_max_width(320.0);
            ui.strong(concat!("Touchback ", env!("CARGO_PKG_VERSION")));
            manual_link(ui);
            ui.label(
                "Every control shows a description while the pointer rests on it. Drag a slider (Shift: \
                 fine; Escape: back), turn the wheel on it, or double-click its name to type a \
                 value. Right-click: reset, copy, the name hosts automate it by.",
            );
            ui.label("Ctrl-Z: undo, Ctrl-Shift-Z: redo, Tab: next control, Ctrl + and −: zoom.");
            ui.separator();
            ui.horizontal(|ui| {
                ui.label("Colours");
                for (theme, name) in [
                    (ThemePreference::System, "System"),
                    (ThemePreference::Light, "Light"),
                    (ThemePreference::Dark, "Dark"),
                ] {
                    ui.selectable_value(&mut self.appearance.theme, theme, name);
                }
            });
            let c = self.counts;
            let text = format!(
                "{} notes, {} strikes, {} silent, {} late, {} ignored, {} lost, {} inexact",
                c.notes, c.strikes, c.silent_presses, c.late, c.ignored, c.lost, c.unbalanced
            );
            ui.label(RichText::new(text).small().color(theme::faint(ui)));
        });
        let label = || egui::WidgetInfo::labeled(egui::Role::Button, true, "Help");
        menu.response.widget_info(label);
        menu.response.on_hover_text("Version, manual, keys, colours");
    }
}

/// Number of events since `seen`; none if there were none. A reset restarts `count` at 0.
fn new_since(seen: &mut u64, count: u64) -> Option<u64> {
    *seen = (*seen).min(count);
    (count > *seen).then(|| count - *seen)
}

/// Draws a warning with a description; true when it is clicked away.
fn dismissed(ui: &mut Ui, text: &str, label: &str, hint: &str) -> bool {
    let chip = ui.button(RichText::new(text).color(theme::accent(ui)));
    chip.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, label));
    chip.on_hover_text(format!("{label}: {hint}. A click hides this.")).clicked()
}

/// Draws a link that opens the manual in the browser.
fn manual_link(ui: &mut Ui) {
    let link = ui.link("Manual").on_hover_text("Opens in the browser; needs no network");
    let mut reason = None;
    if link.clicked()
        && let Err(error) = manual::open(ui.ctx())
    {
        reason = Some(format!("The manual cannot be written: {error}"));
    }
    control::refused(&link, reason);
}

fn gap(ui: &mut Ui, wide: bool) {
    if wide {
        ui.separator();
    } else {
        ui.add_space(2.0);
    }
}
