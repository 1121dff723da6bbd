use super::spec::{AFTERTOUCH, BLOW, LET_OFF};
use super::*;
use crate::simple::ActionKey;
use crate::{Drive, EventKind, Key, STEP};
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;

fn middle() -> ActionKey<Spec, STATES, 2, 3> {
    ActionKey::new(Spec::of_key(KeyNumber::from_midi(60).unwrap()))
}

/// Presses at `speed` m/s, holds until `seconds`, releases for 0.5 s; events with their times, s.
fn press(speed: f64, seconds: f64) -> Vec<(f64, EventKind, f64)> {
    let mut key = middle();
    let mut events = Vec::new();
    for i in 0..floor_index((seconds + 0.5) / STEP) {
        let t = i as f64 * STEP;
        let target = |t: f64| (speed * t).min(0.02);
        let drive =
            if t < seconds { Drive::Finger([target(t), target(t + STEP)]) } else { Drive::Free };
        key.step(drive, &mut |offset, event| {
            events.push((t + offset, event.kind(), event.value()));
        });
    }
    events
}

#[test]
fn blow_let_off_and_aftertouch_are_as_regulated() {
    let key = middle();
    let view = key.readout(Drive::Free);
    assert!((view.hammer + BLOW).abs() < 2e-4, "{view:?}");
    // In a slow press the crown is at the let-off distance when the beak slips.
    let mut played = middle();
    let mut slipped = None;
    for i in 0..24_000u32 {
        let depth = |i: u32| f64::from(i) * 1e-2 / 24_000.0;
        let drive = Drive::line([depth(i), depth(i + 1)]);
        let before = played.readout(drive);
        let mut off = false;
        played.step(drive, &mut |_, event| off |= event.kind() == EventKind::Release);
        if off {
            slipped = Some(before);
            break;
        }
    }
    let at = slipped.unwrap();
    assert!((at.hammer + LET_OFF).abs() < 3e-4, "{at:?}");
    assert!((played.spec.dip - at.key - AFTERTOUCH).abs() < 2e-4, "{at:?}");
}

#[test]
fn a_stroke_lets_off_strikes_and_resets_only_after_the_key_has_risen() {
    let events = press(0.15, 0.4);
    let at = |kind| events.iter().find(|e| e.1 == kind).copied();
    let strike = at(EventKind::Strike).unwrap();
    assert!((0.3..5.0).contains(&strike.2), "{strike:?}");
    assert!(at(EventKind::Release).unwrap().0 < strike.0, "{events:?}");
    let reset = at(EventKind::Reset).unwrap();
    assert!(reset.0 > 0.4, "{events:?}");
    assert_eq!(events.iter().filter(|e| e.1 == EventKind::Strike).count(), 1, "{events:?}");
}

#[test]
fn a_slow_press_lets_off_without_a_strike() {
    let events = press(0.01, 1.5);
    assert!(events.iter().all(|e| e.1 != EventKind::Strike), "{events:?}");
    assert!(events.iter().any(|e| e.1 == EventKind::Release));
}

#[test]
fn without_a_repetition_lever_a_key_does_not_repeat_from_half_way() {
    // Strike, hold, rise to half the dip, press again.
    let mut key = middle();
    let mut strikes = 0;
    for i in 0..6400 {
        let at = |i: u32| match f64::from(i) * STEP {
            t if t < 0.1 => 0.02 * t / 0.1,
            t if t < 0.4 => 0.02,
            t if t < 0.5 => 0.02 + (0.004 - 0.02) * (t - 0.4) / 0.1,
            t => (0.004 + 0.4 * (t - 0.5)).min(0.02),
        };
        key.step(Drive::Finger([at(i), at(i + 1)]), &mut |_, event| {
            strikes += u32::from(event.kind() == EventKind::Strike);
        });
    }
    assert_eq!(strikes, 1);
}
