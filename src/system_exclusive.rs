//! System exclusive messages of a host: tunings and master settings.
//!
//! The framework copies its events, whose size is fixed. An event therefore holds a ticket, and the bytes wait for it
//! in a table of the process, which no thread allocates or waits for. A later message replaces one that nobody has
//! read; the reader then finds another ticket.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};

use arrayvec::ArrayVec;
use nice_plug::prelude::SysExMessage;

use touchback_instrument::host::midi::system::{OWN_CHANNELS, Tunings, is_obeyed};
use touchback_instrument::host::midi::{InputMessage, seven_bits};

/// Longest message that a piano obeys, bytes: a change of 127 notes of a program takes 517.
const LONGEST: usize = 520;

/// Messages that wait at once, of all instances: more than a host sends in a block.
const SLOTS: usize = 256;

/// Owners of slots without a message: before the first one, and while one is written.
const NOBODY: u64 = 1 << 32;
const WRITER: u64 = 1 << 33;

/// Messages that one message becomes: one for each note.
const MOST: usize = 128;

/// Tuning programs that an instance keeps.
const PROGRAMS: usize = 16;

/// A message that waits.
struct Slot {
    /// The message's ticket.
    owner: AtomicU64,
    length: AtomicUsize,
    words: [AtomicU64; LONGEST / 8],
}

static SLOTS_OF_ALL: [Slot; SLOTS] = [const {
    Slot {
        owner: AtomicU64::new(NOBODY),
        length: AtomicUsize::new(0),
        words: [const { AtomicU64::new(0) }; LONGEST / 8],
    }
}; SLOTS];

/// The next message's ticket.
static NEXT: AtomicU32 = AtomicU32::new(0);

/// Whether a piano follows the message `data` of a host, with or without its first byte F0.
pub(super) fn is_followed(data: &[u8]) -> bool {
    let data = data.strip_prefix(&[0xF0]).unwrap_or(data);
    data.len() <= LONGEST && is_obeyed(data)
}

/// The message of a host whose `length` bytes begin at `begin`, if a piano follows it.
///
/// # Safety
/// `begin` is null or points at as many bytes.
pub(super) unsafe fn is_followed_at(begin: *const u8, length: u32) -> bool {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    // SAFETY: the caller's promise.
    !begin.is_null()
        && (1..=LONGEST + 2).contains(&length)
        && is_followed(unsafe { std::slice::from_raw_parts(begin, length) })
}

/// Ticket of a message that waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SystemExclusive(u32);

impl SystemExclusive {
    fn slot(self) -> &'static Slot {
        &SLOTS_OF_ALL[usize::try_from(self.0).unwrap_or(0) % SLOTS]
    }

    /// The message without its first byte F0, and its length; none if a later one has taken its place.
    fn read(self) -> Option<([u8; LONGEST], usize)> {
        let (slot, own) = (self.slot(), u64::from(self.0));
        if slot.owner.load(Ordering::Acquire) != own {
            return None;
        }
        let mut bytes = [0; LONGEST];
        for (bytes, word) in bytes.chunks_exact_mut(8).zip(&slot.words) {
            bytes.copy_from_slice(&word.load(Ordering::Relaxed).to_le_bytes());
        }
        let length = slot.length.load(Ordering::Relaxed).min(LONGEST);
        // The words are those of the ticket if the owner is the same after them.
        fence(Ordering::Acquire);
        (slot.owner.load(Ordering::Relaxed) == own).then_some((bytes, length))
    }
}

impl SysExMessage for SystemExclusive {
    // Strikes are sent as notes: no message leaves.
    type Buffer = [u8; 0];

    fn from_buffer(buffer: &[u8]) -> Option<Self> {
        if !is_followed(buffer) {
            return None;
        }
        let data = buffer.strip_prefix(&[0xF0]).unwrap_or(buffer);
        let message = Self(NEXT.fetch_add(1, Ordering::Relaxed));
        let slot = message.slot();
        let before = slot.owner.load(Ordering::Relaxed);
        // Another thread writes here only where all slots were used meanwhile.
        let taken =
            slot.owner.compare_exchange(before, WRITER, Ordering::Acquire, Ordering::Relaxed);
        if before == WRITER || taken.is_err() {
            return None;
        }
        fence(Ordering::Release);
        slot.length.store(data.len(), Ordering::Relaxed);
        for (word, part) in slot.words.iter().zip(data.chunks(8)) {
            let mut bytes = [0; 8];
            bytes[..part.len()].copy_from_slice(part);
            word.store(u64::from_le_bytes(bytes), Ordering::Relaxed);
        }
        slot.owner.store(u64::from(message.0), Ordering::Release);
        Some(message)
    }

    fn as_buffer(&self) -> (Self::Buffer, usize) {
        ([], 0)
    }
}

/// Follows a host's system exclusive messages and selections of tuning programs. Audio thread; allocates when it is
/// created only.
pub(super) struct HostTunings {
    tunings: Tunings,
    /// Messages to the piano at the sample `at`, of which the first `passed` are passed on.
    waiting: ArrayVec<InputMessage, MOST>,
    passed: usize,
    at: u32,
    /// Messages that later ones had replaced.
    pub(super) lost: u64,
}

impl Default for HostTunings {
    fn default() -> Self {
        let tunings = Tunings::with_programs(PROGRAMS);
        Self { tunings, waiting: ArrayVec::new(), passed: 0, at: 0, lost: 0 }
    }
}

impl HostTunings {
    /// The next message to the piano, with its sample.
    pub(super) fn next(&mut self) -> Option<(u32, InputMessage)> {
        let message = *self.waiting.get(self.passed)?;
        self.passed += 1;
        Some((self.at, message))
    }

    /// Follows a message at the sample `at`, after [`Self::next`] has returned none.
    pub(super) fn follow(&mut self, at: u32, message: SystemExclusive) {
        let Some((bytes, length)) = message.read() else {
            self.lost += 1;
            return;
        };
        let (tunings, out) = self.begin(at);
        tunings.system_exclusive(&bytes[..length], &OWN_CHANNELS, out);
    }

    /// Follows a control change at the sample `at`, after [`Self::next`] has returned none.
    pub(super) fn control(&mut self, at: u32, channel: u8, number: u8, value: f64) {
        let (tunings, out) = self.begin(at);
        tunings.control(channel, number, seven_bits(value), out);
    }

    /// The tunings, and where their messages of the sample `at` go.
    fn begin(&mut self, at: u32) -> (&mut Tunings, impl FnMut(InputMessage)) {
        self.waiting.clear();
        (self.passed, self.at) = (0, at);
        let waiting = &mut self.waiting;
        (&mut self.tunings, move |message| {
            let _ = waiting.try_push(message);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use touchback_core::exchange::lock::lock;

    /// The slots are those of the process: one test at a time uses them.
    static TURN: Mutex<()> = Mutex::new(());

    /// A4 a quarter tone higher.
    const RAISED: [u8; 13] = [0xF0, 0x7F, 0x7F, 8, 2, 0, 1, 69, 69, 0x40, 0, 0, 0xF7];

    #[test]
    fn a_message_waits_until_as_many_others_as_there_are_slots_have_come() {
        let _turn = lock(&TURN);
        let message = SystemExclusive::from_buffer(&RAISED).unwrap();
        let (bytes, length) = message.read().unwrap();
        assert_eq!(bytes[..length], RAISED[1..]);
        // As some hosts send it.
        let bare = SystemExclusive::from_buffer(&RAISED[1..]).unwrap();
        assert_eq!(bare.read(), message.read());
        let mut tunings = HostTunings::default();
        tunings.follow(5, bare);
        let raised =
            InputMessage::Retune { channels: 0xFFFF, note: 69, semitones: 0.5, is_immediate: true };
        assert_eq!((tunings.next(), tunings.next()), (Some((5, raised)), None));
        for _ in 0..SLOTS {
            SystemExclusive::from_buffer(&[0xF0, 0x7F, 0x7F, 4, 1, 0, 0x40, 0xF7]).unwrap();
        }
        assert_eq!(message.read(), None);
        tunings.follow(5, message);
        assert_eq!((tunings.next(), tunings.lost), (None, 1));
    }

    #[test]
    fn messages_for_others_are_left_out() {
        let _turn = lock(&TURN);
        for data in [&[][..], &[0xF0, 0x7E, 0x7F, 9, 1, 0xF7], &[0xF0], &[0x90, 60, 100]] {
            assert_eq!(SystemExclusive::from_buffer(data), None, "{data:?}");
            // SAFETY: a slice's own bytes.
            assert!(!unsafe { is_followed_at(data.as_ptr(), u32::try_from(data.len()).unwrap()) });
        }
        let long = [&RAISED[..7], &[69; 520]].concat();
        assert_eq!(SystemExclusive::from_buffer(&long), None);
        // SAFETY: null is allowed.
        assert!(!unsafe { is_followed_at(std::ptr::null(), 12) });
    }

    #[test]
    fn a_channel_selects_a_program() {
        let _turn = lock(&TURN);
        let mut tunings = HostTunings::default();
        let octave =
            [&[0xF0, 0x7E, 0, 8, 5, 0, 2][..], &[b' '; 16], &[54; 12], &[0, 0xF7]].concat();
        tunings.follow(0, SystemExclusive::from_buffer(&octave).unwrap());
        assert_eq!(std::iter::from_fn(|| tunings.next()).count(), 128);
        let mut select = |number, value: u8| {
            tunings.control(9, 3, number, f64::from(value) / 127.0);
            std::iter::from_fn(|| tunings.next()).collect::<Vec<_>>()
        };
        assert!(select(101, 0).is_empty() && select(100, 3).is_empty());
        let sent = select(6, 2);
        let is_lowered = |(at, message): &(u32, InputMessage)| {
            matches!(message, InputMessage::Retune { channels: 8, semitones: -0.11..-0.09, .. })
                && *at == 9
        };
        assert!(sent.len() == 128 && sent.iter().all(is_lowered), "{:?}", sent.first());
    }
}
