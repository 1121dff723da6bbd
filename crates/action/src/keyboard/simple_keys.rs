//! Keys of all actions but the grand on a keyboard. As with the grand's keys, the steps of idle keys are skipped.

use crate::built_in::{BuiltIn, built_ins};
use crate::grand::GrandKey;
use crate::grand::design::concert::Built;
use crate::interface::events::EventList;
use crate::interface::mechanism::MechanismFile;
use crate::simple::{ActionKey, ball, harpsichord, model_a, model_b, simplified, viennese};
use crate::{ActionKind, Drive, Key};
use touchback_core::exchange::shared::Shared;
use touchback_core::math::compass::KeyNumber;

/// Speed, m/s and rad/s, below which a part counts as at rest (chosen: the speed at which a ball that no
/// longer lifts off oscillates on its spring by 8 µm).
const STILL_SPEED: f64 = 2e-3;

/// Steps without motion after which a key is at rest: 50 ms, more than half a period of the ball.
const STILL_STEPS: u16 = 400;

/// Defines [`Kind`] from the lists of built-in mechanisms.
macro_rules! kinds {
    ($({ $($(#[$about:meta])* $kind:ident $module:ident $name:literal $label:literal $title:literal;)* })*) => {
        /// A key of any action but the grand, stored in place so that a change of action does not allocate.
        #[derive(Clone, Debug)]
        enum Kind {
            $($($kind(<$module::Spec as BuiltIn>::Key),)*)*
            Thesis(GrandKey),
            /// A key that was prepared with its mechanism.
            File(Box<dyn Key>, Shared<Option<MechanismFile>>),
        }

        impl Kind {
            fn built_in(
                kind: ActionKind,
                key: KeyNumber,
                built: impl FnOnce() -> Built,
            ) -> Option<Self> {
                match kind {
                    ActionKind::Grand | ActionKind::File => None,
                    ActionKind::Thesis => Some(Self::Thesis(GrandKey::thesis())),
                    $($(ActionKind::$kind => {
                        let spec = <$module::Spec as BuiltIn>::played(key, built);
                        Some(Self::$kind(ActionKey::new(spec)))
                    })*)*
                }
            }

            fn key(&self) -> &dyn Key {
                match self {
                    $($(Self::$kind(key) => key,)*)*
                    Self::Thesis(key) => key,
                    Self::File(key, _) => &**key,
                }
            }

            fn key_mut(&mut self) -> &mut dyn Key {
                match self {
                    $($(Self::$kind(key) => key,)*)*
                    Self::Thesis(key) => key,
                    Self::File(key, _) => &mut **key,
                }
            }
        }
    };
}

built_ins!(kinds);

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
    /// [`ActionKind::Grand`] and [`ActionKind::File`].
    #[must_use]
    pub fn new(kind: ActionKind, key: KeyNumber, built: impl FnOnce() -> Built) -> Option<Self> {
        Kind::built_in(kind, key, built).map(|kind| Self::at_rest(key, kind))
    }

    /// The prepared key `key` of `mechanism`; none without a mechanism, or if another keyboard has the key.
    pub(crate) fn of_file(
        key: KeyNumber,
        mechanism: &Shared<Option<MechanismFile>>,
    ) -> Option<Self> {
        let prepared = mechanism.as_ref()?.take(key)?;
        Some(Self::at_rest(key, Kind::File(prepared, mechanism.clone())))
    }

    fn at_rest(key: KeyNumber, kind: Kind) -> Self {
        let activity = Activity::Asleep;
        let rest_height = kind.key().readout(Drive::Free).hammer;
        Self { key, kind, drive: Drive::Free, activity, quiet: 0, rest_height }
    }

    /// Whether the key is of `mechanism`.
    pub(crate) fn is_of(&self, mechanism: &Shared<Option<MechanismFile>>) -> bool {
        matches!(&self.kind, Kind::File(_, own) if own == mechanism)
    }

    /// Ends the use of the key: one of a file returns to its mechanism.
    pub(crate) fn dismiss(self) {
        if let Kind::File(prepared, mechanism) = self.kind
            && let Some(file) = &*mechanism
        {
            file.put_back(self.key, prepared);
        }
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &dyn Key {
        self.kind.key()
    }

    fn key_mut(&mut self) -> &mut dyn Key {
        self.kind.key_mut()
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
    pub fn strike(&mut self, speed: f64) -> bool {
        let is_constructed = self.key_mut().strike(speed);
        self.wake();
        is_constructed
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
