//! Tests of the pointer's buttons.

use super::hands::{button, choose, open_menu, type_into};
use super::*;

#[test]
fn a_click_within_one_frame_sounds_and_ends() {
    let mut harness = harness((1180.0, 760.0));
    let rect = harness.get_by_label("Piano keys").rect();
    let at = rect.left_bottom() + egui::vec2(3.0, -4.0);
    harness.hover_at(at);
    harness.run_steps(2);
    for pressed in [true, false] {
        harness.input_mut().events.push(button(at, egui::PointerButton::Primary, pressed));
    }
    harness.run_steps(1);
    let played = &harness.state().play;
    assert!(matches!(played[..], [Event::NoteOn { key, .. }] if key.index() == 0), "{played:?}");
    harness.run_steps(1);
    let played = &harness.state().play;
    assert!(matches!(played[1..], [Event::NoteOff { key, .. }] if key.index() == 0), "{played:?}");
    harness.run_steps(3);
    assert_eq!(harness.state().play.len(), 2);
}

#[test]
fn other_buttons_move_no_slider() {
    let mut harness = tall();
    let rect = harness.get_by_role_and_label(Role::Slider, "Key dip").rect();
    let before = harness.state().connection.value(parameter("key_dip_mm"));
    for other in [egui::PointerButton::Secondary, egui::PointerButton::Middle] {
        harness.hover_at(rect.center());
        harness.run_steps(2);
        harness.event(button(rect.center(), other, true));
        harness.run_steps(2);
        assert!(harness.state().connection.held.is_empty(), "{other:?}");
        harness.hover_at(rect.right_center());
        harness.run_steps(2);
        harness.event(button(rect.right_center(), other, false));
        harness.run_steps(2);
        assert_eq!(harness.state().connection.value(parameter("key_dip_mm")), before, "{other:?}");
    }
    // The primary button does; another button during its drag leaves no gesture open.
    harness.drag_at(rect.center());
    harness.run_steps(2);
    assert_eq!(harness.state().connection.held, ["key_dip_mm"]);
    for pressed in [true, false] {
        harness.event(button(rect.center(), egui::PointerButton::Secondary, pressed));
        harness.run_steps(2);
    }
    harness.drop_at(rect.center());
    harness.run_steps(2);
    assert!(harness.state().connection.held.is_empty());
}

/// Values before and after a movement of the pointer over the slider *Key dip*.
fn turned(with: egui::Modifiers, end: impl Fn(&mut Harness<'static, TestWindow>)) -> [f64; 2] {
    let mut harness = tall();
    let dip = parameter("key_dip_mm");
    let at = harness.get_by_role_and_label(Role::Slider, "Key dip").rect().center();
    harness.hover_at(at);
    harness.run_steps(2);
    harness.drag_at(at);
    harness.run_steps(2);
    let before = harness.state().connection.value(dip);
    harness.event(egui::Event::ModifiersChanged(with));
    harness.run_steps(1);
    for step in 1..=4u8 {
        harness.hover_at(at + egui::vec2(5.0 * f32::from(step), 0.0));
        harness.run_steps(2);
    }
    end(&mut harness);
    harness.drop_at(at + egui::vec2(20.0, 0.0));
    harness.run_steps(3);
    assert!(harness.state().connection.held.is_empty());
    [before, harness.state().connection.value(dip)]
}

#[test]
fn shift_is_fine_and_escape_takes_a_drag_back() {
    let none = egui::Modifiers::NONE;
    let [from, to] = turned(none, |_| ());
    let coarse = to - from;
    assert!(coarse > 0.2, "{coarse}");
    let [from, to] = turned(egui::Modifiers::SHIFT, |_| ());
    assert!((to - from) / coarse < 0.25 && to > from, "{from} {to} {coarse}");
    let [_, to] = turned(none, |harness| {
        harness.key_press(egui::Key::Escape);
        harness.run_steps(2);
    });
    assert_eq!(to, parameter("key_dip_mm").default_value());
}

#[test]
fn a_drawn_screw_turns_a_tenth_as_far_with_shift() {
    let turned = |modifiers| {
        let mut harness = harness((1180.0, 760.0));
        let at = harness.get_by_label("Turn Let-off").rect().center();
        harness.hover_at(at);
        harness.run_steps(2);
        harness.drag_at(at);
        harness.run_steps(1);
        harness.event(egui::Event::ModifiersChanged(modifiers));
        harness.run_steps(1);
        // Each step alone is smaller than the number's shown resolution.
        for step in 1..=30u8 {
            harness.hover_at(at - egui::vec2(0.0, f32::from(step)));
            harness.run_steps(1);
        }
        harness.drop_at(at - egui::vec2(0.0, 30.0));
        harness.run_steps(2);
        let value = harness.state().connection.value(parameter("let_off_mm"));
        value - parameter("let_off_mm").default_value()
    };
    let coarse = turned(egui::Modifiers::NONE);
    let fine = turned(egui::Modifiers::SHIFT);
    assert!(coarse > 0.5 && (fine / coarse - 0.1).abs() < 0.03, "{fine} of {coarse}");
}

#[test]
fn the_wheel_turns_the_slider_under_the_pointer_as_one_edit() {
    let mut harness = tall();
    let dip = parameter("key_dip_mm");
    let at = harness.get_by_role_and_label(Role::Slider, "Key dip").rect().center();
    harness.hover_at(at);
    harness.run_steps(2);
    for _ in 0..3 {
        harness.event(egui::Event::MouseWheel {
            unit: egui::MouseWheelUnit::Line,
            source: egui::MouseWheelSource::Wheel,
            delta: egui::vec2(0.0, 1.0),
            phase: egui::TouchPhase::Move,
            modifiers: egui::Modifiers::NONE,
        });
        harness.run_steps(1);
    }
    let turned = harness.state().connection.value(dip) - dip.default_value();
    let range = dip.max() - dip.min();
    assert!((turned / range - 0.03).abs() < 0.005, "{turned}");
    harness.get_by_label("Undo").click();
    harness.run_steps(2);
    assert_eq!(harness.state().connection.value(dip), dip.default_value());
}

#[test]
fn a_controller_is_assigned_to_a_slider_and_removed() {
    let mut harness = tall();
    let blow = parameter("blow_mm");
    let at = harness.get_by_role_and_label(Role::Slider, "Blow distance").rect().center();
    let choose = |harness: &mut Harness<'static, TestWindow>, label: &str| {
        open_menu(harness, at);
        harness.get_by_label(label).click();
        harness.run_steps(3);
    };
    choose(&mut harness, "Learn a MIDI controller");
    assert_eq!(harness.state().connection.learning_parameter.map(|p| p.id), Some("blow_mm"));
    choose(&mut harness, "The host's menu");
    let (id, [x, y]) = harness.state().connection.host_menu.unwrap();
    assert!(id == "blow_mm" && x > 0 && y > 0, "{id} at {x}, {y}");
    choose(&mut harness, "Wait for no MIDI controller");
    assert!(harness.state().connection.learning_parameter.is_none());
    harness.state_mut().connection.midi.assign(21, blow).unwrap();
    choose(&mut harness, "Forget MIDI controller 21");
    assert!(harness.state().connection.midi.is_empty());
    // The list of controllers, among the MIDI settings.
    harness.state_mut().connection.midi.assign(22, blow).unwrap();
    harness.state_mut().connection.learning_parameter = Some(parameter("drop_mm"));
    open(&mut harness, "Settings");
    assert!(harness.query_by_label("Move the controller for Drop").is_some());
    harness.get_by_label("Cancel").click();
    harness.run_steps(3);
    harness.get_by_label("Forget controller 22").click();
    harness.run_steps(3);
    let connection = &harness.state().connection;
    assert!(connection.learning_parameter.is_none() && connection.midi.is_empty());
}

#[test]
fn the_secondary_button_opens_a_menu_and_invalid_text_shows_the_reason() {
    let mut harness = tall();
    let blow = parameter("blow_mm");
    harness.state_mut().connection.put(blow, 50.0);
    let at = harness.get_by_role_and_label(Role::Slider, "Blow distance").rect().center();
    open_menu(&mut harness, at);
    harness.get_by_label("Reset to 47.0 mm").click();
    harness.run_steps(3);
    assert_eq!(harness.state().connection.value(blow), 47.0);
    open_menu(&mut harness, at);
    harness.get_by_label("Type a value").click();
    harness.run_steps(3);
    harness.event(egui::Event::Text("4.5 cm".to_owned()));
    harness.run_steps(1);
    harness.key_press(egui::Key::Enter);
    harness.run_steps(3);
    assert_eq!(harness.state().connection.value(blow), 47.0);
    assert!(harness.query_by_label_contains("4.5 cm").is_some());
}

/// Drags the control called `label` by `by` with the modifiers `with`, then calls `end`; returns whether
/// anything has changed.
fn dragged(
    harness: &mut Harness<'static, TestWindow>,
    (role, label): (Role, &str),
    by: egui::Vec2,
    with: egui::PointerButton,
    escapes: bool,
) -> bool {
    let before = harness.state().connection.settings.clone();
    let at = harness.get_by_role_and_label(role, label).rect().center();
    harness.hover_at(at);
    harness.run_steps(2);
    harness.event(button(at, with, true));
    harness.run_steps(2);
    for step in 1..=4u8 {
        harness.hover_at(at + by * (f32::from(step) / 4.0));
        harness.run_steps(2);
    }
    if escapes {
        assert_ne!(harness.state().connection.settings, before, "{label} moves");
        harness.key_press(egui::Key::Escape);
        harness.run_steps(2);
        harness.hover_at(at + by * 1.5);
        harness.run_steps(2);
    }
    harness.event(button(at + by, with, false));
    harness.run_steps(3);
    assert!(harness.state().connection.held.is_empty(), "{label} is held");
    harness.state().connection.settings != before
}

/// Drawn handles and the curve of single keys follow the same rules as sliders.
#[test]
fn escape_cancels_drags_of_drawn_handles_and_other_buttons_do_nothing() {
    use egui::PointerButton::{Middle, Primary, Secondary};
    let (up, right) = (egui::vec2(0.0, -16.0), egui::vec2(12.0, 0.0));
    for (face, what, by) in [
        ("Action", (Role::Slider, "Turn Let-off"), up),
        ("Touch", (Role::Slider, "Drag the soft velocity"), right),
        ("Touch", (Role::Slider, "Bend the velocity curve"), up),
        ("Keys", (Role::Group, "Let-off of the 88 keys"), up),
        ("Keys", (Role::SpinButton, "C4"), egui::vec2(40.0, 0.0)),
    ] {
        let mut harness = tall();
        open(&mut harness, "Touch");
        choose(&mut harness, "Velocity map", "A bent line (Gamma)");
        open(&mut harness, face);
        for other in [Secondary, Middle] {
            let moved = dragged(&mut harness, what, by, other, false);
            assert!(!moved, "{what:?} by the {other:?} button");
            // Closes a menu that may have opened.
            harness.key_press(egui::Key::Escape);
            harness.run_steps(3);
        }
        assert!(!dragged(&mut harness, what, by, Primary, true), "{what:?} after Escape");
        let undoes = harness.state().window.session.history.undoes();
        assert_eq!(undoes, Some("Velocity map"), "{what:?} leaves an edit behind");
        assert!(dragged(&mut harness, what, by, Primary, false), "{what:?}");
    }
}

#[test]
fn every_number_shows_why_it_refuses_a_text() {
    let mut harness = tall();
    for (face, number, wrong, message) in [
        ("Action", "at hammer speed", "fast", "`fast` is no number of m/s; give 0.2 to 4"),
        ("Action", "at hammer speed", "9 m/s", "9 is out of range; give 0.2 to 4"),
        ("Keys", "C4", "1 cm", "`1 cm` is no number of mm; give "),
        ("Keys", "Exercise", "x", "`x` is no number; give 1 to 9999"),
        ("Keys", "Strokes a second", "99", "99 is out of range; give "),
        ("Keys", "at", "slow", "`slow` is no number of m/s; give 0.3 to 4"),
    ] {
        open(&mut harness, face);
        type_into(&mut harness, number, wrong);
        assert!(harness.query_by_label_contains(message).is_some(), "{number} takes {wrong}");
        // Until the message disappears.
        harness.run_steps(30);
    }
    assert!(harness.state().connection.keys().is_even());
}

#[test]
fn a_brief_click_on_the_drawn_key_sounds_and_ends() {
    let mut harness = harness((1180.0, 760.0));
    let rect = harness.get_by_label("Play the drawn key").rect();
    let at = rect.left_center() + egui::vec2(60.0, 0.0);
    harness.hover_at(at);
    harness.run_steps(2);
    for pressed in [true, false] {
        harness.input_mut().events.push(button(at, egui::PointerButton::Primary, pressed));
    }
    harness.run_steps(3);
    let played = std::mem::take(&mut harness.state_mut().play);
    assert!(matches!(played[..], [Event::NoteOn { .. }, Event::NoteOff { .. }]), "{played:?}");
    // A click by a screen reader, too.
    harness.get_by_label("Play the drawn key").click_accesskit();
    harness.run_steps(3);
    let played = &harness.state().play;
    assert!(matches!(played[..], [Event::NoteOn { .. }, Event::NoteOff { .. }]), "{played:?}");
}
