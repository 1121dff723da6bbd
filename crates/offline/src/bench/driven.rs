//! What the test benches have in common.

use crate::gesture::{Gesture, KeyView};
use touchback_action::{Drive, EventKind, Readout, STEP};

/// A key on a test bench, driven step by step.
pub trait Driven: Sized {
    /// Time since the bench began, s.
    fn now(&self) -> f64;

    /// Advances one action step.
    fn step(&mut self, drive: Drive);

    /// State of the key front.
    fn view(&self) -> KeyView;

    /// The key's readout under `drive`.
    fn read(&self, drive: Drive) -> Readout;

    /// Time, s, and value of the first event of a kind.
    fn first(&self, kind: EventKind) -> Option<(f64, f64)>;

    /// Runs for `seconds` s; `drive` receives the times since the call at a step's start and end. `each`
    /// ends the run by returning `false`.
    fn run(
        &mut self,
        seconds: f64,
        drive: impl Fn(f64, f64) -> Drive,
        mut each: impl FnMut(&Self, Drive) -> bool,
    ) {
        let start = self.now();
        while self.now() - start < seconds - 0.5 * STEP {
            let t = self.now() - start;
            let drive = drive(t, t + STEP);
            self.step(drive);
            if !each(self, drive) {
                break;
            }
        }
    }

    /// Plays a gesture; `each` ends it by returning `false`.
    fn play(&mut self, gesture: &mut Gesture, mut each: impl FnMut(&Self, Drive) -> bool) {
        for step in 0..gesture.steps() {
            let drive = gesture.drive(step, self.view());
            self.step(drive);
            if !each(self, drive) {
                break;
            }
        }
    }
}
