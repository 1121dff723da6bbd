use super::*;
use std::path::Path;

fn options(folder: &Path, out: &Path) -> RecordedOptions {
    RecordedOptions {
        octave: None,
        beside: None,
        folder: folder.to_owned().into(),
        velocities: vec![64],
        preset: "concert".to_owned().into(),
        set: Vec::new(),
        out: out.to_owned().into(),
        json: false,
    }
}

/// Writes `key` played by a piano of `settings` as a file at 48 kHz.
pub fn own_note(settings: &Settings, key: KeyNumber, path: &Path) {
    let mut piano = Piano::new(RATE, settings);
    piano.handle(Event::NoteOn { key, velocity: 64.0 / 127.0 });
    let (mut left, mut right) = (vec![0.0; 240_000], vec![0.0; 240_000]);
    piano.process(&mut left, &mut right);
    let spec = hound::WavSpec {
        channels: 2,
        sample_rate: 48_000,
        bits_per_sample: 32,
        sample_format: hound::SampleFormat::Float,
    };
    let mut writer = hound::WavWriter::create(path, spec).unwrap();
    for (left, right) in left.iter().zip(&right) {
        writer.write_sample(*left).unwrap();
        writer.write_sample(*right).unwrap();
    }
    writer.finalize().unwrap();
}

#[test]
fn a_piano_has_no_distance_from_itself() {
    let folder = tempfile::tempdir().unwrap();
    let (notes, out) = (folder.path().join("notes/soft"), folder.path().join("out"));
    std::fs::create_dir_all(&notes).unwrap();
    let key = KeyNumber::from_index(39).unwrap();
    own_note(&Settings::default(), key, &notes.join("Grand C4 mf.wav"));
    std::fs::write(notes.join("C4.txt"), "a note about a note").unwrap();
    run(&options(&folder.path().join("notes"), &out)).unwrap();
    let table = std::fs::read_to_string(out.join("recorded.csv")).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 2);
    assert_eq!((rows[1][0], rows[1][1]), ("40", "5"));
    assert!(rows[0].iter().zip(&rows[1]).all(|(name, cell)| {
        cell.parse::<f64>()
            .is_ok_and(|x| !name.ends_with("y_db") && !name.ends_with("k_db") || x < 0.01)
    }));
    assert!(out.join("recorded-distances.svg").exists() && out.join("manifest.json").exists());
}

/// Recordings have no distance from themselves, and none is told where no key is in both.
#[test]
fn recordings_are_compared_with_recordings() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for (name, index) in [("a/C4v1.wav", 39), ("b/C5v1.wav", 51)] {
        std::fs::create_dir_all(path(name).parent().unwrap()).unwrap();
        own_note(&Settings::default(), KeyNumber::from_index(index).unwrap(), &path(name));
    }
    let beside = |other: &str| {
        let options = options(&path("a"), &path("out"));
        run(&RecordedOptions { beside: Some(path(other).into()), ..options })
    };
    assert!(format!("{:#}", beside("b").unwrap_err()).contains("in both"));
    beside("a").unwrap();
    let table = std::fs::read_to_string(path("out/recorded.csv")).unwrap();
    assert!(table.lines().nth(1).unwrap().starts_with("40,1,"), "{table}");
}

#[test]
fn folders_without_notes_and_doubled_notes_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let (notes, out) = (folder.path().join("notes"), folder.path().join("out"));
    let told = || format!("{:#}", run(&options(&notes, &out)).unwrap_err());
    assert!(told().contains("notes"));
    std::fs::create_dir(&notes).unwrap();
    assert!(told().contains("no .wav, .aiff, .flac or .ogg file"));
    std::fs::write(notes.join("C4v1.wav"), "").unwrap();
    assert!(told().contains("C4v1.wav"));
    std::fs::write(notes.join("c4 v1.flac"), "").unwrap();
    assert!(told().contains("both layer 1 of key 40"));
    assert!(!out.exists());
}
