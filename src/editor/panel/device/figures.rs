//! What a keyboard is, its measurements and its first keys.

use egui::{Grid, ProgressBar, RichText, Ui};

use crate::editor::theme;
use touchback_core::math::cast::single;
use touchback_haptics::hello_message as words;
use touchback_haptics::sidecar::{Histogram, SidecarReport};
use touchback_haptics::status_text;

/// Force at which a bar is full, N: a loud blow's share on one key.
const FULL_FORCE: f64 = 10.0;
/// Depth at which a bar is full, m.
const FULL_DEPTH: f64 = 0.010;

/// Mean and longest of times, as text.
fn times(histogram: &Histogram) -> String {
    if histogram.count() == 0 {
        return "–".to_owned();
    }
    let mean = histogram.sum / histogram.count() as f64;
    format!("{:.2} ms, at most {:.2} ms", 1e3 * mean, 1e3 * histogram.longest)
}

/// What it is, how it does, and its first keys.
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
            line("Model", words::keyboard(hello), "What it says it is");
            line("Limits", words::limits(hello), "Force that a key of it can give");
            line("Abilities", words::abilities(hello.abilities), "What it can do by itself");
            line("Loop", words::pace(hello), "How finely it sees and how often it acts and tells");
            let hint = "Mass, weight and friction of its own keys that the felt action is too light \
                        to hide, from the facts that `touchback keyboard calibrate` measures";
            line("Calibration", words::calibration(&status.uncompensated), hint);
        }
        line("Round trip", times(&report.round_trips), "From a question to its answer");
        line("Between states", times(&report.periods), "Jitter: the time from one to the next");
        line("Work on a state", times(&report.work), "What the action takes of that time");
        let lost = format!("{} of {}, {} damaged", status.lost, status.states, status.damaged);
        line("States lost", lost, "On the way from the keyboard");
        line("Gaps", status.gaps.to_string(), "After which keys were placed anew");
        line("Forces limited", status.limited.to_string(), "Commands beyond what is allowed");
        let clock = format!("{:+.0} ppm, fit {:.0} µs", 1e6 * status.drift, 1e6 * status.residual);
        line("Its clock", clock, "How fast it runs against this machine's");
        line("Keys moving", status.awake.to_string(), "Simulated keys that move");
        line("Faults", words::faults(status), "What the keyboard says of itself");
        line("Thread", status_text::priority(report).to_owned(), "How urgently the servo runs");
    });
}

/// Depth and force of the first keys.
fn keys(ui: &mut Ui, report: &SidecarReport) {
    ui.label(RichText::new("Depth and force of the first keys").small().color(theme::faint(ui)));
    let count = report.status.hello.map_or(0, |h| usize::from(h.keys)).min(report.keys.len());
    Grid::new("felt keys").num_columns(3).show(ui, |ui| {
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
