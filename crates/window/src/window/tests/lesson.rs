//! Tests of exercises on the face of the keys.

use super::*;
use crate::faces::lesson::Lesson;
use touchback_action::interface::key_sheet::{COUNT, KeySheet, QUANTITIES};

#[test]
fn a_hidden_fault_is_found_corrected_and_removed() {
    let mut harness = tall();
    open(&mut harness, "Keys");
    let key = harness.state().window.strip.chosen;
    let was: KeySheet = "key,drop_mm\n41,0.5\n".parse().unwrap();
    harness.state_mut().connection.set_keys(&was);
    harness.get_by_label("Find a fault").click();
    harness.run_steps(3);
    let lesson = Lesson::new(1, key, &was);
    let (fault, faulty) = (lesson.fault(), lesson.faulty());
    assert_eq!(harness.state().connection.keys(), faulty);
    // A project saved meanwhile contains the sheet from before.
    assert_eq!(harness.state().connection.kept, Some(was.clone()));
    // Nothing shows the fault: there is no curve, and every screw is at zero.
    assert!(harness.query_by_label_contains("of the 88 keys").is_none());
    assert!(harness.query_by_label_contains(fault.symptom).is_some(), "the table has them all");
    for (q, quantity) in QUANTITIES.iter().enumerate() {
        let drag = harness.get_by_role_and_label(Role::SpinButton, quantity.name);
        let shown = drag.accesskit_node().value().unwrap();
        assert!(shown.starts_with("+0.000") && q < COUNT, "{} {shown}", quantity.name);
    }
    harness.get_by_label("Is it corrected?").click();
    harness.run_steps(3);
    assert!(harness.query_by_label_contains("Not yet").is_some());
    // Changed by typing, as one edit that can be undone.
    let wanted = was.action.get(key, fault.quantity) - faulty.action.get(key, fault.quantity);
    let corrects = QUANTITIES[fault.quantity].name;
    harness.get_by_role_and_label(Role::SpinButton, corrects).click();
    harness.run_steps(2);
    harness.event(egui::Event::Text(format!("{wanted}")));
    harness.run_steps(1);
    harness.key_press(egui::Key::Enter);
    harness.run_steps(3);
    harness.get_by_label("Is it corrected?").click();
    harness.run_steps(3);
    assert!(harness.query_by_label_contains("Corrected:").is_some());
    harness.get_by_label("Compare in order").click();
    harness.run_steps(3);
    assert_eq!(harness.state().connection.keys(), was);
    harness.get_by_label("Back to mine").click();
    harness.run_steps(3);
    harness.get_by_label("End the exercise").click();
    harness.run_steps(3);
    assert_eq!(
        (harness.state().connection.keys(), harness.state().connection.kept.clone()),
        (was, None)
    );
    assert!(harness.query_by_label_contains("of the 88 keys").is_some());
}

#[test]
fn a_closed_window_removes_the_fault() {
    let mut harness = tall();
    open(&mut harness, "Keys");
    harness.get_by_label("Find a fault").click();
    harness.run_steps(3);
    let bench = harness.state_mut();
    assert_ne!(bench.connection.keys(), KeySheet::EVEN);
    bench.window.end_exercise(&mut bench.connection);
    assert_eq!(bench.connection.keys(), KeySheet::EVEN);
}
