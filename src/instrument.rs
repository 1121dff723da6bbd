//! The piano: gestures through the action to the strings.

pub mod event;
pub mod piano;
pub mod settings;

pub use event::Event;
pub use piano::Piano;
pub use settings::Settings;
