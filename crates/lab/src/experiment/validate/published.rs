//! Published timing of three grands.

/// The law a·v^b + c, ms, of the hammer speed v, m/s.
#[derive(Clone, Copy, Debug)]
pub struct PublishedLaw {
    /// Name of the measured piano.
    pub piano: &'static str,
    /// Factor a, exponent b and constant c of the law, for times in ms and speeds in m/s.
    pub abc: [f64; 3],
}

impl PublishedLaw {
    const fn new(piano: &'static str, a: f64, b: f64, c: f64) -> Self {
        Self { piano, abc: [a, b, c] }
    }

    /// Value at hammer speed `v` m/s, ms.
    pub fn at(&self, v: f64) -> f64 {
        let [a, b, c] = self.abc;
        a * libm::pow(v, b) + c
    }
}

const PIANOS: [&str; 3] = ["Steinway C", "Yamaha Disklavier", "Bösendorfer SE290"];

/// Time from finger on key to hammer on string, pressed touch [Goebl 2005, second hand].
pub const TRAVEL_PRESSED: [PublishedLaw; 3] = [
    PublishedLaw::new(PIANOS[0], 98.57, -0.7147, 0.0),
    PublishedLaw::new(PIANOS[1], 89.41, -0.5959, 0.0),
    PublishedLaw::new(PIANOS[2], 89.96, -0.5595, 0.0),
];

/// Time from finger on key to hammer on string, struck touch [Goebl 2005, second hand].
pub const TRAVEL_STRUCK: [PublishedLaw; 3] = [
    PublishedLaw::new(PIANOS[0], 65.19, -0.7268, 0.0),
    PublishedLaw::new(PIANOS[1], 57.43, -0.7748, 0.0),
    PublishedLaw::new(PIANOS[2], 58.39, -0.7377, 0.0),
];

/// Time from hammer on string to key bottom, pressed touch [Goebl 2005, second hand].
pub const BOTTOM_PRESSED: [PublishedLaw; 3] = [
    PublishedLaw::new(PIANOS[0], 19.09, -0.3936, -12.30),
    PublishedLaw::new(PIANOS[1], 14.63, -0.4158, -11.05),
    PublishedLaw::new(PIANOS[2], 11.59, -0.4497, -9.98),
];

/// Time from hammer on string to key bottom, struck touch [Goebl 2005, second hand].
pub const BOTTOM_STRUCK: [PublishedLaw; 3] = [
    PublishedLaw::new(PIANOS[0], 59.57, -0.1131, -51.19),
    PublishedLaw::new(PIANOS[1], 10.15, -0.6825, -3.74),
    PublishedLaw::new(PIANOS[2], 13.96, -0.3559, -10.15),
];
