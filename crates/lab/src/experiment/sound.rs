//! `sound`: every target of the sound engine, measured on its output.

mod decay;
mod invariance;
mod noises;
mod spectrum;
mod strike;
mod sympathetic_resonance;
mod timbre;

use anyhow::Result;

use crate::bench::{DataTable, Folder, Report, TargetBand, key, short};
use crate::output::progress;
use crate::plot::{Axis, Figure, Series, Shape, Subplot, palette};
use touchback_sound::measure::sympathetic_resonance::register;
use touchback_sound::{Sound, SoundSettings};

const RATE: f64 = 48_000.0;

/// State that all measurements share.
struct SoundBench {
    voicing: SoundSettings,
    sound: Sound,
    report: Report,
    /// Key, and error of its fundamental, cents.
    errors: Vec<(f64, f64)>,
    /// Key, and early decay time, s, free and damped.
    decays: Vec<(f64, f64)>,
    damped: Vec<(f64, f64)>,
}

/// Settings for decay measurements: without the diffuse tail of case and walls, whose echoes beat with the
/// string's sound.
const fn without_tail(voicing: &SoundSettings) -> SoundSettings {
    SoundSettings { board: 0.0, ..*voicing }
}

/// Measures everything; takes a few minutes.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let voicing = SoundSettings::close();
    let sound = Sound::new(RATE, &voicing);
    let mut bench = SoundBench {
        voicing,
        sound,
        report: Report::default(),
        errors: Vec::new(),
        decays: Vec::new(),
        damped: Vec::new(),
    };
    let bar = progress(9, "measuring");
    strike::run(&mut bench)?;
    bar.inc(1);
    spectrum::tuning(&mut bench)?;
    bar.inc(1);
    decay::run(&mut bench)?;
    bar.inc(1);
    sympathetic_resonance::run(&mut bench)?;
    bar.inc(1);
    spectrum::phantoms(&mut bench)?;
    spectrum::board(&mut bench);
    bar.inc(1);
    noises::run(&mut bench)?;
    bar.inc(1);
    timbre::run(&mut bench)?;
    bar.inc(1);
    invariance::run(&mut bench)?;
    bar.inc(1);
    let levels = register(&mut bench.sound, 2.0, RATE);
    evenness(&mut bench, &levels);
    bar.finish_and_clear();

    let levels: Vec<(f64, f64)> = (1..).map(f64::from).zip(levels).collect();
    let mut csv = DataTable::new(&["key", "quantity", "value"]);
    for (quantity, points) in [
        ("fundamental_error_cents", &bench.errors),
        ("early_t60_s", &bench.decays),
        ("damped_t60_s", &bench.damped),
        ("level_2_m_s_db", &levels),
    ] {
        for (key, value) in points {
            csv.row(&[key, &quantity, value]);
        }
    }
    let series = |name, points, colour, shape| Series::new(name, points, palette(colour), shape);
    let figure = Figure {
        title: "Strings of the concert grand as rendered".into(),
        x: Axis::new("key"),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![
            Subplot::new(
                Axis::new("off the stretch law, cents"),
                vec![series("", bench.errors, 0, Shape::Dots)],
            ),
            Subplot::new(
                Axis::new("T60, s").log(),
                vec![
                    series("free, first 20 dB", bench.decays, 0, Shape::Line),
                    series("damped", bench.damped, 1, Shape::Line),
                ],
            ),
            Subplot::new(
                Axis::new("first 0.3 s at 2 m/s, dBFS"),
                vec![series("", levels, 0, Shape::Dots)],
            ),
        ],
    };
    folder.table("sound.csv", &csv)?;
    let mut report = bench.report;
    folder.draw("sound", &figure, &mut report)?;
    folder.write("sound.md", page(&report).as_bytes())?;
    Ok(report)
}

/// The page of the documentation.
fn page(report: &Report) -> String {
    let (rows, open) = report.count();
    format!(
        "# The sound, measured\n\nThis page is written by `touchback lab sound`. Every row is one target of the sound engine, measured on what it plays \
         at 48 kHz: what is aimed at, the band in which that counts as met, and what was found. \
         Targets are measurements of grands where there are any ([references](references.md)); \
         where there are none the band is chosen. Missed targets are \
         listed too: {} of {rows} are met.\n\nWhat depends on the machine has commands of its own: `touchback lab \
         sound-cost` (computing time on every kernel, preparation, parameters that move), `touchback \
         lab sound-torture` (ten minutes of everything at five sample rates), \
         `tests/host/fluidsynth.py` (beside a sampled piano). `touchback lab listening` writes what \
         there is to hear; `touchback lab string-law` shows what the action's own string neglects.\n\n{}\n{}",
        rows - open,
        report.text(true),
        beside_a_recording()
    )
}

/// The page's section of values from `lab recorded`, which needs recordings that are not distributed.
fn beside_a_recording() -> String {
    let figures = [
        ("levels", "level"),
        ("relief", "energy to come"),
        ("A0", "A0"),
        ("C2", "C2"),
        ("C4", "C4"),
        ("C6", "C6"),
        ("C8", "C8"),
    ];
    let figures = figures.map(|(file, of)| format!("\n![{of}](recorded/{file}.svg)\n"));
    format!(
        "## Beside a recorded grand\n\nThe middle one of eight layers of a sampled Yamaha C5 \
         (Salamander Grand Piano V3 by Alexander Holm, CC-BY) and what is played as loudly under \
         the loudest: courses of the level, energy to come in thirds of an octave, spectra at six \
         times. Microphones, room and noise of the recording are in its curves. Drawn by `touchback \
         lab recorded FOLDER -o DIR` ([formats](formats.md)), which also judges the difference.\n{}{}",
        figures.concat(),
        include_str!("sound/still_off.md")
    )
}

/// Deviation of a key's level from the mean of the two keys on either side.
fn evenness(bench: &mut SoundBench, levels: &[f64]) {
    let mut squares = 0.0;
    let mut worst: f64 = 0.0;
    for w in levels.windows(5) {
        let off = w[2] - (w[0] + w[1] + w[3] + w[4]) / 4.0;
        squares += off * off;
        worst = worst.max(off.abs());
    }
    let spread = (squares / (levels.len() - 4) as f64).sqrt();
    let report = &mut bench.report;
    report.check("key against its four neighbours, rms, dB", "1", TargetBand::AtMost(1.5), spread);
    report.check("key against its four neighbours, most, dB", "2", TargetBand::AtMost(3.0), worst);
}
