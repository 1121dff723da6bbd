//! Claims about the whole instrument.
#![allow(clippy::disallowed_methods, reason = "results are compared with the system's functions")]

mod engines;
mod extremes;
mod grand_action;
mod hard_press;
mod instruments;
mod keyboard;
mod other_actions;
mod pipeline;
mod presets;
mod regulation;
mod repeated_notes;
mod shank;
mod silence;
mod slow_press;
mod touch;
