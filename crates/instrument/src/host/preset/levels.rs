//! Levels of the factory pianos, dB, at which all are equally loud on a soft and a loud phrase together.
//! Written by `touchback-proof lab presets`.

/// Level by name, in the pianos' order.
pub(super) const LEVELS: [(&str, f64); 19] = [
    ("concert", 0.0),
    ("mellow", 0.1),
    ("bright", 1.0),
    ("light", 2.0),
    ("heavy", -2.7),
    ("romantic", 0.8),
    ("studio", -11.3),
    ("hall", 7.9),
    ("felt", -5.3),
    ("parlour", 3.7),
    ("neglected", 1.0),
    ("saloon", 4.0),
    ("viennese", 6.5),
    ("harpsichord", 1.3),
    ("ball", -1.8),
    ("upright", 5.2),
    ("clavichord", 1.2),
    ("organ", 7.4),
    ("toy", -5.6),
];
