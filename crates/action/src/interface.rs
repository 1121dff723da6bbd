//! What all actions have in common: what drives a key, what happens in it, what it shows, how it is
//! set.
//!
//! | module | part |
//! | --- | --- |
//! | [`kind`] | the list of actions |
//! | [`settings`] | regulation and parts, as a technician sets them |
//! | [`key_sheet`] | what single keys differ by |
//! | [`slew`] | how they change under a key in play |
//! | [`key`] | one key of any action |
//! | [`port`], [`finger`], [`hand`] | what drives its front |
//! | [`events`] | what happens inside it |
//! | [`readout`], [`losses`], [`pose`] | what it shows |
//! | [`press`] | the press that leads to a hammer speed |
//! | [`numbers`] | which numbers of a model can be used |

pub mod events;
pub mod finger;
pub mod hand;
pub mod key;
mod key_settings;
pub mod key_sheet;
pub mod kind;
pub mod losses;
pub mod numbers;
pub mod port;
pub mod pose;
pub mod press;
pub mod readout;
pub mod settings;
pub mod slew;
