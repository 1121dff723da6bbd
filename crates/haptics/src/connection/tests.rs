use super::*;
use crate::action::Action;
use crate::replay::ReplayEvent;
use touchback_action::ActionKind;

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
        port: "/dev/tty=odd name".into(),
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
    assert_eq!(odd, Choice { port: "x".into(), ..Choice::default() });
    assert_eq!(Choice::of(""), Choice::default());
}

#[test]
fn without_a_port_nothing_is_opened_and_a_missing_one_is_an_error() {
    let settings = ActionSettings::default();
    let connection = KeyboardConnection::default();
    let mut end = connection.activate(&active(&settings, false));
    end.block(0, 64, &settings, |_| ());
    assert!(!end.is_joined() && connection.view() == ConnectionView::default());
    connection.choose(Choice { port: "/dev/nowhere".into(), ..Choice::default() });
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
    connection.choose(Choice { port: EMULATOR.into(), ..Choice::default() });
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
