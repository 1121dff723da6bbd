//! The front of trials of which none is better in both of two costs, and its figure.

use super::search::Trial;
use super::trial::{SOFT_PRESS, TARGETS, TargetGroup};
use touchback_offline::plot::{Axis, Figure, Series, ShadedBand, Shape, Subplot, palette};

/// Distance from the string at which the soft press is fastest, on the key where it is farthest, mm; NaN
/// where a key has none.
pub fn farthest(trial: &Trial) -> f64 {
    let each = trial.keys.iter().map(|values| values[0]);
    each.fold(0.0, |most: f64, v| if v > most || v.is_nan() { v } else { most })
}

/// Misfit in all groups but the soft press.
pub fn others(trial: &Trial) -> f64 {
    trial.misfit(0.0)
}

/// Indices of the `points` that no other point surpasses in one coordinate and equals in the other, by the
/// first coordinate.
pub fn front(points: &[(f64, f64)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len())
        .filter(|i| points[*i].0.is_finite() && points[*i].1.is_finite())
        .collect();
    order.sort_by(|a, b| {
        let ((ax, ay), (bx, by)) = (points[*a], points[*b]);
        ax.total_cmp(&bx).then(ay.total_cmp(&by))
    });
    let mut least = f64::INFINITY;
    order.retain(|i| {
        let is_better = points[*i].1 < least;
        least = least.min(points[*i].1);
        is_better
    });
    order
}

/// Largest distance shown, mm: the blow distance is 47 mm.
const WIDEST: f64 = 40.0;

/// Misfit of the other targets, and its share in each group, over the distance of the soft press.
pub fn figure(trials: &[Trial], chosen: &[usize], grand: &Trial, keys: &str) -> Figure {
    let [_, groups @ ..] = TargetGroup::ALL;
    let point = |t: &Trial, y: f64| (farthest(t), y);
    let dots = |y: &dyn Fn(&Trial) -> f64| -> Vec<Series> {
        let all = trials.iter().map(|t| point(t, y(t))).filter(|p| p.0 <= WIDEST).collect();
        let best: Vec<(f64, f64)> =
            chosen.iter().map(|i| point(&trials[*i], y(&trials[*i]))).collect();
        vec![
            Series::new("trials", all, palette(4), Shape::Dots),
            Series::line("front", best.clone(), palette(1)),
            Series::new("", best, palette(1), Shape::Dots),
            Series::new("the grand", vec![point(grand, y(grand))], palette(2), Shape::Dots),
        ]
    };
    let mut panels =
        vec![Subplot::new(Axis::new("all but the soft press").within(0.0, 12.0), dots(&others))];
    for (i, group) in groups.into_iter().enumerate() {
        let misfit = |t: &Trial| t.misfits()[i + 1];
        panels.push(Subplot::new(Axis::new(group.name()).within(0.0, 6.0), dots(&misfit)));
    }
    let limit = TARGETS[0].2.ends()[1].unwrap_or(0.0);
    Figure {
        title: format!("Rolling knuckle: misfit in units of the targets, mean of keys {keys}"),
        x: Axis::new(&SOFT_PRESS.replace("hammer, 0.5", "hammer, farthest key, 0.5"))
            .within(0.0, WIDEST),
        bands: vec![ShadedBand { from: 0.0, to: limit, name: "target".into() }],
        marks: Vec::new(),
        panels,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_front_has_the_points_that_no_other_surpasses() {
        let points = [
            (3.0, 1.0),
            (1.0, 3.0),
            (2.0, 3.0),
            (2.0, 2.0),
            (4.0, 1.0),
            (f64::NAN, 0.0),
            (2.5, 2.5),
        ];
        assert_eq!(front(&points), [1, 3, 0]);
    }
}
