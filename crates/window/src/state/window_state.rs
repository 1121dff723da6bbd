//! Size, zoom and colours of the window, as a project saves them.

use egui::ThemePreference;

use crate::faces::face::Face;

/// Smallest window, points.
pub const SMALLEST: (f32, f32) = (720.0, 480.0);
/// Size of a new window, points.
pub const USUAL: (f32, f32) = (1180.0, 760.0);
/// Most characters of a piano's name.
const LONGEST_NAME: usize = 200;
/// Most characters of a path.
const LONGEST_PATH: usize = 4096;
/// Zoom factors.
pub(crate) const ZOOMS: std::ops::RangeInclusive<f32> = 0.5..=3.0;

/// The window's colours and zoom.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Appearance {
    /// Light, dark, or the system's choice.
    pub theme: ThemePreference,
    /// Zoom factor relative to the screen's usual size.
    pub zoom: f32,
}

impl Default for Appearance {
    fn default() -> Self {
        Self { theme: ThemePreference::System, zoom: 1.0 }
    }
}

/// The window's state in a project.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct SavedWindow {
    /// Width, points after zoom.
    pub width: f32,
    /// Height, points after zoom.
    pub height: f32,
    /// Zoom factor, 0.5…3.
    pub zoom: f32,
    /// Pixels per point at zoom 1 on the screen where the window was last open.
    pub scale: f32,
    /// Light (`Some(false)`), dark, or the system's choice.
    pub dark: Option<bool>,
    /// The last shown face.
    pub face: Face,
    /// Name of the piano loaded last; empty before the first.
    pub piano: String,
    /// Folder of recorded MIDI; empty for the usual one.
    pub midi_folder: String,
}

impl Default for SavedWindow {
    fn default() -> Self {
        Self {
            width: USUAL.0,
            height: USUAL.1,
            zoom: 1.0,
            scale: 1.0,
            dark: None,
            face: Face::default(),
            piano: String::new(),
            midi_folder: String::new(),
        }
    }
}

impl SavedWindow {
    /// The values limited to their ranges, because a project may contain any value.
    #[must_use]
    pub fn checked(self) -> Self {
        let usual = Self::default();
        let line = |text: &str, most| text.chars().filter(|c| !c.is_control()).take(most).collect();
        let or = |v: f32, fallback: f32| if v.is_finite() { v } else { fallback };
        Self {
            width: or(self.width, usual.width).clamp(SMALLEST.0, 8192.0),
            height: or(self.height, usual.height).clamp(SMALLEST.1, 8192.0),
            zoom: or(self.zoom, 1.0).clamp(*ZOOMS.start(), *ZOOMS.end()),
            scale: or(self.scale, 1.0).clamp(0.5, 8.0),
            dark: self.dark,
            face: self.face,
            piano: line(&self.piano, LONGEST_NAME),
            midi_folder: line(&self.midi_folder, LONGEST_PATH),
        }
    }

    /// Theme and zoom.
    #[must_use]
    pub const fn appearance(&self) -> Appearance {
        let theme = match self.dark {
            None => ThemePreference::System,
            Some(true) => ThemePreference::Dark,
            Some(false) => ThemePreference::Light,
        };
        Appearance { theme, zoom: self.zoom }
    }

    /// The state with zoom and theme of `appearance`.
    #[must_use]
    pub fn with(self, appearance: &Appearance) -> Self {
        let dark = match appearance.theme {
            ThemePreference::System => None,
            ThemePreference::Dark => Some(true),
            ThemePreference::Light => Some(false),
        };
        Self { zoom: appearance.zoom, dark, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_saved_value_is_limited_to_its_range() {
        let wild = SavedWindow {
            width: f32::NAN,
            height: -3.0,
            zoom: 1e9,
            dark: Some(true),
            piano: "My\n grand".repeat(100),
            ..SavedWindow::default()
        };
        let kept = wild.checked();
        assert!(kept.piano.starts_with("My grandMy") && kept.piano.len() == LONGEST_NAME);
        assert_eq!((kept.width, kept.height), (USUAL.0, SMALLEST.1));
        assert_eq!((kept.zoom, kept.appearance().theme), (3.0, ThemePreference::Dark));
        assert_eq!(SavedWindow::default().with(&kept.appearance()).dark, Some(true));
    }
}
