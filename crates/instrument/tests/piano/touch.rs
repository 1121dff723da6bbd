//! Notes, pedals and positions on the whole piano.

use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::random::Random;
use touchback_instrument::host::midi::{Address, InputMessage, Midi, split_velocity};
use touchback_instrument::play::note_output::Sent;
use touchback_instrument::play::record::StrikeRecord;
use touchback_instrument::settings::{KeyPressure, StrikeOutput, Switch, Timing, VelocityMeans};
use touchback_instrument::{Event, Piano, Settings};
use touchback_sound::SoundSettings;

/// A low sample rate, Hz: these tests do not depend on it, and the cost of strings grows with it.
pub const RATE: f64 = 24_000.0;

pub fn key(note: u8) -> KeyNumber {
    KeyNumber::from_midi(note).unwrap()
}

pub fn on(note: u8, velocity: f64) -> Event {
    Event::NoteOn { key: key(note), velocity: velocity / 127.0 }
}

pub fn off(note: u8) -> Event {
    Event::NoteOff { key: key(note), velocity: 0.5 }
}

/// Renders `count` samples in uneven blocks. Returns strikes and the left channel.
pub fn run(piano: &mut Piano, count: usize) -> (Vec<StrikeRecord>, Vec<f32>) {
    let (mut strikes, mut samples) = (Vec::new(), Vec::new());
    let (mut left, mut right) = ([0.0; 97], [0.0; 97]);
    while samples.len() < count {
        let length = (count - samples.len()).min(97);
        piano.process(&mut left[..length], &mut right[..length]);
        strikes.extend_from_slice(piano.strikes());
        samples.extend_from_slice(&left[..length]);
    }
    (strikes, samples)
}

fn energy(samples: &[f32]) -> f64 {
    samples.iter().map(|s| f64::from(*s).powi(2)).sum()
}

/// A note of the piano.
fn any_note(random: &mut Random) -> u8 {
    u8::try_from(21 + random.below(88)).unwrap()
}

#[test]
fn immediate_notes_strike_at_their_samples_with_the_maps_speeds() {
    let settings = Settings::default();
    let mut piano = Piano::new(RATE, &settings);
    let mut random = Random::new(9);
    let (mut played, mut struck, mut sample) = (Vec::new(), Vec::new(), 0_usize);
    while played.len() < 1000 {
        // Chords of one to six notes, some of them on one key.
        for _ in 0..=random.below(6) {
            let (note, velocity) =
                (any_note(&mut random), 1.0 + random.below(12_600) as f64 / 100.0);
            piano.handle(on(note, velocity));
            let speed = settings.touch.hammer_speed(velocity / 127.0);
            played.push((sample as f64 / RATE, key(note), speed));
        }
        let wait = usize::try_from(random.below(700)).unwrap();
        struck.extend(run(&mut piano, wait).0);
        sample += wait;
        piano.handle(off(any_note(&mut random)));
    }
    struck.extend(run(&mut piano, 2400).0);
    let struck: Vec<_> = struck.iter().map(|s| (s.time, s.key, s.speed)).collect();
    assert!(struck == played, "{} of {}", struck.len(), played.len());
}

#[test]
fn silent_presses_lift_dampers_and_strike_nothing_in_any_regulation() {
    for let_off_mm in [0.3, 0.5, 0.8, 1.5, 8.0] {
        let mut settings = Settings::default();
        settings.action.let_off_mm = let_off_mm;
        settings.touch.silent_below = 8.0;
        let mut piano = Piano::new(RATE, &settings);
        let notes = [21, 30, 40, 50, 60, 70, 80, 88];
        for note in notes {
            piano.handle(on(note, 7.9));
        }
        let strikes = run(&mut piano, 48_000).0;
        assert!(strikes.is_empty(), "let-off {let_off_mm} mm: {strikes:?}");
        for note in notes {
            assert_eq!(piano.keyboard().damper_lift(key(note)), 1.0, "{note} {let_off_mm}");
        }
    }
}

#[test]
fn strict_repetition_repeats_as_fast_as_the_action() {
    let mut settings = Settings::default();
    settings.touch.strict_repetition = Switch::On;
    // A key held and let go for equal times; grands repeat 10 to 14 times a second.
    let mut repeated = [0; 2];
    for (repeated, per_second) in repeated.iter_mut().zip([7.5, 30.0]) {
        let mut piano = Piano::new(RATE, &settings);
        let half = floor_index(RATE / per_second / 2.0);
        let mut struck = 0;
        for _ in 0..12 {
            piano.handle(on(60, 80.0));
            struck += run(&mut piano, half).0.len();
            piano.handle(off(60));
            struck += run(&mut piano, half).0.len();
        }
        let counts = piano.counts();
        assert_eq!(counts.missed_repetitions + struck as u64, 12, "{per_second}");
        *repeated = struck;
    }
    assert!(repeated[0] == 12 && (1..=8).contains(&repeated[1]), "{repeated:?}");
}

#[test]
fn a_key_that_follows_positions_plays_by_its_motion() {
    let mut settings = Settings::default();
    settings.touch.key_pressure = KeyPressure::Position;
    let mut speeds = Vec::new();
    for speed in [0.1, 0.2, 0.3, 0.4, 0.5] {
        let mut piano = Piano::new(RATE, &settings);
        let mut midi = Midi::default();
        let mut strikes = Vec::new();
        // 7-bit positions every 2 ms.
        for step in 0..200 {
            let depth = (f64::from(step) * 0.002 * speed / 0.01).min(1.0);
            let value = (127.0 * depth).round() / 127.0;
            let message = InputMessage::Pressure { to: Address::note(0, 60), value };
            midi.translate(&message, &settings, |event| piano.handle(event));
            strikes.extend(run(&mut piano, 48).0);
        }
        let [strike] = strikes[..] else { panic!("{speed} m/s: {strikes:?}") };
        assert!(strike.note_on.is_nan());
        speeds.push(strike.speed / speed);
    }
    // 45 mm of hammer on 8.7 mm of key are 5.2. A key that is at once at its full speed does not
    // carry its hammer at that ratio but throws it: the knuckle gives back a share e of the meeting
    // speed, and the hammer leaves the jack long before let-off at 5.2 (1 + e) times the key's
    // speed. Felt and leather give back a fiftieth to a half of the energy.
    let thrown = 5.2 * 1.15..5.2 * 1.7;
    assert!(speeds[1..].iter().all(|ratio| thrown.contains(ratio)), "{speeds:?}");
    // The slowest hammer is slowed by its weight: 46 mm of rise cost up to 0.95 m/s.
    assert!((0.5..5.2 * 2.0).contains(&speeds[0]), "{speeds:?}");
    // A press so slow that the hammer falls back from let-off.
    let mut piano = Piano::new(RATE, &settings);
    let mut struck = 0;
    for step in 0..=127 {
        piano.handle(Event::Pressure { key: key(60), depth: f64::from(step) / 127.0 });
        struck += run(&mut piano, 240).0.len();
    }
    assert_eq!(struck, 0, "10 mm in 1.3 s");
    assert_eq!(piano.keyboard().damper_lift(key(60)), 1.0);
}

#[test]
fn a_late_pedal_holds_the_rest_of_a_note() {
    let left_after = |pedal_at: Option<usize>| {
        let mut piano = Piano::new(RATE, &Settings::default());
        piano.handle(on(45, 80.0));
        run(&mut piano, 12_000);
        piano.handle(off(45));
        let before = pedal_at.unwrap_or(0);
        run(&mut piano, before);
        if pedal_at.is_some() {
            piano.handle(Event::Sustain(1.0));
        }
        run(&mut piano, 24_000 - before);
        energy(&run(&mut piano, 4800).1)
    };
    let [none, late, early] = [None, Some(2400), Some(240)].map(left_after);
    assert!(none < 0.01 * late && late < 0.7 * early, "{none:e} {late:e} {early:e}");
}

#[test]
fn half_pedal_damps_between_up_and_down() {
    let ringing = |travel: f64| {
        let mut piano = Piano::new(RATE, &Settings::default());
        piano.handle(Event::Sustain(travel));
        piano.handle(on(45, 80.0));
        run(&mut piano, 12_000);
        piano.handle(off(45));
        run(&mut piano, 12_000);
        energy(&run(&mut piano, 4800).1)
    };
    // The dampers begin to leave the strings at 25 % of the pedal's travel and are clear of them at 70 %.
    let levels = [0.25, 0.35, 0.45, 0.55, 0.7].map(ringing);
    assert!(levels.windows(2).all(|w| w[0] < w[1]), "{levels:?}");
}

#[test]
fn a_choke_and_all_sound_off_end_a_note_under_the_pedal() {
    // Without a room, whose echoes would last longer; the case rings on inaudibly.
    let settings = Settings { sound: SoundSettings::close(), ..Settings::default() };
    let left_after = |event: Option<Event>| {
        let mut piano = Piano::new(RATE, &settings);
        piano.handle(Event::Sustain(1.0));
        piano.handle(on(45, 80.0));
        run(&mut piano, 12_000);
        event.into_iter().for_each(|event| piano.handle(event));
        run(&mut piano, 24_000);
        energy(&run(&mut piano, 2400).1)
    };
    let ringing = left_after(None);
    // The other strings, whose dampers are up, keep resonating.
    let choked = left_after(Some(Event::Choke(key(45))));
    assert!(choked < 0.05 * ringing, "{choked:e} {ringing:e}");
    let silenced = left_after(Some(Event::AllSoundOff));
    assert!(silenced < 1e-9 * ringing, "{silenced:e} {ringing:e}");
}

/// Level of one frequency in `samples`, by its Fourier coefficient under a Hann window.
fn level(samples: &[f32], hz: f64) -> f64 {
    let turn = std::f64::consts::TAU / samples.len() as f64;
    let (mut re, mut im) = (0.0, 0.0);
    for (i, sample) in samples.iter().enumerate() {
        let window = 0.5 - 0.5 * (turn * i as f64).cos();
        let phase = std::f64::consts::TAU * hz * i as f64 / RATE;
        re += window * f64::from(*sample) * phase.cos();
        im += window * f64::from(*sample) * phase.sin();
    }
    re.hypot(im) / samples.len() as f64
}

#[test]
fn expressions_and_bend_move_the_pitch_of_sounding_notes() {
    let higher = 440.0 * (200.0_f64 / 1200.0).exp2();
    // Without a room, which goes on with the old pitch.
    let settings = Settings { sound: SoundSettings::close(), ..Settings::default() };
    for event in [Event::Bend(1.0), Event::Tune { key: key(69), cents: 200.0 }] {
        let mut piano = Piano::new(RATE, &settings);
        piano.handle(on(69, 70.0));
        let before = run(&mut piano, 12_000).1;
        piano.handle(event);
        // The board's modes near the old pitch fall silent.
        run(&mut piano, 9_600);
        let after = run(&mut piano, 12_000).1;
        assert!(level(&before, 440.0) > 20.0 * level(&before, higher), "{event:?}");
        assert!(level(&after, higher) > 20.0 * level(&after, 440.0), "{event:?}");
    }
}

/// Two fingers of an MPE keyboard: one bends before its press and sounds bent, the other is in tune.
#[test]
fn an_mpe_note_sounds_at_its_fingers_bend() {
    let mut settings = Settings::default();
    settings.midi.mpe = Switch::On;
    let (mut piano, mut midi) = (Piano::new(RATE, &settings), Midi::default());
    let note_on = |channel, note| InputMessage::NoteOn { channel, note, id: None, velocity: 0.55 };
    // A whole tone of the range of 48 semitones.
    let bend = InputMessage::Bend { channel: 1, value: 2.0 / 48.0 };
    for message in [bend, note_on(1, 69), note_on(2, 57)] {
        midi.translate(&message, &settings, |event| piano.handle(event));
    }
    run(&mut piano, 1_200);
    let samples = run(&mut piano, 12_000).1;
    let tone = |semitones: f64| level(&samples, 440.0 * (semitones / 12.0).exp2());
    assert!(tone(2.0) > 20.0 * tone(1.0), "{} {}", tone(2.0), tone(1.0));
    assert!(tone(-12.0) > 20.0 * tone(-10.0), "{} {}", tone(-12.0), tone(-10.0));
}

#[test]
fn una_corda_is_softer_and_leaves_no_trace() {
    let samples = |pedal: &[f64]| {
        let mut piano = Piano::new(RATE, &Settings::default());
        pedal.iter().for_each(|travel| piano.handle(Event::UnaCorda(*travel)));
        piano.handle(on(60, 70.0));
        run(&mut piano, 12_000).1
    };
    let [plain, soft, back] = [&[][..], &[1.0], &[1.0, 0.0]].map(samples);
    assert!(energy(&soft) < 0.8 * energy(&plain));
    assert!(back == plain);
}

/// A performance with repetitions, a pedal and natural timing through the action in front of a
/// second piano: the same hammers, a sample late at most.
#[test]
fn strikes_sent_to_a_second_piano_have_the_same_speed() {
    let mut first = Settings::default();
    first.touch.timing = Timing::Natural;
    first.midi.strike_output = StrikeOutput::NotesAndCc88;
    let second = Settings::default();
    let (mut a, mut b) = (Piano::new(RATE, &first), Piano::new(RATE, &second));
    let mut midi = Midi::default();
    let mut random = Random::new(5);
    let (mut sent, mut strikes) = (Vec::new(), Vec::new());
    for i in 0..60 {
        let note = 40 + u8::try_from(random.below(30)).unwrap();
        a.handle(on(note, 20.0 + random.below(900) as f64 / 10.0));
        if i % 10 == 0 {
            a.handle(Event::Sustain(if i % 20 == 0 { 1.0 } else { 0.0 }));
        }
        for j in 0..3 {
            let length = 700 + usize::try_from(random.below(500)).unwrap();
            let (mut left, mut right) = (vec![0.0; length], vec![0.0; length]);
            a.process(&mut left, &mut right);
            sent.extend_from_slice(a.outgoing());
            strikes.extend_from_slice(a.strikes());
            if j == 1 {
                a.handle(off(note));
            }
        }
    }
    assert!(strikes.len() > 30, "{}", strikes.len());
    let mut again = Vec::new();
    for at in sent {
        let wait = usize::try_from(at.sample - b.sample()).unwrap();
        again.extend(run(&mut b, wait).0);
        let mut say = |message| midi.translate(&message, &second, |event| b.handle(event));
        let control = |number, value| InputMessage::Controller { channel: 0, number, value };
        match at.what {
            Sent::Strike { key, speed } => {
                let (coarse, fine) = split_velocity(first.touch.velocity(speed));
                say(control(88, f64::from(fine) / 127.0));
                let velocity = f64::from(coarse) / 127.0;
                say(InputMessage::NoteOn { channel: 0, note: key.midi(), id: None, velocity });
            }
            Sent::Landed(key) => {
                say(InputMessage::NoteOff { to: Address::note(0, key.midi()), velocity: 0.0 });
            }
            Sent::Pedal { number, value } => say(control(number, value)),
            Sent::Silence => say(control(120, 0.0)),
        }
    }
    again.extend(run(&mut b, 100).0);
    assert_eq!(again.len(), strikes.len());
    // Slower hammers are below the lowest velocity.
    let slowest = first.touch.hammer_speed(1.0 / 127.0);
    for (a, b) in strikes.iter().zip(&again) {
        assert_eq!(a.key, b.key);
        assert!((0.0..=1.0 / RATE).contains(&(a.time - b.time)), "{} {}", a.time, b.time);
        let sent = a.speed.max(slowest);
        assert!((b.speed / sent - 1.0).abs() < 1.4e-4, "{} {}", a.speed, b.speed);
    }
}

/// Strikes and left channel of three notes under `settings`.
fn three_notes(settings: &Settings) -> (Vec<StrikeRecord>, Vec<f32>) {
    let mut piano = Piano::new(RATE, settings);
    for (note, velocity) in [(36, 30.0), (60, 64.0), (96, 110.0)] {
        piano.handle(on(note, velocity));
    }
    run(&mut piano, 2_000)
}

#[test]
fn finger_and_hammer_velocities_agree_in_the_standard_regulation_only() {
    let settings = Settings::default();
    let mut hammer = settings.clone();
    hammer.touch.velocity_means = VelocityMeans::Hammer;
    assert_eq!(three_notes(&settings), three_notes(&hammer));
    for turn in [
        |s: &mut Settings| s.action.let_off_mm = 5.0,
        |s: &mut Settings| s.action.hammer_mass = 1.6,
        |s: &mut Settings| s.action.friction = 1.8,
    ] {
        let (mut by_finger, mut by_hammer) = (settings.clone(), hammer.clone());
        turn(&mut by_finger);
        turn(&mut by_hammer);
        let (fingers, _) = three_notes(&by_finger);
        let (hammers, _) = three_notes(&by_hammer);
        assert_eq!(hammers.len(), 3);
        for (strike, velocity) in hammers.iter().zip([30.0, 64.0, 110.0]) {
            assert_eq!(strike.speed, settings.touch.hammer_speed(velocity / 127.0));
        }
        assert_eq!(fingers.len(), 3);
        assert!(fingers.iter().zip(&hammers).all(|(f, h)| f.speed < h.speed && f.time == h.time));
    }
}

#[test]
fn changed_regulations_give_the_same_samples_for_every_block_size() {
    let mut heavy = Settings::default();
    heavy.action.hammer_mass = 2.0;
    heavy.action.friction = 1.8;
    let play = |block: usize| {
        let mut piano = Piano::new(RATE, &Settings::default());
        let (mut speeds, mut samples) = (Vec::new(), Vec::new());
        let (mut left, mut right) = (vec![0.0; block], vec![0.0; block]);
        for at in 0..48_usize {
            if at == 3 {
                piano.set(&heavy);
            }
            piano.handle(on(60, 64.0));
            piano.handle(off(60));
            // 0.1 s.
            let mut remaining = 2_400;
            while remaining > 0 {
                let length = block.min(remaining);
                piano.process(&mut left[..length], &mut right[..length]);
                speeds.extend(piano.strikes().iter().map(|strike| strike.speed));
                samples.extend_from_slice(&left[..length]);
                remaining -= length;
            }
        }
        (speeds, samples)
    };
    let (speeds, samples) = play(2_400);
    let mapped = Settings::default().touch.hammer_speed(64.0 / 127.0);
    assert!(speeds[..4].iter().all(|speed| *speed == mapped));
    let last = speeds[speeds.len() - 1];
    assert!(last < 0.99 * mapped, "{last} of {mapped}");
    assert_eq!(speeds.iter().filter(|speed| **speed != mapped && **speed != last).count(), 0);
    assert_eq!(play(61), (speeds, samples));
}

/// Level of a held note in its third and fifth half second relative to the first, dB.
fn decay(settings: &Settings) -> [f64; 2] {
    let mut piano = Piano::new(RATE, settings);
    piano.handle(on(60, 127.0 * settings.touch.velocity(1.05)));
    let parts: Vec<f64> =
        (0..5).map(|_| energy(&run(&mut piano, floor_index(0.5 * RATE)).1)).collect();
    [2, 4].map(|i| 10.0 * (parts[i] / parts[0]).log10())
}

#[test]
fn a_hammer_that_does_not_drop_damps_its_note() {
    for timing in [Timing::Natural, Timing::Immediate] {
        let mut settings = Settings::default();
        settings.touch.timing = timing;
        let free = decay(&settings);
        // No drop, a strong spring: the lever lifts the hammer back to the string and holds it there.
        settings.action.let_off_mm = 0.3;
        settings.action.drop_mm = 0.0;
        settings.action.repetition_spring = 2.0;
        let blocked = decay(&settings);
        assert!(free[1] > -25.0 && blocked[0] < free[0] - 15.0, "{free:?}, blocked {blocked:?}");
    }
}
