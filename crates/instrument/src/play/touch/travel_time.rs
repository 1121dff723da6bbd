//! Time of a press from its first motion to the strike, in the standard regulation.
//!
//! The times are measured with the action itself: presses of all `KEYS` at once, with efforts in equal
//! logarithmic steps from the softest note's to the loudest's. They are interpolated by a cubic through four
//! efforts, and linearly between keys.

use std::sync::OnceLock;

use crate::play::touch::effort;
use crate::play::touch::finger::{KeyReading, NoteFinger, grand_travel};
use crate::play::touch::velocity::{FASTEST, SLOWEST};
use touchback_action::interface::events::EventList;
use touchback_action::interface::press::Effort;
use touchback_action::{ActionKind, ActionSettings, KeyEvent, STEP, SwitchableKeyboard};
use touchback_core::exchange::cancel;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::pages::boxed;

/// Numbers of the pressed keys; key 68 has the concert grand's last damper.
const KEYS: [u8; 11] = [1, 10, 20, 30, 40, 50, 60, 68, 69, 78, 88];
/// Number of efforts per key.
const EFFORTS: usize = 40;
/// Steps after which a press counts as not reaching the string, 0.5 s.
const PATIENCE: u32 = 4000;

/// Times of the presses of one action, s; NaN where the string is not reached.
#[derive(Clone, Debug)]
pub struct TravelTimes {
    /// Logarithms of the least and the greatest effort.
    ends: [f64; 2],
    times: [[f64; EFFORTS]; KEYS.len()],
}

/// Force, N, or speed, m/s, of an effort.
const fn size(effort: Effort) -> f64 {
    match effort {
        Effort::Muscle(force) => force,
        Effort::Even(speed) => speed,
    }
}

fn key(number: u8) -> KeyNumber {
    KeyNumber::from_number(number).unwrap_or_else(|| unreachable!("1…88"))
}

impl TravelTimes {
    /// The times of `kind`, measured once per process; the first call is slow and allocates.
    pub fn of(kind: ActionKind) -> &'static Self {
        static MEASURED: [OnceLock<TravelTimes>; ActionKind::ALL.len()] =
            [const { OnceLock::new() }; ActionKind::ALL.len()];
        // Without its file, the mechanism from a file is the grand.
        let kind = if kind == ActionKind::File { ActionKind::Grand } else { kind };
        let index = ActionKind::ALL.iter().position(|other| *other == kind).unwrap_or(0);
        MEASURED[index].get_or_init(|| {
            Self::measured(&ActionSettings { action: kind, ..ActionSettings::default() })
        })
    }

    /// The times of the mechanism from a file in `settings`, measured at every call; none if another action plays.
    pub fn of_file(settings: &ActionSettings) -> Option<Box<Self>> {
        let action = settings.played();
        let mechanism = settings.mechanism.clone();
        (action == ActionKind::File).then(|| {
            Box::new(Self::measured(&ActionSettings {
                action,
                mechanism,
                ..ActionSettings::default()
            }))
        })
    }

    fn measured(settings: &ActionSettings) -> Self {
        let mut keyboard = boxed(|| SwitchableKeyboard::new(settings));
        KEYS.into_iter().for_each(|number| keyboard.touch(key(number)));
        let dip = 1e-3 * settings.key_dip_mm;
        let of = |speed| KEYS.map(|number| effort::of(&*keyboard, dip, key(number), speed));
        let least = of(SLOWEST).map(size).into_iter().fold(f64::INFINITY, f64::min);
        let greatest = of(FASTEST).map(size).into_iter().fold(0.0, f64::max);
        let is_muscle = of(SLOWEST).map(|effort| matches!(effort, Effort::Muscle(_)));
        let ends = [libm::log(least), libm::log(greatest)];
        let mut times = [[f64::NAN; EFFORTS]; KEYS.len()];
        for index in 0..EFFORTS {
            let share = index as f64 / (EFFORTS - 1) as f64;
            let size = libm::exp(ends[0] + share * (ends[1] - ends[0]));
            let efforts = is_muscle
                .map(|muscle| if muscle { Effort::Muscle(size) } else { Effort::Even(size) });
            for (row, time) in times.iter_mut().zip(press(&mut keyboard, dip, efforts)) {
                row[index] = time;
            }
        }
        Self { ends, times }
    }

    /// Time, s, from the first motion of `effort` on `key` at rest to its strike; `None` where the hammer
    /// does not reach the string.
    #[must_use]
    pub fn time(&self, key: KeyNumber, effort: Effort) -> Option<f64> {
        let [from, to] = self.ends;
        let last = EFFORTS - 1;
        let position =
            ((libm::log(size(effort)) - from) / (to - from) * last as f64).clamp(0.0, last as f64);
        let number = f64::from(key.number());
        let upper = KEYS.partition_point(|row| f64::from(*row) < number).clamp(1, KEYS.len() - 1);
        let [low, high] = [upper - 1, upper].map(|row| f64::from(KEYS[row]));
        let share = (number - low) / (high - low);
        let [a, b] = [upper - 1, upper].map(|row| cubic(&self.times[row], position));
        let time = a + share * (b - a);
        time.is_finite().then_some(time)
    }
}

/// Cubic interpolation of `values` at the index `position`.
fn cubic(values: &[f64; EFFORTS], position: f64) -> f64 {
    let first = floor_index(position).saturating_sub(1).min(EFFORTS - 4);
    let x = position - first as f64;
    let [a, b, c, d] = [0.0, 1.0, 2.0, 3.0].map(|node| x - node);
    b * c * d / -6.0 * values[first]
        + a * c * d / 2.0 * values[first + 1]
        + a * b * d / -2.0 * values[first + 2]
        + a * b * c / 6.0 * values[first + 3]
}

/// Times, s, of one press of each of `KEYS`.
fn press(
    keyboard: &mut SwitchableKeyboard,
    dip: f64,
    efforts: [Effort; KEYS.len()],
) -> [f64; KEYS.len()] {
    keyboard.reset();
    let mut fingers = [NoteFinger::AWAY; KEYS.len()];
    for ((finger, effort), number) in fingers.iter_mut().zip(efforts).zip(KEYS) {
        keyboard.touch(key(number));
        finger.press(keyboard.key_depth(key(number)), effort, 0.0);
    }
    let mut times = [f64::NAN; KEYS.len()];
    let mut events = boxed(EventList::default);
    for step in 0..PATIENCE {
        cancel::check();
        for (number, finger) in KEYS.into_iter().zip(&mut fingers) {
            let key = key(number);
            let front = [keyboard.key_depth(key), keyboard.key_speed(key)];
            let travel = keyboard.travel(key).unwrap_or_else(|| grand_travel(dip));
            if let Some(drive) = finger.next(KeyReading { front, travel }) {
                keyboard.drive(key, drive);
            }
        }
        events.begin(u64::from(step));
        keyboard.step(&mut events);
        for timed in events.iter() {
            let index = KEYS.iter().position(|number| *number == timed.key.number());
            if let Some(index) = index
                && matches!(timed.event, KeyEvent::Strike { .. } | KeyEvent::Pluck { .. })
                && times[index].is_nan()
            {
                times[index] = f64::from(step) * STEP + timed.offset;
            }
        }
        if times.iter().all(|time| time.is_finite()) {
            break;
        }
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_press_of_a_grand_arrives_and_harder_ones_sooner() {
        let times = TravelTimes::of(ActionKind::Grand);
        for row in &times.times {
            assert!(row.windows(2).all(|pair| pair[1] < pair[0]), "{row:?}");
            assert!(row[0] < 0.45 && row[EFFORTS - 1] > 0.005, "{row:?}");
        }
    }

    #[test]
    fn interpolated_times_agree_with_simulated_presses() {
        let (kind, dip) = (ActionKind::Grand, 0.01);
        let times = TravelTimes::of(kind);
        let mut keyboard = SwitchableKeyboard::new(&ActionSettings::default());
        for size in [2.9, 3.3, 5.1, 9.0, 150.0, 900.0] {
            let effort = Effort::Muscle(size);
            let pressed = press(&mut keyboard, dip, [effort; KEYS.len()]);
            for (number, time) in KEYS.into_iter().zip(pressed) {
                let interpolated = times.time(key(number), effort).unwrap();
                assert!(
                    (interpolated - time).abs() < 5e-4,
                    "key {number} {size} N: {interpolated} {time}"
                );
            }
        }
    }

    /// The ball is thrown from its paddle, not pressed; its time does not depend on an effort.
    #[test]
    fn every_other_action_reaches_its_string_at_a_mezzo_forte() {
        for kind in ActionKind::BUILT_IN.into_iter().filter(|kind| *kind != ActionKind::Ball) {
            let start = std::time::Instant::now();
            let times = TravelTimes::of(kind);
            println!("{kind:?} {:?} {:?}", start.elapsed(), times.ends);
            let middle = times.times.map(|row| row[EFFORTS / 2]);
            assert!(middle.iter().all(|time| *time < 0.2), "{kind:?} {middle:?}");
        }
    }
}
