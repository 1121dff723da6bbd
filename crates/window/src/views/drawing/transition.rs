//! What a picture shows of a change: the drawing moves to its new form, and the hammer of a key that was let go
//! fades where it was.

use super::{Drawing, DrawnPart, DrawnPiece};
use touchback_action::ActionSettings;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::vec2::Vec2;

/// Time for which a drawing moves to its new form, s.
const MORPH: f64 = 0.12;
/// Time for which the hammer of a key that was let go is seen, s.
const GHOST: f64 = 0.15;

/// What is left at `now` s of the hammer of a key that was let go at `since` s, 0…1; none once it has faded.
pub(crate) fn left_of_ghost(since: f64, now: f64) -> Option<f64> {
    let left = 1.0 - (now - since) / GHOST;
    (left > 0.0 && left <= 1.0).then_some(left)
}

/// The drawing shown last, and what leads from it to the next.
#[derive(Clone, Debug, Default)]
pub struct Transition {
    /// Key and settings of the drawing shown last.
    subject: Option<(KeyNumber, ActionSettings)>,
    shown: Drawing,
    /// The drawing before the last change of settings, and the time of the change, s.
    from: Option<(Drawing, f64)>,
    /// The hammer of the key that was let go, and the time, s.
    ghost: Option<(Vec<DrawnPiece>, f64)>,
}

impl Transition {
    /// The drawing to be shown at `now` s for `drawing`, which is that of `key` under `settings`. It changes at
    /// once for another key, and where the change follows the pointer.
    pub fn apply(
        &mut self,
        mut drawing: Drawing,
        key: KeyNumber,
        settings: &ActionSettings,
        now: f64,
        follows_pointer: bool,
    ) -> Drawing {
        match &self.subject {
            Some((of, before)) if *of == key && before == settings => {}
            Some((of, _)) if *of == key && !follows_pointer => {
                self.from = Some((std::mem::take(&mut self.shown), now));
                self.subject = Some((key, settings.clone()));
            }
            _ => {
                self.from = None;
                self.subject = Some((key, settings.clone()));
            }
        }
        if let Some((from, since)) = &self.from {
            let share = (now - since) / MORPH;
            if !(0.0..1.0).contains(&share) || !between(from, &mut drawing, share) {
                self.from = None;
            }
        }
        self.shown.clone_from(&drawing);
        drawing
    }

    /// The key of the drawing shown last was let go at `now` s.
    pub fn let_go(&mut self, now: f64) {
        let is_hammer = |piece: &&DrawnPiece| piece.part == DrawnPart::Hammer;
        let hammer: Vec<_> = self.shown.pieces.iter().filter(is_hammer).cloned().collect();
        self.ghost = Some((hammer, now));
    }

    /// The pieces of the hammer that fades, and what remains of it, 0…1.
    pub fn ghost(&mut self, now: f64) -> Option<(&[DrawnPiece], f64)> {
        let left = self.ghost.as_ref().and_then(|(_, since)| left_of_ghost(*since, now));
        if left.is_none() {
            self.ghost = None;
        }
        self.ghost.as_ref().map(|(pieces, _)| &**pieces).zip(left)
    }

    /// Whether the picture changes by itself at present.
    #[must_use]
    pub(crate) const fn is_running(&self) -> bool {
        self.from.is_some() || self.ghost.is_some()
    }
}

/// Moves the points of `to` back toward those of `from`, by a `share` of 0 at `from` to 1. False, without a
/// change, if the drawings have not the same parts.
fn between(from: &Drawing, to: &mut Drawing, share: f64) -> bool {
    let is_alike = from.pieces.len() == to.pieces.len()
        && from.wires.len() == to.wires.len()
        && from
            .pieces
            .iter()
            .zip(&to.pieces)
            .all(|(a, b)| a.part == b.part && a.outline.len() == b.outline.len())
        && from.wires.iter().zip(&to.wires).all(|(a, b)| a.points.len() == b.points.len());
    if !is_alike {
        return false;
    }
    // Slow at both ends.
    let eased = share * share * (3.0 - 2.0 * share);
    let step = |old: &[Vec2], new: &mut [Vec2]| {
        for (old, new) in old.iter().zip(new) {
            *new = *old + (*new - *old) * eased;
        }
    };
    for (old, new) in from.pieces.iter().zip(&mut to.pieces) {
        step(&old.outline, &mut new.outline);
    }
    for (old, new) in from.wires.iter().zip(&mut to.wires) {
        step(&old.points, &mut new.points);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::drawing::Material;

    fn hammer(x: f64) -> Drawing {
        let outline = [(x, 0.0), (x + 1.0, 0.0), (x, 1.0)].map(|(x, y)| Vec2::new(x, y)).to_vec();
        let mut drawing = Drawing::default();
        drawing.piece(DrawnPart::Hammer, Material::Wood, outline);
        drawing
    }

    fn left(drawing: &Drawing) -> f64 {
        drawing.pieces[0].outline[0].x
    }

    #[test]
    fn a_changed_setting_moves_the_drawing_within_120_ms() {
        let key = KeyNumber::from_midi(60).unwrap();
        let (old, mut new) = (ActionSettings::default(), ActionSettings::default());
        new.blow_mm += 3.0;
        let mut transition = Transition::default();
        assert_eq!(left(&transition.apply(hammer(0.0), key, &old, 1.0, false)), 0.0);
        assert!(!transition.is_running());
        let mut last = 0.0;
        for (now, running) in [(2.0, true), (2.03, true), (2.06, true), (2.09, true), (2.13, false)]
        {
            let shown = left(&transition.apply(hammer(8.0), key, &new, now, false));
            assert!(shown >= last && transition.is_running() == running, "{now}: {shown}");
            if now == 2.06 {
                assert!((shown - 4.0).abs() < 1e-9, "half way: {shown}");
            }
            last = shown;
        }
        assert_eq!(last, 8.0);
        // The pointer is followed at once, and so is another key.
        assert_eq!(left(&transition.apply(hammer(0.0), key, &old, 3.0, true)), 0.0);
        let other = KeyNumber::from_midi(61).unwrap();
        assert_eq!(left(&transition.apply(hammer(5.0), other, &new, 3.1, false)), 5.0);
        // Drawings of other parts do not mix.
        assert!(transition.apply(Drawing::default(), other, &old, 3.2, false).pieces.is_empty());
        assert!(!transition.is_running());
    }

    #[test]
    fn the_hammer_of_a_key_let_go_fades_within_150_ms() {
        let key = KeyNumber::from_midi(60).unwrap();
        let mut transition = Transition::default();
        transition.apply(hammer(2.0), key, &ActionSettings::default(), 1.0, false);
        assert!(transition.ghost(1.0).is_none());
        transition.let_go(1.0);
        transition.apply(hammer(0.0), key, &ActionSettings::default(), 1.05, false);
        let (pieces, share) = transition.ghost(1.05).unwrap();
        assert!(pieces[0].outline[0].x == 2.0 && (share - 2.0 / 3.0).abs() < 1e-9, "{share}");
        assert!(transition.is_running() && transition.ghost(1.16).is_none());
        assert!(!transition.is_running());
    }
}
