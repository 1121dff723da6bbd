//! Outputs that would overwrite inputs, special files, and files that cannot be written.

use super::work_folder::{WorkFolder, touchback};

#[test]
fn an_input_is_never_overwritten() {
    let work_folder = WorkFolder::new();
    work_folder.put("keys.csv", b"key,drop_mm\n7,1\n");
    for arguments in [
        &["weigh", "--keys", "keys.csv", "-o", "keys.csv"][..],
        &["weigh", "--keys", "keys.csv", "--page", "./keys.csv"],
        &["weigh", "--preset", "mine.toml", "-o", "mine.toml"],
        &["keyboard", "emulate", "--script", "keys.csv", "--seconds", "1", "--log", "keys.csv"],
    ] {
        work_folder.refuses(arguments, "is named twice");
    }
    work_folder.refuses(
        &["lab", "energy", "--keys", "keys.csv", "--out", "."],
        ".: holds the input keys.csv; give the outputs another folder",
    );
    assert_eq!(work_folder.read("keys.csv"), b"key,drop_mm\n7,1\n");
}

#[test]
fn files_named_by_a_folder_or_an_sfz_file_are_inputs_too() {
    let work_folder = WorkFolder::new();
    let folder = work_folder.path().join("piano");
    std::fs::create_dir(&folder).expect("a folder");
    work_folder.put("piano/A4.wav", b"a sound");
    work_folder.put("all.sfz", b"#include \"piano/more.toml\"");
    work_folder.put("piano/more.toml", b"<region> sample=piano/A4.wav key=69");
    work_folder.refuses(&["match", "all.sfz", "-o", "piano/more.toml"], "is named twice");
    work_folder
        .refuses(&["lab", "recorded", "all.sfz", "--out", "piano"], "holds the input piano/");
    work_folder.refuses(&["lab", "recorded", "piano", "--out", "piano"], "holds the input piano");
    std::fs::create_dir(work_folder.path().join("gestures")).expect("a folder");
    work_folder.put("gestures/a.csv", b"t_s,key_m\n0,0\n0.1,0.01\n");
    work_folder.refuses(
        &["simulate", "--batch", "gestures", "-o", "gestures"],
        "gestures: holds the input gestures",
    );
}

#[cfg(unix)]
#[test]
fn a_pipe_that_nobody_writes_to_is_refused_at_once() {
    let work_folder = WorkFolder::new();
    for name in ["p.toml", "p.mid", "p.csv", "p.sfz", "p.scl", "p.log"] {
        let path = work_folder.path().join(name);
        assert!(std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
    }
    for arguments in [
        &["render", "p.mid", "-o", "x.wav"][..],
        &["render", "p.toml", "-o", "x.wav"],
        &["render", "ok.mid", "-o", "x.wav", "--preset", "p.toml"],
        &["render", "ok.mid", "-o", "x.wav", "--keys", "p.csv"],
        &["render", "ok.mid", "-o", "x.wav", "--scale", "p.scl"],
        &["render", "ok.mid", "-o", "x.wav", "--automate", "let_off_mm=p.csv"],
        &["preset", "export", "p.toml", "-o", "x.toml"],
        &["match", "p.sfz", "-o", "x.toml"],
        &["match", ".", "--preset", "p.toml", "-o", "x.toml"],
        &["simulate", "p.toml"],
        &["simulate", "p.csv"],
        &["simulate", "press.csv", "--model", "p.toml"],
        &["feel", "p.log", "--replay"],
        &["feel", "emulator", "--play", "p.mid"],
        &["fit", "p.csv", "--free", "key.inertia"],
        &["weigh", "--before", "p.csv"],
        &["keyboard", "emulate", "--script", "p.csv"],
        &["keyboard", "emulate", "--facts", "p.csv"],
        &["lab", "energy", "--model", "p.toml"],
    ] {
        work_folder.refuses(arguments, "is not a plain file");
    }
    std::fs::create_dir(work_folder.path().join("notes")).expect("a folder");
    std::fs::rename(work_folder.path().join("p.sfz"), work_folder.path().join("notes/A4.wav"))
        .expect("a pipe");
    work_folder.refuses(&["match", "notes", "-o", "x.toml"], "A4.wav: is not a plain file");
}

/// A folder created for outputs is removed if no output can be written; here the file size limit is 0.
#[cfg(target_os = "linux")]
#[test]
fn a_created_folder_is_removed_if_nothing_can_be_written() {
    let work_folder = WorkFolder::new();
    let before = work_folder.names();
    for arguments in [
        "preset export --all ps/deep",
        "fit --example ex",
        "lab sweep let_off_mm 1 2 --steps 2 --measure let_off_height_mm",
    ] {
        let limited = format!(
            "trap '' XFSZ; ulimit -f 0; exec '{}' {arguments}",
            env!("CARGO_BIN_EXE_touchback")
        );
        let output = std::process::Command::new("bash")
            .current_dir(work_folder.path())
            .args(["-c", &limited])
            .output()
            .expect("bash");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {message}");
        assert!(message.contains("cannot write"), "{arguments}: {message}");
        assert_eq!(work_folder.names(), before, "{arguments} left a folder");
    }
}

#[cfg(unix)]
#[test]
fn a_name_of_two_lines_is_printed_on_one() {
    let work_folder = WorkFolder::new();
    std::fs::rename(work_folder.path().join("ok.mid"), work_folder.path().join("o\nk.mid"))
        .expect("a name");
    let output = touchback(work_folder.path(), &["render", "o\nk.mid", "-o", "a\nb.wav"]);
    let message = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && message.starts_with("wrote a\\nb.wav: "), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    let warned = String::from_utf8_lossy(&output.stderr);
    assert!(warned.lines().all(|line| line.starts_with("warning: ")), "{warned}");
}
