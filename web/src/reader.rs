//! The window's controls for screen readers: egui's accessibility tree as JSON, from which the page's script makes
//! elements of the document, and what readers do to these.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use egui::accesskit::{Action, ActionData, ActionRequest, NodeId, Role, TreeId, TreeUpdate};
use egui::{Context, Event, FullOutput, RawInput};

use touchback_core::exchange::lock::lock;
use touchback_window::tree::{Control, controls};

/// The last frame's tree, and what readers have done since.
#[derive(Default)]
struct Shared {
    tree: Option<TreeUpdate>,
    requests: Vec<ActionRequest>,
}

/// The tree and its readers; a plugin of egui's context.
#[derive(Clone, Default)]
pub struct Reader(Arc<Mutex<Shared>>);

impl egui::Plugin for Reader {
    fn debug_name(&self) -> &'static str {
        "screen reader"
    }

    fn input_hook(&mut self, context: &Context, input: &mut RawInput) {
        context.enable_accesskit();
        let requests = std::mem::take(&mut lock(&self.0).requests);
        input.events.extend(requests.into_iter().map(Event::AccessKitActionRequest));
    }

    fn output_hook(&mut self, _context: &Context, output: &mut FullOutput) {
        if let Some(update) = output.platform_output.accesskit_update.take() {
            lock(&self.0).tree = Some(update);
        }
    }
}

impl Reader {
    /// The named controls and texts of the last frame in reading order, as a JSON array. Places are pixels of the page,
    /// `zoom` to a point.
    #[must_use]
    pub fn tree(&self, zoom: f32) -> String {
        let list = lock(&self.0).tree.as_ref().map(controls).unwrap_or_default();
        let mut json = String::from("[");
        for (control, role) in list.iter().filter_map(|control| Some((control, role(control)?))) {
            let comma = if json.len() > 1 { "," } else { "" };
            let _ = write!(json, "{comma}{}", object(control, role, zoom));
        }
        json + "]"
    }

    /// Clicks the control `id` of the tree.
    pub fn click(&self, id: &str) {
        self.request(id, Action::Click, None);
    }

    /// Gives the focus to the control `id`.
    pub fn focus(&self, id: &str) {
        self.request(id, Action::Focus, None);
    }

    /// Sets the slider or number `id` to `value`.
    pub fn set(&self, id: &str, value: f64) {
        self.request(id, Action::SetValue, Some(ActionData::NumericValue(value)));
    }

    fn request(&self, id: &str, action: Action, data: Option<ActionData>) {
        if let Ok(id) = id.parse() {
            let target_node = NodeId(id);
            let request = ActionRequest { action, target_tree: TreeId::ROOT, target_node, data };
            lock(&self.0).requests.push(request);
        }
    }
}

/// The role of `control` in a document [WAI-ARIA 1.2]; none of what only holds others.
fn role(control: &Control) -> Option<&'static str> {
    Some(match control.role {
        Role::Button => "button",
        Role::CheckBox => "checkbox",
        Role::RadioButton => "radio",
        Role::ComboBox => "combobox",
        Role::Slider => "slider",
        Role::SpinButton => "spinbutton",
        Role::TextInput | Role::MultilineTextInput => "textbox",
        Role::Link => "link",
        Role::MenuItem => "menuitem",
        Role::Splitter => "separator",
        Role::Image => "img",
        Role::Label => "text",
        Role::Group => "group",
        _ => return None,
    })
}

fn object(control: &Control, role: &str, zoom: f32) -> String {
    let Control { id, name, description, value, rect, .. } = control;
    let mut json = format!("{{\"id\":\"{id}\",\"role\":\"{role}\",\"name\":{}", quoted(name));
    for (field, text) in [("description", description), ("value", value)] {
        if !text.is_empty() {
            let _ = write!(json, ",\"{field}\":{}", quoted(text));
        }
    }
    if let Some(numbers) = control.number.filter(|numbers| numbers.iter().all(|n| n.is_finite())) {
        let _ = write!(json, ",\"number\":{numbers:?}");
    }
    if let Some(is_chosen) = control.is_chosen {
        let _ = write!(json, ",\"chosen\":{is_chosen}");
    }
    for (field, is_so) in [("disabled", control.is_disabled), ("focused", control.has_focus)] {
        if is_so {
            let _ = write!(json, ",\"{field}\":true");
        }
    }
    let place = [rect.min.x, rect.min.y, rect.width(), rect.height()].map(|v| (v * zoom).round());
    let _ = write!(json, ",\"place\":{place:?}}}");
    json
}

/// `text` as a JSON string.
fn quoted(text: &str) -> String {
    let mut json = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => json.extend(['\\', letter]),
            '\u{0}'..='\u{1f}' => drop(write!(json, "\\u{:04x}", u32::from(letter))),
            _ => json.push(letter),
        }
    }
    json + "\""
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_window::offscreen::Offscreen;

    #[test]
    fn a_document_has_the_controls_and_its_readers_turn_them() {
        let (mut screen, reader) = (Offscreen::default(), Reader::default());
        screen.context.add_plugin(reader.clone());
        let (mut tone, mut clicks) = (0.25, 0);
        let mut frame = || {
            let output = screen.frame((300.0, 200.0), 1.0, Vec::new(), |ui| {
                let label = ui.label("The \"tone\"");
                ui.add(egui::Slider::new(&mut tone, 0.0..=1.0)).labelled_by(label.id);
                clicks += i32::from(ui.button("Play\\").clicked());
            });
            output.drop_without_applying_deltas();
            (tone, clicks)
        };
        frame();
        frame();
        let tree = reader.tree(2.0);
        let find = |words: &str| {
            let end = tree.find(words).unwrap_or_else(|| panic!("{words}: {tree}"));
            let object = &tree[..end];
            object[object.rfind("\"id\":\"").unwrap() + 6..].split('"').next().unwrap().to_owned()
        };
        let slider = find("\"role\":\"slider\",\"name\":\"The \\\"tone\\\"\"");
        assert!(tree.contains("\"number\":[0.25, 0.0, 1.0]"), "{tree}");
        reader.set(&slider, 0.75);
        reader.click(&find("\"role\":\"button\",\"name\":\"Play\\\\\""));
        assert_eq!(frame(), (0.75, 1));
        reader.focus(&slider);
        frame();
        frame();
        assert!(reader.tree(1.0).contains("\"focused\":true"));
        // What is no number of a control changes nothing.
        reader.click("none");
        assert_eq!(frame(), (0.75, 1));
    }
}
