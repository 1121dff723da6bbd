//! Real-time priority for the thread that serves a keyboard, where the system grants it.

/// Priority granted to the thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Priority {
    /// Not yet asked for.
    #[default]
    Unknown,
    /// Granted: scheduled before every ordinary thread.
    RealTime,
    /// Refused by the system: the thread may be delayed by any other.
    Usual,
}

/// Asks for real time for the calling thread: first in, first out, in the middle of the range,
/// below what drives the sound card.
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

/// Asks for the highest priority for the calling thread.
#[cfg(not(unix))]
#[must_use]
pub fn raise() -> Priority {
    let highest = thread_priority::ThreadPriority::Max;
    let granted = thread_priority::set_current_thread_priority(highest).is_ok();
    if granted { Priority::RealTime } else { Priority::Usual }
}
