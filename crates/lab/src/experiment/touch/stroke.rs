//! Key strokes of equal speed and different acceleration at let-off, and what they do to the action.

use touchback_action::grand::state;
use touchback_action::{ActionSettings, Drive, EventKind, Key as _};
use touchback_instrument::play::{knocks, shank};
use touchback_sound::Knock;

use touchback_offline::bench::driven::Driven as _;
use touchback_offline::bench::test_bench::TestBench;

/// Way of the key front over which the acceleration is constant before let-off, m, and after it, m: about
/// the way on which the jack leaves the knuckle.
const STRETCH: [f64; 2] = [4e-3, 0.6e-3];

/// Depth in the key-bed felt at which the stroke ends, m.
const INTO_BED: f64 = 1e-4;

/// Time from the beginning until everything has settled, s.
const LONGEST: f64 = 1.0;

/// Prescribed motion of a key front: from rest at constant acceleration to the stretch before let-off, there
/// with the acceleration in question, then at constant speed to the bed.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyStroke {
    /// Depth of let-off: where the jack slips from the knuckle in a slow press, m.
    let_off: f64,
    /// Acceleration in the stretch, m/s².
    pub(super) acceleration: f64,
    /// Depths at which the stretch begins and ends, and of the end, m.
    depths: [f64; 3],
    /// Speeds there, m/s.
    speeds: [f64; 2],
}

impl KeyStroke {
    /// The stroke that passes `let_off` m at `speed` m/s, to the bed at `dip` m. `shape` is the acceleration
    /// over that which brings the key from rest to this speed within the stretch; below 1.
    pub(super) fn new(let_off: f64, dip: f64, speed: f64, shape: f64) -> Self {
        let acceleration = shape * speed * speed / (2.0 * STRETCH[0]);
        let at = |depth: f64| {
            let square = speed * speed + 2.0 * acceleration * (depth - let_off);
            square.max(0.0).sqrt()
        };
        let depths = [let_off - STRETCH[0], let_off + STRETCH[1], dip + INTO_BED];
        Self { let_off, acceleration, depths, speeds: [at(depths[0]), at(depths[1])] }
    }

    /// Depth at `time` s, m.
    fn depth(&self, time: f64) -> f64 {
        let [from, to, end] = self.depths;
        let [first, last] = self.speeds;
        let begin = 2.0 * from / first;
        let length = 2.0 * (to - from) / (first + last);
        if time <= begin {
            0.5 * first / begin * time * time
        } else if time <= begin + length {
            let time = time - begin;
            from + first * time + 0.5 * (last - first) / length * time * time
        } else {
            (to + last * (time - begin - length)).min(end)
        }
    }
}

/// A knock of the mechanism: kind, time after the strike, s, and speed, m/s.
pub(super) type TimedKnock = (Knock, f64, f64);

/// What a stroke does.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    /// Speed of the key front at let-off, m/s, as simulated.
    pub(super) key_speed: f64,
    /// Time from let-off to strike, s.
    pub(super) flight: f64,
    /// Speed of the hammer at the string, m/s.
    pub(super) hammer_speed: f64,
    /// Bend of the shank when the hammer strikes, m ahead, and its rate, m/s.
    pub(super) bend: [f64; 2],
    /// Time from strike to key bottom, s, and speed of the key there, m/s.
    pub(super) bottom: (f64, f64),
    /// Knocks, the shank's first.
    pub(super) knocks: Vec<TimedKnock>,
    /// Time, s from the strike, with speeds of key front and hammer, m/s.
    pub(super) speeds: Vec<(f64, f64, f64)>,
}

/// Plays `stroke` on key `number`; `None` where the hammer does not strike.
pub(super) fn play(number: u8, settings: &ActionSettings, stroke: &KeyStroke) -> Option<Outcome> {
    let mut bench = TestBench::concert(number, settings);
    let ahead = bench.spec().hammer.crown * bench.spec().hammer.bend_share();
    let mut struck = None;
    let (mut bend, mut key_speed, mut let_off) = ([0.0; 2], f64::NAN, f64::NAN);
    let mut speeds = Vec::new();
    let mut before = [0.0; 2];
    let drive = |from, _| Drive::along(|time| stroke.depth(time), from);
    bench.run(LONGEST, drive, |bench, _| {
        let time = bench.now();
        let [depth, speed] = bench.grand().front();
        if key_speed.is_nan() && depth >= stroke.let_off {
            (key_speed, let_off) = (speed, time - (depth - stroke.let_off) / speed);
        }
        if struck.is_none() {
            struck = bench.log.first(EventKind::Strike);
            // The bend at the beginning of the step in which the hammer strikes.
            bend = before;
        }
        let x = bench.state().x;
        before = [state::BEND, state::BEND_SPEED].map(|s| ahead * x[s]);
        speeds.push((time, speed, bench.hammer().1));
        true
    });
    let (strike, hammer_speed) = struck?;
    let (bottom, bottom_speed) = bench.log.first(EventKind::KeyBottom)?;
    let of_shank = shank::after_blow(bend, hammer_speed).map(|(knock, speed)| (knock, 0.0, speed));
    let of_events = bench.log.events.iter().filter_map(|(time, event)| {
        let (knock, speed) = knocks::of_event(*event, hammer_speed)?;
        Some((knock, time - strike, speed))
    });
    Some(Outcome {
        key_speed,
        flight: strike - let_off,
        hammer_speed,
        bend,
        bottom: (bottom - strike, bottom_speed),
        knocks: of_shank.into_iter().chain(of_events).collect(),
        speeds: speeds.into_iter().map(|(t, key, hammer)| (t - strike, key, hammer)).collect(),
    })
}

/// The speed at let-off, m/s, at which the stroke of `shape` gives the hammer `wanted` m/s, near `speed`;
/// `None` without one within a factor of four.
pub(super) fn speed_for(
    wanted: f64,
    speed: f64,
    mut hammer: impl FnMut(f64) -> Option<f64>,
) -> Option<f64> {
    let (mut low, mut high) = (0.25 * speed, 4.0 * speed);
    for _ in 0..30 {
        let middle = 0.5 * (low + high);
        match hammer(middle) {
            Some(found) if found > wanted => high = middle,
            _ => low = middle,
        }
    }
    let found = hammer(high)?;
    ((found / wanted - 1.0).abs() < 0.01).then_some(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strokes_pass_let_off_at_their_speed_and_acceleration() {
        for shape in [0.7, 0.0, -1.4] {
            let (let_off, speed) = (8.9e-3, 0.3);
            let stroke = KeyStroke::new(let_off, 10e-3, speed, shape);
            let passes = (1..100_000).map(|i| 1e-6 * f64::from(i));
            let at = passes.into_iter().find(|t| stroke.depth(*t) >= let_off).unwrap();
            let around = [at - 1e-3, at, at + 1e-3].map(|t| stroke.depth(t));
            let first = (around[2] - around[0]) / 2e-3;
            let second = (around[2] - 2.0 * around[1] + around[0]) / 1e-6;
            assert!((first - speed).abs() < 2e-3, "{shape}: {first}");
            assert!((second - stroke.acceleration).abs() < 0.2, "{shape}: {second}");
            assert_eq!(stroke.depth(5.0), 10e-3 + INTO_BED);
        }
    }

    #[test]
    fn a_key_that_slows_down_before_let_off_throws_its_hammer_faster() {
        let settings = ActionSettings::default();
        let hammer = |shape| {
            let stroke = KeyStroke::new(8.9e-3, 10e-3, 0.2, shape);
            play(40, &settings, &stroke).unwrap().hammer_speed
        };
        let [rising, falling] = [0.7, -1.4].map(hammer);
        assert!(falling > 1.2 * rising, "{falling} {rising}");
    }
}
