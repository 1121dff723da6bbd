//! One plugin instance's keyboard: what its project chose, and the sidecar while it is active.
//!
//! Between the host's main thread and the window; the audio thread gets the log's end alone. A
//! choice persists with the project, arming does not: force is off until somebody arms it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::log::Entry;
use super::mechanism::Action;
use super::servo::{BLOCK_MAX, Options};
use super::sidecar::{Order, Report, Sidecar};
use crate::action::ActionSettings;
use crate::exchange::{latest, queue};

/// What a project keeps of its keyboard.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// Serial port; empty: none.
    pub port: String,
    /// What is felt.
    pub action: Action,
    /// Share of the force, 0…1.
    pub gain: f64,
    /// See [`Options::lead_us`].
    pub lead_us: u32,
    /// See [`Options::block`].
    pub block: u32,
}

impl Default for Choice {
    fn default() -> Self {
        let Options { action, gain, lead_us, block, .. } = Options::default();
        Self { port: String::new(), action, gain, lead_us, block }
    }
}

impl Choice {
    /// As a project keeps it: `name=value` by lines, the port last, for it may hold anything but a
    /// line's end.
    #[must_use]
    pub fn text(&self) -> String {
        let Self { port, action, gain, lead_us, block } = self;
        let port = port.replace(['\n', '\r'], "");
        let action = action.name();
        format!("action={action}\ngain={gain}\nlead_us={lead_us}\nblock={block}\nport={port}")
    }

    /// The choice a project kept; what is missing or makes no sense takes the default.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut choice = Self::default();
        for line in text.lines() {
            match line.split_once('=') {
                Some(("action", v)) => choice.action = Action::of(v).unwrap_or_default(),
                Some(("gain", v)) => {
                    let gain = v.parse().ok().filter(|g| (0.0..=1.0).contains(g));
                    choice.gain = gain.unwrap_or(choice.gain);
                }
                Some(("lead_us", v)) => {
                    let lead = v.parse().ok().filter(|l| (125..=20_000).contains(l));
                    choice.lead_us = lead.unwrap_or(choice.lead_us);
                }
                Some(("block", v)) => {
                    let block = v.parse().ok().filter(|b| *b <= BLOCK_MAX);
                    choice.block = block.unwrap_or(choice.block);
                }
                Some(("port", v)) => v.clone_into(&mut choice.port),
                _ => {}
            }
        }
        choice
    }

    fn options(&self, settings: &ActionSettings) -> Options {
        Options {
            action: self.action,
            settings: *settings,
            gain: self.gain,
            lead_us: self.lead_us,
            block: self.block,
            ..Options::default()
        }
    }
}

/// The audio thread's ends of what lies between it and the sidecar.
#[derive(Debug)]
pub struct Ends {
    /// The servo's log.
    pub log: queue::Receiver<Entry>,
    /// Where a new regulation is written.
    pub settings: latest::Writer<ActionSettings>,
}

/// The keyboard of one instance.
#[derive(Debug, Default)]
pub struct Desk {
    inside: Mutex<Inside>,
}

#[derive(Debug, Default)]
struct Inside {
    choice: Choice,
    sidecar: Option<Sidecar>,
    trouble: String,
}

impl Desk {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        // Nothing here is left half done by a panic.
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the project chose.
    #[must_use]
    pub fn choice(&self) -> Choice {
        self.inside().choice.clone()
    }

    /// Chooses; takes effect at the next [`Desk::open`], gain at once.
    pub fn choose(&self, choice: Choice) {
        let mut inside = self.inside();
        if let Some(sidecar) = &inside.sidecar {
            sidecar.order(Order::Gain(choice.gain));
        }
        inside.choice = choice;
    }

    /// Opens the chosen port for `owner` and starts the sidecar, without force; what the audio
    /// thread needs, or `None` where no port was chosen or it cannot be had, which
    /// [`Desk::trouble`] tells.
    #[must_use]
    pub fn open(&self, owner: &str, settings: &ActionSettings) -> Option<Ends> {
        let mut inside = self.inside();
        inside.sidecar = None;
        inside.trouble.clear();
        if inside.choice.port.is_empty() {
            return None;
        }
        let options = inside.choice.options(settings);
        match Sidecar::start(&inside.choice.port, owner, options) {
            Ok(mut sidecar) => {
                let ends = sidecar.take_log().zip(sidecar.take_settings());
                inside.sidecar = Some(sidecar);
                ends.map(|(log, settings)| Ends { log, settings })
            }
            Err(trouble) => {
                inside.trouble = trouble.to_string();
                None
            }
        }
    }

    /// Takes force away and lets the port go.
    pub fn close(&self) {
        self.inside().sidecar = None;
    }

    /// Force, or none.
    pub fn arm(&self, on: bool) {
        if let Some(sidecar) = &self.inside().sidecar {
            sidecar.order(Order::Arm(on));
        }
    }

    /// What the sidecar shows; nothing while no port is open.
    #[must_use]
    pub fn report(&self) -> Option<Report> {
        self.inside().sidecar.as_mut().map(|s| *s.report())
    }

    /// Why the chosen port could not be had, with what to do; empty where it could.
    #[must_use]
    pub fn trouble(&self) -> String {
        self.inside().trouble.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_survives_its_text_and_nonsense_takes_defaults() {
        let choice = Choice {
            port: "/dev/tty=odd name".into(),
            action: Action::Ball,
            gain: 0.25,
            lead_us: 1500,
            block: 64,
        };
        assert_eq!(Choice::of(&choice.text()), choice);
        let odd = Choice::of("gain=7\nlead_us=1\nblock=512\naction=harp\nport=x\nfoo\narmed=true");
        assert_eq!(odd, Choice { port: "x".into(), ..Choice::default() });
        assert_eq!(Choice::of(""), Choice::default());
    }

    #[test]
    fn without_a_port_nothing_is_opened_and_a_missing_one_is_told() {
        let desk = Desk::default();
        assert!(desk.open("a test", &ActionSettings::default()).is_none());
        assert_eq!((desk.trouble(), desk.report()), (String::new(), None));
        desk.choose(Choice { port: "/dev/nowhere".into(), ..Choice::default() });
        assert!(desk.open("a test", &ActionSettings::default()).is_none());
        assert!(desk.trouble().contains("/dev/nowhere"), "{}", desk.trouble());
        desk.arm(true);
    }

    /// Over a pseudo-terminal and the wall clock: present without force, armed, live, closed.
    #[cfg(unix)]
    #[test]
    fn a_keyboard_is_there_without_force_until_it_is_armed() {
        use crate::haptics::campaign::KEY;
        use crate::haptics::emulator::{Emulator, Making};
        use crate::haptics::script::{Act, Deed, Script};
        use crate::haptics::serial::pty::Pty;
        use crate::haptics::session::Standing;
        use std::time::{Duration, Instant};

        let mut pty = Pty::new().unwrap();
        let desk = Desk::default();
        desk.choose(Choice { port: pty.offer(), ..Choice::default() });
        let ends = desk.open("a test", &ActionSettings::default());
        let Ends { log, .. } = ends.expect("the pseudo-terminal opens");
        let act = Act { time: 0.0, key: 0, deed: Deed::Trill(14e-3, 4.0, 1e9) };
        let making = Making { plant: KEY, ..Making::default() };
        let mut emulator = Emulator::new(&making, Script::new(vec![act]));
        let (begin, mut bytes, mut out) = (Instant::now(), [0; 4096], Vec::new());
        let (mut before, mut armed, mut live) = (0.0f64, false, false);
        while begin.elapsed() < Duration::from_secs(20) && !(live && emulator.peak() > 0.5) {
            let got = pty.read(&mut bytes, Duration::from_micros(300));
            emulator.receive(&bytes[..got]);
            out.clear();
            while u128::from(emulator.ticks()) * 125 < begin.elapsed().as_micros() {
                emulator.tick(&mut out);
            }
            pty.write(&out);
            let report = desk.report().unwrap();
            match report.status.standing {
                Standing::Present | Standing::Halted if report.status.states > 50 => {
                    before = before.max(if armed { 0.0 } else { emulator.peak() });
                    armed = true;
                    desk.arm(true);
                }
                Standing::Live => live = true,
                _ => {}
            }
        }
        assert!(live && before == 0.0, "{:?}", desk.report());
        assert!(log.waiting() > 0);
        desk.close();
        assert_eq!(desk.report(), None);
    }
}
