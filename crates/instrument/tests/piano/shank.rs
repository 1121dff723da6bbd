//! Bending of the hammer's shank.

use std::f64::consts::TAU;

use touchback_action::grand::design::concert::{Built, Design};
use touchback_action::grand::{GrandKey, state};
use touchback_action::{ActionSettings, Drive, Key, KeyEvent, STEP};
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;

fn built(number: usize) -> Built {
    let key = KeyNumber::from_index(number - 1).unwrap();
    Design::new(key).build(&ActionSettings::default())
}

/// Runs `seconds` under `drive`. Returns the bend after each step, rad.
fn bends(key: &mut GrandKey, seconds: f64, drive: Drive) -> Vec<f64> {
    let steps = floor_index(seconds / STEP);
    let step = |_| {
        key.step(drive, &mut |_, _: KeyEvent| {});
        key.state().x[state::BEND]
    };
    (0..steps).map(step).collect()
}

#[test]
fn a_shank_held_at_its_butt_or_in_flight_has_the_measured_frequencies() {
    for number in 1..=88 {
        let h = built(number).spec.hammer;
        let (share, k) = (h.bend_share(), h.shank.stiffness);
        let held = (k / h.head_inertia()).sqrt() / share / TAU;
        assert!((50.0..=93.0).contains(&held), "key {number}: {held} Hz");
        let both = h.head_inertia() * h.butt_inertia() / h.inertia;
        let flying = (k / both).sqrt() / share / TAU;
        assert!((250.0..=350.0).contains(&flying), "key {number}: {flying} Hz");
    }
}

#[test]
fn the_shank_of_a_hammer_in_flight_swings_at_its_frequency_and_decays() {
    let built = built(40);
    let h = built.spec.hammer;
    let mut start = *GrandKey::built(built).state();
    // Thrown from rest, clear of jack and lever, with its shank bent.
    start.x[state::HAMMER] = -0.2;
    start.x[state::HAMMER_SPEED] = 2.0;
    start.x[state::BEND] = 0.02;
    let mut key = GrandKey::from_state(built.spec, start);
    let course = bends(&mut key, 0.04, Drive::Free);
    let rises: Vec<usize> =
        (1..course.len()).filter(|&i| course[i - 1] < 0.0 && course[i] >= 0.0).collect();
    let periods = (rises.len() - 1) as f64;
    let measured = periods / ((rises[rises.len() - 1] - rises[0]) as f64 * STEP);
    let both = h.head_inertia() * h.butt_inertia() / h.inertia;
    let expected = (h.shank.stiffness / both).sqrt() / h.bend_share() / TAU;
    assert!((measured / expected - 1.0).abs() < 0.03, "{measured} {expected}");
    let most = |part: &[f64]| part.iter().fold(0.0f64, |m, b| m.max(b.abs()));
    let (early, late) = (most(&course[..40]), most(&course[course.len() - 40..]));
    assert!(late < 0.6 * early && late > 1e-4, "{early} {late}");
}

#[test]
fn a_shank_at_rest_sags_under_the_head() {
    for number in [1, 40, 88] {
        let built = built(number);
        let h = built.spec.hammer;
        let mut key = GrandKey::built(built);
        let weight = 9.806_65 * h.mass * h.centre.x;
        let sags = key.state().x[state::BEND];
        assert!((sags / h.bend_under(weight) - 1.0).abs() < 0.15, "{number}: {sags}");
        let still = bends(&mut key, 0.1, Drive::Free);
        assert!(still.iter().all(|b| (b - sags).abs() < 1e-6), "{number}");
    }
}

#[test]
fn a_hard_blow_bends_the_shank_but_not_a_rigid_one() {
    let mut blow = GrandKey::built(built(40));
    let bent = bends(&mut blow, 0.02, Drive::Force([60.0; 2]));
    let most = bent.iter().fold(0.0f64, |m, b| m.max(b.abs()));
    assert!((0.01..0.15).contains(&most), "{most}");
    let mut stiff = built(40);
    stiff.spec.hammer.shank.stiffness = 0.0;
    let straight = bends(&mut GrandKey::built(stiff), 0.02, Drive::Force([60.0; 2]));
    assert!(straight.iter().all(|b| *b == 0.0));
}
