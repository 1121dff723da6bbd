//! Texts for the properties that a keyboard reports: no bits, values with units.

use touchback_device::message::{Hello, ability, reset_cause};

use crate::keyboard::fault_message::fault_message;
use crate::servo::ServoStatus;
use touchback_action::interface::key::DynamicsCompensation;

/// Name and keys of a keyboard.
#[must_use]
pub fn keyboard(hello: &Hello) -> String {
    let name = String::from_utf8_lossy(&hello.name);
    let name = name.trim_end_matches('\0');
    let name = if name.is_empty() { "without a name" } else { name };
    let (first, count) = (u32::from(hello.first_key), u32::from(hello.keys));
    format!("{name}, {count} keys, {first} to {} of a piano's", first + count.saturating_sub(1))
}

/// Largest and continuous force.
#[must_use]
pub fn limits(hello: &Hello) -> String {
    let newton = |tens_of_millinewtons: u16| 0.01 * f64::from(tens_of_millinewtons);
    let [max, held] = [hello.force_max, hello.force_held].map(newton);
    format!("{max:.1} N at most, {held:.1} N continuously")
}

/// Serial number, firmware version and reset cause; that they are unknown where the keyboard speaks version 2.
#[must_use]
pub fn identity(hello: &Hello) -> String {
    if hello.version < 3 {
        return "serial number and firmware version unknown (protocol 2)".into();
    }
    let serial = match hello.serial {
        0 => "no serial number".into(),
        serial => format!("serial number {serial:016x}"),
    };
    let [major, minor, patch] = hello.firmware;
    let cause = match hello.reset_cause {
        reset_cause::POWER => "power-up",
        reset_cause::INPUT => "its reset input",
        reset_cause::WATCHDOG => "its watchdog",
        reset_cause::BROWN_OUT => "a low supply",
        reset_cause::SOFTWARE => "its software",
        _ => "an unknown cause",
    };
    format!("{serial}, firmware {major}.{minor}.{patch}, started by {cause}")
}

/// Abilities of a keyboard.
#[must_use]
pub fn abilities(bits: u16) -> String {
    const TEXTS: [(u16, &str); 7] = [
        (ability::WAVE, "has a wave junction of its own"),
        (ability::TORQUE, "accepts plain forces"),
        (ability::FORCE_SENSOR, "measures force"),
        (ability::KEYBED, "can render a key bed"),
        (ability::PHYSICAL_BED, "has a physical key bed"),
        (ability::POSITIONS, "has sensors and no motors"),
        (ability::SPEED, "measures speed"),
    ];
    let has = |text: &(u16, &'static str)| (bits & text.0 != 0).then_some(text.1);
    let texts: Vec<&str> = TEXTS.iter().filter_map(has).collect();
    if texts.is_empty() { "none that this version knows".to_owned() } else { texts.join(", ") }
}

/// Sensor resolution and rates.
#[must_use]
pub fn pace(hello: &Hello) -> String {
    let (step, report) = (1e-3 * f64::from(hello.step_nm), 1e-3 * f64::from(hello.report_us));
    format!("{} Hz, a state every {report:.3} ms, steps of {step:.2} µm", hello.rate_hz)
}

/// Mass, weight and friction of the keyboard's keys that could not be deducted.
#[must_use]
pub fn calibration(residual: &DynamicsCompensation) -> String {
    let (grams, weight, friction) =
        (1e3 * residual.mass, 1e3 * residual.weight, 1e3 * residual.friction);
    if grams < 0.05 && weight.abs() < 0.5 && friction < 0.5 {
        return "mass, weight and friction of its keys are fully compensated".to_owned();
    }
    format!(
        "not compensated of its keys: {grams:.1} g, {weight:.0} mN of weight and {friction:.0} mN of friction"
    )
}

/// Mode and faults since the last clear.
#[must_use]
pub fn faults(status: &ServoStatus) -> String {
    if status.faults == 0 {
        return "none".to_owned();
    }
    format!("{}: {}", status.mode.name(), fault_message(status.faults))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyboard::emulator::KeyboardDesign;

    #[test]
    fn the_texts_of_a_keyboard_have_words_and_units() {
        let mut hello = crate::keyboard::emulator::build(&KeyboardDesign::default()).hello;
        (hello.first_key, hello.keys, hello.force_max, hello.force_held) = (40, 10, 1234, 400);
        (hello.rate_hz, hello.report_us, hello.step_nm) = (8000, 500, 1250);
        assert!(
            keyboard(&hello).ends_with(", 10 keys, 40 to 49 of a piano's"),
            "{}",
            keyboard(&hello)
        );
        assert_eq!(limits(&hello), "12.3 N at most, 4.0 N continuously");
        assert_eq!(pace(&hello), "8000 Hz, a state every 0.500 ms, steps of 1.25 µm");
        let text = abilities(ability::WAVE | ability::PHYSICAL_BED);
        assert_eq!(text, "has a wave junction of its own, has a physical key bed");
        assert_eq!(abilities(0x8000), "none that this version knows");
        let none = DynamicsCompensation::default();
        assert!(calibration(&none).contains("fully compensated"));
        let some = DynamicsCompensation { mass: 3e-3, weight: -0.02, ..none };
        let text = calibration(&some);
        assert!(text.contains("3.0 g, -20 mN of weight and 0 mN"), "{text}");
        let mut status = ServoStatus::default();
        assert_eq!(faults(&status), "none");
        for bit in 0..16 {
            status.faults = 1 << bit;
            let text = faults(&status);
            assert!(!text.contains("0x") && text.len() > 20, "{text}");
        }
        (hello.serial, hello.firmware, hello.reset_cause) =
            (0x1f, [1, 2, 3], reset_cause::WATCHDOG);
        let text = identity(&hello);
        assert_eq!(text, "serial number 000000000000001f, firmware 1.2.3, started by its watchdog");
        hello.version = 2;
        assert!(identity(&hello).contains("unknown (protocol 2)"));
        hello.name = [0; 16];
        assert!(keyboard(&hello).starts_with("without a name, "));
    }
}
