//! The last received MIDI messages in words: shows what a keyboard sends, and whether it arrives.

use std::collections::VecDeque;

use egui::{Grid, RichText, Ui, vec2};

use crate::views::keyboard::note_name;
use crate::widgets::theme;
use touchback_instrument::host::midi::controller;
use touchback_instrument::watch::monitor::tape::TimedMessage;

/// Messages that are kept.
const KEPT: usize = 64;
/// Least number of rows shown.
const LEAST: usize = 3;

/// The last messages, the newest first.
#[derive(Clone, Default, Debug)]
pub struct MessageList(VecDeque<TimedMessage>);

impl MessageList {
    /// Takes the messages since the last frame.
    pub fn follow(&mut self, messages: &[TimedMessage]) {
        for message in messages {
            self.0.push_front(*message);
        }
        self.0.truncate(KEPT);
    }

    /// Draws as many messages as have room in `height` points.
    pub(super) fn ui(&self, ui: &mut Ui, height: f32) {
        let faint = theme::faint(ui);
        ui.label(RichText::new("Received MIDI").heading());
        if self.0.is_empty() {
            ui.label(RichText::new("No message since the window was opened.").color(faint));
        }
        let row = ui.text_style_height(&egui::TextStyle::Body);
        let left = height - ui.min_rect().height();
        let fit = (0..KEPT).take_while(|rows| (*rows + 1) as f32 * row < left).count();
        let gaps = vec2(14.0 * theme::size(ui), 0.0);
        Grid::new("messages").min_row_height(row).spacing(gaps).show(ui, |ui| {
            for message in self.0.iter().take(fit.max(LEAST)) {
                ui.label(RichText::new(format!("{:.2} s", message.time)).color(faint));
                ui.label(channel(message));
                ui.label(words(message));
                ui.end_row();
            }
        });
    }
}

fn channel(message: &TimedMessage) -> String {
    format!("channel {}", (message.bytes[0] & 15) + 1)
}

/// The message without its channel.
fn words(message: &TimedMessage) -> String {
    let [status, a, b] = message.bytes;
    let note = || format!("{} ({a})", note_name(a));
    match status >> 4 {
        0x9 if b > 0 => format!("note on {}, velocity {b}", note()),
        0x8 | 0x9 => format!("note off {}", note()),
        0xa => format!("key pressure {}, {b}", note()),
        0xb => format!("controller {a}{}, {b}", controller_name(a)),
        0xd => format!("channel pressure {a}"),
        0xe => format!("bend {:+}", (i32::from(b) << 7 | i32::from(a)) - 8192),
        kind => format!("message {kind:X}"),
    }
}

/// Name of a controller that the piano itself uses.
const fn controller_name(number: u8) -> &'static str {
    match number {
        controller::SUSTAIN => " (sustain)",
        controller::SOSTENUTO => " (sostenuto)",
        controller::UNA_CORDA => " (una corda)",
        controller::VELOCITY_PREFIX => " (finer velocity)",
        controller::ALL_SOUND_OFF => " (all sound off)",
        controller::ALL_NOTES_OFF => " (all notes off)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_listed_in_words_the_newest_first() {
        let message = |bytes| TimedMessage { time: 0.5, bytes };
        for (bytes, text) in [
            ([0x90, 60, 64], "note on C4 (60), velocity 64"),
            ([0x90, 60, 0], "note off C4 (60)"),
            ([0x85, 21, 0], "note off A0 (21)"),
            ([0xb0, 64, 127], "controller 64 (sustain), 127"),
            ([0xb2, 1, 3], "controller 1, 3"),
            ([0xe0, 0, 64], "bend +0"),
            ([0xe0, 127, 127], "bend +8191"),
            ([0xd0, 9, 0], "channel pressure 9"),
        ] {
            assert_eq!(words(&message(bytes)), text);
        }
        assert_eq!(channel(&message([0x9f, 1, 1])), "channel 16");
        let mut list = MessageList::default();
        for note in 0..100 {
            list.follow(&[message([0x90, note, 1])]);
        }
        assert_eq!((list.0.len(), list.0[0].bytes[1]), (KEPT, 99));
    }
}
