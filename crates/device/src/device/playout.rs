//! Queue of commands that wait for their play-out times.
//!
//! A command carries the device time from which it holds, so that the jitter of its transmission does
//! not reach the force. Copies, and commands that newer ones have overtaken, are dropped.

use crate::fixed::since;
use crate::message::{KeyList, Play};

/// Capacity: four commands per millisecond during a delay of 256 samples at 48 kHz, 5.3 ms.
const DEPTH: usize = 24;

/// Farthest that a play-out time may be ahead, µs; beyond it a clock has jumped.
const MAX_AHEAD_US: i32 = 50_000;

/// Queue of at most 24 commands.
#[derive(Clone, Copy, Debug)]
pub struct Playout {
    waiting: [Option<Play>; DEPTH],
    /// `seq` of the newest accepted command, and of the last one played.
    newest: Option<u16>,
    played: Option<u16>,
}

/// Result of [`Playout::push`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pushed {
    /// Accepted: the command waits for its play-out time.
    Taken,
    /// Dropped: a copy of a waiting command, or overtaken by one that has played.
    Stale,
    /// Refused: the play-out time is too far ahead.
    Ahead,
}

impl Default for Playout {
    fn default() -> Self {
        Self::new()
    }
}

/// Sequence number `a` is later than `b`, modulo 2¹⁶.
const fn is_after(a: u16, b: u16) -> bool {
    let ahead = a.wrapping_sub(b);
    ahead != 0 && ahead < 1 << 15
}

impl Playout {
    /// An empty queue.
    #[must_use]
    pub const fn new() -> Self {
        Self { waiting: [None; DEPTH], newest: None, played: None }
    }

    /// Drops the waiting commands.
    pub const fn clear(&mut self) {
        self.waiting = [None; DEPTH];
    }

    /// Accepts `play` unless it is stale or too far ahead. A command whose play-out time is past plays at
    /// the next tick, unless a newer one has played.
    pub fn push(&mut self, play: &Play, now_us: u32) -> Pushed {
        if since(play.play_us, now_us) > MAX_AHEAD_US {
            return Pushed::Ahead;
        }
        let is_old = self.played.is_some_and(|p| !is_after(play.seq, p));
        let is_copy = self.waiting.iter().flatten().any(|w| w.seq == play.seq);
        if is_old || is_copy {
            return Pushed::Stale;
        }
        if self.newest.is_none_or(|n| is_after(play.seq, n)) {
            self.newest = Some(play.seq);
        }
        // Without a free slot the command with the earliest time is replaced.
        let slot = (0..DEPTH)
            .min_by_key(|i| self.waiting[*i].map_or(i32::MIN, |w| since(w.play_us, now_us)))
            .unwrap_or(0);
        self.waiting[slot] = Some(*play);
        Pushed::Taken
    }

    /// Removes and returns the next due command, in order of play-out time. An overtaken one has no keys.
    pub fn due(&mut self, now_us: u32) -> Option<Play> {
        let slot = (0..DEPTH)
            .filter(|i| self.waiting[*i].is_some_and(|w| since(w.play_us, now_us) <= 0))
            .min_by_key(|i| self.waiting[*i].map_or(0, |w| since(w.play_us, now_us)))?;
        let play = self.waiting[slot].take()?;
        if self.played.is_some_and(|p| !is_after(play.seq, p)) {
            return Some(Play { keys: KeyList::default(), ..play });
        }
        self.played = Some(play.seq);
        Some(play)
    }

    /// `seq` of the newest accepted command; 0 before the first.
    #[must_use]
    pub(crate) fn last_seq(&self) -> u16 {
        self.newest.unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seq: u16, play_us: u32) -> Play {
        Play { seq, play_us, keys: KeyList::default() }
    }

    fn played(playout: &mut Playout, now_us: u32) -> Vec<u16> {
        std::iter::from_fn(|| playout.due(now_us)).map(|p| p.seq).collect()
    }

    #[test]
    fn sequence_numbers_compare_across_the_wrap() {
        for (a, b, is_later) in [
            (1, 0, true),
            (0, 1, false),
            (7, 7, false),
            (3, u16::MAX, true),
            (u16::MAX, 3, false),
            (0x7FFF, 0, true),
            // Half the range apart: neither is later.
            (0x8000, 0, false),
            (0, 0x8000, false),
            (0x8001, 0, false),
        ] {
            assert_eq!(is_after(a, b), is_later, "{a} after {b}");
        }
    }

    #[test]
    fn commands_wait_for_their_play_out_time_across_the_wrap() {
        let mut playout = Playout::new();
        assert_eq!(playout.push(&at(1, 500), u32::MAX - 400), Pushed::Taken);
        assert!(played(&mut playout, 499).is_empty());
        assert_eq!(played(&mut playout, 500), [1]);
    }

    #[test]
    fn copies_and_overtaken_commands_are_dropped() {
        let mut playout = Playout::new();
        let pushed = [at(2, 10), at(2, 10), at(3, 20)].map(|play| playout.push(&play, 0));
        assert_eq!(pushed, [Pushed::Taken, Pushed::Stale, Pushed::Taken]);
        assert_eq!(played(&mut playout, 30), [2, 3]);
        assert_eq!([at(3, 20), at(1, 5)].map(|p| playout.push(&p, 30)), [Pushed::Stale; 2]);
        assert!(played(&mut playout, 40).is_empty());
    }

    #[test]
    fn commands_too_far_ahead_are_refused_and_a_full_queue_keeps_the_latest() {
        let mut playout = Playout::new();
        assert_eq!(playout.push(&at(1, 60_000), 0), Pushed::Ahead);
        for i in 0..40u16 {
            assert_eq!(playout.push(&at(i, u32::from(i) * 1000), 0), Pushed::Taken);
        }
        let got = played(&mut playout, 40_000);
        assert_eq!((got.len(), got.last()), (DEPTH, Some(&39)));
    }
}
