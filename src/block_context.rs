//! Everything that takes part in one block: host, window, motorized keyboard, tuning and controllers.
//! Audio thread.

use nice_plug::prelude::{Plugin, ProcessContext};

use crate::event_reader::{EventReader, Received};
use crate::haptic_keyboard::Haptics;
use crate::host_params::HostValues;
use crate::host_params::steering::Steering;
use crate::notes;
use crate::system_exclusive::{HostTunings, SystemExclusive};
use crate::tuning::{Client, OutsideTuning};
use touchback_instrument::host::midi::InputMessage;
use touchback_instrument::play::event_scheduler::Host;
use touchback_instrument::watch::monitor::AudioEnd;
use touchback_instrument::{Event, Piano, Settings};

/// The participants of one block.
pub(super) struct BlockContext<'a, P: Plugin> {
    pub(super) context: &'a mut dyn ProcessContext<P>,
    /// Changes of the pedals' parameters, at the block's first sample.
    pub(super) pedals: std::array::IntoIter<Option<InputMessage>, 3>,
    pub(super) events: EventReader<SystemExclusive>,
    pub(super) system: &'a mut HostTunings,
    pub(super) window: &'a mut AudioEnd,
    pub(super) haptics: Option<&'a Haptics>,
    pub(super) tuning: &'a OutsideTuning<Client>,
    pub(super) settings: &'a Settings,
    /// The parameters that controllers move.
    pub(super) steering: &'a mut Steering,
    /// The host's values, without those of controllers.
    pub(super) values: &'a HostValues,
    /// The settings since a controller moved a parameter in this block.
    pub(super) steered: Option<Settings>,
    /// The tuning of the note returned last, which follows the note.
    pub(super) tuned: Option<(u32, InputMessage)>,
    /// Events that the host did not accept.
    pub(super) unsent: &'a mut u64,
    /// Notes that the tuning master filters.
    pub(super) unmapped: &'a mut u64,
}

impl<P: Plugin<SysExMessage = SystemExclusive>> Host for BlockContext<'_, P> {
    fn next(&mut self) -> Option<(u32, InputMessage)> {
        if let Some(tuned) = self.tuned.take() {
            return Some(tuned);
        }
        if let Some(moved) = self.pedals.find_map(|moved| moved) {
            self.window.record(0, &moved);
            return Some((0, moved));
        }
        loop {
            if let Some(tuning) = self.system.next() {
                return Some(tuning);
            }
            let (offset, message) = match self.events.next(|| self.context.next_event())? {
                (offset, Received::Message(message)) => (offset, message),
                (offset, Received::System(message)) => {
                    self.system.follow(offset, message);
                    continue;
                }
            };
            if let InputMessage::Controller { channel, number, value } = message {
                self.system.control(offset, channel, number, value);
            }
            if let InputMessage::NoteOn { channel, note, velocity, .. } = message
                && velocity > 0.0
            {
                if self.tuning.filters(channel, note, self.settings) {
                    *self.unmapped += 1;
                    continue;
                }
                let tuned = self.tuning.channel_message(channel, note, self.settings);
                self.tuned = tuned.map(|message| (offset, message));
            }
            self.window.record(offset, &message);
            return Some((offset, message));
        }
    }

    fn steer(&mut self, message: &InputMessage) -> bool {
        let InputMessage::Controller { number, value, .. } = *message else { return false };
        self.steering.take(number, value, self.values)
    }

    fn steered(&mut self) -> Option<&Settings> {
        let values = self.steering.apply(self.values);
        let (scale, keys) = (&self.settings.sound.scale, self.settings.key_sheet());
        let mechanism = &self.settings.action.mechanism;
        Some(self.steered.insert(crate::active::settings(values, scale, mechanism, &keys)))
    }

    fn on_event(&mut self, event: &Event, settings: &Settings) {
        if let Some(haptics) = self.haptics {
            haptics.on_event(event, settings);
        }
    }

    fn rendered(&mut self, piano: &Piano, begin: u64) {
        for sent in piano.outgoing() {
            let offset = u32::try_from(sent.sample.saturating_sub(begin)).unwrap_or(u32::MAX);
            for event in notes::events(&sent.what, piano.settings(), offset) {
                *self.unsent += u64::from(self.context.try_send_event(event).is_err());
            }
        }
    }
}
