//! `impedance`: the driving-point impedance of the key, action by action.
//!
//! The motion x = x₀ + X sin ωt is imposed on the key front, usually in the middle of its free travel, and the force that
//! answers is read. Its part in phase with the motion is (k − m ω²) X, that in phase with the speed r ω X. Mass m and
//! stiffness k follow from 1 and 5 Hz; above, the hammer swings on its felts or springs, and the mass grows to their
//! resonance. The resistance r follows from each frequency: that of dry friction F is 4 F / (π ω X)
//! [Gillespie 1996, §2.3.2]. Beside it stand the numbers that follow from inertias, lever ratios, springs and dampers.

use std::f64::consts::{PI, TAU};

use anyhow::Result;
use nalgebra::Complex;

use touchback_action::grand::key::weigh::Weighed;
use touchback_action::interface::kind::{NAMES, REFERENCE};
use touchback_action::simple::{ball, model_a, simplified};
use touchback_action::{ActionSettings, Drive, GRAVITY, GrandKey, Key, Readout, STEP};
use touchback_core::math::compass::KeyNumber;
use touchback_core::text::numbers::{Number, Numbers};
use touchback_models::catalogue::Model;
use touchback_offline::bench::{DataTable, Folder, KeySource, Report, TargetBand, short};
use touchback_offline::parallel;
use touchback_offline::plot::{Axis, Figure, Series, Subplot, palette};

/// The numbers of the experiment.
pub const NUMBERS: &[Number] = &[
    Number {
        id: "depth",
        unit: "m",
        range: [5e-4, 9e-3],
        usual: 2e-3,
        about: "middle of the motion",
    },
    Number {
        id: "amplitude",
        unit: "m",
        range: [1e-5, 4e-3],
        usual: 5e-4,
        about: "amplitude up to 5 Hz; a tenth of it above",
    },
];

/// Frequencies, Hz.
const FREQUENCIES: [f64; 4] = [1.0, 5.0, 10.0, 20.0];
/// Middle of the motion, m: a third of the travel, before damper and let-off.
const MIDDLE: f64 = 2e-3;
/// Share of the amplitude above 5 Hz, where the hammer must stay on the key at 20 Hz.
const HIGH: f64 = 0.1;
/// Depths, m, at which every key is read at 10 Hz, and amplitudes, m, of the describing function at 5 Hz.
const DEPTHS: [f64; 10] = [1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 6e-3, 7e-3, 8e-3, 8.5e-3, 9e-3];
const SIZES: [f64; 6] = [0.03e-3, 0.0625e-3, 0.125e-3, 0.25e-3, 0.5e-3, 1e-3];
/// Time to reach the middle of the motion, and to settle there, s.
const APPROACH: f64 = 0.5;
/// Time of a slow travel to twice the middle, s.
const SLOW: f64 = 2.0;
/// Periods of the sine before and during the reading.
const PERIODS: [u32; 2] = [3, 4];

/// Force over motion at one frequency: the parts in phase with depth, N/m, and with speed, N·s/m.
struct Response {
    stiffness: f64,
    resistance: f64,
}

/// A key of `model` at rest: the printed coordinates of the thesis's are not in balance, and its hammer would ring.
fn start(model: &Model) -> Box<dyn Key> {
    match model {
        Model::Grand { model, .. } if model.is_rigid() => Box::new(GrandKey::thesis()),
        _ => model.clone().start(),
    }
}

/// Middle and amplitude of a motion, m, at `frequency` Hz.
fn motion(numbers: &Numbers, frequency: f64) -> [f64; 2] {
    let share = if frequency > FREQUENCIES[1] { HIGH } else { 1.0 };
    [numbers.get("depth"), share * numbers.get("amplitude")]
}

/// Imposes the sine on `key` at rest, about the depth `middle` m.
fn response(mut key: Box<dyn Key>, frequency: f64, [middle, amplitude]: [f64; 2]) -> Response {
    let rate = TAU * frequency;
    let rest = key.front()[0];
    let path = |t: f64| {
        let raised = 0.5 * (1.0 - libm::cos(PI * (t / APPROACH).clamp(0.0, 1.0)));
        // The sine grows within one period, without a jump of speed.
        let grown = ((t - 2.0 * APPROACH) * frequency).clamp(0.0, 1.0);
        let size = amplitude * grown * grown * (3.0 - 2.0 * grown);
        rest + (middle - rest) * raised + size * libm::sin(rate * (t - 2.0 * APPROACH))
    };
    let [before, during] = PERIODS.map(|count| f64::from(count) / frequency);
    let (begin, end) = (2.0 * APPROACH + before, 2.0 * APPROACH + before + during);
    let (mut with_depth, mut with_speed, mut steps) = (0.0, 0.0, 0u32);
    for step in 0u32.. {
        let time = f64::from(step) * STEP;
        if time >= end - 0.5 * STEP {
            break;
        }
        let drive = Drive::along(path, time);
        key.step(drive, &mut |_, _| ());
        if time >= begin - 0.5 * STEP {
            let force = key.readout(drive).key_force;
            // The force is the mean of the step.
            let (sin, cos) = libm::sincos(rate * (time + 0.5 * STEP - 2.0 * APPROACH));
            (with_depth, with_speed) = (with_depth + force * sin, with_speed + force * cos);
            steps += 1;
        }
    }
    let scale = 2.0 / (f64::from(steps) * amplitude);
    Response { stiffness: scale * with_depth, resistance: scale * with_speed / rate }
}

/// Mass, kg, and stiffness, N/m, of the two lowest of the `responses`, below the resonance of the hammer on its felts.
fn mass_and_stiffness(responses: &[(f64, Response)]) -> [f64; 2] {
    let square = |frequency: f64| (TAU * frequency) * (TAU * frequency);
    let [(low, slow), (high, quick), ..] = responses else { return [f64::NAN; 2] };
    let mass = (slow.stiffness - quick.stiffness) / (square(*high) - square(*low));
    [mass, slow.stiffness + mass * square(*low)]
}

/// A part referred to the key front: its mass, kg, and spring and damper that carry the next one, N/m and N·s/m.
pub(super) type Link = [f64; 3];

/// Response of a chain of parts, the key first, in closed form: a mass on a spring k follows with the amplification
/// 1/(1 − ω² m/k). The spring of the last part holds it at the ground.
fn chain(links: &[Link], frequency: f64) -> Response {
    let rate = TAU * frequency;
    let mut force = None;
    for [mass, k, c] in links.iter().rev() {
        let spring = Complex::new(*k, rate * c);
        let carried = force.map_or(spring, |z| spring * z / (spring + z));
        force = Some(carried - mass * rate * rate);
    }
    let force = force.unwrap_or_default();
    Response { stiffness: force.re, resistance: force.im / rate }
}

/// Key and hammer of the simplified action as [`chain`] [Gillespie 1994, eqs. 11, 12].
pub(super) fn key_and_hammer(spec: &simplified::Spec) -> [Link; 2] {
    let lift = spec.back / spec.front;
    let ratio = lift / spec.knuckle;
    let load = spec.strike_weight * spec.crown / spec.knuckle;
    let spring = spec.coupling.tangent(spec.coupling.compression(load));
    let damper = spec.coupling.damping_under(load, 0.0);
    let key = spec.key_inertia / (spec.front * spec.front);
    [
        [key, lift * lift * spring, lift * lift * damper],
        [spec.hammer_inertia * ratio * ratio, 0.0, 0.0],
    ]
}

/// The ball of 1994 with the mass, spring and damper of `links`: the approximation that the source deduces from its
/// equations [Gillespie 1994, §4].
fn equivalent_ball(links: &[Link; 2]) -> ball::Spec {
    let [[paddle, stiffness, damper], [ball, ..]] = *links;
    ball::Spec { ball, paddle, stiffness, damping: damper / (ball * GRAVITY), ..Default::default() }
}

/// Readings in the middle of a slow travel, whose speeds are those of the levers' ratios.
fn travelling(model: &Model) -> Readout {
    let mut key = start(model);
    let rest = key.front()[0];
    let path = |t: f64| rest + (MIDDLE - rest) * (1.0 - libm::cos(PI * t / SLOW));
    for step in 0u32.. {
        let time = f64::from(step) * STEP;
        let drive = Drive::along(path, time);
        key.step(drive, &mut |_, _| ());
        if time >= 0.5 * SLOW {
            return key.readout(drive);
        }
    }
    Readout::NONE
}

/// Mass at the key front of a rigid key with its hammer, kg, and its stiffness, N/m, in closed form.
fn rigid() -> [f64; 2] {
    let b = model_a::Spec::default().bodies;
    let [angle, ratio, second] = b.closed(MIDDLE);
    let mass = (b.key_inertia + b.hammer_inertia * ratio * ratio) / (b.front * b.front);
    let weight = b.hammer_weight;
    let stiffness = weight * (second * libm::cos(angle) - ratio * ratio * libm::sin(angle));
    [mass, stiffness / (b.front * b.front)]
}

/// Reads the impedance of every action.
pub fn run(folder: &mut Folder, numbers: &Numbers) -> Result<Report> {
    let mut report = Report::default();
    let Some(key) = KeyNumber::from_index(39) else { return Ok(report) };
    let model = |name: &str| Model::named(name, key, &ActionSettings::default());
    let names = NAMES.into_iter().filter(|name| *name != REFERENCE);
    let models: Vec<(&str, Model)> = names.filter_map(|name| Some((name, model(name)?))).collect();
    let of_frequency = |(name, model): &(&'static str, Model)| {
        let read =
            |frequency| (frequency, response(start(model), frequency, motion(numbers, frequency)));
        ((*name).to_owned(), FREQUENCIES.map(read).into())
    };
    let found: Curves = parallel::map(&models, of_frequency);
    if numbers.changed().is_none() {
        for ((name, model), (_, found)) in models.iter().zip(&found) {
            rows(&mut report, model, name, found);
        }
    }
    let [middle, amplitude] = motion(numbers, FREQUENCIES[0]).map(|x| short(1e3 * x));
    let high = short(1e3 * motion(numbers, 2.0 * FREQUENCIES[1])[1]);
    let about = format!("±{amplitude} mm (±{high} mm above 5 Hz) about {middle} mm");
    draw(folder, &mut report, "impedance", &about, ["frequency_hz", "frequency, Hz"], &found)?;
    let of_depth = |(name, model): &(&'static str, Model)| {
        let size = motion(numbers, FREQUENCIES[2])[1];
        let read = |depth: f64| (depth, response(start(model), FREQUENCIES[2], [depth, size]));
        ((*name).to_owned(), DEPTHS.map(read).into())
    };
    let by_depth: Curves = parallel::map(&models, of_depth);
    let about = format!("±{high} mm at 10 Hz, by depth");
    draw(folder, &mut report, "impedance-depth", &about, ["depth_m", "depth, m"], &by_depth)?;
    let of_size = |(name, model): &(&'static str, Model)| {
        let middle = numbers.get("depth").max(1.5 * SIZES[5]);
        let read = |size: f64| (size, response(start(model), FREQUENCIES[1], [middle, size]));
        ((*name).to_owned(), SIZES.map(read).into())
    };
    let by_size: Curves = parallel::map(&models, of_size);
    let about = format!("5 Hz about {middle} mm, by amplitude: the describing function");
    draw(
        folder,
        &mut report,
        "impedance-amplitude",
        &about,
        ["amplitude_m", "amplitude, m"],
        &by_size,
    )?;
    if numbers.changed().is_none()
        && let Some((_, grand)) = by_size.first()
    {
        report.source("000 §2.3.2 (driving-point impedance)");
        let quantity = "grand: resistance at ±0.25 mm over that at ±0.5 mm, 5 Hz: dry friction";
        let ratio = grand[3].1.resistance / grand[4].1.resistance;
        report.check(
            quantity,
            "2, its describing function 4F/(πωX)",
            TargetBand::Within(1.5, 2.5),
            ratio,
        );
    }
    report.note("The force is the one that answers the imposed motion.");
    Ok(report)
}

/// Reads the impedance of a mechanism's key over frequency and depth.
pub fn of_mechanism(folder: &mut Folder, keys: &KeySource) -> Result<Report> {
    let mut report = Report::default();
    let Some(file) = keys.mechanism() else { return Ok(report) };
    let key = touchback_offline::bench::key(keys.one(40).into())?;
    // The grand's depths and amplitudes, in proportion to the dip.
    let share = super::energy::dip(&*file.key(key)) / 0.01;
    let usual = Numbers::usual(NUMBERS);
    let at = |frequency: f64| motion(&usual, frequency).map(|x| share * x);
    let read = |frequency: &f64| (*frequency, response(file.key(key), *frequency, at(*frequency)));
    let found: Curves = vec![(file.title().to_owned(), parallel::map(&FREQUENCIES, read))];
    let [mass, stiffness] = mass_and_stiffness(&found[0].1);
    for (frequency, r) in &found[0].1 {
        let quantity = format!("resistance at {frequency} Hz, N·s/m: power that the key takes");
        // Where nothing resists, it is 0 but for rounding.
        report.check(&quantity, "≥ 0", TargetBand::AtLeast(-1e-8), r.resistance);
    }
    report.note(&format!(
        "At {} Hz and {} Hz the key has the mass {} kg and the stiffness {} N/m.",
        FREQUENCIES[0],
        FREQUENCIES[1],
        short(mass),
        short(stiffness)
    ));
    let about = format!("{}, by frequency", file.title());
    draw(folder, &mut report, "impedance", &about, ["frequency_hz", "frequency, Hz"], &found)?;
    let depths = DEPTHS.map(|depth| share * depth);
    let read = |depth: &f64| {
        let [_, size] = at(FREQUENCIES[2]);
        (*depth, response(file.key(key), FREQUENCIES[2], [*depth, size]))
    };
    let found: Curves = vec![(file.title().to_owned(), parallel::map(&depths, read))];
    let about = format!("{} at 10 Hz, by depth", file.title());
    draw(folder, &mut report, "impedance-depth", &about, ["depth_m", "depth, m"], &found)?;
    report.note("The force is the one that answers the imposed motion.");
    Ok(report)
}

/// Responses of each action over a quantity.
type Curves = Vec<(String, Vec<(f64, Response)>)>;

/// Writes and draws responses over a quantity, named as a column and on the axis.
fn draw(
    folder: &mut Folder,
    report: &mut Report,
    file: &str,
    about: &str,
    [column, axis]: [&str; 2],
    found: &Curves,
) -> Result<()> {
    let mut csv = DataTable::new(&["action", column, "stiffness_n_m", "resistance_n_s_m"]);
    let (mut in_phase, mut resisting) = (Vec::new(), Vec::new());
    for (index, (name, found)) in found.iter().enumerate() {
        for (at, r) in found {
            csv.row(&[name, at, &r.stiffness, &r.resistance]);
        }
        let of =
            |value: fn(&Response) -> f64| found.iter().map(|(at, r)| (*at, value(r))).collect();
        in_phase.push(Series::line(name, of(|r| r.stiffness), palette(index)));
        resisting.push(Series::line(name, of(|r| r.resistance), palette(index)));
    }
    folder.table(&format!("{file}.csv"), &csv)?;
    let figure = Figure {
        title: format!("Driving-point impedance of the key: {about}"),
        x: Axis::new(axis),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![
            Subplot::new(Axis::new("in phase with the depth, N/m"), in_phase),
            Subplot::new(Axis::new("in phase with the speed, N·s/m"), resisting),
        ],
    };
    folder.draw(file, &figure, report)
}

/// Compares the force in phase with the depth with that of the chain `links` up to 10 Hz, within `share`.
fn as_chain(
    report: &mut Report,
    name: &str,
    links: &[Link],
    share: f64,
    found: &[(f64, Response)],
) {
    for (frequency, r) in &found[..3] {
        let expected = chain(links, *frequency).stiffness;
        let what = format!("{name}: force in phase with the depth at {frequency} Hz, N/m");
        report.near(&what, expected, share, r.stiffness);
    }
}

/// The rows of one action.
fn rows(report: &mut Report, model: &Model, name: &str, found: &[(f64, Response)]) {
    let [mass, stiffness] = mass_and_stiffness(found);
    let quantity = |what: &str| format!("{name}: {what}");
    let travel = travelling(model);
    let by_energy = 2.0 * travel.kinetic / (travel.key_speed * travel.key_speed);
    let impedance = "000 §2.3.2 (driving-point impedance)";
    let by_travel = |report: &mut Report, share: f64| {
        let what = quantity("mass at the key front, kg, by the kinetic energy of a slow travel");
        report.near(&what, by_energy, share, mass);
    };
    let as_mass = |report: &mut Report, links: &[Link], share: f64| {
        let both = [FREQUENCIES[0], FREQUENCIES[1]].map(|f| (f, chain(links, f)));
        let what = quantity("mass at the key front, kg, by masses, springs and lever ratios");
        report.near(&what, mass_and_stiffness(&both)[0], share, mass);
    };
    match model {
        Model::Ball { model } => {
            report.source("002 eqs. (1), (2)");
            let links = [[model.paddle, model.stiffness, 0.0], [model.ball, 0.0, 0.0]];
            as_chain(report, name, &links, 0.01, found);
        }
        Model::ModelA { .. } => {
            let [own, weight] = rigid();
            report.source("003 §4.1 (model A)");
            let what = quantity("mass at the key front, kg, from its dimensions");
            report.near(&what, own, 0.005, mass);
            let what = quantity("stiffness by the hammer's weight, N/m");
            report.near(&what, weight, 0.05, stiffness);
        }
        Model::ModelB { model } => {
            let b = &model.bodies;
            let front = 1.0 / (b.front * b.front);
            let ratio = travel.q_rate[1] / travel.key_speed;
            let across = front * b.back * b.back;
            let links = [
                [model.manipulandum, model.k1, model.b1].map(|value| front * value),
                [front * b.key_inertia, across * model.k2, across * model.b2],
                [ratio * ratio * b.hammer_inertia, rigid()[1], 0.0],
            ];
            report.source("003 §4.2 (model B)");
            as_mass(report, &links, 0.07);
        }
        Model::Simplified { model } => {
            let links = key_and_hammer(model);
            report.source("002 eqs. 11–13");
            as_chain(report, name, &links, 0.01, found);
            report.source("000 §2.3.4; 002 §4");
            let twin = Model::Ball { model: equivalent_ball(&links) };
            for (frequency, r) in &found[..3] {
                let ball = response(
                    start(&twin),
                    *frequency,
                    motion(&Numbers::usual(NUMBERS), *frequency),
                )
                .stiffness
                    / r.stiffness;
                let what = format!(
                    "{name}: the equivalent ball's force in phase with the depth over its own, {frequency} Hz"
                );
                report.check(&what, "1", TargetBand::Within(0.99, 1.01), ball);
            }
            let [[key, ..], [hammer, ..]] = links;
            report.note(&format!(
                "Model 1 of the thesis gives the key half the mass of the hammer at the key front (§2.3.4); those of the \
                 simplified key 40 are {} and {} kg.",
                short(key),
                short(hammer)
            ));
        }
        Model::Harpsichord { model } => {
            report.source(impedance);
            by_travel(report, 0.03);
            let (lift, series) = (model.back / model.front, |a: f64, b: f64| a * b / (a + b));
            let plucked = series(model.plectrum, model.string);
            let load = plucked * (lift * MIDDLE - model.gap) + model.jack * GRAVITY;
            let pad = model.pad.tangent(model.pad.compression(load));
            let what = quantity("stiffness of plectrum, string and pad in series, N/m");
            report.near(&what, lift * lift * series(plucked, pad), 0.03, stiffness);
        }
        Model::Grand { model, .. } if model.is_rigid() => {
            let speed = |i: usize| travel.q_rate[i] / travel.key_speed;
            let hammer = model.hammer.inertia * speed(1) * speed(1);
            let arm = travel.q[8] / libm::cos(travel.q[5] + model.jack.lean - travel.q[1]);
            let spring = model.hammer.knuckle_felt.stiffness * arm * arm * speed(1) * speed(1);
            let links = [[by_energy - hammer, spring, 0.0], [hammer, 0.0, 0.0]];
            report.source("000 T3.3, T3.4");
            as_mass(report, &links, 0.1);
            let turning = speed(2) - speed(4);
            let drags = model.hammer.slide_damping * speed(8) * speed(8)
                + model.lever.damping * turning * turning;
            let what = quantity("resistance at 1 Hz, N·s/m, by b8 and b5");
            report.near(&what, drags, 0.02, found[0].1.resistance);
        }
        Model::Grand { .. } => {
            report.source(impedance);
            by_travel(report, 0.15);
            let weighed = KeyNumber::from_index(39).map_or(f64::NAN, |key| {
                Weighed::of(key, &ActionSettings::default()).friction_weight_g()
            });
            let friction = 0.25 * PI * TAU * NUMBERS[1].usual * found[0].1.resistance;
            let what = quantity("dry friction by the resistance at 1 Hz, N, by down and up weight");
            report.near(&what, 1e-3 * GRAVITY * weighed, 0.05, friction);
            let what = quantity("resistance at 1 Hz over that at 5 Hz: dry friction, not viscous");
            let ratio = found[0].1.resistance / found[1].1.resistance;
            report.check(&what, "5", TargetBand::Within(2.5, 7.0), ratio);
        }
        _ => {
            report.source(impedance);
            by_travel(report, 0.03);
        }
    }
}
