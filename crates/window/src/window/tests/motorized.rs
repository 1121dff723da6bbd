//! Tests of the face *Keyboard* with the emulated keyboard, in real time.

use std::sync::Arc;

use touchback_haptics::connection::{
    ActivationContext, EMULATOR, KeyboardAudioEnd, KeyboardConnection,
};

use super::*;

/// Runs frames until there is a button called `label`, at most 20 s.
fn wait_for(harness: &mut Harness<'static, TestWindow>, label: &str) {
    let begin = std::time::Instant::now();
    while harness.query_by_role_and_label(Role::Button, label).is_none() {
        assert!(begin.elapsed() < std::time::Duration::from_secs(20), "no {label}");
        // A loaded machine may run the keyboard late, which halts it; the player then clears the halt.
        let clear = if label == "Arm" { "Stay without force" } else { "Clear and arm again" };
        if let Some(button) = harness.query_by_role_and_label(Role::Button, clear) {
            button.click();
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
        harness.run_steps(4);
    }
}

/// A window with the connection of a running instrument, and the audio thread's end of the connection.
fn connected() -> (Harness<'static, TestWindow>, Arc<KeyboardConnection>, KeyboardAudioEnd) {
    let connection = Arc::new(KeyboardConnection::default());
    let settings = ActionSettings::default();
    let context = ActivationContext {
        owner: "a test",
        settings: &settings,
        sample_rate: 48_000.0,
        block: 64,
        is_offline: false,
    };
    let end = connection.activate(&context);
    let mut harness = tall();
    harness.state_mut().window.keyboard.connection = Some(connection.clone());
    (harness, connection, end)
}

/// In real time.
#[test]
fn one_click_starts_the_emulated_keyboard_with_its_finger_and_arms_it() {
    let (mut harness, connection, _end) = connected();
    open(&mut harness, "Keyboard");
    assert!(harness.query_by_label("force, N, over depth of the key, mm").is_some());
    harness.get_by_label("Start the emulated keyboard and its finger").click();
    wait_for(&mut harness, "Disarm");
    for part in ["The motors are on.", "Loop: ", "Round trip in the lead: "] {
        assert!(harness.query_all_by_label_contains(part).count() > 0, "{part}");
    }
    connection.deactivate();
}

/// In real time: the keyboard is chosen, connected without force, armed, disarmed, disconnected.
#[test]
fn an_emulated_keyboard_is_chosen_armed_and_disconnected() {
    let (mut harness, connection, _end) = connected();
    open(&mut harness, "Keyboard");
    assert!(harness.query_by_label_contains("Choose a port").is_some());
    harness.get_by_role_and_label(Role::ComboBox, "Port").click();
    harness.run_steps(2);
    harness.get_by_label_contains("emulator: ").click();
    wait_for(&mut harness, "Arm");
    let chosen = harness.state_mut().window.keyboard.chosen.take().unwrap();
    assert_eq!(chosen.ports, [EMULATOR]);
    for label in ["Round trip", "Model", "Identity", "Limits", "Abilities", "Calibration", "Faults"]
    {
        assert!(harness.query_by_label(label).is_some(), "{label}");
    }
    assert!(harness.query_by_label_contains(" N at most, ").is_some());
    assert!(harness.query_by_label_contains("0x").is_none());
    harness.get_by_label("Arm").click();
    wait_for(&mut harness, "Disarm");
    harness.get_by_label("Disarm").click();
    wait_for(&mut harness, "Arm");

    harness.get_by_label("Host notes move the keys").click();
    harness.run_steps(3);
    assert!(harness.state_mut().window.keyboard.chosen.take().unwrap().plays);
    harness.get_by_role_and_label(Role::ComboBox, "Port").click();
    harness.run_steps(2);
    harness.get_by_label("none").click();
    harness.run_steps(3);
    while harness.query_by_label_contains("Choose a port").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(5));
        harness.run_steps(2);
    }
    assert_eq!(connection.report(), None);
    connection.deactivate();
}
