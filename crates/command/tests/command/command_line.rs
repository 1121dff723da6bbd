//! Names, files and exit codes of the command line, tested on the built program.

use std::fs;
#[cfg(target_os = "linux")]
use std::process::Command;
#[cfg(target_os = "linux")]
use std::time::{Duration, Instant};

use super::work_folder::{WorkFolder, file, piece, touchback};

/// The process is killed while its files are open, so that it cannot clean up.
#[test]
#[cfg(target_os = "linux")]
fn a_killed_command_leaves_no_file() {
    let work_folder = WorkFolder::new();
    // One note of one hour.
    work_folder.put("hour.mid", &file(&[0, 0x90, 60, 100, 0xAA, 0x98, 0, 60, 0, 0, 0xFF, 0x2F, 0]));
    let before = work_folder.names();
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchback"))
        .current_dir(work_folder.path())
        .args(["render", "hour.mid", "-o", "hour.wav", "--strikes", "hour.csv"])
        .spawn()
        .expect("the command runs");
    let (folder, files) =
        (fs::canonicalize(work_folder.path()), format!("/proc/{}/fd", command.id()));
    let folder = folder.expect("a folder");
    let open = || {
        let files = fs::read_dir(&files).into_iter().flatten().flatten();
        let places = files.filter_map(|file| fs::read_link(file.path()).ok());
        places.filter(|place| place.starts_with(&folder)).count()
    };
    let begun = Instant::now();
    while open() < 2 && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(200));
    assert!(open() >= 2, "the sound and the strikes are being written");
    command.kill().expect("it runs still");
    command.wait().expect("it ends");
    assert_eq!(work_folder.names(), before);
}

#[test]
fn help_and_version_are_on_stdout() {
    let dir = tempfile::tempdir().expect("a folder");
    for arguments in [
        &["--help"][..],
        &["render", "--help"],
        &["simulate", "--help"],
        &["model", "export", "--help"],
        &["params", "--help"],
        &["--version"],
    ] {
        let output = touchback(dir.path(), arguments);
        assert!(output.status.success() && output.stderr.is_empty(), "{arguments:?}");
        assert!(output.stdout.len() > 10, "{arguments:?}");
    }
    let text = touchback(dir.path(), &["render", "--help"]).stdout;
    let text = String::from_utf8(text).expect("UTF-8");
    for option in [
        "--output",
        "--sample-rate",
        "--block",
        "--preset",
        "--timing",
        "--set",
        "--automate",
        "--strikes",
        "--stats",
    ] {
        assert!(text.contains(option), "{option} is not in the help");
    }
}

#[test]
fn params_prints_a_json_array_with_the_contract_fields() {
    let dir = tempfile::tempdir().expect("a folder");
    let output = touchback(dir.path(), &["params"]);
    assert!(output.status.success());
    let list: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let list = list.as_array().expect("an array");
    assert!(list.iter().any(|p| p["id"] == "let_off_mm" && p["unit"] == "mm"));
    for parameter in list {
        for field in
            ["id", "name", "group", "unit", "min", "max", "default", "default_text", "choices"]
        {
            assert!(parameter.get(field).is_some(), "{parameter} has no {field}");
        }
    }
}

#[test]
fn every_parameter_takes_its_own_default_and_choices() {
    let work_folder = WorkFolder::new();
    let output = touchback(work_folder.path(), &["params"]);
    let list: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mut arguments = vec!["render".into(), "ok.mid".into(), "-o".into(), "a.wav".into()];
    for parameter in list.as_array().expect("an array") {
        let id = parameter["id"].as_str().expect("a text");
        let default = parameter["default_text"].as_str().expect("a text");
        arguments.extend(["--set".to_owned(), format!("{id}={default}")]);
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = touchback(work_folder.path(), &arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    touchback(work_folder.path(), &["render", "ok.mid", "-o", "b.wav"]);
    assert!(
        work_folder.read("a.wav") == work_folder.read("b.wav"),
        "defaults by name change the sound"
    );
}

#[test]
fn a_midi_file_becomes_a_24_bit_stereo_file_with_its_tables() {
    let work_folder = WorkFolder::new();
    let output = touchback(
        work_folder.path(),
        &[
            "render",
            "ok.mid",
            "-o",
            "ok.wav",
            "--sample-rate",
            "44100",
            "--strikes",
            "s.csv",
            "--stats",
            "s.json",
            "--timing",
            "immediate",
        ],
    );
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    assert!(message.contains("notes outside A0…C8 ignored: 1"), "{message}");
    let reader = hound::WavReader::open(work_folder.path().join("ok.wav")).expect("a WAV file");
    let spec = reader.spec();
    assert_eq!((spec.channels, spec.sample_rate, spec.bits_per_sample), (2, 44_100, 24));
    // The last event is at 0.5 s; the tail lasts 0.5 to 20 s.
    let seconds = f64::from(reader.duration()) / 44_100.0;
    assert!((0.99..20.6).contains(&seconds), "{seconds} s");
    let strikes = String::from_utf8(work_folder.read("s.csv")).expect("UTF-8");
    assert!(strikes.starts_with("time_s,key,hammer_velocity_m_s,note_on_s\n"), "{strikes}");
    let stats: serde_json::Value =
        serde_json::from_slice(&work_folder.read("s.json")).expect("JSON");
    for field in [
        "notes",
        "strikes",
        "silent_presses",
        "late_notes",
        "ignored_notes",
        "real_time_factor",
        "peak_dbfs",
        "rms_dbfs",
        "loudness_lufs",
        "worst_block_share",
    ] {
        assert!(stats.get(field).is_some(), "{stats} has no {field}");
    }
    assert_eq!(stats["ignored_notes"], 1);
    assert_eq!(stats["notes"], 2);
    assert_eq!(stats["strikes"], strikes.lines().count() - 1);
    assert!(stats["peak_dbfs"].as_f64().is_some_and(|x| (-60.0..0.0).contains(&x)), "{stats}");
    // Immediate timing: the first hammer strikes at its note-on.
    let first: Vec<_> = strikes.lines().nth(1).expect("a strike").split(',').collect();
    assert_eq!((first[0], first[1], first[3]), ("0.0", "40", "0.0"), "{strikes}");
    assert!(work_folder.names().iter().all(|n| !n.to_string_lossy().contains("partial")));
}

#[test]
fn the_block_size_changes_no_byte() {
    let work_folder = WorkFolder::new();
    let render = |block: &str| {
        let output = touchback(
            work_folder.path(),
            &[
                "render",
                "ok.mid",
                "-o",
                "b.wav",
                "--strikes",
                "b.csv",
                "--block",
                block,
                "--automate",
                "let_off_mm=curve.csv",
                "--set",
                "hammer_hardness=0.5",
            ],
        );
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        (work_folder.read("b.wav"), work_folder.read("b.csv"))
    };
    let reference = render("64");
    for block in ["1", "1000", "8192"] {
        assert!(render(block) == reference, "block {block} differs from block 64");
    }
}

#[test]
fn bytes_after_the_last_chunk_are_a_warning() {
    let work_folder = WorkFolder::new();
    work_folder.put("more.mid", &[piece(), b"and more".to_vec()].concat());
    let output = touchback(work_folder.path(), &["render", "more.mid", "-o", "more.wav"]);
    assert!(output.status.success());
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("warning: more.mid: stray bytes skipped (8)"), "{message}");
    let output = touchback(work_folder.path(), &["render", "ok.mid", "-o", "ok.wav"]);
    let message = String::from_utf8_lossy(&output.stdout);
    assert!(
        message.starts_with("wrote ok.wav: ")
            && message.contains(" dBFS, RMS -")
            && message.ends_with(" LUFS\n"),
        "{message}"
    );
    assert!(work_folder.read("more.wav") == work_folder.read("ok.wav"));
}

#[test]
fn a_preset_file_is_a_piano_to_start_from() {
    let work_folder = WorkFolder::new();
    let render = |name: &str, more: &[&str]| {
        let output =
            touchback(work_folder.path(), &[&["render", "ok.mid", "-o", name][..], more].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let told = render("a.wav", &["--preset", "mine.toml", "--timing", "natural"]);
    assert!(told.contains("mine.toml: values unknown and left out: harp"), "{told}");
    // A file without the levels of single keys is older than these.
    render("b.wav", &["--set", "blow_mm=44", "--set", "evenness_db=0", "--timing", "natural"]);
    render("c.wav", &["--timing", "natural"]);
    assert!(work_folder.read("a.wav") == work_folder.read("b.wav"), "a file and --set differ");
    assert!(work_folder.read("a.wav") != work_folder.read("c.wav"), "the file changes nothing");
}

/// With the feature, the command would open audio and a window.
#[cfg(not(feature = "standalone"))]
#[test]
fn playing_without_the_feature_says_how_to_build_it() {
    let work_folder = WorkFolder::new();
    work_folder.refuses(&["play"], "see `touchback play --help`");
    work_folder.refuses(&["play", "--backend", "dummy"], "see `touchback play --help`");
    let output = touchback(work_folder.path(), &["play", "--help"]);
    let help = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && help.contains("--features standalone"), "{help}");
    assert!(help.contains("libjack-jackd2-dev"), "{help}");
}

#[test]
fn bad_midi_is_refused() {
    let work_folder = WorkFolder::new();
    let render = |name: &str, part: &str| {
        work_folder.refuses(&["render", name, "-o", "x.wav", "--stats", "x.json"], part);
    };
    render("missing.mid", "missing.mid: cannot read");
    render("none.mid", "none.mid: no track");
    render("text.mid", "text.mid: no MIDI file");
    render("rest.mid", "rest.mid: holds no note");
    render(".", "several files are rendered into a folder");
}

#[test]
fn bad_options_are_refused() {
    let work_folder = WorkFolder::new();
    let render = |more: &[&str], part: &str| {
        work_folder.refuses(&[&["render", "ok.mid", "-o", "x.wav"][..], more].concat(), part);
    };
    render(&["--set", "let_off_mm=99"], "let_off_mm");
    render(&["--set", "let_off_mm"], "ID=VALUE");
    render(&["--set", "no_such=1"], "no_such");
    render(&["--set", "hammer_hardnes=1"], "is it `hammer_hardness`?");
    render(&["--presett", "heavy"], "'--preset'); see `touchback render --help`");
    work_folder.refuses(
        &["render", "ok.mid", "-o", "x.mp3"],
        "x.mp3: a rendering is a .wav or .flac file",
    );
    render(&["--automate", "let_off_mm=wide.csv"], "wide.csv, line 3");
    render(&["--automate", "let_off_mm=back.csv"], "back.csv, line 3");
    render(&["--automate", "let_off_mm=gone.csv"], "gone.csv: cannot read");
    render(
        &["--automate", "let_off_mm=curve.csv", "--automate", "let_off_mm=curve.csv"],
        "already follows",
    );
    render(&["--sample-rate", "1000"], "1000");
    render(&["--sample-rate", "400000"], "400000");
    render(&["--block", "0"], "--block");
    render(&["--block", "9000"], "--block");
    render(&["--timing", "late"], "late");
    render(&["--preset", "spinet"], "concert");
    render(&["--preset", "gone.toml"], "gone.toml");
    render(&["--preset", "torn.toml"], "torn.toml: line 4");
    render(&["--preset", "newer.toml"], "newer Touchback 9.1");
    render(&["--stats", "x.wav"], "named twice");
    render(&["--stats", "no/such/folder.json"], "folder.json: cannot write");
    work_folder.refuses(&["render", "ok.mid", "-o", "ok.mid"], "ok.mid: is named twice");
    for (input, file) in [
        (["--preset", "mine.toml"], "mine.toml"),
        (["--automate", "let_off_mm=curve.csv"], "curve.csv"),
        (["--scale", "any.scl"], "any.scl"),
    ] {
        let arguments = [&["render", "ok.mid", "-o", file][..], &input].concat();
        work_folder.refuses(&arguments, "is named twice");
    }
    // One note of two hours.
    work_folder
        .put("hours.mid", &file(&[0, 0x90, 60, 100, 0xD4, 0xB0, 0, 60, 0, 0, 0xFF, 0x2F, 0]));
    work_folder.refuses(&["render", "hours.mid", "-o", "x.wav"], "lasts 120 minutes");
    let long = format!("form = \"{}\"\n", "x".repeat(100_000));
    work_folder.put("long.toml", long.as_bytes());
    let output = touchback(work_folder.path(), &["simulate", "long.toml"]);
    assert!(output.status.code() == Some(2) && output.stderr.len() < 1_000);
    #[cfg(unix)]
    work_folder.refuses(&["simulate", "press.csv", "--model", "/dev/zero"], "is not a plain file");
    work_folder.refuses(&["lab", "shot", "x.jpg"], "x.jpg: a picture of the window is a .png file");
    work_folder.refuses(&["render", "ok.mid"], "--output");
    work_folder.refuses(&["render", "ok.mid", "-o", "."], "");
    work_folder.refuses(&["--bars", "36"], "the prelude has 35 bars");
    work_folder.refuses(&["sing"], "sing");
    work_folder.refuses(&["rendr"], "'render'); see `touchback --help`");
    work_folder.refuses(&["model"], "");
    work_folder.refuses(&["params", "more"], "more");
}

#[test]
fn wrong_names_are_answered_with_similar_ones_and_the_own_help_page() {
    let work_folder = WorkFolder::new();
    for (arguments, part) in [
        (&["lab", "vallidate"][..], "; is it `validate`?"),
        (&["lab", "help", "contakt"], "; is it `contact`?"),
        (&["lab", "sweep", "let_off", "1", "2", "--measure", "softest"], "is it `let_off_mm`?"),
        (&["feel", "--action", "gran"], "is it `grand`?"),
        (&["simulate", "press.csv", "--action", "gran"], "is it `grand`?"),
        (&["preset", "export", "melow"], "is it `mellow`?"),
        (&["render", "ok.mid", "-o", "x.wav", "--preset", "Melow"], "is it `mellow`?"),
        (&["render", "ok.mid", "-o", "x.wav", "--set", "hardness=1"], "is it `hammer_hardness`?"),
        (&["simulate", "press.csv", "--key", "90"], "see `touchback simulate --help`"),
        (&["simulate", "press.csv", "--key", "H4"], "a key is 1 to 88, or a note, A0 to C8"),
        (&["render", "ok.mid", "-o", "x.wav", "--sample-rate", "44.1k"], "such as 44100"),
        (
            &["render", "ok.mid", "-o", "x.wav", "--sample-rate", "44.1k"],
            "see `touchback render --help`",
        ),
    ] {
        work_folder.refuses(arguments, part);
    }
}

#[test]
#[ignore = "long: `.ci/run` runs it"]
fn names_are_read_as_people_write_them() {
    let work_folder = WorkFolder::new();
    let run = |arguments: &[&str]| {
        let output = touchback(work_folder.path(), arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {message}");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let by_name = run(&["weigh", "--key", "C4"]);
    assert_eq!(by_name, run(&["weigh", "--key", "40"]));
    assert!(by_name.starts_with("key 40 "), "{by_name}");
    for (file, more) in [
        ("a.wav", ["--preset", "Concert", "--set", "temperament=werckmeister"]),
        ("b.wav", ["--preset", "concert", "--set", "temperament=werckmeister iii"]),
    ] {
        run(&[&["render", "ok.mid", "-o", file][..], &more].concat());
    }
    assert!(work_folder.read("a.wav") == work_folder.read("b.wav"));
    let listed = run(&["preset", "list"]);
    assert!(listed.lines().count() == 19 && listed.starts_with("concert "), "{listed}");
}

#[test]
fn a_preset_is_written_under_its_own_name_but_replaces_no_file() {
    let work_folder = WorkFolder::new();
    let output = touchback(work_folder.path(), &["preset", "export", "Mellow"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(work_folder.read("mellow.toml").starts_with(b"format = "));
    work_folder.refuses(&["preset", "export", "mellow"], "mellow.toml: exists; name the file");
    work_folder.refuses(&["preset", "export", "mellow.toml"], "--output is missing");
}

#[test]
#[ignore = "long: `.ci/run` runs it"]
fn the_demonstration_writes_every_file_it_names() {
    let dir = tempfile::tempdir().expect("a folder");
    // Four bars, or the number in the environment; all 35 last two minutes.
    let bars = std::env::var("TOUCHBACK_DEMO_BARS").unwrap_or("4".into());
    let output = touchback(dir.path(), &["--bars", &bars]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let message = String::from_utf8(output.stdout).expect("UTF-8");
    let folder = dir.path().join("touchback-demo");
    let names = [
        "prelude.mid",
        "prelude.wav",
        "harpsichord.wav",
        "keyboard.wav",
        "keyboard.png",
        "level.png",
        "stroke.toml",
        "stroke.png",
        "report.md",
    ];
    for name in names {
        assert!(message.contains(name), "{message}");
        assert!(fs::metadata(folder.join(name)).expect(name).len() > 100, "{name}");
    }
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), names.len());
    let mut wave = hound::WavReader::open(folder.join("prelude.wav")).expect("a WAV file");
    let seconds = f64::from(wave.duration()) / f64::from(wave.spec().sample_rate);
    let bars: f64 = bars.parse().expect("bars");
    assert!((3.3 * bars..3.3 * bars + 20.0).contains(&seconds), "{seconds} s");
    let peak = wave.samples::<i32>().map(|x| x.expect("a sample").abs()).max();
    assert!(peak.is_some_and(|p| p > 1 << 16), "as good as silent: {peak:?}");

    // The motors give force, and every strike of the keyboard's simulated hammers sounds.
    let report = fs::read_to_string(folder.join("report.md")).expect("a report");
    assert!(report.contains(&format!("the first {bars} bars")), "{report}");
    let number = |row: &str| -> f64 {
        let start = report.find(row).unwrap_or_else(|| panic!("{row}: {report}")) + row.len();
        report[start..].trim_start_matches(" |").split_whitespace().next().unwrap().parse().unwrap()
    };
    let felt = number("strikes felt: simulated by the sidecar");
    // A paused computer ends force for a moment; then a press may be lost.
    assert!(felt >= 0.5 * number("presses of fingers"), "{report}");
    assert_eq!(felt, number("strikes heard: sounded by the audio thread"), "{report}");
    assert!(number("greatest force of a motor") > 0.5, "{report}");
    assert!(number("with a rise of the key's fundamental in the sound") > 0.7 * felt, "{report}");
}

#[test]
fn several_files_are_rendered_into_folders_as_each_alone() {
    let work_folder = WorkFolder::new();
    work_folder.put("other.mid", &file(&[0, 0x90, 40, 90, 96, 40, 0, 0, 0xFF, 0x2F, 0]));
    let (dir, files) = (work_folder.path(), ["ok.mid", "rest.mid", "other.mid", "cut.mid"]);
    let more = ["--set", "hammer_hardness=-0.5", "--block", "700"];
    let batch = ["-o", "out", "--strikes", "strikes", "--stats", "out"];
    let output = touchback(dir, &[&["render"][..], &files, &more, &batch].concat());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("error: rest.mid: ") && errors.contains("1 of 4 files"), "{errors}");
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    // In the order in which they are done.
    let mut lines: Vec<&str> = lines.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines.len(), 3, "{lines:?}");
    for (line, name) in lines.into_iter().zip(["cut", "ok", "other"]) {
        assert!(line.starts_with("wrote ") && line.contains(&format!("{name}.wav")), "{line}");
        let alone = ["render", &format!("{name}.mid"), "-o", "a.wav", "--strikes", "a.csv"];
        assert!(touchback(dir, &[&alone[..], &more].concat()).status.success());
        assert!(
            work_folder.read(&format!("out/{name}.wav")) == work_folder.read("a.wav"),
            "{name}"
        );
        let strikes = work_folder.read(&format!("strikes/{name}.strikes.csv"));
        assert!(strikes == work_folder.read("a.csv"), "{name}");
        assert!(!work_folder.read(&format!("out/{name}.stats.json")).is_empty());
    }
    assert!(!dir.join("out/rest.wav").exists() && !dir.join("out/rest.stats.json").exists());
}

#[test]
fn several_files_that_cannot_be_rendered_leave_no_folder() {
    let work_folder = WorkFolder::new();
    std::fs::create_dir(work_folder.path().join("sub")).expect("a folder");
    work_folder.put("sub/ok.mid", &piece());
    for (arguments, part) in [
        (&["ok.mid", "./ok.mid", "-o", "out"][..], "their renderings have one name"),
        (&["ok.mid", "sub/ok.mid", "-o", "out.wav"], "are rendered into a folder"),
        (&["ok.mid", "rest.mid", "-o", "."], ".: holds the input ok.mid"),
        (&["ok.mid", "rest.mid", "-o", "out", "--plot", "f.png"], "--plot draws one file"),
        (&["ok.mid", "rest.mid", "-o", "out", "--set", "blow_mm=400"], "blow_mm"),
        (&["ok.mid", "rest.mid", "-o", "curve.csv"], "curve.csv"),
    ] {
        work_folder.refuses(&[&["render"][..], arguments].concat(), part);
    }
    let output = touchback(work_folder.path(), &["render", "none.mid", "text.mid", "-o", "out"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!work_folder.path().join("out").exists());
}
