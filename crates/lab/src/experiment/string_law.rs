//! `string-law`: the string as the action feels it against the strings as they sound.
//!
//! The action's string is a one-sided spring with hysteresis, a law of its own because nothing
//! returns from the sound to the action. Here the hammer of a running key meets it, stepped as the
//! action steps it, and the sound engine's hammer meets its strings once; contact time and rebound
//! are compared. The tables that the law is made of are fitted here.

mod hammers;

use std::fmt::Write as _;

use anyhow::{Context, Result, anyhow};

use crate::bench::{DataTable, Folder, Report, short};
use crate::plot::{Axis, Figure, Series, Shape, Subplot, palette};
use touchback_action::grand::design::concert::{Built, Design};
use touchback_action::grand::equations::drive::DriveNow;
use touchback_action::grand::equations::model::guard;
use touchback_action::grand::{
    Grand, Phase, STATES, design::string_law, equations::step, key::construct, key::rest, state,
};
use touchback_action::{ActionSettings, Drive, STEP};
use touchback_core::episode::Observer;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::power::square;
use touchback_core::mech::hammer::{Hammer, HammerSettings};
use touchback_sound::SoundSettings;
use touchback_sound::contact::strike_offline;
use touchback_sound::scale::StringSpec;

/// Keys compared: A0 and every C.
pub const NUMBERS: [usize; 9] = [1, 4, 16, 28, 40, 52, 64, 76, 88];

/// Hammer speeds, m/s.
const SPEEDS: [f64; 4] = [1.0, 2.0, 4.0, 6.0];

/// Speed at which the tables hold, m/s.
const FIT_SPEED: f64 = string_law::SPEED;

/// Steps a second of the sound engine's contact here: finer than any note uses.
const RATE: f64 = 384_000.0;

/// Least restitution the law is asked for: below it the way out takes longer than any string.
const LEAST_RESTITUTION: f64 = 0.15;

/// Agreement asked of contact time and rebound speed.
const BAND: f64 = 0.2;

/// One contact of hammer and string.
#[derive(Clone, Copy, Debug)]
struct HammerContact {
    /// First to last touch, s.
    time: f64,
    /// Rebound speed over strike speed.
    restitution: f64,
}

/// How a hammer comes to the string.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Arrival {
    /// In flight, in the middle of a step.
    Flying,
    /// Placed at the string, as a note that means its strike does.
    Constructed,
}

/// Hears when the hammer meets the string and when it leaves.
struct StringLawEvents {
    now: f64,
    met: Option<f64>,
    left: Option<(f64, f64)>,
}

impl Observer<Phase, STATES> for StringLawEvents {
    fn transition(&mut self, _: f64, _: Phase, _: Phase, _: &[f64; STATES], _: &[f64; STATES]) {}
    fn guard(&mut self, t: f64, index: usize, rising: bool, x: &[f64; STATES]) {
        if index != guard::STRING {
            return;
        }
        let time = self.now + t;
        if rising {
            self.met = self.met.or(Some(time));
        } else {
            self.left = self.left.or(Some((time, x[state::HAMMER_SPEED])));
        }
    }
}

/// The hammer of a running key against the action's string, its mass rigid on its shank as that of
/// the sound engine's.
fn felt(built: &Built, speed: f64, arrival: Arrival) -> Result<HammerContact> {
    let mut spec = built.spec;
    spec.hammer.shank.stiffness = 0.0;
    let spec = &spec;
    let mut running = construct::strike(spec, &built.regulated, speed)
        .context("the standard regulation has no strike")?;
    let mut heard = StringLawEvents { now: 0.0, met: Some(0.0), left: None };
    if arrival == Arrival::Flying {
        running.x[state::HAMMER] = -0.4 * STEP * speed / spec.hammer.crown;
        heard.met = None;
    }
    let inputs = DriveNow::ends(Drive::Free, [rest::TRAY_DOWN; 2]);
    while heard.now < 0.05 {
        step::STEPPER.advance(&Grand::new(spec), &mut running, &inputs, &mut heard);
        if let (Some(met), Some((left, rate))) = (heard.met, heard.left) {
            return Ok(HammerContact {
                time: left - met,
                restitution: -spec.hammer.crown * rate / speed,
            });
        }
        heard.now += STEP;
    }
    Err(anyhow!("the hammer stays on the string at {speed} m/s"))
}

/// The sound engine's hammer against its strings.
fn heard(key: KeyNumber, hammers: &HammerSettings, speed: f64) -> HammerContact {
    let string = StringSpec::of(key, &SoundSettings::default());
    let report = strike_offline(&Hammer::of(key, hammers), &string, speed, RATE);
    HammerContact { time: report.contact_time, restitution: report.restitution }
}

/// The table values with which the action's law comes nearest to `aim` at [`FIT_SPEED`], and the
/// contact it then makes. The law's own formula is an approximation: its error is taken out step by
/// step. Strings that keep nearly all of a hammer's energy are beyond the law; there the restitution
/// stays at its least.
fn fitted(built: &Built, aim: HammerContact) -> Result<(HammerContact, HammerContact)> {
    let mut built = *built;
    let mut asked = aim;
    let mass = built.spec.hammer.inertia / square(built.spec.hammer.crown);
    let mut got = aim;
    for _ in 0..30 {
        built.spec.string = string_law::like(mass, asked.time, asked.restitution);
        got = felt(&built, FIT_SPEED, Arrival::Flying)?;
        asked.time *= libm::pow(aim.time / got.time, 0.7);
        let step = 0.7 * (aim.restitution - got.restitution);
        asked.restitution = (asked.restitution + step).clamp(LEAST_RESTITUTION, 0.995);
    }
    Ok((asked, got))
}

/// A time as milliseconds.
fn ms(time: f64) -> String {
    format!("{} ms", short(time * 1e3))
}

/// Compares nine keys at four speeds, and with other hammers.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let mut report = Report::default();
    let concert = HammerSettings::CONCERT;
    let mut csv = DataTable::new(&[
        "key",
        "speed_m_s",
        "felt_contact_s",
        "heard_contact_s",
        "felt_rebound_m_s",
        "heard_rebound_m_s",
    ]);
    let mut panels: [Vec<Series>; 2] = [Vec::new(), Vec::new()];
    let mut traces = [[(); 4]; 4].map(|r| r.map(|()| Vec::new()));
    let (mut times, mut restitutions, mut beyond) = (String::new(), String::new(), String::new());
    for number in NUMBERS {
        let key =
            KeyNumber::from_index(number - 1).context("a key of the table is off the compass")?;
        let built = Design::new(key).build(&ActionSettings::default());
        for (i, speed) in SPEEDS.into_iter().enumerate() {
            let (felt, heard) =
                (felt(&built, speed, Arrival::Flying)?, heard(key, &concert, speed));
            let name = format!("key {number}, {speed} m/s");
            report.near(&format!("{name}: contact, ms"), heard.time * 1e3, BAND, felt.time * 1e3);
            let (out, back) = (felt.restitution * speed, heard.restitution * speed);
            report.near(&format!("{name}: rebound, m/s"), back, BAND, out);
            csv.row(&[&number, &speed, &felt.time, &heard.time, &out, &back]);
            let n = number as f64;
            traces[0][i].push((n, felt.time * 1e3));
            traces[1][i].push((n, heard.time * 1e3));
            traces[2][i].push((n, felt.restitution));
            traces[3][i].push((n, heard.restitution));
        }
        let flying = felt(&built, FIT_SPEED, Arrival::Flying)?;
        let placed = felt(&built, FIT_SPEED, Arrival::Constructed)?;
        let quantity = format!("key {number}: constructed over played rebound");
        report.near(&quantity, 1.0, 0.01, placed.restitution / flying.restitution);
        let aim = heard(key, &concert, FIT_SPEED);
        let (fit, got) = fitted(&built, aim)?;
        let (contact, rebound) = (got.time / aim.time, got.restitution - aim.restitution);
        if (contact - 1.0).abs() > 0.01 || rebound.abs() > 0.01 {
            beyond += &format!(
                "Key {number}: the law comes to a contact of {} and a rebound of {} of the \
                 strike's speed; the strings give {} and {}.\n",
                ms(got.time),
                short(got.restitution),
                ms(aim.time),
                short(aim.restitution)
            );
        }
        write!(times, "({number}.0, {:.3}e-3), ", fit.time * 1e3)?;
        write!(restitutions, "({number}.0, {:.3}), ", fit.restitution)?;
    }
    hammers::compare(&mut report)?;
    for (kind, by_speed) in traces.into_iter().enumerate() {
        for (i, points) in by_speed.into_iter().enumerate() {
            let heard = kind % 2 == 1;
            let name = if heard { String::new() } else { format!("{} m/s", SPEEDS[i]) };
            let shape = if heard { Shape::Dots } else { Shape::Line };
            panels[kind / 2].push(Series::new(&name, points, palette(i), shape));
        }
    }
    report.note(&format!(
        "Tables of the action's string for which the law meets the sound engine's strings at \
         {FIT_SPEED} m/s:\n\n```rust\n\
         const CONTACT_TIME: [(f64, f64); {n}] = [{}];\n\
         const RESTITUTION: [(f64, f64); {n}] = [{}];\n{}```",
        times.trim_end_matches(", "),
        restitutions.trim_end_matches(", "),
        hammers::tables()?,
        n = NUMBERS.len(),
    ));
    if !beyond.is_empty() {
        report.note(beyond.trim_end());
    }
    report.note("Lines of the figure: the action's string. Dots: the sound engine's strings.");
    let [first, second] = panels;
    let figure = Figure {
        title: "Hammer and string: as the action feels it, as it sounds".into(),
        x: Axis::new("key"),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![
            Subplot::new(Axis::new("contact, ms"), first),
            Subplot::new(Axis::new("rebound over strike speed"), second),
        ],
    };
    folder.table("string-law.csv", &csv)?;
    folder.draw("string-law", &figure, &mut report)?;
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fit_gives_the_contact_it_was_asked_for() {
        let built =
            Design::new(KeyNumber::from_midi(60).unwrap()).build(&ActionSettings::default());
        let aim = HammerContact { time: 2.4e-3, restitution: 0.55 };
        let (_, got) = fitted(&built, aim).unwrap();
        assert!((got.time / aim.time - 1.0).abs() < 2e-3, "{got:?}");
        assert!((got.restitution - aim.restitution).abs() < 2e-3, "{got:?}");
    }
}
