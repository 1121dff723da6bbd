//! The window while a performance plays, frame by frame, drawn off screen.

use super::{BLOCK, RATE, Shot};
use crate::offscreen::{Offscreen, Picture};
use crate::state::controls::DetachedControls;
use crate::window::Window;
use touchback_instrument::host::midi::InputMessage;
use touchback_instrument::play::event_scheduler::{EventScheduler, Host};
use touchback_instrument::settings::Timing;
use touchback_instrument::{Event, Piano, Settings, Snapshot};

/// A window, and the piano that plays in it.
pub struct Film {
    shot: Shot,
    settings: Settings,
    window: Window,
    controls: DetachedControls,
    screen: Offscreen,
    player: EventScheduler,
    play: Vec<Event>,
}

/// Messages of one block, which it takes all at its first sample.
struct Messages<'a>(std::slice::Iter<'a, InputMessage>);

impl Host for Messages<'_> {
    fn next(&mut self) -> Option<(u32, InputMessage)> {
        self.0.next().map(|message| (0, *message))
    }
}

impl Film {
    /// The window of `shot` before anything is played, at `rate` frames a second.
    #[must_use]
    pub fn new(shot: &Shot, rate: f64) -> Self {
        let mut settings = shot.settings.clone();
        settings.touch.timing = Timing::Natural;
        let window = Shot { time: None, ..shot.clone() }.window();
        let controls =
            DetachedControls { settings: settings.clone(), ..DetachedControls::default() };
        let screen = Offscreen::at(rate);
        window.apply_theme(&screen.context);
        let mut piano = Piano::new(RATE, &settings);
        piano.watch(true);
        let player = EventScheduler::new(piano);
        Self { shot: shot.clone(), settings, window, controls, screen, player, play: Vec::new() }
    }

    /// Time played, s.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.player.sample() as f64 / RATE
    }

    /// Plays 5 ms that begin with `messages`.
    pub fn advance(&mut self, messages: &[InputMessage]) {
        let (mut left, mut right) = ([0.0f32; BLOCK], [0.0f32; BLOCK]);
        self.player.process(&mut left, &mut right, &mut Messages(messages.iter()));
        self.window.raise_levels([&left, &right].map(|channel| {
            f64::from(channel.iter().fold(0.0f32, |peak, sample| peak.max(sample.abs())))
        }));
        let piano = self.player.piano();
        for sample in piano.trace() {
            self.window.absorb(sample, &self.settings.action);
        }
        piano.trace_read();
    }

    /// Draws the next frame.
    #[must_use]
    pub fn frame(&mut self) -> Picture {
        let mut snapshot = Snapshot::default();
        self.player.piano().show(&mut snapshot);
        self.window.show(&snapshot);
        let Self { window, controls, screen, play, shot, .. } = self;
        let output = screen.frame(shot.size, shot.scale, Vec::new(), |ui| {
            window.ui(ui, controls, play);
        });
        screen.draw(output, shot.size, shot.scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faces::face::Face;

    #[test]
    fn a_played_key_moves_in_the_picture_and_comes_to_rest() {
        let shot = Shot { size: (720.0, 480.0), face: Face::Piano, ..Shot::default() };
        let mut film = Film::new(&shot, 20.0);
        let seconds = |film: &mut Film, count: usize, messages: &[InputMessage]| {
            for block in 0..count {
                film.advance(if block == 0 { messages } else { &[] });
            }
            film.frame()
        };
        // The first frames lay out the panels.
        for _ in 0..4 {
            let _ = film.frame();
        }
        let still = film.frame();
        assert!(film.frame() == still, "nothing moves");
        let on = InputMessage::NoteOn { channel: 0, note: 60, id: None, velocity: 0.8 };
        let played = seconds(&mut film, 10, &[on]);
        assert!(played != still);
        assert!((film.time() - 0.05).abs() < 1e-9);
        assert!(seconds(&mut film, 10, &[]) != played);
    }
}
