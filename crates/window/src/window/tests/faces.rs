//! Tests of each face's contents, at the usual and the smallest size.

use super::hands::wait;
use super::*;

const ALL_SIZES: [(f32, f32); 2] =
    [crate::state::window_state::USUAL, crate::state::window_state::SMALLEST];

fn show(harness: &mut Harness<'static, TestWindow>, face: Face) {
    open(harness, face.name());
}

#[test]
fn a_new_window_opens_on_the_piano() {
    assert_eq!(Window::default().face, Face::Piano);
}

#[test]
fn every_regulation_control_is_visible_at_the_usual_size() {
    let harness = harness(crate::state::window_state::USUAL);
    let strip = harness.get_by_label("Piano keys").rect();
    let groups = [
        touchback_instrument::host::params::ParameterGroup::Regulation,
        touchback_instrument::host::params::ParameterGroup::Action,
    ];
    for parameter in all().filter(|p| {
        groups.contains(&p.group) && p.choices().is_empty() && !p.id.starts_with("unevenness")
    }) {
        let rect = harness.get_by_role_and_label(Role::Slider, parameter.name).rect();
        assert!(rect.bottom() < strip.top() - 60.0, "{}: {rect:?}", parameter.name);
    }
}

#[test]
fn every_control_is_visible_at_the_usual_size() {
    let mut harness = harness(crate::state::window_state::USUAL);
    let strip = harness.get_by_label("Piano keys").rect();
    for (face, label) in [
        (Face::Piano, "Limiter"),
        (Face::Piano, "Calibrate this keyboard"),
        (Face::Voice, "Load"),
        (Face::Voice, "Output guard"),
        (Face::Touch, "Key pressure"),
        (Face::Touch, "Calibrate this keyboard"),
        (Face::Settings, "Save what was played as MIDI"),
        (Face::Settings, "Bend range"),
    ] {
        show(&mut harness, face);
        let rect = harness.get_all_by_label(label).next().unwrap().rect();
        assert!(rect.bottom() < strip.top(), "{label}: {rect:?} {strip:?}");
    }
    show(&mut harness, Face::Keys);
    wait(&mut harness);
    let rect = harness.get_by_role_and_label(Role::SpinButton, "Uneven piano").rect();
    assert!(rect.bottom() < strip.top() - 2.0, "{rect:?} {strip:?}");
}

#[test]
fn the_smallest_window_shows_the_bar_and_the_keys_of_every_face() {
    let (width, height) = crate::state::window_state::SMALLEST;
    let mut harness = harness((width, height));
    let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(width, height));
    for label in ["Live", "Try a press", "Quantities", "Stroke"] {
        let rect = harness.get_by_label(label).rect();
        assert!(screen.contains_rect(rect), "{label}: {rect:?}");
    }
    harness.state_mut().window.snapshot.counts.silent_presses = 1234;
    for face in Face::ALL {
        show(&mut harness, face);
        for label in ["Piano keys", "Sustain pedal", "Help", "Undo", "Output meter", "CPU", "Zoom"]
        {
            let rect = harness.get_by_label(label).rect();
            assert!(screen.contains_rect(rect), "{face:?} {label}: {rect:?}");
        }
    }
}

#[test]
fn a_haptic_wall_and_load_are_drawn_on_the_device_face() {
    use touchback_haptics::action::Action;
    use touchback_haptics::connection::{Choice, KeyboardConnection};
    for (action, is_drawn) in [(Action::Wall, true), (Action::Bench, true), (Action::GRAND, false)]
    {
        let connection = std::sync::Arc::new(KeyboardConnection::default());
        connection.choose(Choice { action, ..Choice::default() });
        let mut harness = harness(crate::state::window_state::USUAL);
        harness.state_mut().window.keyboard.connection = Some(connection);
        show(&mut harness, Face::Keyboard);
        let name = format!("Picture of the {}: first key 0.00 mm deep, +0.00 N", action.name());
        let picture = harness.query_by_label(&name).map(|node| node.rect());
        assert_eq!(picture.is_some_and(|r| r.width() > 400.0 && r.height() > 150.0), is_drawn);
    }
}

#[test]
fn the_bench_is_beside_the_curve_in_the_smallest_window() {
    let mut harness = harness(crate::state::window_state::SMALLEST);
    show(&mut harness, Face::Keys);
    let curve = harness.get_by_label("Let-off of the 88 keys").rect();
    let (width, _) = crate::state::window_state::SMALLEST;
    for label in ["Down weight", "Keep as before", "Save sheet of 88 keys"] {
        let rect = harness.get_by_label(label).rect();
        assert!(
            rect.left() >= curve.right() && rect.right() <= width,
            "{label}: {rect:?} {curve:?}"
        );
    }
}

/// A parameter's name, slider and number are beside one another, with space between them.
#[test]
fn names_sliders_and_numbers_do_not_overlap() {
    for size in ALL_SIZES {
        for face in Face::ALL {
            let mut harness = harness(size);
            show(&mut harness, face);
            for parameter in all() {
                let find = |role| {
                    let found = harness.query_all_by_role_and_label(role, parameter.name);
                    found.map(|node| node.rect()).collect::<Vec<_>>()
                };
                let [names, sliders, numbers] =
                    [Role::Label, Role::Slider, Role::SpinButton].map(find);
                for ((name, slider), number) in names.iter().zip(&sliders).zip(&numbers) {
                    let gaps = [slider.left() - name.right(), number.left() - slider.right()];
                    assert!(
                        gaps.iter().all(|gap| *gap > 3.0),
                        "{} at {size:?}: {name:?} {slider:?} {number:?}",
                        parameter.name
                    );
                }
            }
        }
    }
}

/// Every list that is longer than the smallest window shows its whole scroll bar.
#[test]
fn lists_show_their_scroll_bars_in_the_smallest_window() {
    let size = crate::state::window_state::SMALLEST;
    for face in Face::ALL.into_iter().filter(|face| *face != Face::Keyboard) {
        let mut harness = harness(size);
        show(&mut harness, face);
        // An item wider than its list would push the scroll bar out of the window.
        let widest = harness.ctx.viewport(|seen| {
            let rects = seen.prev_pass.widgets.layers().flat_map(|(_, rects)| rects);
            rects.map(|widget| widget.rect.right()).fold(0.0, f32::max)
        });
        assert!(widest <= size.0 + 0.5, "{face:?}: {widest}");
    }
}

/// No item is wider than its list, which would push the scroll bar out of the window.
#[test]
fn no_item_is_wider_than_its_list_in_the_smallest_window() {
    /// Right end of the first of the player's two columns.
    const COLUMN: f64 = 351.5;
    let size = crate::state::window_state::SMALLEST;
    for face in Face::ALL {
        let mut harness = harness(size);
        show(&mut harness, face);
        let face_of = 40.0..f64::from(harness.get_by_label("Piano keys").rect().top());
        for node in harness.query_all(egui_kittest::kittest::by()) {
            let node = node.accesskit_node();
            let Some(bounds) = node.bounding_box() else { continue };
            // The window's margin, and on a face the scroll bar.
            let margin = if face_of.contains(&bounds.y0) { 18.0 } else { 8.0 };
            let mut right = f64::from(size.0) - margin + 0.5;
            // An item wider than its column widens all columns.
            let is_in_columns = matches!(face, Face::Voice | Face::Touch | Face::Settings);
            if is_in_columns && margin > 8.0 && bounds.x0 < COLUMN {
                // The touch has no scroll bar at this size.
                right = if face == Face::Touch { COLUMN + 5.0 } else { COLUMN };
            }
            let is_inside = bounds.x0 >= 0.0 && bounds.x1 <= right;
            let is_root = node.role() == Role::Window || node.label().is_none();
            let (role, label) = (node.role(), node.label());
            assert!(is_inside || is_root, "{face:?} {role:?} {label:?}: {bounds:?}");
        }
    }
}

/// Texts and buttons of the bar do not overlap.
#[test]
fn items_of_the_bar_do_not_overlap() {
    for size in ALL_SIZES {
        let mut harness = harness(size);
        harness.state_mut().window.snapshot.counts.silent_presses = 7;
        harness.run_steps(3);
        let names = [
            "Previous piano",
            "Piano: Concert, as loaded",
            "Next piano",
            "Save",
            "Undo",
            "Redo",
            "Play with the settings A",
            "Play with the settings B",
            "Copy A to B",
            "Piano",
            "Voice",
            "Touch",
            "Workshop",
            "Keyboard",
            "Settings",
            "7 notes did not sound",
            "Output meter",
            "CPU",
            "Zoom",
            "Help",
        ];
        let rects: Vec<egui::Rect> = names
            .iter()
            .map(|name| {
                let all = harness.get_all_by_label(name);
                all.map(|node| node.rect()).min_by(|a, b| a.top().total_cmp(&b.top())).unwrap()
            })
            .collect();
        for (i, a) in rects.iter().enumerate() {
            for (j, b) in rects.iter().enumerate().skip(i + 1) {
                let both = a.shrink(0.5).intersect(b.shrink(0.5));
                assert!(!both.is_positive(), "{size:?}: {} on {}: {a:?} {b:?}", names[i], names[j]);
            }
        }
    }
}

#[test]
fn a_window_without_changes_requests_no_frame() {
    for face in Face::ALL.into_iter().filter(|face| *face != Face::Keyboard) {
        let presets = panel::presets::PresetsPanel::on(None);
        let mut window = Window { presets, face, ..Window::default() };
        let mut connection = DetachedControls::default();
        let mut play = Vec::new();
        let mut screen = crate::offscreen::Offscreen::default();
        window.apply_theme(&screen.context);
        let mut frame = || {
            let output = screen.frame((1180.0, 760.0), 1.0, Vec::new(), |ui| {
                window.ui(ui, &mut connection, &mut play);
            });
            let delay = output.viewport_output[&egui::ViewportId::ROOT].repaint_delay;
            egui::FullOutput::drop_without_applying_deltas(output);
            delay
        };
        // Panels open and a key is measured; afterwards nothing is left to do.
        let begin = std::time::Instant::now();
        let mut quiet = 0;
        while quiet < 30 {
            quiet = if frame() == std::time::Duration::MAX { quiet + 1 } else { 0 };
            assert!(begin.elapsed().as_secs() < 60, "{face:?} never rests");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let requests = (0..120).filter(|_| frame() != std::time::Duration::MAX).count();
        assert_eq!(requests, 0, "{face:?}");
    }
}

#[test]
fn single_keys_are_drawn_undone_typed_and_made_even() {
    let mut harness = harness(crate::state::window_state::USUAL);
    show(&mut harness, Face::Keys);
    let rect = harness.get_by_label("Let-off of the 88 keys").rect();
    let at = rect.center();
    harness.drag_at(at);
    harness.run_steps(2);
    for step in 1..=3u8 {
        harness.hover_at(at - egui::vec2(0.0, 8.0 * f32::from(step)));
        harness.run_steps(2);
    }
    harness.drop_at(at - egui::vec2(0.0, 24.0));
    harness.run_steps(3);
    let sheet =
        |harness: &Harness<'static, TestWindow>| harness.state().connection.settings.key_sheet();
    let key = harness.state().window.strip.chosen;
    let raised = sheet(&harness).action.get(key, 0);
    assert!(raised > 0.2, "{raised}");
    let others = KeyNumber::all().filter(|k| sheet(&harness).action.get(*k, 0) != 0.0).count();
    assert_eq!(others, 1);
    harness.get_by_label("Undo").click();
    harness.run_steps(3);
    assert!(sheet(&harness).is_even());
    harness.get_by_label("Redo").click();
    harness.run_steps(3);
    assert_eq!(sheet(&harness).action.get(key, 0), raised);
    // The chosen key's number moves the whole section.
    harness.get_by_label("Section").click();
    harness.run_steps(2);
    let name = crate::views::keyboard::name(key);
    harness.get_by_role_and_label(Role::SpinButton, &name).click();
    harness.run_steps(2);
    harness.event(egui::Event::Text("1".to_owned()));
    harness.run_steps(1);
    harness.key_press(egui::Key::Enter);
    harness.run_steps(3);
    let section = KeyNumber::all().filter(|k| sheet(&harness).action.get(*k, 0) != 0.0).count();
    assert_eq!((sheet(&harness).action.get(key, 0), section), (1.0, 29));
    harness.get_by_label("All even").click();
    harness.run_steps(3);
    assert!(sheet(&harness).is_even());
    assert!(harness.query_by_label("Down weight").is_some());
}

#[test]
fn parameters_without_effect_are_explained() {
    let mut harness = tall();
    harness.state_mut().connection.settings.action.action = ActionKind::Viennese;
    harness.run_steps(3);
    assert!(harness.query_by_label_contains("Faint controls").is_some());
    let at = harness.get_by_role_and_label(Role::Slider, "Let-off").rect().center();
    harness.hover_at(at);
    harness.run_steps(60);
    assert!(harness.query_by_label_contains("only the grand uses this one").is_some());
}

#[test]
fn a_sheet_of_keys_is_found_read_and_undone() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("mine.csv"), "key,drop_mm,measured_dip_mm\n7,1,9.9\n").unwrap();
    std::fs::write(dir.path().join("bad.csv"), "key,drop_mm\n89,1\n").unwrap();
    let mut harness = harness((1180.0, 1600.0));
    show(&mut harness, Face::Keys);
    let wait = |harness: &mut Harness<'static, TestWindow>| {
        harness.run_steps(2);
        while harness.state().window.is_reading() {
            std::thread::sleep(std::time::Duration::from_millis(1));
            harness.run_steps(1);
        }
        harness.run_steps(2);
    };
    let path = format!("{}/", dir.path().display());
    harness.get_by_role_and_label(Role::TextInput, "File").click();
    harness.run_steps(2);
    harness.event(egui::Event::Text(path));
    harness.run_steps(2);
    let pick = |harness: &mut Harness<'static, TestWindow>, name: &str| {
        harness.get_by_label("Browse for File").click();
        wait(harness);
        harness.get_by_label(name).click();
        harness.run_steps(3);
        harness.get_by_label("Read this sheet").click();
        wait(harness);
    };
    pick(&mut harness, "mine.csv");
    let keys =
        |harness: &Harness<'static, TestWindow>| harness.state().connection.settings.key_sheet();
    assert_eq!(keys(&harness).text(), "key,drop_mm\n7,1\n");
    assert!(harness.query_by_label_contains("Read /").is_some());
    // An invalid sheet shows the reason and changes nothing.
    pick(&mut harness, "bad.csv");
    assert!(harness.query_by_label_contains("bad.csv: line 2: `89` is no key").is_some());
    assert_eq!(keys(&harness).text(), "key,drop_mm\n7,1\n");
    harness.get_by_label("Undo").click();
    harness.run_steps(3);
    assert!(keys(&harness).is_even());
}

#[test]
fn a_keys_repetition_is_tried_and_reported() {
    let mut harness = harness((1180.0, 1600.0));
    show(&mut harness, Face::Keys);
    harness.get_by_label("Try repetition").click();
    harness.run_steps(2);
    while harness.state().window.is_reading() {
        std::thread::sleep(std::time::Duration::from_millis(5));
        harness.run_steps(1);
    }
    harness.run_steps(2);
    let result = harness.get_by_label_contains("C4, 12 strokes at 8 a second: ");
    assert!(result.rect().is_positive());
    assert!(harness.query_by_label_contains("Every stroke sounds once up to ").is_some());
}
