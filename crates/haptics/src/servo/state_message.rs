//! Handling of one *state* message: accept it, judge it, answer it.
//!
//! `accept` checks number and time, `judge` updates the session and checks the keyboard's clock, `answer`
//! moves the simulated keys through the interval and sends their commands.

use super::command_path::DeviceTick;
use super::key::HapticKey;
use super::keyboard::has_no_motors;
use super::slot::{Join, Slot};
use super::{MAX_STEPS, Servo, send};
use crate::keyboard::symptom::Symptom;
use crate::record::log::Log;
use crate::session::{ConnectionState, HaltReason};
use touchback_device::device::key_impedance::LEAST_IMPEDANCE;
use touchback_device::device::safety::DeviceMode;
use touchback_device::fixed::{count, since, u16_of};
use touchback_device::message::{
    Hello, IMPEDANCE, KeyList, KeyState, Message, Play, StateMessage, VERSION, ability, fault,
};

/// Keys that may make their probe push at the same time.
const MAX_PUSHED: usize = 8;
/// Largest difference of a shared clock from host time that is left, µs: the jitter of a busy computer.
const SHARED_SLACK_US: u64 = 3000;
/// Unreported keys to which each command gives their impedance.
const INVITED_PER_COMMAND: usize = 8;

/// A state message that counts, and the time since the one before.
#[derive(Clone, Copy, Debug)]
struct AcceptedState<'a> {
    hello: Hello,
    message: &'a StateMessage,
    mode: DeviceMode,
    /// Time since the last state, µs of the keyboard's clock; none after a gap.
    advance_us: Option<u64>,
}

impl Servo {
    /// Handles a state message received at `now` s.
    pub(super) fn handle_state(
        &mut self,
        now: f64,
        message: &StateMessage,
        out: &mut Vec<u8>,
        log: &mut impl Log,
    ) {
        if !self.is_busy(now) {
            self.wire.note_state(message.t_us, now);
        }
        if let Some(chunk) = self.wire.chunk(now)
            && !self.plays_by_positions()
        {
            // No state is fresh enough for an answer.
            self.session.hello(Some(HaltReason::Chunked(u16_of(chunk, 1e-3))));
        }
        if let Some(state) = self.accept(now, message) {
            let clock_fault = self.judge(now, &state, out, log);
            self.answer(now, &state, clock_fault, out, log);
        }
    }

    /// Checks sequence number and time. Returns none for copies, overtaken messages, and states that no
    /// session can use: before hello and facts, from a refused keyboard, or while seeking.
    fn accept<'a>(&mut self, now: f64, message: &'a StateMessage) -> Option<AcceptedState<'a>> {
        let hello = self.hello?;
        self.status.factless += u64::from(!self.has_facts);
        if !self.has_facts || self.session.state() == ConnectionState::Refused {
            return None;
        }
        let mut advance_us = None;
        if let Some((seq, t_us)) = self.last {
            let ahead = message.seq.wrapping_sub(seq);
            let passed = since(message.t_us, t_us);
            if ahead == 0 || (ahead > u16::MAX / 2 && passed <= 0 && passed > -1_000_000) {
                return None;
            }
            let max = i32::try_from(MAX_STEPS * 125).unwrap_or(i32::MAX);
            if passed > 0 && passed <= max {
                advance_us = Some(u64::from(passed.unsigned_abs()));
                self.status.lost += u64::from(ahead) - 1;
            }
        }
        self.received_at = now;
        self.clock.note(message.t_us, now);
        if let Some((_, last_us)) = self.last {
            self.times.acknowledge(message.ack, last_us, message.t_us);
        }
        self.last = Some((message.seq, message.t_us));
        if self.session.state() == ConnectionState::Seeking {
            // The keyboard is back after a silence; `tick` asks for its hello.
            return None;
        }
        self.status.states += 1;
        self.is_reporting = true;
        let mode = DeviceMode::of(message.mode).unwrap_or(DeviceMode::Fault);
        // Firmware of version 2 takes the second ask for a damaged frame; the clear removes the fault.
        let asked =
            if hello.version < VERSION && mode == DeviceMode::Idle { fault::FRAME } else { 0 };
        (self.status.mode, self.status.faults) = (mode, message.faults & !asked);
        Some(AcceptedState { hello, message, mode, advance_us })
    }

    /// Updates the session by the reported mode, applies pending settings and checks the keyboard's
    /// clock. Returns the reason where the clock is implausible.
    fn judge(
        &mut self,
        now: f64,
        state: &AcceptedState,
        out: &mut Vec<u8>,
        log: &mut impl Log,
    ) -> Option<HaltReason> {
        let was_live = self.session.is_live();
        self.session.device(state.mode, state.message.faults, now);
        if was_live && !self.session.is_live() {
            self.stop(out);
        }
        if state.mode == DeviceMode::Damping
            && matches!(self.session.halt_reason(), HaltReason::Implausible(..) | HaltReason::Busy)
        {
            // Safe damping by a wrong motor or sensor may push. Clear and stop lead from damping
            // through ready to idle, where there is no force.
            self.seq = self.seq.wrapping_add(1);
            send(&Message::Clear(self.seq), out);
            self.stop(out);
        }
        if self.session.state() == ConnectionState::Arming {
            self.repeat_clear(now, out);
        }
        self.apply_pending_settings(log);
        if self.session.is_live() && self.clock_watch.is_observed(now) {
            self.settle_lead(now, out);
        }
        if state.advance_us.is_none() {
            self.status.gaps += u64::from(self.status.states > 1);
            self.keys.iter_mut().for_each(HapticKey::lose);
            self.clock_watch.restart();
        }
        self.clock_watch.note(state.advance_us.unwrap_or(0) as f64 * 1e-6, now);
        if self.clock_watch.is_wrong() && self.is_busy(now) {
            self.clock_watch.restart();
            return None;
        }
        self.clock_watch.is_wrong().then_some(HaltReason::Implausible(Symptom::Clock, 0))
    }

    /// Moves the simulated keys through the interval and sends the commands that follow. An implausible
    /// report halts the session before anything is sent; `implausible` is the reason found before.
    fn answer(
        &mut self,
        now: f64,
        state: &AcceptedState,
        mut implausible: Option<HaltReason>,
        out: &mut Vec<u8>,
        log: &mut impl Log,
    ) {
        let mut advance_us = state.advance_us.unwrap_or(0);
        if self.shares_clock {
            let host_us = touchback_core::math::cast::floor_index(now.max(0.0) * 1e6) as u64;
            let ahead = self.clock_us.saturating_sub(host_us);
            let behind = host_us.saturating_sub(self.clock_us);
            let is_at_rest = self.keys.iter().all(|key| !key.is_awake());
            if behind > SHARED_SLACK_US && (is_at_rest || state.advance_us.is_none()) {
                self.clock_us = host_us / 125 * 125;
            } else if ahead > SHARED_SLACK_US && is_at_rest {
                advance_us = 0;
            }
        }
        let before = self.step();
        self.clock_us += advance_us;
        let after = self.step();
        // A log without room for the settings has none for moving keys.
        let Some((_, settings)) = &self.active else { return };
        let reports = state.message.keys.as_slice();
        let is_direct = state.hello.abilities & ability::WAVE == 0;
        let lead_us = self.options.lead_us + self.options.block_us();
        let tick = DeviceTick::new(state.hello.rate_hz);
        let is_live = self.session.is_live();
        let interval = Slot {
            before,
            after,
            report: &KeyState::default(),
            join: Join::Followed,
            settings,
            is_live,
            may_push: false,
            has_junction: !is_direct,
            is_repeated: false,
            time_us: state.message.t_us,
            tick: &tick,
            times: &self.times,
            has_force_sensor: state.hello.abilities & ability::FORCE_SENSOR != 0,
            sensor_step: f64::from(state.hello.step_nm) * 1e-9,
            is_guarded: state.message.faults & fault::ENERGY != 0,
        };
        let mut play = Play {
            seq: self.seq.wrapping_add(1),
            play_us: state.message.t_us.wrapping_add(lead_us),
            keys: KeyList::default(),
        };
        let mut pushed = self.keys.iter().filter(|k| k.is_pushed()).count();
        let is_observed = self.clock_watch.is_observed(now) && self.is_lead_settled;
        for report in reports {
            let Some(key) = self.keys.get_mut(usize::from(report.key)) else {
                self.status.damaged += 1;
                continue;
            };
            let z = f64::from(report.impedance) * IMPEDANCE;
            let join = match (is_direct, state.mode == DeviceMode::Live && z >= LEAST_IMPEDANCE) {
                _ if has_no_motors(&state.hello) => Join::Followed,
                (true, _) => Join::Coupled,
                (false, true) => Join::Wave(z),
                (false, false) => Join::Followed,
            };
            let was_pushed = key.is_pushed();
            let may_push = is_observed && (pushed < MAX_PUSHED || was_pushed);
            let slot = Slot { report, join, may_push, ..interval };
            let symptom = key.slot(&slot, &self.options, log);
            implausible =
                implausible.or(symptom.map(|s| HaltReason::Implausible(s, key.number().number())));
            pushed += usize::from(!was_pushed && key.is_pushed());
            if is_live {
                play.keys.push(key.command(report.key, play.seq, &self.options));
            }
        }
        if is_live && self.options.plays {
            for (number, key) in (0u8..).zip(&mut self.keys) {
                if reports.iter().any(|k| k.key == number) {
                    continue;
                }
                let Some(report) = key.unreported(number, &self.options) else { continue };
                let z = self.options.impedance();
                let join = if is_direct { Join::Coupled } else { Join::Wave(z) };
                let slot = Slot { report: &report, join, is_repeated: true, ..interval };
                // A repeated report cannot show a symptom.
                let _ = key.slot(&slot, &self.options, log);
                play.keys.push(key.command(number, play.seq, &self.options));
            }
        }
        self.status.step = after;
        let names_no_key = reports.iter().all(|k| k.key >= state.hello.keys);
        if self.unknown_key_reports.note(names_no_key) {
            implausible = implausible.or(Some(HaltReason::Implausible(Symptom::Keys, 0)));
        }
        if let Some(mut reason) = implausible {
            if let HaltReason::Implausible(symptom, _) = reason
                && symptom.is_of_time()
                && self.is_busy(now)
            {
                reason = HaltReason::Busy;
            }
            self.session.implausible(reason);
            if is_live {
                self.stop(out);
            }
            self.keys.iter_mut().for_each(HapticKey::distrust);
        }
        if self.session.is_live() {
            self.invite(&mut play);
            self.seq = play.seq;
            self.times.send(play.seq, play.play_us);
            let message = if is_direct { Message::Torque(play) } else { Message::Wave(play) };
            send(&message, out);
        }
    }

    /// Adds unreported keys to a command in turn, so that their impedance is set before they move.
    fn invite(&mut self, play: &mut Play) {
        for _ in 0..INVITED_PER_COMMAND {
            if self.keys.is_empty() {
                return;
            }
            self.next_quiet = (self.next_quiet + 1) % self.keys.len();
            let number = count(self.next_quiet);
            if play.keys.as_slice().iter().all(|k| k.key != number)
                && let Some(key) = self.keys.get_mut(self.next_quiet)
            {
                play.keys.push(key.command(number, play.seq, &self.options));
            }
        }
    }
}
