//! What simulated fingers do: a list of acts in time, one list for all keys.

use super::plant::{Finger, Key, Touch};

/// One act of one key's finger.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Act {
    /// When it begins, s.
    pub time: f64,
    /// Key on the device, from 0.
    pub key: usize,
    /// What.
    pub deed: Deed,
}

/// What a finger does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Deed {
    /// The hand goes to a depth, m, in a time, s, and stays.
    Press(f64, f64),
    /// The same, by half a cosine: without a jerk at either end.
    Reach(f64, f64),
    /// A finger of 0.3 kg flies at a speed, m/s.
    Strike(f64),
    /// Up and down to a depth, m, so many times a second, for a time, s.
    Trill(f64, f64, f64),
    /// To and fro about a depth, m, by a swing, m, so many times a second, for ever.
    Shake(f64, f64, f64),
    /// The hand goes up to 5 mm above the key in a time, s.
    Release(f64),
    /// No finger, but a force, N.
    Bias(f64),
    /// Nothing at all touches the key.
    Rest,
}

/// Acts in the order of their times.
#[derive(Clone, Debug, Default)]
pub struct Script {
    acts: Vec<Act>,
}

/// One key's finger following its script.
#[derive(Clone, Copy, Debug)]
pub struct Player {
    finger: Finger,
    /// Act under way: when it began, what it is, where the hand was.
    now: Option<(f64, Deed, f64)>,
    next: usize,
    hand: f64,
}

impl Script {
    /// A script of `acts`, in whatever order.
    #[must_use]
    pub fn new(mut acts: Vec<Act>) -> Self {
        acts.sort_by(|a, b| a.time.total_cmp(&b.time));
        Self { acts }
    }

    /// What the fingers do when nobody says otherwise, for eighty minutes: soft, loud, repeated,
    /// held, trilled, struck, one key after another of a keyboard of `keys`.
    #[must_use]
    pub fn round(keys: u8) -> Self {
        let mut acts = Vec::new();
        for round in 0..600u32 {
            let begin = 2.0 + 8.0 * f64::from(round);
            let key = (round % u32::from(keys.max(1))) as usize;
            let mut add = |time: f64, deed: Deed| acts.push(Act { time: begin + time, key, deed });
            add(0.0, Deed::Press(14e-3, 0.25));
            add(0.8, Deed::Release(0.1));
            add(1.5, Deed::Press(22e-3, 0.06));
            add(1.9, Deed::Press(3e-3, 0.08));
            add(2.05, Deed::Press(22e-3, 0.06));
            add(2.5, Deed::Release(0.1));
            add(3.2, Deed::Trill(14e-3, 6.0, 2.0));
            add(5.6, Deed::Strike(0.6));
            add(6.2, Deed::Release(0.05));
            add(6.6, Deed::Rest);
        }
        Self::new(acts)
    }

    /// When the last act begins, s; 0 without any.
    #[must_use]
    pub fn end(&self) -> f64 {
        self.acts.last().map_or(0.0, |a| a.time)
    }
}

impl Player {
    /// At the beginning.
    #[must_use]
    pub const fn new(finger: Finger) -> Self {
        Self { finger, now: None, next: 0, hand: -5e-3 }
    }

    /// What touches `key`, number `index`, from `time` s on for a tick.
    pub fn touch(&mut self, script: &Script, index: usize, time: f64, key: &mut Key) -> Touch {
        while let Some(act) = script.acts.get(self.next).filter(|a| a.time <= time) {
            self.next += 1;
            if act.key != index {
                continue;
            }
            if let Deed::Strike(speed) = act.deed {
                key.throw(0.3, speed);
            } else if matches!(self.now, Some((_, Deed::Strike(_), _))) {
                key.regrip(self.finger);
            }
            self.now = Some((act.time, act.deed, self.hand));
        }
        let Some((began, deed, from)) = self.now else { return Touch::None };
        let t = time - began;
        let (hand, speed) = match deed {
            Deed::Press(to, within) => toward(from, to, within, t),
            Deed::Reach(to, within) => eased(from, to, within, t),
            Deed::Release(within) => toward(from, -5e-3, within, t),
            Deed::Trill(depth, rate, lasts) => {
                let w = core::f64::consts::TAU * rate;
                if t < lasts {
                    let middle = 0.5 * (depth - 5e-3);
                    let swing = 0.5 * (depth + 5e-3);
                    (middle - swing * (w * t).cos(), swing * w * (w * t).sin())
                } else {
                    (-5e-3, 0.0)
                }
            }
            Deed::Shake(middle, swing, rate) => {
                let w = core::f64::consts::TAU * rate;
                (middle + swing * (w * t).sin(), swing * w * (w * t).cos())
            }
            Deed::Strike(_) => return Touch::Thrown,
            Deed::Bias(force) => return Touch::Bias(force),
            Deed::Rest => return Touch::None,
        };
        self.hand = hand;
        Touch::Hand(hand, speed)
    }
}

/// Where and how fast a hand is after `t` s on its way of `within` s.
fn toward(from: f64, to: f64, within: f64, t: f64) -> (f64, f64) {
    if within <= 0.0 || t >= within {
        return (to, 0.0);
    }
    let speed = (to - from) / within;
    (from + speed * t, speed)
}

/// The same by half a cosine.
pub fn eased(from: f64, to: f64, within: f64, t: f64) -> (f64, f64) {
    if within <= 0.0 || t >= within {
        return (to, 0.0);
    }
    let half = 0.5 * (to - from);
    let (sin, cos) = (core::f64::consts::PI * t / within).sin_cos();
    (from + half * (1.0 - cos), half * sin * core::f64::consts::PI / within)
}
