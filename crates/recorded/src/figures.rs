//! Figures of the comparison: distances and levels over the keys; for five keys the level over time, the
//! energy decay relief, and spectra at six times.

use std::collections::BTreeMap;

use crate::measure::thirds::{BANDS, RELIEF, SPECTRA, middle};
use crate::measure::{Measured, TIMES, TRACE_HOP};
use crate::pairs::Found;
use crate::verdict::{AS_RECORDED, at_rank, registers};
use touchback_offline::plot::{Axis, Figure, Series, Shape, Subplot, palette};

/// Keys with figures of their own, and largest distance of a substitute key.
const KEYS: [(u8, &str); 5] = [(1, "A0"), (16, "C2"), (40, "C4"), (64, "C6"), (88, "C8")];
const NEAR: u8 = 2;

/// Lowest drawn level, dB.
const LOWEST: f64 = -90.0;

/// All figures with their names.
pub fn all(found: &[Found<'_>]) -> Vec<(String, Figure)> {
    let mut figures = vec![
        ("recorded-distances".to_owned(), distances(found)),
        ("recorded-courses".to_owned(), courses(found)),
    ];
    let five = five(found);
    if !five.is_empty() {
        figures.push(("recorded-levels".into(), levels(&five)));
        figures.push(("recorded-relief".into(), relief(&five)));
    }
    figures.extend(
        five.iter().map(|(name, one)| {
            (format!("recorded-{}", name.replace(' ', "-")), spectra(name, one))
        }),
    );
    figures
}

/// Each of [`KEYS`], or its nearest key, at a middle layer.
fn five<'f, 'a>(found: &'f [Found<'a>]) -> Vec<(String, &'f Found<'a>)> {
    let mut all: Vec<(String, &Found<'_>)> = Vec::new();
    for (wanted, name) in KEYS {
        let near = found.iter().map(|f| (f.number.abs_diff(wanted), f.number));
        let Some((_, number)) = near.min().filter(|(off, _)| *off <= NEAR) else { continue };
        let layers: Vec<&Found<'_>> = found.iter().filter(|f| f.number == number).collect();
        let name = if number == wanted { name.to_owned() } else { format!("key {number}") };
        all.extend(at_rank(&layers, 0.625).map(|one| (name, one)));
    }
    all
}

/// A figure of `panels` over `x`.
fn figure(title: &str, x: Axis, panels: Vec<Subplot>) -> Figure {
    Figure { title: title.into(), x, bands: Vec::new(), marks: Vec::new(), panels }
}

/// Level over time, one panel per key.
fn levels(five: &[(String, &Found<'_>)]) -> Figure {
    let line = |name: &str, note: &Measured, colour| {
        let points = (0..).map(f64::from).zip(&note.trace);
        let points = points.map(|(i, level)| ((i + 0.5) * TRACE_HOP, level.max(LOWEST)));
        Series::line(name, points.collect(), palette(colour))
    };
    let panel = |(key, one): &(String, &Found<'_>)| {
        let both = [("recorded", one.note, 0), ("rendered", one.pair.nearer(), 1)];
        let series = both.map(|(name, note, colour)| line(name, note, colour));
        Subplot::new(Axis::new(&format!("{key}, dB")), series.into())
    };
    let x = Axis::new("after the onset, s").within(0.0, 4.5);
    figure("Level under the most, middle layer", x, five.iter().map(panel).collect())
}

/// Points of `bands` over frequency, without points at the floor.
fn over_bands(bands: &[f64; BANDS]) -> Vec<(f64, f64)> {
    let all = bands.iter().enumerate().map(|(band, level)| (middle(band), *level));
    all.map(|(hz, level)| (hz, if level > LOWEST { level } else { f64::NAN })).collect()
}

/// Energy decay relief, one panel per key: dots recorded, lines rendered, one colour per time.
fn relief(five: &[(String, &Found<'_>)]) -> Figure {
    let panel = |(key, one): &(String, &Found<'_>)| {
        let times = RELIEF.iter().enumerate();
        let series = times.flat_map(|(i, time)| {
            let [recorded, rendered] =
                [one.note, one.pair.nearer()].map(|note| over_bands(&note.thirds.relief[i]));
            let name = format!("from {time} s on");
            [
                Series::new(&name, recorded, palette(i), Shape::Dots),
                Series::line("", rendered, palette(i)),
            ]
        });
        Subplot::new(Axis::new(&format!("{key}, dB")), series.collect())
    };
    let title = "Energy to come in thirds of an octave, dots recorded, lines rendered";
    let x = Axis::new("frequency, Hz").within(36.0, 17_000.0).log();
    figure(title, x, five.iter().map(panel).collect())
}

/// Spectra of one key, one panel per time.
fn spectra(key: &str, one: &Found<'_>) -> Figure {
    let panel = |(i, time): (usize, &f64)| {
        let both = [("recorded", one.note, 0), ("rendered", one.pair.nearer(), 1)];
        let series = both.map(|(name, note, colour)| {
            Series::line(name, over_bands(&note.thirds.spectra[i]), palette(colour))
        });
        Subplot::new(Axis::new(&format!("{:.0} ms, dB", 1e3 * time)), series.into())
    };
    let x = Axis::new("frequency, Hz").within(36.0, 17_000.0).log();
    let title = format!("{key} in thirds of an octave, middle layer");
    figure(&title, x, SPECTRA.iter().enumerate().map(panel).collect())
}

/// Distances over the keys, one dot per layer.
fn distances(found: &[Found<'_>]) -> Figure {
    let dots = |part: usize| {
        let points = found.iter().map(|f| (f64::from(f.number), f.apart[part])).collect();
        let aim = registers().zip(AS_RECORDED[part]);
        let aim =
            aim.flat_map(|((_, keys), aim)| [keys.start(), keys.end()].map(|k| ((*k).into(), aim)));
        vec![
            Series::new("each layer", points, palette(0), Shape::Dots),
            Series::line("two recorded grands", aim.collect(), palette(1)),
        ]
    };
    let panel = |name: &str, part| Subplot::new(Axis::new(name), dots(part));
    Figure {
        title: "Distance from the recorded piano".into(),
        x: Axis::new("key, 1 (A0) to 88 (C8)").within(1.0, 88.0),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![panel("body, dB", 0), panel("attack, dB", 1)],
    }
}

/// Level after 0.3, 1 and 3 s over the keys, middle layer, recorded and rendered.
fn courses(found: &[Found<'_>]) -> Figure {
    let mut by_key: BTreeMap<u8, Vec<&Found<'_>>> = BTreeMap::new();
    found.iter().for_each(|f| by_key.entry(f.number).or_default().push(f));
    let panel = |time: usize| {
        let of = |pick: fn(&Found<'_>) -> [f64; TIMES.len()]| {
            let middle = |layers: &Vec<&Found<'_>>| pick(layers[layers.len() / 2])[time];
            by_key.iter().map(|(number, layers)| (f64::from(*number), middle(layers))).collect()
        };
        let series = vec![
            Series::line("recorded", of(|f| f.note.course), palette(0)),
            Series::line("rendered", of(|f| f.nearest.course), palette(1)),
        ];
        Subplot::new(Axis::new(&format!("at {} s, dB", TIMES[time])), series)
    };
    Figure {
        title: "Level under the most, middle layer".into(),
        x: Axis::new("key, 1 (A0) to 88 (C8)").within(1.0, 88.0),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![panel(4), panel(5), panel(6)],
    }
}
