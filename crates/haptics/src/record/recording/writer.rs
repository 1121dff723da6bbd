//! Writes takes.

use std::io::Write;

use super::HEAD;
use crate::record::log::Entry;
use touchback_action::MechanismFile;
use touchback_core::exchange::shared::Shared;

/// Writes a take entry by entry.
#[derive(Debug)]
pub struct Writer<W: Write> {
    to: W,
    /// The mechanism written last.
    mechanism: Shared<Option<MechanismFile>>,
}

impl<W: Write> Writer<W> {
    /// Begins a take.
    ///
    /// # Errors
    /// The error of the writer.
    pub fn new(mut to: W) -> std::io::Result<Self> {
        writeln!(to, "{HEAD}")?;
        Ok(Self { to, mechanism: Shared::NEUTRAL })
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// The error of the writer.
    pub fn put(&mut self, entry: &Entry) -> std::io::Result<()> {
        let to = &mut self.to;
        match entry {
            Entry::Setting { step, action, settings } => {
                if let Some(mechanism) = &*settings.mechanism
                    && self.mechanism != settings.mechanism
                {
                    let source = serde_json::to_string(mechanism.source())?;
                    writeln!(to, "mechanism {source}")?;
                    self.mechanism.clone_from(&settings.mechanism);
                }
                let settings = toml::to_string(settings).map_err(std::io::Error::other)?;
                let settings: Vec<&str> = settings.lines().collect();
                writeln!(to, "setting {step} {action} {}", settings.join("; "))
            }
            Entry::Place { step, key, compensation, saved } => {
                write!(to, "place {step} {}", key.number())?;
                for value in [compensation.mass, compensation.weight, compensation.friction] {
                    write!(to, " {:x}", value.to_bits())?;
                }
                write!(to, " {}", u8::from(compensation.has_bed))?;
                for bits in saved.bits() {
                    write!(to, " {bits:x}")?;
                }
                writeln!(to)
            }
            Entry::Slot { step, key, steps, force, impedance } => {
                let (force, z) = (force.to_bits(), impedance.to_bits());
                writeln!(to, "slot {step} {} {steps} {force:x} {z:x}", key.number())
            }
            Entry::Played { step, key, is_played } => {
                writeln!(to, "played {step} {} {}", key.number(), u8::from(*is_played))
            }
        }
    }

    /// The writer.
    pub const fn get_mut(&mut self) -> &mut W {
        &mut self.to
    }

    /// Ends the take and returns the writer.
    ///
    /// # Errors
    /// The error of the writer.
    pub fn finish(mut self) -> std::io::Result<W> {
        self.to.flush()?;
        Ok(self.to)
    }
}
