//! Readouts of a key on the test bench, step by step.

use super::driven::Driven;
use super::test_bench::TestBench;
use crate::plot::ShadedBand;
use touchback_action::grand::Phase;
use touchback_action::{Drive, Readout};

/// Readouts in order of time.
#[derive(Clone, Default, Debug)]
pub struct BenchTrace {
    /// Time, s, and readout at the end of each step.
    pub rows: Vec<(f64, Readout)>,
}

impl BenchTrace {
    /// Appends the readout of `rig` under `drive`.
    pub fn push(&mut self, rig: &impl Driven, drive: Drive) {
        self.rows.push((rig.now(), rig.read(drive)));
    }

    /// Rows between two times, s.
    fn between(&self, from: f64, to: f64) -> impl Iterator<Item = &Readout> {
        self.rows.iter().filter(move |r| r.0 > from && r.0 < to).map(|r| &r.1)
    }

    /// Mean of a quantity between two times, s; NaN without a row.
    pub fn mean(&self, from: f64, to: f64, pick: impl Fn(&Readout) -> f64) -> f64 {
        let (sum, n) = self.between(from, to).fold((0.0, 0.0), |(s, n), r| (s + pick(r), n + 1.0));
        sum / n
    }

    /// Largest minus smallest value between two times, s.
    pub fn spread(&self, from: f64, to: f64, pick: impl Fn(&Readout) -> f64) -> f64 {
        let start = (f64::MAX, f64::MIN);
        let (low, high) =
            self.between(from, to).map(pick).fold(start, |(l, h), v| (l.min(v), h.max(v)));
        high - low
    }

    /// Swing of the hammer in the last 0.1 s before `end` over that in the 0.1 s after a strike at `strike` s, which
    /// begins 50 ms after it.
    pub fn settling(&self, strike: f64, end: f64) -> f64 {
        let swing = |from: f64| self.spread(from, from + 0.1, |r| r.hammer);
        swing(end - 0.1) / swing(strike + 0.05)
    }

    /// A quantity over time, ms.
    pub fn points(&self, pick: impl Fn(&Readout) -> f64) -> Vec<(f64, f64)> {
        self.rows.iter().map(|(t, r)| (t * 1e3, pick(r))).collect()
    }
}

/// The submodels from `first` on, as shaded bands up to `end` s.
pub fn shaded(rig: &TestBench, first: Phase, end: f64) -> Vec<ShadedBand> {
    let phases = || rig.log.phases.iter();
    let starts = std::iter::once((0.0, first)).chain(phases().map(|p| (p.0, p.2)));
    let ends = phases().map(|p| p.0).chain([end]);
    starts
        .zip(ends)
        .map(|((from, phase), to)| ShadedBand {
            from: from * 1e3,
            to: to * 1e3,
            name: phase.letter().to_string(),
        })
        .collect()
}
