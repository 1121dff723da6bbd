//! Motions over time: a ball on a paddle, a pressed key, a displayed mass.

use anyhow::{Result, ensure};

use super::{Calculation, MOST_ROWS, number};
use crate::display::sprung_mass::{Method, SprungMass};
use touchback_action::grand::design::thesis;
use touchback_action::interface::key::Key;
use touchback_action::simple::ball;
use touchback_action::{ActionKind, ActionSettings, Drive, Readout, STEP};
use touchback_core::exchange::cancel;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;
use touchback_core::text::numbers::Numbers;
use touchback_models::catalogue::Model;

/// A ball on a paddle that moves up and down, in steps of the action.
pub const PADDLE: Calculation = Calculation {
    name: "paddle",
    numbers: &[
        number("m", "kg", [1e-3, 1.0], 0.05, "mass of the ball"),
        number("k", "N/m", [10.0, 1e5], 800.0, "stiffness of its contact"),
        number("loss", "s/m", [0.0, 10.0], 0.0, "damping of the contact"),
        number("height", "m", [1e-3, 1.0], 0.1, "height of the fall"),
        number("swing", "m", [0.0, 0.1], 0.0, "amplitude of the paddle"),
        number("rate", "Hz", [0.1, 50.0], 3.0, "frequency of the paddle"),
        number("seconds", "s", [0.01, 60.0], 3.0, "length of the run"),
    ],
    columns: &["time_s", "height_m", "paddle_m", "force_n"],
    rows: paddle,
};

/// The actions of [`PRESS`], by number.
pub const PRESSED: [ActionKind; 5] = [
    ActionKind::Grand,
    ActionKind::Thesis,
    ActionKind::Simplified,
    ActionKind::Viennese,
    ActionKind::Harpsichord,
];

/// Time before a press, s: that of the thesis's gesture.
const BEFORE: f64 = 0.1;

/// C4 of an action, pressed by a force that rises in a straight line and stays, or by the thesis's manipulandum.
pub const PRESS: Calculation = Calculation {
    name: "press",
    numbers: &[
        number(
            "action",
            "",
            [0.0, 4.0],
            2.0,
            "0 grand, 1 thesis, 2 key and hammer of 1994, 3 Viennese, 4 harpsichord",
        ),
        number("force", "N", [0.0, 60.0], 3.0, "force of the press"),
        number("rise", "s", [0.0, 1.0], 0.0, "time in which force or turn rises, from 0.1 s on"),
        number(
            "turn",
            "rad",
            [0.0, 0.1],
            0.0,
            "turn of the thesis's manipulandum, in place of the force; 0: the force",
        ),
        number(
            "again",
            "",
            [0.0, 1.0],
            0.0,
            "1: the motion of the press is imposed, the force follows",
        ),
        number("seconds", "s", [0.01, 10.0], 0.4, "length of the run"),
    ],
    columns: &[
        "time_s",
        "key_m",
        "hammer_m",
        "hammer_m_s",
        "contact_n",
        "drive_n",
        "unaccounted_j",
    ],
    rows: press,
};

/// A mass behind a spring, displayed by a device that stands still, after a push.
pub const SPRUNG: Calculation = Calculation {
    name: "sprung",
    numbers: &[
        number("k", "N/m", [1.0, 1e6], 200.0, "stiffness of the spring"),
        number("m", "kg", [1e-3, 10.0], 0.05, "displayed mass"),
        number("t", "s", [1e-5, 0.1], 1e-3, "sample period"),
        number("euler", "", [0.0, 1.0], 0.0, "1: explicit Euler steps; 0: the speed first"),
        number("push", "m/s", [1e-3, 10.0], 1.0, "speed at first"),
        number("seconds", "s", [1e-3, 100.0], 1.0, "length of the run"),
    ],
    columns: &["time_s", "mass_m", "force_n", "energy_share"],
    rows: sprung,
};

/// Number of steps of `t`, s, in the run, at most [`MOST_ROWS`].
fn count(of: &Numbers, t: f64) -> Result<usize> {
    let count = of.get("seconds") / t;
    ensure!(count <= MOST_ROWS, "seconds / t = {count:.3e}: at most {MOST_ROWS:.0e} rows");
    Ok(floor_index((count + 1e-9).floor()))
}

fn paddle(of: &Numbers) -> Result<Vec<Vec<f64>>> {
    let (m, k, loss) = (of.get("m"), of.get("k"), of.get("loss"));
    let model = ball::Spec { ball: m, stiffness: k, damping: loss, ..ball::Spec::default() };
    let model = Model::Ball { model };
    model.check()?;
    let mut key = model.start();
    let mut saved = key.save();
    // The paddle at zero, the ball above it in the air: phases as in [`ball::Phase`].
    saved.phase = 1;
    saved.x[..4].copy_from_slice(&[0.0, 0.0, of.get("height"), 0.0]);
    key.adopt(&saved);
    let (swing, turn) = (of.get("swing"), std::f64::consts::TAU * of.get("rate"));
    let at = |step: usize| {
        let (sine, cosine) = libm::sincos(turn * step as f64 * STEP);
        [swing * (1.0 - cosine), swing * turn * sine]
    };
    let mut row = |step: usize| {
        cancel::check();
        let drive = Drive::between(at(step), at(step + 1));
        let now = key.readout(drive);
        key.step(drive, &mut |_, _| {});
        vec![step as f64 * STEP, now.hammer, now.key, now.contact_force]
    };
    Ok((0..=count(of, STEP)?).map(&mut row).collect())
}

fn press(of: &Numbers) -> Result<Vec<Vec<f64>>> {
    let [force, rise, turn] = ["force", "rise", "turn"].map(|id| of.get(id));
    let kind = PRESSED[floor_index(of.get("action").round()).min(PRESSED.len() - 1)];
    ensure!(
        turn == 0.0 || kind == ActionKind::Thesis,
        "turn = {turn}: the thesis's key alone has a manipulandum; its action is 1"
    );
    let c4 = KeyNumber::from_index(39).unwrap_or_else(|| unreachable!("key 40"));
    let key = Model::of(kind, c4, &ActionSettings::default()).start();
    let [(_, first), ..] = thesis::REFERENCE;
    let share = |time: f64| match time - BEFORE {
        // A press without rise is there from the first instant after.
        late if late < -1e-12 => 0.0,
        late if late + 1e-12 >= rise => 1.0,
        late => late / rise,
    };
    let drive = |step: usize| {
        let [a, b] = [step, step + 1].map(|step| share(step as f64 * STEP));
        if turn > 0.0 {
            return Drive::Manipulandum([a, b].map(|share| first + turn * share));
        }
        // A jump is at the beginning of a step.
        Drive::Force([a * force, if rise > 0.0 { b } else { a } * force])
    };
    let steps = count(of, STEP)?;
    let drives: Vec<Drive> = (0..=steps).map(drive).collect();
    if of.get("again") < 0.5 {
        return Ok(run(key, &drives));
    }
    let mut pressed = key.duplicate();
    let mut fronts = vec![pressed.front()];
    for drive in drives {
        pressed.step(drive, &mut |_, _| {});
        fronts.push(pressed.front());
    }
    let imposed: Vec<Drive> = fronts.windows(2).map(|w| Drive::between(w[0], w[1])).collect();
    Ok(run(key, &imposed))
}

/// Rows of `key` under the `drives` of its steps.
fn run(mut key: Box<dyn Key>, drives: &[Drive]) -> Vec<Vec<f64>> {
    let sum = |now: &Readout| now.kinetic + now.potential + now.dissipated - now.work;
    let mut start = None;
    let mut row = |(step, drive): (usize, &Drive)| {
        cancel::check();
        let now = key.readout(*drive);
        let lost = sum(&now) - *start.get_or_insert(sum(&now));
        key.step(*drive, &mut |_, _| {});
        let time = step as f64 * STEP;
        vec![time, now.key, now.hammer, now.hammer_speed, now.contact_force, now.key_force, lost]
    };
    drives.iter().enumerate().map(&mut row).collect()
}

fn sprung(of: &Numbers) -> Result<Vec<Vec<f64>>> {
    let [k, m, t] = ["k", "m", "t"].map(|id| of.get(id));
    let method = if of.get("euler") >= 0.5 { Method::Euler } else { Method::SemiImplicit };
    let mut mass = SprungMass::new(k, m, t, method);
    mass.push(of.get("push"));
    let start = mass.energy(0.0);
    let mut rows = Vec::new();
    for step in 0..=count(of, t)? {
        cancel::check();
        let (place, share) = (mass.position(), mass.energy(0.0) / start);
        rows.push(vec![step as f64 * t, place, mass.step(0.0), share]);
        if !place.is_finite() || place.abs() > 1e6 {
            break;
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(of: &Calculation, chosen: &[(&str, f64)]) -> Vec<Vec<f64>> {
        let mut numbers = Numbers::usual(of.numbers);
        chosen.iter().for_each(|(id, value)| numbers.set(id, *value).unwrap());
        let rows = (of.rows)(&numbers).unwrap();
        assert!(rows.iter().all(|row| row.len() == of.columns.len()));
        rows
    }

    /// Without loss the ball rises to its own height; a paddle that shakes gives it more.
    #[test]
    fn a_ball_on_a_still_paddle_keeps_its_height() {
        let highest = |chosen: &[(&str, f64)]| {
            rows(&PADDLE, chosen).iter().skip(2000).fold(0.0, |a: f64, row| a.max(row[1]))
        };
        assert!((highest(&[]) - 0.1).abs() < 1e-4, "{}", highest(&[]));
        let shaken = highest(&[("swing", 0.01), ("rate", 5.0)]);
        assert!(shaken > 0.11, "{shaken}");
        let lossy = highest(&[("loss", 0.5)]);
        assert!(lossy < 0.099, "{lossy}");
    }

    /// The thesis's gesture strikes as `thesis-run` does; nothing of the work is lost.
    #[test]
    fn presses_strike_and_account_for_their_energy() {
        let strike = |chosen: &[(&str, f64)]| {
            let rows = rows(&PRESS, chosen);
            let most = rows.iter().fold(0.0, |a: f64, row| a.max(row[6].abs()));
            assert!(most < 1e-5, "{chosen:?}: {most} J");
            rows.iter().find(|row| row[2] >= 0.0).map(|row| row[0])
        };
        let time = strike(&[("action", 1.0), ("turn", 0.028), ("rise", 0.08)]).unwrap();
        assert!((0.183..0.21).contains(&time), "{time}");
        let time = strike(&[]).unwrap();
        assert!((0.03..0.08).contains(&(time - BEFORE)), "{time}");
        let harder = strike(&[("force", 6.0)]).unwrap();
        assert!(harder < time, "{harder}");
        // The motion imposed again asks for the force of the press, and throws the hammer alike.
        let [pressed, again] = [0.0, 1.0].map(|again| {
            rows(&PRESS, &[("force", 6.0), ("rise", 0.03), ("seconds", 0.13), ("again", again)])
        });
        let squares: f64 = pressed.iter().zip(&again).map(|(a, b)| (a[5] - b[5]).powi(2)).sum();
        assert!(squares < 0.05f64.powi(2) * 36.0 * pressed.len() as f64, "{squares}");
        assert!(pressed.iter().zip(&again).all(|(a, b)| (a[2] - b[2]).abs() < 1e-4));
        let late = strike(&[("rise", 0.1)]).unwrap();
        assert!(late > time);
        let mut numbers = Numbers::usual(PRESS.numbers);
        numbers.set("turn", 0.02).unwrap();
        assert!((PRESS.rows)(&numbers).unwrap_err().to_string().contains("manipulandum"));
    }

    /// K T²/m = 4 is the limit of the speed-first steps; explicit ones grow at any period.
    #[test]
    fn a_displayed_mass_keeps_its_energy_up_to_its_limit() {
        let most = |chosen: &[(&str, f64)]| {
            rows(&SPRUNG, chosen).iter().fold(0.0, |a: f64, row| a.max(row[3]))
        };
        assert!(most(&[]) < 1.1 && most(&[("euler", 1.0)]) > 10.0);
        assert!(most(&[("t", 0.0318)]) > 100.0 && most(&[("t", 0.031)]) < 100.0);
    }
}
