//! Frames on the wire: COBS(payload ‖ CRC-16) ‖ 00.
//!
//! A zero byte ends a frame and occurs nowhere else, so that a receiver that has lost bytes is
//! synchronized again at the next zero [Cheshire and Baker 1999]. The check is CRC-16/IBM-SDLC, low byte
//! first.

use crc::{CRC_16_IBM_SDLC, Crc};

/// Longest payload, bytes: more than a state of 88 keys.
pub const MAX_PAYLOAD: usize = 1024;

/// Longest frame, bytes: payload, check, one COBS byte for every 254 bytes, final zero.
pub const MAX_FRAME: usize = MAX_PAYLOAD + 2 + (MAX_PAYLOAD + 2).div_ceil(254) + 1;

const CHECK: Crc<u16> = Crc::<u16>::new(&CRC_16_IBM_SDLC);

/// CRC-16/IBM-SDLC of `bytes`.
#[must_use]
pub const fn check(bytes: &[u8]) -> u16 {
    CHECK.checksum(bytes)
}

/// Writes the frame of `payload` to the beginning of `out`. Returns its length, `None` where the payload
/// is longer than [`MAX_PAYLOAD`] or `out` is too short.
pub fn encode(payload: &[u8], out: &mut [u8]) -> Option<usize> {
    if payload.len() > MAX_PAYLOAD {
        return None;
    }
    let mut encoder = cobs::CobsEncoder::new(out);
    encoder.push(payload).ok()?;
    encoder.push(&check(payload).to_le_bytes()).ok()?;
    let length = encoder.finalize();
    *out.get_mut(length)? = 0;
    Some(length + 1)
}

/// Reason for which a frame was dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Damage {
    /// The frame is longer than [`MAX_FRAME`].
    Long,
    /// The frame is no COBS encoding, or too short to hold a check.
    Stuffing,
    /// The check is wrong.
    Check,
}

/// Assembles frames from received bytes.
#[derive(Clone, Debug)]
pub struct FrameReceiver {
    bytes: [u8; MAX_FRAME],
    length: usize,
    /// The present frame is longer than [`MAX_FRAME`]; the rest of it is skipped.
    is_long: bool,
}

impl Default for FrameReceiver {
    fn default() -> Self {
        Self::new()
    }
}

impl FrameReceiver {
    /// A receiver at the beginning of a frame.
    #[must_use]
    pub const fn new() -> Self {
        Self { bytes: [0; MAX_FRAME], length: 0, is_long: false }
    }

    /// Drops the partial frame.
    pub const fn reset(&mut self) {
        self.length = 0;
        self.is_long = false;
    }

    /// Handles the next byte. Returns the payload at the end of a frame, or why the frame was dropped.
    /// Empty frames (consecutive zeros) are skipped.
    pub fn push(&mut self, byte: u8) -> Option<Result<&[u8], Damage>> {
        if byte != 0 {
            match self.bytes.get_mut(self.length) {
                Some(free) => {
                    *free = byte;
                    self.length += 1;
                }
                None => self.is_long = true,
            }
            return None;
        }
        let (length, is_long) = (self.length, self.is_long);
        self.reset();
        if is_long {
            return Some(Err(Damage::Long));
        }
        if length == 0 {
            return None;
        }
        Some(self.open(length))
    }

    fn open(&mut self, length: usize) -> Result<&[u8], Damage> {
        let bytes = self.bytes.get_mut(..length).ok_or(Damage::Long)?;
        let decoded = cobs::decode_in_place(bytes).map_err(|_| Damage::Stuffing)?;
        let content = self.bytes.get(..decoded).ok_or(Damage::Stuffing)?;
        let (payload, sum) = content.split_last_chunk::<2>().ok_or(Damage::Stuffing)?;
        if check(payload) == u16::from_le_bytes(*sum) { Ok(payload) } else { Err(Damage::Check) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_check_is_crc_16_ibm_sdlc() {
        assert_eq!(check(b"123456789"), 0x906E);
    }

    #[test]
    fn stuffing_is_that_of_the_published_example() {
        let mut out = [0; 8];
        let mut encoder = cobs::CobsEncoder::new(&mut out);
        encoder.push(&[0x11, 0x22, 0x00, 0x33]).unwrap();
        let length = encoder.finalize();
        assert_eq!(out[..length], [0x03, 0x11, 0x22, 0x02, 0x33]);
    }

    #[test]
    fn the_longest_payload_fits_and_a_longer_one_is_refused() {
        let mut out = [0; MAX_FRAME];
        for fill in [0, 1, 255] {
            assert!(encode(&[fill; MAX_PAYLOAD], &mut out).is_some());
        }
        assert_eq!(encode(&[1; MAX_PAYLOAD + 1], &mut [0; 2 * MAX_FRAME]), None);
        assert_eq!(encode(&[1; 10], &mut [0; 12]), None);
    }

    fn receive(receiver: &mut FrameReceiver, bytes: &[u8]) -> Vec<Result<Vec<u8>, Damage>> {
        bytes.iter().filter_map(|b| receiver.push(*b).map(|r| r.map(<[u8]>::to_vec))).collect()
    }

    #[test]
    fn an_overlong_frame_is_dropped_and_the_next_is_received() {
        let mut receiver = FrameReceiver::new();
        let mut bytes = vec![7; 5000];
        bytes.push(0);
        let mut out = [0; 64];
        let length = encode(b"next", &mut out).unwrap();
        bytes.extend(&out[..length]);
        assert_eq!(receive(&mut receiver, &bytes), [Err(Damage::Long), Ok(b"next".to_vec())]);
    }

    proptest! {
        #[test]
        fn a_payload_survives_encoding_and_reception(payload in prop::collection::vec(any::<u8>(), 0..MAX_PAYLOAD)) {
            let mut out = [0; MAX_FRAME];
            let length = encode(&payload, &mut out).unwrap();
            prop_assert!(out[..length - 1].iter().all(|b| *b != 0));
            prop_assert_eq!(receive(&mut FrameReceiver::new(), &out[..length]), [Ok(payload)]);
        }

        /// A burst of at most 16 wrong bits is always detected; the next frame is received.
        #[test]
        fn a_burst_error_is_detected(
            payload in prop::collection::vec(any::<u8>(), 1..60),
            at in 0usize..60,
            burst in 1u16..,
        ) {
            let mut out = [0; MAX_FRAME];
            let length = encode(&payload, &mut out).unwrap();
            let mut bytes = out[..length].to_vec();
            let at = at.min(length - 3);
            bytes[at] ^= burst.to_le_bytes()[0];
            bytes[at + 1] ^= burst.to_le_bytes()[1];
            let end = encode(b"ok", &mut out).unwrap();
            bytes.extend(&out[..end]);
            let got = receive(&mut FrameReceiver::new(), &bytes);
            prop_assert_eq!(got.last(), Some(&Ok(b"ok".to_vec())));
            let wrong = got[..got.len() - 1].iter().filter(|r| **r == Ok(payload.clone())).count();
            prop_assert_eq!(wrong, 0);
        }

        #[test]
        fn random_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..4000)) {
            let _ = receive(&mut FrameReceiver::new(), &bytes);
        }
    }
}
