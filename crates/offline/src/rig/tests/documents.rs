//! Numbers of the documents that the program gives: strokes of firmware/hand.csv on the emulated key.

use super::super::co_simulation::{CoSimulation, MemoryLine};
use touchback_action::EventKind;
use touchback_haptics::keyboard::emulator::Emulator;
use touchback_haptics::keyboard::script::{FingerAction, Script, ScriptedAction};
use touchback_haptics::record::log::MemoryLog;
use touchback_haptics::servo::ServoOptions;

/// The presses of firmware/hand.csv: depth, m, duration, s.
fn presses() -> Vec<(f64, f64)> {
    let text = include_str!("../../../../../firmware/hand.csv");
    let press = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        (cells[2] == "press").then(|| (cells[3].parse().unwrap(), cells[4].parse().unwrap()))
    };
    text.lines().skip(1).filter_map(press).collect()
}

/// firmware/README.md tells where the let-off begins and how fast the hammer is on the emulated key.
#[test]
fn let_off_and_hammer_speed_of_the_firmwares_page_are_those_of_the_program() {
    let text = include_str!("../../../../../firmware/README.md");
    let mut missing = Vec::new();
    for (depth, within) in presses() {
        let actions = [
            (1.0, FingerAction::Press { depth, within }),
            (1.6, FingerAction::Release { within: 0.1 }),
        ];
        let acts = actions.map(|(time, action)| ScriptedAction { time, key: 0, action });
        let (script, line) = (Script::new(acts.to_vec()), MemoryLine::new(1, 5));
        let design = Emulator::on_a_desk();
        let mut pair = CoSimulation::new(&design, script, ServoOptions::default(), line);
        pair.run(0.3, &mut (), |_| ());
        let mut log = MemoryLog::default();
        assert!(pair.arm(&mut log));
        pair.run(1.6, &mut log, |_| ());
        let only = |kind| {
            let events = log.of(kind);
            assert_eq!(events.len(), 1, "{kind:?}");
            events[0].event.value()
        };
        let let_off = only(EventKind::LetOffStart);
        let row = format!(
            "| {:.0} mm in {within} s | {:.2} mm | {:.2} m/s |",
            depth * 1e3,
            let_off * 1e3,
            only(EventKind::Strike)
        );
        let step = format!("The let-off must begin at {:.1} mm", let_off * 1e3);
        println!("{row} {step}");
        let page = include_str!("../../../../../docs/build-a-key.md");
        missing.extend((!text.contains(&row)).then_some(row));
        missing.extend((!page.contains(&step)).then_some(step));
    }
    assert!(missing.is_empty(), "firmware/README.md or docs/build-a-key.md lacks {missing:?}");
}
