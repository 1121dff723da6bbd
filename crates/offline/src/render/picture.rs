//! The figure of a rendering: strikes by key, time and hammer speed, above the waveform.

use crate::plot::{Axis, Figure, Series, Shape, Subplot, palette};
use touchback_instrument::play::record::StrikeRecord;

/// Time per point of the waveform, s.
const POINT: f64 = 0.02;

/// Upper bounds of hammer speed, m/s, for pianissimo, piano, forte and fortissimo on a grand
/// [Goebl 2005], with labels.
const DYNAMICS: [(f64, &str); 4] =
    [(0.6, "below 0.6 m/s"), (1.5, "to 1.5"), (3.5, "to 3.5"), (f64::INFINITY, "faster")];

/// Collects the least and greatest sample of every 20 ms.
pub(super) struct Picture {
    rate: f64,
    points: Vec<(f64, f64)>,
    frames: u64,
}

impl Picture {
    pub(super) fn new(rate: u32) -> Self {
        Self { rate: f64::from(rate), points: Vec::new(), frames: 0 }
    }

    /// Adds the next frames.
    pub(super) fn add(&mut self, left: &[f32], right: &[f32]) {
        for (l, r) in left.iter().zip(right) {
            let mean = 0.5 * (f64::from(*l) + f64::from(*r));
            let begin = self.points.len() as f64 * POINT * self.rate;
            if self.frames as f64 >= begin {
                self.points.push((mean, mean));
            } else if let Some((low, high)) = self.points.last_mut() {
                (*low, *high) = (low.min(mean), high.max(mean));
            }
            self.frames += 1;
        }
    }

    /// The figure with `strikes`.
    pub(super) fn figure(&self, title: &str, strikes: &[StrikeRecord]) -> Figure {
        let time = |point: usize| (point as f64 + 0.5) * POINT;
        let low = self.points.iter().enumerate().map(|(i, p)| (time(i), p.0)).collect();
        let high = self.points.iter().map(|p| p.1).collect();
        let mut slowest = 0.0;
        let mut series = Vec::new();
        for (colour, (fastest, name)) in [4, 2, 5, 1].into_iter().zip(DYNAMICS) {
            let of_these = strikes.iter().filter(|s| (slowest..fastest).contains(&s.speed));
            let dots: Vec<_> = of_these.map(|s| (s.time, f64::from(s.key.number()))).collect();
            if !dots.is_empty() {
                series.push(Series::new(name, dots, palette(colour), Shape::Dots));
            }
            slowest = fastest;
        }
        let keys = strikes.iter().map(|s| f64::from(s.key.number()));
        let (lowest, highest) =
            keys.fold((88.0, 1.0), |(a, b): (f64, f64), k| (a.min(k), b.max(k)));
        Figure {
            title: title.into(),
            x: Axis::new("time, s").within(0.0, self.frames as f64 / self.rate),
            bands: Vec::new(),
            marks: Vec::new(),
            panels: vec![
                Subplot::new(
                    Axis::new("key, by hammer speed").within(lowest - 2.0, highest + 2.0),
                    series,
                ),
                Subplot::new(
                    Axis::new("wave, full scale 1"),
                    vec![Series::new("", low, palette(0), Shape::Area(high))],
                ),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_is_within_its_point() {
        let mut picture = Picture::new(1000);
        // Blocks of 7 samples; 20 samples per point.
        let wave: Vec<f32> = (0u8..50).map(|i| f32::from(i) - 25.0).collect();
        for part in wave.chunks(7) {
            picture.add(part, part);
        }
        assert_eq!(picture.points, [(-25.0, -6.0), (-5.0, 14.0), (15.0, 24.0)]);
        assert_eq!(picture.figure("none", &[]).panels.len(), 2);
    }
}
