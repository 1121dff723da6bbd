//! From the strings to the host's buffers: tuning, level, balance, fades.

use super::hammers::PendingHammers;
use crate::Settings;
use crate::play::engine_traits::Strings;
use crate::play::output::Mix;
use crate::play::pitch::Pitch;
use crate::play::sink::Sink;
use touchback_sound::SoundSettings;
use touchback_sound::board::microphones::{Distant, part};

/// The sound of strings `S`, and controllers of pitch and level.
pub(super) struct Output<S> {
    pub(super) sink: Sink<S>,
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
}

/// The host's buffers (equal lengths).
pub(super) struct Channels<'a> {
    left: &'a mut [f32],
    right: &'a mut [f32],
    distant: Distant<'a>,
    /// Samples that have been written.
    done: usize,
}

impl<'a> Channels<'a> {
    /// Buffers of which nothing has been written.
    pub(super) const fn new(
        left: &'a mut [f32],
        right: &'a mut [f32],
        distant: Distant<'a>,
    ) -> Self {
        Self { left, right, distant, done: 0 }
    }
}

impl<S: Strings> Output<S> {
    /// A `sink` made for `settings`.
    pub(super) fn new(sink: Sink<S>, settings: &Settings) -> Self {
        let mut output = Self {
            sink,
            pending_hammers: PendingHammers::default(),
            are_unisons_pending: false,
            pitch: Pitch::new(),
            bend: 0.0,
            bend_range: None,
            mix: Mix::PLAIN,
        };
        output.apply_mix(settings);
        output.apply_bend(settings);
        output
    }

    /// Controllers at their defaults, levels at their targets, no fade; the strings are not touched.
    pub(super) fn reset(&mut self, settings: &Settings) {
        (self.mix, self.bend, self.bend_range) = (Mix::PLAIN, 0.0, None);
        self.pitch.reset();
        self.apply_mix(settings);
        self.sink.reset_output();
    }

    /// Renders the samples that wait into the next ones of `out`.
    pub(super) fn render(&mut self, out: &mut Channels) {
        let range = out.done..out.done + self.sink.waiting();
        if !range.is_empty() {
            out.done = range.end;
            let far = part(&mut out.distant, &range);
            self.sink.render(&mut out.left[range.clone()], &mut out.right[range], far);
        }
    }

    /// Sends the sound settings to the strings; unisons and tones of single keys stay as they
    /// were sent last.
    pub(super) fn apply_sound(&mut self, settings: &Settings) {
        let SoundSettings { unisons, piano, tones, .. } = self.sink.settings();
        let (unisons, piano, tones) = (*unisons, *piano, tones.clone());
        self.sink.set(&SoundSettings { unisons, piano, tones, ..settings.sound.clone() });
    }

    /// Sends unisons and tones of single keys to the strings, once an action step however often they were
    /// set.
    pub(super) fn apply_unisons(&mut self, settings: &Settings) {
        if std::mem::take(&mut self.are_unisons_pending) {
            self.sink.set(&settings.strings());
        }
    }

    /// Aims both levels at the gain of settings and controllers.
    pub(super) fn apply_mix(&mut self, settings: &Settings) {
        self.sink.aim(settings, self.mix);
    }

    /// Detunes all keys by the pitch bend, in cents by the set range.
    pub(super) fn apply_bend(&mut self, settings: &Settings) {
        let range = self.bend_range.unwrap_or(settings.midi.bend_range);
        self.pitch.bend(self.bend * 100.0 * range);
    }
}
