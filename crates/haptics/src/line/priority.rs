//! Real-time priority of the thread that serves a keyboard, where the system grants it.

/// Priority of the thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Priority {
    /// Not yet requested.
    #[default]
    Unknown,
    /// Real time: the thread precedes every ordinary one.
    RealTime,
    /// Refused by the system: other threads may delay the thread.
    Usual,
}

/// Requests real-time priority for the calling thread: first in, first out, priority 50, below the thread
/// of the sound card.
#[cfg(unix)]
#[must_use]
pub fn raise() -> Priority {
    use thread_priority::{
        RealtimeThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy,
        set_thread_priority_and_policy, thread_native_id,
    };
    let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
    let granted = ThreadPriority::try_from(50u8)
        .is_ok_and(|p| set_thread_priority_and_policy(thread_native_id(), p, policy).is_ok());
    if granted { Priority::RealTime } else { Priority::Usual }
}

/// Requests the highest priority for the calling thread.
#[cfg(not(unix))]
#[must_use]
pub fn raise() -> Priority {
    let highest = thread_priority::ThreadPriority::Max;
    let granted = thread_priority::set_current_thread_priority(highest).is_ok();
    if granted { Priority::RealTime } else { Priority::Usual }
}
