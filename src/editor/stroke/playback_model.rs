//! The key that a stroke's states are states of.

use super::Row;
use crate::action::grand::concert::Built;
use crate::action::grand::{Grand, key};
use crate::action::simple_keys::SimpleKey;
use crate::action::{ActionKind, Readout, pose};
use crate::editor::drawing::grand;
use crate::instrument::trace::{Look, Standing};
use crate::math::compass::KeyNumber;
use crate::math::vec2::Vec2;

/// What the states of a stroke are states of.
#[derive(Clone, Debug)]
pub(super) enum PlaybackModel {
    Grand(Box<Grand>),
    /// A key of the smaller action at rest.
    Other(ActionKind, Box<SimpleKey>),
}

impl PlaybackModel {
    pub(super) fn new(kind: ActionKind, key: KeyNumber, built: &Built) -> Self {
        match SimpleKey::new(kind, key, || *built) {
            Some(lever) => Self::Other(kind, Box::new(lever)),
            None => Self::Grand(Box::new(Grand::new(&built.spec))),
        }
    }

    pub(super) const fn kind(&self) -> ActionKind {
        match self {
            Self::Grand(_) => ActionKind::Grand,
            Self::Other(kind, _) => *kind,
        }
    }

    /// The smaller action's key, standing so.
    pub(super) fn standing(&self, standing: &Standing) -> Option<SimpleKey> {
        match (self, standing) {
            (Self::Other(_, lever), Standing::Other(_, saved)) => {
                let mut lever = (**lever).clone();
                lever.adopt(saved);
                Some(lever)
            }
            _ => None,
        }
    }

    pub(super) fn view(&self, look: &Look) -> Readout {
        match (self, &look.standing) {
            (Self::Grand(grand), Standing::Grand(state)) => {
                key::show(grand, state, look.drive, [look.tray; 2])
            }
            (_, standing) => self
                .standing(standing)
                .map_or(Readout::NONE, |lever| lever.played().view(look.drive)),
        }
    }

    pub(super) fn row(&self, time: f64, look: &Look) -> Row {
        Row { time, standing: look.standing, view: self.view(look) }
    }
}

/// What to draw of a row.
pub enum Posed<'a> {
    /// The grand.
    Grand(grand::GrandPose<'a>),
    /// A smaller action, and the corners of the picture.
    Other(pose::Pose, (Vec2, Vec2)),
}
