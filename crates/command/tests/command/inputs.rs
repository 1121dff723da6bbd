//! Files as people and programs write them, through the built program.

use crate::work_folder::{WorkFolder, file, touchback};

/// Messages of a rendering of `arguments` to `name`, which must succeed.
fn render(work_folder: &WorkFolder, name: &str, arguments: &[&str]) -> String {
    let output =
        touchback(work_folder.path(), &[&["render"][..], arguments, &["-o", name]].concat());
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {message}");
    message
}

/// Notes of a melody on `channel`, from 1, a tenth of a second each.
fn melody(channel: u8, notes: &[u8]) -> Vec<u8> {
    let (on, off) = (0x8F + channel, 0x7F + channel);
    notes.iter().flat_map(|note| [0, on, *note, 80, 20, off, *note, 64]).collect()
}

const END: [u8; 4] = [0, 0xFF, 0x2F, 0];

#[test]
fn a_damaged_file_sounds_as_the_whole_one() {
    let work_folder = WorkFolder::new();
    let whole = file(&[&melody(1, &[60, 64])[..], &END].concat());
    work_folder.put("whole.mid", &whole);
    assert_eq!(render(&work_folder, "whole.wav", &["whole.mid"]), "");
    let wrapped = [b"RIFF\0\0\0\0RMIDdata\0\0\0\0", &whole[..]].concat();
    let clocked = file(&[&[0, 0xF8][..], &melody(1, &[60, 64]), &END].concat());
    let mut long = whole.clone();
    long[21] += 50;
    for (name, bytes, words) in [
        ("wrapped.rmi", wrapped, ""),
        ("clock.mid", clocked, "real-time"),
        ("long.mid", long, "wrong chunk lengths"),
    ] {
        work_folder.put(name, &bytes);
        let message = render(&work_folder, "found.wav", &[name]);
        assert!(
            message.contains(words) && message.lines().count() == usize::from(!words.is_empty()),
            "{message}"
        );
        assert!(work_folder.read("found.wav") == work_folder.read("whole.wav"), "{name}");
    }
}

#[test]
fn drums_are_left_out_unless_chosen() {
    let work_folder = WorkFolder::new();
    let both = [melody(1, &[60]), melody(10, &[38]), END.to_vec()].concat();
    work_folder.put("band.mid", &file(&both));
    work_folder.put("piano.mid", &file(&[&melody(1, &[60])[..], &END].concat()));
    let message = render(&work_folder, "band.wav", &["band.mid"]);
    assert!(
        message.starts_with("warning: band.mid: left out 1 note of drums on channel 10"),
        "{message}"
    );
    render(&work_folder, "piano.wav", &["piano.mid"]);
    assert!(work_folder.read("band.wav") == work_folder.read("piano.wav"));
    assert_eq!(render(&work_folder, "all.wav", &["band.mid", "--channels", "all"]), "");
    assert!(work_folder.read("all.wav") != work_folder.read("piano.wav"));
    work_folder.refuses(
        &["render", "band.mid", "-o", "x.wav", "--channels", "3"],
        "band.mid: no note in the chosen",
    );
    work_folder.refuses(&["render", "band.mid", "-o", "x.wav", "--tracks", "0"], "--tracks");
}

#[test]
fn tables_scales_and_options_may_be_written_in_many_ways() {
    let work_folder = WorkFolder::new();
    work_folder.put("plain.csv", b"key,let_off_mm\n40,0.5\n");
    work_folder.put("sheet.csv", b"Key;Let_Off_mm\r\nC4;0,5\r\n");
    work_folder.put("curve2.csv", b"t_s\tvalue\r0\t1,0\r0,3\t3\r");
    work_folder.put(
        "even.scl",
        b"even\n12\n100.\n200.\n300.\n400.\n500.\n600.\n700.\n800.\n900.\n1000.\n1100.\n2/1\n",
    );
    work_folder.put(
        "comma.scl",
        b"\xFFven\r12\r100,\r200,\r300,\r400,\r500,\r600,\r700,\r800,\r900,\r1000,\r1100,\r2",
    );
    let ways = [
        [
            "--keys",
            "plain.csv",
            "--set",
            "hammer_mass=1.25",
            "--preset",
            "mellow",
            "--scale",
            "even.scl",
            "--automate",
            "let_off_mm=curve.csv",
        ],
        [
            "--keys",
            "sheet.csv",
            "--set",
            "HAMMER_MASS=1,25 X",
            "--preset",
            "Mellow",
            "--scale",
            "comma.scl",
            "--automate",
            "let_off_mm=curve2.csv",
        ],
    ];
    for (name, way) in ["a.wav", "b.wav"].iter().zip(ways) {
        render(&work_folder, name, &[&["ok.mid"][..], &way].concat());
    }
    assert!(work_folder.read("a.wav") == work_folder.read("b.wav"));
}

#[test]
fn keys_out_of_a_scale_s_reach_are_silent_and_counted() {
    let work_folder = WorkFolder::new();
    work_folder.put("five.scl", b"five\n5\n240.\n480.\n720.\n960.\n2/1\n");
    let notes = |notes: &[u8]| file(&[&melody(1, notes)[..], &END].concat());
    work_folder.put("low.mid", &notes(&[21]));
    work_folder.put("wide.mid", &notes(&[21, 60]));
    let message = render(&work_folder, "low.wav", &["low.mid", "--scale", "five.scl"]);
    assert!(message.contains("do not reach the scale, silent: 1"), "{message}");
    let sounds = |name: &str| {
        let bytes = work_folder.read(name);
        let data = bytes.windows(4).position(|word| word == b"data").unwrap() + 8;
        bytes[data..].iter().any(|byte| *byte != 0)
    };
    assert!(!sounds("low.wav"));
    render(&work_folder, "wide.wav", &["wide.mid", "--scale", "five.scl"]);
    assert!(sounds("wide.wav"));
}
