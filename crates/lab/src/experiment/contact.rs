//! `contact`: the sound engine's contact of hammer and strings, compared with independent solutions.

use std::f64::consts::TAU;
use std::fmt::Write as _;

use anyhow::Result;
use num_complex::Complex64;

use touchback_core::math::compass::KeyNumber;
use touchback_core::math::complex::{modulus, polar};
use touchback_core::mech::hammer::{CROWN, Hammer, HammerSettings};
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand, key};
use touchback_sound::measure::{db, force_centroid, strike_free, whole_string};
use touchback_sound::strings::contact::{
    ReferenceNote, chaigne_askenfelt, strike_below, strike_offline,
};
use touchback_sound::tuning::scale::StringSpec;
use touchback_sound::{Sound, SoundSettings};

/// Hammer speeds, m/s.
const SPEEDS: [f64; 4] = [1.0, 2.0, 4.0, 6.0];

/// Contact time, ms, and peak force, N, at [`SPEEDS`] from an independent solver (explicit steps at
/// 1.536 MHz) with the parameters of [Chaigne 1994]; rounded to 10 µs and to 1 N.
const REFERENCE: [(ReferenceNote, [(f64, f64); 4]); 3] = [
    (ReferenceNote::C2, [(3.67, 11.0), (3.31, 25.0), (3.03, 56.0), (2.90, 88.0)]),
    (ReferenceNote::C4, [(2.26, 13.0), (2.06, 28.0), (1.91, 61.0), (1.84, 95.0)]),
    (ReferenceNote::C7, [(0.92, 27.0), (0.78, 60.0), (0.69, 127.0), (0.66, 196.0)]),
];

/// Steps per second: the highest rate of a note of the engine.
const RATE: f64 = 352_800.0;

/// Keys with changed hammers, C1 to C8, and their hammer speed, m/s.
const KEYS: [usize; 6] = [4, 16, 40, 64, 76, 88];
const SPEED: f64 = 2.5;

/// Highest partial of a string with all its partials, Hz, and the steps per second that it requires.
const ALL_HZ: f64 = 300_000.0;
const ALL_RATE: f64 = 1_536_000.0;

/// Largest relative deviation for changed hammers.
const BAND: f64 = 0.03;

/// Keys of the rendered notes, and their sample rate, Hz.
const PLAYED: [usize; 3] = [16, 40, 64];
const PLAYED_RATE: f64 = 48_000.0;

/// Partials 1 to 8 are compared where the force spectrum is within 20 dB of its maximum.
const FAINT: f64 = 0.1;

/// Hammers that differ from the concert grand's.
const HAMMERS: [(&str, HammerSettings); 7] = {
    let h = HammerSettings::CONCERT;
    [
        ("mass × 0.7", HammerSettings { mass: 0.7, ..h }),
        ("mass × 1.5", HammerSettings { mass: 1.5, ..h }),
        ("mass × 2", HammerSettings { mass: 2.0, ..h }),
        ("strike weight −2.5 g", HammerSettings { added: -2.5e-3, ..h }),
        ("strike weight +2.5 g", HammerSettings { added: 2.5e-3, ..h }),
        ("hardness −2", HammerSettings { hardness: -2.0, ..h }),
        ("hardness +2", HammerSettings { hardness: 2.0, ..h }),
    ]
};

/// One strike from any solver.
struct Blow {
    /// Contact time, ms, peak force, N, and spectral centroid of the force, Hz.
    numbers: [f64; 3],
    forces: Vec<f64>,
    rate: f64,
}

/// Names and units of `numbers`.
const QUANTITIES: [(&str, &str); 3] =
    [("contact", "ms"), ("peak force", "N"), ("centroid of the force", "Hz")];

impl Blow {
    fn new(contact_time: f64, forces: Vec<f64>, rate: f64) -> Self {
        let peak = forces.iter().copied().fold(0.0, f64::max);
        let numbers = [1e3 * contact_time, peak, force_centroid(&forces, rate)];
        Self { numbers, forces, rate }
    }

    fn of_engine(hammer: &Hammer, string: &StringSpec) -> Self {
        let report = strike_offline(hammer, string, SPEED, RATE);
        Self::new(report.contact_time, report.forces, report.rate)
    }

    /// The strike by the engine's solver with all partials of the string.
    fn of_all_partials(hammer: &Hammer, string: &StringSpec) -> Self {
        let report = strike_below(ALL_HZ, hammer, string, SPEED, ALL_RATE);
        Self::new(report.contact_time, report.forces, report.rate)
    }

    fn of_whole_string(hammer: &Hammer, string: &StringSpec) -> Self {
        let strike = whole_string::strike(hammer, string, SPEED);
        Self::new(strike.contact_time, strike.forces, strike.rate)
    }

    /// Spectrum of the force at `hz`, N s.
    fn at(&self, hz: f64) -> f64 {
        let turn = polar(1.0, -TAU * hz / self.rate);
        let step = |(w, sum): (Complex64, Complex64), f: &f64| (w * turn, sum + w * *f);
        let start = (Complex64::ONE, Complex64::ZERO);
        modulus(self.forces.iter().fold(start, step).1) / self.rate
    }
}

/// Compares 3 notes at 4 speeds, and 6 keys with 8 hammers.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let mut report = Report::default();
    published(folder, &mut report)?;
    changed(&mut report)?;
    played(&mut report)?;
    similarity(&mut report)?;
    masses(&mut report)?;
    folder.write("contact.md", page(&report).as_bytes())?;
    Ok(report)
}

/// The engine's solver with the hammers and strings of [Chaigne 1994].
fn published(folder: &mut Folder, report: &mut Report) -> Result<()> {
    let mut csv = DataTable::new(&["note", "speed_m_s", "time_s", "force_n"]);
    let mut worst: f64 = 0.0;
    for (note, rows) in REFERENCE {
        let (hammer, string) = chaigne_askenfelt(note);
        for (speed, (time, force)) in SPEEDS.into_iter().zip(rows) {
            let got = strike_offline(&hammer, &string, speed, RATE);
            let name = format!("{note:?}, {speed} m/s");
            report.near(&format!("{name}: contact, ms"), time, 0.02, got.contact_time * 1e3);
            // The reference is rounded to ±0.5 N.
            let band = TargetBand::Within(0.97 * force - 0.5, 1.03 * force + 0.5);
            let quantity = format!("{name}: peak force, N");
            report.check(&quantity, &format!("{force}"), band, got.peak_force);
            worst = worst.max(got.energy_error);
            for (i, f) in got.forces.iter().enumerate() {
                csv.row(&[&format_args!("{note:?}"), &speed, &((i + 1) as f64 / got.rate), f]);
            }
        }
    }
    report.check("largest energy error, share", "0", TargetBand::AtMost(1e-6), worst);
    report.note(
        "Published hammers and strings: the bands are ± 2 % of the contact time, and ± 3 % and \
         ± 0.5 N of the peak force, because the reference is rounded to 1 N.",
    );
    folder.table("contact.csv", &csv)
}

/// The string of `key` as tuned.
fn string(key: KeyNumber) -> StringSpec {
    StringSpec::of(key, &SoundSettings::default())
}

/// Compares the concert grand's hammers, then changed ones.
fn changed(report: &mut Report) -> Result<()> {
    for number in KEYS {
        against_whole_string(report, &format!("key {number}"), key(number)?, Blow::of_engine);
    }
    against_whole_string(report, "key 88, all partials", key(88)?, Blow::of_all_partials);
    report.note(
        "Keys: the concert grand's hammers and strings at 2.5 m/s, compared with finite \
         differences of the whole string; the rows below each key have the ratios by which a \
         changed hammer changes these three values. The engine's strings have partials up to \
         20 kHz. Up to C7 this limit does not change the contact; C8 has four partials below it, \
         and its contact is a tenth too short. *All partials* is the same solver with partials up \
         to 300 kHz.",
    );
    Ok(())
}

/// Adds the rows of `key` with the solutions of `solve`.
fn against_whole_string(
    report: &mut Report,
    name: &str,
    key: KeyNumber,
    solve: fn(&Hammer, &StringSpec) -> Blow,
) {
    let string = string(key);
    let both = |hammer: &Hammer| {
        (solve(hammer, &string).numbers, Blow::of_whole_string(hammer, &string).numbers)
    };
    let (found, whole) = both(&Hammer::concert(key));
    for (i, (quantity, unit)) in QUANTITIES.into_iter().enumerate() {
        report.near(&format!("{name}: {quantity}, {unit}"), whole[i], BAND, found[i]);
    }
    for (hammer, settings) in HAMMERS {
        let (with, expected) = both(&Hammer::of(key, &settings));
        for (i, (quantity, _)) in QUANTITIES.into_iter().enumerate() {
            let quantity = format!("{name}, {hammer}: {quantity}, ratio");
            report.near(&quantity, expected[i] / whole[i], BAND, with[i] / found[i]);
        }
    }
}

/// Changes of partials in rendered notes by other hammers.
fn played(report: &mut Report) -> Result<()> {
    let mut sound = Sound::new(PLAYED_RATE, &SoundSettings::close());
    let mut levels = |hammers: &HammerSettings, key, partials: &[f64; 8]| {
        sound.set_hammers(hammers);
        let note = strike_free(&mut sound, key, SPEED, 0.3, PLAYED_RATE);
        partials.map(|hz| db(note.amplitude(hz, 0.02, 0.3)))
    };
    for number in PLAYED {
        let key = key(number)?;
        let (string, concert) = (string(key), Hammer::concert(key));
        let whole = Blow::of_whole_string(&concert, &string);
        let partials = std::array::from_fn(|i| string.partial_hz(i + 1));
        let before = levels(&HammerSettings::CONCERT, key, &partials);
        for (name, settings) in HAMMERS {
            let other = Blow::of_whole_string(&Hammer::of(key, &settings), &string);
            let expected = partials.map(|hz| [&other, &whole].map(|blow| blow.at(hz)));
            let loudest = expected.iter().flatten().fold(0.0f64, |m, x| m.max(*x));
            let after = levels(&settings, key, &partials);
            let mut worst = 0.0f64;
            for ((after, before), [other, whole]) in after.iter().zip(before).zip(expected) {
                if other.min(whole) > FAINT * loudest {
                    worst = worst.max((after - before - db(other / whole)).abs());
                }
            }
            let quantity = format!("key {number}, {name}, as played: partials, largest error, dB");
            report.check(&quantity, "0", TargetBand::AtMost(0.5), worst);
            report.id(&["played", &format!("key {number}"), name]);
        }
    }
    report.note(
        "As played: changed hammers change the levels of the partials 1 to 8 of a note rendered at \
         48 kHz. The rows compare this change with that of the force's spectrum by finite \
         differences, for partials within 20 dB of the loudest.",
    );
    Ok(())
}

/// Similarity: displacements scale with the speed, and the equations depend on stiffness and speed only
/// through K·v^(p − 1). A felt x times as stiff at speed v behaves as the original at v·x^(1/(p − 1)).
fn similarity(report: &mut Report) -> Result<()> {
    for number in KEYS {
        let key = key(number)?;
        let (string, concert) = (string(key), Hammer::concert(key));
        let stiff = concert.set(&HammerSettings { hardness: 1.0, ..HammerSettings::CONCERT });
        let faster = SPEED * libm::pow(2.0, 1.0 / (concert.felt.exponent - 1.0));
        let a = strike_offline(&stiff, &string, SPEED, RATE);
        let b = strike_offline(&concert, &string, faster, RATE);
        let quantity = format!(
            "key {number}: rebound with felt twice as stiff over rebound at the similar speed"
        );
        report.near(&quantity, 1.0, 1e-3, a.restitution / b.restitution);
    }
    Ok(())
}

/// Contact with the hammer mass that follows from the action's inertia.
fn masses(report: &mut Report) -> Result<()> {
    let mut text = String::from(
        "The hammer's mass in the contact and its inertia in the action come from two published sets \
         (`crates/core/src/mech/hammer.rs`). The table has the ratio of inertia over the crown's radius \
         squared to that mass, and the ratios by which this mass would change contact time, peak force \
         and centroid:\n\n\
         | key | mass | contact | peak force | centroid |\n| --- | --- | --- | --- | --- |\n",
    );
    for number in KEYS {
        let key = key(number)?;
        let (string, concert) = (string(key), Hammer::concert(key));
        let mass = concert.inertia / (CROWN * CROWN);
        let [present, changed] = [concert.mass, mass]
            .map(|mass| Blow::of_engine(&Hammer { mass, ..concert }, &string).numbers);
        let [time, force, centroid] = std::array::from_fn(|i| changed[i] / present[i]);
        let ratio = mass / concert.mass;
        writeln!(text, "| {number} | {ratio:.3} | {time:.3} | {force:.3} | {centroid:.3} |")?;
    }
    report.note(text.trim_end());
    Ok(())
}

/// The page of the documentation.
fn page(report: &Report) -> String {
    let (rows, missed) = report.count();
    format!(
        "# Hammer and strings compared with independent solutions\n\nThis page is written by \
         `touchback lab contact`. Every row is one value of a strike: that of an independent \
         solution, the accepted band, and that of the sound engine. Missed rows are listed too: {} of \
         {rows} are met.\n\n{}\n{}",
        rows - missed,
        report.text(true),
        report.missed_line("contact")
    )
}
