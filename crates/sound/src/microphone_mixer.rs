//! What the microphones pick up: the board's inputs convolved with the responses of the pair that is
//! listened to, and with the distant pair's where that is asked for.
//!
//! Another pair takes over within 75 ms: it first gets ready to hear all that still sounds, then
//! fades in. Audio thread; allocates only in `new`.

use std::sync::Arc;

use crate::bank::BLOCK;
use crate::bridge::ZONES;
use crate::convolve::{CHANNELS, COMPLETE, Input, Output};
use crate::microphones::{DISTANT, PAIRS};
use crate::shared_board::SharedBoard;
use touchback_core::math::cast::floor_index;
use touchback_core::math::kernel::Kernel;

/// Time in which one pair takes over from another once it is ready, s.
const FADE: f64 = 0.05;

/// Both channels of one block.
pub type Channels = [[f32; BLOCK]; CHANNELS];

/// Early and late part of them.
pub type Picked = [Channels; 2];

/// All pairs of microphones.
pub struct MicrophoneMixer {
    board: Arc<SharedBoard>,
    input: Input,
    /// What each pair hears.
    pairs: [Output; PAIRS],
    /// The pair that is listened to, and the next one.
    heard: usize,
    wanted: usize,
    /// The pair that gets ready to be listened to, and the blocks that it still needs.
    coming: Option<(usize, usize)>,
    /// The pair before it and the blocks in which it is still heard.
    before: Option<(usize, usize)>,
    fade: usize,
    distant: bool,
}

impl MicrophoneMixer {
    /// All pairs of `board` at `sample_rate` Hz, `heard` listened to. Allocates.
    #[must_use]
    pub fn new(board: &Arc<SharedBoard>, heard: usize, sample_rate: f64, kernel: Kernel) -> Self {
        let mut pickup = Self {
            board: board.clone(),
            input: Input::new(board.filter(heard)),
            pairs: std::array::from_fn(|_| Output::new(kernel)),
            heard,
            wanted: heard,
            coming: None,
            before: None,
            fade: floor_index(FADE * sample_rate / BLOCK as f64).max(1),
            distant: false,
        };
        pickup.reset();
        pickup
    }

    /// Clears all history; the wanted pair is heard.
    pub fn reset(&mut self) {
        self.input.reset();
        self.pairs.iter_mut().for_each(Output::stop);
        (self.heard, self.coming, self.before, self.distant) = (self.wanted, None, None, false);
        self.pairs[self.heard].start(&self.input);
    }

    /// Another pair from the next block on.
    pub const fn listen(&mut self, pair: usize) {
        self.wanted = pair;
    }

    /// All history is zero.
    #[must_use]
    pub const fn is_silent(&self) -> bool {
        self.input.is_silent()
    }

    /// Control work at a block's beginning.
    pub fn begin_block(&mut self) {
        if let Some((pair, left)) = &mut self.before {
            *left -= 1;
            if *left == 0 {
                self.pairs[*pair].stop();
                self.before = None;
            }
        }
        if self.before.is_some() {
            return;
        }
        if let Some((pair, left)) = &mut self.coming {
            *left -= 1;
            if *pair != self.wanted {
                self.pairs[*pair].stop();
                self.coming = None;
            } else if *left == 0 {
                self.before = Some((self.heard, self.fade));
                self.heard = *pair;
                self.coming = None;
            }
        }
        if self.before.is_none() && self.coming.is_none() && self.wanted != self.heard {
            self.pairs[self.wanted].start(&self.input);
            self.coming = Some((self.wanted, COMPLETE));
        }
    }

    /// What the samples `at`… of the present block give, of `len` samples.
    pub fn process(&mut self, inputs: &[[f32; BLOCK]; ZONES], at: usize, len: usize) -> Picked {
        self.input.take(inputs, at, len);
        let mut picked = self.of(self.heard, at, len);
        if let Some((pair, left)) = self.before {
            let before = self.of(pair, at, len);
            for (now, before) in picked.iter_mut().flatten().zip(before.iter().flatten()) {
                for (i, (now, before)) in now[..len].iter_mut().zip(before).enumerate() {
                    let gone = (at + i + 1) as f32 / BLOCK as f32;
                    let share = (left as f32 - gone) / self.fade as f32;
                    *now += share * (before - *now);
                }
            }
        }
        picked
    }

    /// The same for the distant pair, after [`MicrophoneMixer::process`]; it hears the board from the first call
    /// on.
    pub fn process_distant(&mut self, at: usize, len: usize) -> Picked {
        self.distant = true;
        self.pairs[DISTANT].start(&self.input);
        self.of(DISTANT, at, len)
    }

    fn of(&self, pair: usize, at: usize, len: usize) -> Picked {
        let mut picked = [[[0.0; BLOCK]; CHANNELS]; 2];
        if !self.input.is_silent() {
            let [early, late] = &mut picked;
            let [early, late] =
                [early, late].map(|both| both.each_mut().map(|part| &mut part[..len]));
            self.pairs[pair].process(self.board.filter(pair), &self.input, at, early, late);
        }
        picked
    }

    /// Ends the present block.
    pub fn end_block(&mut self) {
        if !std::mem::take(&mut self.distant) {
            self.pairs[DISTANT].stop();
        }
        let (board, pairs) = (&self.board, &mut self.pairs);
        let ends = self.input.end_block(|input| {
            for (i, pair) in pairs.iter_mut().enumerate().filter(|(_, pair)| pair.is_on()) {
                pair.end_block(board.filter(i), input);
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

    fn pickup() -> MicrophoneMixer {
        MicrophoneMixer::new(&SharedBoard::at(RATE), 0, RATE, Kernel::detect())
    }

    /// The left channels of the pair that is listened to, of a steady tone of 300 Hz, and of the distant
    /// pair, while `listen` chooses at each block.
    fn heard(
        pickup: &mut MicrophoneMixer,
        blocks: usize,
        listen: impl Fn(usize) -> usize,
    ) -> [Vec<f32>; 2] {
        let mut channels = [Vec::new(), Vec::new()];
        for block in 0..blocks {
            pickup.listen(listen(block));
            pickup.begin_block();
            let tone: [f32; BLOCK] = std::array::from_fn(|i| {
                let t = (block * BLOCK + i) as f64 / RATE;
                single((std::f64::consts::TAU * 300.0 * t).sin())
            });
            let inputs = [tone; ZONES];
            let both = [pickup.process(&inputs, 0, BLOCK), pickup.process_distant(0, BLOCK)];
            for (samples, [early, late]) in channels.iter_mut().zip(both) {
                samples.extend(early[0].iter().zip(&late[0]).map(|(early, late)| early + late));
            }
            pickup.end_block();
        }
        channels
    }

    /// Largest fourth difference: a smooth tone has next to none.
    fn roughest(samples: &[f32]) -> f32 {
        let fourth = |w: &[f32]| w[0] - 4.0 * w[1] + 6.0 * w[2] - 4.0 * w[3] + w[4];
        samples.windows(5).fold(0.0, |most, w| most.max(fourth(w).abs()))
    }

    #[test]
    fn another_pair_takes_over_without_a_click() {
        let mut pickup = pickup();
        // Once all of the tone's beginning is over.
        let (from, to) = (500, 700);
        for (pair, next) in [(0, 1), (1, 2), (2, 0)] {
            pickup.listen(pair);
            pickup.reset();
            let one = heard(&mut pickup, to, |_| pair)[0][(from - 1) * BLOCK..].to_vec();
            pickup.reset();
            let change = |block| if block < from { pair } else { next };
            let both = heard(&mut pickup, to, change)[0][(from - 1) * BLOCK..].to_vec();
            let at_once: Vec<f32> =
                one[..BLOCK].iter().chain(&both[80 * BLOCK..]).copied().collect();
            let (fading, click) = (roughest(&both[BLOCK - 5..]), roughest(&at_once));
            assert!(fading < 1e-3 * click, "{pair}: {fading} {click}");
            assert_eq!(pickup.heard, next);
        }
    }

    #[test]
    fn the_distant_pair_hears_the_same_wherever_one_listens() {
        let mut pickup = pickup();
        let mut distant = |listen: &dyn Fn(usize) -> usize| {
            pickup.reset();
            heard(&mut pickup, 100, listen)[1].clone()
        };
        let beside_the_player = distant(&|_| 0);
        assert!(roughest(&beside_the_player) > 0.0);
        for pair in [1, 2] {
            assert_eq!(distant(&|_| pair), beside_the_player);
        }
        assert_eq!(distant(&|block| block / 20 % 3), beside_the_player);
    }
}
