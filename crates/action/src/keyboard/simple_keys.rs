//! Keys of the simple actions and of the thesis's key on a keyboard. As with the grand's keys, the steps of idle
//! keys are skipped.

use crate::grand::GrandKey;
use crate::grand::design::concert::Built;
use crate::interface::events::EventList;
use crate::simple::{ActionKey, ball, harpsichord, model_a, model_b, simplified, viennese};
use crate::{ActionKind, Drive, Key};
use touchback_core::math::compass::KeyNumber;

/// Speed, m/s and rad/s, below which a part counts as at rest (chosen: the speed at which a ball that no
/// longer lifts off oscillates on its spring by 8 µm).
const STILL_SPEED: f64 = 2e-3;

/// Steps without motion after which a key is at rest: 50 ms, more than half a period of the ball.
const STILL_STEPS: u16 = 400;

/// A key of any simple action, stored in place so that a change of action does not allocate.
#[derive(Clone, Debug)]
enum Kind {
    Simplified(ActionKey<simplified::Spec, { simplified::STATES }, 2, 2>),
    ModelA(ActionKey<model_a::Spec, { model_a::STATES }, 1, 2>),
    ModelB(ActionKey<model_b::Spec, { model_b::STATES }, 1, 2>),
    Viennese(ActionKey<viennese::Spec, { viennese::STATES }, 2, 3>),
    Harpsichord(ActionKey<harpsichord::Spec, { harpsichord::STATES }, 2, 3>),
    Ball(ActionKey<ball::Spec, { ball::STATES }, 1, 0>),
    Thesis(GrandKey),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Activity {
    Asleep,
    Idle,
    Moving,
}

/// One key of a simple action and its drive.
#[derive(Clone, Debug)]
pub struct SimpleKey {
    key: KeyNumber,
    kind: Kind,
    drive: Drive,
    activity: Activity,
    quiet: u16,
    /// Height of the hammer above the string at rest, m.
    rest_height: f64,
}

impl SimpleKey {
    /// The key `key` of the action `kind` at rest; `built` gives the grand action of the same key. None for
    /// [`ActionKind::Grand`].
    #[must_use]
    pub fn new(kind: ActionKind, key: KeyNumber, built: impl FnOnce() -> Built) -> Option<Self> {
        let kind = match kind {
            ActionKind::Grand => return None,
            ActionKind::Simplified => {
                Kind::Simplified(ActionKey::new(simplified::Spec::of_grand(&built())))
            }
            ActionKind::ModelA => Kind::ModelA(ActionKey::new(model_a::Spec::to_play())),
            ActionKind::ModelB => Kind::ModelB(ActionKey::new(model_b::Spec::to_play())),
            ActionKind::Viennese => Kind::Viennese(ActionKey::new(viennese::Spec::of_key(key))),
            ActionKind::Harpsichord => {
                Kind::Harpsichord(ActionKey::new(harpsichord::Spec::of_key(key)))
            }
            ActionKind::Ball => Kind::Ball(ActionKey::new(ball::Spec::to_play())),
            ActionKind::Thesis => Kind::Thesis(GrandKey::thesis()),
        };
        let activity = Activity::Asleep;
        let mut simple =
            Self { key, kind, drive: Drive::Free, activity, quiet: 0, rest_height: 0.0 };
        simple.rest_height = simple.key().readout(Drive::Free).hammer;
        Some(simple)
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &dyn Key {
        match &self.kind {
            Kind::Simplified(k) => k,
            Kind::ModelA(k) => k,
            Kind::ModelB(k) => k,
            Kind::Viennese(k) => k,
            Kind::Harpsichord(k) => k,
            Kind::Ball(k) => k,
            Kind::Thesis(k) => k,
        }
    }

    fn key_mut(&mut self) -> &mut dyn Key {
        match &mut self.kind {
            Kind::Simplified(k) => k,
            Kind::ModelA(k) => k,
            Kind::ModelB(k) => k,
            Kind::Viennese(k) => k,
            Kind::Harpsichord(k) => k,
            Kind::Ball(k) => k,
            Kind::Thesis(k) => k,
        }
    }

    /// Whether the key is in its rest pose, untouched.
    #[must_use]
    pub(crate) fn is_asleep(&self) -> bool {
        self.activity == Activity::Asleep
    }

    /// Whether the key moves.
    #[must_use]
    pub fn is_moving(&self) -> bool {
        self.activity == Activity::Moving
    }

    /// Rise of the hammer (a plectrum, a ball) above its rest pose, m; 0 for a key asleep.
    #[must_use]
    pub fn hammer_rise(&self) -> f64 {
        if self.is_asleep() {
            return 0.0;
        }
        let rise = self.key().readout(self.drive).hammer - self.rest_height;
        if rise.is_finite() { rise } else { 0.0 }
    }

    /// Present drive.
    #[must_use]
    pub const fn current_drive(&self) -> Drive {
        self.drive
    }

    /// Sets the drive for the next step; afterwards its end value is held.
    pub fn drive(&mut self, drive: Drive) {
        if self.drive != drive {
            self.drive = drive;
            self.wake();
        }
    }

    /// Constructs the state of a strike or pluck; see [`Key::strike`].
    pub fn strike(&mut self, speed: f64) {
        self.key_mut().strike(speed);
        self.wake();
    }

    /// Constructs the state of a release at `speed` m/s; see [`Key::release`].
    pub fn release(&mut self, speed: f64) {
        self.key_mut().release(speed);
        self.wake();
    }

    fn wake(&mut self) {
        self.activity = Activity::Moving;
        self.quiet = 0;
    }

    /// Takes one action step and appends its events. Returns `false` if the state became non-finite and was
    /// replaced by rest.
    pub fn step(&mut self, events: &mut EventList) -> bool {
        if self.activity != Activity::Moving {
            return true;
        }
        let (key, drive) = (self.key, self.drive);
        self.key_mut().step(drive, &mut |offset, event| events.push(key, offset, event));
        let held = drive.held();
        self.drive = held;
        if !self.key().save().is_finite() {
            self.reset_to_rest();
            return false;
        }
        let moves = held != drive || self.key().fastest() > STILL_SPEED;
        self.quiet = if moves { 0 } else { self.quiet + 1 };
        if self.quiet >= STILL_STEPS {
            if held == Drive::Free {
                self.reset_to_rest();
            } else {
                self.activity = Activity::Idle;
            }
        }
        true
    }

    /// Puts the key to rest, untouched.
    pub fn reset_to_rest(&mut self) {
        self.key_mut().reset_to_rest();
        self.drive = Drive::Free;
        self.activity = Activity::Asleep;
    }
}
