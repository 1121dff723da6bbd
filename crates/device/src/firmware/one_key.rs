//! A board with one key, from parts with the traits of `embedded-hal` 1.0: what differs from board to board is one
//! file that makes these parts.
//!
//! ```text
//! let mut board = OneKey { clock, encoder, serial, set_point, enable, driver, supply, watchdog, .. };
//! let mut firmware = Firmware::new(BUILD, &mut board);
//! loop {
//!     firmware.serve(&mut board);
//! }
//! ```

use embedded_hal::digital::{InputPin, OutputPin};
use embedded_hal::pwm::SetDutyCycle;
use embedded_hal_nb::serial::{Read, Write};

use super::{Board, Homing};
use crate::fixed::u16_of;
use crate::message::fault;

/// A free-running clock; `embedded-hal` has none.
pub trait Clock {
    /// Microseconds modulo 2³².
    fn micros(&mut self) -> u32;
}

/// An incremental or absolute encoder; `embedded-hal` has none.
pub trait Encoder {
    /// Count, growing as the key goes down.
    fn count(&mut self) -> i32;
}

/// A watchdog of at most 20 ms that takes the motors' supply away; `embedded-hal` 1.0 has none.
pub trait Watchdog {
    /// Begins its time anew.
    fn feed(&mut self);
}

/// A board with one motorized key.
#[derive(Debug)]
pub struct OneKey<C, Q, U, M, E, D, S, W> {
    /// Clock.
    pub clock: C,
    /// Encoder.
    pub encoder: Q,
    /// Serial port to the host.
    pub serial: U,
    /// Set point of the amplifier: a pulse width of 50 % for no current, 90 % and 10 % for the largest.
    pub set_point: M,
    /// High enables the amplifier.
    pub enable: E,
    /// Low while the driver reports a fault.
    pub driver: D,
    /// High while the motor's supply is there and the switch at hand is on.
    pub supply: S,
    /// Watchdog.
    pub watchdog: W,
    /// Force at a pulse width of 90 %, N, against downward motion, by the measured motor constant.
    pub full: f32,
    /// Search for the zero of an incremental encoder; none for an absolute one.
    pub homing: Option<Homing>,
    /// Time of the last reading of the encoder, µs.
    pub read_us: u32,
}

impl<C, Q, U, M, E, D, S, W> Board<1, f32> for OneKey<C, Q, U, M, E, D, S, W>
where
    C: Clock,
    Q: Encoder,
    U: Read<u8> + Write<u8>,
    M: SetDutyCycle,
    E: OutputPin,
    D: InputPin,
    S: InputPin,
    W: Watchdog,
{
    fn micros(&mut self) -> u32 {
        self.clock.micros()
    }

    fn counts(&mut self, counts: &mut [i32; 1]) {
        let (raw, now_us) = (self.encoder.count(), self.clock.micros());
        let passed_us = now_us.wrapping_sub(core::mem::replace(&mut self.read_us, now_us));
        *counts = [match &mut self.homing {
            Some(homing) => homing.position(raw, passed_us),
            None => raw,
        }];
    }

    fn newtons(&mut self, forces: &[f32; 1]) {
        let [force] = *forces;
        let share = 0.5 + 0.4 * (force / self.full).clamp(-1.0, 1.0);
        let most = self.set_point.max_duty_cycle();
        // A set point that cannot be set leaves the watchdog unfed in `supervise`.
        let _ = self.set_point.set_duty_cycle(u16_of(share * f32::from(most), 1.0));
    }

    fn faults(&mut self) -> u16 {
        // A pin that cannot be read counts as a fault.
        let driver = if self.driver.is_high().unwrap_or(false) { 0 } else { fault::DRIVER };
        let supply = if self.supply.is_high().unwrap_or(false) { 0 } else { fault::SUPPLY };
        let is_homed = self.homing.is_none_or(|homing| homing.is_found());
        driver | supply | if is_homed { 0 } else { fault::NO_ZERO }
    }

    fn supervise(&mut self, is_on: bool) {
        let is_set = if is_on { self.enable.set_high() } else { self.enable.set_low() };
        if is_set.is_ok() {
            self.watchdog.feed();
        }
    }

    fn receive(&mut self) -> Option<u8> {
        // An overrun or a framing error loses bytes; the frame's check finds that.
        self.serial.read().ok()
    }

    fn send(&mut self, byte: u8) -> bool {
        self.serial.write(byte).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::safety::DeviceMode;
    use crate::firmware::Firmware;
    use crate::frame::MAX_FRAME;
    use crate::history;
    use crate::message::{Hello, KeyFacts, KeyList, KeyWave, Message, Play};
    use core::cell::{Cell, RefCell};
    use core::convert::Infallible;
    use std::collections::VecDeque;
    use std::rc::Rc;

    /// The world around the parts.
    #[derive(Default)]
    struct World {
        now_us: Cell<u32>,
        count: Cell<i32>,
        received: RefCell<VecDeque<Result<u8, embedded_hal_nb::serial::ErrorKind>>>,
        duty: Cell<u16>,
        is_enabled: Cell<bool>,
        is_driver_right: Cell<bool>,
        is_supplied: Cell<bool>,
        fed: Cell<u32>,
    }

    #[derive(Clone)]
    struct Part(Rc<World>);
    struct Driver(Rc<World>);
    struct Supply(Rc<World>);

    impl Clock for Part {
        fn micros(&mut self) -> u32 {
            self.0.now_us.set(self.0.now_us.get() + 5);
            self.0.now_us.get()
        }
    }
    impl Encoder for Part {
        fn count(&mut self) -> i32 {
            self.0.count.get()
        }
    }
    impl Watchdog for Part {
        fn feed(&mut self) {
            self.0.fed.set(self.0.fed.get() + 1);
        }
    }
    impl embedded_hal::digital::ErrorType for Part {
        type Error = Infallible;
    }
    impl OutputPin for Part {
        fn set_low(&mut self) -> Result<(), Infallible> {
            self.0.is_enabled.set(false);
            Ok(())
        }
        fn set_high(&mut self) -> Result<(), Infallible> {
            self.0.is_enabled.set(true);
            Ok(())
        }
    }
    macro_rules! input {
        ($part:ty, $of:ident) => {
            impl embedded_hal::digital::ErrorType for $part {
                type Error = Infallible;
            }
            impl InputPin for $part {
                fn is_high(&mut self) -> Result<bool, Infallible> {
                    Ok(self.0.$of.get())
                }
                fn is_low(&mut self) -> Result<bool, Infallible> {
                    Ok(!self.0.$of.get())
                }
            }
        };
    }
    input!(Driver, is_driver_right);
    input!(Supply, is_supplied);
    impl embedded_hal::pwm::ErrorType for Part {
        type Error = Infallible;
    }
    impl SetDutyCycle for Part {
        fn max_duty_cycle(&self) -> u16 {
            8500
        }
        fn set_duty_cycle(&mut self, duty: u16) -> Result<(), Infallible> {
            self.0.duty.set(duty);
            Ok(())
        }
    }
    impl embedded_hal_nb::serial::ErrorType for Part {
        type Error = embedded_hal_nb::serial::ErrorKind;
    }
    impl Read<u8> for Part {
        fn read(&mut self) -> nb::Result<u8, Self::Error> {
            match self.0.received.borrow_mut().pop_front() {
                Some(result) => result.map_err(nb::Error::Other),
                None => Err(nb::Error::WouldBlock),
            }
        }
    }
    impl Write<u8> for Part {
        fn write(&mut self, _: u8) -> nb::Result<(), Self::Error> {
            Ok(())
        }
        fn flush(&mut self) -> nb::Result<(), Self::Error> {
            Ok(())
        }
    }

    type TestBoard = OneKey<Part, Part, Part, Part, Part, Driver, Supply, Part>;

    fn board() -> (Rc<World>, TestBoard, Firmware<1, f32>) {
        let world = Rc::new(World::default());
        world.is_driver_right.set(true);
        world.is_supplied.set(true);
        let part = Part(world.clone());
        let mut board = OneKey {
            clock: part.clone(),
            encoder: part.clone(),
            serial: part.clone(),
            set_point: part.clone(),
            enable: part.clone(),
            driver: Driver(world.clone()),
            supply: Supply(world.clone()),
            watchdog: part,
            full: 15.0,
            homing: Some(Homing::new(0, 2000)),
            read_us: 0,
        };
        let two = history::build::<f32>();
        let build = crate::device::Build {
            hello: Hello { keys: 1, ..two.hello },
            facts: [KeyFacts::default()],
            slew: two.slew,
            thermal_time: two.thermal_time,
            timeout_us: two.timeout_us,
            bed: two.bed,
            guard: two.guard,
            state_keys: 1,
        };
        let firmware = Firmware::new(build, &mut board);
        (world, board, firmware)
    }

    /// Serves for `ms`; sends `message` every millisecond.
    fn serve(
        ms: u32,
        board: &mut TestBoard,
        firmware: &mut Firmware<1, f32>,
        message: Option<fn(u32) -> Message>,
    ) {
        let world = board.clock.0.clone();
        for _ in 0..ms {
            let begin = world.now_us.get();
            if let Some(message) = message {
                let mut frame = [0; MAX_FRAME];
                let length = message(begin).frame(&mut frame).unwrap();
                world.received.borrow_mut().extend(frame[..length].iter().map(|byte| Ok(*byte)));
            }
            while world.now_us.get() - begin < 1000 {
                firmware.serve(board);
            }
        }
    }

    fn push(now_us: u32) -> Message {
        let mut play = Play {
            seq: u16::try_from(now_us / 1000 % 65_536).unwrap(),
            play_us: now_us,
            keys: KeyList::default(),
        };
        play.keys.push(KeyWave { key: 0, force: 1250, impedance: 0 });
        Message::Torque(play)
    }

    /// No force before the zero is found; then 5 N are a third of 40 % above the middle; the watchdog is fed at every
    /// tick; supply and driver end force and the enable line at once.
    #[test]
    fn a_board_homes_gives_force_and_ends_it_with_supply_or_driver() {
        let (world, mut board, mut firmware) = board();
        let clear: fn(u32) -> Message = |_| Message::Clear(1);
        serve(5, &mut board, &mut firmware, Some(clear));
        serve(20, &mut board, &mut firmware, Some(push));
        assert_eq!((firmware.device().mode(), world.is_enabled.get()), (DeviceMode::Fault, false));
        assert_eq!(firmware.device().faults() & fault::NO_ZERO, fault::NO_ZERO);
        serve(1000, &mut board, &mut firmware, None);
        for faults in [fault::SUPPLY, fault::DRIVER] {
            serve(3, &mut board, &mut firmware, Some(clear));
            serve(20, &mut board, &mut firmware, Some(push));
            assert_eq!(
                (firmware.device().mode(), world.is_enabled.get()),
                (DeviceMode::Live, true)
            );
            assert_eq!(world.duty.get(), 5383);
            let fed = world.fed.get();
            let pin =
                if faults == fault::SUPPLY { &world.is_supplied } else { &world.is_driver_right };
            pin.set(false);
            serve(1, &mut board, &mut firmware, Some(push));
            assert!((7..=9).contains(&(world.fed.get() - fed)), "{}", world.fed.get() - fed);
            assert_eq!(
                (firmware.device().mode(), world.is_enabled.get()),
                (DeviceMode::Fault, false)
            );
            assert_eq!((world.duty.get(), firmware.device().faults() & faults), (4250, faults));
            pin.set(true);
            serve(5, &mut board, &mut firmware, None);
        }
    }

    /// Overruns of the port lose bytes and nothing else.
    #[test]
    fn an_overrun_does_not_end_reception() {
        let (world, mut board, mut firmware) = board();
        let overrun = Err(embedded_hal_nb::serial::ErrorKind::Overrun);
        world.received.borrow_mut().extend([Ok(3), overrun, Ok(7), overrun, Ok(0)]);
        serve(1100, &mut board, &mut firmware, None);
        assert_eq!(firmware.device().faults() & fault::FRAME, fault::FRAME);
        serve(3, &mut board, &mut firmware, Some(|_| Message::Clear(1)));
        assert_eq!(firmware.device().mode(), DeviceMode::Ready);
    }
}
