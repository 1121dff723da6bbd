//! The sound of a piano with its levels and fades: its own, or one at the other end of a pipeline.

use crate::play::engine_traits::Strings;
use crate::play::output::{FadeOut, Mix, OutputLevel};
use crate::play::pipeline::{Call, Pipe};
use crate::settings::{Settings, Switch};
use touchback_core::math::compass::KeyNumber;
use touchback_core::mech::hammer::HammerSettings;
use touchback_sound::board::microphones::{Distant, part};
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

/// The sound of a piano.
pub enum Sink<S = Sound> {
    /// Strings, levels and fades.
    Here(Box<Stage<S>>),
    /// The end of a pipeline to them.
    Ahead(Box<Pipe>),
}

/// Methods that are those of the strings here and calls in a pipeline.
macro_rules! pass_on {
    ($(fn $name:ident($($arg:ident: $type:ty),*) => $call:expr;)*) => {
        $(pub(crate) fn $name(&mut self, $($arg: $type),*) {
            match self {
                Self::Here(stage) => stage.strings.$name($($arg),*),
                Self::Ahead(pipe) => pipe.call($call),
            }
        })*
    };
}

impl<S: Strings> Sink<S> {
    /// The sound of `strings` made for `settings` at `sample_rate` Hz. Allocates.
    pub(crate) fn here(strings: S, sample_rate: f64, settings: &Settings) -> Self {
        Self::Here(Box::new(Stage {
            strings,
            levels: [(); 2].map(|()| OutputLevel::new(sample_rate, settings.output_db)),
            fades: [(); 2].map(|()| FadeOut::new(sample_rate)),
            has_distant: false,
        }))
    }

    /// The pipeline, if the samples are rendered at its other end.
    pub(crate) const fn pipe(&mut self) -> Option<&mut Pipe> {
        match self {
            Self::Here(_) => None,
            Self::Ahead(pipe) => Some(pipe),
        }
    }

    /// The strings, if they are here.
    #[cfg(test)]
    pub(crate) const fn strings(&self) -> Option<&S> {
        match self {
            Self::Here(stage) => Some(&stage.strings),
            Self::Ahead(_) => None,
        }
    }

    pass_on! {
        fn reset() => Call::Reset;
        fn set_hammer(key: KeyNumber, hammer: &HammerSettings) => Call::SetHammer(key, *hammer);
        fn strike(key: KeyNumber, speed: f64, delay: f64) => Call::Strike(key, speed, delay);
        fn pluck(key: KeyNumber, displacement: f64, delay: f64) => Call::Pluck(key, displacement, delay);
        fn strike_rod(key: KeyNumber, mass: f64, speed: f64, delay: f64) =>
            Call::StrikeRod(key, mass, speed, delay);
        fn blow(key: KeyNumber, pressure: f64) => Call::Blow(key, pressure);
        fn damper(key: KeyNumber, lift: f64) => Call::Damper(key, lift);
        fn retune(key: KeyNumber, cents: f64) => Call::Retune(key, cents);
        fn una_corda(amount: f64) => Call::UnaCorda(amount);
        fn knock(key: KeyNumber, knock: Knock, speed: f64) => Call::Knock(key, knock, speed);
    }

    /// Sets the settings of the strings.
    pub(crate) fn set(&mut self, settings: &SoundSettings) {
        match self {
            Self::Here(stage) => stage.strings.set(settings),
            Self::Ahead(pipe) => pipe.set(settings),
        }
    }

    /// The settings of the strings, as set last.
    pub(crate) fn settings(&self) -> &SoundSettings {
        match self {
            Self::Here(stage) => stage.strings.settings(),
            Self::Ahead(pipe) => pipe.settings(),
        }
    }

    /// Upper bound of the time for which a string rings, s.
    pub(crate) fn longest_ring(&self) -> f64 {
        match self {
            Self::Here(stage) => stage.strings.longest_ring(),
            Self::Ahead(pipe) => pipe.longest_ring(),
        }
    }

    /// Aims both levels at the gain of settings and controllers.
    pub(crate) fn aim(&mut self, settings: &Settings, mix: Mix) {
        let is_guarded = settings.output_guard == Switch::On;
        match self {
            Self::Here(stage) => {
                for level in &mut stage.levels {
                    level.guard(is_guarded);
                    level.aim(settings.output_db, mix);
                }
            }
            Self::Ahead(pipe) => pipe.call(Call::Aim(settings.output_db, mix, is_guarded)),
        }
    }

    /// Levels at their targets, no fade; the strings are not touched.
    pub(crate) fn reset_output(&mut self) {
        match self {
            Self::Here(stage) => {
                stage.fades.iter_mut().for_each(FadeOut::clear);
                stage.levels.iter_mut().for_each(OutputLevel::settle);
            }
            Self::Ahead(pipe) => pipe.call(Call::ResetOutput),
        }
    }

    /// Levels and strings have the settings set last, without a slew.
    pub(crate) fn settle(&mut self) {
        match self {
            Self::Here(stage) => {
                stage.strings.settle();
                stage.levels.iter_mut().for_each(OutputLevel::settle);
            }
            Self::Ahead(pipe) => pipe.call(Call::Settle),
        }
    }

    /// Renders the next samples (equal lengths); a pipeline leaves them as they are.
    pub(crate) fn render(&mut self, left: &mut [f32], right: &mut [f32], distant: Distant) {
        match self {
            Self::Here(stage) => stage.render(left, right, distant),
            Self::Ahead(pipe) => pipe.render(left.len()),
        }
    }

    /// Moves the sound of the next 3 ms from the strings into the fades.
    pub(crate) fn fade_out(&mut self) {
        match self {
            Self::Here(stage) => stage.fade_out(),
            Self::Ahead(pipe) => pipe.call(Call::FadeOut),
        }
    }

    /// Whether strings and fades are silent, whatever settings are still being applied. In a pipeline always: its
    /// other end settles only when it is.
    pub(crate) fn is_at_rest(&self) -> bool {
        match self {
            Self::Here(stage) => {
                stage.strings.is_at_rest() && stage.fades.iter().all(FadeOut::is_over)
            }
            Self::Ahead(_) => true,
        }
    }

    /// Whether strings and fades are silent and have the settings set last. In a pipeline never: its end at the
    /// action does not know.
    pub(crate) fn is_silent(&self) -> bool {
        match self {
            Self::Here(stage) => {
                stage.strings.is_silent() && stage.fades.iter().all(FadeOut::is_over)
            }
            Self::Ahead(_) => false,
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
