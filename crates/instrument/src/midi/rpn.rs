//! Registered parameters (RPN) of each channel: bend range, tuning, MPE zones.
//!
//! Controllers 101 and 100 select a parameter, 6 and 38 enter its value [MIDI 1.0, table 3a; CA-26 for MPE].
//! The values outlast resets: keyboards send them once. "Reset all controllers" ends the selection only
//! [RP-015].

use super::CHANNELS;

/// Selects the coarse part of a parameter's number, and its fine part.
const SELECT: [u8; 2] = [101, 100];
/// Select other makers' parameters, which a piano does not have.
const SELECT_OTHER: [u8; 2] = [98, 99];
/// Enters the coarse part of a value, and its fine part.
const ENTER: [u8; 2] = [6, 38];

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

/// Selection and data of every channel.
#[derive(Clone, Debug)]
pub(super) struct Registered {
    selected: [[u8; 2]; CHANNELS],
    data: [[u8; 2]; CHANNELS],
}

impl Default for Registered {
    fn default() -> Self {
        Self { selected: [NOTHING; CHANNELS], data: [[0; 2]; CHANNELS] }
    }
}

impl Registered {
    /// Follows controller `number` of `channel` with a value of 0…127. Returns what it enters.
    pub(super) fn control(&mut self, channel: usize, number: u8, value: u8) -> Option<Entered> {
        let (selected, data) = (&mut self.selected[channel], &mut self.data[channel]);
        if let Some(part) = SELECT.iter().position(|n| *n == number) {
            selected[part] = value;
            return None;
        }
        if SELECT_OTHER.contains(&number) {
            *selected = NOTHING;
            return None;
        }
        match ENTER.iter().position(|n| *n == number)? {
            0 => *data = [value, 0],
            _ => data[1] = value,
        }
        let [coarse, fine] = data.map(f64::from);
        match *selected {
            [0, 0] => Some(Entered::BendRange(coarse + 0.01 * fine)),
            [0, 1] => Some(Entered::Fine((128.0 * coarse + fine - 8192.0) / 81.92)),
            [0, 2] => Some(Entered::Coarse(coarse - 64.0)),
            [0, 6] if number == ENTER[0] => Some(Entered::Members(value)),
            _ => None,
        }
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
        let mut send = |number, value| registered.control(3, number, value);
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
}
