//! Values that a host sets without a block, from any thread and also while another thread processes.
//!
//! Each parameter has one slot for its value and one for its modulation: the last value counts, and none is lost
//! for want of room. One thread at a time moves the slots into the parameters; the thread that processes is that
//! one for the length of its block. No thread waits: a thread that finds another one at work leaves its
//! values in the slots.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use atomic_float::AtomicF32;
use nice_plug::params::Params as _;
use nice_plug::prelude::ParamPtr;

use super::event::{Change, Event};
use crate::host_params::HostParams;
use touchback_core::math::cast::single;
use touchback_instrument::host::params::host_id;

/// A parameter and what a host has set last; NaN: nothing.
struct Slot {
    id: u32,
    parameter: ParamPtr,
    /// Normalized value, 0…1.
    value: AtomicF32,
    /// Normalized offset.
    modulation: AtomicF32,
}

/// The flushed values of one instance.
pub(super) struct FlushedValues {
    /// In the order of their ids.
    slots: Box<[Slot]>,
    /// A slot may hold something.
    is_any: AtomicBool,
    /// Locked by the thread that moves slots into parameters.
    turn: Mutex<()>,
    /// Keeps the parameters.
    _params: Option<Arc<HostParams>>,
}

impl FlushedValues {
    /// No values of `params`. Allocates.
    pub(super) fn new(params: Option<Arc<HostParams>>) -> Self {
        let none = || AtomicF32::new(f32::NAN);
        let map = params.as_ref().map(|params| params.param_map()).unwrap_or_default();
        let slot = |(id, parameter, _): (String, ParamPtr, String)| Slot {
            id: host_id(&id),
            parameter,
            value: none(),
            modulation: none(),
        };
        let mut slots: Box<[Slot]> = map.into_iter().map(slot).collect();
        slots.sort_by_key(|slot| slot.id);
        Self { slots, is_any: AtomicBool::new(false), turn: Mutex::new(()), _params: params }
    }

    /// Keeps the value or modulation that `event` sets, if it is finite; returns false for an event of another kind.
    pub(super) fn keep(&self, event: &Event) -> bool {
        let Some((id, change)) = event.parameter() else { return false };
        let (Change::Value(number) | Change::Modulation(number)) = change;
        if let Ok(index) = self.slots.binary_search_by_key(&id, |slot| slot.id)
            && number.is_finite()
        {
            let slot = &self.slots[index];
            // SAFETY: the parameters live as long as `self`.
            let steps = unsafe { slot.parameter.step_count() }.unwrap_or(1);
            let normalized = single(number) / single(steps as f64);
            match change {
                Change::Value(_) => slot.value.store(normalized, Ordering::Relaxed),
                Change::Modulation(_) => slot.modulation.store(normalized, Ordering::Relaxed),
            }
            self.is_any.store(true, Ordering::Release);
        }
        true
    }

    /// Sets the parameters, unless another thread is at it; returns whether any has changed.
    pub(super) fn apply(&self) -> bool {
        let mut is_changed = false;
        // Values that other threads keep during a round are left to the next one.
        while self.is_any.load(Ordering::Acquire) {
            let Some(turn) = self.turn() else { break };
            is_changed |= self.move_all();
            drop(turn);
        }
        is_changed
    }

    /// Returns the result of `block`, before which the parameters are set, and during which no other thread begins
    /// to set them.
    pub(super) fn before<T>(&self, block: impl FnOnce() -> T) -> T {
        let turn = self.turn();
        if turn.is_some() {
            self.move_all();
        }
        block()
    }

    /// The right to set the parameters, if no other thread has it.
    fn turn(&self) -> Option<MutexGuard<'_, ()>> {
        self.turn.try_lock().ok()
    }

    /// Sets the parameters; returns whether any has changed.
    fn move_all(&self) -> bool {
        if !self.is_any.swap(false, Ordering::AcqRel) {
            return false;
        }
        let take =
            |from: &AtomicF32| Some(from.swap(f32::NAN, Ordering::AcqRel)).filter(|v| !v.is_nan());
        let mut is_changed = false;
        for Slot { parameter, value, modulation, .. } in &self.slots {
            // SAFETY: the parameters live as long as `self`; they are atomic.
            unsafe {
                if let Some(value) = take(value) {
                    is_changed |= parameter._internal_set_normalized_value(value);
                }
                if let Some(modulation) = take(modulation) {
                    is_changed |= parameter._internal_modulate_value(modulation);
                }
            }
        }
        is_changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clap::event::tests::set;
    use std::thread;
    use touchback_instrument::host::params::find;

    #[test]
    fn the_last_value_of_each_parameter_counts_and_waits_for_the_end_of_a_block() {
        let params = Arc::new(HostParams::default());
        let flushed = FlushedValues::new(Some(params.clone()));
        let [blow, timing] = ["blow_mm", "timing"].map(|id| find(id).unwrap());
        let now = |parameter: &touchback_instrument::host::params::Parameter| {
            parameter.get(&params.values().settings())
        };
        let standard = now(blow);
        flushed.before(|| {
            for value in [0.0, f64::NAN, 1.0] {
                assert!(flushed.keep(&set(blow.host_id(), Change::Value(value))));
            }
            // The index of a choice.
            flushed.keep(&set(timing.host_id(), Change::Value(2.0)));
            assert!(!flushed.apply(), "a block is processed");
        });
        assert_eq!(now(blow).to_bits(), standard.to_bits());
        assert!(flushed.apply() && !flushed.apply());
        assert_eq!((now(blow), now(timing)), (blow.max(), 2.0));
        flushed.keep(&set(blow.host_id(), Change::Modulation(-1.0)));
        flushed.before(|| assert_eq!(now(blow), blow.min()));
        assert!(flushed.keep(&set(1, Change::Value(0.5))) && !flushed.apply(), "an unknown id");
        assert!(!flushed.keep(&crate::clap::event::tests::note(0, 60)));
    }

    #[test]
    fn values_of_many_threads_all_arrive() {
        let params = Arc::new(HostParams::default());
        let flushed = FlushedValues::new(Some(params.clone()));
        // A host sets choices by their index, numbers by 0…1.
        let numbers = touchback_instrument::host::params::all().enumerate();
        let numbers: Vec<_> = numbers.filter(|(_, p)| p.choices().is_empty()).take(8).collect();
        thread::scope(|scope| {
            for (thread, (_, parameter)) in numbers.iter().enumerate() {
                let flushed = &flushed;
                scope.spawn(move || {
                    for step in 0..=200 {
                        let value = Change::Value(f64::from(step) / 200.0);
                        flushed.keep(&set(parameter.host_id(), value));
                        flushed.apply();
                        if thread == 0 {
                            flushed.before(thread::yield_now);
                        }
                    }
                });
            }
        });
        flushed.apply();
        for (index, parameter) in numbers {
            // SAFETY: `params` outlives the pointer.
            let value = unsafe { params.slots()[index].as_ptr().unmodulated_normalized_value() };
            assert_eq!(value, 1.0, "{}", parameter.id);
        }
    }
}
