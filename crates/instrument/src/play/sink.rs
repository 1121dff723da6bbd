//! The sound of a piano with its levels and fades: its own, or one at the other end of a pipeline.
//!
//! Samples that have passed wait until a block of the sound is complete or the caller's buffers end, so that the
//! board renders whole blocks. A change that is in force from the next block on needs only that the present one
//! has begun; before an excitation the strings go on up to its sample.

use crate::play::engine_traits::Strings;
use crate::play::output::{FadeOut, Mix, OutputLevel};
use crate::play::pipeline::{Call, Pipe};
use crate::settings::{Settings, Switch};
use touchback_core::math::compass::KeyNumber;
use touchback_core::mech::hammer::HammerSettings;
use touchback_sound::board::microphones::{Distant, part};
use touchback_sound::strings::bank::BLOCK;
use touchback_sound::{Knock, Sound, SoundSettings};

/// Strings `S` with the levels and fades of both pairs of microphones.
pub struct Stage<S> {
    strings: S,
    /// Levels of the chosen pair of microphones and of the distant one.
    levels: [OutputLevel; 2],
    /// Fades of both pairs after `AllSoundOff`.
    fades: [FadeOut; 2],
    /// The last block rendered the distant pair too.
    has_distant: bool,
}

/// Where the sound is rendered.
enum Place<S> {
    /// Strings, levels and fades.
    Here(Box<Stage<S>>),
    /// The end of a pipeline to them.
    Ahead(Box<Pipe>),
}

/// The sound of a piano.
pub struct Sink<S = Sound> {
    place: Place<S>,
    /// Samples of the present block that have passed.
    phase: usize,
    /// The last of these, which are yet to be rendered.
    waiting: usize,
}

/// Methods that are those of the strings here and calls in a pipeline, each after `$before`.
macro_rules! pass_on {
    ($before:ident: $(fn $name:ident($($arg:ident: $type:ty),*) => $call:expr;)*) => {
        $(pub(crate) fn $name(&mut self, $($arg: $type),*) {
            self.$before();
            match &mut self.place {
                Place::Here(stage) => stage.strings.$name($($arg),*),
                Place::Ahead(pipe) => pipe.call($call),
            }
        })*
    };
}

impl<S: Strings> Sink<S> {
    /// The sound of `strings` made for `settings` at `sample_rate` Hz. Allocates.
    pub(crate) fn here(strings: S, sample_rate: f64, settings: &Settings) -> Self {
        Self::at(Place::Here(Box::new(Stage {
            strings,
            levels: [(); 2].map(|()| OutputLevel::new(sample_rate, settings.output_db)),
            fades: [(); 2].map(|()| FadeOut::new(sample_rate)),
            has_distant: false,
        })))
    }

    /// The end `pipe` of a pipeline. Allocates.
    pub(crate) fn ahead(pipe: Pipe) -> Self {
        Self::at(Place::Ahead(Box::new(pipe)))
    }

    const fn at(place: Place<S>) -> Self {
        Self { place, phase: 0, waiting: 0 }
    }

    /// Whether the samples are rendered at the other end of a pipeline.
    pub(crate) const fn is_ahead(&self) -> bool {
        matches!(self.place, Place::Ahead(_))
    }

    /// Samples to the end of the present block.
    pub(crate) const fn rest_of_block(&self) -> usize {
        BLOCK - self.phase
    }

    /// The next `samples` pass, at most to the end of the block; they are to be rendered before its end.
    pub(crate) const fn pass(&mut self, samples: usize) {
        self.phase += samples;
        self.waiting += samples;
    }

    /// Samples that have passed and are yet to be rendered.
    pub(crate) const fn waiting(&self) -> usize {
        self.waiting
    }

    /// The block of the samples that wait begins, so that a change is in force from the next one on.
    fn begin(&mut self) {
        match &mut self.place {
            Place::Here(stage) => stage.strings.begin(self.waiting),
            Place::Ahead(pipe) => pipe.begin(self.waiting),
        }
    }

    /// The strings render the samples that wait.
    fn hold(&mut self) {
        match &mut self.place {
            Place::Here(stage) => stage.strings.hold(self.waiting),
            Place::Ahead(pipe) => pipe.hold(self.waiting),
        }
    }

    /// The pipeline, if the samples are rendered at its other end.
    pub(crate) const fn pipe(&mut self) -> Option<&mut Pipe> {
        match &mut self.place {
            Place::Here(_) => None,
            Place::Ahead(pipe) => Some(pipe),
        }
    }

    /// The strings, if they are here.
    #[cfg(test)]
    pub(crate) const fn strings(&self) -> Option<&S> {
        match &self.place {
            Place::Here(stage) => Some(&stage.strings),
            Place::Ahead(_) => None,
        }
    }

    pass_on! { begin:
        fn set_hammer(key: KeyNumber, hammer: &HammerSettings) => Call::SetHammer(key, *hammer);
        fn damper(key: KeyNumber, lift: f64) => Call::Damper(key, lift);
        fn retune(key: KeyNumber, cents: f64) => Call::Retune(key, cents);
        fn una_corda(amount: f64) => Call::UnaCorda(amount);
    }

    pass_on! { hold:
        fn strike(key: KeyNumber, speed: f64, delay: f64) => Call::Strike(key, speed, delay);
        fn pluck(key: KeyNumber, displacement: f64, delay: f64) => Call::Pluck(key, displacement, delay);
        fn strike_rod(key: KeyNumber, mass: f64, speed: f64, delay: f64) =>
            Call::StrikeRod(key, mass, speed, delay);
        fn blow(key: KeyNumber, pressure: f64) => Call::Blow(key, pressure);
        fn knock(key: KeyNumber, knock: Knock, speed: f64) => Call::Knock(key, knock, speed);
    }

    /// Silence; the block begins anew.
    pub(crate) fn reset(&mut self) {
        (self.phase, self.waiting) = (0, 0);
        match &mut self.place {
            Place::Here(stage) => stage.strings.reset(),
            Place::Ahead(pipe) => pipe.call(Call::Reset),
        }
    }

    /// Sets the settings of the strings.
    pub(crate) fn set(&mut self, settings: &SoundSettings) {
        self.begin();
        match &mut self.place {
            Place::Here(stage) => stage.strings.set(settings),
            Place::Ahead(pipe) => pipe.set(settings),
        }
    }

    /// The settings of the strings, as set last.
    pub(crate) fn settings(&self) -> &SoundSettings {
        match &self.place {
            Place::Here(stage) => stage.strings.settings(),
            Place::Ahead(pipe) => pipe.settings(),
        }
    }

    /// Upper bound of the time for which a string rings, s.
    pub(crate) fn longest_ring(&self) -> f64 {
        match &self.place {
            Place::Here(stage) => stage.strings.longest_ring(),
            Place::Ahead(pipe) => pipe.longest_ring(),
        }
    }

    /// Aims both levels at the gain of settings and controllers.
    pub(crate) fn aim(&mut self, settings: &Settings, mix: Mix) {
        let is_guarded = settings.output_guard == Switch::On;
        match &mut self.place {
            Place::Here(stage) => {
                for level in &mut stage.levels {
                    level.guard(is_guarded);
                    level.aim(settings.output_db, mix);
                }
            }
            Place::Ahead(pipe) => pipe.call(Call::Aim(settings.output_db, mix, is_guarded)),
        }
    }

    /// Levels at their targets, no fade; the strings are not touched.
    pub(crate) fn reset_output(&mut self) {
        match &mut self.place {
            Place::Here(stage) => {
                stage.fades.iter_mut().for_each(FadeOut::clear);
                stage.levels.iter_mut().for_each(OutputLevel::settle);
            }
            Place::Ahead(pipe) => pipe.call(Call::ResetOutput),
        }
    }

    /// Levels and strings have the settings set last, without a slew.
    pub(crate) fn settle(&mut self) {
        match &mut self.place {
            Place::Here(stage) => {
                stage.strings.settle();
                stage.levels.iter_mut().for_each(OutputLevel::settle);
            }
            Place::Ahead(pipe) => pipe.call(Call::Settle),
        }
    }

    /// Renders the samples that wait (equal lengths); a pipeline leaves them as they are.
    pub(crate) fn render(&mut self, left: &mut [f32], right: &mut [f32], distant: Distant) {
        debug_assert_eq!(left.len(), self.waiting, "the samples that wait");
        (self.phase, self.waiting) = (self.phase % BLOCK, 0);
        match &mut self.place {
            Place::Here(stage) => stage.render(left, right, distant),
            Place::Ahead(pipe) => pipe.render(left.len()),
        }
    }

    /// Moves the sound of the next 3 ms from the strings into the fades; a reset must follow.
    pub(crate) fn fade_out(&mut self) {
        match &mut self.place {
            Place::Here(stage) => stage.fade_out(),
            Place::Ahead(pipe) => pipe.call(Call::FadeOut),
        }
    }

    /// Whether strings and fades are silent, whatever settings are still being applied. In a pipeline always: its
    /// other end settles only when it is.
    pub(crate) fn is_at_rest(&self) -> bool {
        match &self.place {
            Place::Here(stage) => {
                stage.strings.is_at_rest() && stage.fades.iter().all(FadeOut::is_over)
            }
            Place::Ahead(_) => true,
        }
    }

    /// Whether strings and fades are silent and have the settings set last. In a pipeline never: its end at the
    /// action does not know.
    pub(crate) fn is_silent(&self) -> bool {
        match &self.place {
            Place::Here(stage) => {
                stage.strings.is_silent() && stage.fades.iter().all(FadeOut::is_over)
            }
            Place::Ahead(_) => false,
        }
    }
}

impl<S: Strings> Stage<S> {
    fn render(&mut self, left: &mut [f32], right: &mut [f32], mut distant: Distant) {
        self.has_distant = distant.is_some();
        self.strings.process_with(left, right, part(&mut distant, &(0..left.len())));
        let pairs = [Some([left, right]), distant];
        for ((pair, fade), level) in pairs.into_iter().zip(&mut self.fades).zip(&mut self.levels) {
            if let Some([left, right]) = pair {
                fade.mix(left, right);
                level.apply(left, right);
            } else {
                fade.clear();
                level.settle();
            }
        }
    }

    fn fade_out(&mut self) {
        let (strings, [near, far]) = (&mut self.strings, &mut self.fades);
        if self.has_distant {
            far.take(|far_left, far_right| {
                near.take(|left, right| {
                    strings.process_with(left, right, Some([far_left, far_right]));
                });
            });
        } else {
            near.take(|left, right| strings.process_with(left, right, None));
        }
    }
}
