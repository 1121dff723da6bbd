//! One keyboard behind several serial ports: boards with a part of the keys each.
//!
//! Every port has a [`Sidecar`] with a thread of its own, so that a board that stands still delays no other one. The
//! servos count their steps from the same moment, so that the events of all ports are on one time base. A port that
//! goes away takes its own keys along; the others play on.

use std::time::Instant;

use crate::keyboard::status_text;
use crate::line::serial::PortError;
use crate::record::log::Entry;
use crate::record::publish::{PublishedReceiver, publisher};
use crate::servo::ServoOptions;
use crate::session::ConnectionState;
use crate::sidecar::{KeyPress, Sidecar, SidecarOrder, SidecarReport};
use touchback_action::{ActionSettings, TimedEvent};
use touchback_core::exchange::{latest, queue};
use touchback_device::message::Hello;

/// Capacity of a log, entries: 1 s of ten keys.
const LOG_CAPACITY: usize = 16_384;

/// Piano keys of a hello: the first and the last.
fn range(hello: &Hello) -> [u8; 2] {
    [hello.first_key, hello.first_key.saturating_add(hello.keys.saturating_sub(1))]
}

/// A port and its sidecar.
#[derive(Debug)]
struct Member {
    path: String,
    sidecar: Sidecar,
    /// The servo's log, and the sender of notes; none where the audio thread has its own ends.
    log: Option<queue::Receiver<Entry>>,
    notes: Option<queue::Sender<KeyPress>>,
    report: SidecarReport,
    /// The keys of this port are also those of a port before it: it gets no force.
    overlaps: Option<String>,
}

impl Member {
    /// The port `path` with its `sidecar`, without log and notes.
    fn new(path: &str, mut sidecar: Sidecar) -> Self {
        let report = *sidecar.report();
        Self { path: path.into(), sidecar, log: None, notes: None, report, overlaps: None }
    }
}

/// What the audio thread needs of a port.
#[derive(Debug)]
pub struct AudioEnds {
    /// What the servo's keys do.
    pub published: PublishedReceiver,
    /// Writer of new settings of the action.
    pub settings: Option<latest::LatestWriter<ActionSettings>>,
    /// Sender of host notes that move keys; the servo ignores those of keys that it does not have.
    pub notes: Option<queue::Sender<KeyPress>>,
}

/// One keyboard behind one or several ports.
#[derive(Debug)]
pub struct PortGroup {
    members: Vec<Member>,
}

impl PortGroup {
    /// Opens the ports `paths` for `owner` and starts their threads, which write logs.
    ///
    /// # Errors
    /// A port cannot be opened.
    pub fn start(paths: &[String], owner: &str, options: &ServoOptions) -> Result<Self, PortError> {
        let origin = (paths.len() > 1).then(Instant::now);
        let member = |path: &String| {
            let (log, outlet) = queue::bounded(LOG_CAPACITY);
            let sidecar = Sidecar::start_with(path, owner, options.clone(), origin, log)?;
            let mut member = Member::new(path, sidecar);
            (member.log, member.notes) = (Some(outlet), member.sidecar.take_notes());
            Ok(member)
        };
        Ok(Self { members: paths.iter().map(member).collect::<Result<_, PortError>>()? })
    }

    /// Like [`PortGroup::start`] for an audio thread, whose ends it also returns. The group gives out no log entries and
    /// no notes.
    ///
    /// # Errors
    /// A port cannot be opened.
    pub(crate) fn start_for_audio(
        paths: &[String],
        owner: &str,
        options: &ServoOptions,
    ) -> Result<(Self, Vec<AudioEnds>), PortError> {
        let origin = (paths.len() > 1).then(Instant::now);
        let member = |path: &String| {
            let (publisher, published) = publisher();
            let mut sidecar = Sidecar::start_with(path, owner, options.clone(), origin, publisher)?;
            let (settings, notes) = (sidecar.take_settings(), sidecar.take_notes());
            Ok((Member::new(path, sidecar), AudioEnds { published, settings, notes }))
        };
        let opened: Vec<_> = paths.iter().map(member).collect::<Result<_, PortError>>()?;
        let (members, ends) = opened.into_iter().unzip();
        Ok((Self { members }, ends))
    }

    /// Path and sidecar of every port.
    pub fn sidecars(&mut self) -> impl Iterator<Item = (&str, &mut Sidecar)> {
        self.members.iter_mut().map(|m| (m.path.as_str(), &mut m.sidecar))
    }

    /// Gives an order to every port. A port whose keys are also another's is never armed.
    pub fn order(&self, order: &SidecarOrder) {
        for member in &self.members {
            if *order != SidecarOrder::Arm(true) || member.overlaps.is_none() {
                member.sidecar.order(order.clone());
            }
        }
    }

    /// A host note presses a key, on the port that has it.
    pub fn press(&self, note: KeyPress) {
        for member in &self.members {
            let number = note.key.number();
            let has_key = member.report.status.hello.as_ref().is_some_and(|hello| {
                let [first, last] = range(hello);
                (first..=last).contains(&number)
            });
            if let Some(notes) = member.notes.as_ref().filter(|_| has_key) {
                // The queue is full only if the sidecar has stopped; then the note is dropped.
                let _ = notes.send(note);
            }
        }
    }

    /// The next event of any port.
    #[must_use]
    pub fn next_event(&self) -> Option<TimedEvent> {
        self.members.iter().find_map(|member| member.sidecar.next_event())
    }

    /// Number of log entries that wait, of all ports.
    #[must_use]
    pub fn waiting_entries(&self) -> usize {
        self.members.iter().filter_map(|m| m.log.as_ref()).map(queue::Receiver::waiting).sum()
    }

    /// The next entry of the log of any port; the entries of one key are in order. Those of a port whose keys are
    /// also another's are left out.
    #[must_use]
    pub fn next_entry(&self) -> Option<Entry> {
        self.members.iter().find_map(|member| {
            let log = member.log.as_ref()?;
            while let Some(entry) = log.receive() {
                if member.overlaps.is_none() {
                    return Some(entry);
                }
            }
            None
        })
    }

    /// Reads the latest reports and disarms ports whose keys are also another's.
    pub fn update(&mut self) {
        for member in &mut self.members {
            member.report = *member.sidecar.report();
        }
        let ranges: Vec<_> = self
            .members
            .iter()
            .map(|m| (m.path.clone(), m.report.status.hello.as_ref().map(range)))
            .collect();
        for (i, member) in self.members.iter_mut().enumerate() {
            let overlaps = overlap(&ranges, i);
            if overlaps.is_some() && member.overlaps.is_none() {
                member.sidecar.order(SidecarOrder::Arm(false));
            }
            member.overlaps = overlaps;
        }
    }

    /// The last read reports.
    pub fn reports(&self) -> impl Iterator<Item = &SidecarReport> {
        self.members.iter().map(|member| &member.report)
    }

    /// Ends force and the threads; logs and events of them can still be read.
    pub fn end(&mut self) {
        self.members.iter_mut().for_each(|member| member.sidecar.end());
    }

    /// Any port gives force.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.reports().any(|report| report.status.state == ConnectionState::Live)
    }

    /// Why the ports cannot be one keyboard: two of them have the same key.
    #[must_use]
    pub fn conflict(&self) -> Option<&str> {
        self.members.iter().find_map(|member| member.overlaps.as_deref())
    }

    /// State of the connection with reason and remedy, one line for every port; the line names port and keys where
    /// there are several.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        let text = |member: &Member| {
            let text = match &member.overlaps {
                Some(overlaps) => overlaps.clone(),
                None => status_text::connection(&member.report),
            };
            if self.members.len() < 2 {
                return text;
            }
            match member.report.status.hello.as_ref().map(range) {
                Some([first, last]) => format!("{}, keys {first} to {last}: {text}", member.path),
                None => format!("{}: {text}", member.path),
            }
        };
        self.members.iter().map(text).collect()
    }
}

/// Why the port `index` of `ports`, with their first and last keys, has keys that a port before it has.
fn overlap(ports: &[(String, Option<[u8; 2]>)], index: usize) -> Option<String> {
    let (_, Some([first, last])) = ports.get(index)? else { return None };
    ports.iter().take(index).find_map(|(path, keys)| {
        let [from, to] = (*keys)?;
        (*first <= to && from <= *last).then(|| {
            format!(
                "has the keys {first} to {last}, of which {path} has {from} to {to}; every key must be on one port \
                 only: correct `first_key` in the firmware of one board"
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyboard::emulator::{Emulator, KeyboardDesign};
    use crate::keyboard::live::Emulated;
    use crate::keyboard::script::{FingerAction, Script, ScriptedAction};
    use std::collections::BTreeSet;
    use std::time::Duration;
    use touchback_action::KeyEvent;
    use touchback_core::math::compass::KeyNumber;

    #[test]
    fn every_key_is_on_one_port() {
        let ports = |list: &[[u8; 2]]| -> Vec<_> {
            list.iter().map(|keys| ("port".to_owned(), Some(*keys))).collect()
        };
        let conflicts = |list: &[[u8; 2]]| {
            (0..list.len()).filter(|i| overlap(&ports(list), *i).is_some()).collect::<Vec<_>>()
        };
        assert!(conflicts(&[[1, 44], [45, 88]]).is_empty());
        assert!(conflicts(&[[45, 88], [1, 44]]).is_empty());
        assert_eq!(conflicts(&[[1, 44], [44, 88]]), [1]);
        assert_eq!(conflicts(&[[1, 88], [40, 40], [1, 1]]), [1, 2]);
        let mut unknown = ports(&[[1, 44], [44, 88]]);
        unknown[0].1 = None;
        assert_eq!(overlap(&unknown, 1), None);
    }

    fn board(first_key: u8, keys: u8) -> Emulated {
        let press = |time: f64, key: usize, action| ScriptedAction { time, key, action };
        // The strokes are repeated: the machine may be busy when the first one comes.
        let acts = (0..60).flat_map(|i| {
            let begin = 0.5 + 0.6 * f64::from(i);
            [
                press(begin, 1, FingerAction::Press { depth: 22e-3, within: 0.06 }),
                press(begin + 0.3, 1, FingerAction::Release { within: 0.1 }),
            ]
        });
        let design = KeyboardDesign { keys, first_key, has_motors: false, ..Emulator::on_a_desk() };
        Emulated::start(&design, Script::new(acts.collect())).unwrap()
    }

    fn group(boards: &[&Emulated]) -> PortGroup {
        let paths: Vec<String> = boards.iter().map(|board| board.path().to_owned()).collect();
        PortGroup::start(&paths, "a test", &ServoOptions::default()).unwrap()
    }

    /// Updates `group` until `is_done`, at most 60 s.
    fn until(group: &mut PortGroup, mut is_done: impl FnMut(&PortGroup) -> bool) -> bool {
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(60) {
            group.update();
            if is_done(group) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        false
    }

    fn are_present(group: &PortGroup) -> bool {
        group.reports().all(|report| report.status.states > 0)
    }

    /// Two boards of 44 keys play as one keyboard on one time base; where one goes away, the other plays on.
    #[test]
    fn two_boards_are_one_keyboard() {
        let (low, high) = (board(1, 44), board(45, 44));
        let mut group = group(&[&low, &high]);
        let mut struck = BTreeSet::new();
        let note = |struck: &mut BTreeSet<u8>, group: &PortGroup| {
            while let Some(event) = group.next_event() {
                if matches!(event.event, KeyEvent::Strike { .. }) {
                    struck.insert(event.key.number());
                }
            }
        };
        let are_both = until(&mut group, |group| {
            note(&mut struck, group);
            struck.len() == 2
        });
        assert!(are_both && struck.iter().eq(&[2, 46]), "{struck:?} {:?}", group.texts());
        let steps: Vec<_> = group.reports().map(|report| report.status.step).collect();
        assert!(steps[0].abs_diff(steps[1]) < 8 * 300, "{steps:?}");
        drop(low);
        let is_gone = |group: &PortGroup| {
            let states: Vec<_> = group.reports().map(|report| report.status.state).collect();
            states == [ConnectionState::Seeking, ConnectionState::Present]
        };
        assert!(until(&mut group, is_gone), "{:?}", group.texts());
        let texts = group.texts();
        assert!(texts[0].contains("keys 1 to 44: ") && texts[1].contains("keys 45 to 88: present"));
        struck.clear();
        let plays = until(&mut group, |group| {
            note(&mut struck, group);
            struck.contains(&46)
        });
        assert!(plays, "{:?}", group.texts());
    }

    #[test]
    fn two_boards_with_the_same_key_are_refused() {
        let (low, high) = (board(1, 44), board(44, 44));
        let mut group = group(&[&low, &high]);
        assert!(until(&mut group, |group| are_present(group) && group.conflict().is_some()));
        let texts = group.texts();
        assert!(texts[1].contains("keys 44 to 87, of which") && !texts[0].contains("of which"));
        // A note goes to the ports that have its key.
        group.press(KeyPress { key: KeyNumber::from_midi(21).unwrap(), speed: 0.1 });
    }
}
