//! Levels of the factory pianos, dB, at which all are as loud on one phrase. Written by
//! `touchback lab presets`.

/// By name, in the pianos' order.
pub(super) const LEVELS: [(&str, f64); 15] = [
    ("concert", 0.0),
    ("mellow", 1.5),
    ("bright", -0.4),
    ("light", 1.3),
    ("heavy", -1.6),
    ("romantic", 0.4),
    ("studio", -10.0),
    ("hall", 8.0),
    ("felt", -3.2),
    ("parlour", 5.4),
    ("neglected", -0.7),
    ("saloon", 3.6),
    ("viennese", 2.0),
    ("harpsichord", -3.6),
    ("ball", -2.7),
];
