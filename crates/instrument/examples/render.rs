//! Renders a MIDI file to a stereo WAV file of 48 kHz: notes and the sustain pedal.
//!
//! `cargo run --release -p touchback-instrument --example render -- piece.mid piece.wav`

use std::error::Error;

use midly::{MidiMessage, Smf, Timing, TrackEventKind};
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::{Event, Piano, Settings};

/// Sample rate, Hz.
const RATE: u32 = 48_000;
/// Seconds after the last event.
const TAIL: f64 = 4.0;

/// Events of a MIDI file with their times, s.
fn read(bytes: &[u8]) -> Result<Vec<(f64, Event)>, Box<dyn Error>> {
    let file = Smf::parse(bytes)?;
    let Timing::Metrical(ticks) = file.header.timing else {
        return Err("a file with time codes; one with ticks a quarter is expected".into());
    };
    let mut all = Vec::new();
    for track in &file.tracks {
        let mut tick = 0;
        for event in track {
            tick += event.delta.as_int();
            all.push((tick, event.kind));
        }
    }
    all.sort_by_key(|(tick, _)| *tick);
    let (mut events, mut time, mut last, mut quarter) = (Vec::new(), 0.0, 0, 0.5);
    for (tick, kind) in all {
        time += quarter * f64::from(tick - last) / f64::from(ticks.as_int());
        last = tick;
        match kind {
            TrackEventKind::Meta(midly::MetaMessage::Tempo(microseconds)) => {
                quarter = 1e-6 * f64::from(microseconds.as_int());
            }
            TrackEventKind::Midi { message, .. } => {
                events.extend(event(message).map(|event| (time, event)));
            }
            _ => {}
        }
    }
    Ok(events)
}

/// A message as an event of the piano; `None` for those that this example leaves out.
fn event(message: MidiMessage) -> Option<Event> {
    let key = |note: midly::num::u7| KeyNumber::from_midi(note.as_int());
    match message {
        MidiMessage::NoteOn { key: note, vel } if vel > 0 => {
            Some(Event::NoteOn { key: key(note)?, velocity: f64::from(vel.as_int()) / 127.0 })
        }
        MidiMessage::NoteOn { key: note, .. } => {
            Some(Event::NoteOff { key: key(note)?, velocity: 0.5 })
        }
        MidiMessage::NoteOff { key: note, vel } => {
            Some(Event::NoteOff { key: key(note)?, velocity: f64::from(vel.as_int()) / 127.0 })
        }
        MidiMessage::Controller { controller, value } if controller == 64 => {
            Some(Event::Sustain(f64::from(value.as_int()) / 127.0))
        }
        _ => None,
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(input), Some(output)) = (arguments.next(), arguments.next()) else {
        return Err("usage: render INPUT.mid OUTPUT.wav".into());
    };
    let events = read(&std::fs::read(&input)?)?;
    let mut piano = Piano::new(f64::from(RATE), &Settings::default());
    let spec = hound::WavSpec {
        channels: 2,
        sample_rate: RATE,
        bits_per_sample: 32,
        sample_format: hound::SampleFormat::Float,
    };
    let mut file = hound::WavWriter::create(&output, spec)?;
    let end = events.last().map_or(0.0, |(time, _)| *time) + TAIL;
    let (mut left, mut right) = ([0.0], [0.0]);
    let mut next = events.iter().peekable();
    let mut time = 0.0;
    while time < end {
        while let Some((_, event)) = next.next_if(|(due, _)| *due <= time) {
            piano.handle(*event);
        }
        // Any block size gives the same samples; one sample puts every event in its place.
        piano.process(&mut left, &mut right);
        file.write_sample(left[0])?;
        file.write_sample(right[0])?;
        time += 1.0 / f64::from(RATE);
    }
    file.finalize()?;
    Ok(())
}
