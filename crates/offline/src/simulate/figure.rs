//! The figure of a run: key depth, hammer distance, speeds and forces over time, phases as bands.

use crate::plot::{Axis, Figure, PlotMark, Series, ShadedBand, Subplot, palette};
use touchback_action::{Readout, TimedEvent};

/// The columns that the figure draws, in the figure's units.
#[derive(Default)]
pub(super) struct Traces {
    time_ms: Vec<f64>,
    phases: Vec<(f64, &'static str)>,
    /// Key depth and hammer distance, mm; speeds, m/s; forces, N.
    values: [Vec<f64>; 6],
}

impl Traces {
    pub(super) fn push(&mut self, time_s: f64, row: &Readout) {
        let time = time_s * 1e3;
        if self.phases.last().is_none_or(|(_, name)| *name != row.phase) {
            self.phases.push((self.time_ms.last().copied().unwrap_or(0.0), row.phase));
        }
        self.time_ms.push(time);
        let values = [
            row.key * 1e3,
            row.hammer * 1e3,
            row.key_speed,
            row.hammer_speed,
            row.key_force,
            row.contact_force,
        ];
        for (trace, value) in self.values.iter_mut().zip(values) {
            trace.push(value);
        }
    }

    pub(super) fn figure(&self, title: &str, events: &[TimedEvent]) -> Figure {
        let end = self.time_ms.last().copied().unwrap_or(1.0);
        let bands = self
            .phases
            .iter()
            .enumerate()
            .filter(|(_, (_, name))| !name.is_empty())
            .map(|(i, (from, name))| ShadedBand {
                from: *from,
                to: self.phases.get(i + 1).map_or(end, |next| next.0),
                name: name.replace('_', " "),
            })
            .collect();
        let marks = events
            .iter()
            .map(|e| PlotMark { at: e.time() * 1e3, name: e.event.kind().message() })
            .collect();
        Figure {
            title: title.into(),
            x: Axis::new("time, ms").within(0.0, end),
            bands,
            marks,
            panels: vec![
                self.panel("key depth, mm", &[(0, "key front")]),
                self.panel("hammer to string, mm", &[(1, "hammer")]),
                self.panel("speed, m/s", &[(2, "key front"), (3, "hammer")]),
                self.panel("force, N", &[(4, "finger on key"), (5, "key on hammer")]),
            ],
        }
    }

    fn panel(&self, label: &str, traces: &[(usize, &str)]) -> Subplot {
        Subplot::new(
            Axis::new(label),
            traces.iter().map(|(i, name)| self.series(*i, name)).collect(),
        )
    }

    /// Trace `index`: key quantities in the first colour, hammer quantities in the second.
    fn series(&self, index: usize, name: &str) -> Series {
        let points = self.time_ms.iter().copied().zip(self.values[index].iter().copied());
        Series::line(name, points.collect(), palette(index % 2))
    }
}
