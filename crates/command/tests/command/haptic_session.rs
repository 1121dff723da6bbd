//! `touchback feel` with the emulated keyboard: records are kept however a session ends.
#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const RECORDS: [&str; 3] = ["run.csv", "servo.log", "run.mid"];

fn feel(dir: &tempfile::TempDir, arm: bool, input: Stdio) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchback"));
    command.current_dir(dir).args(["feel", "emulator"]);
    command.args(["--record", RECORDS[0], "--log", RECORDS[1], "--midi", RECORDS[2]]);
    command.args(arm.then_some("--arm"));
    command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

fn kept(dir: &tempfile::TempDir) -> bool {
    RECORDS.iter().all(|name| std::fs::metadata(dir.path().join(name)).is_ok_and(|m| m.len() > 0))
}

#[test]
fn a_signal_ends_a_session_and_keeps_its_records() {
    let sessions: Vec<_> = ["INT", "TERM", "HUP"]
        .map(|signal| {
            let dir = tempfile::tempdir().expect("a folder");
            let child = feel(&dir, true, Stdio::piped());
            (signal, dir, child)
        })
        .into_iter()
        .collect();
    // Three sessions at once on a busy machine prove their keyboards more slowly.
    std::thread::sleep(Duration::from_secs(7));
    for (signal, dir, mut child) in sessions {
        // The input stays open, because its end would end the session too.
        let input = child.stdin.take();
        let pid = child.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &pid]).status().unwrap().success());
        let done = child.wait_with_output().unwrap();
        drop(input);
        let output = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{signal}: {output}");
        assert!(output.contains("live"), "{signal}: {output}");
        assert!(kept(&dir), "{signal}: {output}");
    }
}

#[test]
fn a_closed_input_ends_a_session_that_was_never_armed() {
    let dir = tempfile::tempdir().expect("a folder");
    let done = feel(&dir, false, Stdio::null()).wait_with_output().unwrap();
    let output = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success() && output.contains("no force yet"), "{output}");
    assert!(!output.contains("live") && kept(&dir), "{output}");
}

/// A signal sends *stop* to the keyboard instead of only ending the messages. The emulated keyboard is another
/// process and listens at an address.
#[test]
fn a_signal_stops_the_keyboard() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchback"));
    command.current_dir(&dir).args(["keyboard", "emulate", "--listen", "127.0.0.1:0"]);
    command.args(["--seconds", "8", "--log", "keyboard.csv"]).stdout(Stdio::piped());
    let mut keyboard = command.spawn().expect("the program starts");
    let mut port = String::new();
    BufReader::new(keyboard.stdout.take().unwrap()).read_line(&mut port).unwrap();
    assert!(port.starts_with("tcp:127.0.0.1:"), "{port}");

    let mut command = Command::new(env!("CARGO_BIN_EXE_touchback"));
    command.current_dir(&dir).args(["feel", port.trim(), "--arm"]).stdin(Stdio::piped());
    let mut feel = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(4));
    let input = feel.stdin.take();
    assert!(Command::new("kill").arg(feel.id().to_string()).status().unwrap().success());
    let done = feel.wait_with_output().unwrap();
    drop(input);
    let output = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success() && output.contains("live"), "{output}");

    assert!(keyboard.wait().unwrap().success());
    let log = std::fs::read_to_string(dir.path().join("keyboard.csv")).unwrap();
    let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
    assert!(log.lines().any(|line| cells(line)[5] == "live"));
    let last = cells(log.lines().last().unwrap());
    let faults: u16 = last[6].parse().unwrap();
    // 256: stopped.
    assert!(faults & 256 != 0 && last[5] == "damping", "{last:?}");
}

/// The events in the output of `feel`: time, s, and the rest of the line.
fn events(output: &str) -> Vec<(f64, String)> {
    let event = |line: &str| {
        let (time, rest) = line.split_once(" s  key ")?;
        Some((time.trim().parse().ok()?, rest.to_owned()))
    };
    output.lines().filter_map(event).collect()
}

/// A session that is killed while the emulated fingers play, its folder, and its events so far; none if the session
/// ended by itself, as where a pause of this machine ended the force.
fn killed_session() -> Option<(tempfile::TempDir, Vec<(f64, String)>)> {
    let dir = tempfile::tempdir().expect("a folder");
    let mut child = feel(&dir, true, Stdio::piped());
    let input = child.stdin.take();
    // The emulated fingers trill 6 times a second from 5.2 to 7.2 s on.
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let (mut text, mut line) = (String::new(), String::new());
    let mut is_played = false;
    while !is_played && output.read_line(&mut line).is_ok_and(|length| length > 0) {
        text += &line;
        line.clear();
        is_played = events(&text).last().is_some_and(|(time, _)| *time > 6.4);
    }
    child.kill().expect("SIGKILL");
    let _ = child.wait();
    drop(input);
    is_played.then(|| (dir, events(&text)))
}

/// After `kill -9` the take beside the records has all but the last half second, and the records are written from it.
#[test]
#[ignore = "long: `.ci/run` runs it"]
fn a_killed_session_loses_half_a_second() {
    let (dir, seen) = (0..3).find_map(|_| killed_session()).expect("a session that plays");
    assert!(seen.len() > 20, "{seen:?}");
    let last = seen[seen.len() - 1].0;

    let part = dir.path().join("servo.log.part");
    assert!(part.is_file() && !dir.path().join("run.mid").exists());
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchback"));
    command.current_dir(&dir).args(["feel", "servo.log.part", "--replay", "--midi", "run.mid"]);
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    // A replay prints its events as CSV: time, key, kind, value.
    let printed = String::from_utf8_lossy(&done.stdout);
    let again: Vec<(f64, String)> = printed
        .lines()
        .filter_map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let [time, key, kind, _] = cells[..] else { return None };
            Some((time.parse().ok()?, format!("{key}  {} ", kind.replace('_', " "))))
        })
        .collect();
    let kept = again.last().map_or(0.0, |(time, _)| *time);
    println!("the last event seen at {last} s, kept at {kept} s");
    for (time, what) in seen.iter().filter(|(time, _)| *time < last - 0.5) {
        // Sessions print tenths of a millisecond.
        let same = |(t, w): &(f64, String)| (t - time).abs() < 1e-4 && what.starts_with(w);
        assert!(again.iter().any(same), "{time} {what} is lost: {again:?}");
    }
    assert!(std::fs::metadata(dir.path().join("run.mid")).unwrap().len() > 100);
}

/// A keyboard with sensors and no motors is played, recorded and written as MIDI; nothing is armed.
#[test]
fn a_keyboard_without_motors_is_played_and_recorded() {
    let dir = tempfile::tempdir().expect("a folder");
    let script = "t_s,key,act,a,b,c\n1.5,1,press,0.016,0.1,\n2.1,1,release,0.1,,\n2.6,1,press,0.02,0.06,\n\
                  3.2,1,release,0.1,,\n";
    std::fs::write(dir.path().join("hand.csv"), script).unwrap();
    let touchback = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_touchback"));
        command
            .current_dir(&dir)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    };
    let mut command = touchback();
    command.args(["keyboard", "emulate", "--listen", "127.0.0.1:0", "--seconds", "6"]);
    command.args(["--positions-only", "--script", "hand.csv"]);
    let mut keyboard = command.spawn().expect("the program starts");
    let mut port = String::new();
    BufReader::new(keyboard.stdout.take().unwrap()).read_line(&mut port).unwrap();
    let mut command = touchback();
    command.args(["feel", port.trim(), "--arm", "--seconds", "4.5"]);
    command.args(["--record", RECORDS[0], "--log", RECORDS[1], "--midi", RECORDS[2]]);
    let done = command.output().unwrap();
    let (output, said) =
        (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success() && said.contains("plays by its positions"), "{said}");
    assert!(!said.contains("live"), "{said}");
    let strikes = output.lines().filter(|line| line.contains("  strike ")).count();
    assert!(strikes == 2 && kept(&dir), "{output}");
    let record = std::fs::read_to_string(dir.path().join(RECORDS[0])).unwrap();
    let depth = |line: &str| line.split(',').nth(1).and_then(|cell| cell.parse::<f64>().ok());
    let deepest = record.lines().filter_map(depth).fold(0.0, f64::max);
    assert!((9e-3..11e-3).contains(&deepest), "{deepest} m");
    assert!(keyboard.wait().unwrap().success());
}

/// Two boards at two ports are one keyboard; boards with the same key are refused with both ranges.
#[test]
#[ignore = "long: `.ci/run` runs it"]
fn two_ports_are_one_keyboard() {
    let dir = tempfile::tempdir().expect("a folder");
    // Repeated, because the session begins when the machine finds the time.
    let script = (0..12).map(|i| {
        let begin = 1.0 + 0.8 * f64::from(i);
        format!("{begin:.1},2,press,0.022,0.06,\n{:.1},2,release,0.1,,\n", begin + 0.4)
    });
    let script: String = std::iter::once("t_s,key,act,a,b,c\n".to_owned()).chain(script).collect();
    std::fs::write(dir.path().join("hand.csv"), script).unwrap();
    let touchback = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_touchback"));
        command.current_dir(&dir).args(arguments).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    let board = |first: &str| {
        let mut arguments =
            vec!["keyboard", "emulate", "--listen", "127.0.0.1:0", "--seconds", "14"];
        arguments.extend(["--positions-only", "--script", "hand.csv", "--keys", "44"]);
        arguments.extend(["--first-key", first]);
        let mut keyboard = touchback(&arguments).spawn().expect("the program starts");
        let mut port = String::new();
        BufReader::new(keyboard.stdout.take().unwrap()).read_line(&mut port).unwrap();
        (keyboard, port.trim().to_owned())
    };
    let (mut low, at_low) = board("1");
    let (mut high, at_high) = board("45");
    let feel = ["feel", "--port", &at_low, "--port", &at_high, "--seconds", "7", "--midi", "a.mid"];
    let done = touchback(&feel).output().unwrap();
    let (output, said) =
        (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{said}");
    let struck = |key: &str| events(&output).iter().any(|(_, event)| event.starts_with(key));
    assert!(struck("2  strike ") && struck("46  strike "), "{output}{said}");
    assert!(said.contains(&format!("{at_high}, keys 45 to 88: present")), "{said}");
    assert!(std::fs::metadata(dir.path().join("a.mid")).unwrap().len() > 100);

    let (mut other, at_other) = board("44");
    let done = touchback(&["feel", &at_low, "--port", &at_other, "--seconds", "1"]).output();
    let done = done.unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(said.contains("has the keys 44 to 87") && said.contains("has 1 to 44"), "{said}");
    for keyboard in [&mut low, &mut high, &mut other] {
        let _ = keyboard.kill();
        let _ = keyboard.wait();
    }
}

/// `keyboard certify` writes its page, and its exit code is that of the page.
#[test]
fn a_certificate_is_written_and_judged() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchback"));
    command.current_dir(&dir).args(["keyboard", "certify", "emulator", "-o", "page.md", "--json"]);
    let done = command.stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    let page = std::fs::read_to_string(dir.path().join("page.md")).expect("a page");
    println!("{page}{said}");
    let verdicts = |end: &str| page.lines().filter(|line| line.ends_with(end)).count();
    let (passed, failed) = (verdicts("| passed |"), verdicts("| **failed** |"));
    assert_eq!(passed + failed, 18, "{page}");
    let read: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let tests = read["tests"].as_array().expect("tests");
    assert_eq!(tests.iter().filter(|test| test["is_passed"] == true).count(), passed, "{read}");
    assert_eq!(done.status.code(), Some(if failed == 0 { 0 } else { 2 }), "{said}");
    // A busy machine may delay states; the laws are those of the emulator.
    for law in ["report the applied force", "obey a tighter limit of force", "answer pings"] {
        assert!(
            page.lines().any(|line| line.contains(law) && line.ends_with("| passed |")),
            "{page}"
        );
    }
}
