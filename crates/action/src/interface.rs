//! The interface of all actions: settings, drives, events and readings of a key.
//!
//! | module | content |
//! | --- | --- |
//! | [`kind`] | list of actions |
//! | [`settings`] | regulation and parts, as a technician sets them |
//! | [`key_sheet`] | differences of single keys from the settings |
//! | [`slew`] | gradual change of settings during play |
//! | [`key`] | one key of any action |
//! | [`mechanism`] | mechanisms from files, and the settings that carry one |
//! | [`graph`] | submodels and transitions |
//! | [`port`], [`trajectory`], [`finger`], [`hand`] | drives of the key front |
//! | [`events`] | events inside a key |
//! | [`readout`], [`elements`], [`pose`] | readings of a key |
//! | [`press`] | the press that gives a hammer speed |
//! | [`numbers`] | checks of a model's values |
//! | [`constants`] | step, gravity |

pub(crate) mod constants;
pub mod elements;
pub mod events;
pub mod finger;
pub mod graph;
pub mod hand;
pub mod key;
mod key_settings;
pub mod key_sheet;
pub mod kind;
pub mod mechanism;
pub mod numbers;
pub(crate) mod port;
pub mod pose;
pub mod press;
pub mod readout;
pub(crate) mod settings;
pub mod slew;
pub mod trajectory;
