//! The servo's log as a file, and its rendering.

use touchback_action::interface::key::STATES;
use touchback_action::{
    ActionKind, ActionSettings, Drive, EventKind, KeyEvent, TimedEvent, step_time,
};
use touchback_haptics::action::Action;
use touchback_haptics::connection::{ActivationContext, Choice, KeyboardConnection};
use touchback_haptics::record::log::Entry;
use touchback_haptics::record::recording::{Recording, Writer};
use touchback_models::catalogue::Model;

use crate::rig::acceptance::line;
use crate::rig::co_simulation::CoSimulation;
use touchback_haptics::keyboard::emulator::KeyboardDesign;
use touchback_haptics::keyboard::plant::KeyPlant;
use touchback_haptics::keyboard::script::{FingerAction, Script, ScriptedAction};
use touchback_haptics::record::log::Twin;
use touchback_haptics::record::replay::{Replay, ReplayEvent};
use touchback_haptics::servo::ServoOptions;

/// First lines of the file in the present and in older versions.
const HEAD: &str = "touchback servo log 3";
const OLDER: [&str; 2] = ["touchback servo log 2", "touchback servo log 1"];

/// A session of 1.5 s with the grand: its log, and the servo's final state of the key.
pub(crate) fn played() -> (Vec<Entry>, [u64; STATES + 1]) {
    session(Action::GRAND)
}

fn session(action: Action) -> (Vec<Entry>, [u64; STATES + 1]) {
    let act = ScriptedAction {
        time: 0.3,
        key: 0,
        action: FingerAction::Trill { depth: 14e-3, rate: 6.0, lasts: 1.0 },
    };
    let plant = KeyPlant { mass: 0.03, weight: 0.2, ..KeyPlant::THREE[0] };
    let design = KeyboardDesign { plant, ..KeyboardDesign::default() };
    let script = Script::new(vec![act]);
    let options = ServoOptions { action, ..ServoOptions::default() };
    let mut pair = CoSimulation::new(&design, script, options, line());
    let mut entries: Vec<Entry> = Vec::new();
    assert!(pair.arm(&mut entries));
    pair.run(1.6, &mut entries, |_| ());
    (entries, pair.servo.simulated(0).unwrap().save().bits())
}

pub(crate) fn text(entries: &[Entry]) -> String {
    let mut writer = Writer::new(Vec::new()).unwrap();
    entries.iter().for_each(|e| writer.put(e).unwrap());
    String::from_utf8(writer.finish().unwrap()).unwrap()
}

#[test]
fn a_log_read_back_gives_the_servos_bits() {
    let (entries, servo) = played();
    let written = text(&entries);
    let take = Recording::read("a.log", written.as_bytes()).unwrap();
    assert_eq!(take.in_memory().unwrap(), entries);
    let key = take.first_key().unwrap();
    let mut twin = Twin::new(Action::GRAND);
    take.entries().unwrap().for_each(|e| twin.play(&e.unwrap(), |_| ()));
    assert_eq!(twin.key(key).unwrap().0.save().bits(), servo);
    // Replayed as on the audio thread: any block size gives the same states and the same events at the same
    // times.
    let heard = [1u64, 64, 1000].map(|block| {
        let action = take.action().unwrap();
        let mut replay = Replay::recorded(take.in_memory().unwrap(), action, 44_100.0);
        // The same while it is read.
        let mut brought = Replay::supplied(action, ActionSettings::default(), 44_100.0);
        let mut coming = take.entries().unwrap();
        let (mut now, mut sounds, mut as_read) = (0u64, Vec::new(), Vec::new());
        while !replay.is_over() {
            let length = usize::try_from(block).unwrap();
            let sound = |ahead: f64, what: &TimedEvent| {
                let (moment, value) = (now as f64 + ahead, what.event.value());
                (moment.to_bits(), what.event.kind(), value.to_bits())
            };
            replay.block(now, length, |ahead, what| sounds.push(sound(ahead, what)));
            while brought.needs_entries(now, length) {
                let Some(entry) = coming.next() else { break };
                brought.supply(entry.unwrap());
            }
            brought.block(now, length, |ahead, what| as_read.push(sound(ahead, what)));
            now += block;
        }
        assert!(sounds == as_read);
        assert_eq!(brought.twin().key(key).unwrap().0.save().bits(), servo);
        assert_eq!(replay.twin().key(key).unwrap().0.save().bits(), servo);
        sounds
    });
    assert!(heard[0].len() > 20 && heard[0] == heard[1] && heard[1] == heard[2]);
}

/// The hammer that a hand throws in a session of model A is thrown again by its log, bit for bit, and by the motion of
/// the key alone, as `--record` writes it.
#[test]
fn model_a_throws_its_hammer_in_a_session_by_its_log_and_by_its_motion() {
    let action = Action::Played(ActionKind::ModelA);
    let (entries, servo) = session(action);
    let key = entries.iter().find_map(Entry::key).unwrap();
    let mut twin = Twin::new(action);
    let mut imposed = Model::of(ActionKind::ModelA, key, &ActionSettings::default()).start();
    let mut last = imposed.front();
    let (mut felt, mut again) = (Vec::new(), Vec::new());
    let mut least = 0.0f64;
    let strike = |event: &KeyEvent| event.kind() == EventKind::Strike;
    for entry in &entries {
        twin.watch(
            entry,
            |what| {
                if strike(&what.event) {
                    felt.push(step_time(what.step) + what.offset);
                }
            },
            |step, _, mechanism| {
                let now = mechanism.front();
                let drive = Drive::between(last, now);
                imposed.step(drive, &mut |offset, event| {
                    if strike(&event) {
                        again.push(step_time(step) + offset);
                    }
                });
                least = least.min(imposed.readout(drive).contact_force);
                last = now;
            },
        );
    }
    assert_eq!(twin.key(key).unwrap().0.save().bits(), servo);
    assert!(felt.len() >= 5 && felt.len() == again.len(), "{felt:?} {again:?}");
    assert!(felt.iter().zip(&again).all(|(a, b)| (a - b).abs() < 1e-6), "{felt:?} {again:?}");
    assert!(least >= 0.0, "{least} N");
}

/// Number of states of a key up to version 2.
const OLDER_STATES: usize = 22;

#[test]
fn logs_of_older_versions_are_read_without_their_junction_debt() {
    let (entries, _) = played();
    let older = |head: &str, more: &str| -> String {
        let shorter = |line: &str| match line.starts_with("place") {
            true => {
                let left_out = line.split(' ').count() - (STATES - OLDER_STATES);
                let kept: Vec<&str> = line.split(' ').take(left_out).collect();
                format!("{}{more}\n", kept.join(" "))
            }
            false => format!("{line}\n"),
        };
        text(&entries).lines().map(shorter).collect::<String>().replace(HEAD, head)
    };
    let first = older(OLDER[1], " 3ff0000000000000 3ff0000000000000");
    for older in [older(OLDER[0], ""), first.clone()] {
        let read = Recording::read("a.log", older.as_bytes()).unwrap().in_memory().unwrap();
        assert_eq!(read, entries);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.log");
        std::fs::write(&path, &older).unwrap();
        assert!(Recording::is_at(&path));
    }
    // A file is not read as another version.
    assert!(Recording::read("a.log", first.replace(OLDER[1], OLDER[0]).as_bytes()).is_err());
    assert!(Recording::read("a.log", older(HEAD, "").as_bytes()).is_err());
    assert!(Recording::read("a.log", text(&entries).replace(HEAD, OLDER[0]).as_bytes()).is_err());
}

#[test]
fn a_damaged_log_is_refused_with_its_line() {
    let written = text(&played().0);
    let line = |text: &str| Recording::read("a.log", text.as_bytes()).unwrap_err().to_string();
    let number = written.lines().position(|l| l.starts_with("slot")).unwrap() + 1;
    let says = format!("a.log, line {number}: not an entry");
    assert!(line(&written.replace("slot", "slit")).starts_with(&says));
    assert!(line("no log\n").starts_with("a.log, line 1: not a servo log"));
    assert!(line("touchback servo log 3\n").contains("holds no entries"));
    for bad in [
        "slot 5 0 8 0 0",
        "slot 5 89 8 0 0",
        "slot 5 40 161 0 0",
        "slot 5 40 8 7ff8000000000000 0",
        "slot 5 40 8 0 0 0",
        "slot 4 40 8 0 0\nslot 3 40 8 0 0",
        "setting 0 harp key_dip_mm = 10.0",
        "place 0 40 0 0 0 1 0",
    ] {
        let text = format!("touchback servo log 3\n{bad}\n");
        assert!(line(&text).contains("not an entry"), "{bad}");
    }
    let two = "touchback servo log 3\nsetting 0 grand \nsetting 1 ball \n";
    let mixed = Recording::read("a.log", two.as_bytes()).unwrap().action().unwrap_err().to_string();
    assert!(mixed.contains("has the actions grand and ball"), "{mixed}");
}

/// A servo logs a message key by key: entries of several keys are read in the order of their steps.
#[test]
fn entries_of_several_keys_are_read_in_the_order_of_their_steps() {
    let slot = |step: u64, key: u8| format!("slot {step} {key} 1 0 0\n");
    let log = |slots: &[(u64, u8)]| {
        let slots: String = slots.iter().map(|(step, key)| slot(*step, *key)).collect();
        Recording::read("a.log", format!("touchback servo log 3\n{slots}").as_bytes())
    };
    let take = log(&[(8, 40), (9, 40), (8, 41), (9, 41), (2000, 40)]).unwrap();
    let read: Vec<_> = take
        .entries()
        .unwrap()
        .map(|entry| entry.map(|entry| (entry.step(), entry.key().unwrap().number())).unwrap())
        .collect();
    assert_eq!(read, [(8, 40), (8, 41), (9, 40), (9, 41), (2000, 40)]);
    let key_41 = touchback_core::math::compass::KeyNumber::from_index(40).unwrap();
    assert!(take.begin() == 8 && take.touches(key_41));
    let error = log(&[(8, 40), (2000, 40), (8, 41)]).unwrap_err().to_string();
    assert!(error.contains("line 4: not an entry"), "{error}");
}

/// A log plays instead of a keyboard, also in an offline render and again after a reset; an unreadable one is
/// reported.
#[test]
fn a_log_plays_instead_of_a_keyboard() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("servo.log");
    std::fs::write(&path, text(&played().0)).unwrap();
    let take = path.display().to_string();
    let connection = KeyboardConnection::default();
    connection.choose(Choice {
        take: take.clone(),
        ports: vec!["/dev/nowhere".into()],
        ..Choice::default()
    });
    let settings = ActionSettings::default();
    let place = ActivationContext {
        owner: "a test",
        settings: &settings,
        sample_rate: 48_000.0,
        block: 64,
        is_offline: true,
    };
    let mut end = connection.activate(&place);
    assert!(end.is_joined() && connection.trouble().is_empty());
    let mut hear = || {
        let mut sounds = Vec::new();
        for block in 0..2000u64 {
            end.block(block * 64, 64, &settings, |felt| {
                if let ReplayEvent::Event(ahead, what) = felt {
                    sounds.push(((block as f64 * 64.0 + ahead).to_bits(), *what));
                }
            });
        }
        end.restart();
        sounds
    };
    let (first, again) = (hear(), hear());
    assert!(first.len() > 20 && first == again);
    connection.choose(Choice { take: take + ".not", ..Choice::default() });
    assert!(
        connection.trouble().contains("servo.log.not: cannot read"),
        "{}",
        connection.trouble()
    );
}
