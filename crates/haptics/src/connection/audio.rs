//! The audio thread's end of a connection: no allocation, lock or wait.

use crate::action::Action;
use crate::record::live::LiveReplay;
use crate::record::replay::{Replay, ReplayEvent};
use crate::sidecar::KeyPress;
use touchback_action::ActionSettings;
use touchback_core::exchange::{latest, queue};
use touchback_core::math::compass::{KEYS, KeyNumber};

/// One port of a keyboard, or a take, for the audio thread.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) source: Source,
    pub(super) settings: Option<latest::LatestWriter<ActionSettings>>,
    pub(super) notes: Option<queue::Sender<KeyPress>>,
}

/// Source of a member's events.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a keyboard has few members")]
pub(super) enum Source {
    /// A running servo.
    Live(LiveReplay),
    /// A recorded log.
    Take(Replay),
}

impl Source {
    /// Restarts the count of samples at 0.
    fn restart(&mut self) {
        match self {
            Self::Live(live) => live.restart(),
            Self::Take(replay) => replay.restart(),
        }
    }

    /// The keys' action.
    const fn action(&self) -> Action {
        match self {
            Self::Live(live) => live.action(),
            Self::Take(replay) => replay.action(),
        }
    }

    /// Lowers every damper that was reported as lifted.
    fn lower_dampers(&mut self, mut emit: impl FnMut(ReplayEvent<'_>)) {
        let lower = |event: &_| emit(ReplayEvent::Event(0.0, event));
        match self {
            Self::Live(live) => live.lower_dampers(lower),
            Self::Take(replay) => replay.lower_dampers(lower),
        }
    }

    /// Calls `emit` for every event and every step in the `length` samples from `now` on.
    fn watch(&mut self, now: u64, length: usize, emit: impl FnMut(ReplayEvent<'_>)) {
        match self {
            Self::Live(live) => live.watch(now, length, emit),
            Self::Take(replay) => replay.watch(now, length, emit),
        }
    }
}

/// A keyboard or take for the audio thread.
#[derive(Debug)]
pub(super) struct Joined {
    members: Vec<Member>,
    /// Index of the member that moved each key first: a key that several ports have sounds from one of them.
    owners: [Option<usize>; KEYS],
    /// The settings have not been sent to the keyboard since it was opened.
    is_new: bool,
}

impl Joined {
    /// A keyboard behind the ports `members`, or a take. Allocates nothing.
    pub(super) const fn new(members: Vec<Member>) -> Self {
        Self { members, owners: [None; KEYS], is_new: true }
    }

    fn settings(&mut self) -> impl Iterator<Item = &mut latest::LatestWriter<ActionSettings>> {
        self.members.iter_mut().filter_map(|member| member.settings.as_mut())
    }
}

/// The audio thread's end: what the servo has published, or the replay of a recorded log.
#[derive(Debug)]
pub struct KeyboardAudioEnd {
    joining: queue::Receiver<Option<Box<Joined>>>,
    /// Returns replaced keyboards and takes, which another thread frees.
    retired: queue::Sender<Box<Joined>>,
    joined: Option<Box<Joined>>,
}

impl KeyboardAudioEnd {
    /// An end without a keyboard, with both queues.
    pub(super) const fn new(
        joining: queue::Receiver<Option<Box<Joined>>>,
        retired: queue::Sender<Box<Joined>>,
    ) -> Self {
        Self { joining, retired, joined: None }
    }

    /// A keyboard or take is open or about to be: the host must not put the plugin to sleep.
    #[must_use]
    pub fn is_joined(&self) -> bool {
        self.joined.is_some() || self.joining.waiting() > 0
    }

    /// Sends new settings of the action to the keyboard.
    pub fn regulate(&mut self, settings: &ActionSettings) {
        let joined = self.joined.iter_mut();
        joined
            .flat_map(|joined| joined.settings())
            .for_each(|writer| writer.write(settings.clone()));
    }

    /// A host note presses `key` at a fingertip speed of `speed`, m/s, or releases it at 0. The sidecar decides
    /// whether the note may move the key.
    pub fn note(&self, key: KeyNumber, speed: f64) {
        let members = self.joined.iter().flat_map(|joined| &joined.members);
        for notes in members.filter_map(|member| member.notes.as_ref()) {
            // The queue is full only if the sidecar has stopped; then the note is dropped.
            let _ = notes.send(KeyPress { key, speed });
        }
    }

    /// Restarts the count of samples at 0.
    pub fn restart(&mut self) {
        let joined = self.joined.iter_mut();
        joined.flat_map(|joined| &mut joined.members).for_each(|member| member.source.restart());
    }

    /// The action of the keyboard or take.
    #[must_use]
    pub fn action(&self) -> Option<Action> {
        Some(self.joined.as_ref()?.members.first()?.source.action())
    }

    /// Calls `emit` for every event and every step of a key in the `length` samples from `now` on. `settings` are
    /// the present settings of the action.
    pub fn block(
        &mut self,
        now: u64,
        length: usize,
        settings: &ActionSettings,
        mut emit: impl FnMut(ReplayEvent<'_>),
    ) {
        while let Some(next) = self.joining.receive() {
            if let Some(mut old) = std::mem::replace(&mut self.joined, next) {
                for member in &mut old.members {
                    member.source.lower_dampers(&mut emit);
                }
                if let Err(old) = self.retired.send(old) {
                    // Only if the other end is gone. This thread must not free memory.
                    std::mem::forget(old);
                }
            }
        }
        let Some(joined) = &mut self.joined else { return };
        if std::mem::take(&mut joined.is_new) {
            joined.settings().for_each(|writer| writer.write(settings.clone()));
        }
        for (index, member) in joined.members.iter_mut().enumerate() {
            let owners = &mut joined.owners;
            member.source.watch(now, length, |output| {
                let key = match &output {
                    ReplayEvent::Event(_, event) => event.key,
                    ReplayEvent::Step(step) => step.key,
                };
                if *owners[key.index()].get_or_insert(index) == index {
                    emit(output);
                }
            });
        }
    }
}
