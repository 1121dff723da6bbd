//! Motions of a key under calibration, and the evaluation of their samples.

use super::line::{Bench, CalibrationError, Sample};
use super::{FORCE, KeyMeasurement};
use crate::line::conversation::Line;
use touchback_core::math::line::Line as Fit;

/// Stiffness, N/m, and damping, N·s/m, of the guide that leads a key.
const GUIDE: (f64, f64) = (800.0, 10.0);
/// Speeds of the sweeps, m/s, and damping of the guide at each, N·s/m. The first gives friction, the difference
/// damping. A quick sweep has less time to settle; a slow one shows the steps of the sensor.
const SPEEDS: [(f64, f64); 2] = [(0.0113, 10.0), (0.0471, 20.0)];
/// Number of sweeps, of which the median is taken.
const ROUNDS: u8 = 5;
/// Part of the travel over which force is averaged.
const READ: [f64; 2] = [0.4, 0.7];
/// Part of the travel that is swept.
const SWEPT: [f64; 2] = [0.12, 0.88];
/// Largest depth of a key without a bed, m: less than the limit of the device.
const DEEPEST: f64 = 13e-3;
/// Growth of the force that finds the breakaway, N/s.
const RAMP: f64 = 2.0;
/// Motion that ends the ramp, m: down, and up against the felt of the rest stop.
const MOVED: (f64, f64) = (0.15e-3, -30e-6);
/// Forces of both pushes beyond weight and friction, N, and number of each.
const PUSHES: ([f64; 2], usize) = ([0.35, 1.0], 7);
/// Share of the weight that the motor holds before a push.
const HELD: f64 = 0.9;
/// Range of motion that is evaluated of a push, m.
const PUSH_RANGE: [f64; 2] = [30e-6, 4e-3];
/// Forces beyond weight and friction on the bed, N.
const ON_BED: [f64; 2] = [0.4, 1.2];

/// Measures a key that nobody touches.
pub fn measure<L: Line>(bench: &mut Bench<L>) -> Result<KeyMeasurement, CalibrationError> {
    let [zero, noise] = rest(bench)?;
    let breaks = breakaway(bench, zero)?;
    home(bench, zero)?;
    let deepest = travel(bench, breaks)?;
    let [weight, slow] = resistance(bench, [zero, deepest])?;
    home(bench, zero)?;
    let pushes = pushes(bench, zero, [weight, slow])?;
    // Mass and damping affect each other slightly: mass is computed before and after damping.
    let [mass, _] = inertia(&pushes, 0.0)?;
    let damping = damping(bench, [zero, deepest], slow, mass)?;
    let [mass, delay] = inertia(&pushes, damping)?;
    let friction = (slow - damping * SPEEDS[0].0).max(0.0);
    let bed = if deepest < DEEPEST { Some(bed(bench, weight + friction)?) } else { None };
    home(bench, zero)?;
    Ok(KeyMeasurement { zero, noise, mass, weight, friction, damping, delay, bed, motor: 1.0 })
}

/// Measures the weight of a loaded key, N.
pub fn weigh<L: Line>(bench: &mut Bench<L>) -> Result<f64, CalibrationError> {
    let deepest = travel(bench, 0.0)?;
    let [weight, _] = resistance(bench, [0.0, deepest])?;
    Ok(weight)
}

/// Position at rest and noise, m.
fn rest<L: Line>(bench: &mut Bench<L>) -> Result<[f64; 2], CalibrationError> {
    hold(bench, 0.0, 0.0, 0.2)?;
    let samples: Vec<f64> = hold(bench, 0.0, 0.0, 0.4)?.iter().map(|s| s.x).collect();
    let n = samples.len().max(1) as f64;
    let mean = samples.iter().sum::<f64>() / n;
    let noise = (samples.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n).sqrt();
    if noise > 0.1e-3 { Err(CalibrationError::Restless) } else { Ok([mean, noise]) }
}

/// Force at which the key begins to move down from `zero`, N.
fn breakaway<L: Line>(bench: &mut Bench<L>, zero: f64) -> Result<f64, CalibrationError> {
    let down = ramp(bench, zero, 1.0)?;
    match down {
        Some((force, true)) => Ok(force),
        Some((_, false)) => Err(CalibrationError::Reversed),
        None => match ramp(bench, zero, -1.0)? {
            // A key whose weight the motor cannot lift moves in neither direction.
            Some((_, true)) => Err(CalibrationError::Reversed),
            _ => Err(CalibrationError::Unmoved),
        },
    }
}

/// Increases a force in the direction `sign` until the key has moved. Returns the force, N, and whether the
/// key moved down; none where 2 N do not move it.
fn ramp<L: Line>(
    bench: &mut Bench<L>,
    zero: f64,
    sign: f64,
) -> Result<Option<(f64, bool)>, CalibrationError> {
    let begin = bench.step(0.0, 0.0)?.time;
    loop {
        let force = RAMP * (bench.plays_at() - begin);
        if force > FORCE {
            return Ok(None);
        }
        let sample = bench.step(sign * force, 0.0)?;
        let motion = sample.x - zero;
        if motion > MOVED.0 || (sign > 0.0 && motion < MOVED.1) {
            return Ok(Some((force, motion > 0.0)));
        }
    }
}

/// Commands one force for `seconds`. Returns the samples.
fn hold<L: Line>(
    bench: &mut Bench<L>,
    force: f64,
    z: f64,
    seconds: f64,
) -> Result<Vec<Sample>, CalibrationError> {
    let first = bench.step(force, z)?;
    let mut samples = vec![first];
    while let Some(last) = samples.last()
        && last.time < first.time + seconds
    {
        samples.push(bench.step(force, z)?);
    }
    Ok(samples)
}

/// Mean position under one force after 0.2 s, m.
fn settled<L: Line>(bench: &mut Bench<L>, force: f64) -> Result<f64, CalibrationError> {
    hold(bench, force, GUIDE.1, 0.2)?;
    let samples = hold(bench, force, GUIDE.1, 0.1)?;
    Ok(samples.iter().map(|s| s.x).sum::<f64>() / samples.len().max(1) as f64)
}

/// Brings the key back to rest at `zero`; lifts it where it does not return by itself.
fn home<L: Line>(bench: &mut Bench<L>, zero: f64) -> Result<(), CalibrationError> {
    let begin = bench.step(0.0, GUIDE.1)?.time;
    let mut lift = 0.0;
    loop {
        let sample = bench.step(-lift, GUIDE.1)?;
        if sample.x < zero + 0.1e-3 {
            break;
        }
        let waited = sample.time - begin - 0.5;
        lift = (0.5 * waited).clamp(0.0, FORCE);
        if lift >= FORCE {
            return Err(CalibrationError::Away);
        }
    }
    // Press against the felt of the rest stop, then release.
    hold(bench, -lift.max(0.1), GUIDE.1, 0.1)?;
    hold(bench, 0.0, 0.0, 0.2)?;
    Ok(())
}

/// Leads the key to `to`, m, at `speed`, m/s, with the damping `z`, N·s/m, and at most `max_force`, N. Returns
/// every sample, and whether the key stopped before.
fn lead<L: Line>(
    bench: &mut Bench<L>,
    to: f64,
    (speed, z): (f64, f64),
    max_force: f64,
) -> Result<(Vec<Sample>, bool), CalibrationError> {
    let stiffness = GUIDE.0;
    let first = bench.step(0.0, z)?;
    // The target begins at the key, so that the force does not jump.
    let mut target = first.x;
    let sign = (to - target).signum();
    let mut samples = vec![first];
    let mut moved = first;
    loop {
        let last = samples.last().copied().unwrap_or(first);
        let wanted = stiffness * (target - last.x) + z * sign * speed;
        let sample = bench.step(wanted.clamp(-max_force, max_force), z)?;
        // The target is not farther ahead than the largest force needs.
        if sign * (target - sample.x) < max_force / stiffness + speed * 0.01 {
            target += sign * speed * (sample.time - last.time);
        }
        samples.push(sample);
        if (sample.x - moved.x).abs() > 20e-6 {
            moved = sample;
        }
        if sign * (sample.x - to) >= -0.05e-3 {
            return Ok((samples, false));
        }
        if sample.time - moved.time > 0.15 {
            return Ok((samples, true));
        }
    }
}

/// Measures the travel of the key, m; `breaks` is its breakaway force, N.
fn travel<L: Line>(bench: &mut Bench<L>, breaks: f64) -> Result<f64, CalibrationError> {
    // The keyboard raises damping slowly, so that it is commanded first.
    hold(bench, 0.0, GUIDE.1, 0.1)?;
    let max_force = (breaks + 1.0).min(FORCE);
    let (samples, _) = lead(bench, DEEPEST, (0.02, GUIDE.1), max_force)?;
    Ok(samples.last().map_or(0.0, |s| s.x))
}

/// Means of a sweep over the evaluated part.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Sweep {
    /// Force, N, positive down.
    force: f64,
    /// Speed, m/s.
    speed: f64,
    /// Acceleration, m/s².
    acceleration: f64,
}

/// Sweeps the key down and up between `zero` and `deepest` several times at a `pace`, m/s and N·s/m. Returns
/// the medians down and up.
fn sweeps<L: Line>(
    bench: &mut Bench<L>,
    [zero, deepest]: [f64; 2],
    pace: (f64, f64),
) -> Result<[Sweep; 2], CalibrationError> {
    let at = |share: f64| zero + share * (deepest - zero);
    let mut all: [Vec<Sweep>; 2] = Default::default();
    for _ in 0..ROUNDS {
        lead(bench, at(SWEPT[0]), (0.03, pace.1), FORCE)?;
        for (to, sweeps) in [at(SWEPT[1]), at(SWEPT[0])].into_iter().zip(&mut all) {
            let (samples, is_stopped) = lead(bench, to, pace, FORCE)?;
            let inside: Vec<Sample> =
                samples.into_iter().filter(|s| s.x > at(READ[0]) && s.x < at(READ[1])).collect();
            sweeps
                .push(Sweep::of(&inside).filter(|_| !is_stopped).ok_or(CalibrationError::Unmoved)?);
        }
    }
    let middle = |sweeps: &[Sweep], of: fn(&Sweep) -> f64| median(sweeps.iter().map(of).collect());
    Ok(all.map(|sweeps| Sweep {
        force: middle(&sweeps, |s| s.force),
        speed: middle(&sweeps, |s| s.speed),
        acceleration: middle(&sweeps, |s| s.acceleration),
    }))
}

/// Median, which a single disturbed value changes little; 0 without values.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let half = numbers.len() / 2;
    numbers.get(half).copied().unwrap_or_default()
}

impl Sweep {
    fn of(samples: &[Sample]) -> Option<Self> {
        let force = samples.iter().map(|s| s.force).sum::<f64>() / samples.len().max(1) as f64;
        let speed = |samples: &[Sample]| {
            let points: Vec<(f64, f64)> = samples.iter().map(|s| (s.time, s.x)).collect();
            Fit::through(&points)
        };
        let quarter = samples.len() / 4;
        let (first, last) = (samples.get(..quarter)?, samples.get(samples.len() - quarter..)?);
        let (begin, end) = (speed(first)?, speed(last)?);
        let acceleration = (end.slope - begin.slope) / (end.x - begin.x);
        Some(Self { force, speed: speed(samples)?.slope, acceleration })
    }
}

/// Measures weight, N, and resistance at the slow speed, N: friction plus damping at that speed.
fn resistance<L: Line>(
    bench: &mut Bench<L>,
    range: [f64; 2],
) -> Result<[f64; 2], CalibrationError> {
    let [down, up] = sweeps(bench, range, SPEEDS[0])?;
    Ok([0.5 * (down.force + up.force), (0.5 * (down.force - up.force)).max(0.0)])
}

/// Measures the damping, N·s/m, of a key of `mass`, kg, with the resistance `slow`, N, at the slow speed.
fn damping<L: Line>(
    bench: &mut Bench<L>,
    range: [f64; 2],
    slow: f64,
    mass: f64,
) -> Result<f64, CalibrationError> {
    let [down, up] = sweeps(bench, range, SPEEDS[1])?;
    let force = |sweep: Sweep| sweep.force - mass * sweep.acceleration;
    let speed = 0.5 * (down.speed - up.speed);
    Ok(((0.5 * (force(down) - force(up)) - slow) / (speed - SPEEDS[0].0).max(1e-3)).max(0.0))
}

/// Pushes of two forces: the forces, N, and the times, s, and motions, m, of every push.
struct Pushes {
    forces: [f64; 2],
    points: [Vec<Vec<(f64, f64)>>; 2],
}

/// Pushes a key at `zero` with the weight `weight`, N, and the resistance `slow`, N, at the slow speed.
fn pushes<L: Line>(
    bench: &mut Bench<L>,
    zero: f64,
    [weight, slow]: [f64; 2],
) -> Result<Pushes, CalibrationError> {
    let forces = PUSHES.0.map(|more| (weight.max(0.0) + slow + more).min(FORCE));
    if forces[1] - forces[0] < 0.2 {
        return Err(CalibrationError::Unmoved);
    }
    let mut points: [Vec<Vec<(f64, f64)>>; 2] = Default::default();
    for _ in 0..PUSHES.1 {
        for (force, points) in forces.into_iter().zip(&mut points) {
            points.push(push(bench, weight, force)?);
            home(bench, zero)?;
        }
    }
    Ok(Pushes { forces, points })
}

/// Mass, kg, and delay, s, of a key with the damping `damping`, N·s/m, from its pushes.
fn inertia(Pushes { forces, points }: &Pushes, damping: f64) -> Result<[f64; 2], CalibrationError> {
    // Damping bends the parabola by an amount that depends on the mass: a fixed-point iteration.
    let mut mass = 0.1;
    let mut delay = 0.0;
    for _ in 0..8 {
        let rate = damping / mass;
        let middle = |pushes: &[Vec<(f64, f64)>]| {
            let fits: Vec<[f64; 2]> =
                pushes.iter().filter_map(|push| parabola(push, rate, delay)).collect();
            let of = |i: usize| median(fits.iter().map(|fit| fit[i]).collect());
            (!fits.is_empty()).then(|| [of(0), of(1)])
        };
        let (Some(soft), Some(hard)) = (middle(&points[0]), middle(&points[1])) else {
            return Err(CalibrationError::Unmoved);
        };
        mass = ((forces[1] - forces[0]) / (hard[0] - soft[0]).max(1e-3)).clamp(1e-3, 10.0);
        delay = 0.5 * (soft[1] + hard[1]);
    }
    Ok([mass, delay])
}

/// Pushes with `force`, N, from rest. Before the push the motor holds 90 % of the `weight`, N, so that the felt
/// of the rest stop is not compressed. Returns times since the play-out, s, and motions, m.
fn push<L: Line>(
    bench: &mut Bench<L>,
    weight: f64,
    force: f64,
) -> Result<Vec<(f64, f64)>, CalibrationError> {
    let held = hold(bench, HELD * weight.max(0.0), 0.0, 0.1)?;
    let zero = held.last().map_or(0.0, |s| s.x);
    bench.catch_up();
    let played = bench.plays_at();
    let mut points = Vec::new();
    loop {
        let sample = bench.step(force, 0.0)?;
        let (time, motion) = (sample.time - played, sample.x - zero);
        if motion > PUSH_RANGE[1] {
            return Ok(points);
        }
        if motion > PUSH_RANGE[0] && time > 0.0 {
            points.push((time, motion));
        }
        if time > 1.0 {
            return Err(CalibrationError::Unmoved);
        }
    }
}

/// Acceleration a, m/s², and its beginning t₀, s, from points on d = ½·a·τ²·(1 − rate·τ/3), τ = t − t₀;
/// `began` is the estimate of t₀ so far.
fn parabola(points: &[(f64, f64)], rate: f64, began: f64) -> Option<[f64; 2]> {
    let straight: Vec<(f64, f64)> = points
        .iter()
        .map(|(t, motion)| (*t, (motion * (1.0 + rate * (t - began) / 3.0)).sqrt()))
        .collect();
    let line = Fit::through(&straight).filter(|line| line.slope > 0.0 && points.len() > 2)?;
    Some([2.0 * line.slope * line.slope, -line.at(0.0) / line.slope])
}

/// Measures depth, m, and stiffness, N/m, of the bed; the key moves under `against`, N.
fn bed<L: Line>(bench: &mut Bench<L>, against: f64) -> Result<[f64; 2], CalibrationError> {
    hold(bench, 0.0, GUIDE.1, 0.1)?;
    let soft_force = (against + ON_BED[0]).min(FORCE);
    lead(bench, DEEPEST, (0.02, GUIDE.1), soft_force)?;
    let soft = settled(bench, soft_force)?;
    let firm_force = (against + ON_BED[1]).min(FORCE);
    let firm = settled(bench, firm_force)?;
    let stiffness = (firm_force - soft_force) / (firm - soft).max(0.5e-6);
    Ok([soft - (soft_force - against) / stiffness, stiffness])
}
