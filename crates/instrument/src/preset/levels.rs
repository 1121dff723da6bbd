//! Levels of the factory pianos, dB, at which all are equally loud on a soft and a loud phrase together.
//! Written by `touchback lab presets`.

/// Level by name, in the pianos' order.
pub(super) const LEVELS: [(&str, f64); 15] = [
    ("concert", 0.0),
    ("mellow", 0.0),
    ("bright", 0.4),
    ("light", 2.0),
    ("heavy", -2.8),
    ("romantic", 0.9),
    ("studio", -11.1),
    ("hall", 7.5),
    ("felt", -5.1),
    ("parlour", 3.6),
    ("neglected", 0.8),
    ("saloon", 3.7),
    ("viennese", 6.8),
    ("harpsichord", -5.5),
    ("ball", -1.8),
];
