use super::*;
use crate::grand::GrandKey;
use crate::interface::hand::Hand;
use crate::{Drive, Key, KeyEvent};
use touchback_core::math::kernel::Kernel;

fn key(number: u8) -> KeyNumber {
    KeyNumber::from_index(usize::from(number) - 1).unwrap()
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
    let voiced = ActionSettings { hammer_hardness: 1.0, strike_point: 1.2, ..standard };
    for settings in [standard, voiced] {
        let efforts = Efforts::new(&settings, true);
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
        ActionSettings { hammer_mass: 1.5, ..standard },
        ActionSettings { key_mass: 1.6, friction: 1.8, ..standard },
        ActionSettings { let_off_mm: 4.0, key_lead_g: -10.0, ..standard },
    ];
    for settings in others {
        let efforts = Efforts::new(&settings, true);
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
    let efforts = Efforts::new(&heavy, true);
    assert_eq!(efforts.hammer_speed(key(40), 0.2), None);
    let found = efforts.hammer_speed(key(40), 3.0);
    assert!(found.is_some_and(|speed| speed < 2.8), "{found:?}");
}

#[test]
fn a_new_regulation_takes_effect_when_it_is_fully_measured() {
    let standard = ActionSettings::default();
    let heavy = ActionSettings { hammer_mass: 2.0, ..standard };
    let mut efforts = Efforts::new(&standard, true);
    let whole = Efforts::new(&heavy, true).hammer_speed(key(40), 2.0);
    efforts.follow(&heavy, false);
    assert!(efforts.is_current(), "not needed");
    efforts.follow(&heavy, true);
    let mut steps = 0;
    while !efforts.is_current() {
        assert_eq!(efforts.hammer_speed(key(40), 2.0), Some(2.0));
        efforts.step();
        steps += 1;
    }
    assert!(steps < Efforts::LONGEST, "{steps}");
    assert_eq!(efforts.hammer_speed(key(40), 2.0), whole);
    efforts.follow(&standard, true);
    assert_eq!(efforts.hammer_speed(key(40), 2.0), Some(2.0));
    assert!(efforts.is_current());
}

/// Bits of the grid under `settings`, measured step by step by `kernel`, and the number of steps.
fn measured(settings: &ActionSettings, kernel: Kernel) -> (Vec<u64>, usize) {
    let mut efforts = Efforts::with_kernel(&ActionSettings::default(), true, kernel);
    efforts.follow(settings, true);
    let mut steps = 0;
    while !efforts.is_current() {
        efforts.step();
        steps += 1;
    }
    (
        efforts.energies.unwrap().as_flattened().iter().map(|energy| energy.to_bits()).collect(),
        steps,
    )
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
    let efforts = Efforts::new(&bad, true);
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
    let mut uneven = ActionSettings { hammer_mass: 1.2, ..standard };
    let even = Efforts::new(&uneven, true);
    uneven.keys = "key,let_off_mm,key_lead_g,strike_weight_g,friction\n\
                   10,1,,,\n30,,4,,0.2\n40,0.5,-3,0.4,0.1\n75,,,-0.5,-0.2\n"
        .parse()
        .unwrap();
    let efforts = Efforts::new(&uneven, true);
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
