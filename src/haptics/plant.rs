//! The mechanics of an emulated keyboard: one key with its stops, and the finger on it.
//!
//! Positive down. The finger is a mass held by the hand's spring and damper, as measured and used
//! in [Gillespie 1996, ch. 6]: 20 g, 3.75 N·s/m, 257 N/m. It meets the key through its pulp, which
//! pushes only, so that it can leave the key; *glued*, as in the seeds' analysis, it cannot.

/// Steps in a device tick of 125 µs.
pub const PARTS: u32 = 6;
/// Length of one, s.
pub const H: f64 = 1.0 / 48_000.0;

/// One key of a keyboard.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Plant {
    /// Moving mass at the tip, kg.
    pub mass: f64,
    /// N·s/m.
    pub damping: f64,
    /// Coulomb friction, N.
    pub friction: f64,
    /// Force that holds it up at rest, N.
    pub weight: f64,
    /// Depth of the bed, m, its N/m and N·s/m; 0 N/m: none.
    pub bed: [f64; 3],
    /// Step of the encoder, m.
    pub step: f64,
}

impl Plant {
    /// A light, middling or heavy key: the three plants of the acceptance list.
    pub const THREE: [Self; 3] = [Self::of(0.05, 0.1), Self::of(0.1, 0.5), Self::of(0.2, 1.0)];

    const fn of(mass: f64, damping: f64) -> Self {
        Self { mass, damping, friction: 0.0, weight: 0.0, bed: [10e-3, 20_000.0, 20.0], step: 2e-6 }
    }
}

/// Hand and finger.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Finger {
    /// Mass that moves with the tip, kg.
    pub mass: f64,
    /// Of the hand's grip, N·s/m and N/m.
    pub damping: f64,
    /// See `damping`.
    pub stiffness: f64,
    /// Of the pulp, N/m and N·s/m.
    pub pulp: [f64; 2],
    /// It cannot leave the key.
    pub is_glued: bool,
}

impl Default for Finger {
    fn default() -> Self {
        Self {
            mass: 0.02,
            damping: 3.75,
            stiffness: 257.0,
            // A fingertip on wood: 5 N at about a millimetre, chosen.
            pulp: [5000.0, 10.0],
            is_glued: false,
        }
    }
}

/// What acts on a key.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Touch {
    /// Nothing.
    #[default]
    None,
    /// A constant force, N.
    Bias(f64),
    /// A finger whose hand is at a depth, m, moving at a speed, m/s.
    Hand(f64, f64),
    /// A finger let fly.
    Thrown,
}

/// One key in motion.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Key {
    plant: Plant,
    finger: Finger,
    /// Position, m, and speed, m/s.
    pub x: f64,
    /// See `x`.
    pub v: f64,
    /// Finger tip's.
    pub tip: [f64; 2],
    /// Force of the finger on the key, N.
    pub touch: f64,
    /// Work the motor did on the key, J.
    pub motor_work: f64,
}

impl Key {
    /// At rest, the finger above it.
    #[must_use]
    pub const fn new(plant: Plant, finger: Finger) -> Self {
        let tip = if finger.is_glued { [0.0; 2] } else { [-5e-3, 0.0] };
        Self { plant, finger, x: 0.0, v: 0.0, tip, touch: 0.0, motor_work: 0.0 }
    }

    /// What it is made of.
    #[must_use]
    pub const fn plant(&self) -> &Plant {
        &self.plant
    }

    /// A finger of `mass` kg flies toward the key at `speed` m/s from 2 mm above it.
    pub const fn throw(&mut self, mass: f64, speed: f64) {
        self.finger.mass = mass;
        self.finger.pulp = [3000.0, 5.0];
        self.tip = [self.x - 2e-3, speed];
    }

    /// The finger it had at first again.
    pub const fn regrip(&mut self, finger: Finger) {
        self.finger.mass = finger.mass;
        self.finger.pulp = finger.pulp;
    }

    /// What the encoder reads.
    #[must_use]
    pub fn count(&self) -> i32 {
        crate::math::cast::rounded_i32(self.x / self.plant.step)
    }

    /// One device tick: the motor pushes up with `motor` N, the hand's depth goes on at its speed.
    pub fn tick(&mut self, motor: f64, touch: Touch) {
        for part in 0..PARTS {
            let ahead = f64::from(part) * H;
            let touch = match touch {
                Touch::Hand(depth, speed) => Touch::Hand(depth + speed * ahead, speed),
                other => other,
            };
            self.part(motor, touch);
        }
    }

    fn part(&mut self, motor: f64, touch: Touch) {
        let p = &self.plant;
        let f = &self.finger;
        let mut force = -motor - p.weight - p.damping * self.v;
        let [depth, stiffness, damping] = p.bed;
        if stiffness > 0.0 && self.x > depth {
            force -= (stiffness * (self.x - depth) + damping * self.v).max(0.0);
        }
        if self.x < 0.0 {
            // The rest stop, as soft as a rail's felt.
            force += (20_000.0 * -self.x - 30.0 * self.v).max(0.0);
        }
        let mut mass = p.mass;
        self.touch = 0.0;
        match touch {
            Touch::None => {}
            Touch::Bias(bias) => self.touch = bias,
            Touch::Hand(at, speed) if f.is_glued => {
                self.touch = f.stiffness * (at - self.x) + f.damping * (speed - self.v);
                mass += f.mass;
            }
            Touch::Hand(..) | Touch::Thrown => {
                let grip = match touch {
                    Touch::Hand(at, speed) => {
                        f.stiffness * (at - self.tip[0]) + f.damping * (speed - self.tip[1])
                    }
                    _ => 0.0,
                };
                let deep = self.tip[0] - self.x;
                if deep > 0.0 {
                    self.touch = (f.pulp[0] * deep + f.pulp[1] * (self.tip[1] - self.v)).max(0.0);
                }
                self.tip[1] += H * (grip - self.touch) / f.mass;
                self.tip[0] += H * self.tip[1];
            }
        }
        force += self.touch;
        // Coulomb friction stops the key at most.
        let free = self.v + H * force / mass;
        let grip = H * p.friction / mass;
        let v = if free.abs() <= grip { 0.0 } else { free - grip * free.signum() };
        let moved = 0.5 * H * (self.v + v);
        self.motor_work -= motor * moved;
        self.x += moved;
        self.v = v;
    }
}
