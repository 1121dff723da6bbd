//! What follows from a keyboard's hello and facts: whether it can be used, its configuration, its felt
//! keys and what is taken off them.

use super::super::session::HaltReason;
use super::Servo;
use super::key::HapticKey;
use super::virtual_finger::KeyMechanics;
use crate::action::interface::key::DynamicsCompensation;
use crate::math::compass::KeyNumber;
use touchback_device::fixed::u16_of;
use touchback_device::message::{Config, Hello, VERSION, ability};

/// What makes a keyboard unusable.
pub(in crate::haptics) fn unfit(hello: &Hello) -> Option<HaltReason> {
    let can_act = hello.abilities & (ability::WAVE | ability::TORQUE) != 0;
    match hello {
        h if h.version != VERSION => Some(HaltReason::Version(h.version)),
        h if !(1..=88).contains(&h.keys) => Some(HaltReason::KeyCount(h.keys)),
        h if h.first_key < 1 || h.first_key > 89 - h.keys => {
            Some(HaltReason::FirstKey(h.first_key, h.keys))
        }
        h if h.step_nm == 0 => Some(HaltReason::SensorStep),
        _ => (!can_act).then_some(HaltReason::Unable),
    }
}

impl Servo {
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

    /// The felt keys of the keyboard that said hello.
    pub(super) fn build(&mut self) {
        let Some(hello) = self.hello else { return };
        let first = usize::from(hello.first_key.max(1)) - 1;
        let action = self.felt.map_or(self.options.action, |(action, _)| action);
        let settings = &self.options.settings;
        self.keys = (0..usize::from(hello.keys))
            .filter_map(|i| KeyNumber::from_index(first + i).map(|key| (i, key)))
            .map(|(i, key)| {
                let old = self.keys.get(i);
                HapticKey::new(key, &self.deduct(i), self.own(i), action, settings, old)
            })
            .collect();
        self.status.left = self.keys.iter().fold(DynamicsCompensation::default(), |most, k| {
            DynamicsCompensation {
                mass: most.mass.max(k.left.mass),
                weight: most.weight.max(k.left.weight),
                friction: most.friction.max(k.left.friction),
                has_bed: most.has_bed || k.left.has_bed,
            }
        });
    }

    fn own(&self, index: usize) -> KeyMechanics {
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

    fn deduct(&self, index: usize) -> DynamicsCompensation {
        let line = self.options.line_mass();
        let hello = self.hello.as_ref();
        let has = |bit: u16| hello.is_some_and(|h| h.abilities & bit != 0);
        let is_wave = has(ability::WAVE);
        let line = if is_wave { line } else { 0.0 };
        let has_bed = has(ability::PHYSICAL_BED) || has(ability::KEYBED);
        let facts = self.facts.get(index).copied().unwrap_or_default();
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
