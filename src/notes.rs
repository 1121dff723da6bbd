//! Converts host events to the instrument's messages, and the instrument's strikes to host events.

use nice_plug::midi::{Channel, Key as NoteKey, VoiceID};
use nice_plug::prelude::NoteEvent;

use touchback_core::math::cast::single;
use touchback_instrument::host::midi::{self, Address, InputMessage, controller, split_velocity};
use touchback_instrument::play::note_output::Sent;
use touchback_instrument::settings::{Settings, StrikeOutput};

/// Channel of sent strikes.
const CHANNEL: u8 = 0;

/// The instrument's message for a host event; none for events that a piano does not use.
pub(super) fn message<S>(event: &NoteEvent<S>) -> Option<InputMessage> {
    let message = match *event {
        NoteEvent::NoteOn { channel, key, voice_id, velocity, .. } => InputMessage::NoteOn {
            channel: channel.number().unwrap_or(0),
            note: key.number()?,
            id: voice_id.id(),
            velocity: f64::from(velocity),
        },
        NoteEvent::NoteOff { channel, key, voice_id, velocity, .. } => {
            let to = address(channel, key, voice_id);
            InputMessage::NoteOff { to, velocity: f64::from(velocity) }
        }
        NoteEvent::Choke { channel, key, voice_id, .. } => {
            InputMessage::Choke(address(channel, key, voice_id))
        }
        NoteEvent::PolyPressure { channel, key, voice_id, pressure, .. } => {
            let to = address(channel, key, voice_id);
            InputMessage::Pressure { to, value: f64::from(pressure) }
        }
        NoteEvent::PolyTuning { channel, key, voice_id, tuning, .. } => {
            let to = address(channel, key, voice_id);
            InputMessage::Tuning { to, semitones: f64::from(tuning) }
        }
        NoteEvent::MidiPitchBend { channel, value, .. } => {
            InputMessage::Bend { channel, value: midi::bend(f64::from(value)) }
        }
        NoteEvent::MidiChannelPressure { channel, pressure, .. } => {
            InputMessage::ChannelPressure { channel, value: f64::from(pressure) }
        }
        NoteEvent::MidiCC { channel, cc, value, .. } => {
            InputMessage::Controller { channel, number: cc, value: f64::from(value) }
        }
        NoteEvent::PolyVolume { .. }
        | NoteEvent::PolyPan { .. }
        | NoteEvent::PolyVibrato { .. }
        | NoteEvent::PolyExpression { .. }
        | NoteEvent::PolyBrightness { .. } => InputMessage::Unsupported,
        _ => return None,
    };
    Some(message)
}

fn address(channel: Channel, key: NoteKey, voice: VoiceID) -> Address {
    Address { channel: channel.number(), note: key.number(), id: voice.id() }
}

/// The host events for `sent` at the offset `timing`, in order.
pub(super) fn events<S>(
    sent: &Sent,
    settings: &Settings,
    timing: u32,
) -> impl Iterator<Item = NoteEvent<S>> {
    let control = |cc, value| NoteEvent::MidiCC { timing, channel: CHANNEL, cc, value };
    let (voice_id, channel) = (VoiceID::Wildcard, Channel::Number(CHANNEL));
    let mut prefix = None;
    let event = match *sent {
        Sent::Strike { key, speed } => {
            let touch = &settings.touch;
            let velocity = if settings.midi.strike_output == StrikeOutput::NotesAndCc88 {
                let (coarse, fine) = split_velocity(touch.velocity(speed));
                prefix = (fine > 0)
                    .then(|| control(controller::VELOCITY_PREFIX, single(f64::from(fine) / 127.0)));
                f64::from(coarse) / 127.0
            } else {
                // Velocity 0 would mean note-off.
                touch.velocity(speed).max(1.0 / 127.0)
            };
            let key = NoteKey::Number(key.midi());
            NoteEvent::NoteOn { timing, voice_id, channel, key, velocity: single(velocity) }
        }
        Sent::Landed(key) => {
            let key = NoteKey::Number(key.midi());
            NoteEvent::NoteOff { timing, voice_id, channel, key, velocity: 0.0 }
        }
        Sent::Pedal { number, value } => control(number, single(value)),
        Sent::Silence => control(controller::ALL_SOUND_OFF, 0.0),
    };
    prefix.into_iter().chain([event])
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_core::math::compass::KeyNumber;

    type HostEvent = NoteEvent<()>;

    #[test]
    fn host_events_become_messages() {
        let (voice_id, channel, timing) = (VoiceID::ID(9), Channel::Number(3), 0);
        let key = NoteKey::Number(60);
        let on = HostEvent::NoteOn { timing, voice_id, channel, key, velocity: 0.5 };
        let expected = InputMessage::NoteOn { channel: 3, note: 60, id: Some(9), velocity: 0.5 };
        assert_eq!(message(&on), Some(expected));
        let (any, every) = (NoteKey::Wildcard, Channel::Wildcard);
        let choke =
            HostEvent::Choke { timing, voice_id: VoiceID::Wildcard, channel: every, key: any };
        assert_eq!(message(&choke), Some(InputMessage::Choke(Address::default())));
        let bend = HostEvent::MidiPitchBend { timing, channel: 0, value: 8192.0 / 16_383.0 };
        assert_eq!(message(&bend), Some(InputMessage::Bend { channel: 0, value: 0.0 }));
        let pressed = HostEvent::MidiChannelPressure { timing, channel: 3, pressure: 0.5 };
        let finger = InputMessage::ChannelPressure { channel: 3, value: 0.5 };
        assert_eq!(message(&pressed), Some(finger));
        let pedal = HostEvent::MidiCC { timing, channel: 1, cc: 64, value: 1.0 };
        let down = InputMessage::Controller { channel: 1, number: 64, value: 1.0 };
        assert_eq!(message(&pedal), Some(down));
        let vibrato = HostEvent::PolyVibrato { timing, voice_id, channel, key, vibrato: 0.5 };
        assert_eq!(message(&vibrato), Some(InputMessage::Unsupported));
        let program = HostEvent::MidiProgramChange { timing, channel: 0, program: 1 };
        assert_eq!(message(&program), None);
    }

    /// Every kind of event, its address and its value.
    #[test]
    fn each_kind_of_event_has_its_message() {
        let (voice_id, channel, timing) = (VoiceID::ID(9), Channel::Number(3), 5);
        let key = NoteKey::Number(60);
        let to = Address { channel: Some(3), note: Some(60), id: Some(9) };
        let off = HostEvent::NoteOff { timing, voice_id, channel, key, velocity: 0.25 };
        assert_eq!(message(&off), Some(InputMessage::NoteOff { to, velocity: 0.25 }));
        let choke = HostEvent::Choke { timing, voice_id, channel, key };
        assert_eq!(message(&choke), Some(InputMessage::Choke(to)));
        let pressed = HostEvent::PolyPressure { timing, voice_id, channel, key, pressure: 0.75 };
        assert_eq!(message(&pressed), Some(InputMessage::Pressure { to, value: 0.75 }));
        let tuned = HostEvent::PolyTuning { timing, voice_id, channel, key, tuning: -1.5 };
        assert_eq!(message(&tuned), Some(InputMessage::Tuning { to, semitones: -1.5 }));
        for other in [
            HostEvent::PolyVolume { timing, voice_id, channel, key, gain: 0.5 },
            HostEvent::PolyPan { timing, voice_id, channel, key, pan: 0.5 },
            HostEvent::PolyExpression { timing, voice_id, channel, key, expression: 0.5 },
            HostEvent::PolyBrightness { timing, voice_id, channel, key, brightness: 0.5 },
        ] {
            assert_eq!(message(&other), Some(InputMessage::Unsupported));
        }
        for (value, bend) in [(0.0, -1.0), (1.0, 1.0)] {
            let event = HostEvent::MidiPitchBend { timing, channel: 2, value };
            assert_eq!(message(&event), Some(InputMessage::Bend { channel: 2, value: bend }));
        }
        // A note-on for all keys has no meaning.
        let key = NoteKey::Wildcard;
        let on = HostEvent::NoteOn { timing, voice_id, channel, key, velocity: 0.5 };
        assert_eq!(message(&on), None);
        let key = NoteKey::Number(60);
        let channel = Channel::Wildcard;
        let on = HostEvent::NoteOn { timing, voice_id, channel, key, velocity: 0.5 };
        let Some(InputMessage::NoteOn { channel, .. }) = message(&on) else { panic!("a note") };
        assert_eq!(channel, 0);
    }

    #[test]
    fn pedals_and_silence_are_sent_as_controllers_at_their_sample() {
        let settings = Settings::default();
        let sent = |sent: Sent| events(&sent, &settings, 7).collect::<Vec<HostEvent>>();
        for (what, number, said) in [
            (Sent::Pedal { number: 64, value: 0.5 }, 64, 0.5),
            (Sent::Pedal { number: 67, value: 1.0 }, 67, 1.0),
            (Sent::Silence, 120, 0.0),
        ] {
            let [HostEvent::MidiCC { timing: 7, channel: CHANNEL, cc, value }] = sent(what)[..]
            else {
                panic!("one controller")
            };
            assert_eq!((cc, value), (number, said));
        }
        // The softest strike is not sent as a release.
        let key = KeyNumber::from_midi(60).unwrap();
        let [HostEvent::NoteOn { velocity, .. }] = sent(Sent::Strike { key, speed: 0.0 })[..]
        else {
            panic!("a note alone")
        };
        assert!(velocity >= 1.0 / 127.0);
    }

    #[test]
    fn strikes_are_sent_as_notes_with_a_velocity_prefix_if_needed() {
        let mut settings = Settings::default();
        settings.midi.strike_output = StrikeOutput::NotesAndCc88;
        let key = KeyNumber::from_midi(60).unwrap();
        let sent = |sent: Sent, settings: &Settings| {
            events(&sent, settings, 7).collect::<Vec<HostEvent>>()
        };
        let speed = settings.touch.hammer_speed(100.25 / 127.0);
        let [HostEvent::MidiCC { cc: 88, value, .. }, HostEvent::NoteOn { velocity, .. }] =
            sent(Sent::Strike { key, speed }, &settings)[..]
        else {
            panic!("a prefix and a note")
        };
        assert_eq!((value, velocity), (32.0 / 127.0, 100.0 / 127.0));
        let even = settings.touch.hammer_speed(100.0 / 127.0);
        assert_eq!(sent(Sent::Strike { key, speed: even }, &settings).len(), 1);
        settings.midi.strike_output = StrikeOutput::Notes;
        let [HostEvent::NoteOn { velocity, timing: 7, .. }] =
            sent(Sent::Strike { key, speed }, &settings)[..]
        else {
            panic!("a note alone")
        };
        assert!((velocity * 127.0 - 100.25).abs() < 1e-4);
        assert!(matches!(sent(Sent::Landed(key), &settings)[..], [HostEvent::NoteOff { .. }]));
    }
}
