//! The shank of a hammer as it bends: what the hammer's own motion adds to the sound of a blow.
//!
//! The action's shank is stiff. On a real one the head lags behind the stiff motion by e, in two
//! modes at 50 and 250 Hz that a percussive touch excites and a pressed one hardly
//! [Askenfelt 1991]: e'' + 2σ e' + ω² e = −γ a, a the acceleration of the stiff hammer's crown. With
//! w = e' + iωe that is w' = (−σ + iω) w − γ a, and since a is the change of speed over a step, each
//! step turns w and takes γ Δv off it. The blow on the string is a last, sudden Δv; |w| after it is
//! how hard the shank rings. What rings is heard ([`Knock`]); nothing returns to the action.

use std::f64::consts::{PI, TAU};

use touchback_fft::num_complex::Complex64;

use crate::action::STEP;
use crate::math::compass::{KEYS, KeyNumber};
use crate::math::key_set::KeySet;
use crate::sound::Knock;
use crate::sound::knock::{SHANK_HZ, SHANK_QUALITY};

/// Share γ of each mode in the motion of the crown: a stick hinged at the flange with nearly all
/// its mass at the head; the second, bent in itself, also hears only part of a blow that lasts half
/// its period (chosen: a half).
const SHARES: [f64; 2] = [1.0, 0.5];

/// Share of its speed a hammer keeps in a blow: middle of the 0.3–0.6 used in models; no
/// measurement is known.
pub const KEPT: f64 = 0.45;

/// Way over which a blow that is known by its speed alone was thrown, m, and how far before the
/// string it was let go, m: the standard regulation's.
const THROWN: f64 = 0.0445;
const LET_OFF: f64 = 0.0015;

/// Bending modes of the shanks of all keys.
#[derive(Debug)]
pub struct Shanks {
    /// Growth of each mode over a step.
    turns: [Complex64; 2],
    bent: Box<[[Complex64; 2]; KEYS]>,
    speeds: [f64; KEYS],
    /// Keys whose shank may be bent.
    followed: KeySet,
}

/// (−σ + iω) of each mode, 1/s.
fn poles() -> [Complex64; 2] {
    SHANK_HZ.map(|hz| Complex64::new(-PI * hz / SHANK_QUALITY, TAU * hz))
}

impl Shanks {
    /// All straight and at rest. Allocates; nothing else here does.
    pub fn new() -> Self {
        Self {
            turns: poles().map(|pole| (pole * STEP).exp()),
            bent: Box::new([[Complex64::ZERO; 2]; KEYS]),
            speeds: [0.0; KEYS],
            followed: KeySet::EMPTY,
        }
    }

    /// All shanks straight and at rest.
    pub fn reset(&mut self) {
        self.bent.fill([Complex64::ZERO; 2]);
        self.speeds = [0.0; KEYS];
        self.followed = KeySet::EMPTY;
    }

    /// One action step later: the crowns of `moving` keys move at `speed` m/s, `None` where an action
    /// has no shank; the others are at rest.
    pub fn follow(&mut self, moving: KeySet, speed: impl Fn(KeyNumber) -> Option<f64>) {
        for key in self.followed.union(moving).iter() {
            self.step(key, speed(key));
        }
        self.followed = moving;
    }

    /// One action step later the crown of `key` moves at `speed` m/s; `None` where it does not
    /// move, and its shank is straight.
    fn step(&mut self, key: KeyNumber, speed: Option<f64>) {
        let i = key.index();
        let Some(speed) = speed.filter(|v| v.is_finite()) else {
            (self.bent[i], self.speeds[i]) = ([Complex64::ZERO; 2], 0.0);
            return;
        };
        let change = speed - self.speeds[i];
        self.speeds[i] = speed;
        for ((w, turn), share) in self.bent[i].iter_mut().zip(self.turns).zip(SHARES) {
            *w = *w * turn - share * change;
        }
    }

    /// The hammer of `key`, which was followed, meets its strings at `speed` m/s.
    pub fn blow(&self, key: KeyNumber, speed: f64) -> [(Knock, f64); 2] {
        after_blow(self.bent[key.index()], speed)
    }

    /// A blow of `key` at `speed` m/s whose way to the string was not simulated: thrown with
    /// constant acceleration, then flown. The shank goes on from there.
    pub fn constructed(&mut self, key: KeyNumber, speed: f64) -> [(Knock, f64); 2] {
        let i = key.index();
        let (thrown, flown) = (2.0 * THROWN / speed, LET_OFF / speed);
        let mut bent = [Complex64::ZERO; 2];
        for ((w, pole), share) in bent.iter_mut().zip(poles()).zip(SHARES) {
            // A constant a = v/T for a time T, then none: −γ a (e^{λT} − 1)/λ e^{λt}.
            let push = -share * speed / thrown;
            *w = push * ((pole * thrown).exp() - 1.0) / pole * (pole * flown).exp();
        }
        (self.bent[i], self.speeds[i]) = (bent, speed);
        self.followed.insert(key);
        after_blow(bent, speed)
    }
}

/// Knocks and their speeds, m/s, of a shank bent by `bent` when the blow at `speed` m/s turns the
/// hammer round.
fn after_blow(bent: [Complex64; 2], speed: f64) -> [(Knock, f64); 2] {
    let turned = |mode: usize| (bent[mode] + SHARES[mode] * (1.0 + KEPT) * speed).norm();
    [(Knock::Sway, turned(0)), (Knock::Ring, turned(1))]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sway and ring of a hammer thrown to `speed` with the acceleration `course` (0…1 over the
    /// time of throwing, mean 1) over `seconds`, then flown for 2 ms.
    fn heard(speed: f64, seconds: f64, course: impl Fn(f64) -> f64) -> [f64; 2] {
        let key = KeyNumber::from_index(39).unwrap();
        let mut shanks = Shanks::new();
        let (mut v, mut t) = (0.0, 0.0);
        while t < seconds {
            v += course((t + 0.5 * STEP) / seconds) * speed / seconds * STEP;
            shanks.step(key, Some(v));
            t += STEP;
        }
        for _ in 0..16 {
            shanks.step(key, Some(v));
        }
        shanks.blow(key, speed).map(|(_, speed)| speed)
    }

    #[test]
    fn a_struck_key_rings_its_shank_otherwise_than_a_pressed_one() {
        // The same blow, thrown softly over 60 ms and knocked within 10 ms.
        let pressed = heard(2.0, 0.06, |s| 1.0 - (TAU * s).cos());
        let struck = heard(2.0, 0.01, |s| if s < 0.5 { 2.0 } else { 0.0 });
        let alone = 2.0 * (1.0 + KEPT);
        assert!((pressed[0] / alone - 1.0).abs() < 0.1, "{pressed:?} {alone}");
        assert!((struck[0] / pressed[0] - 1.0).abs() > 0.2, "{struck:?} {pressed:?}");
        // Five milliseconds are more than a period of the second mode.
        assert!((struck[1] / pressed[1] - 1.0).abs() > 0.03, "{struck:?} {pressed:?}");
    }

    #[test]
    fn a_constructed_blow_is_an_even_throw() {
        let key = KeyNumber::from_index(39).unwrap();
        for speed in [0.5, 2.0, 5.0] {
            let mut shanks = Shanks::new();
            let made = shanks.constructed(key, speed).map(|(_, v)| v);
            let mut followed = Shanks::new();
            let (thrown, flown) = (2.0 * THROWN / speed, LET_OFF / speed);
            let mut t = 0.0;
            while t < thrown + flown {
                t += STEP;
                followed.step(key, Some(speed * (t / thrown).min(1.0)));
            }
            let played = followed.blow(key, speed).map(|(_, v)| v);
            for (a, b) in made.iter().zip(played) {
                assert!((a / b - 1.0).abs() < 0.05, "{speed}: {made:?} {played:?}");
            }
        }
    }

    #[test]
    fn a_key_at_rest_and_speeds_that_are_none_leave_it_straight() {
        let key = KeyNumber::from_index(3).unwrap();
        let mut shanks = Shanks::new();
        shanks.constructed(key, 3.0);
        shanks.step(key, None);
        assert_eq!(shanks.blow(key, 1.0)[0], (Knock::Sway, 1.0 + KEPT));
        shanks.step(key, Some(f64::NAN));
        assert!(shanks.blow(key, 1.0)[1].1.is_finite());
    }
}
