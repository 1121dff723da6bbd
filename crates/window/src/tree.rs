//! The controls of a frame by their names, read from egui's accessibility tree: for scripted walks and for a page
//! in a browser, which hands them to screen readers.

use std::collections::HashMap;

use egui::accesskit::{Node, NodeId, Role, Toggled, TreeUpdate};
use egui::{Rect, pos2};

use touchback_core::math::cast::single;

/// A control or text.
#[derive(Clone, PartialEq, Debug)]
pub struct Control {
    /// Its number in the tree, for requests of readers.
    pub id: u64,
    /// Its role.
    pub role: Role,
    /// Its name: its own, or that of the text that labels it; of a text its words.
    pub name: String,
    /// Its description; may be empty.
    pub description: String,
    /// Its value in words; may be empty.
    pub value: String,
    /// Value and range of a slider or number.
    pub number: Option<[f64; 3]>,
    /// Whether it is chosen, of controls that can be.
    pub is_chosen: Option<bool>,
    /// Whether it cannot be used at present.
    pub is_disabled: bool,
    /// Whether it has the focus.
    pub has_focus: bool,
    /// Its place, points.
    pub rect: Rect,
}

/// The named controls and texts of `update`, a whole tree, in reading order.
#[must_use]
pub fn controls(update: &TreeUpdate) -> Vec<Control> {
    let nodes: HashMap<NodeId, &Node> = update.nodes.iter().map(|(id, node)| (*id, node)).collect();
    let mut found = Vec::new();
    // Last in, first out: the first child comes first.
    let mut waiting: Vec<NodeId> = update.tree.iter().map(|tree| tree.root).collect();
    while let Some(id) = waiting.pop() {
        let Some(node) = nodes.get(&id) else { continue };
        waiting.extend(node.children().iter().rev());
        let name = name(node, &nodes);
        let Some(place) = node.bounds().filter(|_| !name.is_empty() && !node.is_hidden()) else {
            continue;
        };
        let corner = |x: f64, y: f64| pos2(single(x), single(y));
        let value = node.value().filter(|_| node.role() != Role::Label).unwrap_or_default();
        found.push(Control {
            id: id.0,
            role: node.role(),
            name,
            description: node.description().unwrap_or_default().to_owned(),
            value: value.to_owned(),
            number: node.numeric_value().map(|value| {
                let bound = |bound: Option<f64>| bound.unwrap_or(value);
                [value, bound(node.min_numeric_value()), bound(node.max_numeric_value())]
            }),
            is_chosen: node.toggled().map(|toggled| toggled == Toggled::True),
            is_disabled: node.is_disabled(),
            has_focus: id == update.focus,
            rect: Rect::from_min_max(corner(place.x0, place.y0), corner(place.x1, place.y1)),
        });
    }
    found
}

/// The name of `node`, with which readers announce it.
fn name(node: &Node, nodes: &HashMap<NodeId, &Node>) -> String {
    let of = |node: &Node| match node.role() {
        Role::Label => node.value().or(node.label()).map(str::to_owned),
        _ => node.label().map(str::to_owned),
    };
    let labels = node.labelled_by().iter().filter_map(|id| of(nodes.get(id)?));
    of(node).unwrap_or_else(|| labels.collect::<Vec<_>>().join(" ")).trim().to_owned()
}
