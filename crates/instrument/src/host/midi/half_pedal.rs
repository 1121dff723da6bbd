//! The sustain pedal of Disklavier pianos: they send its position on channel 3, in addition to a switch on the
//! channels of the notes [Yamaha 1998, MIDI data format].

/// Which channels' sustain pedals count.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HalfPedal {
    /// Channels that have sent positions between up and down, by bits.
    positions: u16,
    /// Whether channel 3 has sent notes: it then is a channel like the others.
    has_notes: bool,
}

impl HalfPedal {
    /// The channel of the positions, from 0, which is the first after those of the notes.
    const CHANNEL: usize = 2;

    /// `channel` has played a note.
    pub(super) const fn note(&mut self, channel: usize) {
        self.has_notes |= channel == Self::CHANNEL;
    }

    /// `channel` has sent the position `value`, 0…1.
    pub(super) fn moved(&mut self, channel: usize, value: f64) {
        if value > 0.0 && value < 1.0 {
            self.positions |= 1 << channel;
        }
    }

    /// `channel` has no position any more.
    pub(super) const fn forget(&mut self, channel: usize) {
        self.positions &= !(1 << channel);
    }

    const fn has_positions(self, channel: usize) -> bool {
        self.positions >> channel & 1 == 1
    }

    /// Whether the pedal of `channel` counts.
    pub(super) const fn counts(self, channel: usize) -> bool {
        let is_switch = channel < Self::CHANNEL && !self.has_positions(channel);
        !(is_switch && self.has_positions(Self::CHANNEL) && !self.has_notes)
    }
}
