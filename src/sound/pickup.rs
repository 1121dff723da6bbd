//! What the microphones pick up: the board's inputs convolved with the responses of the pair that is
//! listened to, and with the distant pair's where that is asked for.
//!
//! Another pair takes over within 50 ms; it hears the board from then on, and what it missed
//! before has gone by then. Audio thread; allocates only in `new`.

use crate::math::cast::floor_index;
use crate::math::kernel::Kernel;
use crate::sound::bank::BLOCK;
use crate::sound::board::{self, ZONES};
use crate::sound::convolve::{CHANNELS, Convolver, Responses};
use crate::sound::microphones::{DISTANT, PAIRS};

/// Time in which one pair takes over from another, s.
const FADE: f64 = 0.05;

/// Both channels of one block.
pub type Channels = [[f32; BLOCK]; CHANNELS];

/// Early and late part of them.
pub type Picked = [Channels; 2];

/// All pairs of microphones.
pub struct Pickup {
    pairs: Vec<Convolver>,
    /// The pair that is listened to, and the next one.
    heard: usize,
    wanted: usize,
    /// The pair before it and the blocks in which it is still heard.
    before: Option<(usize, usize)>,
    fade: usize,
    distant: bool,
}

impl Pickup {
    /// All pairs at `sample_rate` Hz, `heard` listened to; and the responses of the player's.
    #[must_use]
    pub fn new(heard: usize, sample_rate: f64, kernel: Kernel) -> (Self, Responses) {
        let mut responses = board::responses_of(0..PAIRS, sample_rate);
        let pairs = responses.iter().map(|of_pair| Convolver::new(of_pair, kernel)).collect();
        let fade = floor_index(FADE * sample_rate / BLOCK as f64).max(1);
        let pickup = Self { pairs, heard, wanted: heard, before: None, fade, distant: false };
        (pickup, responses.swap_remove(0))
    }

    /// Clears all history; the wanted pair is heard.
    pub fn reset(&mut self) {
        self.pairs.iter_mut().for_each(Convolver::reset);
        (self.heard, self.before, self.distant) = (self.wanted, None, false);
    }

    /// Another pair from the next block on.
    pub const fn listen(&mut self, pair: usize) {
        self.wanted = pair;
    }

    /// All history is zero.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.pairs.iter().all(Convolver::is_silent)
    }

    /// Control work at a block's beginning.
    pub fn begin_block(&mut self) {
        if let Some((pair, left)) = &mut self.before {
            *left -= 1;
            if *left == 0 {
                self.pairs[*pair].reset();
                self.before = None;
            }
        }
        if self.before.is_none() && self.wanted != self.heard {
            self.before = Some((self.heard, self.fade));
            self.heard = self.wanted;
        }
    }

    /// What the samples `at`… of the present block give, of `len` samples.
    pub fn process(&mut self, inputs: &[[f32; BLOCK]; ZONES], at: usize, len: usize) -> Picked {
        let mut picked = self.of(self.heard, inputs, at, len);
        if let Some((pair, left)) = self.before {
            let before = self.of(pair, inputs, at, len);
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

    /// The same for the distant pair, which hears the board from the first call on.
    pub fn process_distant(
        &mut self,
        inputs: &[[f32; BLOCK]; ZONES],
        at: usize,
        len: usize,
    ) -> Picked {
        self.distant = true;
        self.of(DISTANT, inputs, at, len)
    }

    fn of(&mut self, pair: usize, inputs: &[[f32; BLOCK]; ZONES], at: usize, len: usize) -> Picked {
        let mut picked = [[[0.0; BLOCK]; CHANNELS]; 2];
        let [early, late] = &mut picked;
        let [early, late] = [early, late].map(|both| both.each_mut().map(|part| &mut part[..len]));
        self.pairs[pair].process(inputs, at, early, late);
        picked
    }

    /// Ends the present block.
    pub fn end_block(&mut self) {
        self.pairs[self.heard].end_block();
        if let Some((pair, _)) = self.before {
            self.pairs[pair].end_block();
        }
        if std::mem::take(&mut self.distant) {
            self.pairs[DISTANT].end_block();
        } else if !self.pairs[DISTANT].is_silent() {
            self.pairs[DISTANT].reset();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::cast::single;

    const RATE: f64 = 48_000.0;

    /// The left channels of the pair that is listened to, of a steady tone of 300 Hz, and of the distant
    /// pair, while `listen` chooses at each block.
    fn heard(pickup: &mut Pickup, blocks: usize, listen: impl Fn(usize) -> usize) -> [Vec<f32>; 2] {
        let mut channels = [Vec::new(), Vec::new()];
        for block in 0..blocks {
            pickup.listen(listen(block));
            pickup.begin_block();
            let tone: [f32; BLOCK] = std::array::from_fn(|i| {
                let t = (block * BLOCK + i) as f64 / RATE;
                single((std::f64::consts::TAU * 300.0 * t).sin())
            });
            let inputs = [tone; ZONES];
            let both =
                [pickup.process(&inputs, 0, BLOCK), pickup.process_distant(&inputs, 0, BLOCK)];
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
        let mut pickup = Pickup::new(0, RATE, Kernel::detect()).0;
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
                one[..BLOCK].iter().chain(&both[60 * BLOCK..]).copied().collect();
            let (fading, click) = (roughest(&both[BLOCK - 5..]), roughest(&at_once));
            assert!(fading < 1e-3 * click, "{pair}: {fading} {click}");
            assert_eq!(pickup.heard, next);
        }
    }

    #[test]
    fn the_distant_pair_hears_the_same_wherever_one_listens() {
        let mut pickup = Pickup::new(0, RATE, Kernel::detect()).0;
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
