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
    /// The wave integral does not fit motion, force and impedance.
    Wave,
    /// The impedance is above the one commanded.
    Impedance,
    /// The position jumps faster than a key can move.
    Position,
    /// States name no key of the keyboard.
    Keys,
    /// The keyboard's clock disagrees with the host's.
    Clock,
}

impl Symptom {
    /// All symptoms.
    pub const ALL: [Self; 9] = [
        Self::Reversed,
        Self::Unmoved,
        Self::Delayed,
        Self::Strong,
        Self::Wave,
        Self::Impedance,
        Self::Position,
        Self::Keys,
        Self::Clock,
    ];

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
            Self::Delayed => "answers to its motor more than 1 ms late: amplifier or sensor filter",
            Self::Strong => {
                "answers to its motor 2.5 times as strongly as commanded: motor constant or mass"
            }
            Self::Wave => {
                "the wave integral does not fit motion and force: its sign, its unit or the law"
            }
            Self::Impedance => "reports more impedance than commanded: the unit of Z",
            Self::Position => "the position jumps as no key can: sensor or unit",
            Self::Keys => "the states name none of the keyboard's keys: keys count from 0",
            Self::Clock => "the keyboard's clock goes more than 5 % fast or slow: microseconds",
        }
    }
}
