//! A ball that falls onto a sampled wall, with chosen numbers [Gillespie 1996, ch. 5].

use anyhow::{Result, bail};

use super::bench::{LoopStep, SampledLoop, Speed};
use touchback_core::math::cast::floor_index;
use touchback_core::text::near;
use touchback_core::text::numbers::{Number, Numbers};
use touchback_haptics::wall::sampled::controller::{
    Controller, Deadbeat, Hysteresis, Placement, Prediction, Standard,
};
use touchback_haptics::wall::sampled::plant::{FINGER, Plant};

/// The numbers of a run. The usual ones are those of the source's figs. 5.7 to 5.16.
pub const NUMBERS: &[Number] = &[
    Number { id: "k", unit: "N/m", range: [1e-3, 1e6], usual: 1.0, about: "stiffness of the wall" },
    Number { id: "b", unit: "N·s/m", range: [0.0, 1e3], usual: 0.0, about: "damping of the wall" },
    Number { id: "m", unit: "kg", range: [1e-4, 1e3], usual: 1.0, about: "mass of the ball" },
    Number { id: "g", unit: "m/s²", range: [1e-4, 1e3], usual: 0.05, about: "gravity" },
    Number { id: "t", unit: "s", range: [1e-5, 10.0], usual: 0.3, about: "sample period" },
    Number { id: "height", unit: "m", range: [1e-6, 1e3], usual: 1.0, about: "height at first" },
    Number {
        id: "seconds",
        unit: "s",
        range: [1e-3, 1e6],
        usual: 120.0,
        about: "length of the run",
    },
    Number {
        id: "delay",
        unit: "",
        range: [0.0, 16.0],
        usual: 0.0,
        about: "delay of the force, whole periods",
    },
    Number {
        id: "count",
        unit: "m",
        range: [0.0, 1.0],
        usual: 0.0,
        about: "step of the sensor; speeds are then differences",
    },
    Number {
        id: "finger",
        unit: "",
        range: [0.0, 1.0],
        usual: 0.0,
        about: "1: the source's finger holds the ball",
    },
    Number {
        id: "loss",
        unit: "",
        range: [0.0, 1.0],
        usual: 0.3,
        about: "share that the hysteretic wall keeps",
    },
];

/// Names of the walls.
pub const WALLS: [&str; 5] = ["standard", "hysteresis", "prediction", "placement", "deadbeat"];

/// Most samples of a run.
const MOST: f64 = 4e6;

/// The run of a ball on the wall `name` with `numbers`: a step for each sample.
///
/// # Errors
/// No such wall, a run of too many samples, or a wall that cannot be computed for the plant.
pub fn simulate(name: &str, numbers: &Numbers) -> Result<Vec<LoopStep>> {
    let of = |id| numbers.get(id);
    let (k, b, t) = (of("k"), of("b"), of("t"));
    let ball = Plant::ball(of("m"), of("g"));
    let plant = if of("finger") >= 0.5 { ball.with(FINGER) } else { ball };
    let samples = of("seconds") / t;
    if samples > MOST {
        bail!("seconds / t = {samples:.3e}: at most {MOST:.0e} samples");
    }
    let impossible = || anyhow::anyhow!("{name}: no gains for this mass, stiffness and period");
    let delay = of("delay").round();
    let mut wall: Box<dyn Controller> = match name {
        "standard" => Box::new(Standard { stiffness: k, damping: b }),
        "hysteresis" => Box::new(Hysteresis { stiffness: k, loss: of("loss") }),
        "prediction" => Box::new(Prediction::new(&plant, k, b, t, delay * t)),
        "placement" => Box::new(Placement::new(&plant, k, b, t).ok_or_else(impossible)?),
        "deadbeat" => Box::new(Deadbeat::new(&plant, k, b, t).ok_or_else(impossible)?),
        _ => {
            let near = near::suggestion(name, WALLS);
            bail!("{name}: no such wall{near}; there are {}", WALLS.join(", "));
        }
    };
    let bench = SampledLoop {
        plant,
        period: t,
        delay: floor_index(delay),
        count: of("count"),
        speed: if of("count") > 0.0 { Speed::Difference } else { Speed::True },
    };
    let mut steps = Vec::new();
    bench.run(wall.as_mut(), [-of("height"), 0.0], floor_index(samples), |step| {
        steps.push(*step);
        step.end.iter().all(|x| x.abs() < 1e6)
    });
    Ok(steps)
}

/// The columns of [`rows`].
pub const COLUMNS: [&str; 3] = ["time_s", "height_m", "force_n"];

/// The run of [`simulate`] as a table, a row for each sample.
///
/// # Errors
/// As [`simulate`].
pub fn rows(name: &str, numbers: &Numbers) -> Result<Vec<Vec<f64>>> {
    Ok(table(&simulate(name, numbers)?, numbers.get("t")))
}

/// Rows of `steps` with the sample period `period`, s.
#[must_use]
pub fn table(steps: &[LoopStep], period: f64) -> Vec<Vec<f64>> {
    let time = |step: &LoopStep| f64::from(u32::try_from(step.index).unwrap_or(0)) * period;
    steps.iter().map(|step| vec![time(step), -step.state[0], step.force]).collect()
}

/// Largest heights between contacts, m: the samples where the ball turns above the wall.
#[must_use]
pub fn apexes(steps: &[LoopStep]) -> Vec<f64> {
    let turns = steps.iter().filter(|s| s.force == 0.0 && s.state[1] < 0.0 && s.end[1] >= 0.0);
    turns.map(|step| -step.state[0].min(step.end[0])).collect()
}

/// Net work of the wall on the ball, J, for each contact that ends in the run.
#[must_use]
pub fn visits(steps: &[LoopStep]) -> Vec<f64> {
    let last = steps.iter().rposition(|step| step.force == 0.0).unwrap_or(0);
    let contacts = steps[..last].chunk_by(|a, b| (a.force != 0.0) == (b.force != 0.0));
    let contacts = contacts.filter(|contact| contact.first().is_some_and(|s| s.force != 0.0));
    contacts.map(|contact| -contact.iter().map(LoopStep::work).sum::<f64>()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_numbers_are_those_of_the_source() {
        let run = |name| simulate(name, &Numbers::usual(NUMBERS)).unwrap();
        let (standard, deadbeat) = (run("standard"), run("deadbeat"));
        assert!(visits(&standard).iter().all(|work| *work > 0.0));
        assert!(visits(&deadbeat).iter().all(|work| work.abs() < 1e-12));
        // Between two samples the height at which the ball turns is missed by g·T²/8 at most.
        let first = apexes(&standard)[0];
        assert!((first - 1.7723).abs() < 0.05 * 0.3 * 0.3 / 8.0 + 5e-5, "{first}");
    }

    #[test]
    fn what_cannot_be_run_is_refused_in_words() {
        let with = |id, value| {
            let mut numbers = Numbers::usual(NUMBERS);
            numbers.set(id, value).unwrap();
            numbers
        };
        let error = simulate("dead-beat", &with("k", 2.0)).unwrap_err().to_string();
        assert!(error.contains("no such wall; is it `deadbeat`?"), "{error}");
        let error = simulate("standard", &with("t", 1e-5)).unwrap_err().to_string();
        assert!(error.contains("samples"), "{error}");
        // A wall that is stiffer than the period allows throws the ball out of sight.
        let steps = simulate("standard", &with("k", 1e5)).unwrap();
        assert!(apexes(&steps).iter().all(|apex| *apex > 0.0));
        assert!(steps.iter().all(|s| s.force.is_finite()));
    }
}
