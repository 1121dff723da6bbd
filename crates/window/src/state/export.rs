//! Exported files: a stroke as CSV of every step, the scope as PNG, the performance as MIDI, the bench's
//! measurements as CSV and SVG. Existing files are never overwritten.

#[cfg(not(target_family = "wasm"))]
use std::fmt::Display;
use std::path::{Path, PathBuf};

use crate::offscreen::Offscreen;
use crate::state::capture;
use crate::state::stroke::{Memory, Stroke, table};
use crate::views::keyboard::name;
use crate::views::scope::Scope;
use crate::widgets::transport::Transport;
use crate::widgets::{bench_sheet, theme};
use touchback_action::ActionSettings;
use touchback_action::grand::key::weigh::{FIGURES, Weighed};
use touchback_action::interface::key_sheet::{QUANTITIES, shortest};
#[cfg(not(target_family = "wasm"))]
use touchback_core::files::draft::{Draft, DraftError};
#[cfg(not(target_family = "wasm"))]
use touchback_core::files::folder::NewFolder;
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::watch::monitor::tape::TimedMessage;

/// Size of an exported picture, points, and pixels per point.
const SIZE: (f32, f32) = (900.0, 560.0);
const SCALE: f32 = 2.0;

/// The folder of exported files: `Touchback` in the user's home, or in the working folder without
/// one.
#[must_use]
pub fn folder() -> PathBuf {
    dirs::home_dir().unwrap_or_default().join("Touchback")
}

/// Writes the stroke as CSV into `folder`; returns a message with the path.
///
/// # Errors
/// A sentence for the user.
pub fn csv(folder: &Path, stroke: &Stroke) -> Result<String, String> {
    let mut bytes = Vec::new();
    table::write(&mut bytes, stroke).map_err(|e| format!("The stroke was not written: {e}"))?;
    save(folder, &stem(stroke), "csv", &bytes)
}

/// Writes the performance of the last ten minutes as a MIDI file into `folder`; returns a message with the
/// path.
///
/// # Errors
/// A sentence for the user.
pub fn performance(folder: &Path, messages: &[TimedMessage]) -> Result<String, String> {
    let bytes =
        capture::file(messages).ok_or("Nothing has been played in the last ten minutes.")?;
    save(folder, "played", "mid", &bytes)
}

/// Measures all 88 keys under `settings` and writes the sheet of their differences, which can be read
/// again, with the measured figures as further columns, as CSV into `folder`. Returns a message with the
/// path. Takes seconds.
///
/// # Errors
/// A sentence for the user.
pub fn weights(folder: &Path, settings: &ActionSettings) -> Result<String, String> {
    let mut text = String::from("key");
    for quantity in &QUANTITIES {
        text += &format!(",{}", quantity.id);
    }
    for figure in &FIGURES {
        text += &format!(",measured_{}", figure.id);
    }
    for key in KeyNumber::all() {
        text += &format!("\n{}", key.number());
        for offset in settings.keys.of(key) {
            text += &format!(",{}", shortest(offset));
        }
        let weighed = Weighed::of(key, settings);
        for figure in &FIGURES {
            let value = (figure.get)(&weighed);
            text += &if value.is_finite() { format!(",{value:.3}") } else { ",".to_owned() };
        }
    }
    text.push('\n');
    save(folder, "keys", "csv", text.as_bytes())
}

/// Writes the measurements of `key` before and after as CSV and SVG into `folder`; returns a message with
/// the paths.
///
/// # Errors
/// A sentence for the user.
pub fn bench(
    folder: &Path,
    key: KeyNumber,
    before: Option<&Weighed>,
    after: &Weighed,
) -> Result<String, String> {
    let (stem, title) = (format!("bench-{}", name(key)), format!("Key {}", name(key)));
    let table = save(folder, &stem, "csv", bench_sheet::csv(before, after).as_bytes())?;
    let picture = save(folder, &stem, "svg", bench_sheet::svg(&title, before, after).as_bytes())?;
    Ok(format!("{table}\n{picture}"))
}

fn stem(stroke: &Stroke) -> String {
    format!("stroke-{}", name(stroke.key))
}

/// Writes the scope's picture into `folder`; returns a message with the path.
///
/// # Errors
/// A sentence for the user.
pub fn png(folder: &Path, memory: &Memory, scope: &Scope, dark: bool) -> Result<String, String> {
    let Some(stroke) = &memory.last else { return Err("There is no stroke to save.".into()) };
    let mut screen = Offscreen::default();
    theme::apply(&screen.context);
    screen.context.set_theme(if dark { egui::Theme::Dark } else { egui::Theme::Light });
    let (mut scope, mut transport) = (scope.clone(), Transport::default());
    transport.scrub(0.0);
    let mut frame = || {
        screen.frame(SIZE, SCALE, Vec::new(), |ui| {
            egui::CentralPanel::default().show(ui, |ui| {
                let title = format!("{}, {}", name(stroke.key), stroke.origin.message());
                ui.label(egui::RichText::new(title).heading());
                scope.ui(ui, memory, &mut transport);
            });
        })
    };
    // Plots lay out their axes in the first frames.
    for _ in 0..3 {
        frame().drop_without_applying_deltas();
    }
    let output = frame();
    let picture = screen.draw(output, SIZE, SCALE);
    let mut bytes = Vec::new();
    picture.write_png(&mut bytes).map_err(|e| format!("The picture was not written: {e}"))?;
    save(folder, &stem(stroke), "png", &bytes)
}

/// Hands `STEM.EXTENSION` to the page.
#[cfg(target_family = "wasm")]
fn save(_folder: &Path, stem: &str, extension: &str, bytes: &[u8]) -> Result<String, String> {
    let name = format!("{stem}.{extension}");
    let told = format!("Downloaded {name}");
    crate::state::downloads::put(name, bytes.to_vec());
    Ok(told)
}

/// Writes a new file `STEM-NUMBER.EXTENSION` atomically.
#[cfg(not(target_family = "wasm"))]
fn save(folder: &Path, stem: &str, extension: &str, bytes: &[u8]) -> Result<String, String> {
    let sentence =
        |path: &Path, e: &dyn Display| format!("{} was not written: {e}", path.display());
    let new = NewFolder::create(folder).map_err(|e| sentence(folder, &e))?;
    for number in 1..10_000 {
        let path = folder.join(format!("{stem}-{number:03}.{extension}"));
        if path.exists() {
            continue;
        }
        let write = || {
            let draft = Draft::create(&path)?;
            draft.write_all(bytes)?;
            draft.keep_new()
        };
        match write() {
            Ok(()) => {
                new.keep();
                return Ok(format!("Saved {}", path.display()));
            }
            Err(DraftError::Taken(_)) => {}
            Err(DraftError::Disk(path, e)) => return Err(sentence(&path, &e)),
            Err(e) => return Err(e.to_string()),
        }
    }
    Err(format!("{} holds 9999 files {stem}: move some away", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_action::ActionSettings;
    use touchback_core::math::compass::KeyNumber;

    #[test]
    fn strokes_are_numbered_and_never_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let key = KeyNumber::from_midi(61).unwrap();
        let stroke = Stroke::pressed(key, &ActionSettings::default(), 1.0);
        let memory = Memory { last: Some(stroke), kept: None };
        let stroke = memory.last.as_ref().unwrap();
        for number in ["001", "002"] {
            let message = csv(dir.path(), stroke).unwrap();
            assert!(message.ends_with(&format!("stroke-C#4-{number}.csv")), "{message}");
        }
        let text = std::fs::read_to_string(dir.path().join("stroke-C#4-002.csv")).unwrap();
        let mut written = Vec::new();
        table::write(&mut written, stroke).unwrap();
        assert_eq!(text.as_bytes(), written);
        png(dir.path(), &memory, &Scope::default(), false).unwrap();
        let bytes = std::fs::read(dir.path().join("stroke-C#4-001.png")).unwrap();
        let reader = ::png::Decoder::new(&bytes[..]).read_info().unwrap();
        assert_eq!(reader.info().size(), (1800, 1120));
        let messages = [TimedMessage { time: 3.0, bytes: [0x90, 60, 80] }];
        assert!(performance(dir.path(), &messages).unwrap().ends_with("played-001.mid"));
        let bytes = std::fs::read(dir.path().join("played-001.mid")).unwrap();
        assert_eq!(bytes, capture::file(&messages).unwrap());
        assert!(performance(dir.path(), &[]).unwrap_err().contains("Nothing"));
        let weighed = Weighed::of(key, &ActionSettings::default());
        let message = bench(dir.path(), key, None, &weighed).unwrap();
        assert!(
            message.contains("bench-C#4-001.csv") && message.ends_with("bench-C#4-001.svg"),
            "{message}"
        );
        // A path that is a file, not a folder.
        let file = dir.path().join("stroke-C#4-001.csv");
        assert!(csv(&file, stroke).unwrap_err().contains("was not written"));
    }
}
