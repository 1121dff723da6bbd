//! Registered parameters (RPN) of each channel: bend range, tuning, MPE zones.
//!
//! Controllers 101 and 100 select a parameter, 6 and 38 enter its value [MIDI 1.0, table 3a; CA-26 for MPE];
//! 96 and 97 make it one step larger or smaller: the bend range and the fine tuning by their finest step, the
//! coarse tuning by a semitone [RP-018]. The values outlast resets: keyboards send them once. "Reset all
//! controllers" ends the selection only [RP-015].

use super::CHANNELS;
use super::controller::{DATA, OTHER_PARAMETER, PARAMETER, STEP};
use touchback_core::math::cast::rounded_i32;

/// The number that selects nothing.
const NOTHING: [u8; 2] = [127, 127];

/// A value that a channel has entered.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Entered {
    /// Range of the pitch bend, semitones.
    BendRange(f64),
    /// Tuning, cents.
    Fine(f64),
    /// Tuning, whole semitones.
    Coarse(f64),
    /// Number of member channels of the channel's MPE zone.
    Members(u8),
}

/// Values of a channel: bend range in semitones and cents, fine and coarse tuning from the middle.
const PLAIN: [[u8; 2]; 3] = [[0, 0], [64, 0], [64, 0]];

/// Selection and data of every channel.
#[derive(Clone, Debug)]
pub(super) struct Registered {
    selected: [[u8; 2]; CHANNELS],
    /// Coarse and fine part of the parameters 0 to 2.
    data: [[[u8; 2]; 3]; CHANNELS],
}

impl Default for Registered {
    fn default() -> Self {
        Self { selected: [NOTHING; CHANNELS], data: [PLAIN; CHANNELS] }
    }
}

impl Registered {
    /// Follows controller `number` of `channel` with a value of 0…127; its bend range is `range` semitones.
    /// Returns what it enters.
    pub(super) fn control(
        &mut self,
        channel: usize,
        number: u8,
        value: u8,
        range: f64,
    ) -> Option<Entered> {
        let selected = &mut self.selected[channel];
        if let Some(part) = PARAMETER.iter().position(|n| *n == number) {
            selected[1 - part] = value;
            return None;
        }
        if OTHER_PARAMETER.contains(&number) {
            *selected = NOTHING;
            return None;
        }
        let [bank, parameter] = *selected;
        if bank == 0 && parameter == 6 {
            return (number == DATA[0]).then_some(Entered::Members(value));
        }
        let data = self.data[channel].get_mut(usize::from(parameter)).filter(|_| bank == 0)?;
        if let Some(part) = DATA.iter().position(|n| *n == number) {
            data[part] = value;
            if part == 0 {
                data[1] = 0;
            }
        } else {
            let up = STEP.iter().position(|n| *n == number)? == 0;
            // Cents fill a semitone; the fine tuning counts to 128.
            let steps = if parameter == 0 { 100 } else { 128 };
            let step = if parameter == 2 { steps } else { 1 };
            let now = match parameter {
                0 => rounded_i32(100.0 * range),
                _ => i32::from(data[0]) * steps + i32::from(data[1]),
            };
            let next = (if up { now + step } else { now - step }).clamp(0, 127 * steps + steps - 1);
            *data = [next / steps, next % steps].map(|part| u8::try_from(part).unwrap_or(0));
        }
        let [coarse, fine] = data.map(f64::from);
        Some(match parameter {
            0 => Entered::BendRange(coarse + 0.01 * fine),
            1 => Entered::Fine((128.0 * coarse + fine - 8192.0) / 81.92),
            _ => Entered::Coarse(coarse - 64.0),
        })
    }

    /// `channel` selects nothing.
    pub(super) const fn deselect(&mut self, channel: usize) {
        self.selected[channel] = NOTHING;
    }
}

/// What channels have sent about themselves.
#[derive(Clone, Debug, Default)]
pub(super) struct Setup {
    /// Whether the settings let them take effect.
    pub(super) is_obeyed: bool,
    pub(super) registered: Registered,
    /// Range of the pitch bend of each channel, semitones; `None`: that of the settings.
    pub(super) ranges: [Option<f64>; CHANNELS],
    /// The range of the last bend.
    pub(super) sent_range: Option<f64>,
    /// The channel of the last bend.
    pub(super) bender: Option<usize>,
    /// Tuning of each channel, cents and semitones.
    pub(super) fine: [f64; CHANNELS],
    pub(super) coarse: [f64; CHANNELS],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_selected_parameter() {
        let mut registered = Registered::default();
        let mut send = |number, value| registered.control(3, number, value, 2.0);
        assert_eq!(send(6, 12), None, "nothing is selected");
        send(101, 0);
        send(100, 0);
        assert_eq!(send(6, 12), Some(Entered::BendRange(12.0)));
        assert_eq!(send(38, 50), Some(Entered::BendRange(12.5)));
        assert_eq!(send(6, 2), Some(Entered::BendRange(2.0)));
        send(100, 1);
        for (coarse, fine, cents) in [(64, 0, 0.0), (0, 0, -100.0), (96, 0, 50.0)] {
            send(6, coarse);
            assert_eq!(send(38, fine), Some(Entered::Fine(cents)));
        }
        send(100, 2);
        assert_eq!(send(6, 76), Some(Entered::Coarse(12.0)));
        send(100, 6);
        assert_eq!(send(6, 15), Some(Entered::Members(15)));
        assert_eq!(send(38, 1), None);
        send(99, 1);
        assert_eq!(send(6, 1), None, "a maker's own parameter");
        send(101, 0);
        send(100, 0);
        send(101, 127);
        send(100, 127);
        assert_eq!(send(6, 1), None);
        send(101, 0);
        send(100, 5);
        assert_eq!(send(6, 1), None, "modulation depth range");
    }
    #[test]
    fn values_move_by_steps() {
        let mut registered = Registered::default();
        let mut range = 2.0;
        let mut send = |number, value, range: &mut f64| {
            let entered = registered.control(0, number, value, *range);
            if let Some(Entered::BendRange(semitones)) = entered {
                *range = semitones;
            }
            entered
        };
        assert_eq!(send(96, 0, &mut range), None, "nothing is selected");
        send(101, 0, &mut range);
        send(100, 0, &mut range);
        assert_eq!(send(96, 0, &mut range), Some(Entered::BendRange(2.01)));
        send(97, 0, &mut range);
        assert_eq!(send(97, 0, &mut range), Some(Entered::BendRange(1.99)));
        send(100, 1, &mut range);
        assert_eq!(send(97, 0, &mut range), Some(Entered::Fine(-1.0 / 81.92)));
        send(100, 2, &mut range);
        assert_eq!(send(96, 5, &mut range), Some(Entered::Coarse(1.0)));
        assert_eq!(send(96, 5, &mut range), Some(Entered::Coarse(2.0)));
        send(6, 0, &mut range);
        assert_eq!(send(97, 0, &mut range), Some(Entered::Coarse(-64.0)), "the least");
        send(100, 6, &mut range);
        assert_eq!(send(96, 0, &mut range), None);
    }
}
