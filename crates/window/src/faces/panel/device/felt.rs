//! What a finger feels: force over depth of the simulated key, in a slow press and in the last stroke, and the
//! force that the motor of the keyboard's first key gives.

use std::collections::VecDeque;

use egui::{Color32, RichText, Shape, Ui};

use crate::state::stroke::Stroke;
use crate::views::keyboard::name;
use crate::views::plot::{Axis, Plot};
use crate::widgets::theme;
use touchback_action::ActionSettings;
use touchback_core::math::compass::KeyNumber;

/// Hammer speed of the slow press, m/s.
const SLOW: f64 = 0.3;
/// Most points of a curve, and readings of the motor that are shown: 20 s.
const POINTS: usize = 600;
const READINGS: usize = 400;
/// Largest shown depth, mm, and force, N, of which the smallest that fits is taken.
const DEEPEST: f64 = 12.0;
const FORCES: [f64; 4] = [4.0, 8.0, 20.0, 40.0];
/// Least shown force, N.
const LEAST: f64 = -1.0;
/// Height of the plot at usual size, points.
const HEIGHT: f32 = 210.0;

/// Depths, mm, and forces, N.
type Curve = Vec<[f64; 2]>;
/// Number and length of the stroke that a curve was drawn from.
type Revision = (u64, usize);

/// The curves.
#[derive(Default)]
pub(super) struct Felt {
    /// The slow press of the chosen key under the present settings, and its curve.
    slow: Option<(Stroke, Curve)>,
    /// The curve of the last stroke.
    last: Option<(Revision, Curve)>,
    /// Depth, mm, and force, N, of the keyboard's first key, the newest last.
    motor: VecDeque<[f64; 2]>,
}

/// Depth, mm, and force, N, of the rows of `stroke` until the key returns.
fn curve(stroke: &Stroke) -> Curve {
    stroke.thinned(POINTS).map(|row| [1e3 * row.view.key, row.view.key_force]).collect()
}

impl Felt {
    /// Takes depth, m, and force, N, of the keyboard's first key; none while no keyboard is connected.
    pub(super) fn follow(&mut self, first: Option<[f64; 2]>) {
        let Some([depth, force]) = first else { return self.motor.clear() };
        let reading = [1e3 * depth, force];
        if self.motor.back() != Some(&reading) {
            self.motor.push_back(reading);
        }
        while self.motor.len() > READINGS {
            self.motor.pop_front();
        }
    }

    /// Draws the curves of `key` under `settings`, with the stroke `last`.
    pub(super) fn ui(
        &mut self,
        ui: &mut Ui,
        key: KeyNumber,
        settings: &ActionSettings,
        last: Option<&Stroke>,
    ) {
        if !self.slow.as_ref().is_some_and(|(of, _)| of.key == key && of.settings == *settings) {
            let stroke = Stroke::pressed(key, settings, SLOW);
            let points = curve(&stroke);
            self.slow = Some((stroke, points));
        }
        let revision = last.map(|stroke| (stroke.number, stroke.rows.len()));
        if self.last.as_ref().map(|(of, _)| *of) != revision {
            self.last = revision.zip(last.map(curve));
        }
        let slow = self.slow.iter().flat_map(|(_, points)| points);
        let stroke = self.last.iter().flat_map(|(_, points)| points);
        let all = slow.chain(stroke).chain(&self.motor);
        let most =
            all.map(|[_, force]| *force).filter(|force| force.is_finite()).fold(0.0, f64::max);
        let most = FORCES.into_iter().find(|force| *force >= most).unwrap_or(FORCES[3]);
        let ticks =
            [-4.0, 0.0, 1.0, 2.0, 3.0].map(|quarters| f64::max(LEAST, 0.25 * quarters * most));
        let up = Axis::new((LEAST, most), false, &ticks);
        let across = Axis::new((0.0, DEEPEST), false, &[0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        let height = HEIGHT * theme::size(ui);
        let plot = Plot::new(ui, height, "force, N, over depth of the key, mm", across, up);
        let painter = ui.painter_at(plot.area);
        let line = |points: &[[f64; 2]], width: f32, colour: Color32| {
            let finite = points.iter().filter(|point| point.iter().all(|value| value.is_finite()));
            let points = finite.map(|[depth, force]| plot.at(*depth, *force)).collect();
            painter.add(Shape::line(points, egui::Stroke::new(width, colour)));
        };
        let colours = [theme::curve(ui, 0), theme::curve(ui, 1)];
        if let Some((_, points)) = &self.slow {
            line(points, 1.5, theme::faint(ui));
        }
        if let Some((_, points)) = &self.last {
            line(points, 2.0, colours[0]);
        }
        for [depth, force] in &self.motor {
            painter.circle_filled(plot.at(*depth, *force), 1.6, colours[1]);
        }
        ui.horizontal_wrapped(|ui| {
            let faint = theme::faint(ui);
            let mut entry =
                |text: String, colour| ui.label(RichText::new(text).small().color(colour));
            entry(format!("{}: a slow press, down and up", name(key)), faint);
            match last {
                Some(stroke) => entry(format!("the last stroke, {}", name(stroke.key)), colours[0]),
                None => entry("play a key: its stroke appears here".to_owned(), colours[0]),
            };
            let motor = match self.motor.back() {
                Some([_, force]) => format!("the motor of the first key: {force:+.2} N now"),
                None => "no motor is connected".to_owned(),
            };
            entry(motor, colours[1]);
        });
    }
}
