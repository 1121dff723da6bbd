//! What a CLAP host may call of a plugin's keyboard: arming and state, for a program that plays the plugin without its
//! window. A vendor extension named [`ID`].

use std::ffi::{CStr, c_char, c_void};

use serde::{Deserialize, Serialize};

use super::{ConnectionView, PortView};
use crate::session::ConnectionState;

/// Name of the extension.
pub const ID: &CStr = c"org.touchback.haptic-keyboard/1";

/// Functions of the extension; `plugin` is the pointer to the `clap_plugin`. For the host's main thread.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HostInterface {
    /// Arms or disarms the motors, as the window's button does: only at a user's request.
    pub arm: unsafe extern "C" fn(plugin: *const c_void, on: bool),
    /// Writes the [`KeyboardState`] as JSON, ended by 0 and cut to `capacity` bytes. Returns the whole text's length,
    /// without the 0; a null pointer asks for it alone.
    pub state: unsafe extern "C" fn(plugin: *const c_void, text: *mut c_char, capacity: u32) -> u32,
}

/// State of a plugin's keyboard.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct KeyboardState {
    /// Why the project's choice could not be opened, and the remedy; empty without an error.
    pub error: String,
    /// The open ports.
    pub ports: Vec<PortState>,
}

/// State of an open port.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PortState {
    /// The state in words, with reason and remedy.
    pub text: String,
    /// State of the connection.
    pub state: ConnectionState,
    /// Strikes of the simulated hammers.
    pub strikes: u64,
    /// State messages received, and lost in transmission.
    pub states: u64,
    /// See `states`.
    pub lost_states: u64,
    /// Commands whose force the host limited.
    pub limited_commands: u64,
    /// Round trips measured, their mean and their maximum, s.
    pub round_trips: u64,
    /// See `round_trips`.
    pub mean_round_trip_s: f64,
    /// See `round_trips`.
    pub longest_round_trip_s: f64,
}

impl From<ConnectionView> for KeyboardState {
    fn from(view: ConnectionView) -> Self {
        let port = |port: PortView| {
            let (status, trips) = (&port.report.status, &port.report.round_trips);
            PortState {
                text: port.state_text,
                state: status.state,
                strikes: port.report.strikes,
                states: status.states,
                lost_states: status.lost,
                limited_commands: status.limited,
                round_trips: trips.count(),
                mean_round_trip_s: trips.sum / (trips.count().max(1)) as f64,
                longest_round_trip_s: trips.longest,
            }
        };
        Self { error: view.trouble, ports: view.ports.into_iter().map(port).collect() }
    }
}
