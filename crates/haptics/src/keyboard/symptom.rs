//! Implausible reports of a keyboard.

/// A kind of implausible report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symptom {
    /// The motor moves the key in the wrong direction.
    Reversed,
    /// The motor does not move the key.
    Unmoved,
    /// The motor acts late.
    Delayed,
    /// The motor is stronger than commanded.
    Strong,
    /// The motor is weaker than commanded.
    Weak,
    /// The wave integral does not fit motion, force and impedance.
    Wave,
    /// The impedance is not the one commanded.
    Impedance,
    /// The reported force does not fit command and motion.
    Force,
    /// The motor does more work than the simulated key.
    Energy,
    /// The position does not move under force.
    Stuck,
    /// The position is never still.
    Noise,
    /// The position of the resting key moves: a push up does not move a key that is away from rest.
    Drift,
    /// Position and measured speed differ.
    Speed,
    /// The position jumps faster than a key can move.
    Position,
    /// States name no key of the keyboard.
    Keys,
    /// The keyboard's clock disagrees with the host's.
    Clock,
}

impl Symptom {
    /// All symptoms.
    pub const ALL: [Self; 16] = [
        Self::Reversed,
        Self::Unmoved,
        Self::Delayed,
        Self::Strong,
        Self::Weak,
        Self::Wave,
        Self::Impedance,
        Self::Force,
        Self::Energy,
        Self::Stuck,
        Self::Noise,
        Self::Drift,
        Self::Speed,
        Self::Position,
        Self::Keys,
        Self::Clock,
    ];

    /// Late commands and reports of a busy computer cause the same.
    pub(crate) const fn is_of_time(self) -> bool {
        matches!(
            self,
            Self::Unmoved
                | Self::Delayed
                | Self::Strong
                | Self::Weak
                | Self::Wave
                | Self::Impedance
                | Self::Force
                | Self::Energy
                | Self::Clock
        )
    }

    /// Observation and likely cause, as in docs/haptics.md.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::Reversed => {
                "a push down moves the key up: the motor or the sensor is the wrong way round"
            }
            Self::Unmoved => {
                "does not answer to a push of at most 1 N: motor, sensor or a blocked key"
            }
            Self::Delayed => {
                "answers to its motor too late for its mass: amplifier or sensor filter"
            }
            Self::Strong => {
                "answers to its motor more than 1.5 times as strongly as commanded: motor constant or mass"
            }
            Self::Weak => {
                "answers to its motor less than 0.65 times as strongly as commanded: motor constant, mass, or a \
                 finger on the key"
            }
            Self::Wave => {
                "the wave integral does not fit motion and force: its sign, its scale or the law"
            }
            Self::Impedance => "reports another impedance than commanded: the unit of Z",
            Self::Force => {
                "the reported force does not fit command and motion: its sign or its unit"
            }
            Self::Energy => {
                "the motor does 20 mJ more than the simulated key: the loop creates energy"
            }
            Self::Stuck => "does not move one count under force: the sensor stands still",
            Self::Noise => "the position is never still: sensor noise",
            Self::Drift => {
                "stands 0.3 mm or more away from rest, where no finger holds it: the sensor drifts, or the key sticks"
            }
            Self::Speed => "position and measured speed differ: one of the two sensors is broken",
            Self::Position => "the position jumps as no key can: sensor or unit",
            Self::Keys => "the states name none of the keyboard's keys: keys count from 0",
            Self::Clock => "the keyboard's clock goes more than 5 % fast or slow: microseconds",
        }
    }
}
