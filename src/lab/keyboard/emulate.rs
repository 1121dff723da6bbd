//! `touchback keyboard emulate`: a keyboard without hardware on a pseudo-terminal.

use std::path::PathBuf;

use anyhow::Result;

use super::probe::seconds;

/// What to emulate.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// Keys, the first being piano key 40
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u8).range(1..=88))]
    keys: u8,
    /// What the fingers do: CSV t_s,key,act,a,b,c; without one, a built-in round
    #[arg(long, value_name = "SCRIPT.csv")]
    script: Option<PathBuf>,
    /// Moving mass of a key at the front, kg
    #[arg(long, value_name = "KG", default_value_t = 0.03)]
    mass: f64,
    /// Takes forces only, without a junction of its own
    #[arg(long)]
    torque_only: bool,
    /// Clock runs fast by so many parts in a million
    #[arg(long, value_name = "PPM", default_value_t = 0.0, allow_hyphen_values = true)]
    drift: f64,
    /// Share of the frames lost on the way to the host, 0…1
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    loss: f64,
    /// Share of the frames damaged on the way to the host, 0…1
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    corruption: f64,
    /// Ends after so many seconds instead of when interrupted
    #[arg(long, value_name = "S", value_parser = seconds)]
    seconds: Option<f64>,
    /// With --seconds: writes position, speed, forces, mode and faults of key 1 every millisecond
    #[arg(long, value_name = "LOG.csv", requires = "seconds")]
    log: Option<PathBuf>,
}

/// Runs until its time is over or it is interrupted.
///
/// # Errors
/// A bad script or value, no pseudo-terminal, a disk that refuses.
#[cfg(unix)]
pub fn run(options: &Options) -> Result<()> {
    live::run(options)
}

/// Without pseudo-terminals there is no emulator.
///
/// # Errors
/// Always, saying so.
#[cfg(not(unix))]
pub fn run(_: &Options) -> Result<()> {
    anyhow::bail!("keyboard emulate: this system has no pseudo-terminals; use Linux or macOS")
}

#[cfg(unix)]
mod live {
    use std::fmt::Write as _;
    use std::time::{Duration, Instant};

    use anyhow::{Result, bail};

    use super::Options;
    use crate::haptics::emulator::{Emulator, Making};
    use crate::haptics::plant::Plant;
    use crate::haptics::priority::{self, Priority};
    use crate::haptics::serial::pty::Pty;
    use crate::haptics::wire::{Faults, Wire};
    use crate::lab::keyboard::script;
    use crate::lab::output::{self, Draft};

    /// Ticks made up for at most; after a longer stop the emulator's time stood still.
    const BEHIND: u64 = 400;

    pub fn run(options: &Options) -> Result<()> {
        if !(0.005..=1.0).contains(&options.mass) {
            bail!("--mass {}: a key moves between 0.005 and 1 kg", options.mass);
        }
        if !(-1000.0..=1000.0).contains(&options.drift) {
            bail!("--drift {}: at most 1000 parts in a million", options.drift);
        }
        for (name, share) in [("loss", options.loss), ("corruption", options.corruption)] {
            if !(0.0..=1.0).contains(&share) {
                bail!("--{name} {share}: a share between 0 and 1");
            }
        }
        let script = match &options.script {
            Some(path) => script::open(path, options.keys)?,
            None => script::built_in(options.keys),
        };
        let draft = options.log.as_deref().map(Draft::create).transpose()?;
        let plant = Plant { mass: options.mass, friction: 0.1, weight: 0.2, ..Plant::THREE[0] };
        let making = Making {
            keys: options.keys,
            plant,
            has_junction: !options.torque_only,
            drift: options.drift * 1e-6,
            ..Making::default()
        };
        let mut emulator = Emulator::new(&making, script);
        let mut pty = Pty::new()?;
        output::print(&format!("{}\n", pty.offer()))?;
        let mut wire = Wire::new(0, 1);
        wire.faults =
            Faults { loss: options.loss, corruption: options.corruption, ..Faults::default() };
        let mut csv = String::from("t_s,key_m,key_velocity_m_s,motor_n,finger_n,mode,faults\n");
        let (mut bytes, mut out) = ([0; 4096], Vec::new());
        if priority::raise() != Priority::RealTime {
            output::warn("no real-time priority: the emulator's ticks may come late");
        }
        let begin = Instant::now();
        let mut skipped = Duration::ZERO;
        let mut deaf_until = begin;
        loop {
            let passed = begin.elapsed().saturating_sub(skipped);
            if options.seconds.is_some_and(|s| passed.as_secs_f64() >= s) {
                break;
            }
            let got = pty.read(&mut bytes, Duration::from_micros(200));
            emulator.receive(&bytes[..got]);
            let due = u64::try_from(passed.as_micros() / 125).unwrap_or(u64::MAX);
            let behind = due.saturating_sub(emulator.ticks());
            if behind > BEHIND {
                skipped += Duration::from_micros((behind - BEHIND) * 125);
            }
            for _ in 0..behind.min(BEHIND) {
                out.clear();
                emulator.tick(&mut out);
                wire.send(0, &out);
                while let Some(frame) = wire.receive(0) {
                    // Nobody reads: the keyboard goes on, its frames go nowhere.
                    if Instant::now() >= deaf_until && !pty.write(&frame) {
                        deaf_until = Instant::now() + Duration::from_millis(50);
                    }
                }
                if draft.is_some() && emulator.ticks().is_multiple_of(8) {
                    row(&mut csv, &emulator)?;
                }
            }
        }
        if let Some(draft) = draft {
            draft.write_all(csv.as_bytes())?;
            draft.keep()?;
        }
        Ok(())
    }

    fn row(csv: &mut String, emulator: &Emulator) -> Result<()> {
        let (mode, faults) = emulator.mode();
        if let Some(key) = emulator.key(0) {
            writeln!(
                csv,
                "{},{},{},{},{},{},{faults}",
                emulator.time(),
                key.x,
                key.v,
                emulator.force(0),
                key.touch,
                mode.word()
            )?;
        }
        Ok(())
    }
}
