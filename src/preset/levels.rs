//! Levels of the factory pianos, dB, at which all are as loud on one phrase. Written by
//! `touchback lab presets`.

/// By name, in the pianos' order.
pub(super) const LEVELS: [(&str, f64); 15] = [
    ("concert", 0.0),
    ("mellow", 1.3),
    ("bright", -0.2),
    ("light", 1.4),
    ("heavy", -1.7),
    ("romantic", 0.4),
    ("studio", -10.0),
    ("hall", 8.0),
    ("felt", -3.5),
    ("parlour", 5.5),
    ("neglected", -0.7),
    ("saloon", 3.6),
    ("viennese", 2.0),
    ("harpsichord", -3.6),
    ("ball", -2.7),
];
