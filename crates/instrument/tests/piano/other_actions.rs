//! The simple actions under host notes, in the instrument.

use touchback_action::{ActionKind, ActionSettings, Drive, KeyEvent, STEP};
use touchback_core::exchange::shared::Shared;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::Event::{Motion, NoteOff, NoteOn, Pressure, Sustain};
use touchback_instrument::host::mechanism;
use touchback_instrument::play::record::StrikeRecord;
use touchback_instrument::settings::{KeyPressure, Timing};
use touchback_instrument::{Piano, Settings};
use touchback_models::catalogue;

const RATE: f64 = 48_000.0;

const SMALLER: [ActionKind; 6] = [
    ActionKind::Simplified,
    ActionKind::ModelA,
    ActionKind::ModelB,
    ActionKind::Viennese,
    ActionKind::Harpsichord,
    ActionKind::Ball,
];

fn key(midi: u8) -> KeyNumber {
    KeyNumber::from_midi(midi).unwrap()
}

fn settings(action: ActionKind, timing: Timing) -> Settings {
    let mut settings = Settings::default();
    settings.action.action = action;
    settings.touch.timing = timing;
    settings
}

/// Velocity 0…1 of a hammer speed, m/s, in the standard map.
fn velocity(speed: f64) -> f64 {
    Settings::default().touch.velocity(speed)
}

/// Renders `seconds`; the left channel and the strikes.
fn run(piano: &mut Piano, seconds: f64) -> (Vec<f32>, Vec<StrikeRecord>) {
    let (mut sound, mut strikes) = (Vec::new(), Vec::new());
    let (mut left, mut right) = ([0.0f32; 480], [0.0f32; 480]);
    for _ in 0..floor_index(seconds * 100.0 + 0.5) {
        piano.process(&mut left, &mut right);
        sound.extend_from_slice(&left);
        strikes.extend_from_slice(piano.strikes());
    }
    (sound, strikes)
}

fn level(sound: &[f32]) -> f64 {
    let mean = sound.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / sound.len() as f64;
    10.0 * mean.log10()
}

/// Whether further strikes follow a strike: without let-off and check a hammer rebounds, and a ball falls
/// back.
fn rebounds(action: ActionKind) -> bool {
    !matches!(action, ActionKind::Viennese | ActionKind::Harpsichord)
}

/// Reported speed of a strike at `speed`, m/s; a pluck has no hammer.
fn shown(action: ActionKind, speed: f64) -> f64 {
    if action == ActionKind::Harpsichord { 1.0 } else { speed }
}

#[test]
fn a_note_strikes_at_its_sample_and_all_parts_come_to_rest() {
    for action in SMALLER {
        for (midi, speed) in [(21, 1.0), (60, 0.3), (60, 5.0), (108, 2.5)] {
            let mut piano = Piano::new(RATE, &settings(action, Timing::Immediate));
            let name = format!("{action:?} {midi} {speed} m/s");
            run(&mut piano, 0.02);
            piano.handle(NoteOn { key: key(midi), velocity: velocity(speed) });
            let (sound, strikes) = run(&mut piano, 0.5);
            assert!((strikes[0].speed - shown(action, speed)).abs() < 1e-6, "{name}: {strikes:?}");
            assert!((strikes[0].time - 0.02).abs() < 1e-9, "{name}");
            assert!(strikes.len() == 1 || rebounds(action), "{name}: {strikes:?}");
            assert!(strikes[1..].iter().all(|s| s.speed < 0.95 * strikes[0].speed.max(0.5)));
            assert!((-80.0..-12.0).contains(&level(&sound[..4800])), "{name}");
            piano.handle(NoteOff { key: key(midi), velocity: 0.5 });
            let mut seconds = 0.0;
            while piano.keyboard().awake() > 0 {
                let (_, more) = run(&mut piano, 0.1);
                assert!(more.is_empty() || rebounds(action), "{name}: {more:?}");
                seconds += 0.1;
                assert!(seconds < 4.0, "{name} moves on");
            }
            let keys = piano.keyboard();
            assert!(keys.key_depth(key(midi)).abs() < 5e-4, "{name}");
            assert_eq!((keys.lost_states(), piano.counts().lost), (0, 0), "{name}");
            assert_eq!(keys.damper_lift(key(midi)), f64::from(u8::from(midi > 90)), "{name}");
        }
    }
}

#[test]
fn natural_presses_strike_later_and_at_about_the_requested_speed() {
    for action in SMALLER {
        for midi in [21, 60, 100] {
            for speed in [1.0, 2.5] {
                let mut piano = Piano::new(RATE, &settings(action, Timing::Natural));
                piano.handle(NoteOn { key: key(midi), velocity: velocity(speed) });
                let (_, strikes) = run(&mut piano, 1.0);
                let name = format!("{action:?} {midi} {speed} m/s: {strikes:?}");
                assert!((0.004..0.8).contains(&strikes[0].time), "{name}");
                let ratio = strikes[0].speed / shown(action, speed);
                // Model B's finger is joined to its key by a soft spring; a ball falls farther than
                // it was thrown, because the key swings back under it.
                assert!((0.55..1.5).contains(&ratio), "{name}");
                assert_eq!(piano.counts().silent_presses, 0, "{name}");
            }
        }
    }
}

#[test]
fn the_level_of_a_blow_depends_on_the_touch_but_not_that_of_a_pluck() {
    let loudness = |action, speed| {
        let mut piano = Piano::new(RATE, &settings(action, Timing::Immediate));
        piano.handle(NoteOn { key: key(60), velocity: velocity(speed) });
        level(&run(&mut piano, 0.5).0)
    };
    let rise = |action| loudness(action, 4.0) - loudness(action, 0.5);
    assert!(rise(ActionKind::Harpsichord).abs() < 0.5);
    assert!(rise(ActionKind::Viennese) > 15.0);
}

#[test]
fn a_held_or_sounding_key_keeps_its_action_until_its_next_touch() {
    // Changing the choice while keys are held and ring changes no sample.
    let render = |switched: bool| {
        let mut piano = Piano::new(RATE, &settings(ActionKind::Viennese, Timing::Immediate));
        for midi in [48, 60, 64] {
            piano.handle(NoteOn { key: key(midi), velocity: 0.6 });
        }
        let mut sound = run(&mut piano, 0.3).0;
        if switched {
            piano.set(&settings(ActionKind::Harpsichord, Timing::Immediate));
        }
        sound.extend(run(&mut piano, 0.3).0);
        piano.handle(NoteOff { key: key(60), velocity: 0.5 });
        sound.extend(run(&mut piano, 0.6).0);
        assert_eq!(piano.keyboard().kind(key(64)), ActionKind::Viennese);
        (sound, piano)
    };
    let (plain, _) = render(false);
    let (changed, mut piano) = render(true);
    assert!(plain.iter().zip(&changed).all(|(a, b)| a.to_bits() == b.to_bits()));
    piano.handle(NoteOn { key: key(60), velocity: 0.6 });
    run(&mut piano, 0.1);
    assert_eq!(piano.keyboard().kind(key(60)), ActionKind::Harpsichord);
    piano.set(&Settings::default());
    piano.handle(NoteOff { key: key(60), velocity: 0.5 });
    piano.handle(NoteOn { key: key(60), velocity: 0.6 });
    let (_, strikes) = run(&mut piano, 0.5);
    assert_eq!(piano.keyboard().kind(key(60)), ActionKind::Grand);
    assert_eq!(strikes.len(), 1);
}

#[test]
fn the_action_may_change_at_any_sample_for_every_block_size() {
    let render = |blocks: &[usize]| {
        let mut piano = Piano::new(RATE, &Settings::default());
        let (mut sound, mut sample, mut next) = (Vec::new(), 0usize, 0usize);
        let (mut left, mut right) = ([0.0f32; 1024], [0.0f32; 1024]);
        let mut cut = blocks.iter().cycle();
        while sample < 96_000 {
            if sample == next {
                // Every 733 samples something: another action, timing, a note on or off.
                let i = sample / 733;
                let action = ActionKind::ALL[(i / 3) % 7];
                let timing = if i % 4 < 2 { Timing::Immediate } else { Timing::Natural };
                piano.set(&settings(action, timing));
                let note = key(u8::try_from(40 + (i * 5) % 40).unwrap());
                piano.handle(match i % 3 {
                    0 | 1 => NoteOn { key: note, velocity: 0.3 + 0.1 * (i % 6) as f64 },
                    _ => NoteOff { key: note, velocity: 0.5 },
                });
                if i % 11 == 0 {
                    piano.handle(Sustain(f64::from(u8::from(i % 2 == 0))));
                }
                next += 733;
            }
            let length = (*cut.next().unwrap()).min(next - sample);
            piano.process(&mut left[..length], &mut right[..length]);
            sound.extend_from_slice(&left[..length]);
            sample += length;
        }
        assert!(sound.iter().all(|x| x.is_finite()));
        assert!(sound.iter().any(|x| x.abs() > 1e-3));
        assert_eq!(piano.keyboard().lost_states(), 0);
        sound
    };
    let whole = render(&[1024]);
    for blocks in [&[64][..], &[1, 63, 480, 7]] {
        let cut = render(blocks);
        assert!(whole.iter().zip(&cut).all(|(a, b)| a.to_bits() == b.to_bits()), "{blocks:?}");
    }
}

/// Positions over MIDI, and recorded ones, throw and catch the hammers of models A and B as their motion does offline.
#[test]
fn positions_throw_a_hammer_as_the_same_motion_offline() {
    for (action, is_recorded) in
        [(ActionKind::ModelA, true), (ActionKind::ModelA, false), (ActionKind::ModelB, true)]
    {
        let mut settings = settings(action, Timing::Immediate);
        settings.touch.key_pressure = KeyPressure::Position;
        let key = key(60);
        let mut piano = Piano::new(RATE, &settings);
        let mut offline = catalogue::played(action, key, &ActionSettings::default());
        let dip = offline.travel().unwrap().dip;
        let (mut last, mut expected, mut found) = (offline.front(), Vec::new(), Vec::new());
        for step in 0..12_800u32 {
            // Four throws, each down in 50 ms and up again in 150 ms; a position each millisecond.
            let time = f64::from(step % 3200) * STEP;
            let smooth = |from: f64, lasts: f64| {
                0.5 - 0.5 * (std::f64::consts::PI * ((time - from) / lasts).clamp(0.0, 1.0)).cos()
            };
            let share = 0.02 + 0.98 * (smooth(0.02, 0.05) - smooth(0.2, 0.15));
            if step % 8 == 0 {
                piano.handle(match is_recorded {
                    true => Motion { key, depth: dip * share, seconds: 1e-3 },
                    false => Pressure { key, depth: (127.0 * share).round() / 127.0 },
                });
            }
            piano.process(&mut [0.0; 6], &mut [0.0; 6]);
            found.extend(piano.strikes().iter().map(|strike| (strike.time, strike.speed)));
            let keys = piano.keyboard();
            let now = [keys.key_depth(key), keys.key_speed(key)];
            offline.step(Drive::between(last, now), &mut |offset, event| {
                if let KeyEvent::Strike { speed } = event {
                    // An event of an action step sounds one step later.
                    expected.push((f64::from(step + 1) * STEP + offset, speed));
                }
            });
            last = now;
        }
        assert!(expected.len() >= 4 && found.len() == expected.len(), "{expected:?} {found:?}");
        for (ours, theirs) in found.iter().zip(&expected) {
            let apart = [ours.0 - theirs.0, ours.1 / theirs.1 - 1.0];
            assert!(apart.iter().all(|off| off.abs() < 1e-6), "{action:?}: {apart:?}");
        }
    }
}

/// Two pianos with the same settings each have keys of their own; a key changes to the mechanism and back at its next note.
#[test]
fn a_mechanism_from_a_file_plays_on_every_piano_that_has_it() {
    let mut own = Settings::default();
    mechanism::play(
        &mut own,
        mechanism::read(
            "a.mechanism.toml",
            include_str!("../../../../mechanisms/ball.mechanism.toml").into(),
        )
        .unwrap(),
    );
    let strike = |piano: &mut Piano| {
        piano.handle(NoteOn { key: key(60), velocity: velocity(1.5) });
        let (_, strikes) = run(piano, 0.3);
        piano.handle(NoteOff { key: key(60), velocity: 0.5 });
        run(piano, 1.5);
        (piano.keyboard().kind(key(60)), strikes[0].speed)
    };
    let mut pianos = [(); 2].map(|()| Piano::new(RATE, &own));
    for piano in &mut pianos {
        let (kind, speed) = strike(piano);
        assert!(kind == ActionKind::File && (speed - 1.5).abs() < 1e-9, "{kind:?} {speed}");
    }
    let piano = &mut pianos[0];
    piano.set(&Settings::default());
    assert_eq!(strike(piano).0, ActionKind::Grand);
    piano.set(&own);
    assert_eq!(strike(piano).0, ActionKind::File);
    // A choice without its file is the grand.
    own.action.mechanism = Shared::NEUTRAL;
    piano.set(&own);
    assert_eq!(strike(piano).0, ActionKind::Grand);
}
