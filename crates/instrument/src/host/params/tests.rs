//! Tests of the whole table: ids, ranges, texts, defaults.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::Settings;
use touchback_core::math::cast::single;

/// Projects and automation use these ids: entries may be added, never renamed or removed.
const FROZEN: [(&str, &[&str]); 75] = [
    ("timing", &["Immediate", "Natural", "Look-ahead"]),
    ("latency", &["60 ms", "120 ms", "200 ms"]),
    ("velocity_means", &["Finger", "Hammer"]),
    ("velocity_map", &["SE290", "Disklavier", "Linear", "Gamma"]),
    ("softest_m_s", &[]),
    ("loudest_m_s", &[]),
    ("gamma", &[]),
    ("dynamics", &[]),
    ("release_m_s", &[]),
    ("soft_velocity", &[]),
    ("medium_velocity", &[]),
    ("loud_velocity", &[]),
    ("silent_below", &[]),
    ("strict_repetition", &["Off", "On"]),
    ("legato_repair", &["Off", "On"]),
    ("key_pressure", &["Ignored", "Position", "Force"]),
    ("pedal_polarity", &["Normal", "Inverted"]),
    ("pedal_from", &[]),
    ("pedal_to", &[]),
    ("pedal_repair", &["Off", "On"]),
    ("transpose", &[]),
    ("bend_range", &[]),
    ("mpe", &["Off", "On"]),
    ("mpe_bend_range", &[]),
    ("rpn", &["Off", "On"]),
    ("mts_esp", &["Off", "Exact", "Stretched"]),
    ("strike_output", &["Off", "Notes", "Notes and CC 88"]),
    ("key_dip_mm", &[]),
    ("blow_mm", &[]),
    ("let_off_mm", &[]),
    ("drop_mm", &[]),
    ("check_mm", &[]),
    ("jack_clearance_mm", &[]),
    ("damper_pickup", &[]),
    ("key_height_mm", &[]),
    ("capstan_mm", &[]),
    ("knuckle_mm", &[]),
    (
        "action",
        &[
            "Grand",
            "Simplified",
            "Model-A",
            "Model-B",
            "Viennese",
            "Harpsichord",
            "Ball",
            "Thesis-1996",
            "From file",
        ],
    ),
    ("strike_weight_g", &[]),
    ("repetition_spring", &[]),
    ("jack_spring", &[]),
    ("hammer_mass", &[]),
    ("key_mass", &[]),
    ("key_lead_g", &[]),
    ("knuckle_stiffness", &[]),
    ("key_bed_stiffness", &[]),
    ("friction", &[]),
    ("check_friction", &[]),
    ("damper_weight", &[]),
    ("unevenness", &[]),
    ("unevenness_seed", &[]),
    ("a4_hz", &[]),
    ("stretch", &[]),
    (
        "temperament",
        &[
            "Equal",
            "Pythagorean",
            "Quarter-comma",
            "Sixth-comma",
            "Werckmeister III",
            "Kirnberger III",
            "Vallotti",
            "Young II",
        ],
    ),
    ("unison_width_cents", &[]),
    ("string_length", &[]),
    ("strike_point", &[]),
    ("hammer_hardness", &[]),
    ("sustain", &[]),
    ("brightness_loss", &[]),
    ("damper_time", &[]),
    ("board", &[]),
    ("knocks", &[]),
    ("width", &[]),
    ("lid", &[]),
    ("perspective", &["Player", "Audience", "Near"]),
    ("distance", &[]),
    ("room_db", &[]),
    ("room_size", &[]),
    ("room_time", &[]),
    ("output_db", &[]),
    ("output_guard", &["Off", "On"]),
    ("economy", &["Off", "On"]),
    ("jack_position_mm", &[]),
    ("evenness_db", &[]),
];

/// Every leaf of the settings by its field name.
fn leaves(settings: &Settings) -> BTreeMap<String, String> {
    fn walk(value: &serde_json::Value, name: &str, into: &mut BTreeMap<String, String>) {
        match value {
            serde_json::Value::Object(fields) => {
                fields.iter().for_each(|(field, value)| walk(value, field, into));
            }
            leaf => assert!(into.insert(name.to_owned(), leaf.to_string()).is_none(), "{name}"),
        }
    }
    let mut into = BTreeMap::new();
    walk(&serde_json::to_value(settings).unwrap(), "", &mut into);
    into
}

#[test]
fn ids_and_choices_are_frozen() {
    assert_eq!(all().len(), COUNT);
    let table: Vec<_> = all().map(|p| (p.id, p.choices())).collect();
    assert_eq!(table, FROZEN);
}

#[test]
fn every_setting_has_one_parameter_of_its_name() {
    let fields: BTreeSet<_> = leaves(&Settings::default()).into_keys().collect();
    let ids: BTreeSet<_> = all().map(|p| p.id.to_owned()).collect();
    assert_eq!(ids, fields);
}

#[test]
fn a_parameter_changes_its_own_setting_and_no_other() {
    let default = Settings::default();
    for parameter in all() {
        let ends = [parameter.min(), parameter.max()];
        let value = ends[usize::from(ends[0].to_bits() == parameter.default_value().to_bits())];
        let mut settings = default.clone();
        parameter.set(&mut settings, value);
        assert_eq!(parameter.get(&settings), value, "{}", parameter.id);
        let before = leaves(&default);
        let changed: Vec<_> =
            leaves(&settings).into_iter().filter(|(name, leaf)| before[name] != *leaf).collect();
        assert_eq!(changed.len(), 1, "{}: {changed:?}", parameter.id);
        assert_eq!(changed[0].0, parameter.id);
    }
}

#[test]
fn declarations_are_consistent() {
    for p in all() {
        let default = p.default_value();
        assert!(p.min() < p.max(), "{}", p.id);
        assert!((p.min()..=p.max()).contains(&default), "{}", p.id);
        assert!(p.suffix.is_empty() || p.suffix.starts_with(' '), "{}", p.id);
        assert!(!p.name.is_empty() && p.doc.ends_with('.'), "{}", p.id);
        for value in [p.min(), p.max(), default] {
            assert_eq!(p.parse(&p.text(value)).unwrap(), value, "{}", p.id);
        }
        if let ValueKind::Number { centre: Some(centre), .. } = p.kind {
            assert!((p.plain(0.5) - centre).abs() < 1e-4 * p.max().abs(), "{}", p.id);
        }
    }
}

#[test]
fn hashed_ids_are_distinct_and_clear_of_the_midi_controllers() {
    // The framework reserves 130 controllers on 16 channels below 2^31.
    let reserved = (1u32 << 31) - 130 * 16;
    let hashes: BTreeSet<_> = all().map(Parameter::host_id).collect();
    assert_eq!(hashes.len(), COUNT);
    assert!(hashes.iter().all(|hash| *hash < reserved));
    // The framework adds a bypass parameter with this id.
    assert!(!hashes.contains(&parameter::host_id("bypass")));
}

#[test]
fn texts_with_and_without_units_are_read() {
    let value = |text: &str| parse_assignment(text).map(|(p, v)| (p.id, v)).unwrap();
    assert_eq!(value("let_off_mm=2"), ("let_off_mm", 2.0));
    assert_eq!(value(" let_off_mm = 2.5mm "), ("let_off_mm", 2.5));
    assert_eq!(value("let_off_mm=2.5 mm"), ("let_off_mm", 2.5));
    assert_eq!(value("hammer_mass=1.2"), ("hammer_mass", 1.2));
    assert_eq!(value("hammer_mass=1.2x"), ("hammer_mass", 1.2));
    assert_eq!(value("hammer_mass=1.2 ×"), ("hammer_mass", 1.2));
    assert_eq!(value("output_db=-6 dB"), ("output_db", -6.0));
    assert_eq!(value("key_lead_g=+5"), ("key_lead_g", 5.0));
    assert_eq!(value("timing=natural"), ("timing", 1.0));
    assert_eq!(value("velocity_map=DISKLAVIER"), ("velocity_map", 1.0));
    assert_eq!(value("velocity_map=3"), ("velocity_map", 3.0));
}

#[test]
fn errors_name_id_value_and_accepted_values() {
    let refusal = |text: &str| parse_assignment(text).unwrap_err().to_string();
    assert_eq!(refusal("let_off_mm=99"), "let_off_mm: 99 is out of range; give 0.30 to 8.00 mm");
    assert_eq!(
        refusal("let_off_mm=close"),
        "let_off_mm: `close` is no number in mm; give 0.30 to 8.00 mm"
    );
    for odd in ["let_off_mm=nan", "let_off_mm=inf", "let_off_mm=", "let_off_mm=2 cm"] {
        assert!(refusal(odd).contains("is no number in mm"), "{odd}");
    }
    assert_eq!(
        refusal("timing=later"),
        "timing: there is no choice `later`; give one of Immediate, Natural, Look-ahead"
    );
    assert!(refusal("timing=3").contains("there is no choice `3`"));
    assert!(refusal("let_of=1").contains("`let_of`"));
    assert!(refusal("let_off_mm").contains("write ID=VALUE"));
}

#[test]
fn a_refused_list_changes_no_setting() {
    let mut settings = Settings::default();
    assert!(apply(&mut settings, ["blow_mm=44", "blow_mm=1"]).is_err());
    assert_eq!(settings, Settings::default());
    apply(&mut settings, ["blow_mm=44", "timing=natural", "blow_mm=45"]).unwrap();
    assert_eq!(settings.action.blow_mm, 45.0);
    assert_eq!(settings.touch.timing, crate::settings::Timing::Natural);
}

#[test]
fn the_listing_has_its_documented_fields() {
    let listing = serde_json::to_value(listing()).unwrap();
    let entries = listing.as_array().unwrap();
    assert_eq!(entries.len(), COUNT);
    let agreed = BTreeSet::from([
        "id",
        "name",
        "group",
        "unit",
        "min",
        "max",
        "default",
        "default_text",
        "choices",
    ]);
    for entry in entries {
        let keys: BTreeSet<_> = entry.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, agreed);
    }
    let blow = entries.iter().find(|e| e["id"] == "blow_mm").unwrap();
    assert_eq!(
        (blow["default_text"].as_str(), blow["unit"].as_str()),
        (Some("47.0 mm"), Some("mm"))
    );
}

fn any_value() -> impl Strategy<Value = (&'static Parameter, f64)> {
    (0..COUNT, 0.0f64..=1.0).prop_map(|(index, position)| {
        let parameter = all().nth(index).unwrap();
        (parameter, parameter.plain(position))
    })
}

proptest! {
    #[test]
    fn text_and_value_round_trip((parameter, value) in any_value()) {
        let text = parameter.text(value);
        let read = parameter.parse(&text).unwrap();
        prop_assert_eq!(parameter.text(read), text);
        if let ValueKind::Number { decimals, .. } = parameter.kind {
            let half = 0.5 * 10f64.powi(-i32::try_from(decimals).unwrap());
            prop_assert!((read - value).abs() <= half * (1.0 + 1e-9));
        } else {
            prop_assert_eq!(read, value);
        }
    }

    /// A value written with the parameter's decimals survives a host's single precision exactly.
    #[test]
    fn single_precision_changes_no_value((parameter, value) in any_value()) {
        let written = parameter.parse(&parameter.text(value)).unwrap();
        prop_assert_eq!(parameter.quantize(f64::from(single(written))), written);
        prop_assert_eq!(parameter.quantize(f64::from(single(value))), value);
    }

    #[test]
    fn positions_and_values_round_trip((parameter, value) in any_value()) {
        let position = parameter.normalized(value);
        prop_assert!((0.0..=1.0).contains(&position));
        prop_assert!((parameter.plain(position) - value).abs() <= 2e-6 * parameter.max().abs());
    }

    #[test]
    fn arbitrary_text_never_panics(text in "\\PC{0,24}") {
        for parameter in all() {
            if let Ok(value) = parameter.parse(&text) {
                prop_assert!((parameter.min()..=parameter.max()).contains(&value));
            }
        }
        let _ = parse_assignment(&text);
    }
}

#[test]
fn velocity_means_hammer_in_projects_saved_before_the_choice() {
    let means = find("velocity_means").unwrap();
    assert_eq!(means.text(means.default_value()), "Finger");
    assert_eq!(means.text(means.value_where_absent()), "Hammer");
}

#[test]
fn registered_parameters_have_no_effect_in_projects_saved_before_them() {
    let rpn = find("rpn").unwrap();
    assert_eq!(rpn.text(rpn.default_value()), "On");
    assert_eq!(rpn.text(rpn.value_where_absent()), "Off");
}

#[test]
fn numbers_have_a_point_or_comma_and_units_any_case_or_none() {
    for (id, texts, value) in [
        ("let_off_mm", &["2.5", "2,5", "2,5 mm", "2.50MM", " 2,5 Mm "][..], 2.5),
        ("latency", &["200", "200 ms", "200MS", "+200 ms", "200,0", "2"], 2.0),
        ("hammer_mass", &["1.25 ×", "1,25x", "1.25 X", "1,25*"], 1.25),
        ("output_db", &["-3", "−3,0 dB", "-3 DB", "-3,00db"], -3.0),
        ("transpose", &["+12", "12 Semitones", "12 st", "12 semitone"], 12.0),
        ("pedal_to", &["50%", "50,0 %", "50"], 50.0),
        ("timing", &["Look-ahead", "look ahead", "LOOK_AHEAD", "lookahead", "2"], 2.0),
        ("strike_output", &["notes_and_cc88", "Notes and CC 88"], 2.0),
    ] {
        let parameter = find(id).unwrap();
        for text in texts {
            assert_eq!(parameter.parse(text).unwrap(), value, "{id}={text}");
        }
    }
    for text in ["2,5,1", "2.5 m", "mm", "", "2;5", "1,000.5.2"] {
        assert!(find("LET_OFF_MM").unwrap().parse(text).is_err(), "{text}");
    }
    // Every text of every parameter is read back, also with a comma, in capitals and without its unit.
    for parameter in all() {
        for share in [0.0, 0.13, 0.5, 0.77, 1.0] {
            let text = parameter.text(parameter.plain(share));
            let value = parameter.parse(&text).unwrap();
            let number = parameter.number_text(value);
            for other in [text.replace('.', ","), text.to_uppercase(), number] {
                assert_eq!(parameter.parse(&other).unwrap(), value, "{}: {other}", parameter.id);
            }
        }
    }
}

#[test]
fn columns_of_a_key_sheet_are_named_after_their_parameters() {
    use touchback_action::interface::key_sheet::QUANTITIES;
    use touchback_core::math::compass::KeyNumber;
    let key = KeyNumber::from_index(6).unwrap();
    for (index, quantity) in QUANTITIES.iter().enumerate() {
        let parameter = find(quantity.id).unwrap();
        let (standard, mut one) = (Settings::default(), Settings::default());
        let by = 3.0 * quantity.step;
        one.action.keys.set(key, index, by);
        let mut own = Settings { action: one.action.of(key), ..one };
        own.sound.unison_width_cents += one.action.unison_offset(key);
        let added = parameter.get(&own) - parameter.get(&standard);
        assert!((added - by).abs() < 1e-12, "{}: {added}", quantity.id);
    }
}
