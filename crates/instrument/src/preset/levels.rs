//! Levels of the factory pianos, dB, at which all are equally loud on a soft and a loud phrase together.
//! Written by `touchback lab presets`.

/// Level by name, in the pianos' order.
pub(super) const LEVELS: [(&str, f64); 15] = [
    ("concert", 0e+00),
    ("mellow", -0.1),
    ("bright", 0.5),
    ("light", 2e+00),
    ("heavy", -3e+00),
    ("romantic", 0.9),
    ("studio", -1e+01),
    ("hall", 7e+00),
    ("felt", -5e+00),
    ("parlour", 4e+00),
    ("neglected", 0.9),
    ("saloon", 4e+00),
    ("viennese", 7e+00),
    ("harpsichord", -5e+00),
    ("ball", -2e+00),
];
