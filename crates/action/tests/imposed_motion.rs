//! The port answers in both causalities: the motion of a press, imposed, takes the force of the press.

use touchback_action::catalogue::Model;
use touchback_action::interface::hand::Hand;
use touchback_action::interface::kind::NAMES;
use touchback_action::interface::trajectory::Trajectory;
use touchback_action::{ActionSettings, Drive, Key};
use touchback_core::math::compass::KeyNumber;

/// Speed below which a key stands, m/s: the friction that holds it does not follow from the motion.
const STANDS: f64 = 1e-3;
/// Steps of a press: 0.3 s.
const STEPS: usize = 2400;

fn fresh(name: &str, number: usize, parts: u32) -> Box<dyn Key> {
    let key = KeyNumber::from_index(number - 1).unwrap();
    let mut key = Model::named(name, key, &ActionSettings::default()).unwrap().start();
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
        if off.abs() > 0.02 && std::env::var("SHOW").is_ok() { println!("  step {i} depth {:.4} mm v {:.4}: {:.3} N not {force:.3} {}", read.key*1e3, read.key_speed, read.key_force, read.phase); }
        largest = largest.max(off.abs());
        squares += off * off;
        area += read.key_force * (read.key - before);
        before = read.key;
    }
    let work = key.work() - begun;
    if !((area - work).abs() < 1e-3 * work) { println!("AREA {area} J is not {work} J"); }
    [largest, (squares / press.forces.len() as f64).sqrt()]
}

#[test]
fn the_motion_of_a_press_takes_its_force() {
    let mut faults = Vec::new();
    for name in NAMES.into_iter().filter(|n| std::env::var("ONLY").map_or(true, |o| o.split(',').any(|x| x == *n))) {
        for number in [4, 40, 71].into_iter().filter(|k| std::env::var("KEY").map_or(true, |o| o == k.to_string())) {
            for newton in [4.0, 12.0, 30.0] {
                for parts in [1, 2] {
                    let fresh = || fresh(name, number, parts);
                    let pressed = press(&mut *fresh(), newton);
                    let known = |i: usize| Drive::between(pressed.points[i], pressed.points[i + 1]);
                    let exact = errors(&mut *fresh(), &pressed, known);
                    let [x, v] = pressed.points[0];
                    let mut motion = Trajectory::at(x, v);
                    let alone = |i: usize| motion.step(pressed.points[i + 1][0]);
                    let alone = errors(&mut *fresh(), &pressed, alone);
                    let [large, rms] = exact.map(|e| 100.0 * e);
                    let [l2, r2] = alone.map(|e| 100.0 * e);
                    println!("{name:12} {number:2} {newton:4} N /{parts}: {large:7.3} {rms:7.3} %   alone {l2:7.2} {r2:7.2} %");
                    if large > 2.0 || rms > 1.0 {
                        faults.push(format!("{name} {number} {newton} {parts}: {large:.2} {rms:.2} %"));
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
