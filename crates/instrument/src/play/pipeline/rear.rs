//! The stages of a pipeline behind the action: strings, then board, levels, fades and output guard.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Instant;

use super::{AHEAD, Call};
use crate::play::limiter::{self, Limiter};
use crate::play::output::{FadeOut, OutputLevel};
use crate::settings::{Settings, Switch};
use touchback_sound::Sound;
use touchback_sound::engine::board_section::BoardSection;
use touchback_sound::engine::strings::{BridgeForces, StringSection};
use touchback_sound::strings::bank::BLOCK;
use touchback_sound::strings::bridge::ZONES;

/// Samples that the strings have rendered, at most to the end of a block of the sound.
#[derive(Debug)]
struct Portion {
    len: usize,
    /// The strings are at rest.
    is_still: bool,
}

/// What the strings pass on at once.
#[derive(Debug, Default)]
struct Batch {
    /// Those of the action that concern board and output too.
    calls: Vec<Call>,
    portions: VecDeque<Portion>,
    /// Forces of the portions, by portion, zone and sample, N.
    forces: Vec<f32>,
}

/// The stages of a pipeline behind the action.
pub struct Rear {
    strings: StringStage,
    board: BoardStage,
    from: Receiver<Vec<Call>>,
}

impl Rear {
    pub(super) fn new(
        sound: Sound,
        from: Receiver<Vec<Call>>,
        sample_rate: f64,
        settings: &Settings,
    ) -> Self {
        let (strings, board) = sound.split();
        let fade = FadeOut::new(sample_rate);
        Self {
            strings: StringStage { strings, fade: fade.len(), batch: Batch::default() },
            board: BoardStage {
                board,
                level: OutputLevel::new(sample_rate, settings.output_db),
                fade,
                limiter: Limiter::new(sample_rate, limiter::latency_of(settings, sample_rate)),
                is_guarded: settings.output_guard == Switch::On,
                batch: Batch::default(),
                next: 0,
            },
            from,
        }
    }

    /// Renders until the piano closes its end, the strings on a thread of their own. `out` receives every
    /// block of the piano's caller and the time that all stages have worked on it, s; it may break off.
    pub fn run(self, mut out: impl FnMut(&[f32], &[f32], f64) -> ControlFlow<()>) {
        let Self { mut strings, mut board, from } = self;
        let (to, batches) = sync_channel(AHEAD);
        std::thread::scope(|scope| {
            scope.spawn(move || strings.run(&from, &to));
            let (mut left, mut right, mut worked) = (Vec::new(), Vec::new(), 0.0);
            // Breaking off drops the receiver, at which the strings end, and so the action.
            for batch in batches {
                let mut begun = Instant::now();
                (board.batch, board.next) = (batch, 0);
                for call in std::mem::take(&mut board.batch.calls) {
                    if let Call::EndBlock(before) = call {
                        worked += before + begun.elapsed().as_secs_f64();
                        if out(&left, &right, worked).is_break() {
                            return;
                        }
                        (begun, worked) = (Instant::now(), 0.0);
                        left.clear();
                        right.clear();
                    } else {
                        board.take(call, &mut left, &mut right);
                    }
                }
                worked += begun.elapsed().as_secs_f64();
            }
        });
    }
}

/// The strings, driven by the calls of the action.
struct StringStage {
    strings: StringSection,
    /// Length of a fade, samples.
    fade: usize,
    batch: Batch,
}

impl StringStage {
    fn run(&mut self, from: &Receiver<Vec<Call>>, to: &SyncSender<Batch>) {
        let mut worked = 0.0;
        for calls in from {
            let mut begun = Instant::now();
            for call in calls {
                if let Call::EndBlock(before) = call {
                    worked += before + begun.elapsed().as_secs_f64();
                    self.batch.calls.push(Call::EndBlock(worked));
                    (begun, worked) = (Instant::now(), 0.0);
                } else {
                    self.take(call);
                }
            }
            worked += begun.elapsed().as_secs_f64();
            if to.send(std::mem::take(&mut self.batch)).is_err() {
                return;
            }
        }
    }

    /// Takes a call, and passes it on unless it concerns the strings alone.
    fn take(&mut self, call: Call) {
        let strings = &mut self.strings;
        match &call {
            Call::Strike(key, speed, delay) => return strings.strike(*key, *speed, *delay),
            Call::Pluck(key, displacement, delay) => {
                return strings.pluck(*key, *displacement, *delay);
            }
            Call::StrikeRod(key, mass, speed, delay) => {
                return strings.strike_rod(*key, *mass, *speed, *delay);
            }
            Call::Damper(key, lift) => return strings.damper(*key, *lift),
            Call::UnaCorda(amount) => return strings.una_corda(*amount),
            Call::Knock(key, knock, speed) => return strings.knock(*key, *knock, *speed),
            Call::SetHammer(key, hammer) => return strings.set_hammer(*key, hammer),
            Call::Settle if !strings.is_at_rest() => return,
            Call::Settle => strings.settle(),
            Call::Begin(waiting) => return strings.begin(*waiting, false),
            Call::Hold(waiting) => return strings.hold(*waiting, false),
            Call::Reset => strings.reset(),
            Call::Set(settings) => strings.set(settings),
            Call::Retune(key, cents) => strings.retune(*key, *cents),
            Call::FadeOut => self.render(self.fade),
            Call::Render(len) => self.render(*len),
            Call::Blow(..) | Call::Aim(..) | Call::ResetOutput | Call::EndBlock(_) => {}
        }
        self.batch.calls.push(call);
    }

    /// Passes the next `len` samples on.
    fn render(&mut self, len: usize) {
        let mut left = len;
        while left > 0 {
            let place = self.strings.take(left, false);
            for zone in self.strings.forces() {
                self.batch.forces.extend_from_slice(&zone[place.clone()]);
            }
            let len = place.len();
            self.batch.portions.push_back(Portion { len, is_still: self.strings.is_at_rest() });
            left -= len;
        }
    }
}

/// Board, level, fade and output guard, driven by the calls of the strings.
struct BoardStage {
    board: BoardSection,
    level: OutputLevel,
    fade: FadeOut,
    /// That of an event scheduler.
    limiter: Limiter,
    is_guarded: bool,
    batch: Batch,
    /// Index of the next of the batch's forces.
    next: usize,
}

impl BoardStage {
    /// Takes a call; rendered samples are appended to `left` and `right`.
    fn take(&mut self, call: Call, left: &mut Vec<f32>, right: &mut Vec<f32>) {
        match call {
            Call::Reset => self.board.reset(),
            Call::Set(settings) => self.board.set(&settings),
            Call::Retune(key, cents) => self.board.retune(key, cents),
            Call::Blow(key, pressure) => self.board.blow(key, pressure),
            Call::Aim(level_db, mix, is_guarded) => {
                self.is_guarded = is_guarded;
                self.level.guard(is_guarded);
                self.level.aim(level_db, mix);
            }
            Call::ResetOutput => {
                self.fade.clear();
                self.level.settle();
            }
            Call::FadeOut => {
                let Self { board, batch, next, fade, .. } = self;
                fade.take(|left, right| render(board, batch, next, left, right));
            }
            Call::Settle => {
                if self.board.is_at_rest() && self.fade.is_over() {
                    self.board.settle();
                    self.level.settle();
                }
            }
            Call::Render(len) => {
                let from = left.len();
                left.resize(from + len, 0.0);
                right.resize(from + len, 0.0);
                let (left, right) = (&mut left[from..], &mut right[from..]);
                render(&mut self.board, &mut self.batch, &mut self.next, left, right);
                self.fade.mix(left, right);
                self.level.apply(left, right);
                self.limiter.process(left, right, self.is_guarded);
            }
            // `Rear::run` takes the end of a block; the others concern the strings alone and are not passed on.
            Call::EndBlock(_)
            | Call::Begin(_)
            | Call::Hold(_)
            | Call::Strike(..)
            | Call::Pluck(..)
            | Call::StrikeRod(..)
            | Call::Damper(..)
            | Call::UnaCorda(_)
            | Call::Knock(..)
            | Call::SetHammer(..) => {}
        }
    }
}

/// Renders the next portions of `batch`, whose forces begin at `next`, by `board`.
fn render(
    board: &mut BoardSection,
    batch: &mut Batch,
    next: &mut usize,
    left: &mut [f32],
    right: &mut [f32],
) {
    let mut done = 0;
    while done < left.len() {
        let Some(Portion { len, is_still }) = batch.portions.pop_front() else { return };
        let at = board.phase();
        let mut forces: BridgeForces = [[0.0; BLOCK]; ZONES];
        for zone in &mut forces {
            zone[at..at + len].copy_from_slice(&batch.forces[*next..*next + len]);
            *next += len;
        }
        let range = done..done + len;
        board.process(&forces, is_still, &mut left[range.clone()], &mut right[range], None);
        done += len;
    }
}
