//! Levels of the factory pianos, dB, at which all are equally loud on one phrase. Written by
//! `touchback lab presets`.

/// Level by name, in the pianos' order.
pub(super) const LEVELS: [(&str, f64); 15] = [
    ("concert", 0.0),
    ("mellow", 0.1),
    ("bright", 0.1),
    ("light", 1.6),
    ("heavy", -1.9),
    ("romantic", 0.1),
    ("studio", -10.7),
    ("hall", 8.3),
    ("felt", -3.8),
    ("parlour", 5.6),
    ("neglected", -1.3),
    ("saloon", 3.8),
    ("viennese", 3.0),
    ("harpsichord", -3.7),
    ("ball", -2.7),
];
