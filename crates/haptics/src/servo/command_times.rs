//! Times at which the keyboard received the commands, from the `ack` of its states.
//!
//! A state names the newest command that the keyboard had received by the state's time. A named command was
//! received after the previous state and by this one. A command that no state names, because a newer one was
//! named first, was received in the same interval or lost. Times are the keyboard's own microseconds.

use touchback_device::fixed::since;

/// Number of stored commands: 0.1 s at one a millisecond.
const KEPT: usize = 128;

/// Receipt of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Receipt {
    /// No state has named this or a newer command.
    Pending,
    /// Received after the first and by the second time, µs.
    Received(u32, u32),
    /// Received after this time, µs, or lost.
    Skipped(u32),
}

/// Interval in which a command began to act, µs of the keyboard's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ActingTime {
    /// Earliest time.
    pub earliest: u32,
    /// Latest time; none where the command may be lost.
    pub latest: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Sent {
    seq: u16,
    play_us: u32,
    receipt: Receipt,
}

/// The last commands of a session and their receipt.
#[derive(Clone, Debug)]
pub struct CommandTimes {
    sent: [Option<Sent>; KEPT],
    /// Oldest command that may be pending.
    oldest: u16,
    newest: u16,
    /// Commands received, and those of them received after their play-out time.
    received: u64,
    late: u64,
}

impl Default for CommandTimes {
    fn default() -> Self {
        Self { sent: [None; KEPT], oldest: 1, newest: 0, received: 0, late: 0 }
    }
}

const fn slot(seq: u16) -> usize {
    seq as usize % KEPT
}

impl CommandTimes {
    /// Notes a command with its play-out time, µs.
    pub const fn send(&mut self, seq: u16, play_us: u32) {
        if self.newest.wrapping_add(1) != seq {
            self.oldest = seq;
        }
        self.newest = seq;
        self.sent[slot(seq)] = Some(Sent { seq, play_us, receipt: Receipt::Pending });
    }

    /// Notes that the state of `now_us` names the command `ack`; the previous state was that of `last_us`.
    pub(crate) fn acknowledge(&mut self, ack: u16, last_us: u32, now_us: u32) {
        let Some(named) = self.sent[slot(ack)].filter(|s| s.seq == ack) else { return };
        if named.receipt != Receipt::Pending {
            return;
        }
        let mut seq = self.oldest;
        for _ in 0..KEPT {
            if let Some(sent) = self.sent[slot(seq)].as_mut().filter(|s| s.seq == seq)
                && sent.receipt == Receipt::Pending
            {
                sent.receipt = if seq == ack {
                    self.received += 1;
                    self.late += u64::from(since(last_us, sent.play_us) > 0);
                    Receipt::Received(last_us, now_us)
                } else {
                    Receipt::Skipped(last_us)
                };
            }
            if seq == ack {
                break;
            }
            seq = seq.wrapping_add(1);
        }
        self.oldest = ack.wrapping_add(1);
    }

    /// When the command `seq` began to act; none where it has not been received or is forgotten.
    pub(crate) fn acting(&self, seq: u16) -> Option<ActingTime> {
        let sent = self.sent[slot(seq)].filter(|s| s.seq == seq)?;
        let later = |time: u32| if since(time, sent.play_us) > 0 { time } else { sent.play_us };
        match sent.receipt {
            Receipt::Pending => None,
            Receipt::Received(after, by) => {
                Some(ActingTime { earliest: later(after), latest: Some(later(by)) })
            }
            Receipt::Skipped(after) => Some(ActingTime { earliest: later(after), latest: None }),
        }
    }

    /// When the first of the commands from `seq` on began to act; none where none of them is known to have
    /// been received.
    pub(crate) fn first_acting(&self, seq: u16) -> Option<ActingTime> {
        let mut earliest = None;
        let mut seq = seq;
        while seq != self.newest.wrapping_add(1) {
            let acting = self.acting(seq)?;
            let first = *earliest.get_or_insert(acting.earliest);
            if acting.latest.is_some() {
                return Some(ActingTime { earliest: first, latest: acting.latest });
            }
            seq = seq.wrapping_add(1);
        }
        None
    }

    /// Number of commands known to be received, and of those received after their play-out time.
    pub const fn counts(&self) -> (u64, u64) {
        (self.received, self.late)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_acting_time_is_that_of_play_out_or_of_receipt() {
        let mut times = CommandTimes::default();
        for seq in 1..=5u16 {
            times.send(seq, 1000 * u32::from(seq) + 1000);
        }
        assert_eq!(times.acting(1), None);
        // Received before its play-out time.
        times.acknowledge(1, 0, 1000);
        assert_eq!(times.acting(1), Some(ActingTime { earliest: 2000, latest: Some(2000) }));
        // The command 2 is received late or lost, the command 3 received late.
        times.acknowledge(3, 4500, 5500);
        assert_eq!(times.acting(2), Some(ActingTime { earliest: 4500, latest: None }));
        assert_eq!(times.acting(3), Some(ActingTime { earliest: 4500, latest: Some(5500) }));
        assert_eq!(times.counts(), (2, 1));
        assert_eq!(times.first_acting(2).unwrap().latest, Some(5500));
        // Nothing is known of later commands, and a repeated `ack` changes nothing.
        times.acknowledge(3, 5500, 6500);
        assert_eq!((times.acting(4), times.first_acting(4)), (None, None));
        assert_eq!(times.acting(3).unwrap().latest, Some(5500));
    }

    #[test]
    fn sequence_numbers_and_times_wrap() {
        let mut times = CommandTimes::default();
        for i in 0..400u32 {
            let seq = 65_300u16.wrapping_add(u16::try_from(i).unwrap());
            let play = (u32::MAX - 100_000).wrapping_add(1000 * i);
            times.send(seq, play);
            times.acknowledge(seq, play.wrapping_sub(1000), play.wrapping_sub(500));
            let acting = times.acting(seq).unwrap();
            assert_eq!((acting.earliest, acting.latest), (play, Some(play)));
        }
        assert_eq!(times.counts(), (400, 0));
        assert_eq!(times.acting(65_300), None);
    }
}
