//! Constants of the finger that presses toward a target ([`Drive::Finger`](crate::Drive::Finger)), the
//! same for every action.

/// Stiffness of the finger's spring, N/m [reference gesture].
pub const STIFFNESS: f64 = 500.0;
/// Damping of the finger's spring, N·s/m.
pub const DAMPING: f64 = 0.5;

/// Distance of a holding finger's target below the key bed, m: a force of 3 N. Measured holding forces are
/// about 0.6 N [Kinoshita 2007]; 3 N also keeps the key down while the hammer rebounds into the backcheck,
/// and is still a relaxed finger.
pub const HOLD: f64 = 3.0 / STIFFNESS;

/// Depth, as a share of the dip, at or above which a key can be played again: the jack of a grand has reset
/// once the key has risen by two thirds.
pub const RISEN: f64 = 0.3;

/// Speed at which a finger lifts at the middle note-off velocity, m/s.
pub const RELEASE: f64 = 0.3;
