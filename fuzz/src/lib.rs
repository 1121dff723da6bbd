//! The readers under test: of files, and of a motorized keyboard's bytes. Each function takes bytes and returns
//! whether its reader accepts them. No reader may panic, and accepted data must be usable.
//!
//! Fuzz targets call these functions on a nightly compiler; `crates/command/tests/command/damaged_files.rs` calls them with
//! damaged copies of the corpora on a stable one.

use std::io::Cursor;
use std::path::Path;

use toml::Table;
use touchback_action::Mechanism as _;
use touchback_action::interface::key_sheet::KeySheet;
use touchback_action::interface::kind::NAMES;
use touchback_action::{ActionSettings, Drive};
use touchback_core::math::compass::KeyNumber;
use touchback_core::text::note;
use touchback_device::device::Device;
use touchback_device::frame::{self, FrameReceiver, MAX_FRAME, MAX_PAYLOAD};
use touchback_device::history::{self, Choices};
use touchback_device::message::{KEYS, Message};
use touchback_haptics::keyboard::emulator::{KeyboardDesign, build};
use touchback_haptics::record::recording::Recording;
use touchback_haptics::servo::{Servo, ServoOptions};
use touchback_instrument::host::midi_file::Score;
use touchback_instrument::host::params;
use touchback_instrument::host::preset::file::NamedPiano;
use touchback_models::catalogue::Model;
use touchback_offline::gesture::Gesture;
use touchback_offline::simulate::numbers::each_number;
use touchback_offline::simulate::{self, plants};
use touchback_offline::{controls, fit};
use touchback_recorded::{names, sfz, sound_file};
use touchback_sound::tuning::scala::{KeyMap, Scale, notes};

/// A reader under test.
pub type Reader = fn(&[u8]) -> bool;

/// All readers, by the names of their targets and corpora.
pub const READERS: [(&str, Reader); 18] = [
    ("midi", midi),
    ("gesture_csv", gesture_csv),
    ("gesture_toml", gesture_toml),
    ("automation", automation),
    ("preset", preset),
    ("scale", scale),
    ("keymap", keymap),
    ("take", take),
    ("model", model),
    ("model_numbers", model_numbers),
    ("names", names),
    ("sfz", sfz),
    ("sound", sound),
    ("fit_data", fit_data),
    ("key_sheet", key_sheet),
    ("decode", decode),
    ("force", force),
    ("mechanism", mechanism),
];

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A MIDI file.
pub fn midi(bytes: &[u8]) -> bool {
    Score::read("x.mid", bytes).is_ok()
}

/// Gestures as CSV.
pub fn gesture_csv(bytes: &[u8]) -> bool {
    Gesture::from_csv("x.csv", bytes).is_ok()
}

/// Gestures as TOML.
pub fn gesture_toml(bytes: &[u8]) -> bool {
    Gesture::from_toml("x.toml", bytes).is_ok()
}

/// A parameter's curve.
pub fn automation(bytes: &[u8]) -> bool {
    let Ok(blow) = params::find("blow_mm") else { return false };
    controls::curve(blow, "x.csv", bytes).is_ok()
}

/// A preset: accepted values are inside every parameter's range.
pub fn preset(bytes: &[u8]) -> bool {
    let Ok((saved, _)) = NamedPiano::read(&text(bytes)) else { return false };
    for p in params::all() {
        assert!((p.min()..=p.max()).contains(&p.get(&saved.settings)), "{}", p.id);
    }
    true
}

/// A scale.
pub fn scale(bytes: &[u8]) -> bool {
    let notes = notes(&text(bytes));
    notes.is_ok_and(|notes| Scale::new(&notes, &KeyMap::plain(440.0)).is_ok())
}

/// A keyboard map.
pub fn keymap(bytes: &[u8]) -> bool {
    KeyMap::read(&text(bytes)).is_ok()
}

/// A recording of a keyboard: an accepted one is read the same a second time.
pub fn take(bytes: &[u8]) -> bool {
    let Ok(take) = Recording::read("x.log", bytes) else { return false };
    let entries = take.in_memory().expect("read before");
    assert!(take.length() >= 0.0);
    assert_eq!(entries.iter().find_map(|e| e.key()), take.first_key());
    true
}

/// A model file.
pub fn model(bytes: &[u8]) -> bool {
    let Ok(model) = plants::read("x.toml", &text(bytes)) else { return false };
    press(model);
    true
}

/// An action's own model with some numbers changed. The first byte selects the action; each ten further bytes
/// select a number and its change.
pub fn model_numbers(bytes: &[u8]) -> bool {
    let Some((action, changes)) = bytes.split_first() else { return false };
    let name = NAMES[usize::from(*action) % NAMES.len()];
    let Some(own) = Model::named(name, middle(), &ActionSettings::default()) else { return false };
    let Ok(mut table) = Table::try_from(own) else { return false };
    let mut count = 0;
    each_number(&mut table, &mut |_| count += 1);
    for change in changes.chunks_exact(10).take(4) {
        let index = usize::from(u16::from_le_bytes([change[0], change[1]])) % count;
        let bits = <[u8; 8]>::try_from(&change[2..]).unwrap_or_default();
        let mut at = 0;
        each_number(&mut table, &mut |number| {
            if at == index {
                *number = changed(*number, bits);
            }
            at += 1;
        });
    }
    model(table.to_string().as_bytes())
}

/// The name of a recorded note: an accepted name is one of the 88 keys.
pub fn names(bytes: &[u8]) -> bool {
    let name = text(bytes);
    let midi = note::midi(&name);
    assert!(midi.is_none_or(|midi| (-120..=140).contains(&midi)), "{name}: {midi:?}");
    names::key_and_layer(&name).is_some()
}

/// A sampled piano's file, in a folder that does not exist.
pub fn sfz(bytes: &[u8]) -> bool {
    sfz::of_text(Path::new("no such folder/x.sfz"), bytes).is_ok()
}

/// A recorded note: an accepted one has samples, all of them finite.
pub fn sound(bytes: &[u8]) -> bool {
    let Ok(note) = sound_file::decode(Cursor::new(bytes.to_vec())) else { return false };
    let [left, right] = &note.channels;
    assert!(!left.is_empty() && left.len() == right.len());
    assert!(left.iter().chain(right).all(|sample| sample.is_finite()));
    true
}

/// Measurements of a key.
pub fn fit_data(bytes: &[u8]) -> bool {
    fit::data::read("x.csv", bytes).is_ok()
}

/// A sheet of single keys' differences: an accepted one is read the same a second time.
pub fn key_sheet(bytes: &[u8]) -> bool {
    let Ok(sheet) = text(bytes).parse::<KeySheet>() else { return false };
    assert_eq!(sheet.text().parse(), Ok(sheet));
    true
}

/// Bytes as frames and as a payload, received by both ends of a line: the payloads among them decode as [`exact`] says,
/// and the bytes then make neither a keyboard that was armed nor a host panic or give force beyond the limit. Returns
/// whether a payload was decoded.
pub fn decode(bytes: &[u8]) -> bool {
    let mut receiver = FrameReceiver::new();
    let mut is_decoded = exact(bytes);
    for byte in bytes {
        if let Some(Ok(payload)) = receiver.push(*byte) {
            is_decoded |= exact(payload);
        }
    }

    let design = KeyboardDesign { keys: 2, ..KeyboardDesign::default() };
    let mut device: Device<KEYS> = Device::new(build(&design), 0);
    let mut servo = Servo::new(ServoOptions::default(), 0.0);
    let mut out = Vec::new();
    let mut frame = [0; MAX_FRAME];
    if let Some(length) = Message::Clear(1).frame(&mut frame) {
        frame[..length].iter().for_each(|b| device.receive(*b));
    }
    // The bytes themselves, and as the payload of a valid frame.
    let good = frame::encode(bytes.get(..MAX_PAYLOAD).unwrap_or(bytes), &mut frame);
    let framed = &frame[..good.unwrap_or(0)];
    let (mut forces, mut now_us) = ([0.0; KEYS], 0u32);
    for (i, part) in bytes.chunks(64).chain([framed]).enumerate() {
        part.iter().for_each(|b| device.receive(*b));
        servo.receive(1e-3 * i as f64, part, &mut out, &mut ());
        servo.tick(1e-3 * i as f64, &mut out);
        for _ in 0..8 {
            now_us = now_us.wrapping_add(125);
            device.tick(now_us, &[0; KEYS], &mut forces);
            assert!(forces.iter().all(|f| f.abs() <= 20.0));
        }
        let mut report = [0; MAX_FRAME];
        while device.report(&mut report) > 0 {}
    }
    is_decoded
}

/// A message that is decoded from a payload encodes to the payload's beginning, from which the same message is decoded;
/// a later version has appended the rest. Returns whether the payload was decoded.
fn exact(payload: &[u8]) -> bool {
    let Some(message) = Message::decode(payload) else { return false };
    let mut again = vec![0; payload.len()];
    let known = message.encode(&mut again).map(|length| &again[..length]);
    assert!(known.is_some_and(|known| payload.starts_with(known)), "{message:?}: {known:?}");
    assert_eq!(known.and_then(Message::decode), Some(message));
    true
}

/// A keyboard's history made from the bytes: messages, readings, gaps, and an end. Force must end with the fade after
/// any history. Returns whether the keyboard was live at the end.
pub fn force(bytes: &[u8]) -> bool {
    let outcome = history::run::<f32>(Choices::Bytes(bytes));
    assert!(outcome.excess <= 0.0, "{outcome:?}");
    outcome.was_live
}

/// A mechanism. One that is accepted is pressed, read and drawn.
pub fn mechanism(bytes: &[u8]) -> bool {
    let Ok(file) = touchback_mechanism::read(&text(bytes)) else { return false };
    let Ok(mut key) = file.key(middle(), &[]) else { return false };
    for step in 0..200 {
        let force = if step < 100 { 5.0 } else { 0.0 };
        key.step(Drive::Force([force; 2]), &mut |_, _| ());
    }
    let _ = (key.readout(Drive::Free), key.pose(), key.strike(1.0));
    true
}

/// Changes a number as `bits` select: by a factor between 1/1000 and 1000, with its sign reversed, or to the
/// number that `bits` represent.
fn changed(number: f64, bits: [u8; 8]) -> f64 {
    let share = f64::from(bits[1]) / 255.0;
    match bits[0] % 4 {
        0 | 1 => number * 1000f64.powf(2.0 * share - 1.0),
        2 => -number * share,
        _ => f64::from_le_bytes(bits),
    }
}

fn middle() -> KeyNumber {
    KeyNumber::from_midi(60).expect("a key")
}

/// Plays a model, which may end with an error but must not panic.
fn press(model: Model) {
    let rows = b"t_s,force_n\n0,0\n0.02,5\n0.03,0\n";
    let mut press = Gesture::from_csv("x.csv", rows).expect("a gesture");
    // The command checks the model's state; here only panics count.
    let _ = simulate::play(&mut press, model.start().as_mut(), middle(), |_, _| Ok(()));
}
