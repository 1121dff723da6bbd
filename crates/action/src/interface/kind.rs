//! The actions that notes can play, with their names, labels and choices; from the list of
//! [`built_in`](crate::built_in).

use crate::built_in::{BuiltIn, built_ins};
use crate::simple::{ball, harpsichord, model_a, model_b, simplified, viennese};

/// Defines [`ActionKind`] and its constants from the lists.
macro_rules! actions {
    (
        { $($(#[$about:meta])* $kind:ident $module:ident $name:literal $label:literal $title:literal;)* }
        { $($(#[$later:meta])* $added:ident $new:ident $named:literal $labelled:literal $titled:literal;)* }
    ) => {
        actions! {
            [$($kind $module,)* $($added $new,)*]
            /// Key, wippen, jack, repetition lever, hammer and damper of a grand.
            #[default]
            Grand "grand" "Grand" "grand action";
            $($(#[$about])* $kind $name $label $title;)*
            /// The grand action with the printed numbers of the thesis.
            Thesis "thesis" "Thesis-1996" "thesis's key of 1996";
            /// The mechanism of a file; without one the grand.
            File "file" "From file" "mechanism from a file";
            $($(#[$later])* $added $named $labelled $titled;)*
        }
    };
    (
        [$($built_in:ident $module:ident,)*]
        $($(#[$about:meta])* $kind:ident $name:literal $label:literal $title:literal;)*
    ) => {
        /// An action that notes can play.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
        pub enum ActionKind {
            $($(#[$about])* #[serde(rename = $name)] $kind,)*
        }

        impl ActionKind {
            /// All actions, the grand first.
            pub const ALL: [Self; Self::COUNT] = [$(Self::$kind),*];

            /// Number of actions.
            pub const COUNT: usize = [$($name),*].len();

            /// The action called `name` on the command line and in files.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(name))
            }

            /// Name on the command line and in files.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }

            /// Name within a sentence.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Self::$kind => $title,)* }
            }

            /// What the built-in mechanism says of the settings of the grand's action: those that it uses beside the
            /// hammer's, why not the others, and why not the hammer's. None for the grand, the thesis's key and a file.
            #[must_use]
            pub const fn settings(self) -> Option<SettingsUse> {
                match self {
                    $(Self::$built_in => Some(SettingsUse {
                        used: <$module::Spec as BuiltIn>::USES,
                        unused: <$module::Spec as BuiltIn>::UNUSED,
                        without_hammer: <$module::Spec as BuiltIn>::WITHOUT_HAMMER,
                    }),)*
                    Self::Grand | Self::Thesis | Self::File => None,
                }
            }
        }

        impl touchback_core::math::setting::Choice for ActionKind {
            const ALL: &'static [Self] = &Self::ALL;
            const NAMES: &'static [&'static str] = &[$($label),*];
        }
    };
}

/// Which settings of the grand's action a built-in mechanism uses.
#[derive(Clone, Copy, Debug)]
pub struct SettingsUse {
    /// Ids of the settings that it uses, beside the hammer's.
    pub used: &'static [&'static str],
    /// A sentence: why it does not use the others.
    pub unused: &'static str,
    /// A sentence: why it does not use the hammer's; none if it does.
    pub without_hammer: Option<&'static str>,
}

built_ins!(actions);

impl ActionKind {
    /// All actions that need no file.
    pub const BUILT_IN: [Self; Self::COUNT - 1] = {
        let mut built_in = [Self::Grand; Self::COUNT - 1];
        let (mut from, mut to) = (0, 0);
        while from < Self::COUNT {
            if !matches!(Self::ALL[from], Self::File) {
                built_in[to] = Self::ALL[from];
                to += 1;
            }
            from += 1;
        }
        built_in
    };
}

/// Name of the grand action as a coupled force balance.
pub const REFERENCE: &str = "reference";

/// Names of all actions without a file on the command line and in files: the actions that notes can play, and after the
/// grand its other formulation, for study.
pub const NAMES: [&str; ActionKind::BUILT_IN.len() + 1] = {
    let mut names = [ActionKind::Grand.name(); ActionKind::BUILT_IN.len() + 1];
    names[1] = REFERENCE;
    let mut i = 1;
    while i < ActionKind::BUILT_IN.len() {
        names[i + 1] = ActionKind::BUILT_IN[i].name();
        i += 1;
    }
    names
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documents_list_the_same_actions_in_the_same_order() {
        let page = include_str!("../../../../docs/actions.md");
        let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
        let listed: Vec<&str> = rows.map(|(name, _)| name).take(NAMES.len()).collect();
        assert_eq!(listed, NAMES);
        let played = ActionKind::BUILT_IN.map(|kind| format!("`{}`", kind.name())).join(", ");
        let flowed = page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flowed.contains(&played), "{played}");
    }

    /// Projects save an action by its position.
    #[test]
    fn the_actions_of_saved_projects_keep_their_positions() {
        let names = ActionKind::ALL.map(ActionKind::name);
        let saved =
            ["grand", "simplified", "model-a", "model-b", "viennese", "harpsichord", "ball"];
        assert_eq!(names[..9], [&saved[..], &["thesis", "file"]].concat());
    }
}
