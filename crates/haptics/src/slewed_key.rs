//! A key whose regulation may be on its way while it moves: servo and twin step it alike.

use touchback_action::Drive;
use touchback_action::interface::key::{Key, OnEvent};
use touchback_action::interface::slew::{Progress, Slew};

/// One key, and how far it has followed the settings.
#[derive(Clone, Debug)]
pub struct SlewedKey {
    key: Box<dyn Key>,
    /// None where it knows nothing of the settings yet.
    taken: Option<Progress>,
    /// Work of the turning screws on it, J.
    turned: f64,
}

impl SlewedKey {
    /// One that takes up the settings before its next step.
    #[must_use]
    pub const fn new(key: Box<dyn Key>) -> Self {
        Self { key, taken: None, turned: 0.0 }
    }

    /// Takes up the settings as they are once `begun` steps have begun; whether that was news.
    pub fn take_up(&mut self, settings: &Slew, begun: u64) -> bool {
        let wanted = Some(settings.progress(begun));
        let is_news = self.taken != wanted;
        if is_news {
            self.taken = wanted;
            self.turned += self.key.regulate(&settings.at(begun));
        }
        is_news
    }

    /// As [`Key::step`], the settings of that step, the `step`th of all, taken up before.
    pub fn step(&mut self, settings: &Slew, step: u64, drive: Drive, hear: &mut OnEvent<'_>) {
        self.take_up(settings, step + 1);
        self.key.step(drive, hear);
    }

    /// The settings have begun anew.
    pub const fn forget(&mut self) {
        self.taken = None;
    }

    /// Work of the turning screws so far, J: what energy regulation has put into it.
    #[must_use]
    pub const fn turned(&self) -> f64 {
        self.turned
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &dyn Key {
        &*self.key
    }

    /// See [`SlewedKey::key`].
    pub fn key_mut(&mut self) -> &mut dyn Key {
        &mut *self.key
    }
}
