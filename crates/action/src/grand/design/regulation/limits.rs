//! Settings that a grand cannot take, in words.

/// Distances that no turn of the screws gives, and settings under which a grand does not work as
/// one; the screw stands at its nearest point, and what the piano then does is computed like
/// everything else.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// The capstan cannot bring the hammer to its blow distance.
    pub blow: bool,
    /// The jack cannot stand at the knuckle's edge with the hammer at its let-off distance.
    pub let_off: bool,
    /// The key meets its bed before the jack slips.
    pub after_touch: bool,
    /// The repetition spring does not carry the hammer.
    pub spring: bool,
    /// The backcheck touches the resting hammer's tail.
    pub check: bool,
    /// The damper cannot be picked up at its share of the blow.
    pub damper: bool,
}

impl Limits {
    /// What is wrong, in a technician's words, with what the piano does about it.
    pub fn reasons(self) -> impl Iterator<Item = &'static str> {
        [
            (
                self.blow,
                "blow_mm: the capstan cannot lift the hammer there; it stands as near as can be",
            ),
            (
                self.let_off,
                "let_off_mm: the jack does not reach the knuckle's edge there; it never lets off",
            ),
            (
                self.after_touch,
                "key_dip_mm: the key meets its bed before the jack slips; the hammer stays on the \
                 jack and blocks or falls short",
            ),
            (
                self.spring,
                "repetition_spring: it does not carry the hammer, which rests on the jack",
            ),
            (self.check, "check_mm: the backcheck touches the tail of the resting hammer"),
            (self.damper, "damper_pickup: out of reach; the damper is lifted at half the dip"),
        ]
        .into_iter()
        .filter_map(|(is, reason)| is.then_some(reason))
    }
}
