//! The audio half of the host: blocks and their messages.

use anyhow::{Context, Result, anyhow, bail};
use clack_extensions::tail::{PluginTail, TailLength};
use clack_host::events::event_types::{
    MidiEvent, MidiSysExEvent, NoteChokeEvent, NoteExpressionEvent, NoteExpressionType,
    NoteOffEvent, NoteOnEvent, ParamValueEvent,
};
use clack_host::events::spaces::CoreEventSpace;
use clack_host::prelude::*;
use clack_host::utils::ClapId;

use super::Handlers;

/// Something sent to the plugin. Notes are MIDI's 0…127; others pass as they are.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Message {
    /// Note pressed, velocity 0…1.
    NoteOn(i16, f64),
    /// Note released, velocity 0…1.
    NoteOff(i16, f64),
    /// Note cut off.
    Choke(i16),
    /// A note expression and its value.
    Express(i16, NoteExpressionType, f64),
    /// Bytes of a MIDI message.
    Midi([u8; 3]),
    /// Bytes of a system exclusive message.
    System(&'static [u8]),
    /// A parameter by its CLAP id, in the plugin's own scale ([`super::Host::value_of`]).
    Parameter(ClapId, f64),
}

/// Something the plugin sent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Sent {
    /// Note 0…127 pressed, velocity 0…1.
    NoteOn(u16, f64),
    /// Note released.
    NoteOff(u16),
    /// Bytes of a MIDI message.
    Midi([u8; 3]),
}

/// A message and its sample within the block.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Timed {
    /// Sample after the block's first.
    pub at: u32,
    /// The message.
    pub what: Message,
}

/// The audio half of an active instance.
pub struct Processor {
    processor: StartedPluginAudioProcessor<Handlers>,
    ports: AudioPorts,
    inputs: EventBuffer,
    outputs: EventBuffer,
    /// Samples since activation.
    at: u64,
    max_block: usize,
}

impl Processor {
    pub(super) fn new(processor: StartedPluginAudioProcessor<Handlers>, max_block: usize) -> Self {
        Self {
            processor,
            ports: AudioPorts::with_capacity(2, 1),
            inputs: EventBuffer::with_capacity(1024),
            outputs: EventBuffer::with_capacity(1024),
            at: 0,
            max_block,
        }
    }

    pub(super) fn stop(self) -> StoppedPluginAudioProcessor<Handlers> {
        self.processor.stop_processing()
    }

    /// Silence, as after activation.
    pub fn reset(&mut self) {
        self.processor.reset();
        self.at = 0;
    }

    /// Samples since activation or reset.
    #[must_use]
    pub const fn at(&self) -> u64 {
        self.at
    }

    /// Length of the plugin's tail.
    ///
    /// # Errors
    /// The plugin does not report it.
    pub fn tail(&mut self) -> Result<TailLength> {
        let handle = self.processor.plugin_handle();
        let tail: PluginTail = handle.get_extension().context("no tail")?;
        Ok(tail.get(&handle))
    }

    /// Processes one block of both channels (equal lengths); `messages` in any order, those of one
    /// sample in the order given. What the plugin wants next.
    ///
    /// # Errors
    /// When the block is too long, or the plugin failed.
    pub fn process(
        &mut self,
        messages: &[Timed],
        left: &mut [f32],
        right: &mut [f32],
    ) -> Result<ProcessStatus> {
        if left.len() != right.len() || left.is_empty() || left.len() > self.max_block {
            bail!("a block of {} samples where 1…{} fit", left.len(), self.max_block);
        }
        self.inputs.clear();
        for message in messages {
            push(&mut self.inputs, message);
        }
        self.inputs.sort();
        self.outputs.clear();
        let frames = left.len() as u64;
        let mut outputs = self.ports.with_output_buffers([AudioPortBuffer {
            latency: 0,
            channels: AudioPortBufferType::f32_output_only([left, right]),
        }]);
        let status = self
            .processor
            .process(
                &InputAudioBuffers::empty(),
                &mut outputs,
                &self.inputs.as_input(),
                &mut self.outputs.as_output(),
                Some(self.at),
                None,
            )
            .map_err(|e| anyhow!("the plugin failed to process: {e}"))?;
        self.at += frames;
        Ok(status)
    }

    /// Messages from the plugin in the last block, with their samples.
    pub fn sent(&self) -> impl Iterator<Item = (u32, Sent)> {
        let note = |address: Pckn| address.key.into_specific();
        self.outputs.iter().filter_map(move |event| {
            let what = match event.as_core_event()? {
                CoreEventSpace::NoteOn(on) => Sent::NoteOn(note(on.pckn())?, on.velocity()),
                CoreEventSpace::NoteOff(off) => Sent::NoteOff(note(off.pckn())?),
                CoreEventSpace::Midi(midi) => Sent::Midi(midi.data()),
                _ => return None,
            };
            Some((event.header().time(), what))
        })
    }
}

fn push(events: &mut EventBuffer, message: &Timed) {
    let at = message.at;
    let note = |key: i16| Pckn::from_raw(0, 0, key, -1);
    match message.what {
        Message::NoteOn(key, velocity) => events.push(&NoteOnEvent::new(at, note(key), velocity)),
        Message::NoteOff(key, velocity) => events.push(&NoteOffEvent::new(at, note(key), velocity)),
        Message::Choke(key) => events.push(&NoteChokeEvent::new(at, note(key))),
        Message::Express(key, what, value) => {
            events.push(&NoteExpressionEvent::new(at, note(key), what, value));
        }
        Message::Midi(bytes) => events.push(&MidiEvent::new(at, 0, bytes)),
        // SAFETY: the bytes outlive every event.
        Message::System(bytes) => events.push(&unsafe { MidiSysExEvent::new(at, 0, bytes) }),
        Message::Parameter(id, value) => {
            events.push(&ParamValueEvent::new(at, id, Pckn::match_all(), value));
        }
    }
}
