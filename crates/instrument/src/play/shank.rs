//! Sound of a hammer's shank after its blow.
//!
//! The string turns the head round while the butt continues, so that a blow excites the shank in two
//! modes, at 50 and 250 Hz [Askenfelt 1991]. After a percussive touch the shank still swings when the blow
//! comes, so that the excitation differs from that of a pressed touch. With the head ahead of a straight
//! shank by e, the state of a mode is w = e' + iωe, the blow is a sudden change of e', and |w| after it is
//! the mode's amplitude. The amplitude is sent to the strings as a [`Knock`]; the action's own shank moves on
//! by itself.

use std::f64::consts::TAU;

use num_complex::Complex64;

use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::complex::modulus;
use touchback_core::math::key_set::KeySet;
use touchback_sound::Knock;
use touchback_sound::board::knock::SHANK_HZ;

/// Share of each mode in the motion of the crown: a stick hinged at the flange with nearly all its mass
/// at the head; the second, bending mode also receives only part of a blow that lasts half its period
/// (chosen: a half).
const SHARES: [f64; 2] = [1.0, 0.5];

/// Share of its speed that a hammer keeps in a blow: middle of the 0.3–0.6 used in models; no
/// measurement is known.
pub const KEPT: f64 = 0.45;

/// Bend of each shank at the end of the last step.
#[derive(Debug)]
pub(crate) struct Shanks {
    /// Distance of the head ahead of a straight shank, m, and its rate, m/s.
    bent: Box<[[f64; 2]; KEYS]>,
    /// Keys whose shank may be bent.
    followed: KeySet,
}

impl Shanks {
    /// All shanks straight and at rest. Allocates; nothing else here does.
    pub fn new() -> Self {
        Self { bent: Box::new([[0.0; 2]; KEYS]), followed: KeySet::EMPTY }
    }

    /// All shanks straight and at rest.
    pub fn reset(&mut self) {
        self.bent.fill([0.0; 2]);
        self.followed = KeySet::EMPTY;
    }

    /// Call after the blows of an action step: takes the `bend` of the shanks of `moving` keys for the
    /// blows of the next step, `None` for an action without shanks; the other shanks are at rest.
    pub fn follow(&mut self, moving: KeySet, bend: impl Fn(KeyNumber) -> Option<[f64; 2]>) {
        for key in self.followed.union(moving).iter() {
            let bent = bend(key).filter(|b| b.iter().all(|v| v.is_finite()));
            self.bent[key.index()] = bent.unwrap_or_default();
        }
        self.followed = moving;
    }

    /// Knocks and their speeds, m/s, of the shank of `key` when its hammer meets the strings at `speed` m/s.
    pub fn blow(&self, key: KeyNumber, speed: f64) -> [(Knock, f64); 2] {
        after_blow(self.bent[key.index()], speed)
    }
}

/// Knocks and their speeds, m/s, of a shank whose head is ahead by `bent` (m, m/s) when the blow at `speed`
/// m/s turns it round.
pub fn after_blow(bent: [f64; 2], speed: f64) -> [(Knock, f64); 2] {
    let [ahead, rate] = bent;
    let rings = |mode: usize| {
        let share = SHARES[mode];
        let turned = Complex64::new(rate - (1.0 + KEPT) * speed, TAU * SHANK_HZ[mode] * ahead);
        share * modulus(turned)
    };
    [(Knock::Sway, rings(0)), (Knock::Ring, rings(1))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_action::grand::{GrandKey, design::concert::Design, state};
    use touchback_action::interface::key::Key;
    use touchback_action::{ActionSettings, Drive, KeyEvent};

    const ALONE: f64 = 2.0 * (1.0 + KEPT);

    /// Sway and ring of C4 pressed with `force` N, over those of the same blow with a straight shank.
    fn relative_amplitudes(force: f64) -> [f64; 2] {
        let middle = KeyNumber::from_midi(60).unwrap();
        let built = Design::new(middle).build(&ActionSettings::default());
        let hammer = built.spec.hammer;
        let mut key = GrandKey::built(built);
        let mut shanks = Shanks::new();
        let mut one = KeySet::EMPTY;
        one.insert(middle);
        loop {
            let mut struck = None;
            key.step(Drive::Force([force; 2]), &mut |_, event| {
                if let KeyEvent::Strike { speed } = event {
                    struck = Some(speed);
                }
            });
            if let Some(speed) = struck {
                let alone = after_blow([0.0; 2], speed);
                let both = shanks.blow(middle, speed);
                return std::array::from_fn(|mode| both[mode].1 / alone[mode].1);
            }
            let ahead = hammer.crown * hammer.bend_share();
            let x = key.state().x;
            shanks.follow(one, |_| Some([state::BEND, state::BEND_SPEED].map(|s| ahead * x[s])));
        }
    }

    #[test]
    fn the_ring_of_a_shank_depends_on_the_touch() {
        let [soft, hard] = [relative_amplitudes(2.0), relative_amplitudes(40.0)];
        assert!(soft.iter().all(|share| (share - 1.0).abs() < 0.1), "{soft:?}");
        assert!((hard[1] - soft[1]).abs() > 0.05, "{soft:?} {hard:?}");
    }

    #[test]
    fn a_head_that_already_falls_back_rings_more() {
        assert_eq!(after_blow([0.0; 2], 2.0), [(Knock::Sway, ALONE), (Knock::Ring, 0.5 * ALONE)]);
        let [(_, sway), (_, ring)] = after_blow([0.0, -1.0], 2.0);
        assert!((sway - ALONE - 1.0).abs() < 1e-12 && (ring - 0.5 * ALONE - 0.5).abs() < 1e-12);
        let [(_, sway), (_, ring)] = after_blow([1e-3, 0.0], 2.0);
        assert!(ALONE < sway && 0.5 * ALONE < ring && sway - ALONE < ring - 0.5 * ALONE);
    }

    #[test]
    fn a_key_at_rest_or_an_invalid_bend_gives_a_straight_shank() {
        let key = KeyNumber::from_index(3).unwrap();
        let mut one = KeySet::EMPTY;
        one.insert(key);
        let mut shanks = Shanks::new();
        shanks.follow(one, |_| Some([1e-3, 1.0]));
        shanks.follow(KeySet::EMPTY, |_| None);
        assert_eq!(shanks.blow(key, 1.0)[0], (Knock::Sway, 1.0 + KEPT));
        shanks.follow(one, |_| Some([f64::NAN; 2]));
        assert_eq!(shanks.blow(key, 1.0)[0], (Knock::Sway, 1.0 + KEPT));
    }
}
