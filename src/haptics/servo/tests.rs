//! The servo beside an emulated keyboard, on a line without delay, in virtual time.

use super::*;
use crate::haptics::emulator::{Emulator, Making};
use crate::haptics::plant::KeyPlant;
use crate::haptics::script::{FingerAction, Script, ScriptedAction};

/// A keyboard of one key and the servo that drives it.
struct Bench {
    keyboard: Emulator,
    servo: Servo,
    /// What is on its way to the keyboard.
    down: Vec<u8>,
}

impl Bench {
    /// Powered up; the finger of the only key follows `acts`.
    fn new(options: ServoOptions, acts: &[(f64, FingerAction)]) -> Self {
        let making = Making { plant: KeyPlant::DESK, ..Making::default() };
        let acts =
            acts.iter().map(|(time, deed)| ScriptedAction { time: *time, key: 0, deed: *deed });
        let keyboard = Emulator::new(&making, Script::new(acts.collect()));
        Self { keyboard, servo: Servo::new(options, 0.0), down: Vec::new() }
    }

    /// Live since 0.05 s, the only key held down by a finger, its motor pushing back.
    fn live() -> Self {
        let press = FingerAction::Press { depth: 22e-3, within: 0.1 };
        let mut bench = Self::new(ServoOptions::default(), &[(0.5, press)]);
        bench.run(0.05);
        bench.arm(true);
        let sent = bench.run(0.75);
        assert!(bench.servo.session.is_live());
        assert!(sent.iter().any(gives_force) && bench.keyboard.force(0).abs() > 1.0);
        bench
    }

    /// Goes on for `time` s; what the servo has sent.
    fn run(&mut self, time: f64) -> Vec<Message> {
        let end = self.keyboard.time() + time;
        let (mut up, mut sent) = (Vec::new(), Vec::new());
        while self.keyboard.time() < end - 1e-9 {
            self.keyboard.receive(&self.down);
            up.clear();
            self.down.clear();
            self.keyboard.tick(&mut up);
            let now = self.keyboard.time();
            self.servo.receive(now, &up, &mut self.down, &mut ());
            self.servo.tick(now, &mut self.down);
            sent.extend(messages(&self.down));
        }
        sent
    }

    /// The servo takes `message` as if the keyboard had sent it; its answers.
    fn hear(&mut self, message: &Message) -> Vec<Message> {
        let (mut frame, mut answers) = (Vec::new(), Vec::new());
        send(message, &mut frame);
        self.servo.receive(self.keyboard.time(), &frame, &mut answers, &mut ());
        self.down.extend_from_slice(&answers);
        messages(&answers)
    }

    /// The user wants force, or none; what the servo sends.
    fn arm(&mut self, on: bool) -> Vec<Message> {
        let mut answers = Vec::new();
        self.servo.arm(on, self.keyboard.time(), &mut answers);
        self.down.extend_from_slice(&answers);
        messages(&answers)
    }

    fn hello(&self) -> Hello {
        self.servo.hello.expect("a keyboard has answered")
    }
}

/// The messages in `bytes`.
fn messages(bytes: &[u8]) -> Vec<Message> {
    let (mut receiver, mut messages) = (FrameReceiver::new(), Vec::new());
    for byte in bytes {
        if let Some(Ok(payload)) = receiver.push(*byte) {
            messages.push(Message::decode(payload).expect("the servo sends what can be read"));
        }
    }
    messages
}

/// Whether a message commands force on any key, or lets the keyboard give any.
fn gives_force(message: &Message) -> bool {
    match message {
        Message::Wave(play) | Message::Torque(play) => {
            play.keys.as_slice().iter().any(|key| key.force != 0)
        }
        _ => false,
    }
}

/// Whether a message makes a keyboard ready for force, or commands any.
fn concerns_force(message: &Message) -> bool {
    matches!(
        message,
        Message::Wave(_) | Message::Torque(_) | Message::Config(_) | Message::Clear(_)
    )
}

/// Every way in which a keyboard like `fit` can be unusable.
fn unfit_hellos(fit: Hello) -> [Hello; 8] {
    [
        Hello { version: VERSION + 1, ..fit },
        Hello { version: VERSION - 1, ..fit },
        Hello { keys: 0, ..fit },
        Hello { keys: 89, ..fit },
        Hello { first_key: 0, ..fit },
        Hello { keys: 2, first_key: 88, ..fit },
        Hello { step_nm: 0, ..fit },
        Hello { abilities: fit.abilities & !(ability::WAVE | ability::TORQUE), ..fit },
    ]
}

fn facts(hello: &Hello) -> Message {
    let mut list = KeyList::default();
    (0..hello.keys.min(88)).for_each(|key| list.push(KeyFacts { key, ..KeyFacts::default() }));
    Message::Facts(list)
}

#[test]
fn another_keyboard_on_a_live_session_is_stopped_at_once_and_gets_no_force() {
    let mut bench = Bench::live();
    let hello = bench.hello();
    // The same one again is nothing new.
    assert_eq!(bench.hear(&Message::Hello(hello)), []);
    assert!(bench.servo.session.is_live());
    let other = Hello { name: *b"another keyboard", ..hello };
    let sent = bench.hear(&Message::Hello(other));
    assert!(matches!(sent[..], [Message::Stop(_), Message::Config(_)]), "{sent:?}");
    assert_eq!(bench.servo.session.standing(), ConnectionState::Present);
    assert_eq!(bench.hear(&facts(&other)), []);
    let sent = bench.run(0.3);
    assert!(sent.iter().all(|m| !matches!(m, Message::Wave(_) | Message::Torque(_))), "{sent:?}");
    // It was the stop that the keyboard obeyed, not its own timeout.
    let (mode, faults) = bench.keyboard.mode();
    assert_ne!(mode, DeviceMode::Live);
    assert_eq!(faults & (fault::STOPPED | fault::TIMEOUT), fault::STOPPED);
    assert_eq!(bench.servo.key(0).map(|key| key.force), Some(0.0));
}

#[test]
fn an_unfit_keyboard_on_a_live_session_is_stopped_and_never_configured() {
    for case in 0..8 {
        let mut bench = Bench::live();
        let unfit = unfit_hellos(bench.hello())[case];
        let sent = bench.hear(&Message::Hello(unfit));
        assert!(matches!(sent[..], [Message::Stop(_)]), "{unfit:?}: {sent:?}");
        assert_eq!(bench.servo.session.standing(), ConnectionState::Refused);
        let mut sent = bench.hear(&facts(&unfit));
        sent.extend(bench.arm(true));
        sent.extend(bench.run(0.3));
        assert!(!sent.iter().any(concerns_force), "{unfit:?}: {sent:?}");
        assert_ne!(bench.keyboard.mode().0, DeviceMode::Live);
    }
}
