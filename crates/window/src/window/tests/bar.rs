//! Tests of the bar: pianos by name, undo of every kind of edit, A and B, levels, silent notes.

use super::hands::{click, drag, wait};
use super::*;
use touchback_sound::tuning::scala::Texts;
use touchback_sound::tuning::scala::texts::PYTHAGOREAN;

#[test]
fn every_kind_of_edit_is_undone_and_redone_by_the_bar() {
    let mut harness = tall();
    let mut states = vec![harness.state().connection.settings.clone()];
    let mut names = Vec::new();
    let mut mark = |harness: &Harness<'static, TestWindow>, name: &str| {
        let settings = harness.state().connection.settings.clone();
        assert_ne!(states.last(), Some(&settings), "{name} changed nothing");
        states.push(settings);
        names.push(name.to_owned());
    };
    // A slider, a screw, a typed value, a choice, a reset, a piano, a scale, the velocity curve.
    drag(&mut harness, Role::Slider, "Key dip", egui::vec2(30.0, 0.0));
    mark(&harness, "Key dip");
    drag(&mut harness, Role::Slider, "Turn Let-off", egui::vec2(0.0, -30.0));
    mark(&harness, "Let-off");
    harness.get_by_role_and_label(Role::SpinButton, "Blow distance").click();
    harness.run_steps(2);
    harness.event(egui::Event::Text("44.5".to_owned()));
    harness.run_steps(1);
    harness.key_press(egui::Key::Enter);
    harness.run_steps(3);
    mark(&harness, "Blow distance");
    click(&mut harness, "Reset Key dip");
    mark(&harness, "Key dip");
    click(&mut harness, "Next piano");
    mark(&harness, "a piano");
    open(&mut harness, "Touch");
    harness.get_by_role_and_label(Role::ComboBox, "Velocity map").click();
    harness.run_steps(2);
    harness.get_by_label("A bent line (Gamma)").click();
    harness.run_steps(3);
    mark(&harness, "Velocity map");
    drag(&mut harness, Role::Slider, "Bend the velocity curve", egui::vec2(0.0, -12.0));
    mark(&harness, "Velocity curve");
    drag(&mut harness, Role::Slider, "Drag the soft velocity", egui::vec2(10.0, 0.0));
    mark(&harness, "Soft velocity");
    assert!(harness.state().connection.held.is_empty());
    let seen = harness.state().window.session.history.undoes().map(str::to_owned);
    assert_eq!(seen.as_deref(), Some("Soft velocity"));

    for settings in states.iter().rev().skip(1) {
        click(&mut harness, "Undo");
        assert_eq!(harness.state().connection.settings, *settings);
    }
    assert!(harness.state().window.session.history.undoes().is_none());
    for settings in &states[1..] {
        click(&mut harness, "Redo");
        assert_eq!(harness.state().connection.settings, *settings);
    }
    // By keys, too.
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
    harness.run_steps(3);
    assert_eq!(harness.state().connection.settings, states[states.len() - 2]);
}

#[test]
fn a_scale_file_is_undone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("fifths.scl");
    std::fs::write(&path, PYTHAGOREAN).unwrap();
    let mut harness = tall();
    open(&mut harness, "Voice");
    harness.get_by_role_and_label(Role::TextInput, "Scale").click();
    harness.run_steps(2);
    harness.event(egui::Event::Text(path.display().to_string()));
    harness.run_steps(2);
    click(&mut harness, "Load");
    let name = |harness: &Harness<'static, TestWindow>| {
        harness.state().connection.scale.as_ref().map(|texts: &Texts| texts.name.clone())
    };
    assert_eq!(name(&harness).as_deref(), Some("fifths.scl"));
    click(&mut harness, "Undo");
    assert_eq!(name(&harness), None);
    click(&mut harness, "Redo");
    assert_eq!(name(&harness).as_deref(), Some("fifths.scl"));
}

#[test]
fn the_bar_names_the_piano_marks_changes_and_steps_to_the_next() {
    let mut harness = harness((1180.0, 760.0));
    assert!(harness.query_by_label("Piano: Concert, as loaded").is_some());
    click(&mut harness, "Next piano");
    assert!(harness.query_by_label("Piano: Mellow, as loaded").is_some());
    drag(&mut harness, Role::Slider, "Friction", egui::vec2(20.0, 0.0));
    assert!(harness.query_by_label("Piano: Mellow, changed since it was loaded").is_some());
    click(&mut harness, "Undo");
    assert!(harness.query_by_label("Piano: Mellow, as loaded").is_some());
    click(&mut harness, "Undo");
    assert!(harness.query_by_label("Piano: Concert, as loaded").is_some());
    click(&mut harness, "Previous piano");
    // Its mechanism is built in the background.
    wait(&mut harness);
    let last = touchback_instrument::host::preset::PRESETS.last().unwrap().title();
    assert!(harness.query_by_label(&format!("Piano: {last}, as loaded")).is_some());
}

#[test]
fn a_and_b_keep_their_own_edits() {
    let mut harness = harness((1180.0, 760.0));
    drag(&mut harness, Role::Slider, "Friction", egui::vec2(20.0, 0.0));
    let worn = harness.state().connection.settings.clone();
    click(&mut harness, "Play with the settings B");
    click(&mut harness, "Next piano");
    let mellow = harness.state().connection.settings.clone();
    click(&mut harness, "Play with the settings A");
    assert_eq!(harness.state().connection.settings, worn);
    click(&mut harness, "Undo");
    assert_eq!(harness.state().connection.settings, touchback_instrument::Settings::default());
    click(&mut harness, "Play with the settings B");
    assert_eq!(harness.state().connection.settings, mellow);
}

#[test]
fn silent_notes_are_shown_until_dismissed() {
    let mut harness = harness((1180.0, 760.0));
    assert!(harness.query_by_label_contains("did not sound").is_none());
    harness.state_mut().window.snapshot.counts.silent_presses = 2;
    harness.state_mut().window.snapshot.counts.missed_repetitions = 1;
    harness.run_steps(2);
    click(&mut harness, "3 notes did not sound");
    assert!(harness.query_by_label_contains("did not sound").is_none());
    harness.state_mut().window.snapshot.counts.silent_presses = 6;
    harness.run_steps(2);
    assert!(harness.query_by_label("4 notes did not sound").is_some());
}

#[test]
fn motions_whose_energy_balance_did_not_close_are_shown_until_dismissed() {
    let mut harness = harness((1180.0, 760.0));
    let label = |count: u64| format!("The energy balance of {count} key motions did not close");
    assert!(harness.query_by_label_contains("energy balance").is_none());
    harness.state_mut().window.snapshot.counts.unbalanced = 2;
    harness.run_steps(2);
    click(&mut harness, &label(2));
    assert!(harness.query_by_label_contains("energy balance").is_none());
    harness.state_mut().window.snapshot.counts.unbalanced = 3;
    harness.run_steps(2);
    assert!(harness.query_by_label(&label(1)).is_some());
}

#[test]
fn the_clip_light_stays_until_it_is_reset() {
    let mut harness = harness((1180.0, 760.0));
    harness.state_mut().window.raise_levels([0.5, 0.5]);
    harness.run_steps(2);
    assert!(harness.query_by_label("Output meter").is_some());
    harness.state_mut().window.raise_levels([0.5, 1.01]);
    harness.run_steps(200);
    click(&mut harness, "Output meter: clipped");
    assert!(harness.query_by_label("Output meter").is_some());
}

#[test]
fn favourites_are_saved_and_can_be_listed_alone() {
    let dir = tempfile::tempdir().unwrap();
    let shelf =
        touchback_instrument::host::preset::user_presets::UserPresets::at(dir.path().join("shelf"));
    let mut harness = tall();
    harness.state_mut().window.presets = panel::presets::PresetsPanel::on(Some(shelf.clone()));
    harness.get_by_label_contains("Piano: ").click();
    harness.run_steps(3);
    while harness.state().window.presets.is_busy() {
        std::thread::sleep(std::time::Duration::from_millis(1));
        harness.run_steps(1);
    }
    harness.get_by_label("Favourite: Saloon").click();
    harness.run_steps(2);
    while harness.state().window.presets.is_busy() {
        std::thread::sleep(std::time::Duration::from_millis(1));
        harness.run_steps(1);
    }
    assert_eq!(shelf.favourites().into_iter().collect::<Vec<_>>(), ["Saloon"]);
    harness.get_by_label("Favourites").click();
    harness.run_steps(3);
    assert!(
        harness.query_by_label("Saloon").is_some() && harness.query_by_label("Heavy").is_none()
    );
    click(&mut harness, "Next piano");
    assert!(harness.query_by_label("Piano: Saloon, as loaded").is_some());
}

#[test]
fn the_manual_is_a_page_that_opens_in_the_browser() {
    let mut harness = harness((1180.0, 760.0));
    click(&mut harness, "Help");
    harness.get_by_role_and_label(Role::Link, "Manual").click();
    let mut opened = None;
    for _ in 0..3 {
        harness.step();
        for command in &harness.output().platform_output.commands {
            if let egui::OutputCommand::OpenUrl(link) = command {
                opened = Some(link.url.clone());
            }
        }
    }
    let page = std::fs::read_to_string(opened.expect("a page")).unwrap();
    assert!(page.contains("<h1 id=\"troubleshooting\">"));
}
