//! Standard loads for measuring the cost of a keyboard, which depends on the activity of its keys.

use crate::grand::Phase;
use crate::interface::events::EventList;
use crate::{Drive, Keyboard, STEP};
use touchback_core::math::compass::{KEYS, KeyNumber};

/// A motion that all given keys perform at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Load {
    /// A slow press through the first third of the key's travel: all parts move, without events.
    Quiet,
    /// Hammers in contact with their strings after strikes at 1 to 6 m/s.
    Striking,
    /// A slow press while the button turns the jack out from under the knuckle.
    LetOff,
    /// One pressed touch from rest to the backcheck.
    Stroke,
}

/// Depth of the finger's target at the start of the quiet load, m.
const QUIET_FROM: f64 = 2e-3;
/// Depth of the finger's target at the end of the stroke, m.
const PRESSED: f64 = 0.0165;

impl Load {
    /// All loads.
    pub const ALL: [Self; 4] = [Self::Quiet, Self::Striking, Self::LetOff, Self::Stroke];

    /// Name of the load.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Quiet => "quiet",
            Self::Striking => "striking",
            Self::LetOff => "let-off",
            Self::Stroke => "stroke",
        }
    }

    /// Length in action steps.
    #[must_use]
    pub const fn steps(self) -> u32 {
        match self {
            Self::Quiet => 800,
            Self::Striking => 8,
            Self::LetOff => 200,
            Self::Stroke => 1600,
        }
    }

    /// Speed of the finger's target, m/s.
    const fn finger(self) -> f64 {
        match self {
            Self::Quiet => 0.02,
            Self::Striking => 0.0,
            Self::LetOff => 0.01,
            Self::Stroke => 0.2,
        }
    }

    /// Brings `keys` of `keyboard` to the beginning of this load.
    pub fn prepare(
        self,
        keyboard: &mut Keyboard,
        keys: &[KeyNumber],
        events: &mut EventList,
    ) -> Loaded {
        keyboard.reset();
        let mut from = [0.0; KEYS];
        match self {
            Self::Quiet => {
                keys.iter().for_each(|k| keyboard.drive(*k, Drive::Finger([QUIET_FROM; 2])));
                from = [QUIET_FROM; KEYS];
                run(keyboard, 400, events);
            }
            Self::Striking => {
                for key in keys {
                    let speed = 1.0 + f64::from(key.number() % 6);
                    keyboard.construct_strike(*key, speed);
                }
            }
            Self::LetOff => {
                // Each key is pressed until the button meets its jack, and held there.
                let step = 0.05 * STEP;
                for _ in 0..4000 {
                    for key in keys {
                        let i = key.index();
                        if keyboard.state(*key).phase == Phase::Acceleration
                            || keyboard.state(*key).phase == Phase::Return
                        {
                            keyboard.drive(*key, Drive::Finger([from[i], from[i] + step]));
                            from[i] += step;
                        }
                    }
                    run(keyboard, 1, events);
                }
            }
            Self::Stroke => {}
        }
        Loaded { load: self, from, step: 0 }
    }
}

fn run(keyboard: &mut Keyboard, steps: u32, events: &mut EventList) {
    for _ in 0..steps {
        events.clear();
        keyboard.step(events);
    }
}

/// A load in progress.
#[derive(Clone, Copy, Debug)]
pub struct Loaded {
    load: Load,
    from: [f64; KEYS],
    step: u32,
}

impl Loaded {
    /// Sets the drives of `keys` for the next step.
    pub fn drive(&mut self, keyboard: &mut Keyboard, keys: &[KeyNumber]) {
        let (step, speed) = (self.step, self.load.finger());
        self.step += 1;
        if self.load == Load::Striking {
            return;
        }
        let travel = |step: u32| f64::from(step) * STEP * speed;
        for key in keys {
            let target = |step: u32| (self.from[key.index()] + travel(step)).min(PRESSED);
            // A motion of 1 nm keeps the steps of a held key from being skipped.
            let end = target(step + 1) + 1e-9 * f64::from(step % 2);
            keyboard.drive(*key, Drive::Finger([target(step), end]));
        }
    }
}
