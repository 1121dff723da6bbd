//! The servo with an emulated keyboard, on a line without delay, in virtual time.

use super::*;
use crate::keyboard::emulator::{Emulator, KeyboardDesign};
use crate::keyboard::plant::KeyPlant;
use crate::keyboard::script::{FingerAction, Script, ScriptedAction};
use crate::session::HaltReason;
use touchback_device::device::safety::DeviceMode;
use touchback_device::message::{
    IMPEDANCE, KeyList, KeyState, OLDEST_VERSION, Play, StateMessage, VERSION, ability, fault,
};

/// A keyboard of one key and the servo that drives it.
struct Bench {
    keyboard: Emulator,
    servo: Servo,
    /// Bytes that the keyboard receives at the next tick.
    down: Vec<u8>,
}

impl Bench {
    /// A keyboard just switched on; the finger of its only key follows `acts`.
    fn new(options: ServoOptions, acts: &[(f64, FingerAction)]) -> Self {
        let design = KeyboardDesign { plant: KeyPlant::DESK, ..KeyboardDesign::default() };
        let acts = acts.iter().map(|(time, action)| ScriptedAction {
            time: *time,
            key: 0,
            action: *action,
        });
        let keyboard = Emulator::new(&design, Script::new(acts.collect()));
        Self { keyboard, servo: Servo::new(options, 0.0), down: Vec::new() }
    }

    /// A session armed at 0.05 s; a finger holds the only key down against its motor.
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

    /// Runs for `time` s; returns what the servo has sent.
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

    /// Lets the servo receive `message` as if the keyboard had sent it; returns its answers.
    fn receive(&mut self, message: &Message) -> Vec<Message> {
        let (mut frame, mut answers) = (Vec::new(), Vec::new());
        send(message, &mut frame);
        self.servo.receive(self.keyboard.time(), &frame, &mut answers, &mut ());
        self.down.extend_from_slice(&answers);
        messages(&answers)
    }

    /// Arms or disarms; returns what the servo sends.
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
            messages.push(Message::decode(payload).expect("the servo sends only valid messages"));
        }
    }
    messages
}

/// Whether a message commands force on any key.
fn gives_force(message: &Message) -> bool {
    match message {
        Message::Wave(play) | Message::Torque(play) => {
            play.keys.as_slice().iter().any(|key| key.force != 0)
        }
        _ => false,
    }
}

/// Whether a message configures a keyboard, makes it ready for force or commands force.
fn concerns_force(message: &Message) -> bool {
    matches!(
        message,
        Message::Wave(_) | Message::Torque(_) | Message::Config(_) | Message::Clear(_)
    )
}

/// Hellos like `fit`, each unusable in one respect.
fn unfit_hellos(fit: Hello) -> [Hello; 8] {
    [
        Hello { version: VERSION + 1, ..fit },
        Hello { version: OLDEST_VERSION - 1, ..fit },
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
fn another_keyboard_on_a_live_session_is_stopped_without_force() {
    let mut bench = Bench::live();
    let hello = bench.hello();
    // A repeated hello of the same keyboard changes nothing.
    assert_eq!(bench.receive(&Message::Hello(hello)), []);
    assert!(bench.servo.session.is_live());
    let other = Hello { name: *b"another keyboard", ..hello };
    let sent = bench.receive(&Message::Hello(other));
    assert!(matches!(sent[..], [Message::Stop(_), Message::Config(_)]), "{sent:?}");
    assert_eq!(bench.servo.session.state(), ConnectionState::Present);
    assert_eq!(bench.receive(&facts(&other)), []);
    let sent = bench.run(0.3);
    assert!(sent.iter().all(|m| !matches!(m, Message::Wave(_) | Message::Torque(_))), "{sent:?}");
    // The stop ended force, not the keyboard's own timeout.
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
        let sent = bench.receive(&Message::Hello(unfit));
        assert!(matches!(sent[..], [Message::Stop(_)]), "{unfit:?}: {sent:?}");
        assert_eq!(bench.servo.session.state(), ConnectionState::Refused);
        let mut sent = bench.receive(&facts(&unfit));
        sent.extend(bench.arm(true));
        sent.extend(bench.run(0.3));
        assert!(!sent.iter().any(concerns_force), "{unfit:?}: {sent:?}");
        assert_ne!(bench.keyboard.mode().0, DeviceMode::Live);
    }
}

#[test]
fn another_keyboard_while_arming_is_stopped_and_not_armed() {
    for case in 0..9 {
        let mut bench = Bench::new(ServoOptions::default(), &[]);
        bench.run(0.05);
        bench.arm(true);
        assert_eq!(bench.servo.session.state(), ConnectionState::Arming);
        let hello = bench.hello();
        // The same keyboard is not disturbed.
        assert_eq!(bench.receive(&Message::Hello(hello)), []);
        assert_eq!(bench.servo.session.state(), ConnectionState::Arming);
        if let Some(unfit) = unfit_hellos(hello).get(case) {
            let sent = bench.receive(&Message::Hello(*unfit));
            assert!(matches!(sent[..], [Message::Stop(_)]), "{unfit:?}: {sent:?}");
            assert_eq!(bench.servo.session.state(), ConnectionState::Refused);
        } else {
            let other = Hello { name: *b"another keyboard", ..hello };
            let sent = bench.receive(&Message::Hello(other));
            assert!(matches!(sent[..], [Message::Stop(_), Message::Config(_)]), "{sent:?}");
            assert_eq!(bench.servo.session.state(), ConnectionState::Present);
        }
        // The clear of the arming had made the keyboard ready; the stop leads it back to idle.
        let sent = bench.run(0.05);
        assert!(!sent.iter().any(gives_force), "{sent:?}");
        assert_eq!(bench.keyboard.mode().0, DeviceMode::Idle);
    }
}

#[test]
fn a_usable_keyboard_after_a_refused_one_is_configured_again() {
    for case in 0..8 {
        let mut bench = Bench::live();
        let hello = bench.hello();
        assert!(bench.servo.keys[0].is_proven(true));
        bench.receive(&Message::Hello(unfit_hellos(hello)[case]));
        assert_eq!(bench.servo.session.state(), ConnectionState::Refused);
        let sent = bench.receive(&Message::Hello(hello));
        assert!(matches!(sent[..], [Message::Config(_)]), "{sent:?}");
        assert_eq!(bench.servo.session.state(), ConnectionState::Present);
        assert_eq!(bench.receive(&facts(&hello)), []);
        assert!(!bench.servo.keys[0].is_proven(true));
    }
}

/// Number of stop messages among `sent`.
fn stops(sent: &[Message]) -> usize {
    sent.iter().filter(|m| matches!(m, Message::Stop(_))).count()
}

fn plays(sent: &[Message]) -> impl Iterator<Item = &Play> {
    sent.iter().filter_map(|m| match m {
        Message::Wave(play) | Message::Torque(play) => Some(play),
        _ => None,
    })
}

#[test]
fn force_comes_with_arming_and_goes_with_disarming() {
    let mut bench = Bench::new(ServoOptions::default(), &[]);
    // Without a keyboard, arming does nothing.
    assert_eq!(bench.arm(true), []);
    let sent = bench.run(0.05);
    assert!(sent.starts_with(&ASKS), "{:?}", sent.first());
    assert_eq!(plays(&sent).count(), 0);
    let sent = bench.arm(true);
    assert!(matches!(sent[..], [Message::Config(_), Message::Clear(_)]), "{sent:?}");
    assert_eq!(bench.servo.session.state(), ConnectionState::Arming);
    let sent = bench.run(0.1);
    assert!((90..=100).contains(&plays(&sent).count()), "one per state: {}", plays(&sent).count());
    assert!(plays(&sent).zip(plays(&sent).skip(1)).all(|(a, b)| b.seq == a.seq.wrapping_add(1)));
    let lead = ServoOptions::default().lead_us;
    assert!(plays(&sent).all(|play| play.play_us % 1000 == lead % 1000));
    let mut bench = Bench::live();
    let sent = bench.arm(false);
    assert!(matches!(sent[..], [Message::Stop(_)]), "{sent:?}");
    assert_eq!(plays(&bench.run(0.1)).count(), 0);
    assert_eq!(bench.servo.key(0).map(|key| key.force), Some(0.0));
}

#[test]
fn a_host_that_comes_late_stops_and_stays_stopped() {
    for (late, is_stopped) in [(0.9 * SILENCE, false), (1.1 * SILENCE, true)] {
        let mut bench = Bench::live();
        let mut out = Vec::new();
        bench.servo.tick(bench.keyboard.time() + late, &mut out);
        assert_eq!(stops(&messages(&out)), usize::from(is_stopped), "{late} s");
        let expected = if is_stopped { HaltReason::Late } else { HaltReason::Nothing };
        assert_eq!(bench.servo.status().halt_reason, expected);
        // The late tick also finds the silence, which ends the session too.
        assert_eq!(bench.servo.session.is_live(), !is_stopped);
    }
}

#[test]
fn a_keyboard_that_stops_by_itself_is_sent_a_stop() {
    let mut bench = Bench::live();
    bench.keyboard.offset_sensors(100_000);
    let sent = bench.run(0.1);
    assert_eq!(stops(&sent), 1);
    let status = bench.servo.status();
    assert_eq!(status.state, ConnectionState::Halted);
    assert!(
        matches!(status.halt_reason, HaltReason::Device(DeviceMode::Fault, faults) if faults & fault::SENSOR != 0)
    );
    let after = sent.iter().skip_while(|m| !matches!(m, Message::Stop(_)));
    assert!(!after.into_iter().any(gives_force));
}

#[test]
fn a_silent_keyboard_is_asked_for_ten_times_a_second() {
    let mut bench = Bench::live();
    let sent = bench.run(1.0);
    let pings = sent.iter().filter(|m| matches!(m, Message::Ping(_))).count();
    assert!((19..=20).contains(&pings), "{pings}");
    assert!(bench.servo.status().round_trip > 0.0 && bench.servo.status().round_trip < 2e-3);
    let start = bench.keyboard.time();
    let (mut asked, mut pinged, mut lost) = (0, 0, None);
    for ms in 1..=1000u32 {
        let (now, mut out) = (start + f64::from(ms) * 1e-3, Vec::new());
        bench.servo.tick(now, &mut out);
        let sent = messages(&out);
        asked += sent.iter().filter(|m| **m == ASKS[1]).count();
        pinged += sent.iter().filter(|m| matches!(m, Message::Ping(_))).count();
        assert!(!sent.iter().any(gives_force));
        if bench.servo.session.state() == ConnectionState::Seeking {
            lost.get_or_insert(ms);
        }
    }
    assert!(lost.is_some_and(|ms| (20..=22).contains(&ms)), "{lost:?}");
    assert!((9..=10).contains(&asked) && pinged <= 1, "{asked} asks, {pinged} pings");
}

#[test]
fn states_that_repeat_are_ignored_and_lost_ones_counted() {
    let mut bench = Bench::new(ServoOptions::default(), &[]);
    bench.run(0.05);
    let (seq, t_us) = bench.servo.last.unwrap();
    let before = bench.servo.status();
    let mut receive = |ahead: u16, later: u32| {
        let mut keys = KeyList::default();
        keys.push(KeyState::default());
        let (seq, t_us) = (seq.wrapping_add(ahead), t_us.wrapping_add(later));
        bench.receive(&Message::State(StateMessage { seq, t_us, keys, ..StateMessage::default() }));
        let now = bench.servo.status();
        let step = now.step - before.step;
        [now.states - before.states, now.lost - before.lost, now.gaps - before.gaps, step]
    };
    assert_eq!(receive(0, 0), [0, 0, 0, 0], "a copy");
    assert_eq!(receive(1, 1000), [1, 0, 0, 8]);
    assert_eq!(receive(1, 1000), [1, 0, 0, 8], "a copy");
    assert_eq!(receive(0, 0), [1, 0, 0, 8], "overtaken");
    assert_eq!(receive(4, 4000), [2, 2, 0, 32], "two are missing");
    let longest = 4000 + u32::try_from(MAX_STEPS).unwrap() * 125;
    assert_eq!(receive(5, longest), [3, 2, 0, 32 + MAX_STEPS]);
    assert_eq!(receive(6, longest + longest), [4, 2, 1, 32 + MAX_STEPS], "too long for a slot");
    assert_eq!(receive(7, longest + longest + 125), [5, 2, 1, 33 + MAX_STEPS]);
}

#[test]
fn damaged_frames_and_messages_of_hosts_are_counted() {
    let mut bench = Bench::new(ServoOptions::default(), &[]);
    bench.run(0.05);
    assert_eq!(bench.servo.status().damaged, 0);
    assert_eq!(bench.receive(&ASKS[1]), []);
    assert_eq!(bench.servo.status().damaged, 1);
    bench.servo.receive(0.05, &[3, 9, 9, 0], &mut Vec::new(), &mut ());
    assert_eq!(bench.servo.status().damaged, 2);
    // A state that names a key that the keyboard does not have.
    let mut keys = KeyList::default();
    keys.push(KeyState { key: 1, ..KeyState::default() });
    let (seq, t_us) = bench.servo.last.unwrap();
    let state = StateMessage { seq: seq + 1, t_us: t_us + 1000, keys, ..StateMessage::default() };
    bench.receive(&Message::State(state));
    assert_eq!(bench.servo.status().damaged, 3);
}

#[test]
fn gain_scales_the_force_and_a_gain_that_is_no_number_gives_none() {
    // Force of the next command, before the key moves by it.
    let next = |gain: f64| {
        let mut bench = Bench::live();
        bench.servo.gain(gain);
        bench.run(1e-3);
        bench.servo.key(0).unwrap().force
    };
    let whole = next(1.0);
    assert!(whole > 1.0, "{whole} N");
    assert_eq!(next(7.0), whole);
    assert!((next(0.5) - 0.5 * whole).abs() < 1e-9 * whole);
    assert_eq!([f64::NAN, f64::INFINITY, -1.0, 0.0].map(|gain| next(gain).abs()), [0.0; 4]);
}

#[test]
fn host_notes_move_keys_only_while_they_may() {
    let options = ServoOptions { plays: true, ..ServoOptions::default() };
    let depth = |bench: &Bench| bench.servo.key(0).unwrap().depth;
    let key = KeyNumber::from_index(39).unwrap();
    let mut bench = Bench::new(options, &[]);
    bench.run(0.05);
    // A session that is not live moves no key.
    bench.servo.play(key, 0.2);
    bench.run(0.2);
    assert!(bench.servo.status().played == 0 && depth(&bench).abs() < 1e-4);
    bench.arm(true);
    bench.run(0.4);
    bench.servo.play(KeyNumber::from_index(40).unwrap(), 0.2);
    bench.run(0.2);
    assert!(bench.servo.status().played == 0 && depth(&bench).abs() < 1e-4);
    bench.servo.play(key, 0.2);
    bench.run(0.3);
    assert!(bench.servo.status().played == 1 && depth(&bench) > 8e-3, "{}", depth(&bench));
    bench.servo.let_play(false);
    bench.run(0.5);
    assert!(bench.servo.status().played == 0 && depth(&bench) < 1e-3, "{}", depth(&bench));
    bench.servo.play(key, 0.2);
    bench.run(0.2);
    assert!(bench.servo.status().played == 0 && depth(&bench) < 1e-3, "{}", depth(&bench));
}

/// Keys at rest are named by commands in turn, eight per state.
#[test]
fn every_key_at_rest_is_named_by_commands_in_turn() {
    let design = KeyboardDesign {
        keys: 40,
        first_key: 20,
        plant: KeyPlant::DESK,
        ..KeyboardDesign::default()
    };
    let keyboard = Emulator::new(&design, Script::default());
    let mut bench =
        Bench { keyboard, servo: Servo::new(ServoOptions::default(), 0.0), down: Vec::new() };
    bench.run(0.05);
    bench.arm(true);
    bench.run(2.0);
    let sent = bench.run(0.02);
    let mut named = [0; 40];
    for play in plays(&sent) {
        let keys = play.keys.as_slice();
        assert!((8..=10).contains(&keys.len()), "{}", keys.len());
        keys.iter().for_each(|key| named[usize::from(key.key)] += 1);
        // No key twice in one command.
        assert!(keys.iter().all(|a| keys.iter().filter(|b| b.key == a.key).count() == 1));
    }
    assert!(named.iter().all(|times| *times >= 3), "{named:?}");
    let z = ServoOptions::default().impedance();
    let wanted = |key: &touchback_device::message::KeyWave| f64::from(key.impedance) * IMPEDANCE;
    assert!(plays(&sent).all(|play| play.keys.as_slice().iter().all(|key| wanted(key) == z)));
}

/// A wrong clock is named; where the servo's own thread woke late it is not, and other reports that do not fit are
/// this computer's doing.
#[test]
fn a_busy_computer_is_not_blamed_on_the_keyboard() {
    use crate::keyboard::emulator::defect::Defects;
    use crate::keyboard::symptom::Symptom;

    for (is_busy, defects, expected) in [
        (false, Defects { clock: 0.5, ..Defects::default() }, Some(Symptom::Clock)),
        (true, Defects { clock: 0.5, ..Defects::default() }, None),
        (false, Defects { impedance: 2.0, ..Defects::default() }, Some(Symptom::Impedance)),
        (true, Defects { impedance: 2.0, ..Defects::default() }, None),
    ] {
        let mut bench = Bench::new(ServoOptions::default(), &[]);
        bench.run(0.05);
        bench.arm(true);
        bench.keyboard.set_defects(defects);
        let mut reasons = Vec::new();
        for i in 0..1500u32 {
            bench.run(1e-3);
            if is_busy && i % 100 == 0 {
                // The thread wakes 5 ms late.
                let now = bench.keyboard.time();
                bench.servo.ticked_at = now - 5e-3;
                bench.servo.tick(now, &mut Vec::new());
            }
            reasons.push(bench.servo.status().halt_reason);
        }
        let blames = |reason: &HaltReason| matches!(reason, HaltReason::Implausible(..));
        let first = reasons.iter().find(|reason| **reason != HaltReason::Nothing);
        match expected {
            Some(symptom) => assert!(
                matches!(first, Some(HaltReason::Implausible(found, _)) if *found == symptom),
                "{first:?}"
            ),
            None => assert!(!reasons.iter().any(blames), "{first:?}"),
        }
    }
}
