//! The demonstration's figure and page.

use super::play::HostOutput;
use crate::plot::{Axis, Figure, Series, Shape, Subplot, palette};
use crate::table::Curve;
use crate::wave::Level;
use touchback_instrument::midi::InputMessage;
use touchback_instrument::midi_file::Score;
use touchback_instrument::params::Parameter;

/// Points of the envelope per point of the level curve: 100 ms.
const LEVEL: usize = 5;

/// Waveform, level, strikes and the automated parameter over time.
pub(super) fn level_figure(
    score: &Score,
    output: &HostOutput,
    parameter: &Parameter,
    curve: &Curve,
) -> Figure {
    let points = &output.envelope;
    let end = points.last().map_or(1.0, |p| p.0);
    let low = points.iter().map(|p| (p.0, f64::from(p.1))).collect();
    let high = points.iter().map(|p| f64::from(p.2)).collect();
    let level = points.chunks(LEVEL).map(|part| {
        let mean = part.iter().map(|p| p.3).sum::<f64>() / part.len() as f64;
        (part[part.len() / 2].0, (10.0 * libm::log10(mean)).max(-100.0))
    });
    let notes = score.events.iter().filter_map(|(time, event)| match event {
        InputMessage::NoteOn { velocity, .. } => {
            Some((*time as f64 / score.per_second as f64, velocity * 127.0))
        }
        _ => None,
    });
    let moves = points.iter().map(|p| (p.0, curve.at(p.0))).collect();
    let unit = parameter.unit();
    let label = format!("{}{}{unit}", parameter.name, if unit.is_empty() { "" } else { ", " });
    Figure {
        title: "Bach, Prelude in C major BWV 846, through the plugin".into(),
        x: Axis::new("time, s").within(0.0, end),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![
            Subplot::new(
                Axis::new("wave, full scale 1"),
                vec![Series::new("", low, palette(0), Shape::Area(high))],
            ),
            Subplot::new(
                Axis::new("level, dBFS"),
                vec![Series::line("", level.collect(), palette(0))],
            ),
            Subplot::new(
                Axis::new("strikes, MIDI velocity").within(0.0, 127.0),
                vec![Series::new("", notes.collect(), palette(1), Shape::Stems)],
            ),
            Subplot::new(Axis::new(&label), vec![Series::line("", moves, palette(2))]),
        ],
    }
}

/// The page that explains the folder.
pub(super) fn page(
    score: &Score,
    output: &HostOutput,
    level: &Level,
    seconds: f64,
    parameter: &Parameter,
    (low, high): (f64, f64),
) -> String {
    let notes =
        score.events.iter().filter(|(_, e)| matches!(e, InputMessage::NoteOn { .. })).count();
    format!(
        "# Touchback demonstration\n\n\
         Johann Sebastian Bach, Prelude in C major, BWV 846, all 35 bars, played through the \
         built plugin {version} in an embedded CLAP host: the concert grand as it is for the first {still:.0} s, \
         then with {name} moving between {from} and {to}.\n\n\
         | | |\n| --- | --- |\n\
         | notes | {notes} |\n\
         | length | {seconds:.1} s |\n\
         | peak | {peak:.1} dBFS |\n\
         | level (rms) | {rms:.1} dBFS |\n\
         | computing speed | {factor:.1} times real time |\n\n\
         ![wave, level, strikes and the automated parameter](level.png)\n\n\
         One key of the action under a pressing hand, as `touchback simulate stroke.toml \
         --plot stroke.png` draws it:\n\n\
         ![one stroke of the action](stroke.png)\n\n\
         `harpsichord.wav` is its first four bars with the harpsichord's action under the same keys: \
         the plectra pluck the strings, as loud at every touch.\n\n\
         `prelude.mid` is the performance itself: `touchback render prelude.mid -o my.wav` plays \
         it without a plugin host.\n",
        version = env!("CARGO_PKG_VERSION"),
        still = super::STANDARD * score.end(),
        name = parameter.name,
        from = parameter.text(low),
        to = parameter.text(high),
        peak = level.peak_dbfs(),
        rms = level.rms_dbfs(),
        factor = output.real_time_factor,
    )
}
