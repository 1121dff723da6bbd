//! `-`: standard input and standard output as files.

use std::fs::File;
use std::io::{Cursor, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::work_folder::{WorkFolder, file, piece, touchback};
use touchback_recorded::sound_file;

/// Bytes of a WAV file before the sound.
const HEADER: usize = 68;

fn command(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchback"));
    command.current_dir(dir).args(arguments);
    command
}

/// Output of the program, which reads `input`.
fn fed(dir: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut command = command(dir, arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A program that refuses its arguments reads nothing.
    let _ = stdin.write_all(input);
    drop(stdin);
    child.wait_with_output().expect("an end")
}

fn succeeds(output: &Output) -> String {
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{message}");
    message
}

/// The program's exit with its output in `file`.
fn redirected(work_folder: &WorkFolder, arguments: &[&str], file: File) -> String {
    let mut command = command(work_folder.path(), arguments);
    succeeds(&command.stdout(file).output().expect("the program starts"))
}

#[test]
fn sound_goes_through_a_pipe_and_words_to_stderr() {
    let work_folder = WorkFolder::new();
    succeeds(&touchback(work_folder.path(), &["render", "ok.mid", "-o", "a.wav"]));
    let plain = work_folder.read("a.wav");
    for name in ["-", "/dev/stdout"] {
        let output = touchback(work_folder.path(), &["render", "ok.mid", "-o", name]);
        assert!(succeeds(&output).contains("wrote /dev/stdout: "));
        let (head, sound) = output.stdout.split_at(HEADER);
        assert!(sound == &plain[HEADER..], "{name}: another sound");
        assert_eq!(
            (&head[..4], &head[4..8], &head[64..]),
            (&b"RIFF"[..], &[255; 4][..], &[255; 4][..])
        );
        let read = sound_file::decode(Cursor::new(output.stdout.clone())).expect("a sound");
        assert_eq!((read.channels[0].len(), read.fault), (sound.len() / 6, None));
    }
    assert!(!work_folder.path().join("-").exists());
}

#[test]
fn a_redirected_file_is_the_same_as_one_that_is_named() {
    let work_folder = WorkFolder::new();
    let at = |name: &str| work_folder.path().join(name);
    succeeds(&touchback(work_folder.path(), &["render", "ok.mid", "-o", "a.wav"]));
    let plain = work_folder.read("a.wav");
    let arguments = ["render", "ok.mid", "-o", "-"];
    redirected(&work_folder, &arguments, File::create(at("b.wav")).expect("a file"));
    assert!(work_folder.read("b.wav") == plain);
    // Behind what others have written, and appended.
    let mut begun = File::create(at("c.wav")).expect("a file");
    begun.write_all(b"begun").expect("five bytes");
    redirected(&work_folder, &arguments, begun.try_clone().expect("a file"));
    assert_eq!(begun.stream_position().expect("a position"), plain.len() as u64 + 5);
    begun.seek(SeekFrom::End(0)).expect("a position");
    begun.write_all(b"ended").expect("five bytes");
    assert!(work_folder.read("c.wav") == [b"begun", &plain[..], b"ended"].concat());
    let appended = File::options().append(true).open(at("c.wav")).expect("a file");
    redirected(&work_folder, &arguments, appended);
    let all = work_folder.read("c.wav");
    let (before, after) = all.split_at(plain.len() + 10);
    assert!(before.ends_with(b"ended") && after.len() == plain.len());
    assert!(after[HEADER..] == plain[HEADER..] && after[4..8] == [255; 4]);
}

#[test]
#[ignore = "long: `.ci/run` runs it"]
fn tables_and_figures_go_to_standard_output() {
    let work_folder = WorkFolder::new();
    let dir = work_folder.path();
    let render = |option: &str| {
        let output = touchback(dir, &["render", "ok.mid", "-o", "a.wav", option, "-"]);
        assert!(succeeds(&output).contains("wrote a.wav"));
        String::from_utf8(output.stdout).expect("text")
    };
    let stats: serde_json::Value = serde_json::from_str(&render("--stats")).expect("JSON");
    assert_eq!(stats["strikes"], 2);
    assert!(render("--strikes").starts_with("time_s,key,") && render("--strikes").ends_with('\n'));
    assert!(render("--plot").starts_with("<svg"));
    let simulate = |arguments: &[&str]| {
        let output = touchback(dir, &[&["simulate", "press.csv"], arguments].concat());
        succeeds(&output);
        output.stdout
    };
    let run = simulate(&["-o", "-"]);
    assert!(run.starts_with(b"time_s,phase,") && run == simulate(&["--stdout"]));
    let events: serde_json::Value =
        serde_json::from_slice(&simulate(&["--events", "-"])).expect("JSON");
    assert!(events["events"].is_array());
    let output = touchback(dir, &["weigh", "--key", "40", "-o", "-"]);
    succeeds(&output);
    assert!(output.stdout.starts_with(b"key,"));
}

#[test]
fn inputs_come_from_standard_input() {
    let work_folder = WorkFolder::new();
    let dir = work_folder.path();
    let sound = |arguments: &[&str], input: &[u8]| {
        let output = fed(dir, &[&["render"], arguments, &["-o", "-"]].concat(), input);
        succeeds(&output);
        output.stdout
    };
    let plain = sound(&["ok.mid"], b"");
    assert!(sound(&["-"], &piece()) == plain, "MIDI");
    let curve = work_folder.read("curve.csv");
    assert!(
        sound(&["ok.mid", "--automate", "let_off_mm=-"], &curve)
            == sound(&["ok.mid", "--automate", "let_off_mm=curve.csv"], b"")
    );
    let mine = work_folder.read("mine.toml");
    assert!(
        sound(&["ok.mid", "--preset", "-"], &mine)
            == sound(&["ok.mid", "--preset", "mine.toml"], b"")
    );
    let sheet = b"key,hammer_hardness\n40,0.5\n";
    work_folder.put("sheet.csv", sheet);
    assert!(
        sound(&["ok.mid", "--keys", "-"], sheet) == sound(&["ok.mid", "--keys", "sheet.csv"], b"")
    );
    let keys = b"t_s,C4\n0,0\n0.05,10\n0.2,10\n0.3,0\n";
    work_folder.put("keys.csv", keys);
    assert!(sound(&["-"], keys) == sound(&["keys.csv"], b""), "key motion");

    let events = |arguments: &[&str], input: &[u8]| {
        let output = fed(dir, &[&["simulate"], arguments].concat(), input);
        succeeds(&output);
        String::from_utf8(output.stdout).expect("text")
    };
    let press = work_folder.read("press.csv");
    assert_eq!(events(&["-"], &press), events(&["press.csv"], b""));
    let form = b"# a stroke\nform = \"pressed\"\nforce_n = 7\nduration_s = 0.2\n";
    work_folder.put("stroke.toml", form);
    assert_eq!(events(&["-"], form), events(&["stroke.toml"], b""));
    let model = touchback(dir, &["model", "export", "--key", "40", "-o", "-"]);
    succeeds(&model);
    let pressed = ["stroke.toml", "--model", "-", "--key", "40"];
    assert_eq!(events(&pressed, &model.stdout), events(&["stroke.toml", "--key", "40"], b""));
    let preset = touchback(dir, &["preset", "export", "mellow", "-o", "-"]);
    succeeds(&preset);
    let again = fed(dir, &["preset", "export", "-", "-o", "-"], &preset.stdout);
    succeeds(&again);
    assert_eq!(again.stdout, preset.stdout);
}

#[test]
fn what_cannot_be_a_stream_is_refused() {
    let work_folder = WorkFolder::new();
    let twice = "/dev/stdout: is named twice; only one file can be `-`";
    work_folder.refuses(&["render", "ok.mid", "-o", "-", "--stats", "-"], twice);
    work_folder.refuses(&["render", "ok.mid", "-o", "/dev/stdout", "--strikes", "-"], twice);
    work_folder.refuses(&["simulate", "press.csv", "--stdout", "--events", "-"], twice);
    let twice = "/dev/stdin: is named twice";
    work_folder.refuses(&["render", "-", "-o", "a.wav", "--keys", "-"], twice);
    let folder = "/dev/stdout: is one file; name a folder";
    work_folder.refuses(&["render", "ok.mid", "rest.mid", "-o", "-"], folder);
    work_folder.refuses(&["lab", "ball", "--out", "-"], folder);
    for (input, part) in [(&b"no music"[..], "no MIDI file, and no table"), (b"", "/dev/stdin: ")] {
        let output = fed(work_folder.path(), &["render", "-", "-o", "-"], input);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(part) && message.lines().count() == 1, "{message}");
        assert!(output.stdout.is_empty());
    }
}

/// 20 s of music, of which the reader takes 100 bytes.
#[test]
fn a_closed_pipe_ends_the_work_quietly() {
    let work_folder = WorkFolder::new();
    let notes: Vec<u8> = (0..15).flat_map(|_| [0, 0x90, 60, 80, 127, 60, 0, 127, 62, 0]).collect();
    work_folder.put("long.mid", &file(&[&notes[..], &[0, 0xFF, 0x2F, 0]].concat()));
    for arguments in [["render", "long.mid", "-o", "-"], ["simulate", "press.csv", "-o", "-"]] {
        let mut command = command(work_folder.path(), &arguments);
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a start");
        let mut first = [0; 100];
        let mut stdout = child.stdout.take().expect("a pipe");
        stdout.read_exact(&mut first).expect("the first bytes");
        drop(stdout);
        let output = child.wait_with_output().expect("an end");
        assert!(output.status.success(), "{arguments:?}: {:?}", output.status);
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
