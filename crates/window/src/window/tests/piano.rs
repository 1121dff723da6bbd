//! Tests of the piano's face.

use super::hands::{click, drag};
use super::*;
use crate::shot::Shot;

const PICTURE: &str = "Moving action of C4: see the last stroke slowly";

fn piano(size: (f32, f32)) -> Harness<'static, TestWindow> {
    let mut harness = harness(size);
    open(&mut harness, "Piano");
    harness
}

#[test]
fn the_moving_action_has_more_than_half_of_the_height_at_every_size() {
    for size in
        [(720.0, 480.0), (1180.0, 760.0), (1920.0, 1080.0), (3840.0, 2160.0), (900.0, 1400.0)]
    {
        let harness = piano(size);
        let picture = harness.get_by_label(PICTURE).rect();
        // The harness has a margin of 8 points around the window.
        assert!(picture.height() > 0.5 * (size.1 - 16.0), "{size:?}: {picture:?}");
        let strip = harness.get_by_label("Piano keys").rect();
        for name in ["Tone", "Room", "Level", "Limiter", "Calibrate this keyboard"] {
            let rect = harness.get_all_by_label(name).last().unwrap().rect();
            let is_below = rect.top() >= picture.bottom() && rect.bottom() < strip.top();
            assert!(is_below && rect.right() < size.0, "{name} at {size:?}: {rect:?} {picture:?}");
        }
    }
}

#[test]
fn one_control_moves_its_parameters_as_one_edit() {
    let mut harness = piano((1180.0, 760.0));
    drag(&mut harness, Role::Slider, "Tone", egui::vec2(40.0, 0.0));
    let values = |harness: &Harness<'static, TestWindow>| {
        ["hammer_hardness", "strike_point"]
            .map(|id| harness.state().connection.value(parameter(id)))
    };
    let [hard, point] = values(&harness);
    assert!(hard > 0.5 && point < 0.95, "{hard} {point}");
    assert!(harness.state().connection.held.is_empty());
    assert_eq!(harness.state().window.session.history.undoes(), Some("Tone"));
    click(&mut harness, "Undo");
    assert_eq!(values(&harness), [0.0, 1.0]);
    click(&mut harness, "Redo");
    assert_eq!(values(&harness), [hard, point]);
    // By arrow keys, and by a list and a switch beside the sliders.
    harness.get_by_role_and_label(Role::Slider, "Wear").focus();
    harness.run_steps(2);
    harness.key_press(egui::Key::ArrowRight);
    harness.run_steps(2);
    assert!(harness.state().connection.value(parameter("unevenness")) > 0.0);
    harness.get_by_role_and_label(Role::CheckBox, "Limiter").click();
    harness.run_steps(2);
    assert_eq!(harness.state().connection.value(parameter("output_guard")), 0.0);
}

#[test]
fn escape_cancels_a_drag_of_several_parameters() {
    let mut harness = piano((1180.0, 760.0));
    let at = harness.get_by_role_and_label(Role::Slider, "Room").rect().center();
    harness.drag_at(at);
    harness.run_steps(2);
    harness.hover_at(at + egui::vec2(30.0, 0.0));
    harness.run_steps(2);
    assert_eq!(harness.state().connection.held.len(), 3);
    assert!(harness.state().connection.value(parameter("room_size")) > 10.0);
    harness.key_press(egui::Key::Escape);
    harness.run_steps(2);
    harness.drop_at(at + egui::vec2(30.0, 0.0));
    harness.run_steps(2);
    assert!(harness.state().connection.held.is_empty());
    assert_eq!(harness.state().connection.value(parameter("room_size")), 9.0);
    assert_eq!(harness.state().window.session.history.undoes(), None);
}

#[test]
fn a_click_into_the_picture_shows_the_last_stroke_slowly() {
    let mut harness = piano((1180.0, 760.0));
    let settings = harness.state().connection.settings.action.clone();
    harness.state_mut().window.try_press(&settings);
    harness.state_mut().window.transport.is_live = true;
    harness.run_steps(2);
    harness.get_by_label(PICTURE).click();
    harness.run_steps(10);
    let transport = &harness.state().window.transport;
    assert!(!transport.is_live && transport.runs);
    click(&mut harness, "Slow motion");
    assert!(harness.state().window.transport.is_live);
    click(&mut harness, "Hear a phrase");
    assert!(harness.state().window.preview.is_up());
    open(&mut harness, "Voice");
    assert!(!harness.state().window.preview.is_up());
}

#[test]
fn every_pedal_is_pressed_and_lifted() {
    let mut harness = piano((1180.0, 760.0));
    for name in ["Una corda pedal", "Sostenuto pedal", "Sustain pedal"] {
        harness.get_by_label(name).click();
        harness.run_steps(2);
    }
    let snapshot = &mut harness.state_mut().window.snapshot;
    (snapshot.una_corda, snapshot.sostenuto, snapshot.sustain) = (1.0, 1.0, 1.0);
    harness.run_steps(2);
    harness.get_by_label("Sostenuto pedal").click();
    harness.run_steps(2);
    assert_eq!(
        harness.state().play,
        [Event::UnaCorda(1.0), Event::Sostenuto(1.0), Event::Sustain(1.0), Event::Sostenuto(0.0)]
    );
}

/// After a stroke the caption stands, fades and then requests no frame.
#[test]
fn a_caption_fades_and_the_window_rests() {
    let shot = Shot { face: Face::Piano, ..Shot::default() };
    let mut window = shot.window();
    window.transport.is_live = true;
    let mut connection = DetachedControls::default();
    let mut play = Vec::new();
    let mut screen = crate::offscreen::Offscreen::default();
    window.apply_theme(&screen.context);
    let mut frame = || {
        let output = screen.frame(shot.size, 1.0, Vec::new(), |ui| {
            window.ui(ui, &mut connection, &mut play);
        });
        let delay = output.viewport_output[&egui::ViewportId::ROOT].repaint_delay;
        egui::FullOutput::drop_without_applying_deltas(output);
        delay
    };
    // 2.5 s of frames at 60 a second for the caption, and the meter's fall from full scale.
    let requested = (0..120).filter(|_| frame() != std::time::Duration::MAX).count();
    assert!(requested > 100, "{requested}");
    let late = (0..600).filter(|_| frame() != std::time::Duration::MAX).count();
    assert!(late < 500, "{late}");
    assert!((0..60).all(|_| frame() == std::time::Duration::MAX));
}
