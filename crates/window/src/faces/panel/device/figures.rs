//! A keyboard's description, its measurements and its first keys.

use egui::{Grid, ProgressBar, RichText, Ui};

use crate::widgets::theme;
use touchback_core::math::cast::single;
use touchback_haptics::keyboard::{hello_message, status_text};
use touchback_haptics::sidecar::{Histogram, SidecarReport};

/// Force of a full bar, N: that of a loud blow on one key.
const FULL_FORCE: f64 = 10.0;
/// Depth of a full bar, m.
const FULL_DEPTH: f64 = 0.010;

/// Mean and longest time, as text.
fn times(histogram: &Histogram) -> String {
    if histogram.count() == 0 {
        return "–".to_owned();
    }
    let mean = histogram.sum / histogram.count() as f64;
    format!("{:.2} ms, at most {:.2} ms", 1e3 * mean, 1e3 * histogram.longest)
}

/// Draws the keyboard's description, its measurements and its first keys.
pub(super) fn ui(ui: &mut Ui, report: &SidecarReport) {
    figures(ui, report);
    ui.add_space(6.0);
    keys(ui, report);
}

fn figures(ui: &mut Ui, report: &SidecarReport) {
    let status = &report.status;
    Grid::new("figures").num_columns(2).striped(true).show(ui, |ui| {
        let mut line = |name: &str, value: String, hint: &str| {
            ui.label(name).on_hover_text(hint);
            ui.label(RichText::new(value).monospace().size(11.0));
            ui.end_row();
        };
        if let Some(hello) = &status.hello {
            line("Model", hello_message::keyboard(hello), "The keyboard's own description");
            line("Identity", hello_message::identity(hello), "Serial number and firmware, and why it started");
            line("Limits", hello_message::limits(hello), "Largest force of a key");
            line("Abilities", hello_message::abilities(hello.abilities), "Functions of the keyboard itself");
            line("Loop", hello_message::pace(hello), "Resolution of the sensors, rates of the loop and of the reports");
            let hint = "Mass, weight and friction of the keyboard's own keys that the simulated action is \
                        too light to compensate, as measured by `touchback keyboard calibrate`";
            line("Calibration", hello_message::calibration(&status.uncompensated), hint);
        }
        line("Round trip", times(&report.round_trips), "Time from a request to its answer");
        line("Between states", times(&report.periods), "Time from one state to the next; its spread is the jitter");
        line("Work on a state", times(&report.work), "Computing time of the action per state");
        let lost = format!("{} of {}, {} damaged", status.lost, status.states, status.damaged);
        line("States lost", lost, "States lost between keyboard and computer");
        line("Gaps", status.gaps.to_string(), "Interruptions, after which keys start from their measured positions");
        line("Forces limited", status.limited.to_string(), "Commands above the force limit");
        let clock = format!("{:+.0} ppm, fit {:.0} µs", 1e6 * status.drift, 1e6 * status.residual);
        line("Its clock", clock, "Drift of the keyboard's clock against this computer's");
        line("Keys moving", status.awake.to_string(), "Simulated keys that move");
        line("Faults", hello_message::faults(status), "Faults that the keyboard reports");
        line("Thread", status_text::priority(report).to_owned(), "Priority of the servo's thread");
    });
}

/// Draws depth and force of the first keys.
fn keys(ui: &mut Ui, report: &SidecarReport) {
    ui.label(RichText::new("Depth and force of the first keys").small().color(theme::faint(ui)));
    let count = report.status.hello.map_or(0, |h| usize::from(h.keys)).min(report.keys.len());
    Grid::new("haptic keys").num_columns(3).show(ui, |ui| {
        for (i, [depth, force]) in report.keys.iter().take(count).enumerate() {
            ui.label(RichText::new(format!("{}", i + 1)).small());
            let bar = |share: f64, text: String| {
                ProgressBar::new(single(share.clamp(0.0, 1.0)))
                    .desired_width(100.0)
                    .desired_height(12.0)
                    .text(RichText::new(text).size(9.0))
            };
            ui.add(bar(depth / FULL_DEPTH, format!("{:.2} mm", 1e3 * depth)));
            ui.add(bar(force.abs() / FULL_FORCE, format!("{force:+.2} N")));
            ui.end_row();
        }
    });
}
