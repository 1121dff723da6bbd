//! From the strings to the host's buffers: tuning, level, balance, fades.

use super::hammers::PendingHammers;
use crate::Settings;
use crate::engine_traits::Strings;
use crate::output::{FadeOut, Mix, OutputLevel};
use crate::pipeline::Call;
use crate::pitch::Pitch;
use crate::settings::Switch;
use touchback_sound::SoundSettings;
use touchback_sound::microphones::{Distant, part};

/// Strings `S`, their detuning, and the output stage of both pairs of microphones.
pub(super) struct Output<S> {
    pub(super) strings: S,
    /// Keys whose hammer has changed since it was last sent to the strings.
    pub(super) pending_hammers: PendingHammers,
    /// The unisons of single keys may have changed since they were last sent to the strings.
    pub(super) are_unisons_pending: bool,
    pub(super) pitch: Pitch,
    /// Pitch bend, −1…1.
    pub(super) bend: f64,
    /// Its range, semitones; `None`: that of the settings.
    pub(super) bend_range: Option<f64>,
    pub(super) mix: Mix,
    /// Levels of the chosen pair of microphones and of the distant one.
    levels: [OutputLevel; 2],
    /// Fades of both pairs after `AllSoundOff`.
    fades: [FadeOut; 2],
    /// The last block rendered the distant pair too.
    has_distant: bool,
}

impl<S: Strings> Output<S> {
    /// `strings` made for `settings`. Allocates.
    pub(super) fn new(strings: S, sample_rate: f64, settings: &Settings) -> Self {
        let mut output = Self {
            strings,
            pending_hammers: PendingHammers::default(),
            are_unisons_pending: false,
            pitch: Pitch::new(),
            bend: 0.0,
            bend_range: None,
            mix: Mix::PLAIN,
            levels: [(); 2].map(|()| OutputLevel::new(sample_rate, settings.output_db)),
            fades: [(); 2].map(|()| FadeOut::new(sample_rate)),
            has_distant: false,
        };
        output.apply_mix(settings);
        output.apply_bend(settings);
        output
    }

    /// Controllers at their defaults, levels at their targets, no fade; the strings are not touched.
    pub(super) fn reset(&mut self, settings: &Settings) {
        (self.mix, self.bend, self.bend_range) = (Mix::PLAIN, 0.0, None);
        self.pitch.reset();
        self.fades.iter_mut().for_each(FadeOut::clear);
        self.apply_mix(settings);
        self.levels.iter_mut().for_each(OutputLevel::settle);
        if let Some(pipe) = self.strings.pipe() {
            pipe.call(Call::ResetOutput);
        }
    }

    /// Levels and strings have the settings and controllers set last, without a slew.
    pub(super) fn settle(&mut self) {
        self.strings.settle();
        self.levels.iter_mut().for_each(OutputLevel::settle);
    }

    /// Renders the next samples (equal lengths).
    pub(super) fn render(&mut self, left: &mut [f32], right: &mut [f32], mut distant: Distant) {
        if left.is_empty() {
            return;
        }
        self.has_distant = distant.is_some();
        self.strings.process_with(left, right, part(&mut distant, &(0..left.len())));
        if self.strings.pipe().is_some() {
            return;
        }
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

    /// Moves the sound of the next 3 ms from the strings into the fades.
    pub(super) fn fade_out(&mut self) {
        if let Some(pipe) = self.strings.pipe() {
            pipe.call(Call::FadeOut);
            return;
        }
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

    /// Sends the sound settings to the strings; unisons and tones of single keys stay as they
    /// were sent last.
    pub(super) fn apply_sound(&mut self, settings: &Settings) {
        let (unisons, tones) = self.strings.of_keys();
        self.strings.set(&SoundSettings { unisons, tones, ..settings.sound });
    }

    /// Sends unisons and tones of single keys to the strings, once an action step however often they were
    /// set.
    pub(super) fn apply_unisons(&mut self, settings: &Settings) {
        if std::mem::take(&mut self.are_unisons_pending) {
            self.strings.set(&settings.strings());
        }
    }

    /// Aims both levels at the gain of settings and controllers.
    pub(super) fn apply_mix(&mut self, settings: &Settings) {
        let is_guarded = settings.output_guard == Switch::On;
        for level in &mut self.levels {
            level.guard(is_guarded);
            level.aim(settings.output_db, self.mix);
        }
        if let Some(pipe) = self.strings.pipe() {
            pipe.call(Call::Aim(settings.output_db, self.mix, is_guarded));
        }
    }

    /// Detunes all keys by the pitch bend, in cents by the set range.
    pub(super) fn apply_bend(&mut self, settings: &Settings) {
        let range = self.bend_range.unwrap_or(settings.midi.bend_range);
        self.pitch.bend(self.bend * 100.0 * range);
    }

    /// Whether strings and fades are silent, whatever settings are still being applied.
    pub(super) fn is_at_rest(&self) -> bool {
        self.strings.is_at_rest() && self.fades.iter().all(FadeOut::is_over)
    }

    /// Whether strings and fades are silent and have the settings set last.
    pub(super) fn is_silent(&self) -> bool {
        self.strings.is_silent() && self.fades.iter().all(FadeOut::is_over)
    }
}
