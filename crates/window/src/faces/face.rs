//! The faces of the window, in tabs: the piano as it is played, its voice, the touch, the workshop with two
//! pages, a motorized keyboard, and settings of MIDI and pedals.

use egui::Ui;

/// The contents of the window between its bar and its keys. Older projects have older names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Face {
    /// The moving action with the player's controls.
    #[default]
    #[serde(alias = "play")]
    Piano,
    /// Strings, hammers, tuning, room and output.
    Voice,
    /// The velocity curve, calibration and timing.
    Touch,
    /// The workshop: the action as it moves, its curves and its regulation.
    Action,
    /// The workshop: the regulation of all 88 keys and the bench.
    Keys,
    /// A motorized keyboard.
    #[serde(alias = "device")]
    Keyboard,
    /// Pedals, MIDI and tools.
    Settings,
}

impl Face {
    /// All faces, in order.
    pub const ALL: [Self; 7] = [
        Self::Piano,
        Self::Voice,
        Self::Touch,
        Self::Action,
        Self::Keys,
        Self::Keyboard,
        Self::Settings,
    ];

    /// The tabs: the face that each opens, its name, and its purpose for a tooltip.
    pub(crate) const TABS: [(Self, &'static str, &'static str); 6] = [
        (Self::Piano, "Piano", "The moving action and the player's controls"),
        (Self::Voice, "Voice", "Strings, hammers, tuning, room and output"),
        (Self::Touch, "Touch", "From velocity to hammer speed, and timing"),
        (Self::Action, "Workshop", "Regulation: the action, its curves, the 88 keys, the bench"),
        (Self::Keyboard, "Keyboard", "A motorized keyboard"),
        (Self::Settings, "Settings", "Pedals, MIDI and tools"),
    ];

    /// The pages of the workshop, with their purpose.
    pub const PAGES: [(Self, &'static str, &'static str); 2] = [
        (Self::Action, "Action", "The action as it moves, its curves and its regulation"),
        (Self::Keys, "Keys", "The regulation over the 88 keys, and the bench"),
    ];

    /// The tabs of this window: one for a motorized keyboard where one can be connected.
    pub fn tabs() -> impl Iterator<Item = (Self, &'static str, &'static str)> {
        Self::TABS
            .into_iter()
            .filter(|(face, ..)| cfg!(feature = "serial") || *face != Self::Keyboard)
    }

    /// The face that opens the tab of this face.
    #[must_use]
    pub const fn tab(self) -> Self {
        match self {
            Self::Keys => Self::Action,
            other => other,
        }
    }

    /// Name of the face: of its page in the workshop, otherwise of its tab.
    #[must_use]
    pub fn name(self) -> &'static str {
        let mut named = Self::PAGES.iter().chain(&Self::TABS);
        named.find(|(face, ..)| *face == self).map_or("", |(_, name, _)| name)
    }

    /// Draws the choice of the workshop's page.
    pub fn pages(&mut self, ui: &mut Ui) {
        for (page, name, hint) in Self::PAGES {
            let label = ui.selectable_label(*self == page, name);
            if label.on_hover_text(hint).clicked() {
                *self = page;
            }
        }
        ui.separator();
    }
}

#[cfg(test)]
mod tests {
    use super::Face;

    #[test]
    fn every_face_has_a_name_and_a_tab() {
        for face in Face::ALL {
            assert!(!face.name().is_empty());
            assert!(Face::TABS.iter().any(|(tab, ..)| *tab == face.tab()), "{face:?}");
        }
    }

    #[test]
    fn faces_of_older_projects_are_read() {
        let read = |text: &str| serde_json::from_str::<Face>(text).unwrap();
        assert_eq!(read("\"play\""), Face::Piano);
        assert_eq!(read("\"action\""), Face::Action);
        assert_eq!(read("\"keys\""), Face::Keys);
        assert_eq!(read("\"device\""), Face::Keyboard);
    }
}
