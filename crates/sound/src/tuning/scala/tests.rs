//! Reading of scales and keyboard maps.

use super::*;
use crate::tuning::temperament::Temperament;

const QUARTER: &str = "! meanquar.scl\n!\n1/4-comma meantone\n 12\n!\n 76.04900\n 193.15686\n \
    310.26471\n 5/4\n 503.42157\n 579.47057\n 696.57843\n 25/16\n 889.73529\n 1006.84314\n \
    1082.89214\n 2/1\n";

#[test]
fn a_scale_file_is_the_temperament_it_describes() {
    let scale = Scale::new(&notes(QUARTER).unwrap(), &KeyMap::plain(440.0)).unwrap();
    for key in KeyNumber::all() {
        let known = Temperament::QuarterComma.cents(key);
        assert!((scale.cents(key) - known).abs() < 1e-3, "{key:?}");
    }
}

#[test]
fn a_map_moves_the_reference_and_omits_keys() {
    let map = "! white keys\n7\n0\n127\n60\n69\n432.0\n7\n0\n2\n4\n5\n7\n9\n11\n";
    let map = KeyMap::read(map).unwrap();
    // Seven keys from middle C carry the seven degrees of a major scale.
    let scale = Scale::new(
        &notes(
            "equal\n12\n100.\n200.\n300.\n400.\n500.\n600.\n700.\n\
        800.\n900.\n1000.\n1100.\n2/1",
        )
        .unwrap(),
        &map,
    );
    assert!(scale.is_ok());
    let sparse = KeyMap::read("2\n0\n127\n60\n60\n261.6255653\n1\nx\n0\n").unwrap();
    let refused = Scale::new(&[1200.0], &sparse).unwrap_err();
    assert!(refused.what.contains("reference note 60"));
    let halves = KeyMap::read("2\n0\n127\n60\n60\n261.6255653\n1\n0\nx\n").unwrap();
    let whole = Scale::new(&[200.0], &halves).unwrap();
    for key in KeyNumber::all() {
        assert!(whole.cents(key).abs() < 1e-3, "{key:?}");
    }
}

#[test]
fn errors_name_the_line() {
    for (text, line) in [
        ("", 1),
        ("name\n", 2),
        ("name\nmany\n", 2),
        ("name\n0\n", 2),
        ("name\n2\n100.\n", 4),
        ("name\n1\n! hm\n3:2\n", 4),
        ("name\n1\n1/0\n", 3),
        ("name\n1\n-3/2\n", 3),
        ("name\n1\n1e999.\n", 3),
    ] {
        assert_eq!(notes(text).unwrap_err().line, line, "{text:?}");
    }
    for (text, line) in [
        ("", 1),
        ("12\n0\n127\n60\n69\n0\n12\n", 6),
        ("12\n0\n200\n", 3),
        ("1.5\n", 1),
        ("1\n0\n127\n60\n69\n440\n1\nfoo\n", 8),
    ] {
        assert_eq!(KeyMap::read(text).unwrap_err().line, line, "{text:?}");
    }
    let map = KeyMap::read("0\n0\n127\n60\n21\n20000\n0\n").unwrap();
    let far = Scale::new(&[1200.0], &map).unwrap_err();
    assert!(far.what.contains("four octaves"), "{far}");
}

#[test]
fn ratios_have_any_number_of_digits() {
    let cents = |ratio: &str| notes(&format!("x\n1\n{ratio}\n")).map(|cents| cents[0]);
    // Forty-one fifths less 24 octaves, its inverse, and a power of three beyond double precision.
    let fifths = 1200.0 * (41.0 * 3.0f64.log2() - 64.0);
    assert!((cents("36472996377170786403/18446744073709551616").unwrap() - fifths).abs() < 1e-9);
    assert!((cents("18446744073709551616/36472996377170786403").unwrap() + fifths).abs() < 1e-9);
    let long = format!("3{}/2{}", "0".repeat(400), "0".repeat(400));
    assert!((cents(&long).unwrap() - 701.955).abs() < 1e-3);
    let longer = format!("15{}/1{}", "0".repeat(399), "0".repeat(400));
    assert!((cents(&longer).unwrap() - 701.955).abs() < 1e-3);
    assert!(
        (cents(&format!("{}3/{}2", "0".repeat(50), "0".repeat(9))).unwrap() - 701.955).abs() < 1e-3
    );
    for bad in ["3e2/2", "0/1", "1/0000", "++3/2", "3/2/1", "1/-2", "9999999999999/1"] {
        assert_eq!(cents(bad).unwrap_err().line, 3, "{bad}");
    }
}

#[test]
fn an_ableton_scale_has_its_reference_pitch() {
    let even =
        "even\n12\n100.\n200.\n300.\n400.\n500.\n600.\n700.\n800.\n900.\n1000.\n1100.\n2/1\n";
    let scale = |reference: &str| {
        let text = format!("{even}! @ABL NOTE_NAMES C C# D\n{reference}\n");
        let notes = notes(&text).unwrap();
        KeyMap::of_scale(&text, &notes).map(|map| Scale::new(&notes, &map).unwrap())
    };
    let cents = |hz: f64| 1200.0 * (hz / 440.0).log2();
    for (reference, expected) in [
        ("! @ABL REFERENCE_PITCH 3 9 432", cents(432.0)),
        ("!@ABL REFERENCE_PITCH 4 9 432.0", cents(432.0)),
        ("! @ABL REFERENCE_PITCH 3 9 415", cents(415.0)),
        ("! @ABL REFERENCE_PITCH 3 0 261.6256", 0.0),
        ("! @ABL REFERENCE_PITCH 3 0 128", cents(256.0) + 900.0),
        ("! REFERENCE_PITCH 3 9 432", 0.0),
        ("", 0.0),
    ] {
        for key in [30, 60, 69, 100] {
            let found = scale(reference).unwrap().cents(KeyNumber::from_midi(key).unwrap());
            assert!((found - expected).abs() < 1e-2, "{reference}: {found}");
        }
    }
    for bad in ["3 9", "3 12 440", "3 9 0", "3 9.5 440", "a b c", "3 -1 440"] {
        let error = scale(&format!("! @ABL REFERENCE_PITCH {bad}")).unwrap_err();
        assert_eq!(error.line, 16, "{bad}");
    }
}

#[test]
fn files_of_other_kinds_are_named() {
    for (text, name) in [
        ("; comment\n[Scale Begin]\n[Tuning]\nnote 0=0\n", ".tun"),
        ("[Tuning]\nnote 0=0\n", ".tun"),
        ("12\n0\n127\n60\n69\n440.0\n12\n", ".kbm"),
        ("! map\n0\n0\n127\n60\n69\n440\n", ".kbm"),
        ("12\n21\n108\n60\n69\n440.0\n12\n", ".kbm"),
        ("{\"scale\": []}", "JSON"),
        ("<?xml version=\"1.0\"?><x/>", "XML"),
        ("MThd\0\0", "MIDI file"),
        ("\u{1f}\u{8b}\u{8}", "gzip"),
        ("\u{f0}\u{7e}\u{7f}\u{8}\u{1}", "MIDI Tuning Standard"),
    ] {
        let error = notes(text).unwrap_err();
        assert!(error.what.contains(name), "{text:?}: {error}");
    }
    assert!(notes("0\n2\n100.0\n2/1\n").is_ok(), "a description that is a number");
}

#[test]
fn keys_beyond_the_reach_of_their_string_are_silent() {
    // Steps of 240 and 2400 cents for 100: 140 and 2300 cents a key from A4, at most 4500 cents above it.
    for (step, below, above) in [(240.0, -34, 18), (2400.0, -2, 1)] {
        let scale = Scale::new(&[step], &KeyMap::plain(440.0)).unwrap();
        for key in KeyNumber::all() {
            let from_a4 = i32::from(key.midi()) - 69;
            let is_silent = !(below..=above).contains(&from_a4);
            assert_eq!(scale.silent().contains(key), is_silent, "{key:?}");
            let cents = if is_silent { 0.0 } else { step - 100.0 };
            assert!((scale.cents(key) - cents * f64::from(from_a4)).abs() < 1e-3);
        }
        let text = serde_json::to_string(&scale).unwrap();
        assert_eq!(serde_json::from_str::<Scale>(&text).unwrap(), scale);
    }
}

#[test]
fn scales_are_read_as_other_readers_do() {
    let plain = notes("just\n4\n9/8\n386.3\n3/2\n2/1\n").unwrap();
    for text in [
        "! just.scl\r\n!\r\njust\r\n 4\r\n!\r\n 9/8\r\n 386.3\r\n 3/2\r\n 2/1",
        "just\r4\r9/8\r386.3\r3/2\r2/1\r",
        "just\n\n4 notes\n\n9/8\n386,3\n\n3/2\n2\n",
        "\n4\n9 / 8 tone\n386.3 cents ! third\n3/ 2\n2/1!octave\nthe rest is text\n5/4\n",
        "\u{feff}just\n 4!\n9 /8\n386.3¢\n3/2\n2/1\n\u{1a}",
    ] {
        assert_eq!(notes(text).unwrap(), plain, "{text:?}");
    }
    let map = KeyMap::read("12\n0\n127\n60\n69\n432.0\n12\n").unwrap();
    assert!(map.degrees.is_empty(), "one key per degree");
    let map = KeyMap::read("3\n0\n127\n60\n60\n262\n12\n0\n2").unwrap();
    assert_eq!(map.degrees, [Some(0), Some(2), None]);
    let plain = KeyMap::read("0\n0\n127\n60\n69\n432.5\n0\n").unwrap();
    for text in [
        "! map\r\n0\r\n0\r\n127\r\n60\r\n69\r\n432,5\r\n0",
        "0 keys\n0\n127 ! last\n60\n69\n432.5 Hz\n",
        "0\r0\r127\r60\r69\r432.5!\r",
    ] {
        assert_eq!(KeyMap::read(text).unwrap(), plain, "{text:?}");
    }
}
