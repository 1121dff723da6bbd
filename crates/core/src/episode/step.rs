//! One step of the fixed grid, split wherever something happens inside it.

use super::locate::first_nonpositive;
use super::model::{Begin, Input, Model, Observer};
use super::rk4::{self, Interpolant};

/// Phase and state of one running model.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct State<P, const N: usize> {
    /// The submodel that governs.
    pub phase: P,
    /// States, in the model's order and units.
    pub x: [f64; N],
}

/// Counts of one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// Transitions taken.
    pub switches: u32,
    /// Runge–Kutta (sub)steps kept.
    pub parts: u32,
    /// The bound on switches was met and the step ended in the last phase.
    pub capped: bool,
}

/// How far a step has come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// Time since the step's beginning, s; the step is whole where it is [`Stepper::h`].
    pub done: f64,
    /// The guard that split the step where the coming part begins: it has been reported, though
    /// the split may lie a rounding before its sign change.
    pub passed: Option<usize>,
    /// Guard splits are bounded too: a chattering contact must not hold up the step.
    splits_left: u32,
    /// What has been counted so far.
    pub outcome: Outcome,
}

/// How steps are taken.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Stepper {
    /// Step of the fixed grid, s.
    pub h: f64,
    /// Most transitions in one step; further ones wait for the next step and are counted.
    pub max_switches: u32,
    /// How far behind a sign change a split may lie, share of the (sub)step.
    pub tolerance: f64,
    /// Re-integrate at every trial point instead of trusting the interpolant (offline).
    pub exact_events: bool,
}

impl Stepper {
    /// Real-time settings for the grid step `h`.
    #[must_use]
    pub const fn new(h: f64) -> Self {
        Self { h, max_switches: 8, tolerance: 1e-9, exact_events: false }
    }

    /// A step that has not begun.
    #[must_use]
    pub const fn begin(&self) -> Progress {
        let outcome = Outcome { switches: 0, parts: 0, capped: false };
        Progress { done: 0.0, passed: None, splits_left: 4 * self.max_switches, outcome }
    }

    /// Advances `state` by one step, the input going linearly from `inputs[0]` to `inputs[1]`.
    pub fn advance<M, const N: usize, const G: usize, const S: usize>(
        &self,
        model: &M,
        state: &mut State<M::Phase, N>,
        inputs: &[M::Input; 2],
        observer: &mut dyn Observer<M::Phase, N>,
    ) -> Outcome
    where
        M: Model<N, G, S>,
    {
        let mut progress = self.begin();
        self.finish(model, state, inputs, observer, &mut progress);
        progress.outcome
    }

    /// What is left of a step.
    pub fn finish<M, const N: usize, const G: usize, const S: usize>(
        &self,
        model: &M,
        state: &mut State<M::Phase, N>,
        inputs: &[M::Input; 2],
        observer: &mut dyn Observer<M::Phase, N>,
        progress: &mut Progress,
    ) where
        M: Model<N, G, S>,
    {
        while progress.done < self.h {
            self.part(model, state, inputs, observer, progress);
        }
        // Also where time is no longer a number: the state is none either.
        progress.done = self.h;
    }

    /// The coming part of a step that is not yet whole: to the next thing that happens, or as far
    /// as one goes at once. Something due at once happens, and takes no time.
    ///
    /// The observer is dynamic so that a model's step, which is long, is compiled once.
    #[inline(never)]
    pub fn part<M, const N: usize, const G: usize, const S: usize>(
        &self,
        model: &M,
        state: &mut State<M::Phase, N>,
        inputs: &[M::Input; 2],
        observer: &mut dyn Observer<M::Phase, N>,
        progress: &mut Progress,
    ) where
        M: Model<N, G, S>,
    {
        let Progress { done, passed, splits_left, outcome } = progress;
        let began = *done;
        let input_at = |t: f64| inputs[0].lerp(&inputs[1], t / self.h);
        let grid = model.max_substep(state.phase, &state.x, self.h);
        // A sliver left by rounding joins the part before it.
        let part = if self.h - began < 1.000_001 * grid { self.h - began } else { grid };
        let phase = state.phase;
        let start = input_at(began);
        let Begin { held, rates: rate, mut surfaces } = model.begin(phase, &start, &state.x, part);
        if let Some(index) = passed.take() {
            surfaces.1[index] = 0.0;
        }
        let integrate = |length: f64| {
            let (from, span) = (began / self.h, length / self.h);
            let slope = |s: f64, x: &[f64; N]| {
                model.rates(phase, &held, &inputs[0].lerp(&inputs[1], from + s * span), x)
            };
            rk4::step(&rate, &slope, &state.x, length)
        };
        let end = integrate(part);
        let end_input = input_at(began + part);
        let after = model.event_functions(phase, &end_input, &end);
        outcome.parts += 1;

        let may_switch = outcome.switches < self.max_switches;
        let already = may_switch.then(|| late(&surfaces.0, &after.0, M::EPSILON)).flatten();
        if let Some(index) = already {
            self.switch(model, state, index, began, &start, observer, outcome);
            return;
        }
        let crossing = (may_switch && crosses(&surfaces.0, &after.0))
            || (*splits_left > 0 && changes(&surfaces.1, &after.1, M::EPSILON));
        if !crossing {
            outcome.capped |= !may_switch && crosses(&surfaces.0, &after.0);
            state.x = end;
            *done = if self.h - began <= part { self.h } else { began + part };
            return;
        }

        let end_rate = model.rates(phase, &held, &end_input, &end);
        let curve = Interpolant { h: part, start: (&state.x, &rate), end: (&end, &end_rate) };
        let at = |s: f64| {
            let x = if self.exact_events { integrate(s * part) } else { curve.at(s) };
            model.event_functions(phase, &input_at(began + s * part), &x)
        };
        let mut share = 1.0;
        let mut which = None;
        if may_switch {
            for i in 0..G {
                if surfaces.0[i] > 0.0 && after.0[i] <= 0.0 {
                    let s = first_nonpositive(
                        |s| at(s).0[i],
                        surfaces.0[i],
                        after.0[i],
                        self.tolerance,
                    );
                    if which.is_none() || s < share {
                        (share, which) = (s, Some(Hit::Indicator(i)));
                    }
                }
            }
        }
        for i in 0..S {
            if *splits_left > 0 && changed(surfaces.1[i], after.1[i], M::EPSILON) {
                let sign = surfaces.1[i].signum();
                let s = first_nonpositive(
                    |s| sign * at(s).1[i],
                    sign * surfaces.1[i],
                    sign * after.1[i],
                    self.tolerance,
                );
                if which.is_none() || s < share {
                    (share, which) = (s, Some(Hit::Guard(i, sign < 0.0)));
                }
            }
        }
        let length = share * part;
        state.x = if share < 1.0 { integrate(length) } else { end };
        *done = if share < 1.0 || began + part < self.h { began + length } else { self.h };
        let here = input_at(*done);
        match which {
            Some(Hit::Indicator(index)) => {
                self.switch(model, state, index, *done, &here, observer, outcome);
            }
            Some(Hit::Guard(index, rising)) => {
                *splits_left -= 1;
                *passed = Some(index);
                observer.guard(*done, index, rising, &state.x);
            }
            None => {}
        }
    }

    #[allow(clippy::too_many_arguments, reason = "one place, spelled out, keeps the loop readable")]
    fn switch<M, const N: usize, const G: usize, const S: usize>(
        &self,
        model: &M,
        state: &mut State<M::Phase, N>,
        index: usize,
        t: f64,
        input: &M::Input,
        observer: &mut dyn Observer<M::Phase, N>,
        outcome: &mut Outcome,
    ) where
        M: Model<N, G, S>,
    {
        let before = *state;
        state.phase = model.transition(before.phase, index, input, &mut state.x);
        outcome.switches += 1;
        observer.transition(t, before.phase, state.phase, &before.x, &state.x);
    }
}

enum Hit {
    Indicator(usize),
    Guard(usize, bool),
}

/// Some armed indicator goes from positive to not positive.
fn crosses(before: &[f64], after: &[f64]) -> bool {
    before.iter().zip(after).any(|(b, a)| *b > 0.0 && *a <= 0.0)
}

/// An indicator that began at (or beyond) zero and moved on the wrong way: due at once.
fn late(before: &[f64], after: &[f64], epsilon: f64) -> Option<usize> {
    before.iter().zip(after).position(|(b, a)| *b <= 0.0 && *a < -epsilon)
}

fn changed(before: f64, after: f64, epsilon: f64) -> bool {
    (before > epsilon && after <= 0.0) || (before < -epsilon && after >= 0.0)
}

fn changes(before: &[f64], after: &[f64], epsilon: f64) -> bool {
    before.iter().zip(after).any(|(b, a)| changed(*b, *a, epsilon))
}
