//! Folders and lists of files, through the built program.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use md5::Digest as _;

use super::work_folder::{WorkFolder, file, touchback};

/// A file of one short note.
fn note(key: u8) -> Vec<u8> {
    file(&[0, 0x90, key, 90, 48, 0x80, key, 64, 0, 0xFF, 0x2F, 0])
}

/// A corpus as ASAP has it: one name in every folder.
fn corpus() -> WorkFolder {
    let work_folder = WorkFolder::new();
    for (folder, key) in [("Bach/bwv_846", 60), ("Bach/bwv_848", 64), ("Ravel/Ondine", 67)] {
        fs::create_dir_all(work_folder.path().join("corpus").join(folder)).expect("a folder");
        work_folder.put(&format!("corpus/{folder}/midi_score.mid"), &note(key));
    }
    work_folder.put("corpus/bad.midi", b"no music");
    work_folder
}

/// Every file below `folder` with its bytes.
fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            let below = tree(&entry.path()).into_iter();
            found.extend(below.map(|(own, bytes)| (format!("{name}/{own}"), bytes)));
        } else {
            found.insert(name, fs::read(entry.path()).expect("a file"));
        }
    }
    found
}

#[test]
fn a_folder_is_rendered_as_a_tree_and_goes_on_after_a_stop() {
    let work_folder = corpus();
    let dir = work_folder.path();
    let run = |out: &str, more: &[&str]| {
        let strikes = format!("{out}-strikes");
        let line =
            ["render", "corpus", "-o", out, "--strikes", &strikes, "--set", "hammer_hardness=0.5"];
        let output = touchback(dir, &[&line[..], more].concat());
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), errors)
    };
    let (code, lines, errors) = run("whole", &[]);
    assert_eq!(code, Some(2), "{errors}");
    assert!(errors.contains("corpus/bad.midi: no MIDI file") && errors.contains("1 of 4 files"));
    assert_eq!(lines.lines().count(), 3, "{lines}");
    let whole = tree(&dir.join("whole"));
    let names: Vec<&str> = whole.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "Bach/bwv_846/midi_score.wav",
            "Bach/bwv_848/midi_score.wav",
            "Ravel/Ondine/midi_score.wav",
            "manifest.jsonl"
        ]
    );
    assert!(dir.join("whole-strikes/Ravel/Ondine/midi_score.strikes.csv").is_file());
    let manifest = String::from_utf8_lossy(&whole["manifest.jsonl"]).into_owned();
    let records: Vec<serde_json::Value> =
        manifest.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(records.len(), 4);
    assert_eq!(records[0]["settings"]["hammer_hardness"], 0.5);
    assert!(records[1]["sha256"].as_str().is_some_and(|hash| hash.len() == 64));
    // As after a stop: one file whole with its record, one whole without, a line cut off, one missing.
    fs::create_dir_all(dir.join("again/Bach/bwv_846")).expect("a folder");
    for name in [&names[0], &names[1]] {
        let path = dir.join("again").join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, if *name == names[0] { &whole[*name][..] } else { b"old" })
            .expect("a file");
    }
    fs::create_dir_all(dir.join("again-strikes")).expect("a folder");
    let copied = fs::create_dir_all(dir.join("again-strikes/Bach/bwv_846"));
    copied.expect("a folder");
    fs::copy(
        dir.join("whole-strikes/Bach/bwv_846/midi_score.strikes.csv"),
        dir.join("again-strikes/Bach/bwv_846/midi_score.strikes.csv"),
    )
    .expect("a file");
    let begun: String = manifest.split_inclusive('\n').take(2).collect();
    work_folder.put("again/manifest.jsonl", format!("{begun}{{\"name\":").as_bytes());
    let (code, lines, _) = run("again", &["--skip-existing", "--jobs", "1"]);
    assert_eq!(code, Some(2));
    assert!(lines.starts_with("is there: ") && lines.lines().count() == 3, "{lines}");
    assert!(tree(&dir.join("again")) == whole);
    // With other settings it does not go on.
    let (_, _, errors) = run("again", &["--skip-existing", "--set", "blow_mm=44"]);
    assert!(errors.contains("other settings"), "{errors}");
}

#[test]
fn flac_holds_the_samples_of_wav_and_events_those_of_the_strikes() {
    let work_folder = WorkFolder::new();
    let dir = work_folder.path();
    work_folder.put("keys.csv", b"t_s,C4,E4\n0,0,0\n0.05,10,0\n0.2,10,5\n0.3,0,10\n0.5,0,0\n");
    for input in ["ok.mid", "keys.csv"] {
        let render = |output: &str, more: &[&str]| {
            let done = touchback(dir, &[&["render", input, "-o", output], more].concat());
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        };
        render("a.wav", &["--strikes", "s.csv"]);
        render("a.flac", &["--events", "e.csv", "--motion", "m.csv"]);
        let read = |name: &str| touchback_recorded::sound_file::read(&dir.join(name)).expect(name);
        let (wave, flac) = (read("a.wav"), read("a.flac"));
        assert!(wave.channels == flac.channels && flac.fault.is_none(), "{input}");
        let (bytes, samples) = (work_folder.read("a.flac"), work_folder.read("a.wav"));
        let data = samples.windows(4).position(|word| word == b"data").expect("data") + 8;
        assert_eq!(bytes[26..42], md5::Md5::digest(&samples[data..])[..], "{input}: hash");
        assert!(wave.channels[0].iter().any(|sample| sample.abs() > 1e-3), "{input}");
        let sizes = ["a.wav", "a.flac"].map(|name| work_folder.read(name).len());
        assert!(4 * sizes[1] < 3 * sizes[0], "{sizes:?}");
        let table = |name: &str| String::from_utf8(work_folder.read(name)).expect("text");
        let struck: Vec<String> = table("e.csv")
            .lines()
            .filter(|line| line.contains(",strike,"))
            .map(|line| line.replace(",strike,", ",").replace(",m/s", ""))
            .collect();
        let strikes: Vec<String> = table("s.csv")
            .lines()
            .skip(1)
            .map(|line| line.rsplit_once(',').expect("a note-on").0.to_owned())
            .collect();
        assert!(!strikes.is_empty() && struck == strikes, "{input}: {struck:?} {strikes:?}");
        assert!(table("m.csv").lines().any(|line| line.split(',').nth(1) == Some("40")));
    }
    for (arguments, part) in [
        (&["ok.mid", "-o", "a.flac", "--bits", "32"][..], "FLAC has whole numbers"),
        (&["ok.mid", "-o", "a.wav", "--format", "flac"], "the ending is not"),
        (&["ok.mid", "-o", "a.mp3"], "a .wav or .flac file"),
    ] {
        work_folder.refuses(&[&["render"], arguments].concat(), part);
    }
}

#[test]
fn parts_of_a_list_are_the_whole() {
    let work_folder = corpus();
    let dir = work_folder.path();
    let list = "corpus/Bach/bwv_846/midi_score.mid\n\ncorpus/Bach/bwv_848/midi_score.mid\r\ncorpus/Ravel/Ondine/midi_score.mid\n";
    work_folder.put("list.txt", list.as_bytes());
    for part in ["1/2", "2/2"] {
        let line = [
            "render", "--list", "list.txt", "-o", "parts", "--part", part, "--json", "--motion",
            "motion", "--events", "motion", "--format", "flac",
        ];
        let output = touchback(dir, &line);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let record: serde_json::Value = serde_json::from_str(line).expect("JSON");
            assert!(record["peak_dbfs"].is_number() && record["output"].is_string(), "{line}");
        }
    }
    let names: Vec<String> = tree(&dir.join("parts")).into_keys().collect();
    assert_eq!(
        names,
        [
            "corpus/Bach/bwv_846/midi_score.flac",
            "corpus/Bach/bwv_848/midi_score.flac",
            "corpus/Ravel/Ondine/midi_score.flac",
            "manifest-1-of-2.jsonl",
            "manifest-2-of-2.jsonl"
        ]
    );
    let motion = work_folder.read("motion/corpus/Bach/bwv_846/midi_score.motion.csv");
    let text = String::from_utf8_lossy(&motion);
    let moved: Vec<&str> =
        text.lines().filter(|line| line.split(',').nth(1) == Some("40")).collect();
    let deepest = moved.iter().map(|row| row.split(',').nth(2).unwrap().parse::<f64>().unwrap());
    assert!((8.0..12.0).contains(&deepest.fold(0.0, f64::max)), "{moved:?}");
    let events = work_folder.read("motion/corpus/Bach/bwv_846/midi_score.events.csv");
    let events = String::from_utf8_lossy(&events);
    assert!(events.starts_with("time_s,key,kind,value,unit\n"), "{events}");
    let kinds = events.lines().filter_map(|line| line.split(',').nth(2));
    for kind in ["strike", "key_bottom", "damper_fall", "key_rest"] {
        assert!(kinds.clone().any(|found| found == kind), "no {kind}: {events}");
    }
    work_folder.refuses(&["render", "--list", "none.txt", "-o", "x"], "none.txt");
    work_folder.refuses(&["render", "--list", "list.txt", "-o", "x", "--part", "3/2"], "--part");
    work_folder.refuses(&["render", "ok.mid", "-o", "x.wav", "--skip-existing"], "--skip-existing");
    fs::create_dir(dir.join("empty")).expect("a folder");
    work_folder.refuses(&["render", "empty", "-o", "x"], "no MIDI file");
}

#[test]
fn a_sound_is_normalized_trimmed_and_written_in_floating_point() {
    let work_folder = WorkFolder::new();
    let late = file(&[0x8F, 0x00, 0x90, 60, 90, 48, 0x80, 60, 64, 0, 0xFF, 0x2F, 0]);
    work_folder.put("late.mid", &late);
    work_folder.put("soon.mid", &note(60));
    let render = |name: &str, out: &str, more: &[&str]| {
        let output = touchback(
            work_folder.path(),
            &[&["render", name, "-o", out, "--json"][..], more].concat(),
        );
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<serde_json::Value>(&output.stdout).expect("JSON")
    };
    render("soon.mid", "soon.wav", &[]);
    render("late.mid", "trimmed.wav", &["--trim"]);
    assert!(work_folder.read("soon.wav") == work_folder.read("trimmed.wav"));
    let loud = render("soon.mid", "loud.wav", &["--normalize", "--bits", "32"]);
    assert_eq!(loud["peak_dbfs"], -1.0);
    let even = render("soon.mid", "even.wav", &["--normalize=-30LUFS"]);
    assert!((even["loudness_lufs"].as_f64().unwrap() + 30.0).abs() < 0.01, "{even}");
    let mut reader = hound::WavReader::open(work_folder.path().join("loud.wav")).expect("WAV");
    assert_eq!(reader.spec().sample_format, hound::SampleFormat::Float);
    let peak =
        reader.samples::<f32>().map(Result::unwrap).fold(0.0f32, |peak, x| peak.max(x.abs()));
    // −1 dBFS.
    assert!((peak - 0.891_251).abs() < 1e-5, "{peak}");
    // General MIDI's volume.
    work_folder.put("full.mid", &note(60));
    let [full, gm] = ["full", "gm"].map(|which| {
        render("full.mid", "v.wav", &["--midi-volume", which])["peak_dbfs"].as_f64().unwrap()
    });
    // 40 log10(127/100) dB.
    assert!((full - gm - 4.152).abs() < 0.01, "{full} {gm}");
    let stated = file(&[0, 0xB0, 7, 100, 0, 0x90, 60, 90, 48, 0x80, 60, 64, 0, 0xFF, 0x2F, 0]);
    work_folder.put("stated.mid", &stated);
    render("stated.mid", "stated.wav", &["--midi-volume", "gm"]);
    assert!(work_folder.read("stated.wav") == work_folder.read("v.wav"));
}

#[test]
fn manners_of_the_command() {
    let work_folder = WorkFolder::new();
    std::fs::create_dir(work_folder.path().join("gestures")).expect("a folder");
    work_folder.put("gestures/press.csv", b"t_s,key_m\n0,0\n0.1,0.01\n");
    for (command, inner) in [("model", "export"), ("preset", "list"), ("keyboard", "list")] {
        work_folder.refuses(&[command], &format!("a command is missing: {inner}"));
        work_folder.refuses(&[command], &format!("; see `touchback {command} --help`"));
    }
    let output = touchback(work_folder.path(), &["render", "cut.mid", "-o", "q.wav", "--quiet"]);
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty());
    for line in [
        &["preset", "list", "--json"][..],
        &["lab", "list", "--json"],
        &["keyboard", "list", "--json"],
        &["weigh", "--key", "40", "--json"],
        &["keyboard", "emulate", "--defects", "--json"],
        &["simulate", "--batch", "gestures", "--json"],
        &["lab", "ball", "geometry", "--json"],
        &["lab", "figure", "003-fig-6", "--json"],
    ] {
        let output = touchback(work_folder.path(), line);
        let value: serde_json::Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{line:?}: {error}"));
        assert!(
            value.as_array().is_some_and(|list| !list.is_empty()) || line[0] == "keyboard",
            "{line:?}"
        );
    }
    let sweep =
        ["lab", "sweep", "let_off_mm", "1", "3", "--measure", "let_off_height_mm", "--steps", "2"];
    for (line, field) in [
        (&["simulate", "press.csv", "--json"][..], "events"),
        (&[&sweep[..], &["--json"]].concat(), "points"),
    ] {
        let output = touchback(work_folder.path(), line);
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert!(value[field].as_array().is_some_and(|list| !list.is_empty()), "{line:?}");
    }
    assert!(touchback(work_folder.path(), &["--manual", "m"]).status.success());
    for name in ["man/touchback.1", "man/touchback-lab-sweep.1", "completions/touchback.zsh"] {
        assert!(work_folder.read(&format!("m/{name}")).len() > 500, "{name}");
    }
}
