//! A newcomer's tasks, with the number of clicks that `docs/window.md` states. A drag counts as one click, and
//! so does a click into a text field.

use super::*;
use touchback_action::interface::key_sheet::KeySheet;
use touchback_instrument::host::preset::user_presets::UserPresets;
use touchback_instrument::watch::monitor::tape::TimedMessage;

/// A window whose clicks are counted.
struct Counted {
    harness: Harness<'static, TestWindow>,
    clicks: u32,
}

impl Counted {
    /// A window of the default size, on the first face.
    fn new() -> Self {
        let mut harness = harness((1180.0, 760.0));
        harness.state_mut().window.face = Face::default();
        harness.run_steps(3);
        Self { harness, clicks: 0 }
    }

    fn wait(&mut self) {
        self.harness.run_steps(4);
        while self.harness.state().window.is_reading() {
            std::thread::sleep(std::time::Duration::from_millis(1));
            self.harness.run_steps(1);
        }
        self.harness.run_steps(2);
    }

    /// Clicks the only control of this role and name; scrolling to it counts no click.
    fn click(&mut self, role: Role, name: &str) {
        self.harness.get_by_role_and_label(role, name).scroll_to_me();
        self.harness.run_steps(30);
        self.harness.get_by_role_and_label(role, name).click();
        self.clicks += 1;
        self.wait();
    }

    fn types(&mut self, text: &str) {
        self.harness.event(egui::Event::Text(text.to_owned()));
        self.harness.run_steps(2);
    }

    /// Sets a number by typing: one click, as a drag would be.
    fn turn(&mut self, role: Role, name: &str, to: &str) {
        self.click(role, name);
        self.types(to);
        self.harness.key_press(egui::Key::Enter);
        self.wait();
    }
}

#[test]
fn the_touch_is_fitted_to_the_keyboard() {
    let mut task = Counted::new();
    task.click(Role::Button, "Calibrate this keyboard");
    for (i, velocity) in [20.0, 50.0, 90.0].into_iter().enumerate() {
        let snapshot = &mut task.harness.state_mut().window.snapshot;
        snapshot.velocity = velocity / 127.0;
        snapshot.counts.notes = 1 + i as u64;
        task.harness.run_steps(2);
    }
    let learnt = ["soft_velocity", "medium_velocity", "loud_velocity"]
        .map(|id| task.harness.state().connection.value(parameter(id)).round());
    assert_eq!(learnt, [20.0, 50.0, 90.0]);
    assert!(task.harness.query_by_label("Calibrate this keyboard").is_some());
    assert_eq!(task.clicks, 1);
}

#[test]
fn the_action_is_made_heavier_and_heard() {
    let mut task = Counted::new();
    task.click(Role::Button, "Workshop");
    task.turn(Role::SpinButton, "Strike weight", "1.5");
    task.click(Role::Button, "Play the drawn key");
    assert_eq!(task.harness.state().connection.value(parameter("strike_weight_g")), 1.5);
    let notes = task.harness.state().play.iter();
    assert!(notes.clone().any(|event| matches!(event, Event::NoteOn { .. })));
    assert_eq!(task.clicks, 3);
}

#[test]
fn a_slow_key_is_found_and_corrected() {
    let mut task = Counted::new();
    // The key that was played last is the chosen one: the bench weighs it.
    let key = task.harness.state().window.strip.chosen;
    let mut sheet = KeySheet::EVEN;
    sheet.action.set(key, 4, 8.0);
    task.harness.state_mut().connection.set_keys(&sheet);
    task.click(Role::Button, "Workshop");
    task.click(Role::Button, "Keys");
    task.click(Role::ComboBox, "Quantity");
    task.click(Role::Button, "Key lead removed");
    task.turn(Role::SpinButton, "C4", "0");
    assert!(task.harness.state().connection.keys().is_even());
    assert_eq!(task.clicks, 5);
}

#[test]
fn a_warmer_piano_is_found_and_kept() {
    let dir = tempfile::tempdir().unwrap();
    let shelf = UserPresets::at(dir.path().into());
    let mut task = Counted::new();
    task.harness.state_mut().window.show_pianos_of(shelf.clone());
    task.wait();
    task.click(Role::Button, "Piano: Concert, as loaded");
    for piano in ["Romantic", "Felt", "Mellow"] {
        task.click(Role::Button, &format!("Hear {piano}"));
        assert!(task.harness.state().window.preview.is_up(), "{piano} is heard");
    }
    task.click(Role::Button, "Save");
    task.types("My warm one");
    task.click(Role::Button, "Save this piano");
    assert_eq!(shelf.entries().unwrap().len(), 1);
    assert_eq!(task.clicks, 6);
}

#[test]
fn a_scala_file_tunes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("fifths.scl");
    std::fs::write(&path, touchback_sound::tuning::scala::texts::PYTHAGOREAN).unwrap();
    let mut task = Counted::new();
    task.click(Role::Button, "Voice");
    task.click(Role::TextInput, "Scale");
    task.types(&path.display().to_string());
    task.click(Role::Button, "Load");
    assert!(task.harness.state().connection.scale.is_some());
    assert_eq!(task.clicks, 3);
}

#[test]
fn an_inverted_pedal_is_set() {
    let mut task = Counted::new();
    task.click(Role::Button, "Settings");
    task.click(Role::ComboBox, "Pedal polarity");
    task.click(Role::Button, "Inverted");
    assert_eq!(task.harness.state().connection.value(parameter("pedal_polarity")), 1.0);
    assert_eq!(task.clicks, 3);
}

#[test]
fn fingers_with_channels_of_their_own_play() {
    let mut task = Counted::new();
    task.click(Role::Button, "Settings");
    task.click(Role::ComboBox, "MPE");
    task.click(Role::Button, "On");
    assert_eq!(task.harness.state().connection.value(parameter("mpe")), 1.0);
    assert_eq!(task.clicks, 3);
}

#[test]
fn what_was_played_is_saved_into_a_folder_of_choice() {
    let dir = tempfile::tempdir().unwrap();
    let mut task = Counted::new();
    task.click(Role::Button, "Settings");
    let first = task.clicks;
    task.click(Role::TextInput, "Folder of MIDI files");
    task.types(&dir.path().display().to_string());
    let chosen = task.clicks - first;
    task.click(Role::Button, "Save what was played as MIDI");
    let window = &mut task.harness.state_mut().window;
    assert!(window.wants_performance());
    assert_eq!(window.midi_folder(), dir.path().display().to_string());
    let note = |time, on| TimedMessage { time, bytes: [if on { 0x90 } else { 0x80 }, 60, 64] };
    window.save_performance(vec![note(1.0, true), note(1.5, false)]);
    let saved = || std::fs::read_dir(dir.path()).unwrap().count();
    let begun = std::time::Instant::now();
    while saved() == 0 && begun.elapsed().as_secs() < 10 {
        task.harness.run_steps(1);
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    task.wait();
    assert!(task.harness.query_by_label_contains("played-001.mid").is_some());
    // The folder is chosen once for a project.
    assert_eq!((task.clicks - chosen, chosen), (2, 1));
}

#[cfg(unix)]
#[test]
fn the_emulated_keyboard_is_chosen() {
    use touchback_haptics::connection::{EMULATOR, KeyboardConnection};
    let mut task = Counted::new();
    let connection = std::sync::Arc::new(KeyboardConnection::default());
    task.harness.state_mut().window.keyboard.connection = Some(connection);
    task.click(Role::Button, "Keyboard");
    task.click(Role::Button, "Start the emulated keyboard and its finger");
    let chosen = task.harness.state_mut().window.keyboard.chosen.take().unwrap();
    assert_eq!(chosen.ports, [EMULATOR]);
    assert_eq!(task.clicks, 2);
}
