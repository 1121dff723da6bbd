use super::*;
use crate::action::Action;
use crate::record::replay::ReplayEvent;
use touchback_action::ActionKind;
use touchback_core::math::compass::KeyNumber;

const RATE_AND_BLOCK: (f64, usize) = (48_000.0, 64);

fn active<'a>(settings: &'a ActionSettings, is_offline: bool) -> ActivationContext<'a> {
    ActivationContext {
        owner: "a test",
        settings,
        sample_rate: RATE_AND_BLOCK.0,
        block: RATE_AND_BLOCK.1,
        is_offline,
    }
}

#[test]
fn a_choice_survives_its_text_and_invalid_values_have_defaults() {
    let choice = Choice {
        ports: vec!["/dev/tty=odd name".into(), "COM7".into()],
        action: Action::Played(ActionKind::Ball),
        gain: 0.25,
        lead_us: 1500,
        block: 64,
        plays: true,
        vibrates: true,
        take: "a=b.log".into(),
    };
    assert_eq!(Choice::of(&choice.text()), choice);
    let odd = Choice::of("gain=7\nlead_us=1\nblock=512\naction=harp\nport=x\nfoo\narmed=true");
    assert_eq!(odd, Choice { ports: vec!["x".into()], ..Choice::default() });
    assert_eq!(Choice::of("port=\ntake="), Choice::default());
    assert_eq!(Choice::of(""), Choice::default());
}

#[test]
fn without_a_port_nothing_is_opened_and_a_missing_one_is_an_error() {
    let settings = ActionSettings::default();
    let connection = KeyboardConnection::default();
    let mut end = connection.activate(&active(&settings, false));
    end.block(0, 64, &settings, |_| ());
    assert!(!end.is_joined() && connection.view() == ConnectionView::default());
    connection.choose(Choice { ports: vec!["/dev/nowhere".into()], ..Choice::default() });
    assert!(connection.trouble().contains("/dev/nowhere"), "{}", connection.trouble());
    connection.arm(true);
    assert_eq!(connection.report(), None);
    // An offline bounce opens no port.
    let mut end = connection.activate(&active(&settings, true));
    end.block(0, 64, &settings, |_| ());
    assert!(!end.is_joined() && connection.trouble().is_empty());
}

/// The emulator by the wall clock: present without force, armed, live, closed.
#[cfg(unix)]
#[test]
fn a_keyboard_gives_no_force_until_it_is_armed() {
    use crate::session::ConnectionState;
    use std::time::{Duration, Instant};

    let connection = KeyboardConnection::default();
    let settings = ActionSettings::default();
    let mut end = connection.activate(&active(&settings, false));
    connection.choose(Choice { ports: vec![EMULATOR.into()], ..Choice::default() });
    assert!(connection.trouble().is_empty(), "{}", connection.trouble());
    let begin = Instant::now();
    let (mut before, mut armed, mut live, mut now, mut events) = (0.0f64, false, false, 0, 0u32);
    while begin.elapsed() < Duration::from_secs(20) && !(live && events > 0) {
        std::thread::sleep(Duration::from_millis(1));
        end.block(now, 64, &settings, |output| {
            events += u32::from(matches!(output, ReplayEvent::Event(..)))
        });
        now += 64;
        let report = connection.report().unwrap();
        match report.status.state {
            ConnectionState::Present | ConnectionState::Halted if report.status.states > 50 => {
                if !armed {
                    let max = report.keys.iter().fold(0.0f64, |m, [_, force]| m.max(force.abs()));
                    before = before.max(max);
                }
                armed = true;
                connection.arm(true);
            }
            ConnectionState::Live => live = true,
            _ => {}
        }
    }
    assert!(live && events > 0 && before == 0.0, "{:?}", connection.view());
    connection.choose(Choice::default());
    assert_eq!(connection.report(), None);
    end.block(now, 64, &settings, |_| ());
    assert!(!end.is_joined());
    connection.deactivate();
}

/// A key that two boards have sounds once, from the board that moved it first.
#[test]
fn a_key_of_two_ports_sounds_once() {
    use crate::record::log::Entry;
    use touchback_action::interface::key::DynamicsCompensation;

    let settings = ActionSettings::default();
    let key = KeyNumber::from_midi(60).unwrap();
    let compensation = DynamicsCompensation::default();
    let saved = Action::GRAND.key(key, &settings, &compensation).0.save();
    let start = [
        Entry::Setting { step: 0, action: Action::GRAND, settings: settings.clone() },
        Entry::Place { step: 0, key, compensation, saved },
    ];
    let slot = |i: u64| Entry::Slot { step: 8 * i, key, steps: 8, force: 6.0, impedance: 0.0 };
    let log: Vec<Entry> = start.into_iter().chain((0..200).map(slot)).collect();
    let heard = |ports: usize| {
        let member = || Member {
            source: Source::Take(Replay::recorded(log.clone(), Action::GRAND, RATE_AND_BLOCK.0)),
            settings: None,
            notes: None,
        };
        let (joining, inbox) = queue::bounded(1);
        let (outbox, _retired) = queue::bounded(1);
        let mut end = KeyboardAudioEnd::new(inbox, outbox);
        let members = std::iter::repeat_with(member).take(ports).collect();
        joining.send(Some(Box::new(Joined::new(members)))).unwrap();
        let mut events = 0;
        for block in 0..300 {
            end.block(64 * block, 64, &settings, |output| {
                events += u32::from(matches!(output, ReplayEvent::Event(..)));
            });
        }
        events
    };
    let once = heard(1);
    assert!(once > 0);
    assert_eq!(heard(2), once);
}

/// Two boards at two ports are one keyboard.
#[cfg(unix)]
#[test]
fn two_ports_are_one_keyboard() {
    use crate::keyboard::script::{FingerAction, ScriptedAction};
    use std::collections::BTreeSet;
    use std::time::{Duration, Instant};
    use touchback_action::KeyEvent;

    let board = |first_key: u8| {
        let acts = (0..60).flat_map(|i| {
            let time = 0.5 + 0.6 * f64::from(i);
            let press = FingerAction::Press { depth: 22e-3, within: 0.06 };
            let release = FingerAction::Release { within: 0.1 };
            [(time, press), (time + 0.3, release)]
        });
        let acts = acts.map(|(time, action)| ScriptedAction { time, key: 1, action }).collect();
        let design =
            KeyboardDesign { keys: 44, first_key, has_motors: false, ..Emulator::on_a_desk() };
        Emulated::start(&design, Script::new(acts)).unwrap()
    };
    let boards = [board(1), board(45)];
    let ports = boards.iter().map(|board| board.path().to_owned()).collect();
    let connection = KeyboardConnection::default();
    let settings = ActionSettings::default();
    let mut end = connection.activate(&active(&settings, false));
    connection.choose(Choice { ports, ..Choice::default() });
    assert!(connection.trouble().is_empty(), "{}", connection.trouble());
    let (begin, mut now, mut struck) = (Instant::now(), 0, BTreeSet::new());
    while begin.elapsed() < Duration::from_secs(60) && struck.len() < 2 {
        std::thread::sleep(Duration::from_millis(1));
        end.block(now, 64, &settings, |output| {
            if let ReplayEvent::Event(_, event) = output
                && matches!(event.event, KeyEvent::Strike { .. })
            {
                struck.insert(event.key.number());
            }
        });
        now += 64;
    }
    let view = connection.view();
    assert!(struck.iter().eq(&[2, 46]), "{struck:?} {view:?}");
    assert!(view.ports.len() == 2 && view.ports[1].state_text.contains("keys 45 to 88: present"));
}
