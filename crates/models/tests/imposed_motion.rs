//! The port answers in both causalities: the motion of a press, imposed, takes the force of the press.
#![allow(clippy::disallowed_methods, reason = "results are compared with the system's functions")]

use std::collections::BTreeMap;

use touchback_action::grand::equations::{drive::DriveNow, kinematics::Kinematics, step};
use touchback_action::grand::{GrandKey, Phase, STATES, Spec, key::rest};
use touchback_action::interface::hand::Hand;
use touchback_action::interface::kind::NAMES;
use touchback_action::interface::trajectory::{Cubic, Trajectory};
use touchback_action::simple::{ActionKey, ball, model_a};
use touchback_action::{ActionKind, ActionSettings, Drive, EventKind, Key, STEP};
use touchback_core::episode::Observer;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::random::Random;
use touchback_models::catalogue::{self, Model};

/// Speed below which a key stands, m/s: the friction that holds it does not follow from the motion.
const STANDS: f64 = 1e-3;
/// Steps of a press: 0.3 s.
const STEPS: usize = 2400;

/// The thesis's key as notes play it: at rest in balance.
const PLAYED: &str = "thesis, played";

fn fresh(name: &str, number: usize, parts: u32) -> Box<dyn Key> {
    let key = KeyNumber::from_index(number - 1).unwrap();
    let settings = ActionSettings::default();
    let mut key = match name {
        PLAYED => catalogue::played(ActionKind::Thesis, key, &settings),
        _ => Model::named(name, key, &settings).unwrap().start(),
    };
    key.refine(parts);
    key
}

/// A press: depth and speed of the key front at the ends of all steps, and the mean force of each step.
struct Press {
    points: Vec<[f64; 2]>,
    forces: Vec<f64>,
}

fn press(key: &mut dyn Key, newton: f64) -> Press {
    let mut hand = Hand::pressing(key.front()[0], newton, 0.0);
    let mut press = Press { points: vec![key.front()], forces: Vec::new() };
    for _ in 0..STEPS {
        let force = hand.step(key.front());
        key.step(Drive::Force(force), &mut |_, _| ());
        press.points.push(key.front());
        press.forces.push(0.5 * (force[0] + force[1]));
    }
    press
}

/// Largest and root mean square difference of the forces that answer `drives` from those of `press`, over its peak.
fn errors(key: &mut dyn Key, press: &Press, mut drive: impl FnMut(usize) -> Drive) -> [f64; 2] {
    let peak = press.forces.iter().copied().fold(0.0, f64::max);
    let (mut largest, mut squares, mut area, mut before) = (0.0f64, 0.0, 0.0, key.front()[0]);
    let begun = key.work();
    for (i, force) in press.forces.iter().enumerate() {
        let drive = drive(i);
        key.step(drive, &mut |_, _| ());
        let read = key.readout(drive);
        let stands = press.points[i..i + 2].iter().all(|point| point[1].abs() < STANDS);
        let off = if stands { 0.0 } else { (read.key_force - force) / peak };
        largest = largest.max(off.abs());
        squares += off * off;
        area += read.key_force * (read.key - before);
        before = read.key;
    }
    let work = key.work() - begun;
    assert!((area - work).abs() < 1e-3 * work.max(1e-3), "{area} J is not {work} J");
    [largest, (squares / press.forces.len() as f64).sqrt()]
}

/// Largest and root mean square error allowed, % of the peak. While the key turns in the bed felt within a step, the
/// felt's force jumps with its hysteresis.
const ALLOWED: [f64; 2] = [3.0, 1.0];

fn check(name: &str, number: usize, newton: f64, parts: u32) -> Result<(), String> {
    let fresh = || fresh(name, number, parts);
    let pressed = press(&mut *fresh(), newton);
    let known = |i: usize| Drive::between(pressed.points[i], pressed.points[i + 1]);
    let found = errors(&mut *fresh(), &pressed, known).map(|error| 100.0 * error);
    let within = found.iter().zip(ALLOWED).all(|(error, allowed)| *error < allowed);
    within.then_some(()).ok_or(format!("{name} {number}, {newton} N, /{parts}: {found:.2?} %"))
}

#[test]
fn the_motion_of_a_press_takes_its_force() {
    let names = NAMES.into_iter().chain([PLAYED]);
    let faults = names.filter_map(|name| check(name, 40, 12.0, 1).err());
    let faults: Vec<_> = faults.collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
#[ignore = "long: `.ci/run` runs it"]
fn the_motion_of_every_press_takes_its_force() {
    let mut faults = Vec::new();
    for name in NAMES {
        for number in [4, 40, 71] {
            for newton in [4.0, 12.0, 30.0] {
                for parts in [1, 2] {
                    faults.extend(check(name, number, newton, parts).err());
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Positions alone, as they arrive: the force follows within a few percent of the peak.
#[test]
fn positions_alone_take_nearly_the_force_of_the_press() {
    for name in ["grand", "ball", "harpsichord", "viennese"] {
        let pressed = press(&mut *fresh(name, 40, 1), 12.0);
        let [x, v] = pressed.points[0];
        let mut motion = Trajectory::at(x, v);
        let alone = |i: usize| motion.step(pressed.points[i + 1][0]);
        let [_, rms] = errors(&mut *fresh(name, 40, 1), &pressed, alone);
        assert!(rms < 0.01, "{name}: {rms}");
    }
}

/// The ball of 1994: F = m_p d̈ + k (d − q) + m_p g on the paddle, F = m_p d̈ + m_p g in the air [equations (2), (5)].
#[test]
fn the_ball_answers_with_the_equations_of_1994() {
    let spec = ball::Spec::default();
    let mut key = ActionKey::new(spec);
    let rate = std::f64::consts::TAU * 10.0;
    let rest = key.front()[0];
    let path = |t: f64| rest + 2e-3 * (1.0 - (rate * t).cos());
    let speed = |t: f64| 2e-3 * rate * (rate * t).sin();
    let (mut flown, mut carried) = (0, 0);
    for step in 0..4000 {
        let time = f64::from(step) * STEP;
        let point = |t: f64| [path(t), speed(t)];
        let before = key.save();
        let drive = Drive::between(point(time), point(time + STEP));
        let mut events = 0;
        key.step(drive, &mut |_, _| events += 1);
        let after = key.save();
        // The paddle is on its felt at the ends of its way, where the rule is not exact.
        let on_felt = path(time).min(path(time + STEP)) < 0.0;
        // Where the paddle turns, the force is not work over travel.
        let turns = speed(time) * speed(time + STEP) <= 1e-12;
        if events > 0 || on_felt || turns {
            continue;
        }
        let in_air = before.phase == 1;
        let cubic = |from: [f64; 2], to: [f64; 2]| Cubic {
            depth: [from[0], to[0]],
            speed: [from[1], to[1]],
            seconds: STEP,
        };
        let paddle = cubic(point(time), point(time + STEP));
        let ball = cubic([before.x[2], before.x[3]], [after.x[2], after.x[3]]);
        let [begin, end] = paddle.accelerations();
        // The mean force of the step: work over travel, by Gauss' rule on the equation's force.
        let mut work = 0.0;
        for node in [-0.6f64.sqrt(), 0.0, 0.6f64.sqrt()] {
            let share = 0.5 * (1.0 + node);
            let weight = if node == 0.0 { 8.0 / 9.0 } else { 5.0 / 9.0 };
            let ([depth, speed], [height, _]) = (paddle.at(share * STEP), ball.at(share * STEP));
            let acceleration = begin + share * (end - begin);
            let spring = if in_air { 0.0 } else { spec.stiffness * (depth - height) };
            let force = spec.paddle * (acceleration + touchback_action::GRAVITY) + spring;
            work += 0.5 * STEP * weight * force * speed;
        }
        let expected = work / (path(time + STEP) - path(time));
        let off = key.readout(drive).key_force - expected;
        assert!(off.abs() < 1e-6, "{time} s: {off} N");
        if in_air { flown += 1 } else { carried += 1 }
    }
    assert!(flown > 100 && carried > 100, "{flown} {carried}");
}

/// Depth of the key front in a throw of 5 mm in 80 ms from 1.1 mm.
fn throw(t: f64) -> f64 {
    let share = ((t - 0.1) / 0.08).clamp(0.0, 1.0);
    1.1e-3 + 2.5e-3 * (1.0 - (std::f64::consts::PI * share).cos())
}

/// Model A [Gillespie and Cutkosky 1993, §5.1]: coupled while the contact presses, then a pendulum, then coupled.
#[test]
fn model_a_throws_its_hammer_and_catches_it() {
    let spec = model_a::Spec::default();
    let b = spec.bodies;
    let mut key = ActionKey::new(spec);
    let (mut events, mut least, mut flight) = (Vec::new(), f64::INFINITY, Vec::new());
    for step in 0..3200 {
        let time = f64::from(step) * STEP;
        let drive = Drive::along(throw, time);
        key.step(drive, &mut |offset, event| events.push((time + offset, event.kind())));
        let read = key.readout(drive);
        least = least.min(read.contact_force);
        if read.phase == "A2" {
            flight.push((time + STEP, read.hammer / b.crown, read.hammer_speed / b.crown));
        }
    }
    let kinds: Vec<_> = events.iter().map(|event| event.1).collect();
    assert_eq!(kinds, [EventKind::Release, EventKind::Reset], "{events:?}");
    assert!(least >= 0.0, "{least} N");
    // The equations of the paper: the acceleration of the hammer on the slider is that of its weight.
    let pressing = |t: f64| {
        let d = 1e-4;
        let angle = |t: f64| b.closed(throw(t))[0];
        let acceleration = (angle(t + d) - 2.0 * angle(t) + angle(t - d)) / (d * d);
        b.hammer_inertia * acceleration + b.hammer_weight * angle(t).cos()
    };
    let (mut low, mut high) = (0.14, 0.17);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if pressing(middle) > 0.0 { low = middle } else { high = middle }
    }
    assert!((events[0].0 - low).abs() < 5e-5, "{} s, not {low} s", events[0].0);
    // Between release and landing a pendulum: its energy is constant.
    let energy =
        |(_, q, w): &(f64, f64, f64)| 0.5 * b.hammer_inertia * w * w + b.hammer_weight * q.sin();
    let first = energy(&flight[0]);
    assert!(flight.iter().all(|at| (energy(at) - first).abs() < 1e-9 * first.abs().max(1e-3)));
    assert!((events[1].0 - 0.2016).abs() < 2e-4, "{} s", events[1].0);
}

/// Transitions of the thesis's key: the printed graph, a hammer that leaves its jack early, and the jack's head beside
/// the knuckle.
const GRAPH: &str = "AB BA BC CD DA AD CB DC CE CF FC FE EF EC ED EA";

/// Counts transitions, and measures the largest jump of the jack's head, m.
struct Graph {
    spec: Spec,
    taken: BTreeMap<String, u32>,
    jump: f64,
}

impl Observer<Phase, STATES> for Graph {
    fn transition(
        &mut self,
        _: f64,
        from: Phase,
        to: Phase,
        before: &[f64; STATES],
        after: &[f64; STATES],
    ) {
        *self.taken.entry([from.name(), to.name()].concat()).or_default() += 1;
        let head = |phase, x| {
            let k = Kinematics::new(&self.spec, phase, x);
            k.to_jack + k.head.axis * self.spec.jack.length
        };
        // A jack released from the flank returns to its stop or to the button.
        if from != Phase::Flank || to == Phase::Wedge {
            let apart = head(from, before) - head(to, after);
            self.jump = self.jump.max(apart.norm_squared().sqrt());
        }
    }
    fn guard(&mut self, _: f64, _: usize, _: bool, _: &[f64; STATES]) {}
}

/// Moves of 10 to 200 ms between random depths, imposed or by a finger.
#[test]
fn the_thesis_s_key_keeps_to_its_graph_without_jumps_and_without_chatter() {
    const MOVES: u32 = 300;
    for is_imposed in [true, false] {
        let key = GrandKey::thesis();
        let (model, spec) = (&key.assembly().grand, key.assembly().spec);
        let mut graph = Graph { spec, taken: BTreeMap::new(), jump: 0.0 };
        let (mut state, mut random) = (*key.state(), Random::new(5));
        let mut from = key.front()[0];
        for _ in 0..MOVES {
            let to = -1e-3 + 13e-3 * random.share();
            let steps = 80 + u32::try_from(floor_index(1520.0 * random.share())).unwrap();
            let seconds = f64::from(steps) * STEP;
            let motion = Cubic { depth: [from, to], speed: [0.0; 2], seconds };
            from = to;
            for i in 0..steps {
                let ends = [i, i + 1].map(|i| motion.at(f64::from(i) * STEP));
                let drive = match is_imposed {
                    true => Drive::between(ends[0], ends[1]),
                    false => Drive::Finger(ends.map(|end| end[0])),
                };
                let inputs = DriveNow::ends(drive, [rest::TRAY_DOWN; 2]);
                step::stepper(model, STEP).advance(model, &mut state, &inputs, &mut graph);
            }
        }
        let taken = &graph.taken;
        assert!(taken.keys().all(|pair| GRAPH.contains(&**pair)), "{taken:?}");
        assert!(["AB", "BC", "CD", "DA"].iter().all(|pair| taken[*pair] > 20), "{taken:?}");
        assert!(taken.values().all(|count| *count < MOVES), "{taken:?}");
        assert!(graph.jump < 1e-9, "{} m", graph.jump);
    }
}
