//! `string-law`: the string in the action's model compared with the strings of the sound engine.
//!
//! The action's string is a one-sided spring with hysteresis, because nothing feeds back from the sound to
//! the action. Here the hammer of a running key strikes it with the action's steps, and the sound engine's
//! hammer strikes its strings once; contact time and rebound are compared. The tables of the law are fitted
//! here.

mod hammers;

use std::fmt::Write as _;
use touchback_core::exchange::cancel;

use anyhow::{Context, Result, anyhow};

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
use touchback_offline::bench::{DataTable, Folder, Report, short};
use touchback_offline::plot::{Axis, Figure, Series, Shape, Subplot, palette};
use touchback_sound::SoundSettings;
use touchback_sound::strings::contact::strike_offline;
use touchback_sound::tuning::scale::StringSpec;

/// Keys compared: A0 and every C.
pub const NUMBERS: [usize; 9] = [1, 4, 16, 28, 40, 52, 64, 76, 88];

/// Hammer speeds, m/s.
const SPEEDS: [f64; 4] = [1.0, 2.0, 4.0, 6.0];

/// Hammer speed of the tables, m/s.
const FIT_SPEED: f64 = string_law::SPEED;

/// Steps per second of the sound engine's contact here: more than any note uses.
const RATE: f64 = 384_000.0;

/// Least restitution of the law: below it the rebound would take longer than any string's.
const LEAST_RESTITUTION: f64 = 0.15;

/// Largest relative deviation of contact time and rebound speed.
const BAND: f64 = 0.2;

/// One contact of hammer and string.
#[derive(Clone, Copy, Debug)]
struct HammerContact {
    /// First to last touch, s.
    time: f64,
    /// Rebound speed over strike speed.
    restitution: f64,
}

/// How the hammer arrives at the string.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Arrival {
    /// In flight, in the middle of a step.
    Flying,
    /// Placed at the string, as for a note with a constructed strike.
    Constructed,
}

/// Records the times of contact and release.
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

/// Contact of the hammer of a running key with the action's string; the mass is rigid on the shank, as in
/// the sound engine.
fn action_contact(built: &Built, speed: f64, arrival: Arrival) -> Result<HammerContact> {
    let mut spec = built.spec;
    spec.hammer.shank.stiffness = 0.0;
    let spec = &spec;
    let grand = Grand::new(spec);
    let mut running = construct::strike(spec, &grand.numbers, &built.regulated, speed)
        .context("the standard regulation has no strike")?;
    let mut events = StringLawEvents { now: 0.0, met: Some(0.0), left: None };
    if arrival == Arrival::Flying {
        running.x[state::HAMMER] = -0.4 * STEP * speed / spec.hammer.crown;
        events.met = None;
    }
    let inputs = DriveNow::ends(Drive::Free, [rest::TRAY_DOWN; 2]);
    while events.now < 0.05 {
        cancel::check();
        step::STEPPER.advance(&grand, &mut running, &inputs, &mut events);
        if let (Some(met), Some((left, rate))) = (events.met, events.left) {
            return Ok(HammerContact {
                time: left - met,
                restitution: -spec.hammer.crown * rate / speed,
            });
        }
        events.now += STEP;
    }
    Err(anyhow!("the hammer stays on the string at {speed} m/s"))
}

/// Contact of the sound engine's hammer with its strings.
fn sound_contact(key: KeyNumber, hammers: &HammerSettings, speed: f64) -> HammerContact {
    let string = StringSpec::of(key, &SoundSettings::default());
    let report = strike_offline(&Hammer::of(key, hammers), &string, speed, RATE);
    HammerContact { time: report.contact_time, restitution: report.restitution }
}

/// The table values for which the action's contact is closest to `aim` at [`FIT_SPEED`], and that contact.
/// The law's formula is approximate; iteration removes its error. Strings that absorb nearly all of a
/// hammer's energy are outside the law; there the restitution stays at its minimum.
fn fitted(built: &Built, aim: HammerContact) -> Result<(HammerContact, HammerContact)> {
    let mut built = *built;
    let mut values = aim;
    let mass = built.spec.hammer.inertia / square(built.spec.hammer.crown);
    let mut got = aim;
    for _ in 0..30 {
        built.spec.string = string_law::like(mass, values.time, values.restitution);
        got = action_contact(&built, FIT_SPEED, Arrival::Flying)?;
        values.time *= libm::pow(aim.time / got.time, 0.7);
        let step = 0.7 * (aim.restitution - got.restitution);
        values.restitution = (values.restitution + step).clamp(LEAST_RESTITUTION, 0.995);
    }
    Ok((values, got))
}

/// A time as milliseconds.
fn ms(time: f64) -> String {
    format!("{} ms", short(time * 1e3))
}

/// Compares 9 keys at 4 speeds, and with other hammers.
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
            let (action, sound) = (
                action_contact(&built, speed, Arrival::Flying)?,
                sound_contact(key, &concert, speed),
            );
            let [key_name, at] = [format!("key {number}"), format!("{speed} m/s")];
            let name = format!("{key_name}, {at}");
            report.near(&format!("{name}: contact, ms"), sound.time * 1e3, BAND, action.time * 1e3);
            report.id(&["speed", &key_name, "contact", &at]);
            let (out, back) = (action.restitution * speed, sound.restitution * speed);
            report.near(&format!("{name}: rebound, m/s"), back, BAND, out);
            report.id(&["speed", &key_name, "rebound", &at]);
            csv.row(&[&number, &speed, &action.time, &sound.time, &out, &back]);
            let n = number as f64;
            traces[0][i].push((n, action.time * 1e3));
            traces[1][i].push((n, sound.time * 1e3));
            traces[2][i].push((n, action.restitution));
            traces[3][i].push((n, sound.restitution));
        }
        let flying = action_contact(&built, FIT_SPEED, Arrival::Flying)?;
        let placed = action_contact(&built, FIT_SPEED, Arrival::Constructed)?;
        let quantity = format!("key {number}: constructed over played rebound");
        report.near(&quantity, 1.0, 0.01, placed.restitution / flying.restitution);
        let aim = sound_contact(key, &concert, FIT_SPEED);
        let (fit, got) = fitted(&built, aim)?;
        let (contact, rebound) = (got.time / aim.time, got.restitution - aim.restitution);
        if (contact - 1.0).abs() > 0.01 || rebound.abs() > 0.01 {
            beyond += &format!(
                "Key {number}: the law gives a contact of {} and a rebound of {} of the strike's \
                 speed; the strings give {} and {}.\n",
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
            let sound = kind % 2 == 1;
            let name = if sound { String::new() } else { format!("{} m/s", SPEEDS[i]) };
            let shape = if sound { Shape::Dots } else { Shape::Line };
            panels[kind / 2].push(Series::new(&name, points, palette(i), shape));
        }
    }
    report.note(&format!(
        "Tables of the action's string for which the law agrees with the sound engine's strings at \
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
        title: "Contact of hammer and string: the action's model and the sound engine".into(),
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
    fn a_fit_reproduces_its_target_contact() {
        let built =
            Design::new(KeyNumber::from_midi(60).unwrap()).build(&ActionSettings::default());
        let aim = HammerContact { time: 2.4e-3, restitution: 0.55 };
        let (_, got) = fitted(&built, aim).unwrap();
        assert!((got.time / aim.time - 1.0).abs() < 2e-3, "{got:?}");
        assert!((got.restitution - aim.restitution).abs() < 2e-3, "{got:?}");
    }
}
