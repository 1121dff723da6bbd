//! The keys of a motorized keyboard as the window shows them. They move in the servo or in the replay of its log,
//! not in the piano.
//!
//! The window draws the key pressed last, one of the piano's or a haptic one.

use crate::Snapshot;
use crate::watch::trace::{KeySnapshot, Sample};
use touchback_action::interface::key::SavedState;
use touchback_action::{ActionKind, Drive};
use touchback_core::math::cast::single;
use touchback_core::math::compass::{KEYS, KeyNumber};

/// Depths of a hysteresis, m: a key is released below the first and pressed above the second.
const PRESSED: [f64; 2] = [0.15e-3, 0.3e-3];
/// Steps for which a key is shown after its release, until its hammer is at rest.
const SHOWN_AFTER_RELEASE: u64 = 3200;
/// Number of the first haptic touch; the piano's touches have smaller numbers.
const FIRST_TOUCH: u64 = 1 << 63;

/// Whether the touch with this number is a motorized keyboard's.
#[must_use]
pub const fn is_haptic(touch: u64) -> bool {
    touch > FIRST_TOUCH
}

/// A haptic key after one of its steps.
#[derive(Clone, Copy, Debug)]
pub struct HapticStep {
    /// The key.
    pub key: KeyNumber,
    /// Number of the step, by the keyboard's clock.
    pub step: u64,
    /// The key's action; none if it is no action that can be drawn.
    pub kind: Option<ActionKind>,
    /// Depth of the front, m.
    pub depth: f64,
    /// Lift of the damper, 0…1.
    pub lift: f64,
    /// Drive during the step, and state after it; none where the key need not be drawn.
    pub picture: Option<(Drive, SavedState)>,
}

/// The state of all haptic keys.
#[derive(Clone, Debug)]
pub(super) struct HapticKeys {
    depth: [f32; KEYS],
    damper: [f32; KEYS],
    is_down: [bool; KEYS],
    /// The key pressed last, its touch, and the last step for which it is shown.
    shown: Option<(KeyNumber, u64, u64)>,
    touches: u64,
    /// The piano's touch when a haptic key was pressed last.
    piano_touch: u64,
    /// Whether a key has moved, or all were cleared, since the last snapshot.
    has_moved: bool,
}

impl Default for HapticKeys {
    fn default() -> Self {
        Self {
            depth: [0.0; KEYS],
            damper: [0.0; KEYS],
            is_down: [false; KEYS],
            shown: None,
            touches: FIRST_TOUCH,
            piano_touch: 0,
            has_moved: true,
        }
    }
}

impl HapticKeys {
    /// Applies a step; returns a sample for the window if the key is the one that is drawn.
    pub fn take(&mut self, step: &HapticStep) -> Option<Sample> {
        let HapticStep { key, step, kind, depth, lift, picture } = *step;
        self.has_moved = true;
        let i = key.index();
        self.depth[i] = single(depth);
        self.damper[i] = single(lift);
        let was_down = self.is_down[i];
        self.is_down[i] = depth > PRESSED[usize::from(!was_down)];
        if self.is_down[i] && !was_down {
            self.touches += 1;
            self.shown = Some((key, self.touches, step));
        }
        let (_, touch, until) = self.shown.as_mut().filter(|(shown, ..)| *shown == key)?;
        if self.is_down[i] {
            *until = step + SHOWN_AFTER_RELEASE;
        }
        // A keyboard that was switched on again counts its steps from 0.
        let (drive, saved) = picture?;
        let look = KeySnapshot { kind: kind?, saved, drive, tray: 0.0, answer: None };
        (step <= *until).then_some(Sample { step, touch: *touch, key, snapshot: look })
    }

    /// Whether to show a sample of the piano's own keys, because that key was touched later.
    pub(crate) fn yields_to(&mut self, touch: u64) -> bool {
        if touch != self.piano_touch {
            self.piano_touch = touch;
            self.shown = None;
        }
        self.shown.is_none()
    }

    /// Whether a key has moved, or all were cleared, since the last call.
    pub const fn has_moved(&mut self) -> bool {
        std::mem::replace(&mut self.has_moved, false)
    }

    /// Merges the haptic keys into the piano's snapshot.
    pub fn show(&self, to: &mut Snapshot) {
        let most = |to: &mut f32, haptic: f32| *to = to.max(haptic);
        to.depth.iter_mut().zip(self.depth).for_each(|(to, haptic)| most(to, haptic));
        to.damper.iter_mut().zip(self.damper).for_each(|(to, haptic)| most(to, haptic));
        to.awake += self.is_down.iter().filter(|is_down| **is_down).count();
        to.touched = self.shown.map(|(key, ..)| key).or(to.touched);
    }
}
