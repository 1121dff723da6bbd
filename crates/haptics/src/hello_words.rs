//! What a keyboard says of itself, in words: nothing of it in bits.

use touchback_device::message::{Hello, ability};

use crate::fault_words::faults_in_words;
use crate::servo::ServoStatus;
use touchback_action::interface::key::DynamicsCompensation;

/// Its name and keys.
#[must_use]
pub fn keyboard(hello: &Hello) -> String {
    let said = String::from_utf8_lossy(&hello.name);
    let said = said.trim_end_matches('\0');
    let said = if said.is_empty() { "without a name" } else { said };
    let (first, count) = (u32::from(hello.first_key), u32::from(hello.keys));
    format!("{said}, {count} keys, {first} to {} of a piano's", first + count.saturating_sub(1))
}

/// The force it can give.
#[must_use]
pub fn limits(hello: &Hello) -> String {
    let newton = |tens_of_millinewtons: u16| 0.01 * f64::from(tens_of_millinewtons);
    let [most, held] = [hello.force_max, hello.force_held].map(newton);
    format!("{most:.1} N at most, {held:.1} N for long")
}

/// What it does by itself.
#[must_use]
pub fn abilities(bits: u16) -> String {
    const WORDS: [(u16, &str); 5] = [
        (ability::WAVE, "meets the hand by itself between commands"),
        (ability::TORQUE, "takes plain forces"),
        (ability::FORCE_SENSOR, "measures force"),
        (ability::KEYBED, "makes a key bed"),
        (ability::PHYSICAL_BED, "has a key bed"),
    ];
    let has = |word: &(u16, &'static str)| (bits & word.0 != 0).then_some(word.1);
    let said: Vec<&str> = WORDS.iter().filter_map(has).collect();
    if said.is_empty() { "none that are known here".to_owned() } else { said.join(", ") }
}

/// Its sensors and its rates.
#[must_use]
pub fn pace(hello: &Hello) -> String {
    let (step, report) = (1e-3 * f64::from(hello.step_nm), 1e-3 * f64::from(hello.report_us));
    format!("{} Hz, a state each {report:.3} ms, steps of {step:.2} µm", hello.rate_hz)
}

/// What of its own keys stays felt.
#[must_use]
pub fn calibration(left: &DynamicsCompensation) -> String {
    let (grams, weight, friction) = (1e3 * left.mass, 1e3 * left.weight, 1e3 * left.friction);
    if grams < 0.05 && weight.abs() < 0.5 && friction < 0.5 {
        return "its keys' own mass, weight and friction are all taken off".to_owned();
    }
    format!(
        "of its keys' own {grams:.1} g, {weight:.0} mN of weight and {friction:.0} mN of friction stay felt"
    )
}

/// What is or was wrong.
#[must_use]
pub fn faults(status: &ServoStatus) -> String {
    if status.faults == 0 {
        return "none".to_owned();
    }
    format!("{}: {}", status.mode.word(), faults_in_words(status.faults))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulator::Making;

    #[test]
    fn a_keyboard_is_told_in_words_and_units() {
        let mut hello = crate::emulator::build(&Making::default()).hello;
        (hello.first_key, hello.keys, hello.force_max, hello.force_held) = (40, 10, 1234, 400);
        (hello.rate_hz, hello.report_us, hello.step_nm) = (8000, 500, 1250);
        assert!(
            keyboard(&hello).ends_with(", 10 keys, 40 to 49 of a piano's"),
            "{}",
            keyboard(&hello)
        );
        assert_eq!(limits(&hello), "12.3 N at most, 4.0 N for long");
        assert_eq!(pace(&hello), "8000 Hz, a state each 0.500 ms, steps of 1.25 µm");
        let said = abilities(ability::WAVE | ability::PHYSICAL_BED);
        assert_eq!(said, "meets the hand by itself between commands, has a key bed");
        assert_eq!(abilities(0x8000), "none that are known here");
        let none = DynamicsCompensation::default();
        assert!(calibration(&none).contains("all taken off"));
        let some = DynamicsCompensation { mass: 3e-3, weight: -0.02, ..none };
        let said = calibration(&some);
        assert!(said.contains("3.0 g, -20 mN of weight and 0 mN"), "{said}");
        let mut status = ServoStatus::default();
        assert_eq!(faults(&status), "none");
        for bit in 0..16 {
            status.faults = 1 << bit;
            let said = faults(&status);
            assert!(!said.contains("0x") && said.len() > 20, "{said}");
        }
        hello.name = [0; 16];
        assert!(keyboard(&hello).starts_with("without a name, "));
    }
}
