//! Scripts of emulated fingers: timed actions, one list for all keys.

use crate::keyboard::plant::{EmulatedFinger, EmulatedKey, FingerDrive};

/// One action of one key's finger.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ScriptedAction {
    /// Beginning, s.
    pub time: f64,
    /// Key on the device, from 0.
    pub key: usize,
    /// The action.
    pub action: FingerAction,
}

/// Action of a finger. Depths are those of the hand below the key's rest position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum FingerAction {
    /// The hand moves to a depth at constant speed and stays.
    Press {
        /// Depth, m.
        depth: f64,
        /// Duration of the motion, s.
        within: f64,
    },
    /// The hand moves to a depth by half a cosine, its speed 0 at both ends, and stays.
    Reach {
        /// Depth, m.
        depth: f64,
        /// Duration of the motion, s.
        within: f64,
    },
    /// A free finger of 0.3 kg hits the key.
    Strike {
        /// Speed of the finger, m/s.
        speed: f64,
    },
    /// The hand swings between 5 mm above the key and a depth.
    Trill {
        /// Greatest depth, m.
        depth: f64,
        /// Frequency, Hz.
        rate: f64,
        /// Duration of the trill, s.
        lasts: f64,
    },
    /// The hand swings about a depth until the next action.
    Shake {
        /// Depth in the middle, m.
        middle: f64,
        /// Amplitude, m.
        swing: f64,
        /// Frequency, Hz.
        rate: f64,
    },
    /// The hand moves to 5 mm above the key at constant speed.
    Release {
        /// Duration of the motion, s.
        within: f64,
    },
    /// A constant force in place of a finger.
    Bias {
        /// Force, N, positive down.
        force: f64,
    },
    /// Nothing touches the key.
    Rest,
}

/// Actions in the order of their times.
#[derive(Clone, Debug, Default)]
pub struct Script {
    acts: Vec<ScriptedAction>,
}

/// The finger of one key and its progress in a script.
#[derive(Clone, Copy, Debug)]
pub struct ScriptedFinger {
    finger: EmulatedFinger,
    /// Present action: its time, s, the action, and the depth of the hand at its beginning, m.
    now: Option<(f64, FingerAction, f64)>,
    next: usize,
    hand: f64,
}

impl Script {
    /// A script of `acts`, which may be in any order.
    #[must_use]
    pub fn new(mut acts: Vec<ScriptedAction>) -> Self {
        acts.sort_by(|a, b| a.time.total_cmp(&b.time));
        Self { acts }
    }

    /// The default script, 80 minutes: a soft press, a loud one, a repetition, a trill and a strike on each of
    /// `keys` keys in turn.
    #[must_use]
    pub fn round(keys: u8) -> Self {
        let mut acts = Vec::new();
        for round in 0..600u32 {
            let begin = 2.0 + 8.0 * f64::from(round);
            let key = (round % u32::from(keys.max(1))) as usize;
            let mut add = |time: f64, action: FingerAction| {
                acts.push(ScriptedAction { time: begin + time, key, action })
            };
            add(0.0, FingerAction::Press { depth: 14e-3, within: 0.25 });
            add(0.8, FingerAction::Release { within: 0.1 });
            add(1.5, FingerAction::Press { depth: 22e-3, within: 0.06 });
            add(1.9, FingerAction::Press { depth: 3e-3, within: 0.08 });
            add(2.05, FingerAction::Press { depth: 22e-3, within: 0.06 });
            add(2.5, FingerAction::Release { within: 0.1 });
            add(3.2, FingerAction::Trill { depth: 14e-3, rate: 6.0, lasts: 2.0 });
            add(5.6, FingerAction::Strike { speed: 0.6 });
            add(6.2, FingerAction::Release { within: 0.05 });
            add(6.6, FingerAction::Rest);
        }
        Self::new(acts)
    }

    /// Time of the last action, s; 0 for an empty script.
    #[must_use]
    pub fn end(&self) -> f64 {
        self.acts.last().map_or(0.0, |a| a.time)
    }
}

impl ScriptedFinger {
    /// A finger at the beginning of the script, 5 mm above the key.
    #[must_use]
    pub const fn new(finger: EmulatedFinger) -> Self {
        Self { finger, now: None, next: 0, hand: -5e-3 }
    }

    /// Action of the finger on `key`, number `index`, for the tick that begins at `time`, s.
    pub fn touch(
        &mut self,
        script: &Script,
        index: usize,
        time: f64,
        key: &mut EmulatedKey,
    ) -> FingerDrive {
        while let Some(act) = script.acts.get(self.next).filter(|a| a.time <= time) {
            self.next += 1;
            if act.key != index {
                continue;
            }
            if let FingerAction::Strike { speed } = act.action {
                key.throw(0.3, speed);
            } else if matches!(self.now, Some((_, FingerAction::Strike { .. }, _))) {
                key.regrip(self.finger);
            }
            self.now = Some((act.time, act.action, self.hand));
        }
        let Some((began, action, from)) = self.now else { return FingerDrive::None };
        let t = time - began;
        let (hand, speed) = match action {
            FingerAction::Press { depth: to, within } => toward(from, to, within, t),
            FingerAction::Reach { depth: to, within } => eased(from, to, within, t),
            FingerAction::Release { within } => toward(from, -5e-3, within, t),
            FingerAction::Trill { depth, rate, lasts } => {
                let w = core::f64::consts::TAU * rate;
                if t < lasts {
                    let middle = 0.5 * (depth - 5e-3);
                    let swing = 0.5 * (depth + 5e-3);
                    (middle - swing * libm::cos(w * t), swing * w * libm::sin(w * t))
                } else {
                    (-5e-3, 0.0)
                }
            }
            FingerAction::Shake { middle, swing, rate } => {
                let w = core::f64::consts::TAU * rate;
                (middle + swing * libm::sin(w * t), swing * w * libm::cos(w * t))
            }
            FingerAction::Strike { .. } => return FingerDrive::Thrown,
            FingerAction::Bias { force } => return FingerDrive::Bias { force },
            FingerAction::Rest => return FingerDrive::None,
        };
        self.hand = hand;
        FingerDrive::Hand { depth: hand, speed }
    }
}

/// Depth, m, and speed, m/s, of a hand after `t` s of a motion of `within` s at constant speed.
fn toward(from: f64, to: f64, within: f64, t: f64) -> (f64, f64) {
    if within <= 0.0 || t >= within {
        return (to, 0.0);
    }
    let speed = (to - from) / within;
    (from + speed * t, speed)
}

/// Depth, m, and speed, m/s, of a hand after `t` s of a motion of `within` s by half a cosine.
pub fn eased(from: f64, to: f64, within: f64, t: f64) -> (f64, f64) {
    if within <= 0.0 || t >= within {
        return (to, 0.0);
    }
    let half = 0.5 * (to - from);
    let (sin, cos) = libm::sincos(core::f64::consts::PI * t / within);
    (from + half * (1.0 - cos), half * sin * core::f64::consts::PI / within)
}
