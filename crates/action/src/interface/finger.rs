//! The finger that presses toward a target ([`Drive::Finger`](crate::Drive::Finger)), the
//! same wherever a key is played.

/// Stiffness of its spring, N/m [reference gesture].
pub const STIFFNESS: f64 = 500.0;
/// Its damping, N·s/m.
pub const DAMPING: f64 = 0.5;

/// How far below the key bottom a holding finger aims, m: 3 N. Measured holds are about 0.6 N
/// [Kinoshita 2007]; 3 N also keeps the key down while the hammer rebounds into the check, and
/// is still a relaxed finger.
pub const HOLD: f64 = 3.0 / STIFFNESS;

/// A key whose depth is at most this share of its dip can be played again: a grand's jack has
/// re-set once the key has risen two thirds.
pub const RISEN: f64 = 0.3;

/// Speed at which a finger leaves its key at the middle note-off velocity, m/s.
pub const RELEASE: f64 = 0.3;
