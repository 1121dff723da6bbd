//! A user's actions in the window.

use super::*;

/// Clicks a button by its name.
pub fn click(harness: &mut Harness<'static, TestWindow>, label: &str) {
    harness.get_by_role_and_label(Role::Button, label).click();
    harness.run_steps(3);
}

/// Drags a control found by role and label by `by` points.
pub fn drag(harness: &mut Harness<'static, TestWindow>, role: Role, label: &str, by: egui::Vec2) {
    let at = harness.get_by_role_and_label(role, label).rect().center();
    harness.drag_at(at);
    harness.run_steps(2);
    for step in 1..=4u8 {
        harness.hover_at(at + by * (f32::from(step) / 4.0));
        harness.run_steps(2);
    }
    harness.drop_at(at + by);
    harness.run_steps(3);
}

/// Types `text` into the number called `label`, then Enter.
pub(crate) fn type_into(harness: &mut Harness<'static, TestWindow>, label: &str, text: &str) {
    harness.get_by_role_and_label(Role::SpinButton, label).click();
    harness.run_steps(2);
    harness.event(egui::Event::Text(text.to_owned()));
    harness.run_steps(1);
    harness.key_press(egui::Key::Enter);
    harness.run_steps(3);
}

/// Chooses `choice` in the list called `list`.
pub fn choose(harness: &mut Harness<'static, TestWindow>, list: &str, choice: &str) {
    harness.get_by_role_and_label(Role::ComboBox, list).click();
    harness.run_steps(2);
    harness.get_by_role_and_label(Role::Button, choice).click();
    harness.run_steps(3);
}

/// A button of the mouse, pressed or released.
pub fn button(at: egui::Pos2, button: egui::PointerButton, pressed: bool) -> egui::Event {
    egui::Event::PointerButton { pos: at, button, pressed, modifiers: egui::Modifiers::NONE }
}

/// Clicks with the secondary button at `at`.
pub(crate) fn open_menu(harness: &mut Harness<'static, TestWindow>, at: egui::Pos2) {
    harness.hover_at(at);
    harness.run_steps(2);
    for pressed in [true, false] {
        let secondary = button(at, egui::PointerButton::Secondary, pressed);
        harness.input_mut().events.push(secondary);
    }
    harness.run_steps(3);
}

/// Waits until no file is being read or written and no key is being measured.
pub fn wait(harness: &mut Harness<'static, TestWindow>) {
    harness.run_steps(3);
    while harness.state().window.is_reading() {
        std::thread::sleep(std::time::Duration::from_millis(1));
        harness.run_steps(1);
    }
    harness.run_steps(3);
}
