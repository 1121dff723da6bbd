//! What a tuner and a voicer set: the whole sound in plain numbers.

/// Settings of the sound; the defaults are a concert grand at A = 440 Hz.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Voicing {
    /// Fundamental of A4, Hz.
    pub a4_hz: f64,
    /// Stretch of the octaves: 0 equal-tempered fundamentals, 1 the median concert grand.
    pub stretch: f64,
    /// Total spread of a unison, cents.
    pub unison_width_cents: f64,
    /// Felt stiffness in octaves about the concert grand's: −2 soft … +2 hard.
    pub hammer_hardness: f64,
    /// Decay times, scale.
    pub sustain: f64,
    /// Extra damping of high partials, scale of the string's own frequency-dependent loss.
    pub brightness_loss: f64,
    /// Damped decay times, scale.
    pub damper_time: f64,
    /// Share of the soundboard's reverberant tail, scale.
    pub board: f64,
    /// Level of key and action knocks, scale (amplitude).
    pub knocks: f64,
    /// Stereo width, 0 mono … 1 natural … 2 wide.
    pub width: f64,
}

impl Default for Voicing {
    fn default() -> Self {
        Self {
            a4_hz: 440.0,
            stretch: 1.0,
            unison_width_cents: 1.0,
            hammer_hardness: 0.0,
            sustain: 1.0,
            brightness_loss: 1.0,
            damper_time: 1.0,
            board: 1.0,
            knocks: 1.0,
            width: 1.0,
        }
    }
}

impl Voicing {
    /// The nearest voicing that a piano can have; what is no number becomes its default.
    #[must_use]
    pub fn sane(&self) -> Self {
        let d = Self::default();
        let within = |x: f64, low: f64, high: f64, default: f64| {
            if x.is_nan() { default } else { x.clamp(low, high) }
        };
        Self {
            a4_hz: within(self.a4_hz, 380.0, 480.0, d.a4_hz),
            stretch: within(self.stretch, 0.0, 3.0, d.stretch),
            unison_width_cents: within(self.unison_width_cents, 0.0, 50.0, d.unison_width_cents),
            hammer_hardness: within(self.hammer_hardness, -4.0, 4.0, d.hammer_hardness),
            sustain: within(self.sustain, 0.05, 10.0, d.sustain),
            brightness_loss: within(self.brightness_loss, 0.0, 20.0, d.brightness_loss),
            damper_time: within(self.damper_time, 0.05, 20.0, d.damper_time),
            board: within(self.board, 0.0, 4.0, d.board),
            knocks: within(self.knocks, 0.0, 10.0, d.knocks),
            width: within(self.width, 0.0, 2.0, d.width),
        }
    }

    /// Whether the strings of both ring alike.
    pub(crate) fn same_strings(&self, other: &Self) -> bool {
        let rest = Self {
            hammer_hardness: other.hammer_hardness,
            board: other.board,
            knocks: other.knocks,
            width: other.width,
            ..*self
        };
        rest == *other
    }
}
