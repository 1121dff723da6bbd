//! The faces of the window: what a player turns, the action itself, its 88 keys, a keyboard to feel.

/// What the window shows between its bar and its keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Face {
    /// Tone, touch and output: what a player turns.
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
    /// All of them, in order.
    pub const ALL: [Self; 4] = [Self::Play, Self::Action, Self::Keys, Self::Device];

    /// Name, as its tab shows it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Play => "Play",
            Self::Action => "Action",
            Self::Keys => "Keys",
            Self::Device => "Device",
        }
    }

    /// What it is for.
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
