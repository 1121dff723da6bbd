//! The quantities of a stroke that the scope can show.

use touchback_action::Readout;

/// One quantity of a key.
pub struct Quantity {
    /// Name with unit.
    pub name: &'static str,
    /// Unit at the axis: quantities of one unit share an axis.
    pub unit: &'static str,
    /// Decimals of a readout.
    pub decimals: usize,
    /// The value in `unit`; NaN if the action does not have the quantity.
    pub value: fn(&Readout) -> f64,
}

/// All quantities, in order of display.
pub const ALL: [Quantity; 10] = [
    Quantity { name: "Key depth", unit: "mm", decimals: 2, value: |r| 1e3 * r.key },
    Quantity { name: "Hammer", unit: "mm", decimals: 2, value: |r| 1e3 * r.hammer },
    Quantity { name: "Key speed", unit: "m/s", decimals: 3, value: |r| r.key_speed },
    Quantity { name: "Hammer speed", unit: "m/s", decimals: 3, value: |r| r.hammer_speed },
    Quantity { name: "Key force", unit: "N", decimals: 2, value: |r| r.key_force },
    Quantity { name: "Key on hammer", unit: "N", decimals: 2, value: |r| r.contact_force },
    Quantity { name: "Shank bend", unit: "µm", decimals: 0, value: |r| 1e6 * r.shank_bend },
    Quantity {
        name: "q4, jack–knuckle compression",
        unit: "mm",
        decimals: 3,
        value: |r| 1e3 * r.q[3],
    },
    Quantity { name: "q8, toe from button", unit: "mm", decimals: 3, value: |r| 1e3 * r.q[7] },
    Quantity { name: "Dissipated", unit: "mJ", decimals: 2, value: |r| 1e3 * r.dissipated },
];
