//! The faces of the window: the player's settings, the action, its 88 keys, a motorized keyboard.

/// The contents of the window between its bar and its keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Face {
    /// The player's settings: tone, touch and output.
    #[default]
    Play,
    /// The action as it moves, its curves and its regulation.
    Action,
    /// The regulation of all 88 keys.
    Keys,
    /// A motorized keyboard.
    Device,
}

impl Face {
    /// All faces, in order.
    pub const ALL: [Self; 4] = [Self::Play, Self::Action, Self::Keys, Self::Device];

    /// Name on the face's tab.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Play => "Play",
            Self::Action => "Action",
            Self::Keys => "Keys",
            Self::Device => "Device",
        }
    }

    /// The face's purpose, for a tooltip.
    #[must_use]
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Play => "Tone, touch, room and output",
            Self::Action => "The action as it moves, its curves and its regulation",
            Self::Keys => "The regulation over the 88 keys",
            Self::Device => "A motorized keyboard",
        }
    }
}
