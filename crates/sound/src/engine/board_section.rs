//! Board, microphones, lid and room: from the forces on the bridge to two channels.
//!
//! One half of the [engine](super); the other half are the [strings](super::strings).

use std::sync::Arc;

use super::strings::BridgeForces;
use super::{FULL_SCALE, MIX_NEAR, MIX_TIME, MOST_CENTS, mix};
use crate::SoundSettings;
use crate::board::microphone_mixer::{Channels, MicrophoneMixer};
use crate::board::microphones::Distant;
use crate::board::shared_board::SharedBoard;
use crate::output::room::Room;
use crate::output::stage::{self, HighShelf};
use crate::pipes::Pipes;
use crate::signal::convolve::CHANNELS;
use crate::signal::glide::Glide;
use crate::strings::bank::BLOCK;
use touchback_core::math::cast::single;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::kernel::Kernel;

/// Board, microphones, lid and room, at one sample rate.
pub struct BoardSection {
    /// Settings as set last.
    settings: SoundSettings,
    /// `settings` were set since the last block began.
    is_set: bool,
    microphones: MicrophoneMixer,
    /// Share of the late response, direct level, lid gain and stereo width: each at the block's beginning
    /// and at its end.
    pub(super) mix: [(f32, Glide); 4],
    /// Lids over the chosen pair of microphones and over the distant pair.
    lids: [HighShelf; 2],
    room: Room,
    pipes: Pipes,
    /// Samples into the present block.
    phase: usize,
    /// The control work of the present block is done.
    has_begun: bool,
}

impl BoardSection {
    /// Prepares all tables of board and room for `sample_rate` Hz. Allocates.
    pub(super) fn new(
        sample_rate: f64,
        settings: &SoundSettings,
        board: &Arc<SharedBoard>,
        kernel: Kernel,
    ) -> Self {
        let pair = settings.perspective.pair();
        let mut microphones = MicrophoneMixer::new(board, pair, sample_rate, kernel);
        microphones.economize(settings.economy);
        microphones.reset();
        Self {
            settings: settings.clone(),
            is_set: false,
            microphones,
            mix: mix(settings).map(|x| (single(x), Glide::new(x, MIX_TIME, MIX_NEAR, sample_rate))),
            lids: [HighShelf::new(sample_rate); 2],
            room: Room::new(sample_rate, settings.room(), kernel),
            pipes: Pipes::new(sample_rate),
            phase: 0,
            has_begun: false,
        }
    }

    /// See [`Sound::reset`](super::Sound::reset).
    pub fn reset(&mut self) {
        self.apply_settings();
        self.microphones.reset();
        self.finish_mix();
        self.lids.iter_mut().for_each(HighShelf::reset);
        self.room.reset();
        self.pipes.reset();
        (self.phase, self.has_begun) = (0, false);
    }

    /// See [`Sound::settle`](super::Sound::settle).
    pub fn settle(&mut self) {
        self.apply_settings();
        self.finish_mix();
        self.microphones.settle();
        self.room.settle();
    }

    /// Levels, lid and width jump to their targets.
    fn finish_mix(&mut self) {
        for (from, glide) in &mut self.mix {
            glide.finish();
            *from = glide.now;
        }
    }

    /// See [`Sound::set`](super::Sound::set).
    pub fn set(&mut self, settings: &SoundSettings) {
        let settings = settings.clamped();
        self.is_set |= settings != self.settings;
        self.settings = settings;
    }

    /// See [`Sound::blow`](super::Sound::blow); a pressure that is not finite is none.
    pub fn blow(&mut self, key: KeyNumber, pressure: f64) {
        self.pipes.blow(key, pressure, &self.settings);
    }

    /// See [`Sound::retune`](super::Sound::retune); of the pipes.
    pub fn retune(&mut self, key: KeyNumber, cents: f64) {
        if !cents.is_nan() {
            self.pipes.retune(key, cents.clamp(-MOST_CENTS, MOST_CENTS), &self.settings);
        }
    }

    /// Applies the settings that were set in the block before.
    fn apply_settings(&mut self) {
        if !std::mem::take(&mut self.is_set) {
            return;
        }
        for (slot, target) in self.mix.iter_mut().zip(mix(&self.settings)) {
            slot.1.aim(target);
        }
        self.microphones.choose(self.settings.perspective.pair());
        self.microphones.economize(self.settings.economy);
        self.room.set(self.settings.room());
        self.pipes.set(&self.settings);
    }

    /// Whether board and room are silent.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        self.lids.iter().all(HighShelf::is_silent)
            && self.microphones.is_silent()
            && self.room.is_silent()
            && self.pipes.is_silent()
    }

    /// Renders the next samples, as many as `left` and `right` have and at most to the end of the block, under
    /// the `forces` of these samples; `is_still` is whether the strings are at rest. `distant` receives the
    /// distant pair.
    pub fn process(
        &mut self,
        forces: &BridgeForces,
        is_still: bool,
        left: &mut [f32],
        right: &mut [f32],
        distant: Distant,
    ) {
        self.begin();
        let (at, len) = (self.phase, left.len());
        self.phase = (at + len) % BLOCK;
        if is_still && self.is_at_rest() {
            left.fill(0.0);
            right.fill(0.0);
            distant.into_iter().flatten().for_each(|channel| channel.fill(0.0));
        } else {
            self.render(forces, left, right, distant, at);
        }
        if self.phase == 0 {
            self.microphones.end_block();
            self.has_begun = false;
        }
    }

    /// Samples into the present block.
    #[must_use]
    pub const fn phase(&self) -> usize {
        self.phase
    }

    /// Does the control work of the present block, once.
    pub fn begin(&mut self) {
        if std::mem::replace(&mut self.has_begun, true) {
            return;
        }
        self.apply_settings();
        self.mix.iter_mut().for_each(|(from, glide)| *from = glide.step());
        self.microphones.begin_block();
        self.room.begin_block();
        self.pipes.begin_block();
    }

    /// Renders the samples of the present block from `at` on.
    fn render(
        &mut self,
        forces: &BridgeForces,
        left: &mut [f32],
        right: &mut [f32],
        mut distant: Distant,
        at: usize,
    ) {
        let len = left.len();
        let [early, late] = self.microphones.process(forces, at, len);
        let far = distant.as_ref().map(|_| self.microphones.process_distant(at, len));
        let scale = single(FULL_SCALE);
        let wind = (!self.pipes.is_silent()).then(|| self.pipes.process(len));
        // Every perspective sends the same sound into the room, before distance and width.
        let mut sent = [[0.0; BLOCK]; CHANNELS];
        for (i, (l, r)) in left.iter_mut().zip(right.iter_mut()).enumerate() {
            let share = (at + i + 1) as f32 / BLOCK as f32;
            let [late_gain, direct, shade, side] =
                self.mix.map(|(from, glide)| from + share * (glide.now - from));
            let sum = |early: &Channels, late: &Channels| -> [f32; CHANNELS] {
                std::array::from_fn(|c| scale * (early[c][i] + late_gain * late[c][i]))
            };
            let [chosen_lid, distant_lid] = &mut self.lids;
            let [mut a, mut b] = chosen_lid.shade(sum(&early, &late), shade);
            if let Some([left, right]) = &wind {
                (a, b) = (a + left[i], b + right[i]);
            }
            [sent[0][i], sent[1][i]] = [a, b];
            let (a, b) = stage::widened(a, b, side);
            (*l, *r) = (direct * a, direct * b);
            if let (Some([far_left, far_right]), Some([early, late])) = (&mut distant, &far) {
                [far_left[i], far_right[i]] = distant_lid.shade(sum(early, late), shade);
                if let Some([left, right]) = &wind {
                    far_left[i] += left[i];
                    far_right[i] += right[i];
                }
            }
        }
        let sent = sent.each_ref().map(|channel| &channel[..len]);
        self.room.process(at, sent, left, right, distant);
    }
}
