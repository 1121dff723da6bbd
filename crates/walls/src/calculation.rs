//! Analyses as functions of chosen numbers: one table for the command, Python and other programs.

pub mod motion;

use anyhow::{Context as _, Result, bail, ensure};

use crate::analysis::marginal::{self, poles};
use crate::analysis::passivity;
use crate::analysis::return_map::{Crossing, Switching};
use crate::analysis::worst_case::WorstCase;
use crate::junction::masses::Pair;
use crate::unilateral::Limits;
use touchback_core::exchange::cancel;
use touchback_core::math::cast::floor_index;
use touchback_core::math::complex::modulus;
use touchback_core::text::numbers::{Number, Numbers};
use touchback_haptics::wall::sampled::plant::{FINGER, Plant};

/// A function of chosen numbers, whose value is a table.
#[derive(Clone, Copy, Debug)]
pub struct Calculation {
    /// Its name in Python, and that of its file, with hyphens.
    pub name: &'static str,
    /// The arguments.
    pub numbers: &'static [Number],
    /// The columns, each with its unit at the end.
    pub columns: &'static [&'static str],
    /// The rows.
    ///
    /// # Errors
    /// Numbers without a result, in words.
    pub rows: fn(&Numbers) -> Result<Vec<Vec<f64>>>,
}

/// All functions.
pub const ALL: [Calculation; 7] =
    [CRITERIA, DAMPING, RETURN_MAP, LINE, motion::PADDLE, motion::PRESS, motion::SPRUNG];

/// Most rows of a table, and most strikes of a run.
const MOST_ROWS: f64 = 1e6;
const MOST_STRIKES: f64 = 1e9;

const fn number(
    id: &'static str,
    unit: &'static str,
    [least, most]: [f64; 2],
    usual: f64,
    about: &'static str,
) -> Number {
    Number { id, unit, range: [least, most], usual, about }
}

const DELAY: Number = number("delay", "", [0.0, 16.0], 0.0, "delay of the force, whole periods");
const HELD: &str = "1: the source's finger holds the device";

/// Largest stiffnesses, N/m, of a one-sided spring in a sampled loop, by each criterion of [`crate::unilateral`].
pub const CRITERIA: Calculation = Calculation {
    name: "criteria",
    numbers: &[
        number("m", "kg", [1e-3, 1e2], 0.1, "mass of the device"),
        number("b", "N·s/m", [1e-2, 1e3], 0.5, "damping of the device"),
        number("t", "s", [1e-4, 0.1], 1e-3, "sample period"),
        DELAY,
        number("finger", "", [0.0, 1.0], 0.0, HELD),
    ],
    columns: &[
        "circle_n_m",
        "tsypkin_n_m",
        "wedge_n_m",
        "shifts_n_m",
        "brute_force_n_m",
        "popov_n_m",
        "two_sided_n_m",
    ],
    rows: criteria,
};

/// Dampings, N·s/m, that a sampled spring requires: marginal, passive, and in the worst case of late switching.
pub const DAMPING: Calculation = Calculation {
    name: "damping",
    numbers: &[
        number("k", "N/m", [1e-3, 1e7], 5000.0, "stiffness of the wall"),
        number("m", "kg", [1e-4, 1e3], 0.3, "mass of the device"),
        number("b", "N·s/m", [0.0, 1e4], 0.0, "damping of the device, for its pole"),
        number("t", "s", [1e-6, 1.0], 2e-3, "sample period"),
        DELAY,
        number("finger", "", [0.0, 1.0], 1.0, HELD),
        number("wall_b", "N·s/m", [-1e4, 1e4], 0.0, "damping of the wall, for passivity"),
        number("bias", "N", [0.0, 1e3], 0.0, "force toward the wall, for the worst case"),
        number("speed", "m/s", [1e-6, 1e3], 1.0, "exit speed, for the worst case"),
    ],
    columns: &["marginal_n_s_m", "pole_modulus", "passive_n_s_m", "worst_case_n_s_m"],
    rows: damping,
};

/// Exits of a ball from a floor that is switched at samples only.
pub const RETURN_MAP: Calculation = Calculation {
    name: "return_map",
    numbers: &[
        number("k", "N/m", [1e-3, 1e7], 1.0, "stiffness of the floor"),
        number("m", "kg", [1e-4, 1e3], 1.0, "mass of the ball"),
        number("g", "m/s²", [1e-4, 1e3], 1.0, "gravity"),
        number("t", "s", [1e-6, 10.0], 0.1, "sample period"),
        number("speed", "m/s", [1e-6, 1e6], 1.0, "speed of the exit before the first"),
        number("strikes", "", [1.0, MOST_STRIKES], 40.0, "number of strikes"),
        number("every", "", [1.0, MOST_STRIKES], 1.0, "strikes for each row"),
    ],
    columns: &["strike", "time_s", "speed_m_s", "phase", "largest_m_s"],
    rows: return_map,
};

/// Two masses on a transmission line one step long, joined for good or during contact.
pub const LINE: Calculation = Calculation {
    name: "line",
    numbers: &[
        number("m1", "kg", [1e-4, 1e3], 1.0, "first mass"),
        number("m2", "kg", [1e-4, 1e3], 1.0, "second mass, ahead of the first"),
        number("v1", "m/s", [-1e3, 1e3], 1.0, "speed of the first at the beginning"),
        number("v2", "m/s", [-1e3, 1e3], 0.0, "speed of the second at the beginning"),
        number("gap", "m", [0.0, 1e3], 0.0, "distance of two balls; 0: joined for good"),
        number("z", "N·s/m", [1e-3, 1e6], 50.0, "impedance of the line"),
        number("t", "s", [1e-6, 1.0], 1e-3, "length of a step"),
        number("steps", "", [1.0, MOST_ROWS], 100.0, "number of steps"),
    ],
    columns: &[
        "time_s",
        "first_m",
        "second_m",
        "first_m_s",
        "second_m_s",
        "force_on_first_n",
        "force_on_second_n",
        "bodies_j",
        "line_j",
    ],
    rows: line,
};

fn device(of: &Numbers) -> Plant {
    let device = Plant { mass: of.get("m"), damping: of.get("b"), stiffness: 0.0, bias: 1.0 };
    if of.get("finger") >= 0.5 { device.with(FINGER) } else { device }
}

fn criteria(of: &Numbers) -> Result<Vec<Vec<f64>>> {
    let delay = u16::try_from(floor_index(of.get("delay").round()))?;
    let Limits { sampled, orbits, continuous: [_, popov, two_sided] } =
        Limits::of(&device(of), of.get("t"), delay);
    Ok(vec![[&sampled[..], &[orbits, popov, two_sided]].concat()])
}

fn damping(of: &Numbers) -> Result<Vec<Vec<f64>>> {
    let (k, t, plant) = (of.get("k"), of.get("t"), device(of));
    let bare = Plant { damping: plant.damping - of.get("b"), ..plant };
    let marginal = marginal::damping(&bare, k, t).with_context(|| {
        format!("no damping up to {:.3e} N·s/m makes this loop stable: shorten t", 1e3 * k * t)
    })?;
    let late = of.get("delay").round() * t;
    let passive =
        passivity::damping(t, |angle| passivity::wall(k, of.get("wall_b"), t, late, angle));
    // Without the finger's spring nothing brings the device back, and no worst case is closed.
    let worst = if plant.stiffness > 0.0 {
        let (mass, outside) = (plant.mass, plant.stiffness);
        ensure!(
            k > outside,
            "k = {k}: the worst case needs a wall stiffer than the finger's {outside} N/m"
        );
        let case = WorstCase { mass, outside, inside: k, period: t };
        case.damping(of.get("speed"), of.get("bias")).context(
            "the worst case has no damping below the critical one: shorten t, or lower k or bias",
        )?
    } else {
        f64::NAN
    };
    Ok(vec![vec![marginal, modulus(poles(&plant, k, t)[0]), passive, worst]])
}

fn return_map(of: &Numbers) -> Result<Vec<Vec<f64>>> {
    let (strikes, every) = (of.get("strikes").round(), of.get("every").round());
    let count = strikes / every;
    ensure!(count <= MOST_ROWS, "strikes / every = {count:.3e}: at most {MOST_ROWS:.0e} rows");
    let outside = Plant::ball(of.get("m"), of.get("g"));
    let period = of.get("t");
    let map = Switching { outside, inside: outside.on(of.get("k"), 0.0), period };
    let start = Crossing { time: 0.0, speed: of.get("speed") };
    let (mut rows, mut largest) = (Vec::new(), 0.0f64);
    let every = floor_index(every);
    let done = map.iterate(start, floor_index(strikes), |strike, periods, exit| {
        largest = largest.max(exit.speed);
        if strike % every == 0 {
            let time = periods * period + exit.time;
            rows.push(vec![strike as f64, time, exit.speed, exit.time / period, largest]);
        }
    });
    if done < floor_index(strikes) {
        bail!("the ball does not leave the floor after {done} strikes");
    }
    Ok(rows)
}

fn line(of: &Numbers) -> Result<Vec<Vec<f64>>> {
    let [m1, m2, v1, v2, gap, z, t] =
        ["m1", "m2", "v1", "v2", "gap", "z", "t"].map(|id| of.get(id));
    let mut pair = match gap {
        0.0 => Pair::joined([m1, m2], [v1, v2], z),
        _ => Pair::balls([m1, m2], [v1, v2], gap, z),
    };
    let row = |step: usize| {
        cancel::check();
        let [first, second] = pair.step(t);
        let ([a, b], [x, y]) = (pair.velocities, pair.positions);
        vec![step as f64 * t, x, y, a, b, first, second, pair.kinetic(), pair.stored(t)]
    };
    Ok((1..=floor_index(of.get("steps").round())).map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(of: &Calculation, chosen: &[(&str, f64)]) -> Numbers {
        let mut numbers = Numbers::usual(of.numbers);
        for (id, value) in chosen {
            numbers.set(id, *value).unwrap();
        }
        numbers
    }

    fn rows(of: &Calculation, chosen: &[(&str, f64)]) -> Vec<Vec<f64>> {
        let rows = (of.rows)(&with(of, chosen)).unwrap();
        assert!(rows.iter().all(|row| row.len() == of.columns.len()));
        rows
    }

    #[test]
    fn functions_have_the_printed_values() {
        let found = rows(&DAMPING, &[("t", 1e-3)]);
        let held: Vec<_> = [(0, -1.2534, 5e-5), (2, 2.5, 1e-6), (3, 0.0346115, 5e-8)].into();
        for (column, value, within) in held {
            assert!((found[0][column] - value).abs() < 1.02 * within, "{found:?}");
        }
        let alone = rows(&DAMPING, &[("t", 1e-3), ("finger", 0.0), ("b", 2.49653)]);
        assert!((alone[0][0] - 2.49653).abs() < 5e-6 && (alone[0][1] - 1.0).abs() < 1e-8);
        assert!(alone[0][3].is_nan());
        let map = rows(&RETURN_MAP, &[("t", 0.2)]);
        assert!(map.len() == 40 && (map[39][4] - 1.066322).abs() < 5e-7, "{:?}", map[39]);
        assert!(map.windows(2).all(|w| w[1][1] > w[0][1] + 3.0));
        assert!(map.iter().all(|row| (0.0..1.0).contains(&row[3])));
        let balls = rows(&LINE, &[("gap", 0.01), ("z", 200.0), ("t", 1e-4), ("steps", 2e4)]);
        let last = balls.last().unwrap();
        assert!((last[3] - 0.0006).abs() < 5e-5 && (last[4] - 0.9994).abs() < 5e-5, "{last:?}");
    }

    #[test]
    fn numbers_without_a_result_are_refused_in_words() {
        for (of, chosen, words) in [
            (&DAMPING, vec![("k", 100.0)], "stiffer than the finger"),
            (&DAMPING, vec![("t", 1.0)], "shorten t"),
            (&RETURN_MAP, vec![("strikes", 1e9)], "rows"),
        ] {
            let error = (of.rows)(&with(of, &chosen)).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    /// The criteria in their order, each including the previous one; none above brute force.
    #[test]
    #[ignore = "long: `.ci/run` runs it"]
    fn criteria_are_those_of_the_experiment() {
        let found = rows(&CRITERIA, &[("b", 5.0)]);
        let [circle, tsypkin, wedge, shifts, brute, popov, two_sided] = found[0][..] else {
            panic!("{found:?}")
        };
        assert!(circle <= 1.001 * tsypkin && tsypkin <= 1.001 * wedge && wedge <= 1.001 * shifts);
        assert!(shifts <= 1.003 * brute && circle < popov && popov <= 1.003 * two_sided);
    }
}
