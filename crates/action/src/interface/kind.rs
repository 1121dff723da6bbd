//! The list of actions, from which their names, labels and choices derive.

/// Defines [`ActionKind`] and its constants from the list.
macro_rules! actions {
    ($($(#[$about:meta])* $kind:ident $name:literal $label:literal $title:literal;)*) => {
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
        }

        impl touchback_core::math::setting::Choice for ActionKind {
            const ALL: &'static [Self] = &Self::ALL;
            const NAMES: &'static [&'static str] = &[$($label),*];
        }
    };
}

actions! {
    /// Key, wippen, jack, repetition lever, hammer and damper of a grand.
    #[default]
    Grand "grand" "Grand" "grand action";
    /// Key and hammer without let-off.
    Simplified "simplified" "Simplified" "simplified action of 1994";
    /// Key and hammer joined by a rigid slider.
    ModelA "model-a" "Model-A" "model A of 1993";
    /// Key and hammer joined by springs.
    ModelB "model-b" "Model-B" "model B of 1993";
    /// A fortepiano's key with the hammer on it.
    Viennese "viennese" "Viennese" "Viennese action";
    /// A harpsichord's key and jack.
    Harpsichord "harpsichord" "Harpsichord" "harpsichord jack";
    /// A ball on a paddle.
    Ball "ball" "Ball" "ball on a paddle";
    /// The grand action with the printed numbers of the thesis.
    Thesis "thesis" "Thesis-1996" "thesis's key of 1996";
}

/// Name of the grand action as a coupled force balance.
pub const REFERENCE: &str = "reference";

/// Names of all actions on the command line and in files: the actions that notes can play, and after the
/// grand its other formulation, for study.
pub const NAMES: [&str; ActionKind::COUNT + 1] = {
    let mut names = [ActionKind::Grand.name(); ActionKind::COUNT + 1];
    names[1] = REFERENCE;
    let mut i = 1;
    while i < ActionKind::COUNT {
        names[i + 1] = ActionKind::ALL[i].name();
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
        let played = ActionKind::ALL.map(|kind| format!("`{}`", kind.name())).join(", ");
        let flowed = page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flowed.contains(&played), "{played}");
    }
}
