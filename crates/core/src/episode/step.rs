//! One step of the fixed grid, split at every transition and every sign change of a guard inside it.

use super::event::{Event, EventSearch, changes, crosses, overdue};
use super::model::{Begin, Input, Model, Observer, Room};
use super::rk4::{self, Interpolant};

/// Phase and states of one model.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct State<P, const N: usize> {
    /// The present submodel.
    pub phase: P,
    /// States, in the order and units of the model.
    pub x: [f64; N],
}

/// Counts of one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// Transitions taken.
    pub switches: u32,
    /// Runge–Kutta (sub)steps taken.
    pub substeps: u32,
    /// The step needed more than [`Stepper::max_switches`] transitions and ended in the last phase reached.
    pub capped: bool,
}

/// Progress of a step that may be taken in several calls.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// Time since the beginning of the grid step, s; the step is complete at [`Stepper::h`].
    pub done: f64,
    /// The guard whose sign change ended the last substep. It has been reported, although rounding may have
    /// put the split just before the sign change.
    pub passed: Option<usize>,
    /// Guard splits that remain. They are bounded so that a chattering contact cannot stall the step.
    splits_left: u32,
    /// Counts so far.
    pub outcome: Outcome,
}

/// Settings of the integration.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Stepper {
    /// Step of the fixed grid, s.
    pub h: f64,
    /// Most transitions in one step; further ones wait for the next step and set [`Outcome::capped`].
    pub max_switches: u32,
    /// Largest distance of a split after its sign change, as a share of the (sub)step.
    pub tolerance: f64,
    /// Integrate to every trial point of the event search instead of interpolating (offline).
    pub exact_events: bool,
}

impl Stepper {
    /// Real-time settings for the grid step `h`.
    #[must_use]
    pub const fn new(h: f64) -> Self {
        Self { h, max_switches: 8, tolerance: 1e-9, exact_events: false }
    }

    /// Progress at the beginning of a step.
    #[must_use]
    pub const fn begin(&self) -> Progress {
        let outcome = Outcome { switches: 0, substeps: 0, capped: false };
        Progress { done: 0.0, passed: None, splits_left: 4 * self.max_switches, outcome }
    }

    /// Advances `state` by one step with the input interpolated from `inputs[0]` to `inputs[1]`.
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

    /// Advances `state` to the end of the step.
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
            self.substep(model, state, inputs, observer, progress);
        }
        // A non-finite state can make the time NaN; the step ends all the same.
        progress.done = self.h;
    }

    /// Takes one substep of an incomplete step: to the next event, or of the length
    /// [`Model::max_substep`]. A transition that is overdue is taken without advancing the time.
    ///
    /// The observer is dynamic so that the long code of a model's step is compiled once.
    #[inline(never)]
    pub fn substep<M, const N: usize, const G: usize, const S: usize>(
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
        let start_time = *done;
        let input_at = |t: f64| inputs[0].lerp(&inputs[1], t / self.h);
        let remaining = self.h - start_time;
        let phase = state.phase;
        let start = input_at(start_time);
        let room = Room { grid: self.h, left: remaining };
        let Begin { length: dt, held, rates: rate, event_functions: mut before } =
            model.begin(phase, &start, &state.x, &room);
        if let Some(index) = passed.take() {
            before.1[index] = 0.0;
        }
        let integrate = |length: f64| {
            let (from, span) = (start_time / self.h, length / self.h);
            let slope = |s: f64, x: &[f64; N]| {
                model.rates(phase, &held, &inputs[0].lerp(&inputs[1], from + s * span), x)
            };
            rk4::step(&rate, &slope, &state.x, length)
        };
        let end = integrate(dt);
        let end_input = input_at(start_time + dt);
        let after = model.event_functions(phase, &end_input, &end);
        outcome.substeps += 1;

        let may_switch = outcome.switches < self.max_switches;
        let overdue = may_switch.then(|| overdue(&before.0, &after.0, M::EPSILON)).flatten();
        if let Some(index) = overdue {
            self.take(Event::Indicator(index), model, state, inputs, observer, progress);
            return;
        }
        let crossing = (may_switch && crosses(&before.0, &after.0))
            || (*splits_left > 0 && changes(&before.1, &after.1, M::EPSILON));
        if !crossing {
            outcome.capped |= !may_switch && crosses(&before.0, &after.0);
            state.x = end;
            *done = if remaining <= dt { self.h } else { start_time + dt };
            return;
        }

        let end_rate = model.rates(phase, &held, &end_input, &end);
        let curve = Interpolant { h: dt, start: (&state.x, &rate), end: (&end, &end_rate) };
        let at = |s: f64| {
            let x = if self.exact_events { integrate(s * dt) } else { curve.at(s) };
            model.event_functions(phase, &input_at(start_time + s * dt), &x)
        };
        let mut search = EventSearch::new(before, after, M::EPSILON, may_switch, *splits_left > 0);
        while let Some(point) = search.next_point(self.tolerance) {
            search.put(&at(point));
        }
        let (share, event) = search.found();
        let length = share * dt;
        state.x = if share < 1.0 { integrate(length) } else { end };
        *done = if share < 1.0 || start_time + dt < self.h { start_time + length } else { self.h };
        if let Some(event) = event {
            self.take(event, model, state, inputs, observer, progress);
        }
    }

    /// Whether [`Self::take`] may take any event of the step.
    #[must_use]
    pub const fn may_take(&self, progress: &Progress) -> bool {
        progress.outcome.switches < self.max_switches && progress.splits_left > 0
    }

    /// Takes the `event` at the end of a substep that has ended at `state` and `progress.done`.
    pub fn take<M, const N: usize, const G: usize, const S: usize>(
        &self,
        event: Event,
        model: &M,
        state: &mut State<M::Phase, N>,
        inputs: &[M::Input; 2],
        observer: &mut dyn Observer<M::Phase, N>,
        progress: &mut Progress,
    ) where
        M: Model<N, G, S>,
    {
        let t = progress.done;
        match event {
            Event::Indicator(index) => {
                let before = *state;
                let input = inputs[0].lerp(&inputs[1], t / self.h);
                state.phase = model.transition(before.phase, index, &input, &mut state.x);
                progress.passed = None;
                progress.outcome.switches += 1;
                observer.transition(t, before.phase, state.phase, &before.x, &state.x);
            }
            Event::Guard { index, rising } => {
                progress.splits_left = progress.splits_left.saturating_sub(1);
                progress.passed = Some(index);
                observer.guard(t, index, rising, &state.x);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A point at constant speed whose guard is its position, in substeps of a given length.
    struct Point(f64);

    impl Model<2, 0, 1> for Point {
        type Input = ();
        type Phase = ();
        type Held = ();

        fn rates(&self, (): (), (): &(), (): &(), x: &[f64; 2]) -> [f64; 2] {
            [x[1], 0.0]
        }

        fn event_functions(&self, (): (), (): &(), x: &[f64; 2]) -> ([f64; 0], [f64; 1]) {
            ([], [x[0]])
        }

        fn transition(&self, (): (), _: usize, (): &(), _: &mut [f64; 2]) {}

        fn hold(&self, (): (), (): &(), _: &[f64; 2], _: f64) {}

        fn max_substep(&self, (): (), _: &[f64; 2], _: f64) -> f64 {
            self.0
        }
    }

    /// Counts signs changed upward and downward.
    #[derive(Default)]
    struct Changes([u32; 2]);

    impl Observer<(), 2> for Changes {
        fn transition(&mut self, _: f64, (): (), (): (), _: &[f64; 2], _: &[f64; 2]) {}

        fn guard(&mut self, _: f64, _: usize, rising: bool, _: &[f64; 2]) {
            self.0[usize::from(!rising)] += 1;
        }
    }

    /// A substep may end where a guard is zero but for rounding, on either side of zero.
    #[test]
    fn a_guard_that_a_substep_leaves_near_zero_is_reported_once() {
        let (h, substep) = (1.0, 0.25);
        for short in [-1e-9, -1e-12, -9e-13, -1e-13, 0.0, 1e-13, 9e-13, 1e-12, 1e-9] {
            for speed in [1.0, -1.0] {
                let mut state = State { phase: (), x: [-speed * (0.5 + short), speed] };
                let mut changes = Changes::default();
                for _ in 0..2 {
                    Stepper::new(h).advance(&Point(substep), &mut state, &[(); 2], &mut changes);
                }
                let expected = if speed > 0.0 { [1, 0] } else { [0, 1] };
                assert_eq!(changes.0, expected, "{short} at {speed}");
            }
        }
    }
}
