//! The window while a performance plays, frame by frame, drawn off screen.

use std::collections::VecDeque;

use egui::{FullOutput, Ui};

use touchback_instrument::host::midi::InputMessage;
use touchback_instrument::host::midi_file::Score;
use touchback_instrument::host::params::Parameter;
use touchback_instrument::play::event_scheduler::{EventScheduler, Host};
use touchback_instrument::{Event, Piano, Snapshot};
use touchback_window::offscreen::{Offscreen, Picture};
use touchback_window::shot::{BLOCK, RATE, Shot};
use touchback_window::state::controls::{Controls as _, DetachedControls};
use touchback_window::window::Window;

/// A window, and the piano that plays in it.
pub(super) struct Film {
    shot: Shot,
    window: Window,
    controls: DetachedControls,
    screen: Offscreen,
    player: EventScheduler,
    /// Time up to which is to be played, s.
    end: f64,
    /// Times, s, and messages of the performance.
    coming: VecDeque<(f64, InputMessage)>,
    play: Vec<Event>,
}

/// Messages of one block, which it takes all at its first sample.
struct Messages<'a> {
    coming: &'a mut VecDeque<(f64, InputMessage)>,
    now: f64,
}

impl Host for Messages<'_> {
    fn next(&mut self) -> Option<(u32, InputMessage)> {
        self.coming.pop_front_if(|(at, _)| *at <= self.now).map(|(_, message)| (0, message))
    }
}

impl Film {
    /// The window of `shot` before anything is played, at `rate` frames a second.
    #[must_use]
    pub(super) fn new(shot: &Shot, rate: f64) -> Self {
        let settings = shot.settings.clone();
        let window = Shot { time: None, ..shot.clone() }.window();
        let screen = Offscreen::at(rate);
        window.apply_theme(&screen.context);
        screen.context.enable_accesskit();
        let mut piano = Piano::new(RATE, &settings);
        piano.watch(true);
        Self {
            shot: shot.clone(),
            window,
            controls: DetachedControls::of(settings),
            screen,
            player: EventScheduler::new(piano),
            end: 0.0,
            coming: VecDeque::new(),
            play: Vec::new(),
        }
    }

    /// Plays `score` from its time `from` s on, beginning now.
    pub(super) fn perform(&mut self, score: &Score, from: f64) {
        let at = |time: u128| time as f64 / score.per_second as f64 - from;
        let messages = score.events.iter().map(|(time, message)| (at(*time), *message));
        let (now, heard) = (self.end, messages.filter(|(at, _)| *at >= 0.0));
        self.coming.extend(heard.map(|(at, message)| (now + at, message)));
    }

    /// The value of `parameter`.
    #[must_use]
    pub(super) fn value(&self, parameter: &'static Parameter) -> f64 {
        self.controls.value(parameter)
    }

    /// Sets `parameter` as a host's automation does.
    pub(super) fn automate(&mut self, parameter: &'static Parameter, value: f64) {
        self.controls.put(parameter, value);
    }

    /// Plays on for `seconds`, in blocks of 5 ms.
    pub(super) fn advance(&mut self, seconds: f64) {
        self.end += seconds;
        loop {
            let now = self.player.sample() as f64 / RATE;
            if now >= self.end - 1e-9 {
                return;
            }
            let (mut left, mut right) = ([0.0f32; BLOCK], [0.0f32; BLOCK]);
            let mut messages = Messages { coming: &mut self.coming, now };
            self.player.process(&mut left, &mut right, &mut messages);
            self.window.raise_levels([&left, &right].map(|channel| {
                f64::from(channel.iter().fold(0.0f32, |peak, sample| peak.max(sample.abs())))
            }));
            let piano = self.player.piano();
            for sample in piano.trace() {
                self.window.absorb(sample, &self.controls.settings.action);
            }
            piano.trace_read();
        }
    }

    /// Whether the window reads files or measures a key.
    pub(super) const fn is_reading(&self) -> bool {
        self.window.is_reading()
    }

    /// Lays out the next frame under `events`, with what `above` draws first, and passes on what was played and
    /// changed.
    pub(super) fn lay_out(
        &mut self,
        events: Vec<egui::Event>,
        mut above: impl FnMut(&mut Ui),
    ) -> FullOutput {
        let mut snapshot = Snapshot::default();
        self.player.piano().show(&mut snapshot);
        self.window.show(&snapshot);
        let Self { window, controls, screen, play, shot, .. } = self;
        let output = screen.frame(shot.size, shot.scale, events, |ui| {
            above(ui);
            window.ui(ui, controls, play);
        });
        for event in self.play.drain(..) {
            self.player.piano().handle(event);
        }
        if *self.player.settings() != self.controls.settings {
            self.player.set(&self.controls.settings);
        }
        output
    }

    /// Draws what was laid out.
    pub(super) fn draw(&self, output: FullOutput) -> Picture {
        self.screen.draw(output, self.shot.size, self.shot.scale)
    }

    /// Draws the next frame.
    #[must_use]
    pub(super) fn frame(&mut self) -> Picture {
        let output = self.lay_out(Vec::new(), |_| ());
        self.draw(output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_window::faces::face::Face;

    #[test]
    fn a_played_key_moves_in_the_picture_and_comes_to_rest() {
        let shot = Shot { size: (720.0, 480.0), face: Face::Piano, ..Shot::default() };
        let mut film = Film::new(&shot, 20.0);
        // The first frames lay out the panels.
        for _ in 0..4 {
            let _ = film.frame();
        }
        let still = film.frame();
        assert!(film.frame() == still, "nothing moves");
        let on = InputMessage::NoteOn { channel: 0, note: 60, id: None, velocity: 0.8 };
        film.coming.push_back((0.0, on));
        film.advance(0.05);
        assert_eq!(film.player.sample(), 2400);
        let played = film.frame();
        assert!(played != still);
        film.advance(0.05);
        assert!(film.frame() != played);
    }
}
