//! A ball that falls onto the chosen sampled wall, as figs. 5.8 to 5.16 of [Gillespie 1996] show it: a wall that
//! gives back more than it takes throws the ball ever higher.

use egui::{RichText, Shape, Slider, Ui};

use super::heading;
use crate::views::plot::{Axis, Plot};
use crate::widgets::theme;
use touchback_haptics::wall::action::WallKind;
use touchback_haptics::wall::sampled::controller::{
    Controller, Deadbeat, Hysteresis, Measurement, Placement, Prediction, Standard,
};
use touchback_haptics::wall::sampled::plant::Plant;

/// Numbers of the source's figures: stiffness of the wall, N/m; mass of the ball, kg; gravity, m/s²; height at first,
/// m; sample period, s.
const STIFFNESS: f64 = 1.0;
const MASS: f64 = 1.0;
const GRAVITY: f64 = 0.05;
const HEIGHT: f64 = 1.0;
const PERIOD: f64 = 0.3;
/// Damping of the damped wall, N·s/m, and share by which hysteresis reduces the force; chosen.
const DAMPING: f64 = 0.05;
const LOSS: f64 = 0.3;
/// Shown time, s, and heights of the plot, m, of which the smallest that fits is taken.
const SECONDS: f64 = 80.0;
const HEIGHTS: [f64; 4] = [1.25, 2.5, 5.0, 10.0];
/// Points of the path within a period.
const WITHIN: usize = 4;
/// Height of the plot at usual size, points.
const PLOT: f32 = 170.0;

/// The path of a ball.
struct Flight {
    kind: WallKind,
    period: f64,
    /// Time, s, and height, m.
    path: Vec<[f64; 2]>,
    /// Heights at which the ball turns, m.
    apexes: Vec<f64>,
}

/// The controller of `kind` for a ball; none if it cannot be computed for this period.
fn controller(kind: WallKind, ball: &Plant, period: f64) -> Option<Box<dyn Controller>> {
    let (k, t) = (STIFFNESS, period);
    Some(match kind {
        WallKind::Standard => Box::new(Standard { stiffness: k, damping: 0.0 }),
        WallKind::Damped => Box::new(Standard { stiffness: k, damping: DAMPING }),
        WallKind::Hysteresis => Box::new(Hysteresis { stiffness: k, loss: LOSS }),
        WallKind::Prediction => Box::new(Prediction::new(ball, k, 0.0, t, 0.0)),
        WallKind::Placement => Box::new(Placement::new(ball, k, 0.0, t)?),
        WallKind::Deadbeat => Box::new(Deadbeat::new(ball, k, 0.0, t)?),
    })
}

impl Flight {
    fn new(kind: WallKind, period: f64) -> Self {
        let ball = Plant::ball(MASS, GRAVITY);
        let (mut path, mut apexes) = (Vec::new(), Vec::new());
        let mut state = [-HEIGHT, 0.0];
        let mut time = 0.0;
        if let Some(mut wall) = controller(kind, &ball, period) {
            while time < SECONDS {
                let force = wall.force(Measurement { position: state[0], velocity: state[1] });
                // The force is held for the period.
                let held = Plant { bias: ball.bias - force, ..ball };
                let at = |part: usize| part as f64 / WITHIN as f64 * period;
                path.extend(
                    (0..WITHIN).map(|part| [time + at(part), -held.after(state, at(part))[0]]),
                );
                let end = held.after(state, period);
                if force == 0.0 && state[1] < 0.0 && end[1] >= 0.0 {
                    // Free flight: the height follows from speed and height at the sample.
                    apexes.push(state[1] * state[1] / (2.0 * GRAVITY) - state[0]);
                }
                (state, time) = (end, time + period);
            }
        }
        Self { kind, period, path, apexes }
    }
}

/// The ball on the chosen wall.
pub(super) struct Ball {
    period: f64,
    flight: Option<Flight>,
}

impl Default for Ball {
    fn default() -> Self {
        Self { period: PERIOD, flight: None }
    }
}

impl Ball {
    /// Draws the ball on the wall of `kind`, with its sample period to choose.
    pub(super) fn ui(&mut self, ui: &mut Ui, kind: WallKind) {
        heading(ui, "A ball on this wall");
        ui.horizontal_wrapped(|ui| {
            let label = ui.label("Sample period");
            let slider = Slider::new(&mut self.period, 0.02..=0.5).suffix(" s").fixed_decimals(2);
            ui.add(slider.step_by(0.01)).labelled_by(label.id);
        });
        let is_same = |flight: &Flight| {
            flight.kind == kind && flight.period.to_bits() == self.period.to_bits()
        };
        let flight = self.flight.take().filter(is_same);
        let flight = self.flight.insert(flight.unwrap_or_else(|| Flight::new(kind, self.period)));
        let most = flight.path.iter().fold(0.0, |most, [_, height]| f64::max(most, *height));
        let most = HEIGHTS.into_iter().find(|height| *height >= most).unwrap_or(HEIGHTS[3]);
        let least = flight.path.iter().fold(-0.2, |least, [_, height]| f64::min(least, *height));
        let up = Axis::new((least, most), false, &[0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 10.0]);
        let across = Axis::new((0.0, SECONDS), false, &[0.0, 20.0, 40.0, 60.0, 80.0]);
        let plot = Plot::new(
            ui,
            PLOT * theme::size(ui),
            "height of the ball, m, over time, s",
            across,
            up,
        );
        let painter = ui.painter_at(plot.area);
        let points = flight.path.iter().map(|[time, height]| plot.at(*time, *height)).collect();
        painter.add(Shape::line(points, egui::Stroke::new(1.5, theme::curve(ui, 0))));
        let text = if flight.path.is_empty() {
            "This wall has no gains for this period.".to_owned()
        } else {
            let heights = flight.apexes.iter().take(5).map(|height| format!("{height:.2}"));
            let heights = heights.collect::<Vec<_>>().join(", ");
            format!("Let fall from {HEIGHT:.0} m, it turns at {heights} m.")
        };
        ui.label(text);
        let source = "1 kg on 1 N/m at 0.05 m/s², as in figs. 5.8 to 5.16 of Gillespie 1996; `touchback lab walls` \
                      takes other numbers.";
        ui.label(RichText::new(source).small().color(theme::faint(ui)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ball_turns_where_the_source_has_it() {
        let apexes = |kind| Flight::new(kind, PERIOD).apexes;
        for (apex, printed) in apexes(WallKind::Standard).iter().zip([1.7723, 2.97, 4.96]) {
            assert!((apex - printed).abs() < 5e-3, "{apex} {printed}");
        }
        for (apex, computed) in apexes(WallKind::Prediction).iter().zip([1.06, 1.13, 1.17]) {
            assert!((apex - computed).abs() < 5e-3, "{apex} {computed}");
        }
        let deadbeat = apexes(WallKind::Deadbeat);
        assert!(deadbeat.len() >= 3, "{deadbeat:?}");
        assert!(deadbeat.iter().all(|apex| (apex - HEIGHT).abs() < 1e-9), "{deadbeat:?}");
        // A shorter period gives less energy away; damping takes it.
        assert!(Flight::new(WallKind::Standard, 0.05).apexes[0] < 1.2);
        assert!(apexes(WallKind::Hysteresis)[0] < apexes(WallKind::Standard)[0]);
    }
}
