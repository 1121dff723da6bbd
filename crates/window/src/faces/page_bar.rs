//! The row of a page in a browser: a piece to hear, an exercise, files and links, and the page's messages. In a
//! host the host and its user do this.

use egui::{Label, RichText, Ui, vec2};

use crate::widgets::theme;

/// Height of a window below which messages have one line, and room beside one for its button, points.
const LOW: f32 = 440.0;
const CLOSE: f32 = 34.0;

/// Draws a message, if `is_low` in one line, which shows the whole `words` under the pointer.
fn show(ui: &mut Ui, text: RichText, words: &str, is_low: bool) {
    if !is_low {
        ui.label(text);
        return;
    }
    let size = vec2((ui.available_width() - CLOSE).max(CLOSE), ui.spacing().interact_size.y);
    ui.allocate_ui(size, |ui| ui.add(Label::new(text).truncate()).on_hover_text(words));
}

/// What the user asks of the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PageOrder {
    /// To play the page's piece, or to end what is played.
    Perform,
    /// To hide a fault in one key.
    FindAFault,
    /// To choose files, which a browser lets only its own dialog do.
    Open,
    /// To copy the address with the present regulation.
    CopyLink,
    /// To show the filmed walks.
    ShowWalks,
}

/// The row.
#[derive(Clone, Default, Debug)]
pub struct PageBar {
    /// Whether the page is in a frame of another page, where it has the piece and the messages alone.
    pub is_embedded: bool,
    /// Whether a file is played.
    pub is_playing: bool,
    /// What the sound needs, or how to play.
    pub state: String,
    /// A message, until the user dismisses it.
    pub message: String,
    /// What the user has asked for since the last frame.
    pub orders: Vec<PageOrder>,
}

impl PageBar {
    /// Draws the buttons into the row of `ui`.
    pub(super) fn buttons(&mut self, ui: &mut Ui) {
        let perform = match self.is_playing {
            true => ("Stop", "Ends the performance", PageOrder::Perform),
            false => (
                "Play a prelude",
                "Plays Bach's prelude in C major; Open takes your own MIDI files",
                PageOrder::Perform,
            ),
        };
        let others = [
            (
                "Find a fault",
                "Hides a fault in one key: find it with the bench and by ear, and correct it with the key's screws",
                PageOrder::FindAFault,
            ),
            (
                "Open",
                "Opens files, as dropping them on the page does: MIDI, presets, scales, sheets of keys, mechanisms",
                PageOrder::Open,
            ),
            (
                "Copy link",
                "Copies the address of this page with the present piano and regulation",
                PageOrder::CopyLink,
            ),
            (
                "Watch",
                "Three short films: a producer, a technician, a student",
                PageOrder::ShowWalks,
            ),
        ];
        let others = if self.is_embedded { &[] } else { &others[..] };
        for (name, hint, order) in std::iter::once(&perform).chain(others) {
            if ui.button(*name).on_hover_text(*hint).clicked() {
                self.orders.push(*order);
            }
        }
    }

    /// Draws the messages, in as many lines as they need; where the window is low, the newer one in one line.
    pub(super) fn messages(&mut self, ui: &mut Ui) {
        let is_low = ui.ctx().content_rect().height() < LOW;
        if !self.state.is_empty() && (self.message.is_empty() || !is_low) {
            let text = RichText::new(&self.state).color(theme::faint(ui));
            show(ui, text, &self.state, is_low);
        }
        if !self.message.is_empty() {
            let text = RichText::new(&self.message).color(theme::accent(ui));
            show(ui, text, &self.message, is_low);
            let close = ui.button("×");
            close.widget_info(|| {
                egui::WidgetInfo::labeled(egui::Role::Button, true, "Dismiss the message")
            });
            if close.clicked() {
                self.message.clear();
            }
        }
    }

    /// Whether there is a message to be read.
    pub(super) const fn has_messages(&self) -> bool {
        !self.state.is_empty() || !self.message.is_empty()
    }
}
