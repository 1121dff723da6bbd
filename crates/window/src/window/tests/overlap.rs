//! No text lies on another or is cut, and no two controls share a place, at nine sizes of the screen and three
//! sizes of text, on every face.

use std::collections::HashMap;
use std::sync::Arc;

use egui::accesskit::Node;
use egui::epaint::{ClippedShape, Shape};
use egui::{Rect, WidgetRect};

use super::*;
use crate::offscreen::Offscreen;

/// Screens, points: telephones upright and across, a tablet, small and usual windows, a large one.
const SCREENS: [(f32, f32); 9] = [
    (390.0, 844.0),
    (844.0, 390.0),
    (768.0, 1024.0),
    (320.0, 480.0),
    (480.0, 320.0),
    (360.0, 640.0),
    (720.0, 480.0),
    (1180.0, 760.0),
    (1920.0, 1080.0),
];
/// Sizes of text.
const ZOOMS: [f32; 3] = [1.0, 1.5, 2.0];
/// Beginnings of the names of handles, which lie on the pictures that they belong to.
const IN_PICTURES: [&str; 4] = ["Turn ", "Play the drawn key", "Drag the ", "Bend the "];
/// Overlaps of less than this are rounded corners and line spacing, points.
const LEAST: f32 = 1.5;

/// The visible parts of all texts of a frame with their words, and whether each is cut at a side.
fn texts(shapes: &[ClippedShape]) -> Vec<(Rect, String, bool)> {
    fn collect(shape: &Shape, clip: Rect, found: &mut Vec<(Rect, String, bool)>) {
        match shape {
            Shape::Vec(shapes) => shapes.iter().for_each(|shape| collect(shape, clip, found)),
            Shape::Text(text) if text.angle == 0.0 => {
                for row in &text.galley.rows {
                    // Without the indentation of a label that begins within a line.
                    let mut glyphs = row.glyphs.iter().filter(|glyph| !glyph.chr.is_whitespace());
                    let Some(first) = glyphs.next() else { continue };
                    let last = glyphs.next_back().unwrap_or(first);
                    let x = row.pos.x + first.pos.x..=row.pos.x + last.pos.x + last.advance_width;
                    let y = row.rect().y_range().shrink(1.0);
                    let whole = Rect::from_x_y_ranges(x, y).translate(text.pos.to_vec2());
                    let seen = whole.intersect(clip);
                    let is_cut = seen.height() > LEAST && seen.width() + LEAST < whole.width();
                    if seen.is_positive() {
                        found.push((seen, row.text(), is_cut));
                    }
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    for clipped in shapes {
        collect(&clipped.shape, clipped.clip_rect, &mut found);
    }
    found
}

fn overlaps(one: Rect, other: Rect) -> bool {
    let both = one.intersect(other);
    both.width() > LEAST && both.height() > LEAST
}

/// Whether one of two controls is a ground for the other: a picture with its screws, a plot with its handles.
fn is_ground(one: Rect, other: Rect) -> bool {
    let (large, small) = if one.area() > other.area() { (one, other) } else { (other, one) };
    large.expand(LEAST).contains_rect(small) && small.area() < 0.3 * large.area()
}

/// The visible controls of the last frame of `screen`, with their layers and names.
fn controls(screen: &Offscreen, nodes: &HashMap<u64, Node>) -> Vec<(WidgetRect, String)> {
    screen.context.viewport(|seen| {
        let all = seen.prev_pass.widgets.layers().flat_map(|(_, rects)| rects.iter().copied());
        let shown = all.filter(|w| w.sense.interactive() && w.interact_rect.is_positive());
        let named = shown.filter_map(|w| {
            let node = nodes.get(&w.id.value())?;
            let label = node.label().unwrap_or_default();
            let is_own =
                node.role() != Role::Label && !IN_PICTURES.iter().any(|p| label.starts_with(p));
            is_own.then(|| (w, format!("{:?} {label}", node.role())))
        });
        named.collect()
    })
}

/// What is wrong in the last frame of `screen`, whose `output` it is.
fn faults(screen: &Offscreen, mut output: egui::FullOutput) -> (usize, Vec<String>) {
    let texts = texts(&std::mem::take(&mut output.shapes));
    let nodes = output.platform_output.accesskit_update.take().map(|update| update.nodes);
    output.drop_without_applying_deltas();
    let nodes = nodes.into_iter().flatten().map(|(id, node)| (id.0, node)).collect();
    let mut faults = Vec::new();
    for (index, (rect, words, is_cut)) in texts.iter().enumerate() {
        if *is_cut {
            faults.push(format!("{words:?} is cut"));
        }
        for (other, others, _) in &texts[index + 1..] {
            if overlaps(*rect, *other) {
                faults.push(format!("{words:?} lies on {others:?}"));
            }
        }
    }
    let controls = controls(screen, &nodes);
    for (index, (one, name)) in controls.iter().enumerate() {
        for (other, other_name) in &controls[index + 1..] {
            let (a, b) = (one.interact_rect, other.interact_rect);
            if one.layer_id == other.layer_id && overlaps(a, b) && !is_ground(a, b) {
                faults.push(format!("{name} {a} and {other_name} {b}"));
            }
        }
        for (rect, words, _) in &texts {
            let at = one.interact_rect;
            let is_inside = at.expand(LEAST).contains_rect(*rect) || rect.contains_rect(at);
            if overlaps(at, *rect) && !is_inside && is_button(at) {
                faults.push(format!("{words:?} {rect} crosses {name} {at}"));
            }
        }
    }
    (texts.len() + controls.len(), faults)
}

/// Whether a control is a button, a slider or a field: not a picture or a plot, on which texts may lie.
fn is_button(rect: Rect) -> bool {
    rect.height() < 48.0
}

#[test]
fn nothing_overlaps_at_any_size_of_screen_and_text() {
    let mut found = Vec::new();
    let mut seen = 0;
    for (width, height) in SCREENS {
        for zoom in ZOOMS {
            let size = (width / zoom, height / zoom);
            let mut screen = Offscreen::default();
            let mut bench = TestWindow::default();
            bench.window.presets = panel::presets::PresetsPanel::on(None);
            bench.window.keyboard.connection = Some(Arc::default());
            bench.window.apply_theme(&screen.context);
            screen.context.enable_accesskit();
            // The piano once more with all its controls, and as a page in a browser.
            let again = [(Face::Piano, true, false), (Face::Piano, false, true)];
            for (face, more, is_page) in
                Face::ALL.into_iter().map(|f| (f, false, false)).chain(again)
            {
                (bench.window.face, bench.window.has_more) = (face, more);
                bench.window.page = is_page.then(|| PageBar {
                    state: "Touch a key to start the sound.".to_owned(),
                    message:
                        "This link changes the piano Concert: Let-off 6.00 mm instead of 1.50 mm."
                            .to_owned(),
                    ..PageBar::default()
                });
                let mut frame = |screen: &mut Offscreen| {
                    screen.frame(size, 1.0, Vec::new(), |ui| {
                        bench.window.ui(ui, &mut bench.connection, &mut bench.play);
                    })
                };
                for _ in 0..3 {
                    frame(&mut screen).drop_without_applying_deltas();
                }
                let last = frame(&mut screen);
                let (count, faults) = faults(&screen, last);
                seen += count;
                let of = format!("{width} × {height} at {zoom}: {face:?}");
                found.extend(faults.into_iter().map(|fault| format!("{of}: {fault}")));
            }
        }
    }
    assert!(seen > 8000, "{seen} texts and controls");
    assert!(found.is_empty(), "{}\n{} in all", found.join("\n"), found.len());
}

#[test]
fn the_measure_finds_texts_and_buttons_on_one_another() {
    let mut screen = Offscreen::default();
    screen.context.enable_accesskit();
    let mut found = Vec::new();
    for _ in 0..3 {
        let output = screen.frame((200.0, 100.0), 1.0, Vec::new(), |ui| {
            for at in [10.0, 20.0] {
                let at = Rect::from_min_size(egui::pos2(at, 10.0), egui::vec2(80.0, 20.0));
                ui.put(at, egui::Button::new("Screw"));
            }
        });
        (_, found) = faults(&screen, output);
    }
    assert!(found.iter().any(|fault| fault.contains("lies on")), "{found:?}");
    assert!(found.iter().any(|fault| fault.contains(" and ")), "{found:?}");
}

/// The drawing stays, and the keys are as wide as a finger.
#[test]
fn a_telephone_shows_the_action_and_keys_for_fingers() {
    for size in [(390.0, 844.0), (844.0, 390.0), (320.0, 480.0)] {
        let mut harness = harness(size);
        for face in [Face::Piano, Face::Action] {
            harness.state_mut().window.face = face;
            harness.run_steps(3);
            let screw = harness.get_by_label("Turn Let-off").rect();
            assert!(screw.is_positive() && screw.max.y < size.1, "{size:?} {face:?} {screw:?}");
            let [keys, slide] = ["Piano keys", "Slide along the 88 keys"]
                .map(|name| harness.get_by_label(name).rect());
            assert!(keys.height() >= 56.0 && keys.width() >= 6.0 * 44.0, "{size:?} {keys:?}");
            assert!(
                keys.max.y <= size.1 && slide.max.y <= keys.min.y,
                "{size:?} {keys:?} {slide:?}"
            );
        }
    }
}
