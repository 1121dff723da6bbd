//! `touchback keyboard bridge` with an emulated controller in another process.
#![cfg(unix)]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const SCRIPT: &str = "t_s,key,act,a,b,c\n5,1,press,0.022,0.2,\n";

fn touchback(dir: &tempfile::TempDir, arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchback"));
    command.current_dir(dir).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

/// The port that a program prints.
fn port(child: &mut Child) -> String {
    let mut port = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
    port.trim().to_owned()
}

fn bridge(dir: &tempfile::TempDir, port: &str, more: &[&str]) -> Child {
    let mut arguments = vec!["keyboard", "bridge", "--controller", "moteus", "--port", port];
    arguments.extend(["--id", "1", "--lever-mm", "100"]);
    arguments.extend(more);
    touchback(dir, &arguments)
}

#[test]
fn controllers_as_shipped_are_refused_with_their_commands() {
    let dir = tempfile::tempdir().expect("a folder");
    let arguments = ["keyboard", "emulate", "--controller", "moteus", "--as-shipped"];
    let mut emulated = touchback(&dir, &[&arguments[..], &["--untouched"]].concat());
    let controllers = port(&mut emulated);
    let done = bridge(&dir, &controllers, &[]).wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{text}");
    assert!(
        text.contains("conf set servo.timeout_mode 15") && text.contains("conf write"),
        "{text}"
    );
    assert!(done.stdout.is_empty());
    emulated.kill().unwrap();
    let _ = emulated.wait();
}

/// After SIGKILL the controller's own watchdog ends the force of a held key.
#[test]
#[ignore = "real time between processes: on a quiet machine, `… --test command killed_bridge -- --ignored`"]
fn no_force_outlasts_the_watchdog_of_a_killed_bridge() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("script.csv"), SCRIPT).unwrap();
    let arguments = ["keyboard", "emulate", "--controller", "moteus", "--script", "script.csv"];
    let more = ["--seconds", "12", "--log", "motor.csv"];
    let mut emulated = touchback(&dir, &[&arguments[..], &more].concat());
    let (controllers, begin) = (port(&mut emulated), Instant::now());
    let mut bridge = bridge(&dir, &controllers, &[]);
    let keyboard = port(&mut bridge);
    // Arms again where this machine has paused.
    let mut host = touchback(&dir, &["keyboard", "probe", &keyboard, "--live", "--seconds", "30"]);
    std::thread::sleep(Duration::from_secs(8).saturating_sub(begin.elapsed()));
    bridge.kill().expect("SIGKILL");
    let killed = begin.elapsed().as_secs_f64();
    let _ = bridge.wait();
    assert!(emulated.wait().unwrap().success());
    host.kill().unwrap();
    let _ = host.wait();

    let log = std::fs::read_to_string(dir.path().join("motor.csv")).unwrap();
    let rows: Vec<(f64, f64, String)> = log
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            (cells[0].parse().unwrap(), cells[3].parse().unwrap(), cells[5].to_owned())
        })
        .collect();
    let at = rows.iter().rposition(|(.., mode)| mode == "running").expect("force");
    let held = rows[at.saturating_sub(200)..at].iter().map(|row| row.1.abs()).fold(0.0, f64::max);
    assert!(held > 0.5, "{held} N before the end");
    // The clocks of both processes begin within a tenth of a second.
    assert!((rows[at].0 - killed).abs() < 0.15, "{} s, killed at {killed} s", rows[at].0);
    let after = &rows[at + 1..];
    assert!(after.len() > 2000 && after.iter().all(|(.., mode)| mode == "timedout"), "{after:?}");
    // Damping, while the finger pushes the key to its bed; then nothing.
    assert!(after.iter().all(|row| row.1.abs() < 2.0), "{after:?}");
    assert!(after.iter().skip(300).all(|row| row.1.abs() < 0.05), "{after:?}");
}
