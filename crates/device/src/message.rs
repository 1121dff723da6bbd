//! Messages between host and keyboard: fixed records, little-endian (docs/protocol.md).
//!
//! Every record has one size, so that a receiver needs no heap; lists of keys carry their number
//! first; `message::code` turns them into bytes.

mod code;

/// Version of the protocol; a device of another version is not driven.
pub const VERSION: u8 = 2;

/// No key, where a message names one.
pub const NO_KEY: u8 = 255;

/// Most keys in a message: 88.
pub const KEYS: usize = 88;

/// Unit of positions, m.
pub const POSITION: f64 = 0.5e-6;
/// Unit of forces, N.
pub const FORCE: f64 = 4e-3;
/// Unit of the wave integral, √W·s.
pub const WAVE: f64 = 1e-6;
/// Unit of impedances and damping in key records, N·s/m.
pub const IMPEDANCE: f64 = 0.5;

/// What a device can do: bits of [`Hello::abilities`].
pub mod ability {
    /// Runs the wave junction itself at its local rate.
    pub const WAVE: u16 = 1;
    /// Takes plain forces.
    pub const TORQUE: u16 = 2;
    /// Measures force; without it the force reported is the one applied.
    pub const FORCE_SENSOR: u16 = 4;
    /// Can render a key bed itself.
    pub const KEYBED: u16 = 8;
    /// Has a physical key bed.
    pub const PHYSICAL_BED: u16 = 16;
}

/// What is or was wrong: bits of [`StateMessage::faults`]. They stay until cleared.
pub mod fault {
    /// No command for longer than the timeout.
    pub const TIMEOUT: u16 = 1;
    /// A position that no key can have reached.
    pub const SENSOR: u16 = 2;
    /// The thermal limit is reducing force.
    pub const THERMAL: u16 = 4;
    /// Force or slew were limited.
    pub const CLAMPED: u16 = 8;
    /// The energy guard acted.
    pub const ENERGY: u16 = 16;
    /// Frames with wrong check or stuffing.
    pub const FRAME: u16 = 32;
    /// A play-out time too far ahead.
    pub const CLOCK: u16 = 64;
    /// The device does less than the configuration needs: bed, safe damping or report interval.
    pub const CONFIG: u16 = 128;
    /// Stopped by the host.
    pub const STOPPED: u16 = 256;
    /// The host that asked last speaks another version of the protocol.
    pub const VERSION: u16 = 512;
}

/// What the device says of itself.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hello {
    /// Version of the protocol it speaks.
    pub version: u8,
    /// Keys it has.
    pub keys: u8,
    /// Piano number (1…88) of its first key.
    pub first_key: u8,
    /// Bits of [`ability`].
    pub abilities: u16,
    /// Local rate, Hz.
    pub rate_hz: u16,
    /// Time between states, µs.
    pub report_us: u16,
    /// Largest force, 10 mN.
    pub force_max: u16,
    /// Continuous force, 10 mN.
    pub force_held: u16,
    /// Step of its position sensors, nm.
    pub step_nm: u32,
    /// Name of the keyboard, UTF-8, padded with zeros.
    pub name: [u8; 16],
}

/// One key's own mechanics.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct KeyFacts {
    /// Key on the device, from 0.
    pub key: u8,
    /// Moving mass at the tip, 0.1 g.
    pub mass: u16,
    /// Force that holds the key up at rest, mN; negative: it falls by itself.
    pub weight: i16,
    /// Coulomb friction at the tip, mN.
    pub friction: u16,
    /// Viscous damping at the tip, mN·s/m.
    pub damping: u16,
    /// Depth of a physical key bed, 10 µm; 0 without one.
    pub bed: u16,
}

/// One key's state.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct KeyState {
    /// Key on the device, from 0.
    pub key: u8,
    /// Position of the key front in units of [`POSITION`], positive down.
    pub x: i16,
    /// Integral of the outgoing wave in units of [`WAVE`], modulo 2³²; never reset.
    pub wave_sum: i32,
    /// Force applied (or measured) against downward motion, in units of [`FORCE`].
    pub force: i16,
    /// Impedance rendered now, in units of [`IMPEDANCE`].
    pub impedance: u8,
}

/// One key's incoming wave, as the force √(2Z)·w against upward motion, negated.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct KeyWave {
    /// Key on the device, from 0.
    pub key: u8,
    /// −√(2Z)·w in units of [`FORCE`]; in a torque message the force against downward motion.
    pub force: i16,
    /// Impedance wanted, in units of [`IMPEDANCE`]; in a torque message the local damping.
    pub impedance: u8,
}

/// Limits and local laws. Limits only tighten the device's own; a 0 leaves them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Config {
    /// Largest force, 10 mN.
    pub force_max: u16,
    /// Largest growth of force, 10 N/s.
    pub slew: u16,
    /// Continuous force allowed, 10 mN.
    pub force_held: u16,
    /// Thermal time constant, 10 ms.
    pub thermal_time: u16,
    /// Time without a command until force fades, ms.
    pub timeout_ms: u16,
    /// Damping while force fades and until faults are cleared, in units of [`IMPEDANCE`]; 2 to 5
    /// N·s/m are taken.
    pub safe_damping: u8,
    /// Key bed rendered by the device: stiffness, 10 N/m; 0 renders none.
    pub bed_stiffness: u16,
    /// Damping of the rendered bed, 0.1 N·s/m.
    pub bed_damping: u16,
    /// Depth at which the rendered bed begins, 10 µm.
    pub bed: u16,
    /// Ceiling of the energy guard, 10 µJ.
    pub guard: u16,
    /// Time between states, µs; 250 to 20 000 are taken.
    pub report_us: u16,
}

/// A list of records of at most [`KEYS`] keys.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct KeyList<T> {
    items: [T; KEYS],
    length: usize,
}

impl<T: Copy + Default> Default for KeyList<T> {
    fn default() -> Self {
        Self { items: [T::default(); KEYS], length: 0 }
    }
}

impl<T: Copy + Default> KeyList<T> {
    /// Appends `item`; nothing happens where the list is full.
    pub fn push(&mut self, item: T) {
        if let Some(place) = self.items.get_mut(self.length) {
            *place = item;
            self.length += 1;
        }
    }

    /// The records.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        self.items.get(..self.length).unwrap_or_default()
    }
}

/// Head of a state message.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct StateMessage {
    /// Counts states, modulo 2¹⁶.
    pub seq: u16,
    /// Device time of the positions, µs modulo 2³².
    pub t_us: u32,
    /// `seq` of the newest wave or torque message taken since the last clear; 0 before the first.
    pub ack: u16,
    /// [`crate::device::safety::DeviceMode`] as a number.
    pub mode: u8,
    /// Bits of [`fault`].
    pub faults: u16,
    /// First key whose sensor was found broken since the last clear, or [`NO_KEY`].
    pub fault_key: u8,
    /// The keys that moved, and one of the others.
    pub keys: KeyList<KeyState>,
}

/// Waves or forces to be applied from a time on.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Play {
    /// Counts these messages, modulo 2¹⁶.
    pub seq: u16,
    /// Device time from which they hold, µs modulo 2³².
    pub play_us: u32,
    /// One record a key.
    pub keys: KeyList<KeyWave>,
}

/// Every message.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(clippy::large_enum_variant, reason = "without a heap there is nowhere else to put it")]
pub enum Message {
    /// Device: what it is.
    Hello(Hello),
    /// Device: its keys' own mechanics.
    Facts(KeyList<KeyFacts>),
    /// Device: positions and waves.
    State(StateMessage),
    /// Device: answer to a ping: its token, device time µs.
    Pong(u32, u32),
    /// Host: waves.
    Wave(Play),
    /// Host: forces, for a device without a junction.
    Torque(Play),
    /// Host: limits and local laws.
    Config(Config),
    /// Host: force off, latched; with a sequence number.
    Stop(u16),
    /// Host: faults forgotten, force allowed; with a sequence number.
    Clear(u16),
    /// Host of this protocol version asks who is there.
    Ask(u8),
    /// Host: wants a pong with this token.
    Ping(u32),
}

#[cfg(test)]
mod tests;
