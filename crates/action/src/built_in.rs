//! The list of built-in mechanisms with one lever as a key. From it derive [`ActionKind`](crate::ActionKind), the
//! models of the catalogue in `touchback-models`, the keys of a keyboard and what a haptic keyboard renders.
//!
//! A new mechanism is a module of [`simple`](crate::simple) whose `Spec` implements [`BuiltIn`], and one line at the
//! end of the second list: projects save an action by its position.

use crate::Key;
use crate::grand::design::concert::Built;
use touchback_core::math::compass::KeyNumber;

/// Passes the lists to the macro `$then`. Each line has the name of the variant, the module, the name in files, the
/// label of the choice, and the name within a sentence. Between both lists are the thesis's key and the mechanism
/// from a file.
#[macro_export]
macro_rules! built_ins {
    ($then:ident) => {
        $then! {
            {
                /// Key and hammer without let-off.
                Simplified simplified "simplified" "Simplified" "simplified action of 1994";
                /// Key and hammer joined by a rigid slider.
                ModelA model_a "model-a" "Model-A" "model A of 1993";
                /// Key and hammer joined by springs.
                ModelB model_b "model-b" "Model-B" "model B of 1993";
                /// A fortepiano's key with the hammer on it.
                Viennese viennese "viennese" "Viennese" "Viennese action";
                /// A harpsichord's key and jack.
                Harpsichord harpsichord "harpsichord" "Harpsichord" "harpsichord jack";
                /// A ball on a paddle.
                Ball ball "ball" "Ball" "ball on a paddle";
            }
            {
            }
        }
    };
}
pub use built_ins;

/// Specification of a key of a built-in mechanism.
pub trait BuiltIn: Sized {
    /// The key.
    type Key: Key + Clone;

    /// Names of the elements between key and hammer, whose forces add up to
    /// [`Readout::contact_force`](crate::Readout::contact_force).
    const CONTACTS: &'static [&'static str];

    /// Settings of the grand's action, beside the hammer's, that the mechanism uses.
    const USES: &'static [&'static str] = &[];

    /// A sentence: why it does not use the others.
    const UNUSED: &'static str;

    /// A sentence: why it does not use the settings of the hammers; none if it does.
    const WITHOUT_HAMMER: Option<&'static str> = None;

    /// The key `key`; `grand` gives the grand's key of the same number.
    fn of_key(key: KeyNumber, grand: impl FnOnce() -> Built) -> Self;

    /// The key `key` as notes play it.
    fn played(key: KeyNumber, grand: impl FnOnce() -> Built) -> Self {
        Self::of_key(key, grand)
    }
}
