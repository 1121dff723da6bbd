use super::table::MACROS;
use super::*;
use crate::state::controls::DetachedControls;
use crate::state::history::{History, Recorded};

#[test]
fn every_control_moves_known_parameters_within_their_ranges_and_knows_the_standard_piano() {
    for control in &MACROS {
        assert_eq!(control.moved().count(), control.courses.len(), "{}", control.name);
        for (parameter, course) in control.moved() {
            let (low, high) = (parameter.min() - 1e-9, parameter.max() + 1e-9);
            assert!(course.values.iter().all(|v| (low..=high).contains(v)), "{}", parameter.id);
            let rises = course.values[1] > course.values[0];
            assert!(course.values.windows(2).all(|w| (w[1] > w[0]) == rises), "{}", parameter.id);
            // Every parameter of one control is at the same place on the standard piano.
            let at = course.position(parameter.default_value());
            assert!((at - control.standard()).abs() < 1e-12, "{}", parameter.id);
        }
    }
}

#[test]
fn positions_and_values_are_inverse_and_the_ends_are_reached() {
    for control in &MACROS {
        let mut controls = DetachedControls::default();
        for position in [0.0, 0.1, 0.37, 0.5, 0.9, 1.0, 0.2] {
            let values = control.values(position, |p| controls.value(p));
            for (parameter, value) in values {
                controls.put(parameter, value);
            }
            let found = control.position(|p| controls.value(p));
            // Parameters are rounded to what a host keeps.
            assert!((found - position).abs() < 1e-3, "{} {position}: {found}", control.name);
        }
    }
}

#[test]
fn differences_between_the_parameters_stay_on_the_way() {
    let tone = macro_named("Tone").unwrap();
    let mut controls = DetachedControls::default();
    controls.put(find("hammer_hardness").unwrap(), -0.9);
    let before = tone.position(|p| controls.value(p));
    assert!((before - 0.375).abs() < 1e-9);
    for (parameter, value) in tone.values(0.6, |p| controls.value(p)) {
        controls.put(parameter, value);
    }
    let [hard, point] = [0, 1].map(|i| {
        let course = &tone.courses[i];
        course.position(controls.value(find(course.id).unwrap()))
    });
    assert!(point - hard > 0.1 && (0.5 * (hard + point) - 0.6).abs() < 1e-3, "{hard} {point}");
    // A value beyond the course's end stays there while the control moves outward.
    controls.put(find("hammer_hardness").unwrap(), 2.0);
    controls.put(find("strike_point").unwrap(), 1.0);
    for (parameter, value) in tone.values(0.9, |p| controls.value(p)) {
        controls.put(parameter, value);
    }
    assert_eq!(controls.value(find("hammer_hardness").unwrap()), 2.0);
}

#[test]
fn a_move_of_several_parameters_is_one_edit() {
    let tone = macro_named("Tone").unwrap();
    let mut controls = DetachedControls::default();
    let mut history = History::default();
    let mut recorded = Recorded { controls: &mut controls, history: &mut history };
    let values = tone.values(0.8, |p| recorded.value(p));
    let parameters: Vec<_> = values.iter().map(|(p, _)| *p).collect();
    for (parameter, value) in &values {
        recorded.begin(parameter);
        recorded.set(parameter, *value);
    }
    recorded.end_together("Tone", &parameters);
    assert_eq!(history.undoes(), Some("Tone"));
    history.undo(&mut controls);
    assert_eq!(history.undoes(), None);
    assert!((tone.position(|p| controls.value(p)) - 0.5).abs() < 1e-9);
    assert!(controls.held.is_empty());
}
