use super::*;
use crate::interface::hand::Hand;
use crate::interface::key_sheet::KeySheet;
use crate::simple::{ActionKey, viennese};

fn key(number: usize) -> KeyNumber {
    KeyNumber::from_index(number - 1).unwrap()
}

#[test]
fn a_regulated_key_measures_as_it_was_regulated() {
    let settings = ActionSettings { let_off_mm: 2.2, drop_mm: 1.4, ..Default::default() };
    for number in [4, 40, 80] {
        let found = Weighed::of(key(number), &settings);
        assert!((found.let_off_mm - 2.2).abs() < 0.15, "{number}: {found:?}");
        assert!((found.drop_mm - 1.4).abs() < 0.2, "{number}: {found:?}");
        assert!((found.blow_mm - 47.0).abs() < 1e-6 && found.dip_mm == 10.0);
        assert!((33.0..41.0).contains(&found.balance_weight_g()), "{number}: {found:?}");
        assert!((8.0..20.0).contains(&found.friction_weight_g()), "{number}: {found:?}");
        assert!((4.0..7.0).contains(&found.action_ratio), "{number}: {found:?}");
        assert!(found.after_touch_mm > 0.3 && found.inertia_g > 50.0, "{number}: {found:?}");
    }
}

#[test]
fn changes_of_lead_weight_and_screws_are_measured() {
    let standard = Weighed::of(key(40), &ActionSettings::default());
    let sheet = "key,key_lead_g,strike_weight_g,let_off_mm\n40,6,0.5,1\n";
    let keys = sheet.parse::<KeySheet>().unwrap().action;
    let changed = ActionSettings { keys, ..Default::default() };
    let found = Weighed::of(key(40), &changed);
    assert_eq!(Weighed::of(key(41), &changed), Weighed::of(key(41), &Default::default()));
    assert!((standard.front_weight_g - found.front_weight_g - 6.0).abs() < 1e-9);
    assert!((found.strike_weight_g - standard.strike_weight_g - 0.5).abs() < 0.02);
    let heavier = found.balance_weight_g() - standard.balance_weight_g();
    // The removed lead, and the added strike weight times the action ratio.
    assert!((7.5..10.5).contains(&heavier), "{heavier}");
    // Let-off farther from the string needs a lower button.
    let turns = (found.button_mm - standard.button_mm) / 0.7;
    assert!((-2.0..-0.05).contains(&turns), "{turns}");
}

#[test]
fn a_hammer_in_the_backcheck_has_no_drop() {
    let uneven = ActionSettings { unevenness: 1.0, ..Default::default() };
    for number in [4, 20, 45, 61] {
        let drop = Weighed::of(key(number), &uneven).drop_mm;
        assert!(drop.is_nan() || (0.5..6.0).contains(&drop), "{number}: {drop}");
    }
}

#[test]
fn a_missing_measurement_has_its_reason() {
    let with = |change: fn(&mut ActionSettings)| {
        let mut settings = ActionSettings::default();
        change(&mut settings);
        settings
    };
    for (number, settings, id, reason) in [
        (40, with(|s| s.drop_mm = 4.0), "drop_mm", "the hammer falls to the check"),
        (71, with(|s| s.friction = 0.0), "drop_mm", "the hammer swings"),
        (40, with(|s| s.jack_clearance_mm = 1.0), "let_off_mm", "the jack does not slip"),
        (40, with(|s| s.jack_position_mm = -4.0), "after_touch_mm", "the jack does not slip"),
    ] {
        let found = Weighed::of(key(number), &settings);
        let figure = FIGURES.iter().find(|figure| figure.id == id).unwrap();
        assert_eq!(found.missing(figure), Some(reason), "{found:?}");
        assert!(FIGURES.iter().all(|f| (f.get)(&found).is_nan() == found.missing(f).is_some()));
    }
}

/// A button so high that the drop screw holds the hammer at the string: a soft press mutes the string. A technician
/// is warned.
#[test]
fn a_let_off_past_the_string_blocks_the_hammer_there_with_a_warning() {
    let held = |let_off_mm: f64| {
        let settings = ActionSettings { let_off_mm, ..Default::default() };
        let built = Design::new(key(40)).build(&settings);
        let (mut played, mut on_string) = (GrandKey::built(built), 0);
        let mut hand = Hand::pressing(0.0, 3.0, 0.0);
        for _ in 0..8000 {
            played.step(Drive::Force(hand.step(played.front())), &mut |_, _| {});
            on_string += usize::from(below(&played) < 0.0);
        }
        let warned = built.regulated.limits.reasons().any(|r| r.starts_with("let_off_mm"));
        (on_string, warned, GrandKey::built(built).strike(1.0))
    };
    let (brief, warned, constructed) = held(0.3);
    assert!(brief < 40 && !warned && constructed, "{brief}");
    let (long, warned, constructed) = held(-2.5);
    assert!(long > 4000 && warned && !constructed, "{long}");
}

#[test]
fn every_figure_has_a_unique_name_and_a_value() {
    let found = Weighed::of(key(52), &ActionSettings::default());
    for (i, figure) in FIGURES.iter().enumerate() {
        assert!((figure.get)(&found).is_finite(), "{}", figure.id);
        assert!(FIGURES[..i].iter().all(|f| f.id != figure.id && f.name != figure.name));
    }
}

/// By its answers alone, the grand's key weighs as by its parts.
#[test]
fn a_key_of_any_action_is_weighed_by_its_answers() {
    let settings = ActionSettings::default();
    let mut built = Design::new(key(40)).build(&settings);
    built.spec.damper.present = false;
    let grand = Weighed::built(built);
    let found = Weighed::of_any(&GrandKey::built(built));
    for (name, a, b) in [
        ("down", grand.down_weight_g, found.down_weight_g),
        ("up", grand.up_weight_g, found.up_weight_g),
        ("inertia", grand.inertia_g, found.inertia_g),
        ("blow", grand.blow_mm, found.blow_mm),
    ] {
        assert!((a / b - 1.0).abs() < 1e-6, "{name}: {a} {b}");
    }
    assert!((grand.let_off_mm - found.let_off_mm).abs() < 0.3, "{grand:?} {found:?}");
    let found = Weighed::of_any(&ActionKey::new(viennese::Spec::of_key(key(40))));
    assert!((1.0..3.0).contains(&found.let_off_mm), "{found:?}");
    assert!((10.0..40.0).contains(&found.down_weight_g), "{found:?}");
}
