//! Tests of factory pianos and own pianos.

use super::*;

#[test]
fn a_factory_piano_loads_and_is_marked() {
    let mut harness = tall();
    harness.get_by_label_contains("Piano: ").click();
    harness.run_steps(3);
    harness.get_by_label("Heavy").click();
    harness.run_steps(3);
    let heavy = touchback_instrument::host::preset::find("heavy").unwrap().settings();
    assert_eq!(harness.state().connection.settings(), heavy);
    assert!(harness.state().connection.held.is_empty());
    harness.get_by_label("Concert").click();
    harness.run_steps(3);
    assert_eq!(harness.state().connection.settings(), touchback_instrument::Settings::default());
}

#[test]
fn a_phrase_plays_until_the_second_click_or_the_list_is_closed() {
    let mut harness = tall();
    harness.get_by_label_contains("Piano: ").click();
    harness.run_steps(3);
    let plays = |harness: &Harness<'static, TestWindow>| harness.state().window.preview.is_up();
    let mut click = |label: &str| {
        match label {
            "Heavy" => harness.get_by_label(label).click(),
            _ => harness.get_by_label_contains(label).click(),
        }
        harness.run_steps(3);
        plays(&harness)
    };
    assert_eq!(["Audition", "Heavy", "Audition"].map(&mut click), [true, true, false]);
    assert_eq!(["Audition", "Piano: "].map(&mut click), [true, false]);
    click("Piano: ");
    click("Audition");
    let bench = harness.state_mut();
    bench.window.release(&mut bench.play);
    assert!(!plays(&harness));
}

/// Replaces the text of the field called `label`.
fn fill(harness: &mut Harness<'static, TestWindow>, label: &str, text: &str) {
    let role = if label == "Notes" { Role::MultilineTextInput } else { Role::TextInput };
    harness.get_by_role_and_label(role, label).click();
    harness.run_steps(2);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    harness.run_steps(1);
    harness.event(egui::Event::Text(text.to_owned()));
    harness.run_steps(2);
}

/// Clicks the button called `label` and waits for the file worker.
fn click_and_wait(harness: &mut Harness<'static, TestWindow>, label: &str) {
    harness.run_steps(2);
    harness.get_by_role_and_label(Role::Button, label).click();
    harness.run_steps(2);
    while harness.state().window.presets.is_busy() {
        std::thread::sleep(std::time::Duration::from_millis(1));
        harness.run_steps(1);
    }
    harness.run_steps(2);
}

#[test]
fn an_own_piano_is_saved_replaced_exported_imported_and_deleted() {
    let dir = tempfile::tempdir().unwrap();
    let shelf =
        touchback_instrument::host::preset::user_presets::UserPresets::at(dir.path().join("shelf"));
    let mut harness = tall();
    harness.state_mut().window.presets = panel::presets::PresetsPanel::on(Some(shelf.clone()));
    harness.get_by_label_contains("Piano: ").click();
    click_and_wait(&mut harness, "Refresh");
    assert!(harness.query_by_label_contains("None yet").is_some());

    let blow = parameter("blow_mm");
    harness.state_mut().connection.put(blow, 44.0);
    click_and_wait(&mut harness, "Save");
    fill(&mut harness, "Name", "My piano");
    fill(&mut harness, "Tags", "dark, small hall");
    fill(&mut harness, "Notes", "As on Sunday");
    click_and_wait(&mut harness, "Save this piano");
    let kept = || shelf.entries().unwrap()[0].held.clone().unwrap().0;
    assert_eq!((kept().name.as_str(), kept().settings.action.blow_mm), ("My piano", 44.0));
    assert_eq!(
        (kept().tags, kept().notes.as_str()),
        (vec!["dark".to_owned(), "small hall".to_owned()], "As on Sunday",)
    );

    // The same name again: the window asks first, and nothing changes if the answer is no.
    assert!(harness.query_by_label("Save this piano").is_none(), "closed once saved");
    harness.state_mut().connection.put(blow, 50.0);
    click_and_wait(&mut harness, "Save");
    click_and_wait(&mut harness, "Save this piano");
    assert!(harness.query_by_label_contains("there already").is_some());
    assert_eq!(kept().settings.action.blow_mm, 44.0);
    click_and_wait(&mut harness, "Leave it");
    click_and_wait(&mut harness, "Save this piano");
    click_and_wait(&mut harness, "Replace it");
    assert_eq!(kept().settings.action.blow_mm, 50.0);

    // Exported to a file, changed there, and imported.
    let file = dir.path().join("lent");
    fill(&mut harness, "File", file.to_str().unwrap());
    click_and_wait(&mut harness, "Export");
    let file = file.with_extension("toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let lent = text.replace("My piano", "Lent").replace("blow_mm = 50", "blow_mm = 4");
    std::fs::write(&file, format!("{lent}harp = 1\n")).unwrap();
    click_and_wait(&mut harness, "Import");
    assert!(harness.query_by_label_contains("left out: harp").is_some());
    assert_eq!(shelf.entries().unwrap().len(), 2);

    // Loading is a gesture on each differing parameter, and no gesture stays open.
    harness.state_mut().connection.put(parameter("transpose"), 5.0);
    harness.state_mut().connection.changes.clear();
    harness.get_by_label("Lent").click();
    harness.run_steps(3);
    assert_eq!(harness.state().connection.changes, [("blow_mm", blow.min())]);
    assert!(harness.state().connection.held.is_empty());

    click_and_wait(&mut harness, "Delete Lent");
    click_and_wait(&mut harness, "Delete it");
    assert_eq!(shelf.entries().unwrap().len(), 1);
    assert!(harness.query_by_label("Lent").is_none());
}

#[test]
fn a_folder_of_many_is_searched_and_an_invalid_file_reported() {
    let dir = tempfile::tempdir().unwrap();
    let shelf =
        touchback_instrument::host::preset::user_presets::UserPresets::at(dir.path().into());
    for (name, tag) in [("Ash", "x"), ("Birch", "x"), ("Cedar", "soft"), ("Elm", "x"), ("Fir", "x")]
    {
        let saved = touchback_instrument::host::preset::file::NamedPiano {
            name: name.into(),
            tags: vec![tag.into()],
            ..touchback_instrument::host::preset::file::NamedPiano::default()
        };
        shelf.keep(&saved, false).unwrap();
    }
    std::fs::write(dir.path().join("broken.toml"), "format = ").unwrap();
    let mut harness = tall();
    harness.state_mut().window.presets = panel::presets::PresetsPanel::on(Some(shelf));
    harness.get_by_label_contains("Piano: ").click();
    click_and_wait(&mut harness, "Refresh");
    assert!(harness.query_by_label_contains("broken.toml: line 1").is_some());
    fill(&mut harness, "Find", "SOFT");
    assert!(harness.query_by_label("Cedar").is_some());
    assert!(harness.query_by_label("Ash").is_none());
}

#[test]
fn a_piano_without_tags_has_its_name_and_its_button_apart() {
    let dir = tempfile::tempdir().unwrap();
    let shelf =
        touchback_instrument::host::preset::user_presets::UserPresets::at(dir.path().join("shelf"));
    let mut harness = tall();
    harness.state_mut().window.presets = panel::presets::PresetsPanel::on(Some(shelf));
    harness.get_by_label_contains("Piano: ").click();
    harness.run_steps(2);
    click_and_wait(&mut harness, "Save");
    fill(&mut harness, "Name", "My grand");
    click_and_wait(&mut harness, "Save this piano");
    let name = harness.get_by_role_and_label(Role::Button, "My grand").rect();
    let delete = harness.get_by_role_and_label(Role::Button, "Delete My grand").rect();
    assert!(delete.left() >= name.right(), "{name:?} {delete:?}");
}

/// On every face, with the list closed: a click, the name, Enter.
#[test]
fn a_piano_is_saved_by_name_and_enter_on_every_face() {
    for (face, ..) in Face::TABS {
        let dir = tempfile::tempdir().unwrap();
        let shelf =
            touchback_instrument::host::preset::user_presets::UserPresets::at(dir.path().into());
        let mut harness = tall();
        let window = &mut harness.state_mut().window;
        (window.face, window.presets) =
            (face, panel::presets::PresetsPanel::on(Some(shelf.clone())));
        click_and_wait(&mut harness, "Save");
        // The name has the focus.
        harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
        harness.run_steps(1);
        harness.event(egui::Event::Text("Evening".to_owned()));
        harness.run_steps(1);
        harness.key_press(egui::Key::Enter);
        harness.run_steps(2);
        while harness.state().window.presets.is_busy() {
            std::thread::sleep(std::time::Duration::from_millis(1));
            harness.run_steps(1);
        }
        harness.run_steps(3);
        let names: Vec<_> =
            shelf.entries().unwrap().into_iter().map(|entry| entry.held.unwrap().0.name).collect();
        assert_eq!(names, ["Evening"], "{face:?}");
        assert!(harness.query_by_label("Save this piano").is_none(), "{face:?}");
    }
}

#[test]
fn a_tab_closes_the_list_of_pianos() {
    let mut harness = harness((1180.0, 760.0));
    harness.state_mut().window.list_open = true;
    harness.run_steps(3);
    harness.get_by_role_and_label(Role::Button, "Workshop").click();
    harness.run_steps(3);
    assert!(!harness.state().window.list_open);
    assert_eq!(harness.state().window.face, Face::Action);
}
