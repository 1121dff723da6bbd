use super::*;
use crate::grand::GrandKey;
use crate::interface::hand::Hand;
use crate::interface::key_sheet::KeySheet;
use crate::{Drive, Key, KeyEvent};
use touchback_core::math::kernel::Kernel;

fn key(number: u8) -> KeyNumber {
    KeyNumber::from_number(number).unwrap()
}

/// Simulated hammer speed of a press, m/s; 0 if the hammer does not reach the string.
fn simulated(number: u8, settings: &ActionSettings, mut hand: Hand) -> f64 {
    let mut key = GrandKey::new(key(number), settings);
    let mut struck = None;
    for _ in 0..probe::MAX_STEPS {
        let drive = Drive::Force(hand.step(key.front()));
        key.step(drive, &mut |_, event| {
            if let KeyEvent::Strike { speed } = event {
                struck = struck.or(Some(speed));
            }
        });
        if struck.is_some() {
            break;
        }
    }
    struck.unwrap_or(0.0)
}

#[test]
fn the_standard_regulation_returns_every_speed_bit_by_bit() {
    let standard = ActionSettings::default();
    let voiced = ActionSettings { hammer_hardness: 1.0, strike_point: 1.2, ..standard.clone() };
    for settings in [standard, voiced] {
        let mut efforts = Efforts::new(&settings, true);
        for number in [1, 33, 88] {
            for speed in [0.02, 0.31, 2.0, 7.7, 16.0] {
                assert_eq!(efforts.hammer_speed(key(number), speed), Some(speed));
            }
        }
    }
}

#[test]
fn interpolated_hammer_speeds_agree_with_simulated_presses() {
    let standard = ActionSettings::default();
    let others = [
        ActionSettings { hammer_mass: 1.5, ..standard.clone() },
        ActionSettings { key_mass: 1.6, friction: 1.8, ..standard.clone() },
        ActionSettings { let_off_mm: 4.0, key_lead_g: -10.0, ..standard.clone() },
    ];
    for settings in others {
        let mut efforts = Efforts::new(&settings, true);
        let mut most = 0.0_f64;
        for number in [10, 40, 75] {
            for force in [4.0, 15.0, 90.0, 560.0] {
                let hand = Hand::pressing(0.0, force, 0.0);
                let named = simulated(number, &standard, hand);
                let given = simulated(number, &settings, hand);
                let found = efforts.hammer_speed(key(number), named).unwrap_or(0.0);
                assert!(
                    (found / given - 1.0).abs() < 0.03,
                    "key {number}, {force} N: {named} becomes {given}, interpolated {found}"
                );
                most = most.max((given / named - 1.0).abs());
            }
        }
        assert!(most > 0.01, "{settings:?} changes at most {most}");
    }
}

#[test]
fn a_press_too_weak_for_its_regulation_does_not_strike() {
    let heavy =
        ActionSettings { hammer_mass: 2.0, friction: 2.0, key_lead_g: 20.0, ..Default::default() };
    let mut efforts = Efforts::new(&heavy, true);
    assert_eq!(efforts.hammer_speed(key(40), 0.2), None);
    let found = efforts.hammer_speed(key(40), 3.0);
    assert!(found.is_some_and(|speed| speed < 2.8), "{found:?}");
}

#[test]
fn a_new_regulation_takes_effect_when_it_is_fully_measured() {
    let standard = ActionSettings::default();
    let heavy = ActionSettings { hammer_mass: 2.0, ..standard.clone() };
    let mut efforts = Efforts::new(&standard, true);
    let whole = Efforts::new(&heavy, true).hammer_speed(key(40), 2.0);
    efforts.follow(&heavy, false);
    assert!(efforts.is_current(), "not needed");
    efforts.follow(&heavy, true);
    let mut steps = 0;
    while !efforts.is_current() {
        assert_eq!(efforts.hammer_speed(key(40), 2.0), Some(2.0));
        efforts.step(false);
        steps += 1;
    }
    assert!(steps < Efforts::LONGEST, "{steps}");
    assert_eq!(efforts.hammer_speed(key(40), 2.0), whole);
    let still = still_steps(&heavy);
    assert!(3 * still < steps, "{still} steps without a moving key, {steps} with one");
    efforts.follow(&standard, true);
    assert_eq!(efforts.hammer_speed(key(40), 2.0), Some(2.0));
    assert!(efforts.is_current());
}

/// Action steps without a moving key until `settings` are in effect.
fn still_steps(settings: &ActionSettings) -> usize {
    let mut efforts = Efforts::new(&ActionSettings::default(), true);
    efforts.follow(settings, true);
    let mut steps = 0;
    while !efforts.is_current() {
        efforts.step(true);
        steps += 1;
    }
    steps
}

/// Notes under a regulation that takes effect at any time of its measurement have the speeds of the whole
/// grid, and the measurement still ends.
#[test]
fn an_adopted_regulation_is_measured_where_its_notes_need_it() {
    let heavy = ActionSettings { hammer_mass: 1.7, friction: 1.4, ..Default::default() };
    let mut whole = Efforts::new(&heavy, true);
    for steps in [0, 1, 300, 1500] {
        let mut efforts = Efforts::new(&ActionSettings::default(), true);
        efforts.follow(&heavy, true);
        (0..steps).for_each(|_| efforts.step(true));
        assert_eq!(efforts.hammer_speed(key(40), 2.0), Some(2.0));
        efforts.adopt();
        let notes = [(40, 2.0), (1, 0.1), (68, 2.1), (88, 6.0), (50, 0.02), (3, f64::NAN)];
        for (number, speed) in notes {
            let [found, meant] =
                [&mut efforts, &mut whole].map(|e| e.hammer_speed(key(number), speed));
            assert_eq!(found, meant, "key {number}, {speed} m/s after {steps} steps");
            (0..7).for_each(|_| efforts.step(false));
        }
        assert!(!efforts.is_current());
        (0..Efforts::LONGEST).for_each(|_| efforts.step(false));
        assert!(efforts.is_current());
        assert_eq!(efforts.grid.energies(), whole.grid.energies(), "after {steps} steps");
    }
}

/// A regulation that changes while an adopted one is incomplete.
#[test]
fn an_adopted_regulation_stays_in_effect_until_the_next_is_measured() {
    let heavy = ActionSettings { hammer_mass: 1.7, ..Default::default() };
    let light = ActionSettings { hammer_mass: 0.7, ..Default::default() };
    let mut efforts = Efforts::new(&ActionSettings::default(), true);
    let [of_heavy, of_light] = [heavy.clone(), light.clone()]
        .map(|settings| Efforts::new(&settings, true).hammer_speed(key(75), 1.3));
    efforts.follow(&heavy, true);
    efforts.adopt();
    efforts.follow(&light, true);
    assert_eq!(efforts.hammer_speed(key(75), 1.3), of_heavy);
    while !efforts.is_current() {
        assert_eq!(efforts.hammer_speed(key(75), 1.3), of_heavy);
        efforts.step(true);
    }
    assert_eq!(efforts.hammer_speed(key(75), 1.3), of_light);
    assert_ne!(of_heavy, of_light);
}

/// Bits of the grid under `settings`, measured step by step by `kernel`, and the number of steps.
fn measured(settings: &ActionSettings, kernel: Kernel) -> (Vec<u64>, usize) {
    let mut efforts = Efforts::with_kernel(&ActionSettings::default(), true, kernel);
    efforts.follow(settings, true);
    let mut steps = 0;
    while !efforts.is_current() {
        efforts.step(false);
        steps += 1;
    }
    (efforts.grid.energies().as_flattened().iter().map(|energy| energy.to_bits()).collect(), steps)
}

#[test]
fn every_kernel_measures_the_same_bits_in_the_same_number_of_steps() {
    let heavy = ActionSettings { hammer_mass: 1.7, friction: 1.6, ..Default::default() };
    let plain = measured(&heavy, Kernel::Plain);
    for kernel in Kernel::available() {
        assert_eq!(measured(&heavy, kernel), plain, "{kernel:?}");
    }
}

#[test]
fn presses_in_lanes_equal_those_of_single_keys_bit_by_bit() {
    let settings = ActionSettings { let_off_mm: 2.5, key_mass: 1.3, ..Default::default() };
    let energies = probe::Probe::new(Kernel::detect()).measure(&settings);
    for row in [0, 2, 5] {
        let number = [1, 40, 88][row / 2];
        assert_eq!(pressing::HAMMER[row].0, f64::from(number));
        let single = GrandKey::new(key(number), &settings);
        for effort in [3, 9, 14, 17] {
            let force = [&pressing::FORCE[..], &BEYOND[..]].concat()[effort];
            let hand = Hand::pressing(single.front()[0], force, 0.0);
            let speed = simulated(number, &settings, hand);
            assert_eq!(energies[row][effort], speed * speed, "key {number}, {force} N");
        }
    }
}

#[test]
fn settings_that_are_nan_or_out_of_range_are_measured_too() {
    let bad = ActionSettings { hammer_mass: f64::NAN, let_off_mm: 1e9, ..Default::default() };
    let mut efforts = Efforts::new(&bad, true);
    assert!(efforts.is_current());
    for speed in [0.0, 0.5, 8.0, f64::NAN, f64::INFINITY] {
        let found = efforts.hammer_speed(key(40), speed);
        assert!(found.is_none_or(|v| v > 0.0), "{speed}: {found:?}");
    }
}

#[test]
fn the_stored_tables_agree_with_the_action() {
    let difference = Tables::in_use().largest_difference(&Tables::measured());
    assert!(
        difference < 0.005,
        "{difference}: write efforts/table.rs anew by `touchback lab efforts`"
    );
}

#[test]
fn the_hammer_speed_of_a_differing_key_agrees_with_its_simulation() {
    let standard = ActionSettings::default();
    let mut uneven = ActionSettings { hammer_mass: 1.2, ..standard.clone() };
    let mut even = Efforts::new(&uneven, true);
    uneven.keys = "key,let_off_mm,key_lead_g,strike_weight_g,friction\n\
                   10,1,,,\n30,,4,,0.2\n40,0.5,-3,0.4,0.1\n75,,,-0.5,-0.2\n"
        .parse::<KeySheet>()
        .unwrap()
        .action;
    let mut efforts = Efforts::new(&uneven, true);
    for number in [10, 30, 40, 75] {
        for force in [5.0, 15.0, 90.0] {
            let hand = Hand::pressing(0.0, force, 0.0);
            let named = simulated(number, &standard, hand);
            let given = simulated(number, &uneven, hand);
            let found = efforts.hammer_speed(key(number), named).unwrap_or(0.0);
            assert!(
                (found / given - 1.0).abs() < 0.03,
                "key {number}, {force} N: {named} becomes {given}, interpolated {found}"
            );
        }
        assert_ne!(efforts.hammer_speed(key(number), 1.0), even.hammer_speed(key(number), 1.0));
    }
    assert_eq!(efforts.hammer_speed(key(41), 1.0), even.hammer_speed(key(41), 1.0));
}
