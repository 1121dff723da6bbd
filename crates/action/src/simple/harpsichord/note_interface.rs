//! The harpsichord played by host notes: a note-on is the pluck.

use super::{JACK, JACK_SPEED, Phase, STATES, Spec};
use crate::GRAVITY;
use crate::built_in::BuiltIn;
use crate::grand::design::concert::Built;
use crate::interface::press::{Press, Travel, Voice};
use crate::simple::note_interface::{Playing, state};
use crate::simple::{ActionKey, KEY, KEY_SPEED};
use touchback_core::episode::State;
use touchback_core::math::compass::KeyNumber;

/// Ratio of key speed to the hammer speed of a velocity map: that of a grand [Askenfelt & Jansson 1990].
const KEY_SHARE: f64 = 0.2;

/// Depth at which the key can be played again, as a share of the depth at which the plectrum is below its
/// string again (chosen).
const REPEAT_SHARE: f64 = 0.9;

impl Spec {
    /// Ratio of jack height to key-front depth.
    fn ratio(&self) -> f64 {
        self.back / self.front
    }

    /// The state with the jack at `height` m on a key that moves at `speed` m/s.
    fn with_jack(&self, phase: Phase, height: f64, speed: f64) -> State<Phase, STATES> {
        let depth = (height + self.pad.compression(self.jack * GRAVITY)) / self.ratio();
        let jack = [(JACK, height), (JACK_SPEED, self.ratio() * speed)];
        state(phase, &[(KEY, depth), (KEY_SPEED, speed), jack[0], jack[1]])
    }
}

impl BuiltIn for Spec {
    type Key = ActionKey<Self, STATES, 2, 3>;

    const CONTACTS: &'static [&'static str] = &["plectrum", "tongue"];
    const UNUSED: &'static str =
        "The harpsichord's jack has fixed parameters: only the grand uses this one.";
    const WITHOUT_HAMMER: Option<&'static str> =
        Some("The harpsichord has no hammer: a plectrum plucks the string.");

    fn of_key(key: KeyNumber, _: impl FnOnce() -> Built) -> Self {
        Self::of_key(key)
    }
}

impl Playing<STATES, 2, 3> for Spec {
    /// The key can be played again when the plectrum has passed its string on the way down.
    fn travel(&self) -> Travel {
        let repeat_depth = REPEAT_SHARE * (self.gap - self.clear) / self.ratio();
        Travel { repeat_depth, ..Travel::of(self.dip) }
    }

    fn press(&self) -> Press {
        let ratio = self.ratio();
        Press {
            mass: self.key_inertia / (self.front * self.front) + self.jack * ratio * ratio,
            ratio: 1.0 / KEY_SHARE,
            throw: self.pluck_height() / ratio,
            flight: 0.0,
            has_bed: true,
        }
    }

    fn struck(&self, speed: f64) -> State<Phase, STATES> {
        self.with_jack(Phase::Above, self.pluck_height(), KEY_SHARE * speed)
    }

    fn rising(&self, depth: f64, speed: f64) -> State<Phase, STATES> {
        let height = self.ratio() * depth - self.pad.compression(self.jack * GRAVITY);
        let phase = if height < self.gap { Phase::Below } else { Phase::Above };
        self.with_jack(phase, height, -speed)
    }

    fn voice(&self) -> Voice {
        Voice::Plectrum(self.displacement())
    }

    fn damper_depth(&self) -> f64 {
        self.damper / self.ratio()
    }

    /// Lift by the jack, which carries the damper.
    fn damper(&self, x: &[f64; STATES]) -> f64 {
        (x[JACK] / self.damper).clamp(0.0, 1.0)
    }
}
