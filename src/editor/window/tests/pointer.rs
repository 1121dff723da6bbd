//! What the pointer's buttons do.

use super::*;

fn button(at: egui::Pos2, button: egui::PointerButton, pressed: bool) -> egui::Event {
    egui::Event::PointerButton { pos: at, button, pressed, modifiers: egui::Modifiers::NONE }
}

#[test]
fn a_click_within_one_frame_sounds_and_ends() {
    let mut harness = harness((1180.0, 760.0));
    let rect = harness.get_by_label("Keyboard").rect();
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
fn other_buttons_turn_no_slider() {
    let mut harness = tall();
    let rect = harness.get_by_role_and_label(Role::Slider, "Key dip").rect();
    let before = harness.state().desk.value(parameter("key_dip_mm"));
    for other in [egui::PointerButton::Secondary, egui::PointerButton::Middle] {
        harness.hover_at(rect.center());
        harness.run_steps(2);
        harness.event(button(rect.center(), other, true));
        harness.run_steps(2);
        assert!(harness.state().desk.held.is_empty(), "{other:?}");
        harness.hover_at(rect.right_center());
        harness.run_steps(2);
        harness.event(button(rect.right_center(), other, false));
        harness.run_steps(2);
        assert_eq!(harness.state().desk.value(parameter("key_dip_mm")), before, "{other:?}");
    }
    // The primary one does, and another in the middle of its drag leaves no gesture open.
    harness.drag_at(rect.center());
    harness.run_steps(2);
    assert_eq!(harness.state().desk.held, ["key_dip_mm"]);
    for pressed in [true, false] {
        harness.event(button(rect.center(), egui::PointerButton::Secondary, pressed));
        harness.run_steps(2);
    }
    harness.drop_at(rect.center());
    harness.run_steps(2);
    assert!(harness.state().desk.held.is_empty());
}
