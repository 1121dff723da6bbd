//! Replays one key of a servo's log, step by step.

use anyhow::Result;

use touchback_action::{Drive, Key, TimedEvent, step_time};
use touchback_core::math::compass::KeyNumber;
use touchback_haptics::record::log::Twin;
use touchback_haptics::record::recording::Recording;

/// Replays `key` of `recording` with the same bits as the servo; `each` receives the time, s, and the
/// key with its drive after every step. Times count from the log's first step.
///
/// # Errors
/// Errors of `each`.
pub fn play(
    recording: &Recording,
    key: KeyNumber,
    mut each: impl FnMut(f64, &dyn Key, Drive) -> Result<()>,
) -> Result<Vec<TimedEvent>> {
    let begin = recording.begin();
    let mut twin = Twin::new(recording.action().unwrap_or_default());
    let (mut events, mut failed) = (Vec::new(), Ok(()));
    for entry in recording.entries()? {
        let entry = entry?;
        if entry.key().is_some_and(|k| k != key) {
            continue;
        }
        twin.watch(
            &entry,
            |event| events.push(TimedEvent { step: event.step - begin, ..*event }),
            |step, push, mechanism| {
                if failed.is_ok() {
                    failed = each(step_time(step + 1 - begin), mechanism, push);
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
    use touchback_action::Readout;

    #[test]
    fn a_replayed_key_has_the_state_of_the_servo() {
        let (entries, servo) = played();
        let recording = Recording::read("a.log", text(&entries).as_bytes()).unwrap();
        let key = recording.first_key().unwrap();
        let mut last = (0.0, Readout::NONE);
        let mut rows = 0;
        let events = play(&recording, key, |time, key, drive| {
            assert!(time > last.0);
            (last, rows) = ((time, key.readout(drive)), rows + 1);
            Ok(())
        })
        .unwrap();
        // `haptics::recording` tests that the twin's final state is the servo's; here only its depth.
        let mut twin = Twin::new(recording.action().unwrap());
        entries.iter().for_each(|e| twin.play(e, |_| ()));
        let (mechanism, _) = twin.key(key).unwrap();
        assert_eq!(mechanism.save().bits(), servo);
        assert_eq!(last.1.key.to_bits(), mechanism.front()[0].to_bits());
        assert!(rows > 4000 && last.0 <= recording.length() + 2e-3);
        assert!(events.iter().any(|e| e.event.kind() == touchback_action::EventKind::Strike));
    }
}
