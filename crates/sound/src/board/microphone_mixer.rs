//! Signals of the microphones: the board's inputs convolved with the responses of the chosen pair, and
//! with the distant pair's where that is requested.
//!
//! Another pair replaces the chosen one within 140 ms at 48 kHz: its convolution first takes in the history that
//! still sounds, then it fades in. Audio thread; allocates only in `new`.

use std::sync::Arc;

use crate::board::microphones::{DISTANT, PAIRS};
use crate::board::shared_board::SharedBoard;
use crate::signal::convolve::{CHANNELS, COMPLETE, Input, Output, Tail, Workspace};
use crate::strings::bank::BLOCK;
use crate::strings::bridge::ZONES;
use touchback_core::math::cast::floor_index;
use touchback_core::math::kernel::Kernel;

/// Time in which a prepared pair replaces another, s.
const FADE: f64 = 0.05;

/// Both channels of one block.
pub type Channels = [[f32; BLOCK]; CHANNELS];

/// Early and late part of both channels.
pub type EarlyLate = [Channels; 2];

/// All pairs of microphones.
pub struct MicrophoneMixer {
    board: Arc<SharedBoard>,
    input: Input,
    /// Convolution of each pair.
    pairs: [Output; PAIRS],
    work: Workspace,
    /// Index of the pair in use.
    current: usize,
    /// Index of the pair set last.
    requested: usize,
    /// The pair being prepared, and the blocks that it still needs.
    pending: Option<(usize, usize)>,
    /// The pair being faded out, and the blocks of fading left.
    fading: Option<(usize, usize)>,
    /// Blocks of a fade.
    fade: usize,
    /// The distant pair was requested in the present block.
    distant: bool,
    /// The last part of the responses, which economy leaves out.
    tail: Tail,
}

impl MicrophoneMixer {
    /// All pairs of `board` at `sample_rate` Hz, pair `current` in use. Allocates.
    #[must_use]
    pub fn new(board: &Arc<SharedBoard>, current: usize, sample_rate: f64, kernel: Kernel) -> Self {
        let fade = floor_index(FADE * sample_rate / BLOCK as f64).max(1);
        let mut mixer = Self {
            board: board.clone(),
            input: Input::new(board.filter(current)),
            pairs: std::array::from_fn(|_| Output::new(kernel)),
            work: Workspace::new(),
            current,
            requested: current,
            pending: None,
            fading: None,
            fade,
            distant: false,
            tail: Tail::new(fade),
        };
        mixer.reset();
        mixer
    }

    /// Clears all history; the requested pair is in use at once.
    pub fn reset(&mut self) {
        self.input.reset();
        self.pairs.iter_mut().for_each(Output::stop);
        self.settle_tail();
        (self.current, self.pending, self.fading, self.distant) =
            (self.requested, None, None, false);
        self.pairs[self.current].start(&self.input);
    }

    /// The requested pair is in use at once; call it while all history is zero.
    pub fn settle(&mut self) {
        self.settle_tail();
        if self.requested == self.current && self.pending.is_none() && self.fading.is_none() {
            return;
        }
        let started = [self.pending, self.fading].into_iter().flatten().map(|(pair, _)| pair);
        for pair in started.chain([self.current]) {
            self.pairs[pair].stop();
        }
        (self.current, self.pending, self.fading) = (self.requested, None, None);
        self.pairs[self.current].start(&self.input);
    }

    /// Economy, from the next block on: the responses without their last part.
    pub(crate) const fn economize(&mut self, is_on: bool) {
        self.tail.want(!is_on);
    }

    fn settle_tail(&mut self) {
        self.tail.settle();
        self.pairs.iter_mut().for_each(|pair| pair.set_tail(self.tail.is_computed(), &self.input));
    }

    /// Requests another pair from the next block on.
    pub const fn choose(&mut self, pair: usize) {
        self.requested = pair;
    }

    /// Whether all history is zero.
    #[must_use]
    pub const fn is_silent(&self) -> bool {
        self.input.is_silent()
    }

    /// Control work at a block's beginning.
    pub fn begin_block(&mut self) {
        self.tail.begin_block();
        self.pairs.iter_mut().for_each(|pair| pair.set_tail(self.tail.is_computed(), &self.input));
        if let Some((pair, left)) = &mut self.fading {
            *left -= 1;
            if *left == 0 {
                self.pairs[*pair].stop();
                self.fading = None;
            }
        }
        if self.fading.is_some() {
            return;
        }
        if let Some((pair, left)) = &mut self.pending {
            *left -= 1;
            if *pair != self.requested {
                self.pairs[*pair].stop();
                self.pending = None;
            } else if *left == 0 {
                self.fading = Some((self.current, self.fade));
                self.current = *pair;
                self.pending = None;
            }
        }
        if self.fading.is_none() && self.pending.is_none() && self.requested != self.current {
            self.pairs[self.requested].start(&self.input);
            self.pending = Some((self.requested, COMPLETE));
        }
    }

    /// The `len` samples from `at` of the present block at the pair in use.
    pub fn process(&mut self, inputs: &[[f32; BLOCK]; ZONES], at: usize, len: usize) -> EarlyLate {
        self.input.take(inputs, at, len);
        let mut mixed = self.of(self.current, at, len);
        if let Some((pair, left)) = self.fading {
            let before = self.of(pair, at, len);
            for (now, before) in mixed.iter_mut().flatten().zip(before.iter().flatten()) {
                for (i, (now, before)) in now[..len].iter_mut().zip(before).enumerate() {
                    let elapsed = (at + i + 1) as f32 / BLOCK as f32;
                    let share = (left as f32 - elapsed) / self.fade as f32;
                    *now += share * (before - *now);
                }
            }
        }
        mixed
    }

    /// Like [`MicrophoneMixer::process`] for the distant pair; call it after that. The distant pair receives
    /// the board from the first call on.
    pub(crate) fn process_distant(&mut self, at: usize, len: usize) -> EarlyLate {
        self.distant = true;
        self.pairs[DISTANT].start(&self.input);
        self.of(DISTANT, at, len)
    }

    fn of(&self, pair: usize, at: usize, len: usize) -> EarlyLate {
        let mut mixed = [[[0.0; BLOCK]; CHANNELS]; 2];
        if !self.input.is_silent() {
            let [early, late] = &mut mixed;
            let [early, late] =
                [early, late].map(|both| both.each_mut().map(|part| &mut part[..len]));
            let filter = self.board.filter(pair);
            self.pairs[pair].process(filter, &self.input, at, self.tail.shares(), early, late);
        }
        mixed
    }

    /// Ends the present block.
    pub fn end_block(&mut self) {
        if !std::mem::take(&mut self.distant) {
            self.pairs[DISTANT].stop();
        }
        let (board, pairs, work) = (&self.board, &mut self.pairs, &mut self.work);
        let ends = self.input.end_block(|input| {
            for (i, pair) in pairs.iter_mut().enumerate().filter(|(_, pair)| pair.is_on()) {
                pair.end_block(board.filter(i), input, work);
            }
        });
        if ends {
            self.pairs.iter_mut().for_each(Output::clear);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_core::math::cast::single;

    const RATE: f64 = 48_000.0;

    fn mixer() -> MicrophoneMixer {
        MicrophoneMixer::new(&SharedBoard::at(RATE), 0, RATE, Kernel::detect())
    }

    /// The left channels of the chosen pair and of the distant pair under a steady tone of 300 Hz, while
    /// `choose` gives the pair at each block.
    fn tone(
        mixer: &mut MicrophoneMixer,
        blocks: usize,
        choose: impl Fn(usize) -> usize,
    ) -> [Vec<f32>; 2] {
        let mut channels = [Vec::new(), Vec::new()];
        for block in 0..blocks {
            mixer.choose(choose(block));
            mixer.begin_block();
            let tone: [f32; BLOCK] = std::array::from_fn(|i| {
                let t = (block * BLOCK + i) as f64 / RATE;
                single((std::f64::consts::TAU * 300.0 * t).sin())
            });
            let inputs = [tone; ZONES];
            let both = [mixer.process(&inputs, 0, BLOCK), mixer.process_distant(0, BLOCK)];
            for (samples, [early, late]) in channels.iter_mut().zip(both) {
                samples.extend(early[0].iter().zip(&late[0]).map(|(early, late)| early + late));
            }
            mixer.end_block();
        }
        channels
    }

    /// Largest fourth difference: a smooth tone has next to none.
    fn roughest(samples: &[f32]) -> f32 {
        let fourth = |w: &[f32]| w[0] - 4.0 * w[1] + 6.0 * w[2] - 4.0 * w[3] + w[4];
        samples.windows(5).fold(0.0, |most, w| most.max(fourth(w).abs()))
    }

    #[test]
    fn another_pair_replaces_the_first_without_a_click() {
        let mut mixer = mixer();
        // After the tone's onset.
        let (from, to) = (500, 700);
        for (pair, next) in [(0, 1), (1, 2), (2, 0)] {
            mixer.choose(pair);
            mixer.reset();
            let one = tone(&mut mixer, to, |_| pair)[0][(from - 1) * BLOCK..].to_vec();
            mixer.reset();
            let change = |block| if block < from { pair } else { next };
            let both = tone(&mut mixer, to, change)[0][(from - 1) * BLOCK..].to_vec();
            // A change at once, at the worst moment, from one peak to the other.
            let peak = |samples: &[f32]| samples.iter().fold(0.0f32, |most, x| most.max(x.abs()));
            let click = 3.0 * (peak(&one) + peak(&both[80 * BLOCK..]));
            let fading = roughest(&both[BLOCK - 5..]);
            assert!(fading < 1e-3 * click, "{pair}: {fading} {click}");
            assert_eq!(mixer.current, next);
        }
    }

    #[test]
    fn the_distant_pair_does_not_depend_on_the_chosen_pair() {
        let mut mixer = mixer();
        let mut distant = |choose: &dyn Fn(usize) -> usize| {
            mixer.reset();
            tone(&mut mixer, 100, choose)[1].clone()
        };
        let beside_the_player = distant(&|_| 0);
        assert!(roughest(&beside_the_player) > 0.0);
        for pair in [1, 2] {
            assert_eq!(distant(&|_| pair), beside_the_player);
        }
        assert_eq!(distant(&|block| block / 20 % 3), beside_the_player);
    }
}
