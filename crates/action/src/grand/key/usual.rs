//! Usual figures of concert grands beside the measurements of [`super::weigh`], each with its source.

use touchback_core::math::compass::KeyNumber;

/// A usual range. An end that the source does not give is infinite.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Usual {
    /// Lower end, in the figure's unit.
    pub low: f64,
    /// Upper end, in the figure's unit.
    pub high: f64,
    /// Source, as in the list of references.
    pub source: &'static str,
}

impl Usual {
    /// The range as text with `decimals` digits, without unit and source.
    #[must_use]
    pub fn text(&self, decimals: usize) -> String {
        let Self { low, high, .. } = self;
        match (low.is_finite(), high.is_finite()) {
            (true, true) if low.to_bits() == high.to_bits() => format!("about {low:.decimals$}"),
            (true, true) => format!("{low:.decimals$}…{high:.decimals$}"),
            (true, false) => format!("{low:.decimals$} or more"),
            (false, true) => format!("{high:.decimals$} or less"),
            (false, false) => String::new(),
        }
    }

    /// Whether `value` is in the range.
    #[must_use]
    pub fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

const SHEETS: &str = "[regulation sheets]";
const STANWOOD: &str = "[Stanwood tables]";

/// The same range for all keys.
const fn all(low: f64, high: f64, source: &'static str) -> Usual {
    Usual { low, high, source }
}

/// Values at the numbers of keys, with straight lines between.
fn between(points: &[(f64, f64)], key: KeyNumber) -> f64 {
    let number = f64::from(key.number());
    let pair = points.windows(2).find(|pair| number <= pair[1].0);
    pair.map_or(f64::NAN, |pair| {
        let ((from, start), (to, end)) = (pair[0], pair[1]);
        start + (end - start) * (number - from) / (to - from)
    })
}

pub(super) fn down_weight(_: KeyNumber) -> Usual {
    all(46.0, 56.0, SHEETS)
}

pub(super) fn up_weight(_: KeyNumber) -> Usual {
    all(20.0, f64::INFINITY, SHEETS)
}

pub(super) fn balance_weight(_: KeyNumber) -> Usual {
    all(37.0, 37.0, STANWOOD)
}

/// Medium zone: 15 ± 2 g at key 1, 11 ± 2 g at key 88.
pub(super) fn friction_weight(key: KeyNumber) -> Usual {
    let middle = between(&[(1.0, 15.0), (88.0, 11.0)], key);
    all(middle - 2.0, middle + 2.0, STANWOOD)
}

/// Level 8, in the middle of the table.
pub(super) fn front_weight(key: KeyNumber) -> Usual {
    let middle = between(&[(1.0, 39.5), (44.0, 27.0), (88.0, 2.2)], key);
    all(middle, middle, STANWOOD)
}

/// From level 3, light, to level 11, heavy.
pub(super) fn strike_weight(key: KeyNumber) -> Usual {
    let light = [(1.0, 9.1), (22.0, 8.5), (44.0, 7.4), (66.0, 5.9), (88.0, 4.0)];
    let heavy = [(1.0, 13.6), (22.0, 12.6), (44.0, 11.1), (66.0, 9.0), (88.0, 6.3)];
    all(between(&light, key), between(&heavy, key), STANWOOD)
}

/// Travel of the hammer over that of the key.
pub(super) fn action_ratio(_: KeyNumber) -> Usual {
    all(4.8, 6.0, "[Askenfelt & Jansson 1990]")
}

/// Derived from the inertias of hammer and key: 300 to 400 g up to middle C, 150 to 200 g at the top.
pub(super) fn inertia(key: KeyNumber) -> Usual {
    let low = between(&[(1.0, 300.0), (40.0, 300.0), (88.0, 150.0)], key);
    let high = between(&[(1.0, 400.0), (40.0, 400.0), (88.0, 200.0)], key);
    all(low, high, "derived from [Hirschkorn 2004]")
}

pub(super) fn dip(_: KeyNumber) -> Usual {
    all(9.5, 10.7, SHEETS)
}

pub(super) fn blow(_: KeyNumber) -> Usual {
    all(42.0, 49.0, SHEETS)
}

pub(super) fn let_off(_: KeyNumber) -> Usual {
    all(0.8, 3.2, SHEETS)
}

pub(super) fn drop(_: KeyNumber) -> Usual {
    all(1.0, 2.0, SHEETS)
}

pub(super) fn after_touch(_: KeyNumber) -> Usual {
    all(0.8, 1.6, SHEETS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_the_ends_that_the_source_gives() {
        let text = |low, high, decimals| all(low, high, SHEETS).text(decimals);
        assert_eq!(text(46.0, 56.0, 0), "46…56");
        assert_eq!(text(20.0, f64::INFINITY, 1), "20.0 or more");
        assert_eq!(text(f64::NEG_INFINITY, 3.0, 1), "3.0 or less");
        assert_eq!(text(37.0, 37.0, 0), "about 37");
        assert!(all(20.0, f64::INFINITY, SHEETS).holds(1e3));
        assert!(!all(1.0, 2.0, SHEETS).holds(f64::NAN));
    }

    #[test]
    fn ranges_follow_the_tables_over_the_compass() {
        let key = |number: u8| KeyNumber::from_number(number).unwrap();
        for number in 1..=88 {
            let key = key(number);
            for range in [friction_weight(key), strike_weight(key), inertia(key)] {
                assert!(range.low < range.high, "{number}: {range:?}");
            }
        }
        for (found, expected) in [
            (friction_weight(key(1)).low, 13.0),
            (friction_weight(key(88)).high, 13.0),
            (strike_weight(key(44)).low, 7.4),
            (strike_weight(key(66)).high, 9.0),
            (inertia(key(40)).low, 300.0),
            (inertia(key(88)).high, 200.0),
            (front_weight(key(88)).high, 2.2),
        ] {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
    }
}
