//! Standard loads: what a keyboard costs depends on what its keys do.

use crate::grand::Phase;
use crate::interface::events::EventList;
use crate::{Drive, Keyboard, STEP};
use touchback_core::math::compass::{KEYS, KeyNumber};

/// Something that all given keys do at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Load {
    /// Pressed slowly through the first third of their way: all move, nothing else happens.
    Quiet,
    /// Hammers on their strings, met at 1 to 6 m/s, and leaving them.
    Striking,
    /// Pressed slowly while the button turns the jack out from under the knuckle.
    LetOff,
    /// One pressed touch from rest to the check.
    Stroke,
}

/// Ways of a pressing finger's target, m: the start of the quiet load; the stroke's end.
const QUIET_FROM: f64 = 2e-3;
const PRESSED: f64 = 0.0165;

impl Load {
    /// All loads.
    pub const ALL: [Self; 4] = [Self::Quiet, Self::Striking, Self::LetOff, Self::Stroke];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Quiet => "quiet",
            Self::Striking => "striking",
            Self::LetOff => "let-off",
            Self::Stroke => "stroke",
        }
    }

    /// Action steps it lasts.
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

    /// Brings `keys` of `keyboard` to where this load begins.
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
                // Each is pressed on until its button has the jack, and held there.
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

/// A keyboard's keys under way.
#[derive(Clone, Copy, Debug)]
pub struct Loaded {
    load: Load,
    from: [f64; KEYS],
    step: u32,
}

impl Loaded {
    /// Drives `keys` through the coming step.
    pub fn drive(&mut self, keyboard: &mut Keyboard, keys: &[KeyNumber]) {
        let (step, speed) = (self.step, self.load.finger());
        self.step += 1;
        if self.load == Load::Striking {
            return;
        }
        let way = |step: u32| f64::from(step) * STEP * speed;
        for key in keys {
            let target = |step: u32| (self.from[key.index()] + way(step)).min(PRESSED);
            // A hair of motion keeps a held key from being skipped.
            let end = target(step + 1) + 1e-9 * f64::from(step % 2);
            keyboard.drive(*key, Drive::Finger([target(step), end]));
        }
    }
}
