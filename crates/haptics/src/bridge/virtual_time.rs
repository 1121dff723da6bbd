//! A bridge, its emulated controllers and a servo in one virtual time: the same bytes on both lines as on the wall
//! clock.

use super::emulated::{EmulatedControllers, Front, MotorMode};
use super::wire::ControllerWire;
use super::{Bridge, BridgeError, Controller, HostEnd};
use crate::line::conversation::Line;
use crate::servo::Servo;

/// Emulated controllers as a line.
#[derive(Debug)]
pub struct Virtual<F> {
    /// The controllers.
    pub controllers: EmulatedControllers<F>,
    said: Vec<u8>,
    /// Largest force of a motor that obeyed commands so far, N. Shorted windings brake with what the speed gives.
    pub peak: f64,
}

impl<F: Front> Virtual<F> {
    /// A line to `controllers`.
    #[must_use]
    pub const fn new(controllers: EmulatedControllers<F>) -> Self {
        Self { controllers, said: Vec::new(), peak: 0.0 }
    }

    /// Runs a tick of the controllers.
    pub fn step(&mut self) {
        self.controllers.tick(&mut self.said);
        for motor in &self.controllers.bus.motors {
            if motor.mode != MotorMode::TimedOut {
                self.peak = self.peak.max(motor.force.abs());
            }
        }
    }
}

impl<F: Front> ControllerWire for Virtual<F> {
    fn now_us(&mut self) -> u64 {
        self.controllers.now_us()
    }

    fn wait(&mut self, at_us: u64) {
        while self.controllers.now_us() < at_us {
            self.step();
        }
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.controllers.receive(bytes);
        Ok(())
    }

    fn receive(&mut self, into: &mut Vec<u8>, until_us: u64) -> Result<(), String> {
        while self.said.is_empty() && self.controllers.now_us() < until_us {
            self.step();
        }
        into.append(&mut self.said);
        Ok(())
    }
}

/// The host's bytes on the way.
#[derive(Default, Debug)]
pub struct Queue {
    /// To the bridge.
    pub down: Vec<u8>,
    /// To the host.
    pub up: Vec<u8>,
}

impl HostEnd for Queue {
    fn read(&mut self, into: &mut [u8]) -> usize {
        let count = self.down.len().min(into.len());
        into.iter_mut().zip(self.down.drain(..count)).for_each(|(to, byte)| *to = byte);
        count
    }

    fn write(&mut self, frame: &[u8]) {
        self.up.extend_from_slice(frame);
    }
}

/// A bridge and its host's bytes.
#[derive(Debug)]
pub struct Rig<C> {
    /// The bridge.
    pub bridge: Bridge<C>,
    /// Bytes from and to the host.
    pub queue: Queue,
}

impl<C: Controller> Rig<C> {
    /// A bridge whose host has sent nothing yet.
    #[must_use]
    pub fn new(bridge: Bridge<C>) -> Self {
        Self { bridge, queue: Queue::default() }
    }

    /// Virtual time, s.
    pub fn time(&mut self) -> f64 {
        self.bridge.controller().now_us() as f64 * 1e-6
    }

    /// Serves `servo` for `seconds`.
    ///
    /// # Errors
    /// Those of the controllers' line.
    pub fn serve(&mut self, servo: &mut Servo, seconds: f64) -> Result<(), BridgeError> {
        let end = self.time() + seconds;
        while self.time() < end {
            self.bridge.turn(&mut self.queue)?;
            let (now, up) = (self.time(), std::mem::take(&mut self.queue.up));
            servo.receive(now, &up, &mut self.queue.down, &mut ());
            servo.tick(now, &mut self.queue.down);
        }
        Ok(())
    }
}

impl<C: Controller> Line for Rig<C> {
    fn turn(&mut self, bytes: &[u8], into: &mut Vec<u8>) -> Result<f64, String> {
        self.queue.down.extend_from_slice(bytes);
        self.bridge.turn(&mut self.queue).map_err(|error| error.to_string())?;
        into.append(&mut self.queue.up);
        Ok(self.time())
    }
}
