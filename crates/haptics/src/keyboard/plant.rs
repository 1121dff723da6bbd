//! Mechanics of an emulated keyboard: one key with its stops, and the finger on it.
//!
//! Positions are positive down. The finger is a mass held by the spring and damper of the hand, as measured
//! and used in [Gillespie 1996, ch. 6]: 20 g, 3.75 N·s/m, 257 N/m. Its pulp can only push, so that the finger
//! can leave the key; a *glued* finger, as in the thesis's analysis, cannot.

/// Integration steps per device tick of 125 µs.
pub const SUBSTEPS: u32 = 6;
/// Length of an integration step, s.
pub const H: f64 = 1.0 / 48_000.0;

/// A one-sided spring and damper, such as a key bed or a string. The default is no stop.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Stop {
    /// Position of contact, m.
    pub depth: f64,
    /// Stiffness, N/m; 0 for no stop.
    pub stiffness: f64,
    /// Damping, N·s/m.
    pub damping: f64,
}

impl Stop {
    /// Force against motion into the stop, N, never negative, at the position `x`, m, and speed `v`, m/s, and
    /// the dissipated power, W.
    #[must_use]
    pub fn push(&self, x: f64, v: f64) -> (f64, f64) {
        if self.stiffness > 0.0 && x > self.depth {
            let elastic = self.stiffness * (x - self.depth);
            let force = (elastic + self.damping * v).max(0.0);
            (force, (force - elastic) * v)
        } else {
            (0.0, 0.0)
        }
    }

    /// Stored energy at the position `x`, m, J.
    #[must_use]
    pub fn energy(&self, x: f64) -> f64 {
        let deep = (x - self.depth).max(0.0);
        0.5 * self.stiffness * (deep * deep)
    }
}

/// Rest stop of a key, with the stiffness of rail felt (chosen).
const REST: Stop = Stop { depth: 0.0, stiffness: 20_000.0, damping: 30.0 };

/// Mechanics of one key of a keyboard.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct KeyPlant {
    /// Moving mass at the front, kg.
    pub mass: f64,
    /// Viscous damping at the front, N·s/m.
    pub damping: f64,
    /// Coulomb friction at the front, N.
    pub friction: f64,
    /// Weight: force that holds the key up at rest, N.
    pub weight: f64,
    /// Key bed.
    pub bed: Stop,
    /// Step of the encoder, m.
    pub step: f64,
}

impl KeyPlant {
    /// A light, middle and heavy key: 50, 100 and 200 g.
    pub const THREE: [Self; 3] = [Self::of(0.05, 0.1), Self::of(0.1, 0.5), Self::of(0.2, 1.0)];

    /// Key of the emulator: 30 g, 0.1 N of friction, 0.2 N of weight.
    pub const DESK: Self = Self { mass: 0.03, friction: 0.1, weight: 0.2, ..Self::of(0.05, 0.1) };

    const fn of(mass: f64, damping: f64) -> Self {
        let bed = Stop { depth: 10e-3, stiffness: 20_000.0, damping: 20.0 };
        Self { mass, damping, friction: 0.0, weight: 0.0, bed, step: 2e-6 }
    }
}

/// Hand and finger.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EmulatedFinger {
    /// Mass that moves with the fingertip, kg.
    pub mass: f64,
    /// Damping of the hand's grip, N·s/m.
    pub damping: f64,
    /// Stiffness of the hand's grip, N/m.
    pub stiffness: f64,
    /// Stiffness of the fingertip's pulp, N/m.
    pub pulp_stiffness: f64,
    /// Damping of the pulp, N·s/m.
    pub pulp_damping: f64,
    /// The finger cannot leave the key.
    pub is_glued: bool,
}

impl Default for EmulatedFinger {
    fn default() -> Self {
        Self {
            mass: 0.02,
            damping: 3.75,
            stiffness: 257.0,
            // Chosen: a fingertip on wood gives by about 1 mm at 5 N.
            pulp_stiffness: 5000.0,
            pulp_damping: 10.0,
            is_glued: false,
        }
    }
}

/// Action of a finger on a key.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum FingerDrive {
    /// No force and no finger.
    #[default]
    None,
    /// A constant force.
    Bias {
        /// Force, N, positive down.
        force: f64,
    },
    /// A finger held by a moving hand.
    Hand {
        /// Depth of the hand, m.
        depth: f64,
        /// Speed of the hand, m/s.
        speed: f64,
    },
    /// A free finger, not held by a hand.
    Thrown,
}

/// State of one key and its finger.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EmulatedKey {
    plant: KeyPlant,
    finger: EmulatedFinger,
    /// Depth of the key, m.
    pub x: f64,
    /// Speed of the key, m/s.
    pub v: f64,
    /// Depth of the fingertip, m.
    pub tip_x: f64,
    /// Speed of the fingertip, m/s.
    pub tip_v: f64,
    /// Force of the finger on the key, N.
    pub touch: f64,
    /// Work of the motor on the key, J.
    pub motor_work: f64,
}

impl EmulatedKey {
    /// A key at rest with the finger 5 mm above it, or on it where it is glued.
    #[must_use]
    pub const fn new(plant: KeyPlant, finger: EmulatedFinger) -> Self {
        let tip_x = if finger.is_glued { 0.0 } else { -5e-3 };
        Self { plant, finger, x: 0.0, v: 0.0, tip_x, tip_v: 0.0, touch: 0.0, motor_work: 0.0 }
    }

    /// Mechanics of the key.
    #[must_use]
    pub const fn plant(&self) -> &KeyPlant {
        &self.plant
    }

    /// Adds a mass of `mass`, kg, on the front.
    pub const fn load(&mut self, mass: f64) {
        self.plant.mass += mass;
        self.plant.weight -= mass * 9.806_65;
    }

    /// Throws a finger of `mass`, kg, at the key with `speed`, m/s, from 2 mm above it.
    pub const fn throw(&mut self, mass: f64, speed: f64) {
        self.finger.mass = mass;
        (self.finger.pulp_stiffness, self.finger.pulp_damping) = (3000.0, 5.0);
        (self.tip_x, self.tip_v) = (self.x - 2e-3, speed);
    }

    /// Restores mass and pulp of `finger` after a throw.
    pub(crate) const fn regrip(&mut self, finger: EmulatedFinger) {
        self.finger.mass = finger.mass;
        self.finger.pulp_stiffness = finger.pulp_stiffness;
        self.finger.pulp_damping = finger.pulp_damping;
    }

    /// Count of the encoder.
    #[must_use]
    pub fn count(&self) -> i32 {
        touchback_core::math::cast::rounded_i32(self.x / self.plant.step)
    }

    /// One device tick under the motor force `motor`, N, positive upward. A hand continues at its speed.
    pub fn tick(&mut self, motor: f64, touch: FingerDrive) {
        self.tick_by(touch, |_, _| motor);
    }

    /// [`EmulatedKey::tick`] under a motor whose force, N, positive upward, is a function of depth, m, and speed, m/s,
    /// at every integration step.
    pub(crate) fn tick_by(&mut self, touch: FingerDrive, mut motor: impl FnMut(f64, f64) -> f64) {
        for substep in 0..SUBSTEPS {
            let motor = motor(self.x, self.v);
            let ahead = f64::from(substep) * H;
            let touch = match touch {
                FingerDrive::Hand { depth, speed } => {
                    FingerDrive::Hand { depth: depth + speed * ahead, speed }
                }
                other => other,
            };
            self.substep(motor, touch);
        }
    }

    fn substep(&mut self, motor: f64, touch: FingerDrive) {
        let p = &self.plant;
        let f = &self.finger;
        let mut force = -motor - p.weight - p.damping * self.v;
        force -= p.bed.push(self.x, self.v).0;
        force += REST.push(-self.x, -self.v).0;
        let mut mass = p.mass;
        self.touch = 0.0;
        match touch {
            FingerDrive::None => {}
            FingerDrive::Bias { force: bias } => self.touch = bias,
            FingerDrive::Hand { depth: at, speed } if f.is_glued => {
                self.touch = f.stiffness * (at - self.x) + f.damping * (speed - self.v);
                mass += f.mass;
            }
            FingerDrive::Hand { .. } | FingerDrive::Thrown => {
                let grip = match touch {
                    FingerDrive::Hand { depth: at, speed } => {
                        f.stiffness * (at - self.tip_x) + f.damping * (speed - self.tip_v)
                    }
                    _ => 0.0,
                };
                let deep = self.tip_x - self.x;
                if deep > 0.0 {
                    self.touch =
                        (f.pulp_stiffness * deep + f.pulp_damping * (self.tip_v - self.v)).max(0.0);
                }
                self.tip_v += H * (grip - self.touch) / f.mass;
                self.tip_x += H * self.tip_v;
            }
        }
        force += self.touch;
        // Coulomb friction can stop the key but not reverse it.
        let free = self.v + H * force / mass;
        let grip = H * p.friction / mass;
        let v = if free.abs() <= grip { 0.0 } else { free - grip * free.signum() };
        let moved = 0.5 * H * (self.v + v);
        self.motor_work -= motor * moved;
        self.x += moved;
        self.v = v;
    }
}
