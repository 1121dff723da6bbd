//! Exercises on the face of the keys.

use super::*;
use crate::editor::lesson::Lesson;
use touchback_action::interface::key_sheet::{COUNT, KeySheet, QUANTITIES};

#[test]
fn a_fault_is_hidden_in_the_piano_found_mended_and_taken_out() {
    let mut harness = tall();
    harness.get_by_role_and_label(Role::Button, "Keys").click();
    harness.run_steps(3);
    let key = harness.state().window.strip.chosen;
    let was: KeySheet = "key,drop_mm\n41,0.5\n".parse().unwrap();
    harness.state_mut().connection.set_keys(&was);
    harness.get_by_label("Find a fault").click();
    harness.run_steps(3);
    let lesson = Lesson::new(1, key, &was);
    let (fault, faulty) = (lesson.fault(), lesson.faulty());
    assert_eq!(harness.state().connection.keys(), faulty);
    // A project saved meanwhile holds the keys as they were.
    assert_eq!(harness.state().connection.kept, Some(was));
    // Nothing tells which it is: no curve, and every screw stands at nothing.
    assert!(harness.query_by_label_contains("of the 88 keys").is_none());
    assert!(harness.query_by_label_contains(fault.symptom).is_some(), "the table has them all");
    for (q, quantity) in QUANTITIES.iter().enumerate() {
        let drag = harness.get_by_role_and_label(Role::SpinButton, quantity.name);
        let shown = drag.accesskit_node().value().unwrap();
        assert!(shown.starts_with("+0.000") && q < COUNT, "{} {shown}", quantity.name);
    }
    harness.get_by_label("Is it mended?").click();
    harness.run_steps(3);
    assert!(harness.query_by_label_contains("Not yet").is_some());
    // Turned by typing, as one edit that undo takes back.
    let wanted = was.get(key, fault.quantity) - faulty.get(key, fault.quantity);
    let mends = QUANTITIES[fault.quantity].name;
    harness.get_by_role_and_label(Role::SpinButton, mends).click();
    harness.run_steps(2);
    harness.event(egui::Event::Text(format!("{wanted}")));
    harness.run_steps(1);
    harness.key_press(egui::Key::Enter);
    harness.run_steps(3);
    harness.get_by_label("Is it mended?").click();
    harness.run_steps(3);
    assert!(harness.query_by_label_contains("Mended:").is_some());
    harness.get_by_label("Compare in order").click();
    harness.run_steps(3);
    assert_eq!(harness.state().connection.keys(), was);
    harness.get_by_label("Back to mine").click();
    harness.run_steps(3);
    harness.get_by_label("End the exercise").click();
    harness.run_steps(3);
    assert_eq!((harness.state().connection.keys(), harness.state().connection.kept), (was, None));
    assert!(harness.query_by_label_contains("of the 88 keys").is_some());
}

#[test]
fn a_closed_window_leaves_no_fault_behind() {
    let mut harness = tall();
    harness.get_by_role_and_label(Role::Button, "Keys").click();
    harness.run_steps(3);
    harness.get_by_label("Find a fault").click();
    harness.run_steps(3);
    let bench = harness.state_mut();
    assert_ne!(bench.connection.keys(), KeySheet::EVEN);
    bench.window.put_in_order(&mut bench.connection);
    assert_eq!(bench.connection.keys(), KeySheet::EVEN);
}
