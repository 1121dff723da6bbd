//! `instrument-load`: timing of notes, and computing time and memory of the instrument.

mod blocks;
mod changes;
mod music;
mod timing;

use anyhow::Result;

use touchback_offline::bench::{DataTable, Folder, Report, TargetBand, short};
use touchback_offline::plot::{Axis, Figure, Series, Shape, Subplot, palette};

/// Measures timing, blocks, memory and starting time.
///
/// # Errors
/// A file that cannot be written, or a plugin library that cannot be loaded.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let mut report = Report::default();
    // Measured first, before earlier pianos leave free memory to reuse.
    let start = blocks::starting();
    immediate(&mut report);
    natural(folder, &mut report)?;
    playing(folder, &mut report)?;
    music(folder, &mut report)?;
    changing(&mut report);
    starting(&mut report, start);
    Ok(report)
}

fn immediate(report: &mut Report) {
    let found = timing::immediate();
    let zero = TargetBand::Within(0.0, 0.0);
    report.check("immediate: missing or surplus strikes, of 1000", "0", zero, found.missing);
    report.check("immediate: largest strike − note-on, samples", "0", zero, found.samples);
    report.check("immediate: largest hammer speed − map, m/s", "0", zero, found.speed);
}

fn natural(folder: &mut Folder, report: &mut Report) -> Result<()> {
    let found = timing::natural();
    let mut times: Vec<f64> = found.notes.iter().map(|note| note.travel_ms).collect();
    times.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let last = times.len().saturating_sub(1);
        let index = touchback_core::math::cast::floor_index(share * last as f64);
        times.get(index).copied().unwrap_or(f64::NAN)
    };
    // 20 to 230 ms from the first key motion to the string [Goebl, Bresin & Galembo 2005].
    let band = TargetBand::Within(20.0, 230.0);
    report.check("natural: shortest travel time, ms", "20", band, at(0.0));
    report.check("natural: median travel time, ms", "–", band, at(0.5));
    report.check("natural: longest travel time, ms", "230", band, at(1.0));
    report.check(
        "natural: notes without a strike, of 1000",
        "0",
        TargetBand::AtMost(0.0),
        found.silent,
    );
    let speeds: Vec<f64> =
        found.notes.iter().map(|n| libm::log2(n.speed / n.mapped).abs()).collect();
    let worst = speeds.iter().copied().fold(0.0, f64::max);
    report.note(&format!(
        "Natural notes strike within a factor {} of the mapped hammer speed. Travel times begin at \
         the note-on, where the muscle force begins; published times begin at the key's first motion, \
         about 20 ms later in the softest notes.",
        short(libm::exp2(worst))
    ));
    let mut csv =
        DataTable::new(&["key", "velocity", "mapped_m_s", "hammer_velocity_m_s", "travel_ms"]);
    for n in &found.notes {
        csv.row(&[&n.key, &n.velocity, &n.mapped, &n.speed, &n.travel_ms]);
    }
    folder.table("natural-travel.csv", &csv)?;
    let points = found.notes.iter().map(|n| (n.velocity, n.travel_ms)).collect();
    let mut bins = [0_u32; 26];
    for time in &times {
        let bin = touchback_core::math::cast::floor_index(time / 10.0).min(bins.len() - 1);
        bins[bin] += 1;
    }
    let histogram =
        bins.iter().enumerate().map(|(i, n)| (10.0 * i as f64 + 5.0, f64::from(*n))).collect();
    let by_velocity = Figure {
        title: "Natural timing: from note-on to strike".into(),
        x: Axis::new("MIDI velocity").within(0.0, 127.0),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![Subplot::new(
            Axis::new("travel time, ms"),
            vec![Series::new("", points, palette(0), Shape::Dots)],
        )],
    };
    folder.draw("natural-travel", &by_velocity, report)?;
    let counted = Figure {
        title: "Natural timing: travel times of 1000 random notes".into(),
        x: Axis::new("travel time, ms").within(0.0, 260.0),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![Subplot::new(
            Axis::new("notes in 10 ms"),
            vec![Series::new("", histogram, palette(1), Shape::Stems)],
        )],
    };
    folder.draw("natural-histogram", &counted, report)
}

fn playing(folder: &mut Folder, report: &mut Report) -> Result<()> {
    let share = |seconds: f64| 100.0 * seconds;
    let worst = TargetBand::AtMost(50.0);
    let chord = share(blocks::worst(10));
    report.check("ten-note chord: worst block of 64, % of its time", "25", worst, chord);
    let cluster = share(blocks::worst(88));
    report.check("88 keys at once: worst block of 64, % of its time", "50", worst, cluster);
    let idle = share(blocks::idle());
    report.check("silent piano, % of a core", "0", TargetBand::AtMost(0.1), idle);
    let held = share(blocks::held());
    report.check("ten notes held 1 to 3 s, % of a core", "5", TargetBand::AtMost(20.0), held);
    let music = blocks::dense();
    report.check(
        "16 notes a second under the pedal, % of a core",
        "12",
        TargetBand::AtMost(45.0),
        share(music.share),
    );
    report.note(&format!(
        "Dense music: {} keys move on average, {} at most; at most {} events in a step; output hash \
         {:016x}, which the same code repeats on the same machine.",
        short(music.load.mean_keys()),
        music.load.most_keys,
        music.load.most_events,
        music.hash
    ));
    let decay = blocks::decay();
    report.check(
        "60 s of decay: most expensive second after the tenth over the tenth",
        "1",
        TargetBand::AtMost(1.25),
        decay.most_expensive_late_over_early,
    );
    let mut csv = DataTable::new(&["time_s", "share_of_a_core"]);
    for (second, share) in decay.shares.iter().enumerate() {
        csv.row(&[&second, share]);
    }
    folder.table("decay.csv", &csv)
}

/// Measures parameter changes while notes sound.
fn changing(report: &mut Report) {
    let (change, hash) = changes::once();
    let [with, without] = [change.with, change.without].map(|share| 100.0 * share);
    let band = TargetBand::AtMost(5.0);
    let quantity = "one regulation change under ten notes: extra cost of the most expensive block, \
         % of its time";
    report.check(quantity, "5", band, with - without);
    report.note(&format!(
        "The most expensive change is that of `{}`: {} % of the block's time, {} without it. Output hash \
         {hash:016x}.",
        change.id,
        short(with),
        short(without)
    ));
    let ((id, one), all, hash) = changes::every_sample();
    let band = TargetBand::AtMost(100.0);
    let quantity =
        "one parameter changed at every sample under ten notes: block of 512, % of its time";
    report.check(quantity, "100", band, 100.0 * one);
    let quantity =
        "all parameters changed at every sample under ten notes: block of 512, % of its time";
    report.check(quantity, "100", band, 100.0 * all);
    report.note(&format!("The most expensive parameter is `{id}`. Output hash {hash:016x}."));
}

/// Measures every piece at every block size.
fn music(folder: &mut Folder, report: &mut Report) -> Result<()> {
    let columns =
        ["music", "block_samples", "mean_percent", "median", "most_of_99", "most_of_999", "worst"];
    let mut csv = DataTable::new(&columns);
    for piece in music::Piece::ALL {
        let runs = music::SIZES.map(|size| (size, music::played(piece, size)));
        let first = runs[0].1.hash;
        for (size, blocks) in &runs {
            let [median, common, rare, worst] = blocks.quantiles.map(|share| 100.0 * share);
            let mean = 100.0 * blocks.mean;
            csv.row(&[&piece.name(), size, &mean, &median, &common, &rare, &worst]);
            let quantity =
                format!("{}: 99.9 of 100 blocks of {size}, % of their time", piece.name());
            report.check(&quantity, "50", TargetBand::AtMost(100.0), rare);
        }
        let different = runs.iter().filter(|(_, blocks)| blocks.hash != first).count();
        let quantity = format!("{}: block sizes with different output", piece.name());
        report.check(&quantity, "0", TargetBand::AtMost(0.0), different as f64);
        report.note(&format!("{}: output hash {first:016x} at every block size.", piece.name()));
    }
    folder.table("music.csv", &csv)
}

fn starting(report: &mut Report, start: blocks::Starting) {
    let band = TargetBand::AtMost(100.0);
    report.check("construction of a piano, ms", "–", band, start.build_ms);
    match start.plugin_ms {
        Ok([first, best]) => {
            report.check("plugin loaded, instantiated, activated, ms", "100", band, best);
            report.note(&format!("The first load of the library took {} ms.", short(first)));
        }
        Err(error) => report.note(&format!("The plugin was not loaded: {error:#}.")),
    }
    match start.megabytes {
        Some(megabytes) => {
            report.check("memory of one more piano, MB", "–", TargetBand::AtMost(64.0), megabytes);
        }
        None => report.note("This system does not report the memory of a process."),
    }
}
