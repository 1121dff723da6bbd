//! The keys of a motorized keyboard, as the window shows them: they move in the twin's replay, not in
//! the piano.
//!
//! The key that was pressed last is the one that is drawn, be it the piano's or a felt one.

use touchback_action::interface::key::Key;
use touchback_action::{ActionKind, Drive};
use touchback_core::math::cast::single;
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_instrument::Snapshot;
use touchback_instrument::trace::{KeySnapshot, Sample};

/// Depths between which a key has neither just been pressed nor let go, m.
const PRESSED: [f64; 2] = [0.15e-3, 0.3e-3];
/// Steps for which a key is shown after it was let go: its hammer comes to rest.
const AFTER: u64 = 3200;
/// Felt touches count from here on: the piano's never come so far.
const FIRST: u64 = 1 << 63;

/// Whether the touch of this number is a motorized keyboard's.
#[must_use]
pub const fn is_haptic(touch: u64) -> bool {
    touch > FIRST
}

/// One step of a felt key.
#[derive(Clone, Copy, Debug)]
pub struct HapticStep<'a> {
    /// Which key.
    pub key: KeyNumber,
    /// Number of the step, by the keyboard's clock.
    pub step: u64,
    /// Which action it has; none where it is no action that can be drawn.
    pub kind: Option<ActionKind>,
    /// What drove it.
    pub drive: Drive,
    /// How it stands after the step.
    pub state: &'a dyn Key,
}

/// What is known of the felt keys.
#[derive(Clone, Debug)]
pub(super) struct HapticKeys {
    depth: [f32; KEYS],
    damper: [f32; KEYS],
    is_down: [bool; KEYS],
    /// The key pressed last, its touch, and the last step it is shown for.
    shown: Option<(KeyNumber, u64, u64)>,
    touches: u64,
    /// The piano's touch when a felt key was pressed last.
    piano: u64,
}

impl Default for HapticKeys {
    fn default() -> Self {
        Self {
            depth: [0.0; KEYS],
            damper: [0.0; KEYS],
            is_down: [false; KEYS],
            shown: None,
            touches: FIRST,
            piano: 0,
        }
    }
}

impl HapticKeys {
    /// Takes a step; a sample for the window where it belongs to the key that is drawn.
    pub fn take(&mut self, felt: &HapticStep<'_>) -> Option<Sample> {
        let HapticStep { key, step, kind, drive, state } = *felt;
        let [depth, _] = state.front();
        let i = key.index();
        self.depth[i] = single(depth);
        self.damper[i] = single(state.damper_lift());
        let was_down = self.is_down[i];
        self.is_down[i] = depth > PRESSED[usize::from(!was_down)];
        if self.is_down[i] && !was_down {
            self.touches += 1;
            self.shown = Some((key, self.touches, step));
        }
        let (_, touch, until) = self.shown.as_mut().filter(|(shown, ..)| *shown == key)?;
        if self.is_down[i] {
            *until = step + AFTER;
        }
        // A keyboard that was switched on anew counts from the beginning.
        let look = KeySnapshot { kind: kind?, saved: state.save(), drive, tray: 0.0 };
        (step <= *until).then_some(Sample { step, touch: *touch, key, snapshot: look })
    }

    /// Whether a sample of the piano's own is to be shown: it was touched later.
    pub fn yields_to(&mut self, touch: u64) -> bool {
        if touch != self.piano {
            self.piano = touch;
            self.shown = None;
        }
        self.shown.is_none()
    }

    /// Lays the felt keys over the piano's.
    pub fn show(&self, to: &mut Snapshot) {
        let most = |to: &mut f32, felt: f32| *to = to.max(felt);
        to.depth.iter_mut().zip(self.depth).for_each(|(to, felt)| most(to, felt));
        to.damper.iter_mut().zip(self.damper).for_each(|(to, felt)| most(to, felt));
        to.awake += self.is_down.iter().filter(|is_down| **is_down).count();
        to.touched = self.shown.map(|(key, ..)| key).or(to.touched);
    }
}
