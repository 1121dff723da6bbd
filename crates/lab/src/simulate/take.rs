//! One key of a servo's log, step by step.

use anyhow::Result;

use touchback_action::{Readout, TimedEvent, step_time};
use touchback_core::math::compass::KeyNumber;
use touchback_haptics::log::Twin;
use touchback_haptics::recording::Recording;

/// Replays `key` of `take`, bit for bit as the servo ran it; `each` receives the time, s, and the
/// state after every step. Times count from the take's first step.
///
/// # Errors
/// Those of `each`.
pub fn play(
    take: &Recording,
    key: KeyNumber,
    mut each: impl FnMut(f64, &Readout) -> Result<()>,
) -> Result<Vec<TimedEvent>> {
    let begin = take.begin();
    let mut twin = Twin::new(take.action().unwrap_or_default());
    let (mut events, mut failed) = (Vec::new(), Ok(()));
    for entry in take.entries()? {
        let entry = entry?;
        if entry.key().is_some_and(|k| k != key) {
            continue;
        }
        twin.watch(
            &entry,
            |heard| events.push(TimedEvent { step: heard.step - begin, ..*heard }),
            |step, push, mechanism| {
                if failed.is_ok() {
                    failed = each(step_time(step + 1 - begin), &mechanism.readout(push));
                }
            },
        );
    }
    failed.map(|()| events)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::tests::recording::{played, text};

    #[test]
    fn a_take_is_simulated_as_it_was_felt() {
        let (entries, servo) = played();
        let take = Recording::read("a.log", text(&entries).as_bytes()).unwrap();
        let key = take.first_key().unwrap();
        let mut last = (0.0, Readout::NONE);
        let mut rows = 0;
        let events = play(&take, key, |time, readout| {
            assert!(time > last.0);
            (last, rows) = ((time, *readout), rows + 1);
            Ok(())
        })
        .unwrap();
        // The twin's own end is the servo's, which `haptics::recording` tests: here its depth.
        let mut twin = Twin::new(take.action().unwrap());
        entries.iter().for_each(|e| twin.play(e, |_| ()));
        let (mechanism, _) = twin.key(key).unwrap();
        assert_eq!(mechanism.save().bits(), servo);
        assert_eq!(last.1.key.to_bits(), mechanism.front()[0].to_bits());
        assert!(rows > 4000 && last.0 <= take.length() + 2e-3);
        assert!(events.iter().any(|e| e.event.kind() == touchback_action::EventKind::Strike));
    }
}
