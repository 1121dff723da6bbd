//! Campaigns: thousands of random faults and contacts in virtual time.
//!
//! All random numbers follow from a seed, so that a failure can be reproduced.

use std::collections::VecDeque;

use super::KEY;
use super::acceptance::{GLUED, armed, design, line};
use super::co_simulation::{CoSimulation, MemoryLine};
use touchback_action::TimedEvent;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::random::Random;
use touchback_device::device::key_impedance::{KeyImpedance, KeyOrder, RenderedBed, TickConstants};
use touchback_device::device::limit::MotorLimits;
use touchback_device::device::safety::DeviceMode;
use touchback_haptics::action::Action;
use touchback_haptics::keyboard::emulator::KeyboardDesign;
use touchback_haptics::keyboard::plant::{self, EmulatedFinger, KeyPlant, Stop};
use touchback_haptics::keyboard::script::{FingerAction, Script, ScriptedAction};
use touchback_haptics::line::simulated_link::LinkFaults;
use touchback_haptics::record::log::{Entry, Log, Twin};
use touchback_haptics::servo::ServoOptions;
use touchback_haptics::session::{ConnectionState, HaltReason};

/// The result of a campaign of faults.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Faulted {
    /// Faults injected.
    pub faults: u32,
    /// Ticks with a force above the keyboard's limit.
    pub over_limit: u64,
    /// Ticks with a force above the host's limit.
    pub over_host: u64,
    /// Ticks with force in a mode of the keyboard that allows none.
    pub forbidden: u64,
    /// Faults after which force was not restored within 2 s.
    pub stuck: u32,
    /// Faults that halted the force.
    pub halts: u32,
    /// Halts after which the keyboard was judged implausible.
    pub implausible: u32,
    /// Keys whose state became non-finite.
    pub upset: u64,
    /// Times from the end of a fault to force, s, sorted.
    pub recoveries: Vec<f64>,
}

impl Faulted {
    /// Recovery time, s, at the quantile `share`.
    #[must_use]
    pub fn quantile(&self, share: f64) -> f64 {
        let last = self.recoveries.len().saturating_sub(1);
        let place = floor_index(share * last as f64);
        self.recoveries.get(place).copied().unwrap_or(0.0)
    }
}

/// Force limit of the host in the campaign, N: below the keyboard's 20 N.
const HOST_LIMIT: f64 = 8.0;

/// Injects `count` random faults while fingers play, one after another, with force restored in between.
#[must_use]
pub fn faults(count: u32, seed: u64) -> Faulted {
    let mut random = Random::new(seed);
    let mut options = ServoOptions::default();
    options.limits.force = HOST_LIMIT;
    let design = KeyboardDesign { keys: 2, plant: KEY, ..KeyboardDesign::default() };
    let mut pair =
        CoSimulation::new(&design, Script::default(), options, MemoryLine::new(1, seed ^ 1));
    pair.emulator.play(playing(0.0));
    let mut done = Faulted::default();
    if !pair.arm(&mut ()) {
        done.stuck = count;
        return done;
    }
    for _ in 0..count {
        done.faults += 1;
        let lasts = 0.002 + 0.05 * random.share();
        inject(&mut pair, &design, &mut random);
        let mut watch = |p: &CoSimulation<MemoryLine>| watched(p, &mut done);
        pair.run(lasts, &mut (), &mut watch);
        repair(&mut pair);
        pair.run(0.01, &mut (), &mut watch);
        let begin = pair.time();
        let status = pair.servo.status();
        let was_live = status.state == ConnectionState::Live;
        done.implausible += u32::from(matches!(status.halt_reason, HaltReason::Implausible(..)));
        let is_back = pair.arm(&mut ()) || pair.arm(&mut ());
        done.halts += u32::from(!was_live);
        done.stuck += u32::from(!is_back);
        if !was_live {
            done.recoveries.push(pair.time() - begin);
        }
        let mut watch = |p: &CoSimulation<MemoryLine>| watched(p, &mut done);
        pair.run(0.02, &mut (), &mut watch);
    }
    done.upset = pair.servo.status().upset;
    done.recoveries.sort_by(f64::total_cmp);
    done
}

/// Two fingers that play without end.
fn playing(begin: f64) -> Script {
    Script::new(vec![
        ScriptedAction {
            time: begin,
            key: 0,
            action: FingerAction::Trill { depth: 14e-3, rate: 5.3, lasts: 1e9 },
        },
        ScriptedAction {
            time: begin,
            key: 1,
            action: FingerAction::Trill { depth: 12e-3, rate: 2.1, lasts: 1e9 },
        },
    ])
}

fn watched(pair: &CoSimulation<MemoryLine>, done: &mut Faulted) {
    let (mode, _) = pair.emulator.mode();
    for key in 0..2 {
        let force = pair.emulator.force(key);
        let limit = pair.emulator.device().limits().force;
        done.over_limit += u64::from(force.abs() > limit + 1e-9 || !force.is_finite());
        done.over_host += u64::from(force.abs() > HOST_LIMIT + 1e-9);
        let is_off = matches!(mode, DeviceMode::Idle | DeviceMode::Ready | DeviceMode::Fault);
        done.forbidden += u64::from(is_off && force != 0.0);
    }
}

fn inject(pair: &mut CoSimulation<MemoryLine>, design: &KeyboardDesign, random: &mut Random) {
    let share = random.share();
    let faults = match random.below(11) {
        0 => LinkFaults { loss: share, ..LinkFaults::default() },
        1 => LinkFaults { corruption: share, ..LinkFaults::default() },
        2 => LinkFaults { duplication: share, ..LinkFaults::default() },
        3 => LinkFaults { lateness: share, late_ticks: 40, ..LinkFaults::default() },
        4 => {
            pair.frozen = 8 * (1 + random.below(100));
            LinkFaults::default()
        }
        5 => {
            let jump = u32::try_from(random.bits() >> 33).unwrap_or(1);
            pair.emulator.jump(jump >> random.below(31));
            LinkFaults::default()
        }
        6 => {
            pair.line.up.is_cut = true;
            pair.line.down.is_cut = true;
            LinkFaults::default()
        }
        7 => {
            pair.line.down.is_cut = true;
            LinkFaults::default()
        }
        8 => {
            pair.emulator.restart(design);
            LinkFaults::default()
        }
        9 => {
            let counts = i32::try_from(random.below(40_000)).unwrap_or(0) - 20_000;
            pair.emulator.offset_sensors(counts);
            LinkFaults::default()
        }
        _ => {
            // Noise in both directions, including zeros.
            let noise: Vec<u8> =
                (0..200).map(|_| u8::try_from(random.below(256)).unwrap_or(0)).collect();
            pair.emulator.receive(&noise);
            pair.noise(&noise);
            LinkFaults { loss: 0.1, corruption: 0.1, ..LinkFaults::default() }
        }
    };
    pair.line.up.faults = faults;
    pair.line.down.faults = faults;
}

fn repair(pair: &mut CoSimulation<MemoryLine>) {
    pair.frozen = 0;
    pair.line.up.faults = LinkFaults::default();
    pair.line.down.faults = LinkFaults::default();
    pair.line.up.is_cut = false;
    pair.line.down.is_cut = false;
    pair.emulator.offset_sensors(0);
}

/// The comparison of servo and twin.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Twins {
    /// Key-steps replayed.
    pub steps: u64,
    /// Keys whose states differ in any bit.
    pub different: u32,
    /// Events that differ.
    pub different_events: u64,
    /// Number of adopted states.
    pub adopted: u64,
    /// Number of lost states.
    pub lost: u64,
    /// Gaps in the keyboard's clock.
    pub gaps: u64,
}

/// Replays a servo's log as it is written.
struct Replaying {
    twin: Twin,
    heard: VecDeque<TimedEvent>,
    done: Twins,
}

impl Log for Replaying {
    fn put(&mut self, entry: &Entry) -> bool {
        if let Entry::Slot { steps, .. } = entry {
            self.done.steps += u64::from(*steps);
        }
        let heard = &mut self.heard;
        self.twin.play(entry, |h| heard.push_back(*h));
        true
    }
    fn on_event(&mut self, heard: &TimedEvent) {
        // A slot is logged, and replayed, before the servo runs it.
        self.done.different_events += u64::from(self.heard.pop_front() != Some(*heard));
    }
}

/// Plays eight keys of the grand until `steps` key-steps are replayed, with lost messages and a
/// disconnection, and compares every key's state bit for bit.
#[must_use]
pub fn twins(steps: u64, seed: u64) -> Twins {
    const KEYS: u8 = 8;
    let design = KeyboardDesign { keys: KEYS, plant: KEY, ..KeyboardDesign::default() };
    let acts = (0..KEYS).map(|k| ScriptedAction {
        time: 0.3,
        key: usize::from(k),
        action: FingerAction::Trill { depth: 14e-3, rate: 4.0 + 0.7 * f64::from(k), lasts: 1e9 },
    });
    let script = Script::new(acts.collect());
    let mut pair =
        CoSimulation::new(&design, script, ServoOptions::default(), MemoryLine::new(1, seed));
    let twin = Twin::new(Action::GRAND);
    let mut log = Replaying { twin, heard: VecDeque::new(), done: Twins::default() };
    let mut rounds = 0u32;
    while log.done.steps < steps && pair.arm(&mut log) {
        pair.line.up.is_cut = false;
        pair.run(0.5, &mut log, |_| ());
        pair.line.up.faults =
            LinkFaults { loss: 0.02, lateness: 0.05, late_ticks: 8, ..LinkFaults::default() };
        pair.run(0.5, &mut log, |_| ());
        rounds += 1;
        if rounds.is_multiple_of(2) {
            pair.line.up.is_cut = true;
            pair.run(0.06, &mut log, |_| ());
            pair.line.up.is_cut = false;
        }
    }
    let status = pair.servo.status();
    let mut done = log.done;
    done.different_events += log.heard.len() as u64;
    (done.adopted, done.lost, done.gaps) = (log.twin.adopted(), status.lost, status.gaps);
    for k in 0..KEYS {
        let key = KeyNumber::from_index(39 + usize::from(k));
        let twin = key.and_then(|key| log.twin.key(key)).map(|(m, _)| m.save().bits());
        let servo = pair.servo.simulated(usize::from(k)).map(|m| m.save().bits());
        done.different += u32::from(twin.is_none() || twin != servo);
    }
    done
}

/// Largest stiffness of a key bed rendered by the keyboard, N/m, with 10 N·s/m, at which a key settles
/// within 50 µm, with the finger of the source documents or under 1 N alone; searched in steps of 25 %.
#[must_use]
pub fn stiffest_bed(plant: &KeyPlant, with_finger: bool) -> f64 {
    let settles = |stiffness: f64| {
        let bare = KeyPlant { bed: Stop::default(), ..*plant };
        let mut key = plant::EmulatedKey::new(bare, EmulatedFinger { is_glued: true, ..GLUED });
        let tick = TickConstants::new(8000.0);
        let limits = MotorLimits { force: 200.0, slew: 1e9, held: 200.0, time: 1.0 };
        let bed = RenderedBed { stiffness, damping: 10.0, depth: 5e-3 };
        let order = KeyOrder {
            impedance: 0.0,
            gain: 1.0,
            is_powered: true,
            is_direct: true,
            bed: &bed,
            limits: &limits,
            guard: 0.0,
        };
        let mut law = KeyImpedance::at(0.0, 0.0);
        let touch = if with_finger {
            plant::FingerDrive::Hand { depth: 10e-3, speed: 0.0 }
        } else {
            plant::FingerDrive::Bias { force: 1.0 }
        };
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for i in 0..16_000 {
            let x = f64::from(key.count()) * plant.step;
            let force = law.tick(&tick, x, &order).force;
            key.tick(force, touch);
            if i > 12_000 {
                (low, high) = (low.min(key.x), high.max(key.x));
            }
        }
        high - low < 50e-6
    };
    let mut best = 0.0;
    let mut stiffness = 500.0;
    while stiffness < 1e6 && settles(stiffness) {
        best = stiffness;
        stiffness *= 1.25;
    }
    best
}

/// Peak-to-peak motion of the key, m, in the last 0.5 s under a finger that rests on the key and presses
/// lightly, for the acceptance plants.
#[must_use]
pub fn chatter(action: Action, depth: f64) -> Option<f64> {
    let options = ServoOptions { action, ..ServoOptions::default() };
    let design = KeyboardDesign { finger: GLUED, ..design(&KEY) };
    let mut pair = armed(&design, options, line())?;
    let begin = pair.time();
    pair.emulator.play(Script::new(vec![ScriptedAction {
        time: begin,
        key: 0,
        action: FingerAction::Press { depth, within: 0.3 },
    }]));
    pair.run(1.5, &mut (), |_| ());
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    pair.run(0.5, &mut (), |p| {
        let x = p.emulator.key(0).map_or(0.0, |k| k.x);
        (low, high) = (low.min(x), high.max(x));
    });
    Some(high - low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_never_exceed_the_force_limits_and_always_recover() {
        let done = faults(400, 11);
        assert_eq!((done.over_limit, done.forbidden, done.stuck), (0, 0, 0), "{done:?}");
        assert_eq!(done.upset, 0);
        assert!(done.halts > 50 && done.quantile(1.0) < 1.0, "{}", done.quantile(1.0));
    }

    #[test]
    fn the_twin_follows_through_loss_and_reconnection() {
        let done = twins(200_000, 3);
        assert_eq!((done.different, done.different_events), (0, 0), "{done:?}");
        assert!(done.steps >= 200_000 && done.lost > 10 && done.adopted > 8, "{done:?}");
    }

    #[test]
    fn a_held_key_does_not_chatter() {
        for action in [Action::GRAND, Action::Bench, Action::Wall] {
            for depth in [3e-3, 8e-3, 20e-3] {
                let unrest = chatter(action, depth).unwrap();
                assert!(unrest < 1e-4, "{action:?} at {depth} m: {unrest} m");
            }
        }
    }
}
