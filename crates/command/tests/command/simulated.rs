//! `touchback simulate`: single gestures, folders of gestures, and invalid ones.

use super::work_folder::{WorkFolder, touchback};

#[test]
fn a_folder_of_gestures_is_simulated_in_one_call() {
    let work_folder = WorkFolder::new();
    std::fs::create_dir(work_folder.path().join("in")).expect("a folder");
    for (name, speed) in [("soft", 0.5), ("hard", 3.0)] {
        let text = format!("form = \"struck\"\nspeed_m_s = {speed}\nduration_s = 0.2\n");
        work_folder.put(&format!("in/{name}.toml"), text.as_bytes());
    }
    work_folder.put("in/notes.txt", b"no gesture");
    let arguments = ["simulate", "--batch", "in", "-o", "runs", "--events", "happened"];
    let output = touchback(work_folder.path(), &arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut table = csv::Reader::from_reader(&output.stdout[..]);
    let rows: Vec<csv::StringRecord> = table.records().map(|r| r.expect("a row")).collect();
    let names: Vec<_> = rows.iter().map(|r| r[0].to_owned()).collect();
    assert_eq!(names, ["hard.toml", "soft.toml"]);
    let speed = |i: usize| rows[i][3].parse::<f64>().expect("a speed");
    assert!(&rows[0][1] == "1" && speed(0) > 2.0 * speed(1), "{rows:?}");
    // The same results as one by one.
    let alone = ["simulate", "in/soft.toml", "-o", "soft.csv"];
    assert!(touchback(work_folder.path(), &alone).status.success());
    assert_eq!(work_folder.read("soft.csv"), work_folder.read("runs/soft.toml.run.csv"));
    assert!(work_folder.read("happened/hard.toml.events.json").starts_with(b"{"));

    work_folder.put("in/broken.toml", b"form = \"flick\"\n");
    let output = touchback(work_folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("broken.toml") && message.contains("1 of 3 gestures"), "{message}");
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 3);
    work_folder.refuses(&["simulate", "--batch", "in", "-o", "in"], "another folder");
    work_folder.refuses(&["simulate"], "GESTURE");
}

#[test]
fn a_gesture_on_the_grand_gives_rows_events_and_a_figure() {
    let work_folder = WorkFolder::new();
    // A heavy hand: the straight pieces of the recorded key motion play it again without loss.
    let hit = b"form = \"struck\"\nspeed_m_s = 1\nduration_s = 0.1\nmass_kg = 0.3\n\
        stiffness_n_m = 3000\ndamping_n_s_m = 10\ndrag_n_s_m = 25\nforce_n = 0\n";
    work_folder.put("hit.toml", hit);
    let arguments = [
        "simulate", "hit.toml", "--key", "40", "-o", "run.csv", "--events", "e.json", "--plot",
        "f.png",
    ];
    let output = touchback(work_folder.path(), &arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let run = String::from_utf8(work_folder.read("run.csv")).expect("UTF-8");
    let columns = run.lines().next().expect("a header").split(',').count();
    assert_eq!(columns, 58, "the contract's 30 and 28 elements");
    assert_eq!(run.lines().count(), 801, "a row a step of 125 µs and the header");
    assert!(run.lines().all(|l| l.split(',').count() == columns));
    let events: serde_json::Value =
        serde_json::from_slice(&work_folder.read("e.json")).expect("JSON");
    let events = events["events"].as_array().expect("an array");
    let strike = events.iter().find(|e| e["kind"] == "strike").expect("a strike");
    // Measured on three grands at 4 m/s: 17 to 27 ms [Goebl 2005].
    let (time, speed) = (strike["time_s"].as_f64(), strike["value"].as_f64());
    assert!(time.is_some_and(|t| (0.015..0.03).contains(&t)), "{strike}");
    assert!(speed.is_some_and(|v| (3.0..5.0).contains(&v)), "{strike}");
    // The run's file is a gesture: the same key motion gives the same hammer speed.
    let again = ["simulate", "run.csv", "--key", "40", "--events", "e2.json"];
    let output = touchback(work_folder.path(), &again);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let second: serde_json::Value =
        serde_json::from_slice(&work_folder.read("e2.json")).expect("JSON");
    let second = second["events"].as_array().expect("an array").iter();
    let second = second.filter(|e| e["kind"] == "strike").collect::<Vec<_>>();
    let near = |field: &str, within: f64| {
        let of = |e: &serde_json::Value| e[field].as_f64().expect("a number");
        assert!((of(second[0]) - of(strike)).abs() < within, "{strike} {}", second[0]);
    };
    near("time_s", 1e-4);
    near("value", 0.01);
    assert!(work_folder.read("f.png").starts_with(b"\x89PNG"));

    let output = touchback(work_folder.path(), &["simulate", "hit.toml"]);
    let message = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(
        message.starts_with("time_s,kind,value\n") && message.contains(",strike,"),
        "{message}"
    );
}

#[test]
fn bad_gestures_are_refused() {
    let work_folder = WorkFolder::new();
    let simulate = |more: &[&str], part: &str| {
        work_folder.refuses(
            &[&["simulate"][..], more, &["-o", "x.csv", "--events", "x.json"]].concat(),
            part,
        );
    };
    simulate(&["missing.csv"], "missing.csv: cannot read");
    simulate(&["both.csv"], "both.csv, line 1");
    simulate(&["late.csv"], "late.csv, line 2");
    simulate(&["form.toml"], "form.toml, part 1");
    simulate(&["ok.mid"], ".csv or a .toml");
    simulate(&["press.csv", "--action", "harmonium"], "harmonium");
    simulate(&["press.csv", "--key", "89"], "89");
    simulate(&["press.csv", "--key", "0"], "--key");
    simulate(&["press.csv", "--plot", "x.pdf"], "x.pdf: a figure is");
    simulate(&["press.csv", "--set", "let_off_mm=99"], "let_off_mm");
    work_folder.refuses(&["model", "export", "--action", "harmonium", "-o", "x.toml"], "harmonium");
    work_folder.refuses(&["simulate", "press.csv", "-o", "press.csv"], "named twice");
}
