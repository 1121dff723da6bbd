//! Strings, felt, dampers, bridge and board: strikes in, sound out, nothing back.
//!
//! | module | part |
//! | --- | --- |
//! | [`temperament`], [`scala`], [`tuning`], [`scale`], [`hammer`], [`loss`] | what strings are made of: plain data and laws |
//! | [`contact`] | felt against string, solved implicitly; one strike offline |
//! | [`unison`] | the strings of a note joined by the bridge, as independent modes |
//! | [`bank`], [`poles`], [`note`] | the ringing modes of all notes and their states |
//! | [`overtones`] | phantom partials of the bass, duplex of the treble |
//! | [`board`], [`evenness`], [`shared_board`], [`convolve`], [`knock`], [`room`], [`output`] | from bridge force to two channels |
//! | [`engine`], [`settings`] | the whole, and what may be set |
//! | [`measure`] | measurements on rendered sound |

pub mod bank;
pub mod board;
pub mod contact;
pub mod convolve;
pub mod engine;
pub mod evenness;
pub mod glide;
pub mod hammer;
pub mod knock;
pub mod loss;
pub mod measure;
pub mod microphones;
pub mod note;
pub mod output;
pub mod overtones;
pub mod pickup;
pub mod poles;
pub mod resonances;
pub mod room;
pub mod scala;
pub mod scale;
pub mod settings;
pub mod shared_board;
pub mod slow_rate;
pub mod temperament;
pub mod tuning;
pub mod unison;

pub use engine::Sound;
pub use knock::Knock;
pub use settings::SoundSettings;
