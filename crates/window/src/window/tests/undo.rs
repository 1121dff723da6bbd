//! Tests of undo and redo by the bar's buttons, one per kind of edit, compared bit for bit.

use super::hands::*;
use super::*;
use touchback_action::interface::key_sheet::KeySheet;
use touchback_instrument::Settings;
use touchback_instrument::host::params::midi_map::MidiMap;
use touchback_instrument::host::preset::user_presets::UserPresets;
use touchback_sound::tuning::scala::Texts;
use touchback_sound::tuning::scala::texts::PYTHAGOREAN;

type Bench = Harness<'static, TestWindow>;

/// Everything an edit can change.
fn state(harness: &Bench) -> (Settings, Option<Texts>, MidiMap, String) {
    let TestWindow { window, connection, .. } = harness.state();
    (
        connection.settings.clone(),
        connection.scale.clone(),
        connection.midi,
        window.session.history.piano.clone(),
    )
}

/// Makes an edit, which the history should call `name`, and undoes and redoes it twice.
fn back_and_forth(harness: &mut Bench, name: &str, edit: impl FnOnce(&mut Bench)) {
    let before = state(harness);
    edit(harness);
    let after = state(harness);
    assert_ne!(before, after, "{name} changed nothing");
    assert!(harness.state().connection.held.is_empty(), "{name} holds a parameter");
    assert_eq!(harness.state().window.session.history.undoes(), Some(name));
    for _ in 0..2 {
        click(harness, "Undo");
        assert_eq!(state(harness), before, "{name} undone");
        assert_eq!(harness.state().window.session.history.redoes(), Some(name));
        click(harness, "Redo");
        assert_eq!(state(harness), after, "{name} done again");
    }
}

fn on(face: &str) -> Bench {
    let mut harness = tall();
    open(&mut harness, face);
    harness
}

fn slider(harness: &Bench, name: &str) -> egui::Pos2 {
    harness.get_by_role_and_label(Role::Slider, name).rect().center()
}

#[test]
fn a_dragged_slider() {
    back_and_forth(&mut on("Action"), "Key dip", |harness| {
        drag(harness, Role::Slider, "Key dip", egui::vec2(30.0, 0.0));
    });
}

#[test]
fn a_slider_by_arrow_keys_in_quick_succession_is_one_edit() {
    back_and_forth(&mut on("Action"), "Key dip", |harness| {
        harness.get_by_role_and_label(Role::Slider, "Key dip").focus();
        harness.run_steps(2);
        for _ in 0..3 {
            harness.key_press(egui::Key::ArrowRight);
            harness.run_steps(1);
        }
    });
}

#[test]
fn a_slider_by_the_wheel() {
    back_and_forth(&mut on("Action"), "Key dip", |harness| {
        harness.hover_at(slider(harness, "Key dip"));
        harness.run_steps(2);
        harness.event(egui::Event::MouseWheel {
            unit: egui::MouseWheelUnit::Line,
            source: egui::MouseWheelSource::Wheel,
            delta: egui::vec2(0.0, 2.0),
            phase: egui::TouchPhase::Move,
            modifiers: egui::Modifiers::NONE,
        });
        harness.run_steps(2);
    });
}

#[test]
fn a_typed_value_and_the_ways_back_to_the_default() {
    let mut harness = on("Action");
    let harness = &mut harness;
    back_and_forth(harness, "Blow distance", |h| type_into(h, "Blow distance", "44.5 mm"));
    back_and_forth(harness, "Blow distance", |h| click(h, "Reset Blow distance"));
    type_into(harness, "Blow distance", "44");
    back_and_forth(harness, "Blow distance", |h| {
        open_menu(h, slider(h, "Blow distance"));
        click(h, "Reset to 47.0 mm");
    });
}

#[test]
fn a_choice() {
    back_and_forth(&mut on("Touch"), "Velocity map", |h| {
        choose(h, "Velocity map", "A bent line (Gamma)")
    });
}

#[test]
fn every_drawn_screw_by_hand_and_by_keys() {
    let mut harness = harness((1180.0, 760.0));
    for id in ["let_off_mm", "blow_mm", "key_dip_mm", "check_mm", "drop_mm", "repetition_spring"] {
        let name = parameter(id).name;
        let label = format!("Turn {name}");
        back_and_forth(&mut harness, name, |h| {
            drag(h, Role::Slider, &label, egui::vec2(0.0, -14.0));
        });
        back_and_forth(&mut harness, name, |h| {
            h.run_steps(8);
            h.get_by_role_and_label(Role::Slider, &label).focus();
            h.run_steps(2);
            h.key_press(egui::Key::ArrowDown);
            h.run_steps(2);
        });
    }
}

#[test]
fn every_point_of_the_velocity_curve() {
    let mut harness = on("Touch");
    choose(&mut harness, "Velocity map", "A bent line (Gamma)");
    for (label, name, by) in [
        ("Drag the soft velocity", "Soft velocity", egui::vec2(9.0, 0.0)),
        ("Drag the medium velocity", "Medium velocity", egui::vec2(-9.0, 0.0)),
        ("Drag the loud velocity", "Loud velocity", egui::vec2(-9.0, 0.0)),
        ("Drag the softest strike", "Softest strike", egui::vec2(0.0, -9.0)),
        ("Drag the loudest strike", "Loudest strike", egui::vec2(0.0, 9.0)),
        ("Bend the velocity curve", "Velocity curve", egui::vec2(0.0, -9.0)),
    ] {
        back_and_forth(&mut harness, name, |h| drag(h, Role::Slider, label, by));
    }
}

#[test]
fn a_piano_by_its_arrow_from_the_list_and_of_ones_own() {
    let dir = tempfile::tempdir().unwrap();
    let shelf = UserPresets::at(dir.path().into());
    let mut own = touchback_instrument::host::preset::file::NamedPiano {
        name: "Own".into(),
        ..Default::default()
    };
    own.settings.set_key_sheet("key,drop_mm\n7,1\n".parse().unwrap());
    shelf.keep(&own, false).unwrap();
    let mut harness = on("Voice");
    harness.state_mut().window.presets = panel::presets::PresetsPanel::on(Some(shelf));
    back_and_forth(&mut harness, "Mellow", |h| click(h, "Next piano"));
    harness.get_by_label_contains("Piano: ").click();
    wait(&mut harness);
    back_and_forth(&mut harness, "Heavy", |h| click(h, "Heavy"));
    back_and_forth(&mut harness, "Own", |h| click(h, "Own"));
    assert!(!harness.state().connection.keys().is_even());
}

#[test]
fn a_scale_file_and_the_way_back_to_the_temperament() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("fifths.scl");
    std::fs::write(&path, PYTHAGOREAN).unwrap();
    let mut harness = on("Voice");
    back_and_forth(&mut harness, "the scale", |harness| {
        harness.get_by_role_and_label(Role::TextInput, "Scale").click();
        harness.run_steps(2);
        harness.event(egui::Event::Text(path.display().to_string()));
        harness.run_steps(2);
        click(harness, "Load");
    });
    let temperament = |h: &mut Bench| {
        h.get_all_by_role_and_label(Role::Button, "Temperament").last().unwrap().click();
        h.run_steps(3);
    };
    back_and_forth(&mut harness, "the scale", temperament);
}

#[test]
fn keys_drawn_alone_by_section_all_typed_and_made_even() {
    let mut harness = on("Keys");
    for (reach, up) in [("One key", 24.0), ("Section", 12.0), ("All keys", 36.0)] {
        click(&mut harness, reach);
        back_and_forth(&mut harness, "Let-off of keys", |h| {
            drag(h, Role::Group, "Let-off of the 88 keys", egui::vec2(0.0, -up));
        });
    }
    back_and_forth(&mut harness, "Let-off of keys", |h| {
        let key = crate::views::keyboard::name(h.state().window.strip.chosen);
        type_into(h, &key, "-1 mm");
    });
    back_and_forth(&mut harness, "the sheet of the keys", |h| click(h, "All even"));
    back_and_forth(&mut harness, "Unevenness", |h| {
        drag(h, Role::Slider, "Unevenness", egui::vec2(30.0, 0.0));
    });
}

#[test]
fn a_sheet_of_keys_that_was_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mine.csv");
    std::fs::write(&path, "key,drop_mm\n7,1\n").unwrap();
    let mut harness = on("Keys");
    back_and_forth(&mut harness, "the sheet of the keys", |harness| {
        harness.get_by_role_and_label(Role::TextInput, "File").click();
        harness.run_steps(2);
        harness.event(egui::Event::Text(path.display().to_string()));
        harness.run_steps(2);
        click(harness, "Read this sheet");
        wait(harness);
    });
}

#[test]
fn controllers_learned_and_forgotten() {
    let mut harness = on("Action");
    back_and_forth(&mut harness, "MIDI controllers", |h| {
        // As `HostControls` does when the controller is moved.
        let TestWindow { window, connection, .. } = h.state_mut();
        let before = connection.midi;
        connection.midi.assign(21, parameter("blow_mm")).unwrap();
        window.session.history.push_midi([before, connection.midi]);
    });
    back_and_forth(&mut harness, "MIDI controllers", |h| {
        open_menu(h, slider(h, "Blow distance"));
        click(h, "Forget MIDI controller 21");
    });
    click(&mut harness, "Undo");
    open(&mut harness, "Settings");
    back_and_forth(&mut harness, "MIDI controllers", |h| click(h, "Forget controller 21"));
}

#[test]
fn calibration_pedal_range_and_transposition() {
    let mut harness = on("Settings");
    back_and_forth(&mut harness, "Transpose", |h| click(h, "Semitone up"));
    open(&mut harness, "Touch");
    click(&mut harness, "Calibrate this keyboard");
    back_and_forth(&mut harness, "Soft velocity", |h| {
        let snapshot = &mut h.state_mut().window.snapshot;
        (snapshot.velocity, snapshot.counts.notes) = (20.0 / 127.0, 1);
        h.run_steps(2);
    });
    click(&mut harness, "Stop");
    open(&mut harness, "Settings");
    click(&mut harness, "Learn this pedal");
    back_and_forth(&mut harness, "the pedal's range", |h| {
        for value in [12, 112, 12] {
            let message = TimedMessage { time: 0.0, bytes: [0xb0, 64, value] };
            h.state_mut().window.messages().push(message);
            h.run_steps(1);
        }
        click(h, "Take this range");
    });
}

#[test]
fn a_copy_from_a_to_b_on_the_piano_it_was_made_to() {
    let mut harness = on("Action");
    click(&mut harness, "Play with the settings B");
    back_and_forth(&mut harness, "Friction", |h| type_into(h, "Friction", "2"));
    click(&mut harness, "Play with the settings A");
    back_and_forth(&mut harness, "Mellow", |h| click(h, "Next piano"));
    click(&mut harness, "Copy A to B");
    let mellow = harness.state().connection.settings.clone();
    click(&mut harness, "Play with the settings B");
    assert_eq!(harness.state().connection.settings, mellow);
    click(&mut harness, "Undo");
    assert_eq!(harness.state().connection.value(parameter("friction")), 2.0);
    assert!(harness.query_by_label("Piano: Concert, changed since it was loaded").is_some());
    click(&mut harness, "Redo");
    assert_eq!(harness.state().connection.settings, mellow);
    assert!(harness.query_by_label("Piano: Mellow, as loaded").is_some());
}

#[test]
fn edits_in_an_exercise_end_with_it() {
    let mut harness = on("Keys");
    type_into(&mut harness, "C4", "0.5");
    let was = harness.state().connection.keys();
    click(&mut harness, "Find a fault");
    let faulty = harness.state().connection.keys();
    assert_ne!(faulty, was);
    // Undo would show the fault, or correct it.
    assert!(harness.state().window.session.history.undoes().is_none());
    click(&mut harness, "Undo");
    assert_eq!(harness.state().connection.keys(), faulty);
    back_and_forth(&mut harness, "exercise of keys", |h| type_into(h, "Key lead removed", "-2"));
    click(&mut harness, "Compare in order");
    assert_eq!(harness.state().connection.keys(), was);
    click(&mut harness, "Undo");
    assert!(!harness.get_by_label("Is it corrected?").accesskit_node().is_disabled());
    click(&mut harness, "End the exercise");
    assert_eq!(harness.state().connection.keys(), was);
    // Changes made in the exercise are gone, earlier edits are not.
    let history = &harness.state().window.session.history;
    assert_eq!((history.undoes(), history.redoes()), (Some("Let-off of keys"), None));
    click(&mut harness, "Undo");
    assert_eq!(harness.state().connection.keys(), KeySheet::EVEN);
    click(&mut harness, "Redo");
    assert_eq!(
        (harness.state().connection.keys(), harness.state().connection.kept.clone()),
        (was, None)
    );
}

#[test]
fn a_piano_or_the_other_one_loaded_ends_an_exercise() {
    let mut harness = on("Keys");
    for leave in ["Next piano", "Play with the settings B", "Copy B to A"] {
        let was = harness.state().connection.keys();
        click(&mut harness, "Find a fault");
        assert_ne!(harness.state().connection.keys(), was, "{leave}");
        click(&mut harness, leave);
        let connection = &harness.state().connection;
        assert_eq!((connection.keys(), connection.kept.clone()), (was, None), "{leave}");
        assert!(harness.query_by_label("Let-off of the 88 keys").is_some(), "{leave}");
    }
}

#[test]
fn undo_keeps_and_names_values_that_a_host_changed_later() {
    let mut harness = on("Keys");
    type_into(&mut harness, "C4", "0.5");
    let loaded = "key,drop_mm\n7,1\n".parse().unwrap();
    harness.state_mut().connection.settings.set_key_sheet(loaded);
    let loaded = harness.state().connection.keys();
    click(&mut harness, "Undo");
    assert_eq!(harness.state().connection.keys(), loaded);
    let message = "Not undone, because the host changed it later: the sheet of the keys";
    assert!(harness.query_by_label(message).is_some());
    open(&mut harness, "Action");
    drag(&mut harness, Role::Slider, "Key dip", egui::vec2(30.0, 0.0));
    harness.state_mut().connection.set(parameter("key_dip_mm"), 9.0);
    click(&mut harness, "Undo");
    assert_eq!(harness.state().connection.value(parameter("key_dip_mm")), 9.0);
    assert!(
        harness.query_by_label("Not undone, because the host changed it later: Key dip").is_some()
    );
}
