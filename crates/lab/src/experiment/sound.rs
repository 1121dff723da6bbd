//! `sound`: every target of the sound engine, measured on its output.

mod decay;
mod evenness;
mod invariance;
mod noises;
mod spectrum;
mod strike;
mod sympathetic_resonance;
mod timbre;

use anyhow::Result;

use touchback_offline::bench::{DataTable, Folder, Report, TargetBand, key, short};
use touchback_offline::output::progress;
use touchback_offline::plot::{Axis, Figure, Series, Shape, Subplot, palette};
use touchback_sound::{Sound, SoundSettings};

pub(super) use timbre::{LENGTH, centroid, spectrum};

pub const RATE: f64 = 48_000.0;

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
fn without_tail(voicing: &SoundSettings) -> SoundSettings {
    SoundSettings { board: 0.0, ..voicing.clone() }
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
    let levels = evenness::run(&mut bench)?;
    bar.finish_and_clear();

    let [levels, corrections] = [0, 1].map(|column| {
        let column = levels.iter().map(|row| row[column]);
        (1..).map(f64::from).zip(column).collect::<Vec<(f64, f64)>>()
    });
    let mut csv = DataTable::new(&["key", "quantity", "value"]);
    for (quantity, points) in [
        ("fundamental_error_cents", &bench.errors),
        ("early_t60_s", &bench.decays),
        ("damped_t60_s", &bench.damped),
        ("level_2_m_s_lufs", &levels),
        ("correction_db", &corrections),
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
                Axis::new("first 0.4 s at 2 m/s, LUFS"),
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
    let (rows, missed) = report.count();
    format!(
        "# The sound, measured\n\nThis page is written by `touchback lab sound`. Every row is one target of the sound engine, measured on its output \
         at 48 kHz: the target, the accepted band and the measured value. Targets are published \
         measurements of grands where they exist ([references](references.md)); the other bands are \
         chosen. Missed targets are listed too: {} of {rows} are met.\n\nOther commands measure what \
         depends on the machine: `touchback-proof lab sound-cost` (computing time on every kernel, \
         preparation, changing parameters), `touchback-proof lab sound-torture` (ten minutes of random \
         events at five sample rates), `tests/host/fluidsynth.py` (comparison with a sampled piano). \
         `touchback lab listening` renders files for listening; `touchback lab string-law` compares \
         the action's own string with the sounding strings. [Beside recorded grands](recorded.md) \
         compares the sound with recordings.\n\n{}\n{}",
        rows - missed,
        report.text(true),
        report.missed_line("sound")
    )
}
