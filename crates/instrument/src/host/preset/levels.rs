//! Levels of the factory pianos, dB, at which all are equally loud on a soft and a loud phrase together.
//! Written by `touchback-proof lab presets`.

/// Level by name, in the pianos' order.
pub(super) const LEVELS: [(&str, f64); 15] = [
    ("concert", 0.0),
    ("mellow", 0.1),
    ("bright", 0.3),
    ("light", 2.0),
    ("heavy", -2.6),
    ("romantic", 1.1),
    ("studio", -11.1),
    ("hall", 7.8),
    ("felt", -5.2),
    ("parlour", 3.5),
    ("neglected", 1.0),
    ("saloon", 4.0),
    ("viennese", 6.7),
    ("harpsichord", -5.6),
    ("ball", -1.7),
];
