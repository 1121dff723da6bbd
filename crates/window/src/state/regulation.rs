//! Usual ranges of settings on grands, feasibility over the compass, and the consequence of an unusual value
//! in a sentence.

use touchback_action::ActionSettings;
use touchback_action::grand::design::concert::Design;
use touchback_action::grand::design::regulation::Regulated;
use touchback_action::grand::key::weigh::Weighed;
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_instrument::host::params::Parameter;

/// A setting's usual range on a grand, and the consequences beyond its ends.
struct Usual {
    id: &'static str,
    low: f64,
    high: f64,
    below: &'static str,
    above: &'static str,
    source: &'static str,
}

const SHEETS: &str = "factory regulation sheets";
const STANWOOD: &str = "Stanwood's tables";

const USUAL: [Usual; 10] = [
    Usual {
        id: "key_dip_mm",
        low: 9.5,
        high: 10.7,
        below: "A shallow key: the jack may not leave the knuckle before the key is down.",
        above: "A deep key: much aftertouch, slow repetition.",
        source: SHEETS,
    },
    Usual {
        id: "blow_mm",
        low: 42.0,
        high: 49.0,
        below: "A short blow: light and quick, but the loudest tone is lost.",
        above: "A long blow: the key reaches its bed before the jack lets off.",
        source: SHEETS,
    },
    Usual {
        id: "let_off_mm",
        low: 0.8,
        high: 3.2,
        below: "Let-off so late that a hard or wavering press may block the hammer on the string.",
        above: "Early let-off: the softest notes fail and control is lost near the string.",
        source: SHEETS,
    },
    Usual {
        id: "drop_mm",
        low: 1.0,
        high: 2.0,
        below: "Hardly any drop: after let-off the hammer stays so near that it may bounce back \
                to the string.",
        above: "Much drop: a repeated note begins from far below.",
        source: SHEETS,
    },
    Usual {
        id: "check_mm",
        low: 12.7,
        high: 16.0,
        below: "Checked very high: the tail may touch the check on its way up.",
        above: "Checked low: slow repetition.",
        source: SHEETS,
    },
    Usual {
        id: "jack_clearance_mm",
        low: 0.05,
        high: 0.4,
        below: "No clearance: the jack may fail to return under the knuckle.",
        above: "A wide gap: the key is loose before the hammer moves.",
        source: SHEETS,
    },
    Usual {
        id: "damper_pickup",
        low: 0.4,
        high: 0.6,
        below: "Dampers leave early: a heavy start, notes run into one another.",
        above: "Dampers leave late: no sound from a half-pressed key.",
        source: SHEETS,
    },
    Usual {
        id: "hammer_mass",
        low: 0.8,
        high: 1.2,
        below: "Lighter than any hammer set sold for concert grands.",
        above: "Heavier than any hammer set sold for concert grands.",
        source: STANWOOD,
    },
    Usual {
        id: "friction",
        low: 0.7,
        high: 1.4,
        below: "Looser than felt bushings can be made.",
        above: "Sluggish centres: keys return late.",
        source: STANWOOD,
    },
    Usual {
        id: "repetition_spring",
        low: 0.8,
        high: 1.25,
        below: "A weak spring does not lift the hammer off the check: repetition as on an upright.",
        above: "A strong spring: the hammer jumps when the check lets go.",
        source: SHEETS,
    },
];

/// A tooltip's addition: the usual range with its source.
#[must_use]
pub fn usual(parameter: &Parameter) -> Option<String> {
    let usual = USUAL.iter().find(|u| u.id == parameter.id)?;
    let (low, high) = (parameter.number_text(usual.low), parameter.text(usual.high));
    Some(format!("Usual on grands: {low} … {high} ({}).", usual.source))
}

/// The consequence of a `value` outside the usual range.
#[must_use]
pub fn warning(parameter: &Parameter, value: f64) -> Option<&'static str> {
    let usual = USUAL.iter().find(|u| u.id == parameter.id)?;
    if value < usual.low {
        Some(usual.below)
    } else if value > usual.high {
        Some(usual.above)
    } else {
        None
    }
}

/// The solver's results for all keys.
#[derive(Clone)]
pub struct Compass {
    settings: ActionSettings,
    regulated: Vec<Regulated>,
    dip: f64,
}

impl Compass {
    /// The results of all 88 keys under `settings`.
    #[must_use]
    pub fn new(settings: &ActionSettings) -> Self {
        let regulated =
            KeyNumber::all().map(|key| Design::new(key).build(settings).regulated).collect();
        Self { settings: settings.clone(), regulated, dip: 1e-3 * settings.key_dip_mm }
    }

    /// Whether the results are those of these settings.
    #[must_use]
    pub fn is_of(&self, settings: &ActionSettings) -> bool {
        self.settings == *settings
    }

    /// Key depth at let-off, mm, by key number; none for a key that cannot let off.
    #[must_use]
    pub fn let_off(&self) -> Vec<[f64; 2]> {
        let numbered = self.regulated.iter().zip(KeyNumber::all());
        numbered
            .map(|(r, key)| [f64::from(key.number()), 1e3 * r.let_off_depth])
            .filter(|p| p[1].is_finite())
            .collect()
    }

    /// Number of keys whose jack cannot slip before the key is down.
    #[must_use]
    pub fn blocked(&self) -> usize {
        self.regulated.iter().filter(|r| r.let_off_depth >= self.dip).count()
    }

    /// What a slow press of `key` measures, in words, and whether all keys can be played, by the screws'
    /// geometry. The bench has the same figures: the geometry's own let-off is some 0.1 mm shallower,
    /// because it takes heel and levers as rigid.
    #[must_use]
    pub fn sentence(&self, key: KeyNumber, measured: Option<&Weighed>) -> (String, bool) {
        let r = &self.regulated[key.index()];
        let blocked = self.blocked();
        if r.let_off_depth < self.dip {
            let elsewhere = if blocked > 0 {
                format!(" {blocked} of {KEYS} keys cannot let off.")
            } else {
                String::new()
            };
            let sentence = match measured {
                Some(m) if m.after_touch_mm.is_finite() => format!(
                    "The jack slips at {:.2} mm of the key's travel; {:.2} mm of aftertouch remain.",
                    m.dip_mm - m.after_touch_mm,
                    m.after_touch_mm
                ),
                Some(_) => "In a slow press the jack does not slip above the key bed.".to_owned(),
                None => "The slow press is being measured.".to_owned(),
            };
            (format!("{sentence}{elsewhere}"), blocked == 0)
        } else {
            (
                format!(
                    "This key is down before its jack slips: it blocks. So do {blocked} of {KEYS} \
                     keys. Raise the let-off, deepen the key or shorten the blow."
                ),
                false,
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_action::grand::key::weigh::FIGURES;
    use touchback_instrument::host::params::find;

    #[test]
    fn the_ranges_of_settings_are_those_of_their_measurements() {
        for figure in FIGURES.iter().filter(|figure| figure.set.is_some()) {
            let usual = USUAL
                .iter()
                .find(|usual| usual.id == figure.id || usual.id == format!("key_{}", figure.id));
            let (usual, measured) =
                (usual.unwrap(), figure.usual.unwrap()(KeyNumber::all().next().unwrap()));
            assert_eq!((usual.low, usual.high), (measured.low, measured.high), "{}", figure.id);
        }
    }

    #[test]
    fn defaults_are_usual_and_the_figures_in_range() {
        for usual in &USUAL {
            let p = find(usual.id).unwrap();
            assert!(usual.low >= p.min() && usual.high <= p.max(), "{}", usual.id);
            assert_eq!(warning(p, p.default_value()), None, "{}", usual.id);
            assert_eq!(warning(p, usual.low - 1e-6), Some(usual.below));
            assert_eq!(warning(p, usual.high + 1e-6), Some(usual.above));
        }
    }

    #[test]
    fn a_blocking_regulation_is_reported_as_blocking() {
        let key = KeyNumber::from_midi(60).unwrap();
        let good = Compass::new(&ActionSettings::default());
        assert_eq!(good.blocked(), 0);
        assert!(good.sentence(key, None).1);
        assert_eq!(good.let_off().len(), 88);
        let bad = ActionSettings { key_dip_mm: 8.0, blow_mm: 54.0, ..ActionSettings::default() };
        let blocked = Compass::new(&bad);
        assert!(
            blocked.blocked() > 0 && !blocked.sentence(key, None).1,
            "{}",
            blocked.sentence(key, None).0
        );
        assert!(!blocked.is_of(&ActionSettings::default()));
    }
}
