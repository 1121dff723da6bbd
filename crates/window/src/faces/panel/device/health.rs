//! The health of the loop between simulation and motors, as bars up to their limits and one word.

use egui::{RichText, Sense, Stroke, StrokeKind, Ui, vec2};

use crate::widgets::theme;
use touchback_core::math::cast::single;
use touchback_haptics::sidecar::{Histogram, SidecarReport};

/// Share of a limit from which the loop is close to it.
const CLOSE: f64 = 0.7;
/// States lost, gaps and limited forces per state that can be felt.
const LOST: f64 = 1e-3;
const LIMITED: f64 = 0.05;
/// States before anything is said.
const FEW: u64 = 200;
/// Size of a bar at usual size, points.
const BAR: egui::Vec2 = vec2(120.0, 9.0);

/// A quantity of the loop and its share of what it may be.
struct Check {
    name: &'static str,
    /// The word for a loop in which this is beyond its limit.
    beyond: &'static str,
    share: f64,
    value: String,
}

fn mean(histogram: &Histogram) -> f64 {
    if histogram.count() == 0 { 0.0 } else { histogram.sum / histogram.count() as f64 }
}

/// The loop's quantities.
fn checks(report: &SidecarReport) -> [Check; 4] {
    let status = &report.status;
    let states = status.states.max(1) as f64;
    let (trip, lead) = (mean(&report.round_trips), 1e-6 * f64::from(status.lead_us.max(1)));
    let (work, period) = (mean(&report.work), mean(&report.periods).max(1e-6));
    let lost = (status.lost + status.damaged + status.gaps) as f64 / states;
    let limited = status.limited as f64 / states;
    [
        Check {
            name: "Round trip in the lead",
            beyond: "late",
            share: trip / lead,
            value: format!("{:.2} of {:.2} ms", 1e3 * trip, 1e3 * lead),
        },
        Check {
            name: "Work in a period",
            beyond: "overloaded",
            share: work / period,
            value: format!("{:.0} of {:.0} µs", 1e6 * work, 1e6 * period),
        },
        Check {
            name: "States lost",
            beyond: "losing states",
            share: lost / LOST,
            value: format!("{:.2} ‰", 1e3 * lost),
        },
        Check {
            name: "Forces limited",
            beyond: "too weak",
            share: limited / LIMITED,
            value: format!("{:.1} %", 100.0 * limited),
        },
    ]
}

/// The state of the loop in one word.
fn word(report: &SidecarReport) -> &'static str {
    if report.status.states < FEW {
        return "measuring";
    }
    let checks = checks(report);
    let Some(worst) = checks.iter().max_by(|a, b| a.share.total_cmp(&b.share)) else { return "" };
    match worst.share {
        share if share < CLOSE => "good",
        share if share < 1.0 => "close",
        _ => worst.beyond,
    }
}

/// Draws the word and the bars.
pub(super) fn ui(ui: &mut Ui, report: &SidecarReport) {
    let word = word(report);
    let is_well = matches!(word, "good" | "close" | "measuring");
    let colour = if is_well { theme::curve(ui, 2) } else { theme::accent(ui) };
    ui.label(RichText::new(format!("Loop: {word}")).heading().color(colour));
    let large = theme::size(ui);
    for check in checks(report) {
        ui.horizontal_wrapped(|ui| {
            let (rect, response) = ui.allocate_exact_size(large * BAR, Sense::hover());
            let text = format!("{}: {}", check.name, check.value);
            response.widget_info(|| {
                egui::WidgetInfo::labeled(egui::Role::ProgressIndicator, true, &text)
            });
            let (painter, line) = (ui.painter(), Stroke::new(1.0, theme::faint(ui)));
            painter.rect(rect, 3.0, ui.visuals().extreme_bg_color, line, StrokeKind::Inside);
            let share = single(check.share.clamp(0.0, 1.0));
            let lit = rect.shrink(2.0);
            let beyond = if check.share < 1.0 { theme::curve(ui, 2) } else { theme::accent(ui) };
            let lit = lit.with_max_x(lit.min.x + share * lit.width());
            painter.rect_filled(lit, 1.0, beyond);
            ui.label(RichText::new(text).small());
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_names_what_is_beyond_its_limit() {
        let report = |change: fn(&mut SidecarReport)| {
            let mut report = SidecarReport::default();
            (report.status.states, report.status.lead_us) = (100_000, 1500);
            for _ in 0..100 {
                report.round_trips.add(0.5e-3);
                report.periods.add(1e-3);
                report.work.add(0.1e-3);
            }
            change(&mut report);
            word(&report)
        };
        assert_eq!(report(|_| {}), "good");
        assert_eq!(report(|r| r.status.states = 3), "measuring");
        assert_eq!(report(|r| r.status.lead_us = 600), "close");
        assert_eq!(report(|r| r.status.lead_us = 400), "late");
        assert_eq!(report(|r| r.status.lost = 300), "losing states");
        assert_eq!(report(|r| r.status.limited = 9000), "too weak");
        assert_eq!(report(|r| r.work.sum = 0.3), "overloaded");
    }
}
