//! Regulation that a grand cannot have, as messages.

/// Distances that the screws cannot give, and settings under which a grand does not work as a grand. The
/// screw is set as near as possible, and the key is simulated with that setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// The capstan cannot bring the hammer to its blow distance.
    pub blow: bool,
    /// The jack cannot reach the knuckle's edge with the hammer at its let-off distance.
    pub let_off: bool,
    /// The jack would slip only with the hammer at the string or beyond it.
    pub string: bool,
    /// The key meets its bed before the jack slips.
    pub after_touch: bool,
    /// The repetition spring does not carry the hammer.
    pub spring: bool,
    /// The backcheck touches the resting hammer's tail.
    pub check: bool,
    /// The key cannot lift the damper at the set share of the blow.
    pub damper: bool,
}

impl Limits {
    /// One message for each limit: setting, reason and consequence.
    pub fn reasons(self) -> impl Iterator<Item = &'static str> {
        [
            (
                self.blow,
                "blow_mm: the capstan cannot lift the hammer there; it is set as near as possible",
            ),
            (
                self.let_off,
                "let_off_mm: the jack does not reach the knuckle's edge there; it never lets off",
            ),
            (
                self.string,
                "let_off_mm: the jack still drives the hammer when it meets the string, where the hammer \
                 strikes twice or blocks; lower the let-off button",
            ),
            (
                self.after_touch,
                "key_dip_mm: the key meets its bed before the jack slips; the hammer stays on the \
                 jack and blocks or falls short",
            ),
            (
                self.spring,
                "repetition_spring: the spring does not carry the hammer, which rests on the jack",
            ),
            (self.check, "check_mm: the backcheck touches the tail of the resting hammer"),
            (self.damper, "damper_pickup: out of reach; the damper is lifted at half the dip"),
        ]
        .into_iter()
        .filter_map(|(is, reason)| is.then_some(reason))
    }
}
