//! Selection of the keys that a keyboard of 88 keys reports.

use super::*;

fn eighty_eight(state_keys: u8) -> Device<88> {
    let two = build::<f64>();
    let build = Build {
        hello: Hello { keys: 88, first_key: 1, ..two.hello },
        facts: [KeyFacts::default(); 88],
        slew: two.slew,
        thermal_time: two.thermal_time,
        timeout_us: two.timeout_us,
        bed: two.bed,
        guard: two.guard,
        state_keys,
    };
    Device::new(build, 0)
}

/// The keys of the state that is sent after a tick, if one is due.
fn reported(device: &mut Device<88>) -> Option<Vec<u8>> {
    let mut out = [0; crate::frame::MAX_FRAME];
    let length = device.report(&mut out);
    let mut receiver = FrameReceiver::new();
    let payload =
        out[..length].iter().find_map(|b| receiver.push(*b).map(|p| p.unwrap().to_vec()))?;
    let Some(Message::State(state)) = Message::decode(&payload) else { panic!() };
    Some(state.keys.as_slice().iter().map(|k| k.key).collect())
}

#[test]
fn a_state_names_the_moving_keys_and_one_other_in_turn() {
    let mut device = eighty_eight(88);
    let (mut counts, mut forces, mut now) = ([0; 88], [0.0; 88], 0);
    let mut seen = std::collections::BTreeSet::new();
    for tick in 0..8 * 400 {
        now += 125;
        counts[30] = tick / 8;
        // Flicker of one count is no motion.
        counts[40] = i32::from(tick % 50 == 0);
        device.tick(now, &counts, &mut forces);
        if let Some(keys) = reported(&mut device).filter(|_| tick > 1000) {
            assert!(keys.contains(&30) && keys.len() <= 2, "{keys:?}");
            seen.extend(keys);
        }
    }
    assert_eq!(seen.len(), 88);
}

#[test]
fn a_key_at_rest_stays_at_rest_across_every_wrap() {
    let mut device = eighty_eight(88);
    let (counts, mut forces, mut now) = ([0; 88], [0.0; 88], 0u32);
    for _ in 0..40 {
        // Ticks five minutes apart: more than three hours in all.
        now = now.wrapping_add(300_000_000);
        device.tick(now, &counts, &mut forces);
        assert_eq!(reported(&mut device).unwrap().len(), 1);
    }
}

/// All 88 keys move and a state holds eight: the keys are reported in turn.
#[test]
fn moving_keys_take_turns_where_a_state_cannot_hold_them_all() {
    let mut device = eighty_eight(8);
    let (mut forces, mut now) = ([0.0; 88], 0);
    let mut reports = [0u32; 88];
    for tick in 0..8 * 130 {
        now += 125;
        device.tick(now, &[tick / 2; 88], &mut forces);
        if let Some(keys) = reported(&mut device) {
            assert!(keys.len() <= 8, "{keys:?}");
            keys.iter().for_each(|k| reports[usize::from(*k)] += 1);
        }
    }
    assert!(reports.iter().all(|n| (9..=13).contains(n)), "{reports:?}");
    assert_eq!(device.rounds, 13);
}
