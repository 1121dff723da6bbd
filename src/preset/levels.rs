//! Levels of the factory pianos, dB, at which all are as loud on one phrase. Written by
//! `touchback lab presets`.

/// By name, in the pianos' order.
pub(super) const LEVELS: [(&str, f64); 15] = [
    ("concert", 0.0),
    ("mellow", 1.0),
    ("bright", 0.0),
    ("light", 1.6),
    ("heavy", -2.0),
    ("romantic", 0.1),
    ("studio", -10.5),
    ("hall", 8.1),
    ("felt", -3.9),
    ("parlour", 5.4),
    ("neglected", -0.9),
    ("saloon", 3.8),
    ("viennese", 3.2),
    ("harpsichord", -3.7),
    ("ball", -3.0),
];
