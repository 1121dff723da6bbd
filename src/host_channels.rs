//! A host's audio channels, and spare samples for the channels that a host omits, for CLAP and VST3
//! alike. Audio thread, but for [`SpareChannels::new`], which allocates.

/// Most samples of a part of a block whose host omits a channel.
const SPARE_FRAMES: usize = 1_024;
/// Outputs of the largest layout.
pub(super) const OUTPUTS: usize = 2;
/// Channels of an output.
pub(super) const CHANNELS: usize = 2;

/// A host's array of `count` values; empty where the pointer is null or misaligned, or the count
/// negative.
///
/// # Safety
/// `first` is null or points to `count` values that are valid as long as the slice and not borrowed
/// elsewhere.
pub(super) unsafe fn host_array<'a, T>(first: *mut T, count: impl TryInto<usize>) -> &'a mut [T] {
    if first.is_null() || !first.is_aligned() {
        return &mut [];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts_mut(first, count.try_into().unwrap_or(0)) }
}

/// Fills a channel with zeros, if the host provides it.
///
/// # Safety
/// `start` is null or begins `frames` samples.
pub(super) unsafe fn silence<T: Copy + Default>(start: *mut T, frames: usize) {
    // SAFETY: the caller's promise.
    unsafe { host_array(start, frames) }.fill(T::default());
}

/// A host's channels for the outputs of the current layout, null where the host omits one.
pub(super) struct HostChannels {
    outputs: usize,
    frames: usize,
    starts: [[*mut f32; CHANNELS]; OUTPUTS],
}

impl HostChannels {
    /// No channel yet, for `outputs` outputs of `frames` samples.
    pub(super) fn new(outputs: usize, frames: u32) -> Self {
        let frames = usize::try_from(frames).unwrap_or(0);
        let starts = [[std::ptr::null_mut(); CHANNELS]; OUTPUTS];
        Self { outputs: outputs.min(OUTPUTS), frames, starts }
    }

    /// Silences a channel of the host. The plugin plays into the channel if the layout has it, unless
    /// it shares samples with a channel added before.
    ///
    /// # Safety
    /// `start` is null or begins as many samples as the block has.
    pub(super) unsafe fn add(&mut self, output: usize, channel: usize, start: *mut f32) {
        // SAFETY: the caller's promise.
        unsafe { silence(start, self.frames) };
        let is_free = !start.is_null() && start.is_aligned() && !self.is_played_into(start);
        if is_free
            && output < self.outputs
            && let Some(slot) = self.starts[output].get_mut(channel)
        {
            *slot = start;
        }
    }

    /// Whether the plugin plays into the block's samples from `start` on.
    fn is_played_into(&self, start: *mut f32) -> bool {
        let bytes = self.frames * size_of::<f32>();
        let mut used = self.starts.iter().flatten().filter(|used| !used.is_null());
        used.any(|used| used.addr().abs_diff(start.addr()) < bytes)
    }

    /// One bit for each of an output's first 64 channels: 1 where the plugin does not play.
    pub(super) fn silence_flags(&self, starts: &[*mut f32]) -> u64 {
        starts.iter().take(64).zip(0..).fold(u64::MAX, |silent, (start, channel)| {
            silent & !(u64::from(self.is_played_into(*start)) << channel)
        })
    }

    /// Whether the host provides every channel.
    fn is_complete(&self) -> bool {
        self.starts[..self.outputs].iter().flatten().all(|start| !start.is_null())
    }

    /// Most samples of a part: the block's, or as many as there are spare ones.
    pub(super) fn longest_part(&self) -> u32 {
        let frames = if self.is_complete() { self.frames } else { SPARE_FRAMES };
        u32::try_from(frames).unwrap_or(1)
    }

    /// Outputs of the current layout.
    pub(super) const fn outputs(&self) -> usize {
        self.outputs
    }
}

/// Samples for the channels that a host omits.
pub(super) struct SpareChannels([[[f32; SPARE_FRAMES]; CHANNELS]; OUTPUTS]);

impl SpareChannels {
    pub(super) fn new() -> Box<Self> {
        Box::new(Self([[[0.0; SPARE_FRAMES]; CHANNELS]; OUTPUTS]))
    }

    /// The channels of a part that begins at sample `begin`: the host's, or spare samples for those
    /// that the host omits.
    ///
    /// # Safety
    /// The host's channels are longer than `begin`.
    pub(super) unsafe fn substitute(
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
            channels.add(0, 0, left);
            channels.add(0, 1, right);
            channels.add(1, 0, left);
            channels.add(1, 1, near);
            channels.add(2, 0, at(&mut samples, 8));
            channels.add(0, 2, at(&mut samples, 24));
        }
        assert_eq!(channels.starts, [[left, right], [std::ptr::null_mut(); 2]]);
        assert!(!channels.is_complete());
        assert!(samples.iter().eq(&[0.0; 32]), "not all are silent: {samples:?}");
        assert_eq!(channels.silence_flags(&[left, right]), !3);
        // A channel that overlaps one the plugin plays into is not silent.
        assert_eq!(channels.silence_flags(&[at(&mut samples, 8), near]), !2);
        assert_eq!(channels.silence_flags(&[]), u64::MAX);
        assert_eq!(channels.silence_flags(&[left; 70]), 0);
    }

    #[test]
    fn null_and_misaligned_channels_are_omitted() {
        let mut samples = [0.0_f32; 16];
        let odd = samples.as_mut_ptr().wrapping_byte_add(2);
        let mut channels = HostChannels::new(1, 8);
        // SAFETY: null and misaligned channels are not written.
        unsafe {
            channels.add(0, 0, std::ptr::null_mut());
            channels.add(0, 1, odd);
        }
        assert_eq!(channels.starts, [[std::ptr::null_mut(); 2]; 2]);
    }

    #[test]
    fn only_omitted_channels_are_substituted() {
        let (mut spare, mut left) = (SpareChannels::new(), [0.0f32; 8]);
        let mut host = HostChannels::new(1, 8);
        // SAFETY: eight samples; null is not written.
        unsafe {
            host.add(0, 0, left.as_mut_ptr());
            host.add(0, 1, std::ptr::null_mut());
        }
        // SAFETY: the only channel is longer than 5 samples.
        let [[first, second], missing] = unsafe { spare.substitute(&host, 5) };
        assert_eq!(first, left[5..].as_mut_ptr());
        assert_eq!(second, spare.0[0][1].as_mut_ptr());
        assert!(missing[0] != missing[1] && missing.iter().all(|start| !start.is_null()));
    }
}
