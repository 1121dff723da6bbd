use super::*;
use std::cell::Cell;

use nice_plug::context::process::{SendEventError, Transport};
use nice_plug::prelude::PluginNoteEvent;

#[test]
fn the_plugins_ids_never_change() {
    assert_eq!(Touchback::CLAP_ID, "org.touchback.touchback");
    assert_eq!(&Touchback::VST3_CLASS_ID, b"TouchbackPiano01");
}

/// A wrapper that panics at a request for events if `panics` is set.
struct Wrapper {
    transport: Transport,
    panics: Cell<bool>,
    requests: Cell<u32>,
}

impl ActivateContext<Touchback> for Wrapper {
    fn plugin_api(&self) -> PluginApi {
        PluginApi::Clap
    }
    fn execute(&self, (): ()) {}
    fn set_latency_samples(&self, _: u32) {}
    fn set_current_voice_capacity(&self, _: u32) {}
}

impl ProcessContext<Touchback> for Wrapper {
    fn plugin_api(&self) -> PluginApi {
        PluginApi::Clap
    }
    fn execute_background(&self, (): ()) {}
    fn execute_gui(&self, (): ()) {}
    fn transport(&self) -> &Transport {
        &self.transport
    }
    fn next_event(&mut self) -> Option<PluginNoteEvent<Touchback>> {
        self.requests.set(self.requests.get() + 1);
        assert!(!self.panics.get(), "as a test");
        None
    }
    fn try_send_event(
        &mut self,
        event: PluginNoteEvent<Touchback>,
    ) -> Result<(), (PluginNoteEvent<Touchback>, SendEventError)> {
        Err((event, SendEventError::NoOutputBuffer))
    }
    fn set_latency_samples(&self, _: u32) {}
    fn request_restart(&self) {}
    fn set_current_voice_capacity(&self, _: u32) {}
}

/// Processes a block into buffers with large values; returns its status and each output's peak.
fn play(plugin: &mut Touchback, wrapper: &mut Wrapper) -> (ProcessStatus, [f32; 2]) {
    let mut samples = [[[f32::MAX; 64]; 2]; 2];
    let [near, far] = &mut samples;
    let buffer = |channels: &mut [[f32; 64]; 2]| {
        let mut buffer = Buffer::default();
        // SAFETY: both channels are as long as the buffer, and outlive it.
        unsafe {
            buffer.set_slices(64, |slices| {
                slices.clear();
                for channel in channels {
                    slices.push(&mut *std::ptr::from_mut(channel));
                }
            });
        }
        buffer
    };
    let (mut near, mut far) = (buffer(near), [buffer(far)]);
    let mut aux = AuxiliaryBuffers { inputs: &mut [], outputs: &mut far };
    let status = plugin.process(&mut near, &mut aux, wrapper);
    let loudest = |output: &[[f32; 64]; 2]| {
        output.iter().flatten().fold(0.0_f32, |peak, sample| peak.max(sample.abs()))
    };
    (status, samples.each_ref().map(loudest))
}

#[test]
fn a_panic_in_a_block_silences_the_plugin() {
    let mut plugin = Touchback::default();
    let (transport, panics, requests) = (Transport::new(48_000.0), Cell::new(false), Cell::new(0));
    let mut wrapper = Wrapper { transport, panics, requests };
    let config = BufferConfig {
        sample_rate: 48_000.0,
        min_buffer_size: None,
        max_buffer_size: 64,
        process_mode: ProcessMode::Realtime,
    };
    let layout = &Touchback::AUDIO_IO_LAYOUTS[1];
    assert!(plugin.activate(layout, &config, &mut wrapper));
    let (status, peaks) = play(&mut plugin, &mut wrapper);
    assert!(!matches!(status, ProcessStatus::Error(_)) && peaks.iter().all(|peak| *peak < 1e-3));

    wrapper.panics.set(true);
    let (status, peaks) = play(&mut plugin, &mut wrapper);
    assert!(matches!(status, ProcessStatus::Error(_)), "{status:?}");
    assert_eq!(peaks, [0.0; 2]);
    // Afterwards only `deactivate` runs, which closes a keyboard's port.
    wrapper.panics.set(false);
    let requests = wrapper.requests.get();
    let (status, peaks) = play(&mut plugin, &mut wrapper);
    assert!(matches!(status, ProcessStatus::Error(_)), "{status:?}");
    assert_eq!((peaks, wrapper.requests.get()), ([0.0; 2], requests));
    plugin.reset();
    plugin.deactivate();
    assert!(plugin.active.as_ref().is_some_and(|active| active.haptics.is_none()));
    assert!(!plugin.activate(layout, &config, &mut wrapper));
}
