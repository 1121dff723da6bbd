//! The samples of one block, and the control work at its beginning.

use arrayvec::ArrayVec;

use super::{FULL_SCALE, GATE, Sound};
use crate::math::cast::single;
use crate::math::compass::KeyNumber;
use crate::math::real::MOST_LANES;
use crate::sound::bank::BLOCK;
use crate::sound::note::{WAKE, contacts};
use crate::sound::output;

impl Sound {
    /// Samples of one block, or a part of it.
    pub(super) fn portion(&mut self, left: &mut [f32], right: &mut [f32]) {
        let (at, len) = (self.phase, left.len());
        self.bridge[1][at..at + len].fill(0.0);
        if self.lid.is_still() && self.is_still() {
            left.fill(0.0);
            right.fill(0.0);
            return;
        }
        self.advance_contacts(len);
        for key in self.awake.iter() {
            let (note, &(first, weights)) =
                (&mut self.notes[key.index()], &self.places[key.index()]);
            let mut force = [0.0f32; BLOCK];
            let force = &mut force[..len];
            note.process(at, force);
            if note.is_struck() {
                let now = &mut self.bridge[1][at..at + len];
                now.iter_mut().zip(&*force).for_each(|(sum, x)| *sum += x);
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
        let mut late = [[0.0f32; BLOCK]; 2];
        left.fill(0.0);
        right.fill(0.0);
        let [late_left, late_right] = &mut late;
        self.convolver.process(
            &self.inputs,
            at,
            [&mut *left, &mut *right],
            [&mut late_left[..len], &mut late_right[..len]],
        );
        let scale = single(FULL_SCALE);
        for (i, (l, r)) in left.iter_mut().zip(right.iter_mut()).enumerate() {
            let share = (at + i + 1) as f32 / BLOCK as f32;
            let [late_gain, direct, shade, side] =
                self.mix.map(|(from, glide)| from + share * (glide.now - from));
            let sum = [*l + late_gain * late[0][i], *r + late_gain * late[1][i]];
            let [a, b] = self.lid.shade(sum.map(|x| scale * x), shade);
            let (a, b) = output::widened(a, b, side);
            (*l, *r) = (direct * a, direct * b);
        }
        self.room.process(left, right);
        for x in left.iter_mut().chain(right) {
            *x = output::soft_clip(*x);
        }
    }

    /// Advances hammers at the strings by `len` samples.
    fn advance_contacts(&mut self, len: usize) {
        let mut group = ArrayVec::<_, MOST_LANES>::new();
        for key in self.awake.iter() {
            if self.notes[key.index()].is_touched() {
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
        self.mix.iter_mut().for_each(|(from, glide)| *from = glide.step());
        self.room.begin_block();
        if self.loading.is_some() {
            self.load_some();
        }
        let gate = single(GATE / FULL_SCALE);
        self.bridge.swap(0, 1);
        let loudest = self.bridge[0].iter().fold(0.0f32, |m, x| m.max(x.abs()));
        if loudest > WAKE * gate {
            for (key, note) in KeyNumber::all().zip(&mut self.notes) {
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
        self.resonances.begin_block(&self.bridge[0], loudest > gate);
        for key in self.awake.iter() {
            let (first, weights) = self.places[key.index()];
            self.resonances.add(&mut self.notes[key.index()], first, weights);
        }
        self.resonances.spread(&mut self.inputs);
    }
}
