//! Tests of moving keys: they are drawn as they move, and the caption states what is reconstructed.

use super::*;
use crate::state::stroke::{Origin, Stroke};
use touchback_action::Drive;
use touchback_instrument::settings::{Latency, Timing};
use touchback_instrument::{Piano, Settings, Snapshot};

/// Strokes of middle C in the window's memory after each block of 5 ms, played with `settings`.
fn played(settings: &Settings) -> Vec<Stroke> {
    let key = KeyNumber::from_midi(60).unwrap();
    let mut piano = Piano::new(48_000.0, settings);
    piano.watch(true);
    piano.handle(Event::NoteOn { key, velocity: 0.5 });
    let mut window = Window::default();
    let (mut left, mut right) = ([0.0f32; 240], [0.0f32; 240]);
    let mut seen = Vec::new();
    for block in 0..120 {
        if block == 80 {
            piano.handle(Event::NoteOff { key, velocity: 0.5 });
        }
        piano.process(&mut left, &mut right);
        for sample in piano.trace() {
            window.absorb(sample, &settings.action);
        }
        piano.trace_read();
        seen.extend(window.memory.last.clone());
    }
    seen
}

#[test]
fn natural_and_look_ahead_fingers_are_drawn_pressing_and_leaving() {
    for timing in [Timing::Natural, Timing::LookAhead] {
        let mut settings = Settings::default();
        (settings.touch.timing, settings.touch.latency) = (timing, Latency::Middle);
        let strokes = played(&settings);
        let live: Vec<_> = strokes.iter().map(|s| *s.rows.last().unwrap()).collect();
        // The key is drawn on its way, not only at its ends.
        let between = live.iter().filter(|row| (1e-3..8e-3).contains(&row.view.key)).count();
        assert!(between >= 3, "{timing:?}: {between} frames");
        let whole = strokes.last().unwrap();
        assert_eq!(whole.origin, Origin::Played);
        let touching = whole.rows.iter().filter(|row| row.finger() == Some(0.0)).count();
        let leaving = whole.rows.iter().filter(|row| row.finger().is_some_and(|gap| gap > 1e-3));
        assert!(touching > 1000 && leaving.count() > 10, "{timing:?}");
        assert_eq!(whole.rows.last().unwrap().finger(), None, "{timing:?}: gone at last");
    }
}

#[test]
fn an_immediate_notes_caption_states_the_reconstruction() {
    let strokes = played(&Settings::default());
    let whole = strokes.last().unwrap();
    assert_eq!(whole.origin, Origin::PlayedFromStrike);
    assert!(whole.origin.message().contains("reconstructed"));
    assert!(whole.rows.iter().any(|row| row.time < -0.02 && row.finger() == Some(0.0)));
}

/// Whether the picture goes on changing after the regulation was changed.
fn moves_after_a_change(is_still: bool) -> bool {
    let mut window = Window { face: Face::Action, is_still, ..Window::default() };
    let (mut connection, mut play) = (DetachedControls::default(), Vec::new());
    let mut screen = crate::offscreen::Offscreen::default();
    window.apply_theme(&screen.context);
    let mut frame = |connection: &mut DetachedControls| {
        let size = (900.0, 600.0);
        let output = screen.frame(size, 1.0, Vec::new(), |ui| window.ui(ui, connection, &mut play));
        screen.draw(output, size, 1.0)
    };
    for _ in 0..4 {
        frame(&mut connection);
    }
    connection.put(parameter("let_off_mm"), 8.0);
    // The first frame after the change lays out the notes that belong to it.
    let pictures = [(); 4].map(|()| frame(&mut connection));
    pictures[2] != pictures[3]
}

#[test]
fn a_changed_action_moves_to_its_form_unless_the_user_wants_less_motion() {
    assert!(moves_after_a_change(false));
    assert!(!moves_after_a_change(true));
}

#[test]
fn a_haptic_key_is_drawn_as_played() {
    use touchback_instrument::watch::trace::{KeySnapshot, Sample};
    let mut window = Window::default();
    let settings = ActionSettings::default();
    let key = KeyNumber::from_midi(60).unwrap();
    let mut haptic = touchback_models::catalogue::played(ActionKind::Grand, key, &settings);
    for step in 0..2000 {
        let drive = Drive::Wave { force: 4.0, impedance: 2.0 };
        haptic.step(drive, &mut |_, _| {});
        let snapshot = KeySnapshot {
            kind: ActionKind::Grand,
            saved: haptic.save(),
            drive,
            tray: 0.0,
            answer: None,
        };
        window.absorb(&Sample { step, touch: (1 << 63) + 1, key, snapshot }, &settings);
    }
    window.show(&Snapshot { touched: Some(key), ..Snapshot::default() });
    let stroke = window.memory.last.as_ref().unwrap();
    assert_eq!(stroke.origin, Origin::Haptic);
    // Nothing is inserted before the steps of a haptic key, however its stroke began.
    assert!(stroke.rows[0].view.key < 1e-4 && stroke.rows.len() == 2000);
    assert!(stroke.origin.message().contains("motorized keyboard"));
    let row = stroke.at(0.0).unwrap();
    assert!(row.view.key > 5e-3 && row.finger() == Some(0.0), "{row:?}");
}

#[test]
fn another_action_is_drawn_and_played() {
    let mut settings = Settings::default();
    settings.action.action = ActionKind::Harpsichord;
    settings.touch.timing = Timing::Natural;
    let mut harness = harness((1180.0, 760.0));
    harness.state_mut().connection.settings = settings.clone();
    harness.run_steps(2);
    let rect = harness.get_by_label("Play the drawn key").rect();
    let mut piano = Piano::new(48_000.0, &settings);
    piano.watch(true);
    let key = KeyNumber::from_midi(67).unwrap();
    piano.handle(Event::NoteOn { key, velocity: 0.5 });
    let (mut left, mut right) = ([0.0f32; 480], [0.0f32; 480]);
    for block in 0..60 {
        if block == 30 {
            piano.handle(Event::NoteOff { key, velocity: 0.5 });
        }
        piano.process(&mut left, &mut right);
        for sample in piano.trace() {
            harness.state_mut().window.absorb(sample, &settings.action);
        }
        piano.trace_read();
    }
    harness.run_steps(2);
    assert_eq!(harness.state().window.strip.chosen, key);
    let stroke = harness.state().window.memory.last.as_ref().unwrap();
    let names: Vec<&str> = stroke.bands().iter().map(|band| band.name).collect();
    assert_eq!(names, ["below", "bending", "above", "passing", "below"]);
    let deepest = stroke.rows.iter().map(|row| row.view.key).fold(0.0, f64::max);
    assert!(deepest > 6e-3 && stroke.strike().is_some(), "{deepest}");
    // Slow motion and scope work for it, too.
    harness.get_by_label("Slow motion").click();
    harness.run_steps(3);
    assert!(!harness.state().window.transport.is_live);
    harness.get_by_label("Try a press").click();
    harness.run_steps(3);
    let stroke = harness.state().window.memory.last.as_ref().unwrap();
    assert_eq!((stroke.kind(), stroke.touch), (ActionKind::Harpsichord, None));
    harness.get_by_label("Live").click();
    harness.run_steps(3);

    harness.drag_at(rect.center());
    harness.run_steps(2);
    harness.drop_at(rect.center());
    harness.run_steps(2);
    let played = &harness.state().play;
    assert!(
        matches!(played[..], [Event::NoteOn { key: on, .. }, Event::NoteOff { key: off, .. }]
            if on == key && off == key),
        "{played:?}"
    );
}

#[test]
fn the_drawn_key_plays_a_note_or_follows_the_hand() {
    let mut harness = harness((1180.0, 760.0));
    let at =
        harness.get_by_label("Play the drawn key").rect().left_center() + egui::vec2(60.0, 0.0);
    harness.drag_at(at);
    harness.run_steps(2);
    harness.drop_at(at);
    harness.run_steps(2);
    let played = std::mem::take(&mut harness.state_mut().play);
    assert!(matches!(played[..], [Event::NoteOn { .. }, Event::NoteOff { .. }]), "{played:?}");
    harness.state_mut().connection.put(parameter("key_pressure"), 1.0);
    harness.drag_at(at);
    harness.run_steps(2);
    harness.hover_at(at + egui::vec2(0.0, 30.0));
    harness.run_steps(2);
    let deepest = harness.state().play.iter().filter_map(Event::value).fold(0.0, f64::max);
    assert!((deepest - 0.5).abs() < 0.01, "{deepest}");
    assert!(!harness.state().play.iter().any(|e| matches!(e, Event::NoteOn { .. })));
}
