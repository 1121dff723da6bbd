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
