//! The prelude's beginning, played by emulated fingers on an emulated haptic keyboard that is connected to the plugin
//! by a pseudo-terminal: in real time, because the keyboard runs by the wall clock.
//!
//! The same notes are played from MIDI by a second instance in the same loop, for the load of both.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};
use clack_host::prelude::PluginEntry;

use super::fingers::Fingers;
use super::play::{RATE, message};
use crate::host::{Host, Message, Sent, Timed};
use touchback_core::math::cast::{count, floor_index};
use touchback_core::math::compass::{KeyNumber, fundamental};
use touchback_core::math::power::square;
use touchback_haptics::connection::Choice;
use touchback_haptics::connection::host_interface::PortState;
use touchback_haptics::keyboard::emulator::{Emulator, KeyboardDesign};
use touchback_haptics::keyboard::live::Live;
use touchback_haptics::line::priority;
use touchback_haptics::line::simulated_link::LinkFaults;
use touchback_haptics::session::ConnectionState;
use touchback_instrument::host::midi_file::Score;
use touchback_offline::output::progress;
use touchback_offline::wave::Wave;

/// Samples per block: one of 5.3 ms, as hosts use them with a keyboard.
const BLOCK: usize = 256;
/// Blocks between two looks at the keyboard's state: about 50 ms.
const LOOK: u64 = 10;
/// Longest wait for force, and time from the last motion to the end, s.
const PATIENCE: f64 = 8.0;
const REST: f64 = 1.0;
/// Time of force before the fingers begin, s: the servo pushes each key at rest before it trusts its motor, and a finger
/// that presses in the same moment looks like a motor that is too strong.
const PROOF: f64 = 0.5;
/// Ticks of the emulator (125 µs) between two points of the trace.
const TRACE_TICKS: u64 = 8;
/// Window before and after a strike in which the sound of its fundamental is measured, s.
const WINDOW: f64 = 0.06;
/// Rise of the fundamental's level at a strike that counts as heard in the sound, dB.
const RISE: f64 = 6.0;

/// A point of the trace of one key of the keyboard.
#[derive(Clone, Copy)]
pub(super) struct TracePoint {
    /// Time since the fingers' beginning, s.
    pub(super) time: f64,
    /// Depth of the key, m.
    pub(super) depth: f64,
    /// Force of the motor, N, positive against downward motion.
    pub(super) motor: f64,
    /// Force of the finger, N.
    pub(super) finger: f64,
}

/// A strike that the plugin reported.
#[derive(Clone, Copy)]
pub(super) struct Strike {
    /// Time since the fingers' beginning, s.
    pub(super) time: f64,
    /// MIDI note.
    pub(super) note: u8,
    /// Velocity, 0…1.
    pub(super) velocity: f64,
}

/// Computing times of blocks, as ratios of their duration.
#[derive(Default)]
pub(super) struct Load(Vec<f64>);

impl Load {
    /// Mean ratio.
    pub(super) fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len().max(1) as f64
    }

    /// Ratio that 95 % of the blocks do not exceed.
    pub(super) fn percentile_95(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() * 95 / 100).copied().unwrap_or(0.0)
    }
}

/// What was measured while the fingers played.
pub(super) struct KeyboardSession {
    /// Name of the keyboard's port.
    pub(super) port: String,
    /// Number of keys, and presses of the fingers.
    pub(super) keys: u8,
    pub(super) presses: usize,
    /// The plugin's keyboard at the end, before it was disarmed.
    pub(super) state: PortState,
    /// Texts of the halts after which the motors were armed again.
    pub(super) halts: Vec<String>,
    /// Strikes in the sound, in order of time.
    pub(super) strikes: Vec<Strike>,
    /// Number of strikes at which the level of the key's fundamental rises by [`RISE`] at least.
    pub(super) risen: usize,
    /// Motion and forces of the traced key.
    pub(super) trace: Vec<TracePoint>,
    /// The traced key.
    pub(super) traced: KeyNumber,
    /// Largest force of any motor, N.
    pub(super) peak: f64,
    /// Load of the audio thread with the keyboard, and with the same notes from MIDI.
    pub(super) with: Load,
    pub(super) without: Load,
}

/// The emulated keyboard in its thread.
struct EmulatorThread {
    plays: Arc<AtomicBool>,
    ends: Arc<AtomicBool>,
    port: String,
    thread: Option<JoinHandle<(Vec<TracePoint>, f64)>>,
}

impl EmulatorThread {
    /// Starts a keyboard; `traced` is the index of the traced key.
    fn start(fingers: &Arc<Fingers>, traced: usize) -> Result<Self> {
        let design = KeyboardDesign {
            first_key: fingers.first_key,
            keys: fingers.keys,
            ..Emulator::on_a_desk()
        };
        let mut live = open(&design)?;
        let port = live.path().to_owned();
        let (plays, ends) = <(Arc<AtomicBool>, Arc<AtomicBool>)>::default();
        let (begins, until, fingers) = (plays.clone(), ends.clone(), fingers.clone());
        let work = move || {
            // Without it ticks may be late, which the connection's state shows.
            let _ = priority::raise();
            let (mut trace, mut begun) = (Vec::new(), None);
            while !until.load(Ordering::Acquire) {
                if begun.is_none() && begins.load(Ordering::Acquire) {
                    let begin = live.emulator().time();
                    live.play(fingers.script(begin));
                    begun = Some(begin);
                }
                live.turn(|emulator| {
                    if let Some(begin) = begun
                        && emulator.ticks().is_multiple_of(TRACE_TICKS)
                        && let Some(key) = emulator.key(traced)
                    {
                        let (time, motor) = (emulator.time() - begin, emulator.force(traced));
                        trace.push(TracePoint { time, depth: key.x, motor, finger: key.touch });
                    }
                });
            }
            (trace, live.emulator().peak())
        };
        let thread = thread::Builder::new().name("touchback emulator".into()).spawn(work)?;
        Ok(Self { plays, ends, port, thread: Some(thread) })
    }

    /// Ends the keyboard: its trace and the largest force of a motor, N.
    fn end(mut self) -> Result<(Vec<TracePoint>, f64)> {
        self.ends.store(true, Ordering::Release);
        let thread = self.thread.take().context("the emulated keyboard has ended")?;
        thread.join().map_err(|_| anyhow!("the emulated keyboard stopped"))
    }
}

impl Drop for EmulatorThread {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Release);
    }
}

fn open(design: &KeyboardDesign) -> Result<Live> {
    // Systems without pseudo-terminals connect by an address of this machine.
    let local = std::net::SocketAddr::from((std::net::Ipv4Addr::LOCALHOST, 0));
    let address = (!cfg!(unix)).then_some(local);
    let script = touchback_haptics::keyboard::script::Script::default();
    Ok(Live::new(address, design, script, LinkFaults::default())?)
}

/// Whether the motors give force, and what ended it before.
#[derive(Default)]
struct Arming {
    state: PortState,
    is_live: bool,
    halts: Vec<String>,
}

impl Arming {
    /// Reads the keyboard's state. Arms once it is present, and again after a halt: the emulated hand is no one's.
    fn look(&mut self, host: &mut Host) -> Result<()> {
        let keyboard = host.keyboard()?;
        anyhow::ensure!(keyboard.error.is_empty(), "{}", keyboard.error);
        let Some(port) = keyboard.ports.into_iter().next() else { return Ok(()) };
        match port.state {
            ConnectionState::Present => host.arm(true)?,
            ConnectionState::Halted if self.state.state != ConnectionState::Halted => {
                self.halts.push(port.text.clone());
                host.arm(true)?;
            }
            _ => {}
        }
        self.is_live = port.state == ConnectionState::Live;
        self.state = port;
        Ok(())
    }
}

/// Lets fingers play `score` on a keyboard of the plugin, and writes the plugin's sound to `wave`.
pub(super) fn play(entry: &PluginEntry, score: &Score, wave: &mut Wave) -> Result<KeyboardSession> {
    let fingers = Arc::new(Fingers::of(score)?);
    let traced = fingers.pressed_first;
    let emulator =
        EmulatorThread::start(&fingers, usize::from(traced.number() - fingers.first_key))?;
    let mut host = Host::new(entry)?;
    host.choose_keyboard(&Choice { ports: vec![emulator.port.clone()], ..Choice::default() })?;
    let mut other = Host::new(entry)?;
    let output = host.parameters()?.into_iter().find(|p| p.name == "Strike output");
    let output = output.context("the plugin has no parameter `Strike output`")?.id;
    let notes = Message::Parameter(output, host.value_of(output, "Notes")?);
    for host in [&mut host, &mut other] {
        host.activate(f64::from(RATE), u32::try_from(BLOCK)?)?;
    }

    let block = Duration::from_secs_f64(BLOCK as f64 / f64::from(RATE));
    let seconds = |blocks: u64| blocks as f64 * block.as_secs_f64();
    // Number of blocks from the fingers' beginning to the end.
    let last = u64::from(count((fingers.end() + REST) / block.as_secs_f64()));
    let mut arming = Arming::default();
    let (mut strikes, mut mono) = (Vec::new(), Vec::new());
    let (mut with, mut without) = (Load::default(), Load::default());
    let [mut left, mut right, mut other_left, mut other_right] = [const { [0.0f32; BLOCK] }; 4];
    let bar = progress(last, "playing the keyboard");
    // Number of the block in which the fingers begin.
    let (mut live_since, mut begun, mut next) = (None, None, 0);
    let mut due = Instant::now();
    for number in 0u64.. {
        if begun.is_some_and(|begin| number - begin > last) {
            break;
        }
        if number.is_multiple_of(LOOK) {
            arming.look(&mut host)?;
            live_since = if arming.is_live { live_since.or(Some(number)) } else { None };
            let is_proven = live_since.is_some_and(|since| seconds(number - since) > PROOF);
            if begun.is_none() && (is_proven || seconds(number) > PATIENCE) {
                begun = Some(number);
                emulator.plays.store(true, Ordering::Release);
            }
        }
        let first = [Timed { at: 0, what: notes }];
        let messages = if number == 0 { &first[..] } else { &[] };
        let began = Instant::now();
        host.process(messages, &mut left, &mut right)?;
        let taken = began.elapsed();
        let mut from_midi = Vec::new();
        if let Some(begin) = begun {
            let start = (number - begin) * BLOCK as u64;
            due_messages(score, &mut next, start, &mut from_midi)?;
            with.0.push(taken.as_secs_f64() / block.as_secs_f64());
            sent_strikes(&mut host, start, &mut strikes)?;
            wave.write(&left, &right)?;
            mono.extend(left.iter().zip(&right).map(|(l, r)| f64::from(l + r)));
            bar.set_position(number - begin);
        }
        let began = Instant::now();
        other.process(&from_midi, &mut other_left, &mut other_right)?;
        if begun.is_some() {
            without.0.push(began.elapsed().as_secs_f64() / block.as_secs_f64());
        }
        due += block;
        match due.checked_duration_since(Instant::now()) {
            Some(early) => thread::sleep(early),
            // A late host does not hurry: the keyboard's time goes on by the clock.
            None => due = Instant::now(),
        }
    }
    bar.finish_and_clear();
    arming.look(&mut host)?;
    host.arm(false)?;
    drop(host);
    let port = emulator.port.clone();
    let (trace, peak) = emulator.end()?;
    let risen = strikes.iter().filter(|strike| rises(&mono, strike)).count();
    Ok(KeyboardSession {
        port,
        keys: fingers.keys,
        presses: fingers.presses,
        state: arming.state,
        halts: arming.halts,
        strikes,
        risen,
        trace,
        traced,
        peak,
        with,
        without,
    })
}

/// Adds the messages of the score's block from sample `start` on, of which `next` is the first.
fn due_messages(score: &Score, next: &mut usize, start: u64, into: &mut Vec<Timed>) -> Result<()> {
    while let Some((time, event)) = score.events.get(*next)
        && score.sample(*time, RATE) < start + BLOCK as u64
    {
        let at = u32::try_from(score.sample(*time, RATE).saturating_sub(start))?;
        into.extend(message(*event).map(|what| Timed { at, what }));
        *next += 1;
    }
    Ok(())
}

/// Adds the strikes that the plugin sent in the block from sample `start` on.
fn sent_strikes(host: &mut Host, start: u64, into: &mut Vec<Strike>) -> Result<()> {
    for (at, sent) in host.processor()?.sent() {
        if let Sent::NoteOn(note, velocity) = sent {
            let time = (start + u64::from(at)) as f64 / f64::from(RATE);
            into.push(Strike { time, note: u8::try_from(note)?, velocity });
        }
    }
    Ok(())
}

/// Whether the level of a struck key's fundamental rises at the strike.
fn rises(mono: &[f64], strike: &Strike) -> bool {
    let Some(key) = KeyNumber::from_midi(strike.note) else { return false };
    let rate = f64::from(RATE);
    let window = floor_index(WINDOW * rate);
    let at = floor_index(strike.time * rate);
    let power = |part: Option<&[f64]>| {
        let turn = std::f64::consts::TAU * fundamental(key) / rate;
        let sum = part.unwrap_or(&[]).iter().enumerate().fold((0.0, 0.0), |(re, im), (i, x)| {
            let (sin, cos) = libm::sincos(turn * i as f64);
            (re + x * cos, im + x * sin)
        });
        square(sum.0) + square(sum.1)
    };
    let before = power(mono.get(at.saturating_sub(window)..at));
    let after = power(mono.get(at..at + window));
    after > 0.0 && 10.0 * libm::log10(after / before.max(1e-12)) >= RISE
}
