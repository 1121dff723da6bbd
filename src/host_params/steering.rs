//! Parameters moved by MIDI controllers.
//!
//! The framework lets no audio thread set a parameter. A controller's value therefore lies over the
//! host's in the audio thread; an open window tells it to the host, and a closed window's is kept in
//! the project. Whatever moves the parameter afterwards – automation, the window, a loaded project –
//! takes over from the controller.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use atomic_float::AtomicF32;

use super::HostValues;
use touchback_core::exchange::latest::{LatestReader, latest};
use touchback_core::math::cast::single;
use touchback_instrument::params::midi_map::MidiMap;
use touchback_instrument::params::{COUNT, all};

/// What audio thread and window know of each other's doing.
#[derive(Debug)]
pub struct Steered {
    /// Value that a controller has given each parameter, in its unit; no number: none.
    given: Box<[AtomicF32]>,
    /// What the host was told of it.
    told: Box<[AtomicF32]>,
    /// 128 times the count of controllers moved, plus the last one's number.
    moved: AtomicU32,
}

impl Default for Steered {
    fn default() -> Self {
        let none = || (0..COUNT).map(|_| AtomicF32::new(f32::NAN)).collect();
        Self { given: none(), told: none(), moved: AtomicU32::new(0) }
    }
}

impl Steered {
    /// Value that a controller has given the parameter at `place` and the host may not know yet.
    #[must_use]
    pub fn given(&self, place: usize) -> Option<f32> {
        self.given.get(place).map(|v| v.load(Ordering::Acquire)).filter(|v| !v.is_nan())
    }

    /// Say before the host is told that the parameter at `place` is at `value`.
    pub fn tell(&self, place: usize, value: f32) {
        if let Some(told) = self.told.get(place) {
            told.store(value, Ordering::Release);
        }
    }

    /// The host's values hold alone.
    pub fn forget(&self) {
        self.given.iter().for_each(|given| given.store(f32::NAN, Ordering::Release));
    }

    /// The controller moved last, and a mark that changes whenever one is moved.
    #[must_use]
    pub fn moved(&self) -> (u8, u32) {
        let mark = self.moved.load(Ordering::Acquire);
        (u8::try_from(mark % 128).unwrap_or(0), mark)
    }

    fn hear(&self, number: u8) {
        let mark = self.moved.load(Ordering::Relaxed);
        let next = (mark / 128).wrapping_add(1).wrapping_mul(128) | u32::from(number % 128);
        self.moved.store(next, Ordering::Release);
    }
}

/// A controller's value over the host's.
#[derive(Clone, Copy, Debug)]
struct Over {
    /// The host's.
    base: f32,
    value: f32,
}

/// The audio thread's end.
#[derive(Debug)]
pub struct Steering {
    map: LatestReader<MidiMap>,
    shared: Arc<Steered>,
    over: [Option<Over>; COUNT],
    /// Parameters with one.
    count: usize,
}

impl Default for Steering {
    /// Moved by nothing.
    fn default() -> Self {
        Self::new(latest(&MidiMap::default()).1, Arc::default())
    }
}

impl Steering {
    pub(super) fn new(map: LatestReader<MidiMap>, shared: Arc<Steered>) -> Self {
        Self { map, shared, over: [None; COUNT], count: 0 }
    }

    /// Controller `number` has come to `value` (0…1) while the host's values are `host`; whether a
    /// parameter moved.
    pub fn take(&mut self, number: u8, value: f64, host: &HostValues) -> bool {
        if !value.is_finite() {
            return false;
        }
        self.shared.hear(number);
        let Some(place) = self.map.read().parameter(number) else { return false };
        let Some(parameter) = all().nth(place) else { return false };
        let value = single(parameter.plain(value));
        self.count += usize::from(self.over[place].is_none());
        self.over[place] = Some(Over { base: host.0[place], value });
        self.shared.given[place].store(value, Ordering::Release);
        true
    }

    /// `host` with the controllers' values over it; those that the host has moved since yield.
    pub fn over(&mut self, host: &HostValues) -> HostValues {
        let mut values = *host;
        if self.count == 0 {
            return values;
        }
        for (place, slot) in self.over.iter_mut().enumerate() {
            let Some(over) = slot else { continue };
            let (now, told) = (host.0[place], self.shared.told[place].load(Ordering::Acquire));
            // The window may have told the host an earlier position of a controller that moves on.
            if now.to_bits() != over.base.to_bits() && is_near(now, told) {
                over.base = now;
            }
            let is_taken_over = now.to_bits() != over.base.to_bits()
                || self.shared.given[place].load(Ordering::Acquire).is_nan();
            if is_taken_over || is_near(now, over.value) {
                *slot = None;
                self.count -= 1;
                self.shared.given[place].store(f32::NAN, Ordering::Release);
            } else {
                values.0[place] = over.value;
            }
        }
        values
    }
}

/// Equal but for the host's rounding of a control's position.
fn is_near(a: f32, b: f32) -> bool {
    (a - b).abs() <= 1e-5 * a.abs().max(b.abs()).max(1e-3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host_params::HostParams;
    use touchback_instrument::params::find;

    /// An audio thread's end whose controller 21 moves the blow distance, the shared part, the
    /// parameter's place and its host's values.
    fn steering() -> (Steering, Arc<Steered>, usize, HostValues) {
        let params = HostParams::default();
        let blow = find("blow_mm").unwrap();
        let mut map = MidiMap::default();
        map.assign(21, blow).unwrap();
        params.set_midi_map(&map);
        let steering = params.take_steering().unwrap();
        assert!(params.take_steering().is_none());
        let place = blow.index().unwrap();
        (steering, params.steered().clone(), place, params.values())
    }

    #[test]
    fn a_controller_holds_until_something_else_moves_its_parameter() {
        let (mut steering, shared, place, mut host) = steering();
        assert!(!steering.take(20, 1.0, &host) && !steering.take(21, f64::NAN, &host));
        assert_eq!((steering.over(&host), shared.moved().0), (host, 20));
        let mark = shared.moved().1;
        assert!(steering.take(21, 1.0, &host));
        assert!(shared.moved().0 == 21 && shared.moved().1 != mark);
        assert_eq!(steering.over(&host).0[place], 54.0);
        assert_eq!(shared.given(place), Some(54.0));
        host.0[place] = 44.0;
        assert_eq!((steering.over(&host), shared.given(place)), (host, None));
        // A loaded project with the same value as before.
        assert!(steering.take(21, 0.0, &host));
        assert!(steering.over(&host) != host);
        shared.forget();
        assert_eq!(steering.over(&host), host);
    }

    #[test]
    fn a_host_told_late_does_not_take_a_moving_controller_back() {
        let (mut steering, shared, place, mut host) = steering();
        steering.take(21, 0.5, &host);
        let early = shared.given(place).unwrap();
        shared.tell(place, early);
        steering.take(21, 0.6, &host);
        let late = shared.given(place).unwrap();
        host.0[place] = early;
        assert_eq!(steering.over(&host).0[place], late);
        shared.tell(place, late);
        host.0[place] = late;
        assert_eq!((steering.over(&host), shared.given(place)), (host, None));
    }
}
