//! Messages between host and keyboard: fixed records, little-endian (docs/protocol.md).
//!
//! Every record has a fixed size, so that a receiver needs no heap; a list of keys begins with the
//! number of its records. A message of a known kind may be longer than known here: its known beginning
//! counts. `message::code` encodes and decodes.

mod code;

/// Newest version of the protocol. Host and device speak the newest that both know.
pub const VERSION: u8 = 3;
/// Oldest version of the protocol that is still spoken.
pub const OLDEST_VERSION: u8 = 2;

/// What a host sends to learn of a device: version 2 understands the first, later versions both, and the
/// answer to the last counts.
pub const ASKS: [Message; 2] = [
    Message::Ask { newest: OLDEST_VERSION, oldest: OLDEST_VERSION },
    Message::Ask { newest: VERSION, oldest: OLDEST_VERSION },
];

/// [`KeyState::speed`] of a key whose speed is not measured.
pub const NO_SPEED: i16 = i16::MIN;

/// Key number that means "no key" ([`StateMessage::fault_key`]).
pub(crate) const NO_KEY: u8 = 255;

/// Largest number of keys in a message.
pub const KEYS: usize = 88;

/// Unit of positions, m.
pub const POSITION: f64 = 0.5e-6;
/// Unit of forces, N.
pub const FORCE: f64 = 4e-3;
/// Unit of the wave integral, √W·s.
pub const WAVE: f64 = 1e-6;
/// Unit of impedances and damping in key records, N·s/m.
pub const IMPEDANCE: f64 = 0.5;
/// Unit of measured speeds, m/s.
pub const SPEED: f64 = 0.2e-3;

/// Abilities of a device: bits of [`Hello::abilities`].
pub mod ability {
    /// Runs the wave junction at its local rate and accepts wave messages.
    pub const WAVE: u16 = 1;
    /// Accepts torque messages: plain forces without a junction.
    pub const TORQUE: u16 = 2;
    /// Measures force. Without this bit the device reports the force it applies.
    pub const FORCE_SENSOR: u16 = 4;
    /// Can render a key bed by its motors.
    pub const KEYBED: u16 = 8;
    /// Has a physical key bed.
    pub const PHYSICAL_BED: u16 = 16;
    /// Has sensors and no motors: reports positions, accepts no commands.
    pub const POSITIONS: u16 = 32;
    /// Measures the speed of its keys, apart from the position. From version 3 on.
    pub const SPEED: u16 = 64;
}

/// Faults since the last clear: bits of [`StateMessage::faults`].
pub mod fault {
    /// No command was accepted for longer than the timeout while live.
    pub const TIMEOUT: u16 = 1;
    /// A sensor is broken: too many implausible readings.
    pub const SENSOR: u16 = 2;
    /// The thermal limit has reduced a force.
    pub const THERMAL: u16 = 4;
    /// A limit of force, slew or heat has changed a force.
    pub const CLAMPED: u16 = 8;
    /// The energy guard has reduced a wave or added damping.
    pub const ENERGY: u16 = 16;
    /// A damaged frame, an unknown message, or a command of a kind that is not accepted.
    pub const FRAME: u16 = 32;
    /// A play-out time more than 50 ms ahead; the command was refused.
    pub const CLOCK: u16 = 64;
    /// The device cannot render the configured bed, safe damping or report interval in full.
    pub const CONFIG: u16 = 128;
    /// The host has sent a stop.
    pub const STOPPED: u16 = 256;
    /// A host of another version of the protocol has asked.
    pub const VERSION: u16 = 512;
    /// The motors' supply is off or out of its range, as after a switch at hand. No force.
    pub const SUPPLY: u16 = 1024;
    /// A motor driver reports a fault. No force.
    pub const DRIVER: u16 = 2048;
    /// Driver or motor is too hot by its own sensor. No force.
    pub const TEMPERATURE: u16 = 4096;
    /// A tick came more than one nominal tick late.
    pub const LATE_TICK: u16 = 8192;
    /// The processor was reset by its watchdog.
    pub const WATCHDOG_RESET: u16 = 16_384;
    /// A position sensor has not found its zero. No force.
    pub const NO_ZERO: u16 = 32_768;
    /// Faults of the hardware: while one persists there is no force.
    pub(crate) const HARDWARE: u16 = SUPPLY | DRIVER | TEMPERATURE | NO_ZERO;
}

/// Reset causes of a device: values of [`Hello::reset_cause`].
pub mod reset_cause {
    /// Unknown.
    pub const UNKNOWN: u8 = 0;
    /// Power-up.
    pub const POWER: u8 = 1;
    /// Reset input.
    pub const INPUT: u8 = 2;
    /// Hardware watchdog.
    pub const WATCHDOG: u8 = 3;
    /// Supply of the processor too low.
    pub const BROWN_OUT: u8 = 4;
    /// Software, as after a panic.
    pub const SOFTWARE: u8 = 5;
}

/// Description of a device: its keys, abilities and limits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hello {
    /// Version of the protocol.
    pub version: u8,
    /// Number of keys.
    pub keys: u8,
    /// Piano number of the first key, 1…88.
    pub first_key: u8,
    /// Bits of [`ability`].
    pub abilities: u16,
    /// Local rate: ticks per second, Hz.
    pub rate_hz: u16,
    /// Time between states, µs.
    pub report_us: u16,
    /// Largest force, 10 mN.
    pub force_max: u16,
    /// Continuous force, 10 mN.
    pub force_held: u16,
    /// Resolution of the position sensors, nm of the key front.
    pub step_nm: u32,
    /// Name of the keyboard, UTF-8, padded with zeros.
    pub name: [u8; 16],
    /// Serial number; 0 for none. This and the following fields are 0 in version 2.
    pub serial: u64,
    /// Version of the firmware: major, minor, patch.
    pub firmware: [u8; 3],
    /// Cause of the last reset: a value of [`reset_cause`].
    pub reset_cause: u8,
}

impl Hello {
    /// A keyboard without keys, abilities or name; for all fields that another value does not replace.
    pub const NONE: Self = Self {
        version: VERSION,
        keys: 0,
        first_key: 1,
        abilities: 0,
        rate_hz: 0,
        report_us: 0,
        force_max: 0,
        force_held: 0,
        step_nm: 0,
        name: [0; 16],
        serial: 0,
        firmware: [0; 3],
        reset_cause: reset_cause::UNKNOWN,
    };
}

/// Mechanics of one physical key, at the key front.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct KeyFacts {
    /// Key on the device, from 0.
    pub key: u8,
    /// Moving mass, 0.1 g.
    pub mass: u16,
    /// Weight: force that holds the key up at rest, mN; negative where the key sinks by itself.
    pub weight: i16,
    /// Coulomb friction, mN.
    pub friction: u16,
    /// Viscous damping, mN·s/m.
    pub damping: u16,
    /// Depth of a physical key bed, 10 µm; 0 without one.
    pub bed: u16,
}

/// Report of one key at the last tick.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct KeyState {
    /// Key on the device, from 0.
    pub key: u8,
    /// Position of the key front in units of [`POSITION`], positive down.
    pub x: i16,
    /// Integral of the outgoing wave since power-up in units of [`WAVE`], modulo 2³².
    pub wave_sum: i32,
    /// Force against downward motion in units of [`FORCE`]: the one applied, or the one measured with
    /// [`ability::FORCE_SENSOR`].
    pub force: i16,
    /// Present impedance in units of [`IMPEDANCE`].
    pub impedance: u8,
    /// Measured speed in units of [`SPEED`], positive down; [`NO_SPEED`] without [`ability::SPEED`].
    pub speed: i16,
}

impl Default for KeyState {
    fn default() -> Self {
        Self { key: 0, x: 0, wave_sum: 0, force: 0, impedance: 0, speed: NO_SPEED }
    }
}

/// Command for one key: its incoming wave w as the force −√(2Z)·w, positive against downward motion.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct KeyWave {
    /// Key on the device, from 0.
    pub key: u8,
    /// −√(2Z)·w in units of [`FORCE`]; in a torque message the plain force against downward motion.
    pub force: i16,
    /// Target impedance in units of [`IMPEDANCE`]; in a torque message the local damping.
    pub impedance: u8,
}

/// Limits and local laws. A limit can only tighten the device's own; 0 keeps the device's own.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Config {
    /// Largest force, 10 mN.
    pub force_max: u16,
    /// Largest growth of force, 10 N/s.
    pub slew: u16,
    /// Continuous force, 10 mN.
    pub force_held: u16,
    /// Thermal time constant, 10 ms.
    pub thermal_time: u16,
    /// Timeout: time without an accepted command after which force fades, ms.
    pub timeout_ms: u16,
    /// Safe damping, which acts while force fades and from then until a clear, in units of
    /// [`IMPEDANCE`]; clamped to 2…5 N·s/m, 0 for the device's own.
    pub safe_damping: u8,
    /// Stiffness of the rendered key bed, 10 N/m; 0 renders none.
    pub bed_stiffness: u16,
    /// Damping of the rendered bed, 0.1 N·s/m.
    pub bed_damping: u16,
    /// Depth at which the rendered bed begins, 10 µm.
    pub bed: u16,
    /// Ceiling of the energy guard, 10 µJ.
    pub guard: u16,
    /// Time between states, µs; clamped to 250…20 000, 0 for the device's own.
    pub report_us: u16,
}

impl Config {
    /// Keeps all values of the device, without a rendered bed.
    pub const OWN: Self = Self {
        force_max: 0,
        slew: 0,
        force_held: 0,
        thermal_time: 0,
        timeout_ms: 0,
        safe_damping: 0,
        bed_stiffness: 0,
        bed_damping: 0,
        bed: 0,
        guard: 0,
        report_us: 0,
    };
}

/// A list of at most [`KEYS`] key records.
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
    /// Appends `item`; a full list drops it.
    pub fn push(&mut self, item: T) {
        if let Some(free) = self.items.get_mut(self.length) {
            *free = item;
            self.length += 1;
        }
    }

    /// The records.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        self.items.get(..self.length).unwrap_or_default()
    }

    /// The records.
    fn as_mut_slice(&mut self) -> &mut [T] {
        self.items.get_mut(..self.length).unwrap_or_default()
    }
}

/// A state message.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct StateMessage {
    /// Sequence number of the state, modulo 2¹⁶.
    pub seq: u16,
    /// Device time of the last tick, to which all records belong, µs modulo 2³².
    pub t_us: u32,
    /// `seq` of the newest wave or torque message accepted since the last clear; 0 before the first.
    pub ack: u16,
    /// Number of the [`crate::device::safety::DeviceMode`].
    pub mode: u8,
    /// Bits of [`fault`].
    pub faults: u16,
    /// First key whose sensor was found broken since the last clear, else [`NO_KEY`].
    pub fault_key: u8,
    /// Every key of a small keyboard; else the keys that moved recently and one other in turn.
    pub keys: KeyList<KeyState>,
}

/// Waves or forces that hold from a play-out time on.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Play {
    /// Sequence number of the command, modulo 2¹⁶.
    pub seq: u16,
    /// Play-out time: device time from which the command holds, µs modulo 2³².
    pub play_us: u32,
    /// One record for each key that is commanded.
    pub keys: KeyList<KeyWave>,
}

/// A message in either direction.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(clippy::large_enum_variant, reason = "without a heap a large variant cannot be boxed")]
pub enum Message {
    /// Device: its description.
    Hello(Hello),
    /// Device: mechanics of its keys.
    Facts(KeyList<KeyFacts>),
    /// Device: mode, faults, positions and waves.
    State(StateMessage),
    /// Device: answer to a ping, with the token of the ping and the device time, µs.
    Pong(u32, u32),
    /// Host: waves for a device with a junction.
    Wave(Play),
    /// Host: plain forces for a device without a junction.
    Torque(Play),
    /// Host: limits and local laws.
    Config(Config),
    /// Host: end force until the next clear; with a sequence number.
    Stop(u16),
    /// Host: reset the faults and allow force; with a sequence number.
    Clear(u16),
    /// Host: send hello and facts; with the versions of the protocol that the host speaks.
    Ask {
        /// Newest version.
        newest: u8,
        /// Oldest version.
        oldest: u8,
    },
    /// Host: send a pong with this token.
    Ping(u32),
}

#[cfg(test)]
mod tests;
