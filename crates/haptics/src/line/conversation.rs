//! Messages between this computer and a keyboard, one turn at a time: for calibration and certification, which
//! command without a servo.

use std::collections::VecDeque;

use touchback_device::frame::{FrameReceiver, MAX_FRAME};
use touchback_device::message::{ASKS, Hello, Message, POSITION, StateMessage};

/// Both directions of the line to a keyboard.
pub trait Line {
    /// Sends `bytes`, waits about 1 ms, and appends the received bytes to `into`. Returns the time, s.
    ///
    /// # Errors
    /// A message: the port is gone, or the user has cancelled.
    fn turn(&mut self, bytes: &[u8], into: &mut Vec<u8>) -> Result<f64, String>;
}

/// A keyboard at a line and what it has said.
#[derive(Debug)]
pub struct Conversation<L> {
    line: L,
    receiver: FrameReceiver,
    received: Vec<u8>,
    out: Vec<u8>,
    /// The newest hello.
    pub hello: Option<Hello>,
    /// Facts have come.
    pub has_facts: bool,
    /// States that nobody has taken, each with the time of its receipt, s.
    pub states: VecDeque<(f64, StateMessage)>,
    /// The newest state.
    pub last: Option<StateMessage>,
    /// Least and greatest position of the first key, m; to be reset by its reader.
    pub range: Option<[f64; 2]>,
    /// Pongs received.
    pub pongs: u32,
    /// Time of the last turn, s.
    pub now: f64,
    /// Sequence number of the last message that has one.
    pub seq: u16,
}

impl<L: Line> Conversation<L> {
    /// A conversation in which nothing has been said.
    pub const fn new(line: L) -> Self {
        Self {
            line,
            receiver: FrameReceiver::new(),
            received: Vec::new(),
            out: Vec::new(),
            hello: None,
            has_facts: false,
            states: VecDeque::new(),
            last: None,
            range: None,
            pongs: 0,
            now: 0.0,
            seq: 0,
        }
    }

    /// Asks, up to ten times in 1 s, until hello and facts have come. Returns the hello where both have.
    ///
    /// # Errors
    /// The line has ended.
    pub fn ask(&mut self) -> Result<Option<Hello>, String> {
        for _ in 0..10 {
            // A zero ends a partial frame on the line.
            self.send_bytes(&[0]);
            ASKS.iter().for_each(|ask| self.send(ask));
            self.wait(0.1)?;
            if self.hello.is_some() && self.has_facts {
                break;
            }
        }
        Ok(self.hello.filter(|_| self.has_facts))
    }

    /// Forgets hello and facts, to see whether others come.
    pub const fn forget(&mut self) {
        (self.hello, self.has_facts) = (None, false);
    }

    /// Queues a message.
    pub fn send(&mut self, message: &Message) {
        let mut frame = [0; MAX_FRAME];
        if let Some(length) = message.frame(&mut frame) {
            self.send_bytes(&frame[..length]);
        }
    }

    /// Queues raw bytes.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// Sends what is queued and handles what has come.
    ///
    /// # Errors
    /// The line has ended.
    pub fn turn(&mut self) -> Result<(), String> {
        self.received.clear();
        self.now = self.line.turn(&self.out, &mut self.received)?;
        self.out.clear();
        for byte in &self.received {
            let Some(Ok(payload)) = self.receiver.push(*byte) else { continue };
            match Message::decode(payload) {
                Some(Message::State(state)) => {
                    self.last = Some(state);
                    if let Some(key) = state.keys.as_slice().iter().find(|key| key.key == 0) {
                        let x = f64::from(key.x) * POSITION;
                        let [least, most] = self.range.unwrap_or([x, x]);
                        self.range = Some([least.min(x), most.max(x)]);
                    }
                    self.states.push_back((self.now, state));
                }
                Some(Message::Hello(hello)) => self.hello = Some(hello),
                Some(Message::Facts(_)) => self.has_facts = true,
                Some(Message::Pong(..)) => self.pongs += 1,
                _ => {}
            }
        }
        Ok(())
    }

    /// Takes turns for `seconds`.
    ///
    /// # Errors
    /// The line has ended.
    pub fn wait(&mut self, seconds: f64) -> Result<(), String> {
        self.turn()?;
        let until = self.now + seconds;
        while self.now < until {
            self.turn()?;
        }
        Ok(())
    }

    /// The next sequence number; 0 means none.
    pub fn next(&mut self) -> u16 {
        self.seq = self.seq.wrapping_add(1).max(1);
        self.seq
    }

    /// Ends force, and then the safe damping, with which a reversed motor would push: stop, and after the fade
    /// clear and stop.
    ///
    /// # Errors
    /// The line has ended.
    pub(crate) fn end_force(&mut self) -> Result<(), String> {
        let seq = self.next();
        self.send(&Message::Stop(seq));
        self.wait(0.04)?;
        self.send(&Message::Clear(seq));
        self.send(&Message::Stop(seq));
        self.wait(0.02)
    }
}
