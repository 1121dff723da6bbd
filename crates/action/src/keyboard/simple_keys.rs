//! Keys of the smaller actions on one keyboard: each stepped while it moves, skipped while it is
//! still, as the grand's.

use crate::grand::design::concert::Built;
use crate::interface::events::EventList;
use crate::simple::{Running, ball, harpsichord, model_a, model_b, simplified, viennese};
use crate::{ActionKind, Drive, Key};
use touchback_core::math::compass::KeyNumber;

/// Speed, m/s and rad/s, below which nothing moves (chosen: what a ball still swings by when its
/// landings have ended, 8 µm of its spring).
const STILL_SPEED: f64 = 2e-3;

/// Steps without motion after which a key is still: 50 ms, more than a half-swing of the ball.
const STILL_STEPS: u16 = 400;

/// One key of whichever smaller action, in place: changing it allocates nothing.
#[derive(Clone, Debug)]
enum Kind {
    Simplified(Running<simplified::Spec, { simplified::STATES }, 2, 2>),
    ModelA(Running<model_a::Spec, { model_a::STATES }, 1, 2>),
    ModelB(Running<model_b::Spec, { model_b::STATES }, 1, 2>),
    Viennese(Running<viennese::Spec, { viennese::STATES }, 2, 3>),
    Harpsichord(Running<harpsichord::Spec, { harpsichord::STATES }, 2, 3>),
    Ball(Running<ball::Spec, { ball::STATES }, 1, 0>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Activity {
    Asleep,
    Idle,
    Moving,
}

/// One key of a smaller action, and what drives it.
#[derive(Clone, Debug)]
pub struct SimpleKey {
    key: KeyNumber,
    kind: Kind,
    drive: Drive,
    activity: Activity,
    quiet: u16,
}

impl SimpleKey {
    /// `key` of the action `kind` at rest, of the piano whose grand action is `built`; none for the
    /// grand.
    #[must_use]
    pub fn new(kind: ActionKind, key: KeyNumber, built: impl FnOnce() -> Built) -> Option<Self> {
        let kind = match kind {
            ActionKind::Grand => return None,
            ActionKind::Simplified => {
                Kind::Simplified(Running::new(simplified::Spec::of_grand(&built())))
            }
            ActionKind::ModelA => Kind::ModelA(Running::new(model_a::Spec::to_play())),
            ActionKind::ModelB => Kind::ModelB(Running::new(model_b::Spec::to_play())),
            ActionKind::Viennese => Kind::Viennese(Running::new(viennese::Spec::of_key(key))),
            ActionKind::Harpsichord => {
                Kind::Harpsichord(Running::new(harpsichord::Spec::of_key(key)))
            }
            ActionKind::Ball => Kind::Ball(Running::new(ball::Spec::to_play())),
        };
        let activity = Activity::Asleep;
        Some(Self { key, kind, drive: Drive::Free, activity, quiet: 0 })
    }

    /// The key itself.
    #[must_use]
    pub fn key(&self) -> &dyn Key {
        match &self.kind {
            Kind::Simplified(k) => k,
            Kind::ModelA(k) => k,
            Kind::ModelB(k) => k,
            Kind::Viennese(k) => k,
            Kind::Harpsichord(k) => k,
            Kind::Ball(k) => k,
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
        }
    }

    /// Whether it rests, untouched.
    #[must_use]
    pub fn is_asleep(&self) -> bool {
        self.activity == Activity::Asleep
    }

    /// Whether it moves.
    #[must_use]
    pub fn is_moving(&self) -> bool {
        self.activity == Activity::Moving
    }

    /// What drives it.
    #[must_use]
    pub const fn driven(&self) -> Drive {
        self.drive
    }

    /// What drives it during the next step; afterwards the drive's end is held.
    pub fn drive(&mut self, drive: Drive) {
        if self.drive != drive {
            self.drive = drive;
            self.wake();
        }
    }

    /// Its hammer meets the string, or the string slips off its plectrum, now.
    pub fn strike(&mut self, speed: f64) {
        self.key_mut().strike(speed);
        self.wake();
    }

    /// Its damper meets the string now, the key rising at `speed` m/s.
    pub fn release(&mut self, speed: f64) {
        self.key_mut().release(speed);
        self.wake();
    }

    fn wake(&mut self) {
        self.activity = Activity::Moving;
        self.quiet = 0;
    }

    /// One action step; appends what happened. `false` where its state left the numbers and rest
    /// took its place.
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

    /// Puts it to rest at once, nothing touching it.
    pub fn reset_to_rest(&mut self) {
        self.key_mut().reset_to_rest();
        self.drive = Drive::Free;
        self.activity = Activity::Asleep;
    }
}
