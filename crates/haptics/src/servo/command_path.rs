//! The command of one key as the keyboard plays it: filtered force and impedance, tick by tick.
//!
//! The keyboard's law of a tick of T s, for the commanded force f_cmd, N, and impedance Z_cmd, N·s/m, is
//! f += (1 − e^(−2π·300 Hz·T))·(f_cmd − f), Z += clamp(Z_cmd − Z, −6000·T, 250·T). Which command acts is known
//! from [`CommandTimes`], to within one tick where a state names the command. Where it is not known, both
//! quantities are intervals.

use arrayvec::ArrayVec;

use super::command_times::CommandTimes;
use touchback_device::device::key_impedance::{IMPEDANCE_FALL, IMPEDANCE_SLEW, WAVE_CORNER};
use touchback_device::fixed::since;
use touchback_device::message::{FORCE, IMPEDANCE, KeyWave};

/// Stored commands: those of the longest lead at four a millisecond.
const KEPT: usize = 64;
/// Time constant of the decay of a force that is not renewed, s.
const DECAY_TIME: f64 = 5e-3;
/// Time beyond the report interval for which a command holds, µs.
const HOLD_US: i32 = 2_000;

/// Tick of the keyboard.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DeviceTick {
    /// Length, µs.
    us: i32,
    /// Coefficient of the wave filter.
    share: f64,
}

impl DeviceTick {
    /// The tick of a keyboard of `rate`, Hz.
    pub fn new(rate: u16) -> Self {
        let rate = rate.max(1);
        let time = 1.0 / f64::from(rate);
        let share = 1.0 - libm::exp(-std::f64::consts::TAU * WAVE_CORNER * time);
        Self { us: 1_000_000 / i32::from(rate), share }
    }
}

/// Least and largest value.
pub type Range = [f64; 2];

/// Hull of `range` and `value`.
fn hull(range: Range, value: f64) -> Range {
    [range[0].min(value), range[1].max(value)]
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct KeyCommand {
    seq: u16,
    force: f64,
    impedance: f64,
}

/// What the keyboard did between two reports.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Played {
    /// Integral of the filtered force, N·s.
    pub impulse: Range,
    /// Filtered force at the end, N.
    pub force: Range,
    /// Impedance at the end, N·s/m.
    pub impedance: Range,
}

/// Path of one key's commands through the keyboard.
#[derive(Clone, Debug, Default)]
pub struct CommandPath {
    commands: ArrayVec<KeyCommand, KEPT>,
    /// Force, N, and impedance, N·s/m, of the commands before the stored ones.
    base: [Range; 2],
    force: Range,
    impedance: Range,
    /// Share of a force that is not renewed.
    decay: f64,
    /// The keyboard was followed without a gap since the clear.
    is_followed: bool,
}

impl CommandPath {
    /// Begins after a clear: no command, no force, no impedance.
    pub fn clear(&mut self) {
        *self = Self { decay: 1.0, is_followed: true, ..Self::default() };
    }

    /// Notes that the keyboard cannot be followed.
    pub const fn lose(&mut self) {
        self.is_followed = false;
    }

    /// Notes the command `seq`.
    pub fn send(&mut self, seq: u16, wave: &KeyWave) {
        if self.commands.is_full() {
            let first = self.commands.remove(0);
            self.base = [hull(self.base[0], first.force), hull(self.base[1], first.impedance)];
        }
        let force = f64::from(wave.force) * FORCE;
        let impedance = f64::from(wave.impedance) * IMPEDANCE;
        self.commands.push(KeyCommand { seq, force, impedance });
    }

    /// Begins anew at a report with the impedance `impedance`, N·s/m, where the keyboard was lost: the
    /// force may be that of any recent command.
    pub fn resume(&mut self, impedance: f64) {
        if std::mem::replace(&mut self.is_followed, true) {
            return;
        }
        for command in &self.commands {
            self.base = [hull(self.base[0], command.force), hull(self.base[1], command.impedance)];
        }
        self.base[0] = hull(self.base[0], 0.0);
        self.force = [self.base[0][0].min(self.force[0]), self.base[0][1].max(self.force[1])];
        self.impedance = [impedance; 2];
    }

    /// Follows the keyboard from the time `from_us` to `to_us`, µs of its clock. `interval_us` is its report
    /// interval.
    pub fn advance(
        &mut self,
        times: &CommandTimes,
        [from_us, to_us]: [u32; 2],
        tick: &DeviceTick,
        interval_us: u16,
    ) -> Played {
        let span = since(to_us, from_us).max(0);
        let ticks = (f64::from(span) / f64::from(tick.us)).round().max(1.0);
        let time = f64::from(span) * 1e-6 / ticks;
        let hold = i32::from(interval_us) + HOLD_US;
        let mut acting: ArrayVec<(KeyCommand, i32, Option<i32>), KEPT> = ArrayVec::new();
        for command in &self.commands {
            if let Some(when) = times.acting(command.seq) {
                let latest = when.latest.map(|latest| since(latest, to_us) + tick.us);
                acting.push((*command, since(when.earliest, to_us), latest));
            }
        }
        let mut played = Played::default();
        let mut left = ticks - 1.0;
        while left >= 0.0 {
            let now = -(f64::from(span) * left / ticks);
            left -= 1.0;
            let (mut force, mut impedance): (Option<Range>, Option<Range>) = (None, None);
            // The newest command that may act, and the one that certainly has begun to act: one of them is held.
            let (mut age, mut certain_age) = (None, None);
            let mut is_certain = false;
            for (command, earliest, latest) in acting.iter().rev() {
                if f64::from(*earliest) > now {
                    continue;
                }
                age.get_or_insert(now - f64::from(*earliest));
                force = Some(hull(force.unwrap_or([command.force; 2]), command.force));
                let z = command.impedance;
                impedance = Some(hull(impedance.unwrap_or([z; 2]), z));
                is_certain = latest.is_some_and(|latest| f64::from(latest) <= now);
                if is_certain {
                    certain_age = Some(now - f64::from(*earliest));
                    break;
                }
            }
            let [mut force, impedance] = match (force, impedance) {
                (Some(force), Some(impedance)) if is_certain => [force, impedance],
                (Some(force), Some(impedance)) => [
                    [force[0].min(self.base[0][0]), force[1].max(self.base[0][1])],
                    [impedance[0].min(self.base[1][0]), impedance[1].max(self.base[1][1])],
                ],
                _ => self.base,
            };
            let is_over = |age: Option<f64>| age.is_none_or(|age| age > f64::from(hold));
            if is_over(age) || is_over(certain_age) {
                // While it is not known when a late command began to act, the one before it decays.
                self.decay *= (1.0 - time / DECAY_TIME).max(0.0);
                let decayed = [force[0] * self.decay, force[1] * self.decay];
                force = [force[0].min(decayed[0]), force[1].max(decayed[1])];
            } else {
                self.decay = 1.0;
            }
            for i in 0..2 {
                self.force[i] += tick.share * (force[i] - self.force[i]);
                played.impulse[i] += self.force[i] * time;
                let change = impedance[i] - self.impedance[i];
                self.impedance[i] += change.clamp(-IMPEDANCE_FALL * time, IMPEDANCE_SLEW * time);
            }
        }
        // Commands before the newest one that certainly acts have no effect any more.
        if let Some(last) = acting.iter().rposition(|(.., latest)| latest.is_some_and(|l| l <= 0)) {
            let (command, ..) = acting[last];
            self.base = [[command.force; 2], [command.impedance; 2]];
            // The command itself stays: its age counts.
            self.commands.retain(|kept| {
                let behind = command.seq.wrapping_sub(kept.seq);
                behind == 0 || behind > u16::MAX / 2
            });
        }
        played.force = self.force;
        played.impedance = self.impedance;
        played
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyboard::emulator::{KeyboardDesign, build};
    use touchback_core::math::random::Random;
    use touchback_device::device::Device;
    use touchback_device::frame::{FrameReceiver, MAX_FRAME};
    use touchback_device::message::{KeyList, Message, Play, StateMessage};

    fn feed(device: &mut Device<88>, message: &Message) {
        let mut frame = [0; MAX_FRAME];
        let length = message.frame(&mut frame).unwrap();
        frame[..length].iter().for_each(|byte| device.receive(*byte));
    }

    fn state(device: &mut Device<88>) -> Option<StateMessage> {
        let (mut frame, mut receiver) = ([0; MAX_FRAME], FrameReceiver::new());
        let length = device.report(&mut frame);
        frame[..length].iter().find_map(|byte| match receiver.push(*byte) {
            Some(Ok(payload)) => match Message::decode(payload) {
                Some(Message::State(state)) => Some(state),
                _ => None,
            },
            _ => None,
        })
    }

    /// The path contains force and impedance of a right keyboard, whatever is late or lost, and is exact to one
    /// tick of every change where nothing is.
    #[test]
    fn the_path_is_that_of_the_keyboard() {
        for (late, lost) in [(0.0, 0.0), (0.1, 0.0), (0.0, 0.1), (0.2, 0.2)] {
            let mut random = Random::new(3);
            let mut device = Device::<88>::new(build(&KeyboardDesign::default()), 0);
            feed(&mut device, &Message::Clear(0));
            let (mut path, mut times) = (CommandPath::default(), CommandTimes::default());
            path.clear();
            let tick = DeviceTick::new(8000);
            let (mut seq, mut last, mut sum, mut checked) = (0u16, 0u32, 0i32, 0u32);
            let (mut was, mut changes) = (0i16, [0.0f64; 4]);
            let mut on_wire: Vec<(u32, Message)> = Vec::new();
            for t in 1..8000u32 {
                on_wire.retain(|(at, message)| {
                    let is_due = *at <= t;
                    if is_due {
                        feed(&mut device, message);
                    }
                    !is_due
                });
                device.tick(125 * t, &[0; 88], &mut [0.0; 88]);
                let Some(state) = state(&mut device) else { continue };
                let now = state.t_us;
                times.acknowledge(state.ack, last, now);
                let played = path.advance(&times, [last, now], &tick, 1000);
                let key = state.keys.as_slice()[0];
                let z = f64::from(key.impedance) * IMPEDANCE;
                let (low, high) = (played.impedance[0] - 0.251, played.impedance[1] + 0.251);
                assert!((low..=high).contains(&z), "{late} {lost} {t}: {z} {played:?}");
                let grown = key.wave_sum.wrapping_sub(sum);
                sum = key.wave_sum;
                if z >= 24.9 {
                    // At rest the wave is that of the force alone.
                    let impulse = f64::from(grown) * 1e-6 * 50f64.sqrt();
                    let [low, high] = played.impulse;
                    let slack = 10e-6 + 1e-3 * impulse.abs();
                    let is_within = impulse > low - slack && impulse < high + slack;
                    assert!(is_within, "{late} {lost} {t}: {impulse} N·s {played:?}");
                    let change = changes.iter().sum::<f64>();
                    let width = if late + lost > 0.0 { f64::INFINITY } else { 130e-6 * change };
                    assert!(high - low <= width + 1e-9, "{t}: {played:?}, {change} N");
                    checked += 1;
                }
                last = now;
                seq = seq.wrapping_add(1);
                let force = i16::try_from(random.below(2000)).unwrap() - 1000;
                changes.rotate_left(1);
                changes[3] = (f64::from(force) - f64::from(was)).abs() * FORCE;
                was = force;
                let wave = KeyWave { key: 0, force, impedance: 50 };
                path.send(seq, &wave);
                times.send(seq, now + 1000);
                let mut keys = KeyList::default();
                keys.push(wave);
                let message = Message::Wave(Play { seq, play_us: now + 1000, keys });
                let delay = if random.share() < late { 10 } else { 2 };
                if random.share() >= lost {
                    on_wire.push((t + delay, message));
                }
            }
            assert!(checked > 500, "{checked}");
        }
    }
}
