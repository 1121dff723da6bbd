//! The laboratory's CLAP host for tests: errors panic, events carry samples since the last reset, and the
//! samples are kept.

pub use clack_host::prelude::{PluginEntry, ProcessStatus};
pub use touchback_command::host::{Message, Sent};

use clack_extensions::tail::TailLength;
use touchback_command::host::{self, ClapId, Host, Timed};
use touchback_instrument::host::params::Parameter;

/// Longest block, samples.
const LONGEST: u32 = 16_384;

/// The library that cargo built beside this test.
pub fn library() -> PluginEntry {
    host::entry(&host::find().expect("the library is built")).expect("a plugin")
}

/// CLAP id of a parameter.
pub fn clap_id(parameter: &Parameter) -> ClapId {
    ClapId::new(parameter.host_id())
}

/// The message that moves the control of `parameter`: 0…1, or the index of a choice.
pub fn control(parameter: &Parameter, position: f64) -> Message {
    Message::Parameter(clap_id(parameter), position)
}

/// The message that releases a note with a middle velocity.
pub const fn off(note: i16) -> Message {
    Message::NoteOff(note, 0.5)
}

/// One plugin instance.
pub struct Plugin {
    pub host: Host,
    processor: Option<Processor>,
}

/// The audio half of an instance; may go to another thread.
pub struct Processor {
    processor: host::Processor,
    /// Messages from the plugin, with samples since the last reset.
    pub sent: Vec<(usize, Sent)>,
}

impl Plugin {
    pub fn new(entry: &PluginEntry) -> Self {
        Self { host: Host::new(entry).expect("an instance"), processor: None }
    }

    pub fn deactivate(&mut self) {
        if let Some(processor) = self.processor.take() {
            self.host.give_back(processor.processor);
        }
        self.host.deactivate();
    }

    pub fn activate(&mut self, sample_rate: f64) -> Result<(), String> {
        self.deactivate();
        self.host.activate(sample_rate, LONGEST).map_err(|e| e.to_string())?;
        let processor = self.host.take_processor().expect("active");
        self.processor = Some(Processor { processor, sent: Vec::new() });
        Ok(())
    }

    pub fn active(entry: &PluginEntry, sample_rate: f64) -> Self {
        let mut plugin = Self::new(entry);
        plugin.activate(sample_rate).expect("no activation");
        plugin
    }

    pub fn processor(&mut self) -> &mut Processor {
        self.processor.as_mut().expect("not active")
    }

    pub fn take_processor(&mut self) -> Processor {
        self.processor.take().expect("not active")
    }

    pub fn give_back(&mut self, processor: Processor) {
        self.processor = Some(processor);
    }

    pub fn save(&mut self) -> Vec<u8> {
        self.host.save().expect("not saved")
    }

    pub fn load(&mut self, bytes: &[u8]) -> bool {
        self.host.restore(bytes).is_ok()
    }

    /// Position of the parameter's control.
    pub fn control(&mut self, parameter: &Parameter) -> f64 {
        self.host.value(clap_id(parameter)).expect("no such parameter")
    }

    /// Position of the control for a text.
    pub fn control_at(&mut self, parameter: &Parameter, text: &str) -> Option<f64> {
        self.host.value_of(clap_id(parameter), text).ok()
    }

    /// Text for a position of the control.
    pub fn text(&mut self, parameter: &Parameter, control: f64) -> String {
        self.host.text_of(clap_id(parameter), control).expect("a text")
    }
}

impl Drop for Plugin {
    fn drop(&mut self) {
        self.deactivate();
    }
}

impl Processor {
    pub fn reset(&mut self) {
        self.processor.reset();
        self.sent.clear();
    }

    /// Samples since the last reset.
    pub fn now(&self) -> usize {
        usize::try_from(self.processor.at()).unwrap()
    }

    pub fn tail(&mut self) -> TailLength {
        self.processor.tail().expect("a tail")
    }

    /// Renders blocks of these lengths; events must be in order.
    pub fn render(
        &mut self,
        blocks: impl IntoIterator<Item = usize>,
        events: &[(usize, Message)],
    ) -> Vec<[f32; 2]> {
        let mut rendered = Vec::new();
        for length in blocks {
            self.block(length, events, &mut rendered);
        }
        rendered
    }

    /// Renders one block and returns the plugin's status.
    pub fn block(
        &mut self,
        length: usize,
        events: &[(usize, Message)],
        into: &mut Vec<[f32; 2]>,
    ) -> ProcessStatus {
        let now = self.now();
        let messages: Vec<Timed> = events
            .iter()
            .filter(|(sample, _)| (now..now + length).contains(sample))
            .map(|(sample, what)| Timed { at: u32::try_from(sample - now).unwrap(), what: *what })
            .collect();
        // NaN in the buffers shows samples that the plugin did not write.
        let (mut left, mut right) = (vec![f32::NAN; length], vec![f32::NAN; length]);
        let status = self.processor.process(&messages, &mut left, &mut right).expect("processed");
        let sent = self.processor.sent();
        self.sent.extend(sent.map(|(at, what)| (now + usize::try_from(at).unwrap(), what)));
        into.extend(left.into_iter().zip(right).map(|(l, r)| [l, r]));
        status
    }
}

/// Lengths with the sum `total`: `size` each, and a shorter last one.
pub fn blocks(total: usize, size: usize) -> impl Iterator<Item = usize> {
    (0..total.div_ceil(size)).map(move |i| size.min(total - i * size))
}

/// The bits of the samples, for exact comparison.
pub fn bits(samples: &[[f32; 2]]) -> Vec<[u32; 2]> {
    samples.iter().map(|[l, r]| [l.to_bits(), r.to_bits()]).collect()
}
