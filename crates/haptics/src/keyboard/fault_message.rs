//! Messages for the faults that a keyboard reports.

use touchback_device::message::fault;

/// Message for the fault `bits` of a keyboard; never empty.
#[must_use]
pub fn fault_message(bits: u16) -> String {
    const MESSAGES: [(u16, &str); 16] = [
        (fault::TIMEOUT, "no command from this computer arrived in time"),
        (fault::SENSOR, "a sensor reads implausible positions"),
        (fault::THERMAL, "a motor is hot and its force is reduced"),
        (fault::CLAMPED, "force was limited"),
        (fault::ENERGY, "a key would have given out more energy than it received and was limited"),
        (fault::FRAME, "damaged or unexpected messages arrived"),
        (fault::CLOCK, "the play-out time of a command was too far ahead"),
        (
            fault::CONFIG,
            "it cannot provide the key bed, damping or report interval that the action needs",
        ),
        (fault::STOPPED, "this computer stopped it"),
        (fault::VERSION, "the computer that asked speaks another version of the protocol"),
        (fault::SUPPLY, "the motors' supply is off or out of its range; check its switch"),
        (fault::DRIVER, "a motor driver reports a fault"),
        (fault::TEMPERATURE, "a driver or motor is too hot"),
        (fault::LATE_TICK, "its processor was late by more than a tick"),
        (fault::WATCHDOG_RESET, "its watchdog has reset it"),
        (fault::NO_ZERO, "a sensor has not found its zero; let every key go"),
    ];
    let messages: Vec<&str> =
        MESSAGES.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, message)| *message).collect();
    let known = MESSAGES.iter().fold(0, |known, (bit, _)| known | bit);
    match (messages.is_empty(), bits & !known) {
        (true, 0) => "it names no cause".to_owned(),
        (true, _) => "it names a cause that this version does not know".to_owned(),
        (false, _) => messages.join(", "),
    }
}
