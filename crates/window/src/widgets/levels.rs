//! The output's level: slowly falling peaks of both channels, the light of the output guard, and a clip light.

use egui::{Color32, Rect, Sense, Stroke, StrokeKind, Ui, pos2, vec2};

use crate::widgets::theme;
use touchback_core::math::cast::single;

/// Lowest level shown, dBFS.
const FLOOR: f64 = -60.0;
/// Rate at which a shown peak falls, dB/s: that of a peak programme meter.
const FALL: f64 = 12.0;
/// Time between two frames while a peak falls: 0.6 dB.
const INTERVAL: std::time::Duration = std::time::Duration::from_millis(50);
/// Time for which the guard's light stays on after the guard has worked, s (chosen: long enough to be seen).
const LIT: f64 = 0.5;
/// Full scale, above which converters clip.
const FULL: f64 = 1.0;

/// State of the meter.
#[derive(Clone, Copy, Debug)]
pub struct Levels {
    /// Shown peaks, left and right, dBFS.
    shown: [f64; 2],
    /// Highest peak since the light was reset, dBFS.
    highest: f64,
    /// Whether the output has exceeded full scale since the light was reset.
    clipped: bool,
    /// Time for which the guard's light is still on, s, and the largest attenuation since it came on, dB.
    limited: (f64, f64),
}

impl Default for Levels {
    fn default() -> Self {
        Self {
            shown: [f64::NEG_INFINITY; 2],
            highest: f64::NEG_INFINITY,
            clipped: false,
            limited: (0.0, 0.0),
        }
    }
}

impl Levels {
    /// Takes both channels' largest magnitudes since the last call.
    pub fn raise(&mut self, peaks: [f64; 2]) {
        for (shown, peak) in self.shown.iter_mut().zip(peaks) {
            let level = 20.0 * libm::log10(peak);
            *shown = shown.max(level);
            self.highest = self.highest.max(level);
            self.clipped |= peak > FULL;
        }
    }

    /// Takes the output guard's largest attenuation since the last call, as 1 − gain.
    pub fn limit(&mut self, attenuation: f64) {
        if attenuation > 0.0 {
            let db = -20.0 * libm::log10((1.0 - attenuation).max(1e-6));
            self.limited = (LIT, db.max(self.limited.1));
        }
    }

    /// Whether the output guard works, or has within the last 0.5 s.
    #[must_use]
    pub fn is_guarded(&self) -> bool {
        self.limited.0 > 0.0
    }

    /// Lets the peaks fall for `dt` s; returns whether they are still falling.
    fn fall(&mut self, dt: f64) -> bool {
        for shown in &mut self.shown {
            *shown -= FALL * dt;
        }
        self.limited.0 -= dt;
        if self.limited.0 <= 0.0 {
            self.limited = (0.0, 0.0);
        }
        self.is_guarded() || self.shown.iter().any(|shown| *shown > FLOOR)
    }

    /// Draws the meter, `width` points wide; a click resets the light.
    pub fn ui(&mut self, ui: &mut Ui, width: f32) {
        let dt = f64::from(ui.input(|i| i.stable_dt)).min(0.1);
        if self.fall(dt) {
            ui.ctx().request_repaint_after(INTERVAL);
        }
        let (area, response) = ui.allocate_exact_size(
            vec2(width, 0.9 * ui.spacing().interact_size.y.max(18.0)),
            Sense::click(),
        );
        let name = match (self.clipped, self.is_guarded()) {
            (true, _) => "Output meter: clipped",
            (false, true) => "Output meter: the output guard limits",
            (false, false) => "Output meter",
        };
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, name));
        if response.clicked() {
            (self.clipped, self.highest) = (false, f64::NEG_INFINITY);
        }
        let painter = ui.painter();
        let light = Rect::from_min_max(pos2(area.max.x - 10.0, area.min.y), area.max).shrink(1.0);
        let line = Stroke::new(1.0, theme::faint(ui));
        let lit = Color32::from_rgb(0xd5, 0x2b, 0x1e);
        let fill = match (self.clipped, self.is_guarded()) {
            (true, _) => lit,
            (false, true) => theme::accent(ui),
            (false, false) => ui.visuals().extreme_bg_color,
        };
        painter.rect(light, 2.0, fill, line, StrokeKind::Inside);
        let bars = Rect::from_min_max(area.min, pos2(light.min.x - 3.0, area.max.y));
        painter.rect(bars, 2.0, ui.visuals().extreme_bg_color, line, StrokeKind::Inside);
        let room = bars.shrink(2.0);
        let at = |level: f64| single(((level - FLOOR) / -FLOOR).clamp(0.0, 1.0)) * room.width();
        for (row, level) in self.shown.into_iter().enumerate() {
            let height = 0.5 * room.height() - 0.5;
            let top = room.min.y + row as f32 * (height + 1.0);
            let colour = if level > -3.0 { theme::accent(ui) } else { theme::curve(ui, 2) };
            let bar = Rect::from_min_size(pos2(room.min.x, top), vec2(at(level), height));
            painter.rect_filled(bar, 0.0, colour);
        }
        for mark in [-40.0, -20.0, -6.0] {
            let x = room.min.x + at(mark);
            painter.vline(x, room.y_range(), Stroke::new(0.5, theme::faint(ui)));
        }
        let highest = if self.highest > FLOOR {
            format!("highest {:.1} dBFS", self.highest)
        } else {
            "nothing yet".to_owned()
        };
        let limited = match self.limited {
            (time, db) if time > 0.0 => format!(" (now by up to {db:.1} dB)"),
            _ => String::new(),
        };
        response.on_hover_text(format!(
            "Output, peak of both channels, −60 to 0 dBFS, marks at −40, −20 and −6: {highest}. \
                 The light is on while the output guard limits{limited}, and stays on after a peak above full \
                 scale, red; a click resets it."
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_falls_and_the_light_stays() {
        let mut levels = Levels::default();
        levels.raise([0.5, 1.2]);
        assert!(levels.clipped && (levels.shown[0] + 6.02).abs() < 0.01);
        assert!(levels.fall(1.0) && (levels.shown[0] + 18.02).abs() < 0.01);
        levels.raise([0.001, 0.0]);
        assert!((levels.shown[0] + 18.02).abs() < 0.01 && levels.clipped);
        assert!(!levels.fall(10.0) && levels.highest > 1.0);
    }

    #[test]
    fn the_light_of_the_guard_stays_on_for_half_a_second() {
        let mut levels = Levels::default();
        levels.limit(0.0);
        assert!(!levels.is_guarded());
        levels.limit(0.5);
        levels.limit(0.1);
        assert!((levels.limited.1 - 6.02).abs() < 0.01);
        assert!(levels.fall(0.4) && levels.is_guarded());
        assert!(!levels.fall(0.2) && !levels.is_guarded());
    }
}
