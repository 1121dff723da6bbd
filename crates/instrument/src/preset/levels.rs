//! Levels of the factory pianos, dB, at which all are equally loud on one phrase. Written by
//! `touchback lab presets`.

/// Level by name, in the pianos' order.
pub(super) const LEVELS: [(&str, f64); 15] = [
    ("concert", 0.0),
    ("mellow", 0.0),
    ("bright", 0.5),
    ("light", 1.7),
    ("heavy", -2.7),
    ("romantic", -0.3),
    ("studio", -11.0),
    ("hall", 8.8),
    ("felt", -5.5),
    ("parlour", 3.6),
    ("neglected", -0.3),
    ("saloon", 3.8),
    ("viennese", 4.7),
    ("harpsichord", -3.5),
    ("ball", -3.1),
];
