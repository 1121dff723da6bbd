//! Parameters moved by MIDI controllers.
//!
//! The framework does not let the audio thread set a parameter. A controller's value therefore overrides
//! the host's in the audio thread. An open window reports the value to the host; with a closed window the
//! project saves it. The next change of the parameter – by automation, the window or a loaded project –
//! ends the override.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use atomic_float::AtomicF32;

use super::HostValues;
use touchback_core::exchange::latest::{LatestReader, latest};
use touchback_core::math::cast::single;
use touchback_instrument::host::params::midi_map::MidiMap;
use touchback_instrument::host::params::{COUNT, all};

/// The values that audio thread and window share.
#[derive(Debug)]
pub struct Steered {
    /// Value that a controller has set for each parameter, in its unit; NaN: none.
    overrides: Box<[AtomicF32]>,
    /// The value last reported to the host, for each parameter.
    reported: Box<[AtomicF32]>,
    /// 128 times the number of controller messages, plus the last controller's number.
    last_moved: AtomicU32,
}

impl Default for Steered {
    fn default() -> Self {
        let none = || (0..COUNT).map(|_| AtomicF32::new(f32::NAN)).collect();
        Self { overrides: none(), reported: none(), last_moved: AtomicU32::new(0) }
    }
}

impl Steered {
    /// Value that a controller has set for the parameter at `index` and that the host may not have yet.
    #[must_use]
    pub fn override_of(&self, index: usize) -> Option<f32> {
        self.overrides.get(index).map(|v| v.load(Ordering::Acquire)).filter(|v| !v.is_nan())
    }

    /// Records the value of the parameter at `index`, before it is reported to the host.
    pub fn set_reported(&self, index: usize, value: f32) {
        if let Some(reported) = self.reported.get(index) {
            reported.store(value, Ordering::Release);
        }
    }

    /// Ends all overrides.
    pub fn clear(&self) {
        self.overrides.iter().for_each(|value| value.store(f32::NAN, Ordering::Release));
    }

    /// The controller moved last, and a mark that changes with every controller message.
    #[must_use]
    pub fn last_moved(&self) -> (u8, u32) {
        let mark = self.last_moved.load(Ordering::Acquire);
        (u8::try_from(mark % 128).unwrap_or(0), mark)
    }

    fn record(&self, number: u8) {
        let mark = self.last_moved.load(Ordering::Relaxed);
        let next = (mark / 128).wrapping_add(1).wrapping_mul(128) | u32::from(number % 128);
        self.last_moved.store(next, Ordering::Release);
    }
}

/// A controller's value in place of the host's.
#[derive(Clone, Copy, Debug)]
struct Override {
    /// The host's value when the override began.
    base: f32,
    /// The controller's value.
    value: f32,
}

/// The audio thread's end.
#[derive(Debug)]
pub struct Steering {
    map: LatestReader<MidiMap>,
    shared: Arc<Steered>,
    overrides: [Option<Override>; COUNT],
    /// Number of overrides.
    count: usize,
}

impl Default for Steering {
    /// Without controllers.
    fn default() -> Self {
        Self::new(latest(&MidiMap::default()).1, Arc::default())
    }
}

impl Steering {
    pub(super) fn new(map: LatestReader<MidiMap>, shared: Arc<Steered>) -> Self {
        Self { map, shared, overrides: [None; COUNT], count: 0 }
    }

    /// Applies the value (0…1) of controller `number`, with the host's values `host`. Returns whether it
    /// moves a parameter.
    pub fn take(&mut self, number: u8, value: f64, host: &HostValues) -> bool {
        if !value.is_finite() {
            return false;
        }
        self.shared.record(number);
        let Some(index) = self.map.read().parameter(number) else { return false };
        let Some(parameter) = all().nth(index) else { return false };
        let value = single(parameter.plain(value));
        self.count += usize::from(self.overrides[index].is_none());
        self.overrides[index] = Some(Override { base: host.0[index], value });
        self.shared.overrides[index].store(value, Ordering::Release);
        true
    }

    /// The host's values with those of the controllers in their place. An override ends once the host has
    /// changed the parameter.
    pub fn apply(&mut self, host: &HostValues) -> HostValues {
        let mut values = *host;
        if self.count == 0 {
            return values;
        }
        for (index, slot) in self.overrides.iter_mut().enumerate() {
            let Some(own) = slot else { continue };
            let now = host.0[index];
            let reported = self.shared.reported[index].load(Ordering::Acquire);
            // The host may have received an earlier value of a controller that is still moving.
            if now.to_bits() != own.base.to_bits() && is_near(now, reported) {
                own.base = now;
            }
            let has_ended = now.to_bits() != own.base.to_bits()
                || self.shared.overrides[index].load(Ordering::Acquire).is_nan();
            if has_ended || is_near(now, own.value) {
                *slot = None;
                self.count -= 1;
                self.shared.overrides[index].store(f32::NAN, Ordering::Release);
            } else {
                values.0[index] = own.value;
            }
        }
        values
    }
}

/// Whether two values are equal up to the host's rounding of a control's position.
fn is_near(a: f32, b: f32) -> bool {
    (a - b).abs() <= 1e-5 * a.abs().max(b.abs()).max(1e-3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host_params::HostParams;
    use touchback_instrument::host::params::find;

    /// An audio thread's end whose controller 21 moves the blow distance, the shared part, the parameter's
    /// index and the host's values.
    fn steering() -> (Steering, Arc<Steered>, usize, HostValues) {
        let params = HostParams::default();
        let blow = find("blow_mm").unwrap();
        let mut map = MidiMap::default();
        map.assign(21, blow).unwrap();
        params.set_midi_map(&map);
        let steering = params.take_steering().unwrap();
        assert!(params.take_steering().is_none());
        let index = blow.index().unwrap();
        (steering, params.steered().clone(), index, params.values())
    }

    #[test]
    fn a_controllers_value_applies_until_the_parameter_changes_otherwise() {
        let (mut steering, shared, index, mut host) = steering();
        assert!(!steering.take(20, 1.0, &host) && !steering.take(21, f64::NAN, &host));
        assert_eq!((steering.apply(&host), shared.last_moved().0), (host, 20));
        let mark = shared.last_moved().1;
        assert!(steering.take(21, 1.0, &host));
        assert!(shared.last_moved().0 == 21 && shared.last_moved().1 != mark);
        assert_eq!(steering.apply(&host).0[index], 54.0);
        assert_eq!(shared.override_of(index), Some(54.0));
        host.0[index] = 44.0;
        assert_eq!((steering.apply(&host), shared.override_of(index)), (host, None));
        // A loaded project with the same value as before.
        assert!(steering.take(21, 0.0, &host));
        assert!(steering.apply(&host) != host);
        shared.clear();
        assert_eq!(steering.apply(&host), host);
    }

    #[test]
    fn a_late_report_to_the_host_does_not_end_a_moving_controllers_override() {
        let (mut steering, shared, index, mut host) = steering();
        steering.take(21, 0.5, &host);
        let early = shared.override_of(index).unwrap();
        shared.set_reported(index, early);
        steering.take(21, 0.6, &host);
        let late = shared.override_of(index).unwrap();
        host.0[index] = early;
        assert_eq!(steering.apply(&host).0[index], late);
        shared.set_reported(index, late);
        host.0[index] = late;
        assert_eq!((steering.apply(&host), shared.override_of(index)), (host, None));
    }
}
