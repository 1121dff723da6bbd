//! Pedal range, learned from one slow press and release.

use egui::{RichText, Ui};

use crate::state::controls::Controls;
use crate::widgets::theme;
use touchback_instrument::host::midi::controller::SUSTAIN;
use touchback_instrument::host::params::{Parameter, find};
use touchback_instrument::watch::monitor::tape::TimedMessage;

/// Least travel of a press, of 127: a smaller one may be noise of a resting foot.
const LEAST: u8 = 16;
/// Margin at both ends of the observed range, as a fraction of it: a pedal's ends vary between presses.
const MARGIN: f64 = 0.03;

/// Progress of learning.
#[derive(Clone, Copy, Default)]
pub struct PedalPanel {
    /// While learning: lowest and highest value so far.
    seen: Option<Option<(u8, u8)>>,
}

impl PedalPanel {
    /// Draws a button, and the next step. `messages` are those since the last frame. The zone is set as one
    /// edit.
    pub fn ui(&mut self, ui: &mut Ui, messages: &[TimedMessage], controls: &mut dyn Controls) {
        let Some(range) = &mut self.seen else {
            let hint = "Press the pedal slowly to the floor and let it up again: the instrument \
                        learns the range it sends, so that half-pedalling has its right positions.";
            if ui.button("Learn this pedal").on_hover_text(hint).clicked() {
                self.seen = Some(None);
            }
            return;
        };
        for value in messages.iter().filter_map(|h| h.controller(SUSTAIN)) {
            let (low, high) = range.unwrap_or((value, value));
            *range = Some((low.min(value), high.max(value)));
        }
        let learnt = range.filter(|(low, high)| high - low >= LEAST);
        let text = match *range {
            None => "Press the pedal to the floor and let it up …".to_owned(),
            Some((low, high)) => format!("Seen so far: {low} to {high} of 127"),
        };
        ui.label(RichText::new(text).color(theme::accent(ui)).strong());
        ui.horizontal(|ui| {
            let take = ui.add_enabled(learnt.is_some(), egui::Button::new("Take this range"));
            let hint = "Sets where the dampers begin to leave the strings and where they are clear";
            if take.on_hover_text(hint).clicked()
                && let Some((low, high)) = learnt
            {
                set(zone(low, high, is_inverted(controls)), controls);
                self.seen = None;
            }
            if ui.button("Leave the pedal").on_hover_text("Change nothing").clicked() {
                self.seen = None;
            }
        });
    }
}

fn is_inverted(controls: &dyn Controls) -> bool {
    find("pedal_polarity").is_ok_and(|p| controls.value(p) > 0.5)
}

/// The zone in percent of the travel for values from `low` to `high`.
fn zone(low: u8, high: u8, inverted: bool) -> (f64, f64) {
    let (low, high) = if inverted { (127 - high, 127 - low) } else { (low, high) };
    let (from, to) = (f64::from(low) / 1.27, f64::from(high) / 1.27);
    let margin = MARGIN * (to - from);
    (from + margin, to - margin)
}

fn set((from, to): (f64, f64), controls: &mut dyn Controls) {
    // Rounded to the 0.1 % that the parameters show.
    let tenths = |p: &'static Parameter, v: f64| (p, p.quantize((10.0 * v).round() / 10.0));
    let wanted = [("pedal_from", from), ("pedal_to", to)];
    let found = wanted.map(|(id, value)| find(id).map(|p| tenths(p, value)));
    let values: Vec<_> = found.into_iter().flatten().collect();
    controls.put_together("the pedal's range", &values);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_zone_is_inside_the_pedals_range() {
        let (from, to) = zone(0, 127, false);
        assert!((from - 3.0).abs() < 1e-9 && (to - 97.0).abs() < 1e-9);
        let (from, to) = zone(30, 90, false);
        assert!(from > 30.0 / 1.27 && to < 90.0 / 1.27 && to - from > 40.0);
        let (from, to) = zone(30, 90, true);
        assert!(from > 37.0 / 1.27 && to < 97.0 / 1.27 && to - from > 40.0);
    }
}
