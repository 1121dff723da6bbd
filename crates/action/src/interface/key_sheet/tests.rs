//! Key sheets, their text, and the settings of a key that follow.

use super::*;
use crate::interface::settings::ActionSettings;
use proptest::prelude::*;

fn key(number: usize) -> KeyNumber {
    KeyNumber::from_index(number - 1).unwrap()
}

#[test]
fn a_sheet_survives_conversion_to_text_and_back() {
    let text = "# after the fair\nkey, let_off_mm ,measured_dip_mm,hammer_hardness\n\
                88,-0.5,9.8,\n40,0.26,,0.3\n";
    let sheet: KeySheet = text.parse().unwrap();
    assert_eq!(sheet.action.get(key(88), LET_OFF), -0.5);
    assert_eq!(sheet.action.of(key(40))[HARDNESS], 0.3);
    assert!((sheet.action.get(key(40), LET_OFF) - 0.25).abs() < 1e-12);
    assert_eq!(sheet.text(), "key,let_off_mm,hammer_hardness\n40,0.25,0.3\n88,-0.5,0\n");
    assert_eq!(sheet.text().parse(), Ok(sheet.clone()));
    assert_eq!(KeySheet::EVEN.text().parse(), Ok(KeySheet::EVEN));
    let saved = one_line(&sheet);
    assert!(!saved.contains('\n'), "{saved}");
    assert_eq!(saved.parse(), Ok(sheet));
}

#[test]
fn sheets_of_any_spreadsheet_are_the_same_sheet() {
    let plain: KeySheet = "key,let_off_mm,drop_mm\n40,0.5,-1\n41,,0.5\n".parse().unwrap();
    for text in [
        "key;let_off_mm;drop_mm\n40;0,5;-1\n41;;0,5\n",
        "key\tlet_off_mm\tdrop_mm\r\nC4\t0,5\t-1,0\r\nC#4\t\t,5\r\n",
        "sep=;\nKey;Let_Off_mm;DROP_MM;\nc4;0.5;−1;\ndb4;;0.5;\n;;;\n",
        ",key,let_off_mm,drop_mm\n0,40,0.5,-1\n1,41,,0.5\n",
        "key,let_off_mm,drop_mm\n,mm,mm\nC4,0.5,-1\n41,,0.5\n",
        "key;let_off;drop [mm]\nnote;mm;mm\nC4;0,5;-1\n41;;0,5\n",
        "\"key\",\"let_off_mm\",\"drop_mm\"\n\"C4\",\"0,5\",\"-1\"\n",
    ] {
        let text = text.replace("\"0,5\"", "0.5");
        let read: KeySheet = text.parse().unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(read.action.of(key(40)), plain.action.of(key(40)), "{text:?}");
        assert!(!text.contains("41") || read == plain, "{text:?}");
    }
    let notes: KeySheet = "key,drop_mm\nA0,1\nD♭4,2\nC♯5,1\nC8,1\n".parse().unwrap();
    let keys: KeySheet = "key,drop_mm\n1,1\n41,2\n53,1\n88,1\n".parse().unwrap();
    assert_eq!(notes, keys);
}

#[test]
fn errors_in_a_sheet_name_their_line() {
    for (text, line, words) in [
        ("", 1, "empty"),
        ("let_off_mm\n1\n", 1, "no column `key`"),
        ("key,let_of_mm\n1,1\n", 1, "`let_of_mm` is unknown"),
        ("key,drop_mm,drop_mm\n", 1, "twice"),
        ("key,drop_mm\n\n1,1\n89,1\n", 4, "`89` is no key"),
        ("key,drop_mm\n0,1\n", 2, "`0` is no key"),
        ("key,drop_mm\n1,1\n1,1\n", 3, "key 1 appears twice"),
        ("key,drop_mm\n1\n", 2, "1 fields where the head has 2"),
        ("key,drop_mm\n1,wide\n", 2, "`wide` is no number"),
        ("key,drop_mm\n1,nan\n", 2, "`nan` is no number"),
        ("key,drop_mm\n,cm\n1,1\n", 2, "the unit of `drop_mm` is given as `cm`"),
        ("key;drop_mm\nH4;1\n", 2, "`H4` is no key"),
        ("key,drop_mm\n1,4\n", 2, "-3.175 to 3.175"),
    ] {
        let error = text.parse::<KeySheet>().unwrap_err();
        assert!(error.line == line && error.what.contains(words), "{text:?}: {error}");
    }
}

#[test]
fn differences_of_a_key_are_added_and_clamped_to_the_ranges() {
    let even = ActionSettings::default();
    assert!(even.is_even() && even.of(key(40)) == even);
    let mut uneven = even.clone();
    uneven.keys.set(key(40), LET_OFF, 1.0);
    uneven.keys.set(key(40), CHECK, -12.0);
    uneven.keys.set(key(40), UNISON, 3.0);
    let of = uneven.of(key(40));
    assert_eq!((of.let_off_mm, of.check_mm), (2.5, 8.0));
    assert!(of.is_even() && (uneven.unison_offset(key(40)) - 3.0).abs() < 1e-12);
    assert_eq!(uneven.of(key(41)), even);
    // The row of a key can make it block on its string, the unevenness of a piano cannot.
    uneven.let_off_mm = 0.3;
    uneven.keys.set(key(40), LET_OFF, -3.175);
    assert!((uneven.of(key(40)).let_off_mm + 2.875).abs() < 1e-12);
    uneven.let_off_mm = -2.0;
    assert_eq!(uneven.of(key(40)).let_off_mm, -3.0);
    let neglected = ActionSettings { let_off_mm: 0.3, unevenness: 1.0, ..even };
    assert!(KeyNumber::all().all(|key| neglected.of(key).let_off_mm >= 0.3));
}

#[test]
fn unevenness_has_the_stated_spread_and_is_repeatable() {
    let neglected = ActionSettings { unevenness: 1.0, ..ActionSettings::default() };
    for (q, quantity) in QUANTITIES.iter().enumerate() {
        let mut squares = 0.0;
        for seed in 1..=20u8 {
            let piano = ActionSettings { unevenness_seed: f64::from(seed), ..neglected.clone() };
            squares += KeyNumber::all().map(|k| piano.offsets(k)[q].powi(2)).sum::<f64>();
        }
        let deviation = (squares / (20.0 * KEYS as f64)).sqrt();
        assert!((deviation / quantity.spread - 1.0).abs() < 0.06, "{} {deviation}", quantity.id);
    }
    let half = ActionSettings { unevenness: 0.5, ..neglected.clone() };
    let other = ActionSettings { unevenness_seed: 2.0, ..neglected.clone() };
    for k in KeyNumber::all() {
        assert!((2.0 * half.offsets(k)[0] - neglected.offsets(k)[0]).abs() < 1e-12);
        assert!(neglected.offsets(k)[0] != other.offsets(k)[0]);
    }
}

proptest! {
    #[test]
    fn arbitrary_text_never_panics(text in "(key|let_off_mm|drop_mm|[0-9.,#/\n e-]){0,60}") {
        if let Ok(sheet) = text.parse::<KeySheet>() {
            prop_assert_eq!(sheet.text().parse(), Ok(sheet));
        }
    }

    #[test]
    fn an_interpolated_sheet_lies_between_its_ends(a in -127i8..=127, b in -127i8..=127, share in 0.0f64..=1.0) {
        let (mut from, mut to) = (KeySheet::EVEN, KeySheet::EVEN);
        (from.action.0[5][3], to.action.0[5][3]) = (a, b);
        let mixed = from.toward(&to, share).action.0[5][3];
        prop_assert!((a.min(b)..=a.max(b)).contains(&mixed));
        prop_assert_eq!(from.toward(&to, 1.0), to.clone());
        prop_assert_eq!(from.toward(&to, 0.0), from);
    }
}

/// Columns of tones follow those of the action, and leave the action even.
#[test]
fn tones_are_columns_of_the_sheet() {
    let text = "key,let_off_mm,partial_1_db,partial_16_decay_octaves\n40,0.5,-3.25,0\n41,0,0,0.5\n";
    let sheet: KeySheet = text.parse().unwrap();
    assert_eq!(sheet.text(), text);
    assert_eq!(sheet.tones.at(key(40), ToneQuantity::Level, 1), -3.25);
    assert_eq!(sheet.tones.at(key(41), ToneQuantity::Decay, 16), 0.5);
    let tone: KeySheet = "key,partial_2_db\n1,31.75\n".parse().unwrap();
    assert!(tone.action.is_neutral() && !tone.is_even());
    let text = "key,partial_1_db,blow_63_hz_db,blow_8000_hz_decay_octaves,knock_db\n\
                40,1,-3.25,0.48,6\n";
    let sheet: KeySheet = text.parse().unwrap();
    assert_eq!(sheet.text(), text);
    assert_eq!(sheet.tones.get(key(40), ToneQuantity::Blow, 0), -3.25);
    assert_eq!(sheet.tones.get(key(40), ToneQuantity::Knock, 0), 6.0);
    let error = "key,partial_2_db\n1,32\n".parse::<KeySheet>().unwrap_err();
    assert!(error.to_string().contains("partial_2_db: 32 is out of range"), "{error}");
    let error = "key,partial_13_db\n1,1\n".parse::<KeySheet>().unwrap_err();
    assert!(error.to_string().contains("`partial_13_db` is unknown"), "{error}");
}
