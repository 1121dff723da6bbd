//! What a key is made to do, and what follows from it.

use super::line::{Bench, Line, Sample, Trouble};
use super::{FORCE, KeyMeasurement};
use touchback_core::math::line::Line as Fit;

/// Stiffness, N/m, and damping, N·s/m, that lead a key along a way.
const GUIDE: (f64, f64) = (800.0, 10.0);
/// Speeds of the sweeps, m/s: friction shows at the first, damping at their difference; and the
/// damping that leads at each, N·s/m: a quick sweep has less time to settle, a slow one shows a
/// sensor's steps.
const SPEEDS: [(f64, f64); 2] = [(0.0113, 10.0), (0.0471, 20.0)];
/// Sweeps of which a mean is taken.
const ROUNDS: u8 = 5;
/// Part of the travel in which force is read.
const READ: [f64; 2] = [0.4, 0.7];
/// Part of the travel that is swept.
const SWEPT: [f64; 2] = [0.12, 0.88];
/// Where a key without a bed ends, m: before the keyboard's own limit.
const DEEPEST: f64 = 13e-3;
/// Growth of a force that looks for motion, N/s.
const RAMP: f64 = 2.0;
/// Motion that counts, m: down, and up against the rest felt.
const MOVED: (f64, f64) = (0.15e-3, -30e-6);
/// Forces beyond weight and friction of the two pushes, N, and how often each is made.
const PUSHES: ([f64; 2], usize) = ([0.35, 1.0], 7);
/// Share of the weight that is held before a push.
const HELD: f64 = 0.9;
/// Way in which a push is looked at, m.
const WAY: [f64; 2] = [30e-6, 4e-3];
/// Forces beyond weight and friction on the bed, N.
const ON_BED: [f64; 2] = [0.4, 1.2];

/// Everything of a key that nobody touches.
pub fn measure<L: Line>(bench: &mut Bench<L>) -> Result<KeyMeasurement, Trouble> {
    let [zero, noise] = rest(bench)?;
    let breaks = breakaway(bench, zero)?;
    home(bench, zero)?;
    let deepest = travel(bench, breaks)?;
    let [weight, slow] = resistance(bench, [zero, deepest])?;
    home(bench, zero)?;
    let pushes = pushes(bench, zero, [weight, slow])?;
    // Mass and damping show in each other a little: first one, then the other, then again.
    let [mass, _] = inertia(&pushes, 0.0)?;
    let damping = damping(bench, [zero, deepest], slow, mass)?;
    let [mass, delay] = inertia(&pushes, damping)?;
    let friction = (slow - damping * SPEEDS[0].0).max(0.0);
    let bed = if deepest < DEEPEST { Some(bed(bench, weight + friction)?) } else { None };
    home(bench, zero)?;
    Ok(KeyMeasurement { zero, noise, mass, weight, friction, damping, delay, bed, motor: 1.0 })
}

/// Weight of a key on which something lies, N.
pub fn weigh<L: Line>(bench: &mut Bench<L>) -> Result<f64, Trouble> {
    let deepest = travel(bench, 0.0)?;
    let [weight, _] = resistance(bench, [0.0, deepest])?;
    Ok(weight)
}

/// Position at rest and noise, m.
fn rest<L: Line>(bench: &mut Bench<L>) -> Result<[f64; 2], Trouble> {
    hold(bench, 0.0, 0.0, 0.2)?;
    let samples: Vec<f64> = hold(bench, 0.0, 0.0, 0.4)?.iter().map(|s| s.x).collect();
    let n = samples.len().max(1) as f64;
    let mean = samples.iter().sum::<f64>() / n;
    let noise = (samples.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n).sqrt();
    if noise > 0.1e-3 { Err(Trouble::Restless) } else { Ok([mean, noise]) }
}

/// The force that moves the key down from `zero`, N.
fn breakaway<L: Line>(bench: &mut Bench<L>, zero: f64) -> Result<f64, Trouble> {
    let down = ramp(bench, zero, 1.0)?;
    match down {
        Some((force, true)) => Ok(force),
        Some((_, false)) => Err(Trouble::Reversed),
        None => match ramp(bench, zero, -1.0)? {
            // A weight that the motor cannot lift moves neither way.
            Some((_, true)) => Err(Trouble::Reversed),
            _ => Err(Trouble::Unmoved),
        },
    }
}

/// A force that grows in the direction `sign` until the key has moved: the force, N, and whether it
/// moved down.
fn ramp<L: Line>(
    bench: &mut Bench<L>,
    zero: f64,
    sign: f64,
) -> Result<Option<(f64, bool)>, Trouble> {
    let begin = bench.step(0.0, 0.0)?.time;
    loop {
        let force = RAMP * (bench.plays_at() - begin);
        if force > FORCE {
            return Ok(None);
        }
        let sample = bench.step(sign * force, 0.0)?;
        let way = sample.x - zero;
        if way > MOVED.0 || (sign > 0.0 && way < MOVED.1) {
            return Ok(Some((force, way > 0.0)));
        }
    }
}

/// Commands one force for `seconds`; what was seen.
fn hold<L: Line>(
    bench: &mut Bench<L>,
    force: f64,
    z: f64,
    seconds: f64,
) -> Result<Vec<Sample>, Trouble> {
    let first = bench.step(force, z)?;
    let mut samples = vec![first];
    while let Some(last) = samples.last()
        && last.time < first.time + seconds
    {
        samples.push(bench.step(force, z)?);
    }
    Ok(samples)
}

/// Mean position under one force after 0.2 s of it, m.
fn settled<L: Line>(bench: &mut Bench<L>, force: f64) -> Result<f64, Trouble> {
    hold(bench, force, GUIDE.1, 0.2)?;
    let samples = hold(bench, force, GUIDE.1, 0.1)?;
    Ok(samples.iter().map(|s| s.x).sum::<f64>() / samples.len().max(1) as f64)
}

/// The key back at `zero`, lifted where it does not come by itself, and at rest.
fn home<L: Line>(bench: &mut Bench<L>, zero: f64) -> Result<(), Trouble> {
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
            return Err(Trouble::Away);
        }
    }
    // Against the rest felt, then let go.
    hold(bench, -lift.max(0.1), GUIDE.1, 0.1)?;
    hold(bench, 0.0, 0.0, 0.2)?;
    Ok(())
}

/// The key led from where it is to `to` m at `speed` m/s, damped with `z` N·s/m, by at most `most` N;
/// every sample, and whether it stopped before.
fn lead<L: Line>(
    bench: &mut Bench<L>,
    to: f64,
    (speed, z): (f64, f64),
    most: f64,
) -> Result<(Vec<Sample>, bool), Trouble> {
    let stiffness = GUIDE.0;
    let hand = bench.step(0.0, z)?;
    // What the guide gives already: no jump at the beginning.
    let mut target = hand.x;
    let sign = (to - target).signum();
    let mut samples = vec![hand];
    let mut moved = hand;
    loop {
        let last = samples.last().copied().unwrap_or(hand);
        let wanted = stiffness * (target - last.x) + z * sign * speed;
        let sample = bench.step(wanted.clamp(-most, most), z)?;
        // A target runs no farther ahead than the force reaches.
        if sign * (target - sample.x) < most / stiffness + speed * 0.01 {
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

/// How deep the key goes, m, from the force `breaks` N that moves it.
fn travel<L: Line>(bench: &mut Bench<L>, breaks: f64) -> Result<f64, Trouble> {
    // Damping first: the keyboard lets it grow slowly.
    hold(bench, 0.0, GUIDE.1, 0.1)?;
    let most = (breaks + 1.0).min(FORCE);
    let (samples, _) = lead(bench, DEEPEST, (0.02, GUIDE.1), most)?;
    Ok(samples.last().map_or(0.0, |s| s.x))
}

/// A sweep's means over the part in which force is read.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Sweep {
    /// Force, N, positive down.
    force: f64,
    /// Speed, m/s.
    speed: f64,
    /// Acceleration, m/s².
    acceleration: f64,
}

/// Sweeps down and up at a `pace`, m/s and N·s/m, between `zero` and `deepest`, several times.
fn sweeps<L: Line>(
    bench: &mut Bench<L>,
    [zero, deepest]: [f64; 2],
    pace: (f64, f64),
) -> Result<[Sweep; 2], Trouble> {
    let at = |share: f64| zero + share * (deepest - zero);
    let mut seen: [Vec<Sweep>; 2] = Default::default();
    for _ in 0..ROUNDS {
        lead(bench, at(SWEPT[0]), (0.03, pace.1), FORCE)?;
        for (to, seen) in [at(SWEPT[1]), at(SWEPT[0])].into_iter().zip(&mut seen) {
            let (samples, is_stopped) = lead(bench, to, pace, FORCE)?;
            let inside: Vec<Sample> =
                samples.into_iter().filter(|s| s.x > at(READ[0]) && s.x < at(READ[1])).collect();
            seen.push(Sweep::of(&inside).filter(|_| !is_stopped).ok_or(Trouble::Unmoved)?);
        }
    }
    let middle = |seen: &[Sweep], of: fn(&Sweep) -> f64| median(seen.iter().map(of).collect());
    Ok(seen.map(|seen| Sweep {
        force: middle(&seen, |s| s.force),
        speed: middle(&seen, |s| s.speed),
        acceleration: middle(&seen, |s| s.acceleration),
    }))
}

/// The middle of some numbers, which one that was disturbed does not move far; 0 of none.
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

/// Weight, N, and friction with what damping adds at the slow speed, N.
fn resistance<L: Line>(bench: &mut Bench<L>, way: [f64; 2]) -> Result<[f64; 2], Trouble> {
    let [down, up] = sweeps(bench, way, SPEEDS[0])?;
    Ok([0.5 * (down.force + up.force), (0.5 * (down.force - up.force)).max(0.0)])
}

/// Damping, N·s/m, of a key of `mass` kg that resists with `slow` N at the slow speed.
fn damping<L: Line>(
    bench: &mut Bench<L>,
    way: [f64; 2],
    slow: f64,
    mass: f64,
) -> Result<f64, Trouble> {
    let [down, up] = sweeps(bench, way, SPEEDS[1])?;
    let force = |sweep: Sweep| sweep.force - mass * sweep.acceleration;
    let speed = 0.5 * (down.speed - up.speed);
    Ok(((0.5 * (force(down) - force(up)) - slow) / (speed - SPEEDS[0].0).max(1e-3)).max(0.0))
}

/// Pushes of two forces: the forces, N, and times, s, and ways, m, of every push.
struct Pushes {
    forces: [f64; 2],
    seen: [Vec<Vec<(f64, f64)>>; 2],
}

/// Pushes a key at `zero` of `weight` N that resists slow motion with `slow` N.
fn pushes<L: Line>(
    bench: &mut Bench<L>,
    zero: f64,
    [weight, slow]: [f64; 2],
) -> Result<Pushes, Trouble> {
    let forces = PUSHES.0.map(|more| (weight.max(0.0) + slow + more).min(FORCE));
    if forces[1] - forces[0] < 0.2 {
        return Err(Trouble::Unmoved);
    }
    let mut seen: [Vec<Vec<(f64, f64)>>; 2] = Default::default();
    for _ in 0..PUSHES.1 {
        for (force, seen) in forces.into_iter().zip(&mut seen) {
            seen.push(push(bench, weight, force)?);
            home(bench, zero)?;
        }
    }
    Ok(Pushes { forces, seen })
}

/// Mass, kg, and delay, s, of a key with so much `damping`.
fn inertia(Pushes { forces, seen }: &Pushes, damping: f64) -> Result<[f64; 2], Trouble> {
    // Damping bends the parabola a little; how much depends on the mass.
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
        let (Some(soft), Some(hard)) = (middle(&seen[0]), middle(&seen[1])) else {
            return Err(Trouble::Unmoved);
        };
        mass = ((forces[1] - forces[0]) / (hard[0] - soft[0]).max(1e-3)).clamp(1e-3, 10.0);
        delay = 0.5 * (soft[1] + hard[1]);
    }
    Ok([mass, delay])
}

/// A push of `force` N from rest, the `weight` N held nearly before, so that the rest felt has
/// nothing to give back: times since its play-out, s, and ways, m.
fn push<L: Line>(
    bench: &mut Bench<L>,
    weight: f64,
    force: f64,
) -> Result<Vec<(f64, f64)>, Trouble> {
    let held = hold(bench, HELD * weight.max(0.0), 0.0, 0.1)?;
    let zero = held.last().map_or(0.0, |s| s.x);
    bench.catch_up();
    let played = bench.plays_at();
    let mut points = Vec::new();
    loop {
        let sample = bench.step(force, 0.0)?;
        let (time, way) = (sample.time - played, sample.x - zero);
        if way > WAY[1] {
            return Ok(points);
        }
        if way > WAY[0] && time > 0.0 {
            points.push((time, way));
        }
        if time > 1.0 {
            return Err(Trouble::Unmoved);
        }
    }
}

/// Acceleration, m/s², and its beginning, s, of points on d = ½·a·τ²·(1 − rate·τ/3), τ from `began`
/// on as known so far.
fn parabola(points: &[(f64, f64)], rate: f64, began: f64) -> Option<[f64; 2]> {
    let straight: Vec<(f64, f64)> = points
        .iter()
        .map(|(t, way)| (*t, (way * (1.0 + rate * (t - began) / 3.0)).sqrt()))
        .collect();
    let line = Fit::through(&straight).filter(|line| line.slope > 0.0 && points.len() > 2)?;
    Some([2.0 * line.slope * line.slope, -line.at(0.0) / line.slope])
}

/// Depth, m, and stiffness, N/m, of the bed, the key moving under `against` N.
fn bed<L: Line>(bench: &mut Bench<L>, against: f64) -> Result<[f64; 2], Trouble> {
    hold(bench, 0.0, GUIDE.1, 0.1)?;
    let most = (against + ON_BED[0]).min(FORCE);
    lead(bench, DEEPEST, (0.02, GUIDE.1), most)?;
    let soft = settled(bench, most)?;
    let firm_force = (against + ON_BED[1]).min(FORCE);
    let firm = settled(bench, firm_force)?;
    let stiffness = (firm_force - most) / (firm - soft).max(0.5e-6);
    Ok([soft - (most - against) / stiffness, stiffness])
}
