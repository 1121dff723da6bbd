//! What the feeders of both formats share: messages that wait for the next block, a host's channels,
//! and samples that stand in for those it does not give.

use std::ops::Deref;

/// Samples of a part whose channels the host does not give.
pub(super) const SPARE_FRAMES: usize = 1_024;
/// Outputs of the largest layout.
pub(super) const OUTPUTS: usize = 2;
/// Channels of an output.
pub(super) const CHANNELS: usize = 2;

/// Messages that wait for the next block's first sample, a fixed number at most.
pub(super) struct DeferredEvents<T> {
    waiting: Vec<T>,
    /// Messages that found no room, since [`Self::forget`].
    left_out: u64,
}

impl<T> DeferredEvents<T> {
    /// Holds up to `room` messages.
    pub(super) fn with_room(room: usize) -> Self {
        Self { waiting: Vec::with_capacity(room), left_out: 0 }
    }

    /// Keeps a message, or counts it where there is no room.
    pub(super) fn keep(&mut self, message: T) {
        if self.waiting.len() < self.waiting.capacity() {
            self.waiting.push(message);
        } else {
            self.left_out += 1;
        }
    }

    /// Counts messages that found no room elsewhere.
    pub(super) fn leave_out(&mut self, messages: u64) {
        self.left_out += messages;
    }

    /// Drops the first `used` messages.
    pub(super) fn drop_first(&mut self, used: usize) {
        self.waiting.drain(..used);
    }

    /// Drops the messages that are not to `stay`.
    pub(super) fn retain(&mut self, stay: impl FnMut(&T) -> bool) {
        self.waiting.retain(stay);
    }

    /// Drops what waits.
    pub(super) fn silence(&mut self) {
        self.waiting.clear();
    }

    /// Drops what waits; how many messages found no room since the last time.
    pub(super) fn forget(&mut self) -> u64 {
        self.silence();
        std::mem::take(&mut self.left_out)
    }
}

impl<T> Deref for DeferredEvents<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.waiting
    }
}

/// A host's array of `count` values; empty where the pointer or the count cannot be right.
///
/// # Safety
/// `first` is null or begins `count` values that live as long as the slice, and nobody else has them.
pub(super) unsafe fn host_array<'a, T>(first: *mut T, count: impl TryInto<usize>) -> &'a mut [T] {
    if first.is_null() || !first.is_aligned() {
        return &mut [];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts_mut(first, count.try_into().unwrap_or(0)) }
}

/// Fills a channel with silence, if it is there.
///
/// # Safety
/// `start` is null or begins `frames` samples.
pub(super) unsafe fn silence<T: Copy + Default>(start: *mut T, frames: usize) {
    // SAFETY: the caller's promise.
    unsafe { host_array(start, frames) }.fill(T::default());
}

/// A host's channels for the outputs of the layout in force, null where it gives none.
pub(super) struct HostChannels {
    outputs: usize,
    frames: usize,
    starts: [[*mut f32; CHANNELS]; OUTPUTS],
}

impl HostChannels {
    /// None yet, of `outputs` outputs and `frames` samples.
    pub(super) fn new(outputs: usize, frames: u32) -> Self {
        let frames = usize::try_from(frames).unwrap_or(0);
        let starts = [[std::ptr::null_mut(); CHANNELS]; OUTPUTS];
        Self { outputs: outputs.min(OUTPUTS), frames, starts }
    }

    /// Silences a channel of the host's. If the layout has it, it is what the plugin plays into,
    /// unless it shares its samples with a channel taken before.
    ///
    /// # Safety
    /// `start` is null or begins as many samples as the block has.
    pub(super) unsafe fn take(&mut self, output: usize, channel: usize, start: *mut f32) {
        // SAFETY: the caller's promise.
        unsafe { silence(start, self.frames) };
        let is_free = !start.is_null() && start.is_aligned() && !self.is_played_into(start);
        if is_free
            && output < self.outputs
            && let Some(place) = self.starts[output].get_mut(channel)
        {
            *place = start;
        }
    }

    /// Whether the samples from `start` on are a channel's that the plugin plays into.
    fn is_played_into(&self, start: *mut f32) -> bool {
        let bytes = self.frames * size_of::<f32>();
        let mut taken = self.starts.iter().flatten().filter(|taken| !taken.is_null());
        taken.any(|taken| taken.addr().abs_diff(start.addr()) < bytes)
    }

    /// One bit for each of an output's first 64 channels: set where the plugin does not play.
    pub(super) fn silent(&self, starts: &[*mut f32]) -> u64 {
        let heard = starts.iter().take(64).zip(0..);
        heard.fold(u64::MAX, |silent, (start, channel)| {
            silent & !(u64::from(self.is_played_into(*start)) << channel)
        })
    }

    /// Whether the host gives every channel.
    pub(super) fn is_whole(&self) -> bool {
        self.starts[..self.outputs].iter().flatten().all(|start| !start.is_null())
    }

    /// Outputs of the layout in force.
    pub(super) const fn outputs(&self) -> usize {
        self.outputs
    }
}

/// Samples that stand in for channels that a host does not give.
pub(super) struct Spare([[[f32; SPARE_FRAMES]; CHANNELS]; OUTPUTS]);

impl Spare {
    pub(super) fn new() -> Box<Self> {
        Box::new(Self([[[0.0; SPARE_FRAMES]; CHANNELS]; OUTPUTS]))
    }

    /// The channels of a part that begins at sample `begin`: the host's, or these samples where it
    /// gives none.
    ///
    /// # Safety
    /// The host's channels are longer than `begin`.
    pub(super) unsafe fn stand_in(
        &mut self,
        host: &HostChannels,
        begin: usize,
    ) -> [[*mut f32; CHANNELS]; OUTPUTS] {
        let mut starts = host.starts;
        for (start, spare) in starts.iter_mut().flatten().zip(self.0.iter_mut().flatten()) {
            *start = if start.is_null() {
                spare.as_mut_ptr()
            } else {
                // SAFETY: the caller's promise.
                unsafe { start.add(begin) }
            };
        }
        starts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_that_share_samples_are_played_into_once() {
        let mut samples = [7.0_f32; 32];
        let at = |samples: &mut [f32; 32], begin: usize| samples[begin..].as_mut_ptr();
        let (left, right, near) = (at(&mut samples, 0), at(&mut samples, 16), at(&mut samples, 17));
        let mut channels = HostChannels::new(2, 8);
        // SAFETY: 8 samples follow each.
        unsafe {
            channels.take(0, 0, left);
            channels.take(0, 1, right);
            channels.take(1, 0, left);
            channels.take(1, 1, near);
            channels.take(2, 0, at(&mut samples, 8));
            channels.take(0, 2, at(&mut samples, 24));
        }
        assert_eq!(channels.starts, [[left, right], [std::ptr::null_mut(); 2]]);
        assert!(!channels.is_whole());
        assert!(samples.iter().eq(&[0.0; 32]), "not all are silent: {samples:?}");
        assert_eq!(channels.silent(&[left, right]), !3);
        // A channel of its own that the plugin plays into through another is not silent.
        assert_eq!(channels.silent(&[at(&mut samples, 8), near]), !2);
        assert_eq!(channels.silent(&[]), u64::MAX);
        assert_eq!(channels.silent(&[left; 70]), 0);
    }

    #[test]
    fn a_channel_that_is_no_place_for_samples_is_none() {
        let mut samples = [0.0_f32; 16];
        let odd = samples.as_mut_ptr().wrapping_byte_add(2);
        let mut channels = HostChannels::new(1, 8);
        // SAFETY: null and odd places are not written.
        unsafe {
            channels.take(0, 0, std::ptr::null_mut());
            channels.take(0, 1, odd);
        }
        assert_eq!(channels.starts, [[std::ptr::null_mut(); 2]; 2]);
    }

    #[test]
    fn what_finds_no_room_is_counted_until_it_is_told() {
        let mut carried = DeferredEvents::with_room(3);
        let room = carried.waiting.capacity();
        (0..room + 2).for_each(|message| carried.keep(message));
        assert_eq!((carried.len(), carried[0], carried.last()), (room, 0, Some(&(room - 1))));
        carried.leave_out(5);
        carried.drop_first(2);
        assert_eq!((carried.len(), carried[0]), (room - 2, 2));
        carried.keep(77);
        assert_eq!(carried.last(), Some(&77));
        carried.silence();
        assert_eq!((carried.len(), carried.left_out), (0, 7));
        carried.keep(1);
        assert_eq!((carried.forget(), carried.len(), carried.forget()), (7, 0, 0));
    }

    #[test]
    fn only_channels_that_are_not_given_have_a_stand_in() {
        let (mut spare, mut left) = (Spare::new(), [0.0f32; 8]);
        let mut host = HostChannels::new(1, 8);
        // SAFETY: eight samples; null is not written.
        unsafe {
            host.take(0, 0, left.as_mut_ptr());
            host.take(0, 1, std::ptr::null_mut());
        }
        // SAFETY: the only channel is longer than 5 samples.
        let [[first, second], missing] = unsafe { spare.stand_in(&host, 5) };
        assert_eq!(first, left[5..].as_mut_ptr());
        assert_eq!(second, spare.0[0][1].as_mut_ptr());
        assert!(missing[0] != missing[1] && missing.iter().all(|start| !start.is_null()));
    }
}
