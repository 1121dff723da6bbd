//! `look-ahead`: timing errors of notes under look-ahead timing.

use std::fmt::Write as _;

use anyhow::{Context, Result};

use touchback_action::ActionSettings;
use touchback_core::exchange::cancel;
use touchback_core::math::cast::byte;
use touchback_instrument::host::midi::{Address, InputMessage};
use touchback_instrument::play::event_scheduler::{EventScheduler, Host};
use touchback_instrument::play::record::StrikeRecord;
use touchback_instrument::settings::{Latency, Timing};
use touchback_instrument::{Piano, Settings};
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand};

/// Sample rate, Hz: a resolution of 0.05 ms.
const RATE: f64 = 22_050.0;
/// Samples from note to note, and of a held note.
const APART: usize = 9_000;
const HELD: usize = 7_000;

/// Lowest and highest hammer speed, m/s, and number of speeds, logarithmically spaced; the lowest is that
/// of velocity 1.
const SPEEDS: [f64; 2] = [0.25, 8.0];
const COUNT: usize = 16;

/// Number of keys from one measured key to the next.
const STRIDE: usize = 7;

const LATENCIES: [Latency; 3] = [Latency::Short, Latency::Middle, Latency::Long];

/// One note.
struct Played {
    /// Key 1…88.
    key: u8,
    /// Hammer speed of the velocity, m/s.
    speed: f64,
    /// Time from note plus latency to strike, s; `None` without a strike.
    late: Option<f64>,
    /// Whether the scheduler reported the note as late.
    is_reported_late: bool,
}

/// A note at the first sample of one block, released at the first sample of another.
struct Single {
    messages: [Option<(u32, InputMessage)>; 2],
    strikes: Vec<StrikeRecord>,
}

impl Host for Single {
    fn next(&mut self) -> Option<(u32, InputMessage)> {
        self.messages.iter_mut().find_map(Option::take)
    }

    fn rendered(&mut self, piano: &Piano, _begin: u64) {
        self.strikes.extend_from_slice(piano.strikes());
    }
}

/// Measures and writes the tables.
///
/// # Errors
/// A file that cannot be written.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let mut report = Report::default();
    let columns = ["latency_ms", "key", "hammer_m_s", "late_ms", "counted_as_late"];
    let mut csv = DataTable::new(&columns);
    let mut table = String::from(
        "| latency | notes in time | softest speed in time on every key, m/s | largest lateness of the others, ms |\n\
         | --- | --- | --- | --- |\n",
    );
    for latency in LATENCIES {
        let played = play(latency, ActionSettings::default())?;
        let mut largest = 0.0_f64;
        let (mut soft, mut latest, mut missing, mut in_time) = (0.0_f64, 0.0_f64, 0.0_f64, 0);
        for note in &played {
            let late = note.late.unwrap_or(f64::NAN);
            csv.row(&[
                &(1e3 * latency.seconds()),
                &note.key,
                &note.speed,
                &(1e3 * late),
                &note.is_reported_late,
            ]);
            match note.late {
                None => missing += 1.0,
                Some(late) if note.is_reported_late => {
                    soft = soft.max(note.speed);
                    latest = latest.max(late);
                }
                Some(late) => {
                    largest = largest.max(late.abs());
                    in_time += 1;
                }
            }
        }
        let name = format!("{:.0} ms", 1e3 * latency.seconds());
        report.check(
            &format!("{name}: largest timing error of the notes within the latency, ms"),
            "0",
            TargetBand::AtMost(1.0),
            1e3 * largest,
        );
        report.check(
            &format!("{name}: notes without a strike"),
            "0",
            TargetBand::AtMost(0.0),
            missing,
        );
        let next = played
            .iter()
            .map(|note| note.speed)
            .filter(|speed| *speed > soft)
            .fold(f64::INFINITY, f64::min);
        writeln!(
            table,
            "| {name} | {in_time} of {} | {next:.2} | {:.0} |",
            played.len(),
            1e3 * latest
        )?;
    }
    report.note(&table);
    let mut table = String::from(
        "| regulation | earliest, ms | median, ms | latest, ms | no strike |\n| --- | --- | --- | --- | --- |\n",
    );
    for (name, action) in regulations() {
        let played = play(Latency::Long, action)?;
        let mut late: Vec<f64> = played
            .iter()
            .filter(|n| !n.is_reported_late)
            .filter_map(|n| n.late)
            .map(|s| 1e3 * s)
            .collect();
        late.sort_by(f64::total_cmp);
        let silent = played.iter().filter(|note| note.late.is_none()).count();
        let [first, median, last] =
            [0, late.len() / 2, late.len().saturating_sub(1)].map(|i| late.get(i).copied());
        let text = |x: Option<f64>| x.map_or_else(|| "–".to_owned(), |x| format!("{x:+.1}"));
        writeln!(
            table,
            "| {name} | {} | {} | {} | {silent} |",
            text(first),
            text(median),
            text(last)
        )?;
    }
    report.note(&table);
    folder.table("look-ahead.csv", &csv)?;
    Ok(report)
}

/// Regulations with other travel times.
fn regulations() -> [(&'static str, ActionSettings); 4] {
    let standard = ActionSettings::default;
    [
        ("hammer mass 2 ×", ActionSettings { hammer_mass: 2.0, ..standard() }),
        ("friction 2 ×", ActionSettings { friction: 2.0, ..standard() }),
        ("blow 42 mm", ActionSettings { blow_mm: 42.0, ..standard() }),
        ("let-off 8 mm", ActionSettings { let_off_mm: 8.0, ..standard() }),
    ]
}

/// Plays every speed on every key, one note after the other.
fn play(latency: Latency, action: ActionSettings) -> Result<Vec<Played>> {
    let mut settings = Settings { action, ..Settings::default() };
    settings.touch.timing = Timing::LookAhead;
    settings.touch.latency = latency;
    let mut scheduler = EventScheduler::new(Piano::new(RATE, &settings));
    let (mut left, mut right) = (vec![0.0_f32; APART], vec![0.0_f32; APART]);
    let mut played = Vec::new();
    for i in 0..COUNT {
        let share = i as f64 / (COUNT - 1) as f64;
        let speed = SPEEDS[0] * libm::pow(SPEEDS[1] / SPEEDS[0], share);
        for index in (0..88).step_by(STRIDE) {
            let note = byte(21 + index);
            let (velocity, before) = (settings.touch.velocity(speed), scheduler.lateness().notes);
            let on = InputMessage::NoteOn { channel: 0, note, id: None, velocity };
            let off = InputMessage::NoteOff { to: Address::note(0, note), velocity: 0.0 };
            let held = u32::try_from(HELD).context("held")?;
            let mut host =
                Single { messages: [Some((0, on)), Some((held, off))], strikes: Vec::new() };
            let time = (scheduler.sample() + scheduler.event_latency()) as f64 / RATE;
            cancel::check();
            scheduler.process(&mut left, &mut right, &mut host);
            let key = byte(index + 1);
            let strike = host.strikes.iter().find(|strike| strike.key.number() == key);
            played.push(Played {
                key,
                speed: settings.touch.hammer_speed(velocity),
                late: strike.map(|strike| strike.time - time),
                is_reported_late: scheduler.lateness().notes > before,
            });
        }
    }
    Ok(played)
}
