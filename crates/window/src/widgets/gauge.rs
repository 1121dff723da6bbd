//! The load meter: ratio of computing time to real time, and the number of moving keys.

use egui::{Align2, FontId, Rect, Sense, Stroke, StrokeKind, Ui, pos2, vec2};

use crate::widgets::theme;
use touchback_action::STEP;
use touchback_core::math::cast::single;
use touchback_instrument::play::load::WorkCounters;
use touchback_instrument::watch::monitor::Meter;

/// Time for which the worst block is shown, s.
const WORST_SHOWN: f64 = 2.0;
/// Load from which a busy host may drop out, ratio to real time.
const DANGER: f64 = 0.7;
/// Time over which keys are averaged, s.
const AVERAGED: f64 = 0.5;

/// State of the meter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gauge {
    /// Average ratio of computing time to real time, 0…1.
    busy: f64,
    /// Largest recent load of a block, and its time, s.
    worst: f64,
    since: f64,
    /// Counters at the beginning of the current average.
    before: WorkCounters,
    /// Average number of moving keys during the last average.
    keys: f64,
}

impl Gauge {
    /// Takes the audio thread's figures at `now` (s), and the load of the worst block since the last call.
    pub fn show(&mut self, meter: &Meter, worst: f64, now: f64) {
        self.busy = meter.busy;
        if worst >= self.worst || now > self.since + WORST_SHOWN {
            (self.worst, self.since) = (worst, now);
        }
        let load = meter.load;
        let steps = load.steps.saturating_sub(self.before.steps);
        if load.steps < self.before.steps {
            self.before = load;
        } else if steps as f64 * STEP >= AVERAGED {
            let key_steps = load.key_steps.saturating_sub(self.before.key_steps);
            self.keys = key_steps as f64 / steps as f64;
            self.before = load;
        }
    }

    /// The tooltip's text.
    #[must_use]
    pub fn message(&self) -> String {
        let (busy, worst) = (100.0 * self.busy, 100.0 * self.worst);
        let WorkCounters { most_keys, most_events, .. } = self.before;
        let each = if self.keys >= 0.5 {
            format!("\n{:.2} % for each of them, strings included", busy / self.keys)
        } else {
            String::new()
        };
        format!(
            "Computing takes {busy:.1} % of real time, the worst block lately {worst:.0} %\n\
             {:.1} keys move on average{each}\nAt most {most_keys} keys and {most_events} events \
             in one step of 125 µs since the start",
            self.keys
        )
    }

    /// Draws the meter, `width` points wide.
    pub fn ui(&self, ui: &mut Ui, width: f32) {
        let (area, response) = ui.allocate_exact_size(
            vec2(width, 0.9 * ui.spacing().interact_size.y.max(18.0)),
            Sense::hover(),
        );
        response.widget_info(|| {
            let info = egui::WidgetInfo::labeled(egui::Role::ProgressIndicator, true, "CPU");
            egui::WidgetInfo { value: Some((100.0 * self.busy).round()), ..info }
        });
        let painter = ui.painter();
        let line = Stroke::new(1.0, theme::faint(ui));
        painter.rect(area, 3.0, ui.visuals().extreme_bg_color, line, StrokeKind::Inside);
        let room = area.shrink(2.0);
        let at = |share: f64| room.min.x + single(share.clamp(0.0, 1.0)) * room.width();
        let colour = if self.worst > DANGER { theme::accent(ui) } else { theme::curve(ui, 2) };
        let bar = Rect::from_min_max(room.min, pos2(at(self.busy), room.max.y));
        painter.rect_filled(bar, 1.0, colour.gamma_multiply(0.6));
        painter.vline(at(self.worst), room.y_range(), Stroke::new(1.5, colour));
        let percent = format!("{:.0} %", 100.0 * self.busy);
        let text = if width > 50.0 { format!("CPU {percent}") } else { percent };
        let font = FontId::proportional(0.65 * area.height());
        painter.text(area.center(), Align2::CENTER_CENTER, text, font, ui.visuals().text_color());
        response.on_hover_text(self.message());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_block_is_shown_for_two_seconds_and_keys_are_averaged() {
        let mut gauge = Gauge::default();
        let load =
            |steps, key_steps| WorkCounters { steps, key_steps, most_keys: 9, most_events: 4 };
        gauge.show(&Meter { busy: 0.1, load: load(0, 0) }, 0.5, 0.0);
        gauge.show(&Meter { busy: 0.12, load: load(4000, 12_000) }, 0.2, 0.5);
        let message = gauge.message();
        for part in ["12.0 %", "lately 50 %", "3.0 keys", "4.00 % for each", "9 keys and 4 events"]
        {
            assert!(message.contains(part), "{part}: {message}");
        }
        gauge.show(&Meter { busy: 0.0, load: load(8000, 12_000) }, 0.1, 2.5);
        assert!(gauge.message().contains("lately 10 %") && !gauge.message().contains("each"));
        // A reset restarts the counts.
        gauge.show(&Meter { busy: 0.0, load: load(8, 8) }, 0.1, 2.6);
        assert_eq!(gauge.before.steps, 8);
    }
}
