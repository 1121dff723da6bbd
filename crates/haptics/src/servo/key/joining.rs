//! How a simulated key joins the keyboard's: a ramp to the reported depth, then a wait for the impedance.

use super::super::settling::Settling;
use super::super::slot::Slot;
use crate::slewed_key::SlewedKey;

/// Longest wait for the impedance to rise, s.
const LONGEST_WAIT: f64 = 0.25;
/// Sufficient ratio of the impedance to its final value. Through a smaller impedance a mechanism that is held down
/// would fly up.
const SUFFICIENT: f64 = 0.95;

/// Progress of the joining.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joining {
    /// The simulated key has not followed the keyboard's: the next report may begin a ramp.
    is_unfollowed: bool,
    settling: Option<Settling>,
    /// Remaining time to wait for the impedance to rise, s.
    wait: f64,
}

impl Default for Joining {
    fn default() -> Self {
        Self { is_unfollowed: true, settling: None, wait: LONGEST_WAIT }
    }
}

impl Joining {
    /// Follows the keyboard's key from now on: by a ramp, where its depth, m, is not that of the `simulated` key.
    pub(super) fn follow(&mut self, simulated: &SlewedKey, depth: f64) {
        if std::mem::take(&mut self.is_unfollowed) {
            self.settling = Settling::new(simulated.key().front()[0], depth);
        }
    }

    /// The ramp is under way.
    pub(super) const fn is_settling(&self) -> bool {
        self.settling.is_some()
    }

    /// Moves the simulated key along the ramp for one slot. Returns whether the ramp has ended.
    pub(super) fn settle(&mut self, simulated: &mut SlewedKey, slot: &Slot) -> bool {
        let Some(settling) = &mut self.settling else { return false };
        let has_ended = settling.run(simulated, slot, slot.depth());
        if has_ended {
            self.settling = None;
        }
        has_ended
    }

    /// Waits for the impedance again.
    pub(super) const fn wait_again(&mut self) {
        self.wait = LONGEST_WAIT;
    }

    /// Notes the `impedance` of a slot of `time` seconds on its way to `wanted`, N·s/m.
    pub(super) fn note_impedance(&mut self, impedance: f64, wanted: f64, time: f64) {
        self.wait = if impedance >= SUFFICIENT * wanted { 0.0 } else { self.wait - time };
    }

    /// The impedance is not yet sufficient.
    pub(super) const fn is_waiting(&self) -> bool {
        self.wait > 0.0
    }
}
