//! Tests of fingers: chords, slides, speeds, pedals under a second finger, the strip along the keys, the menus of a
//! small window.

use egui::{TouchDeviceId, TouchId, TouchPhase, pos2};

use super::*;

const TELEPHONE: (f32, f32) = (390.0, 844.0);

fn touch(harness: &mut Harness<'static, TestWindow>, id: u64, phase: TouchPhase, pos: egui::Pos2) {
    pressed(harness, id, phase, pos, None);
}

fn pressed(
    harness: &mut Harness<'static, TestWindow>,
    id: u64,
    phase: TouchPhase,
    pos: egui::Pos2,
    force: Option<f32>,
) {
    let (device_id, id) = (TouchDeviceId(0), TouchId::from(id));
    harness.event(egui::Event::Touch { device_id, id, phase, pos, force });
    // As browsers and windows do, the first finger moves the pointer, too.
    if id == TouchId::from(1u64) {
        let button = |pressed| egui::Event::PointerButton {
            pos,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: egui::Modifiers::NONE,
        };
        harness.event(egui::Event::PointerMoved(pos));
        match phase {
            TouchPhase::Start => harness.event(button(true)),
            TouchPhase::End => harness.event(button(false)),
            _ => {}
        }
    }
    harness.run_steps(1);
}

fn take(harness: &mut Harness<'static, TestWindow>) -> Vec<Event> {
    std::mem::take(&mut harness.state_mut().play)
}

#[test]
fn fingers_play_chords_with_a_pedal_and_slide_to_the_next_key() {
    let mut harness = harness(TELEPHONE);
    let keys = harness.get_by_label("Piano keys").rect();
    let each = keys.width() / 8.0;
    let at = |white: f32, share: f32| {
        pos2(keys.min.x + (white + 0.4) * each, keys.min.y + share * keys.height())
    };
    touch(&mut harness, 1, TouchPhase::Start, at(0.0, 0.95));
    touch(&mut harness, 2, TouchPhase::Start, at(2.0, 0.7));
    let played = take(&mut harness);
    let [Event::NoteOn { key: low, velocity: loud }, Event::NoteOn { key: high, velocity: soft }] =
        played[..]
    else {
        panic!("{played:?}")
    };
    assert_eq!([low.midi(), high.midi()], [60, 64]);
    assert!(loud > soft + 0.1, "{loud} {soft}");
    let pedal = harness.get_by_label("Sustain pedal").rect().center();
    touch(&mut harness, 3, TouchPhase::Start, pedal);
    touch(&mut harness, 1, TouchPhase::End, at(0.0, 0.95));
    touch(&mut harness, 2, TouchPhase::Move, at(3.0, 0.9));
    harness.run_steps(3);
    touch(&mut harness, 3, TouchPhase::End, pedal);
    touch(&mut harness, 2, TouchPhase::End, at(3.0, 0.9));
    let played = take(&mut harness);
    let next = KeyNumber::from_midi(65).unwrap();
    assert!(
        matches!(played[..], [
            Event::Sustain(1.0),
            Event::NoteOff { key: first, .. },
            Event::NoteOff { key: second, .. },
            Event::NoteOn { key: third, .. },
            Event::Sustain(0.0),
            Event::NoteOff { key: last, .. },
        ] if first == low && second == high && third == next && last == next),
        "{played:?}"
    );
}

#[test]
fn a_browsers_pointer_a_frame_before_its_touch_presses_no_key_twice() {
    let mut harness = harness(TELEPHONE);
    let keys = harness.get_by_label("Piano keys").rect();
    let [low, high] = [0.06, 0.3].map(|x| keys.lerp_inside(egui::vec2(x, 0.8)));
    let button = |pos, pressed| egui::Event::PointerButton {
        pos,
        button: egui::PointerButton::Primary,
        pressed,
        modifiers: egui::Modifiers::NONE,
    };
    let touch = |id: u64, phase, pos| egui::Event::Touch {
        device_id: TouchDeviceId(0),
        id: TouchId::from(id),
        phase,
        pos,
        force: Some(1.0),
    };
    let gone = egui::Event::PointerGone;
    let (start, end) = (TouchPhase::Start, TouchPhase::End);
    // Chromium's order for two fingers. Any event may be the first of a frame.
    let events = [
        vec![egui::Event::PointerMoved(low), button(low, true)],
        vec![button(low, true), touch(0, start, low)],
        vec![button(high, true)],
        vec![button(low, true), touch(1, start, high)],
        vec![button(low, false)],
        vec![button(low, false), gone.clone(), touch(0, end, low)],
        vec![button(high, false)],
        vec![button(high, false), gone, touch(1, end, high)],
    ];
    for frames in 0..1_u32 << (events.len() - 1) {
        for (index, events) in events.iter().enumerate() {
            harness.input_mut().events.extend(events.iter().cloned());
            if frames & 1 << index != 0 {
                harness.step();
            }
        }
        harness.run_steps(2);
        let mut held = Vec::new();
        for event in take(&mut harness) {
            match event {
                Event::NoteOn { key, .. } if !held.contains(&key) => held.push(key),
                Event::NoteOff { key, .. } if held.contains(&key) => held.retain(|k| *k != key),
                wrong => panic!("frames {frames:b}: {wrong:?} while {held:?} are held"),
            }
        }
        assert!(held.is_empty(), "frames {frames:b}: {held:?} go on");
    }
}

#[test]
fn a_tapped_pedal_stays_and_a_measured_force_is_louder() {
    let mut harness = harness(TELEPHONE);
    let pedal = harness.get_by_label("Sustain pedal").rect().center();
    let both = |id, phase| egui::Event::Touch {
        device_id: TouchDeviceId(0),
        id: TouchId::from(id),
        phase,
        pos: pedal,
        force: None,
    };
    // In one frame, because the harness advances 0.25 s with every event.
    harness.input_mut().events.extend([both(7u64, TouchPhase::Start), both(7, TouchPhase::End)]);
    harness.run_steps(2);
    assert_eq!(take(&mut harness), [Event::Sustain(1.0)]);
    let keys = harness.get_by_label("Piano keys").rect();
    let at = pos2(keys.min.x + 5.0, keys.max.y - 20.0);
    let mut speed = |force| {
        pressed(&mut harness, 9, TouchPhase::Start, at, force);
        pressed(&mut harness, 9, TouchPhase::Cancel, at, force);
        match take(&mut harness)[..] {
            [Event::NoteOn { velocity, .. }, Event::NoteOff { .. }] => velocity,
            ref played => panic!("{played:?}"),
        }
    };
    let [plain, light, hard] = [None, Some(0.1), Some(0.9)].map(&mut speed);
    assert!(light < plain && light < hard - 0.3, "{plain} {light} {hard}");
    // Screens without a sensor report 0 or 1.
    assert_eq!([Some(0.0), Some(1.0)].map(speed), [plain, plain]);
}

#[test]
fn the_strip_slides_to_the_lowest_and_highest_key() {
    let mut harness = harness(TELEPHONE);
    let keys = harness.get_by_label("Piano keys").rect();
    let slide = harness.get_by_label("Slide along the 88 keys").rect();
    for (end, midi) in [(slide.left_center(), 21), (slide.right_center(), 108)] {
        harness.drag_at(end);
        harness.run_steps(2);
        harness.drop_at(end);
        harness.run_steps(2);
        let inside = egui::vec2(6.0, -10.0);
        let at = if midi == 21 {
            keys.left_bottom() + inside
        } else {
            keys.right_bottom() - egui::vec2(6.0, 10.0)
        };
        touch(&mut harness, 2, TouchPhase::Start, at);
        touch(&mut harness, 2, TouchPhase::End, at);
        let played = take(&mut harness);
        assert!(
            matches!(played[..], [Event::NoteOn { key, .. }, ..] if key.midi() == midi),
            "{played:?}"
        );
    }
}

#[test]
fn the_menu_of_a_small_window_opens_every_face_and_more_shows_all_controls() {
    let mut harness = harness(TELEPHONE);
    for (face, name, _) in Face::tabs() {
        harness.get_by_role_and_label(Role::ComboBox, "Face").click();
        harness.run_steps(3);
        harness.get_by_role_and_label(Role::Button, name).click();
        harness.run_steps(3);
        assert_eq!(harness.state().window.face, face);
    }
    harness.state_mut().window.face = Face::Piano;
    harness.run_steps(3);
    let sliders =
        |harness: &Harness<'static, TestWindow>| harness.query_all_by_role(Role::Slider).count();
    let few = sliders(&harness);
    harness.get_by_label("More").click();
    harness.run_steps(3);
    assert!(sliders(&harness) >= few + 6);
    assert!(harness.query_by_label("Help").is_none());
    harness.get_by_label("More of the bar").click();
    harness.run_steps(3);
    for name in ["Help", "Zoom", "Save", "Next piano", "CPU", "Output meter"] {
        assert!(harness.query_by_label(name).is_some(), "{name}");
    }
}

/// The words are painted, not a control.
fn is_written(harness: &Harness<'static, TestWindow>, words: &str) -> bool {
    let has = |shape: &egui::Shape| matches!(shape, egui::Shape::Text(t) if t.galley.text().contains(words));
    harness.output().shapes.iter().any(|clipped| has(&clipped.shape))
}

#[test]
fn a_window_whose_host_runs_no_audio_says_so_until_the_piano_answers() {
    let mut harness = harness(TELEPHONE);
    harness.state_mut().window.face = Face::Piano;
    harness.run_steps(2);
    let keys = harness.get_by_label("Piano keys").rect();
    touch(&mut harness, 2, TouchPhase::Start, keys.left_bottom() + egui::vec2(6.0, -10.0));
    harness.run_steps(2);
    assert!(!is_written(&harness, "Nothing answers"));
    harness.run_steps(20);
    assert!(is_written(&harness, "Nothing answers"));
    take(&mut harness);
    harness.state_mut().window.show(&Snapshot { time: 1.0, ..Snapshot::default() });
    harness.run_steps(2);
    assert!(!is_written(&harness, "Nothing answers"));
}
