//! Tests that operate the window as a user does: controls are found by their labels.

mod bar;
mod faces;
mod hands;
mod lesson;
#[cfg(unix)]
mod motorized;
mod moving;
mod names;
mod overlap;
mod piano;
mod pointer;
mod presets;
mod tasks;
mod touches;
mod undo;

use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::*;
use crate::state::controls::DetachedControls;
use touchback_action::ActionKind;
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::host::params::{Parameter, ValueKind, all, find};

/// A window with controls and events.
#[derive(Default)]
struct TestWindow {
    window: Window,
    connection: DetachedControls,
    play: Vec<Event>,
}

fn harness(size: (f32, f32)) -> Harness<'static, TestWindow> {
    let mut bench = TestWindow::default();
    // Without the own pianos of the user who runs the tests.
    bench.window.presets = panel::presets::PresetsPanel::on(None);
    bench.window.face = Face::Action;
    let mut harness = Harness::builder().with_size(egui::vec2(size.0, size.1)).build_ui_state(
        |ui, bench: &mut TestWindow| bench.window.ui(ui, &mut bench.connection, &mut bench.play),
        bench,
    );
    harness.run_steps(3);
    harness
}

fn tall() -> Harness<'static, TestWindow> {
    harness((1180.0, 2600.0))
}

/// Opens the face called `name`, by its tab and, in the workshop, its page.
fn open(harness: &mut Harness<'static, TestWindow>, name: &str) {
    let face = Face::ALL.into_iter().find(|face| face.name() == name).unwrap();
    // After a change of the layout.
    harness.run_steps(2);
    if harness.state().window.face.tab() != face.tab() {
        harness.get_by_role_and_label(Role::Button, tab(face)).click();
        harness.run_steps(3);
    }
    if harness.state().window.face != face {
        harness.get_by_role_and_label(Role::Button, name).click();
        harness.run_steps(3);
    }
    assert_eq!(harness.state().window.face, face);
}

/// Name of the tab of `face`.
fn tab(face: Face) -> &'static str {
    Face::TABS.iter().find(|(of, ..)| *of == face.tab()).unwrap().1
}

fn parameter(id: &str) -> &'static Parameter {
    find(id).unwrap()
}

#[test]
fn every_parameter_has_a_control_with_its_name() {
    let mut harness = tall();
    let mut seen = 0;
    // The piano's face has controls that move several parameters, and some of the parameters once more.
    for face in Face::ALL.into_iter().filter(|face| *face != Face::Piano) {
        open(&mut harness, face.name());
        for parameter in all() {
            let role = match parameter.kind {
                ValueKind::Number { .. } => Role::Slider,
                ValueKind::Choice(_) => Role::ComboBox,
            };
            seen += harness.query_all_by_role_and_label(role, parameter.name).count();
        }
    }
    assert_eq!(seen, all().len());
}

#[test]
fn a_typed_value_is_one_gesture_and_reset_undoes_it() {
    let mut harness = tall();
    harness.get_by_role_and_label(Role::SpinButton, "Blow distance").click();
    harness.run_steps(2);
    harness.event(egui::Event::Text("44.5 mm".to_owned()));
    harness.run_steps(1);
    harness.key_press(egui::Key::Enter);
    harness.run_steps(3);
    assert_eq!(harness.state().connection.value(parameter("blow_mm")), 44.5);
    assert!(harness.state().connection.held.is_empty());
    harness.get_by_label("Reset Blow distance").click();
    harness.run_steps(3);
    assert_eq!(harness.state().connection.value(parameter("blow_mm")), 47.0);
    assert!(harness.query_by_label("Reset Blow distance").is_none());
}

#[test]
fn a_double_click_on_a_name_starts_typing() {
    let mut harness = tall();
    let at = harness.get_by_role_and_label(Role::Label, "Blow distance").rect().center();
    harness.hover_at(at);
    harness.run_steps(2);
    // In one frame, because the harness advances 0.25 s with every event.
    for pressed in [true, false, true, false] {
        harness.input_mut().events.push(egui::Event::PointerButton {
            pos: at,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: egui::Modifiers::NONE,
        });
    }
    harness.run_steps(2);
    harness.event(egui::Event::Text("45".to_owned()));
    harness.run_steps(1);
    harness.key_press(egui::Key::Enter);
    harness.run_steps(3);
    assert_eq!(harness.state().connection.value(parameter("blow_mm")), 45.0);
}

#[test]
fn a_dragged_slider_begins_and_ends() {
    let mut harness = tall();
    let rect = harness.get_by_role_and_label(Role::Slider, "Key dip").rect();
    harness.drag_at(rect.center());
    harness.run_steps(2);
    assert_eq!(harness.state().connection.held, ["key_dip_mm"]);
    harness.hover_at(rect.right_center());
    harness.run_steps(2);
    harness.drop_at(rect.right_center());
    harness.run_steps(2);
    let bench = harness.state();
    assert!(bench.connection.held.is_empty());
    assert!(bench.connection.value(parameter("key_dip_mm")) > 11.5);
}

#[test]
fn a_screw_turned_upward_sets_the_let_off_and_warns() {
    let mut harness = harness((1180.0, 760.0));
    let at = harness.get_by_label("Turn Let-off").rect().center();
    harness.drag_at(at);
    harness.run_steps(1);
    for step in 1..=5u8 {
        harness.hover_at(at - egui::vec2(0.0, 20.0 * f32::from(step)));
        harness.run_steps(1);
    }
    harness.drop_at(at - egui::vec2(0.0, 100.0));
    harness.run_steps(3);
    let value = harness.state().connection.value(parameter("let_off_mm"));
    assert!(value > 3.2, "{value}");
    assert!(harness.state().connection.held.is_empty());
    assert!(harness.query_by_label_contains("Early let-off").is_some());
}

#[test]
fn a_tried_press_runs_slowly_and_follows_the_screws() {
    let mut harness = harness((1180.0, 760.0));
    harness.get_by_label("Try a press").click();
    harness.run_steps(2);
    let speed = |h: &Harness<TestWindow>| {
        let stroke = h.state().window.memory.last.as_ref()?;
        stroke.strike().map(|row| row.view.hammer_speed)
    };
    let as_usual = speed(&harness).unwrap();
    assert!((as_usual / 1.5 - 1.0).abs() < 0.1, "{as_usual}");
    let begin = harness.state().window.transport.time;
    harness.run_steps(20);
    assert!(harness.state().window.transport.time > begin);
    harness.get_by_label("Pause").click();
    harness.run_steps(2);
    let stands = harness.state().window.transport.time;
    harness.run_steps(5);
    assert_eq!(harness.state().window.transport.time, stands);
    // A hammer let off 8 mm below its string loses a tenth of its speed on the rest of its way.
    harness.state_mut().connection.put(parameter("let_off_mm"), 8.0);
    harness.run_steps(2);
    assert!(speed(&harness).unwrap() < 0.98 * as_usual);
    harness.get_by_label("Live").click();
    harness.run_steps(2);
    assert!(harness.state().window.transport.is_live);
}

#[test]
fn the_strip_plays_by_mouse_and_by_enter() {
    let mut harness = harness((1180.0, 760.0));
    let rect = harness.get_by_label("Piano keys").rect();
    let at = rect.left_bottom() + egui::vec2(3.0, -4.0);
    harness.drag_at(at);
    harness.run_steps(2);
    harness.drop_at(at);
    harness.run_steps(2);
    let low = KeyNumber::from_index(0).unwrap();
    let played = std::mem::take(&mut harness.state_mut().play);
    assert!(
        matches!(played[..], [Event::NoteOn { key, velocity }, Event::NoteOff { key: off, .. }]
            if key == low && off == low && velocity > 0.9),
        "{played:?}"
    );
    // The strip has the focus now: one key to the right, then Enter.
    harness.key_press(egui::Key::ArrowRight);
    harness.run_steps(2);
    harness.key_down(egui::Key::Enter);
    harness.run_steps(2);
    harness.key_up(egui::Key::Enter);
    harness.run_steps(2);
    let played = &harness.state().play;
    assert!(
        matches!(played[..], [Event::NoteOn { key, .. }, Event::NoteOff { key: off, .. }]
            if key.index() == 1 && off == key),
        "{played:?}"
    );
}

#[test]
fn pedal_panic_compare_and_appearance_work() {
    let mut harness = tall();
    harness.get_by_label("Sustain pedal").click();
    harness.run_steps(2);
    assert_eq!(harness.state().play, [Event::Sustain(1.0)]);
    open(&mut harness, "Settings");
    harness.state_mut().play.clear();
    harness.get_by_label("Panic: stop everything").click();
    harness.run_steps(2);
    let stopped = &harness.state().play;
    assert_eq!((stopped[0], stopped.last()), (Event::Sustain(0.0), Some(&Event::AllSoundOff)));
    assert!(stopped.contains(&Event::UnaCorda(0.0)) && stopped.contains(&Event::Bend(0.0)));

    harness.get_by_label("Copy A to B").click();
    harness.run_steps(2);
    harness.state_mut().connection.put(parameter("friction"), 2.0);
    harness.get_by_label("Play with the settings B").click();
    harness.run_steps(2);
    assert_eq!(harness.state().connection.value(parameter("friction")), 1.0);
    harness.get_by_label("Play with the settings A").click();
    harness.run_steps(2);
    assert_eq!(harness.state().connection.value(parameter("friction")), 2.0);

    harness.get_by_label("Help").click();
    harness.run_steps(2);
    harness.get_by_label("Dark").click();
    harness.run_steps(2);
    assert_eq!(harness.state().window.appearance.theme, egui::ThemePreference::Dark);
    harness.key_press(egui::Key::Escape);
    harness.run_steps(2);
    harness.get_by_role_and_label(Role::ComboBox, "Zoom").click();
    harness.run_steps(2);
    harness.get_by_label("150 %").click();
    harness.run_steps(2);
    assert!((harness.state().window.appearance.zoom - 1.5).abs() < 1e-6);
}

#[test]
fn a_pressed_pedal_sets_its_range() {
    let mut harness = tall();
    open(&mut harness, "Settings");
    harness.get_by_label("Learn this pedal").click();
    harness.run_steps(2);
    for value in [12, 60, 112, 70, 12] {
        let message = TimedMessage { time: 0.0, bytes: [0xb0, 64, value] };
        harness.state_mut().window.messages().push(message);
        harness.run_steps(1);
    }
    assert!(harness.query_by_label("Seen so far: 12 to 112 of 127").is_some());
    harness.get_by_label("Take this range").click();
    harness.run_steps(2);
    let [from, to] =
        ["pedal_from", "pedal_to"].map(|id| harness.state().connection.value(parameter(id)));
    // A margin of 3 % of the range remains at either end.
    assert!((from - 11.8).abs() < 0.05 && (to - 85.8).abs() < 0.05, "{from} {to}");
    assert!(harness.query_by_label("Learn this pedal").is_some());
}

#[test]
fn tools_transpose_and_request_the_performance() {
    let mut harness = tall();
    open(&mut harness, "Settings");
    for (label, value) in [("Octave down", -12.0), ("Semitone up", -11.0), ("Octave up", 1.0)] {
        harness.get_by_label(label).click();
        harness.run_steps(2);
        assert_eq!(harness.state().connection.value(parameter("transpose")), value);
    }
    harness.get_by_label("Save what was played as MIDI").click();
    harness.run_steps(2);
    let window = &mut harness.state_mut().window;
    assert!(window.wants_performance() && !window.wants_performance());
    assert!(harness.query_by_label("CPU").is_some());
}

#[test]
fn scope_choices_and_a_kept_stroke_show() {
    let mut harness = harness((1180.0, 760.0));
    harness.get_by_label("Try a press").click();
    harness.run_steps(2);
    harness.get_by_label("Pause").click();
    harness.get_by_label("Force over depth").click();
    harness.run_steps(2);
    assert!(harness.state().window.scope.over_depth);
    harness.get_by_label("Quantities").click();
    harness.run_steps(2);
    harness.get_by_label("Key on hammer (N)").click();
    harness.run_steps(2);
    assert!(harness.state().window.scope.shown[5]);
    harness.key_press(egui::Key::Escape);
    harness.run_steps(4);
    assert!(harness.query_by_label("Key on hammer (N)").is_none());
    harness.get_by_role_and_label(Role::Button, "Stroke").click();
    harness.run_steps(3);
    harness.get_by_label("Keep this stroke to compare").click();
    harness.run_steps(2);
    assert!(harness.state().window.memory.kept.is_some());
}
