//! The forces on all bodies at one instant.

use super::body::{Body, ELEMENTS, Memory, Sums, element, friction};
use super::elements::{COUNT, index};
use super::joints::{
    Shank, backcheck, carry_jack, damper, heel, joint, knuckle, repetition, weights,
};
use super::{
    BUTT, COORDINATES, Coupling, DAMPER, FRONT, FRONT_SHARE, HAMMER, JACK, JACK_AT, KEY, LEVER,
    LEVER_AT, STATES, WIPPEN, WORK, butt_of,
};
use touchback_action::grand::design::spec::Spec;
use touchback_action::grand::equations::drive::{Causality, DriveNow};
use touchback_action::interface::finger;
use touchback_core::math::vec2::Vec2;
use touchback_core::mech::felt::Contact;
use touchback_core::mech::friction::{Element, forces};

/// Friction forces held constant through a substep: a generalized force on every coordinate.
pub type Held = [f64; COORDINATES];

/// Forces, accelerations and energies at one instant.
pub struct Evaluation {
    /// Force of the drive on the key front, N.
    pub drive: f64,
    /// Force of the jack on the knuckle, along the jack, N.
    pub jack: f64,
    /// Force of the capstan on the heel, N, and gap between them, m.
    pub capstan: [f64; 2],
    /// Kinetic energy, J.
    pub kinetic: f64,
    /// Potential energy, J.
    pub potential: f64,
    acceleration: [f64; COORDINATES],
    inverse: [f64; COORDINATES],
    friction: [Element<COORDINATES>; ELEMENTS],
    elements: [Contact; COUNT],
    power: f64,
    loss: f64,
    /// Distance of the jack's head inside the knuckle's edge and its compression of the knuckle, m; force that presses a
    /// straight knuckle, N.
    head: [f64; 3],
    /// Angle of the jack from its stop, rad; compression of the button by the toe, m; pull of the stop, N·m.
    jack_home: [f64; 3],
}

impl Evaluation {
    /// Evaluates the equations at `x` with the discrete state `memory` and the friction `held`.
    pub fn new(
        spec: &Spec,
        coupling: &Coupling,
        memory: Memory,
        held: &Held,
        input: &DriveNow,
        x: &[f64; STATES],
    ) -> Self {
        let rate = |i: usize| x[COORDINATES + i];
        let vector = |i: usize| Vec2::new(x[i], x[i + 1]);
        let mut key = Body::pinned(Vec2::default(), x[KEY], rate(KEY));
        let mut wippen = Body::pinned(spec.wippen.pivot, x[WIPPEN], rate(WIPPEN));
        let mut hammer = Body::pinned(spec.hammer.pivot, x[HAMMER], rate(HAMMER));
        let bends = spec.hammer.bends();
        let mut butt = bends.then(|| Body::pinned(spec.hammer.pivot, x[BUTT], rate(BUTT)));
        let shank = Shank::new(&spec.hammer, x);
        let free = |at: usize, angle: usize| {
            Body::free(vector(at), vector(COORDINATES + at), x[angle], rate(angle))
        };
        let (mut fly, mut lever) = (free(JACK_AT, JACK), free(LEVER_AT, LEVER));
        let none = Element { direction: [0.0; COORDINATES], bound: 0.0 };
        let elements = [Contact::default(); COUNT];
        let mut sums = Sums { loss: 0.0, stored: 0.0, friction: [none; ELEMENTS], elements };
        let k = coupling.stiffness;
        let damper_of = |mass: f64| 2.0 * coupling.damping * (k * mass).sqrt();

        weights(spec, &mut sums, &mut wippen, &mut hammer, &mut fly, &mut lever);
        let capstan = heel(spec, coupling, damper_of, &mut sums, &mut key, &mut wippen);
        let pins = [spec.wippen.jack_pivot, spec.wippen.lever_pivot];
        let hung = [
            (index::JACK_PIN, &mut fly, spec.jack.centre, spec.jack.mass),
            (index::LEVER_PIN, &mut lever, spec.lever.centre, spec.lever.mass),
        ];
        for (pin, (index, body, centre, mass)) in pins.into_iter().zip(hung) {
            joint(index, k, damper_of(mass), &mut sums, (&mut wippen, pin), (body, -centre));
        }
        let jack_home = carry_jack(spec, coupling, memory, &mut sums, &mut wippen, &mut fly);
        let carrier = butt.as_mut().unwrap_or(&mut hammer);
        let (jack, head) = knuckle(spec, coupling, memory, &mut sums, &mut fly, carrier);
        repetition(spec, &mut sums, &mut wippen, &mut lever, carrier);
        let tail = backcheck(spec, &mut sums, &mut key, &mut hammer, &shank);
        if let Some(butt) = &mut butt {
            let torque = shank.torque(&mut sums) - tail;
            hammer.torque -= torque / shank.share;
            butt.torque += torque / shank.share;
        }

        // String and rest rail at the crown; friction of the centre pins.
        let crown = spec.hammer.crown;
        let (z, w) = (crown * x[HAMMER], crown * rate(HAMMER));
        hammer.torque -= crown * sums.felt(index::STRING, &spec.string, z, w);
        let on_rail = -z - spec.hammer.rail;
        hammer.torque += crown * sums.felt(index::REST_RAIL, &spec.hammer.rail_felt, on_rail, -w);
        let centre = |bound: f64, turning: &[(usize, f64)]| element(bound, turning);
        sums.friction[friction::KEY] = centre(spec.key.friction, &[(KEY, 1.0)]);
        sums.friction[friction::HAMMER] =
            centre(spec.hammer.friction, &[(butt_of(&spec.hammer), 1.0)]);
        sums.friction[friction::LEVER] =
            centre(spec.lever.friction, &[(LEVER, 1.0), (WIPPEN, -1.0)]);

        // Key: leads, damper and rest felt behind, bed and drive in front.
        let front = spec.key.front;
        let behind = spec.key.depth(x[KEY]);
        key.torque += spec.key.lead_torque;
        sums.stored -= spec.key.lead_torque * (x[KEY] - spec.key.rest_angle);
        let under_back = spec.key.rest_compression - behind;
        let rising = -front * key.speed;
        key.torque += front * sums.felt(index::KEY_REST, &spec.key.rest_felt, under_back, rising);
        let damper = damper(spec, &mut sums, &mut key, behind, x, input.tray);
        key.torque += held[KEY];
        let mut stick = (coupling.key_stick > 0.0)
            .then(|| Body::pinned(Vec2::default(), x[FRONT], rate(FRONT)));
        if let Some(stick) = &mut stick {
            let torque = sums.hinge(index::KEY_STICK, coupling.key_stick, x[FRONT] - x[KEY]);
            stick.torque -= torque;
            key.torque += torque;
        }
        let played = stick.as_mut().unwrap_or(&mut key);
        let depth = spec.key.depth(x[coupling.front()]);
        let speed = front * played.speed;
        let on_bed = depth - spec.key.dip;
        played.torque -= front * sums.felt(index::KEY_BED, &spec.key.bed_felt, on_bed, speed);
        let imposed = input.is_imposed();
        let given = input.given - input.impedance * speed;
        let front_inertia =
            if coupling.key_stick > 0.0 { FRONT_SHARE * spec.key.inertia } else { 0.0 };
        let behind_inertia = spec.key.inertia - front_inertia;
        let led = if coupling.key_stick > 0.0 { front_inertia } else { behind_inertia };
        let drive = match input.causality {
            Causality::Motion => (led * input.given / front - played.torque) / front,
            Causality::Force if input.target > depth => {
                let finger = finger::STIFFNESS * (input.target - depth)
                    + finger::DAMPING * (input.rate - speed);
                given + finger.max(0.0)
            }
            Causality::Force => given,
            Causality::Manipulandum => {
                let [stiffness, damping] = spec.coupling;
                let angle = spec.key.rest_angle + depth / front;
                (stiffness * (input.target - angle) + damping * (input.rate - speed / front))
                    / front
            }
        };
        played.torque += front * drive;

        let about = |inertia: f64, mass: f64, centre: Vec2| inertia - mass * centre.norm_squared();
        let jack_inertia = about(spec.jack.inertia, spec.jack.mass, spec.jack.centre);
        let lever_inertia = about(spec.lever.inertia, spec.lever.mass, spec.lever.centre);
        let (of_jack, of_lever) = (1.0 / spec.jack.mass, 1.0 / spec.lever.mass);
        let inverse = [
            if imposed && stick.is_none() { 0.0 } else { 1.0 / behind_inertia },
            1.0 / spec.wippen.inertia,
            1.0 / spec.hammer.head_inertia(),
            1.0 / jack_inertia,
            1.0 / lever_inertia,
            of_jack,
            of_jack,
            of_lever,
            of_lever,
            if spec.damper.present { 1.0 / spec.damper.mass } else { 0.0 },
            if bends { 1.0 / spec.hammer.butt_inertia() } else { 0.0 },
            if imposed || stick.is_none() { 0.0 } else { 1.0 / front_inertia },
        ];
        let force = [
            key.torque - held[KEY],
            wippen.torque,
            hammer.torque,
            fly.torque,
            lever.torque,
            fly.force.x,
            fly.force.y,
            lever.force.x,
            lever.force.y,
            damper,
            butt.map_or(0.0, |b| b.torque),
            stick.map_or(0.0, |s| s.torque),
        ];
        let mut acceleration: [f64; COORDINATES] =
            std::array::from_fn(|i| inverse[i] * (force[i] + held[i]));
        if imposed {
            acceleration[coupling.front()] = input.given / front;
        }
        sums.loss -= (0..COORDINATES).map(|i| held[i] * rate(i)).sum::<f64>();
        let moving = if spec.damper.present { spec.damper.mass } else { 0.0 };
        let kinetic = 0.5
            * (behind_inertia * key.speed * key.speed
                + front_inertia * rate(FRONT) * rate(FRONT)
                + spec.wippen.inertia * wippen.speed * wippen.speed
                + spec.hammer.head_inertia() * hammer.speed * hammer.speed
                + spec.hammer.butt_inertia() * rate(BUTT) * rate(BUTT)
                + jack_inertia * fly.speed * fly.speed
                + lever_inertia * lever.speed * lever.speed
                + spec.jack.mass * fly.velocity.norm_squared()
                + spec.lever.mass * lever.velocity.norm_squared()
                + moving * rate(DAMPER) * rate(DAMPER));
        Self {
            drive,
            jack,
            capstan,
            kinetic,
            potential: sums.stored,
            acceleration,
            inverse,
            friction: sums.friction,
            elements: sums.elements,
            power: drive * speed,
            loss: sums.loss,
            head,
            jack_home,
        }
    }

    /// x': rates of the states at `x`.
    pub fn rates(&self, x: &[f64; STATES]) -> [f64; STATES] {
        let mut rates = [0.0; STATES];
        rates[..COORDINATES].copy_from_slice(&x[COORDINATES..WORK]);
        rates[COORDINATES..WORK].copy_from_slice(&self.acceleration);
        rates[WORK] = self.power;
        rates[WORK + 1] = self.loss;
        rates
    }

    /// Friction for the substep of `h` s that begins at `x`; this evaluation must be free of friction.
    pub fn hold(&self, x: &[f64; STATES], imposed: bool, h: f64) -> Held {
        let forces = self.friction_forces(x, imposed, h);
        let mut held = [0.0; COORDINATES];
        for (element, force) in self.friction.iter().zip(forces) {
            for (sum, share) in held.iter_mut().zip(element.direction) {
                *sum += share * force;
            }
        }
        held
    }

    /// Forces of the friction elements through the substep of `h` s that begins at `x`.
    fn friction_forces(&self, x: &[f64; STATES], imposed: bool, h: f64) -> [f64; ELEMENTS] {
        let speeds = std::array::from_fn(|i| x[COORDINATES + i]);
        let mut forces = forces(&self.friction, &self.inverse, &speeds, &self.acceleration, h);
        if imposed && speeds[KEY] != 0.0 {
            // The motion of the key is imposed: its friction loads the drive.
            forces[friction::KEY] = -self.friction[friction::KEY].bound * speeds[KEY].signum();
        }
        forces
    }

    /// Force and dissipated power of every element, with the friction of the substep of `h` s that begins at `x`; this
    /// evaluation must be free of friction.
    pub fn elements(&self, x: &[f64; STATES], imposed: bool, h: f64) -> [Contact; COUNT] {
        let speeds = std::array::from_fn(|i| x[COORDINATES + i]);
        let mut all = self.elements;
        let forces = self.friction_forces(x, imposed, h);
        for ((value, force), element) in
            all[index::FRICTION..].iter_mut().zip(forces).zip(&self.friction)
        {
            *value = Contact { force: -force, loss: -force * element.speed(&speeds) };
        }
        all
    }

    /// The discrete state that follows `memory`.
    pub(crate) const fn next_memory(&self, memory: Memory) -> Memory {
        let [inside, above, pressed] = self.head;
        let [turn, toe, _] = self.jack_home;
        Memory {
            // The head leaves the knuckle over the edge, and returns below the knuckle.
            under: above <= 0.0 || (memory.under && inside > 0.0),
            // The jack leaves its stop when the button meets the toe, and returns to it when it is on the stop
            // with the toe clear.
            home: toe <= 0.0 && (memory.home || turn <= 0.0),
            // The head meets the knuckle with its spring at rest, and leaves when the contact no longer presses.
            touches: above > 0.0 || (memory.touches && pressed > 0.0),
        }
    }

    /// Torque with which the stop pulls the jack, N·m; 0 unless the jack is on it.
    pub const fn pull(&self, memory: Memory) -> f64 {
        if memory.home { self.jack_home[2] } else { 0.0 }
    }
}
