//! Consequences of a keyboard's hello and facts: fitness, configuration, simulated keys and their
//! compensation.

use super::Servo;
use super::key::HapticKey;
use super::virtual_finger::KeyMechanics;
use crate::session::HaltReason;
use touchback_action::interface::key::DynamicsCompensation;
use touchback_core::math::compass::KeyNumber;
use touchback_device::fixed::u16_of;
use touchback_device::message::{Config, Hello, OLDEST_VERSION, VERSION, ability};

/// The reason for which a keyboard is unusable; none for a usable one.
pub(crate) fn unfit(hello: &Hello) -> Option<HaltReason> {
    let can_play = hello.abilities & (ability::WAVE | ability::TORQUE | ability::POSITIONS) != 0;
    match hello {
        h if !(OLDEST_VERSION..=VERSION).contains(&h.version) => {
            Some(HaltReason::Version(h.version))
        }
        h if !(1..=88).contains(&h.keys) => Some(HaltReason::KeyCount(h.keys)),
        h if h.first_key < 1 || h.first_key > 89 - h.keys => {
            Some(HaltReason::FirstKey(h.first_key, h.keys))
        }
        h if h.step_nm == 0 => Some(HaltReason::SensorStep),
        _ => (!can_play).then_some(HaltReason::Unable),
    }
}

/// The keyboard has sensors and no motors.
pub(crate) const fn has_no_motors(hello: &Hello) -> bool {
    hello.abilities & (ability::WAVE | ability::TORQUE) == 0
        && hello.abilities & ability::POSITIONS != 0
}

impl Servo {
    /// The configuration that the options ask of the keyboard.
    pub(super) fn config(&self, hello: &Hello) -> Config {
        let limits = &self.options.limits;
        let renders =
            hello.abilities & (ability::PHYSICAL_BED | ability::KEYBED) == ability::KEYBED;
        Config {
            force_max: u16_of(limits.force, 10e-3),
            slew: u16_of(limits.slew, 10.0),
            force_held: u16_of(limits.held, 10e-3),
            thermal_time: u16_of(limits.time, 10e-3),
            timeout_ms: 20,
            safe_damping: 6,
            bed_stiffness: if renders && !self.options.action.is_wall() { 2000 } else { 0 },
            bed_damping: 100,
            bed: u16_of(self.options.settings.key_dip_mm, 0.01),
            guard: 1000,
            report_us: self.options.report_us,
        }
    }

    /// Creates the simulated keys from hello and facts. Allocates.
    pub(super) fn build(&mut self) {
        let Some(hello) = self.hello else { return };
        let first = usize::from(hello.first_key.max(1)) - 1;
        let action = self.active.as_ref().map_or(self.options.action, |(action, _)| *action);
        let settings = &self.options.settings;
        self.keys = (0..usize::from(hello.keys))
            .filter_map(|i| KeyNumber::from_index(first + i).map(|key| (i, key)))
            .map(|(i, key)| {
                let old = self.keys.get(i);
                HapticKey::new(key, &self.compensation(i), self.mechanics(i), action, settings, old)
            })
            .collect();
        self.status.uncompensated =
            self.keys.iter().fold(DynamicsCompensation::default(), |max, k| DynamicsCompensation {
                mass: max.mass.max(k.uncompensated.mass),
                weight: max.weight.max(k.uncompensated.weight),
                friction: max.friction.max(k.uncompensated.friction),
                has_bed: max.has_bed || k.uncompensated.has_bed,
            });
    }

    /// Mechanics of a physical key, as declared.
    fn mechanics(&self, index: usize) -> KeyMechanics {
        let facts = self.facts.get(index).copied().unwrap_or_default();
        let dip = self.options.settings.key_dip_mm * 1e-3;
        let bed = if facts.bed > 0 { f64::from(facts.bed) * 10e-6 } else { dip };
        KeyMechanics {
            mass: f64::from(facts.mass) * 1e-4,
            weight: f64::from(facts.weight) * 1e-3,
            friction: f64::from(facts.friction) * 1e-3,
            damping: f64::from(facts.damping) * 1e-3,
            bed,
        }
    }

    /// Mass, weight, friction and bed to be deducted from a simulated key: those of the line and, with
    /// `deducts`, those declared for the physical key.
    fn compensation(&self, index: usize) -> DynamicsCompensation {
        let line = self.options.line_mass();
        let hello = self.hello.as_ref();
        let has = |bit: u16| hello.is_some_and(|h| h.abilities & bit != 0);
        let is_wave = has(ability::WAVE);
        let line = if is_wave { line } else { 0.0 };
        let has_bed = has(ability::PHYSICAL_BED) || has(ability::KEYBED);
        let facts = self.facts.get(index).copied().unwrap_or_default();
        if hello.is_some_and(has_no_motors) {
            // A key that only follows positions has no part of the real key's mechanics.
            return DynamicsCompensation { has_bed, ..DynamicsCompensation::default() };
        }
        if !self.options.deducts {
            return DynamicsCompensation { mass: line, has_bed, ..DynamicsCompensation::default() };
        }
        DynamicsCompensation {
            mass: line + f64::from(facts.mass) * 1e-4,
            weight: f64::from(facts.weight) * 1e-3,
            friction: f64::from(facts.friction) * 1e-3,
            has_bed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Action;
    use crate::keyboard::emulator::{KeyboardDesign, build};
    use crate::servo::ServoOptions;
    use touchback_device::message::KeyFacts;

    const FACTS: KeyFacts =
        KeyFacts { key: 0, mass: 450, weight: 300, friction: 120, damping: 80, bed: 950 };

    fn hello() -> Hello {
        build(&KeyboardDesign::default()).hello
    }

    /// A servo that has received `hello` and [`FACTS`] for every key.
    fn servo(hello: Hello, options: ServoOptions) -> Servo {
        let mut servo = Servo::new(options, 0.0);
        servo.hello = Some(hello);
        servo.facts.fill(FACTS);
        servo
    }

    #[test]
    fn a_keyboard_within_the_88_keys_that_takes_waves_or_forces_is_fit() {
        for (keys, first_key, is_fit) in [
            (1, 1, true),
            (1, 88, true),
            (88, 1, true),
            (2, 87, true),
            (2, 88, false),
            (88, 2, false),
            (89, 1, false),
            (0, 1, false),
            (1, 0, false),
            (255, 255, false),
        ] {
            let hello = Hello { keys, first_key, ..hello() };
            assert_eq!(unfit(&hello).is_none(), is_fit, "{keys} keys from {first_key} on");
        }
        for (abilities, is_fit) in [
            (ability::WAVE, true),
            (ability::TORQUE, true),
            (ability::POSITIONS, true),
            (ability::KEYBED, false),
            (0, false),
        ] {
            assert_eq!(unfit(&Hello { abilities, ..hello() }).is_none(), is_fit, "{abilities}");
        }
        let wrong = |hello: Hello| unfit(&hello).unwrap();
        assert_eq!(wrong(Hello { version: 7, ..hello() }), HaltReason::Version(7));
        assert_eq!(wrong(Hello { step_nm: 0, ..hello() }), HaltReason::SensorStep);
    }

    /// The rendered bed is configured only for a keyboard that can render one and has no physical one.
    #[test]
    fn a_configuration_has_the_options_in_the_units_of_the_wire() {
        let options = ServoOptions::default();
        let limits = options.limits;
        let is = |field: u16, unit: f64, value: f64| (f64::from(field) * unit - value).abs() < unit;
        for (abilities, action, renders) in [
            (ability::WAVE | ability::KEYBED, Action::GRAND, true),
            (ability::WAVE, Action::GRAND, false),
            (ability::WAVE | ability::KEYBED | ability::PHYSICAL_BED, Action::GRAND, false),
            (ability::WAVE | ability::PHYSICAL_BED, Action::GRAND, false),
            (ability::WAVE | ability::KEYBED, wall(), false),
        ] {
            let hello = Hello { abilities, ..hello() };
            let options = ServoOptions { action, ..options.clone() };
            let config = servo(hello, options.clone()).config(&hello);
            assert_eq!(config.bed_stiffness, if renders { 2000 } else { 0 }, "{abilities}");
            assert!(is(config.bed, 10e-6, options.settings.key_dip_mm * 1e-3));
            assert!(
                is(config.force_max, 10e-3, limits.force) && is(config.slew, 10.0, limits.slew)
            );
            assert!(is(config.force_held, 10e-3, limits.held));
            assert!(is(config.thermal_time, 10e-3, limits.time));
            assert_eq!((config.timeout_ms, config.report_us), (20, options.report_us));
        }
    }

    fn wall() -> Action {
        *Action::ALL.iter().find(|action| action.is_wall()).unwrap()
    }

    #[test]
    fn mechanics_of_the_physical_key_and_mass_of_the_line_are_deducted() {
        let options = ServoOptions::default();
        let line = options.line_mass();
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        for (abilities, deducts, mass, has_bed) in [
            (ability::WAVE, true, line + 0.045, false),
            (ability::TORQUE, true, 0.045, false),
            (ability::WAVE | ability::KEYBED, true, line + 0.045, true),
            (ability::WAVE | ability::PHYSICAL_BED, false, line, true),
            (ability::TORQUE, false, 0.0, false),
        ] {
            let hello = Hello { abilities, ..hello() };
            let servo = servo(hello, ServoOptions { deducts, ..options.clone() });
            let compensation = servo.compensation(0);
            let (weight, friction) = if deducts { (0.3, 0.12) } else { (0.0, 0.0) };
            assert!(near(compensation.mass, mass), "{abilities} {deducts}: {compensation:?}");
            assert!(near(compensation.weight, weight) && near(compensation.friction, friction));
            assert_eq!(compensation.has_bed, has_bed);
        }
    }

    #[test]
    fn facts_convert_to_the_mechanics_of_a_key_in_si_units() {
        let mut servo = servo(hello(), ServoOptions::default());
        let mechanics = servo.mechanics(0);
        let converted = [
            mechanics.mass,
            mechanics.weight,
            mechanics.friction,
            mechanics.damping,
            mechanics.bed,
        ];
        let declared = [0.045, 0.3, 0.12, 0.08, 9.5e-3];
        assert!(
            converted.iter().zip(declared).all(|(a, b)| (a - b).abs() < 1e-12),
            "{mechanics:?}"
        );
        // Without a physical bed: the key dip of the action.
        servo.facts[0].bed = 0;
        assert!((servo.mechanics(0).bed - servo.options.settings.key_dip_mm * 1e-3).abs() < 1e-12);
    }

    #[test]
    fn the_simulated_keys_have_the_piano_numbers_of_the_hello() {
        let hello = Hello { keys: 3, first_key: 40, ..hello() };
        let mut servo = servo(hello, ServoOptions::default());
        servo.build();
        let numbers: Vec<u8> = servo.keys.iter().map(|key| key.number().number()).collect();
        assert_eq!(numbers, [40, 41, 42]);
        // The status has the largest residual of any key.
        let most = |of: fn(&DynamicsCompensation) -> f64| {
            servo.keys.iter().map(|key| of(&key.uncompensated)).fold(0.0, f64::max)
        };
        let residual = servo.status.uncompensated;
        assert_eq!(
            [residual.mass, residual.weight, residual.friction],
            [most(|l| l.mass), most(|l| l.weight), most(|l| l.friction)]
        );
    }
}
