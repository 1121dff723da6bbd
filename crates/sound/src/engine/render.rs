//! The samples of one block, and the control work at its beginning.

use arrayvec::ArrayVec;

use super::{FULL_SCALE, GATE, Sound};
use crate::bank::BLOCK;
use crate::convolve::CHANNELS;
use crate::microphones::Distant;
use crate::note::{WAKE, contacts};
use crate::output;
use crate::{loss, microphone_mixer::Channels};
use touchback_core::math::cast::single;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::real::MOST_LANES;

impl Sound {
    /// Renders the next samples of the present block.
    pub(super) fn render(&mut self, left: &mut [f32], right: &mut [f32], mut distant: Distant) {
        let (at, len) = (self.phase, left.len());
        self.bridge[1].iter_mut().for_each(|bus| bus[at..at + len].fill(0.0));
        if self.is_at_rest() {
            left.fill(0.0);
            right.fill(0.0);
            distant.into_iter().flatten().for_each(|channel| channel.fill(0.0));
            return;
        }
        self.advance_contacts(len);
        for key in self.awake.iter() {
            let (note, &(first, weights)) =
                (&mut self.notes[key.index()], &self.bridge_weights[key.index()]);
            let mut force = [0.0f32; BLOCK];
            let force = &mut force[..len];
            note.process(at, force);
            if note.is_struck() {
                for (bus, share) in self.bridge[1].iter_mut().zip([1.0, self.near_top[key.index()]])
                {
                    let now = bus[at..at + len].iter_mut();
                    now.zip(&*force).for_each(|(sum, x)| *sum += share * x);
                }
            }
            note.add_overtones(force);
            for (zone, weight) in self.inputs[first..first + 2].iter_mut().zip(weights) {
                for (input, force) in zone[at..at + len].iter_mut().zip(&*force) {
                    *input += weight * force;
                }
            }
        }
        if !self.knocks.is_empty() {
            self.knocks.process(&mut self.inputs, &mut self.bridge[1], at, len);
        }
        let [early, late] = self.microphones.process(&self.inputs, at, len);
        let far = distant.as_ref().map(|_| self.microphones.process_distant(at, len));
        let scale = single(FULL_SCALE);
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
            let [a, b] = chosen_lid.shade(sum(&early, &late), shade);
            [sent[0][i], sent[1][i]] = [a, b];
            let (a, b) = output::widened(a, b, side);
            (*l, *r) = (direct * a, direct * b);
            if let (Some([far_left, far_right]), Some([early, late])) = (&mut distant, &far) {
                [far_left[i], far_right[i]] = distant_lid.shade(sum(early, late), shade);
            }
        }
        let sent = sent.each_ref().map(|channel| &channel[..len]);
        self.room.process(at, sent, left, right, distant);
    }

    /// Advances hammers at the strings by `len` samples.
    fn advance_contacts(&mut self, len: usize) {
        let mut group = ArrayVec::<_, MOST_LANES>::new();
        for key in self.awake.iter() {
            if self.notes[key.index()].is_in_contact() {
                group.push(key.index());
            }
            if group.len() == self.kernel.lanes() {
                contacts::advance(self.kernel, &mut self.notes, &group, len);
                group.clear();
            }
        }
        contacts::advance(self.kernel, &mut self.notes, &group, len);
    }

    /// Control work at a block's beginning.
    pub(super) fn begin_block(&mut self) {
        self.apply_settings();
        self.mix.iter_mut().for_each(|(from, glide)| *from = glide.step());
        self.microphones.begin_block();
        self.room.begin_block();
        if self.loading.is_some() {
            self.continue_loading();
        }
        let gate = single(GATE / FULL_SCALE);
        self.bridge.swap(0, 1);
        let [whole, _] = &self.bridge[0];
        let loudest = whole.iter().fold(0.0f32, |m, x| m.max(x.abs()));
        if loudest > WAKE * gate {
            for key in KeyNumber::all() {
                if self.notes[key.index()].wakes() {
                    self.load_waking(key);
                }
                let note = &mut self.notes[key.index()];
                note.wake();
                if note.is_awake() {
                    self.awake.insert(key);
                }
            }
        }
        for key in self.awake.iter() {
            let note = &mut self.notes[key.index()];
            note.control(self.block, gate, loudest);
            if !note.is_awake() {
                self.awake.remove(key);
            }
        }
        for (resonances, bridge) in self.resonances.iter_mut().zip(&self.bridge[0]) {
            resonances.begin_block(bridge, loudest > gate);
        }
        for key in self.awake.iter() {
            let (first, weights) = self.bridge_weights[key.index()];
            let resonances = &mut self.resonances[usize::from(!loss::has_damper(key))];
            resonances.add(&mut self.notes[key.index()], first, weights);
        }
        self.inputs.fill([0.0; BLOCK]);
        self.resonances.iter().for_each(|strings| strings.add_to(&mut self.inputs));
        self.rear_lengths.process(&self.bridge[0][1], gate, &mut self.inputs);
    }
}
