//! The string law with hammers other than the concert grand's, and the tables of its exponents.

use std::fmt::Write as _;

use anyhow::Result;

use super::{Arrival, BAND, FIT_SPEED, NUMBERS, action_contact, fitted, sound_contact};
use touchback_action::ActionSettings;
use touchback_action::grand::design::concert::Design;
use touchback_offline::bench::{Report, key};

/// Another hammer: its name and settings.
type Other = (&'static str, fn(&mut ActionSettings));

/// Hammers compared.
const HAMMERS: [Other; 11] = [
    ("mass × 0.7", |s| s.hammer_mass = 0.7),
    ("mass × 1.5", |s| s.hammer_mass = 1.5),
    ("mass × 2", |s| s.hammer_mass = 2.0),
    ("strike weight −2.5 g", |s| s.strike_weight_g = -2.5),
    ("strike weight +2.5 g", |s| s.strike_weight_g = 2.5),
    ("hardness −2", |s| s.hammer_hardness = -2.0),
    ("hardness +2", |s| s.hammer_hardness = 2.0),
    ("strike point × 0.7", |s| s.strike_point = 0.7),
    ("strike point × 1.4", |s| s.strike_point = 1.4),
    ("mass × 0.8, hardness +1", |s| (s.hammer_mass, s.hammer_hardness) = (0.8, 1.0)),
    ("mass × 1.2, hardness −1", |s| (s.hammer_mass, s.hammer_hardness) = (1.2, -1.0)),
];

/// One table of the law: its name, the ratios of the fit, and the setting that a ratio changes.
type Fit = (&'static str, [f64; 4], fn(&mut ActionSettings, f64));

const FITS: [Fit; 3] = [
    ("BY_MASS", [0.5, 0.7, 1.5, 2.0], |s, x| s.hammer_mass = x),
    ("BY_STIFFNESS", [0.25, 0.5, 2.0, 4.0], |s, x| s.hammer_hardness = libm::log2(x)),
    ("BY_STRIKE_POINT", [0.5, 0.7, 1.4, 1.7], |s, x| s.strike_point = x),
];

/// Adds rows for contact time and rebound of every key with every hammer.
pub fn compare(report: &mut Report) -> Result<()> {
    for number in NUMBERS {
        let (key, design) = (key(number)?, Design::new(key(number)?));
        for (name, set) in HAMMERS {
            let mut settings = ActionSettings::default();
            set(&mut settings);
            let action = action_contact(&design.build(&settings), FIT_SPEED, Arrival::Flying)?;
            let sound = sound_contact(key, &settings.hammers(), FIT_SPEED);
            let (key_name, hammer) = (format!("key {number}"), name);
            let name = format!("{key_name}, {hammer}");
            report.near(&format!("{name}: contact, ms"), sound.time * 1e3, BAND, action.time * 1e3);
            report.id(&["hammer", &key_name, "contact", hammer]);
            let [back, out] = [sound, action].map(|contact| contact.restitution * FIT_SPEED);
            report.near(&format!("{name}: rebound, m/s"), back, BAND, out);
            report.id(&["hammer", &key_name, "rebound", hammer]);
        }
    }
    Ok(())
}

/// The law's tables of exponents and slopes, as source text.
pub fn tables() -> Result<String> {
    let mut text = String::new();
    for (name, ratios, set) in FITS {
        writeln!(text, "const {name}: Response = [")?;
        for number in NUMBERS {
            let [a, b, c, d] = response(number, ratios, set)?;
            writeln!(text, "    ({number}.0, [{a:.3}, {b:.3}, {c:.3}, {d:.3}]),")?;
        }
        writeln!(text, "];")?;
    }
    Ok(text)
}

/// Exponents of the contact time, and slopes of the restitution, below and above the ratio 1, by least
/// squares over the ratios on either side.
fn response(
    number: usize,
    ratios: [f64; 4],
    set: fn(&mut ActionSettings, f64),
) -> Result<[f64; 4]> {
    let (key, design) = (key(number)?, Design::new(key(number)?));
    let values = |ratio: f64| {
        let mut settings = ActionSettings::default();
        set(&mut settings, ratio);
        let aim = sound_contact(key, &settings.hammers(), FIT_SPEED);
        fitted(&design.build(&settings), aim).map(|(values, _)| values)
    };
    let standard = values(1.0)?;
    let mut response = [0.0; 4];
    for (side, ratios) in ratios.chunks(2).enumerate() {
        let (mut time, mut restitution, mut square) = (0.0, 0.0, 0.0);
        for &ratio in ratios {
            let (values, x) = (values(ratio)?, libm::log(ratio));
            time += x * libm::log(values.time / standard.time);
            restitution += x * (values.restitution - standard.restitution);
            square += x * x;
        }
        (response[side], response[2 + side]) = (time / square, restitution / square);
    }
    Ok(response)
}
